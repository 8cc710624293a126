from datetime import UTC, datetime

import pytest

from flows.extraction.foresight import foresights_of
from tests.flows.extraction.saying import claiming, said


@pytest.mark.parametrize(
    "text",
    [
        "My dentist appointment is on 20 March 2026.",
        "We'll meet tomorrow.",
        "The report is due on 12 March 2026.",
        "I'm going to move to Lisbon.",
        "I've signed up for a pottery class.",
        "We are planning a trip to the coast.",
        "下周我要去北京。",
        "我打算换工作。",
        "我4月3号上午第二个答辩。",
        "12号周四，可以，我开车。",
        "The rent is due this morning.",
        "15号我可以去帮忙，下午两点前要走。",
        "我报名了15号的马拉松。",
        "考级是3月14号。",
    ],
)
def test_what_is_ahead_for_certain_is_quoted_unchanged(text):
    [one] = foresights_of(said(f"Ann: {text}", "Bo: Sounds good to me."))
    assert one.statement == one.evidence == text


@pytest.mark.parametrize(
    "text",
    [
        "Gonna be great!",
        "It's 136 over 84 this morning by the way.",
        "Mrs. Howe will sack you in one day.",
        "The party, that's Friday.",
        "我建议下周五做个汇报。",
        "下星期三公众假期。",
        "3月20号是周五，好日子。",
        "我看13号晚上 周五",
        "那14号 周六 中午",
        "他让我四月份去看看",
        "3月12号老板请吃饭，你们行不行",
        "类型再明确：承诺（如“下周给报价”）。",
        "I want to see Rome on 20 March 2026.",
        "Maybe we meet on 20 March 2026.",
        "If it rains on 20 March 2026 we stay.",
        "Shall we meet on 20 March 2026?",
        "The trip on 20 March 2026 is cancelled.",
        "I'm not going to the party on 20 March 2026.",
        "The dentist was on 12 January 2026.",
        "I'm going to keep trying.",
        "See you tomorrow!",
        "I hope to move to Lisbon.",
        "我想下周去北京。",
        "下周的会取消了。",
        "I'll tell the board on Monday or so.",
        "I'm thinking 20 March 2026, dinner and then a film.",
        "How about dinner on 20 March 2026.",
        "If her parents agree. I will make dinner.",
        "婚礼明年再说",
        "对了 12月9号要帮你庆生吗",
        "昨天报到，今天开始培训。",
        "他现在还要去打球。",
        "明天不是周四吗，他上课的。",
        "This Saturday.",
        "We stay Saturday night only because I feed them on 20 March 2026.",
        "I doubt we meet on 20 March 2026.",
        "No way we meet on 20 March 2026.",
        "The exam is on 20 March 2026, or so they say.",
        "I have the dentist on 20 March 2026 but I can't make it.",
        "明天会更好。",
        "蛋糕我订了个无糖的，不要芒果。",
        "我报了个瑜伽班。",
        "我要去洗澡，等下聊。",
        "老赵退休以后天天钓鱼。",
        "我还以为你3月15号走呢。",
        "那天你有空吗？15号，陪我去吃牛肉汤。",
        "17号周二是吧，要不要我开车送你们。",
        "农历正月二十七，我查了是3月15号，星期天。",
        "估计3月15号到。",
        "听我同学说，他们公司要搬到苏州。",
        "下半年才好起来。",
        "3月15号上午九点半。",
        "3月15号是母亲节。",
        "下次同学会你去吗，3月15号，在松江。",
        "据说下周我们老板要去新加坡。",
    ],
)
def test_wishes_questions_and_what_is_off_or_over_are_none(text):
    assert foresights_of(said(f"Ann: {text}", "Bo: Sounds good to me.")) == ()


def test_one_that_the_reply_denies_with_another_day_is_none():
    plan = "He starts football on 20 March 2026."
    [denied] = foresights_of(said(f"Ann: {plan}", "Bo: No no, they start on 27 March 2026."))
    [agreed] = foresights_of(said(f"Ann: {plan}", "Bo: No way, really?"))
    assert denied.evidence == "No no, they start on 27 March 2026."
    assert agreed.evidence == plan


