"""Words of content that nobody remembers: what conversations say of feelings, efforts and good things in general."""

from functools import lru_cache

_VAGUE = frozenset(
    """able absolute absolutely accept access accomplish accomplishment achieve achievement across act action add adding
    admirable admire advice affect afterwards again ago ahead aim alive almost alone along already alright amazement
    amused another anyone anything anytime anyway apart apparently appeal appreciating appreciation approach arise
    around art-form asking aspect asset assistance atmosphere attitude aware awareness awe background backing bad
    balance barrier battle beat beautiful beauty become beginning behind belief belong benefit besides best bet better
    beyond big bigger bit blast blessed blessing blow board body bond boost bored brave bravery bravo breathtaking
    brighten brilliant bring brought bummer bump bunch call calm came captivate capture care carry cause celebrate
    challenge chance change change-maker chasing chatted check cheer cherish chill choose chose clear close closer
    combo comfort comfy commit commitment committed common companion company comparable compassion complain complete
    confidence confident connect connection consider constant content continue contribution control cool corner
    couldn't couple courage cozy crack crazy create creation creative creativity crucial crush curiosity currently
    dang dare darn deal dear decide decision dedicate dedication deep definite delight delighted depend depth deserve
    desire destress detail determination determined develop development difference different difficult direction
    discover discussing distraction doable dose doubt dream drive driven dude ease easier easy ecstatic edge effect
    effort either elated else em embrace emotion emotional empathy empower encounter encourage encouragement end
    endless energized energy engage enjoyable enjoyed enjoying enjoyment enough enriching enthusiasm entire
    environment epic escape especially essential even-more evening eventually ever every everybody everyday everyone
    everything-else everywhere exactly exchange excitement exciting exhausted exist expand expect experience explain
    explore express expression expressive extra extremely eye fabulous face fact fail failure fair faith fall familiar
    fan fantastic far fascinated fascinating fave favor favorite favourite fear feel feelings fellow felt few fight
    figure fill final find finish finished first fit flaw flow focus folk follow fond forever forge forget form former
    fortunate forward found free freedom fresh friday friendship frustrating fulfill fulfillment full fully fun future
    gain game-changer gave general generous genius genuinely getting giggle given giving goal goes gone gonna goodness
    grasp gratitude greater greatly grow growth guess guidance guide guts guy hand handle hang happen happiness happy
    hard-work hardship harmony hear heart heartfelt heartwarming heavy help helpful hero high highly hint hit hold
    hone honest honor honored hooked hopeful hopeless how're how've however huge huh humanity humbling hurdle hustle
    hype icing idea ideal identity imagination immerse immersive impact importance important impression improve
    improvement incredibly independence influence inner insight insightful inspiration inspire instead intense
    intention interest involve issue it'd it'll itself journey joy joyful keen keep keep-going key kick kid-like kinda
    kindness kinds knowing knowledge lack lacking last lasting late later laugh laughter lead least leave less lesson
    let letting level life lifelong lifetime lift light lighten limit list listen little lively lives located loud
    love low loyalty luck lucky magic magical magnificent main major make manage many mark massive master match matter
    mean meaningful memorable memories memory mentally mention mesmerizing mindset mine minor mist mix moment monday
    month mood moral motivate motivation must've must-see myself mystery nail name natural nature near nearest neat
    necessary need negative nerve-wracking nervous new next nice nicely nobody nostalgia nostalgic note notice now
    nowadays number obstacle obvious occasion odd offering often okay old open-up opinion opportunity optimism
    optimistic option original other's others otherwise outcome outlet outlook outside overall overcome overjoyed
    overwhelming own pace page pain pal part particular passing passion passionate past path patience pay peace
    peaceful perception perfect perform perk perseverance persistence person personal personality perspective pick
    piece pleased plus point positive positivity possibility possible potential power powerful precious prepare
    pressure pretty priceless pride prioritize priority proactive probably process progress promise proof proud
    provide pump purpose pursue push put quality quest question quick quite rare rate rather reach reaction ready real
    realise reality realize realm reason reassuring recall reccomend recent recharge recommend recommendation
    reconnect reflect reflection refresh regular rejuvenating rekindle relatable relate relaxation relief relieved
    rely remain remarkable remarkably remember remind reset resilience resilient resonate respect respond rest result
    reward rewarding rid right rise risk rock root rough round routine ruin running-smoothly rush sad satisfaction
    satisfied satisfying saturday saw scared scary search second secret seeing seek seen self self-care
    self-expression sending sense serene serenity serious set setback shape sharing shine shout showing side
    side-by-side sidetracked sight sign silly similar simple since situation skill slow small smile smooth sneak
    solace solid some someday someone someone's sometime sometimes soothe sort soul sounds-like spark speak special
    specific spending spirit splendid spoke spontaneous spot spot-on spread stage-of-life stand state stay steadfast
    steady stellar step step-by-step stick stoked stop story-of-life strength strengthen strive strong stronger
    struggle stuck stunning style subject succeed success successful such-a suck suggest suggestion suit sum sunday
    super superb support supporter supportive sure surprise surreal surround survive swamped sweat tackle taken talent
    talk tap task taste tasty team-spirit teamwork tear tempting tend terrific thank thankfully themselves therapeutic
    therapy thing third though thought thoughtful thrill thrilled thrive throughout throw thursday time tip tip-top
    tired together togetherness toll tomorrow ton tonight took top topic total totally touch tough toward track
    transform treasure treat tremendous tricky tried true trust truth tuesday tune turn twist two type ultimate
    unbelievable understand unexpected unforgettable unfortunate unique unity unlock unreal unwind upbeat upcoming
    update uplift us use useful using usual valuable value various vast vibe vibrant view vision visual vital volume
    wait wanted warm warmth wasn't wealth wednesday week weekend welcome well-being wellbeing went whatever whenever
    wherever whoever whole wholesome wild willing win-win wisdom wise wish without witness wonder wonderful wondrous
    woohoo word world worries worry worth worthwhile worthy wow wrong year yep yesterday yet young younger yourself
    yum yummy zone""".split()
)
_FAINT = frozenset(
    """activity adventure animal animals area art book books break build busy character characters child children city
    class color colors community dance day event fam families family fantasy fingers folks food friend friends game
    games group home join kid kids learn learned live morning movie movies music neighborhood night open order paint
    pass people pet pets photo photos picture pictures place plan play practice project projects read reading
    recipe relax reminder see series show society song songs spend spent start story stress team teammate training
    visit watch watching win won work write writing""".split()
)
_ENDINGS = ("'s", "s", "es", "d", "ed", "ing", "ly")


@lru_cache(maxsize=8_192)
def substance_of(word: str) -> float:
    """How much a word of content (lower case) says: 1; half for what every conversation is full of; 0 for what is vague.

    >>> [substance_of(word) for word in ("pottery", "friends", "strongly", "inspiring")]
    [1.0, 0.5, 0.0, 0.0]
    """
    forms = set(_forms(word))
    if forms & _VAGUE:
        return 0.0
    return 0.5 if forms & _FAINT else 1.0


def _forms(word: str) -> list[str]:
    """A word and what it may be a form of."""
    stems = [word[: -len(ending)] for ending in _ENDINGS if word.endswith(ending) and len(word) - len(ending) >= 3]
    doubled = [stem[:-1] for stem in stems if stem[-1] == stem[-2]]
    return [word, *stems, *doubled, *(f"{stem}e" for stem in stems), *(f"{stem[:-1]}y" for stem in stems if stem[-1] == "i")]
