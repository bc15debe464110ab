"""The parts of a measurement. Each one runs alone too."""

import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import time

import callgrind
import plots
from kafka import Fault, Watched, cpu_seconds, free_port, memory_mib, values
from workbench import millions

median = statistics.median


class Part:
  def __init__(self, run, needs_broker):
    self.run, self.needs_broker = run, needs_broker


# Without a broker


def engine(bench):
  for mix in ("plain", "busy", "memory"):
    bench.results.say("* " + bench.output_of(bench.program("bench-engine"), mix))


def median_of(line):
  """Returns a line of bench-wire without its rounds."""
  return re.sub(r" \(\d+ rounds,[^)]*\)|; \d+ events a time", "", line)


def decode(bench):
  for what in ("decode", "unlike", "mapped", "composed", "various"):
    bench.results.say("* " + median_of(bench.output_of(bench.program("bench-wire"), what)))


def encode(bench):
  for line in bench.output_of(bench.program("bench-wire"), "encode").split("\n"):
    if "median" in line:
      bench.results.say("* " + median_of(line))


def replayed(bench, gifts, out):
  """Replays a file into another one. Returns the elapsed seconds and the CPU seconds."""
  before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
  with open(out, "w") as file:
    code = subprocess.run([bench.program("combo-consumer"), "replay", gifts], stdout=file, stderr=subprocess.DEVNULL).returncode
  if code:
    raise Fault(f"replay ended with exit code {code}")
  took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
  return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def replay(bench):
  count = bench.options.events
  gifts, out = os.path.join(bench.directory, "gifts.jsonl"), os.path.join(bench.directory, "said.jsonl")
  bench.output_of(bench.program("combo-consumer"), "generate", "--events", str(count), "--rooms", "10000", "--skew", "1", "--file", gifts)
  per_s, per_cpu = [], []
  # The first run warms the page cache.
  for n in range(4):
    took, cpu = replayed(bench, gifts, out)
    if n:
      per_s.append(count / took)
      per_cpu.append(count / cpu)
  os.remove(gifts)
  os.remove(out)
  bench.results.say(f"* replay: median {millions(median(per_s))} events a second ({millions(min(per_s))} to {millions(max(per_s))}), "
                    f"{millions(median(per_cpu))} a CPU second; {count:,} events, 10,000 rooms, whole process, 3 runs")


CROWDS = [(rooms, 5000, rate) for rooms in (1, 100) for rate in (1000, 20_000)]
CROWD_SECONDS = 30


def crowd(bench):
  """Replays rooms in which everybody gives at once."""
  gifts, out = os.path.join(bench.directory, "crowd.jsonl"), os.path.join(bench.directory, "said.jsonl")
  rows = []
  for rooms, givers, rate in CROWDS:
    count = rate * CROWD_SECONDS
    bench.output_of(bench.program("combo-consumer"), "generate", "--events", str(count), "--rate", str(rate), "--rooms", str(rooms), "--skew", "0",
                    "--senders", str(givers), "--active", str(givers), "--seed", str(bench.options.seed), "--file", gifts)
    # The first run warms the page cache.
    cpu = [replayed(bench, gifts, out)[1] for _ in range(bench.options.rounds + 1)][1:]
    with open(out) as file:
      lines, size, times = 0, 0, []
      for line in file:
        lines, size = lines + 1, size + len(line.encode())
        times.append(int(re.search(r'"at":(\d+)', line)[1]))
    seconds = max(1, (max(times) - min(times)) / 1000)
    tuned = json.loads(bench.output_of(bench.program("combo-consumer"), "tune", gifts, "--format", "json"))["combinations"][0]
    wait = tuned["wait_ms"]
    rows.append([f"{rooms} × {givers:,}, {rate:,} a second", f"{lines / rooms / seconds:.1f}", f"{size / rooms / seconds / 1000:.2f}", f"{size / count:.1f}",
                 f"{median(cpu) / count * 1e6:.2f}", f"{wait['p50'] / 1000:.1f}", f"{wait['p99'] / 1000:.1f}", f"{tuned['skipped_share'] * 100:.1f} %"])
    bench.results.progress(f"{rooms} rooms, {givers:,} givers, {rate:,} gifts a second")
  os.remove(gifts)
  os.remove(out)
  bench.results.say(f"* rooms × givers in each, gifts a second in all rooms together, {CROWD_SECONDS} s of gifts, by `replay` and `tune`, "
                    f"medians of {bench.options.rounds} runs")
  bench.results.say()
  bench.results.table(["", "instructions a second of a room", "KB a second for a viewer", "bytes a gift", "CPU µs a gift", "wait p50, s", "p99, s", "never seen"],
                      rows)