def test_one_that_its_own_speaker_gives_in_on_is_none():
    said_of = ["Ann: 那批货下周三到", "Bo: 下周三放假啊", "Ann: 对哦，那就是12号"]
    assert foresights_of(said(*said_of[:1])) != ()
    assert [one.statement for one in foresights_of(said(*said_of)) if "下周三" in one.statement] == []


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        pytest.param("My dentist appointment is on 20 March 2026.", (3, 20), (3, 21), id="as long as its date"),
        pytest.param("I'm going to a conference this month.", (3, 2), (4, 1), id="the rest of a stretch that still runs"),
        pytest.param(
            "We fly out on 20 March 2026 and are back on 25 March 2026.",
            (3, 20),
            (3, 26),
            id="a journey from its first day to its last",
        ),
        pytest.param(
            "We fly on 28 March 2026, back on the 4th.", (3, 28), (4, 5), id="a return is of the month of the journey"
        ),
    ],
)
def test_it_lasts_from_its_first_day_to_its_last(text: str, start: tuple[int, int], end: tuple[int, int]) -> None:
    [one] = foresights_of(said(f"Ann: {text}", "Bo: Good."))
    assert (one.start, one.end) == (datetime(2026, *start, tzinfo=UTC), datetime(2026, *end, tzinfo=UTC))


def test_a_clause_that_names_several_days_is_no_plan():
    assert foresights_of(said("Ann: The exams are on 20 March 2026 or on 25 March 2026.", "Bo: Good.")) == ()
    assert foresights_of(said("Ann: The exams are on 20 March 2026, the 25th or so.", "Bo: Good.")) != ()


def test_each_clause_with_a_day_of_its_own_is_a_plan():
    plans = foresights_of(said("Ann: The exam is on 20 March 2026, the party is on 25 March 2026.", "Bo: Good."))
    assert [(one.statement, one.start.day) for one in plans] == [
        ("The exam is on 20 March 2026", 20),
        ("the party is on 25 March 2026", 25),
    ]


def test_a_day_that_another_may_take_the_place_of_is_no_plan():
    [one] = foresights_of(
        said("Ann: We sign on 20 March 2026, the move is on 21 March 2026, but we may do Sunday.", "Bo: Good.")
    )
    assert one.statement == "We sign on 20 March 2026"


def test_a_weekday_after_a_day_further_ahead_is_no_plan():
    [one] = foresights_of(said("Ann: We're coming on the 25th of May. Still going back tuesday", "Bo: Good."))
    assert one.statement == "We're coming on the 25th of May."
    assert len(foresights_of(said("Ann: We're coming on Friday. Still going back tuesday", "Bo: Good."))) == 2


def test_what_goes_on_about_somebody_else_is_no_plan_of_who_says_it():
    assert foresights_of(said("小明: 她在茶馆打麻将，还赢了四十。后天早上回万州", "小红: 好的")) == ()
    [own] = foresights_of(said("小明: 我在茶馆打麻将，还赢了四十。后天早上回万州", "小红: 好的"))
    [named] = foresights_of(said("小明: 妈住院多待一天。考级是3月14号", "小红: 好的"))
    assert (own.statement, named.statement) == ("后天早上回万州", "考级是3月14号")


def test_clauses_that_a_blank_parts_are_plans_of_their_own():
    plans = foresights_of(said("小明: 3月28号可以搬 我下周交押金", "小红: 好的"))
    assert [one.statement for one in plans] == ["3月28号可以搬", "我下周交押金"]


def test_a_chinese_day_that_answers_when_is_told_with_the_question():
    [one] = foresights_of(said("王浩然: 你那个店几号开业？", "林晓雨: 3月15号，找人看的日子。"))
    assert one.statement == '("你那个店几号开业？") 3月15号，找人看的日子。'
    [bare] = foresights_of(said("王浩然: 你那个店啥时候开业", "林晓雨: 3月15号上午九点。"))
    assert bare.statement == '("你那个店啥时候开业") 3月15号上午九点。'
    [own] = foresights_of(said("王浩然: 你那个店叫什么？", "林晓雨: 3月15号就开业。"))
    assert own.statement == "3月15号就开业。"


def test_an_answer_is_told_with_its_question():
    [one] = foresights_of(said("Bo: When is the exam?", "Ann: Saturday."))
    assert (one.statement, one.evidence) == ('("When is the exam?") Saturday.', "Saturday.")


@pytest.mark.parametrize(
    "text", ["Happy new year, we're going to bed.", "I'm going to work.", "I will cry!", "Ok, I will tell her."]
)
def test_what_somebody_does_at_once_is_no_plan(text):
    assert foresights_of(said(f"Ann: {text}", "Bo: Good.")) == ()


