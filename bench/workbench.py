"""What all parts of a measurement need: the programs, a broker, topics to fill, and who runs over them in turn."""

import os
import shlex
import statistics
import subprocess

from kafka import Fault, Watched, cpu_seconds, free_port, memory_mib, values

median = statistics.median


def millions(x):
  return "–" if x is None else f"{x / 1e6:.2f} M" if x >= 1e5 else f"{x / 1e3:.1f} k"


class Bench:
  filled = {}

  def __init__(self, options, directory, broker, results):
    self.options, self.directory, self.broker, self.results = options, directory, broker, results
    self.raw = os.environ.get("COMBO_BENCH_RAW", "")
    self.peers = os.environ.get("COMBO_BENCH_PEERS", "")

  def program(self, name):
    path = os.path.join(self.options.program, name)
    if not os.access(path, os.X_OK):
      raise Fault(f"there is no {path}: `make bench` builds it")
    return path

  def output_of(self, *command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
      raise Fault(f"{os.path.basename(command[0])} ended with exit code {done.returncode}: {(done.stdout + done.stderr).strip()[-500:]}")
    return done.stdout.strip()

  # Topics

  def generate(self, topic, *arguments):
    return subprocess.Popen([self.program("combo-consumer"), "generate", "--brokers", self.broker.address, "--topic", topic,
                             *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

  def finish(self, *generators):
    for generator in generators:
      if generator.wait():
        raise Fault("generate failed")

  def fill(self, name, *loads):
    """Returns a topic with the gifts of all loads, generated in parallel and only once for each name. The first record creates
    the topic, with the broker's number of partitions."""
    topic = Bench.filled.get(name)
    if not topic:
      topic = Bench.filled[name] = f"bench-{name}-{os.getpid()}"
      self.results.progress(f"filling {topic}")
      self.finish(*(self.generate(topic, "--seed", self.options.seed + n, *load) for n, load in enumerate(loads)))
    return topic

  # Programs over a backlog

  def ours(self, topic, out, *more):
    port = free_port(28_400)
    return Watched([self.program("combo-consumer"), "run", "--brokers", self.broker.address, "--input", topic, "--output", out, "--group", out,
                    "--progress", "--http", f"127.0.0.1:{port}", "--log-level", "error", *shlex.split(self.options.options), *map(str, more)], self.directory, port)

  def over_backlog(self, watched, topic, out, count):
    try:
      watched.wait_for_events(count, 180)
      used, memory = cpu_seconds(watched.pid), memory_mib(watched.pid)
      said = watched.marks[-1][2]
      figures = dict(per_cpu=count / used, per_s=count / watched.seconds_of_work(count), memory=memory, said=said / count)
    finally:
      watched.stop()
    # Measured after the service's end: it then writes all its rooms for the next one, and a short run has no other checkpoint.
    sizes = {"output_log": out}
    if watched.port:
      sizes.update(journal_log=f"{topic}.{out}.combo-journal", state_log=f"{topic}.{out}.combo-state")
    for what, name in sizes.items():
      size = self.broker.bytes_on_disk(name)
      if size is not None:
        figures[what] = size / count
    return figures

  def run_ours(self, topic, out, count):
    return self.over_backlog(self.ours(topic, out), topic, out, count)

  def run_raw(self, topic, out, count, every):
    f = values(self.output_of(self.raw, "--brokers", self.broker.address, "--input", topic, "--output", out, "--mode", "eos", "--every", str(every),
                              "--events", str(count)))
    return dict(per_cpu=f["events"] / f["cpu_s"], per_s=f["events"] / f["seconds"], memory=f.get("rss_max_mib", 0), said=1 / every)

  def run_peer(self, command, topic, out, count):
    return self.over_backlog(Watched(command, self.directory, log="peer.log"), topic, out, count)

  def run_go(self, program, topic, out, count):
    # It keeps its state by the input's name alone: a second run over the same input would continue with the rooms of the first,
    # whose full queues accept gifts with a tenth of the instructions.
    self.broker.delete(f"{topic}.combo-state-go")
    return self.run_peer([program, "run", "--brokers", self.broker.address, "--input", topic, "--output", out, "--group", out], topic, out, count)

  def contenders(self, every):
    """Returns name -> the function that runs it over `topic` to `out`. Missing programs are reported."""
    found = {"combo-consumer": self.run_ours}
    if self.raw:
      found["raw"] = lambda topic, out, count: self.run_raw(topic, out, count, every)
    else:
      self.results.say("* a bare consumer LEFT OUT: COMBO_BENCH_RAW is not set")
    if self.peers:
      a = self.broker.address
      go, streams = os.path.join(self.peers, "combo-go"), os.path.join(self.peers, "kafka-streams")
      if os.access(go, os.X_OK) and not os.path.isdir(go):
        found["combo-go"] = lambda topic, out, count: self.run_go(go, topic, out, count)
      if os.path.exists(f"{streams}/app.jar"):
        found["kafka-streams"] = lambda topic, out, count: self.run_peer(
          ["java", "-Xmx4g", "-XX:+UseParallelGC", "-cp", f"{streams}/app.jar:{streams}/libs/*:{self.broker.home}/libs/*", "Main", "run", "--brokers", a,
           "--input", topic, "--output", out, "--app", out, "--threads", "2"], topic, out, count)
    else:
      self.results.say("* other services LEFT OUT: COMBO_BENCH_PEERS is not set")
    only = [n for n in self.options.only.split(",") if n]
    return {name: run for name, run in found.items() if not only or name in only}

  def in_turn(self, load, topic, count, contenders):
    """Runs the contenders in turn (A B A B). Returns name -> medians."""
    runs = {name: [] for name in contenders}
    for n in range(self.options.rounds):
      for name, run in contenders.items():
        figures = run(topic, f"{load}-{name}-{n}-{os.getpid()}", count)
        runs[name].append(figures)
        self.results.progress(f"{name}: {figures['per_cpu']:,.0f} gifts a CPU second, {figures['per_s']:,.0f} a second, {figures['memory']:.0f} MiB")
    return {name: {k: median(f[k] for f in all_of if k in f) for k in all_of[0]} for name, all_of in runs.items()}

  def backlog_table(self, figures):
    ours = figures.get("combo-consumer")
    rows = [[name, millions(f["per_cpu"]), millions(f["per_s"]), f"{f['memory']:.0f}", f"{f['said']:.3f}"] for name, f in figures.items()]
    self.results.table(["", "gifts a CPU second", "gifts a second", "MiB at most", "instructions a gift"], rows)
    if ours and "journal_log" in ours:
      self.results.say(f"* combo-consumer, bytes a gift on the broker's disk: journal {ours['journal_log']:.2f}, state {ours['state_log']:.2f}, "
                       f"output {ours['output_log']:.2f}")
      self.results.say()
