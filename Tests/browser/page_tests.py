"""The pages, on a service with nothing behind it."""

import itertools
import json
import time

import browser_test
import chrome
from fake_service import dump
from screen_model import Screen
from trace_of_rooms import recorded, say, show

# Text whose contrast with what is behind it is too low (WCAG AA); texts on the stage have pictures behind them and are left out.
UNREADABLE = """(() => {
  const parts = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return { r, g, b, a }; };
  const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  const light = ({ r, g, b }) => { const [x, y, z] = [r, g, b].map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92
    : ((one + 0.055) / 1.055) ** 2.4); return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
  const behind = (node) => { if (node === null) return parts('rgb(128,128,128)');
    const own = parts(getComputedStyle(node).backgroundColor);
    return own.a === 1 ? own : over(own, behind(node.parentElement)); };
  const found = [];
  for (const node of document.querySelectorAll('body *')) {
    if (node.closest('.stage-frame, .skip-link, noscript') || !node.checkVisibility()) continue;
    if (![...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim() !== '')) continue;
    const back = behind(node), front = over(parts(getComputedStyle(node).color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x), contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) found.push(`${node.className || node.tagName}: ${node.textContent.slice(0, 20)} ${contrast.toFixed(1)}`);
  }
  return found; })()"""


class PageTests(browser_test.BrowserTest):
    SHOWN = ("[...document.querySelectorAll('.combo-banner:not([hidden])')].filter((one) => one.dataset.phase !== 'leaving')"
             ".map((one) => ['sender', 'number'].map((part) => one.querySelector(`.combo-${part}`).textContent).join(''))"
             ".sort().join()")

    def setUp(self):
        super().setUp()
        self.room = f"room {self.id().rsplit('.')[-1][-20:]}"

    def watch(self, room=None, **of_room):
        room = room or self.room
        self.page.open("about:blank")
        self.page.open(f"{self.service.address}/#room={room.replace(' ', '%20')}")
        self.live()

    def search(self, text):
        self.page.run(f"document.querySelector('#query').value = {json.dumps(text)};"
                      "document.querySelector('#query').dispatchEvent(new Event('input')); 0")

    def live(self):
        self.page.wait("['live', 'asleep'].includes(document.querySelector('#state').dataset.state)")

    def state(self, name):
        self.page.wait(f"document.querySelector('#state').dataset.state === '{name}'")

    def text(self, name):
        return self.page.run(f"document.querySelector('#{name}').textContent")

    def wait_shown(self, want):
        self.page.wait(f"{self.SHOWN} === {json.dumps(want)}")

    def record(self, name, expression):
        """Keeps in `seen.NAME` the expression's value after each change of the page, because a test could miss a value that is
        shown only for a moment."""
        self.page.run(f"window.seen ??= {{}}; seen.{name} = []; new MutationObserver(() => seen.{name}.push({expression}))"
                      ".observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true }); 0")

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
            self.page.wait(f"document.querySelector('#fact-seq').textContent.replace(/\\D/g, '') === '{seq}'", seconds=600)
            # Banners that have slid out have no texts any more.
            self.page.wait("document.querySelector('.combo-banner:not([hidden])') === null")
            return self.page.heap()

        round_of(10)
        # The list of rooms is requested again from time to time, so this room's row must be there already.
        row = f"(one) => one.textContent === {json.dumps(self.room)}"
        self.page.wait(f"[...document.querySelectorAll('.room-row bdi')].some({row})")
        before = round_of(2000)
        after = round_of(10000)
        # Nodes that were just released may still be counted; a leak stays.
        deadline = time.monotonic() + 5
        while after[1] > before[1] + 10 and time.monotonic() < deadline:
            after = self.page.heap()
        self.assertLessEqual(after[1], before[1] + 10, "nodes")
        self.assertLess(after[0] - before[0], 400_000, "bytes")
        self.assertLessEqual(self.page.run("document.querySelectorAll('.combo-banners > *').length"), 3)

    def test_after_a_gap_it_waits_for_the_screen(self):
        # A page whose wait of 2.5 s never ends.
        patient = self.page.call("Page.addScriptToEvaluateOnNewDocument", {
            "source": "{ const real = setTimeout; setTimeout = (task, ms, ...more) => real(task, ms === 2500 ? 1e9 : ms, ...more) }"})
        self.addCleanup(self.page.call, "Page.removeScriptToEvaluateOnNewDocument", {"identifier": patient["identifier"]})
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
        self.record("shown", self.SHOWN)
        self.service.say(say("update", 2, room=self.room, banner=1, slot=0, count=4, added=1), unheard=True)
        self.service.say(say("update", 3, room=self.room, banner=1, slot=0, count=5, added=1))
        self.page.wait("seen.shown.includes('')")
        self.wait_shown("Ann5")
        self.live()
        self.assertEqual(self.page.run("document.querySelector('#fact-gaps').textContent"), "1")

    def test_it_connects_again_when_the_service_restarts(self):
        self.watch()
        self.service.say(show(1, 3, room=self.room))
        self.wait_shown("Ann3")
        self.service.stop()
        self.page.wait("document.querySelector('#state').dataset.state === 'broken'")
        self.wait_shown("Ann3")
        # The room continues while nobody is connected.
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
        self.record("note", "document.querySelector('#stage-note').textContent")
        self.service.hang_up(self.room, ("dropped", dump({"reason": "slow", "sentence": "You read too slowly."})))
        self.page.wait("seen.note.some((one) => one.startsWith('This page read too slowly'))")
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
        self.search("<b")
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
        self.assertEqual(self.page.run("location.hash"), "#room=key-a")
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
        shift = 8
        self.page.key("Tab", modifiers=shift)
        self.assertEqual(self.page.run(focus), "language")
        self.page.key("Tab", modifiers=shift)
        self.assertEqual(self.page.run("document.activeElement.textContent"), "Service")
        self.assertEqual(self.page.run(ring), "solid")

    def test_a_list_that_has_the_focus_does_not_jump(self):
        for name in ("jump-a", "jump-b"):
            self.service.say(show(1, room=name))
        self.watch("jump-a")
        self.search("jump-")
        self.page.wait("document.querySelector('.room-row bdi').textContent === 'jump-a'")
        self.page.run("document.querySelector('.room-row').focus()")
        # The rate is that of the last seconds, so gifts must keep arriving.
        seq = itertools.count(2)

        def wait_giving(condition):
            while not self.page.run(condition):
                n = next(seq)
                self.service.say(say("update", n, room="jump-b", banner=1, slot=0, count=500 * n, added=500))
                try:
                    return self.page.wait(condition, seconds=2)
                except chrome.Failure:
                    self.assertLess(n, 60, condition)

        wait_giving("parseFloat([...document.querySelectorAll('.room-row')][1].querySelector('.room-rate').textContent) > 1")
        self.assertEqual(self.page.run("document.querySelector('.room-row bdi').textContent"), "jump-a")
        self.page.run("document.activeElement.blur()")
        wait_giving("document.querySelector('.room-row bdi').textContent === 'jump-b'")

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

    def test_the_room_may_stand_in_the_query(self):
        self.page.open("about:blank")
        self.page.open(f"{self.service.address}/?room={self.room.replace(' ', '%20')}")
        self.live()

    def test_a_room_that_sleeps_is_not_live(self):
        self.watch()
        self.state("asleep")
        self.assertIn("This room has had no gifts lately", self.text("stage-note"))
        self.service.say(show(1, 3, room=self.room))
        self.state("live")
        self.assertEqual(self.text("stage-note"), "")
        self.service.say(say("dismiss", 2, room=self.room, banner=1, slot=0, count=3, reason="turn"))
        self.wait_shown("")
        # The room falls asleep while it is watched: the service no longer lists it.
        del self.service.rooms[self.room].screen
        self.service.rooms[self.room].screen = Screen()
        self.state("asleep")
        self.page.wait("document.querySelector('#fact-gifts').textContent === '–'")

    def test_where_nothing_is_known_of_what_waits_it_says_so(self):
        self.service.say(show(1, 3, room=self.room))
        self.service.rooms[self.room].queued = None
        self.watch()
        self.page.wait("document.querySelector('#fact-gifts').textContent === '3'")
        self.assertEqual([self.text(one) for one in ("fact-queued", "name-gifts")], ["–", "Gifts shown"])
        self.page.wait("[...document.querySelectorAll('.room-row small')].some((one) => one.textContent === 'On screen: 1')")

    def test_names_in_another_direction_are_cut_at_their_own_end(self):
        name = "A host with a long Latin name"
        self.service.say(show(1, 12345678, room=self.room, receiver={"id": "a", "name": name}, gift={"id": "g", "name": "Rose"}))
        self.page.resize(280, 700, True)
        self.page.open("about:blank")
        self.page.open(f"{self.service.address}/?lang=ar#room={self.room.replace(' ', '%20')}")
        self.state("live")
        self.page.wait("document.querySelector('.combo-receiver')?.clientWidth > 0")
        self.assertEqual(self.page.run("""(() => {
          const node = document.querySelector('.combo-receiver'), range = document.createRange();
          range.setStart(node.firstChild, 0);
          range.setEnd(node.firstChild, 1);
          const first = range.getBoundingClientRect(), box = node.getBoundingClientRect();
          return [getComputedStyle(node).direction, first.left >= box.left - 1 && first.right <= box.right + 1,
            node.scrollWidth > node.clientWidth, getComputedStyle(node).textOverflow];
        })()"""), ["ltr", True, True, "ellipsis"])

    def test_silence_is_noticed_within_ten_seconds_and_counted_down(self):
        # A page whose ten seconds are half a second.
        hasty = self.page.call("Page.addScriptToEvaluateOnNewDocument", {
            "source": "{ const real = setTimeout; setTimeout = (task, ms, ...more) => real(task, ms === 10000 ? 500 : ms, ...more) }"})
        self.addCleanup(self.page.call, "Page.removeScriptToEvaluateOnNewDocument", {"identifier": hasty["identifier"]})
        self.service.say(show(1, 3, room=self.room))
        self.watch()
        self.record("note", "document.querySelector('#stage-note').textContent")
        self.record("banners", "document.querySelector('#fact-banners').textContent")
        self.page.wait(r"seen.note.some((one) => /^The service has been silent for 10 s\. Trying again in \d s\.$/.test(one))")
        self.page.wait("seen.banners.includes('–')")

    def test_who_gave_what_is_listed_from_finals(self):
        self.service.say(show(1, 3, room=self.room))
        self.watch()
        self.state("live")
        final = {"reason": "over", "sender": {"id": "u1", "name": "<b>Ann"}, "gift": {"id": "rose", "name": "Rose", "icon": "🌹"}}
        self.service.say(say("final", 2, room=self.room, banner=1, count=30, **final))
        self.service.say(say("final", 3, room=self.room, banner=2, count=7, **final | {"receiver": {"id": "a", "name": "Host"}}))
        self.service.say(say("final", 4, room=self.room, banner=3, count=12, **final))
        self.page.wait("document.querySelector('#given').children.length === 2 && document.querySelector('#given b').textContent === '×42'")
        self.assertEqual(
            self.page.run("[...document.querySelectorAll('#given li')].map((one) => one.textContent)"),
            ["🌹<b>AnnRose×42", "🌹<b>AnnRose to Host×7"])
        for number in range(150):
            self.service.say(say("final", 5 + number, room=self.room, banner=9, count=1, **final | {"sender": {"id": f"x{number}"}}))
        self.page.wait("document.querySelector('#given bdi').textContent === 'x149'")
        self.assertEqual(self.page.run("document.querySelector('#given').children.length"), 100)

    def test_the_live_region_and_the_background_can_be_switched_off(self):
        self.watch()
        moving = "document.getAnimations().filter((one) => one.playState === 'running').length"
        self.page.wait(f"{moving} > 0")
        self.page.run("document.querySelector('#moving').click(); document.querySelector('#read-out').click(); 0")
        self.page.wait(f"{moving} === 0")
        self.watch()
        pressed = "['moving', 'read-out'].map((id) => document.getElementById(id).getAttribute('aria-pressed')).join()"
        self.assertEqual(self.page.run(pressed), "false,false", "it is remembered")
        self.service.say(show(1, 3, room=self.room))
        self.service.say(say("dismiss", 2, room=self.room, banner=1, slot=0, count=3, reason="idle"))
        self.wait_shown("")
        self.assertEqual(self.page.run("document.querySelector('.combo-live').textContent"), "")
        self.page.run("document.querySelector('#moving').click(); document.querySelector('#read-out').click(); 0")

    def test_the_pages_speak_six_languages_and_fit_280_pixels_in_each(self):
        room = "wide"
        for banner, count in ((1, 12345678), (2, 87654321)):
            if banner == 2:
                self.service.say(say("move_up", 2, room=room, banner=1, slot=1))
            self.service.say(show(banner, count, seq=2 * banner - 1, room=room, sender={"id": f"u{banner}", "name": "Gyöngyi Jäger"},
                                  receiver={"id": "a", "name": "A host with a long name"}))
        table = "import('/assets/page-words.js').then(({ TABLE, LANGUAGES }) => Object.entries(TABLE).filter(([, row]) => " \
            "row.length !== LANGUAGES.length || row.some((one) => one === '' || (one.match(/{\\w+}/g) ?? []).sort().join() " \
            "!== (row[0].match(/{\\w+}/g) ?? []).sort().join())).map(([name]) => name))"
        cut = """[...document.querySelectorAll('.combo-sender, .combo-line, .combo-number, .state, .switch, h1, h2, h3, dt, dd')]
          .filter((one) => one.checkVisibility() && one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY !== 'visible')
          .map((one) => one.className + one.textContent)"""
        for lang in ("en", "zh", "ja", "ko", "pt", "ar"):
            for path in (f"/?lang={lang}#room={room}", f"/service?lang={lang}"):
                for width in (280, 400, 800, 1920):
                    self.page.resize(width, 900, width <= 400)
                    self.page.open("about:blank")
                    self.page.open(self.service.address + path)
                    self.page.wait("['live', 'running', 'restoring'].includes(document.querySelector('#state').dataset.state)")
                    self.assertEqual(self.page.run("document.documentElement.lang"), lang)
                    self.assertEqual(self.page.run("document.documentElement.dir"), "rtl" if lang == "ar" else "ltr")
                    self.assertEqual(self.page.run("document.documentElement.scrollWidth"), width, (path, width))
                    if "room" in path:
                        self.wait_shown("Gyöngyi Jäger" + ("12.345.678" if lang == "pt" else "12,345,678") + ","
                                        + "Gyöngyi Jäger" + ("87.654.321" if lang == "pt" else "87,654,321"))
                        inside = """[...document.querySelectorAll('.combo-banner:not([hidden])')].every((one) => {
                          const stage = document.querySelector('#stage').getBoundingClientRect();
                          return [one, one.querySelector('.combo-count')].every((part) => { const box = part.getBoundingClientRect();
                            return box.left >= stage.left && box.right <= stage.right; }); })"""
                        self.page.wait(inside)
                        self.assertGreater(self.page.run("document.querySelector('.combo-sender').clientWidth"), 30)
                    self.assertEqual(self.page.run(cut), [], (path, width))
                    self.keep(f"{'rooms' if 'room' in path else 'service'}-{lang}-{width}")
            self.assertEqual(self.page.run(table), [])

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
                isNamed = role in ("link", "button", "searchbox", "textbox", "region", "image", "img", "progressbar")
                if isNamed and not name.strip() and not node.get("ignored"):
                    nameless.append(node.get("role"))
            self.assertEqual(nameless, [], path)
            self.assertEqual(self.page.run("document.querySelectorAll('h1').length"), 1)

    def test_the_service_page_plots_differences_and_says_when_it_cannot(self):
        self.page.open(f"{self.service.address}/service")
        self.page.wait("document.querySelector('.plot-keys b').textContent !== '–'")
        self.page.wait("document.querySelectorAll('#partitions tr:not([hidden])').length === 8")
        inked = """(() => { const canvas = document.querySelector('.plot canvas');
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          return new Set(new Uint32Array(data.buffer)).size; })()"""
        self.page.wait(f"{inked} > 5")
        self.service.stop()
        self.page.wait("document.querySelector('#state').dataset.state === 'broken'")
        self.page.wait("document.querySelector('.plot-keys b').textContent === '–'")
        self.service.start()
        self.page.wait("['running', 'restoring'].includes(document.querySelector('#state').dataset.state)")
        self.page.wait("document.querySelector('.plot-keys b').textContent !== '–'")
