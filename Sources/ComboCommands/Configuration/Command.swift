/// What the program can be told to do.
enum Command: String, CaseIterable, Sendable {
  case run, serve, live, demo, replay, tune, generate, verify, explain, redrive, watch, check
  case seek
  case resetClock = "reset-clock"
  case map, config, completions, man

  /// What it does, in one line.
  var summary: String {
    switch self {
    case .run: "the service: gifts from Kafka in, display instructions to Kafka out"
    case .live: "the service without Kafka: gifts from connectors in, banners for browser sources out, one file"
    case .serve: "any room over HTTP, from the output topic: for viewers, as many instances as wanted"
    case .demo: "the service without a broker, fed with made-up gifts, drawn in the terminal"
    case .replay: "events as JSON lines in, instructions as JSON lines out, in virtual time"
    case .tune: "one recording of gifts under many settings: how long gifts would wait, and what would be seen of them"
    case .generate: "made-up gifts into a file or a topic"
    case .verify: "derives the output again from input and journal, and compares byte for byte"
    case .explain: "what became of a gift: when it was shown, or why it was not; from input and journal"
    case .redrive: "dead letters back to the input: what there is, which of them, and each at most once"
    case .watch: "a room's banners in the terminal, from the output topic"
    case .check: "tries whether the service can work with these brokers, topics and rights, and says how to fix what is wrong"
    case .seek: "moves a group on in its input: to a time, to offsets or to the end; says first what is skipped"
    case .resetClock: "brings back partitions whose time lies ahead of the clock, after a clock was wrong; their rooms begin anew"
    case .map: "what a map makes of records, field by field, and why; and the maps themselves"
    case .config: "every option of a command: its value, and where that comes from"
    case .completions: "what a shell needs to complete command lines: bash, zsh or fish"
    case .man: "the manual page, for man -l"
    }
  }

  /// What stands behind the options, if anything may.
  var operand: String? {
    switch self {
    case .replay, .tune, .map: "FILE"
    case .watch: "ROOM"
    case .config: "COMMAND"
    case .completions: "SHELL"
    case .run, .serve, .live, .demo, .generate, .verify, .explain, .redrive, .check, .seek, .resetClock, .man: nil
    }
  }

  /// Whether that must be there.
  var needsOperand: Bool { self == .watch || self == .completions }

