#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Drive Chromium without a screen through its debugging pipe: real clicks and keys, screenshots, and times that are real."""

import atexit
import base64
import json
import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"Enter": 13, "Escape": 27, "Backspace": 8, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
        "End": 35, "Home": 36}


def find():
    """Return the path of the browser, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """A browser with one page. @home: an empty directory for its files."""

    def __init__(self, home):
        to_read, self.to = os.pipe()
        self.come, from_write = os.pipe()

        def pipes():
            # The browser reads from descriptor 3 and writes to descriptor 4.
            a, b = os.dup(to_read), os.dup(from_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={home}/browser", "about:blank"],
            env={**os.environ, "HOME": home}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=pipes, close_fds=False)
        atexit.register(self.end)
        os.close(to_read)
        os.close(from_write)
        self.number, self.session, self.rest, self.errors, self.events = 0, None, b"", [], []
        target = next(t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(domain + ".enable")

    def end(self):
        os.close(self.to)   # the browser ends at the end of its pipe
        self.process.wait()

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.come, 1 << 20)
            if not more:
                sys.exit("FAILED: the browser has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.errors.append(message["params"]["entry"]["text"])
        return message

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"FAILED: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer.get("method"))

    def open(self, url):
        """Open a page, and wait until it is loaded."""
        self.events.clear()
        self.send("Page.navigate", url="about:blank")
        while "Page.loadEventFired" not in self.events:
            self.events.append(self.message().get("method"))
        self.events.clear()
        self.send("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.events:
            self.events.append(self.message().get("method"))

    def eval(self, expression):
        """Return the value of an expression of JavaScript; of a promise, the value that it comes to."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(f"FAILED: {expression}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def size(self, width, height, ratio=1):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=width < 600)

    def dark(self, is_dark):
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def picture(self, path):
        """Write a picture of the page: all of it in a .png, a small file that looks the same in a .webp."""
        form = {"format": "webp", "quality": 40} if path.endswith(".webp") else {}
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.send("Page.captureScreenshot", **form)["data"]))

    def key(self, name, **modifiers):
        """Press a key. @modifiers: ctrl, shift."""
        bits = 2 * bool(modifiers.get("ctrl")) + 8 * bool(modifiers.get("shift"))
        params = {"key": name, "modifiers": bits}
        if name in KEYS:
            params["windowsVirtualKeyCode"] = KEYS[name]
        elif not bits & 2:
            params["text"] = name
        self.send("Input.dispatchKeyEvent", type="keyDown", **params)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=name, modifiers=bits)

    def mouse(self, kind, x, y):
        """@kind: Pressed, Released or Moved."""
        button = {} if kind == "Moved" else {"button": "left", "clickCount": 1}
        self.send("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, **button)

    def click(self, x, y):
        """Click, and move the pointer into the corner, where it hovers over nothing."""
        self.mouse("Pressed", x, y)
        self.mouse("Released", x, y)
        self.mouse("Moved", 1, 1)

    def click_on(self, selector):
        """Click on the middle of the first element of a selector."""
        x, y = self.eval(f"""(() => {{
            const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{ block: "nearest" }});
            const box = e.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
        }})()""")
        self.click(x, y)

    def type(self, text):
        self.send("Input.insertText", text=text)
