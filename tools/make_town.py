"""Write the town that is part of dialmeter: the tables of Saltmere, and the surface forms of its values.

Run ``python tools/make_town.py``. The bytes depend only on the seed. Every name is invented. It writes a table for each
domain, and ``values.json`` with paraphrases of every value in the format of published value maps.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import msgspec

SEED = 41
FOLDER = Path(__file__).parents[1] / "src" / "dialmeter" / "simulation" / "data" / "town"
TOWN = "saltmere"

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
AREAS = {
    "centre": ["middle of town", "town centre", "old centre"],
    "north": ["northern part of town", "north side", "north end"],
    "south": ["southern part of town", "south side", "south end"],
    "east": ["eastern part of town", "east side", "east end"],
    "west": ["western part of town", "west side", "west end"],
    "harbour": ["harbour district", "docks", "waterfront"],
}
PRICES = {
    "cheap": ["inexpensive", "low-cost", "budget"],
    "moderate": ["mid-range", "medium", "middling"],
    "expensive": ["high-end", "upmarket", "costly"],
}
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
FLAGS = {"yes": ["included", "available", "free"], "no": ["not included", "not available", "none"]}
DONTCARE = ["any", "anything", "whatever", "does not matter"]
LODGINGS = {
    "hotel": ["full hotel", "proper hotel"],
    "guesthouse": ["guest house", "boarding house"],
    "hostel": ["backpacker hostel", "bunkhouse"],
}
STARS_BY_LODGING = {"hotel": "2334455", "guesthouse": "12334", "hostel": "112"}
PRICES_BY_STARS = {
    "1": ("cheap",),
    "2": ("cheap", "moderate"),
    "3": ("cheap", "moderate", "expensive"),
    "4": ("moderate", "expensive"),
    "5": ("moderate", "expensive"),
}
SIGHTS = {
    "museum": ["museum of any kind", "exhibition house"],
    "park": ["public park", "green space"],
    "theatre": ["playhouse", "stage theatre"],
    "gallery": ["art gallery", "picture gallery"],
    "cinema": ["film house", "movie theatre"],
    "boat trip": ["boat ride", "boat tour"],
    "swimming pool": ["public pool", "swimming baths"],
    "market hall": ["covered market", "indoor market"],
    "concert hall": ["music hall", "hall for concerts"],
    "lookout tower": ["viewing tower", "observation tower"],
}
FOODS = {
    "seafood": ["fish and shellfish", "fresh fish"],
    "italian": ["pizza and pasta", "italian-style"],
    "indian": ["curry", "indian-style"],
    "chinese": ["cantonese", "chinese-style"],
    "french": ["bistro", "french-style"],
    "thai": ["siamese", "thai-style"],
    "turkish": ["kebab", "turkish-style"],
    "vegetarian": ["meat-free", "meatless"],
    "barbecue": ["grilled meat", "smokehouse"],
    "spanish": ["tapas", "spanish-style"],
    "japanese": ["sushi", "japanese-style"],
    "greek": ["hellenic", "greek-style"],
    "lebanese": ["levantine", "mezze"],
    "pancakes": ["crepes", "galettes"],
}
# Some visitors want these foods, but no restaurant in town serves them.
FOODS_ELSEWHERE = {
    "icelandic": ["arctic", "icelandic-style"],
    "peruvian": ["andean", "peruvian-style"],
    "ethiopian": ["injera", "ethiopian-style"],
    "georgian": ["khachapuri", "georgian-style"],
}
STATIONS = ("tolderby", "marrowick", "quillhaven", "ostrelmouth", "fennaby", "hollinscar", "dunmereth", "vessingham")
LANDMARKS = ("saltmere station", "saltmere ferry pier", "saltmere town hall", "saltmere bus depot")
COLOURS = ("black", "white", "red", "blue", "grey", "green", "yellow", "silver")
CARS = ("ardent kestrel", "morrow estate", "pellam six", "vantry wagon", "corvel saloon", "lisle hatchback")

FIRST = (
    "amber", "anchor", "barley", "beacon", "bramble", "brass", "cinder", "clover", "copper", "coral", "crooked", "drift",
    "ember", "fiddler's", "foxglove", "gilded", "hazel", "heron", "ivory", "juniper", "kestrel", "lantern", "linden",
    "mariner's", "marble", "meadow", "nettle", "oaken", "otter", "pepper", "pilot's", "quarry", "raven", "reed", "saffron",
    "sailmaker's", "sandpiper", "silver", "sorrel", "spindle", "tallow", "thistle", "umber", "velvet", "walnut", "willow",
)  # fmt: skip
SECOND = {
    "hotel": ("court", "lodge", "house", "rest", "manor", "arms", "gate", "terrace"),
    "restaurant": ("table", "kettle", "kitchen", "spoon", "oven", "pantry", "ladle", "plate", "hearth"),
}
STREETS = (
    "lantern row", "cooper's steps", "tar lane", "old slipway", "mast street", "gull walk", "chandler's yard", "hill rise",
    "weir street", "bell passage", "net loft lane", "quay parade", "miller's bank", "orchard way", "kiln road", "sluice lane",
)  # fmt: skip


def names(rng: Random, kind: str, count: int) -> list[str]:
    """Return distinct names. First words repeat only after all have been used."""
    firsts = rng.sample(FIRST, len(FIRST))
    seconds = SECOND[kind]
    pairs = [(firsts[place % len(firsts)], place) for place in range(count)]
    start = rng.randrange(len(seconds))
    return [f"{first} {seconds[(start + place + place // len(firsts)) % len(seconds)]}" for first, place in pairs]


def place_details(rng: Random, taken: set[str]) -> dict[str, str]:
    """Return address, phone and postcode. No two places share a phone."""
    phone = f"0555 {rng.randrange(100000, 1000000)}"
    while phone in taken:
        phone = f"0555 {rng.randrange(100000, 1000000)}"
    taken.add(phone)
    letters = "abcdefghjklmnpqrstuvwxyz"
    return {
        "address": f"{rng.randrange(1, 120)} {rng.choice(STREETS)}",
        "phone": phone,
        "postcode": f"slt{rng.randrange(1, 10)} {rng.randrange(1, 10)}{rng.choice(letters)}{rng.choice(letters)}",
    }


def hotels(rng: Random, taken: set[str], count: int = 60) -> list[dict[str, str]]:
    rows = []
    for name in names(rng, "hotel", count):
        kind = rng.choices(list(LODGINGS), (5, 4, 2))[0]
        star = rng.choice(STARS_BY_LODGING[kind])
        rows.append(
            {
                "name": name,
                "area": rng.choice(list(AREAS)),
                "pricerange": rng.choice(PRICES_BY_STARS[star]),
                "stars": star,
                "type": kind,
                "internet": rng.choices(("yes", "no"), (3, 1))[0],
                "parking": rng.choices(("yes", "no"), (2, 1))[0],
                **place_details(rng, taken),
                "full": " ".join(sorted(rng.sample(DAYS, rng.choice((0, 1, 1, 2))), key=DAYS.index)),
                "beds": str(rng.choice((5, 6, 7, 8))),
            }
        )
    return rows


def restaurants(rng: Random, taken: set[str], count: int = 90) -> list[dict[str, str]]:
    rows = []
    for name in names(rng, "restaurant", count):
        rows.append(
            {
                "name": name,
                "food": rng.choice(list(FOODS)),
                "area": rng.choice(list(AREAS)),
                "pricerange": rng.choice(list(PRICES)),
                **place_details(rng, taken),
                "closed": " ".join(sorted(rng.sample(DAYS, rng.choice((0, 1, 1, 2))), key=DAYS.index)),
                "opens": rng.choice(("11:00", "11:30", "12:00", "12:00", "17:00")),
                "last": rng.choice(("19:30", "20:00", "20:45", "21:15")),
            }
        )
    return rows


def attractions(rng: Random, taken: set[str], count: int = 60) -> list[dict[str, str]]:
    firsts = rng.sample(FIRST, len(FIRST))
    rows = []
    for place in range(count):
        kind = list(SIGHTS)[place % len(SIGHTS)]
        name = f"{firsts[place % len(firsts)]} {kind}"
        fee = "free" if kind in ("park", "market hall") else f"{rng.randrange(3, 16)}.{rng.choice(('00', '50'))} crowns"
        area = rng.choice(list(AREAS))
        rows.append({"name": name, "type": kind, "area": area, **place_details(rng, taken), "entrance fee": fee})
    return rows


def clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def trains(rng: Random) -> list[dict[str, str]]:
    """Return one timetable per line and direction. Every day has its own train numbers and free seats."""
    rows = []
    numbers = iter(rng.sample(range(1000, 10000), 2000))
    for station in STATIONS:
        minutes, price = rng.randrange(25, 110), rng.randrange(60, 260) / 10
        for departure, destination in ((TOWN, station), (station, TOWN)):
            first = 5 * rng.randrange(62, 84)
            starts = list(range(first, 22 * 60, rng.choice((90, 105, 120))))
            for day, start in product(DAYS, starts):
                rows.append(
                    {
                        "trainid": f"tr{next(numbers)}",
                        "departure": departure,
                        "destination": destination,
                        "day": day,
                        "leaveat": clock(start),
                        "arriveby": clock(start + minutes),
                        "duration": f"{minutes} minutes",
                        "price": f"{price:.2f} crowns",
                        "seats": str(rng.choice((2, 3, 4, 4, 5, 6, 7))),
                    }
                )
    return rows


def taxis(rng: Random, taken: set[str]) -> list[dict[str, str]]:
    return [
        {"colour": colour, "car type": car, "phone": place_details(rng, taken)["phone"]}
        for colour, car in product(COLOURS, CARS)
    ]


def town() -> dict[str, list[dict[str, str]]]:
    """Return all tables. Each domain has its own random generator, so a change of one domain does not affect the others."""
    taken: set[str] = set()
    return {
        "hotel": hotels(Random(f"{SEED} hotel"), taken),
        "restaurant": restaurants(Random(f"{SEED} restaurant"), taken),
        "attraction": attractions(Random(f"{SEED} attraction"), taken),
        "train": trains(Random(f"{SEED} train")),
        "taxi": taxis(Random(f"{SEED} taxi"), taken),
    }


def name_forms(name: str) -> list[str]:
    return [name, f"the {name}"]


def time_forms(time: str) -> list[str]:
    hour, minute = map(int, time.split(":"))
    half = "am" if hour < 12 else "pm"
    short = f"{(hour - 1) % 12 + 1}:{minute:02} {half}"
    return [time, short, *([f"{(hour - 1) % 12 + 1} {half}"] if not minute else [])]


def entry(values: dict[str, list[str]], elsewhere: dict[str, list[str]] | None = None) -> dict[str, Any]:
    """Return one slot of a value map. ``elsewhere`` has values that no goal has."""
    special = {
        "multiple_acts": {},
        "noise": [],
        "not_in_goal": {**(elsewhere or {}), "dontcare": ["dontcare", *DONTCARE]},
    }
    return {**values, "special_keys": special}


def with_itself(values: dict[str, list[str]]) -> dict[str, list[str]]:
    return {value: [value, *forms] for value, forms in values.items()}


def number_words(most: int) -> dict[str, list[str]]:
    return {str(place): [str(place), word] for place, word in enumerate(NUMBERS[:most], 1)}


def spoken_times(times: Iterable[str]) -> dict[str, list[str]]:
    return {time: time_forms(time) for time in times}


def values(tables: dict[str, list[dict[str, str]]]) -> dict[str, Any]:
    """Return the value map."""
    quarters = spoken_times(clock(minutes) for minutes in range(0, 24 * 60, 15))
    on_timetable = {row[slot] for row in tables["train"] for slot in ("leaveat", "arriveby")}
    between = spoken_times(sorted(on_timetable - set(quarters)))
    places = [row["name"] for domain in ("hotel", "restaurant", "attraction") for row in tables[domain]]
    stations = {name: [name, f"{name} station"] for name in (TOWN, *STATIONS)}
    stops = {name: name_forms(name) for name in sorted({*places, *LANDMARKS})}
    days = {day: [day, f"next {day}", f"this coming {day}"] for day in DAYS}
    return {
        "area": entry(with_itself(AREAS)),
        "pricerange": entry(with_itself(PRICES)),
        "stars": entry(number_words(5)),
        "type": entry(with_itself({**LODGINGS, **SIGHTS})),
        "internet": entry(with_itself(FLAGS)),
        "parking": entry(with_itself(FLAGS)),
        "food": entry(with_itself({**FOODS, **FOODS_ELSEWHERE})),
        "name": entry({name: name_forms(name) for name in sorted(set(places))}),
        "day": entry(days),
        "people": entry(number_words(8)),
        "stay": entry(number_words(7)),
        "time": entry(quarters),
        "leaveat": {"train": entry(quarters, between), "taxi": entry(quarters)},
        "arriveby": {"train": entry(quarters, between), "taxi": entry(quarters)},
        "departure": {"train": entry(stations), "taxi": entry(stops)},
        "destination": {"train": entry(stations), "taxi": entry(stops)},
    }


def encoded() -> dict[str, bytes]:
    """Return the files by name: a table per domain, and the map with one slot per line, which keeps diffs readable."""
    tables = town()
    slots = [f'"{slot}": {msgspec.json.encode(found).decode()}' for slot, found in values(tables).items()]
    files = {f"{domain}.csv": _table(rows) for domain, rows in tables.items()}
    return {**files, "values.json": ("{\n" + ",\n".join(slots) + "\n}\n").encode()}


def _table(rows: Sequence[dict[str, str]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in encoded().items():
        (FOLDER / name).write_bytes(data)
        print(f"{name}: {len(data):,} bytes")


if __name__ == "__main__":
    main()
