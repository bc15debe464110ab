#!/usr/bin/env python3
"""Upgrades three instances of the release before under load, one at a time: SIGTERM and SIGKILL of old and new ones at drawn
moments, a rebalance in the middle, rollback half-way, and forward again. At the end `verify` of this release proves the whole
output. See docs/reliability.md. Python 3.9 or newer, its standard library only.

Exit code 0: proven; 1: not, and the logs are kept; 2: it could not be run."""

import argparse
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import plan  # noqa: E402
from chaos import ROOT, Chaos, prove  # noqa: E402
from feeder import Feeder  # noqa: E402
from plan import GROUP, INPUT, PARTITIONS  # noqa: E402


# The number of steps of a run, and the estimated duration of one until some have been timed.
STEPS, STEP_SECONDS = 16, 10.0


class Upgrade(Chaos):
    """A run with upgrades. `self.program` is this release, `options.previous` the previous one."""

    def __init__(self, options):
        super().__init__(options)
        self.chance = random.Random(f"{options.seed} upgrade")
        self.slowest = 0.0

    def remaining_seconds(self):
        """Estimates the time until the last step, over which gifts are produced."""
        mean = (time.monotonic() - self.faults_began + 3 * STEP_SECONDS) / (self.steps_done + 3)
        return max(mean, (STEPS - self.steps_done) * mean)

    # Steps

    def replace(self, instance, program, name):
        """Ends an instance, by SIGTERM or SIGKILL, and starts it as the other release."""
        kind = self.chance.choice(("SIGTERM", "SIGTERM", "SIGKILL"))
        self.log(f"{instance.name}: {kind}, and started as {name}")
        self.end(instance, kind)
        instance.program = program
        time.sleep(self.chance.choice((0, 0, 0.5, 2)))
        instance.start()

    def end(self, instance, kind):
        if kind == "SIGKILL":
            self.count("SIGKILL of an instance")
            instance.kill()
        else:
            self.terminate(instance)

    def disturb(self):
        """Crashes or restarts any instance, without a change of its release."""
        instance = self.chance.choice(self.instances)
        kind = self.chance.choice(("SIGKILL", "SIGKILL", "SIGTERM", "none"))
        if kind == "none":
            return
        self.log(f"{instance.name}: {kind}, and started again as it was")
        self.end(instance, kind)
        time.sleep(self.chance.choice((0, 0.5, self.options.session_ms / 1000 + 1)))
        instance.start()

    def rebalance(self):
        self.log("a fourth instance comes and goes")
        extra = self.add_instance()
        self.wait("the fourth instance has partitions", lambda: extra.says("assigned: partitions"), self.options.patience)
        self.terminate(extra)
        self.instances.remove(extra)

    def step(self, what, *arguments):
        time.sleep(round(self.chance.uniform(0.2, 3), 2))
        began = time.monotonic()
        what(*arguments)
        self.check_recovery(began)
        self.steps_done += 1

    def check_recovery(self, began):
        seconds = self.recovered(began)
        self.slowest = max(self.slowest, seconds)
        self.log(f"  all that had come by then is committed, {seconds:.1f} s after it began")
        if seconds > self.options.standstill:
            self.find(f"a partition stood still for {seconds:.1f} s, more than {self.options.standstill:g} s")

    # The run

    def run(self):
        options, new, old = self.options, self.program, self.options.previous
        self.mix_name, mix, self.settings = plan.mix(options.seed, options.queue)
        self.log(f"seed {options.seed}; logs: {self.directory}; gifts with {self.mix_name}")
        self.cluster.start()
        self.cluster.tool(
            "topics", "--bootstrap-server", self.cluster.bootstrap, "--create", "--topic", INPUT, "--partitions",
            str(PARTITIONS), "--replication-factor", "3", "--config", "min.insync.replicas=2")
        self.program = old
        for _ in range(3):
            self.add_instance()
        # An instance of this release causes the rebalance in the middle.
        self.program = new
        self.faults_began = time.monotonic()
        self.feeder = Feeder(
            old, self.cluster.bootstrap, INPUT, options.gifts, options.seed, mix, self.directory, self.log, self.remaining_seconds)
        self.feeder.start()
        self.wait("gifts come in and are committed", self.has_begun, options.patience)

        order = list(self.instances)
        self.chance.shuffle(order)
        self.log("upgrade, up to two of three")
        for instance in order[:2]:
            self.step(self.replace, instance, new, "this release")
            self.step(self.disturb)
        self.step(self.rebalance)
        self.log("rollback")
        for instance in order[:2]:
            self.step(self.replace, instance, old, "the release before")
            self.step(self.disturb)
        self.log("upgrade of all")
        for instance in order:
            self.step(self.replace, instance, new, "this release")
            self.step(self.disturb)
        self.gone_over()
        self.faults_took = time.monotonic() - self.faults_began
        self.gifts_by_then = self.feeder.made
        self.finish()
        return self.judge()

    def gone_over(self):
        """Once all instances are of this release, the group adopts its rules, and a restart changes nothing."""
        self.wait(
            "the group has gone over to the rules of this release",
            lambda: subprocess.run(
                [self.program, "check", "--brokers", self.cluster.bootstrap, "--input", INPUT, "--output", plan.OUTPUT, "--group", GROUP],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout.find(self.options.gone_over) >= 0,
            self.options.patience)
        self.log("the group has gone over")
        self.step(self.disturb)

    def judge(self):
        self.events = []
        is_well = super().judge()
        self.log(f"the slowest step took {self.slowest:.1f} s")
        return is_well


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="of all that is drawn; default: another one each time")
    parser.add_argument("--gifts", type=int, default=60_000, help="events to produce (60000)")
    parser.add_argument("--queue", type=int, default=15, help="banners that may wait in a room (15)")
    parser.add_argument("--session-ms", type=int, default=6000, help="the members' session time-out (6000)")
    parser.add_argument("--delivery", choices=("exactly-once", "at-least-once"), help="default: the service's own")
    parser.add_argument("--standstill", type=float, default=45, help="seconds that a crash may cost a partition at most (45)")
    parser.add_argument("--patience", type=int, default=180, help="seconds until a recovery counts as a hang (180)")
    parser.add_argument("--gone-over", default="rules 3: releases that do not know", help="what `check` prints once the group has gone over")
    parser.add_argument("--program", default=os.path.join(ROOT, ".build/release/combo-consumer"), help="this release")
    parser.add_argument("--previous", help="the release before; default: what tools/previous-release builds")
    parser.add_argument("--directory", help="for logs and data; default: a new one in the temporary folder")
    parser.add_argument("--port", type=int, help="the first of six ports; default: free ones")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = int.from_bytes(os.urandom(4), "big")
    options.kafka = os.environ.get("COMBO_TEST_KAFKA")
    options.full_disks = 0
    return options


def main():
    options = read_options()
    if not options.kafka or not all(os.access(os.path.join(options.kafka, name), os.X_OK) for name in ("start", "stop", "tool")):
        print("upgrade: set COMBO_TEST_KAFKA to a folder with the programs start, stop and tool (see CONTRIBUTING.md)", file=sys.stderr)
        return 2
    options.kafka = os.path.abspath(options.kafka)
    if not os.access(options.program, os.X_OK):
        print(f"upgrade: there is no {options.program}: make build", file=sys.stderr)
        return 2
    if not options.previous:
        built = subprocess.run([os.path.join(ROOT, "tools/previous-release")], stdout=subprocess.PIPE, text=True)
        if built.returncode != 0:
            return 2
        options.previous = built.stdout.strip()
    options.previous = os.path.abspath(options.previous)

    return prove(Upgrade(options), "nothing lost, nothing twice, over both releases")


if __name__ == "__main__":
    sys.exit(main())
