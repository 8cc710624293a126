"""The languages that speech models tell by name (``english``), by their codes of ISO 639-1."""

_CODES = """
    af afrikaans, am amharic, ar arabic, as assamese, az azerbaijani, ba bashkir, be belarusian, bg bulgarian, bn bengali,
    bo tibetan, br breton, bs bosnian, ca catalan, cs czech, cy welsh, da danish, de german, el greek, en english, es spanish,
    et estonian, eu basque, fa persian, fi finnish, fo faroese, fr french, gl galician, gu gujarati, ha hausa, he hebrew,
    hi hindi, hr croatian, ht haitian creole, hu hungarian, hy armenian, id indonesian, is icelandic, it italian, ja japanese,
    jv javanese, ka georgian, kk kazakh, km khmer, kn kannada, ko korean, la latin, lb luxembourgish, ln lingala, lo lao,
    lt lithuanian, lv latvian, mg malagasy, mi maori, mk macedonian, ml malayalam, mn mongolian, mr marathi, ms malay,
    mt maltese, my myanmar, ne nepali, nl dutch, nn nynorsk, no norwegian, oc occitan, pa punjabi, pl polish, ps pashto,
    pt portuguese, ro romanian, ru russian, sa sanskrit, sd sindhi, si sinhala, sk slovak, sl slovenian, sn shona, so somali,
    sq albanian, sr serbian, su sundanese, sv swedish, sw swahili, ta tamil, te telugu, tg tajik, th thai, tk turkmen,
    tl tagalog, tr turkish, tt tatar, uk ukrainian, ur urdu, uz uzbek, vi vietnamese, yi yiddish, yo yoruba, zh chinese,
    zh cantonese
"""
_BY_NAME = {name: code for code, name in (entry.strip().split(maxsplit=1) for entry in _CODES.split(","))}


def language_code(told: str) -> str:
    """The code of a language that an endpoint names, ``English``, ``en`` or ``en-GB``; empty for one that is not known."""
    name = told.strip().lower()
    code = name.replace("_", "-").partition("-")[0]
    return code if code in _BY_NAME.values() else _BY_NAME.get(name, "")
