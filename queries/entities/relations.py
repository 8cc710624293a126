"""By which words a question asks for a relationship: "husband" for ``married_to``, "company" for ``works_at``. Pure.

Any relation is asked for by its own words as well, so that one that no table knows ("sponsor_of") can be.
"""

from collections.abc import Iterable
from functools import lru_cache

from mneme.text import has_cjk, tokenise

_WORDS = {
    "works_at": "work works worked working job company employer employed employ firm business career 公司 工作 单位 上班 任职",
    "works_in": "work works worked working job 工作 上班",
    "reports_to": "boss manager supervisor report manages 老板 经理 上司 领导 主管",
    "ceo_of": "CEO chief executive head heads boss leads leader runs director 总裁 总经理 首席执行官 老板 负责人",
    "leads": "CEO chief executive head heads boss leader runs manages manager director 总裁 总经理 负责人 领导 主管",
    "owns": "own owns owner store shop studio business 老板 店主",
    "founded": "found founded founder start started startup 创办 创始人 创立",
    "lives_in": "live lives lived living home house city town country move moved reside address 住在 居住 城市 搬到 搬家",
    "from": "hometown origin originally native grew country 老家 家乡 来自 哪里人",
    "born_in": "born birthplace hometown 出生 出生地",
    "visited": "visit visited travel traveled travelled trip vacation holiday went 去过 旅行 旅游 到过",
    "located_in": "located location city town country place 位于 地点 城市",
    "studies_at": "study studies studied school university college student degree graduated 大学 学校 学院 毕业 就读 上学",
    "volunteers_at": "volunteer volunteers volunteered volunteering charity 志愿 义工",
    "member_of": "member club team band group join joined 成员 俱乐部 球队 乐队 加入",
    "attends": "attend attended event concert festival conference 参加 出席 活动",
    "married_to": "spouse husband wife married marry partner wedding 丈夫 妻子 老公 老婆 太太 爱人 配偶 结婚",
    "engaged_to": "fiancé fiancée fiance fiancee engaged partner 未婚夫 未婚妻 订婚",
    "partner_of": "partner boyfriend girlfriend dating spouse 男朋友 女朋友 男友 女友 对象",
    "parent_of": "child children kid kids son daughter parent mother father mom dad 孩子 儿子 女儿 父母 母亲 父亲 妈妈 爸爸",
    "child_of": "parent parents mother father mom dad mum child son daughter 父母 母亲 父亲 妈妈 爸爸 孩子 儿子 女儿",
    "sibling_of": "sibling siblings brother brothers sister sisters 哥哥 弟弟 姐姐 妹妹 兄弟 姐妹",
    "relative_of": "relative cousin aunt uncle niece nephew grandmother grandfather grandma grandpa grandparents family "
    "亲戚 表哥 表弟 表姐 表妹 堂哥 堂弟 堂姐 堂妹 叔叔 阿姨 舅舅 姑姑 爷爷 奶奶 外公 外婆",
    "friend_of": "friend friends buddy 朋友 好友 闺蜜",
    "colleague_of": "colleague colleagues coworker teammate 同事 同学 队友",
    "neighbour_of": "neighbour neighbor neighbours neighbors 邻居",
    "roommate_of": "roommate flatmate 室友",
    "taught_by": "teacher coach mentor professor instructor tutor 老师 教练 导师",
    "treated_by": "doctor therapist dentist physician counselor psychologist 医生 大夫 牙医",
    "has_pet": "pet pets dog dogs cat cats animal animals puppy kitten 宠物 狗 猫",
    "likes": "like likes love loves favorite favourite enjoy enjoys fan prefer 喜欢 最爱 爱好",
}


def asked_by(relation: str, tokens: Iterable[str]) -> frozenset[str]:
    """Those of a question's tokens that ask for a relation.

    >>> asked_by("married_to", tokenise("Where does Ann's husband work?"))
    frozenset({'husband'})
    """
    return _tokens_of(relation).intersection(tokens)


@lru_cache(maxsize=1024)
def _tokens_of(relation: str) -> frozenset[str]:
    words = f"{relation.replace('_', ' ')} {_WORDS.get(relation, '')}"
    return frozenset(token for token in tokenise(words) if len(token) > 1 or not has_cjk(token))
