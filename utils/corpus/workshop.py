"""The workshop: runs the compilers and the librarian."""

from __future__ import annotations

import dataclasses
import os
import queue
import subprocess
import threading
from pathlib import Path
from typing import Callable, Optional, Sequence, Tuple

from .failure import Failure
from .ledger import Ledger
from .progress import Progress


@dataclasses.dataclass
class Step:
    """One file to make: `prepare` returns its recipe and its command."""

    target: str
    wanted: int
    prepare: Callable[[], tuple[str, Callable[[str], list[str]]]]
    counted: bool = True


# A step, the bytes of its file, whether the file is new, and the error.
Result = Tuple[Step, int, bool, Optional[BaseException]]


class Workshop:
    """Runs `jobs` compilers at a time, and starts none after a failure.

    A tool writes below tmp/, and the workshop then renames the file to its
    place, so that a file in its place is always whole.  All tools run in the
    output directory with relative names, so that no output has its name.
    """

    def __init__(self, root: Path, jobs: int, ledger: Ledger) -> None:
        self.root = root
        self.jobs = jobs
        self.ledger = ledger
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.running: set[subprocess.Popen[str]] = set()
        self.results: queue.Queue[Result] = queue.Queue()

    def run(self, steps: Sequence[Step], progress: Progress) -> None:
        """Makes every step's target, the largest first."""
        waiting: queue.SimpleQueue[Step] = queue.SimpleQueue()
        for step in sorted(steps, key=lambda item: -item.wanted):
            waiting.put(step)
        threads = [threading.Thread(target=self.work, args=(waiting,))
                   for _ in range(min(self.jobs, len(steps)))]
        for thread in threads:
            thread.start()
        try:
            for _ in steps:
                step, size, fresh, error = self.next_result()
                if error:
                    raise error
                if step.counted:
                    progress.add(size, step.wanted, fresh)
        finally:
            self.halt()
            for thread in threads:
                thread.join()
            self.stop.clear()

    def next_result(self) -> Result:
        while True:
            try:
                # Without a timeout, Ctrl-C would not interrupt this on Windows.
                return self.results.get(timeout=0.5)
            except queue.Empty:
                pass

    def halt(self) -> None:
        self.stop.set()
        with self.lock:
            for process in self.running:
                process.kill()

    def work(self, waiting: queue.SimpleQueue[Step]) -> None:
        while not self.stop.is_set():
            try:
                step = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                size, fresh = self.make(step)
                self.results.put((step, size, fresh, None))
            except BaseException as error:  # The main thread reports it.
                self.results.put((step, 0, False, error))
                return

    def make(self, step: Step) -> tuple[int, bool]:
        recipe, command = step.prepare()
        if self.ledger.has(step.target, recipe):
            return self.ledger.made[step.target][1], False
        unfinished = "tmp/" + step.target
        for parent in (self.root / unfinished, self.root / step.target):
            parent.parent.mkdir(parents=True, exist_ok=True)
        self.execute(command(unfinished), step.target)
        os.replace(self.root / unfinished, self.root / step.target)
        return self.ledger.add(step.target, recipe), True

    def execute(self, command: list[str], target: str) -> None:
        with self.lock:
            if self.stop.is_set():
                raise Failure("stopped")
            # In its own session, since Ctrl-C must reach only this script, which
            # then ends the compilers and does not report them as failed.
            process = subprocess.Popen(
                command, cwd=self.root, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                start_new_session=True)
            self.running.add(process)
        try:
            output, _ = process.communicate()
        finally:
            with self.lock:
                self.running.discard(process)
        if process.returncode != 0:
            raise Failure(f"making {self.root / target} failed "
                          f"(exit code {process.returncode})\n"
                          f"  {' '.join(command)}\n{output.rstrip()}")
