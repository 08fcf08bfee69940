#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""otlp-collector.py DIR PLAN: a collector of OTLP's profiles on loopback. Prints its port.

It stores each request that it accepts as DIR/NUMBER, and adds "NUMBER STATUS PATH TYPE ENCODING AUTHORIZATION" for each
request to DIR/log. Before each request it reads the file PLAN, "STATUS COUNT": the next COUNT requests since the plan was
written are answered with STATUS, others are accepted. STATUS is a number, with ",SECONDS" for Retry-After; "partial", status
200 for a request of which 3 profiles are rejected; "warn", status 200 with a warning; "json", "garbage", status 200 with such
an answer.
"""
import gzip
import http.server
import os
import sys
import threading

store, plan_path = sys.argv[1:3]
state = {"plan": None, "nr": 0, "all": 0}
lock = threading.Lock()


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


REASON = b"too old\n\x1b[31m"
PARTIAL = field(1, b"\x08\x03" + field(2, REASON))
WARN = field(1, field(2, b"slow down"))


def next_answer():
    stat = os.stat(plan_path)
    if state["plan"] != (stat.st_mtime_ns, stat.st_ino):
        state.update(plan=(stat.st_mtime_ns, stat.st_ino), nr=0)
    with open(plan_path, encoding="utf-8") as f:
        status, count = f.read().split()
    state["nr"] += 1
    state["all"] += 1
    return status if state["nr"] <= int(count) else "200"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def answer(self, status, kind, body, after):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if after:
            self.send_header("Retry-After", after)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):  # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"]))
        # A request that was cut is not a request.
        if len(body) < int(self.headers["Content-Length"]):
            self.close_connection = True
            return
        with lock:
            status = next_answer()
            number = state["all"]
            with open(os.path.join(store, "log"), "a", encoding="utf-8") as f:
                f.write(f"{number} {status} {self.path} {self.headers['Content-Type']} {self.headers['Content-Encoding']} "
                        f"{self.headers['Authorization']}\n")
            if status in ("200", "partial", "warn"):
                path = os.path.join(store, f"{number}")
                with open(path + ".new", "wb") as f:
                    f.write(gzip.decompress(body))
                os.rename(path + ".new", path)
        code, _, after = status.partition(",")
        kind = "application/x-protobuf"
        if code.isdigit():
            self.answer(int(code), kind, b"", after)
        elif code == "proxy":
            self.answer(400, "text/plain; charset=utf-8", b"Client sent an HTTP request to an HTTPS server.\n", after)
        elif code == "json":
            self.answer(200, "application/json", b"{}", after)
        else:
            self.answer(200, kind, {"partial": PARTIAL, "warn": WARN, "garbage": b"\x0a\x7f\x01"}[code], after)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
