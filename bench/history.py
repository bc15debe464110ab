"""Medians of earlier runs: bench/history.jsonl, one JSON object a line, and bench/history.md, which draws them.

An object has `date`, `commit` (with `+` if there were changes), `machine`, `compiler`, `arguments`, and `figures`: by part, by name, the
median. Runs are compared only with those of the same machine, compiler and arguments."""

import json
import os
import re
import subprocess

import plots

# The figures that the chart has, by part and name: what a change of the program is seen in first.
DRAWN = [
  ("engine", "engine, plain"), ("engine", "engine, busy"), ("decode", "decode"), ("encode", "encode"), ("replay", "replay"),
  ("wide", "combo-consumer, gifts a CPU second"), ("busy", "combo-consumer, gifts a CPU second"),
]
UNITS = {"k": 1e3, "M": 1e6}


def number(text):
  """Returns the number with which a text begins, as in `8470k gifts/s`, `1.01 M` or `39 %`; None if there is none."""
  found = re.match(r"([\d,]*\.?\d+) ?([kM]?)(?![A-Za-z])", text)
  if not found:
    found = re.match(r"([\d,]*\.?\d+)([kM]?)", text)
  return float(found[1].replace(",", "")) * UNITS.get(found[2], 1) if found else None


def figures(lines, tables):
  """Returns the medians in what a part has printed."""
  found = {}
  for line in lines:
    said = re.match(r"\* ([^:]+): (?:.*?)median (.*)", line)
    if said and number(said[2]) is not None:
      found[said[1]] = number(said[2])
  for head, rows in tables:
    for name, *cells in rows:
      for title, cell in zip(head[1:], cells):
        if number(cell) is not None:
          found[", ".join(filter(None, (name.strip("*` "), title)))] = number(cell)
  return found


def commit(root):
  def git(*words):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True).stdout.strip()
  changed = [line for line in git("status", "--porcelain").splitlines() if not line.endswith(("bench/history.jsonl", "bench/history.md", ".svg"))]
  return (git("rev-parse", "--short=8", "HEAD") or "unknown") + ("+" if changed else "")


def compiler():
  said = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
  found = re.search(r"Swift version (\S+)", said)
  return f"Swift {found[1]}" if found else "unknown"


def read(path):
  if not os.path.exists(path):
    return []
  return [json.loads(line) for line in open(path) if line.strip()]


def alike(runs):
  """Returns the runs that can be compared with the newest one, that one last."""
  same = ("machine", "compiler", "arguments")
  return [run for run in runs if all(run[key] == runs[-1][key] for key in same)]


def series(runs):
  """Returns the lines of the chart: each figure relative to its first one."""
  lines = {}
  for part, name in DRAWN:
    points = [(index + 1, run["figures"][part][name]) for index, run in enumerate(runs) if name in run["figures"].get(part, {})]
    if points:
      lines[name if name == part or part == "engine" else part] = [(x, y / points[0][1]) for x, y in points]
  return lines


def draw(root, runs):
  runs = alike(runs)
  lines = series(runs)
  if lines:
    svg = plots.lines("Gifts by time or CPU time, relative to the first run", "run", "times the first", lines)
    with open(os.path.join(root, "docs/plots/history.svg"), "w") as file:
      file.write(svg)
  rows = []
  for part, figures in sorted({part: run["figures"][part] for run in runs for part in run["figures"]}.items()):
    for name in figures:
      values = [(run, run["figures"][part][name]) for run in runs if name in run["figures"].get(part, {})]
      (_, first), (newest, last) = values[0], values[-1]
      change = f"{(last / first - 1) * 100:+.0f} %" if first and len(values) > 1 else ""
      rows.append(f"| {part} | {name} | {last:,.6g} | {newest['commit']} | {change} | {len(values)} |")
  run = runs[-1]
  text = f"""# History of the benchmarks

Drawn by each `make bench` from [history.jsonl](history.jsonl). It has the runs that can be compared with the newest one:
{run["machine"]}; {run["compiler"]}; arguments `{run["arguments"] or "none"}`. Machines are noisy: a change of 10 % in one
run means nothing.

![figures by run](../docs/plots/history.svg)

| part | figure | newest median | commit | since the first run | runs |
| --- | --- | ---: | --- | ---: | ---: |
""" + "\n".join(rows) + "\n"
  with open(os.path.join(root, "bench/history.md"), "w") as file:
    file.write(text)


def remember(root, date, machine, arguments, measured):
  """Appends a run, and draws the page."""
  path = os.path.join(root, "bench/history.jsonl")
  run = {"date": date, "commit": commit(root), "machine": machine, "compiler": compiler(), "arguments": arguments, "figures": measured}
  with open(path, "a") as file:
    file.write(json.dumps(run, ensure_ascii=False) + "\n")
  draw(root, read(path))