def test_an_assistant_plans_nothing():
    assert foresights_of(said("Ann: Hello there.", "assistant: You will see results on 20 March 2026.")) == ()


def test_a_plan_that_a_later_sentence_ends_is_left_out():
    sentences = claiming(
        said("Ann: My trip is on 20 March 2026.", "Ann: The trip is off."),
        ("Ann", "plan:trip", "20 March"),
        ("Ann", "plan:trip", "", True),
    )
    assert foresights_of(sentences) == ()
    [one] = foresights_of(sentences[:1])
    assert one.claims == sentences[0].claims


def test_an_appointment_of_which_the_next_sentence_tells_how_it_was_is_over():
    assert foresights_of(said("Ann: Dentist on Friday. It went fine.")) == ()
    [one] = foresights_of(said("Ann: Dentist on Friday. I hate it."))
    assert one.statement == "Dentist on Friday."


@pytest.mark.parametrize(
    ("text", "statement", "first", "last"),
    [
        ("Hailey's coming the 24th now, her exam is on the 23rd.", "Hailey's coming the 24th now", 24, 24),
        ("Up there from 21st to 26th, then I fly home on the 27th.", "then I fly home on the 27th", 27, 27),
        ("The first is on the 16th and the other is 30th in Rome.", "The first is on the 16th", 16, 16),
        ("I can be in Rome by the 17th, and stay till the sunday.", None, 17, 22),
        ("They're giving us exams 20th of March to the 24th.", None, 20, 24),
        ("I'm coming home on the 6th of March, that's Friday.", None, 6, 6),
        ("We move by the 28th, a Saturday, I think.", None, 28, 28),
        ("The 20th is a Friday, she turns 88.", None, 20, 20),
        ("I'm staying with her til 20 March but she'll come at xmas.", "I'm staying with her til 20 March", 20, 20),
        ("I'm going to fly home on 20 March for Easter.", None, 20, 20),
    ],
)
def test_beside_another_day_a_plan_is_the_clause_of_its_own(text: str, statement: str | None, first: int, last: int) -> None:
    one = foresights_of(said(f"Ann: {text}", "Bo: Good."))[0]
    assert (one.statement, one.start.day, one.end.day) == (statement or text, first, last + 1)


@pytest.mark.parametrize(
    "text",
    [
        "What time is Rory in tomorrow",
        "are you coming to the party on 20 March 2026",
        "what about the trip on 20 March 2026.",
        "Sorry, have to bail on tomorrow.",
        "The game is on Friday nights.",
        "20 March 2026 is a Friday this year so it's perfect.",
        "The 20th is a Friday.",
        "Our anniversary is the 12th, we're going out.",
        "20 March is a Friday, bank holiday weekend.",
        "So it's in the Harbour Times by Thursday",
        "At this rate we're moving in on 20 March.",
        "Booked, lands rome 20 March. oh wait no. it lands in PISA",
        "Virgin 28th 7.40am, back mon 30 march",
        "I said no, she's told Ann I'm going to be a vet",
        "everybody thinks I'm going to be a vet",
        "my patients today are so chatty i'm going to faint on the bars",
        "I will kill him, then hug you",
        '"Please come, I will make lunch." says Ann',
        "this commute is going to kill me by Friday",
        "I went today to see her.",
        "it was open this morning with no rope",
        "I will order.",
        "We've booked!",
        "til 24 july.",
        "yes but next week.",
        "Ask me tomorrow.",
        "Thanks for coming on 20 March 2026.",
    ],
)
def test_a_question_without_a_mark_and_what_one_bails_on_are_none(text: str) -> None:
    assert foresights_of(said(f"Ann: {text}", "Bo: Good.")) == ()


@pytest.mark.parametrize(
    "text",
    [
        "My exam is on 20 March 2026, I'm going to die.",
        "There's paint all over the town hall, the plumber comes on 20 March 2026.",
    ],
)
def test_what_is_planned_beside_an_exaggeration_or_what_is_no_hearsay_is_kept(text: str) -> None:
    [one] = foresights_of(said(f"Ann: {text}", "Bo: Good."))
    assert one.start == datetime(2026, 3, 20, tzinfo=UTC)


def test_who_says_what_they_are_going_to_do_plans_it() -> None:
    [one] = foresights_of(said("Ann: I told mum I'm going to study law.", "Bo: Good."))
    assert one.statement == "I told mum I'm going to study law."


