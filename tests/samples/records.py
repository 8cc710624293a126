"""Rows and talks: what sheets, csv files and captions say."""

from datetime import date

from tests.samples.office import Cell
from tests.samples.papers import day

PRICES_DATED = day(2026, 1, 5)
PRICES: dict[str, list[list[Cell]]] = {
    "Tools": [
        ["Price list of Hartwell Tools, spring 2026"],
        ["Article", "Name", "Price", "In stock", "Delivery"],
        ["HW-101", "Claw hammer, beech handle", 18.5, 240, date(2026, 2, 3)],
        ["HW-117", "Torque wrench up to 60 Nm", 74.9, 36, date(2026, 2, 17)],
        ["HW-230", "Cordless drill with two batteries", 129, 58, date(2026, 3, 2)],
        ["HW-244", "Angle grinder 125 mm", 89.25, 0, date(2026, 4, 20)],
    ],
    "Fasteners": [
        ["Article", "Name", "Pieces", "Price"],
        ["FS-08", "Wood screw 4 x 40", 200, 6.4],
        ["FS-12", "Hexagon bolt M8", 50, 9.8],
        ["FS-31", "Wall plug 8 mm", 100, 4.15],
    ],
    "Contacts": [
        ["Region", "Agent", "Telephone"],
        ["North", "Eleanor Vance", "0191 498 0142"],
        ["South", "Rashid Karim", "023 8096 0177"],
    ],
}
CHINESE_PRICES: dict[str, list[list[Cell]]] = {
    "茶叶": [
        ["2026年春季茶叶价目表"],
        ["品名", "产地", "等级", "单价", "库存"],
        ["西湖龙井", "浙江杭州", "特级", 1280, 60],
        ["碧螺春", "江苏苏州", "一级", 860, 125],
        ["铁观音", "福建安溪", "特级", 720, 210],
        ["普洱熟茶", "云南勐海", "二级", 340, 480],
    ],
    "茶具": [
        ["品名", "材质", "单价"],
        ["盖碗", "景德镇白瓷", 168],
        ["茶壶", "宜兴紫砂", 980],
    ],
}

STAFF: list[list[Cell]] = [
    ["Name", "Department", "Since", "Room", "Remark"],
    ["Amelia Grant", "Research", "2019-04-01", "B-204", "leads the project Aurora"],
    ["Victor Osei", "Workshop", "2021-09-15", "C-011", 'holds the key to the cabinet "North"'],
    ["Hana Suzuki", "Library", "2017-02-20", "A-118", "part time; Monday, Wednesday and Friday"],
    ["Lars Eriksen", "Administration", "2023-06-05", "A-302", "signs orders up to 5000 euros\nand deputises for Amelia"],
]
CHINESE_STAFF: list[list[Cell]] = [
    ["姓名", "部门", "入职日期", "办公室", "备注"],
    ["刘志远", "研发部", "2018-07-09", "三零五", "负责雷达项目"],
    ["黄雅婷", "财务部", "2020-03-16", "二一二", "每月十日发放工资"],
    ["马俊杰", "市场部", "2022-11-01", "四零一", "常驻广州办事处"],
]

TALK = (
    ("Nora Field", "Good morning. Let us begin with the bridge at Langdon. The inspection was on the fourth of March."),
    ("Peter Hale", "We found cracks in two of the eleven bearings. They must be replaced before November."),
    ("Nora Field", "What will that cost?"),
    ("Peter Hale", "The offer of Steelworks North is 64,000 pounds, including the scaffolding."),
    ("Grace Liu", "I can close the eastern lane from the tenth of August for three weeks."),
    ("Nora Field", "Then we do that. Grace writes to the bus company today."),
)
CHINESE_TALK = (
    ("吴敏", "各位早上好，今天讨论新产品的发布时间。"),
    ("郭涛", "样机测试已于三月二十日完成，只剩电池续航没有达标。"),
    ("吴敏", "供应商什么时候能送来新的电池？"),
    ("郭涛", "深圳的供应商答应四月八日之前送到两百块。"),
    ("吴敏", "好，那么发布会定在五月十五日，地点在上海国际会议中心。"),
)


def text_of_rows(rows: list[list[Cell]]) -> str:
    """What stands in rows, a line for each."""
    return "\n".join(" ".join(str(cell) for cell in row if cell is not None) for row in rows)
