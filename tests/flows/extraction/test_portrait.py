import pytest

from flows.extraction import portrait
from tests.flows.extraction.saying import claiming, said


def lines_of(sentences):
    """The lines; what only ends lines is none."""
    return tuple(each for each in portrait.profile_of(sentences) if each.claim is None or not each.claim.ends)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I'm allergic to penicillin.", "health"),
        ("I love hiking in the mountains.", "preference"),
        ("My favourite soup is lentil soup.", "preference"),
        ("I can't stand coriander.", "dislike"),
        ("I run five kilometres every morning.", "habit"),
        ("My dream is to open a bakery.", "goal"),
        ("I play the cello in an orchestra.", "skill"),
        ("My left knee gave up at kilometre fourteen.", "health"),
        ("My family means the world to me.", "value"),
    ],
)
def test_a_line_is_a_sentence_as_said_after_the_name_of_who_said_it(text, category):
    [line] = lines_of(said(f"Ann: {text}", "Bo: Good to know."))
    assert (line.about, line.statement, line.category, line.implicit) == ("Ann", f"Ann: {text}", category, False)


@pytest.mark.parametrize(
    "text",
    [
        "I love that!",
        "I love your dress.",
        "I love having them around.",
        'I prefer "reliable".',
        "Yeah, I love to.",
        "I used to love tea.",
        "I would love to see Rome.",
        "I like how you paint.",
        "I went to the shop and bought some bread.",
        "Do you like tea?",
        "我喜欢你的裙子。",
        "I prefer not to say.",
        "I love my job, said nobody ever.",
        "I can't stand up straight today.",
        "I speak fluent sarcasm.",
        "I don't drink enough water.",
        "I run a temperature.",
        "我不喝了，头晕。",
        "我会说服他的。",
        "我会弹你脑门。",
        "我喜欢的人不喜欢我。",
        "我不吃早饭就难受。",
        "我不吃亏的。",
        "我不喝酒，今天开车。",
        "我喜欢他。",
        "我喜欢就买了。",
        "我也喜欢。",
        "我爱看不看。",
        "我更喜欢原来那个。",
        "我每天都跟他吵架。",
        "我一直想当面谢谢你。",
    ],
)
def test_a_passing_remark_is_no_line(text):
    assert lines_of(said(f"Ann: {text}", "Bo: Good to know.")) == ()


def test_what_is_claimed_as_over_or_of_who_takes_no_part_is_no_line():
    sentences = claiming(
        said("Ann: I left Initech in May.", "Ann: Tideworks is in Lyon."),
        ("Ann", "employer", "Initech", True),
        ("Tideworks", "home", "Lyon"),
    )
    assert lines_of(sentences) == ()
    [over] = portrait.profile_of(sentences)
    assert (over.claim.value, over.claim.ends) == ("Initech", True)


@pytest.mark.parametrize(
    ("about", "attribute", "value"),
    [("Ann's brother", "home", "Lyon"), ("Emma", "age", "7"), ("小雨", "employer", "中山三院")],
)
def test_what_is_told_of_somebodys_family_and_of_people_by_their_names_is_a_line(about, attribute, value):
    [line] = lines_of(claiming(said(f"Ann: Listen, {value}."), (about, attribute, value)))
    assert (line.about, line.claim.value) == (about, value)


@pytest.mark.parametrize("about", ["Tesco", "Zoltar", "小米"])
def test_of_what_may_be_a_firm_there_is_no_line(about):
    assert lines_of(claiming(said("Ann: Listen, nuts."), (about, "allergy", "nuts"))) == ()


def test_who_is_told_to_be_of_the_family_has_lines_too():
    sentences = claiming(
        said("Ann: My brother Zoltar moved.", "Ann: Zoltar is in Lyon."),
        ("Ann", "sibling", "Zoltar"),
        ("Zoltar", "home", "Lyon"),
    )
    assert [line.about for line in lines_of(sentences)] == ["Ann", "Zoltar"]


def test_an_assistant_and_a_list_say_nothing_of_anybody():
    lines = "Ann: My plan:\n- I love tea\n- I love hiking\n- I love coffee"
    assert lines_of(said(lines, "assistant: I love hiking in the mountains.")) == ()


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("我不吃香菜。", "dislike"),
        ("我喜欢爬山。", "preference"),
        ("我会弹钢琴。", "skill"),
        ("我受不了辣。", "dislike"),
        ("我一直想成为老师。", "goal"),
    ],
)
def test_chinese_says_so_too(text, category):
    [line] = lines_of(said(f"王浩然: {text}", "林晓雨: 知道了，没问题。"))
    assert (line.statement, line.category) == (f"王浩然: {text}", category)
