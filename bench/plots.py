"""Charts as SVG, without a library: two kinds, of some lines each, are all that is needed."""

import math
from xml.sax.saxutils import escape

COLORS = ["#2b6cb0", "#a0aec0", "#dd6b20", "#805ad5", "#2f855a", "#b83280"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 360, 76, 16, 64, 48


def number(x):
  for limit, unit in ((1e6, " M"), (1e3, " k")):
    if abs(x) >= limit:
      return f"{x / limit:.3g}{unit}"
  return f"{x:.3g}"


def steps(low, high, logarithmic):
  """Returns the values at which an axis has lines."""
  if logarithmic:
    tens = range(math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9) + 1)
    return [10.0 ** n for n in tens]
  if high <= 0:
    return [0.0, 1.0]
  unit = 10 ** math.floor(math.log10(high))
  unit = next(unit * part for part in (0.2, 0.5, 1, 2) if high / (unit * part) <= 6)
  return [unit * n for n in range(math.ceil(high / unit - 1e-9) + 1)]


class Chart:
  def __init__(self, title, x, y):
    self.parts = []
    self.title, self.x, self.y = title, x, y

  def text(self, x, y, words, anchor="middle", size=12, extra=""):
    self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" {extra}>{escape(words)}</text>')

  def line(self, x1, y1, x2, y2, color="#e2e8f0"):
    self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"/>')

  def frame(self, y_steps, at_y, names):
    self.text(LEFT, 22, self.title, "start", 15, 'font-weight="bold"')
    at = LEFT
    for n, name in enumerate(names):
      self.parts.append(f'<rect x="{at}" y="36" width="12" height="12" fill="{COLORS[n % len(COLORS)]}"/>')
      self.text(at + 17, 46, name, "start")
      at += 34 + 7 * len(name)
    for y in y_steps:
      self.line(LEFT, at_y(y), WIDTH - RIGHT, at_y(y))
      self.text(LEFT - 6, at_y(y) + 4, number(y), "end")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    self.text(16, middle, self.y, extra=f'transform="rotate(-90 16 {middle:.0f})"')
    self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, self.x)

  def svg(self):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" fill="#2d3748">'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>' + "\n".join(self.parts) + "</svg>\n")


def scale(low, high, begin, end, logarithmic=False):
  if logarithmic:
    low, high = math.log10(low), math.log10(high)
  span = high - low or 1
  return lambda v: begin + ((math.log10(v) if logarithmic else v) - low) / span * (end - begin)


def bars(title, x, y, groups, series):
  """Draws bars. `series`: name -> a value for each group, or None."""
  chart = Chart(title, x, y)
  y_steps = steps(0, max(v for values in series.values() for v in values if v is not None), False)
  at_y = scale(0, y_steps[-1], HEIGHT - BOTTOM, TOP)
  chart.frame(y_steps, at_y, list(series))
  room = (WIDTH - LEFT - RIGHT) / len(groups)
  width = room * 0.8 / len(series)
  for g, group in enumerate(groups):
    chart.text(LEFT + room * (g + 0.5), HEIGHT - BOTTOM + 16, group)
    for n, values in enumerate(series.values()):
      if values[g] is None:
        continue
      left, top = LEFT + room * (g + 0.1) + width * n, at_y(values[g])
      chart.parts.append(f'<rect x="{left:.1f}" y="{top:.1f}" width="{width * 0.92:.1f}" height="{HEIGHT - BOTTOM - top:.1f}" '
                         f'fill="{COLORS[n % len(COLORS)]}"/>')
      chart.text(left + width * 0.46, top - 4, number(values[g]), size=10)
  return chart.svg()


def lines(title, x, y, series, log_x=False, log_y=False):
  """Draws lines. `series`: name -> [(x, y)], or [(x, y, word)] for points with a name."""
  chart = Chart(title, x, y)
  xs = [p[0] for points in series.values() for p in points]
  ys = [p[1] for points in series.values() for p in points]
  x_steps = steps(min(xs), max(xs), log_x)
  y_steps = steps(min(ys), max(ys), log_y)
  at_x = scale(x_steps[0], x_steps[-1], LEFT + 10, WIDTH - RIGHT - 20, log_x)
  at_y = scale(y_steps[0], y_steps[-1], HEIGHT - BOTTOM, TOP, log_y)
  chart.frame(y_steps, at_y, list(series))
  for v in x_steps:
    chart.line(at_x(v), HEIGHT - BOTTOM, at_x(v), HEIGHT - BOTTOM + 4, "#718096")
    chart.text(at_x(v), HEIGHT - BOTTOM + 17, number(v))
  for n, points in enumerate(series.values()):
    color = COLORS[n % len(COLORS)]
    path = " ".join(f"{at_x(p[0]):.1f},{at_y(p[1]):.1f}" for p in points)
    chart.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
    for p in points:
      chart.parts.append(f'<circle cx="{at_x(p[0]):.1f}" cy="{at_y(p[1]):.1f}" r="3.5" fill="{color}"/>')
      if len(p) > 2:
        chart.text(at_x(p[0]), at_y(p[1]) - 8, p[2], size=10)
  return chart.svg()
