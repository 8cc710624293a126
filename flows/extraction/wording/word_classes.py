"""Which English words are verbs, adjectives, numbers or units, as far as lists and endings can tell."""

from functools import lru_cache

from flows.extraction.wording.verbs import is_past
from mneme.dates.spans import MONTHS, WEEKDAYS

_VERBS = frozenset(
    """accept achieve add admit agree allow announce appear apply argue arrange arrive ask attend avoid bake become begin
    believe belong bother bring build buy carry catch celebrate choose close collect combine come compare confirm
    connect consider contain continue convert cost create decide deliver depend describe deserve destroy develop
    discover discuss eat enable encourage enjoy ensure exist expand expect explain explore express fail feed feel fill
    find finish fix follow forget forgive gather get give go grow handle happen hear help hide hold hope identify
    imagine improve include inform insist inspire install invite involve join keep kill know learn leave lend let listen
    live lose love maintain make manage mean meet mention misinterpret miss motivate need notice obtain occur open own
    participate pay perform pick postpone prefer prepare prevent produce protect prove provide publish pull push put
    raise reach read realise realize receive recommend recover reduce regret relax rely remain remember remind remove
    repeat replace reply require rise rub rule say see seem sell send serve set share sing sit sleep smell solve speak
    spend stand start stay stop strive submit succeed suggest suppose survive take teach tell tend thank think throw
    trigger try turn understand upload use wait wake wander want watch wear win wish wonder write""".split()
)
_ADJECTIVES = frozenset(
    """able amazing angry available bad basic beautiful best better big black blue boring brave bright broken brown busy
    calm careful cheap clean clear clever cold common complete conservative cool correct crazy current cute daily dark
    dead dear deep different difficult dirty dry due early easy effective empty entire exact excited exciting expensive
    external extra fair false familiar famous fancy fast favorite favourite fine foreign free fresh friendly front full
    funny general gentle good grateful great green grey happy hard healthy heavy high honest hot huge hungry ideal
    important impossible incredible inner interesting internal key kind large last late latest lazy light likely little
    local lonely long loud lovely low lucky main major mental mild minor misaligned missing modern multiple narrow
    natural near neat negative nervous new next nice normal obvious odd old online open orange ordinary other outside
    own patient perfect personal pink pleasant polite poor popular positive possible powerful precious pretty previous
    private proper proud public pure purple quick quiet rainy rapid rare ready real recent red regular related reliable
    rich right rough round sad safe scary sensible separate serious shallow sharp short shy sick silent silly similar
    simple single slight slow small smart smooth soft special stable standard steady strange strict strong stubborn
    stuck sudden suitable sunny super supportive sure surprised sweet tall tasty terrible thick thin tight tiny tired
    top total tough true typical unclear unique upset urgent usable useful usual various vast warm weak weekly weird wet
    white whole wide wild willing wise wonderful wooden worried worth wrong yellow young yummy""".split()
)
_ADJECTIVE_ENDINGS = ("ous", "ful", "ive", "able", "ible", "less", "ish", "nese", "mese")
_NO_ADJECTIVES = frozenset(
    "detective executive archive motive olive native table cable dish fish wish relish drive dive".split()
)
_NUMBERS = frozenset(
    """both couple dozen dozens eight eighteen eighth eighty eleven few fifteen fifth fifty first five forty four fourteen
    fourth half hundred hundreds last million millions next nine nineteen ninety ninth once one quarter second seven
    seventeen seventh seventy several six sixteen sixth sixty ten tenth third thirds thirteen thirty thousand thousands
    three twelve twentieth twenty twice two zero""".split()
)
_UNITS = frozenset(
    """afternoon am autumn cent centimetre centimetres cents cm day days decade dollar dollars euro euros evening evenings
    gb gram grams hour hours kg kilo kilogram kilograms kilometer kilometers kilometre kilometres kilos km liter liters
    litre litres mb meter meters metre metres midnight mile miles millisecond milliseconds minute minutes month months
    morning mornings night nights noon percent pm pound pounds second seconds spring summer time times today tomorrow
    tonight week weekend weekends weeks winter year years yesterday yuan""".split()
)
_CALENDAR = {name.lower() for name in MONTHS} | {form for day in WEEKDAYS for form in (day, f"{day}s")}


@lru_cache(maxsize=8_192)
def is_verb(word: str) -> bool:
    """Whether a lower-case word is a form of a verb, and rarely a noun; past forms are."""
    if word in _VERBS or is_past(word):
        return True
    if word.endswith("ing"):
        stem = word[:-3]
        return stem in _VERBS or f"{stem}e" in _VERBS or (len(stem) > 2 and stem[-1] == stem[-2] and stem[:-1] in _VERBS)
    return word.endswith("s") and (word[:-1] in _VERBS or word[:-2] in _VERBS or f"{word[:-3]}y" in _VERBS)


@lru_cache(maxsize=8_192)
def is_adjective(word: str) -> bool:
    """Whether a lower-case word is an adjective rather than a noun."""
    return word in _ADJECTIVES or (len(word) > 4 and word.endswith(_ADJECTIVE_ENDINGS) and word not in _NO_ADJECTIVES)


def is_adverb(word: str) -> bool:
    """Whether a lower-case word ends like an adverb."""
    return len(word) > 4 and word.endswith("ly") and word not in ("family", "assembly", "butterfly", "italy", "lily", "supply")


def is_measure(word: str) -> bool:
    """Whether a lower-case word is a number, a unit, or a day, month or season."""
    return word in _NUMBERS or word in _UNITS or word in _CALENDAR
