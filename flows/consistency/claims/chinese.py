"""What Chinese statements claim of people and things: the table. Plans are in chinese_plans.py.

Shapes are matched at the beginning of a clause without its adverbs and dates, which takes the subject of the clause before
it where it has none.
"""

import re
from collections.abc import Iterator

from flows.consistency.claims.patterns import Pattern, filled, table
from flows.consistency.claims.places import CHINESE_CITIES, COUNTRIES
from flows.consistency.claims.wording import Told
from flows.consistency.statements import Claim

_FRAGMENTS = {
    "S": "^(?P<s>[^,]{1,12}?)的?",
    "v": "(?P<v>[^,了的]{1,16}?)",
    "place": "(?P<place>[^,了的]{1,12}?)",
    "end": "(?=[,了的啊呀吧啦]|$)",
    "trade": "(?P<role>[^,了的]{0,8}(?:师|员|工人|经理|医生|护士|司机|老板|主管|总监|教授|警察|会计|记者|作家|编辑|助理|"
    "顾问|店长|组长|主任|校长|教练|演员|队长|院长|厂长|船长|翻译|模特|设计|客服))",
    "lover": "(?:男朋友|女朋友|男友|女友|对象)",
    "spouse": "(?:老公|老婆|丈夫|妻子|太太|先生)",
    "number": "(?P<v>\\d[\\d,.]*(?:万|千|百|亿)?|[一二三四五六七八九十百千万两零亿]+)",
    "ill": "(?P<a>感冒|流感|发烧|新冠|肺炎|支气管炎|肠胃炎)",
    "sport": "(?P<o>跑步|健身|游泳|瑜伽|锻炼|打球|骑车|冥想|写日记)",
}
_ROWS = (  # cues, about, value, shape
    # --- work -----------------------------------------------------------------------------------------------------
    ("工作 上班 任职 实习 就职 开车 送外卖 送快递 教书 打工", "{s}|job", "org={org}", "<S>在(?P<org>[^,了的]{1,16}?)(?:工作"
     "|上班|任职|实习|就职|开车|送外卖|送快递|教书|打工)"),
    ("当 做", "{s}|job", "org={org};role={role}", "<S>在(?P<org>[^,了的]{1,16}?)(?:当|做)<trade><end>"),
    ("就职于 任职于 入职 加入 跳槽到 跳槽去", "{s}|job", "org={org}", "<S>(?:跳槽到|跳槽去|就职于|任职于|入职了?|"
     "加入了?)(?P<org>[^,了的]{1,16}?)<end>"),
    ("找到", "{s}|job", "org={org}", "<S>找到(?:新|一份)*工作了?,?在(?P<org>[^,了的]{1,16}?)<end>"),
    ("是 当 做 升 成", "{s}|job", "role={role}", "<S>(?:是|当|做|升为|升任|升职为|晋升为|成为|"
                                            "当上)了?(?:一?[名位个])?<trade><end>"),
    ("失业 待业 没工作 没有工作", "{s}|job", "none", "<S>(?:失业|待业|没有?工作)"),
    ("找工作", "{s}|job", "seeks", "<S>(?:正?在)?找工作"),
    ("离职 辞职 跳槽 辞", "{s}|job", "-org={org}", "<S>(?:从|辞去|辞了)(?P<org>[^,了的]{1,16}?)(?:离职|辞职|跳槽|走人|工作)"),
    ("离职 辞职 被 辞退 退休 裁员 辞了", "{s}|job", "-", "<S>(?:离职|辞职|被(?:公司|单位|老板)?(?:裁|辞退|开除|炒)|退休|"
                                            "辞了工作)"),
    ("不在", "{s}|job", "-org={org}", "<S>不再?在(?P<org>[^,了的]{1,16}?)(?:工作|上班|干|做)"),
    ("不当 不做", "{s}|job", "-role={v}", "<S>不(?:当|做)<v>了"),
    ("读 上 学", "{s}|school", "org={v}", "<S>在(?P<v>[^,了的]{2,12}?(?:大学|学院|中学|高中|小学|学校))(?:读|上学|念|学)"),
    # --- home ------------------------------------------------------------------------------------------------------
    ("住", "{s}|home", "{place}", "<S>(?:租房)?(?:住在|住)<place><end>"),
    ("搬", "{s}|home", "{place}", "<S>(?:搬家)?(?:搬到|搬去|搬回|搬来|搬进)了?<place><end>"),
    ("定居", "{s}|home", "{place}", "<S>在<place>定居"),
    ("定居", "{s}|home", "{place}", "<S>定居在?<place><end>"),
    ("回", "{s}|home", "{place}", "<S>(?:搬)?回<place>了?(?:,以后.{0,4}住|定居|生活)"),
    ("家在", "{s}|home", "{place}", "<S>家在<place><end>"),
    ("不住", "{s}|home", "-{place}", "<S>不再?住(?:在)?<place>了"),
    ("搬走 搬离 搬出", "{s}|home", "-{place}", "<S>(?:从(?=[^,]+搬)|搬离了?|搬出了?)<place>(?:搬走|搬出来?|搬离|<end>)"),
    ("地址", "{s}|address", "{v}", "<S>家?的?新?地址(?:是|改成|换成|改为)(?P<v>[^,了]{3,30})"),
    # --- partner ----------------------------------------------------------------------------------------------------
    ("单身", "{s}|partner", "status=single", "<S>(?:是)?(?:恢复)?单身"),
    ("朋友 友 对象", "{s}|partner", "status=dating", "<S>(?:有|找到|交|谈)了?(?:一?个)?<lover>(?!的)"),
    ("朋友 友 对象", "{s}|partner", "status=dating;with={v}", "<S><lover>(?:叫|是|名叫)<v><end>"),
    ("在一起 恋爱 交往", "{s}|partner", "status=dating;with={v}", "<S>和<v>(?:在一起|谈恋爱|恋爱|交往)(?!吃|工作|住|玩|去)"),
    ("订婚", "{s}|partner", "status=engaged;with={v}", "<S>(?:和<v>)?订婚"),
    ("结婚 已婚", "{s}|partner", "status=married;with={v}", "<S>(?:和<v>)?(?:领证)?(?:结婚|已婚)"),
    ("分手 离婚 分居", "{s}|partner", "-with={v}", "<S>(?:和<v>)?(?:分手|离婚|分居)"),
    ("退婚 取消婚约", "{s}|partner", "-status=engaged", "<S>(?:和[^,]{1,6})?(?:退婚|取消婚约)"),
    # --- likes, habits, health -----------------------------------------------------------------------------------------
    ("最喜欢 最爱", "{s}|favourite|{a}", "{v}", "<S>最(?:喜欢|爱)的(?P<a>[^,是]{1,6})是<v><end>"),
    ("不喜欢 不爱 讨厌 受不了", "{s}|likes|{o}", "no", "<S>(?:不再?喜欢|不爱|讨厌|受不了)(?P<o>[^,]{1,10}?)了?$"),
    ("喜欢 爱 热爱", "{s}|likes|{o}", "yes", "<S>(?<!不)(?<!不再)(?:喜欢上|爱上|喜欢|热爱|爱)了?(?P<o>[^,]{1,10}?)了?$"),
    ("吃素", "{s}|diet", "no", "<S>不再?吃素"),
    ("吃素", "{s}|diet", "yes", "<S>(?:是|改|开始)?吃素"),
    ("过敏", "{s}|allergic|{o}", "no", "<S>对(?P<o>[^,]{1,8}?)不(?:再)?过敏"),
    ("过敏", "{s}|allergic|{o}", "yes", "<S>对(?P<o>[^,不]{1,8}?)过敏"),
    ("戒烟 戒了烟 不抽烟 不吸烟 把烟戒", "{s}|does|烟", "no", "<S>(?:戒了?烟|不再?抽烟|不再?吸烟|把烟戒)"),
    ("抽 吸烟", "{s}|does|烟", "yes", "<S>(?<!不)(?:抽[^,不]{0,6}烟|吸烟)"),
    ("戒酒 戒了酒 不喝酒 把酒戒", "{s}|does|酒", "no", "<S>(?:戒了?酒|不再?喝酒|把酒戒)"),
    ("喝酒", "{s}|does|酒", "yes", "<S>(?<!不)喝酒"),
    ("学", "{s}|does|{o}", "no", "<S>(?:不学|放弃学|放弃)(?P<o>[^,了]{1,6})了"),
    ("学", "{s}|does|{o}", "yes", "<S>(?:正?在|开始)学(?P<o>[^,了校习]{1,6})<end>"),
    ("不 停", "{s}|does|{o}", "no", "<S>(?:不再?(?:去)?|停止)<sport>了"),
    ("每天 每周 坚持", "{s}|does|{o}", "yes", "<S>(?:每天|每周|坚持)[^,不]{0,6}?<sport>"),
    ("感冒 流感 发烧 新冠 肺炎 炎 退烧", "{s}|ill|{a}", "no", "<S><ill>(?:全)?(?:好|痊愈|退)"),
    ("感冒 流感 发烧 新冠 肺炎 炎", "{s}|ill|{a}", "yes", "<S>(?:得了?|有点|又)?<ill>(?:了|$|,)"),
    ("怀孕", "{s}|pregnant", "yes", "<S>怀孕"),
    ("生", "{s}|pregnant", "no", "<S>(?:生了(?!病|气)|生下|生完?孩子|生宝宝)"),
    # --- what one has, things --------------------------------------------------------------------------------------------
    ("开 买 换", "{s}|car", "{v}", "<S>(?:开的是|开|买了|换了)(?:一?[辆台])?(?P<v>特斯拉|比亚迪|宝马|奔驰|奥迪|大众|丰田|"
                                "本田|蔚来|小鹏|理想|吉利|福特)"),
    ("手机号 电话 号码", "{s}|phone number", "{v}", "<S>(?:新)?(?:手机|电话)?号?码?(?:是|换成|改成)(?P<v>\\d{7,})"),
    ("邮箱", "{s}|email", "{v}", "<S>(?:新)?邮箱(?:是|换成|改成)(?P<v>[^,\\s]+@[^,\\s]+)"),
    ("生日", "{s}|birthday", "{v}", "<S>生日是(?P<v>[^,了]{2,10})"),
    ("岁", "{s}|age", "{v}", "<S>(?:今年)?(?P<v>[\\d一二三四五六七八九十]+)岁"),
    ("预算 房租 月租 租金 价格 工资 费用 门票 成本 押金 目标 学费", "{t}|is", "{v}",
     "^(?P<t>[^,是]{0,12}?(?:预算|房租|月租|租金|价格|工资|费用|门票|成本|押金|目标|学费))(?:是|为|涨到|降到|加到|调到|"
     "增加到|减到|改成|提高到)?了?<number>"),
    ("有", "{t}|people", "{v}", "^(?P<t>[^,]{0,8}?(?:团队|公司|班|部门|小组|组里))(?:一共)?有<number>(?:个?人|名|位)"),
    ("修 完 上线 解决 发布 搞定 通过 批", "{t}|done", "no", "^(?P<t>[^,没]{2,14}?)(?:还)?没有?(?:修好|修复|完成|做完|上线|"
     "解决|发布|搞定|通过|批)"),
    ("修 完 上线 解决 发布 搞定 通过 批", "{t}|done", "yes", "^(?P<t>[^,没不未]{2,14}?)(?:修好|修复|完成|做完|上线|解决|"
     "发布|搞定|通过|批准)了"),
    ("开门 关门 营业", "{t}|{a}", "{v}", "^(?P<t>[^,]{2,12}?)(?:改成|改到)?(?P<v>(?:早上|上午|中午|下午|"
                                   "晚上)?[\\d一二三四五六七八九十两]+点半?)(?:才)?(?P<a>开门|关门|开始营业)"),
)  # fmt: skip
_ADVERBS = re.compile(
    "正?在(?=和|谈)|现在|目前|已经|仍然|依然|真的|其实|刚刚|刚|最近|终于|一直|还是|以后就|今天|昨天|明天|上个?(?:月|周|"
    "星期|礼拜)[一二三四五六日天末]?|去年|今年|前年|"
    r"(?:\d{4}年)?\d{1,2}月(?:\d{1,2}[日号])?(?:至(?:\d{4}年)?(?:\d{1,2}月)?\d{1,2}[日号])?(?:那一?周|期间)?|(?<=.)(?:还|"
    r"也|又|都|很|就)(?=[在是喜爱住对不有])|等人|特别|非常|很|啊|呀"
)
_UNSURE = re.compile(
    "如果|要是|假如|可能|也许|想|打算|希望|考虑|应该|准备|计划|差点|听说|说不定|梦想|本来要|会不会|是不是|有没有"
)
_ONCE = re.compile("以前|曾经|过去|原来|从前|之前")
_LEADING = re.compile(
    "^(?:但是|不过|可是|所以|而且|因为|然后|后来|对了|另外|告诉你个?好消息|好消息|坏消息|跟你说|改了|换号了|更新一下|哎)[,:]?"
)
_NO_NAME = re.compile(
    "^(?:家|家里|这里?|那里?|哪里?|一起|外面|酒店|宾馆|医院|民宿|公司|单位|学校|我.*|你.*|他.*|她.*|.*(?:路上|旁边))$"
)
_BAD_SUBJECT = re.compile(
    "^(?:新|旧|他|她|它|他们|她们|大家|谁|这|那|.*[在从].*|有人|人们?|.*(?:时候|如果|因为|所以|但是).*)$|[不没]$"
)
_OFTEN = re.compile("(?:全家|一家人?|每天|每周|经常|总是|常常|平时)+$")
_ONE = re.compile("^一[家个所间]")
_DONE_WITH = re.compile("(?:送|拿|交)(?:[去到给].*)?$|,.*$")
_EATS = re.compile("^(?:喝|吃|看|听|玩|去|打)(?=.)")


