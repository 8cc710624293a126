"""Cues of traits and facts about oneself in English."""

import re
from collections import defaultdict

from mneme.guarded import words_of

_ADVERBS = (
    r"(?:\s+(?:really|also|just|absolutely|still|do|always|totally|definitely|so|actually|especially|both|kinda|"
    r"truly|usually|all|even|personally))*\s+"
)
_I = rf"\bI{_ADVERBS}"
_WE = rf"\b(?:I|[Ww]e){_ADVERBS}"
_I_AM = (
    r"\bI(?:['’]m| am|['’]ve (?:always )?been| have been)(?:\s+(?:really|also|just|absolutely|still|totally|so|"
    r"actually|a bit|super|very|pretty|always))*\s+"
)
_PASSING = (
    r"(?!(?:it|that|this|these|those|how|when|what|your|you|them|him|her|his|their|all the|the (?:way|idea|fact|"
    r"look|sound|colou?rs?|red|blue|pic\w*|photo|design|vibe|energy)|to (?:see|hear|know)|seeing (?:your|you|"
    r"that)|hearing)\b)"
)
_NO_TRADE = (
    r"(?!(?:bit|little|lot|fan|big|huge|mix|few|total|firm|great|strong|long|good|bad|ton|bunch|couple|real|true|"
    r"fellow|bummer|blast|step)\b)"
)
_NO_POSSESSION = (
    r"(?!(?:lot|bit|feeling|few|great|good|hard|tough|blast|ton|chance|question|meeting|game|appointment|interview|plan|idea|"
    r"talk|couple|fun|nice|wonderful|amazing|awesome|picnic|party|conversation|chat|look|pic\w*|photo|dream|"
    r"break|day|week|trip|"
    r"moment|time|new idea|dinner|lunch|special|cool|surprise|similar|rejection|letter|call|email|message|job|"
    r"degree|long|something|new addition|busy|rough|crazy|wild|super|really|big day)\b)"
)
_THINGS = (
    r"(?:cars?|house|home|apartment|flat|condo|cottage|bikes?|bicycle|motorcycle|boat|garden|guitars?|piano|"
    r"violin|cello|drums?|camera|"
    r"collection|tattoos?|necklace|ring|farm|cabin|truck|van|kayak|surfboard|telescope|library|studio|"
    r"workshop|dogs?|cats?|pets?|"
    r"turtles?|birds?|horses?|rabbits?|snakes?|fish|kids?|sons?|daughters?|children|sisters?|brothers?|siblings?|twins?)"
)
_OFTEN = (
    r"(?:day|morning|night|evening|week|weekend|month|year|summer|winter|sunday|saturday|monday|tuesday|wednesday|"
    r"thursday|friday)"
)
_BODY = r"(?:knee|ankle|back|shoulder|wrist|hip|foot|leg|arm|elbow|neck|stomach|lungs?|liver)"
_ART = (
    r"(?:paint(?:ing)?s?|pottery|drawings?|poems?|poetry|songs?|music|art|sculptures?|photography|screenplays?|"
    r"scripts?|novels?|stories|writing|garden|designs?)"
)
_STRONG = r"(?:important|everything|essential|precious|vital|dear|the most important thing)"

