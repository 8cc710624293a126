"""The chat model of those who ask, opened when the first question needs it, and what is decided with it."""

from threading import Lock

from connectors.models import open_chat_for_queries
from mneme.ports import QueryChat
from mneme.settings import Settings
from queries.agents.planner import Planner


class QueryModels:
    """The models of agents and answers. Safe for several threads."""

    def __init__(self, settings: Settings, chat: QueryChat | None = None) -> None:
        """Prepare, without opening.

        Args:
            settings: of the program.
            chat: in place of the one that the settings name.
        """
        self._settings = settings
        self._given = chat
        self._opened: QueryChat | None = None
        self._lock = Lock()

    def planner(self) -> Planner:
        """Who decides in agentic searches.

        Raises:
            SettingsError: a model is to decide, and there is none.
        """
        from queries.agents.model_planner import ModelPlanner
        from queries.agents.rules.planner import RulePlanner

        agents = self._settings.agents
        if agents.planner == "rules" or (agents.planner == "auto" and not self.has_chat):
            return RulePlanner()
        return ModelPlanner(self.chat, agents)

    @property
    def has_chat(self) -> bool:
        """Whether there is a chat model."""
        return self._given is not None or self._settings.models.provider != "none"

    @property
    def chat(self) -> QueryChat:
        """The chat model.

        Raises:
            SettingsError: there is none.
        """
        with self._lock:
            if self._given is not None:
                return self._given
            if self._opened is None:
                longest = max(self._settings.agents.seconds, self._settings.answers.seconds)
                self._opened = open_chat_for_queries(self._settings, longest, repair=False)
            return self._opened

    def close(self) -> None:
        """Close the model, where one was opened or given."""
        for chat in (self._given, self._opened):
            if chat is not None:
                chat.close()
