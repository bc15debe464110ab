"""What was measured: printed as it comes, and put between the marks of its part in a page, so that each part can be measured again
alone. A part without marks is only printed."""

import os
import re

import history


class Results:
  def __init__(self, root, arguments, machine, date):
    self.root, self.arguments, self.machine, self.date = root, arguments, machine, date
    self.sections, self.plots, self.measured = {}, {}, {}

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
    self.lines += [f"![{what}](../docs/plots/{name}.svg)", ""]

  def end(self):
    self.sections[self.part] = "\n".join(self.lines).strip("\n")
    self.measured[self.part] = history.figures(self.lines, self.tables)

  def remember(self):
    """Appends the medians to the history."""
    if self.measured:
      history.remember(self.root, self.date, self.machine, self.arguments, self.measured)

  def write(self):
    """Writes the measured parts into docs/performance.md. A part names its machine only if that is not the page's."""
    path = os.path.join(self.root, "docs/performance.md")
    text = open(path).read()
    where = "" if f"\nMachine: {self.machine}.\n" in text else f"; {self.machine}"
    for part, body in self.sections.items():
      begin, end = f"<!-- bench {part} -->", f"<!-- end of bench {part} -->"
      command = f'make bench ARGS="{part} {self.arguments}'.rstrip() + '"'
      section = f"{begin}\n{body}\n\n`{command}`{where}; {self.date}.\n{end}".replace("](../docs/plots/", "](plots/")
      text, places = re.subn(re.escape(begin) + ".*?" + re.escape(end), lambda _, section=section: section, text, flags=re.S)
      if not places:
        print(f"not written, as docs/performance.md has no table for it: {part}")
    with open(path, "w") as file:
      file.write(text)
    os.makedirs(os.path.join(self.root, "docs/plots"), exist_ok=True)
    for name, svg in self.plots.items():
      with open(os.path.join(self.root, f"docs/plots/{name}.svg"), "w") as file:
        file.write(svg)
