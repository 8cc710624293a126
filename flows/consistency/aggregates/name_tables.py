"""What the comparison of names knows: types, titles, legal forms, short forms, Chinese surnames. Small, by hand."""

UNKNOWN = ""
PERSON, ORGANISATION, LOCATION = "person", "organisation", "location"

FAMILIES = {
    UNKNOWN: "object thing entity item other unknown concept misc 物品 对象 东西 事物",
    PERSON: "person people human individual man woman user speaker character 人 人物 人名",
    ORGANISATION: "organisation organization org company employer institution business school university 组织 公司 机构 学校",
    LOCATION: "location place city town country region state address venue geo gpe 地点 地方 城市 国家 地区",
}
FAMILY_OF = {word: family for family, words in FAMILIES.items() for word in words.split()}

# Titles stand before a name; some tell who cannot be meant.
TITLES = {
    "m": "mr mister sir herr monsieur señor",
    "f": "mrs ms miss madam madame frau señora",
    "": "dr doctor prof professor rev reverend",
}
TITLE_OF = {word: gender for gender, words in TITLES.items() for word in words.split()}
CHINESE_TITLES = {"m": "先生 大哥 叔叔", "f": "女士 小姐 太太 阿姨", "": "老师 医生 教授 经理 老板 总"}
CHINESE_TITLE_OF = {word: gender for gender, words in CHINESE_TITLES.items() for word in words.split()}

LEGAL_FORMS = frozenset(
    """inc incorporated llc ltd limited corp corporation plc gmbh ag co company sa sarl bv nv oy ab pty kg spa srl
    holdings""".split()
)
CHINESE_LEGAL_FORMS = ("股份有限公司", "有限责任公司", "有限公司", "集团", "公司")
CHINESE_PLACE_FORMS = ("特别行政区", "自治区", "省", "市")

PLACES = {
    "new york": "nyc|ny|new york city|纽约市",
    "los angeles": "la|l a",
    "san francisco": "sf|san fran",
    "washington dc": "dc|washington d c",
    "united states": "us|usa|u s|u s a|united states of america|america",
    "united kingdom": "uk|u k|great britain",
    "hong kong": "hk",
    "saint petersburg": "st petersburg",
}
PLACE_OF = {short: place for place, shorts in PLACES.items() for short in shorts.split("|")}

# Short forms of given names. One that stands here is short for these names only, not for others that begin like it.
_NICKNAMES = {
    "abigail": "abby",
    "alexander": "alex sasha",
    "alexandra": "alex sasha lexi",
    "andrew": "andy drew",
    "angela": "angie",
    "anthony": "tony",
    "benjamin": "ben benny",
    "carolina": "caro",
    "caroline": "caro",
    "catherine": "kate katie cathy cat",
    "charles": "charlie chuck",
    "christina": "chris tina chrissy",
    "christine": "chris tina chrissy",
    "christopher": "chris topher kit",
    "daniel": "dan danny",
    "david": "dave davey",
    "deborah": "deb debbie debby",
    "edward": "eddie ted teddy",
    "elizabeth": "liz lizzie beth betty betsy eliza",
    "gabriel": "gabe",
    "gregory": "greg gregg",
    "henry": "harry hank",
    "james": "jim jimmy jamie",
    "jennifer": "jen jenn jenny",
    "jessica": "jess jessie",
    "john": "jack johnny",
    "jonathan": "jon johnny",
    "joseph": "joe joey",
    "joshua": "josh",
    "katherine": "kate katie kathy kat",
    "kenneth": "ken kenny",
    "lawrence": "larry",
    "margaret": "maggie meg peggy",
    "matthew": "matt matty",
    "melanie": "mel melly",
    "melissa": "mel",
    "michael": "mike mikey mick",
    "natalie": "nat",
    "nathan": "nate nat",
    "nathaniel": "nate nat",
    "nicholas": "nick nicky",
    "patricia": "pat patty tricia trish",
    "patrick": "pat",
    "philip": "phil",
    "phillip": "phil",
    "rebecca": "becky becca",
    "richard": "dick rick ricky",
    "robert": "bob bobby rob robbie",
    "ronald": "ron",
    "samantha": "sam sammy",
    "samuel": "sam sammy",
    "stephanie": "steph",
    "stephen": "steve",
    "steven": "steve",
    "susan": "sue susie",
    "theodore": "ted teddy theo",
    "thomas": "tom tommy",
    "timothy": "tim timmy",
    "valerie": "val",
    "victoria": "vicky tori",
    "william": "bill billy will liam",
    "zachary": "zach zack",
}
FORMAL_OF: dict[str, tuple[str, ...]] = {
    nickname: tuple(formal for formal, shorts in _NICKNAMES.items() if nickname in shorts.split())
    for nickname in {short for shorts in _NICKNAMES.values() for short in shorts.split()}
}
NICKNAMES_OF = {formal: tuple(shorts.split()) for formal, shorts in _NICKNAMES.items()}

# Given names that begin another one and are not short for it: Ann is not Annabel, Jean not Jeanette.
WHOLE_NAMES = frozenset(_NICKNAMES) | frozenset(
    """ann anna carol jean joan jan jane john paul mark marc eric frank carl karl dean jack luke june rose grace ella emma elle
    mari maria mary marie sara sarah julia juli julie clara laura lena lisa lucia dian diana ruth rosa robin christian martin
    joel noel neil leon dylan ivan juan omar hans""".split()
)

SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖"
    "贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
COMPOUND_SURNAMES = frozenset("欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 慕容 司徒 令狐 夏侯 端木".split())
