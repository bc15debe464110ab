"""Brokers on this machine, and what can happen to them."""

import os
import shutil
import signal
import socket
import subprocess
import time

from kafka_wire import KafkaFault, Wire

NODES = 3
KAFKA_EXTRA = "group.min.session.timeout.ms=3000"


class Cluster:
    """Brokers started by the programs `start`, `stop` and `tool` of a folder; keeps their data and logs in `directory`."""

    def __init__(self, scripts, directory, port, log, nodes=NODES):
        self.scripts, self.directory, self.log, self.nodes = scripts, directory, log, nodes
        self.port = port or self._free_port()
        self.bootstrap = ",".join(f"127.0.0.1:{self.port + 2 * node}" for node in range(nodes))
        self.wire = Wire([("127.0.0.1", self.port + 2 * node) for node in range(nodes)])
        self.away = set()
        self.wire.is_asked = lambda node: node not in self.away
        self.starts = 0
        self.small_disk = None
        self.filler = None

    @staticmethod
    def _free_port():
        """Returns the first of `2 * NODES` consecutive free ports."""
        for base in range(24000, 30000, 10):
            sockets = []
            try:
                for offset in range(2 * NODES):
                    link = socket.socket()
                    sockets.append(link)
                    link.bind(("127.0.0.1", base + offset))
                return base
            except OSError:
                continue
            finally:
                for link in sockets:
                    link.close()
        raise SystemExit("chaos: no six free ports in a row between 24000 and 30000: name some with --port")

    # Starting and stopping

    def start(self, timeout=120):
        """Starts the nodes that do not run. Keeps the old log of each."""
        self.starts += 1
        for node in range(self.nodes):
            path = os.path.join(self.directory, f"{node}.log")
            if not self.is_running(node) and os.path.exists(path):
                os.rename(path, os.path.join(self.directory, f"{node}.log.{self.starts}"))
        environment = dict(os.environ, KAFKA_EXTRA=KAFKA_EXTRA)
        environment.setdefault("KAFKA_HEAP", "512m")
        # On a busy machine, a killed node may take longer than `start` waits; another call continues to wait.
        for _ in range(3):
            try:
                done = subprocess.run(
                    [os.path.join(self.scripts, "start"), self.directory, str(self.nodes), str(self.port)],
                    env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout)
            except subprocess.TimeoutExpired:
                said = f"not within {timeout} s"
                continue
            if done.returncode == 0:
                return
            said = done.stderr.strip()[-2000:]
        raise RuntimeError(f"the brokers did not start: {said}")

    def stop_all(self):
        """Ends all nodes, whatever their state, and unmounts the small disk."""
        for node in range(self.nodes):
            pid = self.pid(node)
            if pid and self.is_running(node):
                os.kill(pid, signal.SIGCONT)
        subprocess.run(
            [os.path.join(self.scripts, "stop"), self.directory, "all", "KILL"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        if self.small_disk:
            for _ in range(20):
                if subprocess.run(["umount", self.small_disk], stderr=subprocess.DEVNULL).returncode == 0:
                    break
                time.sleep(0.5)

    def tool(self, *arguments):
        """Runs one of Kafka's own tools and returns its output."""
        done = subprocess.run(
            [os.path.join(self.scripts, "tool"), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"tool {' '.join(arguments)}: {done.stderr.strip()}{done.stdout.strip()}")
        return done.stdout

    # Nodes

    def data(self):
        """Returns each node's folder of partitions."""
        return [path for path in (os.path.join(self.directory, f"data-{node}") for node in range(self.nodes)) if os.path.isdir(path)]

    def pid(self, node):
        try:
            with open(os.path.join(self.directory, f"{node}.pid")) as file:
                return int(file.read())
        except (OSError, ValueError):
            return None

    def is_running(self, node):
        pid = self.pid(node)
        if not pid:
            return False
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
        except OSError:
            return False

    def kill(self, node):
        self.away.add(node)
        subprocess.run([os.path.join(self.scripts, "stop"), self.directory, str(node), "KILL"], check=True)

    def freeze(self, node):
        self.away.add(node)
        os.kill(self.pid(node), signal.SIGSTOP)

    def thaw(self, node):
        os.kill(self.pid(node), signal.SIGCONT)
        self.away.discard(node)

    def bring_back(self, node):
        """Starts a node that has ended; returns once it answers."""
        self.start()
        self.away.discard(node)

    def has_moved_from(self, node):
        """Returns whether the node is no longer the leader of any partition."""
        found, nodes = self.wire.metadata()
        return node not in nodes and all(
            leader not in (node, -1) for partitions in found.values() for leader, _, _ in partitions.values())

    def is_in_sync(self):
        """Returns whether every replica of every partition is in sync."""
        found, _ = self.wire.metadata()
        return bool(found) and all(
            leader >= 0 and len(in_sync) == len(replicas)
            for partitions in found.values() for leader, in_sync, replicas in partitions.values())

    # A small disk

    def make_small_disk(self, node, megabytes):
        """Gives a node a disk of its own (a file with a file system in it), before the first start. Needs root.
        Returns the reason if that is not possible, else None."""
        if os.geteuid() != 0:
            return "only root can mount a disk"
        if not shutil.which("mkfs.ext4"):
            return "there is no mkfs.ext4"
        image = os.path.join(self.directory, f"disk-{node}")
        mount = os.path.join(self.directory, f"data-{node}")
        os.makedirs(mount, exist_ok=True)
        with open(image, "wb") as file:
            file.truncate(megabytes << 20)
        for command in (["mkfs.ext4", "-q", "-m", "0", image], ["mount", "-o", "loop", image, mount]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                return f"{' '.join(command)}: {done.stdout.strip()}"
        self.small_disk = mount
        # Kafka would treat this folder as a partition.
        os.rmdir(os.path.join(mount, "lost+found"))
        return None

    def fill_disk(self):
        """Fills the small disk to the last byte."""
        self.filler = os.path.join(self.small_disk, "filler")
        with open(self.filler, "wb") as file:
            size = 1 << 20
            block = bytes(size)
            while size > 0:
                try:
                    os.write(file.fileno(), block[:size])
                except OSError:
                    size //= 2

    def empty_disk(self):
        os.remove(self.filler)

    def says(self, node, text):
        """Returns whether a node's log contains the text."""
        try:
            with open(os.path.join(self.directory, f"{node}.log"), errors="replace") as file:
                return any(text in line for line in file)
        except OSError:
            return False

    def count_in_logs(self, text):
        """Returns the number of lines with this text in all nodes' logs, old ones included."""
        count = 0
        for name in os.listdir(self.directory):
            if ".log" in name and name[0].isdigit():
                with open(os.path.join(self.directory, name), errors="replace") as file:
                    count += sum(text in line for line in file)
        return count


__all__ = ["Cluster", "KafkaFault", "NODES"]
