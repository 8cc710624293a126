from datetime import UTC, datetime

import pytest

from flows.extraction.entities import entities_of, relationships_of
from mneme.relations import UNREAD
from tests.flows.extraction.saying import claiming, said


def named(*lines):
    return {entity.name: entity.type for entity in entities_of(said(*lines))}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("My sister Eva came over.", "Eva", "person"),
        ("My boss is called Hedwig.", "Hedwig", "person"),
        ("I met Nkem, a 67-year-old director, at the party.", "Nkem", "person"),
        ("Nkem laughed until it was too late.", "Nkem", "person"),
        ("I met a woman called Ondine there.", "Ondine", "person"),
        ("I saw Dr. Yilmaz about the knee.", "Dr. Yilmaz", "person"),
        ("It is a book by Patrick Hollow.", "Patrick Hollow", "person"),
        ("We moved to Eilbek last year.", "Eilbek", "location"),
        ("I took this photo at Whistling Falls.", "Whistling Falls", "location"),
        ("I have been to New York twice.", "New York", "location"),
        ("I'm in Eilbek until May.", "Eilbek", "location"),
        ("She has a clinic in Eilbek, you know.", "Eilbek", "location"),
        ("Shall we have dinner at Corazon on Friday?", "Corazon", "location"),
        ("We always go to Whistler's on Fridays.", "Whistler's", "location"),
        ("He drove to Eilbek the Tuesday before.", "Eilbek", "location"),
        ("She moved into the new place in Austin saturday.", "Austin", "location"),
        ("That whole lot is coming over from Adelaide.", "Adelaide", "location"),
        ("We have to be at her folks in Tyler by noon.", "Tyler", "location"),
        ("It lands Tyler 10.50 tomorrow morning.", "Tyler", "location"),
        ("Leeds to Tyler is gone in the winter.", "Tyler", "location"),
        ("I'll collect you from Tyler if you get that one.", "Tyler", "location"),
        ("Shannon said that she will come.", "Shannon", "person"),
        ("Shannon's mum has the keys.", "Shannon", "person"),
        ("We sat in Tyler's garden, I think.", "Tyler", "person"),
        ("Your uncle Dallas was skipped, too.", "Dallas", "person"),
        ("We went to Dallas last year.", "Dallas", "location"),
        ("Nadine Nadine Nadine", "Nadine", "person"),
        ("She teaches at Harbour University now.", "Harbour University", "organisation"),
        ("I had an interview at Initech.", "Initech", "organisation"),
        ("We went to the Harbour Film Festival.", "Harbour Film Festival", "event"),
        ("I am reading a novel called The Quiet Sea.", "Quiet Sea", "book"),
        ('I watched "Blue Harbour" last night.', "Blue Harbour", "film"),
        ("I use the meditation app Stillwater every morning.", "Stillwater", "product"),
        ("I finished the show Harbour Lights.", "Harbour Lights", "series"),
        ("We deploy it with Gunicorn and nothing else.", "Gunicorn", "product"),
        ("I build it with TypeScript and I'm nearly done.", "TypeScript", "product"),
        ("We send it with LoRa every hour.", "LoRa", "product"),
        ("I went to a Jane Hollow conference.", "Jane Hollow", "work"),
        ("My roommate's name is Ondine.", "Ondine", "person"),
        ("I met Mr. Carpenter I swear on my life.", "Mr. Carpenter", "person"),
        ("We live near the Eilbek last I heard.", "Eilbek", "location"),
        ("@Bo_Lind can you look at it?", "Bo_Lind", "person"),
    ],
)
def test_a_name_is_taken_where_something_besides_its_capital_says_what_it_names(text, name, kind):
    assert named(f"Ann: {text}", "Bo: All right then.")[name] == kind


