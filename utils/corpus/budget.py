"""Estimates how many bytes of object a piece of C++ will give."""

from __future__ import annotations

from .cpp import Features


class Budget:
    """Estimates the bytes of the object that a unit's source will give.

    The weights were fitted to objects that this script made with clang 22.
    An object pays for an instantiation once, however often it uses it.
    """

    BASE = 9_000.0
    FIRST_CLASS = 50_000.0
    CLASS = 90_000.0
    FUNCTION = 2_000.0
    LINE = 120.0
    CONTAINERS = {
        "DynamicArray": 25_000.0,
        "HashMap": 52_000.0,
        "SharedReference": 33_000.0,
        "Optional": 8_000.0,
        "RingQueue": 4_000.0,
    }

    def __init__(self) -> None:
        self.bytes = self.BASE
        self.has_class = False
        self.seen: set[str] = set()

    def cost(self, features: Features) -> float:
        first = features.classes > 0 and not self.has_class
        return (first * self.FIRST_CLASS + features.classes * self.CLASS
                + features.functions * self.FUNCTION
                + features.lines * self.LINE
                + sum(self.CONTAINERS[container_kind(kind)]
                      for kind in set(features.containers) - self.seen))

    def spend(self, features: Features) -> None:
        self.bytes += self.cost(features)
        self.has_class = self.has_class or features.classes > 0
        self.seen.update(features.containers)


def container_kind(kind: str) -> str:
    return kind[len("core::"):kind.index("<")]
