"""A broker to measure on, and programs that read a topic there, watched from outside: totals on their standard output, CPU time
and memory from /proc."""

import glob
import os
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

HZ = os.sysconf("SC_CLK_TCK")


class Fault(Exception):
  """The reason why a figure could not be measured."""


def cpu_seconds(pid):
  fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
  return (int(fields[11]) + int(fields[12])) / HZ


def memory_mib(pid, which="VmHWM"):
  found = re.search(which + r":\s+(\d+)", open(f"/proc/{pid}/status").read())
  return int(found[1]) / 1024 if found else 0.0


def free_port(first, count=1):
  """Returns the first of `count` consecutive free ports."""
  for port in range(first, 60_000, 10):
    try:
      for one in range(port, port + count):
        with socket.socket() as probe:
          probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
          probe.bind(("127.0.0.1", one))
      return port
    except OSError:
      continue
  raise Fault("no free port on 127.0.0.1")


class Broker:
  """The broker of COMBO_TEST_BROKERS, or else one that COMBO_TEST_KAFKA starts."""

  def __init__(self, directory):
    self.address = os.environ.get("COMBO_TEST_BROKERS", "")
    self.home = os.environ.get("COMBO_TEST_KAFKA", "")
    self.directory = None
    if not self.address:
      self.directory = os.path.join(directory, "kafka")
      started = subprocess.run([f"{self.home}/start", self.directory, "1", str(free_port(29_700, 2))], capture_output=True, text=True)
      if started.returncode:
        raise Fault(f"no broker: {started.stderr.strip()}")
      self.address = started.stdout.split()[-1]

  def stop(self):
    if self.directory:
      subprocess.run([f"{self.home}/stop", self.directory], capture_output=True)

  def create(self, topic, partitions):
    if not self.home:
      raise Fault("COMBO_TEST_KAFKA is not set, so no topic with a certain number of partitions can be made")
    made = subprocess.run([f"{self.home}/tool", "topics", "--bootstrap-server", self.address, "--create", "--topic", topic,
                           "--partitions", str(partitions)], capture_output=True, text=True)
    if made.returncode:
      raise Fault(f"topic {topic}: {made.stdout}{made.stderr}")

  def delete(self, topic):
    """Deletes a topic if it exists."""
    gone = subprocess.run([f"{self.home}/tool", "topics", "--bootstrap-server", self.address, "--delete", "--if-exists", "--topic", topic],
                          capture_output=True, text=True)
    if gone.returncode:
      raise Fault(f"topic {topic}: {gone.stdout}{gone.stderr}")

  def bytes_on_disk(self, topic):
    """Returns the size of the topic's log, compressed as written, or None for a broker elsewhere."""
    if not self.directory:
      return None
    # Only partitions of this topic: another topic's name may begin with this one's.
    folders = [f for f in glob.glob(f"{glob.escape(self.directory)}/data-0/{glob.escape(topic)}-*") if f.rsplit("-", 1)[1].isdigit()
               and f.rsplit("-", 1)[0].endswith("/" + topic)]
    return sum(os.path.getsize(log) for folder in folders for log in glob.glob(folder + "/*.log"))


class Watched:
  """A running program that prints `events N … instructions N` once a second."""

  def __init__(self, command, directory, ready_port=None, log="service.log"):
    self.port = ready_port
    self.log = os.path.join(directory, log)
    self.began = time.monotonic()
    self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=open(self.log, "ab"), text=True)
    self.pid = self.process.pid
    # (seconds since the start, events, instructions, CPU seconds)
    self.marks = [(0.0, 0, 0, 0.0)]
    self.thread = threading.Thread(target=self._read, daemon=True)
    self.thread.start()

  def _read(self):
    for line in self.process.stdout:
      found = re.search(r"events[= ](\d+).*?instructions[= ](\d+)", line)
      if found:
        try:
          self.marks.append((time.monotonic() - self.began, int(found[1]), int(found[2]), cpu_seconds(self.pid)))
        except OSError:
          return

  def wait_for(self, condition, limit, what):
    end = time.monotonic() + limit
    while not condition():
      if self.process.poll() is not None:
        raise Fault(f"it ended with exit code {self.process.returncode}: {self.last_words()}")
      if time.monotonic() > end:
        raise Fault(f"{what} not within {limit} s")
      time.sleep(0.02)

  def wait_for_events(self, count, limit):
    self.wait_for(lambda: self.marks[-1][1] >= count, limit, f"{count:,} events")

  def wait_until_ready(self, limit):
    self.wait_for(lambda: self.metric("combo_ready") == 1, limit, "ready")

  def metrics(self):
    try:
      with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=2) as answer:
        return answer.read().decode()
    except (OSError, urllib.error.URLError):
      return ""

  def metric(self, name):
    found = re.findall(rf"^{name}(?:{{.*}})? ([0-9.e+-]+)$", self.metrics(), re.M)
    return sum(map(float, found)) if found else None

  def last_words(self):
    return " ".join(open(self.log, errors="replace").read().split("\n")[-4:]).strip()

  def seconds_of_work(self, count):
    """Returns the time from the first event to the last. Totals arrive once a second, so both ends are extrapolated."""
    marks = [m for m in self.marks if m[1] > 0]
    upto = next(n for n, m in enumerate(marks) if m[1] >= count)
    marks = marks[:upto + 1]
    before = self.marks[self.marks.index(marks[0]) - 1]
    if len(marks) < 3:
      return marks[-1][0] - before[0]
    rate = (marks[1][1] - marks[0][1]) / (marks[1][0] - marks[0][0])
    start = max(before[0], marks[0][0] - marks[0][1] / rate) if rate > 0 else before[0]
    rate = (marks[-2][1] - marks[-3][1]) / (marks[-2][0] - marks[-3][0])
    end = min(marks[-1][0], marks[-2][0] + (marks[-1][1] - marks[-2][1]) / rate) if rate > 0 else marks[-1][0]
    return end - start

  def kill(self):
    self.process.kill()
    self.process.wait()

  def stop(self):
    self.process.send_signal(signal.SIGTERM)
    try:
      self.process.wait(20)
    except subprocess.TimeoutExpired:
      self.kill()


def values(text):
  """Returns the numbers in a line of `name=value`."""
  found = {}
  for word in text.split():
    name, _, value = word.partition("=")
    try:
      found[name] = float(value)
    except ValueError:
      pass
  return found