@pytest.mark.parametrize(
    ("before", "text", "statement"),
    [
        ("Bo: How long does he have?", "til 24 july.", '("How long does he have?") til 24 july.'),
        ("Bo: Shall I write to him?", "yes but next week.", '("Shall I write to him?") yes but next week.'),
        ("Bo: Good.", "The candidate accepted. starts 24 July.", '("The candidate accepted.") starts 24 July.'),
        ("Ann: He took the job!", "starts 24 July.", '("He took the job!") starts 24 July.'),
        ("Bo: Good.", "I applied for the 3rd, should hear by 24 July", '("I applied for the 3rd") should hear by 24 July'),
        ("Bo: Good.", "moving from Leeds to Lisbon in May with a cat.", "moving from Leeds to Lisbon in May with a cat."),
    ],
)
def test_a_fragment_takes_along_what_it_goes_on_from(before: str, text: str, statement: str) -> None:
    [one] = foresights_of(said(before, f"Ann: {text}"))
    assert one.statement == statement


def test_a_fragment_that_answers_no_question_is_none() -> None:
    assert foresights_of(said("Bo: Good.", "Ann: til 24 july.")) == ()


@pytest.mark.parametrize("words", ["tues to friday", "tue - friday", "from tuesday to friday"])
def test_weekdays_from_one_to_another_are_one_stretch(words: str) -> None:
    [one] = foresights_of(said(f"Ann: I can only come {words}.", "Bo: Good."))
    assert (one.start, one.end) == (datetime(2026, 3, 3, tzinfo=UTC), datetime(2026, 3, 7, tzinfo=UTC))


def test_weekdays_of_which_the_first_is_past_are_no_stretch_ahead() -> None:
    wednesday = datetime(2026, 3, 4, 9, tzinfo=UTC)
    assert foresights_of(said("Ann: I can only come mon to friday", "Bo: Good.", sent_at=wednesday)) == ()
    assert foresights_of(said("Ann: I can only come thurs to friday", "Bo: Good.", sent_at=wednesday)) != ()


