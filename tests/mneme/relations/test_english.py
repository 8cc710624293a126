"""What English sentences claim: labelled in everyday wording, and as many that claim nothing."""

import pytest

from mneme.relations import attributes_asked, claims_in


def claimed(sentence: str) -> list[str]:
    return [f"{one.subject}|{one.attribute}|{'-' if one.ends else ''}{one.value}" for one in claims_in(sentence, "en", "Mira")]


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("I moved to Lisbon last week.", ["Mira|home|-", "Mira|home|Lisbon"]),
        ("I moved to McAllen.", ["Mira|home|-", "Mira|home|McAllen"]),
        ("We moved to Postgres.", ["Mira|uses:database|-", "Mira|uses:database|Postgres"]),
        ("just signed the lease on a place in Porto", ["Mira|home|Porto"]),
        ("I've switched over to Zed from VS Code", ["Mira|uses:editor|-VS Code", "Mira|uses:editor|Zed"]),
        ("we're down to four people on the team", ["Mira|team size|four"]),
        ("new number btw: 0171 5550134", ["Mira|phone number|0171 5550134"]),
        ("turns out my birthday's the 14th not the 12th", ["Mira|birthday|-the 12th", "Mira|birthday|the 14th"]),
        ("the trip's off", ["trip|plan:trip|-"]),
        ("me and Tom broke up", ["Mira|relationship|-", "Mira|partner|-Tom"]),
        ("rent went up to 950", ["Mira|rent|-", "Mira|rent|950"]),
        ("standup's at 9:30 from now on", ["standup|plan:standup|-", "standup|plan:standup|9:30"]),
        ("bumped the launch to June 3", ["launch|plan:launch|-", "launch|plan:launch|June 3"]),
        ("we migrated to Postgres 16", ["Mira|uses:database|-", "Mira|uses:database|Postgres 16"]),
        ("I got promoted to lead", ["Mira|role|-", "Mira|role|lead"]),
        ("handed in my notice", ["Mira|employer|-", "Mira|role|-"]),
        ("sold the Golf, got a Leaf instead", ["Mira|car|-Golf", "Mira|car|-…", "Mira|car|Leaf"]),
        (
            "I'm allergic to penicillin and work as a nurse at Sankt Olaf",
            ["Mira|allergy|penicillin", "Mira|role|nurse", "Mira|employer|Sankt Olaf"],
        ),
        ("Ann lives in Lisbon.", ["Ann|home|Lisbon"]),
        ("my sister moved to Turku", ["Mira's sister|home|-", "Mira's sister|home|Turku"]),
        ("my sister Ann moved to Turku", ["Mira|sibling|Ann", "Ann|home|-", "Ann|home|Turku"]),
        ("I don't eat meat anymore", ["Mira|eats|-meat"]),
        ("the dentist is off", ["Mira|plan:dentist|-"]),
        ("Jana's swimming course is cancelled", ["jana swimming course|plan:jana swimming course|-"]),
        ("Monday's meeting is cancelled", ["meeting|plan:meeting|-"]),
        ("I bought a Pixel for 300 euros", ["Mira|uses:phone|Pixel"]),
        ("I bought a Pixel for my mum", []),
        ("My first boyfriend and I broke up in 2019", []),
        ("moved the dentist to Friday", ["Mira|plan:dentist|-", "Mira|plan:dentist|Friday"]),
        ("dentist's now at 3", ["Mira|plan:dentist|-", "Mira|plan:dentist|3"]),
        ("The meeting moved from Thursday to Friday.", ["meeting|plan:meeting|-Thursday", "meeting|plan:meeting|Friday"]),
        ("The deposit is 300.", ["deposit|is:deposit|300"]),
        ("team size is 5", ["Mira|team size|5"]),
        ("the deadline is 3 June", ["deadline|plan:deadline|3 June"]),
        ("the API limit is 100/min", ["api limit|is:limit|100/min"]),
        ("I no longer work at Google.", ["Mira|employer|-Google"]),
        ("I used to live in Berlin", ["Mira|home|-Berlin"]),
        ("I quit my job at St Mary's last Friday", ["Mira|employer|-St Mary's"]),
        ("I'm no longer vegan", ["Mira|diet|-vegan"]),
        ("My boss's name is Anna, not Anne", ["Mira|boss|-Anne", "Mira|boss|Anna"]),
        ("My editor is not Vim but Emacs", ["Mira|uses:editor|-Vim", "Mira|uses:editor|Emacs"]),
        ("My sister Ann works at Shell and her husband lives in Oslo.", ["Mira|sibling|Ann", "Ann|employer|Shell"]),
        ("I have a dentist appointment next Tuesday at 9:30.", ["Mira|plan:dentist|next Tuesday at 9:30"]),
        (
            "Our flight to Rome is now on 14 May, the airline changed it.",
            ["Mira|plan:rome flight|-", "Mira|plan:rome flight|14 May"],
        ),
        ("The team dinner is on Thursday at 7.", ["team dinner|plan:team dinner|Thursday at 7"]),
        ("Our landlord raised the rent to 1200", ["Mira|rent|-", "Mira|rent|1200"]),
        ("I speak German and French", ["Mira|language|German", "Mira|language|French"]),
        ("My favourite band is Radiohead", ["Mira|favourite:band|Radiohead"]),
        ("The login bug is fixed", ["login bug|status|fixed"]),
        ("Tom owns the billing migration now", ["billing migration|owner|Tom"]),
        ("I drive a Golf", ["Mira|car|Golf"]),
        ("Started at Siemens on Monday, so far so good", ["Mira|employer|-", "Mira|employer|Siemens"]),
        ("I'm working at Bosch now", ["Mira|employer|-…", "Mira|employer|Bosch"]),
        (
            "Left Zalando, joined Delivery Hero as a product manager",
            ["Mira|employer|-Zalando", "Mira|employer|-", "Mira|employer|Delivery Hero", "Mira|role|product manager"],
        ),
        ("I've been a paramedic for six years", ["Mira|role|paramedic"]),
        ("Paul lives in Graz with his wife.", ["Paul|home|Graz"]),
        ("Paul's wife is called Greta.", ["Paul|spouse|Greta"]),
        ("My wife and I moved to Oslo in March.", ["Mira|home|-", "Mira|home|Oslo", "Mira|relationship|married"]),
        ("We've moved! New address: Lindenstraße 4, 10969 Berlin", ["Mira|home|-", "Mira|address|Lindenstraße 4"]),
        ("My new phone is a Pixel 9.", ["Mira|uses:phone|Pixel 9"]),
        ("got myself a MacBook Air, the ThinkPad finally died", ["Mira|uses:laptop|-", "Mira|uses:laptop|MacBook Air"]),
        ("switched from Android to iPhone", ["Mira|uses:phone|-Android", "Mira|uses:phone|iPhone"]),
        ("We switched from Jira to Linear last sprint.", ["Mira|uses:tracker|-Jira", "Mira|uses:tracker|Linear"]),
        ("we use Postgres for everything", ["Mira|uses:database|Postgres"]),
        ("I use Vim as my editor", ["Mira|uses:editor|Vim"]),
        ("Our team has 8 people now.", ["Mira|team size|8"]),
        ("We have seven people on the team", ["Mira|team size|seven"]),
        ("The rent is 1,150 euros now.", ["Mira|rent|-…", "Mira|rent|1,150 euros"]),
        ("My salary went up to 62k", ["Mira|salary|62k"]),
        ("the deadline got pushed to July 10", ["deadline|plan:deadline|-", "deadline|plan:deadline|July 10"]),
        ("The launch has been postponed until next Tuesday.", ["launch|plan:launch|-", "launch|plan:launch|next Tuesday"]),
        (
            "Yoga class is on Wednesdays at 6pm now",
            ["yoga class|plan:yoga class|-", "yoga class|plan:yoga class|Wednesdays at 6pm"],
        ),
        ("Practice got moved to 7pm", ["practice|plan:practice|-", "practice|plan:practice|7pm"]),
        ("The wedding's been called off.", ["wedding|plan:wedding|-"]),
        ("We called off the wedding.", ["wedding|plan:wedding|-"]),
        ("We cancelled the trip to Rome.", ["rome trip|plan:rome trip|-"]),
        ("Dinner tonight is cancelled", ["dinner|plan:dinner|-"]),
        ("Friday's standup is cancelled", ["standup|plan:standup|-"]),
        ("my daughter Lea turned six yesterday", ["Mira|child|Lea"]),
        ("My brother Ned is a plumber.", ["Mira|sibling|Ned", "Ned|role|plumber"]),
        ("My dog Rex died", ["Mira|pet|-Rex"]),
        ("our cat is called Momo", ["Mira|pet|Momo"]),
        ("I'm vegan now", ["Mira|diet|vegan"]),
        ("I became a vegetarian last year", ["Mira|diet|vegetarian"]),
        ("I stopped smoking two months ago", ["Mira|smokes|no"]),
        ("I quit smoking", ["Mira|smokes|no"]),
        ("I turned 30 last week", ["Mira|age|30"]),
        ("I'm 34 years old", ["Mira|age|34"]),
        ("Actually my birthday is May 3, not May 5.", ["Mira|birthday|-May 5", "Mira|birthday|May 3"]),
        ("The meeting is on Tuesday, not Monday.", ["meeting|plan:meeting|-Monday", "meeting|plan:meeting|Tuesday"]),
        ("I got divorced in March", ["Mira|spouse|-", "Mira|relationship|divorced"]),
        ("Tom and I got engaged!", ["Mira|relationship|engaged", "Mira|partner|Tom"]),
        ("I'm engaged to Tom", ["Mira|relationship|engaged", "Mira|partner|Tom"]),
        ("I married Lisa in 2019", ["Mira|relationship|married", "Mira|spouse|Lisa"]),
        ("I'm single again", ["Mira|partner|-", "Mira|spouse|-", "Mira|relationship|single"]),
        ("I'm dating a guy called Felix", ["Mira|relationship|dating", "Mira|partner|Felix"]),
        ("I broke up with Sam last weekend", ["Mira|relationship|-", "Mira|partner|-Sam"]),
        ("My favorite color is green now", ["Mira|favourite:color|green"]),
        ("I'm a nurse at Charité.", ["Mira|role|nurse", "Mira|employer|Charité"]),
        ("I've been promoted to senior engineer", ["Mira|role|-", "Mira|role|senior engineer"]),
        ("My boss is called Dr. Yilmaz.", ["Mira|boss|Dr. Yilmaz"]),
        ("The invoice is paid.", ["invoice|status|paid"]),
        ("Ticket 481 is blocked by the API change.", ["ticket 481|status|blocked"]),
        ("The API rate limit was raised to 500/min", ["api rate limit|is:limit|500/min"]),
        ("The project budget is now $40k", ["project budget|is:budget|$40k"]),
        ("Our budget went from 20k to 30k", ["budget|is:budget|-20k", "budget|is:budget|30k"]),
        ("I sold my car", ["Mira|car|-"]),
        ("bought a used Corolla last week", ["Mira|car|Corolla"]),
        ("I no longer drive the Polo", ["Mira|car|-Polo"]),
        ("My email is now mira.k@posteo.de", ["Mira|email|mira.k@posteo.de"]),
        ("The offsite is in Hamburg.", ["offsite|place|Hamburg"]),
        ("The offsite moved to Leipzig", ["offsite|place|Leipzig"]),
        ("Lena is in charge of the newsletter now.", ["newsletter|owner|Lena"]),
        ("Omar took over the newsletter from Lena.", ["newsletter|owner|Omar"]),
        ("Ann no longer lives in Camden", ["Ann|home|-Camden"]),
        ("Priya left Google and joined Stripe.", ["Priya|employer|-Google", "Priya|employer|Stripe"]),
        ("I grew up in Leeds but live in York now", ["Mira|origin|Leeds", "Mira|home|-…", "Mira|home|York"]),
        ("My sister Eva, who lives in Bonn, visited.", ["Mira|sibling|Eva"]),
        ("I have asthma", ["Mira|condition|asthma"]),
        ("I was diagnosed with type 2 diabetes", ["Mira|condition|type 2 diabetes"]),
        ("My son is allergic to peanuts", ["Mira's son|allergy|peanuts"]),
        ("Remember I'm allergic to shellfish", ["Mira|allergy|shellfish"]),
        ("My new boss is called Dr Okafor", ["Mira|boss|Dr Okafor"]),
        ("My boss is Fiona, she is from Cork", ["Mira|boss|Fiona"]),
        ("Tanner is my actual brother", ["Mira|sibling|Tanner"]),
        ("I'm with Destiny, my cousin.", ["Mira|relative|Destiny"]),
        ("My boss is German.", []),
        ("My sister is Virgo, obviously", []),
        ("moved into the new place in Austin saturday", ["Mira|home|-", "Mira|home|Austin"]),
        ("My back is broken", []),
        ("I don't work at Bosch anymore", ["Mira|employer|-Bosch"]),
        ("I don't live in Berlin any more, I'm in Kiel now", ["Mira|home|-Berlin"]),
    ],
)
def test_a_sentence_claims_what_its_words_say(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "I used to it",
        "I'm used to live music",
        "Do you live in Berlin?",
        "I wish I lived in Rome",
        "I'd move to Rome in a heartbeat",
        "I'm thinking of moving to Rome",
        "I might quit my job",
        "I almost quit my job today",
        "I work from home",
        "I work at night",
        "I live in fear of spiders",
        "I moved to the next level",
        "She said she lives in Rome",
        "Tom says he works at Google",
        "My friend moved to tears",
        "We moved to Kubernetes last month",
        "We moved to Node.js yesterday",
        "We moved from Jenkins to GitHub Actions",
        "I moved to Marketing in May",
        "I moved on",
        "I left the party early",
        "I left the office at 5",
        "We left the house at 9",
        "I left my keys at home",
        "I got a cold",
        "He works at Google",
        "They moved to Spain",
        "I drive a lot",
        "I drive to work",
        "I have a lot on my plate",
        "I'm over the moon",
        "I'm a huge fan",
        "I'm a bit tired",
        "I'm an idiot",
        "I'm in love",
        "The light is off",
        "The deal is off the table",
        "The party was fun",
        "The meeting is about hiring",
        "The food is 100 times better",
        "The movie is 3 hours long",
        "The trip was amazing",
        "I broke up the fight",
        "I got engaged with the material",
        "I'm married to my job",
        "Sure, and I'm the Queen of England",
        "I moved to Mars lol jk",
        "Yeah right, I live in a castle",
        "I dreamed I lived in Paris",
        "In the novel I live in Paris",
        "If I worked at Google I'd be rich",
        "I was born to run",
        "My rent is due",
        "My car is in the shop",
        "My number is up",
        "I applied for a job at Google",
        "I had an interview at Stripe",
        "I'd love to work at Stripe",
        "I visited Rome",
        "I want a dog",
        "I'm getting a dog",
        "My boss is on vacation",
        "Ann went to Paris in 2022.",
        "Ann might live in Rome.",
        "I'm on fire",
        "Everyone lives in Berlin these days",
        "Nobody works at night",
        "Work moved to Zoom",
        "The show moved to Netflix",
        "I sold out",
        "I'm on the road",
        "It is 300",
        "That's 5",
        "The team is great",
        "I lost my mind",
        "I quit the app",
        "Team is five minutes late",
        "The deadline is tight",
        "The launch is a mess",
        "My birthday is today!",
        "The bug is annoying",
        "The train is at platform 5",
        "I live in the moment",
        "I'm done with this",
        "I'm done with lunch",
        "My brother and Tom are here",
        "Our dog and I walked",
        "I use it daily",
        "I switched to decaf",
        "I switched seats",
        "I changed to a window seat",
        "We moved to a bigger office",
        "We moved to strike the motion",
        "Where I live?",
        "I might move to Rome",
        "thinking of getting a dog",
        "If I move to Rome I'll be happy.",
        "I'm not allergic to nuts, that's my brother.",
        "I might move to Stavanger one day.",
        "We haven't moved to Oslo yet, the flat isn't ready.",
        "Nobody in my family lives in Rome.",
        "I would never marry Bo, are you crazy?",
    ],
)
def test_what_is_asked_wished_denied_reported_or_joked_claims_nothing(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Where does Paul live?", [("paul", "home")]),
        ("what's my rent now", [("", "rent")]),
        ("which editor do I use", [("", "uses:editor")]),
        ("when is the launch", [("launch", "plan:launch")]),
        ("when is my dentist appointment?", [("", "plan:dentist")]),
        ("Where does my sister live?", [("'s sister", "home")]),
        ("what car does Rob drive these days?", [("rob", "car")]),
        ("who is Ann's boss?", [("ann", "boss")]),
        ("how big is our team?", [("", "team size")]),
        ("what is the API limit", [("api limit", "is:limit")]),
        ("Where did Paul live?", []),
        ("Where did Paul live before?", []),
        ("What did Ann say about it?", []),
        ("Why is the sky blue?", []),
    ],
)
def test_a_question_for_a_present_state_asks_for_an_attribute(question: str, asked: list[tuple[str, str]]) -> None:
    assert list(attributes_asked(question)) == asked


