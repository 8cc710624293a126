"""Names that tell what they name: common given names, places, and words that are written like names and are none."""

from mneme.dates.spans import MONTHS, WEEKDAYS

GIVEN_NAMES = frozenset(
    """aaron abby abigail adam adrian aisha alan alana albert alejandro alex alexa alexander alexandra alexis ali
    alice alicia alison allison alyssa amanda amber amelia amir amy ana andre andrea andrew andy angela angelina anita
    ann anna anne annie anthony antonio ariana arthur ashley audrey austin ava bailey barbara becky bella ben benjamin
    bernard beth bianca bill billy bob bobby brad bradley brandon brenda brian brianna brittany brooke bruce bryan
    caleb cameron camila carl carla carlos carmen carol caroline carter casey catherine cathy charles charlie
    charlotte chen chloe chris christian christina christine christopher cindy claire clara claudia cody colin connor
    craig crystal cynthia daisy dan dana daniel daniela danielle danny darren dave david dean deborah denise dennis
    derek diana diane diego dominic donald donna doris dorothy doug douglas dylan eddie edward eileen elaine elena eli
    elias elijah elizabeth ella ellen emily emma eric erica erik erin ethan eva evan eve evelyn felix fiona frances
    francis frank fred freddie gabriel gary gavin george gina glenn gloria grace greg gregory hannah harold harriet
    harry harvey hassan heather hector heidi helen helena henry holly howard hugo ian ibrahim ines irene iris isaac
    isabel isabella ivan jack jackie jackson jacob jade jake james jamie jan jane janet janice jared jasmine jason jay
    jean jeff jeffrey jen jenna jennifer jenny jeremy jerry jesse jessica jill jim jimmy jo joan joanna joe joel
    johanna john johnny jon jonas jonathan jordan jorge jose joseph josh joshua joy juan juana judith judy julia
    julian julie june justin kai karen karl karla kate katherine kathleen kathy katie kayla keith kelly ken kenneth
    kevin kim kimberly kurt kyle lara larry laura lauren lea leah lee leila leo leon leonard leslie lewis liam lily
    linda lisa liz logan lola lora lori louis louise luca lucas lucia lucy luis luke luna lydia lynn maddie maggie
    manuel marc marcus margaret maria marie marina mario marion mark marta martha martin mary mason matt matteo
    matthew maya megan mei melanie melissa mia michael michelle miguel mike mila mina mira miriam mohamed molly monica
    morgan nadia nancy naomi natalia natalie nathan neil nicholas nick nicole nina noah noel nora oliver olivia omar
    oscar owen pablo pam pamela patricia patrick paul paula pedro peggy penny pete peter phil philip phoebe priya
    rachel rafael ralph raymond rebecca rick rita rob robert roberto robin roger ron ronald rosa rose rosie roy ruby
    russell ruth ryan sabrina sally sam samantha samuel sandra sara sarah scott sean sebastian shannon sharon shawn
    sheila shirley silvia simon simone sofia sonia sophia sophie stacy stan stella stephanie stephen steve steven
    stuart sue susan suzanne sylvia tania tanya tara teresa terry theo theresa thomas tiffany tim timothy tina todd
    tom tomas tommy toni tony tracy travis tyler ursula valerie vanessa vera veronica victor victoria vincent viola
    virginia walter wanda wayne wendy william yasmin yolanda yusuf yvonne zach zachary zoe""".split()
)
"""Lower-case given names, common in English-speaking countries; enough to tell most people from things."""

AMBIGUOUS_NAMES = frozenset(
    """amber art bill bob chase crystal daisy dan dawn dean drew eve frank gene grace grant holly iris jack jade jean
    jo joy june kit lee lily mark max may melody miles olive pat penny ray rich rob robin rose ruby sandy sky stan sue
    victor viola will""".split()
)
"""Given names that are common words too: with a capital at the beginning of a sentence they are no evidence."""

