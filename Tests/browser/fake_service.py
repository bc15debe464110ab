#!/usr/bin/env python3
"""A service with the HTTP side of combo-consumer and nothing behind it, for making and testing its pages.

    Tests/browser/fake_service.py [--port 8090] [--rooms 12]

serves the pages with what `combo-consumer replay` says of made-up gifts, in real time, again and again; the program is
.build/release/combo-consumer, or COMBO_CONSUMER. Standard library only.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import queue
import random
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from screen_model import Screen

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = ROOT / "Sources/ComboHTTP/Pages/web"
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
OVERLAY_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
NAMES = {"/": "index.html", "/service": "service.html", "/overlay": "overlay.html"}


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Room:
    def __init__(self, name):
        self.name = name
        self.screen = Screen()
        self.screen.room = name
        self.readers = []
        self.gifts = 0
        self.latest = collections.deque()
        self.queued = 0

    def rate(self):
        limit = time.monotonic() - 10
        while self.latest and self.latest[0][0] < limit:
            self.latest.popleft()
        return round(sum(count for _, count in self.latest) / 10, 1)


class FakeService:
    """A service with rooms and their readers. `say` is thread-safe."""

    def __init__(self, port=0):
        self.port = port
        self.rooms = {}
        self.refused = {}
        self.lock = threading.RLock()
        self.server = None
        self.started = time.time()
        self.totals = dict.fromkeys(("events", "gifts", "instructions", "bad", "commits", "aborts"), 0)
        self.requests = collections.Counter()
        self.idle = set()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        service = self

        class Bound(Handler):
            fake = service

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 64

            def handle_error(self, request, address):
                pass  # a browser that hangs up

        self.server = Server(("127.0.0.1", self.port), Bound)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self, aloud=True):
        """Ends every connection. aloud: with the event of a service that is stopping."""
        with self.lock:
            for room in self.rooms.values():
                for reader in room.readers:
                    if aloud:
                        reader.put(("closing", "{}", None))
                    reader.put(None)
                room.readers.clear()
            # Otherwise the stopped service would serve requests on idle connections.
            for connection in self.idle:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.server.shutdown()
        self.server.server_close()

    def room(self, name):
        with self.lock:
            return self.rooms.setdefault(name, Room(name))

    def say(self, instruction, unheard=False, raw=None):
        """Emits an instruction of a room. unheard: it does not reach the readers. raw: the bytes that they receive instead."""
        with self.lock:
            room = self.room(instruction["room"])
            room.screen.draw(instruction, time.monotonic() * 1000)
            room.screen.drawn(time.monotonic() * 1000)
            added = instruction.get("added", instruction.get("count", 0) - instruction.get("base", 0))
            if instruction["op"] in ("show", "update"):
                room.gifts += added
                room.latest.append((time.monotonic(), added))
                self.totals["gifts"] += added
            self.totals["instructions"] += 1
            if not unheard:
                self.tell(room.name, "instruction", raw or dump(instruction), f"{instruction['epoch']}-{instruction['seq']}")

    def tell(self, name, event, data, number=None):
        with self.lock:
            for reader in self.room(name).readers:
                reader.put((event, data, number))

    def hang_up(self, name, last=None):
        """Ends the connections of a room's readers, with a last event if there is one."""
        with self.lock:
            room = self.room(name)
            for reader in room.readers:
                if last:
                    reader.put((*last, None))
                reader.put(None)
            room.readers.clear()

    def readers(self, name):
        with self.lock:
            return len(self.room(name).readers)

    def service_data(self):
        seconds = time.time() - self.started
        turn = seconds * 2 * math.pi
        wave = lambda period, base, swing: max(0.0, base + swing * math.sin(turn / period) + random.uniform(0, swing))
        p50, late = wave(37, 9, 2), wave(53, 24, 6)
        self.totals["commits"] = int(seconds * 10)
        self.totals["events"] = int(self.totals["gifts"] * 0.6)
        partitions = [
            {"partition": number, "state": "running", "lag": int(wave(29 + number, 40, 35)), "rooms": 3 + number % 4,
             "restored": 1.0}
            for number in range(8)]
        if seconds < 20:
            partitions[5] |= {"state": "restoring", "restored": round(seconds / 20, 3)}
        return {
            "v": 1, "now": int(time.time() * 1000), "version": "0.2.0", "state": "running" if seconds > 4 else "restoring",
            "group": "combo", "instance": "combo-0", "uptime_s": int(seconds), "totals": self.totals,
            "commit_ms": {"p50": round(p50, 1), "p99": round(p50 * 2.1, 1), "max": round(p50 * 3 + random.random() * 9, 1)},
            "lateness_ms": {"p50": round(late, 1), "p99": round(late * 2.4, 1), "max": round(late * 3.4, 1)},
            "rooms": len(self.rooms), "partitions": partitions}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Sends head and body together: otherwise the body waits 40 ms for the head to be acknowledged.
    wbufsize = 1 << 16
    disable_nagle_algorithm = True
    fake = None

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        with self.fake.lock:
            self.fake.idle.add(self.connection)

    def finish(self):
        with self.fake.lock:
            self.fake.idle.discard(self.connection)
        super().finish()

    def do_GET(self):
        url = urlsplit(self.path)
        parts = [unquote(part, errors="replace") for part in url.path.split("/")[1:]]
        self.fake.requests[url.path] += 1
        if url.path in NAMES:
            self.file(PAGES / NAMES[url.path], OVERLAY_POLICY if url.path == "/overlay" else POLICY)
        elif parts[0] in ("assets", "test") and len(parts) == 2 and "/" not in parts[1]:
            self.file((PAGES if parts[0] == "assets" else HERE) / parts[1])
        elif url.path == "/rooms":
            query = parse_qs(url.query)
            self.json(self.list(query.get("prefix", [""])[0], int(query.get("limit", ["50"])[0])))
        elif url.path == "/service/data":
            with self.fake.lock:
                self.json(self.fake.service_data())
        elif parts[0] == "rooms" and len(parts) == 3 and parts[2] == "events":
            self.events(parts[1])
        elif parts[0] == "rooms" and len(parts) == 2 and parts[1] in self.fake.rooms:
            self.json(self.fake.rooms[parts[1]].screen.said())
        else:
            self.json({"error": "There is no such page."}, 404)

    def list(self, prefix, limit):
        with self.fake.lock:
            rooms = [
                {"room": room.name, "epoch": room.screen.epoch, "seq": room.screen.seq,
                 "banners": len(room.screen.said()["banners"]),
                 # The fields of `serve`, which does not know what is waiting.
                 **({"shown": room.gifts} if room.queued is None else {"queued": room.queued, "gifts": room.gifts}), "rate": room.rate()}
                for room in self.fake.rooms.values() if room.name.startswith(prefix) and room.screen.epoch]
        rooms.sort(key=lambda one: (-one["rate"], one["room"]))
        return {"v": 1, "now": int(time.time() * 1000), "rooms": rooms[:limit]}

    def file(self, path, policy=POLICY):
        if path.suffix not in TYPES or not path.is_file():
            return self.json({"error": "There is no such file."}, 404)
        self.answer(200, TYPES[path.suffix], path.read_bytes(), {
            "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"})

    def json(self, value, status=200):
        self.answer(status, "application/json", dump(value).encode(), {"Cache-Control": "no-store"})

    def answer(self, status, kind, data, headers):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def events(self, name):
        with self.fake.lock:
            if name in self.fake.refused:
                return self.json({"error": self.fake.refused[name]}, 404)
            room = self.fake.room(name)
            reader = queue.Queue()
            room.readers.append(reader)
            self.fake.idle.discard(self.connection)
            screen = room.screen.said()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            self.event("screen", dump(screen), f"{screen['epoch']}-{screen['seq']}")
            while True:
                try:
                    item = reader.get(timeout=5)
                except queue.Empty:
                    self.wfile.write(b": alive\n\n")
                    self.wfile.flush()
                    continue
                if item is None:
                    return
                self.event(*item)
        except OSError:
            pass
        finally:
            with self.fake.lock:
                if reader in room.readers:
                    room.readers.remove(reader)

    def event(self, kind, data, number):
        text = f"event: {kind}\n" + (f"id: {number}\n" if number else "") + f"data: {data}\n\n"
        self.wfile.write(text.encode("utf-8", "surrogatepass"))
        self.wfile.flush()


