"""What was measured: printed as it comes, with plots for docs/plots and medians for bench/history.jsonl."""

import os

import history


class Results:
  def __init__(self, root, arguments, machine, date):
    self.root, self.arguments, self.machine, self.date = root, arguments, machine, date
    self.plots, self.measured = {}, {}

  def begin(self, part):
    self.part, self.lines, self.tables = part, [], []
    print(f"## {part}", flush=True)

  def say(self, line=""):
    self.lines.append(line)
    print(line, flush=True)

  def progress(self, line):
    """Prints a line that does not become part of a page."""
    print(f"   {line}", flush=True)

  def table(self, head, rows):
    """Adds a table of texts, its first column aligned to the left, the others to the right."""
    self.tables.append((head, rows))
    self.say("| " + " | ".join(head) + " |")
    self.say("| --- |" + " ---: |" * (len(head) - 1))
    for row in rows:
      self.say("| " + " | ".join(row) + " |")
    self.say()

  def plot(self, name, svg, what):
    self.plots[name] = svg
    print(f"   docs/plots/{name}.svg: {what}", flush=True)

  def end(self):
    self.measured[self.part] = history.figures(self.lines, self.tables)

  def remember(self):
    """Appends the medians to the history."""
    if self.measured:
      history.remember(self.root, self.date, self.machine, self.arguments, self.measured)

  def write(self):
    """Writes the plots. The figures of docs/performance.md, one for each fact, are put there by hand."""
    os.makedirs(os.path.join(self.root, "docs/plots"), exist_ok=True)
    for name, svg in self.plots.items():
      with open(os.path.join(self.root, f"docs/plots/{name}.svg"), "w") as file:
        file.write(svg)
