"""Reports progress on standard error."""

from __future__ import annotations

import sys
import time


class Progress:
    """Reports the progress and the remaining time once a file is made."""

    def __init__(self, count: int, wanted: int) -> None:
        self.count = count
        self.left = self.wanted = wanted
        self.done = self.bytes = self.fresh = self.tenths = 0
        self.start = time.monotonic()
        self.live = sys.stderr.isatty()
        self.shown = 0.0

    def add(self, size: int, wanted: int, is_fresh: bool) -> None:
        self.done += 1
        self.bytes += size
        self.left -= wanted
        self.fresh += size if is_fresh else 0
        tenths = 10 * (self.wanted - self.left) // max(1, self.wanted)
        now = time.monotonic()
        if self.live and self.fresh:
            if now - self.shown > 0.1 or self.done == self.count:
                self.shown = now
                print(f"\r{self.line()}\x1b[K", end="", file=sys.stderr, flush=True)
        elif is_fresh and tenths > self.tenths:
            print(self.line(), file=sys.stderr, flush=True)
        self.tenths = tenths

    def line(self) -> str:
        rate = self.fresh / max(0.001, time.monotonic() - self.start)
        text = (f"{self.done}/{self.count} objects, "
                f"{self.bytes / 1e6:.0f} MB, {rate / 1e6:.1f} MB/s")
        if self.left > 0 and rate > 0:
            text += f", {self.left / rate:.0f} s left"
        return text

    def finish(self) -> None:
        if self.shown:
            print(file=sys.stderr)
