"""A second opinion on the output, by other means than `verify`: Kafka's own consumer reads input, output and dead letters,
and what is said of each room is added up and compared with what was given in it. Knows nothing of journal or engine."""

import json
import os
import re
import subprocess

CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
DUMP = "kafka.tools.DumpLogSegments"
KINDS = ("gift", "room_closed", "retract")


class Recount:
    def __init__(self, scripts, bootstrap, directory, repeats_allowed, patience_ms=10000):
        """Creates a recount. A reader ends when no record has arrived for patience_ms."""
        self.scripts, self.bootstrap, self.directory = scripts, bootstrap, directory
        self.repeats_allowed = repeats_allowed
        self.patience_ms = patience_ms
        self.faults = []
        self.without_dead_letter = []
        self.readers = {}
        # The number of records by input.
        self.records_of = {}
        self.records = self.events = self.accepted = self.repeated_ids = 0
        self.instructions = self.repetitions = self.dead_letters = self.epochs = 0
        self.shown = self.skipped = 0

    def run(self, inputs, output_topic, deleted=None):
        """Returns whether everything is correct; `faults` has the deviations.

        `inputs` has the dead-letter topic of each input. `deleted` has what `given` returned for each input that was deleted
        afterwards: its rooms may report fewer gifts than that, but not more, and may have banners left on screen."""
        deleted = deleted or {}
        self._begin(output_topic, headers=True)
        given = {}
        for topic, rooms in deleted.items():
            given.update({(topic, room): count for room, count in rooms.items()})
        for topic, rooms in self.given(inputs).items():
            given.update({(topic, room): count for room, count in rooms.items()})
        said = self._said(output_topic, only_input=next(iter(inputs)) if len(inputs) + len(deleted) == 1 else None, unfinished=deleted)
        for place in given.keys() | said.keys():
            before, after = given.get(place, 0), said.get(place, 0)
            if after > before if place[0] in deleted else after != before:
                self._fault(f"room {place[1]} of {place[0]}: {before} gifts were given, {after} are told")
        return not self.faults

    def given(self, inputs):
        """Returns the number of gifts that each room of each input received. `inputs` has the dead-letter topic of each."""
        for topic, dead_letter_topic in inputs.items():
            self._begin(dead_letter_topic, headers=True)
            self._begin(topic)
        return {topic: self._given(topic, self._dead_letters(letters)) for topic, letters in inputs.items()}

    def explain(self, topic, data):
        """Searches the brokers' files (data: their folders) for dead letters that cannot be read. Returns a line per replica."""
        if not self.without_dead_letter:
            return []
        files = [
            os.path.join(folder, name, file) for folder in data for name in sorted(os.listdir(folder)) if name.startswith(topic + "-")
            for file in sorted(os.listdir(os.path.join(folder, name))) if file.endswith(".log")]
        done = subprocess.run(
            [os.path.join(self.scripts, "tool"), DUMP, "--print-data-log", "--files", ",".join(files)], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=300)
        told, found, replica, batch, unmarked = [], set(), "", b"", {}

        def marked(producer, how):
            told.extend(f"{letter}, {how} behind it" for letter in unmarked.pop(producer, []))

        for line in done.stdout.split(b"\n"):
            if line.startswith(b"Dumping "):
                for producer in list(unmarked):
                    marked(producer, "with no mark")
                replica = "/".join(line.decode().split("/")[-3:-1])
            elif line.startswith(b"baseOffset:"):
                batch = line
            elif line.startswith(b"| offset"):
                producer, epoch = (number.decode() for number in re.findall(rb"producer(?:Id|Epoch): (-?\d+)", batch))
                offset = re.match(rb"\| offset: (\d+)", line)[1].decode()
                marker = re.search(rb"endTxnMarker: (\w+)", line)
                if marker:
                    marked(producer, f"{marker[1].decode()} of epoch {epoch}")
                for place in self.without_dead_letter:
                    if place[2] and line.endswith(b"payload: " + place[2]):
                        found.add(place)
                        unmarked.setdefault(producer, []).append(
                            f"partition {place[0]}, offset {place[1]}: at {offset} of {replica}, producer {producer}, epoch {epoch}")
        for producer in list(unmarked):
            marked(producer, "with no mark")
        return told + [
            f"partition {place[0]}, offset {place[1]}: in no replica of the dead letters" for place in self.without_dead_letter if place not in found]

    def summary(self):
        return (
            f"recount: {self.records} records in, {self.repeated_ids} of them repeats by their id, {self.dead_letters} dead letters;"
            f" gifts given {self.accepted}, shown {self.shown}, skipped {self.skipped}; {self.instructions} instructions in"
            f" {self.epochs} epochs" + (f", {self.repetitions} repeated" if self.repetitions else ""))

    def _fault(self, text):
        if len(self.faults) < 20:
            self.faults.append(text)

    def _begin(self, topic, headers=False):
        """Starts Kafka's consumer, which reads a whole topic into a file."""
        path = os.path.join(self.directory, f"{topic}.txt")
        command = [
            os.path.join(self.scripts, "tool"), CONSUMER, "--bootstrap-server", self.bootstrap, "--topic", topic,
            "--from-beginning", "--isolation-level", "read_committed", "--timeout-ms", str(self.patience_ms)]
        for name in ["print.partition", "print.offset", "print.key"] + (["print.headers"] if headers else []):
            command += ["--formatter-property", f"{name}=true"]
        with open(path, "wb") as out, open(path + ".log", "wb") as log:
            self.readers[topic] = subprocess.Popen(command, stdout=out, stderr=log, stdin=subprocess.DEVNULL)

    def _wait(self, topic):
        """Waits until the reader has ended. Returns its report of the number of records read, or None."""
        self.readers[topic].wait(900)
        with open(os.path.join(self.directory, f"{topic}.txt.log"), errors="replace") as log:
            return re.search(r"Processed a total of (\d+) messages", log.read())

    def _read(self, topic, headers=False):
        """Yields (partition, offset, headers, key, value) of each committed record."""
        path = os.path.join(self.directory, f"{topic}.txt")
        found = self._wait(topic)
        count = 0
        with open(path, "rb") as file:
            for line in file:
                parts = line.rstrip(b"\n").split(b"\t", 4 if headers else 3)
                if len(parts) < (5 if headers else 4) or not parts[0].startswith(b"Partition:"):
                    self._fault(f"{topic}: a line that cannot be read: {line[:200]!r}")
                    continue
                count += 1
                yield (int(parts[0][10:]), int(parts[1][7:]), parts[2] if headers else b"", parts[-2], parts[-1])
        if not found or int(found[1]) != count:
            self._fault(f"{topic}: {count} records were read, but the consumer speaks of {found and found[1]}")
        os.remove(path)

    def _dead_letters(self, topic):
        """Returns partition and offset of each bad record; each must be there once."""
        found = set()
        for _, offset, headers, _, _ in self._read(topic, headers=True):
            where = re.search(rb"combo\.partition:(\d+).*combo\.offset:(\d+)", headers)
            if not where:
                self._fault(f"the dead letter at offset {offset} does not say where it is from: {headers[:200]!r}")
                continue
            place = (int(where[1]), int(where[2]))
            if place in found and not self.repeats_allowed:
                self._fault(f"partition {place[0]}, offset {place[1]} has two dead letters")
            found.add(place)
        self.dead_letters += len(found)
        return found

    def _given(self, topic, dead):
        """Returns the number of gifts that each room received: every id once, running totals by their growth."""
        rooms, ids, totals = {}, {}, {}
        left = set(dead)
        for partition, offset, _, key, value in self._read(topic):
            self.records += 1
            self.records_of[topic] = self.records_of.get(topic, 0) + 1
            if (partition, offset) in dead:
                left.discard((partition, offset))
                continue
            event, bad = self._event(value)
            if bad:
                self.without_dead_letter.append((partition, offset, value))
                self._fault(f"partition {partition}, offset {offset} {bad}, but has no dead letter")
                continue
            self.events += 1
            room = event["room"]
            kind = event.get("type", "gift")
            if kind == "room_closed":
                ids.pop(room, None)
                totals.pop(room, None)
                continue
            if kind != "gift":
                continue
            seen = ids.setdefault(room, set())
            if "id" in event:
                if event["id"] in seen:
                    self.repeated_ids += 1
                    continue
                seen.add(event["id"])
            if "total" in event:
                streak = (event["sender"]["id"], event["gift"]["id"], event["streak"])
                known = totals.setdefault(room, {})
                before = known.get(streak, 0)
                count = max(0, event["total"] - before)
                known[streak] = max(before, event["total"])
            else:
                count = event.get("count", 1)
            self.accepted += count
            rooms[room] = rooms.get(room, 0) + count
        for partition, offset in sorted(left)[:5]:
            self._fault(f"a dead letter names partition {partition}, offset {offset}, where nothing is")
        return rooms

    @staticmethod
    def _event(value):
        """Returns a record's event, and its fault if it has one that `generate` makes, other than its size."""
        try:
            event = json.loads(value)
        except ValueError:
            return None, "is no JSON"
        kind = event.get("type", "gift")
        if kind not in KINDS:
            return event, f"is of the unknown type {kind}"
        if kind != "gift":
            return event, None
        if "sender" not in event:
            return event, "has no sender"
        count = event.get("count", 1)
        if not isinstance(count, int):
            return event, "has a count that is no number"
        if count < 1:
            return event, "has a count below 1"
        return event, "has both count and total" if "count" in event and "total" in event else None

    def _said(self, topic, only_input, unfinished):
        """Returns the number of gifts in the instructions of each room: a pair of its input and its id.
        The header names the input, unless there is only one. Rooms of unfinished inputs may have banners on screen."""
        rooms, state, values = {}, {}, {}
        for partition, offset, headers, key, value in self._read(topic, headers=True):
            said = json.loads(value)
            epoch, seq = said["epoch"], said["seq"]
            named = re.search(rb"combo-input:([^,]+)", headers)
            if only_input is None and not named:
                self._fault(f"the instruction at offset {offset} of partition {partition} does not name its input: {headers[:200]!r}")
                continue
            room = (only_input or named[1].decode(), said["room"])
            where = f"room {room[1]} of {room[0]}, epoch {epoch}, seq {seq} (partition {partition}, offset {offset})"
            if key.decode() != room[1]:
                self._fault(f"{where}: its key is {key!r}")
            if self.repeats_allowed:
                known = values.setdefault((room, epoch, seq), hash(value))
                if known != hash(value):
                    self._fault(f"{where}: said again with other bytes")
            now = state.get(room)
            if now is None or epoch > now["epoch"]:
                if now is not None and now["shown"]:
                    self._fault(f"{where}: a new epoch, but {len(now['shown'])} banners of the last one were never dismissed")
                now = state[room] = {"epoch": epoch, "seq": 0, "at": 0, "shown": {}, "partition": partition}
                self.epochs += 1
            if self.repeats_allowed and (epoch < now["epoch"] or seq <= now["seq"]):
                self.repetitions += 1
                continue
            if epoch < now["epoch"] or seq != now["seq"] + 1:
                self._fault(f"{where}: the one before it was epoch {now['epoch']}, seq {now['seq']}")
                continue
            if said["at"] < now["at"] or partition != now["partition"]:
                self._fault(f"{where}: before it came time {now['at']} in partition {now['partition']}")
            now["seq"], now["at"] = seq, said["at"]
            self.instructions += 1
            told = self._told(said, now["shown"], where)
            if told:
                rooms[room] = rooms.get(room, 0) + told
        for room, now in state.items():
            if now["shown"] and room[0] not in unfinished:
                self._fault(f"room {room[1]} of {room[0]}: {len(now['shown'])} banners were never dismissed")
        return rooms

    def _told(self, said, shown, where):
        """Returns the number of gifts in an instruction that are in none before it."""
        op = said["op"]
        if op == "show":
            if said["banner"] in shown:
                self._fault(f"{where}: banner {said['banner']} is shown twice")
            shown[said["banner"]] = said["count"]
            self.shown += said["count"] - said["base"]
            return said["count"] - said["base"]
        if op == "skip":
            self.skipped += said["count"]
            return said["count"]
        if op in ("update", "dismiss", "move_up") and said["banner"] not in shown:
            self._fault(f"{where}: {op} of banner {said['banner']}, which is not shown")
            return 0
        if op == "update":
            grown = said["count"] - shown[said["banner"]]
            if grown != said["added"]:
                self._fault(f"{where}: it says that {said['added']} were added, but {grown} were")
            shown[said["banner"]] = said["count"]
            self.shown += grown
            return grown
        if op == "dismiss":
            grown = said["count"] - shown.pop(said["banner"])
            if grown and said["reason"] not in ("closed", "retracted"):
                self._fault(f"{where}: {grown} gifts were told only as the banner left")
            self.shown += grown
            return grown
        return 0
