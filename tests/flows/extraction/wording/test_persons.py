import pytest

from flows.extraction.wording.persons import Voice, spoken_name, third_person
from flows.extraction.wording.verbs import third_person as verb_in_third_person

ANN_TO_BO = Voice("Ann", "Bo")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I am a nurse.", "Ann is a nurse."),
        ("I'm tired and I've lost my keys.", "Ann is tired and Ann has lost Ann's keys."),
        ("I went home.", "Ann went home."),
        ("I really want to go.", "Ann really wants to go."),
        ("I don't eat meat.", "Ann doesn't eat meat."),
        ("I teach math and I study art.", "Ann teaches math and Ann studies art."),
        ("I need help.", "Ann needs help."),
        ("I put it there.", "Ann put it there."),
        ("I'd love to.", "Ann would love to."),
        ("I'd never been there.", "Ann had never been there."),
        ("I'll call him.", "Ann will call him."),
        ("I can't wait.", "Ann can't wait."),
        ("He gave me my book; it is mine.", "He gave Ann Ann's book; it is Ann's."),
        ("You are right.", "Bo is right."),
        ("Do what you want.", "Do what Bo wants."),
        ("I will help you find it.", "Ann will help Bo find it."),
        ("I sent you your book.", "Ann sent Bo Bo's book."),
        ("You were late.", "Bo was late."),
        ("Let's meet, we should talk.", "Let's meet, Ann and Bo should talk."),
        ("Let us begin.", "Let us begin."),
        ("So let us look at the budget.", "So let us look at the budget."),
        ("Please let us know.", "Please let Ann and others know."),
        ("We went camping.", "Ann and others went camping."),
        ("It's our house.", "It's Ann's house."),
        ("im fine, i have time", "Ann is fine, Ann has time"),
        ("We fix bugs that we find; it helps us.", "Ann and others fix bugs that they find; it helps them."),
        ("Three friends, and you three.", "Three friends, and Bo and others."),
        ("I hope you guys come.", "Ann hopes Bo and others come."),
        ("How could I forget?", "How could Ann forget?"),
        ("I wrote it, may I be forgiven.", "Ann wrote it, may Ann be forgiven."),
        ("I'll pay you back and drive you home.", "Ann will pay Bo back and drive Bo home."),
        ("I like it, you know.", "Ann likes it, you know."),
        ("You never know.", "You never know."),
        ("The US team won.", "The US team won."),
        ("Elizabeth II reigned.", "Elizabeth II reigned."),
    ],
)
def test_the_first_and_second_person_become_names(said, told):
    assert third_person(said, ANN_TO_BO) == told


def test_you_stays_where_nobody_is_known_to_listen():
    assert third_person("I told you.", Voice("Ann")) == "Ann told you."


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("我喜欢咖啡。", "小明喜欢咖啡。"),
        ("我的生日是五月。", "小明的生日是五月。"),
        ("你去过北京吗？", "小红去过北京吗？"),
        ("咱俩一起去。", "小明和小红一起去。"),
        ("我们去了公园。", "小明等人去了公园。"),
    ],
)
def test_chinese_persons_become_names(said, told):
    assert third_person(said, Voice("小明", "小红")) == told


@pytest.mark.parametrize(
    ("verb", "third"),
    [("go", "goes"), ("watch", "watches"), ("carry", "carries"), ("play", "plays"), ("went", "went"), ("bring", "brings")],
)
def test_a_verb_agrees_with_a_name(verb, third):
    assert verb_in_third_person(verb) == third


def test_a_generic_speaker_is_called_by_the_role():
    assert spoken_name("AI Assistant", "assistant") == "the assistant"
    assert spoken_name("User", "user") == "the user"
    assert spoken_name("Aisha", "assistant") == "Aisha"
