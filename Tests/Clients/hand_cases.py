"""The cases that were written by hand. Each is a claim, and lines with what must come of them.

A line is (what is said, verdict, screen). The screen is written "1@0x3 2@1x7": banner 1 in slot 0 with count 3, banner 2 in slot 1 with
count 7. Sender and gift of a banner are those of `who(banner)` unless the line gives others. None accepts the reference's screen.
"""

import json

EPOCH = 1_700_000_000_000
MOST = 2**53 - 1
# An instruction with values of every kind.
CUT = ('{"v":1,"room":"r1","epoch":1700000000000,"seq":2,"at":-15e+2,"x\\u0062\\n":[true,{"y":null},false,0.5],"op":"update",'
       '"banner":1,"slot":0,"count":2,"added":1}')
WHO = {1: "Ann", 2: "小明", 3: "Zoë", 4: "علي"}


def who(banner):
    return {"sender": {"id": f"u{banner}", "name": WHO.get(banner, f"Viewer {banner}")}, "gift": {"id": "rose", "name": "Rose", "value": 10}}


def say(op, seq, epoch=EPOCH, room="r1", **fields):
    return {"v": 1, "room": room, "epoch": epoch, "seq": seq, "at": EPOCH + 100 * seq, "op": op, **fields}


def show(seq, banner, count=1, base=0, slot=0, **fields):
    head = {key: fields.pop(key) for key in ("epoch", "room") if key in fields}
    return say("show", seq, **head, banner=banner, slot=slot, count=count, base=base, **(who(banner) | fields))


def update(seq, banner, count, slot=0, added=1, **fields):
    return say("update", seq, banner=banner, slot=slot, count=count, added=added, **fields)


def move_up(seq, banner, slot=1, **fields):
    return say("move_up", seq, banner=banner, slot=slot, **fields)


def dismiss(seq, banner, count=1, slot=0, reason="idle", **fields):
    return say("dismiss", seq, banner=banner, slot=slot, count=count, reason=reason, **fields)


def skips(seq, banners, count, **fields):
    """A sum of skips."""
    return say("skip", seq, banners=banners, count=count, value=12.5, reason="overflow", **fields)


def skip(seq, banner, count=1, **fields):
    return say("skip", seq, banner=banner, count=count, reason="overflow", **who(banner), **fields)


def final(seq, banner, count=1, **fields):
    return say("final", seq, banner=banner, count=count, reason="over", **who(banner), **fields)


def entry(banner, slot, count, base=0, **fields):
    return {"banner": banner, "slot": slot, "count": count, "base": base, **(who(banner) | fields)}


def screen(seq, *banners, **fields):
    return say("screen", seq, banners=list(banners), **fields)


def joined(value):
    """The screen that begins a stream over HTTP."""
    return ("joined", value)


def nested(levels):
    """Lists within lists."""
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def numbered(seq, banner, count):
    """A `show` whose count is written as given."""
    people = who(banner)
    return (f'{{"room":"r1","epoch":{EPOCH},"seq":{seq},"op":"show","banner":{banner},"slot":0,"count":{count},"base":0,'
            f'"sender":{json.dumps(people["sender"])},"gift":{json.dumps(people["gift"])}}}')


def without(value, *names):
    return {key: one for key, one in value.items() if key not in names}


E2 = EPOCH + 90_000

