"""Names in Chinese sentences: people by title or given name, places and organisations by list and ending, events, titles.

Words are not delimited, so a name is taken only where something besides its own characters tells where it begins: a word of
grammar, a mark, a clause.
"""

import re
from collections.abc import Iterator

from flows.extraction.graph.kinship import LOCATION, ORGANISATION, PERSON
from flows.extraction.wording.name_lists import NO_NAMES
from flows.extraction.wording.word_classes import is_adjective, is_verb

_HAN = r"[\u4e00-\u9fff]"
SURNAME = (
    "[王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜"
    "叶程魏苏吕丁任卢姚沈钟姜崔谭陆汪范石廖贾夏韦付方邹熊孟秦"
    "邱江尹薛闫段雷侯龙史陶贺顾毛郝龚邵万钱严覃武戴莫孔汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕季裴霍涂苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶牟艾尤阳穆农司卓古吉缪简车项芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝]"
)
_GIVEN = (
    "[子涵美琪浩然晓雨欣怡佳梓轩宇航雨桐思诗语嘉俊杰明哲志强建军伟芳娜秀英敏静丽艳娟霞"
    "婷玲燕红梅丹萍莉倩颖慧琳璐雪薇蕾洁悦瑶莹晨阳昊博文凯鑫磊鹏飞涛超"
    "勇刚毅峰宏波辉斌龙翔泽睿逸凡乐彤妍菲依梦月星辰成安宁春秋兰竹菊玉珍珠凤华平东海洋林森立业豪皓铭煜祺琦璇萱蓉芸芷茜苗君瑞祥德仁义礼智信光亮]"
)
_PAIR = rf"(?:{_GIVEN}{{2}})"
_NO_PAIR = frozenset(
    """安静 文明 东海 海洋 阳光 光明 语文 信安 华东 东阳 平安 安平 月光 星光 星辰 玉龙 明月 成立 立志 立文 文立
    文业 业安 语言 华语 志明 林业 春秋 春华 秋月 礼信 文智 文博 博文 超强 思语 安东 东方 立春 立秋 光华 文化 明德""".split()
)
_BEFORE_PERSON = "(?:^|(?<=[，。、；：！？\\s“”和跟与给找叫问让帮陪接等请约同见]))"
_AFTER_PERSON = "(?=[不也要说对和跟、想觉去来在是会的，。！？吃喝喜爱做都就还今明昨今有没把已正最]|$)"
_TITLED = re.compile(
    rf"(?<!老)({SURNAME}(?:医生|大夫|老师|教授|经理|主任|先生|女士|律师|师傅|教练|护士|校长|院长|阿姨|叔叔|"
    rf"总(?![是共算体之会结的监])))"
)
_FULL = re.compile(rf"{_BEFORE_PERSON}({SURNAME}{_GIVEN}{{2}}){_AFTER_PERSON}")
_SHORT = re.compile(rf"{_BEFORE_PERSON}({_PAIR}){_AFTER_PERSON}")

_CITIES = (
    "北京 上海 天津 重庆 广州 深圳 杭州 南京 苏州 成都 武汉 西安 长沙 郑州 青岛 大连 厦门 宁波 无锡 合肥 福州 济南 "
    "昆明 沈阳 哈尔滨 长春 石家庄 太原 南昌 贵阳 南宁 兰州 海口 三亚 拉萨 乌鲁木齐 呼和浩特 银川 西宁 珠海 佛山 东莞 "
    "中山 惠州 温州 绍兴 嘉兴 金华 台州 湖州 常州 南通 扬州 徐州 镇江 烟台 威海 洛阳 桂林 丽江 大理 泉州 香港 澳门 "
    "台北 高雄 东京 大阪 京都 首尔 曼谷 新加坡 纽约 伦敦 巴黎 柏林 悉尼 墨尔本 洛杉矶 旧金山 多伦多 温哥华 莫斯科 "
    "罗马 迪拜 黄山 泰山 华山 张家界 九寨沟 西湖 故宫 长城 颐和园"
).split()
_PROVINCES = (
    "河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东 海南 四川 贵州 云南 陕西 甘肃 青海 "
    "台湾 内蒙古 广西 西藏 宁夏 新疆"
).split()
_COUNTRIES = (
    "中国 美国 英国 法国 德国 日本 韩国 泰国 意大利 西班牙 葡萄牙 俄罗斯 加拿大 澳大利亚 新西兰 印度 越南 马来西亚 "
    "印尼 菲律宾 瑞士 瑞典 挪威 芬兰 丹麦 荷兰 比利时 奥地利 希腊 土耳其 埃及 巴西 墨西哥 阿根廷 冰岛 欧洲 非洲 亚洲"
).split()
PLACE = (
    rf"(?:(?:{'|'.join(_PROVINCES)})省?(?:{'|'.join(_CITIES)})市?|(?:{'|'.join(_CITIES)})(?:市(?!场|民|区|面|"
    rf"值))?|(?:{'|'.join(_PROVINCES)})省?|"
    rf"(?:{'|'.join(_COUNTRIES)}))"
)
_PLACE = re.compile(PLACE)
_NO_PLACE_AFTER = re.compile("^(?:醋鱼|烤鸭|牛肉|龙井|火锅|小吃|料理|拉面|米粉|菜|话|人民币|语|货|银行|大学|队|车)")