@pytest.mark.parametrize(
    "text",
    [
        "Everything was fine and then it rained.",
        "Woah Bo, that is so cool!",
        "Thanks, Bo!",
        "I need SSS and ASA for the proof.",
        "Next week: 1) Structuring the base; 2) Dialogue security.",
        "The old man said that on Monday in March.",
        "I WON THE GAME TODAY!",
        "Prepare the Log Annotation Template For Review",
        "May I ask you something?",
        "Will you come along with us?",
        "I read it. Reading is fun.",
        "Northfield called about the job, and Ryanair wants my passport.",
        "They got engaged on Stephen's Day, after Valentine's Day.",
        "It was on 5 Jan, not on Christmas Eve.",
        "I walked with Ondine past the one in Eilbek, and heard of Corazon.",
        "I'm in Marketing, and he's in Sales.",
        "It is a great kayak, I named it Linda.",
        "I give it all to the Marie Curie thing.",
        "Her daughter is in 8th at Harbourside, she can walk now.",
        "There is nothing left in Tyler for us.",
        "We sang in the hall at St. Martin's.",
        "Her plane lands into Kerry at noon.",
        "HR called, I get the Linda branch, from July.",
        "Max 2 million, and you need the papers.",
        "He has gone off Liverpool, and the Leeds fans laughed.",
        'She looked at her watch and said "Welcome to Eilbek"',
        "I saw Shannon on the board.",
        "Before you say Brembo, he left.",
        "He is nowhere near the Hebb sauna job, or near the Mader house.",
        "Vet thinks she got into the peonies.",
        "Plumber texted, he is late.",
    ],
)
def test_a_capital_alone_names_nothing(text):
    assert named(f"Ann: {text}", "Bo: All right then.").keys() <= {"Ann", "Bo"}


def test_a_name_that_is_the_beginning_of_another_is_the_same() -> None:
    found = named("Ann: I had an interview at Initech Robotics.", "Ann: I got the offer from Initech!")
    assert found == {"Ann": "person", "Initech Robotics": "organisation"}


def test_names_that_are_words_count_where_somebody_has_them():
    assert named("May: Hello there, Will.", "Will: Rose told me that she moved.") == {
        "May": "person",
        "Will": "person",
        "Rose": "person",
    }
    assert named("Ann: My sister April sings.", "Bo: In April it rains.")["April"] == "person"


def test_who_takes_part_is_a_person_with_what_they_claim_as_summary():
    [ann, *_] = entities_of(said("Ann: Hello there.", "Bo: Hi!", "Ann: I'm allergic to penicillin."))
    assert (ann.name, ann.type, ann.summary) == ("Ann", "person", "Ann: I'm allergic to penicillin.")


def test_an_assistant_is_no_person_and_names_nothing():
    assert named("Ann: Where shall we go?", "assistant: You could visit Lisbon with Eva.").keys() == {"Ann"}


def test_a_short_form_of_who_takes_part_is_nobody_new():
    assert named("Melanie: Hi!", "Bo: Thanks a lot to Mel for this.").keys() == {"Melanie", "Bo"}


def test_the_ends_of_an_edge_are_entities():
    sentences = claiming(
        said("Ann: I work at bluebird.", "Ann: Rex is my dog."), ("Ann", "employer", "Bluebird"), ("Ann", "pet", "Rex")
    )
    found = {entity.name: entity.type for entity in entities_of(sentences)}
    assert found["Bluebird"] == "organisation"
    assert found["Rex"] == "pet"


def test_a_given_name_beside_a_pet_may_be_its_name():
    assert "Max" not in named("Ann: I have a new dog.", "Ann: This is Max!")


def test_a_name_that_may_be_of_a_pet_is_of_nobody_wherever_it_is_said():
    assert "Tom" not in named(
        "Ann: I am sad about Tom.", "Bo: Losing a pet is hard.", "Ann: Yes.", "Bo: I see.", "Ann: Tom was old."
    )