def chinese_claims(told: Told) -> Iterator[Claim]:
    """The claims of the sentences of a statement, in order."""
    for sentence in told.sentences:
        if _UNSURE.search(sentence):
            continue
        plain = _plain(sentence)
        if not any(cue in plain for cue in _CUES):
            continue
        yield from _of(plain, "", False)
        subject = ""
        for number, clause in enumerate(plain.split(",")):
            bare = _LEADING.sub("", clause)
            if bare and (number or bare != plain):
                yield from _of(bare, subject or told.speaker, False)
            subject = subject or _first_subject(bare) or told.speaker


def _plain(sentence: str) -> str:
    plain = re.sub("[跟与同](?=.{1,6}(?:分手|离婚|订婚|结婚|在一起|恋爱|交往|分居))", "和", sentence)
    return _LEADING.sub("", _ADVERBS.sub("", plain)).strip(", ")


def _first_subject(clause: str) -> str:
    """Who the first clause is of: what stands before its verb."""
    found = _BEFORE_VERB.match(clause)
    return found[1] if found else ""


def _of(clause: str, subject: str, denied: bool) -> Iterator[Claim]:
    once = _ONCE.search(clause) is not None
    clause = _ONCE.sub("", clause)
    for cue, patterns in _BY_CUE.items():
        if cue not in clause:
            continue
        for pattern in patterns:
            match = pattern.shape.match(clause)
            if (match is None or _BAD_SUBJECT.search(match.groupdict().get("s") or "")) and subject:
                match = pattern.shape.match(subject + clause)
            if match is None:
                continue
            claim = filled(pattern, match, _CLEANERS, once)
            if claim is not None:
                yield claim


