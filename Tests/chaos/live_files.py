#!/usr/bin/env python3
"""Links, moves, deletes and damages the file of `combo-consumer live` under load, and checks that no fault goes unnoticed.

    Tests/chaos/live_files.py PROGRAM [--seed N] [--only names,gone,flips]

* names: a second process is refused by each other name of the file, and names the first; readers find all by any of them, also
  after a kill.
* gone: once the file is deleted, moved or replaced, nothing more is acknowledged within seconds, and `live` ends with 1.
* flips: one bit of the file is flipped. No reader returns an altered record.
Python 3.9, its standard library."""

import argparse
import collections
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from live_process import Feeder, begin, export, free_port, kept, verify

# The time within which `live` must notice a change of its file.
NOTICE_S = 5


class Load:
    """`live` on a file, and three feeders."""

    def __init__(self, program, data, name, *more, padding=0):
        self.port, self.acknowledged = free_port(), []
        self.process = begin(program, str(data), self.port, *more)
        self.feeders = [Feeder(self.port, f"{name}-{one}", 20, self.acknowledged, padding) for one in range(3)]
        for feeder in self.feeders:
            feeder.start()

    def wait(self, count, timeout=30):
        """Waits until that many gifts are acknowledged."""
        deadline = time.monotonic() + timeout
        while len(self.acknowledged) < count:
            check(time.monotonic() < deadline, f"only {len(self.acknowledged)} gifts were acknowledged in {timeout} s")
            time.sleep(0.005)

    def halt(self):
        """Stops sending gifts."""
        for feeder in self.feeders:
            feeder.is_stopped = True
        for feeder in self.feeders:
            feeder.join(30)

    def end(self, kill=False):
        """Ends the program by a signal, if it has not ended by itself; returns its exit code."""
        if self.process.poll() is None:
            self.process.kill() if kill else self.process.terminate()
        code = self.process.wait(30)
        for feeder in self.feeders:
            feeder.join(30)
        return code


def check(holds, what):
    if not holds:
        sys.exit(f"live_files: FAILED: {what}")


def check_all_kept(program, data, acknowledged, name):
    there = kept(program, str(data))
    lost = [one for one in acknowledged if there[one] == 0]
    check(not lost, f"{name}: {len(lost)} of {len(acknowledged)} acknowledged gifts are not in the file")


def names(program, folder, chance):
    data, elsewhere = folder / "a.db", folder / "elsewhere"
    elsewhere.mkdir()
    acknowledged = []
    others = [folder / "hard.db", elsewhere / "hard.db", folder / "soft.db", elsewhere / "soft.db"]
    for round in range(3):
        load = Load(program, data, f"names-{round}")
        load.wait(chance.randint(100, 500))
        if round == 0:
            for other in others:
                other.symlink_to(data) if other.name == "soft.db" else os.link(data, other)
        for other in others:
            second = subprocess.run(
                [program, "live", "--data", str(other), "--http", "none"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            check(second.returncode == 1, f"a second live by {other} ended with {second.returncode}")
            check(f"(pid {load.process.pid})" in second.stderr, f"the first process is not named: {second.stderr}")
            before = list(load.acknowledged)
            check_all_kept(program, other, before, f"read by {other} beside live")
            load.halt()
        other = chance.choice(others)
        code, words = verify(program, str(other))
        check(code == 0, f"verify by {other} beside live: {words}")
        check(load.process.poll() is None, "the first live has ended")
        load.end(kill=round < 2)
        acknowledged += load.acknowledged
        for other in [data, *others]:
            check_all_kept(program, other, acknowledged, f"read by {other} after round {round}")
        # The next round opens the file by another name.
        data = chance.choice(others)
    code, words = verify(program, str(data))
    check(code == 0, f"verify: {words}")
    print(f"live_files: names: {len(acknowledged)} gifts by five names, all there")


def gone(program, folder, chance):
    for how in ["deleted", "moved", "replaced", "ahead"]:
        data, moved = folder / f"{how}.db", folder / f"{how}-moved.db"
        load = Load(program, data, how)
        load.wait(chance.randint(100, 500))
        if how == "deleted":
            data.unlink()
        elif how == "moved":
            data.rename(moved)
        elif how == "replaced":
            os.link(data, moved)
            (folder / "new").write_bytes(b"")
            (folder / "new").rename(data)
        else:
            (folder / f"{how}.db-wal").unlink()
        before = len(load.acknowledged)
        try:
            code = load.process.wait(NOTICE_S)
        except subprocess.TimeoutExpired:
            check(False, f"{how}: live has not ended after {NOTICE_S} s")
        words = load.process.stderr.read()
        check(code == 1 and str(data) in words and "the file cannot be used any more" in words, f"{how}: ended with {code}: {words}")
        load.end()
        # Gifts that were under way at that moment may still be acknowledged.
        check(len(load.acknowledged) - before < 400, f"{how}: {len(load.acknowledged) - before} gifts were acknowledged after it")
        if how in ("moved", "replaced"):
            check_all_kept(program, moved, load.acknowledged[:before], how)
        print(f"live_files: gone: {how}: ended, {len(load.acknowledged) - before} gifts acknowledged meanwhile")


def flips(program, folder, chance, count=40):
    data = folder / "a.db"
    load = Load(program, data, "flips")
    load.wait(2000)
    check(load.end() == 0, "live did not end well")
    whole, lines = data.read_bytes(), export(program, str(data)).stdout.splitlines()
    check(len(lines) >= len(load.acknowledged), "gifts are missing in the export")
    outcomes = collections.Counter()
    for _ in range(count):
        place, bit = chance.randrange(len(whole)), chance.randrange(8)
        where = f"byte {place}, bit {bit}"
        for left in folder.iterdir():
            left.unlink()
        data.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1:])
        done = export(program, str(data))
        check(done.returncode in (0, 1), f"{where}: --export ended with {done.returncode}")
        given = done.stdout.splitlines()
        if done.returncode == 0:
            check(given == lines, f"{where}: --export ended with 0, but not all lines are there, or some differ")
        check(set(given) <= set(lines), f"{where}: --export has altered records")
        code, words = verify(program, str(data))
        check(code in (0, 1) and (code == 1 or done.returncode == 0), f"{where}: verify ended with {code}: {words}")
        begun = begin(program, str(data), free_port(), may_end=True)
        begun.terminate()
        begun.wait(30)
        check(begun.returncode in (0, 1), f"{where}: live ended with {begun.returncode}: {begun.stderr.read()}")
        after = export(program, str(data)).stdout.splitlines()
        check(set(after) <= set(lines), f"{where}: --export has altered records after live")
        outcomes[(done.returncode, code, begun.returncode)] += 1
    print("live_files: flips: of export, verify and live: "
          + ", ".join(f"{'/'.join(map(str, codes))} {times} times" for codes, times in sorted(outcomes.items())))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--only", default="names,gone,flips")
    options = parser.parse_args()
    print(f"live_files: seed {options.seed}", flush=True)
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory(prefix="combo-live-") as folder:
            globals()[name](options.program, pathlib.Path(folder).resolve(), random.Random(f"{options.seed}-{name}"))


if __name__ == "__main__":
    main()
