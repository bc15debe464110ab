#!/usr/bin/env python3
"""Passes display instructions from the output topic on to an MQTT broker, for many viewers.

    bridge.py --brokers kafka:9092 --output banners --mqtt localhost:1883 [--group mqtt-bridge]

Each instruction is published to rooms/ID, with the id percent-encoded. A `screen` is published as a retained message, so that a viewer
who subscribes later begins with it; an empty one removes it. Viewers feed what they get to a client (docs/client.md), in order.

Offsets are committed after MQTT has taken the messages: after a crash some come twice, and clients ignore them.
Debian: python3-confluent-kafka python3-paho-mqtt.
"""

import argparse
import json
import queue
import signal
import sys
from urllib.parse import quote

import confluent_kafka
import paho.mqtt.client as mqtt

# The maximum number of messages that wait for MQTT's acknowledgement.
WAITING_MAX = 10_000


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--brokers", required=True)
    options.add_argument("--output", required=True)
    options.add_argument("--mqtt", default="localhost:1883")
    options.add_argument("--group", default="mqtt-bridge")
    chosen = options.parse_args()

    host, _, port = chosen.mqtt.rpartition(":")
    publisher = mqtt.Client(client_id=chosen.group, clean_session=True)
    publisher.max_inflight_messages_set(1000)
    publisher.connect(host or "localhost", int(port))
    publisher.loop_start()

    consumer = confluent_kafka.Consumer({
        "bootstrap.servers": chosen.brokers, "group.id": chosen.group, "auto.offset.reset": "latest",
        # Instructions of aborted transactions do not count.
        "isolation.level": "read_committed", "enable.auto.commit": False,
    })
    consumer.subscribe([chosen.output], on_assign=lambda *_: print("bridge: partitions are assigned", flush=True))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    waiting = queue.Queue()
    try:
        while True:
            for record in consumer.consume(500, 0.1):
                if record.error():
                    print(f"bridge: {record.error()}", file=sys.stderr, flush=True)
                elif record.value() is not None:
                    for message in publish(publisher, record):
                        waiting.put((message, record))
            settle(consumer, waiting)
    finally:
        settle(consumer, waiting, 0)
        consumer.close()
        publisher.loop_stop()
        publisher.disconnect()


def publish(publisher, record):
    """Publishes one record; returns the messages that MQTT must acknowledge."""
    topic = f"rooms/{quote(record.key().decode(), safe='')}"
    text = record.value()
    if b'"op":"screen"' not in text:
        return [publisher.publish(topic, text, qos=1)]
    if json.loads(text).get("banners") == []:
        # Current viewers must get it; later ones need not.
        return [publisher.publish(topic, text, qos=1), publisher.publish(topic, b"", qos=1, retain=True)]
    return [publisher.publish(topic, text, qos=1, retain=True)]


def settle(consumer, waiting, most=WAITING_MAX):
    """Commits after the acknowledged messages; waits while more than `most` are not acknowledged."""
    done = {}
    while not waiting.empty() and (waiting.queue[0][0].is_published() or waiting.qsize() > most):
        message, record = waiting.get()
        message.wait_for_publish()
        done[record.partition()] = record
    if done:
        consumer.commit(offsets=[confluent_kafka.TopicPartition(one.topic(), one.partition(), one.offset() + 1) for one in done.values()],
                        asynchronous=False)


if __name__ == "__main__":
    main()
