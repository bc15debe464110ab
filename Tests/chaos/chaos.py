#!/usr/bin/env python3
"""Three brokers, three instances of the service, a producer; faults drawn from a seed; and at the end the proof that nothing
was lost and nothing said twice. See docs/reliability.md. Python 3.9 or newer, its standard library only.

Exit code 0: proven; 1: not, and the logs are kept; 2: it could not be run."""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import faults  # noqa: E402
import plan  # noqa: E402
from cluster import Cluster, KafkaFault  # noqa: E402
from kafka_wire import READ_COMMITTED  # noqa: E402
from feeder import Feeder  # noqa: E402
from instances import Figures, Instance, describe_exit  # noqa: E402
from recount import Recount  # noqa: E402
from plan import GROUP, INPUT, OUTPUT, PARTITIONS, SMALL_DISK_NODE  # noqa: E402
from record import write_record  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The estimated duration of a step until some have been timed.
STEP_SECONDS = 14.0
# The interval at which a condition is checked.
LOOK_SECONDS = 0.1
# The time without new instructions after which the rooms count as at rest.
QUIET_SECONDS = 12


def dead_letters(topic):
    return f"{topic}.{GROUP}.combo-dead-letter"


class Failure(Exception):
    """The service did not do what it promises."""


class Chaos:
    # The number of brokers.
    nodes = 3
    has_several_inputs = False
    # How long readers wait for a record, at the first attempt.
    reader_ms = 10000

    def __init__(self, options):
        self.options = options
        self.inputs = {INPUT: PARTITIONS}
        self.began = time.monotonic()
        self.directory = options.directory or tempfile.mkdtemp(prefix="combo-chaos-")
        os.makedirs(self.directory, exist_ok=True)
        # A copy, because instances start throughout the run, and a build may replace the program meanwhile.
        self.program = os.path.join(self.directory, "combo-consumer")
        shutil.copy2(options.program, self.program)
        self.log_lock = threading.Lock()
        self.log_file = open(os.path.join(self.directory, "chaos.log"), "a", buffering=1)
        self.cluster = Cluster(options.kafka, os.path.join(self.directory, "kafka"), options.port, self.log, self.nodes)
        os.makedirs(self.cluster.directory, exist_ok=True)
        self.wire = self.cluster.wire
        self.instances, self.next_number = [], 0
        self.statics = plan.statics(options.seed)
        self.finds, self.left_out = [], []
        self.steps_done, self.steps_seconds = 0, 0.0
        self.events = []
        self.counts = {}
        # What the rooms of deleted inputs were given.
        self.deleted = {}
        self.feeder = None

    # Logging and waiting

    def log(self, text):
        line = f"{time.strftime('%H:%M:%S', time.gmtime())} +{time.monotonic() - self.began:7.1f} s  {text}"
        with self.log_lock:
            print(line, flush=True)
            self.log_file.write(line + "\n")

    def find(self, text):
        """Records a violation; the run continues, and fails at its end."""
        self.log(f"FOUND: {text}")
        self.finds.append(text)

    def wait(self, what, condition, timeout):
        """Waits until the condition holds; meanwhile handles instances that end by themselves."""
        deadline = time.monotonic() + timeout
        reason = None
        while True:
            try:
                if condition():
                    return
                reason = None
            except KafkaFault as error:
                reason = error
            self.look_after_instances()
            if self.feeder and self.feeder.fault:
                raise Failure(self.feeder.fault)
            if time.monotonic() > deadline:
                raise Failure(f"after {timeout} s still not: {what}" + (f" ({reason})" if reason else ""))
            time.sleep(LOOK_SECONDS)

    def look_after_instances(self):
        for instance in self.instances:
            if not instance.is_running and not instance.is_leaving:
                status = instance.process.returncode
                self.find(f"{instance.name} ended by itself: {describe_exit(status)}. Its last words:\n    "
                          + "\n    ".join([*instance.last_lines(), *instance.crash_stack()]))
                instance.start()

    def input_ends(self):
        """Returns the ends of each input's partitions, as soon as brokers report them."""
        ends = {}

        def has_ends():
            for topic in self.inputs:
                ends[topic] = self.wire.ends(topic)
            return True

        self.wait("the ends of the input are known", has_ends, 90)
        return ends

    def has_committed(self, ends):
        """Returns whether the group has committed everything up to these ends."""
        return all(
            done >= end for topic in ends
            for done, end in zip(self.wire.committed(GROUP, topic, self.inputs[topic]), ends[topic]))

    def has_begun(self):
        """Returns whether the group has committed something of each input."""
        return all(max(self.wire.committed(GROUP, topic, count)) > 0 for topic, count in self.inputs.items())

    def recovered(self, since, what="all that had come by then is committed"):
        """Waits until the group has committed everything in the input; returns the seconds since the fault."""
        ends = self.input_ends()
        self.wait(what, lambda: self.has_committed(ends), self.options.patience)
        return time.monotonic() - since

    # Instances

    def input_options(self):
        return ["--input", INPUT]

    def add_instance(self):
        options = [
            "--http", "none", "--brokers", self.cluster.bootstrap, *self.input_options(), "--output", OUTPUT, "--group", GROUP,
            "--checkpoint-interval-ms", "5000", "--kafka", f"session.timeout.ms={self.options.session_ms}", *self.settings]
        if self.options.delivery:
            options += ["--delivery", self.options.delivery]
        number = self.next_number
        self.next_number += 1
        instance = Instance(number, self.program, options, self.directory, self.statics[number], self.has_several_inputs)
        instance.start()
        self.instances.append(instance)
        return instance

    def victim(self, step):
        return self.instances[step.victim % len(self.instances)]

    def terminate(self, instance):
        status, seconds = instance.terminate()
        if status != 0:
            self.find(f"{instance.name} was told to stop by SIGTERM, and {describe_exit(status)} after {seconds:.1f} s")
            if status is None:
                instance.kill()
        self.log(f"  {instance.name} stopped after {seconds:.1f} s")

    # Steps

    def run_step(self, step):
        time.sleep(step.pause)
        began = time.monotonic()
        told = faults.BY_KIND[step.kind](self, step)
        seconds = self.recovered(began)
        self.log(f"  recovered, {seconds:.1f} s after it began")
        self.events.append((began - self.began, str(step), told, seconds))
        self.count(step.kind)

    def count(self, kind, by=1):
        self.counts[kind] = self.counts.get(kind, 0) + by

    # The run

    def remaining_seconds(self):
        mean = (self.steps_seconds + 3 * STEP_SECONDS) / (self.steps_done + 3)
        left = (len(self.steps) - self.steps_done) * mean
        if self.options.minutes:
            left = min(left, self.options.minutes * 60 - (time.monotonic() - self.faults_began))
        return left

    def run(self):
        options = self.options
        self.steps = plan.draw(
            options.seed, options.kills, options.broker_kills, options.rebalances, options.stalls, options.terms,
            options.freezes, options.full_disks)
        self.mix_name, mix, self.settings = plan.mix(options.seed, options.queue)
        self.log(f"seed {options.seed}; again: {repeat_command(options)}")
        self.log(f"logs: {self.directory}; {len(self.steps)} faults, gifts with {self.mix_name}")
        if options.full_disks:
            why = self.cluster.make_small_disk(SMALL_DISK_NODE, options.disk_megabytes)
            if why:
                self.left_out.append(f"a full disk: {why}")
                self.log(f"LEFT OUT: {self.left_out[-1]}")
        self.cluster.start()
        self.cluster.tool(
            "topics", "--bootstrap-server", self.cluster.bootstrap, "--create", "--topic", INPUT, "--partitions",
            str(PARTITIONS), "--replication-factor", "3", "--config", "min.insync.replicas=2")
        self.log(f"three brokers at {self.cluster.bootstrap}")
        for _ in range(plan.INSTANCES_FIRST):
            self.add_instance()
        self.faults_began = time.monotonic()
        self.feeder = Feeder(
            self.program, self.cluster.bootstrap, INPUT, options.gifts, options.seed, mix, self.directory, self.log,
            self.remaining_seconds)
        self.feeder.start()
        self.wait("gifts come in and are committed", self.has_begun, options.patience)
        for number, step in enumerate(self.steps, 1):
            if options.minutes and time.monotonic() - self.faults_began > options.minutes * 60:
                self.left_out.append(f"the last {len(self.steps) - number + 1} of the faults, as the {options.minutes:g} minutes were over")
                self.log(f"LEFT OUT: {self.left_out[-1]}")
                break
            self.log(f"{number}/{len(self.steps)} {step} ({self.feeder.made} gifts so far)")
            began = time.monotonic()
            self.run_step(step)
            self.steps_done += 1
            self.steps_seconds += time.monotonic() - began
        self.faults_took = time.monotonic() - self.faults_began
        self.gifts_by_then = self.feeder.made
        self.finish()
        return self.judge()

    def finish(self):
        self.log(f"all faults are healed; {self.feeder.made} of {self.options.gifts} gifts so far, the rest comes now")
        self.feeder.hurry()
        self.wait("all gifts are produced", lambda: not self.feeder.is_alive(), 900)
        began = time.monotonic()
        self.recovered(began, "all gifts are committed")
        self.log(f"all gifts are committed, {time.monotonic() - began:.1f} s after the last was produced")
        last = {"ends": None, "since": time.monotonic()}

        def is_quiet():
            ends = self.wire.ends(OUTPUT)
            if ends != last["ends"]:
                last.update(ends=ends, since=time.monotonic())
            return time.monotonic() - last["since"] > QUIET_SECONDS

        self.wait("the rooms have come to rest", is_quiet, 300)
        for instance in self.instances:
            self.terminate(instance)

    def judge(self):
        for _ in range(10):
            try:
                found, _ = self.wire.metadata()
                break
            except KafkaFault as error:
                self.log(f"the brokers do not tell their topics: {error}")
        else:
            raise Failure("the brokers do not tell their topics")
        for topic, partitions in found.items():
            if any(len(replicas) != self.nodes for _, _, replicas in partitions.values()):
                self.find(f"topic {topic} does not have {self.nodes} replicas")
        self.verify(self.inputs)
        self.settle([OUTPUT, *self.inputs, *map(dead_letters, self.inputs)])
        # Readers end if no record arrives, so missing records may only be late: everything is read again, with more patience.
        for patience_ms in (self.reader_ms, 60000):
            self.recounted = Recount(
                self.options.kafka, self.cluster.bootstrap, self.directory, self.options.delivery == "at-least-once", patience_ms)
            made = self.made_by_input()
            is_well = self.recounted.run({topic: dead_letters(topic) for topic in self.inputs}, OUTPUT, self.deleted)
            lost = {topic: self.recounted.records_of.get(topic, 0) for topic in made if self.recounted.records_of.get(topic, 0) < made[topic]}
            if is_well and not lost:
                break
        self.log(self.recounted.summary())
        for fault in self.recounted.faults:
            self.find(f"recount: {fault}")
        if not self.has_several_inputs:
            for line in self.recounted.explain(dead_letters(INPUT), self.cluster.data()):
                self.log(line)
        for topic, count in lost.items():
            self.find(f"only {count} of {made[topic]} gifts are in {topic}: the producer lost some")
        self.figures = Figures(self.directory)
        self.rebalances_seen = self.cluster.count_in_logs(f"Stabilized group {GROUP} generation")
        for line in self.figures.error_lines[:20]:
            self.log(f"an instance logged an error: {line}")
        path = write_record(self)
        self.log(f"the record of this run: {path}")
        return not self.finds

    def made_by_input(self):
        """Returns the number of gifts that brokers have acknowledged, by input."""
        return {INPUT: self.options.gifts}

    def verify(self, inputs):
        """Proves the output of these inputs by the service's own command."""
        began = time.monotonic()
        command = [
            self.program, "verify", "--brokers", self.cluster.bootstrap, "--input", ",".join(inputs), "--output", OUTPUT,
            "--group", GROUP]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900)
        self.verified = done.stdout.strip()
        self.verify_seconds = time.monotonic() - began
        self.log(f"verify, in {self.verify_seconds:.1f} s, exit code {done.returncode}:\n    " + self.verified.replace("\n", "\n    "))
        if done.returncode != 0:
            self.find(f"verify ended with exit code {done.returncode}: {done.stderr.strip()[-2000:]}")
        elif self.verified.count("resets 0") < len(inputs):
            self.find("rooms were reset, though nothing of their state was lost")

    def settle(self, topics):
        """Waits until no transaction is open on the topics to read: a reader would miss the records behind its first one."""
        for topic in topics:
            try:
                self.wait(
                    f"no transaction is open on {topic}",
                    lambda topic=topic: self.wire.ends(topic, READ_COMMITTED) == self.wire.ends(topic), self.options.patience)
            except Failure as failure:
                self.find(str(failure))

    def clean_up(self, is_well):
        if self.feeder:
            self.feeder.stop_all()
        if not is_well:
            self.keep_stacks()
        for instance in self.instances:
            if instance.is_running:
                instance.is_leaving = True
                instance.go_on()
                instance.kill()
        if self.options.kafka:
            self.cluster.stop_all()
        if is_well:
            shutil.rmtree(self.cluster.directory, ignore_errors=True)

    def keep_stacks(self):
        """Writes the stacks of each instance's threads to files, to help to investigate a failure."""
        if not shutil.which("gdb"):
            return
        for instance in self.instances:
            if instance.is_running:
                path = os.path.join(self.directory, f"stacks-{instance.number}.txt")
                with open(path, "wb") as out:
                    try:
                        subprocess.run(
                            ["gdb", "-p", str(instance.process.pid), "-batch", "-ex", "thread apply all bt"], stdout=out,
                            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=60)
                    except subprocess.TimeoutExpired:
                        pass


