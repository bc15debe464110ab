#!/usr/bin/env python3
"""Two or three instances read three topics by a pattern, under load. A fourth topic is created and one is deleted; instances are
killed in between. At the end `verify` and the recount must find each room of each topic exact. See docs/reliability.md.
Python 3.9 or newer, its standard library only.

Exit code 0: proven; 1: not, and the logs are kept; 2: it could not be run."""

import argparse
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import faults  # noqa: E402
import plan  # noqa: E402
from chaos import ROOT, Chaos, dead_letters, prove  # noqa: E402
from feeder import Feeder  # noqa: E402
from plan import OUTPUT  # noqa: E402
from recount import Recount  # noqa: E402

PATTERN = "^gifts_"
# The numbers of partitions, which differ so that no partition stands for that of another topic.
FIRST = {"gifts_asia": 4, "gifts_eu": 3, "gifts_us": 2}
CREATED, CREATED_PARTITIONS = "gifts_mars", 3
# The estimated duration of a step until some have been timed.
STEP_SECONDS = 8.0


class Feeders:
    """A feeder for each topic, as one."""

    def __init__(self, make):
        self.make, self.by_topic = make, {}

    def start(self, topic, gifts):
        self.by_topic[topic] = self.make(topic, gifts, len(self.by_topic))
        self.by_topic[topic].start()

    def stop(self, topic):
        """Ends a topic's feeder after its piece; returns the number of gifts that the topic has."""
        feeder = self.by_topic.pop(topic)
        feeder.stopping.set()
        feeder.join()
        return feeder.made

    def stop_all(self):
        for feeder in self.by_topic.values():
            feeder.stopping.set()

    def hurry(self):
        for feeder in self.by_topic.values():
            feeder.is_hurried = True

    @property
    def made(self):
        return sum(feeder.made for feeder in self.by_topic.values())

    @property
    def fault(self):
        return next((feeder.fault for feeder in self.by_topic.values() if feeder.fault), None)

    def is_alive(self):
        return any(feeder.is_alive() for feeder in self.by_topic.values())


