# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through the pipe of its DevTools protocol; nothing but Python is needed.

It records all errors that pages report: exceptions of scripts, and loads that the pages' policy has
refused.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile


class Chromium:
    """One browser with one page. Use it with `with`."""

    def __init__(self, width=1280, height=800, scale=1, dark=False):
        program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
        self.folder = tempfile.mkdtemp()
        reads, to_browser = os.pipe()
        from_browser, writes = os.pipe()
        arguments = [
            program, "--headless=new", "--remote-debugging-pipe", "--disable-gpu",
            "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", f"--user-data-dir={self.folder}",
        ]
        if os.getuid() == 0:
            arguments.append("--no-sandbox")
        # Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{reads} 4>&{writes}', "bash", *arguments, "about:blank"],
            pass_fds=(reads, writes), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(reads)
        os.close(writes)
        self.commands = os.fdopen(to_browser, "wb")
        self.answers = os.fdopen(from_browser, "rb")
        self.number = 0
        self.session = None
        self.loads = 0
        self.errors = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=scale, mobile=False)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # The protocol

    def call(self, method, **parameters):
        """Sends a command and waits for its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self):
        """The next message. Events are noted."""
        message = bytearray()
        while (byte := self.answers.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("Chromium has ended")
            message += byte
        answer = json.loads(message)
        match answer.get("method"):
            case "Page.loadEventFired":
                self.loads += 1
            case "Runtime.exceptionThrown":
                self.errors.append(str(answer["params"]["exceptionDetails"]))
            case "Log.entryAdded":
                entry = answer["params"]["entry"]
                if entry["level"] == "error":
                    self.errors.append(f"{entry['text']} {entry.get('url', '')}")
        return answer

    # The page

    def open(self, address):
        """Loads a page and waits until it is complete."""
        self.after_load(lambda: self.call("Page.navigate", url=address))

    def after_load(self, action):
        """Does something that loads a page, and waits until that is complete."""
        loads = self.loads
        action()
        while self.loads == loads:
            self.receive()

    def value(self, expression):
        """The value of an expression of JavaScript in the page; promises are awaited."""
        result = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def click(self, selector):
        """Clicks on an element that leads to another page."""
        self.after_load(lambda: self.value(f"document.querySelector({json.dumps(selector)}).click()"))

    def press(self, key, code=0, text=None):
        """Presses a key."""
        common = {"key": key, "windowsVirtualKeyCode": code}
        if text is None and len(key) == 1:
            text = key
        if text:
            common["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown", **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def until(self, condition):
        """Waits until an expression of JavaScript is true, which the page's own changes bring about."""
        self.value(f"""new Promise((done, failed) => {{
          const isTrue = () => {{ if ({condition}) {{ observer.disconnect(); done(true); }} }};
          const observer = new MutationObserver(isTrue);
          observer.observe(document, {{
            subtree: true, childList: true, attributes: true, characterData: true }});
          setTimeout(() => failed(new Error("it stayed false")), 60000);
          isTrue();
        }})""")

    def screenshot(self, path):
        image = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(image))
