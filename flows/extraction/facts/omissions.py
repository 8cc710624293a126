"""What a sentence leaves out because it was said before: the object of its verb, what was felt or won, the place."""

from mneme.caseless import Caseless
from mneme.guarded import ByWord

_PATTERNS = (
    # "Winning was a boost.", "Seeing everyone there ..."
    r"^(?:\w+ said: )?(?:(?:yeah|yep|so|actually),? )?"
    r"(?:winning|losing|finishing|hosting|performing|completing|seeing|being|getting) "
    r"(?:was|is|has|had|felt|feels|makes|made|there|here|everyone|everybody|people)\b",
    # "Gonna be a great night."
    r"^(?:\w+ said: )?(?:gonna|going to|should|must|will) be\b",
    # "Ann did well.", "The day went great."
    r"\b(?:did|do|doing|done|does|went|going|go|turned out|gone)(?:n['’]t)? (?:\w+ly |so |really |very |pretty )?"
    r"(?:well|great|good|smoothly|fine)\b(?! (?:at|in|with))",
    # "... how far Ann has come", "Ann won again!"
    r"\bhow (?:far|much)\b.{0,30}\bcome\b",
    r"\b(?:won|lost|finished|succeeded)(?: (?:again|too|yesterday|it|yet))?\s*[.!]*$",
    # "Ann's favourite is when ...", "the best part was"
    r"\b(?:favou?rites?|faves?) (?:was|were|is|are) (?:when|how|the|this|that|probably|definitely|by far)\b",
    r"\b(?:aim|goal|intention|idea) was\b",
    r"\b(?:an?|another) (?:\w+ )?(?:win|victory|loss|defeat)\b(?! (?:at|against|in|over|of))",
    r"\b(?:showed|shown|turned) up\b(?! (?:to|at|for|in|late|early))",
    r"\bthe (?:best|worst|hardest|coolest|most \w+) (?:part|thing|moment)s?\b(?! (?:of|about|in))",
    # "Ann painted this after ...", "a place like this that ..."
    r"\b(?:this|these)(?: (?:after|when|because|to|for|with|by|from|and|but|before|since|as|while|again)\b|[.,!]| at )",
    r"\blike (?:this|that) (?:that|which|where|who)\b",
    r"\bjust like (?:us|them)\b",
    # "Ann felt free.", "Ann is so excited!"
    r"\b(?:felt|feel|feels|feeling) "
    r"(?:like (?!an? (?:part|member))|(?:so |very |really |super |more |pretty |a )?\w+(?: and \w+)?\s*[.!]*$)",
    r"\b(?:excited|thrilled|nervous|hyped|pumped|stoked)(?:\s*[.!]*$| and\b)",
    r"\b(?:can['’]?t wait|looking forward)\s*[.!]*$",
    # "Ann even won a trophy.", "Ann would love to join in."
    r"^\w+(?: and others)? (?:is |are |was |were )?(?:even|then) (?!if|though|when)",
    r"\b(?:join in|joined in|assist|participate|take part|took part|help out|sign up)\b(?=\W*$| and\b)",
    # "All of them ..."
    r"^(?:the|both|all|most|many|some)(?: of)? (?:them|others)\b",
)
_OMISSIONS = tuple(map(Caseless, _PATTERNS))
_BY_WORD = ByWord(each.pattern for each in _OMISSIONS)
_THERE = Caseless(
    r"\b(?:(?<!over )(?<!out )(?<!up )there|here)\b(?<!is there)(?<!are there)(?<!was there)(?<!hang in there)"
    r"(?!['’]s| (?:is|are|was|were|has|have|had|will|would|may|might|must|to be|for\b|isn|wasn|aren|weren|seem|can|comes?|go))",
)
_PLACE = Caseless(
    r"\b(?:in|at|to|from|on|near|into|through|around|visit\w*|where) "
    r"(?:(?:the|a|an|my|our|this|some|his|her|\w+['’]s) )?\w{3,}",
)


def leaves_out(told: str) -> bool:
    """Whether a sentence leaves out what it is about."""
    return any(_OMISSIONS[number].search(told) for number in _BY_WORD.worth_searching(told))


def means_a_place_before(told: str) -> bool:
    """Whether "there" or "here" is a place that the sentence does not name before."""
    there = _THERE.search(told)
    return there is not None and not _PLACE.search(told, 0, there.start())


def names_a_place(told: str) -> bool:
    """Whether a sentence says where."""
    return _PLACE.search(told) is not None
