"""combo-view.js and combo-client.js, on a clock that the tests move."""

import json
import pathlib

import browser_test
from screen_model import Screen, Times
from trace_of_rooms import KINDS, kinds, recorded, say, show

CASES = pathlib.Path(__file__).resolve().parent.parent / "Clients" / "cases"


def parsed(text):
    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError:
        return None


class ViewTests(browser_test.BrowserTest):
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
        # The times of instructions, and the middle and the edges of every motion.
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
                # The values are rounded to pixels and to thousandths.
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

    def test_a_screen_that_says_the_rooms_times_sets_them(self):
        self.call("make")
        entry = {key: show(1)[key] for key in ("banner", "slot", "count", "base", "sender", "gift")}
        seen = self.call("play", [
            [0, [show(1)]], [1000, [say("screen", 2, banners=[entry], slots=4, enter_ms=0, count_ms=2000, exit_ms=1000)]],
            [2000, [say("update", 3, banner=1, slot=0, count=101, added=100)]], [3000, []],
            [5000, [say("dismiss", 4, banner=1, slot=0, count=101, reason="idle")]], [5900, []], [6001, []]])
        self.assertTrue(1 < seen[3]["1"]["number"] < 101, "the number runs for two seconds")
        self.assertEqual([list(one) for one in seen[5:]], [["1"], []], "the banner leaves for one second")

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
        names = ["<script>globalThis.harmed = 1</script>", "<img src=x onerror=globalThis.harmed=1>",
                 "\u202eevil\u202d\u2066\u2069\u2067x", "W" * 10240, "e" + "\u0301" * 5000, "a\ud800b", "\udc00",
                 "\u0000\u0007\n\u2028x\ty", "</li></ul><h1>", "   ", "ﷺ" * 200]
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
        self.assertEqual(self.page.run("document.querySelectorAll('#stage img[src]').length"), 0)
        # No part of a text leaves its banner's line.
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
                ("http://cdn.example/u.png", False), ("javascript:alert(1)", False), ("//cdn.example/u.png", False),
                ("/u.png", False),
                (" https://cdn.example/u.png", False), ("https://name:word@cdn.example/", False), ("https://", False),
                ("data:image/svg+xml;base64,PHN2Zz4=", False), ("data:text/html;base64,PHN2Zz4=", False),
                (f"{bitmap}\" onerror=", False),
                ("https://cdn.example/" + "x" * 5000, False), ("data:image/png;base64," + "A" * 70000, False),
                (5, False), (None, False)):
            self.assertEqual(self.call("pictureAddress", address) is not None, is_shown, address)
        self.assertIsNone(self.call("pictureAddress", "https://cdn.example/u.png", "data"))
        self.assertIsNone(self.call("pictureAddress", bitmap, "none"))
        # A picture replaces the letter once it has loaded; if it cannot be loaded, the letter stays.
        dot = ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAA"
               "AABJRU5ErkJggg==")
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
        # A sentence is seen at the next step, at most half a second late.
        spoken = [(at, text) for at, text in spoken if text]
        self.assertLessEqual(len(spoken), 4)
        self.assertGreaterEqual(len(spoken), 3)
        self.assertTrue(all(later[0] - sooner[0] >= 5500 for sooner, later in zip(spoken, spoken[1:])), spoken)
        self.assertRegex(spoken[1][1], r"^Ann sent Rose to Host, × \d+\. More combos: \d+\.$")
        # Nothing is announced once announcements are off.
        self.page.run("harness.announces = false; 0")
        self.call("play", [[60000, [say("dismiss", 99, banner=40, slot=0, count=1, reason="turn")]], [90000, []]])
        self.assertEqual(self.page.run("harness.spoken"), "")

    def test_reduced_motion_slides_nothing_and_throws_no_confetti(self):
        self.page.media(motion="reduce")
        self.call("make")
        said = [show(1, 70, milestone=66)]
        more = say("update", 2, banner=1, slot=0, count=90, added=20)
        seen = self.call("play", [[0, said], [60, []], [300, []], [400, [more]], [450, []]])
        self.assertTrue(all(abs(one["1"]["aside"]) < 0.1 for one in seen))
        self.assertTrue(0 < seen[1]["1"]["opacity"] < 1)
        self.assertEqual(seen[3]["1"]["number"], 90)
        self.assertTrue(seen[2]["1"]["praised"], "the milestone itself is told all the same")
        canvas = "document.querySelector('.combo-effects')"
        inside = f"{canvas}.getContext('2d').getImageData(0, 0, {canvas}.width, {canvas}.height).data"
        empty = f"new Uint32Array({inside}.buffer).every((one) => one === 0)"
        self.assertTrue(self.page.run(empty))
        self.page.media(motion="no-preference")
        self.page.wait("!document.querySelector('.combo-view').classList.contains('combo-still')")
        self.call("play", [[2000, [say("update", 3, banner=1, slot=0, count=200, added=110, milestone=188)]], [2200, []]])
        self.assertFalse(self.page.run(empty), "without that wish there is confetti")

    def test_the_view_shows_after_each_line_of_the_client_suite_what_must_be_there(self):
        # The cases of Tests/Clients with one room, and of their lines those that are objects with a room.
        checked = 0
        for path in sorted(CASES.glob("*.jsonl")):
            cases = []
            for line in path.read_text(encoding="utf-8").splitlines():
                value = json.loads(line)
                if "case" in value:
                    cases.append((value["case"], []))
                    continue
                said = value.get("in", value.get("joined"))
                if isinstance(said, str):
                    said = parsed(said)
                if isinstance(said, dict) and isinstance(said.get("room"), str):
                    cases[-1][1].append(value | {"joined" if "joined" in value else "in": said})
            for name, steps in cases:
                said = [one.get("in", one.get("joined")) for one in steps]
                if len({one["room"] for one in said}) > 1:
                    continue
                seen = self.call("suite", [["joined" if "joined" in one else "in", value] for one, value in zip(steps, said)])
                for number, (want, got) in enumerate(zip(steps, seen), 1):
                    place = [{key: one[key] for key in ("banner", "slot", "count")} for one in want["screen"]]
                    self.assertEqual((want["verdict"], place), (got["verdict"], got["banners"]), f"{path.name}: {name}, line {number}")
                    for banner in want["screen"]:
                        name_of = (banner.get("sender") or {}).get("name")
                        if isinstance(name_of, str) and name_of.isalpha() and banner["slot"] < 10:
                            self.assertEqual(name_of, got["names"].get(str(banner["banner"])), f"{path.name}: {name}, line {number}")
                    checked += 1
        self.assertGreater(checked, 1500)

    def test_a_turn_leaves_as_idle_does_and_a_final_draws_nothing(self):
        seen = []
        for reason in ("idle", "turn"):
            self.call("make")
            seen.append(self.call("play", [
                [0, [show(1, 3)]], [500, [say("dismiss", 2, banner=1, slot=0, count=3, reason=reason)]], [625, []], [700, []],
                [760, [say("final", 3, banner=1, count=3, reason="over", sender={"id": "u"}, gift={"id": "g"})]]]))
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[1][2]["1"]["phase"], "leaving")
        self.assertEqual(seen[1][4], {})

    def test_banners_of_each_language_are_whole_sentences_and_arabic_ones_come_from_the_right(self):
        said = [show(1, 3, receiver={"id": "a", "name": "Host"})]
        want = {"en": "sends Rose to Host", "zh": "向 Host 送出 Rose", "ja": "Host さんへ Rose", "ko": "Host님에게 Rose 선물",
                "pt": "envia Rose para Host", "ar": "هدية إلى Host: Rose", "pt-BR": "envia Rose para Host", "xx": "sends Rose to Host"}
        for lang, line in want.items():
            self.call("make", {"lang": lang})
            early = self.call("play", [[0, said], [60, []]])[1]["1"]["aside"]
            self.assertEqual(self.page.run("document.querySelector('.combo-line').textContent"), line)
            self.assertEqual(early > 0, lang == "ar", lang)
            box = "document.querySelector('.combo-banner').getBoundingClientRect()"
            self.call("play", [[1000, []]])
            middle = self.page.run(f"({box}.left + {box}.right) / 2 / innerWidth")
            self.assertEqual(middle > 0.5, lang == "ar", lang)
        self.call("make", {"align": "right"})
        self.assertGreater(self.call("play", [[0, said], [60, []]])[1]["1"]["aside"], 0)

    def test_instructions_that_come_in_batches_are_drawn_in_their_rhythm(self):
        # A commit each 200 ms; the two clocks are a day apart.
        skew = 86_400_000
        said = [(at, at - at % 200 + 230) for at in range(0, 20000, 90)]
        drawn = self.call("pace", 500, [[came, at + skew] for at, came in said])
        self.assertEqual([at - skew for at, _ in drawn], [at for at, _ in said], "in their order")
        self.assertTrue(all(time >= came for (_, came), (_, time) in zip(said, drawn)))
        steps = [b[1] - a[1] for a, b in zip(drawn, drawn[1:])][10:]
        self.assertEqual(set(steps), {90})
        # The service stalls for four seconds: late instructions are not held, and the rhythm soon returns.
        said = [(at, 9000 if 5000 <= at < 9000 else at + 30) for at in range(0, 40000, 90)]
        drawn = self.call("pace", 500, [[came, at + skew] for at, came in said])
        waits = [time - came for (_, came), (_, time) in zip(said, drawn)]
        self.assertLessEqual(max(waits), 500)
        self.assertTrue(all(wait == 0 for (at, came), wait in zip(said, waits) if came - at > 530))
        self.assertEqual(waits[-1], 0)
        # Without pacing, and with invalid times, everything is drawn on arrival.
        self.assertTrue(all(time == came for (_, came), (_, time) in zip(said, self.call("pace", 0, [[c, a] for a, c in said]))
                            if came != 9000))
        self.assertEqual(self.call("pace", 500, [[5, "x"], [7, None]]), [["x", 5], [None, 7]])
        # A page that sleeps draws everything at once if it holds too much.
        self.assertEqual(len(self.call("pace", 500, [[0, 0], *[[0, at] for at in range(1, 5000)]])), 5000)

    def test_events_are_read_however_they_are_cut(self):
        text = ": alive\n\nevent: screen\r\nid: 1-2\r\ndata: {\"a\":\ndata:1}\r\n\r\nevent: x\rdata: ü\r\rid: 5\n\ndata\n\n"
        want = [{"type": "screen", "data": '{"a":\n1}'}, {"type": "x", "data": "ü"}, {"type": "message", "data": ""}]
        for size in range(1, len(text) + 1):
            self.assertEqual(self.call("parse", [text[at:at + size] for at in range(0, len(text), size)]), want, size)
