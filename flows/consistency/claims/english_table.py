"""The table of what English statements claim of people and things: rows of (cues, about, value, shape), see patterns.py.

Shapes are matched at the beginning of a prepared clause (english_grammar.py): in the third person, without adverbs, denial
and auxiliaries of habit.
"""

FRAGMENTS = {
    "S": r"^(?P<s>[^\s,]+(?: [^\s,]+){0,4}?)",
    "v": r"(?P<v>[^,;:.!?]+?)",
    "n": r"(?P<n>[^,;:.!?]+?)",
    "o": r"(?P<o>[^,;:.!?]+)",
    "l": r"(?P<l>[^,;:.!?]+)",
    "end": r"(?= (?:as|in|on|since|and|because|where|who|whom|but|so|from|until|when|while|with|at|near|for|after|before|last|"
    r"this|next|to|by|ago|yesterday|today|tomorrow|which|that|it|is|instead|every|each|out|back|together|again|over)\b| \(|$)",
    "is": r"(?:is|are|has been|have been|was made|became|got)",
    "her": r"(?:her|his|their|[^\s,]+'s)",
    "kin": r"(?:boyfriend|girlfriend|partner|fianc[eé]e?)",
    "spouse": r"(?:husband|wife|spouse)",
    "trade": r"(?P<role>(?:[a-z-]+ ){0,3}?(?:[a-z]+(?:ologist|ographer|ician|ineer|tect|surgeon|keeper|maker|dresser|fighter)|"
    r"accountant|actor|actress|agent|analyst|apprentice|assistant|associate|attendant|attorney|baker|banker|barber|barista|"
    r"bartender|boss|broker|builder|butcher|buyer|captain|caretaker|carpenter|cashier|ceo|cfo|chef|cleaner|clerk|coach|"
    r"consultant|contractor|controller|cook|coordinator|copywriter|counsell?or|courier|cto|curator|dentist|designer|"
    r"developer|director|doctor|driver|editor|electrician|engineer|farmer|founder|freelancer|gardener|guard|head of [a-z]+|"
    r"instructor|intern|journalist|judge|lawyer|lead|lecturer|manager|mechanic|midwife|model|nanny|nurse|officer|operator|"
    r"painter|paralegal|paramedic|partner at [a-z]+|pharmacist|pilot|planner|plumber|porter|postman|principal|producer|"
    r"professor|programmer|ranger|realtor|receptionist|recruiter|reporter|researcher|roofer|salesman|scientist|secretary|"
    r"server|soldier|solicitor|specialist|stylist|supervisor|tailor|teacher|technician|teller|tester|therapist|trader|trainee|"
    r"trainer|translator|tutor|vet|vp|waiter|waitress|welder|worker|writer))",
    "place": r"(?:house|home|flat|apartment|place|room|studio|condo|cottage|bungalow|loft)",
    "car": r"(?P<v>(?:[a-z0-9-]+ ){0,2}?(?:golf|polo|passat|beetle|vw|volkswagen|audi|bmw|mercedes|opel|ford|fiesta|focus|fiat|"
    r"panda|peugeot|renault|clio|citro[eë]n|toyota|corolla|prius|yaris|honda|civic|nissan|leaf|mazda|subaru|mini|volvo|saab|"
    r"skoda|octavia|seat|tesla|model [3sxy]|kia|hyundai|suzuki|jeep|chevy|chevrolet|dodge|lexus|porsche|jaguar|dacia|byd))",
    "pet": r"(?P<a>dog|cat|puppy|kitten|parrot|rabbit|hamster|horse|pony|turtle|snake|goldfish|guinea pig|budgie)",
    "ill": r"(?P<a>flu|cold|covid|fever|migraine|bronchitis|pneumonia|tonsillitis|stomach bug|chickenpox|norovirus|infection)",
    "number": r"(?P<v>[£$€]?\d[\d,.]*(?: ?(?:k|million|billion|m|%|percent))?|two|three|four|five|six|seven|eight|nine|ten|"
              r"eleven|twelve)",
    "amount": r"(?:budget|price|rent|salary|fee|cost|deposit|limit|target|goal|quota|capacity|headcount|rate|wage|allowance|"
    r"subscription|membership|ticket price|turnover|revenue|score|weight|height|password|pin|version|timeout|threshold)",
    "state": r"(?P<v>open|closed|in progress|blocked|done|fixed|finished|complete|completed|shipped|merged|started|on hold|"
    r"ready|broken|down|live|released|deployed|in review|approved|rejected|resolved|unresolved|solved|out of stock|in stock|"
    r"sold out|available|unavailable|pending|delivered|on its way|overdue|paid|unpaid|signed|submitted|in testing|on track|"
    r"delayed|late|back up|up and running|working|offline|online)",
    "hour": r"(?P<v>\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m)?|noon|midnight)",
}  # fmt: skip
ROWS = (  # cue words, about, value, shape
    # --- work -----------------------------------------------------------------------------------------------------
    ("work works working employed driving interning", "{s}|job", "org={v};role={role}",
     r"<S> (?:works?|is working|has been working|started working|began working|is employed|is interning|"
     r"(?:is|has been) driving) (?:full-time |part-time )?(?:at|for) <v>(?: as (?:an? |the )?(?P<role>[a-z -]+?))?<end>"),
    ("work works working", "{s}|job", "org={v};role={role}",
     r"<S> (?:works?|is working|has been working|started working|began working) as (?:an? |the )?(?P<role>[a-z -]+?)(?: "
     r"(?:at|for|with) <v>)?<end>"),
    ("job position role", "{s}|job", "org={v}",
     r"<S> (?:got|landed|took|accepted|found|started|starts|has|has got|begins|began|got hired for) (?:an? |the |her |his |"
     r"their )?"
     r"(?:new )?(?:[a-z]+ )?(?:job|position|role|work) (?:at|with|for) <v><end>"),
    ("been_at", "{s}|job", "org={v}", r"<S> has been at <v> for (?:[a-z]+|\d+|over [a-z]+) years\b"),
    ("job", "{s}|job", "org={v}", r"<S>'s new job is (?:at|with) <v><end>"),
    ("self-employed freelance freelancing freelances", "{s}|job", "role=freelancer", r"<S> (?:is self-employed|went "
     r"freelance|is freelanc(?:e|ing)|freelances|works freelance)"),
    ("day", "{s}|job", "org={v}",
     r"^(?:(?:[a-z0-9 ]+ )?(?:is|was) )?(?P<s>[^\s,]+(?: [^\s,]+){0,2}?)'s first day (?:at work )?(?:at|with) <v><end>"),
    ("started starts hired joined joins", "{s}|job", "org={v};role={role}",
     r"<S> (?:got hired (?:at|by)|joined|joins|(?:started|starts) at) (?!\d|an? )<v> as (?:an? |the )?(?P<role>[a-z "
     r"-]+?)<end>"),
    ("started starts hired", "{s}|job", "org={v}",
     r"<S> (?:got hired (?:at|by)|was hired by|(?:started|starts) at) (?!\d|(?:the )?(?:gym|school|uni|university|college|"
     r"beginning|end|kindergarten|top|bottom|noon|dawn|midnight|home)\b)<v><end>"),
    ("is_a is_an became_a became_an got_a been_a been_an", "{s}|job", "role={role};org={v}", r"<S> <is> (?:an? |the "
     r")(?:new )?<trade> (?:at|for|with) <v><end>"),
    ("is_a is_an is_the is_their became_a became_an got_a found_work", "{s}|job", "role={role}", r"<S> (?:is|became|got a "
     r"job as|found work as) (?:an? |the |their )(?:new )?<trade><end>"),
    ("lead manager head director promoted is_the is_head", "{s}|job", "role={v}",
     r"<S> (?:is|became|got promoted to|was promoted to|has been promoted to) (?:the )?(?P<v>(?:[a-z]+ )?(?:lead|manager|"
     r"head of [a-z]+|"
     r"director|[a-z]+ (?:engineer|developer|nurse|analyst|designer)))<end>"),
    ("teaches", "{s}|job", "org={v}", r"<S> teaches [a-z]+(?: [a-z]+)? at <v><end>"),
    ("unemployed jobless out_of between_jobs", "{s}|job", "none", r"<S> (?:is|has been) (?:unemployed|jobless|out of work|"
     r"between jobs)\b"),
    ("looking_for searching_for hunting_for", "{s}|job", "seeks",
     r"<S> (?:is|has been) (?:looking|searching|hunting) for (?:a |an |some )?(?:new )?(?:[a-z]+ )?(?:job|work|position)\b"),
    ("retired", "{s}|job", "-", r"<S> (?:is|has|has been)? ?retired\b"),
    ("quit left resigned lost", "{s}|job", "-org={v}",
     r"<S> (?:has )?(?:quit|left|resigned from|lost|gave up|walked out of) (?:<her> |the |that )?(?:old |[a-z]+ )?(?:job|"
     r"position|role|firm|company)"
     r"(?: (?:at|with|for|in) <v>)?<end>"),
    ("quit resigned fired laid sacked", "{s}|job", "-org={v}",
     r"<S> (?:has |got |was |has been )?(?:resigned|quit|fired|laid off|sacked|made redundant)(?: (?:from|by) <v>)?<end>"),
    ("let made", "{who}|job", "-", r"^[^,]+? (?:let|is letting|has let|made|laid) (?P<who>[^\s,]+) (?:go|redundant|off)\b"),
    ("was_let got_let notice", "{s}|job", "-", r"<S> (?:(?:was|got|has been) let go|(?:handed in|gave|put in|has given) "
                                               r"(?:<her> |in <her> )?notice)\b"),
    ("laid fired sacked dismissed", "{who}|job", "-", r"^[^,]+? (?:laid off|fired|sacked|dismissed) (?P<who>[^\s,]+)<end>"),
    ("runs run owns", "{s}|job", "org={v}", r"<S> (?:runs?|owns) <her> own (?P<v>[a-z ]+?)<end>"),
    ("closed sold shut gave", "{s}|job", "-org={v}", r"<S> (?:closed|sold|shut down|gave up) (?:the |<her> )?(?P<v>[a-z "
                                                     r"]*(?:studio|shop|store|business|"
     r"company|cafe|café|restaurant|bakery|practice|salon|bar|agency|firm))<end>"),
    ("left quit", "{s}|job", "?-org={n}", r"<S> (?:has )?(?:left|quit) (?![a-z]+ing\b|for |to |at |in |on |early|work|with "
                                          r")<n><end>"),
    # --- school ----------------------------------------------------------------------------------------------------
    ("studies studying attends enrolled student goes started", "{s}|school", "org={v}",
     r"<S> (?:studies|is studying|has been studying|enrolled|got into|attends|started|goes|is a student)(?: "
     r"[a-z]+){0,3}?(?: (?:at|in|to))? "
     r"(?P<v>(?:the )?(?:[a-z' ]+ )?(?:university|college|school|academy|uni)(?: of [a-z]+)?)<end>"),
    ("graduated dropped finished", "{s}|school", "-org={v}",
     r"<S> (?:has )?(?:graduated from|dropped out of|finished) (?P<v>(?:the )?(?:[a-z' ]+ )?(?:university|college|school|"
     r"academy|uni)(?: of [a-z]+)?)<end>"),
    # --- home ------------------------------------------------------------------------------------------------------
    ("live lives living based resides settled lived", "{s}|home", "{n}",
     r"<S> (?:lives?|is living|has been living|has lived|is based|resides|settled|has settled|settled down)(?: with "
     r"[^,]+?)?(?: (?:in|on) (?:an? |the )[a-z ]+?)? in <n><end>"),
    ("moved relocated", "{s}|home", "{n}",
     r"<S> (?:has )?(?:moved|relocated)(?: back| over| down| up| away| home| house)?(?: from [^,]+?)? to <n><end>"),
    ("moved", "{s}|home", "{n}", r"<S> (?:has )?moved (?:in with [^,]+?|into [^,]+?) in <n><end>"),
    ("home", "{s}|home", "{n}", r"^home is (?:in )?<n> for (?P<s>[^\s,]+)"),
    ("home", "{s}|home", "{n}", r"<S>'s (?:new )?home is (?:in )?<n><end>"),
    ("back_in back_home back_to", "{s}|home", "{n}", r"<S> (?:is|moved|has moved|came|went) back (?:home )?(?:in|to) <n> "
                                                     r"(?:to stay|to live)\b"),
    ("is_in", "{s}|home", "{n}", r"<S> is in <n> for (?:the (?:next|rest)|a|an|two|three) (?:of )?(?:the )?(?:year|years|"
                                 r"semester|few months|months)\b"),
    ("rents shares rent share renting", "{s}|home", "{n}",
     r"<S> (?:rents?|is renting|shares?|is sharing) (?:an? |the )?(?:[a-z]+ ){0,2}?<place>(?: share)? (?:in|on) <n><end>"),
    ("bought house flat apartment place", "{s}|home", "{n}",
     r"<S> (?:has )?(?:bought|got|found) (?:an? |the )?(?:[a-z]+ ){0,2}?<place> in <n>(?= and moved| to live)"),
    ("moved", "{s}|home", "-", r"<S> (?:has )?moved out of (?:<her> )?(?:[^\s]+'s? )?(?:parents|old place|flat|apartment|"
                               r"place|house|home)"),
    ("moved", "{s}|home", "-{n}", r"<S> (?:has )?(?:moved out of|moved away from) <n><end>"),
    ("address", "{s}|address", "{v}", r"<S>'s (?:new |home |current )?address is (?P<v>[^;!?]+)$"),
    # --- partner -----------------------------------------------------------------------------------------------------
    ("single", "{s}|partner", "status=single", r"<S> <is> single\b"),
    ("dating seeing relationship together going_out", "{s}|partner", "status=dating;with={n}",
     r"<S> (?:is|has been|started) (?:dating|going out with|in a relationship with|together with|seeing (?=someone )) "
     r"?(?:someone (?:called|named) |"
     r"an? [a-z]+ (?:called|named) )?<n><end>"),
    ("dating seeing", "{s}|partner", "status=dating", r"<S> (?:is|has been|started) (?:dating (?:an?|someone)|seeing "
                                                      r"(?:someone|an? (?:guy|girl|man|woman|lad|bloke|lady)))\b"),
    ("boyfriend girlfriend partner", "{s}|partner", "status=dating", r"<S> (?:has|got|has got|found) an? (?:new )?<kin>"),
    ("boyfriend girlfriend partner fiancé fiancée fiance fiancee", "{s}|partner", "status=dating", r"<S>'s <kin>\b(?!'s| "
     r"and| (?:[^\s,]+ )?(?:broke|dumped|left|split))"),
    ("been_with is_with", "{s}|partner", "with={n}", r"<S> (?:has been|is) with <n> for (?:[a-z]+|\d+) (?:years?|months?|"
                                                     r"weeks?)"),
    ("engaged", "{s}|partner", "status=engaged;with={n}", r"<S> (?:is|are|got) engaged(?: to <n>)?<end>"),
    ("married", "{s}|partner", "status=married;with={n}", r"<S> (?:is|are|got|has been)(?: happily)? married(?: to <n>)?<end>"),
    ("married", "{s}|partner", "status=married;with={n}", r"<S> married <n><end>"),
    ("broke split separated divorced divorcing divorce", "{s}|partner", "-with={n}",
     r"<S> (?:is |are |got |has |have |getting |is getting |are getting |has been )?(?:broke up|broken up|split up|"
     r"separated|divorced|divorcing|"
     r"a divorce)(?: (?:with|from) <n>)?<end>"),
    ("boyfriend girlfriend partner husband wife", "{s}|partner", "-",
     r"<S>'s (?:<kin>|<spouse>)(?: [^\s,]+)? (?:broke up with|dumped|left|divorced|split up with) (?:her|him|them)\b"),
    ("husband wife", "{s}|partner", "status=married", r"^(?P<s>[^\s,]+)'s <spouse> and (?P=s) (?:lives?|is|are|has been|"
                                                      r"have been)\b"),
    ("husband wife", "{s}|partner", "status=married", r"<S> and <her> <spouse> (?:lives?|is|are|has been|have been)\b"),
    ("dumped", "{who}|partner", "-", r"^[^,]+ dumped (?P<who>[^\s,]+)"),
    ("engagement wedding", "{s}|partner", "-status=engaged", r"<S> (?:called off|broke off|ended) (?:the|<her>) engagement"),
    # --- likes -----------------------------------------------------------------------------------------------------
    ("loves likes enjoys adores into fan not_love not_like not_enjoy longer_love longer_like longer_enjoy to_love to_like "
     "to_enjoy", "{s}|likes|{l}", "yes",
     r"<S> (?:loves|likes|enjoys|adores|is into|is (?:a )?(?:big |huge )?fan of|is crazy about|is fond of|(?:has )?(?:got|"
     r"gotten) into|came to (?:like|love)|grew to (?:like|love)) <l>$"),
    ("gone_off went_off tired_of fed_up hates not_hate not_dislike to_hate dislikes detests sick_of not_stand not_bear off "
     "lost_interest", "{s}|likes|{l}", "no",
     r"<S> (?:hates|dislikes|detests|is sick of|(?:went|has gone) off|is tired of|is fed up with|lost interest in) <l>$"),
    ("stopped", "{s}|likes|{l}", "no", r"<S> (?:has )?stopped (?:liking|enjoying) <l>$"),
    ("favourite favorite", "{s}|favourite|{a}", "{v}",
     r"<S>'s (?:all-time |new |absolute )?favou?rite (?P<a>[a-z]+(?: [a-z]+)?) (?:is|has been|became) <v><end>"),
    ("favourite favorite", "{s}|favourite|{a}", "{v}",
     r"^<v> (?:is|became) (?P<s>[^\s,]+(?: [^\s,]+)?)'s (?:all-time |new |absolute )?favou?rite (?P<a>[a-z]+(?: "
     r"[a-z]+)?)<end>"),
    # --- diet, health, habits ----------------------------------------------------------------------------------------
    ("vegan vegetarian pescatarian", "{s}|diet", "{v}",
     r"<S> (?:is|went|has gone|became|turned|has been|has turned) (?:an? )?(?P<v>vegan|vegetarian|pescatarian)\b(?! "
     r"(?:restaurant|cook|food|place))"),
    ("eats not_eat longer_eat started_eating to_eat", "{s}|eats|{o}", "yes", r"<S> (?:eats?|has started eating|started "
     r"eating) <o>$"),
    ("allergic", "{s}|allergic|{o}", "yes", r"<S> is allergic to <o>$"),
    ("drink drinks not_drink", "{s}|does|drink", "yes", r"<S> drinks? ?(?:$|alcohol\b|too much\b|a lot\b|every\b|"
                                                        r"(?:[a-z0-9]+ )?(?:beers?|wine|whisky|vodka|"
     r"glass(?:es)? of wine|pints?)\b)"),
    ("drinking sober teetotal", "{s}|does|drink", "no", r"<S> (?:(?:stopped|quit|gave up|given up) drinking(?: alcohol)?$|"
                                                        r"(?:is|has been) (?:sober|teetotal))"),
    ("smoke smokes smoker", "{s}|does|smoke", "yes", r"<S> (?:smokes?|is a smoker)\b"),
    ("goes plays learning studying practises practices does_yoga does_pilates does_karate does_judo does_ballet "
     "does_crossfit not_go not_play longer_play to_play", "{s}|does|{o}", "yes",
     r"<S> (?:goes (?=[a-z]+ing\b)|plays? (?!an? )|is learning (?!that|about|how|to|from|more)|is studying |practi[sc]es? |"
     r"does (?=yoga|pilates|karate|judo|ballet|crossfit))<o>$"),
    ("took_up taken_up started", "{s}|does|{o}", "yes", r"<S> (?:has )?(?:took up|taken up|started (?:learning |playing "
                                                        r")?(?!working|living|dating|seeing|looking|thinking|feeling|using|"
                                                        r"getting|going to)(?=[a-z]+ing\b|the |piano|guitar|yoga)) ?<o>$"),
    ("stopped quit gave_up given_up dropped_out", "{s}|does|{o}", "no",
     r"<S> (?:has |have )?(?:(?:stopped|quit) (?=[a-z]+ing\b)(?!at\b|by\b|working|liking|enjoying|eating|being|having|"
     r"using|going to)|(?:gave|given) up(?: on)? "
     r"(?!trying|hope|<her> job|everything|looking|his|her|the idea)|dropped out of )<o>$"),
    ("stopped gave_up given_up quit", "{s}|eats|{o}", "no", r"<S> (?:has |have )?(?:stopped|quit|given up|gave up) eating "
     r"<o>$"),
    ("flu cold covid fever migraine bronchitis pneumonia tonsillitis bug chickenpox infection", "{s}|ill|{a}", "yes",
     r"<S> (?:has|has got|got|caught|is down with|came down with|is in bed with) (?:an? |the )?(?:bad |nasty |awful )?<ill>\b"),
    ("flu cold covid fever migraine bronchitis pneumonia tonsillitis bug infection", "{s}|ill|{a}", "no",
     r"<S>'s <ill> (?:is|has) (?:gone|over|passed|cleared up|better)\b"),
    ("over_the recovered_from rid_of over_her over_his", "{s}|ill|{a}", "no",
     r"<S> (?:is over|got over|recovered from|has recovered from|has got over|is rid of|got rid of) (?:the |<her> |an? "
     r")?<ill>\b"),
    ("ill sick unwell", "{s}|health", "ill", r"<S> (?:is|has been|feels|fell|got) (?:ill|sick|unwell)\b(?! of)"),
    ("is_better recovered healthy is_well feels_better been_better", "{s}|health", "well", r"<S> (?:is|has|feels|got|has "
     r"been) (?:better|recovered|healthy|well)$"),
    ("pregnant expecting", "{s}|pregnant", "yes", r"<S> (?:is|got) (?:pregnant|expecting(?: a baby| twins)?$)"),
    ("gave_birth born had_the", "{s}|pregnant", "no",
     r"<S>(?: gave birth|'s (?:(?:baby|son|daughter|twins|little (?:girl|boy))(?: [^\s]+)? (?:was|were) born|had the baby)|"
     r" had (?:the|<her>) baby)"),
    # --- what one has --------------------------------------------------------------------------------------------------
    ("dog cat puppy kitten parrot rabbit hamster horse pony turtle snake goldfish pig budgie", "{s}|pet|{a}", "no",
     r"<S>'s <pet>(?: [^\s]+)? (?:died|passed away|was put down|ran away)"),
    ("dog cat puppy kitten parrot rabbit hamster horse pony turtle snake goldfish pig budgie", "{s}|pet|{a}", "no",
     r"<S> (?:gave away|rehomed|gave up|lost|sold) (?:the|<her>) <pet>\b"),
    ("dog cat puppy kitten parrot rabbit hamster horse pony turtle snake goldfish pig budgie", "{s}|pet|{a}", "yes",
     r"<S> (?:has|got|adopted|has got|bought|owns) an? (?:[a-z]+ )?<pet>\b"),
    ("drives drive driving bought got has owns leased", "{s}|car", "{v}",
     r"<S> (?:drives?|is driving|has|owns|bought|got|has got|leased|has bought) (?:an? |the )?(?:new |old |used |"
     r"second-hand |red |blue |black |white )?<car>\b"),
    ("got", "{s}|car", "{v}", r"<S> sold [^,]+? and (?:got|bought) (?:an? )?(?:new )?<car>\b"),
    ("sold", "{s}|car", "-{v}", r"<S> (?:sold|got rid of|crashed|totalled|scrapped) (?:the|<her>) <car>\b"),
    ("phone", "{s}|phone", "{v}", r"<S> (?:has|got|bought|uses|switched to) (?:an? )?(?:new )?(?:phone, an? "
                                  r")?(?P<v>(?:iphone|pixel|galaxy|samsung|fairphone|nokia|"
     r"huawei|xiaomi)(?: [a-z0-9]+)?)\b"),
    ("number", "{s}|phone number", "{v}", r"<S>'s (?:new |mobile |cell |phone |telephone )*number is (?P<v>\+?[\d][\d "
                                          r"\-()/]{4,})$"),
    ("new_number phone_number mobile_number", "{s}|phone number", "{v}", r"<S> (?:has|got|has got) a new (?:phone |mobile "
     r")?number[:,]? (?P<v>\+?[\d][\d \-()/]{4,})$"),
    ("email e-mail mail", "{s}|email", "{v}", r"<S>'s (?:new |work |private )?e?-?mail(?: address)? is "
                                              r"(?P<v>[^\s,]+@[^\s,]+)$"),
    ("birthday", "{s}|birthday", "{v}", r"<S>'s birthday is (?:on )?(?P<v>(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? [a-z]+|"
                                        r"[a-z]+ \d{1,2})"),
    ("old", "{s}|age", "{v}", r"<S> (?:is|turned) (?P<v>\d{1,3}) years old\b"),
    ("turned", "{s}|age", "{v}", r"<S> turned (?P<v>\d{1,3})<end>"),
    # --- things --------------------------------------------------------------------------------------------------------
    ("budget price rent salary fee cost deposit limit target goal quota capacity headcount rate wage allowance subscription "
     "membership revenue score weight height password pin version timeout threshold", "{t}|is", "{v}",
     r"^(?P<t>(?:[^\s,]+ ){0,4}?<amount>(?: (?:for|of|per|at) [^,]+?)?) (?:is|are|went (?:up|down) to|was (?:raised|cut|"
     r"lowered|increased) to|"
     r"has been (?:raised|cut|lowered|increased) to|rose to|fell to|dropped to) (?:about |around )?<number>(?! (?:of|"
     r"years? old))\b"),
    ("costs cost", "{t}|costs", "{v}", r"^(?P<t>[^,]+?) costs? (?:about |around )?<number>\b"),
    ("people members employees students players developers engineers pupils", "{t}|{u}", "{v}", r"^(?P<t>[^,]*?(?:team|"
     r"company|class|school|club|group|department|choir|course|office|band)) (?:has|have) (?:about |around )?"
     r"<number> (?P<u>people|members|employees|students|players|developers|engineers|pupils)\b"),
    ("opens open_at", "{t}|opens", "{v}", r"^(?P<t>[^,]+?) opens? at <hour><end>"),
    ("closes close_at", "{t}|closes", "{v}", r"^(?P<t>[^,]+?) closes? at <hour><end>"),
    ("open closed in_progress blocked done fixed finished complete completed shipped merged started on_hold ready broken "
     "down live "
     "released deployed in_review approved rejected resolved unresolved solved of_stock in_stock sold_out available "
     "unavailable pending "
     "delivered its_way overdue paid unpaid signed submitted in_testing on_track delayed late back_up up_and working "
     "offline online", "{t}|status", "{v}",
     r"^(?P<t>(?:the |ticket |task |issue |bug |story |pr |project |order |invoice |[^\s]+'s )[^,]{1,40}?|(?:ticket|task|"
     r"issue|pr|bug|order) #?\d+) "
     r"(?:is|are|has been|was|got) <state>\b(?! (?:to|for|about))"),
    ("uses use using", "uses|{t}", "{v}", r"^[^,]+? (?:uses?|is using) (?!<her>|an? |the )<v> for (?P<t>the [^,]+?)$"),
    ("switched migrated moved", "uses|{t}", "{v}",
     r"^[^,]+? (?:switched|migrated|moved) (?P<t>[^,]+?) from [^,]+? to <v><end>"),
)  # fmt: skip
