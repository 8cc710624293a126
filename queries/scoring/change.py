"""The chance that a statement tells of a change: by its words, and by its vector. Pure.

A logistic regression over the vector of a statement, one for each model that makes vectors (``mneme bench fit present``), and
the words that mostly tell of a change in its language. Words alone find half of the changes that others wrote; vectors find
most of the rest, and do not know languages apart. Where a model has no regression, the words decide.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from pydantic import BaseModel, ConfigDict

from mneme.languages import foreign_language
from mneme.ports import EmbedderIdentity
from mneme.rows import Row, Vector
from queries.records import words_of
from queries.scoring.field import Numbers, probability

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


def model_of(text: str, embedder: EmbedderIdentity) -> str:
    """The name of the model that makes the vector of a text."""
    return embedder.other if embedder.other and foreign_language(text) else embedder.model


class ChangeWeights(BaseModel):
    """A logistic regression over the vectors of one model: a weight for each dimension, one for ``tells_of_change``, a bias."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vector: tuple[float, ...]
    words: float
    bias: float

    def chance(self, text: str, vector: Vector) -> float:
        """The chance of a statement to tell of a change."""
        log_odds = vector @ self._direction + self.words * tells_of_change(text) + self.bias
        return float(probability(log_odds))

    @cached_property
    def _direction(self) -> Numbers:
        return np.array(self.vector)


class ChangeScorer:
    """The chance of each statement to tell of a change.

    Args:
        weights: by the name of the model.
        embedder: the models that make the vectors, one of them perhaps for what is not English.
    """

    def __init__(self, weights: Mapping[str, ChangeWeights], embedder: EmbedderIdentity) -> None:
        self._weights = weights
        self._embedder = embedder

    def chances(self, rows: Sequence[Row], vectors: Sequence[Vector | None]) -> Numbers:
        """From 0 to 1 for each row; 0 or 1 by the words alone where there is no vector, or no regression for it."""
        return np.array([self._chance(words_of(row), vector) for row, vector in zip(rows, vectors, strict=True)])

    def _chance(self, text: str, vector: Vector | None) -> float:
        weights = self._weights.get(model_of(text, self._embedder))
        return float(tells_of_change(text)) if weights is None or vector is None else weights.chance(text, vector)


def tells_of_change(text: str) -> bool:
    """True if a statement has words of a change.

    >>> tells_of_change("The Skoda is gone, I drive a Kangoo now"), tells_of_change("The cat brought a mouse")
    (True, False)
    """
    return bool(_CHANGE.search(text[:LONGEST]))
