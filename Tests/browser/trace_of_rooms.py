"""Made-up gifts, what replay says of them, and single instructions."""

import json
import random

import fake_service

OPTIONS = ("--milestones", "3,10,66,188", "--slots", "3", "--linger-ms", "1500", "--screen-ms", "2000")


def gifts(seed=3, rooms=3, seconds=60):
    """Returns made-up gifts of a few combos, which grow, wait, come back and are retracted; some rooms close."""
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


KINDS = {"move_up", "update", "screen", "dismiss idle", "dismiss closed", "dismiss retracted", "skip closed", "skip retracted",
         "base", "milestone", "on top closed", "on top retracted"}


def kinds(said):
    """Returns the kinds of instructions and fields in a trace."""
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
    """Returns a `show`, whose seq is the banner's number unless another is given."""
    said = {"v": 1, "room": room, "epoch": epoch, "seq": seq or banner, "at": epoch, "op": "show", "banner": banner, "slot": 0,
            "count": count, "base": 0, "sender": {"id": "u1", "name": "Ann"}, "gift": {"id": "rose", "name": "Rose", "value": 1}}
    return said | more


def say(op, seq, epoch=1000, room="r1", **more):
    return {"v": 1, "room": room, "epoch": epoch, "seq": seq, "at": epoch, "op": op, **more}