_CUES: tuple[tuple[str, str, str], ...] = (
    ("dislike", "hate dislike stand like enjoy eat drink detest avoid",
     _I + r"(?:hate|dislike|can['’]?t stand|don['’]?t (?:like|enjoy|eat|drink)|detest|avoid)\s+" + _PASSING + r"\w"),
    ("dislike", "fan into keen",
     r"\bI['’]m not (?:a (?:big |huge )?fan of|into|keen on)\s+" + _PASSING + r"\w"),
    ("health", "allergic vegetarian vegan diabetic pregnant asthmatic intolerant recovering therapy",
     _I_AM + r"(?:allergic|vegetarian|vegan|diabetic|pregnant|asthmatic|(?:\w+[- ])?intolerant|recovering from|in therapy)\b"),
    ("health",
     "asthma diabetes migraine migraines arthritis allergy allergies anxiety depression insomnia adhd injury "
     "condition surgery",
     r"\bI (?:have|['’]ve got|suffer from|was diagnosed with|got diagnosed with) (?:a |an |my )?(?:\w+ "
     r")?(?:asthma|diabetes|migraines?|arthritis|allerg\w+|anxiety|depression|insomnia|adhd|injury|condition|"
     r"surgery)\b"),
    ("health",
     "knee ankle back shoulder wrist hip foot leg arm elbow neck stomach lung lungs liver sprained broke "
     "injured tore twisted fractured hurt heart",
     rf"\b[Mm]y (?:left |right |lower |upper |bad |old )?{_BODY} (?:gave|hurts?|aches?|(?:is|was|got|has been) "
     rf"(?:injured|hurt|bad|sore|broken|swollen|better|killing|acting)|needs)\b|\b(?:sprained|broke|injured|"
     rf"tore|twisted|fractured|hurt) my\b"),
    ("health",
     "seasick carsick airsick motion migraines headaches panic hives weigh weighed weight waist pressure "
     "sugar cholesterol bmi",
     r"\bI (?:get|got|always get|easily get) (?:so |very )?(?:seasick|carsick|airsick|motion sick\w*|"
     r"migraines|headaches|panic attacks|hives)\b|\bI['’]?(?:m| get)? (?:just )?(?:weigh(?:ed)?|weight)\b|"
     r"\bmy (?:weight|waist|blood pressure|blood sugar|cholesterol|bmi)\b"),
    ("preference", "love like enjoy prefer adore",
     _WE + r"(?:love|like|enjoy|prefer|adore)\s+" + _PASSING + r"[\w\"“]"),
    ("preference", "into keen fond obsessed crazy fan lover hooked",
     _I_AM + r"(?:into|keen on|fond of|obsessed with|crazy about|a (?:\w+ )?(?:fan|lover) of|hooked on)\s+" + _PASSING + r"\w"),
    ("preference", "all fan fans thing things enjoy",
     r"\bI(?:['’]m| am) all about\s+" + _PASSING + r"\w|\bI(?:['’]m| am) a (?:\w+ )?(?!big |huge |total )\w+ fan\b"
     r"|\b(?:is|are) (?:totally |really |so )?my things?\b|\bI really enjoy\b"),
    ("preference", "favorite favourite favorites favourites fave faves fav favs pick go",
     r"\b[Mm]y (?:\w+[- ]?){0,2}fav(?:ou?rite|e)s?\b|\b(?:is|are|['’]s) (?:definitely |probably |one of )?my "
     r"(?:all-time |absolute )?(?:fav(?:ou?rite|e)s?|top pick|go-to)\b|\bone of my fav\w+"),
    ("preference", "must calms relaxes soothes live life",
     r"\b(?:is|are) a must(?:-have)? (?:for me|in my life)\b|\b(?:calms|relaxes|soothes) me\b|\bI(?: really)? "
     r"(?:can['’]?t|couldn['’]?t) live without\b|\b(?:can['’]?t|couldn['’]?t) (?:picture|imagine) (?:my "
     r")?life without\b"),
    ("goal", "dream dreams goal goals ambition ambitions",
     r"\b[Mm]y (?:\w+ ){0,2}(?:dream|goal|ambition)s? (?:is|are|has|was)\b|\bnumber one goal\b|\bit['’]s "
     r"(?:always )?been a dream of mine\b"),
    ("goal", "want wanna dream hope aspire",
     _I +
     r"(?:want to|wanna|dream of|hope to|aspire to)\s+(?:become|becoming|be (?:a|an)|learn|learning|start "
     r"(?:a|my|an|giving)|starting (?:a|my)|open|opening|"
     r"own|travel|travelling|live|living|move|work (?:as|in|with)|study|teach|write (?:a|my)|run (?:a|my)|"
     r"make (?:a|it|an|the)|help|create|build (?:a|my)|"
     r"save|lose|quit|retire|pursue|give back|inspire|buy|adopt|have (?:kids|a family)|use my|win|support|raise)\b"),
    ("goal", "career determined",
     r"\b(?:looking into|thinking (?:of|about)|considering|exploring)\b.*\bas a career\b|\bI(?:['’]m| am) "
     r"(?:so |really )?determined to (?!do it|try)\w"),
    ("goal", "love like working career",
     r"\bI['’]d (?:really )?(?:love|like) to (?:become|be|work|start|open|learn|write|build|own|run|teach|"
     r"study|support)\b|\b(?:working in|career in|a career as)\b"),
    ("work", "job career role profession boss",
     r"\b(?:[Ll]ost|[Ll]osing|quit|left|started|got|found|love|like|enjoy|enjoying|starting) (?:my|a|a new|"
     r"an) (?:\w+ )?job\b|\b[Mm]y (?:new |old |current )?(?:job (?:as|at|is|was)|career|role|profession|9-5|"
     r"boss)\b"),
    ("work", "work worked working teach teaching coach coaching freelance freelancing manage managing run running",
     _I +
     r"(?:work|worked|am working|['’]m working) (?:as|in|for|at) (?!(?:least|all|home|time|it|this|that|them|"
     r"my|the moment|progress)\b)\w|\bI(?:['’]m| am|['’]ve been)? (?:teach(?:ing)?|coach(?:ing)?|manag(?:e|"
     r"ing)|run(?:ning)?) (?:an? |the |my |our )?(?:\w+ )?(?:team|class|classes|kids|students|piano|dance|"
     r"business|company|store|shop|department|restaurant|blog|channel|school|yoga|music)\b"),
    ("work",
     "banker nurse doctor teacher engineer lawyer chef writer designer developer manager waiter waitress "
     "barista journalist accountant architect analyst promoted drafted hired laid fired retired signed "
     "transferred charge responsible",
     r"\b(?:as an? (?:\w+ )?(?:banker|nurse|doctor|teacher|engineer|lawyer|chef|writer|designer|developer|"
     r"manager|waiter|waitress|barista|journalist|accountant|architect|analyst))\b|\bI (?:was|got|am|"
     r"['’]m)(?: just)? (?:promoted|drafted|hired|laid off|fired|retired|signed|transferred)\b|\bI signed "
     r"with\b|\b[Ii]n charge of\b|\bI(?:['’]m| am) responsible for\b"),
    ("work", "business biz company studio store shop restaurant bakery startup brand",
     r"\b(?:start(?:ed|ing|in['’])?|running|runnin['’]|run|opened|opening|own|launched|build|building|growing|"
     r"invest\w*(?: my time)? in) (?:up )?(?:my|our|a|an) (?:\w+ ){0,3}(?:business|biz|company|studio|store|"
     r"shop|restaurant|bakery|startup|brand)\b|\bI\b.*\bmy own (?:\w+ )?(?:business|studio|store|shop|"
     r"company)\b"),
    ("family", "married engaged divorced widowed single family husband wife partner",
     r"\b(?:I(?:['’]ve| have)?|[Ww]e(?:['’]ve| have)?) (?:been |got |are |just got )?(?:married|engaged|"
     r"divorced|widowed)\b|\bsingle (?:mom|mum|dad|parent|mother|father)\b|\b[Mm]y family (?:is|means|"
     r"motivates|lives|keeps|has (?:always )?been)\b|\b[Mm]y (?:husband|wife|partner) and (?:kids|children|I|"
     r"son|daughter)\b"),
    ("value", "important everything essential precious vital dear",
     rf"^(?!.*\b(?:your?|this|that)\b).*\b(?:is|are|['’]s|was) (?:so |really |very |super |extremely |always "
     rf")?{_STRONG}(?: thing)? (?:to|for) me\b"),
    ("value", "means mean",
     r"^(?!.*\b(?:your?|this|that)\b).*\bmeans? (?:so much|a lot|the world|everything) to me\b"),
    ("value", "lucky blessed grateful",
     r"\bI(?:['’]m| am)(?: (?:so|really|very|truly))* (?:lucky|blessed|grateful) to have (?:my|such) (?:\w+ "
     r")?(?:family|friends|kids|husband|wife)\b"),
    ("value", "care believe value rely stand fight advocate passionate passion calling purpose giving",
     _I +
     r"(?:care (?:about|deeply)|believe in|value|rely on|stand up for|fight for|advocate)\s+(?!(?:you|it|this|"
     r"that)\b)\w|\b(?:passionate about|[Mm]y (?:\w+ )?passion (?:for|to|is)|my (?:true |real )?calling|sense "
     r"of purpose|giving back)\b"),
    ("value", "supporting helping fighting standing involved doing worked work volunteer volunteered volunteering",
     r"^(?=.*\b(?:I|me|my)\b).*\b(?:supporting|helping|fighting for|standing up for) (?:\w+ "
     r"){0,3}(?:community|communities|kids|"
     r"veterans|youth|people|rights|homeless|others|women|animals|sports?|education|athletes|schools|"
     r"causes)\b|\b(?:involved in|doing) (?:some |a lot of )?(?:charity|community|local|volunteer)|\b(?:I|"
     r"[Ww]e) "
     r"(?:worked|work|volunteer\w*) (?:with|at|for) (?:a|an|the|some) (?:\w+ ){0,3}(?:organi[sz]ation|shelter|"
     r"charity|center|centre|school|community)\b|\bI(?:['’]ve)? (?:been )?volunteer(?:ed|ing|s)?\b|\b(?:I|me|"
     r"my)\b.*\bvolunteering\b"),
    ("identity", "a an",
     rf"(?:\bI(?:['’]m| am)(?:\s+(?:really|also|just|still|actually))*\s+|\bI work as\s+)an?\s+{_NO_TRADE}\w+"),
    ("identity",
     "transition gender womanhood came trans transgender gay lesbian bisexual queer binary christian muslim "
     "jewish buddhist catholic hindu true",
     r"\b(?:[Mm]y transition|my (?:own )?gender|my womanhood|I came out|when I came out|I(?:['’]m| am) "
     r"(?:trans(?:gender)?|gay|lesbian|bisexual|queer|non-binary|christian|muslim|jewish|buddhist|catholic|"
     r"hindu))\b|\btrue to myself\b"),
    ("skill", "play speak know can",
     _I + r"(?:play|speak|know how to|can (?:play|speak|cook|paint|dance|sing|code|draw))\s+" + _PASSING + r"\w"),
    ("possession", "got have own adopted bought",
     rf"\bI(?:['’]ve got| have| own| got)\s+(?:a|an|my own|two|three|four|five|\d+)\s+(?:\w+ )?{_THINGS}\b"
     rf"|\bI (?:just |recently )?(?:own|adopted|bought)\s+(?:a|an|two|three|my)\s+{_NO_POSSESSION}\w|\b[Gg]ot "
     rf"(?:the|a|my) tattoo\b"),
    ("origin", "from grew born country",
     r"\bI(?:['’]m| am| come) (?:originally )?from\s+\w|\bI (?:grew up|was born) in\b|\bmoved from my home country\b"),
    ("home", "live lived moved",
     _I + r"(?:live|['’]ve lived|have lived|moved) (?:in|to|with|here|alone|near|by)\b"),
    ("interest", "learning reading writing",
     r"\bI(?:['’]m| am|['’]ve been| have been)(?: (?:also|currently|still|just))* (?:learning (?:how to|to|"
     r"about|the|\w+$)|reading (?!it|that|this|your)\w|"
     r"writing (?:a|my|another|poetry|songs)\b)"),
    ("interest", "way",
     r"\b(?:is|are|was) (?:such )?an? (?:great|good|nice|wonderful|awesome|amazing) (?:way|outlet)(?: for "
     r"me)? to\b(?=.*\b(?:me|my|I)\b)"),
    ("interest", "started began took picked got signed joined",
     _I +
     r"(?:started|began|took up|picked up|got into|signed up for|joined) (?!(?:to|working|my|thinking|feeling|"
     r"with|it|this|that|crying|looking|going|getting)\b)\w+(?:ing\b|.*\b(?:ago|class|classes|lessons|club|"
     r"group|team)\b)"),
    ("interest", "been since years",
     r"(?:\bI(?:['’]ve| have) been|^[Bb]een) (?:really |super |so )?(?:into|(?!thinking|feeling|going|doing|"
     r"looking|having|wanting|trying|meaning|waiting)\w+ing)\b.*\b(?:for (?:\w+ ){1,2}(?:years|months)|since|"
     r"lately|a lot|nonstop)\b|\bsince I was (?:a kid|a child|little|young|\d+|ten|\w+teen)\b|\bsince "
     r"childhood\b|\b(?:[Ss]even|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Tt]en|\d+) years now\b"),
    ("interest", "help helps helped",
     r"^(?!.*\b(?:you|your|that|this|it|they)\b (?:really |always )?(?:helps?|helped)).*\b(?:helps?|helped) "
     r"me (?:to )?(?:relax|de-?stress|express|unwind|cope|escape|feel|explore|calm|clear|find|improve|stay|"
     r"understand)\b"),
    ("interest", "my hobby hobbies muse muses escape nature great awesome amazing good helpful outlet",
     r"\b(?:is|are|['’]s|was) (?:pretty much |kind of |just |also |like |such a |been )*(?:my|a) (?:\w+ "
     r")?(?:escape|outlet|therapy|passion|happy place|stress[- ]?\w*|sanctuary|hobby|muses?|second "
     r"nature)\b(?!.*\byou)|\b[Mm]y (?:real |biggest |main )?(?:hobby|hobbies|muses?|stress[- ]?\w+|go-to|"
     r"escape)\b|\bsecond nature to me\b|\bbeen (?:really |so |super )*(?:great|awesome|amazing|good|helpful) "
     r"for me\b"),
    ("interest", "painted drew sculpted wrote composed designed knitted crafted finished made created done built baked own",
     rf"\bI(?:['’]ve| have)?(?: (?:just|also|recently|finally|even))* (?:painted|drew|sculpted|wrote|composed|"
     rf"designed|knitted|crafted|finished|made|created|done|built|baked) (?:my|a|an|another|some|that|this|"
     rf"these|it)\b.*\b{_ART}\b|\b[Mm]y own {_ART}\b|\bI painted\b|\bI drew\b"),
    ("interest",
     "paint draw sing dance surf hike bake knit swim climb cycle ski volunteer read cook game camp fish "
     "garden meditate jog",
     _I +
     r"(?:paint|draw|sing|dance|surf|hike|bake|knit|swim|climb|cycle|ski|volunteer|read|cook|game|camp|fish|"
     r"garden|meditate|jog)\b(?! (?:it|that|this|you))"),
    ("habit", "every each",
     r"^(?!.*\b(?:these|past|last|this)\b).*\b(?:I|[Ww]e|my)\b.{0,80}\b(?:every|each) " + _OFTEN + r"\b"),
    ("habit", "usually often regularly always never normally typically tend",
     _WE +
     r"(?:usually|often|regularly|always|never|normally|typically|tend to)\s+(?!(?:been|wanted|knew|know|had|"
     r"loved|thought|felt|be|forget|remember|seen|find|a|the)\b)\w"),
    ("habit", "during weekends holidays sundays saturdays christmas",
     r"\b(?:I|[Ww]e)(?: (?:also|always|usually|often))* (?:watch|play|go|visit|celebrate|cook|eat|read|bake|"
     r"run|meet|have)\b.*\b(?:during|on|at|over) "
     r"(?:the )?(?:holidays?|weekends|sundays|saturdays|Sundays|Saturdays|Christmas|Thanksgiving)\b"),
    ("habit", "usually typically time once twice times whenever",
     r"\bI usually\b|\bI typically\b|\b[Ii]n my (?:free|spare|down) ?time\b|\b(?:once|twice|three times) (?:a|"
     r"per) (?:day|week|month|year)\b(?=.*\b(?:I|we)\b)|\b[Ww]henever I\b"),
    ("trait",
     "introvert introverted extrovert extroverted perfectionist owl bird homebody person shy stubborn "
     "impatient clumsy disorganised disorganized organised organized competitive worrier regret worry "
     "overthink procrastinate quit",
     r"\bI(?:['’]m| am) (?:\w+ )?(?:an? )?(?:\w+ )?(?:introvert\w*|extrovert\w*|perfectionist|night owl|early "
     r"bird|homebody|people person|morning person|shy|stubborn|impatient|clumsy|disorgani[sz]ed|organi[sz]ed|"
     r"competitive|a worrier)\b|\bI (?:always|usually) (?:regret|worry|overthink|procrastinate)\b|\bI "
     r"won['’]t quit\b"),
)  # fmt: skip
"""Category, the words of which one is in every sentence that the pattern fits, and the pattern; earlier ones win."""

_BY_WORD: dict[str, list[int]] = defaultdict(list)
for _number, (_, _words, _) in enumerate(_CUES):
    for _word in _words.split():
        _BY_WORD[_word].append(_number)
_WORDS = frozenset(_BY_WORD)
_PATTERNS = tuple(re.compile(pattern) for _, _, pattern in _CUES)
_TOKEN = re.compile(r"[a-z]+")
_SELF = re.compile(r"\b(?:I|[Mm]y|me|[Ww]e|[Ii]['’]?[mdv]e?)\b|^[A-Z][a-z]+(?:ed|en|ing|t)\b")


def cued(text: str) -> str | None:
    """The category of the first pattern that a sentence fits."""
    if not _SELF.search(text):
        return None
    words = words_of(text) if text.isascii() else frozenset(_TOKEN.findall(text.lower()))
    numbers = {number for word in words & _WORDS for number in _BY_WORD[word]}
    return next((_CUES[number][0] for number in sorted(numbers) if _PATTERNS[number].search(text)), None)
