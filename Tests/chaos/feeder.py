"""Produces made-up gifts all through the run, in pieces of some seconds, by the program's own `generate`."""

import os
import random
import subprocess
import threading
import time

PIECE_SECONDS = 3.0
RATE_MIN, RATE_MAX = 100, 20_000
ROOMS = (200, 1000, 5000)


class Feeder(threading.Thread):
    """Produces gifts throughout the run. `remaining_seconds()` estimates how long the faults will still take; the remaining
    gifts are spread over that time."""

    def __init__(self, program, bootstrap, topic, gifts, seed, mix, directory, log, remaining_seconds):
        super().__init__(daemon=True)
        self.command = [program, "generate", "--brokers", bootstrap, "--topic", topic, *mix]
        self.gifts, self.log, self.directory = gifts, log, directory
        self.remaining_seconds = remaining_seconds
        self.random = random.Random(f"{seed} feeder")
        self.seed = seed
        self.made = self.pieces = self.failed = 0
        self.fault = None
        self.is_hurried = False
        self.stopping = threading.Event()

    def run(self):
        try:
            while self.made < self.gifts and not self.stopping.is_set():
                self._piece()
        except Exception as error:  # noqa: BLE001: whatever it is, the run must hear of it
            self.fault = f"the producer of gifts failed: {error}"

    def hurry(self):
        self.is_hurried = True

    def stop_all(self):
        self.stopping.set()

    def _piece(self):
        left = self.gifts - self.made
        swing = self.random.choice((0.3, 0.7, 1.0, 1.0, 1.5, 2.5))
        rooms = self.random.choice(ROOMS)
        rate = RATE_MAX
        if not self.is_hurried:
            rate = int(min(RATE_MAX, max(RATE_MIN, left / max(PIECE_SECONDS, self.remaining_seconds()) * swing)))
        count = min(left, max(1, int(rate * PIECE_SECONDS)))
        self.pieces += 1
        command = self.command + [
            "--events", str(count), "--rate", str(rate), "--rooms", str(rooms), "--seed",
            str(self.seed % 1_000_000 * 10_000 + self.pieces)]
        with open(os.path.join(self.directory, "generate.log"), "ab") as log:
            status = subprocess.run(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL).returncode
        if status != 0:
            # Only the topic knows which of its gifts were delivered; they are not counted, and another piece replaces them.
            self.failed += 1
            self.log(f"producer: a piece of {count} gifts ended with exit code {status}; another is made in its place")
            if self.failed >= 20:
                raise RuntimeError("20 pieces could not be delivered, see generate.log")
            time.sleep(0.5)
            return
        self.made += count
