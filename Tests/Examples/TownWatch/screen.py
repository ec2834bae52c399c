# SPDX-License-Identifier: Apache-2.0
"""The screen of a terminal: what a program's output leaves on it, and a picture of it.

It knows the control sequences that TownWatch sends, and refuses all others.
"""

import html
import re

SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")


class Screen:
    def __init__(self, line_count, column_count):
        self.size = (line_count, column_count)
        self.is_alternate = False
        self.shows_cursor = True
        self.style = ""
        self.place = (0, 0)
        self.pending = ""
        self.clear()

    def clear(self):
        lines, columns = self.size
        self.cells = [[(" ", "")] * columns for _ in range(lines)]

    def feed(self, text):
        text, self.pending = self.pending + text, ""
        while text:
            if text[0] == "\x1b":
                match = SEQUENCE.match(text)
                if not match:
                    if len(text) > 20:
                        raise ValueError(f"unknown sequence {text[:20]!r}")
                    self.pending = text
                    return
                self.control(*match.groups())
                text = text[match.end() :]
                continue
            line, column = self.place
            if line < self.size[0] and column < self.size[1]:
                self.cells[line][column] = (text[0], self.style)
            self.place = (line, column + 1)
            text = text[1:]

    def control(self, private, numbers, final):
        if private and numbers == "1049":
            self.is_alternate = final == "h"
            self.clear()
        elif private and numbers == "25":
            self.shows_cursor = final == "h"
        elif final == "H":
            line, column = (int(number) for number in numbers.split(";"))
            self.place = (line - 1, column - 1)
        elif final == "m":
            self.style = "" if numbers == "0" else numbers
        else:
            raise ValueError(f"unknown sequence {private}{numbers}{final}")

    def line(self, number):
        return "".join(cell[0] for cell in self.cells[number]).rstrip()

    def lines(self):
        return [self.line(number) for number in range(self.size[0])]

    def style_of(self, number):
        """The style of a line: that of its first cell."""
        return self.cells[number][0][1]

    def svg(self):
        """The screen as a picture."""
        lines, columns = self.size
        width, height = columns * 8.4 + 24, lines * 18 + 24
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
            f'viewBox="0 0 {width:.0f} {height}">',
            '<rect width="100%" height="100%" rx="8" fill="#1e1e2e"/>',
            '<g font-family="DejaVu Sans Mono, Menlo, monospace" font-size="14">',
        ]
        for number in range(lines):
            styles = self.style_of(number).split(";")
            ink = {"32": "#a6e3a1", "2": "#7f849c"}.get(styles[-1], "#cdd6f4")
            top = 12 + number * 18
            if "7" in styles:
                parts.append(
                    f'<rect x="12" y="{top}" width="{columns * 8.4:.0f}" height="18" '
                    f'fill="{ink}"/>'
                )
                ink = "#1e1e2e"
            weight = ' font-weight="bold"' if "1" in styles else ""
            # Spaces in a row are drawn as one, unless they are of this kind.
            text = html.escape(self.line(number)).replace(" ", "\u00a0")
            if text:
                parts.append(
                    f'<text x="12" y="{top + 14}" fill="{ink}"{weight} '
                    f'textLength="{len(self.line(number)) * 8.4:.1f}">{text}</text>'
                )
        return "\n".join(parts + ["</g>", "</svg>", ""])
