"""Repeats one day, and makes it smaller if it differs."""

import time

from days.day import Day
from days.linking import Different, Place

LEAST_OBJECTS = 16
TRIES = 3       # a difference may depend on the moment
SECONDS = 240.0


class Shrinker:
    def __init__(self, place: Place, size: str, seed: int):
        self.place, self.size, self.seed = place, size, seed
        self.end = time.monotonic() + SECONDS

    def attempt(self, objects: int, wanted, say=None) -> tuple | None:
        """Runs the steps `wanted` of the day. Returns (day, difference), or None."""
        day = Day(self.place, self.size, self.seed, objects, say)
        try:
            day.run(wanted)
        except Different as different:
            return day, different
        return None

    def differs(self, objects: int, wanted) -> bool:
        return any(time.monotonic() < self.end and self.attempt(objects, wanted)
                   for _ in range(TRIES))

    def fewer_steps(self, objects: int, steps: list[int]) -> list[int]:
        """Removes steps before the last one, which is the one that differs."""
        if len(steps) > 1 and self.differs(objects, steps[-1:]):
            return steps[-1:]
        chunk = len(steps) // 2
        while chunk:
            at = 0
            while at < len(steps) - 1:
                fewer = steps[:at] + steps[min(at + chunk, len(steps) - 1):]
                if self.differs(objects, fewer):
                    steps = fewer
                else:
                    at += chunk
            chunk //= 2
        return steps

    def fewer_objects(self, objects: int, steps: list[int]) -> int:
        for share in (0.25, 0.5, 0.7, 0.9):
            while int(objects * share) >= LEAST_OBJECTS and self.differs(
                    int(objects * share), steps):
                objects = int(objects * share)
        return objects


def show(place: Place, size: str, seed: int, only=None, objects=0) -> bool:
    """Repeats a day, and shrinks it if it differs. Returns whether it does."""
    shrinker = Shrinker(place, size, seed)
    day = Day(place, size, seed, objects)
    print(f"{day.flavour} {size} {seed}: {day.objects} objects, "
          f"{len(day.kinds)} steps, in {place.get_tree().directory}")
    found = shrinker.attempt(objects, only, print)
    for _ in range(TRIES):
        found = found or shrinker.attempt(objects, only)
    if not found:
        print("nothing is different")
        return False
    day, different = found
    print(f"different at step {day.number}: {different}"[:6000])
    steps = [n for n in range(day.number + 1) if only is None or n in only]
    steps = shrinker.fewer_steps(day.objects, steps)
    objects = shrinker.fewer_objects(day.objects, steps)
    print(f"\nsmallest: --objects {objects} --steps {','.join(map(str, steps))}")
    for _ in range(TRIES):
        found = shrinker.attempt(objects, steps, print)
        if found:
            break
    if found:
        _, different = found
        print(f"{different}"[:6000])
        print(f"cd {place.get_tree().directory} && {different.command}")
    return True