CASES = {
    "following": {
        "a show puts a banner into slot 0 with its count": [(show(1, 1, 3), "draw", "1@0x3")],
        "an update changes the count": [(show(1, 1), "draw", "1@0x1"), (update(2, 1, 5), "draw", "1@0x5")],
        "a move_up changes the slot and nothing else": [
            (show(1, 1, 4), "draw", "1@0x4"), (move_up(2, 1), "draw", "1@1x4"), (show(3, 2, 9), "draw", "2@0x9 1@1x4")],
        "a slot may become any other, the lowest too": [
            (show(1, 1, 4), "draw", "1@0x4"), (move_up(2, 1, slot=2), "draw", "1@2x4"), (update(3, 1, 5, slot=0), "draw", "1@0x5"),
            (move_up(4, 1), "draw", "1@1x5"), (move_up(5, 1, slot=0), "draw", "1@0x5")],
        "a dismiss takes the banner away and leaves the others": [
            (show(1, 1), "draw", "1@0x1"), (move_up(2, 1), "draw", "1@1x1"), (show(3, 2), "draw", "2@0x1 1@1x1"),
            (dismiss(4, 1, slot=1, reason="busy"), "draw", "2@0x1"), (update(5, 2, 2), "draw", "2@0x2"),
            (dismiss(6, 2, 2), "draw", "")],
        "a milestone is no count": [
            (show(1, 1, 12, milestone=10), "draw", "1@0x12"), (update(2, 1, 70, milestone=66, added=58), "draw", "1@0x70")],
        "base is kept and is not added to the count": [
            (show(1, 1, 12, base=10), "draw", [entry(1, 0, 12, 10)]), (update(2, 1, 13), "draw", [entry(1, 0, 13, 10)])],
        "a count of what was taken over alone is the count": [(show(1, 1, 10, base=10), "draw", [entry(1, 0, 10, 10)])],
        "counts reach 2^53 - 1": [(show(1, 1, MOST - 1), "draw", f"1@0x{MOST - 1}"), (update(2, 1, MOST), "draw", f"1@0x{MOST}")],
        "a skip changes nothing, and its seq counts": [
            (show(1, 1), "draw", "1@0x1"), (skip(2, 2, 3), "ignore", "1@0x1"), (update(3, 1, 2), "draw", "1@0x2")],
        "a final changes nothing, and its seq counts": [
            (show(1, 1), "draw", "1@0x1"), (dismiss(2, 1), "draw", ""), (final(3, 1), "ignore", ""), (show(4, 2), "draw", "2@0x1")],
        "a final of a banner on screen leaves it there": [(show(1, 1), "draw", "1@0x1"), (final(2, 1), "ignore", "1@0x1")],
        "every reason dismisses, known or not": [
            (show(1, 1), "draw", "1@0x1"), (dismiss(2, 1, reason="turn"), "draw", ""),
            (show(3, 2), "draw", "2@0x1"), (dismiss(4, 2, reason="retracted"), "draw", ""),
            (show(5, 3), "draw", "3@0x1"), (dismiss(6, 3, reason="closed", count=8), "draw", ""),
            (show(7, 4), "draw", "4@0x1"), (dismiss(8, 4, reason="whatever comes later"), "draw", "")],
        "a combo that had to give up its slot comes back as another banner": [
            (show(1, 1, 5), "draw", "1@0x5"), (dismiss(2, 1, 5, reason="turn"), "draw", ""), (show(3, 2, 1), "draw", "2@0x1"),
            (move_up(4, 2), "draw", "2@1x1"), (show(5, 3, 9, base=5, **who(1)), "draw", [entry(3, 0, 9, 5, **who(1)), entry(2, 1, 1)])],
        "two banners of one combo are two banners": [
            (show(1, 1, 5), "draw", "1@0x5"), (move_up(2, 1), "draw", "1@1x5"),
            (show(3, 2, 6, base=5, **who(1)), "draw", [entry(2, 0, 6, 5, **who(1)), entry(1, 1, 5)]),
            (dismiss(4, 1, 5, slot=1, reason="turn"), "draw", [entry(2, 0, 6, 5, **who(1))]),
            (update(5, 2, 7), "draw", [entry(2, 0, 7, 5, **who(1))])],
        "nothing is drawn of a banner that has left": [
            (show(1, 1), "draw", "1@0x1"), (dismiss(2, 1), "draw", ""), (update(3, 1, 2), "ignore", ""), (dismiss(4, 1), "ignore", "")],
        "an update also says the slot": [(show(1, 1), "draw", "1@0x1"), (update(2, 1, 2, slot=3), "draw", "1@3x2")],
        "a room with ten slots fills all of them": [
            *[step for last in range(1, 11) for step in [
                *[(move_up(last * (last - 1) // 2 + last - slot, last - slot, slot), "draw", None) for slot in range(last - 1, 0, -1)],
                (show(last * (last + 1) // 2, last), "draw", " ".join(f"{last - at}@{at}x1" for at in range(last)))]]],
        "slot 99 is a slot": [(screen(1, entry(1, 99, 1)), "draw", "1@99x1"), (update(2, 1, 2, slot=99), "draw", "1@99x2")],
        "a receiver is kept if there is one": [
            (show(1, 1, receiver={"id": "a1", "name": "主播"}), "draw", [entry(1, 0, 1, receiver={"id": "a1", "name": "主播"})])],
        "sender, receiver and gift are kept with all that stands in them": [
            (show(1, 1, sender={"id": 5, "name": "<b>", "x": [1, {"y": None}]}, gift={"id": "g", "value": 0.5, "icon": "🎁"}), "draw",
             [entry(1, 0, 1, sender={"id": 5, "name": "<b>", "x": [1, {"y": None}]}, gift={"id": "g", "value": 0.5, "icon": "🎁"})])],
        "zero durations: banners come and go at one time": [
            (show(1, 1) | {"at": EPOCH}, "draw", "1@0x1"), (dismiss(2, 1) | {"at": EPOCH}, "draw", ""),
            (show(3, 2) | {"at": EPOCH}, "draw", "2@0x1"), (dismiss(4, 2) | {"at": EPOCH}, "draw", "")],
    },
    "joining": {
        "who joins with the first instruction of an epoch knows all": [
            (show(1, 1), "draw", "1@0x1"), (update(2, 7, 3), "ignore", "1@0x1")],
        "who joins in mid-stream draws what is shown from then on": [(show(40, 9, 2), "draw", "9@0x2"), (update(41, 9, 3), "draw", "9@0x3")],
        "who joins in mid-stream passes over what is said of banners that it cannot know": [
            (update(40, 8, 3), "wait", ""), (move_up(41, 8), "wait", ""), (show(42, 9), "draw", "9@0x1"),
            (dismiss(43, 8, slot=1), "wait", "9@0x1"), (dismiss(44, 9), "draw", "")],
        "the next screen says all": [
            (update(40, 8, 3), "wait", ""), (show(41, 9), "draw", "9@0x1"),
            (screen(42, entry(9, 0, 1), entry(8, 1, 3)), "draw", "9@0x1 8@1x3"), (update(43, 8, 4, slot=1), "draw", "9@0x1 8@1x4")],
        "who joins with a screen knows all": [
            (screen(40, entry(9, 0, 1), entry(8, 1, 3)), "draw", "9@0x1 8@1x3"), (dismiss(41, 8, 3, slot=1), "draw", "9@0x1"),
            (update(42, 8, 3), "ignore", "9@0x1")],
        "a show does not mean that all is known": [
            (dismiss(40, 8), "wait", ""), (show(41, 9), "draw", "9@0x1"), (dismiss(42, 9), "draw", ""),
            (update(43, 7, 2, slot=1), "wait", ""), (screen(44, entry(7, 1, 2)), "draw", "7@1x2")],
        "what was drawn before the first screen, and is not in it, goes": [
            (show(40, 9), "draw", "9@0x1"), (screen(41, entry(8, 0, 2)), "draw", "8@0x2")],
        "a sum of skips changes nothing, and its seq counts": [
            (show(1, 1), "draw", "1@0x1"), (skips(2, 57, 938), "ignore", "1@0x1"), (update(3, 1, 2), "draw", "1@0x2"),
            (skips(5, 1, 1), "clear", "")],
        "joining with a skip draws nothing": [(skip(40, 9), "ignore", ""), (show(41, 10), "draw", "10@0x1")],
        "joining with a final draws nothing": [(final(40, 9), "ignore", ""), (update(41, 10, 2), "wait", "")],
        "joining with an unknown op draws nothing": [(say("sing", 40), "ignore", ""), (show(41, 10), "draw", "10@0x1")],
    },
    "gaps": {
        "a gap lets go of what was drawn": [
            (show(1, 1), "draw", "1@0x1"), (update(3, 1, 3), "clear", ""), (update(4, 1, 4), "wait", "")],
        "after a gap, what is shown is drawn": [
            (show(1, 1), "draw", "1@0x1"), (show(5, 2), "clear, draw", "2@0x1"), (update(6, 2, 2), "draw", "2@0x2"),
            (dismiss(7, 1, slot=1), "wait", "2@0x2")],
        "a gap with nothing drawn clears nothing": [
            (show(1, 1), "draw", "1@0x1"), (dismiss(2, 1), "draw", ""), (update(5, 2, 2), "wait", ""), (show(6, 3), "draw", "3@0x1")],
        "a screen right behind a gap replaces what was drawn, without clearing": [
            (show(1, 1), "draw", "1@0x1"), (screen(4, entry(1, 1, 6), entry(2, 0, 2)), "draw", "2@0x2 1@1x6"),
            (update(5, 1, 7, slot=1), "draw", "2@0x2 1@1x7")],
        "after a gap and a screen all is known": [
            (show(1, 1), "draw", "1@0x1"), (move_up(3, 1), "clear", ""), (screen(4, entry(1, 1, 1)), "draw", "1@1x1"),
            (update(5, 9, 2), "ignore", "1@1x1")],
        "an empty screen behind a gap takes away what was drawn": [(show(1, 1), "draw", "1@0x1"), (screen(3), "draw", "")],
        "a gap before a skip lets go": [(show(1, 1), "draw", "1@0x1"), (skip(3, 5), "clear", "")],
        "a gap before an unknown op lets go": [(show(1, 1), "draw", "1@0x1"), (say("sing", 3), "clear", "")],
        "a gap before a final lets go": [(show(1, 1), "draw", "1@0x1"), (final(3, 5), "clear", "")],
        "a second gap lets go of what was drawn since the first": [
            (show(1, 1), "draw", "1@0x1"), (show(3, 2), "clear, draw", "2@0x1"), (show(5, 3), "clear, draw", "3@0x1"),
            (update(6, 2, 2, slot=1), "wait", "3@0x1")],
        "a wide gap is a gap": [(show(1, 1), "draw", "1@0x1"), (show(1_000_001, 2), "clear, draw", "2@0x1")],
        "seq may be 2^53 - 1": [(show(1, 1), "draw", "1@0x1"), (show(MOST, 2), "clear, draw", "2@0x1"), (update(MOST, 2, 3), "ignore", "2@0x1")],
        "what was missed and comes late is passed over": [
            (show(1, 1), "draw", "1@0x1"), (show(3, 3), "clear, draw", "3@0x1"), (show(2, 2), "ignore", "3@0x1"),
            (update(4, 3, 2), "draw", "3@0x2")],
        "a show that is lost keeps its banner away until the next screen": [
            (show(1, 1), "draw", "1@0x1"), (update(4, 2, 2), "clear", ""), (update(5, 2, 3), "wait", ""),
            (screen(6, entry(2, 0, 3), entry(1, 1, 1)), "draw", "2@0x3 1@1x1")],
        "a dismiss that is lost keeps nothing on screen": [
            (show(1, 1), "draw", "1@0x1"), (show(4, 2), "clear, draw", "2@0x1"), (screen(5, entry(2, 0, 1)), "draw", "2@0x1")],
    },
    "repetitions": {
        "an instruction that comes twice counts once": [
            (show(1, 1), "draw", "1@0x1"), (show(1, 1), "ignore", "1@0x1"), (update(2, 1, 2), "draw", "1@0x2"),
            (update(2, 1, 2), "ignore", "1@0x2"), (dismiss(3, 1, 2), "draw", ""), (dismiss(3, 1, 2), "ignore", ""),
            (show(1, 1), "ignore", "")],
        "a stretch that is said again, as at-least-once delivery may, changes nothing": [
            (show(1, 1), "draw", "1@0x1"), (update(2, 1, 2), "draw", "1@0x2"), (move_up(3, 1), "draw", "1@1x2"), (show(4, 2), "draw", "2@0x1 1@1x2"),
            (show(1, 1), "ignore", "2@0x1 1@1x2"), (update(2, 1, 2), "ignore", "2@0x1 1@1x2"), (move_up(3, 1), "ignore", "2@0x1 1@1x2"),
            (show(4, 2), "ignore", "2@0x1 1@1x2"), (dismiss(5, 1, 2, slot=1), "draw", "2@0x1")],
        "what is said again in other words is a repetition": [
            (show(1, 1), "draw", "1@0x1"), (update(2, 1, 5), "draw", "1@0x5"), (update(2, 1, 6), "ignore", "1@0x5")],
        "a repeated screen changes nothing": [
            (screen(5, entry(1, 0, 2)), "draw", "1@0x2"), (update(6, 1, 3), "draw", "1@0x3"), (screen(5, entry(1, 0, 2)), "ignore", "1@0x3"),
            (update(7, 1, 4), "draw", "1@0x4")],
        "a repetition is no gap": [
            (show(1, 1), "draw", "1@0x1"), (update(2, 1, 2), "draw", "1@0x2"), (show(1, 1), "ignore", "1@0x2"), (update(3, 1, 3), "draw", "1@0x3")],
        "repetitions in a gap do not fill it": [
            (show(1, 1), "draw", "1@0x1"), (update(2, 1, 2), "draw", "1@0x2"), (update(4, 1, 4), "clear", ""), (update(2, 1, 2), "ignore", ""),
            (update(3, 1, 3), "ignore", ""), (update(5, 1, 5), "wait", "")],
        "seq 0 is never new": [(show(0, 1), "ignore", ""), (show(1, 1), "draw", "1@0x1"), (show(0, 2), "ignore", "1@0x1")],
    },
    "epochs": {
        "a new epoch begins with an empty screen": [
            (show(1, 1), "draw", "1@0x1"), (show(1, 1, 7, epoch=E2), "clear, draw", "1@0x7"), (update(2, 1, 8, epoch=E2), "draw", "1@0x8")],
        "a new epoch with nothing drawn clears nothing": [
            (show(1, 1), "draw", "1@0x1"), (dismiss(2, 1), "draw", ""), (show(1, 1, epoch=E2), "draw", "1@0x1")],
        "a new epoch that begins with a skip lets go": [(show(1, 1), "draw", "1@0x1"), (skip(1, 1, epoch=E2), "clear", "")],
        "what comes of an old epoch is passed over": [
            (show(1, 1), "draw", "1@0x1"), (show(1, 1, 7, epoch=E2), "clear, draw", "1@0x7"), (update(2, 1, 2), "ignore", "1@0x7"),
            (show(900, 2), "ignore", "1@0x7"), (screen(901, entry(5, 0, 5)), "ignore", "1@0x7"), (update(2, 1, 8, epoch=E2), "draw", "1@0x8")],
        "a new epoch whose beginning was missed is not known": [
            (show(1, 1), "draw", "1@0x1"), (update(3, 1, 4, epoch=E2), "clear", ""), (update(4, 1, 5, epoch=E2), "wait", ""),
            (show(5, 2, epoch=E2), "draw", "2@0x1"), (screen(6, entry(2, 0, 1), entry(1, 1, 5), epoch=E2), "draw", "2@0x1 1@1x5")],
        "a banner of the old epoch is not that of the new one": [
            (show(1, 1, 5), "draw", "1@0x5"), (dismiss(2, 1, epoch=E2), "clear", ""), (show(3, 2, epoch=E2), "draw", "2@0x1")],
        "a screen of a new epoch replaces the old one's banners": [
            (show(1, 1, 5), "draw", "1@0x5"), (screen(9, entry(1, 0, 2), epoch=E2), "clear, draw", "1@0x2")],
        "a gap before a new epoch does not matter": [
            (show(1, 1), "draw", "1@0x1"), (update(9, 1, 9), "clear", ""), (show(1, 1, epoch=E2), "draw", "1@0x1"),
            (update(2, 5, 2, epoch=E2), "ignore", "1@0x1")],
        "an epoch one millisecond later is a new one": [
            (show(1, 1), "draw", "1@0x1"), (show(1, 1, 2, epoch=EPOCH + 1), "clear, draw", "1@0x2"), (show(2, 2), "ignore", "1@0x2")],
        "epoch 0 is an epoch": [
            (show(1, 1, epoch=0), "draw", "1@0x1"), (update(2, 1, 2, epoch=0), "draw", "1@0x2"), (show(1, 1, epoch=1), "clear, draw", "1@0x1")],
        "back and forth between epochs, only the newest counts": [
            (show(1, 1, epoch=E2), "draw", "1@0x1"), (show(1, 5), "ignore", "1@0x1"), (update(2, 1, 2, epoch=E2), "draw", "1@0x2"),
            (update(2, 5, 3), "ignore", "1@0x2"), (update(3, 1, 3, epoch=E2), "draw", "1@0x3")],
    },
    "screens": {
        "a screen that agrees changes nothing": [
            (show(1, 1, 2), "draw", "1@0x2"), (screen(2, entry(1, 0, 2)), "draw", "1@0x2"), (update(3, 1, 3), "draw", "1@0x3")],
        "an empty screen empties the screen": [(show(1, 1), "draw", "1@0x1"), (screen(2), "draw", ""), (show(3, 2), "draw", "2@0x1")],
        "a screen fixes counts, slots and base": [
            (show(1, 1, 2), "draw", "1@0x2"), (screen(2, entry(1, 1, 9, 4)), "draw", [entry(1, 1, 9, 4)])],
        "a screen may bring a count down": [(show(1, 1, 9), "draw", "1@0x9"), (screen(2, entry(1, 0, 3)), "draw", "1@0x3")],
        "a screen brings new names and pictures": [
            (show(1, 1, sender={"id": "u1", "name": "Ann", "avatar": "https://cdn.example/1.png"}), "draw",
             [entry(1, 0, 1, sender={"id": "u1", "name": "Ann", "avatar": "https://cdn.example/1.png"})]),
            (screen(2, entry(1, 0, 1, sender={"id": "u1", "name": "Anna", "avatar": "https://cdn.example/2.png"})), "draw",
             [entry(1, 0, 1, sender={"id": "u1", "name": "Anna", "avatar": "https://cdn.example/2.png"})])],
        "a screen brings a gift's new name and value": [
            (show(1, 1), "draw", "1@0x1"),
            (screen(2, entry(1, 0, 1, gift={"id": "rose", "name": "玫瑰", "value": 12})), "draw",
             [entry(1, 0, 1, gift={"id": "rose", "name": "玫瑰", "value": 12})])],
        "a receiver may come and go with a screen": [
            (show(1, 1, receiver={"id": "a", "name": "A"}), "draw", [entry(1, 0, 1, receiver={"id": "a", "name": "A"})]),
            (screen(2, entry(1, 0, 1)), "draw", "1@0x1"),
            (screen(3, entry(1, 0, 1, receiver={"id": "a", "name": "B"})), "draw", [entry(1, 0, 1, receiver={"id": "a", "name": "B"})])],
        "an update keeps names": [
            (show(1, 1, sender={"id": "u1", "name": "Old"}), "draw", [entry(1, 0, 1, sender={"id": "u1", "name": "Old"})]),
            (update(2, 1, 2, sender={"id": "u1", "name": "New"}), "draw", [entry(1, 0, 2, sender={"id": "u1", "name": "Old"})])],
        "a banner that is not in the screen goes, one that is new comes": [
            (show(1, 1), "draw", "1@0x1"), (screen(2, entry(2, 0, 5)), "draw", "2@0x5"), (update(3, 1, 2), "ignore", "2@0x5")],
        "banners of a screen are in the order of their slots, however they come": [
            (screen(1, entry(3, 2, 3), entry(1, 0, 1), entry(2, 1, 2)), "draw", "1@0x1 2@1x2 3@2x3")],
        "a screen with more banners than the default has slots": [
            (screen(7, *[entry(banner, 9 - banner, banner) for banner in range(1, 10)]), "draw",
             " ".join(f"{banner}@{9 - banner}x{banner}" for banner in range(9, 0, -1)))],
        "slots may be left free": [(screen(7, entry(4, 3, 2)), "draw", "4@3x2"), (show(8, 5), "draw", "5@0x1 4@3x2")],
        "a screen with times and slots of the room is a screen": [
            (screen(7, entry(4, 0, 2), slots=5, enter_ms=100, count_ms=0, exit_ms=900), "draw", "4@0x2")],
        "of a banner that stands in a screen twice the last counts": [(screen(1, entry(1, 0, 1), entry(1, 1, 2)), "draw", "1@1x2")],
        "of a screen no more than 100 entries are taken": [
            (screen(1, *[entry(banner, banner % 100, 1) for banner in range(1, 103)]), "draw",
             " ".join(sorted((f"{banner}@{banner % 100}x1" for banner in range(1, 101)), key=lambda one: int(one.split("@")[1].split("x")[0]))))],
    },
    "unknown": {
        "an unknown op is passed over, and its seq counts": [
            (show(1, 1), "draw", "1@0x1"), (say("sing", 2, banner=1, slot=4, count=9), "ignore", "1@0x1"), (update(3, 1, 2), "draw", "1@0x2")],
        "ops that are words of a language's own are unknown": [
            (show(1, 1), "draw", "1@0x1"), *[(say(op, 2 + at, banner=1), "ignore", "1@0x1") for at, op in enumerate(
                ("constructor", "toString", "__proto__", "hasOwnProperty", "null", "", "SHOW", "moveUp", " show"))],
            (update(11, 1, 2), "draw", "1@0x2")],
        "unknown fields are passed over": [
            (show(1, 1, colour="red", nested={"banner": 9, "slot": 9}) | {"extra": [1, 2, {"seq": 7}]}, "draw", "1@0x1"),
            (update(2, 1, 2, speed=1e3), "draw", "1@0x2")],
        "the order of fields does not matter": [
            (dict(reversed(show(1, 1, 3).items())), "draw", "1@0x3"), (dict(reversed(update(2, 1, 4).items())), "draw", "1@0x4"),
            (dict(reversed(screen(3, dict(reversed(entry(1, 1, 5).items()))).items())), "draw", "1@1x5")],
        "white space between tokens does not matter": [
            ('  { "v" : 1 , "room" : "r1" , "epoch" : 1700000000000 , "seq" : 1 , "at" : 1 , "op" : "show" ,\t"banner" : 1 , "slot" : 0 , '
             '"count" : 2 , "base" : 0 , "sender" : { "id" : "u1" , "name" : "Ann" } , "gift" : { "id" : "rose" , "name" : "Rose" , '
             '"value" : 10 } }  ', "draw", "1@0x2")],
        "escapes in names of fields and in words are what they mean": [
            ('{"v":1,"room":"r\\u0031","\\u0065poch":1700000000000,"seq":1,"at":1,"op":"s\\u0068ow","ban\\u006eer":1,"slot":0,"count":2,"base":0,'
             '"sender":{"id":"u1","n\\u0061me":"A\\u006en"},"gift":{"id":"rose","name":"Ros\\u0065","value":10}}', "draw", "1@0x2"),
            (update(2, 1, 3), "draw", "1@0x3")],
        "whole numbers may be written with a fraction of zero or an exponent": [
            ('{"v":1,"room":"r1","epoch":1.7e12,"seq":1.0,"at":1,"op":"show","banner":1.0,"slot":0.0,"count":2e1,"base":0,'
             '"sender":{"id":"u1","name":"Ann"},"gift":{"id":"rose","name":"Rose","value":10}}', "draw", "1@0x20"),
            (update(2, 1, 21), "draw", "1@0x21")],
        "objects and lists may be nested 64 levels deep": [
            (show(1, 1, sender={"id": "u1", "x": nested(62)}), "draw", [entry(1, 0, 1, sender={"id": "u1", "x": nested(62)})]),
            (say("sing", 2, deep=nested(63)), "ignore", None), (update(3, 1, 2), "draw", None)],
        "numbers at the edges, however they are written": [
            (numbered(1, 1, "-0"), "draw", "1@0x0"), (numbered(2, 2, "9007199254740991.0"), "draw", None),
            *[(numbered(3 + at, 3, count), "ignore", None) for at, count in enumerate(("9007199254740992", "1e400", "1e-1", "9007199254740992e0"))],
            # These lines are not JSON, so they do not count at all.
            *[(numbered(7, 3, count), "ignore", None) for count in ("01", "+1", ".5", "1.", "1e", "0x3", "NaN", "- 1", "1_0")],
            (numbered(7, 4, "100000000000000000000e-20"), "draw", "1@0x0 2@0x9007199254740991 4@0x1")],
        "names that look like instructions are names": [
            (show(1, 1, sender={"id": "u1", "name": '","op":"dismiss","banner":1,"x":"', "op": "dismiss", "seq": 9}), "draw",
             [entry(1, 0, 1, sender={"id": "u1", "name": '","op":"dismiss","banner":1,"x":"', "op": "dismiss", "seq": 9})]),
            (update(2, 1, 2), "draw", [entry(1, 0, 2, sender={"id": "u1", "name": '","op":"dismiss","banner":1,"x":"', "op": "dismiss", "seq": 9})])],
    },
    "malformed": {
        "what is no instruction is passed over": [
            (show(1, 1), "draw", "1@0x1"),
            *[(line, "ignore", "1@0x1") for line in (
                "", "{", "nonsense", "[]", "5", "null", '"show"', "{}", '{"op":"show"}', "[" * 100, '{"v":1,}', "{'v':1}", "NaN",
                '{"v":1,"room":"r1","epoch":1700000000000,"seq":2,"at":1,"op":"update","banner":1,"slot":0,"count":2,"added":1',
                '{"v":1,"room":"r1","epoch":1700000000000,"seq":2,"at":1,"op":"update","banner":1,"slot":0,"count":2,"added":1}}',
                '{"v":1,"room":"r1","epoch":1700000000000,"seq":2,"at":1,"op":"update","banner":1,"slot":0,"count":02,"added":1}')],
            (update(2, 1, 2), "draw", "1@0x2")],
        "an instruction that is cut anywhere is passed over": [
            (show(1, 1), "draw", "1@0x1"), *[(CUT[:length], "ignore", "1@0x1") for length in range(1, len(CUT))], (CUT, "draw", "1@0x2")],
        "an instruction needs room, epoch, seq and op": [
            (show(1, 1), "draw", "1@0x1"), *[(without(update(2, 1, 9), name), "ignore", "1@0x1") for name in ("room", "epoch", "seq", "op")],
            (update(2, 1, 2), "draw", "1@0x2")],
        "epoch and seq are whole numbers from 0 to 2^53 - 1": [
            (show(1, 1), "draw", "1@0x1"),
            *[(update(2, 1, 9) | {name: value}, "ignore", "1@0x1") for name in ("epoch", "seq")
              for value in ("2", None, -1, 1.5, True, [], {}, 2**53, 2**63, 2**64, 1e300)],
            (update(2, 1, 2), "draw", "1@0x2")],
        "room and op are texts": [
            (show(1, 1), "draw", "1@0x1"), *[(update(2, 1, 9) | {name: value}, "ignore", "1@0x1") for name in ("room", "op") for value in (5, None, [], {})],
            (update(2, 1, 2), "draw", "1@0x2")],
        "at and v are not needed": [(without(show(1, 1), "at", "v"), "draw", "1@0x1"), (update(2, 1, 2) | {"at": "soon"}, "draw", "1@0x2")],
        "a malformed show draws nothing, and its seq counts": [
            *[(show(1 + at, 1) | {name: value}, "ignore", "") for at, (name, value) in enumerate(
                [(name, value) for name in ("banner", "slot", "count") for value in ("1", None, -1, 0.5, True, 2**53)]
                + [("banner", 0), ("slot", 100)])],
            *[(without(show(21 + at, 1), name), "ignore", "") for at, name in enumerate(("banner", "slot", "count"))],
            (show(24, 2), "draw", "2@0x1")],
        "what is said of a banner whose show was malformed is passed over": [
            (show(1, 1) | {"count": "three"}, "ignore", ""), (update(2, 1, 4), "ignore", ""), (screen(3, entry(1, 0, 4)), "draw", "1@0x4")],
        "a show without base, sender or gift is drawn": [
            (without(show(1, 1, 2), "base", "sender", "gift"), "draw", [{"banner": 1, "slot": 0, "count": 2, "base": 0}])],
        "a sender that is no object is none, a base that is no number is 0": [
            (show(1, 1, sender="Ann", receiver=[], gift=None) | {"base": "x"}, "draw", [{"banner": 1, "slot": 0, "count": 1, "base": 0}])],
        "a malformed update changes nothing, and its seq counts": [
            (show(1, 1), "draw", "1@0x1"),
            *[(update(2 + at, 1, 9) | {"count": value}, "ignore", "1@0x1") for at, value in enumerate(("9", None, -1, 0.5, 2**53, False))],
            (without(update(8, 1, 9), "count"), "ignore", "1@0x1"), (update(9, 1, 2), "draw", "1@0x2")],
        "an update without a slot that is one keeps the slot": [
            (show(1, 1), "draw", "1@0x1"), (move_up(2, 1, 1), "draw", "1@1x1"), (without(update(3, 1, 2), "slot"), "draw", "1@1x2"),
            (update(4, 1, 3, slot=100), "draw", "1@1x3"), (update(5, 1, 4, slot="0"), "draw", "1@1x4")],
        "a malformed move_up changes nothing, and its seq counts": [
            (show(1, 1), "draw", "1@0x1"),
            *[(move_up(2 + at, 1) | {"slot": value}, "ignore", "1@0x1") for at, value in enumerate((None, "1", -1, 100, 1.5))],
            (move_up(7, 1), "draw", "1@1x1")],
        "a dismiss needs its banner alone": [
            (show(1, 1), "draw", "1@0x1"), (dismiss(2, "1"), "ignore", "1@0x1"), (without(dismiss(3, 1), "banner"), "ignore", "1@0x1"),
            (without(dismiss(4, 1), "slot", "count", "reason"), "draw", "")],
        "what is malformed does not wait": [
            (update(40, None, 3), "ignore", ""), (dismiss(41, "x"), "ignore", ""), (update(42, 5, "x"), "ignore", ""),
            (move_up(43, 5, None), "ignore", ""), (update(44, 5, 2), "wait", "")],
        "a screen without a list says nothing": [
            (show(1, 1), "draw", "1@0x1"), (without(screen(2), "banners"), "ignore", "1@0x1"), (screen(3) | {"banners": {}}, "ignore", "1@0x1"),
            (screen(4) | {"banners": None}, "ignore", "1@0x1"), (update(5, 1, 2), "draw", "1@0x2")],
        "a screen without a list does not fix a gap": [
            (show(1, 1), "draw", "1@0x1"), (without(screen(3), "banners"), "clear", ""), (update(4, 1, 2), "wait", "")],
        "malformed entries of a screen are left out": [
            (screen(1) | {"banners": [None, 5, [], {}, entry(1, 0, 2), entry(2, 1, 3) | {"count": "3"}, entry(3, 100, 3), entry(0, 2, 2)]},
             "draw", "1@0x2"), (update(2, 1, 3), "draw", "1@0x3")],
        "a malformed instruction is no gap": [
            (show(1, 1), "draw", "1@0x1"), (update(2, 1, 9) | {"count": {}}, "ignore", "1@0x1"), (update(3, 1, 3), "draw", "1@0x3")],
    },
    "rooms": {
        "each room has its own epoch, seq and screen": [
            (show(1, 1, room="a"), "draw", "1@0x1"), (show(1, 1, 5, room="b", epoch=E2), "draw", "1@0x5"),
            (update(2, 1, 2, room="a"), "draw", "1@0x2"), (update(2, 1, 6, room="b", epoch=E2), "draw", "1@0x6"),
            (update(4, 1, 4, room="a"), "clear", ""), (update(3, 1, 7, room="b", epoch=E2), "draw", "1@0x7")],
        "rooms are told apart by every character of their names": [
            (show(1, 1, room="a"), "draw", "1@0x1"), (show(1, 1, 2, room="A"), "draw", "1@0x2"), (show(1, 1, 3, room="a "), "draw", "1@0x3"),
            (show(1, 1, 4, room="é"), "draw", "1@0x4"), (show(1, 1, 5, room="e\u0301"), "draw", "1@0x5"), (show(1, 1, 6, room="房间"), "draw", "1@0x6"),
            (update(2, 1, 9, room="é"), "draw", "1@0x9"), (update(2, 1, 8, room="e\u0301"), "draw", "1@0x8"), (update(2, 1, 7, room="a"), "draw", "1@0x7")],
        "room names may be words of a language's own": [
            (show(1, 1, room="__proto__"), "draw", "1@0x1"), (show(1, 1, 2, room="constructor"), "draw", "1@0x2"),
            (update(2, 1, 3, room="__proto__"), "draw", "1@0x3")],
    },
    "stream": {
        "the screen with which a stream begins is the whole screen": [
            (joined(screen(7, entry(2, 0, 4), entry(1, 1, 3))), "draw", "2@0x4 1@1x3"), (update(8, 1, 5, slot=1), "draw", "2@0x4 1@1x5")],
        "it includes all up to its own number": [
            (joined(screen(7, entry(2, 0, 4))), "draw", "2@0x4"), (update(7, 2, 3), "ignore", "2@0x4"), (update(8, 2, 5), "draw", "2@0x5")],
        "its number may be one that was seen": [
            (show(1, 1), "draw", "1@0x1"), (update(2, 1, 2), "draw", "1@0x2"), (joined(screen(2, entry(1, 0, 2))), "draw", "1@0x2"),
            (update(3, 1, 3), "draw", "1@0x3")],
        "joined again later it fills what was missed": [
            (show(1, 1), "draw", "1@0x1"), (joined(screen(9, entry(1, 1, 7), entry(3, 0, 1))), "draw", "3@0x1 1@1x7"),
            (update(10, 3, 2), "draw", "3@0x2 1@1x7")],
        "one that is behind what was seen is passed over": [
            (show(1, 1), "draw", "1@0x1"), (update(2, 1, 2), "draw", "1@0x2"), (joined(screen(1, entry(1, 0, 1))), "ignore", "1@0x2"),
            (update(3, 1, 3), "draw", "1@0x3")],
        "one of an old epoch is passed over": [
            (show(1, 1, 2, epoch=E2), "draw", "1@0x2"), (joined(screen(80)), "ignore", "1@0x2")],
        "one of a new epoch clears first": [
            (show(1, 1, 5), "draw", "1@0x5"), (joined(screen(4, entry(1, 0, 2), epoch=E2)), "clear, draw", "1@0x2"),
            (update(5, 1, 3, epoch=E2), "draw", "1@0x3")],
        "a room that sleeps says epoch 0 and seq 0, and what it says next is new": [
            (joined(screen(0, epoch=0)), "draw", ""), (show(1, 1), "draw", "1@0x1"), (update(2, 9, 2), "ignore", "1@0x1")],
        "a room that went to sleep has an empty screen": [
            (show(1, 1), "draw", "1@0x1"), (joined(screen(0, epoch=0)), "draw", ""), (show(1, 1), "ignore", ""), (show(1, 1, 2, epoch=E2), "draw", "1@0x2")],
        "a room that has said nothing yet has seq 0": [
            (joined(screen(0)), "draw", ""), (show(1, 1), "draw", "1@0x1"), (update(2, 9, 2), "ignore", "1@0x1")],
        "a gap behind it is a gap": [
            (joined(screen(7, entry(2, 0, 4))), "draw", "2@0x4"), (update(9, 2, 6), "clear", ""), (joined(screen(9, entry(2, 0, 6))), "draw", "2@0x6"),
            (update(10, 2, 7), "draw", "2@0x7")],
        "one that is no screen is passed over": [
            (joined(show(7, 2)), "ignore", ""), (joined(without(screen(7), "banners")), "ignore", ""), (joined("nonsense"), "ignore", ""),
            (update(8, 2, 2), "wait", "")],
    },
}
