#!/usr/bin/env python3
"""The reference client: what must be on a viewer's screen, written from docs/engine.md (Instructions) and docs/wire.md alone.

    reference.py            answers on standard output what it reads on standard input (README.md has the protocol)

Slow and plain on purpose: other clients are compared with it. It keeps everything in dictionaries, and knows nothing of time.
"""

import json
import sys

MOST_NUMBER = 2**53 - 1
MOST_BANNERS = 100


def whole(value, least=0, most=MOST_NUMBER):
    """Returns the value as an integer if it is a whole number in that range, in any notation (5, 5.0, 5e0); else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float):
        if not value.is_integer():
            return None
        value = int(value)
    return value if least <= value <= most else None


def refuse(word):
    raise ValueError(f"{word} is not JSON")


def parse(text):
    """Returns the instruction in a line of text, or None if there is none."""
    try:
        value = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("op"), str) or not isinstance(value.get("room"), str):
        return None
    if whole(value.get("epoch")) is None or whole(value.get("seq")) is None:
        return None
    return value


def banner_of(entry):
    """Returns the banner of a `show`, or of an entry of a `screen`; None if it is malformed."""
    if not isinstance(entry, dict):
        return None
    number, slot, count = whole(entry.get("banner"), 1), whole(entry.get("slot"), 0, MOST_BANNERS - 1), whole(entry.get("count"))
    if number is None or slot is None or count is None:
        return None
    banner = {"banner": number, "slot": slot, "count": count, "base": whole(entry.get("base")) or 0}
    for who in ("sender", "receiver", "gift"):
        if isinstance(entry.get(who), dict):
            banner[who] = entry[who]
    return banner


class Room:
    """One room, as its viewer sees it."""

    def __init__(self):
        self.epoch, self.seq, self.is_known = -1, 0, False
        self.banners = {}

    def instruction(self, said):
        epoch, seq = whole(said["epoch"]), whole(said["seq"])
        if seq == 0 or (epoch, seq) <= (self.epoch, self.seq):
            return "ignore"
        is_cleared = False
        if epoch > self.epoch:
            is_cleared = self.let_go()
            self.is_known = seq == 1
        elif seq > self.seq + 1:
            # A screen is complete, so banners that stay need not be removed first.
            if said["op"] != "screen" or not isinstance(said.get("banners"), list):
                is_cleared = self.let_go()
            self.is_known = False
        self.epoch, self.seq = epoch, seq
        verdict = self.apply(said)
        if not is_cleared:
            return verdict
        return "clear, draw" if verdict == "draw" else "clear"

    def joined(self, screen):
        """Accepts the screen that begins a stream over HTTP; it includes all instructions up to its seq."""
        if screen["op"] != "screen" or not isinstance(screen.get("banners"), list):
            return "ignore"
        place = (whole(screen["epoch"]), whole(screen["seq"]))
        if place == (0, 0):
            # The room sleeps. The earlier epoch and seq stay.
            self.banners, self.is_known = {}, True
            return "draw"
        if place < (self.epoch, self.seq):
            return "ignore"
        is_cleared = place[0] > self.epoch and self.let_go()
        self.epoch, self.seq = place
        self.apply(screen)
        return "clear, draw" if is_cleared else "draw"

    def let_go(self):
        had = len(self.banners) > 0
        self.banners = {}
        return had

    def apply(self, said):
        op = said["op"]
        if op == "screen":
            if not isinstance(said.get("banners"), list):
                return "ignore"
            there = [banner_of(entry) for entry in said["banners"][:MOST_BANNERS]]
            self.banners = {banner["banner"]: banner for banner in there if banner is not None}
            self.is_known = True
            return "draw"
        if op == "show":
            banner = banner_of(said)
            if banner is None or len(self.banners) >= MOST_BANNERS and banner["banner"] not in self.banners:
                return "ignore"
            self.banners[banner["banner"]] = banner
            return "draw"
        if op not in ("update", "move_up", "dismiss"):
            return "ignore"
        number, slot, count = whole(said.get("banner"), 1), whole(said.get("slot"), 0, MOST_BANNERS - 1), whole(said.get("count"))
        if number is None or op == "update" and count is None or op == "move_up" and slot is None:
            return "ignore"
        if number not in self.banners:
            return "ignore" if self.is_known else "wait"
        if op == "dismiss":
            del self.banners[number]
            return "draw"
        banner = self.banners[number]
        if slot is not None:
            banner["slot"] = slot
        if op == "update":
            banner["count"] = count
        return "draw"

    def screen(self):
        return sorted(self.banners.values(), key=lambda banner: (banner["slot"], banner["banner"]))


class Client:
    """The rooms of one viewer, fed with the lines of the protocol."""

    def __init__(self):
        self.rooms, self.room = {}, Room()

    def take(self, line):
        """Returns the answer to one line, as a value; None for a line that begins a case."""
        word, _, text = line.partition(" ")
        if word == "case":
            self.__init__()
            return None
        said, verdict = parse(text), "ignore"
        if said is not None:
            self.room = self.rooms.setdefault(said["room"], Room())
            verdict = self.room.joined(said) if word == "joined" else self.room.instruction(said)
        return {"verdict": verdict, "screen": [dict(banner) for banner in self.room.screen()]}


def main():
    client = Client()
    for line in sys.stdin.buffer:
        answer = client.take(line.decode("utf-8", "surrogateescape").rstrip("\n"))
        if answer is not None:
            # Non-ASCII is escaped, because half of a surrogate pair has no UTF-8.
            print(json.dumps(answer, separators=(",", ":")))


if __name__ == "__main__":
    main()
