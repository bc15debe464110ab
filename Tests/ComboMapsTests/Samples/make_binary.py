#!/usr/bin/env python3
"""Writes gift.desc, and binary.jsonl: records as Confluent's serializers and fastavro write them, with the JSON that must be read.

    pip install 'confluent-kafka[avro,protobuf,schemaregistry]' fastavro
    make_binary.py          (protoc must be installed)
"""

import datetime
import decimal
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import uuid
import zlib

import fastavro
from confluent_kafka.schema_registry import SchemaRegistryClient, header_schema_id_serializer, topic_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

HERE = pathlib.Path(__file__).parent
LINES = []
# Without a strategy, the client requests one from the registry.
STRATEGY = {"subject.name.strategy": topic_subject_name_strategy}


def add(name, record, expected, header=b"", **more):
    LINES.append({"name": name, "record": record.hex(), "header": header.hex(), "json": expected, **more})


def serialize(serializer, value):
    """Returns the record, and the header with the id of its schema."""
    context = SerializationContext("gifts", MessageField.VALUE, [])
    record = serializer(value, context)
    return record, dict(context.headers or []).get("__value_schema_id", b"")


def protobuf(registry):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--proto_path={HERE}", f"--python_out={folder}", HERE / "gift.proto"], check=True)
        sys.path.insert(0, folder)
        import gift_pb2  # made just now

        subprocess.run(
            ["protoc", f"--proto_path={HERE}", "--include_imports", f"--descriptor_set_out={HERE / 'gift.desc'}", HERE / "gift.proto"],
            check=True)
    gift = gift_pb2.Gift(
        room="r1", ts=1700000000000, sender={"id": "u1", "name": "Zoë"}, gift={"id": "rose", "value": 2.5}, count=3, kind=1,
        tags=["a", "b"], hits={"x": -1}, seats={-7: {"id": "s"}}, raw=b"\x00\xff\x10\x80", code=-4, kinds=[1, 0, 5], ends=False)
    gift.at.FromJsonString("2026-11-21T13:00:00.500Z")
    gift.length.FromJsonString("-1.250s")
    gift.level.value = 0
    expected = {
        "room": "r1", "ts": 1700000000000, "sender": {"id": "u1", "name": "Zoë"}, "gift": {"id": "rose", "value": 2.5}, "count": 3,
        "kind": "KIND_ROSE", "tags": ["a", "b"], "hits": {"x": -1}, "seats": {"-7": {"id": "s"}}, "raw": "AP8QgA==",
        "at": "2026-11-21T13:00:00.5Z", "length": "-1.25s", "level": 0, "code": -4, "kinds": ["KIND_ROSE", "KIND_NONE", 5], "ends": False}
    inner = {"id": "rose", "value": 2.5}
    for name, message, want in [("Gift", gift, expected), ("Gift.Item", gift.gift, inner)]:
        kind = type(message)
        record, header = serialize(ProtobufSerializer(kind, registry, dict(STRATEGY)), message)
        add(f"protobuf {name}, prefix", record, want, message=name, framing="confluent")
        record, header = serialize(
            ProtobufSerializer(
                kind, registry, {**STRATEGY, "schema.id.serializer": header_schema_id_serializer}), message)
        assert header, "the serializer named no schema in a header"
        add(f"protobuf {name}, header", record, want, header, message=name, framing="confluent")
        add(f"protobuf {name}, bare", message.SerializeToString(), want, message=name, framing="none")
        # The framing of Apicurio and Glue.
        ref = b"\x0a" + bytes([len(name)]) + name.encode()
        add(f"protobuf {name}, apicurio", b"\0" + (9).to_bytes(8, "big") + bytes([len(ref)]) + ref + message.SerializeToString(), want,
            message=name, framing="apicurio")
        packed = b"\x03\x05" + uuid.UUID(int=9).bytes + zlib.compress(b"\x01" + message.SerializeToString())
        add(f"protobuf {name}, glue with zlib", packed, want, message=name, framing="glue")


GIFT = {
    "type": "record", "name": "Gift", "namespace": "live", "fields": [
        {"name": "room", "type": "string"},
        {"name": "ts", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "sender", "type": {"type": "record", "name": "Person", "fields": [
            {"name": "id", "type": "string"}, {"name": "name", "type": ["null", "string"], "default": None}]}},
        {"name": "receiver", "type": ["null", "Person"]},
        {"name": "gift", "type": {"type": "record", "name": "Item", "fields": [
            {"name": "id", "type": "string"},
            {"name": "value", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}}]}},
        {"name": "count", "type": "int"}]}

