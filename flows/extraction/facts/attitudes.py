"""Sentences that tell an attitude rather than a fact: good resolutions, offers of help, that something is great."""

from mneme.caseless import Caseless

_RESTATES = Caseless(  # what the other has just said
    r"^(?:(?:i['’]?m|i am|that['’]s|it['’]s|it is|so|really|always) )*"
    r"(?:good|great|nice|glad|happy|awesome|wonderful|amazing|sorry|cool|lovely|proud|impressive) "
    r"(?:to (?:hear|know|see)|(?:that )?(?:you|your)\b|you['’]|of you)",
)
_JUDGES = Caseless(  # "It's great to have friends who understand me.", "There's nothing like ..."
    r"^there['’]s nothing (?:like|better)\b"
    r"|^(?:(?:yeah|and|but|so|plus|i think|i guess),? )*it(?:['’]s| is| can be|['’]ll be| feels)"
    r"(?: \w+ly| so| always| such| just| an?| super| very)* "  # one way to read each word: with two, 40 take days
    r"(?:great|important|crucial|vital|essential|awesome|amazing|special|rewarding|fun|inspiring|incredible|wonderful|"
    r"beautiful|powerful|nice|good|cool|tough|hard|comforting|motivating|exciting|fulfilling|lovely|heartwarming|satisfying|"
    r"priceless|reassuring|fascinating|interesting|humbling|joy|pleasure|feeling|blessing|reminder)\b",
)
_ATTITUDES = (
    # offers
    r"(?:i['’]ll|i will|i can|i could|let me) (?:\w+ly )?"
    r"(?:ask around|check|assist|help|look into|see (?:if|what)|try|keep|think about|find some|send|share|show|give|let you)",
    r"^(?:maybe|perhaps) (?:i|we)",
    r"(?:down|happy|ready|glad|willing|here) to (?:give|help|share|listen|join|chat)",
    r"would love to (?:join|help|hear|see)",
    r"lend an ear|here (?:for|to)|(?:give|giving) it a (?:go|try|shot)|sounds (?:like|so|really)",
    # resolutions
    r"(?:make|making) sure (?:to|i|we|you)|just remember|hard work|each other['’]s backs?",
    r"safe trip|chas(?:e|ing) (?:\w+ )?dreams?|do (?:my|our|your) best|join(?:ing)? forces",
    r"(?:not |n['’]t |never )(?:giv(?:e|ing)|gonna give) up|keep (?:going|pushing|trying|at it)|work(?:ing)? hard",
    r"stay (?:strong|positive|focused)|attitude|mindset|believe in|great things|got (?:it|this) covered|always on the lookout",
    r"working on (?:a|some|another) (?:new |big )?(?:projects?|something|things?)(?! (?:about|for|to|with|called|on|in))",
    # gratitude, joy
    r"(?:excited|stoked|pumped|thrilled|hyped) (?:for|about|to)",
    r"(?:grateful|thankful|lucky|blessed|fortunate) (?:to have|for|i have|that)|support system",
    r"mak(?:e|ing) a difference|positive impact",
)
_ATTITUDE = Caseless(rf"\b(?:{'|'.join(_ATTITUDES)})\b")
_OF_ONESELF = Caseless(r"\b(?:i|i['’]\w+|my|me)\b")


def restates(sentence: str) -> bool:
    """Whether a sentence only takes up what the other has said: "Great to hear that you enjoyed the trip."."""
    match = _RESTATES.match(sentence)
    return match is not None and _OF_ONESELF.search(sentence, match.end()) is None


def judges(sentence: str) -> bool:
    """Whether a sentence says how something is in general: "It's great to have friends"."""
    return _JUDGES.match(sentence) is not None


def is_attitude(sentence: str) -> bool:
    """Whether a sentence has a phrase of resolution, of an offer, or of gratitude."""
    return _ATTITUDE.search(sentence) is not None
