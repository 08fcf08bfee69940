#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_csp.py OUT PROGRAM FIRST SECOND [big|01.01] [rate:SIGNALS:NS] ["command:NAME ARGUMENTS"]: a HPC_CSPROF file whose paths are known, as its description says.

Made of the functions main, work, straight and burn of PROGRAM, and spin of two libraries that were mapped at one
address, one after the other. Each caller's address is the first one behind its function, as behind a call that never
returns; each leaf's is the first of its function. Prints what reports must say: "EVENT TAB outermost;...;leaf COUNT".
"""

import struct
import subprocess
import sys

out, program, first, second = sys.argv[1:5]
order = ">" if "big" in sys.argv else "<"
version = b"01.01" if "01.01" in sys.argv else b"01.00"
AT, LIBRARY_AT, PREFERRED = 0x550000000000, 0x7f0000000000, 0x1000
METRICS = [("TIMER", 2, 1000000), ("bytes allocated", 0, 1)]


def u32(n):
    return struct.pack(order + "I", n)


def u64(n):
    return struct.pack(order + "Q", n)


def string(tag, text):
    return u32(tag) + u32(len(text)) + text.encode()


def symbols(path):
    lines = subprocess.run(["nm", "-S", path], capture_output=True, text=True, check=True).stdout.split("\n")
    return {w[3]: (int(w[0], 16), int(w[1], 16)) for w in map(str.split, lines) if len(w) == 4}


def build_id(path):
    text = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    return bytes.fromhex(text.split("Build ID: ")[1].split()[0])


of = symbols(program)
base = {"program": AT, "library": LIBRARY_AT}


# WHERE in the function: "first", "inside" or "behind" it.
def address(function, where, module="program", names=of):
    start, size = names[function]
    return base[module] + start + {"first": 0, "inside": 1, "behind": size}[where]


epochs = [[(program, AT), (second, LIBRARY_AT)], [(program, AT), (first, LIBRARY_AT)]]


class Tree:
    def __init__(self, epoch):
        self.epoch, self.nodes = epoch, [(0, 0, [0, 0])]

    def add(self, parent, ip, counts=(0, 0)):
        self.nodes.append((parent, ip, list(counts)))
        return len(self.nodes) - 1


def newest():
    tree = Tree(0)
    main = tree.add(0, address("main", "behind"))
    work = tree.add(main, address("work", "behind"))
    straight = tree.add(work, address("straight", "inside"), [0, 7])
    tree.add(straight, address("burn", "first"), [5, 0])
    tree.add(main, address("spin_second", "first", "library", symbols(second)), [2, 100])
    cut = tree.add(0, address("work", "first"))
    tree.add(cut, address("burn", "first"), [4, 1 << 40])
    return tree, cut


def oldest():
    tree = Tree(1)
    main = tree.add(0, address("main", "behind"))
    tree.add(main, address("spin", "first", "library", symbols(first)), [3, 0])
    return tree


tree, cut = newest()
trees = [tree, oldest()]
data = b"HPC_CSPROF" + version + (b"b" if order == ">" else b"l") + u64(3)
data += string(0x00, program) + u32(len(METRICS))
for event, flags, period in METRICS:
    data += string(0x30, event) + u32(0x51) + u64(flags) + u32(0x41) + u64(period)
data += u32(len(epochs))
for modules in epochs:
    data += u32(len(modules))
    for path, mapped in modules:
        data += u32(len(path)) + path.encode() + u64(PREFERRED) + u64(mapped + PREFERRED)
data += u32(len(trees)) + u64(0)
for t in trees:
    data += b"HPC_CSTREE01.00" + (b"b" if order == ">" else b"l") + u32(8) + u32(8) + u64(len(t.nodes)) + u32(t.epoch)
    for i, (parent, ip, counts) in enumerate(t.nodes):
        data += u64(i) + u64(parent) + u64(ip) + u64(0x7ffe0000 - 16 * i) + b"".join(map(u64, counts))
data += b"OPROBE\0\1"


def item(kind, body):
    return u32(kind) + u64(len(body)) + body


command = next((word.split(":", 1)[1] for word in sys.argv if word.startswith("command:")), "prog two words")
data += item(1, b"".join(word.encode() + b"\0" for word in command.split(" ", 1)))
for e, modules in enumerate(epochs):
    for m, (path, _) in enumerate(modules):
        data += item(2, u32(e) + u32(m) + build_id(path))
for name, count in (("taken", 20), ("recorded", 14), ("complete", 10), ("lost: epoch", 4), ("lost: a new reason", 2)):
    data += item(3, u64(count) + name.encode())
data += item(99, b"of a later version")
# The frame that a signal interrupted continues at its own address.
data += item(4, u32(0) + u32(0) + u64(cut))
data += item(5, u32(0) + u32(0) + u64(cut))
for signals, ns in (word.split(":")[1:] for word in sys.argv if word.startswith("rate:")):
    data += item(7, u32(1) + u32(0) + u64(int(signals)) + u64(1000000) + u64(int(ns)))
data += item(11, b"".join(u64(sum(node[2][m] for t in trees for node in t.nodes)) for m in range(len(METRICS))))
data += item(0, b"")
open(out, "wb").write(data)

name = program.rsplit("/", 1)[1]
cut = "[path ends: caller not known]"
print(f"""TIMER\t{name};main;work;straight;burn 5
TIMER\t{name};main;spin_second 2
TIMER\t{name};main;spin 3
TIMER\t{name};{cut};work;burn 4
bytes allocated\t{name};main;work;straight 7
bytes allocated\t{name};main;spin_second 100
bytes allocated\t{name};{cut};work;burn {1 << 40}""")