def _subject(text: str) -> str | None:
    bare = _OFTEN.sub("", text.replace("的", "")).strip()
    return None if not bare or _BAD_SUBJECT.search(bare) else bare


def _phrase(text: str) -> str | None:
    bare = _ONE.sub("", text.strip()).removesuffix("附近")
    return None if not bare or _NO_NAME.match(bare) else bare


def _organisation(text: str) -> str | None:
    return None if text in CHINESE_CITIES or text in COUNTRIES or text[-1] in "市区省县" else _phrase(text)


def _named(text: str) -> str | None:
    """A thing that has a state or a number, without what is done with it: 车送去修 is 车."""
    return _DONE_WITH.sub("", text.replace("的", "")) or None


def _thing(text: str) -> str | None:
    bare = _EATS.sub("", text.strip())
    return None if bare[:1] in "这那你我他她它" else bare


_BEFORE_VERB = re.compile(
    "^([^,]{1,8}?)(?:的)?(?:在|是|有|住|搬|换|辞|从|去|要|被|和|对|不|喜|爱|结|离|分|失|找|跳|回|地址|手机|号|生|怀|戒)"
)
_CLEANERS = {"s": _subject, "v": _phrase, "place": _phrase, "org": _organisation, "o": _thing, "role": _phrase, "t": _named}
_BY_CUE: dict[str, list[Pattern]] = table(_ROWS, _FRAGMENTS)
_CUES = tuple(_BY_CUE)
