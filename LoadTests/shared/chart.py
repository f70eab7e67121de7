"""A chart of lines with labelled points, as an SVG that is legible on light and on dark pages."""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 48, 56
COLOURS = ("#d1603d", "#3b82d6")
LONE = "#2e9e6b"

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #57606a }
.title { font-weight: 600; font-size: 15px }
.grid { stroke: #8c959f; stroke-opacity: .3 }
@media (prefers-color-scheme: dark) { text { fill: #adb5bf } }
"""


@dataclass
class Line:
    name: str
    points: list  # of (x, y, label)


def step(greatest, count=5):
    """A round distance between marks, so that about so many fit."""
    raw = greatest / count
    power = 10 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw)


class Chart:
    """`lone` are points of no line, as (x, y), all of one name."""

    def __init__(self, title, x_title, y_title, lines, lone=(), lone_name=""):
        self.title, self.x_title, self.y_title, self.lines = title, x_title, y_title, lines
        self.lone, self.lone_name = lone, lone_name
        points = [*lone, *(point for line in lines for point in line.points)]
        self.x_step, self.y_step = (step(max(point[axis] for point in points)) for axis in (0, 1))
        self.x_end, self.y_end = (
            math.ceil(max(point[axis] for point in points) * 1.02 / each) * each
            for axis, each in ((0, self.x_step), (1, self.y_step)))

    def x(self, value):
        return LEFT + (WIDTH - LEFT - RIGHT) * value / self.x_end

    def y(self, value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self.y_end

    def svg(self):
        parts = [*self.axes(), *(part for index, line in enumerate(self.lines) for part in self.line(index, line)),
                 *(self.diamond(self.x(x), self.y(y)) for x, y in self.lone), *self.legend()]
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
                f'aria-label="{escape(self.title)}">\n<style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n")

    def text(self, x, y, text, more=""):
        return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(text)}</text>'

    def axes(self):
        yield self.text(LEFT, 24, self.title, 'class="title"')
        yield self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, self.x_title, 'text-anchor="middle"')
        middle = (TOP + HEIGHT - BOTTOM) / 2
        yield self.text(16, middle, self.y_title, f'text-anchor="middle" transform="rotate(-90 16 {middle})"')
        for index in range(round(self.x_end / self.x_step) + 1):
            value = index * self.x_step
            x = self.x(value)
            yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
            yield self.text(x, HEIGHT - BOTTOM + 18, f"{value:g}", 'text-anchor="middle"')
        for index in range(round(self.y_end / self.y_step) + 1):
            value = index * self.y_step
            y = self.y(value)
            yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield self.text(LEFT - 8, y + 4, f"{value:g}", 'text-anchor="end"')

    def line(self, index, line):
        """Its points stay in the order in which they are given."""
        colour = COLOURS[index % len(COLOURS)]
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y, _ in line.points)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        # The first line's labels stand above it and the others' below, where they are less in each other's way.
        away = 19 if index else -10
        for x, y, label in line.points:
            yield f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="4" fill="{colour}"/>'
            yield self.text(self.x(x), self.y(y) + away, label, 'text-anchor="middle"')

    @staticmethod
    def diamond(x, y):
        return f'<path d="M{x:.1f},{y - 7:.1f} l7,7 l-7,7 l-7,-7 z" fill="{LONE}"/>'

    def legend(self):
        x = WIDTH - RIGHT - 230
        for index, line in enumerate(self.lines):
            yield f'<circle cx="{x + 70 * index}" cy="20" r="4" fill="{COLOURS[index % len(COLOURS)]}"/>'
            yield self.text(x + 70 * index + 10, 24, line.name)
        if self.lone:
            yield self.diamond(x + 140, 20)
            yield self.text(x + 152, 24, self.lone_name)
