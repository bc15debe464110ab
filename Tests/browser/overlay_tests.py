"""The overlay, as a browser source shows it: transparent, on any background, with custom CSS, hidden and shown again."""

import base64
import struct
import zlib

import browser_test
from trace_of_rooms import say, show

# The style that OBS adds to a page's head once it has loaded, and one that a user may have written below it.
OBS_STYLE = "body { background-color: rgba(0, 0, 0, 0); margin: 0px auto; overflow: hidden; }"
OWN_STYLE = (".combo-view { --combo-size: 40px; --combo-font: serif; } .combo-banner { --combo-pill: #004433; --combo-name: #ffffff; }"
             " .combo-gift { display: none; }")

# The least contrast of each text with what is behind it: every colour of every background up to an opaque one, over the page's
# own. Shadows are not counted.
CONTRASTS = """((page) => {
  const parts = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return { r, g, b, a }; };
  const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  const light = ({ r, g, b }) => { const [x, y, z] = [r, g, b].map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92
    : ((one + 0.055) / 1.055) ** 2.4); return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
  const contrast = (one, other) => { const [a, b] = [light(one), light(other)].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); };
  const behind = (node) => { if (node === null || node === document.body) return [page];
    const style = getComputedStyle(node);
    const stops = (style.backgroundImage.match(/rgba?\\([^)]*\\)/g) ?? [style.backgroundColor]).map(parts);
    return stops.every(({ a }) => a === 1) ? stops : behind(node.parentElement).flatMap((below) => stops.map((one) => over(one, below))); };
  const found = {};
  for (const node of document.querySelectorAll('#stage *')) {
    if (!node.checkVisibility() || node.closest('.combo-live')) continue;
    if (![...node.childNodes].some((one) => one.nodeType === 3 && /[^\\s\\p{Extended_Pictographic}]/u.test(one.textContent))) continue;
    const own = parts(getComputedStyle(node).color);
    found[node.className] = Math.min(found[node.className] ?? 99, ...behind(node).map((back) => contrast(over(own, back), back)));
  }
  return found; })"""