def test_chinese_quotation_marks_hold_no_names():
    assert "Source" not in named("林晓雨: 我加一个标签，像“Source: Chat”这样。", "王浩然: 好的，没问题。")


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("我昨天去看了姚医生。", "姚医生", "person"),
        ("子涵也觉得很好。", "子涵", "person"),
        ("我们周末去莫干山。", "莫干山", "location"),
        ("他刚从上海回来。", "上海", "location"),
        ("游戏探索购物节的地点是广场。", "游戏探索购物节", "event"),
        ("我在看《三体》这本书。", "三体", "book"),
        ("《远山》的票卖完了。", "远山", "work"),
        ("最近睡前在看《万历十五年》。", "万历十五年", "work"),
        ("昨天去看了话剧《雷雨》。", "雷雨", "work"),
        ("电影《远山》我看了两遍。", "远山", "film"),
        ("我在追《远山》这部剧。", "远山", "series"),
        ("我昨晚一直听《晴天》。", "晴天", "song"),
        ("我们老板许总不批。", "许总", "person"),
        ("今天何老师没来上课。", "何老师", "person"),
        ("我跟方经理谈过了。", "方经理", "person"),
        ("我和王海燕吃了顿饭。", "王海燕", "person"),
        ("我今天和思琳去看房子。", "思琳", "person"),
        ("对方经理叫Linda，是我室友。", "Linda", "person"),
        ("同事Amy说可以改。", "Amy", "person"),
        ("我跟阿May一起去的。", "阿May", "person"),
        ("他英文名叫Tom。", "Tom", "person"),
        ("我们的Hangzhou办公室搬了。", "Hangzhou", "location"),
        ("我用Kubernetes部署。", "Kubernetes", "other"),
        ("他的外文名字叫Ryan Potter。", "Ryan Potter", "person"),
        ("我在Google上班。", "Google", "organisation"),
        ("小姑子在省立医院当护士。", "省立医院", "organisation"),
        ("他在阜阳人民医院。", "阜阳人民医院", "organisation"),
        ("老李先垫了。", "老李", "person"),
        ("我们公司小郑也跑步。", "小郑", "person"),
        ("带我的叫阿澈，九五年的。", "阿澈", "person"),
        ("小慧说好吃。", "小慧", "person"),
        ("我今天走，王姐哭了。", "王姐", "person"),
        ("我妈从绵阳过来。", "绵阳", "location"),
        ("他住在重庆南边。", "重庆", "location"),
        ("我向王老师道歉。", "王老师", "person"),
        ("西安现在打车贵。", "西安", "location"),
        ("杭州这两天下雪了。", "杭州", "location"),
        ("你厦门那边的工作怎么样。", "厦门", "location"),
        ("从佛山飞昆明要两小时。", "昆明", "location"),
        ("我妈喜欢五菱。", "五菱", "product"),
        ("我喜欢上海。", "上海", "location"),
        ("我去Anna家吃饭。", "Anna", "person"),
    ],
)
def test_a_chinese_name_is_taken_where_its_place_tells_where_it_begins(text, name, kind):
    assert named(f"林晓雨: {text}", "王浩然: 好的，没问题。")[name] == kind


@pytest.mark.parametrize(
    "text",
    [
        "对方经理很客气，双方律师都到了。",
        "官方教练和地方主任说了，任何老师都可以。",
        "有关老师开会，对于老师来说很难。",
        "为何老师不来，有时老师会忘。",
        "应老师的要求改了，他任校长三年了。",
        "我的英语还是这么烂，英语说得不好。",
        "月亮出来了，星星也出来了，刚刚说好的。",
        "明明说了要来，依然是这样，坐月子也累。",
        "燕子也飞走了，我和明星合了影。",
        "子涵的书丢了。",
        "静安贵，静安也贵，跟瑞安一样。",
        "帮我改一封邮件：“我们跟王小明先生谈过了，请李雪梅回复。”",
        '帮我改邮件："We will visit your Hangzhou office on November 20." 客气一点',
        "帮我把这句话翻译成中文，今天就要用：We will visit your Hangzhou office soon",
        "November太忙了，Monday也是。",
        "她家的猫Leo又跑出去了。",
        "我买了一张长沙发和大理石桌子。",
        "我去保险公司办过，在物流公司也问过。",
        "知道云蒙山吗。",
        "而且图书馆关门了。",
        "Sorry啊，Happy得忘了。",
        "阿姨在老胡同里。",
        "小雨说下就下。",
        "他是我们的老顾客。",
        "小李子很甜。",
        "悉尼杯放假，我们在杭州酒家吃。",
        "刚在中山二院复查，她又跳广场舞了。",
        "后天端午公司放假。",
        "7点20到重庆北",
        "向阳哥不得气死",
        "西安凉皮和重庆小面都好吃。",
        "加拿大鹅太贵，香港脚犯了。",
        "意大利面煮过头了。",
        "去Zara买了件外套，Tiffany的项链太贵。",
        "我在区医院排队，去市医院复查。",
        "我喜欢吃火锅，也喜欢下雨天。",
        "我在医院上班，加入了篮球队。",
    ],
)
def test_words_that_look_like_chinese_names_name_nothing(text):
    assert named(f"林晓雨: {text}", "王浩然: 好的，没问题。").keys() <= {"林晓雨", "王浩然"}


