"""A written conversation of two friends over some weeks: a hundred and twenty messages about twelve matters."""

MATTERS: tuple[str, ...] = (
    """I start at Northwind on Monday
    Congratulations! What will you do there?
    I am a data engineer now
    Who is your manager?
    Her name is Petra Lang
    Is the office far from home?
    Twenty minutes by bike
    That sounds healthy
    I love cycling to work
    Tell me how the first day goes""",
    """Hi! I adopted a dog yesterday
    Really? What is his name?
    He is called Biscuit
    How old is he?
    Biscuit is two years old
    Does he sleep in your bed?
    No, he sleeps in the kitchen
    My cat would hate him
    We should introduce them slowly
    I will bring some treats""",
    """By the way, I am moving to Utrecht in April
    Why Utrecht?
    The flat is cheaper and my sister lives there
    Which street is it?
    It is on the Oudegracht
    I visited that canal once
    The flat has a small balcony
    Will you grow tomatoes again?
    Tomatoes and basil, as every year
    I can help you carry boxes""",
    """Good morning, my back hurts
    Did you lift something heavy?
    The washing machine, on Sunday
    You should see a doctor
    I have an appointment on Thursday at 10
    With Doctor Visser?
    Yes, she is very good
    She helped my mother last year
    I must not carry anything for two weeks
    Then I carry your boxes""",
    """Guess what, we booked the trip to Lisbon
    When are you going?
    From 3 May to 10 May
    Do you fly?
    No, we take the train through Paris
    That is a long journey
    Two days, with one night in Hendaye
    I never took a night train
    You should come with us
    I have to ask my boss first""",
    """Hello again, do you remember my brother Tom?
    The one who plays the cello?
    Yes, he is getting married in September
    To whom?
    To Marta, they met in the orchestra
    Where is the wedding?
    In a vineyard near Porto
    I love Portuguese food
    You are invited as well
    I am so happy for them""",
    """I stopped eating meat last week
    What made you do that?
    I watched a film about farms
    I could not live without cheese
    I still eat cheese and eggs
    Do you have a good recipe for lentils?
    My grandmother's soup with carrots
    Please send it to me
    I will write it down tonight
    My favourite soup is pumpkin""",
    """Hey, the printer at work is broken again
    The one on the third floor?
    Yes, it eats the paper
    Ask Karim, he repairs everything
    Karim is on holiday until Friday
    Then use the one in the lobby
    That one prints only in blue
    I have a printer at home
    Could you print twelve pages for me?
    Send them before eight tonight""",
    """I signed up for the half marathon
    You? When is it?
    On 18 October in Amsterdam
    How far do you run now?
    Nine kilometres without stopping
    I prefer swimming
    My knee hurts a little after hills
    Buy better shoes
    I ordered a pair yesterday
    I will cheer at the finish""",
    """Good evening, we lost the client in Rotterdam
    The shipping company?
    Yes, they chose somebody cheaper
    How much were they worth?
    About 40,000 euros a year
    What does Petra say?
    Petra wants a new plan by Wednesday
    Do you have an idea?
    We could write to the port authority
    I know somebody there called Joost""",
    """My daughter Lena starts school on 1 September
    Already six years old!
    She turned six in July
    Is she excited?
    She packed her bag three times
    Which school is it?
    The Montessori school behind the park
    My nephew goes there too
    Then they can walk together
    I will tell his mother""",
    """By the way, the balcony has no tomatoes this year
    What happened to them?
    It rained for the whole of June
    Mine died as well
    The basil survived
    Then make some pesto
    I already made four jars
    Keep one for me
    It is in the fridge with your name on it
    Thank you, see you soon""",
)
TALK: tuple[tuple[int, str, str], ...] = tuple(
    (number * 26 * 3600 + line * 90, "Ann" if line % 2 == 0 else "Ben", words.strip())
    for number, matter in enumerate(MATTERS)
    for line, words in enumerate(matter.splitlines())
)
"""Each message: seconds since the beginning, who speaks, and what."""