def pixels(png):
    """Returns the width, and each row as (r, g, b, a)."""
    at, data, width, kind = 8, b"", 0, 0
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if name == b"IHDR":
            width, _, _, kind = struct.unpack(">IIBB", body[:10])
        data += body if name == b"IDAT" else b""
        at += 12 + length
    step = {2: 3, 6: 4}[kind]
    raw, rows, before = zlib.decompress(data), [], bytes(width * step)
    for start in range(0, len(raw), width * step + 1):
        how, line = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        for index in range(len(line)):
            left = line[index - step] if index >= step else 0
            up, corner = before[index], before[index - step] if index >= step else 0
            guess = left + up - corner
            near = min((left, up, corner), key=lambda one: abs(guess - one))
            line[index] = (line[index] + (0, left, up, (left + up) // 2, near)[how]) & 255
        rows.append([tuple(line[at:at + 3]) + ((line[at + 3],) if step == 4 else (255,)) for at in range(0, len(line), step)])
        before = line
    return rows


class OverlayTests(browser_test.BrowserTest):
    def setUp(self):
        super().setUp()
        self.room = self.id().rsplit(".")[-1][-24:]

    def fill(self, values=(3, 7000)):
        for banner, value in enumerate(values, 1):
            if banner > 1:
                self.service.say(say("move_up", 2 * banner - 2, room=self.room, banner=banner - 1, slot=1))
            self.service.say(show(banner, 2 * banner, seq=2 * banner - 1, room=self.room, sender={"id": f"u{banner}", "name": "Gyöngyi"},
                                  receiver={"id": "a", "name": "Host"}, gift={"id": "rose", "name": "Rose", "value": value}))

    def look(self, query="", room=True, shown=2):
        self.page.open("about:blank")
        self.page.open(f"{self.service.address}/overlay?{f'room={self.room}&' if room else ''}{query}")
        self.shown(shown)

    def shown(self, count):
        self.page.wait("[...document.querySelectorAll('.combo-banner:not([hidden])')].filter((one) => one.dataset.phase !== 'leaving' && "
                       f"getComputedStyle(one).opacity > 0.9).length === {count}")

    def still(self):
        self.page.wait("[...document.querySelectorAll('.combo-banner:not([hidden])')].every((one) => one.dataset.phase === 'lingering')")

    def background(self, colour=None):
        self.page.call("Emulation.setDefaultBackgroundColorOverride", {"color": colour} if colour else {})

    def put_style(self, css):
        self.page.run(f"{{ const style = document.createElement('style'); style.appendChild(document.createTextNode({css!r})); "
                      "document.head.appendChild(style); } 0")

    def test_it_is_transparent_but_for_its_banners_and_says_no_word(self):
        self.addCleanup(self.background)
        self.fill()
        for width, height in ((1920, 1080), (400, 600)):
            self.page.resize(width, height)
            self.background({"r": 0, "g": 0, "b": 0, "a": 0})
            self.look()
            self.put_style(OBS_STYLE)
            self.still()
            rows = pixels(base64.b64decode(self.page.call("Page.captureScreenshot", {"format": "png"})["data"]))
            clear = sum(pixel[3] == 0 for row in rows for pixel in row)
            self.assertGreater(clear, 0.5 * width * height)
            self.assertTrue(all(pixel[3] == 0 for row in rows[:height // 3] for pixel in row), "nothing stands above the banners")
            self.assertGreater(sum(pixel[3] == 255 for row in rows for pixel in row), 0.01 * width * height)
            words = self.page.run("document.querySelector('.combo-banners').innerText.replace(/\\s+/g, ' ')")
            self.assertEqual(words.replace("🎁", "").split(), "G Gyöngyi sends Rose to Host × 4 G Gyöngyi sends Rose to Host × 2".split())
            self.assertEqual(self.page.run("document.body.innerText.trim() === document.querySelector('.combo-banners').innerText.trim()"), True)
            self.keep(f"overlay-{width}")

    def test_its_texts_can_be_read_on_white_grey_black_and_moving_backgrounds(self):
        self.addCleanup(self.background)
        for value in (1, 100, 1000, 10000):
            self.room = f"tone {value}"
            self.service.say(show(1, 66, room=self.room, receiver={"id": "a", "name": "Host"}, milestone=66,
                                  gift={"id": "rose", "name": "Rose", "value": value / 66}))
            self.room = f"tone%20{value}"
            for width, height in ((1920, 1080), (400, 600)):
                self.page.resize(width, height)
                self.look(shown=1)
                for level in (255, 128, 0):
                    self.background({"r": level, "g": level, "b": level, "a": 1})
                    found = self.page.run(f"{CONTRASTS}({{ r: {level}, g: {level}, b: {level}, a: 1 }})")
                    self.assertLessEqual({"combo-sender", "combo-line", "combo-gift-name", "combo-number", "combo-times"}, set(found))
                    self.assertGreaterEqual(min(found.values()), 4.5, (value, width, level, found))
                    self.keep(f"overlay-tone{value}-{width}-{level}")
        # Over a moving picture, too, each text has a background colour of its own.
        self.put_style("@keyframes wild { to { background-position: 400px 0 } } body { animation: wild 1s linear infinite;"
                       " background: repeating-linear-gradient(90deg, #fff 0 20px, #000 20px 40px, #f80 40px 60px) }")
        opaque = self.page.run(f"[{CONTRASTS}({{ r: 255, g: 255, b: 255, a: 1 }}), {CONTRASTS}({{ r: 0, g: 0, b: 0, a: 1 }})]")
        self.assertEqual(opaque[0], opaque[1])
        self.keep("overlay-moving")

    def test_custom_css_as_obs_injects_it_changes_the_style_here_and_nowhere_else(self):
        self.fill()
        self.look()
        self.put_style(OBS_STYLE)
        self.put_style(OWN_STYLE)
        style = "getComputedStyle(document.querySelector('{}')).{}"
        self.assertEqual(self.page.run(style.format(".combo-view", "fontSize")), "40px")
        self.assertEqual(self.page.run(style.format(".combo-pill", "backgroundColor")), "rgb(0, 68, 51)")
        self.assertEqual(self.page.run(style.format(".combo-gift", "display")), "none")
        self.assertEqual(self.page.run(style.format(".combo-gift-name", "color")), "rgb(255, 255, 255)")
        self.page.open(f"{self.service.address}/service")
        self.put_style(".top { display: none }")
        self.assertNotEqual(self.page.run(style.format(".top", "display")), "none")
        self.page.forget_faults()

    def test_the_address_chooses_size_slots_side_and_language(self):
        self.fill()
        self.page.resize(1920, 1080)
        self.look("size=50&align=right&lang=ar")
        self.still()
        self.assertEqual(self.page.run("getComputedStyle(document.querySelector('.combo-view')).fontSize"), "50px")
        self.assertGreater(self.page.run("document.querySelector('.combo-banner').getBoundingClientRect().right"), 1800)
        self.assertEqual(self.page.run("document.querySelector('.combo-line').textContent"), "هدية إلى Host: Rose")
        self.assertEqual(self.page.run("document.querySelector('.combo-view').dir"), "rtl")
        self.look("lang=ar&align=left")
        self.still()
        self.assertLess(self.page.run("document.querySelector('.combo-banner').getBoundingClientRect().left"), 100)
        # With one slot, a banner that moves up disappears.
        self.look("slots=1", shown=1)
        self.assertEqual(self.page.run("[...document.querySelectorAll('.combo-banner:not([hidden])')]"
                                       ".find((one) => getComputedStyle(one).opacity > 0.9).dataset.slot"), "0")
        for nonsense in ("size=0&slots=-1&align=up&lang=klingon", "size=NaN&slots=1e9", "size=%00&slots=&lang="):
            self.look(nonsense)

    def test_a_lost_connection_shows_nothing_and_comes_back(self):
        self.fill()
        self.look()
        self.service.stop(aloud=False)
        self.page.wait("document.body.innerText.trim() === ''")
        self.service.start()
        self.shown(2)

    def test_the_room_may_be_left_out_where_there_is_just_one(self):
        rooms, self.service.rooms = self.service.rooms, {}
        self.addCleanup(lambda: setattr(self.service, "rooms", rooms))
        self.look(room=False, shown=0)
        self.page.wait("document.body.dataset.state === 'no-room'")
        self.fill()
        self.shown(2)
        self.service.say(show(1, room="another"))
        self.look(room=False, shown=0)
        self.page.wait("document.body.dataset.state === 'several-rooms'")
        self.assertEqual(self.page.run("document.body.innerText.trim()"), "")

    def test_a_hidden_source_lets_its_connection_go_and_shows_what_there_is_when_it_is_shown_again(self):
        self.fill()
        self.look()

        def set_visible(state):
            self.page.run(f"Object.defineProperty(document, 'visibilityState', {{ configurable: true, value: '{state}' }});"
                          "document.dispatchEvent(new Event('visibilitychange')); 0")

        set_visible("hidden")
        self.page.wait("document.body.dataset.state === 'stopped'")
        self.service.say(say("dismiss", 4, room=self.room, banner=1, slot=1, count=2, reason="turn"))
        self.service.say(show(3, 9, seq=5, room=self.room))
        set_visible("visible")
        self.shown(2)
        self.page.wait("[...document.querySelectorAll('.combo-number')].some((one) => one.textContent === '9')")
