"""What the detector says, or the one that needs no model where it fails."""

import logging

from flows.conversations.conversation import Question
from flows.cuts import Verdict
from flows.services import Services
from mneme.errors import MnemeError, ModelError, StoreUnavailable

log = logging.getLogger(__name__)


def judge(question: Question, services: Services) -> Verdict:
    """The verdict about a question. Blocks where the detector calls a model.

    Raises:
        MnemeError: settings or a store are wrong, which no other detector would help.
    """
    detector = services.detector
    try:
        return detector.judge(question.context, question.judged, question.ahead)
    except Exception as error:  # a model may fail in any way, and costs no more than its verdict
        wrong_here = isinstance(error, MnemeError) and not isinstance(error, ModelError | StoreUnavailable)
        if wrong_here or not detector.calls_a_model:
            raise
        log.warning("the boundary model failed, cutting without it: %s: %s", type(error).__name__, error)
    return services.fallback_detector.judge(question.context, question.judged, question.ahead)