def test_other_languages_name_those_who_take_part_and_who_is_called():
    found = named("Lena: Ich habe gestern mit @Jonas über den Termin im Rathaus gesprochen.", "Paul: Das ist aber sehr schön!")
    assert found == {"Lena": "person", "Jonas": "person", "Paul": "person"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I'm on nights at Fiona Stanley till noon.", "Fiona Stanley"),
        ("They rushed her, she went to Fiona Stanley.", "Fiona Stanley"),
        ("We eat at the Thomas Green at 12.", "Thomas Green"),
        ("Roy Hill have changed the swing again.", "Roy Hill"),
        ("I sold the old Sony, and the tripod.", "Sony"),
        ("Stop hollering at Google for the weather.", "Google"),
        ("Mummy says she is giving up Facebook.", "Facebook"),
        ("We met on that Malta advert.", "Malta"),
        ("No, Oran's the dog, Senan is the eggs.", "Senan"),
        ("The bin is full of someones Emu cans.", "Emu"),
        ("We watched Zee World all day.", "Zee World"),
        ("We moved to Kubernetes last week.", "Kubernetes"),
        ("My girlfriend is Siri.", "Siri"),
        ("Book club is doing Rebecca this month.", "Rebecca"),
        ("We watched Happy Valley all weekend.", "Happy Valley"),
        ("Meet me outside Victoria at 7.", "Victoria"),
        ("Florence is poorly again.", "Florence"),
        ("Jasmine tea please.", "Jasmine"),
        ("I'm a Leo, as you know.", "Leo"),
        ("Dad moved to Ward 7.", "Ward"),
        ("I'm in the Labour party.", "Labour"),
        ("I love Dolly Parton.", "Dolly Parton"),
        ("Dr Martens are in the sale.", "Dr Martens"),
        ("Who has the tent? The big Kathmandu one.", "Kathmandu"),
        ("A weekend away, him and Mum, Pitlochry or something.", "Pitlochry"),
        ("He can't go near Nikau's nets though.", "Nikau"),
        ("The Harry Potter tour is on the 18th.", "Harry Potter"),
        ("It is the one on George St by the gardens.", "George"),
        ("She is going to Maersk, or so I heard.", "Maersk"),
        ("Then I go to Ondine, who bakes.", "Ondine"),
        ("But nobody uses Shona now.", "Shona"),
        ("My Kathmandu leaks in the corner.", "Kathmandu"),
        ("She is a baker at Leeds Street, gets up at 3.", "Leeds Street"),
        ("Dinny hooted all through Patrick street.", "Patrick"),
        ("She is on nights at Wellington hospital.", "Wellington"),
        ("I asked a girl from the bakery, Linh, about it.", "Linh"),
        ("Will Gunvor join us at noon?", "Will Gunvor"),
        ("I'm seventy in June and I'd like to see it.", "June"),
    ],
)
def test_where_kinds_compete_a_name_is_left_out(text: str, name: str) -> None:
    assert name not in named(f"Ann: {text}", "Bo: All right then.")


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("He laughed at Fiona all day.", "Fiona", "person"),
        ("We are at Fiona's today.", "Fiona", "person"),
        ("Did Roy have the keys?", "Roy", "person"),
        ("Ella and Roy have the keys.", "Roy", "person"),
        ("She works at Sony in the new building.", "Sony", "organisation"),
        ("I was in the Walmart when you rang.", "Walmart", "organisation"),
        ("We flew to Malta last year.", "Malta", "location"),
        ("Our Malta trip was fine.", "Malta", "location"),
        ("We're off to Florence for a week.", "Florence", "location"),
        ("She lives in Georgia now.", "Georgia", "location"),
        ("I bought the Dyson in the end.", "Dyson", "product"),
        ("My dog, Senan, barks.", "Senan", "pet"),
        ("Is it Max the dog or Max your flatmate?", "Max", "pet"),
        ("The kids are Owen 11 and Ella 7.", "Owen", "person"),
        ("We are going to Hampi over the long weekend.", "Hampi", "location"),
        ("Boston airport was shut.", "Boston", "location"),
        ("It is the one on George St by the gardens.", "George St", "location"),
    ],
)
def test_a_name_keeps_its_kind_where_something_tells_it(text: str, name: str, kind: str) -> None:
    assert named(f"Ann: {text}", "Bo: All right then.")[name] == kind


