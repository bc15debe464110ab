#!/usr/bin/env python3
"""nginx with deploy/nginx/serve.conf before a service: what viewers get through it. Needs Debian's nginx; standard library only.

    Tests/fanout/nginx_test.py [PROGRAM]      PROGRAM: combo-consumer, .build/release/combo-consumer if it is not given

The service is `combo-consumer demo`, whose HTTP side is that of `serve`.
"""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
READERS = 200


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            value = condition()
            if value:
                return value
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"FAILED: {what} did not come within {seconds} s")


def get(port, path, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers or {})
    answer = connection.getresponse()
    return answer, connection


class Reader(threading.Thread):
    """Reads a room's events until it has `want` instructions, from a compressed stream if `packs`."""

    def __init__(self, port, room, want, last=None, packs=False):
        super().__init__(daemon=True)
        self.port, self.room, self.want, self.last, self.packs = port, room, want, last, packs
        self.bytes, self.text_bytes = 0, 0
        self.ids, self.screens, self.late, self.fault = [], 0, [], None

    def lines(self, answer):
        """Yields the lines of the stream as they arrive."""
        unpack = zlib.decompressobj(31).decompress if self.packs else bytes
        rest = b""
        while True:
            data = answer.read1(65536)
            if not data:
                raise AssertionError("the stream ended")
            text = unpack(data)
            self.bytes += len(data)
            self.text_bytes += len(text)
            *lines, rest = (rest + text).split(b"\n")
            yield from (line.decode() for line in lines)

    def run(self):
        try:
            headers = {"Last-Event-ID": self.last} if self.last else {}
            if self.packs:
                headers["Accept-Encoding"] = "gzip"
            answer, connection = get(self.port, f"/rooms/{self.room}/events", headers)
            assert answer.status == 200, answer.status
            assert answer.getheader("Content-Type").startswith("text/event-stream")
            assert answer.getheader("Content-Encoding") == ("gzip" if self.packs else None)
            event = number = None
            for line in self.lines(answer):
                if len(self.ids) >= self.want:
                    break
                if line.startswith("event: "):
                    event = line[7:]
                elif line.startswith("id: "):
                    number = line[4:]
                elif line.startswith("data: "):
                    said = json.loads(line[6:])
                    if event == "screen":
                        self.screens += 1
                    else:
                        self.ids.append(number)
                        self.late.append(time.time() * 1000 - said["at"])
            connection.close()
        except (OSError, AssertionError, ValueError) as fault:
            self.fault = fault


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / ".build/release/combo-consumer")
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    if not os.access(nginx, os.X_OK):
        raise SystemExit("SKIPPED: there is no nginx (Debian: apt-get install nginx)")
    port, public = free_port(), free_port()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="combo-nginx-"))
    text = (ROOT / "deploy/nginx/serve.conf").read_text()
    assert "127.0.0.1:8080" in text and "127.0.0.1:8090" in text
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{port}").replace("127.0.0.1:8090", f"127.0.0.1:{public}")
    user = "user root;\n" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{user}daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{ worker_connections 4096; }}\n"
        f"http {{\n  access_log off;\n  include /etc/nginx/mime.types;\n  client_body_temp_path {folder}/body;\n"
        f"  proxy_temp_path {folder}/proxy;\n  fastcgi_temp_path {folder}/f;\n  uwsgi_temp_path {folder}/u;\n  scgi_temp_path {folder}/s;\n"
        f"{text}\n}}\n")
    processes = [subprocess.Popen(
        [program, "demo", "--http", f"127.0.0.1:{port}", "--rooms", "3", "--rate", "30"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)]
    try:
        processes.append(subprocess.Popen([nginx, "-c", str(folder / "nginx.conf"), "-p", str(folder)]))
        rooms = wait_for("a busy room", lambda: json.loads(get(port, "/rooms?limit=1")[0].read()).get("rooms"))
        room = rooms[0]["room"]
        wait_for("nginx", lambda: get(public, "/overlay")[0].status == 200)

        readers = [Reader(public, room, 40, packs=number % 2 == 1) for number in range(READERS)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(120)
        faults = [reader.fault for reader in readers if reader.fault or reader.is_alive()]
        assert not faults, f"{len(faults)} readers failed, the first: {faults[0]}"
        for reader in readers:
            numbers = [int(one.split("-")[1]) for one in reader.ids]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), "an instruction is missing"
            assert reader.screens >= 1
        late = sorted(one for reader in readers for one in reader.late[1:])
        print(f"{READERS} readers through nginx: each got {len(readers[0].ids)} instructions without a gap;"
              f" after `at` p50 {late[len(late) // 2]:.0f} ms, p99 {late[len(late) * 99 // 100]:.0f} ms")

        packed = [reader for reader in readers if reader.packs]
        print(f"compressed streams take {100 * sum(one.bytes for one in packed) / sum(one.text_bytes for one in packed):.0f} % of the bytes")

        # A viewer that reconnects continues after its last event.
        again = Reader(public, room, 3, last=readers[0].ids[-1])
        again.start()
        again.join(60)
        if again.ids and again.screens == 0:
            assert again.ids[0].split("-")[0] == readers[0].ids[-1].split("-")[0]
            assert int(again.ids[0].split("-")[1]) == int(readers[0].ids[-1].split("-")[1]) + 1
        assert again.fault is None and again.ids, again.fault
        print("a reader who connects again", "goes on behind its last event" if again.screens == 0 else "begins with a screen: it was away long")

        answer, _ = get(public, "/assets/combo-view.js", {"Accept-Encoding": "gzip"})
        packed = len(answer.read())
        assert answer.getheader("Content-Encoding") == "gzip"
        print(f"pages are compressed: combo-view.js in {packed} bytes")
        assert get(public, "/overlay")[0].getheader("Content-Security-Policy").count("unsafe-inline") == 1
        for inside in ("/metrics", "/service/data", "/rooms", "/health/live", "/"):
            assert get(public, inside)[0].status == 404, inside
        print("the service itself cannot be seen from outside")
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