PLANS = [  # said on Monday, 2 March 2026
    ("The dentist was moved from Thursday to Friday.", [("The dentist was moved from Thursday to Friday.", 6)]),
    ("The launch slipped from 9 March to 17 March.", [("The launch slipped from 9 March to 17 March.", 17)]),
    ("My confirmation got moved to Thursday the 12th.", [("My confirmation got moved to Thursday the 12th.", 12)]),
    ("The call was pushed back to 20 March.", [("The call was pushed back to 20 March.", 20)]),
    ("发布会改到三月八号。", [("发布会改到三月八号。", 8)]),
    ("口试改了，不是3/15，改3/22周日早上十点", [("口试改了，不是3/15，改3/22周日早上十点", 22)]),
    ("她先干合同工，下周一报到，9号", [("她先干合同工，下周一报到，9号", 9)]),
    ("Lorraine's cake is on Friday, I'm picking it up thurs after 4.", [("Lorraine's cake is on Friday", 6)]),
    ("The church is on 19 March, the white one is the next day.", [("The church is on 19 March", 19)]),
    ("I'm going to rent it from January, we see the lawyer on 12 March.", [("we see the lawyer on 12 March", 12)]),
    (
        "Tuan's ceremony! 17 March 7pm Footscray town hall.",
        [('("Tuan\'s ceremony!") 17 March 7pm Footscray town hall.', 17)],
    ),
    (
        "The exam is on 20 March, and the party is on 25 March.",
        [("The exam is on 20 March", 20), ("the party is on 25 March", 25)],
    ),
    ("Please read it, and we will sign on 12 March.", [("Please read it, and we will sign on 12 March.", 12)]),
    # two plans, one behind a dash
    ("We leave tomorrow – Sunday is my birthday.", [("We leave tomorrow", 3)]),
    ("I'm off tomorrow - Sunday we travel.", [("I'm off tomorrow", 3), ("Sunday we travel", 8)]),
    (
        "My sister comes next week and the wedding is on 14 March.",
        [("My sister comes next week", 9), ("the wedding is on 14 March", 14)],
    ),
    ("We swapped our shift from Friday to Saturday.", [("We swapped our shift from Friday to Saturday.", 7)]),
    ("dinner was swapped from Tues to Thursday.", [("dinner was swapped from Tues to Thursday.", 5)]),
    ("我明天到10号楼开会。", [("我明天到10号楼开会。", 3)]),
    # one's own, beside what one hears or asks
    ("I hear you. My surgery is on 20 March.", [("My surgery is on 20 March.", 20)]),
    ("I heard the song. My exam is on 20 March.", [("My exam is on 20 March.", 20)]),
    (
        "My surgery is on 20 March, I heard the date today.",
        [("My surgery is on 20 March, I heard the date today.", 20)],
    ),
    ("My surgery is on 20 March, they say it hurts.", [("My surgery is on 20 March, they say it hurts.", 20)]),
    ("Surgery? It's on 12 March.", [("It's on 12 March.", 12)]),
    ("Wedding date? It's 14 March, we booked the church.", [("It's 14 March, we booked the church.", 14)]),
    ("Can we talk? Surgery on Friday 6 March at 9.", [("Surgery on Friday 6 March at 9.", 6)]),
    ("帮我看下猫行吗？3月12号去上海出差。", [("3月12号去上海出差。", 12)]),
    ("还要看房，我约了3月12号。", [("还要看房，我约了3月12号。", 12)]),
    ("我还得看奶奶，周六去。", [("我还得看奶奶，周六去。", 7)]),
    ("同事讲的那个展，我3月12号去看。", [("同事讲的那个展，我3月12号去看。", 12)]),
    ("我3月12号搬家，3月1号签的合同。", [("我3月12号搬家，3月1号签的合同。", 12)]),
    ("老师3月12号搬到3/8路。", [("老师3月12号搬到3/8路。", 12)]),
    # traps
    ("Rumour has it. They launch on 12 March.", []),
    ("Gossip! They marry on 12 March.", []),
    ("They marry on 12 March so I hear.", []),
    ("Shall we have dinner? Dinner on Friday 6 March at 8.", []),
    ("我明天到周五出差，还得看情况。", []),
    ("Apparently the plumber is coming on 12 March.", []),
    ("I heard Tom is moving to Leeds on 12 March.", []),
    ("Rumour has it they launch on 12 March.", []),
    ("They get married on 12 March, so I hear.", []),
    ("Tell Ann about it on 12 March.", []),
    ("Bring the cake on 12 March.", []),
    ("You need to be there on 12 March.", []),
    ("How about dinner? 8 on 12 March.", []),
    ("Agent? It will finish on 12 March.", []),
    ("The dentist moved to 12 March and the flat viewing is cancelled.", []),
    ("The party on 12 March was postponed.", []),
    ("听说他们3月12号结婚。", []),
    ("我同事讲我们厂三月会裁人。", []),
    ("有八卦！老板3月12号退休。", []),
    ("要不改端午？3月12到14号，有点紧。", []),
    ("按道理3月12号轮到小覃。", []),
    ("你先把拔牙推了。明天就打电话", []),
    ("她预产期3/25，月底应该走得开。", []),
    ("票买了，3月12号，跟我一起飞，待到4月1号。", []),
]


@pytest.mark.parametrize(("text", "plans"), PLANS)
def test_a_plan_is_its_speakers_own_and_has_its_own_day(text, plans):
    found = foresights_of(said(f"Ann: {text}", "Bo: Good."))
    assert [(one.statement, one.start.day) for one in found] == plans


@pytest.mark.parametrize(
    "text",
    [
        "Call with Sam on Friday at 3.",
        "Call the doctor on Friday 6 March at 9.",
        "Please note my flight is on 6 March.",
        "Ask-me-anything session on Friday 6 March at 9.",
        "Wear-in test on Friday 6 March at 9.",
        "Give blood on Friday 6 March at 9.",
    ],
)
def test_a_noun_or_an_own_errand_that_looks_like_an_order_is_a_plan(text):
    [one] = foresights_of(said(f"Ann: {text}", "Bo: Good."))
    assert (one.statement, one.start.day) == (text, 6)


def test_each_plan_of_a_sentence_has_its_own_claim_so_that_another_may_be_cancelled():
    found = foresights_of(said("Ann: The dentist is on 12 March, and the flat viewing on 3 March.", "Bo: Good."))
    assert [[claim.about for claim in one.claims] for one in found] == [
        ["ann|plan:dentist"],
        ["flat viewing|plan:flat viewing"],
    ]
    [alone] = foresights_of(said("Ann: Dentist on Friday or so, and the flat viewing on 3 March.", "Bo: Good."))
    assert [claim.about for claim in alone.claims] == ["flat viewing|plan:flat viewing"]
