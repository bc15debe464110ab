#!/usr/bin/env python3
"""Tests the pages in a real browser: python3 Tests/browser/run.py [NAME …]

Needs Debian's chromium (or COMBO_CHROMIUM); nothing else but Python. With COMBO_CONSUMER, or .build/release/combo-consumer, the
traces are replayed anew and compared with those recorded here. --record writes them. --pictures DIR keeps pictures of the pages.
"""

import json
import os
import random
import sys
import unittest

import chrome
import fake_service
from fake_service import FakeService, dump, replay
from screen_model import Screen, Times

OPTIONS = ("--milestones", "3,10,66,188", "--slots", "3", "--linger-ms", "1500", "--screen-ms", "2000")
PICTURES = None


def gifts(seed=3, rooms=3, seconds=60):
    """Made-up gifts of a few combos, so that they grow, wait, come back and are retracted; some rooms close."""
    random_ = random.Random(seed)
    presents = [("rose", "玫瑰", 1, "🌹"), ("cake", "生日蛋糕", 66, "🎂"), ("rocket", "火箭", 5200, "🚀")]
    time_ = [1732104000000 + 137 * room for room in range(rooms)]
    latest = {}
    events = []
    for _ in range(seconds * rooms):
        room = random_.randrange(rooms)
        time_[room] += random_.choice((0, 1, 40, 125, 250, 600, 1900, 6000 if room == 2 else 90))
        sender = random_.randrange(6)
        name, text, value, icon = random_.choices(presents, (6, 3, 1))[0]
        if random_.random() < 0.7:
            sender, name, text, value, icon = latest.get(room, (sender, name, text, value, icon))
        latest[room] = (sender, name, text, value, icon)
        event = {"room": f"r{room}", "ts": time_[room], "sender": {"id": f"u{sender}", "name": f"Viewer {sender}"}}
        chance = random_.random()
        if chance < 0.02:
            events.append({"room": f"r{room}", "ts": time_[room], "type": "room_closed"})
            continue
        if chance < 0.05:
            events.append(event | {"type": "retract"})
            continue
        event |= {"gift": {"id": name, "name": text, "value": value, "icon": icon}, "count": random_.choice((1, 1, 2, 5, 66))}
        if random_.random() < 0.7:
            event["receiver"] = {"id": "a1", "name": "主播"}
        events.append(event)
    return events


KINDS = {"move_up", "update", "screen", "dismiss idle", "dismiss closed", "dismiss retracted", "skip closed", "skip retracted", "base",
         "milestone", "on top closed", "on top retracted"}


def kinds(said):
    """What occurs in a trace."""
    found, shown = set(), {}
    for one in said:
        banner = (one["room"], one["epoch"], one.get("banner"))
        found.add(f"{one['op']} {one.get('reason', '')}".strip())
        found |= {name for name in ("base", "milestone") if one.get(name)}
        if one["op"] == "dismiss" and one["count"] != shown[banner]:
            found.add(f"on top {one['reason']}")
        if one["op"] in ("show", "update"):
            shown[banner] = one["count"]
    return found


def recorded():
    path = fake_service.HERE / "trace.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def show(banner, count=1, seq=None, epoch=1000, room="r1", **more):
    """A `show`, its seq the banner's number unless another is given."""
    said = {"v": 1, "room": room, "epoch": epoch, "seq": seq or banner, "at": epoch, "op": "show", "banner": banner, "slot": 0,
            "count": count, "base": 0, "sender": {"id": "u1", "name": "Ann"}, "gift": {"id": "rose", "name": "Rose", "value": 1}}
    return said | more


def say(op, seq, epoch=1000, room="r1", **more):
    return {"v": 1, "room": room, "epoch": epoch, "seq": seq, "at": epoch, "op": op, **more}


