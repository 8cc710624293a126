"""Words by which people tell that something became otherwise: "moved", "not any more", 换了, "ab sofort". Pure.

A hint, no verdict: what they are worth beside an older statement is fitted (queries/scoring/present.py).
"""

import re

_WORDS = {
    "en": r"now(?! that)|by now|these days|as of|from \w+ (?:on|it's)|mov(?:ed|ing)|new|switch(?:ed|ing)|swapped|replaced"
    r"|instead|any ?more|no longer|gave up|quit|resigned|left|handed in|sold|got rid|called it (?:a day|off|quits)|broke up"
    r"|split up|it'?s over|(?:is|are) (?:off|gone)|cancel\w*|postponed|pushed back|brought forward|changed|shifted|rescheduled"
    r"|promoted|joined|settled|raised|(?:went|up|down) (?:up|down|from)|used to|actually|my mistake|turns out|extension"
    r"|stick(?:ing)? with|since (?:last|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|first (?:day|night|week|shift)|no more"
    r"|any longer|(?:given|giving) up|took over|taken over|handed|retired|transferred|migrated|extended|slipped|laid off"
    r"|change of plan|i meant|told you wrong|(?:days?|weeks?|months?) (?:without|clean|off)|put (?:me|us) (?:on|with|in)"
    r"|got (?:married|engaged)|went back|back to|traded|gone to the tip|uninstalled|ported|let .{1,20} go",
    "de": r"jetzt|nun|inzwischen|seit|ab sofort|neue?[nrs]?|nicht mehr|stattdessen|gekündigt|aufgehört|verkauft|umgezogen|umzug"
    r"|verlegt|verschoben|abgesagt|getrennt|doch|erst am|zum ersten mal|erste[nr]? (?:tag|nacht|woche)|nur noch|umgestiegen"
    r"|gewechselt|stornier\w*|verwechselt|verlobt|ist geschichte|habe? ja gesagt",
    "es": r"ahora|ya no|ya estoy|dej[éo]|dejado|nuev[oa]s?|cambi\w+|mud[éo]|mudado|vend[íi]\w*"
    r"|suben|subi[óo]|baj[óo]|movido|en vez|se acabó|compré|primer[ao]? (?:día|noche|semana|mañana)|me equivoqu[ée]|me he liado"
    r"|cancel\w+|ya son|(?:días|semanas|mes|meses) sin",
    "fr": r"maintenant|désormais|nouve\w+|vendu|quitté|rendu|déménagé|déplacé|annulée?s?|plutôt|passe à|à partir|ça y est"
    r"|dorénavant|plus (?:de|jamais)|premi(?:er|ère) (?:jour|journée|nuit|réveil|semaine)|confondu|trompée?|décalée?|résilié"
    r"|lâché|abandonné|n'est plus|on a dit oui",
    "ru": r"теперь|больше не|перее\w+|уволил\w+|продал\w*|новы\w+|новая|отмен\w+|перен\w+|рассталис\w*"
    r"|перв(?:ая ночь|ый день|ое утро)|бросил\w*|съехал\w*|переш[её]л|перешла|отключил\w*|ошибл\w*|перепутал\w*"
    r"|не едем|(?:день|месяц|недел\w) без",
}
_UNSPACED = {
    "zh": r"现在|如今|(?<![交兑转])换|搬|改(?![善革进])|(?<![创更重清])新(?![品兴闻年鲜能型])"
    r"|不再|不.{0,4}了|辞|离职|跳槽|分手|分了|卖|其实|记错|以后|退了|取消|推迟|涨|降"
    r"|[上这下]个?(?:周|月|星期|礼拜).{0,2}(?:起|开始)|开始.{0,4}[在当]|头一[天次]|第一[天晚]|说错|挪到|调到|推到|提前到|没了|泡汤"
    r"|过户|安顿|拆了|掰了|重写|下线|转到|砍到|往后",
    "ja": r"今[は月週]|先週から|来[週月]から|辞め|やめ|変わ|変更|新し|売[っり]|引っ越|別れ|になりました"
    r"|初めての|初日|になった|間違え|キャンセル|解約|退会|異動|転校|ずらし|これからは|下取り",
}
_CHANGE = re.compile(rf"(?<!\w)(?:{'|'.join(_WORDS.values())})(?!\w)|{'|'.join(_UNSPACED.values())}", re.IGNORECASE)
LONGEST = 2000  # characters of a statement that are looked at


def tells_of_change(text: str) -> bool:
    """Whether a statement has words of a change.

    >>> tells_of_change("The Skoda is gone, I drive a Kangoo now"), tells_of_change("The cat brought a mouse")
    (True, False)
    """
    return bool(_CHANGE.search(text[:LONGEST]))