def repeat_command(options):
    arguments = [f"--seed {options.seed}"]
    for name in ("gifts", "kills", "broker_kills", "rebalances", "stalls", "terms", "freezes", "full_disks", "queue", "session_ms"):
        arguments.append(f"--{name.replace('_', '-')} {getattr(options, name)}")
    if options.minutes:
        arguments.append(f"--minutes {options.minutes:g}")
    if options.delivery:
        arguments.append(f"--delivery {options.delivery}")
    return f"COMBO_TEST_KAFKA={shlex.quote(options.kafka or '')} make chaos ARGS='{' '.join(arguments)}'"


def read_options():
    parser = argparse.ArgumentParser(
        description="Faults drawn from a seed, on three brokers and three instances; then the proof. Needs COMBO_TEST_KAFKA: a"
        " folder with the programs start, stop and tool, and Java 17.")
    number = {"type": int, "metavar": "N"}
    parser.add_argument("--short", action="store_true", help="a run of less than five minutes")
    parser.add_argument("--seed", type=int, help="of all that is drawn; default: another one each time")
    parser.add_argument("--gifts", **number, help="events to produce (1000000; short: 60000)")
    parser.add_argument("--kills", **number, help="SIGKILLs of instances (20; short: 4)")
    parser.add_argument("--broker-kills", **number, help="SIGKILLs of brokers (5; short: 1)")
    parser.add_argument("--rebalances", **number, help="instances added and taken away (10; short: 2)")
    parser.add_argument("--stalls", **number, help="SIGSTOPs of instances, two of three beyond the session's time-out (6; short: 1)")
    parser.add_argument("--terms", **number, help="restarts by SIGTERM (4; short: 1)")
    parser.add_argument("--freezes", **number, help="SIGSTOPs of brokers (4; short: 1)")
    parser.add_argument("--full-disks", **number, help="a broker's disk runs full; needs root (1; short: 0)")
    parser.add_argument("--minutes", type=float, help="no further faults after so long (none; short: 2.5)")
    parser.add_argument("--queue", **number, help="banners that may wait in a room (50; short: 15)")
    parser.add_argument("--session-ms", **number, help="the members' session time-out (10000; short: 6000)")
    parser.add_argument("--delivery", choices=("exactly-once", "at-least-once"), help="default: the service's own")
    parser.add_argument("--patience", type=int, default=180, metavar="S", help="seconds until a recovery counts as a hang (180)")
    parser.add_argument("--program", default=os.path.join(ROOT, ".build/release/combo-consumer"), help="the service")
    parser.add_argument("--directory", help="for logs and data; default: a new one in the temporary folder")
    parser.add_argument("--disk-megabytes", type=int, default=6144, help="size of the disk that runs full")
    parser.add_argument("--port", type=int, help="the first of six ports; default: free ones")
    parser.add_argument("--plan", action="store_true", help="only say which faults the seed gives")
    options = parser.parse_args()
    defaults = {
        "gifts": (1_000_000, 60_000), "kills": (20, 4), "broker_kills": (5, 1), "rebalances": (10, 2), "stalls": (6, 1),
        "terms": (4, 1), "freezes": (4, 1), "full_disks": (1, 0), "minutes": (None, 2.5), "queue": (50, 15), "session_ms": (10_000, 6000)}
    for name, (long, short) in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, short if options.short else long)
    if options.seed is None:
        options.seed = int.from_bytes(os.urandom(4), "big")
    options.kafka = os.environ.get("COMBO_TEST_KAFKA")
    return options


