#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fleet-rows.py URL STACKS: fill the tables of a fleet with generated rows, the same in each run.

36 intervals of 10 minutes from 2026-11-05 06:00 UTC of the hosts web-1 to web-3 and db-1. The service shop.service has STACKS
stacks; its version changes from a to b at 09:00, and from then on render() has more samples. Names have markup and SQL.
"""
import functools
import random
import sys
import urllib.parse
import urllib.request

url, nr_stacks = sys.argv[1], int(sys.argv[2])
BEGIN, STEP, INTERVALS = 1793858400, 600, 36
PART = 20000
EVENT, WAITS = "TIMER:1000000", "OFFCPU:1000000"
VERSIONS = {"shop.service": ("a" * 40, "b" * 40), "postgresql.service": ("c" * 40,) * 2, "x' OR 1 --": ("",) * 2}
HOSTS = {"web-1": ["shop.service"], "web-2": ["shop.service", "x' OR 1 --"], "web-3": ["shop.service"], "db-1": ["postgresql.service"]}
HOSTILE = "</script><img src=x onerror=alert(1)>'; DROP TABLE samples; --"
random.seed(31)


def escape(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("'", "\\'")


def insert(table, columns, rows):
    """Insert in parts, which fit into the memory of a small server."""
    for i in range(0, len(rows), PART):
        query = urllib.parse.urlencode({"query": f"INSERT INTO {table} ({columns}) FORMAT TabSeparated"})
        body = "".join("\t".join(row) + "\n" for row in rows[i:i + PART]).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{url}&{query}", data=body, method="POST")) as answer:
            answer.read()


@functools.cache
def frame(name, binary, build=""):
    return f"{name}\t{binary}\t{build}"


def array_of(texts):
    """Return an array in the format TabSeparated."""
    return "[" + ",".join(f"'{escape(text)}'" for text in texts) + "]"


def paths_of(service, nr):
    """A list of (frames, weight, weight of version b)."""
    program = service.split(".")[0]
    binary = f"/usr/sbin/{program}"
    first = frame(program, binary, VERSIONS[service][0])
    main = [first, frame("_start", "/lib/x86_64-linux-gnu/libc.so.6", "1" * 40), frame("main", binary, VERSIONS[service][0])]
    names = [f"{word}_{part}" for word in ("parse", "render", "query", "cache", "route", "log", "sort", "encode")
             for part in ("begin", "items", "row", "node", "end", "all")]
    kernel = [frame("entry_SYSCALL_64_after_hwframe", "vmlinux", "9" * 40), frame("do_syscall_64", "vmlinux", "9" * 40)]
    paths = [(main + [frame("handle", binary), frame("render", binary), frame(HOSTILE, binary)], 300, 900),
             (main + [frame("handle", binary), frame("escape_html", "")], 100, 100),
             (main + [frame("handle", binary)] + kernel + [frame("tcp_sendmsg", "vmlinux", "9" * 40)], 200, 200),
             (main + [frame("0x4711", "/usr/lib/libold.so", "5" * 40)], 50, 50),
             ([first, frame("[path ends: no frame pointer]", "")], 20, 20)]
    seen = set()
    while len(paths) < nr:
        deep = random.randrange(6, 30)
        middle = [frame(random.choice(names), binary) for _ in range(deep)]
        if random.random() < 0.3:
            middle += kernel + [frame(f"sys_{random.randrange(40)}", "vmlinux", "9" * 40)]
        key = hash(tuple(middle))
        if key not in seen:
            seen.add(key)
            weight = 1 + int(3000 / (len(paths) + 1))
            paths.append((main + [frame("handle", binary)] + middle, weight, weight))
    return paths


samples, stacks, sessions = [], [], []
for number, service in enumerate(VERSIONS):
    paths = paths_of(service, nr_stacks if service == "shop.service" else 30)
    ids = [str((number + 1) * 10**12 + i) for i in range(len(paths))]
    for i, (frames, _, _) in enumerate(paths):
        stacks.append([escape(service), ids[i], array_of(frames), "2026-11-05"])
    for interval in range(INTERVALS):
        for host, services in HOSTS.items():
            if service not in services or interval in (20, 21):
                continue
            new = interval >= 18
            for i, (_, before, after) in enumerate(paths):
                # Each rare stack is in one interval of one host at least.
                if i < 40 or (i + interval) % INTERVALS == 0:
                    samples.append([str(BEGIN + interval * STEP), host, escape(service), VERSIONS[service][new], EVENT, ids[i],
                                    str(after if new else before)])
            samples.append([str(BEGIN + interval * STEP), host, escape(service), VERSIONS[service][new], WAITS, ids[2], "7"])
totals = {}
for t, host, service, _, event, _, count in samples:
    key = (t, host)
    totals.setdefault(key, {}).setdefault((event, service), 0)
    totals[key][event, service] += int(count)
for (t, host), sums in totals.items():
    # Texts in arrays are quoted, and escape() has escaped them.
    events = "[" + ",".join(f"'{event}'" for event, _ in sums) + "]"
    services = "[" + ",".join(f"'{service}'" for _, service in sums) + "]"
    total = sum(sums.values())
    loss = "['no memory']\t[3]" if host == "web-2" else "[]\t[]"
    sessions.append([t, str(int(t) + STEP), host, host, f"{t}-{host}", str(total), str(total), events, services,
                     str(list(sums.values())), loss, "6.1.0", "oprofile"])
insert("stacks", "service, stack, frames, day", stacks)
insert("samples", "t, host, service, version, event, stack, count", samples)
insert("sessions", "t, end, host, machine, name, samples, sent, total_events, total_services, total_counts, loss_names, loss_counts, "
       "kernel, oprofile", sessions)
