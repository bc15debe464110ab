#!/usr/bin/env python3
"""Kills `combo-consumer live` with SIGKILL at random moments under load, and proves that nothing was lost.

    Tests/chaos/live_kills.py PROGRAM [--kills N] [--seed N] [--rooms N]

Each round starts the program on the same file, sends gifts by POST /events and kills it. In the end
* every gift that was acknowledged is in the file, once for each acknowledgement;
* `verify` proves the output byte for byte;
* each room's instructions have every `seq` once.
Python 3.9, its standard library."""

import argparse
import collections
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Feeder(threading.Thread):
    """Sends gifts until the program is gone; notes those that were acknowledged."""

    def __init__(self, port, name, rooms, acknowledged):
        super().__init__(daemon=True)
        self.port, self.prefix, self.rooms, self.acknowledged = port, name, rooms, acknowledged
        self.random = random.Random(name)

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        number = 0
        try:
            while True:
                ids, gifts = [], []
                for _ in range(self.random.randint(1, 60)):
                    number += 1
                    ids.append(f"{self.prefix}-{number}")
                    gifts.append({
                        "type": "gift", "id": ids[-1], "room": f"r{self.random.randrange(self.rooms)}",
                        "sender": {"id": f"u{self.random.randrange(20)}"},
                        "gift": {"id": f"g{self.random.randrange(8)}", "value": 10}, "count": self.random.randint(1, 5)})
                connection.request("POST", "/events", json.dumps(gifts))
                answer = connection.getresponse()
                body = answer.read()
                if answer.status == 200:
                    self.acknowledged.extend(ids)
                elif answer.status not in (429, 503):
                    print(f"live_kills: POST /events answered {answer.status}: {body!r}", file=sys.stderr)
                    return
        except (OSError, http.client.HTTPException):
            return  # It was killed.


def begin(program, data, port):
    process = subprocess.Popen(
        [program, "live", "--data", data, "--http", f"127.0.0.1:{port}", "--log-level", "warning"], stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if process.poll() is not None:
            sys.exit(f"live_kills: the program ended with {process.returncode}: {process.stderr.read()}")
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/health/ready")
            if connection.getresponse().status == 200:
                return process
        except OSError:
            pass
        time.sleep(0.01)
    sys.exit("live_kills: it was not ready within 30 s")


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
            # Sometimes before it is ready.
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
        export = subprocess.run([options.program, "live", "--data", data, "--export"], check=True, stdout=subprocess.PIPE, text=True).stdout
        kept = collections.Counter(json.loads(line.split("\t", 1)[1])["id"] for line in export.splitlines())
        lost = [one for one in acknowledged if kept[one] == 0]
        twice = [one for one, count in kept.items() if count > 1]
        verify = subprocess.run([options.program, "verify", "--data", data], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(verify.stdout.rstrip())
        print(f"live_kills: {len(acknowledged)} gifts acknowledged, {len(kept)} in the file, {len(lost)} lost, {len(twice)} twice")
        if lost or twice or verify.returncode != 0:
            os.system(f"cp {data} /tmp/live_kills.{options.seed}.db")
            sys.exit(f"live_kills: FAILED with seed {options.seed}; the file is kept as /tmp/live_kills.{options.seed}.db")


if __name__ == "__main__":
    main()