# A backlog on a broker


def wide_load(bench, count=None, rooms=10_000, skew=1):
  return "--events", count or bench.options.events, "--rooms", rooms, "--skew", skew


def load_part(name, load, every, count_of):
  def run(bench):
    count = count_of(bench)
    contenders = bench.contenders(every)
    topic = bench.fill(name, *load(bench, count))
    bench.results.say(f"* {count:,} gifts, {bench.options.rounds} runs of each in turn, medians")
    bench.results.say()
    figures = bench.in_turn(name, topic, count, contenders)
    bench.backlog_table(figures)
    bench.results.plot(name, plots.bars(f"{name}: gifts a CPU second", "", "gifts a CPU second", list(figures),
                                        {"median": [f["per_cpu"] for f in figures.values()]}), f"{name}, gifts a CPU second")
  return run


wide = load_part("wide", lambda bench, count: [wide_load(bench, count)], 20, lambda bench: bench.options.events)
busy = load_part("busy", lambda bench, count: [("--events", count, "--rooms", 500, "--skew", 1, "--senders", 2000, "--active", 300, "--gifts", 30)], 4,
                 lambda bench: bench.options.events * 3 // 5)


def half_loads(bench, count):
  return wide_load(bench, count - count // 2), ("--events", count // 2, "--rooms", 1)


def varied(bench, what, points):
  """Runs the service over several topics, in turn. `points`: (name, topic's name, loads)."""
  count = bench.options.events
  topics = [(name, bench.fill(key, *loads)) for name, key, loads in points]
  runs = {name: [] for name, _ in topics}
  for n in range(bench.options.rounds):
    for place, (name, topic) in enumerate(topics):
      figures = bench.run_ours(topic, f"{what}-{place}-{n}-{os.getpid()}", count)
      runs[name].append(figures)
      bench.results.progress(f"{name}: {figures['per_cpu']:,.0f} gifts a CPU second, {figures['memory']:.0f} MiB")
  figures = {name: {k: median(f[k] for f in all_of) for k in all_of[0]} for name, all_of in runs.items()}
  bench.results.say(f"* {count:,} gifts each, {bench.options.rounds} runs of each in turn, medians")
  bench.results.say()
  bench.results.table(["", "gifts a CPU second", "gifts a second", "MiB at most"],
                      [[name, millions(f["per_cpu"]), millions(f["per_s"]), f"{f['memory']:.0f}"]
                       for name, f in figures.items()])
  return figures


def rooms(bench):
  numbers = [1000, 10_000, 100_000, 1_000_000]
  figures = varied(bench, "rooms", [(f"{n:,} rooms, Zipf 1.0", "wide" if n == 10_000 else f"rooms{n}", [wide_load(bench, rooms=n)]) for n in numbers])
  bench.results.plot("rooms", plots.lines("Gifts a CPU second by rooms", "rooms", "gifts a CPU second", {
    "combo-consumer": [(n, f["per_cpu"], f"{f['memory']:.0f} MiB") for n, f in zip(numbers, figures.values())]},
    log_x=True), "gifts a CPU second by rooms")


def skew(bench):
  count = bench.options.events
  figures = varied(bench, "skew", [("uniform", "uniform", [wide_load(bench, skew=0)]), ("Zipf 1.0", "wide", [wide_load(bench)]),
                                   ("one room takes half", "half", half_loads(bench, count))])
  bench.results.plot("skew", plots.bars("Gifts a CPU second by skew, 10,000 rooms", "", "gifts a CPU second", list(figures),
                                        {"combo-consumer": [f["per_cpu"] for f in figures.values()]}), "gifts a CPU second by skew")


# At a steady rate


def steady(bench, name, rate, command):
  """Starts `command(topic, out)`, which returns a process, and returns its CPU and the delays of its shows."""
  tag = f"{name}-{os.getpid()}"
  topic, out = f"{tag}-in", f"{tag}-out"
  load = ("--rooms", 50_000, "--skew", 0)
  # Creates both topics, and lets the program settle.
  bench.finish(bench.generate(topic, "--events", 1000, *load))
  process = command(topic, out)
  drain = None
  try:
    bench.finish(bench.generate(topic, "--rate", 2000, "--seconds", 3, *load))
    # The instructions of these gifts must not be read.
    time.sleep(2)
    end = time.monotonic() + 15
    while True:
      drain = subprocess.Popen([bench.program("bench-drain"), bench.broker.address, out], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
      if drain.stdout.readline().strip() == "ready":
        break
      drain.wait()
      if time.monotonic() > end:
        raise Fault(f"{name}: nothing came out within 15 s")
      time.sleep(0.2)
    before = cpu_seconds(process.pid)
    bench.finish(bench.generate(topic, "--rate", rate, "--seconds", bench.options.seconds, "--seed", bench.options.seed + 6, *load))
    used = cpu_seconds(process.pid) - before
    time.sleep(0.7)
    drain.terminate()
    figures = values(drain.communicate(timeout=10)[0])
  finally:
    if drain and drain.poll() is None:
      drain.kill()
      drain.wait()
    process.terminate()
    try:
      process.wait(20)
    except subprocess.TimeoutExpired:
      process.kill()
      process.wait()
  if not figures.get("shows"):
    raise Fault(f"{name}: no shows came out")
  figures["cpu"] = used / bench.options.seconds * 100
  bench.results.progress(f"{name}: {figures['cpu']:.0f} % of a core, p50 {figures['p50']:.1f} ms, p99 {figures['p99']:.1f} ms, {figures['shows']:,.0f} shows")
  return figures


def ours_steady(bench, *more):
  return lambda topic, out: bench.ours(topic, out, "--slots", 10, "--exit-ms", 0, *more).process


def raw_steady(bench, mode):
  # It ends at the end of the topic, but not before that many events.
  return lambda topic, out: subprocess.Popen(
    [bench.raw, "--brokers", bench.broker.address, "--input", topic, "--output", out, "--mode", mode, "--every", "4", "--events", str(10 ** 12)],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def row(name, rate, f):
  return [name, f"{rate:,}", f"{f['cpu']:.0f} %", f"{f['p50']:.1f}", f"{f['p99']:.1f}"]


STEADY_HEAD = ["", "gifts a second", "of a core", "p50, ms", "p99, ms"]


def latency(bench):
  if not bench.raw:
    bench.results.say("* a bare consumer LEFT OUT: COMBO_BENCH_RAW is not set")
  rows, series = [], {}
  for rate in (1000, 20_000, 100_000):
    for kind, mode in (("exactly once", "eos"), ("at least once", "alo")):
      if mode == "alo" and rate != 20_000:
        continue
      more = () if mode == "eos" else ("--delivery", "at-least-once")
      contenders = {"combo-consumer": ours_steady(bench, *more)}
      if bench.raw:
        contenders["raw"] = raw_steady(bench, mode)
      for who, command in contenders.items():
        f = steady(bench, f"latency-{who}-{mode}-{rate}", rate, command)
        rows.append(row(f"{who}, {kind}", rate, f))
        if mode == "eos":
          for p in ("p50", "p99"):
            series.setdefault(f"{who} {p}", []).append((rate, max(f[p], 0.1)))
  bench.results.say(f"* 50,000 rooms, all alike, `--slots 10 --exit-ms 0`, {bench.options.seconds:.0f} s each; from a gift's time to a read_committed reader that "
                    "shares the cores with broker, load and service")
  bench.results.say()
  bench.results.table(STEADY_HEAD, rows)
  bench.results.plot("latency", plots.lines("Gift to reader, exactly once", "gifts a second", "ms", series, log_x=True, log_y=True), "latency by rate")


def interval(bench):
  rows, points = [], []
  for ms in (10, 20, 50, 100):
    f = steady(bench, f"interval-{ms}", 20_000, ours_steady(bench, "--commit-interval-ms", ms))
    rows.append(row(f"`--commit-interval-ms {ms}`", 20_000, f))
    points.append((ms, f))
  bench.results.table(STEADY_HEAD, rows)
  bench.results.plot("interval", plots.lines("Latency against cost at 20,000 gifts/s, exactly once, by commit_interval", "CPU, % of a core", "ms", {
    p: [(f["cpu"], f[p], f"{ms} ms") for ms, f in points] for p in ("p50", "p99")}), "latency against cost by commit_interval")


# Restore


def restore(bench):
  rows = []
  # Rooms with one combo in their history, all in a checkpoint.
  count = 1_000_000
  topic = bench.fill("restore", ("--events", count, "--rooms", count, "--skew", 0))
  rows.append(restored(bench, f"{count:,} gifts, a combo each, in as many rooms", topic, count, ("--checkpoint-interval-ms", 5000), 14))
  # Input to process again, without a checkpoint.
  if bench.broker.home:
    topic = f"bench-through-{os.getpid()}"
    bench.broker.create(topic, 20)
    bench.finish(bench.generate(topic, "--rate", 50_000, "--seconds", 10, "--rooms", 50_000, "--skew", 1))
    rows.append(restored(bench, "500,000 gifts, made in 10 s, to run through again; 20 partitions", topic, 500_000,
                         ("--checkpoint-interval-ms", 600_000, "--checkpoint-gifts", 10 ** 9), 1))
  else:
    bench.results.say("* 20 partitions LEFT OUT: COMBO_TEST_KAFKA is not set, so no topic with 20 partitions can be made")
  bench.results.say("* SIGKILL, started again under the same `--instance`; from the new process's start until all its partitions take in and commit")
  bench.results.say()
  bench.results.table(["", "ready after, s", "CPU until then, s", "MiB then", "MiB before SIGKILL"], rows)


def restored(bench, what, topic, count, more, settle):
  out = f"{topic}-out"
  first = bench.ours(topic, out, "--instance", "one", *more)
  try:
    first.wait_for_events(count, 180)
    # Time for combos to finish and for the checkpoint to be written.
    time.sleep(settle)
    before = memory_mib(first.pid, "VmRSS")
  finally:
    first.kill()
  again = bench.ours(topic, out, "--instance", "one", *more)
  try:
    again.wait_until_ready(120)
    took = time.monotonic() - again.began
    return [what, f"{took:.1f}", f"{cpu_seconds(again.pid):.1f}", f"{memory_mib(again.pid, 'VmRSS'):.0f}", f"{before:.0f}"]
  finally:
    again.stop()


# Records in JSON, Protobuf and Avro


FORMS = {"json": "JSON, `--map wire`", "protobuf": "Protobuf", "avro": "Avro"}


def forms(bench):
  """The same gifts in three forms: a backlog by the service, and the same backlog derived again after SIGKILL, in turn."""
  count, less = bench.options.events, 500_000
  maps, topics, short = {}, {}, {}
  for form in FORMS:
    maps[form] = os.path.join(bench.directory, f"{form}.json")
    with open(maps[form], "w") as file:
      file.write(bench.output_of(bench.program("bench-wire"), "map", form))
    topics[form], short[form] = (f"bench-{form}-{n}-{os.getpid()}" for n in (count, less))
    for topic, n in ((topics[form], count), (short[form], less)):
      bench.output_of(bench.program("bench-wire"), "fill", form, bench.broker.address, topic, str(n))
    bench.results.progress(f"filled {topics[form]} and {short[form]}")
  figures = {form: ([], []) for form in FORMS}
  for n in range(bench.options.rounds):
    for form, (running, restoring) in figures.items():
      more = ("--map", maps[form], "--instance", "one")
      out = f"forms-{form}-{n}-{os.getpid()}"
      running.append(1e6 / bench.over_backlog(bench.ours(topics[form], out, *more), topics[form], out, count)["per_cpu"])
      restoring.append(derived_again(bench, short[form], f"{out}-short", less, more) / less * 1e6)
      bench.results.progress(f"{form}: running {running[-1]:.2f}, restoring {restoring[-1]:.2f} CPU µs a gift")
  first = [median(of) for of in figures["json"]]
  bench.results.say(f"* CPU µs a gift of the whole process, its start included, and how many times that of JSON; {bench.options.rounds} runs of each in turn, medians")
  bench.results.say(f"* *running*: {count:,} gifts of 10,000 rooms, Zipf 1.0; *restoring*: {less:,} gifts derived again after SIGKILL")
  bench.results.say()
  bench.results.table(["records", "running", "", "restoring", ""],
                      [[FORMS[form], *(cell for f, one in zip(of, first) for cell in (f"{median(f):.2f}", "" if form == "json" else f"{median(f) / one:.2f} times"))]
                       for form, of in figures.items()])


def derived_again(bench, topic, out, count, more):
  """Returns the CPU seconds of a start after SIGKILL, until everything is derived again from the beginning."""
  more = (*more, "--checkpoint-interval-ms", 600_000, "--checkpoint-gifts", 10 ** 9)
  first = bench.ours(topic, out, *more)
  try:
    first.wait_for_events(count, 180)
    # The last entries of the journal are written with the next commits.
    time.sleep(1)
  finally:
    first.kill()
  again = bench.ours(topic, out, *more)
  try:
    again.wait_until_ready(120)
    return cpu_seconds(again.pid)
  finally:
    again.stop()


# Where the instructions of a gift go


def budget(bench):
  """Counts the instructions per gift: the difference of two backlogs, divided by the difference in gifts."""
  if not shutil.which("valgrind") or not shutil.which("strip"):
    raise Fault("there is no valgrind, or no strip")
  few, many = 40_000, 120_000
  # Older versions of valgrind fail on the newer debug information of C++.
  bare = os.path.join(bench.directory, "bare")
  bench.output_of("strip", "--strip-debug", "-o", bare, bench.program("combo-consumer"))
  topics = [bench.fill(f"budget{count}", wide_load(bench, count)) for count in (few, many)]

  def counted(who, rest, run):
    counts = []
    for n, count in enumerate((few, many)):
      out = os.path.join(bench.directory, f"{who}-{n}.counts")
      run(topics[n], f"budget-{who}-{n}-{os.getpid()}", count, out)
      counts.append(callgrind.by_stage(out, rest))
    return {stage: (counts[1][stage] - counts[0][stage]) / (many - few) for stage in counts[1]}

  def ours(topic, out, count, file):
    port = free_port(28_400)
    watched = Watched(callgrind.command(bare, ["run", "--brokers", bench.broker.address, "--input", topic, "--output", out, "--group", out, "--progress",
                                               "--http", "none", "--log-level", "error"], file), bench.directory, port)
    try:
      watched.wait_for_events(count, 180)
    finally:
      watched.stop()

  columns = {"combo-consumer": counted("ours", "loop, rooms, hand-over", ours)}
  if bench.raw:
    columns["raw"] = counted("raw", "touching the bytes, the loop", lambda topic, out, count, file: bench.output_of(
      *callgrind.command(bench.raw, ["--brokers", bench.broker.address, "--input", topic, "--output", out, "--mode", "eos", "--every", "20",
                                     "--events", str(count)], file)))
  else:
    bench.results.say("* a bare consumer LEFT OUT: COMBO_BENCH_RAW is not set")
  bench.results.say(f"* instructions a gift by callgrind, which runs one thread at a time: {many:,} gifts of *wide* less {few:,}")
  bench.results.say()
  stages = sorted({stage for c in columns.values() for stage in c}, key=lambda stage: -max(c.get(stage, 0) for c in columns.values()))
  rows = [[stage, *(f"{c[stage]:,.0f}" if stage in c else "–" for c in columns.values())] for stage in stages]
  rows.append(["all", *(f"{sum(c.values()):,.0f}" for c in columns.values())])
  bench.results.table(["", *columns], rows)


ALL = {
  "engine": Part(engine, False), "decode": Part(decode, False), "encode": Part(encode, False), "replay": Part(replay, False),
  "crowd": Part(crowd, False),
  "wide": Part(wide, True), "busy": Part(busy, True), "rooms": Part(rooms, True), "skew": Part(skew, True),
  "latency": Part(latency, True), "interval": Part(interval, True), "restore": Part(restore, True),
  "forms": Part(forms, True),
  "budget": Part(budget, True),
}
