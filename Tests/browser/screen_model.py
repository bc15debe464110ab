"""What a client draws, worked out from the instructions alone: the yardstick for combo-view.js.

A screen holds the banners of one room. Its times are the client's own, in milliseconds; `drawn(now)` is what a viewer must
see at that moment, and `said()` is the room's screen as the service would say it.
"""

import math


class Times:
    def __init__(self, enter_ms=250, count_ms=250, exit_ms=250, effect_ms=1400, still=False):
        self.enter_ms = enter_ms
        self.count_ms = 0 if still else count_ms
        self.exit_ms = exit_ms
        self.effect_ms = effect_ms
        self.still = still


def progress(now, start, duration):
    if start is None or duration <= 0:
        return 1
    return min(1, max(0, (now - start) / duration))


def ease_out(part):
    return 1 - (1 - part) * (1 - part) * (1 - part)


def ease_in(part):
    return part * part * part


class Banner:
    def __init__(self, entry, now):
        self.number = entry["banner"]
        self.slot = self.from_slot = entry["slot"]
        self.count = self.count_before = entry["count"]
        self.base = entry.get("base", 0)
        self.entry = {key: entry[key] for key in ("sender", "receiver", "gift") if key in entry}
        self.entered, self.moved, self.counted, self.left, self.praised = now, None, None, None, None

    def number_at(self, now, times):
        part = progress(now, self.counted, times.count_ms)
        if part >= 1:
            return self.count
        return self.count_before + math.floor((self.count - self.count_before) * ease_out(part))

    def place_at(self, now, times):
        if times.still:
            return self.slot
        return self.from_slot + (self.slot - self.from_slot) * ease_out(progress(now, self.moved, times.enter_ms))


class Screen:
    """One room of one epoch, drawn from its first instruction on, without gaps."""

    def __init__(self, times=None):
        self.times = times or Times()
        self.banners = []
        self.epoch = self.seq = 0
        self.room = None

    def draw(self, instruction, now):
        if instruction["epoch"] != self.epoch:
            self.clear(now)
        self.room, self.epoch, self.seq = instruction["room"], instruction["epoch"], instruction["seq"]
        op = instruction["op"]
        if op == "show":
            self.banners.append(Banner(instruction, now))
            self._praise(self.banners[-1], instruction, now)
        elif op == "screen":
            self._compare(instruction)
        elif op not in ("skip", "final"):
            banner = self.find(instruction["banner"])
            if op == "update":
                banner.count_before = banner.number_at(now, self.times)
                banner.count, banner.counted = instruction["count"], now
                self._praise(banner, instruction, now)
            elif op == "move_up":
                banner.from_slot = banner.place_at(now, self.times)
                banner.slot, banner.moved = instruction["slot"], now
            elif op == "dismiss":
                if instruction["count"] != banner.count:
                    banner.count = banner.count_before = instruction["count"]
                    banner.counted = now
                banner.left = now

    def clear(self, now):
        for banner in self.banners:
            if banner.left is None:
                banner.left = now

    def find(self, number):
        return next(banner for banner in self.banners if banner.number == number and banner.left is None)

    def drawn(self, now):
        """Returns what is on screen, by banner: place (in slots from the bottom), distance aside (%), opacity, and number."""
        self.banners = [one for one in self.banners if one.left is None or now - one.left < self.times.exit_ms]
        return {one.number: self._drawn(one, now) for one in self.banners}

    def said(self):
        """Returns the room's screen as a `screen` instruction with the latest seq."""
        there = sorted((one for one in self.banners if one.left is None), key=lambda one: one.slot)
        banners = [{"banner": one.number, "slot": one.slot, "count": one.count, "base": one.base, **one.entry} for one in there]
        return {"v": 1, "room": self.room, "epoch": self.epoch, "seq": self.seq, "at": 0, "op": "screen", "banners": banners}

    def _drawn(self, one, now):
        times = self.times
        entry = progress(now, one.entered, times.enter_ms)
        leaving = 0 if one.left is None else progress(now, one.left, times.exit_ms)
        if one.left is not None:
            phase = "leaving"
        elif entry < 1:
            phase = "entering"
        else:
            phase = "counting" if progress(now, one.counted, times.count_ms) < 1 else "lingering"
        name = lambda who: "" if who is None else str(who.get("name", who.get("id")))
        return {
            "phase": phase,
            "slot": one.slot,
            "place": one.place_at(now, times),
            "aside": 0 if times.still else -112 * (1 - ease_out(entry)) - 112 * ease_in(leaving),
            "opacity": ease_out(entry) * (1 - ease_in(leaving)),
            "number": one.number_at(now, times),
            "praised": one.praised is not None and progress(now, one.praised, times.effect_ms) < 1,
            "sender": name(one.entry["sender"]),
            "receiver": name(one.entry.get("receiver")),
            "gift": name(one.entry["gift"]),
        }

    def _praise(self, banner, instruction, now):
        if "milestone" in instruction:
            banner.praised = now

    def _compare(self, instruction):
        # For a client that has missed nothing, a screen changes nothing.
        said = [(one["banner"], one["slot"], one["count"]) for one in instruction["banners"]]
        ours = sorted((one for one in self.banners if one.left is None), key=lambda one: one.slot)
        assert said == [(one.number, one.slot, one.count) for one in ours], f"the model is wrong: {said}, {ours}"
