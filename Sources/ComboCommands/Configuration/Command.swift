/// A command of the program.
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
    case .serve: "any room over HTTP, from the output topic: for viewers, on any number of instances"
    case .demo: "the service without a broker, fed with made-up gifts, drawn in the terminal"
    case .replay: "events as JSON lines in, instructions as JSON lines out, in virtual time"
    case .tune: "compares settings: replays one recording of gifts under many of them"
    case .generate: "made-up gifts into a file or a topic"
    case .verify: "derives the output again from input and journal, and compares byte for byte"
    case .explain: "what became of a gift: when it was shown, or why it was not; from input and journal"
    case .redrive: "dead letters back to the input: what there is, which of them, and each at most once"
    case .watch: "a room's banners in the terminal, from the output topic"
    case .check: "tries whether the service can work with these brokers, topics and rights, and prints a fix for each fault"
    case .seek: "moves a group ahead in its input: to a time, to offsets or to the end"
    case .resetClock: "brings back partitions whose time is ahead of the clock; their rooms begin a new epoch"
    case .map: "shows how a map reads records, field by field; and the maps themselves"
    case .config: "every option of a command with its value and its source"
    case .completions: "completions of command lines for bash, zsh or fish"
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
      Reads gift events from the input topic, runs one combo engine for each room, and writes display instructions to the
      output topic, in transactions. SIGTERM or SIGINT ends it after a last commit.
      """
    case .live:
      """
      Reads gift events from standard input (if it is a pipe or a file), from POST /events and from each --from, runs one
      combo engine for each room, and serves the pages, the overlay and event streams over HTTP. The file of --data keeps
      records and state, so that it continues after a restart or a crash. Needs no broker. Ctrl-C ends it.

      A SOURCE is - (standard input), post (POST /events) or the address of a WebSocket server, then perhaps ,map=NAME
      ,room=ROOM and ,hello=FILE (lines to send after each connect): --from ws://127.0.0.1:21213,map=tiktok,room=anna
      docs/live.md has the steps.
      """
    case .serve:
      """
      Reads the output topic, or some of its --partitions, and serves any room over HTTP: first its screen, then its
      instructions. It joins no group and writes nothing, so any number of instances can run. It knows every room once it has
      read the last --back seconds. SIGTERM or SIGINT ends it. docs/fan-out.md describes how to reach many viewers.
      """
    case .demo:
      """
      Needs no broker: a file (--data) keeps gifts, state and instructions, exactly once. After a kill it continues where it
      was. Ctrl-C or `q` ends it.
      """
    case .replay:
      """
      Reads FILE, or standard input if there is none or it is `-`. The time of an event is its `ts`. Blank lines are
      skipped; a bad line is reported with its number on standard error and skipped, and the exit code is 1 at the end.
      After the last line every room is advanced until it is idle.

      Instructions are written in the order of the lines that led to them, so the same input gives the same bytes. Up to
      --max-rested-rooms rooms are remembered, even if they are silent for long; above that, a room is forgotten once it has
      rested longer than all rooms of the latest 131,072 lines. This is exact unless the times in the file jump back.
      """
    case .tune:
      """
      Reads FILE (events as JSON lines), or standard input if there is none or it is `-`, or a topic (--input, from --since
      to --until), once, and replays it under each combination of settings, exactly as `replay` would. The other options are
      the current settings. --vary names a setting and the values to try; several of them make all combinations.
      --settings takes files of options, as --config does, and is followed by all of them:
      combo-consumer tune gifts.jsonl --settings a.conf b.conf

      Prints for each combination how long gifts wait until they are seen, how many are skipped, how long a banner is seen
      and how full the screen is. The best are marked with *. --html writes the same as a page with plots. A list (tiers,
      milestones) is separated from the next by /, as in --vary tiers=none/1000:4000:1000. At most 200 combinations are
      compared at once.

      The time of an event is its `ts`; in a topic, else its record's. Bad records are reported and skipped, and the exit
      code is 1 at the end. docs/tuning.md has the steps.
      """
    case .generate:
      """
      In a file or on standard output, the times are virtual: they begin at 1732104000000 and advance by --rate (100,000 a
      second if that is 0), and the same options give the same bytes. In a topic, the times are those of the clock, and
      --rate is real. Without --events and --seconds it makes 1,000,000 events.
      """
    case .verify:
      """
      Reads input, journal and output, derives every instruction again, and compares them byte for byte. It also checks that
      no `seq` is missing, that each `screen` equals the drawing of a client, and that every gift is counted once. Records
      that cannot be derived any more count as not provable, never as right. It waits 15 s for a transaction that stays open
      in the output; records behind it are not compared. It only reads, and may run while the service runs. Exit code 0 if
      nothing differs, 1 if something does or nothing could be compared.
      """
    case .explain:
      """
      Derives one room again from input and journal, and prints a line for each of its gifts, or for those of --sender, --gift,
      --id, --since and --until: when it was taken in and shown, or why it was not. Of a gift that no room took in it prints why:
      a dead letter, dropped by the map, not yet committed, aborted by its producer, passed over by seek, or from before what the
      journal reaches back to. If there is no such gift, it prints the nearest ones: of another room, sender, kind or time. Exit
      code 0 if anything was found, else 1.

      Reads the partition of the room only, from the nearest checkpoint before --since that the state topic still has, else from the
      journal's beginning. If nothing is found there, all partitions are searched. It reads only, and may run beside the service.
      docs/why-not-seen.md shows it.
      """
    case .redrive:
      """
      Lists the records of the dead-letter topic by code and reason. With --yes it sends those that match back to the
      input: key, value, timestamp and headers as they were, to the partition where they were. Without --yes nothing is sent.
      Fix the cause first (the map, --room-from-body, the producer), and restart the service with the fix.

      Records go back in transactions that also write a receipt into the dead-letter topic, so no record is sent twice, even
      if the command is killed and repeated. A record that comes back as a dead letter again is sent again only if
      --max-redrives allows it. Truncated records and records of another input are never sent. Gifts count when they are
      read, not when they were first sent.
      """
    case .watch:
      """
      Draws the room as a viewer sees it, from the instructions in the output topic. Ctrl-C or `q` ends it. It finds the first
      screen in the instructions of the last --back seconds, or further back if there is none. Without a terminal it prints a
      line for each banner that comes, counts up or goes.

      With --once it prints the current screen and ends: a line for each banner, the lowest slot first, with tabs between slot,
      count, sender, receiver and gift (names, or ids if there are none). It prints nothing for an empty screen. The exit code
      is 1 if the screen cannot be determined.
      """
    case .check:
      """
      Takes the options of `run`. It asks each broker, checks the topics, their partitions and policies, and tries every right
      that the service needs: it reads, and it writes in a transaction that is aborted, which readers of committed records
      never see. It creates and changes nothing, and does not disturb running instances. Each line begins with ok, note or
      FAULT; a fault is followed by its fix. Exit code 0 if the service can work, 1 if not.
      """
    case .seek:
      """
      Takes the options of `run`. Prints for each partition its offset, the new offset, and the number of skipped records; with
      --yes it moves the group. Stop all instances of the group first. Skipped records do not count, and all rooms of a
      partition that moves begin a new epoch with an empty screen. The journal records this, and `verify` proves the output
      that follows.

      A group never goes back: gifts would count twice. To derive a part of the input again, take a new --group and --output,
      and seek there: a group that has read nothing may begin anywhere. Running the command twice has no further effect.
      """
    case .resetClock:
      """
      Takes the options of `run`. Use it after a clock was far ahead and partitions followed it: the time of a partition never
      falls by itself. Stop all instances of the group first. The command joins the group, sets each partition whose time is
      more than 5 s ahead back to this machine's clock, and ends. All rooms of such a partition begin a new epoch: their
      screens are cleared, and waiting gifts are not shown. Exit code 0 if all partitions of the input were checked, 1 if not.
      """
    case .map:
      """
      Shows for each record of FILE (or of standard input, if that is `-` or missing), or for the newest of a topic, how --map
      reads it: the rule that decided, and each field with its place in the record, the value there, and the result. FILE has
      JSON lines, one JSON record over many lines, or STT lines. The exit code is 1 if any record is bad. docs/mapping.md
      describes the file of a map; --infer proposes one, and takes the elements of an array as its samples.
      """
    case .config:
      """
      Takes COMMAND (default: run) and its options, and prints every option of COMMAND with its value and its source: the
      command line, the environment, a line of --config or --kafka-file, or the default. Passwords and keys are masked. Exit
      code 2 if COMMAND would refuse the options; the faults are then on standard error.
      """
    case .completions:
      """
      In bash: source <(combo-consumer completions bash). To install them, write them to
      /usr/share/bash-completion/completions/combo-consumer, for zsh to _combo-consumer in a folder of $fpath, for fish to
      ~/.config/fish/completions/combo-consumer.fish.
      """
    case .man:
      """
      To read it: combo-consumer man | man -l -. To install it, write it to /usr/local/share/man/man1/combo-consumer.1.
      """
    }
  }
}
