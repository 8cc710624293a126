"""The words that speak of plans in English: dates and hours, what is planned, how it changes. Used by english_plans.py."""

import re

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*"
_DAY = r"(?:mon|tues?|wednes|wed|thurs?|fri|satur|sat|sun)(?:day)?s?"
DATE = re.compile(
    rf"\b(?:(?:on|over|at|in|for|from|by|to|until|till|the)\s+)*(?:(?:the )?(?:(?:first|last|second|third) )?"
    rf"(?:weekend|week|end|beginning|start|middle|evening|morning|afternoon|day) of (?:the )?)?"
    rf"(?:{_DAY}(?:,? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?)?(?: (?:of )?{_MONTH})?(?: \d{{4}})?|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?: (?:to|and|until) \d{{1,2}}(?:st|nd|rd|th)?)?(?: of)? {_MONTH}\b(?: \d{{4}})?|"
    rf"{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|(?:january|february|march|april|may|june|july|august|september|"
    rf"october|november|december)(?: \d{{4}})?|"
    rf"(?:this|next|last|coming|following) (?:coming )?(?:week(?:end)?|month|year|spring|summer|autumn|fall|winter|{_DAY}|"
    rf"{_MONTH})|"
    rf"\d{{1,2}}(?:st|nd|rd|th)|today|tonight|tomorrow|yesterday|(?<=in )\d{{4}}|\d{{4}}-\d\d-\d\d|in (?:a|two|three|\d+) "
    rf"(?:days?|weeks?|months?|years?)|"
    rf"(?:spring|summer|autumn|winter)(?: \d{{4}})?|(?:easter|christmas|new year'?s?(?: eve)?|thanksgiving)(?: "
    rf"\d{{4}})?)\b(?: (?:morning|afternoon|evening|night))?"
)
EXACT = re.compile(rf"\d(?:st|nd|rd|th)?\b(?<!\d{{4}})|{_DAY}\b|today|tonight|tomorrow|\d{{4}}-")
CLOCK = re.compile(
    r"\b(?:at|from|to|until) (?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?(?: ?(?P<half>[ap])\.?m\b\.?)?(?: ?o'clock)?"
    r"(?! (?:euros|people|am to|km|%|\d))|\b(?P<hour2>\d{1,2})[:.](?P<minute2>\d\d)\b"
)
PLACE = re.compile(
    r" (?:at|in) (?P<place>(?:the |our |(?:[^\s]+'s) )?[^\d,;.!?]+?)(?= (?:on|at|from|instead|because|with|for|now|"
    r"after)\b|[,;.!?]|$)"
)
_EVENT = (
    r"(?:appointment|meeting|call|interview|review|party|dinner|lunch|brunch|breakfast|barbecue|bbq|trip|flight|launch|"
    r"release|deadline|"
    r"workshop|offsite|conference|concert|wedding|exam|test|class|course|lesson|session|game|match|race|marathon|surgery|"
    r"operation|"
    r"check-?up|visit|tour|show|exhibition|festival|kick-?off|demo|presentation|rehearsal|hike|picnic|camping|holiday|vacation|"
    r"delivery|move|audition|hearing|ceremony|reunion|date|coffee|drinks|training|webinar|retreat|gig|viewing|inspection|"
    r"tournament|competition|event|table|reservation|booking|skiing|massage|haircut|check-in|shift|practice|playdate|"
    r"sleepover|baptism|christening|funeral|seminar|screening|freeze|go-live|opening|premiere|cruise|swim|ride|walk|run)s?"
)
OWN = frozenset("appoint interview flight exam test surgeri oper checkup deliveri audit hear shift lesson".split())
WITH_SOMEBODY = frozenset("dinner lunch brunch breakfast coffe drink date meet call".split())
_ADVERB = r"(?: (?:now|just|actually|already|unfortunately|sadly|finally|also|still|officially|probably))?"
_BE = r"(?:is|are|was|were|got|has been|have been|had to be|will be|is being|gets)"
_THE = r"(?P<e>[^,;:!?]{2,60}?)"
_TO = r"(?: (?:to|till|until|by|for)\b(?P<to>.*))?"
_IT_IS_OFF = (
    rf"^(?:there (?:is|will be) )?no (?P<e>(?:[^\s,]+ ){{0,2}}?{_EVENT})\b(?=$| (?:on|at|next|this|tomorrow|today|tonight|"
    rf"in)\b)",
    rf"^{_THE} {_BE}{_ADVERB} (?:cancelled|canceled|called off|scrapped|axed|off(?=$| for now| this| until| again))\b",
    rf"^{_THE}{_ADVERB} (?:is not|are not|will not be|isn't) (?:happening|taking place|going ahead|on)\b",
    rf"^{_THE} will not (?:take place|happen|go ahead|be held)\b",
    r"^(?P<s>[^,;:!?]{2,40}?) (?:has |have |had to |have to |has to |is )?(?:cancel|cancels|cancelled|canceled|cancelling|"
    r"called off|calling off|dropped|"
    r"scrapped|ditched|gave up on|backed out of|pulled out of) (?P<e>(?:the |a |an |his |her |their |[^\s]+'s "
    r")?(?!engagement)[^,;:!?]{2,60})",
)
_NOT_GOING_TO = (
    r"^(?P<s>[^,;:!?]{2,30}?) (?:is|are) not (?:going to |gonna |planning to |planning on )?(?P<e>(?:[a-z]+ing "
    r")?[^,;:!?]{2,60})$",
    r"^(?P<s>[^,;:!?]{2,30}?) (?:does not plan to|do not plan to|decided not to|decided against) (?P<e>[^,;:!?]{2,60})$",
)
_MOVED = (
    rf"^{_THE} {_BE}{_ADVERB} (?:re-?scheduled|moved|postponed|pushed(?: back| out)?|brought forward|delayed|put back|"
    rf"shifted|extended|put off)(?: (?:back|forward|up|out))?(?: by [^,]+?)?{_TO}",
    rf"^{_THE}{_ADVERB} (?:has )?(?:moved|slipped|shifted) (?:back )?to\b(?P<to>.*)",
    r"^(?P<s>[^,;:!?]{2,40}?) (?:has |have |had to |have to |is )?(?:re-?schedul(?:ed|e|ing)|moved?|moving|postponed?|"
    r"pushed|brought|extended|delayed|put off|"
    r"shifted) (?P<e>(?:the |his |her |their |[^\s]+'s )?[^,;:!?]{2,60}?)(?: (?:back|forward|out|up))?(?: (?:to|till|until|"
    r"by)\b(?P<to>.*))?$",
)
_IS_ON = (
    rf"^(?P<e>[^,;:!?]{{2,60}}?) (?:is|are|was){_ADVERB} (?:planned |scheduled |set |booked |due )?(?=(?:on|at|for|in|from|"
    rf"to|next|this|tomorrow|today|tonight)\b|the \d|\d|{_DAY}\b|{_MONTH} \d)(?P<to>.*)",
    r"^(?P<e>[^,;:!?]{2,60}?) (?:takes place|will take place|will be|starts|begins|will start|will begin)\b(?P<to>.*)",
)
NAMED = re.compile(
    rf"^(?P<e>(?:the |our )?(?:[^\s,]+ ){{0,2}}?{_EVENT}\b(?: (?:with|for|of) [^,;:!?]+?)?)"
    rf"(?P<to> (?:(?:on|at|next|this|from|in) |tomorrow\b|today\b|tonight\b|{_DAY}\b).*)"
)
_INTENDS = (
    r"^(?P<s>[^,;:!?]{2,30}?) (?:has|have|got|has got|booked|has booked|made|scheduled|arranged|organised|organized|signed "
    r"up for|"
    r"registered for|bought tickets for|has tickets for|got tickets for) (?P<e>(?:an?|the|tickets|his|her|dinner|lunch|"
    r"drinks|coffee|brunch) [^;:!?]{2,70})",
    r"^(?P<s>[^,;:!?]{2,30}?) (?:is|are) (?:going to |gonna |planning to |planning on )?(?P<e>(?:[a-z]+ing\b|(?<=going to "
    r")[a-z]+\b|(?<=gonna )[a-z]+\b|(?<=planning to )[a-z]+\b)[^;:!?]*)",
    r"^(?P<s>[^,;:!?]{2,30}?) (?:will|plans? to|intends? to|decided to) (?!always|never|be able|remember|definitely|love|"
    r"miss|keep)(?P<e>[^;:!?]{2,70})",
)
CANCEL = tuple(map(re.compile, _IT_IS_OFF))
NOT_GOING = tuple(map(re.compile, _NOT_GOING_TO))
MOVE = tuple(map(re.compile, _MOVED))
ON = tuple(map(re.compile, _IS_ON))
INTEND = tuple(map(re.compile, _INTENDS))
HAS_EVENT = re.compile(rf"\b{_EVENT}\b")
CANCEL_CUE = re.compile(
    r"^no |there (?:is|will be) no |cancel|call(?:ed|ing) off|scrapped|axed|\boff\b|\bnot\b|dropped|ditched|gave up on|"
    r"backed out|pulled out|against"
)
MOVE_CUE = re.compile(r"schedul|moved?\b|moving|postpone|pushed|brought|delay|put (?:back|off)|shifted|extended|slipped")
DATE_REACH = 20  # characters after what is off, for its date
SAYS_OF = re.compile(r" (?:is|are|was|will|takes|starts|begins|booked|signed)\b")
LEAD = re.compile(
    r"^(?:(?:and|but|so|well|oh|ok|update|heads up|reminder(?: to [^:,]+)?|(?:bad|good|great|sad) news|change of plans?|"
    r"unfortunately|sadly|by the way|fyi|just|also|hey|guess what)\b[,:]? )+"
)
TRAILING = re.compile(
    r",? (?:because|since|so that|as we|as it|after all|any ?more|instead|same place|as usual|due to)\b.*$| [–—-] .*$|,(?! "
    r"\d{4}).*$"
)
POSSESSIVE = re.compile(r"^(?P<owner>[^\s]+(?: [^\s]+)?)'s? (?=\S)")
THEIRS = re.compile(r"(?:her|his|their) ")
TELLING = frozenset("has have had got signed booked bought made is are was that which who will made asked said".split())
NO_OWNER = frozenset("it they we the this that there everyone everybody airline who he she".split())
IS_VERB = {"fli": "flight", "camp": "camp"}
EMPTY = frozenset(
    """plan trip book go attend sign schedul organ arrang ticket take get have make new next is be start begin visit join
    thing meet need happen place us them first last second third want do will final idea everyon end""".split()
)