def main():
    options = read_options()
    if options.plan:
        for number, step in enumerate(
                plan.draw(options.seed, options.kills, options.broker_kills, options.rebalances, options.stalls, options.terms,
                          options.freezes, options.full_disks), 1):
            print(f"{number:3} {step}")
        return 0
    if not options.kafka or not all(os.access(os.path.join(options.kafka, name), os.X_OK) for name in ("start", "stop", "tool")):
        print("chaos: set COMBO_TEST_KAFKA to a folder with the programs start, stop and tool (see CONTRIBUTING.md)", file=sys.stderr)
        return 2
    options.kafka = os.path.abspath(options.kafka)
    if not os.access(options.program, os.X_OK):
        print(f"chaos: there is no {options.program}: make build", file=sys.stderr)
        return 2

    return prove(Chaos(options), "nothing lost, nothing twice", f"; again: {repeat_command(options)}")


def prove(chaos, claim, again=""):
    """Runs a test to its end, whatever happens; returns the exit code."""

    def interrupted(number, frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupted)
    is_well = False
    try:
        is_well = chaos.run()
    except Failure as failure:
        chaos.find(str(failure))
    except KeyboardInterrupt:
        chaos.log("interrupted")
    except Exception:  # noqa: BLE001: whatever it is, the seed and the logs must be told
        chaos.find("the test itself failed:\n" + traceback.format_exc())
    finally:
        chaos.clean_up(is_well)
    if is_well:
        chaos.log(f"proven: {claim}")
        return 0
    for find in chaos.finds:
        chaos.log(f"FAILED: {find}")
    chaos.log(f"seed {chaos.options.seed}; logs: {chaos.directory}{again}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