def test_a_sentence_without_a_subject_behind_one_about_another_claims_nothing() -> None:
    assert claims_in("Retired from Shell in 2019", "en", "Mira")
    assert not claims_in("Retired from Shell in 2019", "en", "Mira", follows="He's Kunle.")


def test_without_a_speaker_only_named_subjects_claim() -> None:
    assert claims_in("I live in Oslo and my sister moved to Rome.", "en") == ()
    assert [claim.subject for claim in claims_in("Ann lives in Oslo.", "en")] == ["Ann"]


def test_a_claim_has_its_sentence_as_evidence() -> None:
    sentence = "  Well, I moved to Oslo!  "
    assert [claim.evidence for claim in claims_in(sentence, "en", "Mira")] == [sentence] * 2


@pytest.mark.parametrize("sentence", ["Ich wohne in Berlin.", "I live in Berlin."])
def test_rules_touch_only_their_own_language(sentence: str) -> None:
    assert claims_in(sentence, "de", "Mira") == ()


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("We're having a barbecue on Sunday.", ["barbecue|plan:barbecue|Sunday"]),
        ("I booked a trip to Iceland for October.", ["iceland trip|plan:iceland trip|October", "trip|plan:trip|Iceland"]),
        (
            "I signed up for a pottery class, it starts soon.",
            ["pottery class|plan:pottery class|planned", "Mira|plan:pottery class|planned"],
        ),
        (
            "We're flying to Rome on 12 May.",
            ["rome trip|plan:rome trip|12 May", "trip|plan:trip|Rome", "Mira|plan:rome flight|12 May"],
        ),
        ("I'm meeting Carl for lunch on Friday.", ["carl lunch|plan:carl lunch|Friday"]),
        ("Carl cancelled lunch tomorrow.", ["carl lunch|plan:carl lunch|-"]),
        ("They cancelled the lunch.", ["lunch|plan:lunch|-"]),
        ("I'm running the marathon on 3 May.", ["marathon|plan:marathon|3 May", "Mira|plan:marathon|planned"]),
        ("I'm not running the marathon after all.", ["Mira|plan:marathon|-"]),
        ("I'm not going to move to Spain this year.", []),
        ("There will be no meeting on Monday.", ["meeting|plan:meeting|-Monday"]),
        ("I'm not having coffee.", []),
        ("We plan to move to Spain next year.", ["Mira|plan:move to spain|planned"]),
        ("We dropped the plan to move to Spain, mum needs us.", ["Mira|plan:move to spain|-"]),
        ("We decided not to repaint the kitchen.", ["Mira|plan:repaint kitchen|-"]),
        ("I'm going to see it.", []),
        ("I'm going to be late.", []),
        ("I'd plan to move to Spain if I could.", []),
        ("She cancelled her trip.", []),
    ],
)
def test_what_is_planned_and_called_off(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("I jog along the canal every evening.", ["Mira|habit|jog along the canal every evening"]),
        ("I go climbing twice a week.", ["Mira|habit|climbing twice a week"]),
        ("Tom plays chess every Tuesday.", ["Tom|habit|chess every Tuesday"]),
        ("I don't go climbing any more.", ["Mira|habit|-climbing"]),
        ("I've stopped cycling because of my knee.", ["Mira|habit|-cycling"]),
        ("I stopped going to the gym.", ["Mira|habit|-to the gym"]),
        ("I don't drink milk.", ["Mira|avoids|milk", "Mira|eats|-milk"]),
        ("I'm drinking milk again.", ["Mira|avoids|-milk", "Mira|eats|milk"]),
        ("I drink a glass of wine every night.", ["Mira|alcohol|yes"]),
        ("I stopped drinking in May.", ["Mira|alcohol|-yes"]),
        ("I've been sober since May.", ["Mira|alcohol|no"]),
        ("I'm learning the cello.", ["Mira|plays|cello"]),
        ("I gave up the drums, the neighbours complained.", ["Mira|plays|-drums"]),
        ("I've stopped playing the flute.", ["Mira|plays|-flute"]),
        ("I'm learning Turkish at the town hall.", ["Mira|learns|Turkish"]),
        ("I gave up on Turkish.", ["Mira|learns|-Turkish"]),
        ("Ann doesn't enjoy opera any more because it's so long.", ["Ann|likes|-opera"]),
        ("I love sailing, who would have guessed.", ["Mira|likes|sailing"]),
        ("Our son Max was born last night.", ["Mira|child|Max", "Mira|condition|-pregnant"]),
        ("My sister gave birth on Tuesday.", ["Mira's sister|condition|-pregnant"]),
        ("Our old cat Luna passed away.", ["Mira|pet|-Luna"]),
        ("Luna died yesterday.", ["Mira|pet|-Luna"]),
        ("The library opens at 9.", ["library|opens|9"]),
        ("The bakery closes at 18:30.", ["bakery|closes|18:30"]),
        ("The printer is at the repair shop.", ["printer|status|at the repair shop"]),
        ("The printer is repaired.", ["printer|status|repaired"]),
        ("Our company has 40 employees.", ["Mira|company size|40"]),
    ],
)
def test_everyday_habits_and_states(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "I stopped cycling to look at the map.",
        "I stopped playing the flute when the bell rang.",
        "I run late every morning.",
        "I run errands every weekend.",
        "I go crazy every Monday.",
        "I want to go climbing every week.",
        "I don't eat fish today.",
        "We're not drinking this month.",
        "I don't eat out.",
        "I don't drink enough.",
        "I don't drink milk after 8.",
        "I don't eat anything spicy.",
        "I drink non-alcoholic beer every night.",
        "I'm learning French cooking.",
        "I gave up Greek food.",
        "Our son was born in 2015.",
        "I was born on Friday.",
        "Dad died.",
        "My phone died.",
        "The account opens at 5 dollars.",
        "The bike is not fixed.",
        "Our company has 40 people waiting.",
        "With the twins we are 12.",
        "We found a place in Rimini, 900 for the week.",
        "Booked Mary.",
        "I quit smoking for about three days.",
        "I quit smoking until Easter.",
        "I've stopped eating meat for January.",
        "I'm off meat for a week.",
        "In The Sims my wife is called Bella Goth.",
        "I got sacked in Football Manager again.",
        "My dog is called off the couch every night.",
        "My doctor is online now.",
    ],
)
def test_what_only_sounds_like_a_habit_or_a_state_claims_nothing(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("Still out in Croydon, so tell me when you leave.", ["Mira|home|…"]),
        ("I live with my parents.", ["Mira|home|…"]),
        ("We're renting a flat above a bakery in Leith.", ["Mira|home|Leith"]),
        ("First night in the new place in Dundee, boxes everywhere!", ["Mira|home|-", "Mira|home|Dundee"]),
        ("We've moved!", ["Mira|home|-"]),
        ("I do the books for a furniture shop.", ["Mira|employer|…"]),
        ("Monday was my first day at the aquarium.", ["Mira|employer|-", "Mira|employer|aquarium"]),
        ("I got a new job!", ["Mira|employer|-", "Mira|role|-"]),
        ("Priya and I called it a day.", ["Mira|relationship|-", "Mira|partner|-Priya"]),
        ("Mum turns 70 on the 3rd of June.", ["Mira's mum|birthday|the 3rd of June"]),
        ("I got mum's birthday wrong.", ["Mira's mum|birthday|-"]),
        ("We're in Porto from the 12th of June.", ["porto trip|plan:porto trip|from the 12th of June", "trip|plan:trip|Porto"]),
        ("Lisbon is off.", ["lisbon trip|plan:lisbon trip|-", "trip|plan:trip|-Lisbon"]),
        ("My phone is an old Huawei.", ["Mira|uses:phone|Huawei"]),
        ("Got a new phone at last.", ["Mira|uses:phone|-"]),
        ("The Pixel is in a drawer.", ["Mira|uses:phone|-Pixel"]),
        ("I'm selling my bike for 300.", ["bike|is:bike|300"]),
        ("The bike is down to 250.", ["bike|is:bike|250"]),
        ("They've moved pottery to Mondays.", ["pottery|plan:pottery|-", "pottery|plan:pottery|Mondays"]),
        ("The landlord wants 780 a month for it.", ["Mira|rent|780 a month"]),
        ("The letter came: from January it's 845 a month.", ["Mira|rent|845 a month"]),
        ("My landlord put the rent up again.", ["Mira|rent|-"]),
    ],
)
def test_changes_are_told_in_everyday_words(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "I moved the sofa.", "We moved on.", "I left the office at five.", "We split up at the station.", "I need a new phone.",
        "We're thinking of moving out.", "I got a new job for you.", "We're done with dinner.", "The rent went up everywhere.",
        "I dreamt that we moved.", "If we moved, I'd need a new job.", "We're moving to Rome, if the bank agrees.",
    ],
)  # fmt: skip
def test_what_only_sounds_like_a_change_ends_nothing(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("I can't have nuts.", ["Mira|avoids|nuts"]),
        ("Remember my mum cannot eat gluten.", ["Mira's mum|avoids|gluten"]),
        ("No prawns for me, I swell up.", ["Mira|avoids|prawns"]),
        ("I'm off dairy.", ["Mira|avoids|dairy"]),
        ("Dairy doesn't agree with me.", ["Mira|avoids|Dairy"]),
        ("Tom swells up if he eats shellfish.", ["Tom|allergy|shellfish"]),
        ("Strawberries bring me out in a rash.", ["Mira|allergy|Strawberries"]),
        ("My son has a peanut allergy.", ["Mira's son|allergy|peanut"]),
        ("Colin's veggie now.", ["Colin|diet|veggie"]),
        ("Nina blows up like a balloon if she even touches shrimp.", ["Nina|allergy|shrimp"]),
        ("No cake because of Leo's nut allergy.", ["Leo|allergy|nut"]),
        ("My dad is prediabetic.", ["Mira's dad|condition|prediabetic"]),
        ("I'm on insulin since May.", ["Mira|medication|insulin"]),
    ],
)
def test_what_somebody_cannot_eat_is_told_in_passing(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "I can't have kids.",
        "I can't have coffee after 4.",
        "I can't do Tuesday.",
        "No sugar for me.",
        "No bread for me today.",
        "I'm off work.",
        "We can't have nuts in the classroom.",
        "You can't have chocolate.",
        "I'm allergic to mornings.",
        "I can't have that.",
        "Leo's nut allergy is gone.",
        "I'm on the pill counter at Boots.",
        "The argument blew up if you ask me.",
    ],
)
def test_what_cannot_be_had_for_once_is_no_diet(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("My brother Cyrus says take the flat.", ["Mira|sibling|Cyrus"]),
        ("If my cousin Destiny comes we need a bed.", ["Mira|relative|Destiny"]),
        ("My dog Max nearly died.", ["Mira|pet|Max"]),
        ("Our kids Leo and Ada start on Monday.", ["Mira|child|Leo", "Mira|child|Ada"]),
        ("We have two cats, Miso and Tofu.", ["Mira|pet|Miso", "Mira|pet|Tofu"]),
        ("We got a puppy, she's called Luna.", ["Mira|pet|Luna"]),
        ("We've named the puppy Waffles.", ["Mira|pet|Waffles"]),
        ("Biscuit is our dog.", ["Mira|pet|Biscuit"]),
        ("My dog is called Rex 😉", ["Mira|pet|Rex"]),
        ("I met Boab from work.", ["Mira|colleague|Boab"]),
        ("Lupe next door is baking.", ["Mira|neighbour|Lupe"]),
        ("That's Wyatt, he's 10, goalie.", ["Wyatt|age|10"]),
        ("My son Wyatt, 10, is a goalie.", ["Mira|child|Wyatt", "Wyatt|age|10"]),
        ("If my 7-year-old daughter Ida comes too.", ["Ida|age|7"]),
        ("Our little girl Ida sings.", ["Mira|child|Ida"]),
        ("And Anita, that's my wife, sings.", ["Mira|spouse|Anita"]),
        ("My youngest Ida sings.", ["Mira|child|Ida"]),
        ("Our kids are called Mia and Zoe.", ["Mira|child|Mia", "Mira|child|Zoe"]),
        ("Driving for Bayou Beverage, home every night.", ["Mira|employer|Bayou Beverage"]),
        ("Jess (my sister) is coming.", ["Mira|sibling|Jess"]),
        ("Leo turns 3 in July.", ["Leo|birthday|July"]),
        ("Wyatt has hockey practice every Tuesday.", ["Wyatt|habit|hockey practice every Tuesday"]),
        ("My manager Faisal is saying there's an audit.", ["Mira|boss|Faisal"]),
        ("My boss is called Mrs Patience Mutua.", ["Mira|boss|Mrs Patience Mutua"]),
    ],
)
def test_who_is_named_beside_is_known_whatever_the_sentence_doubts(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "In my novel my brother Cyrus says no.",
        "My friend Facebook says no.",
        "My cousin Canadian as ever.",
        "Back from work and tired.",
        "Right next door is a pub.",
        "My sister Monday to Friday works.",
        "Call Tom, he's 10 minutes away.",
        "My girl Friday is off.",
        "Our boy Messi scored.",
        "My lawyer Bills were huge.",
        "Look, that's my brother.",
        "Look, he's 10.",
        "Sorry, manager at Lidl here.",
        "Working at Lidl is hard.",
        "Saw Tom working at Lidl.",
        "I have stopped practice every Tuesday.",
        "The boss is called away.",
    ],
)
def test_what_only_looks_like_a_name_is_nobody(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    ("question", "answer", "claims"),
    [
        ("What's your husband called?", "He's Kunle.", ["spouse Kunle"]),
        ("whats ur dog called", "Biscuit lol", ["pet Biscuit"]),
        ("Where do you live now?", "Still in Cork.", ["home Cork"]),
        ("where do u live", "dublin", ["home dublin"]),
        ("What do you do?", "Nurse.", ["role Nurse"]),
        ("Are you allergic to anything?", "Just cats.", ["allergy cats"]),
        ("When's your birthday?", "14 April", ["birthday 14 April"]),
        ("What's your husband called?", "Guess.", []),
        ("What's your husband called?", "Divorced.", []),
        ("What's your husband called?", "Why?", []),
        ("Are you allergic to anything?", "No.", []),
        ("Where do you live?", "With my mum.", []),
        ("Where did you live?", "Cork.", []),
        ("What's his dog called?", "Biscuit", []),
    ],
)
def test_an_answer_claims_what_its_question_asks_for(question: str, answer: str, claims: list[str]) -> None:
    found = claims_in(answer, "en", "Mira", asked=question)
    assert [f"{one.attribute} {one.value}" for one in found] == claims
    assert {(one.subject, one.evidence) for one in found} <= {("Mira", answer)}


