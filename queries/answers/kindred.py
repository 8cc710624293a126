"""Words that tell of the same matter, in seven languages: a question says "work", who answers it "job", "shift" or "office".

Everyday matters alone, those that people are asked about most. Beside the words as they are, a matter is a further word that
question and answer may share; it never takes the place of one.
"""

import re
from functools import lru_cache

_MATTERS = {
    "work": "work job career employ profession occupation hired position shift shifts boss office compan arbeit beruf stelle job "
    "angestellt firma trabaj empleo puesto oficina travail métier poste emploi boulot profession работ должност устроил "
    "професси 工作 上班 职业 入职 公司 就职 仕事 働 職 会社",
    "pay": "earn salary wage paid pays income gross verdien gehalt lohn brutto netto gana sueldo salario gagne salaire зарпла "
    "платят зарабат 工资 薪 月薪 收入 給料 年収",
    "rent": "rent rents landlord lease deposit miete vermieter kaltmiete warmmiete alquiler alquil loyer louer аренд снима квартплат "
    "房租 租金 房东 家賃 大家",
    "home": "live lives living home flat apartment house moved moving move neighbourhood wohn wohnung umzieh umgezogen zieh ziehe "
    "vive vivir viven piso casa mudar mudo habite habiter appartement maison déménag emménag logement жив переех квартир дом "
    "住 搬 房子 公寓 小区 引っ越 部屋",
    "tolerance": "allerg intoleran swell swells rash hives epipen coeliac celiac react vertrag vertrage verträgt unverträg alerg "
    "intoleran allergie intolér аллерг неперенос 过敏 不耐受 アレルギー 食べられない",
    "food": "eat eats eating food dish meal vegetarian vegan meat diet isst essen vegetar fleisch comer come comida carne mange manger "
    "viande еда ест мяс 吃 菜 素食 肉 食べ 料理",
    "pet": "pet dog puppy cat kitten rabbit hamster parrot haustier hund katze kater welpe hase mascota perr gato gata gatito animal "
    "chien chat chatte chiot lapin собак кошк кот щено питом 狗 猫 宠物 犬 ペット",
    "birthday": "birthday born turns turning geburtstag geboren cumple cumpleaños nací nació anniversaire née рожден родил 生日 出生 "
    "誕生日 生まれ",
    "name": "name named names called surname nickname heiß heißt heiße vorname nachname llama llamo nombre apellido appelle nom prénom "
    "зовут имя назва 叫 名字 姓 名前",
    "drive": "car cars drive drives vehicle van auto wagen fährt fahre coche conduc conduzco carro voiture conduit машин водит автомоб "
    "车 开车 車 運転",
    "study": "study studies studying university college degree course exam school student learn studier studium uni schule prüfung "
    "lernt lerne estudi universidad escuela examen étudi université école examen учит учус универ школ экзам 学校 大学 考试 专业 学习 "
    "上学 学 勉強 試験 習",
    "partner": "husband wife spouse partner boyfriend girlfriend fiancé fiancée dating married marry marries wedding engaged mann frau "
    "freund freundin verlobt heirat hochzeit marido mujer esposa esposo novio novia casad casa boda mari femme compagnon compagne "
    "copain copine épous mariage муж жен парен девушк свадьб 老公 丈夫 老婆 妻子 男朋友 女朋友 结婚 婚礼 夫 妻 彼氏 彼女 結婚",
    "price": "cost costs price expensive euro euros dollar dollars pound pounds bucks kostet kosten preis cuesta costó precio euros coûte "
    "coûté prix руб стоит цена 价格 多少钱 块钱 块 元 値段 円",
    "age": "old age aged alt jahre alter edad años âge ans лет возраст 岁 年龄 几岁 歳",
    "sport": "sport gym run running swim swimming yoga training climbing hike football tennis schwimm laufen turnen deporte nadar natación "
    "nage natation courir спорт плава бега 运动 跑步 游泳 健身 瑜伽 スポーツ 走 泳 ヨガ",
    "doctor": "doctor physio surgery operation surgeon hospital clinic arzt ärztin operiert klinik médico médica operar hospital médecin "
    "hôpital opér врач больниц операц 医生 医院 手术 医者 病院 手術",
    "illness": "ill sick illness disease diagnos asthma diabetes medicine medication pills dose tablets prescribed krank krankheit "
    "medikament tabletten enferm medicina pastillas malad asthm médicament болез болен лекарств таблет 病 药 病気 薬",
    "travel": "travel trip holiday vacation flight fly flying flies urlaub reise reisen fliegt fliege viaje vacaciones vuelo volar voyage "
    "vacances avion vol отпуск поезд полет летим 旅游 旅行 度假 机票 航班 飛行機",
    "dislike": "dislike dislikes hate hates stand disgust mag hasse odia odio déteste ненави 讨厌 不喜欢 嫌い",
    "music": "instrument music guitar piano violin cello drums sing choir band instrument musik klavier geige gitarre chor música guitarra "
    "piano cantar coro musique guitare chorale музык гитар 乐器 吉他 钢琴 音楽 楽器",
    "phone": "phone mobile handy telefon móvil teléfono téléphone portable телефон 手机 电话 携帯 電話",
}
_SHORT = 4  # letters; a shorter word is that word alone, a longer one begins others


def _compiled(words: str) -> re.Pattern[str]:
    from mneme.text import has_cjk

    parts = [
        re.escape(word) if has_cjk(word) else rf"\b{re.escape(word)}" + ("" if len(word) > _SHORT else r"(?:s|n|e|en|t)?\b")
        for word in words.split()
    ]
    return re.compile("|".join(parts), re.IGNORECASE)


_PATTERNS = {matter: _compiled(words) for matter, words in _MATTERS.items()}


@lru_cache(1024)
def matters_of(text: str) -> frozenset[str]:
    """The everyday matters that a text speaks of.

    >>> sorted(matters_of("Where does Ann work?")), sorted(matters_of("Mein Gehalt ist klein."))
    (['#work'], ['#pay'])
    """
    return frozenset(f"#{matter}" for matter, pattern in _PATTERNS.items() if pattern.search(text))