def test_what_may_be_a_place_a_firm_or_a_person_is_what_another_mention_tells():
    assert named("Ann: We got a site at Kai Iwi.", "Bo: Do I need a permit for Kai Iwi?").keys() == {"Ann", "Bo"}
    assert named("Ann: I am going to Hereford.", "Bo: My flat in Hereford is free.")["Hereford"] == "location"
    assert named("Ann: We fly to Ondine at noon.", "Bo: I asked Ondine.").keys() == {"Ann", "Bo"}


def test_the_given_name_of_somebody_who_was_introduced_is_no_town():
    assert "乐山" not in named("林晓雨: 上户口改成杨乐山了。", "王浩然: 乐山好听。")
    assert named("林晓雨: 我们改去乐山了。", "王浩然: 乐山好玩。")["乐山"] == "location"


def edges(sentences):
    return [(one.source, one.relation, one.target, one.ended) for one in relationships_of(sentences)]


def test_a_claim_whose_row_has_an_edge_is_one():
    sentences = claiming(
        said("Ann: I live in Oslo now.", "Ann: I left Initech.", "Ann: My knee hurts."),
        ("Ann", "home", "Oslo"),
        ("Ann", "employer", "Initech", True),
        ("Ann", "allergy", "Penicillin"),
    )
    assert edges(sentences) == [("Ann", "lives_in", "Oslo", False), ("Ann", "works_at", "Initech", True)]


def test_nothing_is_guessed_without_a_claim():
    assert edges(said("Ann: John and Ned went for a walk in the park.")) == []


def test_what_has_no_name_is_no_node_and_what_no_row_knows_no_edge():
    sentences = claiming(
        said("Ann: I love painting.", "Ann: I have a dog.", "Ann: It is so.", "Ann: I left my job."),
        ("Ann", "likes", "painting together"),
        ("Ann", "pet", "a dog"),
        ("Ann", "no such attribute", "Oslo"),
        ("Ann", "employer", UNREAD),
    )
    assert edges(sentences) == []


def test_an_edge_said_twice_is_one_with_both_sources_and_the_first_date():
    sentences = claiming(
        said("Ann: I live in Oslo.", "Ann: I moved to Oslo on 5 May 2024."), ("Ann", "home", "Oslo"), ("Ann", "home", "Oslo")
    )
    [edge] = relationships_of(sentences)
    assert edge.sources == (0, 1)
    assert edge.date == datetime(2024, 5, 5, tzinfo=UTC)


def test_a_date_in_another_clause_is_not_that_of_the_edge():
    sentences = claiming(said("Ann: I live in Oslo because I met Ned on 5 May 2024."), ("Ann", "home", "Oslo"))
    assert [edge.date for edge in relationships_of(sentences)] == [None]


def test_the_date_of_an_edge_needs_words_that_say_that_it_began_or_ended():
    trip = claiming(said("Ann: This is from the trip last year for my daughter Ida's birthday."), ("Ann", "child", "Ida"))
    met = claiming(said("Ann: I met my wife Eva in 2015."), ("Ann", "spouse", "Eva"))
    moved = claiming(said("Ann: Yesterday I moved to Oslo."), ("Ann", "home", "Oslo"))
    lost = claiming(said("Ann: I lost my job at Initech this month."), ("Ann", "employer", "Initech", True))
    hired = claiming(said("Ann: Got a job at Initech, start 20 March 2026."), ("Ann", "employer", "Initech"))
    asked = claiming(said("Ann: I moved to Oslo, my party is on 20 March 2026."), ("Ann", "home", "Oslo"))
    assert [edge.date for edge in relationships_of(trip) + relationships_of(met) + relationships_of(asked)] == [None] * 3
    assert [str(edge.date)[:10] for edge in relationships_of(hired)] == ["2026-03-20"]
    assert [edge.date is not None for edge in relationships_of(lost)] == [True]
    assert [edge.date is not None for edge in relationships_of(moved)] == [True]


