#!/usr/bin/env python3
"""A topic in Avro whose schemas come from a registry, on a real Kafka (COMBO_TEST_KAFKA): they change while the service runs, the registry goes
away and comes back, the service is killed as a schema comes, an id is not known. Then verify proves each gift without the registry.

    Tests/records/registry_test.py [PROGRAM]      PROGRAM: combo-consumer, .build/release/combo-consumer if it is not given

pip install 'confluent-kafka[avro,schemaregistry]'.
"""

import base64
import copy
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import confluent_kafka
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient, topic_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from binary_test import PROGRAM, Group, produce, wait_for  # noqa: E402
import kafka  # noqa: E402

TOPIC = "avro"
LOGIN = "reader:correct horse"
GIFTS = 300
ROOMS = 20


class Registry:
    """A registry with Confluent's interface, which can go away. It uses TLS with a certificate of its own authority."""

    def __init__(self, folder):
        # Whether a login with the right password may not read schemas.
        self.hides = False
        self.ca, key = folder / "registry.crt", folder / "registry.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=registry",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", self.ca], check=True, capture_output=True)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(self.ca, key)
        self.schemas, self.subjects, self.asked, self.server = [], {}, [], None
        self.on_answer = lambda path: None
        self.port = kafka.free_port(31_000)
        self.url = f"https://127.0.0.1:{self.port}"

    def add(self, subject, value):
        if value not in self.schemas:
            self.schemas.append(value)
        number = self.schemas.index(value) + 1
        versions = self.subjects.setdefault(subject, [])
        if number not in versions:
            versions.append(number)
        return number

    def find(self, path):
        parts = path.split("?")[0].strip("/").split("/")
        if parts == ["schemas", "types"]:
            return ["AVRO"]
        if parts[:2] == ["schemas", "ids"] and int(parts[2]) <= len(self.schemas):
            return self.schemas[int(parts[2]) - 1]
        if parts[0] == "subjects" and int(parts[3]) <= len(self.subjects.get(parts[1], [])):
            number = self.subjects[parts[1]][int(parts[3]) - 1]
            return {"subject": parts[1], "version": int(parts[3]), "id": number, **self.schemas[number - 1]}
        return None

    def begin(self):
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def say(self, status, value):
                text = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def do_GET(self):
                if self.headers["Authorization"] != "Basic " + base64.b64encode(LOGIN.encode()).decode():
                    return self.say(401, {"error_code": 401, "message": "who are you?"})
                registry.asked.append(self.path)
                if registry.hides and self.path.startswith("/schemas/ids/"):
                    return self.say(401, {"error_code": 40101, "message": "no right to read schemas"})
                found = registry.find(self.path)
                self.say(200, found) if found else self.say(404, {"error_code": 40403, "message": "Schema not found"})
                registry.on_answer(self.path)

            def do_POST(self):
                value = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                kept = {name: value[name] for name in ("schema", "references") if value.get(name)}
                self.say(200, {"id": registry.add(self.path.split("/")[2], kept), **kept})

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.socket = self.tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()


def record(*fields, **more):
    return json.dumps({"type": "record", "name": "Gift", "namespace": "live", "fields": list(fields), **more})


def field(name, kind, **more):
    return {"name": name, "type": kind, **more}


PERSON = {"type": "record", "name": "Person", "namespace": "live", "fields": [field("id", "string")]}
ITEM = {"type": "record", "name": "Item", "fields": [field("id", "string")]}
ROOM, SENDER, GIFT, COUNT = field("room", "string"), field("sender", PERSON), field("gift", ITEM), field("count", "int")
AMOUNT = field("amount", "int", aliases=["count"])
VERSIONS = {
    "first": record(ROOM, SENDER, GIFT, COUNT),
    "field added": record(field("tags", {"type": "array", "items": "string"}, default=[]), ROOM, SENDER, GIFT, COUNT),
    "renamed with an alias": record(ROOM, SENDER, GIFT, AMOUNT),
    "field removed, one with a default added": record(ROOM, SENDER, GIFT, AMOUNT, field("note", ["null", "string"], default=None)),
    "type in a schema of its own": record(ROOM, field("sender", "live.Person"), GIFT, AMOUNT),
    "while the registry is away": record(ROOM, SENDER, GIFT, AMOUNT, field("level", "long", default=0)),
    "killed as it came": record(ROOM, SENDER, GIFT, AMOUNT, field("medal", "boolean", default=False)),
    "known to another instance": record(ROOM, SENDER, GIFT, AMOUNT, field("fans", {"type": "map", "values": "int"}, default={})),
    "not known": record(ROOM, SENDER, GIFT, AMOUNT, field("late", "string", default="")),
}
MAP = {
    "map": 1, "name": "versions", "rules": [{"event": "gift", "fields": {
        "room": "/room", "sender": {"id": "/sender/id"}, "gift": {"id": "/gift/id"}, "count": ["/amount", "/count"]}}]}


