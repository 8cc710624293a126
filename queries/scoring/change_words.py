"""Words by which people tell that something became otherwise: "moved", "not any more", 换了, "ab sofort". Pure.

A hint, no verdict: what they are worth beside an older statement is fitted (queries/scoring/present.py).
"""

import re

_WORDS = {
    "en": r"now(?! that)|by now|these days|as of|from \w+ (?:on|it's)|mov(?:ed|ing)|new|switch(?:ed|ing)|swapped|replaced"
    r"|instead|any ?more|no longer|gave up|quit|resigned|left|handed in|sold|got rid|called it (?:a day|off|quits)|broke up"
    r"|split up|it'?s over|(?:is|are) (?:off|gone)|cancel\w*|postponed|pushed back|brought forward|changed|shifted|rescheduled"
    r"|promoted|joined|settled|raised|(?:went|up|down) (?:up|down|from)|used to|actually|my mistake|turns out|extension"
    r"|stick(?:ing)? with|since (?:last|(?:mon|tues|wednes|thurs|fri|satur|sun)day)",
    "de": r"jetzt|nun|inzwischen|seit|ab sofort|neue?[nrs]?|nicht mehr|stattdessen|gekündigt|aufgehört|verkauft|umgezogen|umzug"
    r"|verlegt|verschoben|abgesagt|getrennt|doch|erst am",
    "es": r"ahora|ya no|ya estoy|dej[éo]|dejado|nuev[oa]s?|cambi\w+|mud[éo]|mudado|vend[íi]\w*"
    r"|suben|movido|en vez|se acabó|compré",
    "fr": r"maintenant|désormais|nouve\w+|vendu|quitté|rendu|déménagé|déplacé|annulée?s?|plutôt|passe à|à partir|ça y est"
    r"|dorénavant|plus (?:de|jamais)",
    "ru": r"теперь|больше не|перее\w+|уволил\w+|продал\w*|новы\w+|новая|отмен\w+|перен\w+|рассталис\w*",
}
_UNSPACED = {
    "zh": r"现在|如今|(?<![交兑转])换|搬|改(?![善革进])|(?<![创更重清])新(?![品兴闻年鲜能型])"
    r"|不再|不.{0,4}了|辞|离职|跳槽|分手|分了|卖|其实|记错|以后|退了|取消|推迟|涨|降"
    r"|[上这下]个?(?:周|月|星期).{0,2}(?:起|开始)|开始.{0,4}[在当]",
    "ja": r"今[は月週]|先週から|来[週月]から|辞め|やめ|変わ|変更|新し|売[っり]|引っ越|別れ|になりました",
}
_CHANGE = re.compile(rf"(?<!\w)(?:{'|'.join(_WORDS.values())})(?!\w)|{'|'.join(_UNSPACED.values())}", re.IGNORECASE)
LONGEST = 2000  # characters of a statement that are looked at


def tells_of_change(text: str) -> bool:
    """Whether a statement has words of a change.

    >>> tells_of_change("The Skoda is gone, I drive a Kangoo now"), tells_of_change("The cat brought a mouse")
    (True, False)
    """
    return bool(_CHANGE.search(text[:LONGEST]))
