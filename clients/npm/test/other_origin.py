#!/usr/bin/env python3
"""The package in a real browser, where the page comes from one origin and the stream from another.

Needs Chromium (Debian: chromium) and nothing else but Python. Exit code 0: it works; 77: there is no Chromium.
"""

import http.server
import json
import pathlib
import sys
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "Tests/browser"))
sys.dont_write_bytecode = True

import chrome  # noqa: E402

PAGE = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/lib/combo-view.css">
<div id="stage" style="position: relative; height: 20rem"></div>
<script type="module">
import { ComboView, RoomStream } from "/index.js";
const view = new ComboView(document.querySelector("#stage"));
const base = new URLSearchParams(location.search).get("base");
const states = (globalThis.states = []);
const stream = new RoomStream("r1", { draw: (one) => view.draw(one), clear: () => view.clear(), state: (one) => states.push(one.name) }, { base });
stream.start();
globalThis.view = view;
</script>"""
TYPES = {".js": "text/javascript", ".css": "text/css"}


class Pages(http.server.BaseHTTPRequestHandler):
    """The author's own web server: a page, and the package's files."""

    def do_GET(self):
        path = HERE.parent / self.path.split("?")[0].lstrip("/")
        isPage = self.path.split("?")[0] == "/"
        if not isPage and not path.is_file():
            return self.send_error(404)
        body = PAGE.encode() if isPage else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if isPage else TYPES[path.suffix])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Service(http.server.BaseHTTPRequestHandler):
    """A service that allows one origin, or none."""

    allowed = None
    methods = []

    def do_GET(self):
        Service.methods.append(self.command)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        if Service.allowed:
            self.send_header("Access-Control-Allow-Origin", Service.allowed)
        self.end_headers()
        head = {"v": 1, "room": "r1", "epoch": 1000, "at": 1000}
        who = {"sender": {"id": "u", "name": "小明"}, "gift": {"id": "g", "name": "Rose"}}
        for kind, said in (("screen", {"seq": 1, "op": "screen", "banners": []}),
                           ("instruction", {"seq": 2, "op": "show", "banner": 1, "slot": 0, "count": 3, "base": 0, **who})):
            self.wfile.write(f"event: {kind}\ndata: {json.dumps(head | said)}\n\n".encode())
            self.wfile.flush()
        Service.done.wait(30)

    def do_OPTIONS(self):
        Service.methods.append(self.command)
        self.send_error(405)

    def log_message(self, *_):
        pass


class OtherOriginTests(unittest.TestCase):
    def setUp(self):
        Service.done, Service.methods = threading.Event(), []
        self.servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind) for kind in (Pages, Service)]
        for server in self.servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        self.origins = [f"http://127.0.0.1:{server.server_address[1]}" for server in self.servers]
        self.page = browser.page()

    def tearDown(self):
        Service.done.set()
        self.page.close()
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def test_a_service_that_allows_the_pages_origin_is_drawn_from_without_a_preflight(self):
        Service.allowed = self.origins[0]
        self.page.open(f"{self.origins[0]}/?base={self.origins[1]}")
        self.page.wait("document.querySelector('.combo-sender')?.textContent === '小明'")
        self.assertEqual(self.page.run("view.banners"), [{"banner": 1, "slot": 0, "count": 3}])
        self.assertEqual(set(Service.methods), {"GET"})

    def test_one_that_does_not_is_told_as_out_of_reach_and_draws_nothing(self):
        Service.allowed = None
        self.page.open(f"{self.origins[0]}/?base={self.origins[1]}")
        self.page.wait("states.includes('broken')")
        self.assertEqual(self.page.run("view.banners"), [])


if __name__ == "__main__":
    path = chrome.find()
    if path is None:
        print("LEFT OUT: the package in a browser, because there is no chromium")
        sys.exit(77)
    browser = chrome.Browser(path)
    try:
        done = unittest.main(exit=False)
    finally:
        browser.close()
    sys.exit(not done.result.wasSuccessful())
