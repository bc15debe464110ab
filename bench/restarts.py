#!/usr/bin/env python3
"""Measures how long an instance with many partitions takes to be ready after a clean stop and after SIGKILL, and what its commits
cost the broker. Several programs are measured in turn, on the same topics and one broker:

    COMBO_TEST_KAFKA=… bench/restarts.py --partitions 8,200,1000 --rounds 2 .build/release/combo-consumer [OTHER…]

Needs Linux: CPU time is read from /proc."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kafka import Broker, Fault, cpu_seconds, free_port, memory_mib  # noqa: E402


class Run:
  def __init__(self, options, partitions, directory):
    self.options, self.partitions, self.directory = options, partitions, directory
    self.broker = Broker(directory)
    self.broker_pid = int(open(os.path.join(self.broker.directory, "0.pid")).read())
    self.port = free_port(28_300)
    self.started = 0
    for topic in ("gifts", "instructions"):
      self.broker.create(topic, partitions)

  def start(self, program):
    """Starts the service; returns it and the seconds until it was ready."""
    self.started += 1
    log = open(os.path.join(self.directory, f"{self.partitions}-{self.started}.log"), "wb")
    began = time.monotonic()
    process = subprocess.Popen(
      [program, "run", "--brokers", self.broker.address, "--input", "gifts", "--output", "instructions", "--group", "restarts",
       "--http", f"127.0.0.1:{self.port}"], stdout=subprocess.DEVNULL, stderr=log)
    while time.monotonic() - began < 180:
      if process.poll() is not None:
        raise Fault(f"the service ended: {log.name}")
      try:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/ready", timeout=5) as answer:
          if answer.status == 200:
            return process, time.monotonic() - began
      except (urllib.error.URLError, OSError):
        pass
      time.sleep(0.02)
    raise Fault(f"the service was not ready within 180 s: {log.name}")

  def gifts(self, program, seconds):
    subprocess.run(
      [program, "generate", "--brokers", self.broker.address, "--topic", "gifts", "--rate", str(self.options.rate), "--seconds",
       str(seconds), "--rooms", str(self.options.rooms), "--skew", "1", "--seed", str(self.started)],
      check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

  def metric(self, name):
    with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5) as answer:
      lines = answer.read().decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.split("{")[0].split(" ")[0] == name)

  def catch_up(self):
    """Waits until no record waits, so that a start is measured and not a backlog."""
    until = time.monotonic() + 180
    idle = 0
    while idle < 5:
      idle = 0 if self.metric("combo_partition_lag_records") > 0 else idle + 1
      if time.monotonic() > until:
        raise Fault("the service did not catch up within 180 s")
      time.sleep(0.2)

  def round(self, program):
    """Returns the figures of one round of a program."""
    figures = {}
    process, _ = self.start(program)
    time.sleep(2)
    began, broker, own, commits = time.monotonic(), cpu_seconds(self.broker_pid), cpu_seconds(process.pid), self.metric("combo_commits_total")
    self.gifts(program, self.options.seconds)
    took = time.monotonic() - began
    figures["broker %"] = 100 * (cpu_seconds(self.broker_pid) - broker) / took
    figures["service %"] = 100 * (cpu_seconds(process.pid) - own) / took
    figures["commits/s"] = (self.metric("combo_commits_total") - commits) / took
    figures["rss MiB"] = memory_mib(process.pid)
    self.catch_up()
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.wait()
    figures["stop s"] = time.monotonic() - began
    process, figures["clean s"] = self.start(program)
    self.gifts(program, 4)
    self.catch_up()
    process.kill()
    process.wait()
    process, figures["killed s"] = self.start(program)
    time.sleep(3)
    process.send_signal(signal.SIGTERM)
    process.wait()
    return figures


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("programs", nargs="+")
  parser.add_argument("--partitions", default="8,200,1000")
  parser.add_argument("--rounds", type=int, default=2)
  parser.add_argument("--rate", type=int, default=2000)
  parser.add_argument("--rooms", type=int, default=2000)
  parser.add_argument("--seconds", type=int, default=10, help="of gifts, for the steady state (10)")
  parser.add_argument("--keep", action="store_true", help="keep the logs")
  options = parser.parse_args()
  os.environ.setdefault("KAFKA_HEAP", "1g")
  directory = tempfile.mkdtemp(prefix="combo-restarts-")
  try:
    for partitions in map(int, options.partitions.split(",")):
      os.makedirs(os.path.join(directory, str(partitions)))
      run = Run(options, partitions, os.path.join(directory, str(partitions)))
      try:
        for _ in range(options.rounds):
          for program in options.programs:
            figures = run.round(program)
            print(f"{partitions:5} {os.path.basename(program):24}" + "".join(f"  {name} {value:.1f}" for name, value in figures.items()), flush=True)
      finally:
        run.broker.stop()
    if options.keep:
      print(f"logs in {directory}")
    else:
      shutil.rmtree(directory)
  except Fault as fault:
    sys.exit(f"{fault} (logs in {directory})")


main()