def main():
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    draw = random.Random(seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="combo-registry-"))
    (folder / "login").write_text(LOGIN)
    (folder / "map.json").write_text(json.dumps(MAP))
    registry = Registry(folder)
    registry.begin()
    client = SchemaRegistryClient({"url": registry.url, "ssl.ca.location": str(registry.ca), "basic.auth.user.info": LOGIN})
    client.register_schema("person", Schema(json.dumps(PERSON), "AVRO"))
    broker = kafka.Broker(str(folder))
    port = kafka.free_port(32_000)
    reading = [
        "--map", str(folder / "map.json"), "--schema-registry", f"{registry.url}/", "--schema-registry-ca", str(registry.ca),
        "--schema-registry-auth-file", str(folder / "login")]
    delivery = draw.choice(["exactly-once", "at-least-once"])
    print(f"registry_test: SEED={seed}, {delivery}")
    avro = Group(broker, folder, TOPIC, *reading, "--http", f"127.0.0.1:{port}", "--delivery", delivery)
    sent, second = [], None

    def serializer(name):
        schema = VERSIONS[name]
        if "schema of its own" in name:
            schema = Schema(schema, "AVRO", [SchemaReference("live.Person", "person", 1)])
        return AvroSerializer(client, schema, conf={"subject.name.strategy": topic_subject_name_strategy})

    serializers = {name: serializer(name) for name in VERSIONS}
    context = SerializationContext(TOPIC, MessageField.VALUE)

    def records(name, count=GIFTS, room=None):
        for _ in range(count):
            number = draw.randrange(1, 9)
            value = {
                "room": room or f"r{draw.randrange(ROOMS)}", "sender": {"id": f"u{draw.randrange(9)}"}, "gift": {"id": "rose"},
                "count": number, "amount": number, "tags": ["a"], "note": None, "level": 3, "medal": True, "fans": {}, "late": "x"}
            sent.append(number)
            yield value["room"], serializers[name](value, context)

    def assigned(group):
        return [int(number) for number in re.findall(r"assigned: partitions (.*)", group.text())[-1].split(", ")]

    def produce_to(partition, name):
        producer = confluent_kafka.Producer({"bootstrap.servers": broker.address})
        for room, value in records(name, 20, f"only-{partition}"):
            producer.produce(TOPIC, value, room, partition)
        assert producer.flush(60) == 0

    def ask(path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode()

    def command(*options):
        done = subprocess.run([PROGRAM, *options], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def ready():
        return ask("/health/ready")[0] == 200

    try:
        avro.start()
        # The schema changes while the service runs.
        for name in list(VERSIONS)[:5]:
            produce(broker.address, TOPIC, records(name))
            avro.wait_until_taken()
        asked = [path for path in registry.asked if path.startswith("/schemas/ids/")]
        assert len(asked) == len(set(asked)) == 5, asked
        assert "/subjects/person/versions/1" in registry.asked, registry.asked
        wait_for("readiness", ready)

        # Commands that an operator runs.
        code, text = command("map", *reading[:4], "--brokers", broker.address, "--from-topic", TOPIC, "--last", "1")
        assert code == 1 and "certificate" in text, text
        code, text = avro.run("check", "--output", f"{TOPIC}-out", *reading)
        assert "the schema registry at" in text and f"of \"{TOPIC}\" become events; 0 are dropped and 0 are bad" in text, text
        code, text = command("map", *reading, "--brokers", broker.address, "--from-topic", TOPIC, "--last", "1000")
        assert code == 0 and f": {len(sent)} gift, 0 dropped, 0 bad" in text, text[-2000:]
        code, text = command(
            "map", *reading, "--brokers", broker.address, "--from-topic", TOPIC, "--last", "1000", "--fetch-schemas", str(folder / "schemas"))
        assert code == 0 and "5 schemas in " in text, text
        code, text = command(
            "map", *reading[:2], "--schemas", str(folder / "schemas"), "--brokers", broker.address, "--from-topic", TOPIC, "--last", "1000")
        assert code == 0, text[-2000:]

        # A schema that is too large for a journal does not hide the others.
        symbols = [f"SYMBOL_{number:07}" for number in range(40_000)]
        large = registry.add("large", {"schema": record(field("kind", {"type": "enum", "name": "Kind", "symbols": symbols}), ROOM, SENDER, GIFT, COUNT)})
        (room, good), _ = *records("first", 1), sent.pop()
        broker.create("large", 1)
        produce(broker.address, "large", [(room, good), (room, b"\0" + large.to_bytes(4, "big") + b"\0" + good[5:])])
        code, text = command("map", *reading, "--brokers", broker.address, "--from-topic", "large", "--last", "10")
        assert code == 1 and "1 gift, 0 dropped, 1 bad" in text and f"schema {large}: " in text, text[-2000:]

        # The login may list the kinds of schemas, and not read any.
        registry.hides = True
        code, text = avro.run("check", "--output", f"{TOPIC}-out", *reading)
        assert code == 1 and "which the registry does not give: " in text and "becomes an event" not in text, text
        registry.hides = False

        # The registry goes away. Only the room's partition waits, and the others continue.
        away = list(records("while the registry is away", room="r0"))
        registry.end()
        produce(broker.address, TOPIC, away)
        wait_for("word of the registry", lambda: "could not be fetched" in avro.text())
        wait_for("word that it is not ready", lambda: "has waited for schema" in ask("/health/ready")[1])
        assert re.search(r"^combo_partition_schema_wait_seconds\{.*\} [1-9]", ask("/metrics")[1], re.M)
        produce(broker.address, TOPIC, records("first"))
        avro.wait_until_taken(but=1)
        assert not ready()
        later = list(records("while the registry is away", room="r0"))
        produce(broker.address, TOPIC, later)
        lags = r"^combo_partition_lag_records\{.*\} (\d+)"
        wait_for("the lag of the partition", lambda: max(map(int, re.findall(lags, ask("/metrics")[1], re.M))) >= len(away) + len(later))
        code, text = avro.run("check", "--output", f"{TOPIC}-out", *reading)
        assert code == 1 and "the schema registry cannot be used: " in text and "becomes an event" not in text, text
        registry.begin()
        avro.wait_until_taken()
        wait_for("readiness", ready)

        # The service is killed as it receives a schema.
        coming = list(records("killed as it came"))
        registry.on_answer = lambda path: avro.process.kill()
        produce(broker.address, TOPIC, coming)
        avro.process.wait(120)
        registry.on_answer = lambda path: None
        avro.start()
        avro.wait_until_taken()

        # Another instance knows the schema already, and the registry is away.
        second = copy.copy(avro)
        second.log, second.options = folder / "second.log", avro.options + ["--instance", "second", "--http", "none"]
        second.start(2)
        wait_for("two members", lambda: len(assigned(avro)) == len(assigned(second)) == 2)
        produce_to(assigned(avro)[0], "known to another instance")
        avro.wait_until_taken()
        registry.end()
        produce_to(assigned(second)[0], "known to another instance")
        avro.wait_until_taken()
        assert not re.search("warning (schema|records with schema)", second.text()), second.text()
        registry.begin()
        second.end(signal.SIGTERM)

        # An id that the registry does not know, and a schema of an unusable type that is replaced later.
        late = list(records("not known"))
        registry.schemas[-1], kept = {"schema": '"string"', "schemaType": "JSON"}, registry.schemas[-1]
        unknown = [(room, value[:1] + (999).to_bytes(4, "big") + value[5:]) for room, value in records("first", 10)]
        sent[-10:] = []
        produce(broker.address, TOPIC, late + unknown)
        avro.wait_until_taken()
        wait_for("readiness", ready)
        number = len(registry.schemas)
        code, text = avro.run("redrive")
        assert f"schema is {number}, which is not used: the registry has it as JSON" in text, text
        assert "schema is 999, which is not used: the registry does not know it" in text, text
        registry.schemas[-1] = kept
        before = avro.text().count("asked for again")
        avro.process.send_signal(signal.SIGHUP)
        wait_for("word that refused schemas are asked for again", lambda: avro.text().count("asked for again") > before)
        code, text = avro.run("redrive", "--yes", "--reason", f"schema is {number},")
        assert code == 0 and f"{GIFTS} were sent back" in text, text
        avro.wait_until_taken()

        # Every schema that was ever known stays known.
        last = [one for name in VERSIONS for one in records(name, 20)]
        registry.end()
        avro.end(signal.SIGKILL)
        avro.start()
        produce(broker.address, TOPIC, last)
        avro.wait_until_taken()
        gifts = avro.proof()
        assert gifts == sum(sent), f"{gifts} gifts are proven, {sum(sent)} were sent"
        print(f"registry_test: {len(sent)} records by {len(VERSIONS)} schemas: each gift is proven once, without the registry")
    finally:
        for group in [avro, second] if second else [avro]:
            if group.process and group.process.poll() is None:
                group.process.kill()
            if sys.exc_info()[0]:
                print(group.text()[-12000:], file=sys.stderr)
        broker.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
