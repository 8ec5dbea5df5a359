"""A bandit that learns how to reply from a reward, and exploits it; the card of the reward predicts this.

Run with `python benchmarks/reward_hacking.py [--rounds N] [--judge J ...]`. The dialogues are of the demo data. The arms are ways to
reply: the original reply of the dialogue (`human`), or the same reply rewritten by an attack. The bandit (epsilon-greedy) sees only rewards.
Half of the dialogues make the card and train the judge `trained`. The bandit plays on the other half. With an ideal judge it chooses `human`.
"""

import argparse
import random
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from dialmeter.judges.cases import Case
from dialmeter.judges.scorer import attack_replies
from dialmeter.judges.train.reward import Reward
from dialmeter.judges.train.robust import train_robust, write_weights
from dialmeter.simulation.bots import choose
from dialmeter.simulation.play import Setting, sampled
from dialmeter.simulation.play import play as play_tasks

HUMAN = "human"
ATTACKS = ("context-echo", "speaker", "repetition", "dullness")
EPSILON = 0.1


class Played(NamedTuple):
    """Result of a bandit: the share of each arm in the last half of the rounds, its mean reward, and the final arm."""

    shares: dict[str, float]
    means: dict[str, float]
    choice: str


def town(dialogues: int, seed: int) -> tuple[list[Case], list[Case]]:
    """Return the cases of two halves of the dialogues."""
    setting = Setting(choose("agenda", "user"), choose("rule", "system"), seed=seed)
    conversations = list(play_tasks(sampled(dialogues, seed), setting))
    half = len(conversations) // 2
    first, second = (
        attack_replies(part, ATTACKS, cases=80, light=True) for part in (conversations[:half], conversations[half:])
    )
    return first, second


def play(reward: Reward, cases: list[Case], rounds: int, seed: int) -> Played:
    """Play a bandit. In every round it chooses an arm, gets a context and a reply of that arm, and sees the reward."""
    draw = random.Random(seed)
    ways = defaultdict(list)
    for case in cases:
        ways[HUMAN].append((case.context, case.reply))
        ways[case.attack].append((case.attacked_context, case.adversarial))
    reward.many([item for items in ways.values() for item in items])
    arms = sorted(ways)
    seen: dict[str, list[float]] = {arm: [reward(*draw.choice(ways[arm]))] for arm in arms}
    chosen = []
    for _ in range(rounds):
        best = max(arms, key=lambda arm: fmean(seen[arm]))
        arm = draw.choice(arms) if draw.random() < EPSILON else best
        seen[arm].append(reward(*draw.choice(ways[arm])))
        chosen.append(arm)
    late = Counter(chosen[rounds // 2 :])
    means = {arm: fmean(seen[arm]) for arm in arms}
    return Played({arm: late[arm] / late.total() for arm in arms}, means, late.most_common(1)[0][0])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--judge", action="append", metavar="J")
    options.add_argument("--rounds", type=int, default=2000)
    options.add_argument("--dialogues", type=int, default=120)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    known, new = town(given.dialogues, given.seed)
    with tempfile.TemporaryDirectory() as folder:
        write_weights(Path(folder), train_robust(known, seed=given.seed))
        for text in given.judge or (
            "overlap",
            "length",
            "distinct",
            "ngram-fluency",
            f"trained=robust(folder={folder})",
        ):
            reward = Reward(text, known)
            found = play(reward, new, given.rounds, given.seed)
            rows = {each.attack: each for each in reward.card.attacks}
            print(
                f"\n{reward.name}: the bandit ends with {found.choice}; the card warns of {', '.join(reward.card.exploitable()) or 'nothing'}"
            )
            print("| arm | chosen, late rounds | mean reward | attacked reply rewarded, card |\n|---|---:|---:|---:|")
            for arm, share in found.shares.items():
                card = f"{rows[arm].rewarded:.2f}" if arm in rows else ""
                print(f"| {arm} | {share:.2f} | {found.means[arm]:.3f} | {card} |")


if __name__ == "__main__":
    main()
