"""Names of places: living in a country and in a city does not contradict, and to work in a city is to work for nobody."""

COUNTRIES = frozenset(
    """argentina australia austria bangladesh belgium bolivia brazil britain bulgaria cambodia canada chile china colombia
    croatia cuba cyprus denmark ecuador egypt england estonia ethiopia finland france germany ghana greece hungary iceland
    india indonesia iran iraq ireland israel italy japan jordan kenya korea kuwait latvia lebanon lithuania luxembourg malaysia
    malta mexico morocco nepal netherlands nigeria norway pakistan panama peru philippines poland portugal qatar romania russia
    scotland serbia singapore slovakia slovenia spain sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda
    ukraine uk us usa uruguay venezuela vietnam wales zambia zimbabwe europe asia africa america
    中国 美国 英国 法国 德国 日本 韩国 加拿大 澳大利亚 澳洲 新西兰 新加坡 意大利 西班牙 葡萄牙 荷兰 瑞士 瑞典 挪威 丹麦
    芬兰 俄罗斯 印度 泰国 越南 马来西亚 欧洲 国外""".split()
) | {
    "new zealand", "south africa", "south korea", "north korea", "saudi arabia", "sri lanka", "costa rica", "united kingdom",
    "united states", "czech republic", "hong kong", "united arab emirates", "northern ireland", "puerto rico",
}  # fmt: skip
CHINESE_CITIES = frozenset(
    """北京 上海 广州 深圳 杭州 南京 苏州 成都 重庆 武汉 西安 天津 青岛 厦门 宁波 长沙 郑州 大连 沈阳 济南 合肥 福州 昆明
    哈尔滨 长春 南昌 贵阳 南宁 太原 石家庄 无锡 佛山 东莞 珠海 三亚 海口 兰州 乌鲁木齐 拉萨 银川 西宁 呼和浩特 香港 澳门
    台北 温州 烟台 扬州 绍兴 东京 大阪 首尔 纽约 伦敦 巴黎 柏林 悉尼 墨尔本 多伦多 温哥华 旧金山 洛杉矶 西雅图 波士顿""".split()
)
