#!/usr/bin/env python3
"""Topics in Protobuf and Avro as Confluent's serializers write them, on a real Kafka (COMBO_TEST_KAFKA), with a kill, a schema that
changes, and dead letters that are sent again; verify then proves the output without the files.

    Tests/records/binary_test.py [PROGRAM]      PROGRAM: combo-consumer, .build/release/combo-consumer if it is not given

pip install 'confluent-kafka[avro,protobuf,schemaregistry]'; protoc must be installed (Debian: protobuf-compiler libprotobuf-dev).
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import confluent_kafka
from confluent_kafka.schema_registry import SchemaRegistryClient, topic_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "Tests/ComboMapsTests/Samples"
sys.path.insert(0, str(ROOT / "bench"))
import kafka  # noqa: E402

PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/release/combo-consumer").resolve()
GIFTS = 3000
ROOMS = 20


def wait_for(what, condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"binary_test: no {what} within {seconds} s")
        time.sleep(0.1)


class Group:
    """A service on one topic."""

    def __init__(self, broker, folder, name, *options):
        self.broker, self.name, self.options = broker, name, [str(one) for one in options]
        self.log = folder / f"{name}.log"
        for topic in (name, f"{name}-out"):
            broker.create(topic, 4)
        self.topics = ["--brokers", broker.address, "--group", name, "--input", name]
        self.process = None

    def start(self, partitions=4):
        ready = self.text().count("restored: ") + self.text().count("new: ")
        self.process = subprocess.Popen(
            [PROGRAM, "run", *self.topics, "--output", f"{self.name}-out", "--http", "none", "--linger-ms", "600",
             "--busy-linger-ms", "300", "--max-queue", "4", *self.options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.log, "a"))
        wait_for("restored partition", lambda: self.text().count("restored: ") + self.text().count("new: ") >= ready + partitions)

    def text(self):
        return self.log.read_text() if self.log.exists() else ""

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait(60)

    def run(self, command, *options):
        done = subprocess.run([PROGRAM, command, *self.topics, *options], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def wait_until_taken(self, but=0):
        """Waits until no record of the input is left, except in `but` partitions."""
        consumer = confluent_kafka.Consumer({
            "bootstrap.servers": self.broker.address, "group.id": self.name, "enable.auto.commit": False,
            "enable.partition.eof": True})
        parts = [confluent_kafka.TopicPartition(self.name, number) for number in range(4)]

        def is_left(part):
            end = consumer.get_watermark_offsets(part)[1]
            if part.offset >= end:
                return False
            # The last offset may be the end of a transaction, such as redrive's. That is no record, so no commit goes beyond it.
            part.offset = max(0, part.offset)
            consumer.assign([part])
            message = consumer.poll(30)
            return not message or not message.error() or message.error().code() != confluent_kafka.KafkaError._PARTITION_EOF

        wait_for("end of the backlog", lambda: sum(map(is_left, consumer.committed(parts))) <= but)
        consumer.close()

    def proof(self):
        """Returns the number of gifts that verify proves, once all rooms have come to rest."""
        def is_over():
            self.verdict = self.run("verify", "--output", f"{self.name}-out")
            return "not over yet" not in self.verdict[1]

        wait_for("end of all banners", is_over)
        self.end(signal.SIGTERM)
        code, text = self.run("verify", "--output", f"{self.name}-out")
        assert code == 0, text
        return int(re.search(r"([\d,]+) gifts", text)[1].replace(",", ""))


def produce(address, topic, values):
    """Produces serialized values, with the room as key. `values`: (room, value)."""
    producer = confluent_kafka.Producer({"bootstrap.servers": address, "linger.ms": 20})
    for room, value in values:
        producer.produce(topic, value, room)
        producer.poll(0)
    assert producer.flush(60) == 0


def main():
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    print(f"binary_test: SEED={seed}")
    draw = random.Random(seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="combo-binary-"))
    registry = SchemaRegistryClient.new_client({"url": "mock://"})
    strategy = {"subject.name.strategy": topic_subject_name_strategy}
    broker = kafka.Broker(str(folder))
    groups = []
    try:
        # Protobuf: the map has the field numbers.
        subprocess.run(["protoc", f"--proto_path={SAMPLES}", f"--python_out={folder}", SAMPLES / "gift.proto"], check=True)
        sys.path.insert(0, str(folder))
        import gift_pb2

        text = subprocess.run(
            [PROGRAM, "map", "--proto", SAMPLES / "gift.proto", "--message", "live.Gift", "--framing", "confluent"], check=True,
            capture_output=True, text=True).stdout
        (folder / "gift.map.json").write_text(text)
        serializer = ProtobufSerializer(gift_pb2.Gift, registry, strategy)

        def messages(count):
            for _ in range(count):
                room = f"r{draw.randrange(ROOMS)}"
                gift = gift_pb2.Gift(
                    room=room, sender={"id": f"u{draw.randrange(9)}", "name": "Zoë"}, gift={"id": "rose", "value": 1.5},
                    count=draw.randrange(1, 9))
                sent.append(gift.count)
                yield room, serializer(gift, SerializationContext("proto", MessageField.VALUE))

        sent = []
        proto = Group(broker, folder, "proto", "--map", folder / "gift.map.json")
        groups.append(proto)
        proto.start()
        produce(broker.address, "proto", messages(GIFTS))
        proto.end(signal.SIGKILL)
        produce(broker.address, "proto", messages(GIFTS))
        proto.start()
        proto.wait_until_taken()
        (folder / "gift.map.json").unlink()
        gifts = proto.proof()
        assert gifts == sum(sent), f"{gifts} gifts are proven, {sum(sent)} were sent"

        # Avro: the schema changes while the service runs.
        person = {"type": "record", "name": "Person", "fields": [{"name": "id", "type": "string"}]}
        item = {"type": "record", "name": "Item", "fields": [
            {"name": "id", "type": "string"}, {"name": "value", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}}]}
        fields = [{"name": "sender", "type": person}, {"name": "gift", "type": item}, {"name": "count", "type": "int"}]
        first = {"type": "record", "name": "Gift", "fields": [{"name": "room", "type": "string"}, *fields]}
        second = {"type": "record", "name": "Gift", "fields": [
            {"name": "tags", "type": {"type": "array", "items": "string"}, "default": []}, *fields,
            {"name": "room", "type": "string"}, {"name": "note", "type": ["null", "string"], "default": None}]}
        serializers = [AvroSerializer(registry, json.dumps(one), conf=strategy) for one in (first, second)]
        context = SerializationContext("avro", MessageField.VALUE)

        def records(count, version):
            import decimal
            for _ in range(count):
                room = f"r{draw.randrange(ROOMS)}"
                value = {
                    "room": room, "sender": {"id": f"u{draw.randrange(9)}"}, "gift": {"id": "rose", "value": decimal.Decimal("1.50")},
                    "count": draw.randrange(1, 9), "tags": ["a"] * draw.randrange(3), "note": None}
                sent.append(value["count"])
                yield room, serializers[version](value, context)

        sent = []
        one, two = list(records(GIFTS, 0)), list(records(GIFTS, 1))
        ids = [int.from_bytes(records_[0][1][1:5], "big") for records_ in (one, two)]
        schemas = folder / "schemas"
        schemas.mkdir()
        (schemas / f"{ids[0]}.avsc").write_text(json.dumps(first))
        avro = Group(broker, folder, "avro", "--schemas", schemas)
        groups.append(avro)
        avro.start()
        produce(broker.address, "avro", one)
        produce(broker.address, "avro", two)
        avro.wait_until_taken()
        code, text = avro.run("redrive")
        assert "schema is" in text, text
        (schemas / f"{ids[1]}.avsc").write_text(json.dumps(second))
        before = avro.text().count("restored: ")
        avro.process.send_signal(signal.SIGHUP)
        wait_for("fresh start with the new schema", lambda: avro.text().count("restored: ") >= before + 4)
        avro.end(signal.SIGKILL)
        avro.start()
        code, text = avro.run("redrive", "--yes", "--reason", f"schema is {ids[1]}")
        assert code == 0 and f"{GIFTS} were sent back" in text, text
        avro.wait_until_taken()
        shutil.rmtree(schemas)
        gifts = avro.proof()
        assert gifts == sum(sent), f"{gifts} gifts are proven, {sum(sent)} were sent"
        print(f"binary_test: {2 * GIFTS} records in Protobuf and {2 * GIFTS} in Avro by two schemas, a kill each: each gift is proven once")
    finally:
        for group in groups:
            if group.process and group.process.poll() is None:
                group.process.kill()
            if sys.exc_info()[0]:
                print(group.text()[-4000:], file=sys.stderr)
        broker.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