PLACES = frozenset(
    """africa america asia europe antarctica australia austria bali bangladesh barcelona belgium bolivia brazil
    britain bulgaria cambodia canada chile china colombia croatia cuba cyprus denmark ecuador egypt england estonia
    ethiopia fiji finland france germany ghana greece guatemala hungary iceland india indonesia iran iraq ireland
    israel italy jamaica japan jordan kenya korea laos latvia lebanon lithuania luxembourg madagascar malaysia
    maldives malta mexico mongolia morocco nepal netherlands nigeria norway pakistan panama paraguay peru philippines
    poland portugal romania russia scotland senegal serbia singapore slovakia slovenia somalia spain sweden
    switzerland syria taiwan tanzania thailand tunisia turkey uganda ukraine uruguay venezuela vietnam wales yemen
    zambia zimbabwe uk usa us u.s. eu uae amsterdam athens auckland bangkok beijing belfast belgrade berlin bern
    birmingham bologna bonn bordeaux boston bremen bristol brisbane brooklyn brussels bucharest budapest cairo calgary
    cambridge cardiff chengdu chicago cleveland cologne copenhagen dallas delhi denver detroit dresden dubai dublin
    edinburgh florence frankfurt galway geneva glasgow guangzhou hamburg hangzhou hanoi harlem helsinki himalayas
    hollywood houston istanbul jakarta jerusalem johannesburg kyiv kyoto lagos leeds leipzig liverpool lisbon
    ljubljana london luxor lyon madrid manchester manhattan marseille melbourne memphis miami milan milwaukee
    minneapolis montreal moscow mumbai munich nairobi naples nashville nyc orlando osaka oslo ottawa oxford paris
    perth philadelphia phoenix pittsburgh portland porto prague queens quebec rio riga rome rotterdam salzburg sapporo
    seattle seoul seville shanghai shenzhen sicily stockholm stuttgart sydney talkeetna tallinn tampa tokyo toronto
    toulouse turin vancouver venice vienna vilnius warsaw wellington zagreb zurich alabama alaska alberta arizona
    arkansas california carolina colorado connecticut dakota delaware florida georgia hawaii idaho illinois indiana
    iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana
    nebraska nevada ohio oklahoma ontario oregon pennsylvania tennessee texas utah vermont virginia washington
    wisconsin wyoming alps andes bavaria caribbean catalonia normandy patagonia provence pyrenees sahara scandinavia
    siberia tuscany yosemite yellowstone""".split()
)
"""Lower-case names of countries, states, regions and cities."""

NO_NAMES = (
    frozenset(
        """christmas xmas halloween easter thanksgiving hanukkah god jesus yesterday today tomorrow tonight plan mr mrs ms
    miss dr mom dad mum mama papa grandma grandpa granny tv ai pm am diy diys faq asap btw fyi ui ux api apis pdf url
    kv pii cpu gpu ram sql html css http https json wifi wi-fi usb pc id ids ios ok lol omg imo imho aka etc eta rpg
    cv hr ceo cto rmb usd eur gps atm bmi sms qa thankfully luckily fortunately unfortunately sadly eventually
    suddenly obviously apparently basically clearly hopefully wish guess perfect remember realizing whenever woohoo
    woo ugh woah whoa hmm nah haha hahaha plus since sometimes dear congratulations yum aww oof phew yikes darn gosh
    geez jeez dang yup yay hooray bravo cheers cmon hiya howdy yea ahh ohh mon tue tues wed thu thur thurs fri sat sun
    jan feb mar apr jun jul aug sept sep oct nov dec asked spanish english french german italian chinese japanese
    russian american americans british canadian european african asian mexican indian midwestern irish scottish welsh
    korean thai vietnamese greek turkish dutch swedish norwegian danish finnish polish portuguese brazilian australian
    arabic latin hispanic jewish muslim christian catholic buddhist hindu mediterranean victorian republican democrat
    internet web bluetooth""".split()
    )
    | {name.lower() for name in MONTHS}
    | {form for day in WEEKDAYS for form in (day, f"{day}s")}
)
"""Lower-case words with a capital that name nobody and nothing worth a node of its own."""
