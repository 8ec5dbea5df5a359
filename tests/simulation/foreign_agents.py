"""External agents, as another package would define them."""

from __future__ import annotations

from typing import Any


class Parrot:
    """A system in the style of ConvLab: it offers the same place to everybody."""

    def init_session(self) -> None:
        self.heard: list[Any] = []

    def response(self, observation: list[list[str]]) -> list[list[str]]:
        self.heard.append(observation)
        if any(intent == "bye" for intent, *_ in observation):
            return [["bye", "general", "none", "none"]]
        asked = [slot for intent, _, slot, _ in observation if intent == "request"]
        return [["Inform", "Hotel", slot, "42"] for slot in asked] or [["Recommend", "Hotel", "Name", "Otter House"]]


class ShortUser:
    """A user in the style of ConvLab that says one thing of its goal and leaves."""

    def init_session(self, ini_goal: dict[str, Any]) -> None:
        domain, parts = next(iter(ini_goal.items()))
        slot, value = next(iter(parts["info"].items()))
        self.acts = [["inform", domain, slot, value]]
        self.turns = 0

    def response(self, observation: Any) -> list[list[str]]:
        self.turns += 1
        return self.acts if self.turns == 1 else [["bye", "general", "", ""]]

    def is_terminated(self) -> bool:
        return self.turns > 1


class Talker:
    """A system that answers in text."""

    def init_session(self) -> None:
        pass

    def response(self, observation: Any) -> str:
        return "I can recommend a restaurant called Brass Plate."


class Broken(Talker):
    def response(self, observation: Any) -> Any:
        raise ZeroDivisionError("by nothing")


class Wordless(Talker):
    def response(self, observation: Any) -> Any:
        return {"not": "acts"}


class Unwilling:
    def init_session(self) -> None:
        pass