class SeveralInputs(Chaos):
    # Brokers are not what is tested here.
    nodes = 1
    has_several_inputs = True
    # Its readers, two for each topic, start at the same time.
    reader_ms = 20000

    def __init__(self, options):
        super().__init__(options)
        self.chance = random.Random(f"{options.seed} several inputs")

    def input_options(self):
        return ["--input-pattern", PATTERN]

    def remaining_seconds(self):
        mean = (time.monotonic() - self.faults_began + 3 * STEP_SECONDS) / (self.steps_done + 3)
        return max(mean, (len(self.steps) - self.steps_done) * mean)

    def create_topic(self, name, partitions):
        # A busy broker is fenced for seconds when its heartbeats come late, and refuses new topics meanwhile.
        deadline = time.monotonic() + self.options.patience
        while True:
            try:
                self.cluster.tool(
                    "topics", "--bootstrap-server", self.cluster.bootstrap, "--create", "--if-not-exists", "--topic", name,
                    "--partitions", str(partitions))
                return
            except RuntimeError as fault:
                if "fenced" not in str(fault) or time.monotonic() > deadline:
                    raise
                time.sleep(1)

    # Steps

    def draw(self):
        """Draws the steps: kills around the creation and the deletion of a topic."""
        chance, kills = self.chance, self.options.kills
        steps = []
        for kind, number in (("", kills - 2 * (kills // 3)), ("create", kills // 3), ("delete", kills // 3)):
            if kind:
                steps.append(plan.Step(kind))
            kinds = ["kill an instance", "kill an instance", "kill while restoring", "kill two at once"]
            steps += [plan.Step(chance.choice(kinds), hold=chance.choice((0, 0.5, 2, self.options.session_ms / 1000 + 1))) for _ in range(number)]
        for step in steps:
            step.pause = round(chance.uniform(0.2, 2), 2)
            step.victim = chance.randrange(1 << 16)
            # Whether an instance is away while the topic comes or goes.
            step.during = chance.random() < 0.5 if step.kind in ("create", "delete") else None
        steps.insert(chance.randrange(1, len(steps)), plan.Step("add an instance", pause=0.5))
        return steps

    def take_step(self, step):
        time.sleep(step.pause)
        began = time.monotonic()
        if step.kind in ("create", "delete"):
            instance = self.victim(step)
            if step.during:
                self.log(f"  {instance.name} killed")
                instance.kill()
            told = self.create() if step.kind == "create" else self.delete(step)
            if not step.during:
                self.log(f"  {instance.name} killed")
                instance.kill()
            instance.start()
            self.count("SIGKILL of an instance")
        else:
            told = faults.BY_KIND[step.kind](self, step)
        seconds = self.recovered(began)
        self.log(f"  recovered, {seconds:.1f} s after it began")
        self.count(step.kind)
        self.events.append((began - self.began, step.kind, told, seconds))

    def create(self):
        self.create_topic(CREATED, CREATED_PARTITIONS)
        self.inputs[CREATED] = CREATED_PARTITIONS
        self.feeder.start(CREATED, self.options.gifts // 4)
        self.log(f"  {CREATED} created, and gifts come in")
        return CREATED

    def delete(self, step):
        topic = sorted(FIRST)[step.victim % len(FIRST)]
        # A producer that goes on would make brokers create the topic again. The others keep getting gifts.
        made = self.feeder.stop(topic)
        ends = {}
        self.wait(f"the ends of {topic} are known", lambda: ends.update({topic: self.wire.ends(topic)}) or ends, self.options.patience)
        self.wait(f"all gifts of {topic} are committed", lambda: self.has_committed(ends), self.options.patience)
        # Later nothing can be derived from it, so it is proven now. What its rooms were given is an upper limit of what they say.
        self.verify([topic])
        self.settle([topic, dead_letters(topic)])
        for patience_ms in (5000, 60000):
            recount = Recount(
                self.options.kafka, self.cluster.bootstrap, self.directory, self.options.delivery == "at-least-once", patience_ms)
            self.deleted.update(recount.given({topic: dead_letters(topic)}))
            if not recount.faults and recount.records >= made:
                break
        for fault in recount.faults:
            self.find(f"recount before the deletion: {fault}")
        if recount.records < made:
            self.find(f"only {recount.records} of {made} gifts are in {topic}: the producer lost some")
        del self.inputs[topic]
        self.cluster.tool("topics", "--bootstrap-server", self.cluster.bootstrap, "--delete", "--topic", topic)
        self.log(f"  {topic} deleted, after {made} gifts")
        return topic

    def made_by_input(self):
        return {topic: feeder.made for topic, feeder in self.feeder.by_topic.items()}

    # The run

    def run(self):
        options = self.options
        self.steps = self.draw()
        self.mix_name, mix, self.settings = plan.mix(options.seed, options.queue)
        self.log(f"seed {options.seed}; logs: {self.directory}; {len(self.steps)} steps, gifts with {self.mix_name}")
        self.cluster.start()
        for topic, partitions in {**FIRST, OUTPUT: 4}.items():
            self.create_topic(topic, partitions)
        self.inputs = dict(FIRST)
        for _ in range(2):
            self.add_instance()
        self.faults_began = time.monotonic()
        # The same rooms in all topics, with gifts of their own.
        self.feeder = Feeders(lambda topic, gifts, number: Feeder(
            self.program, self.cluster.bootstrap, topic, gifts, options.seed + number, mix, self.directory, self.log,
            self.remaining_seconds))
        for topic in FIRST:
            self.feeder.start(topic, options.gifts // 4)
        self.wait("gifts come in and are committed", self.has_begun, options.patience)
        for number, step in enumerate(self.steps, 1):
            self.log(f"{number}/{len(self.steps)} {step.kind}{f', for {step.hold:g} s' if step.hold else ''} ({self.feeder.made} gifts so far)")
            self.take_step(step)
            self.steps_done += 1
        self.faults_took = time.monotonic() - self.faults_began
        self.gifts_by_then = self.feeder.made
        self.finish()
        return self.judge()


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a run of less than three minutes")
    parser.add_argument("--seed", type=int, help="of all that is drawn; default: another one each time")
    parser.add_argument("--gifts", type=int, help="events to produce, in all topics (400000; short: 40000)")
    parser.add_argument("--kills", type=int, help="steps that kill instances, besides those that create and delete a topic (15; short: 3)")
    parser.add_argument("--queue", type=int, default=15, help="banners that may wait in a room (15)")
    parser.add_argument("--session-ms", type=int, default=6000, help="the members' session time-out (6000)")
    parser.add_argument("--delivery", choices=("exactly-once", "at-least-once"), help="default: the service's own")
    parser.add_argument("--patience", type=int, default=180, help="seconds until a recovery counts as a hang (180)")
    parser.add_argument("--program", default=os.path.join(ROOT, ".build/release/combo-consumer"), help="the service")
    parser.add_argument("--directory", help="for logs and data; default: a new one in the temporary folder")
    parser.add_argument("--port", type=int, help="the first of two ports; default: free ones")
    options = parser.parse_args()
    options.gifts = options.gifts or (40_000 if options.short else 400_000)
    if options.kills is None:
        options.kills = 3 if options.short else 15
    if options.seed is None:
        options.seed = int.from_bytes(os.urandom(4), "big")
    options.kafka = os.environ.get("COMBO_TEST_KAFKA")
    return options


def main():
    options = read_options()
    if not options.kafka or not all(os.access(os.path.join(options.kafka, name), os.X_OK) for name in ("start", "stop", "tool")):
        print("several_inputs: set COMBO_TEST_KAFKA to a folder with the programs start, stop and tool (see CONTRIBUTING.md)", file=sys.stderr)
        return 2
    options.kafka = os.path.abspath(options.kafka)
    if not os.access(options.program, os.X_OK):
        print(f"several_inputs: there is no {options.program}: make build", file=sys.stderr)
        return 2
    again = " ".join(
        f"--{name.replace('_', '-')} {getattr(options, name)}" for name in ("seed", "gifts", "kills", "queue", "session_ms", "delivery")
        if getattr(options, name) is not None)
    return prove(SeveralInputs(options), "each room of each topic is exact", f"; again: Tests/chaos/several_inputs.py {again}")


if __name__ == "__main__":
    sys.exit(main())
