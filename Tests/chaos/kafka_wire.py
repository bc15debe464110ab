"""The few requests of Kafka's protocol that the chaos test asks brokers with: who leads, who coordinates, where a partition
ends, what a group has committed. Each opens a connection of its own, so that no fault of a broker outlives the question."""

import socket
import struct

METADATA, FIND_COORDINATOR, LIST_OFFSETS, OFFSET_FETCH = 3, 10, 2, 9
READ_COMMITTED, READ_UNCOMMITTED = 1, 0


class KafkaFault(Exception):
    """A broker could not be reached, or answered with an error; the request may be repeated."""


class _Writer:
    def __init__(self):
        self.bytes = bytearray()

    def number(self, kind, value):
        self.bytes += struct.pack(">" + kind, value)
        return self

    def text(self, value):
        data = value.encode()
        return self.number("h", len(data)).raw(data)

    def raw(self, data):
        self.bytes += data
        return self


class _Reader:
    def __init__(self, data):
        self.data, self.place = data, 0

    def number(self, kind):
        size = struct.calcsize(">" + kind)
        value = struct.unpack_from(">" + kind, self.data, self.place)[0]
        self.place += size
        return value

    def text(self):
        size = self.number("h")
        if size < 0:
            return None
        self.place += size
        return self.data[self.place - size:self.place].decode("utf-8", "replace")

    def list(self, each):
        return [each() for _ in range(max(0, self.number("i")))]


class Wire:
    """Sends requests to the brokers of one cluster. `is_asked(node)` returns whether requests may go to a node."""

    def __init__(self, addresses, timeout=3.0):
        self.addresses = addresses
        self.timeout = timeout
        self.is_asked = lambda node: True

    def _ask(self, node, api, version, body):
        host, port = self.addresses[node]
        try:
            with socket.create_connection((host, port), self.timeout) as link:
                link.settimeout(self.timeout)
                head = struct.pack(">hhi", api, version, 1) + struct.pack(">h", 5) + b"chaos"
                link.sendall(struct.pack(">i", len(head) + len(body)) + head + body)
                size = struct.unpack(">i", self._exactly(link, 4))[0]
                reader = _Reader(self._exactly(link, size))
                reader.number("i")
                return reader
        except OSError as error:
            raise KafkaFault(f"broker {node}: {error}") from error

    @staticmethod
    def _exactly(link, size):
        data = bytearray()
        while len(data) < size:
            piece = link.recv(size - len(data))
            if not piece:
                raise KafkaFault("the broker closed the connection")
            data += piece
        return bytes(data)

    def _ask_any(self, api, version, body):
        fault = KafkaFault("no broker may be asked")
        for node in range(len(self.addresses)):
            if not self.is_asked(node):
                continue
            try:
                return self._ask(node, api, version, body)
            except KafkaFault as error:
                fault = error
        raise fault

    def metadata(self, topics=None):
        """Returns {topic: {partition: (leader, in-sync replicas, replicas)}}, and the nodes that are alive for the cluster."""
        body = _Writer()
        body.number("i", -1 if topics is None else len(topics))
        for topic in topics or []:
            body.text(topic)
        reader = self._ask_any(METADATA, 7, body.number("b", 0).bytes)
        reader.number("i")
        nodes = []

        def broker():
            nodes.append(reader.number("i"))
            reader.text(), reader.number("i"), reader.text()

        reader.list(broker)
        reader.text(), reader.number("i")
        found = {}

        def partition():
            reader.number("h")
            index, leader = reader.number("i"), reader.number("i")
            reader.number("i")
            replicas = reader.list(lambda: reader.number("i"))
            in_sync = reader.list(lambda: reader.number("i"))
            reader.list(lambda: reader.number("i"))
            return index, (leader, in_sync, replicas)

        def topic():
            error, name = reader.number("h"), reader.text()
            reader.number("b")
            partitions = dict(reader.list(partition))
            if error == 0:
                found[name] = partitions

        reader.list(topic)
        return found, nodes

    def coordinator(self, key, of_transactions=False):
        """Returns the node that coordinates a group, or a transactional id."""
        body = _Writer().text(key).number("b", 1 if of_transactions else 0).bytes
        reader = self._ask_any(FIND_COORDINATOR, 2, body)
        reader.number("i")
        error = reader.number("h")
        reader.text()
        node = reader.number("i")
        if error != 0:
            raise KafkaFault(f"no coordinator of {key} (error {error})")
        return node

    def ends(self, topic, isolation=READ_UNCOMMITTED):
        """Returns the end offset of each partition, in order."""
        found, _ = self.metadata([topic])
        if not found.get(topic):
            raise KafkaFault(f"there is no topic {topic} yet")
        by_leader = {}
        for index, (leader, _, _) in found[topic].items():
            if leader < 0 or not self.is_asked(leader):
                raise KafkaFault(f"{topic}/{index} has no leader that answers")
            by_leader.setdefault(leader, []).append(index)
        ends = {}
        for leader, indexes in by_leader.items():
            body = _Writer().number("i", -1).number("b", isolation).number("i", 1).text(topic).number("i", len(indexes))
            for index in indexes:
                body.number("i", index).number("i", -1).number("q", -1)
            reader = self._ask(leader, LIST_OFFSETS, 4, body.bytes)
            reader.number("i"), reader.number("i"), reader.text()
            for _ in range(reader.number("i")):
                index, error = reader.number("i"), reader.number("h")
                reader.number("q")
                ends[index] = reader.number("q")
                reader.number("i")
                if error != 0:
                    raise KafkaFault(f"no end of {topic}/{index} (error {error})")
        return [ends[index] for index in sorted(ends)]

    def committed(self, group, topic, partitions):
        """Returns the group's committed offset of each partition, in order; -1 if there is none."""
        node = self.coordinator(group)
        if not self.is_asked(node):
            raise KafkaFault(f"the coordinator of {group} does not answer")
        body = _Writer().text(group).number("i", 1).text(topic).number("i", partitions)
        for index in range(partitions):
            body.number("i", index)
        reader = self._ask(node, OFFSET_FETCH, 5, body.bytes)
        reader.number("i")
        offsets = {}
        for _ in range(reader.number("i")):
            reader.text()
            for _ in range(reader.number("i")):
                index, offset = reader.number("i"), reader.number("q")
                reader.number("i"), reader.text()
                if reader.number("h") == 0:
                    offsets[index] = offset
        error = reader.number("h")
        if error != 0 or len(offsets) < partitions:
            raise KafkaFault(f"no offsets of {group} (error {error})")
        return [offsets[index] for index in range(partitions)]