ALL = {
    "type": "record", "name": "All", "namespace": "live.more", "fields": [
        {"name": "b", "type": "boolean"}, {"name": "i", "type": "int"}, {"name": "l", "type": "long"}, {"name": "f", "type": "float"},
        {"name": "d", "type": "double"}, {"name": "y", "type": "bytes"}, {"name": "s", "type": "string"},
        {"name": "e", "type": {"type": "enum", "name": "Kind", "symbols": ["NONE", "ROSE"]}},
        {"name": "x", "type": {"type": "fixed", "name": "Four", "size": 4}},
        {"name": "a", "type": {"type": "array", "items": "Kind"}},
        {"name": "m", "type": {"type": "map", "values": ["null", "long"]}},
        {"name": "u", "type": ["null", "long", "string", {"type": "record", "name": "live.Pair", "fields": [
            {"name": "k", "type": "string"}, {"name": "next", "type": ["null", "live.Pair"]}]}]},
        {"name": "n", "type": "null"},
        {"name": "micros", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "price", "type": {"type": "fixed", "name": "Price", "size": 8, "logicalType": "decimal", "precision": 18, "scale": 3}}]}


def avro(registry):
    gift = {
        "room": "r1", "ts": datetime.datetime(2023, 11, 14, 22, 13, 20, tzinfo=datetime.timezone.utc), "sender": {"id": "u1", "name": "Zoë"},
        "receiver": None, "gift": {"id": "rose", "value": decimal.Decimal("2.50")}, "count": 3}
    expected = {
        "room": "r1", "ts": 1700000000000, "sender": {"id": "u1", "name": "Zoë"}, "receiver": None, "gift": {"id": "rose", "value": 2.50},
        "count": 3}
    every = {
        "b": True, "i": -(2**31), "l": 2**63 - 1, "f": 0.5, "d": -1e300, "y": b"\x00\x22\x7f\x80\xff", "s": "\"\n\u2028 玫瑰",
        "e": "ROSE", "x": b"abcd", "a": ["NONE", "ROSE"], "m": {"k": 1, "n": None}, "u": ("live.Pair", {"k": "a", "next": {"k": "b", "next": None}}),
        "n": None, "micros": datetime.datetime(2023, 11, 14, 22, 13, 20, 5, tzinfo=datetime.timezone.utc),
        "id": uuid.UUID("01234567-89ab-cdef-0123-456789abcdef"), "price": decimal.Decimal("-0.125")}
    everything = {
        "b": True, "i": -(2**31), "l": 2**63 - 1, "f": 0.5, "d": -1e300, "y": "\u0000\"\u007f\u0080\u00ff", "s": "\"\n\u2028 玫瑰",
        "e": "ROSE", "x": "abcd", "a": ["NONE", "ROSE"], "m": {"k": 1, "n": None},
        "u": {"live.Pair": {"k": "a", "next": {"k": "b", "next": None}}}, "n": None, "micros": 1700000000000005,
        "id": "01234567-89ab-cdef-0123-456789abcdef", "price": -0.125}
    for name, schema, value, want in [("gift", GIFT, gift, expected), ("all", ALL, every, everything)]:
        text = json.dumps(schema)
        record, _ = serialize(AvroSerializer(registry, text, conf=STRATEGY), value)
        number = int.from_bytes(record[1:5], "big")
        add(f"avro {name}, prefix", record, want, schemas={str(number): schema}, framing="confluent")
        record, header = serialize(AvroSerializer(registry, text, conf={**STRATEGY, "schema.id.serializer": header_schema_id_serializer}), value)
        assert header[0] == 1
        add(f"avro {name}, header", record, want, header, schemas={str(uuid.UUID(bytes=header[1:17])): schema}, framing="confluent")
        out = io.BytesIO()
        fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
        add(f"avro {name}, bare", out.getvalue(), want, schema=schema, framing="none")
        canonical = fastavro.schema.to_parsing_canonical_form(schema)
        mark = bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))
        add(f"avro {name}, single object", b"\xc3\x01" + mark + out.getvalue(), want, schemas=[schema], framing="single-object")
        add(f"avro {name}, apicurio", b"\0" + (9).to_bytes(8, "big") + out.getvalue(), want, schemas={"9": schema}, framing="apicurio")
        add(f"avro {name}, glue", b"\x03\x00" + uuid.UUID(int=9).bytes + out.getvalue(), want, schemas={str(uuid.UUID(int=9)): schema},
            framing="glue")


registry = SchemaRegistryClient.new_client({"url": "mock://"})
protobuf(registry)
avro(registry)
(HERE / "binary.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in LINES))
