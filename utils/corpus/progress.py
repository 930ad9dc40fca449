"""Reports progress on standard error."""

from __future__ import annotations

import sys
import time


class Progress:
    """Reports the progress and the remaining time on standard error."""

    def __init__(self, count: int, wanted: int) -> None:
        self.count = count
        self.left = wanted
        self.wanted = wanted
        self.done = 0
        self.bytes = 0
        self.fresh = 0
        self.tenths = 0
        self.start = time.monotonic()
        self.live = sys.stderr.isatty()
        self.shown = 0.0

    def add(self, size: int, wanted: int, fresh: bool) -> None:
        self.done += 1
        self.bytes += size
        self.left -= wanted
        self.fresh += size if fresh else 0
        tenths = 10 * (self.wanted - self.left) // max(1, self.wanted)
        if self.live:
            self.show()
        elif fresh and tenths > self.tenths:
            print(self.line(), file=sys.stderr, flush=True)
        self.tenths = tenths

    def line(self) -> str:
        seconds = max(0.001, time.monotonic() - self.start)
        rate = self.fresh / seconds
        text = (f"{self.done}/{self.count} objects, "
                f"{self.bytes / 1e6:.0f} MB, {rate / 1e6:.1f} MB/s")
        if self.left > 0 and rate > 0:
            text += f", {self.left / rate:.0f} s left"
        return text

    def show(self) -> None:
        now = time.monotonic()
        if now - self.shown > 0.1 or self.done == self.count:
            self.shown = now
            sys.stderr.write("\r" + self.line() + "\x1b[K")
            sys.stderr.flush()

    def finish(self) -> None:
        if self.live and self.done:
            sys.stderr.write("\n")
