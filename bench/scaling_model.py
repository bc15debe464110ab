"""The model behind bench/scaling: costs, rates, bytes, moves and bounds of a cluster. docs/scaling.md explains it."""

import math
import random
from types import SimpleNamespace

# name: default, what it is. Those that measurements differ in most come first.
INPUTS = {
  "gifts": (20_000.0, "gifts a second, all rooms together"),
  "rooms": (10_000, "rooms that get gifts"),
  "skew": (1.0, "Zipf exponent of the rooms' shares; 0 = all alike"),
  "instructions": (1.0, "instructions a gift: 0.05 to 0.5 in crowded rooms, above 2 where each gift has a banner of its own"),
  "partitions": (0, "of the input; 0 = six an instance, at least eight"),
  "instances": (0, "0 = as many as are needed"),
  "cores": (2.0, "of each instance"),
  "use": (0.6, "the share of its cores that the busiest instance may need"),
  "slower": (1.0, "CPU seconds for the same work, against the machine that was measured; an Intel Xeon with busy neighbours took 2 to 3"),
  "commit-interval-ms": (100.0, "from one transaction to the next"),
  "checkpoint-gifts": (1_000_000, "a partition is swept after so many gifts"),
  "checkpoint-interval-ms": (60_000.0, "or after so long"),
  "brokers": (3, "brokers"),
  "replication": (3, "replicas of each partition"),
  "librdkafka": ("2.0.2", "its version; from 2.6.1 on rebalances are cooperative"),
  "input-bytes": (270.0, "of a record of the input, in the log"),
  "producer-batch": (2.0, "gifts in a batch of the input: small ones make more batches of the journal"),
  "instruction-bytes": (228.0, "of a record of the output, before compression"),
  "id-bytes": (21.0, "of a gift's id"),
  "slots": (2, "banners on screen"),
  "waiting": (0.0, "banners that wait, on average of all rooms"),
  "aligned": (True, "yes: the input is keyed by murmur2, so a room's gifts and instructions have the same partition number; no: they do not"),
  "round-trip-ms": (0.58, "of a fetch"),
  "session-ms": (10_000.0, "session.timeout.ms"),
  "partition-mb": (50.0, "megabytes a second that one partition of your brokers takes; an assumption, measure it"),
}

# Costs, CPU in seconds. "fitted": so chosen that the model meets some measurements; "measured": alone, docs/performance.md; "counted": from the formats.
COST = SimpleNamespace(
  idle=0.0019,            # fitted: an instance with nothing to do, of a core, without its requests
  gift=0.8e-6,            # fitted: fetched, decoded, routed and taken in
  instruction=2.46e-6,    # fitted: a room woken for it, encoded, produced, compressed, sent
  hot_gift=0.9e-6,        # measured: the backlog's gift, all that was said of it included
  commit=3.2e-3,          # fitted: librdkafka 2.0.2's main thread waits in a loop during a transaction
  request=70e-6,          # fitted: one request to a broker and its answer
  client_gift=0.31e-6,    # measured: librdkafka's share; one thread a broker
  loop_gift=0.44e-6,      # measured: decoding, moving and the loop's share; one thread an instance
  engine_gift=0.12e-6, engine_gift_busy=0.16e-6,  # measured: a room's serial queue
  said_busy=0.47 * 0.41e-6,                       # measured: encoding and producing what a busy room says of a gift
  snapshot_byte=1 / 630e6,   # measured: restoring a room's snapshot
  replayed_gift=1.4e-6,      # measured: a restore of many gifts, the client's share included
  room_made=1.4e-6,          # fitted: a room made and entered
  crowding=1.7,              # fitted: a restore beside broker and load, against the sum of these parts
  restore_fixed_s=0.3,       # measured: the median of restores with little to run through, chaos test
)
BATCH, MARKER = 61, 78       # bytes of a record batch's header, and of a transaction's marker
REBALANCE_HEARTBEAT_S, HAND_OVER_S, JOIN_S = 0.5, 1.0, 0.15
REST_S, DEDUPE_S, IDS_MAX, SHOWN_S = 60.0, 10.0, 2000, 4.0
LINGER_S = 0.05              # of the transactional producer
FETCH_BYTES, FETCH_WAIT_S = 65536, (0.005, 0.010)   # a fetch is answered when there is so much, or after a tenth of the interval within these
FETCH_LATE_S = 0.0004        # fitted: from then until the next one waits at the broker, the round trip left out
HELD_BYTES = 65536           # of the output of a transaction, which go out together
TURN_S = 0.0066              # fitted: gifts of a partition that come closer together than this share a batch of the journal
PASSING_BYTES, PASSING_MAX = 1200, 120e6     # fitted, for each gift a second: fetched records, and what was freed and is kept for 5 s
PARTS_BYTES, SWEEP_BUDGET, RECORD_MAX, OWN_SETTINGS = 512 << 10, 4 << 20, 8 << 20, 10_000


