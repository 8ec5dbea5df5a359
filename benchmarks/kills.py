"""Kill each long command a hundred times at random moments, resume it each time, and print a log.

Run with `python benchmarks/kills.py [--kills 100] [--only play]`; it takes half an hour on two cores. The exit code is 1 if a byte differs.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.killing import Killed, commands, killings


def main() -> None:
    """Kill, resume, compare, and print every kill."""
    parser = argparse.ArgumentParser(description="Kill long commands and resume them.")
    parser.add_argument("--kills", type=int, default=100, help="Number of kills of each command.")
    parser.add_argument("--only", action="append", metavar="COMMAND", help="Kill only this command; may be repeated.")
    options = parser.parse_args()
    count = options.kills

    def tell(each: Killed) -> None:
        state = "finished before" if each.finished else "gone on with" if each.began else "begun anew"
        print(
            f"  seed {each.seed:3}  after {each.after:6.3f} s  {state:15}  {'same bytes' if each.same else 'OTHER BYTES'}"
        )

    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for command in commands(Path(folder), dialogues=200):
            if options.only and command.name not in options.only:
                continue
            print(f"{command.name}, {count} kills")
            place = Path(folder, command.name.replace(" ", "-"))
            place.mkdir()
            found = killings(command, place, range(count), tell)
            differing = sum(not each.same for each in found)
            wrong += differing
            caught = [each for each in found if not each.finished]
            print(
                f"  {len(caught)} killed at work, {sum(each.began for each in caught)} gone on with, {differing} with other bytes\n"
            )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
