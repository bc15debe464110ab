enum Command: String, CaseIterable, Sendable {
  case run, serve, live, demo, replay, tune, generate, verify, explain, redrive, watch, check
  case seek
  case resetClock = "reset-clock"
  case map, config, completions, man

  /// The command's purpose in one line.
  var summary: String {
    switch self {
    case .run: "run the service, which reads gifts from Kafka and writes display instructions to Kafka"
    case .live:
      "run the service without Kafka, with gifts from connectors, banners for browser sources, and one file for its state"
    case .serve: "serve any room from the output topic to viewers over HTTP, on any number of instances"
    case .demo: "run the service without a broker, with made-up gifts, and draw its banners in the terminal"
    case .replay: "read events as JSON lines and print instructions as JSON lines, in virtual time"
    case .tune: "compare settings by replaying one recording of gifts under each of them"
    case .generate: "write made-up gifts to a file or a topic"
    case .verify: "derive the output again from input and journal, and compare it byte for byte"
    case .explain: "explain what became of a gift: when it was shown, or why it was not"
    case .redrive: "list dead letters, and send selected ones back to the input, each at most once"
    case .watch: "draw a room's banners in the terminal, from the output topic"
    case .check: "check whether the service can work with these brokers, topics and permissions, and print a fix for each fault"
    case .seek: "move a group ahead in its input, to a time, to offsets or to the end"
    case .resetClock: "reset partitions whose time is ahead of the clock; their rooms begin a new epoch"
    case .map: "show how a map reads records, field by field; list, check and propose maps"
    case .config: "print every option of a command with its value and its source"
    case .completions: "print command-line completions for bash, zsh or fish"
    case .man: "print the manual page, for man -l"
    }
  }

  /// The operand after the options, if the command accepts one.
  var operand: String? {
    switch self {
    case .replay, .tune, .map: "FILE"
    case .watch: "ROOM"
    case .config: "COMMAND"
    case .completions: "SHELL"
    case .run, .serve, .live, .demo, .generate, .verify, .explain, .redrive, .check, .seek, .resetClock, .man: nil
    }
  }

  var needsOperand: Bool { self == .watch || self == .completions }

  /// The details for the command's `--help`.
  var description: String {
    switch self {
    case .run:
      """
      Reads gift events from the input topic, runs one combo engine per room, and writes display instructions to the output
      topic in transactions. SIGTERM or SIGINT stops it after a last commit.
      """
    case .live:
      """
      Reads gift events from standard input (if it is a pipe or a file), from POST /events and from each --from, runs one
      combo engine per room, and serves the pages, the overlay and event streams over HTTP. The file of --data keeps
      records and state, so the service continues after a restart or a crash. It needs no broker. Ctrl-C stops it.

      A SOURCE is - (standard input), post (POST /events) or the address of a WebSocket server. It may be followed by
      ,map=NAME ,room=ROOM ,hello=FILE (lines to send after each connect) and ,password=FILE. For example:
      --from ws://127.0.0.1:21213,map=tiktok,room=anna. docs/live.md has the steps.
      """
    case .serve:
      """
      Reads the output topic, or some of its --partitions, and serves any room over HTTP: first its screen, then its
      instructions. It joins no group and writes nothing, so any number of instances can run. It begins twice --back seconds
      before the newest record of each partition, and answers once it has read up to now. A room of which it has read neither
      the beginning nor a `screen` is unknown until its next `screen`: its viewers get instructions without a screen before.
      SIGTERM or SIGINT stops it. docs/fan-out.md describes how to reach many viewers.
      """
    case .demo:
      """
      Needs no broker: a file (--data) keeps gifts, state and instructions, exactly once. If it is killed, the next start
      continues where it stopped. Ctrl-C or `q` stops it.
      """
    case .replay:
      """
      Reads FILE, or standard input if FILE is missing or `-`. The time of an event is its `ts`. Blank lines are skipped. A
      bad line is skipped too, and reported on standard error with its number; the exit code is then 1. After the last line,
      every room is advanced until it is idle.

      With --map, a gift without a room goes to the room `replay`, and one without a time comes at the room's last time, or
      at 0.

      Instructions are written in the order of the lines that led to them, so the same input gives the same bytes. Up to
      --max-rested-rooms rooms are remembered, however long they are silent. Beyond that number, a room is forgotten once it
      has rested longer than all rooms of the latest 131,072 lines. This is exact unless the times in the file jump back; in a
      pipe that pauses, the place of its last instructions among those of other rooms depends on the pauses.
      """
    case .tune:
      """
      Reads FILE (events as JSON lines), standard input (if FILE is missing or `-`), a topic (--input) or a file of `live`
      (--data), the last two from --since to --until, and replays the gifts under each combination of settings, exactly as
      `replay` would. The combo settings are the current ones, to compare with. --vary names a setting and the values to try;
      several --vary try all combinations. --settings takes one or more option files like those of --config:
      combo-consumer tune gifts.jsonl --settings a.conf b.conf

      Prints for each combination how long gifts wait until they are seen, how many are skipped, how long a banner is seen
      and how full the screen is. The best combination is marked with *. --html writes the same as a page with plots. Values
      that are lists (tiers, milestones) are separated by /, as in --vary tiers=none/1000:4000:1000. At most 200 combinations
      are compared at once.

      The time of an event is its `ts`; in a topic, an event without `ts` takes its record's timestamp. Bad records are
      reported and skipped; the exit code is then 1. docs/tuning.md has the steps.
      """
    case .generate:
      """
      In a file or on standard output, times are virtual: they begin at 1732104000000 and advance by --rate (100,000 events
      per second if it is 0), and the same options give the same bytes. In a topic, times are those of the clock, and --rate
      is real. Without --events and --seconds, it writes 1,000,000 events.
      """
    case .verify:
      """
      Reads input, journal and output, derives every instruction again, and compares them byte for byte. It also checks that
      no `seq` is missing, that each `screen` equals what a client has drawn, and that every gift is counted once. Records
      that can no longer be derived count as not provable, never as correct. It waits 15 s for a transaction that stays open
      in the output; records behind it are not compared. It only reads, and may run while the service runs. Exit code 0 if
      nothing differs, 1 if something does or nothing could be compared.
      """
    case .explain:
      """
      Derives one room again from input and journal, and prints a line for each of its gifts, or only for those that match
      --sender, --gift, --id, --since and --until: when it was taken in and shown, or why it was not. For a gift that no room
      took in, it prints the reason: a dead letter, dropped by the map, not yet committed, aborted by its producer, skipped by
      seek, or older than the journal. If no gift matches, it prints the nearest ones: of another room, sender, kind or time.
      The exit code is 0 if a gift was found that matches, else 1.

      Reads only the room's partition, from the nearest checkpoint before --since that the state topic still has, or else from
      the journal's beginning. If nothing is found there, it searches all partitions. It only reads, and may run while the
      service runs. docs/why-not-seen.md has examples.
      """
    case .redrive:
      """
      Lists the records of the dead-letter topic by code and reason. With --yes it sends those that match back to the
      input: key, value, timestamp and headers as they were, to the partition where they were. Without --yes nothing is sent.
      Fix the cause first (the map, --room-from-body, the producer), and restart the service with the fix.

      Records go back in transactions that also write a receipt to the dead-letter topic, so no record is sent twice, even if
      the command is killed and repeated. A record that becomes a dead letter again is sent again only if --max-redrives
      allows it. Truncated records and records of another input are never sent. Gifts count at the time at which they are
      read, not at the time at which they were first sent.
      """
    case .watch:
      """
      Draws the room as a viewer sees it, from the instructions in the output topic. Ctrl-C or `q` stops it. It finds the first
      screen in the instructions of the last --back seconds, or further back if there is none. Without a terminal it prints a
      line for each banner that appears, counts up or leaves.

      With --once it prints the current screen and exits: one line per banner, the lowest slot first, with tabs between slot,
      count, sender, receiver and gift (names, or ids if there are none). It prints nothing for an empty screen. The exit code
      is 1 if the screen cannot be determined.
      """
    case .check:
      """
      Takes the options of `run`. It connects to each broker, checks the topics, their partitions and policies, and tries every
      permission that the service needs: it reads, and it writes in a transaction that it aborts, which readers of committed
      records never see. It creates and changes nothing, and does not disturb running instances. Each line begins with ok,
      note or FAULT; a fault is followed by its fix. The exit code is 0 if the service can work, else 1.
      """
    case .seek:
      """
      Takes the options of `run`. Prints for each partition its offset, the new offset, and the number of skipped records; with
      --yes it moves the group. Stop all instances of the group first. Skipped gifts are not counted, and all rooms of a
      partition that moves begin a new epoch with an empty screen. The journal records this, and `verify` proves the output
      that follows.

      A group never goes back, because gifts would count twice. To derive a part of the input again, use a new --group and
      --output, and seek with that group: a new group may begin anywhere. Running the command again has no further effect.
      """
    case .resetClock:
      """
      Takes the options of `run`. Use it after partitions have followed a clock that was far ahead: the time of a partition
      never goes back by itself. Prints the time of each partition. With --yes, it joins the group, sets each partition whose
      time is more than 5 s ahead back to this machine's clock, and exits; stop all instances of the group first. All rooms of
      such a partition begin a new epoch: their screens are cleared, and waiting gifts are not shown. The exit code is 0 if all
      partitions of the input were checked, else 1.
      """
    case .map:
      """
      Shows how --map reads each record of FILE (standard input if FILE is missing or `-`), or the newest records of a topic:
      the rule that decided, and each field with its place in the record, the value there, and the result. FILE holds JSON
      lines, one JSON record over many lines, or STT lines. The exit code is 1 if any record is bad. docs/mapping.md describes
      the map file. --infer proposes a map from samples, one per line or as the elements of an array.
      """
    case .config:
      """
      Takes COMMAND (default: run) and its options, and prints every option of COMMAND with its value and its source: the
      command line, the environment, a line of --config or --kafka-file, or the default. Passwords and keys are masked. If
      COMMAND would refuse the options, the faults are printed on standard error, and the exit code is 2.
      """
    case .completions:
      """
      To use them in this bash: source <(combo-consumer completions bash). To install them, write the output to
      /usr/share/bash-completion/completions/combo-consumer for bash, to _combo-consumer in a folder of $fpath for zsh, or to
      ~/.config/fish/completions/combo-consumer.fish for fish.
      """
    case .man:
      """
      To read it: combo-consumer man | man -l -. To install it, write it to /usr/local/share/man/man1/combo-consumer.1.
      """
    }
  }
}