def program():
    """Returns the combo-consumer to replay with, or None."""
    path = pathlib.Path(os.environ.get("COMBO_CONSUMER", ROOT / ".build/release/combo-consumer"))
    return path if path.is_file() else None


def replay(gifts, *options):
    """Returns the instructions that result from gifts."""
    text = "\n".join(map(dump, gifts))
    done = subprocess.run([program(), "replay", *options], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def made_up_gifts(rooms, seconds, rate):
    done = subprocess.run(
        [program(), "generate", "--rooms", str(rooms), "--seconds", str(seconds), "--rate", str(rate), "--active", "3",
         "--file", "-"],
        capture_output=True, text=True, check=True)
    return list(map(json.loads, done.stdout.splitlines()))


def perform(service, rooms):
    """Emits the rooms' instructions in real time, again and again, each time in new epochs."""
    said = replay(made_up_gifts(rooms, 120, 6 * rooms), "--milestones", "10,66,188,520,1314", "--linger-ms", "2500")
    said.sort(key=lambda one: one["at"])
    while True:
        shift = time.time() * 1000 - said[0]["at"]
        for instruction in said:
            time.sleep(max(0, (instruction["at"] + shift) / 1000 - time.time()))
            service.say(instruction | {"at": int(instruction["at"] + shift), "epoch": int(instruction["epoch"] + shift)})
            service.rooms[instruction["room"]].queued = random.randint(0, 6)


def main():
    options = argparse.ArgumentParser(description="Serves the pages with made-up rooms.")
    options.add_argument("--port", type=int, default=8090)
    options.add_argument("--rooms", type=int, default=12)
    chosen = options.parse_args()
    if program() is None:
        raise SystemExit("There is no .build/release/combo-consumer to replay with: run `make build`, or set COMBO_CONSUMER.")
    service = FakeService(chosen.port).start()
    print(service.address, flush=True)
    perform(service, chosen.rooms)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