  /// More about it, for its `--help`.
  var description: String {
    switch self {
    case .run:
      """
      Reads gift events from the input topic, keeps one combo engine a room, and writes what screens shall show to the
      output topic, in transactions. SIGTERM or SIGINT ends it after a last commit.
      """
    case .live:
      """
      Reads gift events from standard input (if it is a pipe or a file), from POST /events and from each --from, keeps one
      combo engine a room, and serves the pages, the overlay and streams of events by HTTP. Records and state are kept in
      the file of --data, so that it goes on after a restart or a crash where it was. Needs no broker. Ctrl-C ends it.

      A SOURCE is - (standard input), post (POST /events) or the address of a WebSocket server, then perhaps ,map=NAME
      ,room=ROOM and ,hello=FILE (lines to send after each connect): --from ws://127.0.0.1:21213,map=tiktok,room=anna
      docs/live.md shows it step by step.
      """
    case .serve:
      """
      Reads the output topic, all of it or some --partitions, and serves any room over HTTP: its screen at once, then its instructions.
      It belongs to no group, keeps nothing and writes nothing: run as many as viewers need. Once it has read the last --back seconds it
      knows every room. SIGTERM or SIGINT ends it. docs/fan-out.md tells how to reach many viewers.
      """
    case .demo:
      """
      Needs no broker: a file keeps gifts, state and instructions (--data), exactly once. Killed and started again it goes
      on where it was. Ctrl-C or `q` ends it.
      """
    case .replay:
      """
      Reads FILE, or standard input if there is none or it is `-`. The time of an event is its `ts`. Blank lines are
      skipped; a bad line is reported with its number on standard error and skipped, and the exit code is 1 at the end.
      After the last line every room goes on until it is idle.

      Instructions are written in the order of the lines that led to them, so the same input gives the same bytes. Up to
      --max-rested-rooms rooms are remembered however long they are silent; above that, a room is forgotten once it has
      rested longer than all rooms of the latest 131,072 lines have: exact, unless its times jump back behind those.
      """
    case .tune:
      """
      Reads FILE (events as JSON lines), or standard input if there is none or it is `-`, or a topic (--input, from --since
      to --until), once, and replays it under each combination of settings, exactly as `replay` would. The other options give
      the settings as they are. --vary names a setting and the values to try; several of them make all combinations.
      --settings takes files of options, as --config does, and is followed by all of them:
      combo-consumer tune gifts.jsonl --settings a.conf b.conf

      Prints for each combination how long gifts wait until they are seen, how many are skipped, how long a banner is seen
      and how full the screen is. The best are marked with *. --html writes the same as a page with plots. A list (tiers,
      milestones) is separated from the next by /, as in --vary tiers=none/1000:4000:1000. At most 200 combinations are
      compared at once.

      The time of an event is its `ts`; in a topic, else its record's. Bad records are reported and skipped, and the exit
      code is 1 at the end. docs/tuning.md shows it step by step.
      """
    case .generate:
      """
      To a file or standard output, the times are virtual: they begin at 1732104000000 and advance by --rate (100,000 a
      second if that is 0); nothing waits, and the same options give the same bytes. To a topic, the times are those of
      the clock, and --rate is kept. Without --events and --seconds it makes 1,000,000 events.
      """
    case .verify:
      """
      Reads input, journal and output, derives every instruction again, and compares; checks beside it that no `seq` is
      missing, that what a client draws is what each `screen` says, and that every gift is told of once. Ends with a
      summary: exit code 0 if nothing differs, 1 if something does or nothing could be compared. What cannot be derived
      any more is counted as not provable, never as right. A transaction that stays open in the output is waited for for
      15 s; what stands behind it is not compared, which is said. Reads only, and may run beside the service.
      """
    case .explain:
      """
      Derives one room again from input and journal, and prints a line for each of its gifts, or for those of --sender, --gift,
      --id, --since and --until: when it was taken in and shown, or why it was not. Of what no room took in it prints the nearest
      miss: a dead letter, dropped by the map, of another room, not yet committed, passed over by seek, or from before what the journal
      reaches back to. Exit code 0 if anything was found, else 1.

      Reads the partition of the room only, from the nearest checkpoint before --since that the state topic still has, else from the
      journal's beginning. It reads only, and may run beside the service. docs/why-not-seen.md shows it.
      """
    case .redrive:
      """
      Lists the records of the dead-letter topic by code and reason. With --yes it sends those that match back to the
      input: key, value, timestamp and headers as they were, to the partition where they were. Without --yes nothing is sent.
      Fix what made them bad first (the map, --room-from-body, the producer), and restart the service with it.

      Records go back in transactions that also write a receipt into the dead-letter topic, so no record is sent twice, however
      often the command is run or killed. A record that comes back as a dead letter again is sent again only if
      --max-redrives allows it. Truncated records and records of another input are never sent. Gifts count when they are taken
      in, not when they were first sent.
      """
    case .watch:
      """
      Draws the room as a viewer's screen would be, from the instructions in the output topic; Ctrl-C or `q` ends it. What is
      on its screen at first is looked for in what it has said in the last --back seconds, and further back if that does not
      tell. Where there is no terminal it prints a line for each banner that comes, counts up or goes.

      With --once it prints what is on the screen now and ends: a line a banner, the lowest slot first, with tabs between slot,
      count, sender, receiver and gift (names, or ids where there are none); nothing if the screen is empty. The exit code
      is 1 if nobody can tell.
      """
    case .check:
      """
      Takes the options of `run`. Asks each broker, looks at the topics, their partitions and policies, and really tries every
      right that the service needs: it reads, and it writes in a transaction that is aborted, so that no reader who reads
      committed records ever sees any of it. Nothing is created or changed, no running instance is disturbed. Each line says
      ok, note or FAULT; behind a fault stands how to fix it. Exit code 0 if the service can work, 1 if not.
      """
    case .seek:
      """
      Takes the options of `run`. Says for each partition where it stands, where it would go on, and how many records would be
      skipped; with --yes it does so. All instances of the group must be stopped first. The skipped records count for nothing,
      and all rooms of a partition that moves begin a new epoch: what was on screen is cleared. The journal says so, and
      `verify` proves what follows.

      A group never goes back: gifts would count twice. To derive a part of the input again, take a new --group and --output,
      and seek there: a group that has read nothing may begin anywhere. Running the command twice changes nothing more.
      """
    case .resetClock:
      """
      Takes the options of `run`. For when a clock was far ahead for a while, and partitions took its time over: the time of a
      partition never falls by itself. Stop all instances of the group first. This joins the group in their place, sets each
      partition whose time lies more than 5 s ahead back to this machine's clock, and ends. All rooms of such a partition begin a
      new epoch: their screens are cleared, and gifts that still waited are not shown. No other partition is touched. Exit code
      0 if all partitions of the input were looked at, 1 if not.
      """
    case .map:
      """
      Shows for each record of FILE (or of standard input, if that is `-` or missing), or for the newest of a topic, what --map makes of it: the
      rule that decided, and each field with where it was taken from, what stands there and what it becomes. FILE has JSON
      lines, one JSON record over many lines, or STT lines. The exit code is 1 if any record is bad. docs/mapping.md
      describes the file of a map; --infer proposes one, and takes the elements of an array as its samples.
      """
    case .config:
      """
      Takes the options of COMMAND (run, if none is named; it comes first), does nothing with them, and prints every option
      that COMMAND has with its value and where that comes from: the command line, the environment, a line of --config or
      --kafka-file, or nobody. Passwords and keys are masked. Exit code 2 if COMMAND would refuse them; each fault is then
      said on standard error.
      """
    case .completions:
      """
      In bash: source <(combo-consumer completions bash). For good, write it to
      /usr/share/bash-completion/completions/combo-consumer, for zsh to _combo-consumer in a folder of $fpath, for fish to
      ~/.config/fish/completions/combo-consumer.fish.
      """
    case .man:
      """
      To read it: combo-consumer man | man -l -. For good, write it to /usr/local/share/man/man1/combo-consumer.1.
      """
    }
  }
}
