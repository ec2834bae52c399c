#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses TownWatch in a pseudo-terminal as a person would, while TownEdit changes the store.

usage: check.py FOLDER OF THE PROGRAMS [PICTURE]

PICTURE is a file that gets the screen after a change, as SVG.
"""

import fcntl
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from screen import Screen

LINES, COLUMNS = 16, 78
PATIENCE = 20  # seconds


class Failure(Exception):
    pass


class Session:
    """TownWatch in a pseudo-terminal."""

    def __init__(self, program, *arguments):
        self.screen = Screen(LINES, COLUMNS)
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.mode = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            [program, *arguments], stdin=self.slave, stdout=self.slave, stderr=subprocess.DEVNULL
        )
        self.undecoded = b""

    def press(self, keys):
        os.write(self.master, keys.encode())

    def resize(self, lines, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.size = (lines, columns)
        self.screen.clear()
        self.process.send_signal(signal.SIGWINCH)

    def read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        data = self.undecoded + os.read(self.master, 65_536)
        end = len(data)
        while end > 0 and data[end - 1] & 0xC0 == 0x80:
            end -= 1
        # An incomplete character waits for the next read.
        end = end - 1 if end > 0 and data[end - 1] >= 0xC0 else len(data)
        try:
            text, self.undecoded = data.decode(), b""
        except UnicodeDecodeError:
            text, self.undecoded = data[:end].decode(), data[end:]
        self.screen.feed(text)
        return True

    def wait(self, what, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition(self.screen):
            if time.monotonic() > deadline:
                raise Failure(f"{what}: the screen is\n" + "\n".join(self.screen.lines()))
            self.read(0.2)
        print(f"  {what}")

    def end(self, what, code):
        """Waits for the end, and compares the terminal with its state at the beginning."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.1)
        while self.read(0):
            pass
        found = self.process.poll()
        if found != code:
            raise Failure(f"{what}: ended with {found}, not {code}")
        if termios.tcgetattr(self.slave) != self.mode:
            raise Failure(f"{what}: the terminal is in another mode")
        if self.screen.is_alternate or not self.screen.shows_cursor:
            raise Failure(f"{what}: the terminal shows another screen, or no cursor")
        os.close(self.master)
        os.close(self.slave)
        print(f"  {what}: the terminal is as before")


def line_of(screen, text):
    """The number of the line that begins with `text`; -1 if there is none."""
    for number, line in enumerate(screen.lines()):
        if line.strip().startswith(text):
            return number
    return -1


def browse(watch, edit, store, picture):
    session = Session(watch, store)
    session.wait("the largest city is first and selected",
                 lambda s: line_of(s, "Shanghai") == 1 and s.style_of(1) == "7")
    session.press("\x1b[Bjj")
    session.wait("keys move the selection", lambda s: s.style_of(4) == "7")
    session.press("k")
    session.wait("and back", lambda s: s.style_of(3) == "7")
    selected = session.screen.line(3).split("  ")[0].strip()

    edit("add", "900000001", "Atlantis", "99000000")
    session.wait("a city that another process inserts appears",
                 lambda s: line_of(s, "Atlantis") == 1 and s.style_of(1) == "32")
    session.wait("the selection stays with its city",
                 lambda s: line_of(s, selected) == 4 and s.style_of(4).startswith("7"))
    edit("grow", "900000001", "500000")
    session.wait("its growth is seen", lambda s: s.line(1).endswith("99,500,000"))
    if picture:
        pathlib.Path(picture).write_text(session.screen.svg(), encoding="utf-8")
    edit("delete", "900000001")
    session.wait("its deletion is seen", lambda s: line_of(s, "Shanghai") == 1)
    session.wait("changes are counted", lambda s: s.line(0).endswith("changes seen: 3"))

    session.press("G")
    session.wait("G goes to the end",
                 lambda s: line_of(s, "Shanghai") < 0 and s.style_of(LINES - 2).startswith("7"))
    session.press("g")
    session.wait("g goes to the beginning", lambda s: line_of(s, "Shanghai") == 1)
    session.press("/lavāx\x7fsan")
    session.wait("a filter is typed", lambda s: "filter: lavāsan" in s.line(LINES - 1))
    session.press("\r")
    session.wait("it leaves the cities that match, whatever their accents",
                 lambda s: line_of(s, "Lavāsān") == 1 and s.line(2) == ""
                 and s.line(0).startswith(" cities with “lavāsan”: 1"))
    edit("grow", "490", "1854")
    session.wait("the filtered list is live", lambda s: s.line(1).endswith("20,000"))
    edit("add", "900000002", "Lavasan Two", "1")
    session.wait("and takes new cities that match", lambda s: line_of(s, "Lavasan Two") == 2)
    edit("delete", "900000002")
    session.wait("until they are deleted", lambda s: s.line(2) == "")
    session.press("\x1b")
    session.wait("escape shows all cities", lambda s: line_of(s, "Shanghai") == 1)
    session.resize(10, 60)
    session.wait("a smaller window is filled",
                 lambda s: s.line(1).endswith("24,874,500") and "esc all" in s.line(9))
    session.press("q")
    session.end("q ends", 0)


def end_by_signal(watch, store, number, code):
    session = Session(watch, store)
    session.wait("the list is shown", lambda s: line_of(s, "Shanghai") == 1)
    session.process.send_signal(number)
    session.end(f"{signal.Signals(number).name} ends", code)


def suspend(watch, store):
    session = Session(watch, store)
    session.wait("the list is shown", lambda s: line_of(s, "Shanghai") == 1)
    session.press("\x1a")
    os.waitid(os.P_PID, session.process.pid, os.WSTOPPED)
    session.wait("Ctrl-Z gives the former screen back", lambda s: not s.is_alternate)
    if termios.tcgetattr(session.slave) != session.mode:
        raise Failure("Ctrl-Z: the terminal is in another mode")
    session.process.send_signal(signal.SIGCONT)
    session.wait("the list returns", lambda s: line_of(s, "Shanghai") == 1)
    session.press("q")
    session.end("q ends", 0)


def plain_lines(watch, edit, store):
    process = subprocess.Popen([watch, store, "lavasan"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, encoding="utf-8")

    def expect(line):
        found = process.stdout.readline()
        if found != line + "\n":
            raise Failure(f"without a terminal: {found!r} instead of {line!r}")

    expect("  Lavāsān, Iran, 20000")
    edit("grow", "490", "1")
    expect("~ Lavāsān, Iran, 20001")
    edit("add", "900000003", "Lavasan Three", "5")
    expect("+ Lavasan Three, no country, 5")
    edit("delete", "900000003")
    expect("- number 2")
    process.stdin.close()
    if process.wait(PATIENCE) != 0:
        raise Failure("without a terminal: another code than 0")
    print("  without a terminal, cities and changes are lines")


def main():
    folder = pathlib.Path(sys.argv[1])
    picture = sys.argv[2] if len(sys.argv) > 2 else None
    watch = str(folder / "TownWatch")
    with tempfile.TemporaryDirectory() as temporary:
        store = temporary + "/towns.strata"

        def edit(*words):
            subprocess.run([str(folder / "TownEdit"), store, *words], check=True)

        edit("import")
        browse(watch, edit, store, picture)
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129),
                             (signal.SIGABRT, -6), (signal.SIGSEGV, -11)):
            end_by_signal(watch, store, number, code)
        suspend(watch, store)
        plain_lines(watch, edit, store)


try:
    main()
except Failure as failure:
    sys.exit(f"TownWatch: {failure}")