_GRAMMAR = (
    "(?:觉得|参加|参观|不如|推荐|决定|讨论|关于|通过|经过|附近|以及|顺便|"
    "[的了是在和与也就都而及吗呢吧啊嘛呀着过我你您他她它们这那有不很到说要去会来把被让给"
    "还没又再最更对从往离住搬租订选定回逛爬登看找问叫请帮等接送坐想做当"
    "用拿买带见开走跑于至像如果跟或者但所以因为比向将已经刚才每，。！？；：、,.!?;:\\s“”（）()《》「」\\d])"
)
_BETWEEN = re.compile(_GRAMMAR)
_LOCATION_END = (
    "高铁站|地铁站|火车站|汽车站|东站|西站|南站|北站|路站|机场|码头|大道|公园|广场|古镇|古城|景区|乐园|大桥|新区|"
    "开发区|高新区|[山湖岛寺庙塔镇村县江河]"
)
_ORGANISATION_END = (
    "大学|学院|中学|小学|幼儿园|医院|诊所|公司|集团|银行|研究院|研究所|实验室|研发中心|出版社|协会|俱乐部|餐厅|"
    "饭店|酒店|咖啡馆|书店|博物馆|图书馆|美术馆|体育馆|事务所|基金会"
)
_LONGEST_BEFORE_ONE = 3  # characters before "山", "江", "村"
_LED_BY_A_VERB = re.compile(
    "享受|体验|共度|欣赏|偶遇|畅享|尽享|感受|品味|以|内容|包括|聚会|展望|助力|促进|穿越|徒步|深入|探索|分享|"
    "交流|共创|合作|尽在|攀登|登山|创新|建设|支持"
)
_ENDED = re.compile(rf"^({_HAN}{{1,8}}?)({_LOCATION_END}|{_ORGANISATION_END})")
_GENERIC = re.compile(
    r"^(?=.{1,24}$)(?:[一二三四五六七八九十几两整某各哪多全][家个所座间片条]?|附近|当地|公司|分|总|母|大|小|新|老|本|外|"
    r"旧|高|火|冰|雪|深|江|关|假|沿|内|外|外贸|互联网|科技|软件|上市|国有|私立|公立|重点|儿童|牙科|宠物|"
    r"动物|五星级?|便宜|市|区|县|家|单位|学校|星级|民办|社区|私人|合作|竞争|客户|子|同|青|金|故|半|乡|农|山|"
    r"满|运|银|下|上|东|西|南|北|中|前|后|市中心|人民|中心|周边|郊区|隔壁|对面|楼下|门口)+$"
)
_EVENT_END = (
    "购物节|音乐节|电影节|艺术节|美食节|文化节|狂欢节|论坛|盛典|盛宴|大会|峰会|招聘会|展览会|博览会|交流会|"
    "研讨会|发布会|启动会|体验会|分享会|座谈会|年会|马拉松|大赛|挑战赛|锦标赛|之旅|"
    "训练营|提升营|夏令营|冬令营|讲座|晚会|音乐会|演唱会|精英汇|嘉年华|沙龙"
)
_EVENT = re.compile(rf"(?:^|[，。；：！？、\s])({_HAN}{{2,16}}?(?:{_EVENT_END}))(?!上|里|中的)")
_EVENT_AFTER = re.compile(rf"(?:参加|举办|报名|参与|组织|筹备|出席)({_HAN}{{2,16}}?(?:{_EVENT_END}))")
_EVENT_OF = re.compile(
    rf"(?:^|(?<=[，。；]))({_HAN}{{4,18}}?)的(?:地点|时间|规模|主题|主要内容|内容|持续时间|举办地点?|举办时间|"
    rf"主办方|门票|费用)(?:是|在|为)"
)
_PERSONAL = re.compile("[我你他她它这那]|^(?:今|明|昨|后|下|上)[天周月年]|的")
_WORK = re.compile("《([^》]{1,30})》")
_FILM = re.compile("看|电影|剧|片|导演|影院")
_SONG = re.compile("歌|听|唱|专辑")
_TECHNICAL = frozenset(
    """user users source log logs feedback chat beta app demo schema data index query cache token tokens topic doc docs test bug
    server client top plan owner team prompt model case list key value report admin recall""".split()
)
_LATIN = re.compile(r"(?<![A-Za-z0-9_./@-])[A-Z][A-Za-z]*[a-z][A-Za-z]*(?:-?\d[\w.]*)?(?![A-Za-z0-9_])")


