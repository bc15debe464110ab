"""The faults of a run, drawn from its seed: the same seed and numbers give the same ones, in the same order."""

import random

# The topics of a run, the consumer group, and the node whose disk is small.
INPUT, OUTPUT, GROUP, PARTITIONS = "gifts", "banners", "chaos", 8
SMALL_DISK_NODE = 2
INSTANCES_FIRST, INSTANCES_MIN, INSTANCES_MAX = 3, 2, 5
BROKER_TARGETS = ("transaction coordinator", "leader of a partition", "group coordinator", "any broker")


class Step:
    """One fault. `pause` is the time before it in seconds; `victim`, modulo the number of candidates, selects one of them."""

    def __init__(self, kind, **details):
        self.kind = kind
        self.pause = 0.0
        self.victim = 0
        self.target = None
        self.hold = 0.0
        self.during = None
        self.__dict__.update(details)

    def __str__(self):
        text = self.kind
        if self.target:
            text += f" ({self.target})"
        if self.hold:
            text += f", for {self.hold:g} s"
        if self.during:
            text += f"; meanwhile {self.during}"
        return text


def draw(seed, kills, broker_kills, rebalances, stalls, terms, freezes, full_disks):
    """Returns the steps of a run."""
    chance = random.Random(f"{seed} plan")
    steps = []
    # Some brokers are away while an instance dies, too.
    left = kills
    for number in range(broker_kills):
        step = Step("kill broker", target=BROKER_TARGETS[number % len(BROKER_TARGETS)], hold=chance.choice((0, 2, 8)))
        if left and chance.random() < 0.4:
            step.during = _kill(chance)
            left -= 1
        steps.append(step)
    while left:
        kind = chance.choice(("one", "one", "one", "restoring", "two"))
        if kind == "one" or left < 2:
            steps.append(_kill(chance))
            left -= 1
        else:
            steps.append(Step("kill while restoring" if kind == "restoring" else "kill two at once", hold=_delay(chance)))
            left -= 2
    for number in range(stalls):
        # The longer ones exceed the session's time-out.
        long = number % 3 != 1
        steps.append(Step("stall beyond the session" if long else "stall", hold=round(chance.uniform(1, 8), 1)))
    steps += [Step("restart by SIGTERM", hold=chance.choice((0, 0, 2))) for _ in range(terms)]
    for number in range(freezes):
        hold = round(chance.uniform(12, 25), 1) if number % 2 == 0 else round(chance.uniform(2, 7), 1)
        steps.append(Step("freeze broker", target=chance.choice(BROKER_TARGETS), hold=hold))
    steps += [Step("full disk of a broker", hold=3) for _ in range(full_disks)]
    steps += [Step("rebalance") for _ in range(rebalances)]
    chance.shuffle(steps)
    count = INSTANCES_FIRST
    for step in steps:
        step.pause = round(chance.uniform(0.2, 3), 2)
        step.victim = chance.randrange(1 << 16)
        if step.during:
            step.during.victim = chance.randrange(1 << 16)
        if step.kind == "rebalance":
            adds = count <= INSTANCES_MIN or (count < INSTANCES_MAX and chance.random() < 0.5)
            step.kind = "add an instance" if adds else "take an instance away"
            count += 1 if adds else -1
    return steps


def _delay(chance):
    """Draws the time between a death and the restart; the longest exceeds the session's time-out."""
    return chance.choice((0, 0, 0.5, 2, 12))


def _kill(chance):
    return Step("kill an instance", hold=_delay(chance))


def statics(seed):
    """Returns, by its number, whether an instance is a static member of the group."""
    chance = random.Random(f"{seed} statics")
    return [chance.random() < 0.4 for _ in range(256)]


def mix(seed, queue):
    """Draws the kind of gifts and the settings that suit them: (name, options of generate, options of run). The fewer banners may
    wait in a room's queue, the sooner the rooms are at rest in the end."""
    chance = random.Random(f"{seed} mix")
    common = ["--bad", "0.01", "--repeats", "0.01", "--retracts", "0.002", "--closes", "0.0005"]
    settings = ["--max-queue", str(queue), "--dedupe-ms", "120000", "--max-ids", "1000000"]
    if chance.random() < 0.5:
        settings += ["--queue-order", "tier", "--tiers", "100:2000:500,1000:3000:1000", "--promote-ms", "1000"]
    # The recount has no times, so a streak must not expire, and no room comes to rest. The rooms of the other mix do.
    if chance.random() < 0.5:
        return "running totals", common + ["--totals", "0.2"], settings + ["--streak-ms", "86400000", "--max-streaks", "1000000"]
    return "rooms that rest", common, settings + ["--milestones", "10,66,520"]