def test_nobody_became_a_sister_on_the_day_that_the_sister_moved():
    moved = "Ann: My sister Eva moved to Oslo yesterday."
    sentences = claiming(said(moved, moved), ("Ann", "sibling", "Eva"), ("Eva", "home", "Oslo"))
    assert [(edge.relation, edge.date is None) for edge in relationships_of(sentences)] == [
        ("sibling_of", True),
        ("lives_in", False),
    ]


def test_a_month_or_a_year_is_no_day_on_which_an_edge_began_and_what_ended_in_one_had_ended_on_its_last():
    moved = claiming(said("Ann: Last year I moved to Oslo."), ("Ann", "home", "Oslo"))
    left = claiming(said("Ann: Bob left Acme in March 2025."), ("Bob", "employer", "Acme", True))
    assert [edge.date for edge in relationships_of(moved) + relationships_of(left)] == [None, datetime(2025, 3, 31, tzinfo=UTC)]


def test_an_end_of_a_time_that_cannot_be_read_is_not_of_the_day_of_telling():
    ended, claim = "Ann: Bo and I ended it.", ("Ann", "partner", "Bo", True)
    assert edges(claiming(said(ended), claim)) == [("Ann", "partner_of", "Bo", True)]
    assert edges(claiming(said(f"{ended} Valentine's week if you can imagine."), claim, claim)) == []
    assert edges(claiming(said("Ann: I left Acme some summer ago."), ("Ann", "employer", "Acme", True))) == []


def test_a_question_has_no_end():
    sentences = said("Ann: What about Jade and broome. You doing long distance", "Bo: No.", "Ann: Aw. Sorry. Pub?")
    assert [one.claims for one in sentences if one.claims] == []


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("We bought a John Deere tractor.", "John Deere", None),
        ("John Deere is green, you know.", "John Deere", None),
        ("I work for Harley Davidson.", "Harley Davidson", "organisation"),
        ("Tyler studies at Sask Polytech.", "Sask Polytech", "organisation"),
        ("换了一个德国老板叫 Herr 什么 Weber。", "Herr", None),
        ("真的裁到我我就去汕头街卖粿条。", "汕头", None),
        ("我在北京路住了三年。", "北京", None),
        ("Milo 昨天呕了三次，兽医说吃坏肚子。", "Milo", None),
        ("我去汕头看外婆。", "汕头", "location"),
        ("我同事 Milo 昨天去了上海。", "Milo", "person"),
        ("Simon 说明天来。", "Simon", "person"),
        ("John Turner said he was ill.", "John Turner", "person"),
    ],
)
def test_makers_titles_streets_and_animals_are_nobody_and_nowhere(text, name, kind):
    assert named(f"Ann: {text}", "Bo: Good.").get(name) == kind


def test_who_takes_an_animal_to_the_vet_is_somebody():
    assert named("Ann: Sarah took Luna to the vet.", "Bo: Good.") == {"Ann": "person", "Bo": "person", "Sarah": "person"}


@pytest.mark.parametrize(
    ("lines", "summary"),
    [
        (["Anke: Schön!", "Bo: I met Lars yesterday."], ""),
        (["Anke: Schön!", "Anke: I met Lars in the garden yesterday."], "Anke: I met Lars in the garden yesterday."),
        (["Anke: Again?", "Anke: Thanks, Anke!"], ""),
        (["Anke: I live in Kiel.", "Bo: Nice."], "Anke: I live in Kiel."),
    ],
)
def test_a_bare_exclamation_is_no_summary(lines, summary):
    [anke] = [each for each in entities_of(said(*lines)) if each.name == "Anke"]
    assert anke.summary == summary
