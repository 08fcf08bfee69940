#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fault-proxy.py TARGET-PORT PLAN LOG: an HTTP proxy on loopback that makes faults. Prints its port.

Before each request, it reads the file PLAN: "FAULT NUMBER" makes the fault at the request of this number, counted from 1 since
the plan was written; NUMBER * makes it at each request. Each request adds a line to the file LOG: its number, the fault, and
the first words of its query. "random:FAULT,FAULT... PERCENT" makes one of the faults at PERCENT of the requests, by chance;
the file LOG then has only requests with a fault.
"""
import os
import random
import socket
import sys
import threading
import time
import urllib.parse

target, plan_path, log_path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
state = {"plan": None, "nr": 0}
lock = threading.Lock()
EXCEPTION = b"Code: 241. DB::Exception: Memory limit exceeded (from the proxy)\n"
HEAD = (b"HTTP/1.1 %s\r\nConnection: close\r\nContent-Type: text/plain\r\nX-ClickHouse-Server-Display-Name: proxy\r\n"
        b"Content-Length: %d\r\n\r\n")


def answer(status, body):
    return HEAD % (status, len(body)) + body


def read_plan():
    """The fault and the number of the plan. A new plan begins to count at 0."""
    stat = os.stat(plan_path)
    if state["plan"] != (stat.st_mtime_ns, stat.st_ino):
        with open(plan_path, encoding="utf-8") as f:
            words = (f.read().split() + ["none", "*"])[:2]
        state.update(plan=(stat.st_mtime_ns, stat.st_ino), nr=0, words=words)
    return state["words"]


def next_fault(line):
    with lock:
        name, number = read_plan()
        state["nr"] += 1
        is_random = name.startswith("random:")
        if is_random:
            is_now = random.random() * 100 < float(number)
            name = random.choice(name.removeprefix("random:").split(","))
        else:
            is_now = number in ("*", str(state["nr"]))
        fault = name if is_now else "none"
        if is_now or not is_random:
            with open(log_path, "a", encoding="utf-8") as f:
                f.write(f"{state['nr']} {fault} {line}\n")
        return fault


def read_request(client):
    """The head and the body of a request, or None at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(65536)
        if not more:
            return None
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(body) < length:
        more = client.recv(65536)
        if not more:
            return None
        body += more
    return head, body


def is_closed(client):
    """Whether the client has closed its side of the connection."""
    try:
        return not client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False


def forward(head, body, part=None):
    """Send the request, or only @part bytes of its body, and return the whole answer."""
    head = b"\r\n".join([head.split(b"\r\n")[0]] + [b"Connection: close"] +
                        [h for h in head.split(b"\r\n")[1:] if not h.lower().startswith(b"connection:")])
    with socket.create_connection(("127.0.0.1", target)) as server:
        server.sendall(head + b"\r\n\r\n" + (body if part is None else body[:part]))
        if part is not None:
            server.shutdown(socket.SHUT_WR)
        got = b""
        while True:
            more = server.recv(65536)
            if not more:
                return got.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
            got += more


def one(client, head, body):
    """Handle a request. Return whether the connection goes on."""
    line = head.split(b"\r\n")[0].decode()
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(line.split(" ")[1]).query)).get("query")
    fault = next_fault((query or body.decode(errors="replace"))[:60].replace("\n", " "))
    if fault.endswith("-query"):
        # Older servers store an INSERT again that the network delivers late or twice.
        fault = "delay" if query else fault.removesuffix("-query")
    if fault == "delay":
        time.sleep(random.random() * 3)
        if is_closed(client):
            return False
    if fault == "before":
        return False
    if fault == "body":
        forward(head, body, len(body) // 2)
        return False
    if fault == "last-byte":
        forward(head, body, len(body) - 1)
        return False
    if fault == "answer":
        forward(head, body)
        return False
    if fault in ("late", "any-time"):
        # any time: before or after the client's next attempt
        threading.Timer(1 if fault == "late" else random.random() * 12, forward, (head, body)).start()
        return False
    if fault == "nothing":
        time.sleep(20)
        return False
    if fault == "error":
        client.sendall(answer(b"500 Internal Server Error", EXCEPTION))
    elif fault == "error-after":
        forward(head, body)
        client.sendall(answer(b"500 Internal Server Error", EXCEPTION))
    elif fault == "exception":
        client.sendall(answer(b"200 OK", EXCEPTION))
    elif fault == "exception-after":
        forward(head, body)
        client.sendall(answer(b"200 OK", EXCEPTION))
    elif fault == "html":
        page = b"<html><body>502 Bad Gateway</body></html>"
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
        client.sendall(head % len(page) + page)
    elif fault == "half-answer":
        got = forward(head, body)
        client.sendall(got[:len(got) // 2])
        return False
    elif fault == "slow":
        for byte in forward(head, body):
            client.sendall(bytes([byte]))
            time.sleep(1)
    elif fault == "repeat":
        forward(head, body)
        client.sendall(forward(head, body))
    else:
        client.sendall(forward(head, body))
    return False


def serve(client):
    with client:
        try:
            request = read_request(client)
            if request:
                one(client, *request)
        except OSError:
            pass


listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