def room_classes(n, skew, rate):
  """[(rooms, gifts a second of each)], the busiest first: single rooms, then ever larger classes."""
  edges, rank = [], 1
  while rank <= n:
    size = max(1, rank // 50) if rank > 500 else 1
    size = min(size, n - rank + 1)
    edges.append((size, (rank + (size - 1) / 2) ** -skew))
    rank += size
  total = sum(size * weight for size, weight in edges)
  return [(size, rate * weight / total) for size, weight in edges]


def shares(classes, rate, partitions, instances):
  """The gifts a second of the busiest partition and of the busiest instance, single rooms spread by chance."""
  draw = random.Random(1)
  load = [0.0] * partitions
  rest = 0.0
  for size, each in classes:
    if size == 1:
      load[draw.randrange(partitions)] += each
    else:
      rest += size * each
  load = [x + rest / partitions for x in load]
  owners = range_assignment(partitions, instances)
  by_instance = [0.0] * instances
  for partition, owner in enumerate(owners):
    by_instance[owner] += load[partition]
  return max(load), max(by_instance)


def range_assignment(partitions, instances):
  """The owner of each partition, as Kafka's range assignor gives them out."""
  more = partitions % instances
  return [i for i in range(instances) for _ in range(partitions // instances + (1 if i < more else 0))]


def compressed(records, raw):
  """Bytes of a batch of so many records in the log (lz4); fitted: ratios 0.42 at 10 records and 0.34 at 240."""
  return BATCH + raw * min(1.0, 0.33 + 0.67 / (1 + records) ** 0.8)


def batches(records, interval_s, held_s):
  """Batches that a partition's records of a commit go out in: one for each linger in which there are any, once they are not held back any more."""
  windows = max(1.0, (interval_s - held_s) / LINGER_S)
  return windows * -math.expm1(-records / windows)


def at(i, p, instances):
  """What one instance does, on average of all of them."""
  o = SimpleNamespace()
  interval = i.commit_interval_ms / 1000
  own = p / instances
  gifts, said = i.gifts / instances, i.gifts * i.instructions / instances
  o.awake = sum(n * -math.expm1(-rate * (REST_S + DEDUPE_S)) for n, rate in i.classes)
  # An instance commits when anything happened, and once a second while a room is awake.
  o.commits = min(1 / interval, max(min(gifts + said, 1 / interval), 1.0 if o.awake else 0))
  news = -math.expm1(-(gifts + said) / own / o.commits) if o.commits else 0
  o.entries = own * max(news * o.commits, 1.0 if o.awake >= p else 0)

  arrivals = gifts / own / i.producer_batch
  turns = 1 / (1 / arrivals + TURN_S) if arrivals else 0
  o.entry_bytes = 198 + 27 * turns * own / o.entries if o.entries else 0
  said_each = said / own
  spread = own if i.aligned else p
  said_each /= o.commits or 1
  held = min(interval, HELD_BYTES / (said * (i.instruction_bytes + 15))) if said else interval
  produced = batches(said_each * own / spread, interval, held) * spread
  per_batch = said_each * own / produced if produced else 0
  touched = -math.expm1(-said_each * own / spread) * spread

  o.journal_raw = o.entries * o.entry_bytes
  o.journal = o.entries * (compressed(1, o.entry_bytes + 9) + MARKER)
  o.output = o.commits * (produced * compressed(per_batch, per_batch * (i.instruction_bytes + 15)) + touched * MARKER) if produced else 0
  sweep(i, p, o, instances)
  o.offsets = o.commits * (BATCH + own * 50 + MARKER)
  topics = own * 4 + touched * 4 + 54
  o.transactions = o.commits * (118 + (118 + topics) + 4.26 * (118 + 0.6 * topics))

  o.produces = o.commits * produced + o.entries
  o.coordinator = o.commits * ((1 if held == interval else 2.5) + 1 + 1)      # AddPartitionsToTxn, AddOffsetsToTxn, EndTxn
  o.leaders = min(i.brokers, own)
  wait = min(max(interval / 10, FETCH_WAIT_S[0]), FETCH_WAIT_S[1])
  if gifts:
    wait = min(wait, FETCH_BYTES * o.leaders / (gifts * i.input_bytes))
  o.fetches = o.leaders / (wait + FETCH_LATE_S + i.round_trip_ms / 1000)
  o.requests = o.produces + o.coordinator + o.commits + o.fetches + 2

  o.cpu_parts = {
    "idle": COST.idle, "gifts": gifts * COST.gift, "instructions": said * COST.instruction,
    "transactions": o.commits * COST.commit, "requests": o.requests * COST.request, "snapshots": o.state_raw * 4e-9,
  }
  o.cpu_parts = {name: share * i.slower for name, share in o.cpu_parts.items()}
  o.cpu = sum(o.cpu_parts.values())
  banners = o.shown + i.waiting * o.awake
  o.lasting = memory(o.awake / instances, o.ids / instances, banners / instances, i.id_bytes)
  o.memory = o.lasting + min(gifts * PASSING_BYTES, PASSING_MAX)
  return o


def memory(awake, ids, banners, id_bytes):
  """Bytes of an instance with so many rooms awake, remembered ids and banners; what only passes through left out."""
  return 45e6 + awake * 1500 + ids * (24 + id_bytes) + banners * 500


def sweep(i, p, o, instances):
  """Snapshots, checkpoints and rooms that rest."""
  o.interval = min(i.checkpoint_interval_ms / 1000, i.checkpoint_gifts / max(i.gifts / p, 1e-9))
  changed = raw = ids = shown = rests = 0.0
  for n, rate in i.classes:
    hit = n * -math.expm1(-rate * o.interval)
    kept = min(IDS_MAX, rate * DEDUPE_S)
    on_screen = min(i.slots, rate * SHOWN_S)
    size = 300 + kept * (12 + i.id_bytes) + on_screen * 330 + i.waiting * 320
    changed += hit
    raw += hit * size
    ids += n * kept
    shown += n * on_screen
    rests += n * rate * math.exp(-rate * (REST_S + DEDUPE_S))
  o.ids, o.shown = ids, shown
  o.changed, o.snapshot = changed, raw / changed if changed else 0
  o.all_state = o.snapshot * o.awake
  o.state_raw = (raw / o.interval + rests * 200 + p * 1000 / o.interval) / instances
  o.state = o.state_raw * 0.34 + p * 2 * (BATCH + MARKER) / o.interval / instances


def restore(i, cores, records, rooms, snapshot):
  """Seconds until an instance has brought these back: its cores alone, and as seen on a crowded machine."""
  cpu = i.slower * (records * COST.replayed_gift + rooms * (COST.room_made + snapshot * COST.snapshot_byte))
  return COST.restore_fixed_s + cpu / cores, COST.restore_fixed_s + cpu / cores * COST.crowding


def predict(given):
  i = SimpleNamespace(**given)
  i.classes = room_classes(int(i.rooms), i.skew, i.gifts)
  instances = int(i.instances)
  r = SimpleNamespace(i=i)
  r.needed, count = None, 1
  while r.needed is None and count <= 10_000:
    p = int(i.partitions) or max(8, 6 * count)
    if p < count:
      break
    o = at(i, p, count)
    _, busiest = shares(i.classes, i.gifts, p, count)
    cpu = o.cpu + (busiest - i.gifts / count) * COST.hot_gift * i.slower
    if cpu <= i.cores * i.use and busiest * COST.loop_gift * i.slower <= i.use:
      r.needed = count
    count += 1 if count < 64 else count // 32
  r.count = instances or r.needed or count
  r.p = p = int(i.partitions) or max(8, 6 * r.count)
  r.o = o = at(i, p, min(r.count, p))
  r.count = min(r.count, p)
  r.busiest_partition, r.busiest = shares(i.classes, i.gifts, p, r.count)
  r.busiest_cpu = o.cpu + (r.busiest - i.gifts / r.count) * COST.hot_gift * i.slower
  r.room = i.classes[0][1]
  cluster(i, r)
  moves(i, r)
  rooms_max(i, r)
  return r


def cluster(i, r):
  o, n = r.o, r.count
  r.topics = {"input (read)": i.gifts * i.input_bytes, "output": o.output * n, "journal": o.journal * n, "state": o.state * n,
              "__consumer_offsets": o.offsets * n, "__transaction_state": o.transactions * n}
  r.written = sum(r.topics.values()) - r.topics["input (read)"]
  markers = o.commits * min(i.brokers, 2 * r.p / n + 1)
  r.requests = {"fetches": o.fetches * n, "produces": o.produces * n, "transactions": o.coordinator * n, "offsets": o.commits * n,
                "heartbeats": 2 * n, "markers (broker to broker)": markers * n}
  r.partition_rate = o.commits * n * 2     # appends to the one partition of __consumer_offsets that the group has
  r.connections = n * 4 * (i.brokers + 1)


def moved(p, fewer):
  """Partitions that have another owner with one member more than `fewer`, or with that one gone; the mean over its places in the order."""
  before, after = range_assignment(p, fewer), range_assignment(p, fewer + 1)
  places = range(0, fewer + 1, max(1, fewer // 50))
  same = sum(x + (x >= place) == y for place in places for x, y in zip(before, after))
  return round(p - same / len(places))


def moves(i, r):
  o, n, p = r.o, r.count, r.p
  r.cooperative = tuple(int(x) for x in i.librdkafka.split(".")[:3]) >= (2, 6, 1)
  if r.cooperative:
    r.moved_added, r.moved_gone = p // (n + 1), math.ceil(p / n)
  else:
    r.moved_added = moved(p, n) if n < p else 0
    r.moved_gone = moved(p, n - 1) if n > 1 else p
  r.restored = r.moved_added if r.cooperative else p
  write = min(HAND_OVER_S, o.changed / n * o.snapshot / 300e6 + i.commit_interval_ms / 1000)
  after_planned = (i.gifts / n * write, o.awake / n, o.snapshot)
  r.planned = [REBALANCE_HEARTBEAT_S / 2 + write + JOIN_S + t for t in restore(i, i.cores, *after_planned)]
  since = i.gifts / p * min(o.interval + r.p / n * 0.1, 1e9)
  share = p / n
  r.crash_records = since * share
  r.restart = restore(i, i.cores, r.crash_records, o.awake / n, o.snapshot)
  # Survivors share what the dead one had; eager ones restore their own as well, but those were swept a moment before.
  spread = restore(i, i.cores, r.crash_records / max(1, min(n - 1, share)), o.awake / n / max(1, min(n - 1, share)), o.snapshot)
  r.crash = [i.session_ms / 1000 + REBALANCE_HEARTBEAT_S / 2 + (0 if r.cooperative else write) + JOIN_S + t for t in spread]


def rooms_max(i, r):
  r.stages = {
    "its engine, serial, one core (plain)": 1 / COST.engine_gift / i.slower,
    "its engine and what it says, serial (busy, queue overflows)": 1 / (COST.engine_gift_busy + COST.said_busy) / i.slower,
    "librdkafka's thread of that broker": 1 / COST.client_gift / i.slower,
    "the loop of its instance: decoding, routing": 1 / COST.loop_gift / i.slower,
    "its partition's log (--partition-mb)": i.partition_mb * 1e6 / i.input_bytes,
  }
  cores_bound = i.cores / (COST.client_gift + COST.loop_gift + COST.engine_gift) / i.slower
  r.stages["the cores of its instance"] = cores_bound
  r.room_max_by, r.room_max = min(r.stages.items(), key=lambda x: x[1])
