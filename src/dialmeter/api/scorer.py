"""A scorer that takes dialogues one at a time, for training loops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import DialmeterError
from ..measure import registry
from ..model import Conversation, Trajectory
from ..tracking.scorer import TrackerScorer
from ..users.scorer import UserScorer
from .advice import SCORER, advice
from .inputs import state_of
from .results import Result
from .scores import measure_texts
from .settings import Options, Settings
from .subjects import check_subject, face_of
from .trackers import rules_of


class Scorer:
    """Collects dialogues, and scores them when the result is requested.

    Args:
        subject: ``tracker``, ``user``, ``judge`` or ``system``.
        measures: the measures, as in ``dm.score``.
        judges: the judges, as in ``dm.score``.
        settings: settings, as in ``dm.score``.

    Example:
        >>> scorer = Scorer("tracker", measures="JGA")
        >>> scorer.add("d1", pred=[{"hotel-area": "east"}], gold=[{"hotel-area": "east"}]).result().jga
        1.0
        >>> Scorer("system").add(task="a", reward=1).add(task="a", reward=0).result()["Pass(k=2)"]
        0.0
    """

    def __init__(self, subject: str = "tracker", measures: Any = None, *, judges: Any = (), **settings: Any) -> None:
        self.subject = check_subject(subject)
        self._face = face_of(subject)
        self._settings = Settings(**settings)
        self._settings.check(subject, self._face.KEYS, "Scorer")
        self._measures = measures
        self._judges = judges
        self.reset()

    def __getattr__(self, name: str) -> Any:
        if meant := advice(SCORER, name):
            raise AttributeError(f"a Scorer has no {name!r}; use .{meant}")
        raise AttributeError(name)

    def reset(self) -> None:
        """Remove all dialogues."""
        own = self._settings
        self._count = 0
        self._inner: Any = []
        if self.subject == "tracker":
            texts = measure_texts(self._measures, list(registry.builtin()))
            self._inner = TrackerScorer(texts or None, rules_of(own), by=("domain", "slot"))
        elif self.subject == "user":
            self._inner = UserScorer.under(self._face.settings_of(own), keep=True)

    def add(self, *item: Any, **given: Any) -> Scorer:
        """Add one dialogue, and return the scorer.

        A tracker takes the id of a dialogue, ``pred`` and ``gold``: lists of states, one per turn. A user takes a conversation, a judge
        a case, and a system a trajectory or ``task``, ``reward`` and optionally ``trial``.

        Raises:
            DialmeterError: the dialogue cannot be scored.
        """
        self._count += 1
        if self.subject == "tracker":
            name = str(item[0]) if item else str(self._count)
            if len(item) > 1 or not {"pred", "gold"} <= given.keys():
                raise DialmeterError("add a dialogue like this: scorer.add('d1', pred=[state, …], gold=[state, …])")
            sides = {key: [each] if isinstance(each, Mapping | str) else list(each) for key, each in given.items()}
            gold, pred = ([state_of(each) for each in sides[key]] for key in ("gold", "pred"))
            self._inner.add(name, gold, pred)
        elif self.subject == "system" and not item:
            task = str(given.get("task", given.get("task_id", self._count)))
            trial = int(given.get("trial", sum(each.task == task for each in self._inner)))
            rewards = {"reward": float(given["reward"])} if "reward" in given else {}
            self._inner.append(Trajectory(id=f"{task}:{trial}", task=task, trial=trial, rewards=rewards))
        elif self.subject in ("judge", "system"):
            self._inner.append(item[0])
        elif len(item) != 1 or not isinstance(item[0], Conversation):
            raise DialmeterError("add one conversation of dm.read, or score a file: dm.score(FILE, subject='user')")
        else:
            self._inner.add(*item, **given)
        return self

    def result(self) -> Result:
        """Return the scores of all dialogues so far.

        Raises:
            DialmeterError: there is nothing to score.
        """
        own = self._settings
        if self.subject == "system":
            inner: Any = self._face.score(self._inner, own, Options(self._measures))
        elif self.subject == "judge":
            inner = self._face.score(self._inner, own, Options(judges=self._judges), ratings=False)
        else:
            inner = self._inner.result(resampling=own.resampling(1000))
        return Result(inner, self._face, self.subject, {"data": f"{self._count} added"})