class BrowserTest(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.service = FakeService().start()
        cls.page = BROWSER.page()

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.service.stop()

    def setUp(self):
        self.page.media()
        self.page.resize(1280, 800)

    def tearDown(self):
        self.assertEqual(self.page.faults(), [], "the page threw, or its policy forbade something")

    def call(self, name, *arguments):
        return self.page.run(f"harness.{name}({', '.join(json.dumps(one) for one in arguments)})")

    def keep(self, name):
        if PICTURES:
            self.page.screenshot(os.path.join(PICTURES, f"{name}.png"))


class ViewTests(BrowserTest):
    """combo-view.js on a clock of the tests' own."""

    def setUp(self):
        super().setUp()
        self.page.open(f"{self.service.address}/test/view.html")
        self.page.wait("globalThis.harness !== undefined")

    def test_a_replayed_trace_draws_what_the_instructions_say_at_every_checkpoint(self):
        said = recorded()
        self.assertEqual(KINDS - kinds(said), set(), "the trace does not try everything")
        for still in (False, True):
            for room in sorted({one["room"] for one in said}):
                self.follow([one for one in said if one["room"] == room], still)

    def follow(self, said, still):
        start = said[0]["at"]
        by_time = {}
        for one in said:
            by_time.setdefault(one["at"] - start, []).append(one)
        # When something is said, and in the middle of every motion, and at the edges of those.
        times = sorted({at + after for at in by_time for after in (0, 1, 60, 125, 249, 250, 251, 1400)})
        model = Screen(Times(still=still))
        steps, expected, epoch = [], [], None
        for at in times:
            instructions = by_time.get(at, [])
            isNew = epoch is not None and any(one["epoch"] != epoch for one in instructions)
            steps.append([at, instructions, isNew])
            for one in instructions:
                epoch = one["epoch"]
                model.draw(one, at)
            expected.append(model.drawn(at))
        self.call("make", {"slots": 3, "reducedMotion": still, "announceMs": 0})
        seen = self.call("play", steps)
        checked = 0
        for at, want, got in zip(times, expected, seen):
            where = f"{said[0]['room']}, {at} ms, {'still' if still else 'moving'}"
            self.assertEqual({str(number) for number in want}, set(got), where)
            for number, banner in want.items():
                self.compare(banner, got[str(number)], f"{where}, banner {number}")
                checked += 1
        self.assertGreater(checked, 500)
        self.assertLessEqual(self.page.run("harness.nodes"), 4)
        self.assertTrue(self.page.run("harness.isIdle"), "frames are asked for though nothing moves")

    def compare(self, want, got, where):
        for field, value in want.items():
            if isinstance(value, float) or field in ("place", "aside", "opacity"):
                # Rounded to pixels and to thousandths.
                self.assertAlmostEqual(value, got[field], delta=0.05 if field != "aside" else 0.5, msg=f"{where}: {field}")
            else:
                self.assertEqual(value, got[field], f"{where}: {field}")

    def test_ten_thousand_instructions_grow_neither_nodes_nor_heap(self):
        self.call("make", {"slots": 2})
        steps, seq, banner, at = [], 0, 0, 0
        while seq < 12000:
            banner += 1
            at += 400
            steps.append([at, [show(banner, seq=seq + 1, sender={"id": f"u{banner}", "name": f"Viewer {banner}"}, milestone=1)]])
            for count in range(2, 8):
                at += 250
                steps.append([at, [say("update", seq + count, banner=banner, slot=0, count=count, added=1)]])
            steps.append([at + 100, [say("move_up", seq + 8, banner=banner, slot=1)]])
            steps.append([at + 300, [say("dismiss", seq + 9, banner=banner, slot=1, count=7, reason="busy")]])
            seq += 9
            at += 300
        third = len(steps) // 6
        self.call("rush", steps[:third])
        before = self.page.heap()
        for begin in range(third, len(steps), third):
            self.call("rush", steps[begin:begin + third])
        after = self.page.heap()
        self.assertLessEqual(self.page.run("harness.nodes"), 3)
        self.assertEqual(self.page.run("document.querySelectorAll('.combo-banners > *').length"), self.page.run("harness.nodes"))
        self.assertLessEqual(after[1], before[1] + 2, "nodes")
        self.assertLess(after[0] - before[0], 150_000, "bytes")

    def test_a_page_that_nobody_looks_at_keeps_no_more(self):
        # No frame is drawn there, so nothing ever ends by itself.
        self.call("make", {"slots": 2})
        said = []
        for banner in range(1, 2001):
            said.append(show(banner, seq=2 * banner - 1))
            said.append(say("dismiss", 2 * banner, banner=banner, slot=0, count=1, reason="busy"))
        self.call("play", [[10, said]])
        self.assertLessEqual(self.page.run("harness.nodes"), 3)

    def test_a_room_with_more_slots_than_was_said_gets_its_nodes(self):
        self.call("make", {"slots": 1})
        seen, said, seq = None, [], 0
        for banner in range(1, 6):
            for slot in range(banner - 1, 0, -1):
                seq += 1
                said.append(say("move_up", seq, banner=banner - slot, slot=slot))
            seq += 1
            said.append(show(banner, seq=seq))
        seen = self.call("play", [[0, said], [5000, []]])[-1]
        self.assertEqual({number: one["slot"] for number, one in seen.items()}, {"1": 4, "2": 3, "3": 2, "4": 1, "5": 0})
        self.assertEqual(self.page.run("harness.nodes"), 5)

    def test_a_screen_mends_what_differs_and_leaves_the_rest_as_it_was(self):
        self.call("make")
        entry = lambda banner, slot, count: {key: value for key, value in show(banner, count).items()
                                             if key in ("banner", "count", "base", "sender", "gift")} | {"slot": slot}
        seen = self.call("play", [
            [0, [show(1, 5)]], [1000, [say("update", 2, banner=1, slot=0, count=9, added=4)]],
            [1100, [say("screen", 3, banners=[entry(1, 0, 9)])]], [1125, []],
            [3000, [say("screen", 9, banners=[entry(4, 1, 70), entry(5, 0, 2)])]], [4000, []]])
        self.assertIn(seen[3]["1"]["number"], (7, 8), "the number went on running")
        self.assertEqual({number: (one["slot"], one["number"]) for number, one in seen[5].items()}, {"4": (1, 70), "5": (0, 2)})

    def test_malformed_instructions_draw_nothing_and_throw_nothing(self):
        self.call("make")
        bad = [None, 5, "x", [], {}, {"op": "show"}, {"op": "show", "banner": "1", "slot": 0, "count": 1}, {"op": "screen"},
               {"op": "screen", "banners": [None, {}, 7]}, {"op": "update", "banner": 1, "count": 3}, {"op": "dismiss"},
               show(1, slot=1000), show(1, count=-1), show(1, count=1.5), {"op": "sing", "banner": 1}, {"op": "constructor"}]
        self.assertEqual(self.call("play", [[0, bad]]), [{}])
        odd = show(2) | {"sender": {"id": 5, "name": {}}, "gift": 7, "receiver": []}
        seen = self.call("play", [[1, [odd]], [2000, []]])[-1]
        self.assertEqual((seen["2"]["sender"], seen["2"]["gift"]), ("5", "?"))

    def test_hostile_names_are_drawn_as_text(self):
        self.call("make", {"slots": 10})
        names = ["<script>globalThis.harmed = 1</script>", "<img src=x onerror=globalThis.harmed=1>", "\u202eevil\u202d\u2066\u2069\u2067x",
                 "W" * 10240, "e" + "\u0301" * 5000, "a\ud800b", "\udc00", "\u0000\u0007\n\u2028x\ty", "</li></ul><h1>", "   ", "ﷺ" * 200]
        said, seq = [], 0
        for banner, name in enumerate(names, 1):
            for slot in range(banner - 1, 0, -1):
                seq += 1
                said.append(say("move_up", seq, banner=banner - slot, slot=slot))
            seq += 1
            evil = {"id": f"u{banner}", "name": name, "avatar": "javascript:globalThis.harmed=1"}
            gift = {"id": "g", "name": name, "value": "1e999", "icon": name, "picture": "data:text/html,<script>1</script>"}
            said.append(show(banner, seq=seq, sender=evil, receiver={"id": "a", "name": name}, gift=gift))
        seen = self.call("play", [[0, said], [3000, []]])[-1]
        self.keep("hostile")
        self.assertEqual(len(seen), len(names))
        self.assertEqual(seen["1"]["sender"], names[0])
        self.assertEqual(seen["2"]["sender"], names[1][:40] + "…" if len(names[1]) > 40 else names[1])
        self.assertEqual(seen["3"]["sender"], "evilx")
        self.assertEqual(seen["4"]["sender"], "W" * 40 + "…")
        self.assertEqual(seen["6"]["sender"], "a\ufffdb")
        self.assertEqual(seen["7"]["sender"], "\ufffd")
        self.assertEqual(seen["8"]["sender"], "x y")
        self.assertEqual(seen["10"]["sender"], "u10")
        self.assertTrue(all(len(one["sender"]) < 100 for one in seen.values()))
        self.assertEqual(self.page.run("globalThis.harmed ?? 0"), 0)
        self.assertEqual(self.page.run("document.querySelectorAll('#stage script, #stage h1').length"), 0)
        self.assertEqual(self.page.run("[...document.querySelectorAll('#stage img')].filter((one) => one.hasAttribute('src')).length"), 0)
        # Nothing of it leaves its banner's line.
        inside = """[...document.querySelectorAll('.combo-banner:not([hidden])')].every((one) => {
          const stage = document.querySelector('#stage').getBoundingClientRect(), box = one.getBoundingClientRect();
          return box.height < 100 && box.right <= stage.right && box.left >= stage.left; })"""
        self.assertTrue(self.page.run(inside))
        self.page.resize(320, 640, True)
        self.assertTrue(self.page.run(inside), "on a narrow phone")
        self.assertEqual(self.page.run("document.documentElement.scrollWidth"), 320)

    def test_pictures_come_from_https_and_data_addresses_alone(self):
        bitmap = "data:image/png;base64,iVBORw0KGgo="
        for address, is_shown in (
                ("https://cdn.example/u.png", True), (bitmap, True), ("HTTPS://CDN.example/a b.png", True),
                ("http://cdn.example/u.png", False), ("javascript:alert(1)", False), ("//cdn.example/u.png", False), ("/u.png", False),
                (" https://cdn.example/u.png", False), ("https://name:word@cdn.example/", False), ("https://", False),
                ("data:image/svg+xml;base64,PHN2Zz4=", False), ("data:text/html;base64,PHN2Zz4=", False), (f"{bitmap}\" onerror=", False),
                ("https://cdn.example/" + "x" * 5000, False), ("data:image/png;base64," + "A" * 70000, False), (5, False), (None, False)):
            self.assertEqual(self.call("pictureAddress", address) is not None, is_shown, address)
        self.assertIsNone(self.call("pictureAddress", "https://cdn.example/u.png", "data"))
        self.assertIsNone(self.call("pictureAddress", bitmap, "none"))
        # One that loads takes the place of the letter; one that cannot be had leaves it there.
        dot = ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
        self.call("make")
        self.call("play", [[0, [show(1, sender={"id": "u", "name": "Ann", "avatar": dot})]]])
        self.page.wait("getComputedStyle(document.querySelector('.combo-avatar img')).display !== 'none'")
        self.call("play", [[1, [show(1, sender={"id": "u", "name": "Bea", "avatar": "https://nowhere.example/u.png"})]]])
        self.page.wait("getComputedStyle(document.querySelector('.combo-avatar img')).display === 'none'")
        self.assertEqual(self.page.run("document.querySelector('.combo-avatar .combo-instead').textContent"), "B")

    def test_a_screen_reader_is_told_seldom_and_in_sentences(self):
        self.call("make", {"announceMs": 6000})
        spoken, steps, seq = [], [], 0
        for banner in range(1, 41):
            steps.append([banner * 500, [show(banner, banner, seq=seq + 1, receiver={"id": "a", "name": "Host"}),
                                         say("dismiss", seq + 2, banner=banner, slot=0, count=banner, reason="busy")]])
            seq += 2
        for step in steps:
            self.call("play", [step])
            if not spoken or spoken[-1][1] != self.page.run("harness.spoken"):
                spoken.append((step[0], self.page.run("harness.spoken")))
        # A sentence is seen half a second late at most: at the next step.
        spoken = [(at, text) for at, text in spoken if text]
        self.assertLessEqual(len(spoken), 4)
        self.assertGreaterEqual(len(spoken), 3)
        self.assertTrue(all(later[0] - sooner[0] >= 5500 for sooner, later in zip(spoken, spoken[1:])), spoken)
        self.assertRegex(spoken[1][1], r"^Ann sent Rose to Host, \d+ times, and \d+ more combos\.$")

    def test_reduced_motion_slides_nothing_and_throws_no_confetti(self):
        self.page.media(motion="reduce")
        self.call("make")
        said = [show(1, 70, milestone=66)]
        seen = self.call("play", [[0, said], [60, []], [300, []], [400, [say("update", 2, banner=1, slot=0, count=90, added=20)]], [450, []]])
        self.assertTrue(all(abs(one["1"]["aside"]) < 0.1 for one in seen))
        self.assertTrue(0 < seen[1]["1"]["opacity"] < 1)
        self.assertEqual(seen[3]["1"]["number"], 90)
        self.assertTrue(seen[2]["1"]["praised"], "the milestone itself is told all the same")
        canvas = "document.querySelector('.combo-effects')"
        empty = f"new Uint32Array({canvas}.getContext('2d').getImageData(0, 0, {canvas}.width, {canvas}.height).data.buffer).every((one) => one === 0)"
        self.assertTrue(self.page.run(empty))
        self.page.media(motion="no-preference")
        self.page.wait("!document.querySelector('.combo-view').classList.contains('combo-still')")
        self.call("play", [[2000, [say("update", 3, banner=1, slot=0, count=200, added=110, milestone=188)]], [2200, []]])
        self.assertFalse(self.page.run(empty), "without that wish there is confetti")

    def test_a_client_keeps_epoch_and_seq(self):
        screen = say("screen", 9, banners=[])
        for said, verdicts in (
                ([show(1), show(1), say("update", 2, banner=1, count=2)], ["draw", "repeated", "draw"]),
                ([say("update", 5, banner=1), show(2, seq=6), screen, show(3, seq=10)], ["wait", "wait", "draw", "draw"]),
                ([show(4, seq=40)], ["draw"]),
                ([show(1), say("update", 3, banner=1), show(2, seq=4), screen], ["draw", "clear", "wait", "draw"]),
                ([show(1), say("dismiss", 2, banner=1), show(5, seq=9)], ["draw", "draw", "draw"]),
                ([show(1), show(1, epoch=2000), show(9, seq=9)], ["draw", "clear, draw", "repeated"]),
                ([show(1), say("screen", 7, banners=[])], ["draw", "clear, draw"]),
                ([show(1), {"snapshot": say("screen", 0, epoch=0, banners=[])}, show(4, seq=7)], ["draw", "draw", "draw"]),
                ([show(1, epoch=2000), {"snapshot": say("screen", 8, epoch=1000, banners=[])}], ["draw", "repeated"]),
                ([{"snapshot": say("screen", 3, banners=[])}, show(1, seq=3), show(2, seq=4)], ["draw", "repeated", "draw"]),
                ([None, {}, {"epoch": "1", "seq": 1, "op": "show"}, {"snapshot": 5}, show(1)], ["bad", "bad", "bad", "bad", "draw"]),
                ([show(1), say("sing", 2), say("dismiss", 3, banner=1)], ["draw", "draw", "draw"])):
            self.assertEqual(self.call("follow", said), verdicts, said)

    def test_instructions_that_come_in_batches_are_drawn_in_their_rhythm(self):
        # Committed each 200 ms; the two clocks are a day apart.
        skew = 86_400_000
        said = [(at, at - at % 200 + 230) for at in range(0, 20000, 90)]
        drawn = self.call("pace", 500, [[came, at + skew] for at, came in said])
        self.assertEqual([at - skew for at, _ in drawn], [at for at, _ in said], "in their order")
        self.assertTrue(all(time >= came for (_, came), (_, time) in zip(said, drawn)))
        steps = [b[1] - a[1] for a, b in zip(drawn, drawn[1:])][10:]
        self.assertEqual(set(steps), {90})
        # The service stalls for four seconds: what is late is not held, and soon the rhythm is back.
        said = [(at, 9000 if 5000 <= at < 9000 else at + 30) for at in range(0, 40000, 90)]
        drawn = self.call("pace", 500, [[came, at + skew] for at, came in said])
        waits = [time - came for (_, came), (_, time) in zip(said, drawn)]
        self.assertLessEqual(max(waits), 500)
        self.assertTrue(all(wait == 0 for (at, came), wait in zip(said, waits) if came - at > 530))
        self.assertEqual(waits[-1], 0)
        # Without it, and with times that are none, all is drawn as it comes.
        self.assertTrue(all(time == came for (_, came), (_, time) in zip(said, self.call("pace", 0, [[c, a] for a, c in said]))
                            if came != 9000))
        self.assertEqual(self.call("pace", 500, [[5, "x"], [7, None]]), [["x", 5], [None, 7]])
        # A page that sleeps holds no more than it can draw at once.
        self.assertEqual(len(self.call("pace", 500, [[0, 0], *[[0, at] for at in range(1, 5000)]])), 5000)

    def test_events_are_read_however_they_are_cut(self):
        text = ": alive\n\nevent: screen\r\nid: 1-2\r\ndata: {\"a\":\ndata:1}\r\n\r\nevent: x\rdata: ü\r\rid: 5\n\ndata\n\n"
        want = [{"type": "screen", "data": '{"a":\n1}'}, {"type": "x", "data": "ü"}, {"type": "message", "data": ""}]
        for size in range(1, len(text) + 1):
            self.assertEqual(self.call("parse", [text[at:at + size] for at in range(0, len(text), size)]), want, size)


class PageTests(BrowserTest):
    """The pages, on a service with nothing behind it."""

    SHOWN = ("[...document.querySelectorAll('.combo-banner:not([hidden])')].filter((one) => one.dataset.phase !== 'leaving')"
             ".map((one) => one.querySelector('.combo-sender').textContent + one.querySelector('.combo-number').textContent).sort().join()")

    def setUp(self):
        super().setUp()
        self.room = f"room {self.id().rsplit('.')[-1][-20:]}"

    def watch(self, room=None, **of_room):
        room = room or self.room
        self.page.open("about:blank")
        self.page.open(f"{self.service.address}/#room={room.replace(' ', '%20')}")
        self.live()

    def live(self):
        self.page.wait("document.querySelector('#state').dataset.state === 'live'")

    def wait_shown(self, want):
        self.page.wait(f"{self.SHOWN} === {json.dumps(want)}")

    def test_a_room_is_drawn_as_it_is_said(self):
        self.service.say(show(1, 3, room=self.room))
        self.watch()
        self.wait_shown("Ann3")
        self.service.say(say("update", 2, room=self.room, banner=1, slot=0, count=12, added=9, milestone=10))
        self.wait_shown("Ann12")
        self.service.say(say("dismiss", 3, room=self.room, banner=1, slot=0, count=12, reason="idle"))
        self.wait_shown("")
        self.assertEqual(self.page.run("document.querySelector('#room-name').textContent"), self.room)

    def test_ten_thousand_instructions_leave_the_page_as_small_as_it_was(self):
        self.watch()
        seq = 0

        def round_of(count):
            nonlocal seq
            for _ in range(count // 2):
                self.service.say(show(seq + 1, 2, seq=seq + 1, room=self.room))
                self.service.say(say("dismiss", seq + 2, room=self.room, banner=seq + 1, slot=0, count=2, reason="busy"))
                seq += 2
            self.page.wait(f"document.querySelector('#fact-seq').textContent.replace(/\\D/g, '') === '{seq}'")
            # Those that have slid out have no texts any more.
            self.page.wait("document.querySelector('.combo-banner:not([hidden])') === null")
            return self.page.heap()

        round_of(10)
        # The list of rooms is asked for again now and then: this room's row is to be there already.
        self.page.wait(f"[...document.querySelectorAll('.room-row bdi')].some((one) => one.textContent === {json.dumps(self.room)})")
        before = round_of(2000)
        after = round_of(10000)
        self.assertLessEqual(after[1], before[1] + 10, "nodes")
        self.assertLess(after[0] - before[0], 400_000, "bytes")
        self.assertLessEqual(self.page.run("document.querySelectorAll('.combo-banners > *').length"), 3)

    def test_after_a_gap_it_waits_for_the_screen(self):
        self.watch()
        self.service.say(show(1, 3, room=self.room))
        self.wait_shown("Ann3")
        self.service.say(say("update", 2, room=self.room, banner=1, slot=0, count=4, added=1), unheard=True)
        self.service.say(say("update", 3, room=self.room, banner=1, slot=0, count=5, added=1))
        self.page.wait("document.querySelector('#state').dataset.state === 'waiting'")
        self.wait_shown("")
        self.service.say(self.service.room(self.room).screen.said() | {"seq": 4})
        self.wait_shown("Ann5")
        self.assertEqual(self.page.run("document.querySelector('#fact-gaps').textContent"), "1")
        self.assertEqual(self.page.run("document.querySelector('#fact-reconnects').textContent"), "0")

    def test_a_gap_that_stays_is_mended_by_a_new_stream(self):
        self.watch()
        self.service.say(show(1, 3, room=self.room))
        self.wait_shown("Ann3")
        self.service.say(say("update", 2, room=self.room, banner=1, slot=0, count=4, added=1), unheard=True)
        self.service.say(say("update", 3, room=self.room, banner=1, slot=0, count=5, added=1))
        self.wait_shown("")
        self.wait_shown("Ann5")
        self.live()

    def test_it_connects_again_when_the_service_restarts(self):
        self.watch()
        self.service.say(show(1, 3, room=self.room))
        self.wait_shown("Ann3")
        self.service.stop()
        self.page.wait("document.querySelector('#state').dataset.state === 'broken'")
        self.wait_shown("Ann3")
        # While nobody listens, the room goes on.
        self.service.say(say("update", 2, room=self.room, banner=1, slot=0, count=8, added=5))
        self.service.start()
        self.live()
        self.wait_shown("Ann8")
        self.service.say(say("update", 2, room=self.room, banner=1, slot=0, count=8, added=5))
        self.service.say(say("update", 3, room=self.room, banner=1, slot=0, count=9, added=1))
        self.wait_shown("Ann9")
        self.service.say(show(1, 2, epoch=2000, room=self.room))
        self.wait_shown("Ann2")

    def test_what_is_old_goes_when_the_service_stays_away(self):
        self.watch()
        self.service.say(show(1, 3, room=self.room))
        self.wait_shown("Ann3")
        self.service.stop(aloud=False)
        self.page.wait("document.querySelector('#stage').dataset.stale === 'yes'")
        self.wait_shown("")
        self.service.start()
        self.wait_shown("Ann3")

    def test_a_dropped_reader_and_a_refused_room_are_told_why(self):
        self.watch()
        self.service.refused[self.room] = "Room x is in partition 3, which another instance has."
        self.service.hang_up(self.room, ("dropped", dump({"reason": "slow", "sentence": "You read too slowly."})))
        self.page.wait("document.querySelector('#stage-note').textContent.startsWith('You read too slowly')")
        self.page.wait("document.querySelector('#stage-note').textContent.includes('another instance')")
        self.assertEqual(self.page.run("document.querySelector('#state-text').textContent"), "Not available")
        del self.service.refused[self.room]
        self.live()

    def test_hostile_names_pass_through_the_stream_as_text(self):
        room = "<b onclick=1>\u202e"
        evil = r'{"id":"u1","name":"\ud800<img src=x onerror=harmed=1>' + "W" * 10240 + '"}'
        self.watch(self.room)
        self.service.say(show(1, room=self.room), raw=dump(show(1, room=self.room)).replace('{"id":"u1","name":"Ann"}', evil))
        self.page.wait("document.querySelector('.combo-sender')?.textContent.startsWith('\ufffd<img src=x')")
        self.service.say(show(1, room=room))
        self.page.run("document.querySelector('#query').value = '<b'; document.querySelector('#query').dispatchEvent(new Event('input')); 0")
        self.page.wait("document.querySelector('.room-row bdi').textContent === '<b onclick=1>'")
        self.page.run("document.querySelector('.room-row').click()")
        self.page.wait("document.querySelector('#room-name').textContent === '<b onclick=1>'")
        self.live()
        self.assertEqual(self.page.run("globalThis.harmed ?? 0"), 0)

    def test_the_keyboard_is_enough(self):
        for name in ("key-a", "key-b"):
            self.service.say(show(1, room=name))
        self.watch("key-a")
        focus = "document.activeElement.id || document.activeElement.textContent"
        self.page.run("document.activeElement.blur()")
        self.page.key("Tab")
        self.assertEqual(self.page.run("document.activeElement.className"), "skip-link")
        self.page.key("Enter")
        self.page.wait("document.activeElement.id === 'stage'")
        self.assertEqual(self.page.run("document.querySelector('#room-name').textContent"), "key-a")
        self.page.key("/")
        self.assertEqual(self.page.run(focus), "query")
        self.page.type("key-")
        self.page.wait("[...document.querySelectorAll('#room-list li:not([hidden])')].length === 2")
        self.page.key("ArrowDown")
        self.page.key("ArrowDown")
        chosen = self.page.run("document.activeElement.querySelector('bdi').textContent")
        self.assertIn(chosen, ("key-a", "key-b"))
        self.page.key("Enter")
        self.page.wait(f"document.querySelector('#room-name').textContent === '{chosen}'")
        self.page.key("ArrowUp")
        self.page.key("ArrowUp")
        self.assertEqual(self.page.run(focus), "query")
        self.page.key("Escape")
        self.page.wait("document.querySelector('#query').value === ''")
        # A room that is not in the list is opened by its id.
        self.page.type("asleep")
        self.page.key("Enter")
        self.page.wait("document.querySelector('#room-name').textContent === 'asleep'")
        self.live()
        ring = "getComputedStyle(document.activeElement).outlineStyle"
        self.page.key("Tab")
        self.assertEqual(self.page.run(ring), "solid")

    def test_a_list_that_has_the_focus_does_not_jump(self):
        for name in ("jump-a", "jump-b"):
            self.service.say(show(1, room=name))
        self.watch("jump-a")
        self.page.run("document.querySelector('#query').value = 'jump-'; document.querySelector('#query').dispatchEvent(new Event('input')); 0")
        self.page.wait("document.querySelector('.room-row bdi').textContent === 'jump-a'")
        self.page.run("document.querySelector('.room-row').focus()")
        self.service.say(say("update", 2, room="jump-b", banner=1, slot=0, count=500, added=499))
        self.page.wait("[...document.querySelectorAll('.room-row')][1].querySelector('.room-rate').textContent !== '0.1'")
        self.assertEqual(self.page.run("document.querySelector('.room-row bdi').textContent"), "jump-a")
        self.page.run("document.activeElement.blur()")
        self.page.wait("document.querySelector('.room-row bdi').textContent === 'jump-b'")

    def test_both_pages_fit_a_phone_and_a_desktop_in_both_schemes(self):
        said = [one for one in recorded() if one["room"] == "r0"]
        for one in said[:12]:
            self.service.say(one | {"room": "看 room"})
        for name, path in (("rooms", "/#room=%E7%9C%8B%20room"), ("service", "/service")):
            for width, height, mobile in ((320, 640, True), (390, 844, True), (820, 1180, True), (1360, 850, False)):
                for scheme in ("dark", "light"):
                    self.page.resize(width, height, mobile)
                    self.page.media(scheme)
                    self.page.open("about:blank")
                    self.page.open(self.service.address + path)
                    self.page.wait("['live', 'running', 'restoring'].includes(document.querySelector('#state').dataset.state)")
                    self.keep(f"{name}-{width}-{scheme}")
                    self.assertEqual(self.page.run("document.documentElement.scrollWidth"), width, (name, width, scheme))
                    self.assertEqual(self.page.run(UNREADABLE), [], (name, width, scheme))

    def test_what_moves_by_itself_stands_still_when_asked_to(self):
        self.watch()
        moving = "document.getAnimations().filter((one) => one.playState === 'running').length"
        self.assertGreater(self.page.run(moving), 0)
        self.page.media(motion="reduce")
        self.page.wait(f"{moving} === 0")

    def test_everything_that_can_be_reached_has_a_name(self):
        for path in ("/", "/service"):
            self.page.open(self.service.address + path)
            self.page.wait("document.querySelector('#state').dataset.state !== 'idle'")
            nameless = []
            for node in self.page.call("Accessibility.getFullAXTree")["nodes"]:
                role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "")
                if role in ("link", "button", "searchbox", "textbox", "region", "list", "image", "img", "progressbar") and not name.strip():
                    if role != "list" and not node.get("ignored"):
                        nameless.append(node.get("role"))
            self.assertEqual(nameless, [], path)
            self.assertEqual(self.page.run("document.querySelectorAll('h1').length"), 1)

    def test_the_service_page_plots_differences_and_says_when_it_cannot(self):
        self.page.open(f"{self.service.address}/service")
        self.page.wait("document.querySelector('.plot-keys b').textContent !== '–'")
        self.page.wait("document.querySelectorAll('#partitions tr:not([hidden])').length === 8")
        inked = """(() => { const canvas = document.querySelector('.plot canvas');
          return new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size; })()"""
        self.page.wait(f"{inked} > 5")
        self.service.stop()
        self.page.wait("document.querySelector('#state').dataset.state === 'broken'")
        self.page.wait("document.querySelector('.plot-keys b').textContent === '–'")
        self.service.start()
        self.page.wait("['running', 'restoring'].includes(document.querySelector('#state').dataset.state)")
        self.page.wait("document.querySelector('.plot-keys b').textContent !== '–'")


# Text whose contrast with what is behind it is too low (WCAG AA); texts on the stage have pictures behind them and are left out.
UNREADABLE = """(() => {
  const parts = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return { r, g, b, a }; };
  const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  const light = ({ r, g, b }) => { const [x, y, z] = [r, g, b].map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92
    : ((one + 0.055) / 1.055) ** 2.4); return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
  const behind = (node) => { if (node === null) return parts('rgb(128,128,128)'); const own = parts(getComputedStyle(node).backgroundColor);
    return own.a === 1 ? own : over(own, behind(node.parentElement)); };
  const found = [];
  for (const node of document.querySelectorAll('body *')) {
    if (node.closest('.stage-frame, .skip-link, noscript') || !node.checkVisibility()) continue;
    if (![...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim() !== '')) continue;
    const back = behind(node), [a, b] = [light(over(parts(getComputedStyle(node).color), back)), light(back)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.push(`${node.className || node.tagName}: ${node.textContent.slice(0, 20)} ${((a + 0.05) / (b + 0.05)).toFixed(1)}`);
  }
  return found; })()"""


class TraceTests(unittest.TestCase):
    @unittest.skipUnless(fake_service.program(), "there is no combo-consumer to replay with: make build, or COMBO_CONSUMER")
    def test_the_recorded_trace_is_what_replay_says_today(self):
        self.assertEqual(recorded(), replay(gifts(), *OPTIONS))


def main():
    global BROWSER, PICTURES
    arguments = sys.argv[1:]
    if "--record" in arguments:
        (fake_service.HERE / "trace.jsonl").write_text("".join(dump(one) + "\n" for one in replay(gifts(), *OPTIONS)))
        return
    if "--pictures" in arguments:
        at = arguments.index("--pictures")
        PICTURES = arguments[at + 1]
        os.makedirs(PICTURES, exist_ok=True)
        del arguments[at:at + 2]
    path = chrome.find()
    if path is None:
        raise SystemExit("The browser tests did not run: there is no chromium. Install it (Debian: apt-get install chromium), or say "
                         "with COMBO_CHROMIUM where it is.")
    BROWSER = chrome.Browser(path)
    try:
        done = unittest.main(argv=[sys.argv[0], *sum((["-k", one] for one in arguments if not one.startswith("-")), []),
                                   *[one for one in arguments if one.startswith("-")]], exit=False, verbosity=2)
    finally:
        BROWSER.close()
    sys.exit(not done.result.wasSuccessful())


if __name__ == "__main__":
    main()
