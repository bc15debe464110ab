#!/usr/bin/env python3
"""Kills `combo-consumer live` with SIGKILL at random moments under load, and proves that nothing was lost.

    Tests/chaos/live_kills.py PROGRAM [--kills N] [--seed N] [--rooms N]

Each round starts the program on the same file, sends gifts by POST /events and kills it. In the end
* every gift that was acknowledged is in the file, and no gift is there twice;
* `verify` proves the output byte for byte.
Python 3.9, its standard library."""

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from live_process import Feeder, begin, free_port, kept, verify


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--rooms", type=int, default=50)
    options = parser.parse_args()
    print(f"live_kills: seed {options.seed}, {options.kills} kills")
    chance = random.Random(options.seed)
    acknowledged = []
    with tempfile.TemporaryDirectory(prefix="combo-live-") as folder:
        data = str(pathlib.Path(folder) / "live.db")
        for kill in range(options.kills + 1):
            port = free_port()
            is_last = kill == options.kills
            # Sometimes it is killed before it is ready.
            if not is_last and chance.random() < 0.1:
                process = subprocess.Popen(
                    [options.program, "live", "--data", data, "--http", f"127.0.0.1:{port}"], stdin=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL)
                time.sleep(chance.random() * 0.2)
                process.kill()
                process.wait()
                continue
            process = begin(options.program, data, port)
            feeders = [Feeder(port, f"{options.seed}-{kill}-{one}", options.rooms, acknowledged) for one in range(3)]
            for feeder in feeders:
                feeder.start()
            time.sleep(chance.random() * 0.6)
            process.send_signal(signal.SIGTERM if is_last else signal.SIGKILL)
            code = process.wait()
            for feeder in feeders:
                feeder.join(30)
            if is_last and code != 0:
                sys.exit(f"live_kills: the last run ended with {code}: {process.stderr.read()}")
            if (kill + 1) % 20 == 0:
                print(f"live_kills: {kill + 1} kills, {len(acknowledged)} gifts acknowledged", flush=True)
        there = kept(options.program, data)
        lost = [one for one in acknowledged if there[one] == 0]
        twice = [one for one, count in there.items() if count > 1]
        code, words = verify(options.program, data)
        print(words)
        print(f"live_kills: {len(acknowledged)} gifts acknowledged, {len(there)} in the file, {len(lost)} lost, {len(twice)} twice")
        if lost or twice or code != 0 or not acknowledged:
            os.system(f"cp {data} /tmp/live_kills.{options.seed}.db")
            sys.exit(f"live_kills: FAILED with seed {options.seed}; the file is kept as /tmp/live_kills.{options.seed}.db")


if __name__ == "__main__":
    main()
