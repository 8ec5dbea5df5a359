"""A literal implementation of the scorer of schema-guided dialogues from its specification, over the files that it reads."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from dialmeter.values.originals import Backend, token_sort

from .originals import Figures, Json, mean, ratio


def sgd(
    schema: Json,
    gold: Json,
    pred: Json,
    seen: Sequence[str] = (),
    *,
    exact_case: bool = False,
    fuzzy: bool = True,
    across: bool = False,
    backend: Backend = "levenshtein",
) -> dict[tuple[str, str], Figures]:
    """The figures of every slice: ("all", ""), ("service", name), ("domain", name), ("seen", "seen" or "unseen")."""
    services = {service["service_name"]: service for service in schema}
    golds = {dialogue["dialogue_id"]: dialogue for dialogue in gold}
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for dialogue in pred:
        for held, told in zip(golds[dialogue["dialogue_id"]]["turns"], dialogue["turns"], strict=False):
            if held["speaker"] != "USER":
                continue
            predicted = {frame["service"]: frame["state"] for frame in told["frames"]}
            products: dict[tuple[tuple[str, str], str], list[float]] = {}
            for frame in held["frames"]:
                name = frame["service"]
                figures = sgd_frame(
                    services[name], frame["state"], predicted[name], exact_case=exact_case, fuzzy=fuzzy, backend=backend
                )
                for part in (
                    ("all", ""),
                    ("service", name),
                    ("domain", name.split("_")[0]),
                    ("seen", "seen" if name in seen else "unseen"),
                ):
                    for measure, figure in figures.items():
                        if figure is None:
                            continue
                        if across and measure.startswith("Joint"):
                            products.setdefault((part, measure), []).append(figure)
                        else:
                            found.setdefault(part, {}).setdefault(measure, []).append(figure)
            for (part, measure), factors in products.items():
                found.setdefault(part, {}).setdefault(measure, []).append(math.prod(factors))
    return {part: {measure: mean(values) for measure, values in lists.items()} for part, lists in found.items()}


def sgd_frame(service: Json, gold: Json, pred: Json, *, exact_case: bool, fuzzy: bool, backend: Backend) -> Figures:
    def case(text: str) -> str:
        return text if exact_case else text.lower()

    held, told = gold["slot_values"], pred["slot_values"]
    scores: list[tuple[bool, bool, float]] = []
    for slot in service["slots"]:
        name = slot["name"]
        score = float(name not in held and name not in told)
        if name in held and name in told:
            first = told[name][0]
            if slot["is_categorical"]:
                score = float(case(held[name][0]) == case(first))
            elif fuzzy:
                score = max(token_sort(value, first, backend) for value in held[name]) / 100
            else:
                score = float(first in held[name])
        scores.append((slot["is_categorical"], name in held, score))
    found: Figures = {}
    kinds: dict[str, Callable[[bool], bool]] = {
        "Goal": lambda categorical: True,
        "Cat": lambda categorical: categorical,
        "Noncat": lambda categorical: not categorical,
    }
    for kind, is_kind in kinds.items():
        of_kind = [(active, score) for categorical, active, score in scores if is_kind(categorical)]
        found[f"Joint{kind}Accuracy"] = math.prod(score for _, score in of_kind) if of_kind else None
        found[f"Average{kind}Accuracy"] = mean([score for active, score in of_kind if active])
    found["IntentAccuracy"] = float(case(gold["active_intent"]) == case(pred["active_intent"]))
    wanted, asked = Counter(gold["requested_slots"]), Counter(pred["requested_slots"])
    common = (wanted & asked).total()
    precision = common / asked.total() if asked else 1.0
    recall = common / wanted.total() if wanted else 1.0
    found["RequestedSlotPrecision"], found["RequestedSlotRecall"] = precision, recall
    found["RequestedSlotF1"] = ratio(2 * precision * recall, precision + recall)
    return found