def chinese_names(sentence: str) -> Iterator[tuple[str, str]]:
    """The names of a sentence and what they name."""
    for work in _WORK.finditer(sentence):
        around = sentence[: work.start()] + sentence[work.end() :]
        yield work[1], "film" if _FILM.search(around) else "song" if _SONG.search(around) else "book"
    for latin in _LATIN.finditer(sentence):
        word = latin[0].lower()
        if len(word) > 2 and word not in NO_NAMES | _TECHNICAL and not is_verb(word) and not is_adjective(word):
            yield latin[0], "product"
    events = list(_events(sentence))
    yield from ((event, "event") for event in events)
    for event in events:  # its own words name nothing else
        sentence = sentence.replace(event, "，")
    yield from ((person, PERSON) for person in chinese_people(sentence))
    yield from chinese_places(sentence)


def chinese_people(sentence: str) -> Iterator[str]:
    """People by title ("姚医生"), by full name, and by given name where its place tells one."""
    yield from dict.fromkeys(
        [
            *(found[1] for found in _TITLED.finditer(sentence)),
            *(found[1] for found in _FULL.finditer(sentence) if found[1][1:] not in _NO_PAIR and found[1][:2] not in _NO_PAIR),
            *(found[1] for found in _SHORT.finditer(sentence) if found[1] not in _NO_PAIR),
        ]
    )


def chinese_places(sentence: str) -> Iterator[tuple[str, str]]:
    """Places and organisations, by list and by how they end."""
    seen: dict[str, str] = {}
    for piece in filter(None, _BETWEEN.split(sentence)):
        ended = _ENDED.match(piece)
        if ended and _is_named(ended):
            seen[ended[0]] = ORGANISATION if re.fullmatch(_ORGANISATION_END, ended[2]) else LOCATION
    for place in _PLACE.finditer(sentence):
        if not _NO_PLACE_AFTER.match(sentence[place.end() :]) and not any(place[0] in name for name in seen):
            seen[place[0]] = LOCATION
    yield from seen.items()


def _is_named(ended: re.Match[str]) -> bool:
    """Whether what stands before "山" or "公司" is a name, rather than a verb, a kind, or a place of its own."""
    before, whole = ended[1], ended[0]
    within = _PLACE.search(ended.string)
    if within and (within.start() > 0 or within.end() >= len(whole)):
        return False
    if _GENERIC.match(before) or _LED_BY_A_VERB.match(before) or "号线" in before:
        return False
    if len(ended[2]) == 1:
        return len(before) <= _LONGEST_BEFORE_ONE
    return len(before) > 1 or not re.fullmatch(_ORGANISATION_END, ended[2])


def is_chinese_person(words: str) -> bool:
    """Whether a few characters are somebody's name."""
    return words not in _NO_PAIR and (
        re.fullmatch(rf"{SURNAME}{_GIVEN}{{1,2}}|{_PAIR}|小{_HAN}|阿{_HAN}|({_HAN})\1", words) is not None
    )


def is_chinese_place(words: str) -> bool:
    """Whether characters are a place, or an organisation by their ending."""
    if _PLACE.fullmatch(words):
        return True
    ended = _ENDED.fullmatch(words)
    return bool(ended and _is_named(ended)) or re.fullmatch(rf"{_HAN}{{2,6}}[区州市路街]", words) is not None


def _events(sentence: str) -> Iterator[str]:
    found = [match[1] for match in (*_EVENT_OF.finditer(sentence), *_EVENT_AFTER.finditer(sentence))] + [
        match[1] for match in _EVENT.finditer(sentence)
    ]
    events = dict.fromkeys(one for one in found if not _PERSONAL.search(one) and not _LED_BY_A_VERB.match(one))
    yield from (one for one in events if not any(one != other and one in other for other in events))
