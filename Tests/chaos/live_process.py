"""`combo-consumer live` as a process, one that feeds it, and what its file holds. For live_kills.py and similar tests."""

import collections
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Feeder(threading.Thread):
    """Sends gifts until the program is gone; records the acknowledged ones, and how often there was no room."""

    def __init__(self, port, name, rooms, acknowledged, padding=0):
        super().__init__(daemon=True)
        self.port, self.prefix, self.rooms, self.acknowledged = port, name, rooms, acknowledged
        self.sender = {"show": "x" * padding} if padding else {}
        self.random = random.Random(name)
        self.full = 0
        self.number = 0
        self.is_stopped = False

    def run(self):
        while not self.is_stopped:
            try:
                self.send()
            except ConnectionRefusedError:
                return  # It has ended.
            except (OSError, http.client.HTTPException):
                time.sleep(0.01)  # It was killed, or this machine stood still for longer than a connection may be silent.

    def send(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        while not self.is_stopped:
            ids, gifts = [], []
            for _ in range(self.random.randint(1, 60)):
                self.number += 1
                ids.append(f"{self.prefix}-{self.number}")
                gifts.append({
                    "type": "gift", "id": ids[-1], "room": f"r{self.random.randrange(self.rooms)}",
                    "sender": {"id": f"u{self.random.randrange(20)}", **self.sender},
                    "gift": {"id": f"g{self.random.randrange(8)}", "value": 10}, "count": self.random.randint(1, 5)})
            connection.request("POST", "/events", json.dumps(gifts))
            answer = connection.getresponse()
            body = answer.read()
            if answer.status == 200:
                self.acknowledged.extend(ids)
            elif answer.status == 507:
                self.full += 1
                time.sleep(0.01)
            elif answer.status not in (429, 503):
                print(f"live: POST /events answered {answer.status}: {body!r}", file=sys.stderr)
                return


def begin(program, data, port, *more, environment=None, may_end=False):
    """Starts `live`, and waits until it is ready or, if it may end, has ended."""
    process = subprocess.Popen(
        [program, "live", "--data", data, "--http", f"127.0.0.1:{port}", "--log-level", "warning", *more],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})})
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if process.poll() is not None:
            if may_end:
                return process
            sys.exit(f"live: the program ended with {process.returncode}: {process.stderr.read()}")
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/health/ready")
            if connection.getresponse().status == 200:
                return process
        except OSError:
            pass
        time.sleep(0.01)
    sys.exit("live: it was not ready within 30 s")


def export(program, data):
    """Returns the completed process of `live --export` on a file."""
    return subprocess.run([program, "live", "--data", data, "--export"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kept(program, data):
    """Returns the ids of the gifts in a file, with the number of each."""
    done = export(program, data)
    if done.returncode != 0:
        sys.exit(f"live: --export of {data} ended with {done.returncode}: {done.stderr}")
    return collections.Counter(json.loads(line.split("\t", 1)[1])["id"] for line in done.stdout.splitlines())


def verify(program, data):
    """Returns the exit code of `verify` and its output."""
    done = subprocess.run([program, "verify", "--data", data], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout.rstrip()
