"""Where a program's instructions go: valgrind's callgrind, its own format read."""

import collections
import os
import re


def command(program, arguments, out):
  return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--compress-strings=no", "--compress-pos=no", program, *arguments]


# The stage that a function belongs to: the first one whose pattern fits `object function`.
STAGES = [(stage, re.compile(pattern)) for stage, pattern in [
  ("librdkafka", r"librdkafka"),
  ("compression, checksums", r"liblz4|libzstd|libz\.|libsnappy|LZ4"),
  ("encode", r"InstructionEncoder"),
  ("decode", r"libsimdjson|EventDecoder|JSONText|JSONParser|BumpArena|csj_|csimdjson|simdjson"),
  ("engine", r"\$s9ComboCore|9ComboCore"),
  ("journal and state", r"\$s9ComboWire|XXH3"),
  ("bytes and memory (libc)", r"libc\.so|libc-|libjemalloc|vgpreload|ld-linux|libpthread"),
  ("Swift's runtime", r"libswift"),
]]


def by_stage(path, rest):
  """Returns stage -> instructions; `rest` is the stage of functions that fit none. A call's cost is the callee's."""
  found = collections.Counter()
  owner, function, stage, skip = "", "", rest, False
  for line in open(path, errors="replace"):
    if line.startswith(("ob=", "fn=")):
      if line[0] == "o":
        owner = os.path.basename(line[3:].strip())
      else:
        function = line[3:].strip()
      stage = next((name for name, pattern in STAGES if pattern.search(f"{owner} {function}")), rest)
    elif line.startswith("calls="):
      skip = True
    elif line[:1].isdigit() or line[:1] in "+-*":
      if skip:
        skip = False
      else:
        numbers = line.split()
        if len(numbers) == 2:
          found[stage] += int(numbers[1])
  return found
