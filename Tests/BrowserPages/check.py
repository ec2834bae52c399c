#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the pages of `strata browse` in a headless Chromium, as a person would: keys, clicks, forms.

    check.py FOLDER STORE

FOLDER has the built programs `strata` and `CrashWriter`, STORE is the quickstart's. The store is
copied first. The pages' own tests (Tests/StrataToolTests/Browse) speak HTTP; here their script, style
and policy are under test.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from chromium import Chromium


class Browse:
    """A running `strata browse`."""

    def __init__(self, folder, store, *options):
        self.process = subprocess.Popen(
            [os.path.join(folder, "strata"), "browse", store, *options],
            stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        self.origin = self.address.split("/?")[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        code = self.process.wait()
        expect("the browser ends with code 0", code, 0)


def expect(sentence, found, wanted=True):
    if found != wanted:
        sys.exit(f"✘ {sentence}: {found!r} instead of {wanted!r}")
    print(f"✔ {sentence}")


def text(page, selector):
    return page.value(f"document.querySelector({json.dumps(selector)})?.innerText")


def check_reading(page, browse):
    page.open(browse.address)
    expect("the token leaves the address", page.value("location.href"), browse.origin + "/")
    expect("no script can read the cookie", page.value("document.cookie"), "")
    expect("all entities are listed", page.value("document.querySelectorAll('.entities li').length"), 5)
    page.click(".entities a[href='/entity/City']")
    rows = "document.querySelectorAll('main tbody tr').length"
    expect("a page has fifty objects", page.value(rows), 50)
    page.after_load(lambda: page.press("]"))
    expect("the key ] leads to the next page", page.value("location.search"), "?page=2")
    page.after_load(lambda: page.press("["))
    expect("the key [ leads back", page.value("location.search"), "")
    page.press("/", 191)
    expect("the key / leads to the condition", page.value("document.activeElement.id"), "where")
    page.type("country.iso = 'JP' AND population > 2000000")
    page.after_load(lambda: page.press("Enter", 13, "\r"))
    expect("the condition selects cities", text(page, ".count").endswith(" match"))
    page.click("thead a[href*='sort=population']")
    page.click("thead a[href*='sort=-population']")
    expect("a second click reverses the order", text(page, "tbody td"), "Tokyo")
    page.click("tbody a[href^='/object/Country']")
    expect("a cell leads to the country", text(page, "h1 .label"), "Japan")
    page.click("a.all[href$='/members/cities']")
    expect("the country leads to its cities", text(page, ".count").endswith(" members"))
    page.open(browse.origin + "/entity/City?where=population%20%3E%20%3E%201")
    expect("a mistake is marked", text(page, "mark"), ">")
    page.errors = [error for error in page.errors if "422" not in error]


def check_changes(page, browse):
    page.open(browse.address)
    page.open(browse.origin + "/entity/City?where=name%20%3D%20%27Tokyo%27")
    page.click("tbody a[href^='/object/City']")
    city = page.value("location.pathname")
    page.click("a.button")
    field = "document.getElementById('set.name')"
    page.value(f"{field}.select(), {field}.focus()")
    page.type("<script>document.title = 'changed'</script><img src=x onerror=\"document.title='changed'\">")
    page.click("form.edit button")
    expect("a saved form leads to the object", page.value("location.pathname"), city)
    expect("a value is a text", text(page, "h1 .label").startswith("<script>"))
    expect("a value runs no script", page.value("document.title").startswith("City/"))
    page.open(browse.origin + city + "?edit=1")
    page.value("document.getElementById('set.population').value = 'many'")
    page.click("form.edit button")
    expect("a problem is beside its field", text(page, "[id='error.population']").startswith("This must be"))
    page.errors = [error for error in page.errors if "422" not in error]
    page.open(browse.origin + city)
    page.value("document.querySelector('details.delete').open = true")
    page.click("button.danger")
    expect("a deleted object leads to its entity", page.value("location.pathname"), "/entity/City")


def check_following(page, browse, writer):
    page.open(browse.address)
    page.open(browse.origin + "/history")
    page.until("document.querySelectorAll('tr.new').length >= 3")
    numbers = page.value(
        "[...document.querySelectorAll('#transactions th')].map((cell) => Number(cell.innerText))")
    expect("saves appear in their order", numbers, sorted(numbers, reverse=True))
    expect("no save is missing", len(set(numbers)), numbers[0] - numbers[-1] + 1)
    page.open(browse.origin + "/")
    page.until("!document.getElementById('changed').hidden")
    expect("another page says that the store has changed", True)
    writer.kill()
    writer.wait()


def main():
    folder, store = sys.argv[1:]
    temporary = tempfile.mkdtemp()
    copy = os.path.join(temporary, "cities.strata")
    shutil.copy(store, copy)
    try:
        with Chromium() as page:
            with Browse(folder, copy) as browse:
                check_reading(page, browse)
            with Browse(folder, copy, "--allow-changes") as browse:
                check_changes(page, browse)
            ledger = os.path.join(temporary, "ledger.strata")
            writer = subprocess.Popen(
                [os.path.join(folder, "CrashWriter"), ledger], stdout=subprocess.PIPE, text=True)
            while not writer.stdout.readline().startswith("saved"):
                pass
            # The rest is read so that the writer does not wait for it.
            threading.Thread(target=writer.stdout.read, daemon=True).start()
            with Browse(folder, ledger) as browse:
                check_following(page, browse, writer)
            expect("no page has reported an error", page.errors, [])
    finally:
        shutil.rmtree(temporary)


main()
