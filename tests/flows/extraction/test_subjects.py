import pytest

from flows.extraction.subjects import subject_of


@pytest.mark.parametrize(
    ("texts", "subject"),
    [
        (
            [
                "The customs module is a burden.",
                "A team of four had the customs module.",
                "I need an outside opinion on Tideworks.",
            ],
            "Customs module, Tideworks and outside opinion",
        ),
        (["My left knee gave up at kilometre fourteen.", "The knee needs a doctor."], "Knee and doctor"),
        (["First, write the documentation.", "He wants the documentation by Friday."], "Documentation"),
        (["The city wants data.", "Gauge number seven drowned.", "Will the city pay for the gauge?"], "City and gauge"),
        (["Poor Rex! The vet put Rex on a diet.", "What is Rex allowed to eat?"], "Rex, diet and vet"),
        (['I read "The Name of the Wind" twice.', "The Name of the Wind is a long book."], "The Name of the Wind"),
        (["I booked a table at Quan Do.", "Is Quan Do far?"], "Quan Do and table"),
        (["The Q2 deadline is near.", "Nobody believes in the Q2 deadline."], "Q2 deadline"),
        (["The old Honeywell still freezes.", "Buy a new Honeywell."], "Honeywell"),
        (["Vietnamese food is good on Saturdays though.", "I love Vietnamese food."], "Vietnamese food"),
    ],
)
def test_a_subject_is_made_of_nouns_and_names(texts, subject):
    assert subject_of(texts, ["Ann", "Bo"]) == subject


def test_messages_near_the_centre_count_more():
    texts = ["The kite broke.", "The boat sank."]
    assert subject_of(texts, [], [0.1, 0.9]).startswith("Boat")
    assert subject_of(texts, [], [0.9, 0.1]).startswith("Kite")


def test_nobody_who_takes_part_is_a_subject():
    assert subject_of(["Caroline, the paint is dry.", "Caro will bring the paint."], ["Caroline"]) == "Paint"


def test_nothing_said_has_no_subject():
    assert subject_of(["Yes!", ""], []) == ""


@pytest.mark.parametrize(
    ("texts", "subject"),
    [
        (["星期六下午三点在江陵路站见。", "我三点到江陵路站。"], "江陵路站"),
        (["白内障手术是四月十七号。", "白内障手术很快，十七号上午就做。"], "白内障手术"),
        (["林晓雨，去莫干山吗？", "莫干山的民宿五百块一晚，晓雨。"], "莫干山、民宿"),
    ],
)
def test_a_chinese_subject_is_words_rather_than_pieces(texts, subject):
    assert subject_of(texts, ["林晓雨"]) == subject