@pytest.mark.parametrize(
    "sentence",
    [
        "It isn't Leo's nut allergy.",
        "Thank god it wasn't Leo's nut allergy",
        "Amy's nut allergy test was negative",
        "Leo's nut allergy turned out to be nothing",
        "My egg allergy test was negative",
        "Tesco's nut allergy labels are wrong",
        "We will be 5 on the 14th.",
        "Tickets will be 20 in March",
        "Bus will be 10 on the 14th",
        "We're renting in Cornwall for a week",
        "I'm in Paris with the flatmates, back Sunday",
        "I'm in Spain with my housemates this week",
        "I put my notice in on the flat",
        "I put my notice in the window",
        "My oldest Converse are dead",
        "My oldest Nike trainers ripped",
        "Our youngest Lego set broke",
        "My youngest, Tom said, is ill",
        "My girl Jess dumped me",
        "My lad Dave is my best mate",
        "Apple's partner Foxconn hires",
        "Germany's neighbour Poland won",
        "London's twin Berlin",
        "Harry Potter's friend Ron",
        "My GP Surgery is shut",
        "My accountant HMRC letter",
        "My landlord Council Tax bill",
        "My vet Bill was huge",
        "The boss is named Ganon and he's impossible",
        "Meet me at Costa, he's 12",
        "I have forgotten practice every Tuesday",
        "I have lost football every Saturday",
        "The Lidl next door has bread",
        "Got a Mail from work.",
        "Roommate Agreement is ready",
        "Flatmate Wanted is funny",
        "In Spooks, the analyst at MI5 dies",
        "Hello Tom, manager at Lidl wants you",
        "Working at Tesco this week only",
        "Coffee, my friend, helps.",
        "Aldi's egg allergy, wrong label",
        "We moved to Plan B.",
        "We moved to Row 5.",
        "I live in leggings these days.",
        "I basically live in Nando's.",
        "My team moved to League Two.",
        "My Cousin Rachel is on my list.",
        "My son Minecraft-obsessed as ever is upstairs.",
        "My daughter called Max an idiot.",
        "My coach is National Express.",
        "My accountant is Excel.",
        "My phone is called Kevin.",
        "My car is called Betty.",
        "I switched my phone to Dutch for practice.",
        "I changed my phone to dark mode.",
        "I'm married to the idea of a June wedding.",
        "I'm a nurse in the play.",
        "I'm the designated driver tonight.",
        "I left Netflix on all night.",
        "I left Manchester at six.",
        "I quit Facebook.",
        "My data is down to 200 MB.",
        "My driver is five stops away.",
        "I bet my sister is a nurse.",
        "I've been at Heathrow for six hours.",
        "I joined Instagram.",
        "Casual Friday is cancelled.",
        "My son is Spider-Man today.",
    ],
)
def test_what_only_sounds_like_a_person_a_home_or_a_job_claims_nothing(sentence: str) -> None:
    assert claimed(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("Dinner with my friend Sam, 8.", ["Mira|friend|Sam"]),
        ("My friend Ann, 6, 7 and 8 are free", ["Mira|friend|Ann"]),
        ("My brother Tom, 2, me 1", ["Mira|sibling|Tom"]),
        ("I'm in marketing with Sue", ["Mira|employer|…"]),
        ("I'm in legal at Disney World this week", ["Mira|employer|…"]),
        ("My son Leo will be 3 in July.", ["Mira|child|Leo", "Leo|birthday|July"]),
        ("My 40th is on 12 June.", ["Mira|birthday|12 June"]),
        ("Amy's nut allergy is severe.", ["Amy|allergy|nut"]),
        ("I put my notice in today.", ["Mira|employer|-", "Mira|role|-"]),
        ("My vet Bill says she is fine.", ["Mira|professional|Bill"]),
        ("We're still renting in Leeds.", ["Mira|home|Leeds"]),
        ("My fiancée Lucy is Welsh.", ["Mira|partner|Lucy"]),
        ("We named the baby Arlo.", ["Mira|child|Arlo"]),
        ("We adopted a cat from the shelter, she's called Pickle.", ["Mira|pet|Pickle"]),
        ("My daughter plays violin.", ["Mira's daughter|plays|violin"]),
        ("I'm type 1 diabetic.", ["Mira|condition|type 1 diabetic"]),
        ("I've worked at Boots for ten years.", ["Mira|employer|Boots"]),
        ("I study law at Leeds.", ["Mira|school|Leeds"]),
        ("We're vegetarians.", ["Mira|diet|vegetarians"]),
        ("I left Barclays in December.", ["Mira|employer|-Barclays"]),
        ("I switched my phone to a Pixel.", ["Mira|uses:phone|-", "Mira|uses:phone|Pixel"]),
        ("My brother Callum works at Sainsbury's in Reading.", ["Mira|sibling|Callum", "Callum|employer|Sainsbury's"]),
        ("I'm originally from Sligo.", ["Mira|origin|Sligo"]),
        ("I'm from Sligo originally.", ["Mira|origin|Sligo"]),
        ("I'm allergic to shellfish so no prawns for me please", ["Mira|allergy|shellfish", "Mira|avoids|prawns"]),
        ("I quit smoking in January.", ["Mira|smokes|no"]),
        ("My doctor's appointment got moved to the 19th.", ["Mira|plan:doctor|-", "Mira|plan:doctor|19th"]),
    ],
)
def test_what_a_person_a_home_or_a_job_sounds_like(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims


def test_one_may_ask_for_the_landlord() -> None:
    assert attributes_asked("Who is my landlord?") == [("", "landlord")]


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("My sister Ubered home.", []),
        ("My brother Googled it.", []),
        ("My wife, Chelsea fan, is crying.", []),
        ("My dad, Guinness in hand, fell asleep.", []),
        ("My boss LinkedIn posts are awful.", []),
        ("My sister Tinder date was a disaster.", []),
        ("My sister, Ann, moved to Oslo.", ["Mira|sibling|Ann"]),
        ("My brother Fred fell asleep.", ["Mira|sibling|Fred"]),
        ("My brother Ahmed fell asleep.", ["Mira|sibling|Ahmed"]),
        ("I have a cold beer.", []),
        ("I have a cold shower.", []),
        ("I have a cold sore.", []),
        ("I have a fever chart.", []),
        ("I have flu jabs on Monday.", []),
        ("I have a cold and stay in bed.", ["Mira|condition|cold"]),
        ("I have asthma.", ["Mira|condition|asthma"]),
        ("I'm allergic to small talk.", []),
        ("I'm allergic to drama.", []),
        ("I'm allergic to cardio.", []),
        ("I'm allergic to Mondays.", []),
        ("I'm allergic to peanuts.", ["Mira|allergy|peanuts"]),
        ("Mother's Day is on the 15th.", []),
        ("Sam's big day is on the 14th.", ["sam big|plan:sam big|14th"]),
        ("Sam's birthday is on the 14th.", ["Sam|birthday|the 14th"]),
        ("I quit my job three times a week.", []),
        ("I left my job bag on the train.", []),
        ("I left my job at the door.", []),
        ("I quit my job.", ["Mira|employer|-", "Mira|role|-"]),
        ("I quit my job because of the hours.", ["Mira|employer|-", "Mira|role|-"]),
        ("I quit my job two weeks ago.", ["Mira|employer|-", "Mira|role|-"]),
        ("I left my job at Google.", ["Mira|employer|-Google"]),
        ("I quit smoking for a day.", []),
        ("I quit smoking last year.", ["Mira|smokes|no"]),
        ("I'm vegan on Mondays.", []),
        ("I'm vegan for lent.", []),
        ("I'm vegan.", ["Mira|diet|vegan"]),
        ("Liam moved to Saturday.", []),
        (
            "Lisbon got moved to Saturday.",
            ["lisbon trip|plan:lisbon trip|-", "lisbon trip|plan:lisbon trip|Saturday", "trip|plan:trip|Lisbon"],
        ),
        ("I quit smoking and started again.", []),
        ("I have migraines every week.", ["Mira|condition|migraines"]),
    ],
)
def test_a_look_alike_claims_nothing_and_what_it_looks_like_still_does(sentence: str, claims: list[str]) -> None:
    assert claimed(sentence) == claims
