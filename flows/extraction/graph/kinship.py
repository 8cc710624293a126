"""Words for people and animals by what they are to somebody: "husband", "boss", "dog"."""

PERSON, ORGANISATION, LOCATION, PET = "person", "organisation", "location", "pet"

_WORDS = {
    "married_to": "wife husband spouse hubby wifey",
    "partner_of": "partner boyfriend girlfriend fiancé fiancée fiance fiancee",
    "parent_of": "son daughter kid child stepson stepdaughter toddler kids children sons daughters",
    "child_of": "mom mum mother dad father mommy daddy stepmom stepdad stepmother stepfather parents",
    "sibling_of": "brother sister sibling twin brothers sisters siblings stepbrother stepsister",
    "relative_of": "cousin aunt auntie uncle niece nephew grandma grandpa grandmother grandfather granny nana grandson "
    "granddaughter cousins grandparents grandkids",
    "friend_of": "friend buddy pal roommate flatmate bestie bff friends",
    "colleague_of": "colleague coworker co-worker teammate classmate colleagues teammates",
    "reports_to": "boss manager supervisor",
    "taught_by": "teacher coach mentor professor instructor trainer tutor",
    "treated_by": "doctor therapist dentist physiotherapist counselor psychologist",
    "neighbour_of": "neighbour neighbor",
    "has_pet": "dog cat puppy pup pooch kitten kitty pet bird parrot horse pony rabbit bunny hamster turtle tortoise "
    "snake lizard "
    "gecko ferret goldfish guinea-pig dogs cats puppies pups kittens pets birds parrots horses rabbits hamsters turtles snakes",
}
RELATION = {word: relation for relation, words in _WORDS.items() for word in words.split()}

SAYS_SOMETHING = frozenset(("married_to", "partner_of", "parent_of", "sibling_of", "has_pet"))
"""Relations worth an edge to someone without a name: everybody has parents, friends, and a boss."""

MALE = frozenset(
    """husband hubby boyfriend fiancé fiance son stepson dad father daddy stepdad stepfather brother stepbrother uncle nephew
    grandpa grandfather grandson""".split()
)
FEMALE = frozenset(
    """wife wifey girlfriend fiancée fiancee daughter stepdaughter mom mum mother mommy stepmom stepmother sister stepsister
    aunt auntie niece grandma grandmother granny nana granddaughter""".split()
)

CHINESE_RELATION = {
    word: relation
    for words, relation in {
        "妻子 老婆 太太 丈夫 老公 爱人 媳妇": "married_to",
        "男朋友 女朋友 男友 女友 未婚夫 未婚妻 对象": "partner_of",
        "儿子 女儿 孩子 闺女 大儿子 小儿子 大女儿 小女儿": "parent_of",
        "妈妈 母亲 爸爸 父亲 老爸 老妈 我妈 我爸": "child_of",
        "哥哥 弟弟 姐姐 妹妹": "sibling_of",
        "表哥 表弟 表姐 表妹 堂哥 堂弟 堂姐 堂妹 叔叔 阿姨 舅舅 姑姑 爷爷 奶奶 外公 外婆 姥姥 姥爷 侄子 侄女 "
        "外甥": "relative_of",
        "朋友 好友 闺蜜 室友 好朋友 最好的朋友": "friend_of",
        "同事 同学 队友 老同学 大学同学": "colleague_of",
        "老板 经理 上司 领导 主管": "reports_to",
        "老师 教练 导师": "taught_by",
        "医生 大夫 牙医 心理医生": "treated_by",
        "邻居": "neighbour_of",
        "狗 猫 小狗 小猫 狗狗 猫咪 宠物 橘猫 兔子 仓鼠 乌龟 鹦鹉 金毛 柯基 泰迪 哈士奇": "has_pet",
    }.items()
    for word in words.split()
}
