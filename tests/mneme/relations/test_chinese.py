"""What Chinese sentences claim: labelled in everyday wording, and as many that claim nothing."""

import pytest

from mneme.relations import attributes_asked, claims_in
from mneme.relations.chinese_subjects import is_proper_noun


def claimed(sentence: str) -> list[str]:
    return [f"{one.subject}|{one.attribute}|{'-' if one.ends else ''}{one.value}" for one in claims_in(sentence, "zh", "李强")]


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("我住在上海浦东。", ["李强|home|上海浦东"]),
        ("我上个月搬到杭州了。", ["李强|home|-", "李强|home|杭州"]),
        ("我现在租房住在朝阳区。", ["李强|home|-…", "李强|home|朝阳区"]),
        ("我搬家了，现在住在海淀。", ["李强|home|-", "李强|home|-…", "李强|home|海淀"]),
        ("我在深圳定居了。", ["李强|home|深圳"]),
        ("我姐姐搬去珠海了。", ["李强的姐姐|home|-", "李强的姐姐|home|珠海"]),
        ("我换地址了，新地址是人民路66号。", ["李强|address|人民路66号"]),
        ("我家在苏州。", ["李强|home|苏州"]),
        ("我搬来北京了。", ["李强|home|-", "李强|home|北京"]),
        ("我跳槽到小米了，下周一入职。", ["李强|employer|-", "李强|employer|小米"]),
        ("我是一名中学老师。", ["李强|role|中学老师"]),
        (
            "我辞职了，不当老师了，现在做自媒体。",
            ["李强|employer|-", "李强|role|-", "李强|role|-老师", "李强|role|-…", "李强|role|自媒体"],
        ),
        ("我在字节跳动当产品经理。", ["李强|employer|字节跳动", "李强|role|产品经理"]),
        ("上个月我从字节跳动离职了。", ["李强|role|-", "李强|employer|-字节跳动"]),
        ("我老公在中国银行工作。", ["李强的老公|employer|中国银行"]),
        ("我在杭州滨江上班。", ["李强|workplace|杭州滨江"]),
        ("我表妹小鱼，研二的。", ["李强|relative|小鱼"]),
        ("我吃坚果喉咙会肿。", ["李强|allergy|坚果"]),
        ("我虾过敏。", ["李强|allergy|虾"]),
        ("我對甲殼類敏感。", ["李强|allergy|甲殼類"]),
        ("我对花生过敏。", ["李强|allergy|花生"]),
        ("我已经不吃素了。", ["李强|diet|-", "李强|eats|-素"]),
        ("我以前住在武汉，早就搬走了。", ["李强|home|-武汉"]),
        ("周四晚上七点部门聚餐。", ["部门聚餐|plan:部门聚餐|周四晚上七点"]),
        ("部门聚餐改到周五了。", ["部门聚餐|plan:部门聚餐|-", "部门聚餐|plan:部门聚餐|周五"]),
        ("项目上线时间是3月10日。", ["项目上线|plan:项目上线|3月10日"]),
        ("项目上线推迟到3月25日。", ["项目上线|plan:项目上线|-", "项目上线|plan:项目上线|3月25日"]),
        ("看牙医的时间改成下周二了。", ["李强|plan:牙医|-", "李强|plan:牙医|下周二"]),
        ("体检改到24号了。", ["李强|plan:体检|-", "李强|plan:体检|24号"]),
        ("婚礼定在6月6号。", ["婚礼|plan:婚礼|6月6号"]),
        ("爬山取消了，明天要下雨。", ["爬山|plan:爬山|-"]),
        ("产品评审会不开了。", ["产品评审会|plan:产品评审会|-"]),
        ("我最喜欢的歌手现在是陈奕迅。", ["李强|favourite:歌手|陈奕迅"]),
        ("我女朋友叫韩梅。", ["李强|partner|韩梅", "李强|relationship|恋爱"]),
        ("我和韩梅分手了。", ["李强|relationship|-", "李强|partner|-韩梅"]),
        ("我和小雅订婚了。", ["李强|relationship|订婚", "李强|partner|小雅"]),
        ("房租涨到三千五了。", ["李强|rent|三千五"]),
        ("我们团队现在有九个人了。", ["李强|team size|九"]),
        ("我的手机号换成13800138000了。", ["李强|phone number|13800138000"]),
        ("装修预算加到十五万了。", ["装修预算|is:预算|十五万"]),
        ("登录的问题修好了。", ["登录问题|status|修好"]),
        ("王芳在华为上班，做硬件测试。", ["王芳|employer|华为"]),
        ("保罗住在里斯本。", ["保罗|home|里斯本"]),
        ("我们从MySQL迁移到Postgres了", ["李强|uses:database|-MySQL", "李强|uses:database|Postgres"]),
        ("我把旧车卖了，换成特斯拉了", ["李强|car|-", "李强|car|特斯拉"]),
        ("我的生日是14号不是12号", ["李强|birthday|-12号", "李强|birthday|14号"]),
        ("站会改到九点半了", ["站会|plan:站会|-", "站会|plan:站会|九点半"]),
        ("教育年度盛典的规模是七千人。", ["教育年度盛典规模|is:规模|七千"]),
        ("教育年度盛典的地点是山东青岛。", ["教育年度盛典|place|山东青岛"]),
        ("教育年度盛典的时间是下周四晚上七点。", ["教育年度盛典|plan:教育年度盛典|下周四晚上七点"]),
        ("小李负责支付模块", ["支付模块|owner|小李"]),
        ("周五下午有产品评审会。", ["产品评审会|plan:产品评审会|周五下午"]),
        ("我搬到臺北了", ["李强|home|-", "李强|home|臺北"]),
        ("下个月去杭州旅行，八成不去", []),
        ("我搬去杭州算了", []),
    ],
)
def test_a_sentence_claims_what_its_words_say(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "要是我在腾讯上班就好了。",
        "我对花生不过敏，是我弟弟过敏。",
        "我爸妈都不住在北京。",
        "我不在谷歌上班，你记错了。",
        "我从来没去过巴黎。",
        "阿杰不是我哥哥，是我表哥。",
        "你吃辣吗？",
        "我没在阿里上过班，那是我同学。",
        "小美不是我女朋友，只是同事。",
        "我想搬到上海。",
        "我上周去了北京出差。",
        "听说他搬到深圳了。",
        "我可能会换工作。",
        "他说他住在成都。",
        "你住在哪里？",
        "我住在上海吗？",
        "我在家工作。",
        "我在滨江上班。",
        "我老婆小产。",
        "我同事小声说的。",
        "我对数字敏感。",
        "我皮肤过敏。",
        "大家都住在北京。",
        "我差点辞职了。",
        "我晚上在家。",
        "周末简单说下进展。",
        "我小时候住在武汉。",
        "婚礼会不会取消？",
    ],
)
def test_what_is_asked_wished_denied_or_reported_claims_nothing(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("保罗现在住在哪里", [("保罗", "home")]),
        ("我的房租是多少", [("", "rent")]),
        ("我们团队有几个人？", [("", "team size")]),
        ("婚礼是什么时候？", [("婚礼", "plan:婚礼")]),
        ("我妹妹在哪里工作", [("的妹妹", "employer")]),
        ("王芳以前住在哪里", []),
        ("你觉得怎么样？", []),
    ],
)
def test_a_question_for_a_present_state_asks_for_an_attribute(question: str, asked: list[tuple[str, str]]) -> None:
    assert list(attributes_asked(question)) == asked


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("我每天早上都去健身。", ["李强|habit|健身"]),
        ("我每周散步三次。", ["李强|habit|散步"]),
        ("我不健身了，改骑车。", ["李强|habit|-健身"]),
        ("我不吃海鲜。", ["李强|eats|-海鲜"]),
        ("我又开始吃海鲜了。", ["李强|eats|海鲜"]),
        ("我天天喝啤酒。", ["李强|alcohol|yes"]),
        ("我戒酒半年了。", ["李强|alcohol|no"]),
        ("我讨厌下雪天。", ["李强|likes|-下雪天"]),
        ("我很喜欢猫。", ["李强|likes|猫"]),
        ("电脑坏了。", ["电脑|status|坏"]),
        ("我的车在修。", ["车|status|在修"]),
        ("支付接口还没上线。", ["支付接口|status|没上线"]),
        ("我妹妹昨天生了，是个儿子。", ["李强的妹妹|condition|-怀孕"]),
        ("我们公司有三百名员工。", ["李强|company size|三百"]),
        ("我老公是做保险的。", ["李强的老公|role|做保险"]),
        ("我做跟单十二年了。", ["李强|role|跟单"]),
        ("豆豆花生过敏。", ["豆豆|allergy|花生"]),
        ("我儿子不能喝牛奶。", ["李强的儿子|avoids|牛奶"]),
        ("我花椒吃不得了。", ["李强|avoids|花椒"]),
        ("我爸血压有点高。", ["李强的爸|condition|血压有点高"]),
        ("我乳糖不耐你们晓得的。", ["李强|condition|乳糖不耐"]),
        ("我姥爷今年八十三了。", ["李强的姥爷|age|八十三"]),
        ("我生日3月8号。", ["李强|birthday|3月8号"]),
    ],
)
def test_everyday_habits_and_states(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "我今天不健身了。",
        "青霉素过敏。",
        "高血压，吃药。",
        "今天我不能喝咖啡。",
        "我做饭十年了。",
        "我住青旅。",
        "今晚我住如家。",
        "我是来开会的。",
        "我是开玩笑的。",
        "我今年三本书。",
        "今天下雨，我不跑步了。",
        "我这周不吃海鲜。",
        "我不吃早饭。",
        "我不吃药。",
        "我不喝了。",
        "我又喝多了。",
        "我生气了。",
        "我生了一场病。",
        "我去年生了儿子。",
        "公司有三个人请假。",
        "我累坏了。",
        "我喜欢下班。",
        "我喜欢吃。",
    ],
)
def test_what_only_sounds_like_a_habit_or_a_state_claims_nothing(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("我跟两个室友合租，周末轮流做饭。", ["李强|home|…"]),
        ("昨天终于搬完了，新家在江北。", ["李强|home|-", "李强|home|江北"]),
        ("在新家的第一晚，谁来帮我拆箱子。", ["李强|home|-"]),
        ("我在一家出版社做校对。", ["李强|employer|…"]),
        ("出版社那边我辞了。", ["李强|employer|-", "李强|role|-"]),
        ("我跟小敏谈了两年恋爱了。", ["李强|relationship|恋爱", "李强|partner|小敏"]),
        ("我和小敏上个月分了。", ["李强|relationship|-", "李强|partner|-小敏"]),
        ("端午我跟同事去青岛。", ["青岛旅行|plan:青岛旅行|端午", "旅行|plan:旅行|青岛"]),
        ("青岛去不成了。", ["青岛旅行|plan:青岛旅行|-", "旅行|plan:旅行|-青岛"]),
        ("手机换成小米了。", ["李强|uses:phone|小米"]),
        ("我买了新手机。", ["李强|uses:phone|-"]),
        ("美式九块九。", ["美式|is:美式|九块九"]),
        ("房租又涨了。", ["李强|rent|-"]),
    ],
)
def test_changes_are_told_in_everyday_words(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "我想换工作。",
        "如果我们分手了怎么办。",
        "蛋糕分了。",
        "我从公司走了，晚上见。",
        "我搬家了，才怪。",
        "分店黄了。",
        "房东说八月续约要涨到五千。",
    ],
)
def test_what_only_sounds_like_a_change_ends_nothing(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "豆包是小名，大名叫张一鸣，跟那个老板重名，六岁。",
        "不过她的未婚夫不能是坏人，是个中学老师。",
        "另外工作是交接给小董的。",
        "我在写一个短篇，女主叫沈秋棠，在先施公司卖香水。",
        "我有个弟弟，是老师。",
        "我认识一个人，在华为上班。",
        "我见了大学室友，结婚了。",
        "我知道那个演员，是加拿大人。",
        "我爸最近身体不好，戒烟了。",
        "隔壁搬走了，换了工作。",
        "昨天和朋友吃饭，喝多了，戒酒了。",
        "女儿上幼儿园了，对花生过敏。",
        "她换手机了，新号是13800138000。",
        "六岁了。",
        "是个老师，叫李明。",
        "电话是010-59041000。",
        "毕业于北京大学。",
        "老公不去，他要值班。",
        "弟弟一家不去了。",
        "王芳不去了。",
        "医院约的是18号上午九点。",
        "我们是同龄人。",
        "我爱情不顺。",
        "开放时间是9:00。",
        "我最喜欢的肯定是他的代表作。",
    ],
)
def test_what_may_be_told_of_another_claims_nothing_of_the_speaker(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("我在华为上班，是产品经理。", ["李强|employer|华为", "李强|role|产品经理"]),
        ("王芳在华为上班，是测试工程师。", ["王芳|employer|华为", "王芳|role|测试工程师"]),
        ("王芳在华为上班，老公是老师。", ["王芳|employer|华为"]),
        ("我朋友在医院上班，是护士。", ["李强的朋友|employer|医院", "李强的朋友|role|护士"]),
        ("我爸退休了，搬到三亚了。", ["李强的爸|employer|-", "李强的爸|role|-", "李强的爸|home|-", "李强的爸|home|三亚"]),
        ("终于辞职了，下周去小米上班。", ["李强|employer|-", "李强|role|-"]),
        ("刚搬到深圳，在腾讯上班。", ["李强|home|-", "李强|home|深圳", "李强|employer|腾讯"]),
        ("我和室友合租，住在天河。", ["李强|home|…", "李强|home|天河"]),
        ("换手机号了，新号是13800138000。", ["李强|phone number|13800138000"]),
        ("我们昨晚回来的，手术定在下个月底。", ["手术|plan:手术|下个月底"]),
        ("我喜欢上海。", ["李强|likes|上海"]),
        ("黄山去不成了。", ["黄山旅行|plan:黄山旅行|-", "旅行|plan:旅行|-黄山"]),
        ("我是湖南人。", ["李强|origin|湖南"]),
    ],
)
def test_a_clause_without_a_subject_goes_on_about_the_one_before_it(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "我是开车来的。",
        "我妹妹是开车回来的。",
        "我是跑步去的。",
        "我妈是开心的。",
        "我是开始后悔的。",
        "我是搞错的。",
        "我妈是做手术的。",
        "我做化疗半年了。",
        "我妈做透析三年了。",
        "我做牙套一年了。",
        "我做房贷两年了。",
        "我做噩梦半年了。",
        "我当妈妈三年了。",
        "我妈转到人民医院了。",
        "我住希尔顿。",
        "我住全季。",
        "我住帐篷。",
        "我住青旅。",
        "我住重症。",
        "同事叫小美去吃饭。",
        "我同事叫小王帮忙。",
        "小美的妈妈叫小王吃饭。",
        "我家狗叫整晚。",
        "我女儿甜甜的。",
        "我家四十了。",
        "都五岁了。",
        "我当会员三年了。",
        "我同学沈阳来的。",
        "室友经常叫小美去。",
        "同学们叫小美过来。",
        "店里的狗叫醒我。",
        "家里狗叫半夜。",
        "Python是我的老师。",
        "Excel是我的朋友。",
        "Tesla是我老板。",
        "邻居张家是好人。",
        "我邻居李家说不行。",
        "我妈李子吃多了。",
        "我妈杨梅吃多了。",
        "我爸胡子都白了。",
        "小米在深圳工作。",
        "我下周一入职新公司。",
        "我们八月搬去宁波。",
        "我爱因斯坦。",
        "我是群里的翻译。",
        "我是这次活动的负责人。",
        "我搬到隔壁工位了。",
        "我这周吃素。",
        "我手机换成英文了。",
        "我手机换成静音了。",
        "牙医是周一看的。",
        "我赌发布会在周一。",
        "我住在公司了这几天。",
    ],
)
def test_what_only_sounds_like_a_person_a_home_or_a_job_claims_nothing(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("我老公是做保险的。", ["李强的老公|role|做保险"]),
        ("我做外贸十年了。", ["李强|role|外贸"]),
        ("我妈当护士二十年了。", ["李强的妈|role|护士"]),
        ("我妈小龙虾过敏。", ["李强的妈|allergy|小龙虾"]),
        ("同事有个叫王芳，挺好。", ["李强|colleague|王芳"]),
        ("小王是我的老师。", ["李强|teacher|小王"]),
        ("我才三岁。", ["李强|age|三"]),
        ("我升职了，现在是部门经理。", ["李强|role|-…", "李强|role|部门经理"]),
        ("我去年从华为离职了。", ["李强|role|-", "李强|employer|-华为"]),
        ("我加入了合唱团。", ["李强|member|合唱团"]),
        ("我姐夫是电工。", ["李强的姐夫|role|电工"]),
        ("我离婚三年了。", ["李强|spouse|-", "李强|relationship|离婚"]),
        ("我在学西班牙语。", ["李强|learns|西班牙语"]),
        ("我的新电脑是ThinkPad。", ["李强|uses:laptop|ThinkPad"]),
    ],
)
def test_what_a_person_or_a_job_sounds_like(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("我家在打麻将。", []),
        ("我家在装修。", []),
        ("我家在三楼。", []),
        ("我搬到沙发上了。", []),
        ("我们搬到二楼开会。", []),
        ("我们搬到楼下吃饭。", []),
        ("我们搬到教室前排了。", []),
        ("我家在苏州。", ["李强|home|苏州"]),
        ("我家在朝阳区。", ["李强|home|朝阳区"]),
        ("我们搬到杭州了。", ["李强|home|-", "李强|home|杭州"]),
        ("我表妹下个月结婚。", []),
        ("我表妹下个月结婚了。", []),
        ("我哥周六结婚。", []),
        ("小李和小美国庆结婚。", []),
        ("我哥已婚。", ["李强的哥|relationship|已婚"]),
        ("我表妹结婚三年了。", ["李强的表妹|relationship|已婚"]),
        ("我表妹去年结婚了。", ["李强的表妹|relationship|已婚"]),
        ("我和小美领证了。", ["李强|relationship|已婚", "李强|spouse|小美"]),
        ("我们团队有3个人请假。", []),
        ("我们团队有3个人。", ["李强|team size|3"]),
        ("我对加班过敏。", []),
        ("我对老板过敏。", []),
        ("我对花生过敏。", ["李强|allergy|花生"]),
        ("我对香水过敏。", ["李强|allergy|香水"]),
        ("我对感冒药过敏。", ["李强|allergy|感冒药"]),
        ("我是美团会员。", []),
        ("我是党员。", []),
        ("我是替补队员。", []),
        ("我是业余摄影师。", []),
        ("我是半个厨师。", []),
        ("我是消防队员。", ["李强|role|消防队员"]),
        ("我是保险推销员。", ["李强|role|保险推销员"]),
        ("我女儿叫肚子疼。", []),
        ("我妈叫起床。", []),
        ("我女儿叫小雨。", ["李强|child|小雨"]),
        ("我女儿叫做果果。", ["李强|child|果果"]),
        ("我戒烟又失败了。", []),
        ("我戒烟了。", ["李强|smokes|no"]),
        ("我戒烟三年了。", ["李强|smokes|no"]),
        ("我搬到后面坐了。", []),
        ("我家在湖南。", ["李强|home|湖南"]),
        ("我儿子叫张一鸣。", ["李强|child|张一鸣"]),
        # homes in quarters of cities, and what only ends like an area
        ("我住在回龙观。", ["李强|home|回龙观"]),
        ("我家在西二旗。", ["李强|home|西二旗"]),
        ("我搬到板桥了。", ["李强|home|-", "李强|home|板桥"]),
        ("我住在余家村。", ["李强|home|余家村"]),
        ("我买了新房在苏州。", ["李强|home|苏州"]),
        ("我住在舒适区。", []),
        ("我住在隔壁小区。", ["李强|home|…"]),
        ("我家在动物园。", []),
        ("我搬到了新手村。", []),
        ("我住在回忆里。", []),
        ("我住在朋友圈里。", []),
        ("我是长沙人。", ["李强|origin|长沙"]),
        ("我是河西县人。", ["李强|origin|河西县"]),
        ("我是路人。", []),
        ("我是同路人。", []),
        ("我是外乡人。", []),
        ("我是城市人。", []),
        # jobs, and what is left or played at every day
        ("我年底离职了。", ["李强|employer|-", "李强|role|-"]),
        ("我年底要离职了。", []),
        ("我年底就离职了。", []),
        ("我三月份从华为离职了。", ["李强|role|-", "李强|employer|-华为"]),
        ("我离开华为了。", ["李强|role|-", "李强|employer|-华为"]),
        ("我离开餐厅了。", []),
        ("我离开座位了。", []),
        ("我离开微信群了。", []),
        ("我跳槽到了美团。", ["李强|employer|-", "李强|employer|美团"]),
        ("我升职当了主管。", ["李强|role|主管"]),
        ("我今天是厨师。", []),
        ("我当了一回司机。", []),
        ("我是打工人。", []),
        ("我是气氛组组长。", []),
        ("我失业了三天又找到工作。", ["李强|employer|-", "李强|role|-"]),
        ("我失业了。", ["李强|employer|-", "李强|role|-", "李强|work|失业"]),
        ("我今天当厨师。", []),
        ("我当了厨师。", ["李强|role|厨师"]),
        ("我是陈老师。", []),
        ("我是钢琴老师。", ["李强|role|钢琴老师"]),
        ("我离开上海五年了。", ["李强|home|-上海"]),
        ("我住在朝阳公园旁边。", ["李强|home|…"]),
        ("我住在朝阳公园一带。", ["李强|home|朝阳公园一带"]),
        # names, partners, plans
        ("小她三岁。", []),
        ("小敏三岁。", ["小敏|age|三"]),
        ("就我和一个大学生，叫苏打。", []),
        ("五月天的歌我都会。", []),
        ("2号去4号回。", []),
        ("我要去洗澡。", []),
        ("我打算去爬泰山。", ["李强|plan:去爬泰山|planned"]),
        ("我要去泰山。", ["泰山旅行|plan:泰山旅行|planned", "旅行|plan:旅行|泰山"]),
        ("我们打算去长白玩。", ["长白旅行|plan:长白旅行|planned", "旅行|plan:旅行|长白"]),
        ("我喜欢一个人旅行。", []),
        ("我喜欢上一个男生。", []),
        ("我叫李明。", ["李强|name|李明"]),
        ("我叫小度，是音箱。", []),
        ("我儿子叫小宝。", ["李强|child|小宝"]),
        ("我女朋友是手机。", []),
        ("我乳糖不耐受。", ["李强|condition|乳糖不耐受"]),
        ("周五我有个面试。", ["李强|plan:面试|周五"]),
        ("原定婚礼改到周六。", ["婚礼|plan:婚礼|-", "婚礼|plan:婚礼|周六"]),
    ],
)
def test_a_look_alike_claims_nothing_and_what_it_looks_like_still_does(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    ("attribute", "value", "is_proper"),
    [
        ("employer", "新桥医院", True),
        ("employer", "中山三院", True),
        ("employer", "华为", True),
        ("employer", "中国银行", True),
        ("employer", "医院", False),
        ("employer", "私立医院", False),
        ("employer", "大厂", False),
        ("employer", "学生会", False),
        ("employer", "北京分公司", False),
        ("likes", "五菱", True),
        ("likes", "上海", True),
        ("likes", "上海菜", False),
        ("likes", "吃火锅", False),
        ("member", "篮球队", False),
        ("partner", "小雨", True),
    ],
)
def test_a_common_noun_names_nothing(attribute: str, value: str, is_proper: bool) -> None:
    assert is_proper_noun(attribute, value) is is_proper


@pytest.mark.parametrize(
    ("sentence", "follows", "claims"),
    [
        ("搬来北京了，住通州。", "你丈母娘不是在天津吗？", []),
        ("我搬来北京了，住通州。", "你丈母娘不是在天津吗？", ["李强|home|-", "李强|home|北京", "李强|home|通州"]),
        ("搬来北京了。", "你不是在天津吗？", ["李强|home|-", "李强|home|北京"]),
        ("搬来北京了。", "大家都好吗？", ["李强|home|-", "李强|home|北京"]),
    ],
)
def test_without_a_subject_it_goes_on_about_somebody_who_was_spoken_of(sentence: str, follows: str, claims: list[str]) -> None:
    found = claims_in(sentence, "zh", "李强", follows)
    assert [f"{one.subject}|{one.attribute}|{'-' if one.ends else ''}{one.value}" for one in found] == claims
