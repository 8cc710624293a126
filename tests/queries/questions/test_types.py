"""Which type a question is of, and what follows for the number of results."""

import pytest

from queries.questions.types import QuestionType, asks_for_several, question_type, top_k_of

QUESTIONS = {
    QuestionType.ASSISTANT_RECALL: (
        "What did you recommend for the garden?",
        "Which hotel did you suggest in Porto?",
        "Can you remind me what you told me about the visa?",
        "What were the three titles you mentioned?",
        "What was your advice about the loan?",
        "In our previous chat there was a recipe, which one?",
        "When did you say the library opens?",
        "How many exercises did you suggest?",
        "你上次推荐的餐厅叫什么？",
        "你给我的建议是什么？你说过的那本书呢？",
        "前に教えてくれたレシピは何ですか？",
        "지난번에 추천해 줬던 식당이 어디야?",
    ),
    QuestionType.TEMPORAL: (
        "When did the choir meet?",
        "And when's the next rehearsal?",
        "Do you know when the train leaves?",
        "Since when does Ada sing?",
        "what year was it",
        "How long has Ada lived in Leeds?",
        "How many days were there between the two concerts?",
        "How much time did the repair take?",
        "In what order did we visit the cities?",
        "Which came first, the flood or the fire?",
        "Who arrived earlier, Ada or Tom?",
        "What happened first?",
        "What did Tom do last?",
        "What is the deadline for the grant?",
        "When did both Ada and Tom leave?",
        "我们几点出发？",
        "她什么时候搬家的？",
        "小雨在那里住了多久？",
        "装修花了几个月？",
        "音乐会的时间是什么？",
        "いつ引っ越しましたか？",
        "회의는 언제야?",
    ),
    QuestionType.COUNTING: (
        "How many plants did Ada buy?",
        "How often does the choir meet?",
        "How many times did I call the bank?",
        "How many different people came, both old and new?",
        "How much did I spend on books in total?",
        "What is the total cost of the trips?",
        "List all the books that I read.",
        "How many hours of sleep were there?",
        "她买了几本书？",
        "小雨去过哪些城市？",
        "我一共花了多少钱？",
        "何冊読みましたか？",
        "책을 몇 권 샀어?",
    ),
    QuestionType.MULTI_HOP: (
        "Who is the spouse of the CEO of Acme?",
        "Where does Ada's boss's wife work?",
        "What does my sister's husband do?",
        "Where was the brother of Tom's teacher born?",
        "What do Ada and Tom have to decide?",
        "Which city have both of them visited?",
        "What do the twins have in common?",
        "Which cities has Ada been to?",
        "What has Tom cooked?",
        "Where does the man who sold the boat live?",
        "Where does the wife of the owner live?",
        "小雨的老板的妻子是谁？",
        "我妈妈的同学住在哪里？",
        "小雨和小明都喜欢什么？",
        "田中さんの上司の名前は？",
    ),
    QuestionType.KNOWLEDGE_UPDATE: (
        "What is Ada's current job?",
        "Where does Tom live now?",
        "Is Ada still at the bakery?",
        "Does Tom still like tea?",
        "What is the latest plan for the roof?",
        "What is my most recent address?",
        "她现在在哪里工作？",
        "小雨目前住在哪里？",
        "他还住在北京吗？",
        "今はどこに住んでいますか？",
        "지금 어디에 살아?",
    ),
    QuestionType.PREFERENCE: (
        "What does Ada like?",
        "Would Tom enjoy the opera?",
        "What is Ada's favourite colour?",
        "Which tea do you think she would really love?",
        "Can you recommend a film for tonight?",
        "What should I cook for the party?",
        "Any ideas for a present?",
        "I'm planning a dinner for twelve. What can I cook?",
        "Can you suggest a lens for my current camera?",
        "Is Tom interested in birds?",
        "小雨喜欢什么？",
        "你能推荐一家餐厅吗？",
        "她喜爱的颜色是什么？",
        "好きな食べ物は何ですか？",
        "엄마가 좋아하는 음식은?",
    ),
    QuestionType.FACTUAL: (
        "Who sings in the choir?",
        "With whom did Ada travel?",
        "Where is the key?",
        "How much did the bike cost?",
        "Who is the head of the school?",
        "Where can I count on Tom?",
        "What is the phone number of the dentist?",
        "How old is Tom?",
        "What is the name of the dog?",
        "What colour is the door?",
        "Do you remember where I parked?",
        "她住在哪里？",
        "这辆车多少钱？",
        "小雨的职业是什么？",
        "どこで買いましたか？",
        "누구를 만났어?",
    ),
    QuestionType.GENERAL: (
        "What has Ada been working on lately?",
        "What kind of person is Ada?",
        "What does the house look like?",
        "What is Ada like?",
        "How did Tom feel when the dog came back?",
        "How has Ada's job changed over time?",
        "Why did they argue?",
        "What did Ada do last summer?",
        "When I am in Rome, what is there to see?",
        "Which towns did we see on the way?",
        "What was my last order at the café?",
        "Tell me about the boat.",
        "小雨是个什么样的人？",
        "她为什么生气？",
        "小雨这几天怎么样？",
    ),
}


@pytest.mark.parametrize(("expected", "question"), [(kind, each) for kind, asked in QUESTIONS.items() for each in asked])
def test_the_type_is_told_by_pattern(question, expected):
    assert question_type(question) is expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is Ada’s current job?", "What is Ada's current job?"),
        ("WHERE DOES TOM LIVE NOW?", "where does tom live now?"),
        ("Well... when's the concert?", "When's the concert?"),
    ],
)
def test_how_it_is_written_does_not_matter(one, other):
    assert question_type(one) is question_type(other)


@pytest.mark.parametrize(
    ("question", "kind", "results"),
    [
        ("How many concerts has Maya given?", QuestionType.COUNTING, 60),
        ("Where has Maya been?", QuestionType.MULTI_HOP, 60),
        ("In which parts of Bremen do they live?", QuestionType.FACTUAL, 60),
        ("What does Maya like to eat?", QuestionType.PREFERENCE, 40),
        ("Tell me about Maya", QuestionType.GENERAL, 40),
        ("When was the concert?", QuestionType.TEMPORAL, 20),
        ("Where does Maya live?", QuestionType.FACTUAL, 10),
    ],
)
def test_a_list_gets_many_results_and_one_fact_few(question, kind, results):
    assert (question_type(question), top_k_of(question, 20)) == (kind, results)


@pytest.mark.parametrize(
    "question",
    [
        "Which instruments does Maya play?",
        "What are Maya's hobbies?",
        "How many concerts has Maya given?",
        "What kind of music does Maya write?",
        "What does Maya do to relax?",
        "Where has Maya been?",
        "What do Maya and Jonas have in common?",
        "Which of Maya's songs were on the radio?",
        "Which prizes did Maya win in 2023?",
        "小雨去过哪些城市？",
        "小雨看过几部电影？",
    ],
)
def test_what_gathers_over_time_is_several_things(question: str) -> None:
    assert asks_for_several(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which cello did Maya buy?",
        "What was the name of the first dog?",
        "When did Maya move?",
        "What plans did Maya make in March 2024?",
        "What plans did Maya make on 9 March?",
        'Which characters does Maya like in "The Tempest"?',
        "Why did Maya leave?",
        "小雨昨天买了什么？",
    ],
)
def test_a_day_a_title_or_a_single_thing_is_one(question: str) -> None:
    assert not asks_for_several(question)
