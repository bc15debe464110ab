#!/usr/bin/env python3
"""Examples/mqtt-bridge with mosquitto and a real Kafka (COMBO_TEST_KAFKA): what viewers get through it.

    Tests/fanout/mqtt_test.py [PROGRAM]      PROGRAM: combo-consumer, .build/release/combo-consumer if it is not given

Debian: mosquitto python3-confluent-kafka python3-paho-mqtt. Run it with Debian's own /usr/bin/python3.
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import confluent_kafka
import paho.mqtt.client as mqtt

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "Tests/Clients"))
import kafka  # noqa: E402
import reference  # noqa: E402

VIEWERS = 10
ROOMS = 3


class Viewer:
    """A viewer of every room, with the reference client."""

    def __init__(self, port):
        self.client, self.got, self.kept = reference.Client(), {}, 0
        self.lock = threading.Lock()
        self.mqtt = mqtt.Client(clean_session=True)
        self.mqtt.on_connect = lambda client, *_: client.subscribe("rooms/+", qos=1)
        self.subscribed = threading.Event()
        self.mqtt.on_subscribe = lambda *_: self.subscribed.set()
        self.mqtt.on_message = self.take
        self.mqtt.connect("127.0.0.1", port)
        self.mqtt.loop_start()
        assert self.subscribed.wait(30), "mosquitto does not answer"

    def take(self, _client, _data, message):
        if message.payload == b"":
            return
        with self.lock:
            text = message.payload.decode()
            self.client.take(f"instruction {text}")
            self.kept += message.retain
            if not message.retain:
                self.got.setdefault(json.loads(text)["room"], []).append(text)

    def stop(self):
        self.mqtt.disconnect()
        self.mqtt.loop_stop()

    def screens(self):
        with self.lock:
            return {name: room.screen() for name, room in self.client.rooms.items()}


def wait_for(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.1)
    raise SystemExit(f"FAILED: {what} did not come within {seconds} s")


def said(broker, topic):
    """Returns the topic's committed records by room."""
    consumer = confluent_kafka.Consumer({"bootstrap.servers": broker, "group.id": "mqtt-test", "isolation.level": "read_committed",
                                         "enable.partition.eof": True})
    partitions = consumer.list_topics(topic, 30).topics[topic].partitions
    consumer.assign([confluent_kafka.TopicPartition(topic, one, confluent_kafka.OFFSET_BEGINNING) for one in partitions])
    found, ended = {}, set()
    while len(ended) < len(partitions):
        record = consumer.poll(30)
        assert record is not None, "the topic cannot be read"
        if record.error():
            ended.add(record.partition())
        else:
            found.setdefault(record.key().decode(), []).append(record.value().decode())
    consumer.close()
    return found


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / ".build/release/combo-consumer")
    if not os.environ.get("COMBO_TEST_KAFKA"):
        raise SystemExit("SKIPPED: COMBO_TEST_KAFKA names no Kafka")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="combo-mqtt-"))
    port = kafka.free_port(21_883)
    (folder / "mosquitto.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n")
    broker = kafka.Broker(str(folder))
    processes, viewers = [], []

    def start(*command):
        log = open(folder / f"{len(processes)}.log", "w", encoding="utf-8")
        processes.append(subprocess.Popen([str(one) for one in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        return folder / f"{len(processes) - 1}.log"

    try:
        broker.create("gifts", 4)
        broker.create("banners", 4)
        start(shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", folder / "mosquitto.conf")

        def answers():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        wait_for("mosquitto", answers)
        log = start(sys.executable, ROOT / "Examples/mqtt-bridge/bridge.py", "--brokers", broker.address, "--output", "banners",
                    "--mqtt", f"127.0.0.1:{port}")
        wait_for("the bridge", lambda: "assigned" in log.read_text())
        start(program, "run", "--brokers", broker.address, "--input", "gifts", "--output", "banners", "--http", "none", "--screen-ms", "1000")
        viewers += [Viewer(port) for _ in range(VIEWERS)]
        subprocess.run([program, "generate", "--brokers", broker.address, "--topic", "gifts", "--rooms", str(ROOMS), "--rate", "60",
                        "--seconds", "8"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Some viewers join while banners are still on screen: they begin with the retained screens.
        wait_for("a retained screen", lambda: viewers[0].screens() and all(viewers[0].screens().values()))
        late = [Viewer(port) for _ in range(VIEWERS)]
        wait_for("the retained screens", lambda: all(one.kept > 0 and any(one.screens().values()) for one in late))
        viewers += late
        wait_for("the end", lambda: all(len(one.screens()) == ROOMS and not any(one.screens().values()) for one in viewers))
        time.sleep(2)
        truth = said(broker.address, "banners")
        assert len(truth) == ROOMS, f"{len(truth)} rooms"
        for viewer in viewers[:VIEWERS]:
            assert viewer.got == truth, "what viewers got is not what the topic has"
            assert all(room.is_known for room in viewer.client.rooms.values())
        for viewer in late:
            assert all(truth[room][-len(texts):] == texts for room, texts in viewer.got.items()), "a viewer who came later missed something"
        count = sum(map(len, truth.values()))
        print(f"{VIEWERS} viewers through mosquitto got all {count} instructions of {ROOMS} rooms, in order; {VIEWERS} that came later began "
              f"with retained screens, and got all from then on")
    finally:
        for viewer in viewers:
            viewer.stop()
        for process in reversed(processes):
            process.send_signal(signal.SIGTERM)
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        broker.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
