#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""csp.py counts|modules|columns|leaves|folded|native FILE...: what a HPC_CSPROF file holds, read by the format's own table alone.

Written from the table of the format's description (doc/csprof-file.md repeats it), not from what writes such files.
leaves: functions with counts, and how far in these. folded: "outermost;...;leaf COUNT" of the first metric, functions named by nm.
native: samples on paths all of whose code is in files, those of them that go to where the thread began, and all samples.
"""

import bisect
import collections
import functools
import struct
import subprocess
import sys


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        if self.at + size > len(self.data):
            raise SystemExit(f"ends at {len(self.data)}, before {self.at + size}")
        self.at += size
        return self.data[self.at - size:self.at]

    def u32(self):
        return struct.unpack("<I", self.take(4))[0]

    def u64(self):
        return struct.unpack("<Q", self.take(8))[0]

    def expect(self, bytes_):
        got = self.take(len(bytes_))
        if got != bytes_:
            raise SystemExit(f"at {self.at - len(bytes_)}: {got!r}, not {bytes_!r}")

    def string(self, tag):
        self.expect(struct.pack("<I", tag))
        return self.take(self.u32()).decode()

    def number(self, tag):
        self.expect(struct.pack("<I", tag))
        return self.u64()


Metric = collections.namedtuple("Metric", "event flags period")
Module = collections.namedtuple("Module", "path preferred mapped")
Node = collections.namedtuple("Node", "id parent ip sp metrics")
Tree = collections.namedtuple("Tree", "epoch nodes")


class File:
    def __init__(self, path):
        r = Reader(open(path, "rb").read())
        r.expect(b"HPC_CSPROF01.00l" + struct.pack("<Q", 3))
        self.target = r.string(0x00)
        self.metrics = [Metric(r.string(0x30), r.number(0x51), r.number(0x41)) for _ in range(r.u32())]
        self.epochs = [[Module(r.take(r.u32()).decode(), r.u64(), r.u64()) for _ in range(r.u32())]
                       for _ in range(r.u32())]
        nr_trees = r.u32()
        in_trampoline = r.u64()
        self.has_trampoline = in_trampoline > 0
        self.trees = [self.tree(r) for _ in range(nr_trees)]
        if in_trampoline and not self.has_trampoline:
            raise SystemExit("samples in a trampoline that is not there")
        self.columns = [(1 << len(self.metrics)) - 1 for _ in self.epochs]
        self.sizes, self.process = {}, None
        self.counts, self.build_ids, self.short, self.interrupted, self.command = {}, {}, set(), set(), []
        self.trailer(r)

    def tree(self, r):
        r.expect(b"HPC_CSTREE01.0")
        has_trampoline = r.take(1)
        if has_trampoline not in (b"0", b"T"):
            raise SystemExit(f"a tree of version 01.0{has_trampoline}")
        self.has_trampoline = has_trampoline == b"T"
        r.expect(b"l" + struct.pack("<II", 8, 8))
        nr, epoch = r.u64(), r.u32()
        if epoch >= len(self.epochs):
            raise SystemExit(f"a tree of epoch {epoch} of {len(self.epochs)}")
        nodes = []
        for i in range(nr):
            node = Node(r.u64(), r.u64(), r.u64(), r.u64(), [r.u64() for _ in self.metrics])
            if node.id != i or (node.parent >= i if i else node.parent):
                raise SystemExit(f"node {i}: id {node.id}, parent {node.parent}")
            nodes.append(node)
        return Tree(epoch, nodes)

    def trailer(self, r):
        r.expect(b"OPROBE\0\1")
        while True:
            kind, size = r.u32(), r.u64()
            item = Reader(r.take(size))
            if kind == 0:
                break
            if kind == 1:
                self.command = item.data.decode().split("\0")[:-1]
            elif kind == 2:
                self.build_ids[item.u32(), item.u32()] = item.data[8:].hex()
            elif kind == 3:
                self.counts[item.data[8:].decode()] = item.u64()
            elif kind in (4, 5):
                tree, _ = item.u32(), item.u32()
                ids = {(tree, item.u64()) for _ in range((size - 8) // 8)}
                (self.interrupted if kind == 4 else self.short).update(ids)
            elif kind == 6:
                epoch, _ = item.u32(), item.u32()
                self.columns[epoch] = item.u64()
            elif kind == 9:
                epoch, _ = item.u32(), item.u32()
                self.sizes[epoch] = [item.u64() for _ in range((size - 8) // 8)]
            elif kind == 10:
                self.process, _ = item.u32(), item.u32()
            elif kind == 7:
                self.rate = [item.u32(), item.u32(), item.u64(), item.u64(), item.u64()]
        if r.at != len(r.data):
            raise SystemExit(f"{len(r.data) - r.at} bytes behind the end")

    def check(self):
        """Every sample that a signal took is in a tree, or lost by name."""
        for t in self.trees:
            for i in range(len(self.metrics)):
                if not self.columns[t.epoch] >> i & 1 and any(n.metrics[i] for n in t.nodes):
                    raise SystemExit(f"epoch {t.epoch} counts {self.metrics[i].event}, which it has not")
        taken = [i for i, m in enumerate(self.metrics) if m.flags & 2]
        samples = sum(n.metrics[i] for t in self.trees for n in t.nodes for i in taken)
        lost = sum(n for name, n in self.counts.items() if name.startswith("lost: "))
        if samples != self.counts["recorded"] or samples + lost != self.counts["taken"]:
            raise SystemExit(f"{samples} in trees, {self.counts}")
        lost = sum(n for name, n in self.counts.items() if name.startswith("calls lost: "))
        if self.counts["calls recorded"] + lost != self.counts["calls taken"]:
            raise SystemExit(f"calls: {self.counts}")


@functools.lru_cache(None)
def symbols(path):
    rows = []
    for option in ([], ["-D"]):
        out = subprocess.run(["nm", "--defined-only", *option, path], capture_output=True, text=True).stdout
        for line in out.splitlines():
            words = line.split()
            if len(words) == 3 and words[1] in "tTwWiV":
                rows.append((int(words[0], 16), words[2].split("@")[0]))
    return sorted(rows)


def place_of(modules, code):
    best = max((m for m in modules if m.mapped <= code), key=lambda m: m.mapped, default=None)
    if not best:
        return "?", "?"
    rows = symbols(best.path)
    at = code - best.mapped + best.preferred
    i = bisect.bisect_right(rows, (at, "\x7f"))
    return (rows[i - 1][1], hex(at - rows[i - 1][0])) if i else ("?", "?")


def name_of(modules, code):
    return place_of(modules, code)[0]


def folded(file, metric):
    lines = collections.Counter()
    for number, tree in enumerate(file.trees):
        names = []
        parents = {n.parent for n in tree.nodes if n.id}
        for n in tree.nodes:
            if not n.id:
                names.append("")
                continue
            # An inner address follows a call, unless a signal interrupted the frame.
            back = n.id in parents and (number, n.id) not in file.interrupted
            name = name_of(file.epochs[tree.epoch], n.ip - back)
            names.append(names[n.parent] + ";" + name if n.parent else name)
            if len(n.metrics) > metric and n.metrics[metric]:
                lines[("[...];" if cut_off(file, number, tree, n) else "") + names[-1]] += n.metrics[metric]
    return lines


@functools.lru_cache(None)
def length(path):
    """Of what is loaded of an ELF file: 0 when there is none, as of what the kernel has mapped."""
    try:
        data = open(path, "rb").read(65536)
    except OSError:
        return 0
    at, each, nr = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    ends = [0]
    for i in range(nr):
        kind, _, _, address, _, _, size = struct.unpack_from("<IIQQQQQ", data, at + i * each)
        ends += [address + size] if kind == 1 else []
    return max(ends)


def native(file):
    """Of the first metric."""
    all_, of_files, whole = 0, 0, 0
    for number, tree in enumerate(file.trees):
        in_files = [True]
        for n in tree.nodes:
            if n.id:
                m = max((m for m in file.epochs[tree.epoch] if m.mapped <= n.ip), key=lambda m: m.mapped, default=None)
                is_there = m and (not m.path.startswith("/") or n.ip - m.mapped + m.preferred <= length(m.path))
                in_files.append(bool(in_files[n.parent] and is_there))
                if in_files[-1]:
                    of_files += n.metrics[0]
                    whole += 0 if cut_off(file, number, tree, n) else n.metrics[0]
            all_ += n.metrics[0]
    return of_files, whole, all_


def cut_off(file, number, tree, n):
    while n.parent:
        n = tree.nodes[n.parent]
    return (number, n.id) in file.short


def main():
    what, lines = sys.argv[1], collections.Counter()
    for path in sys.argv[2:]:
        file = File(path)
        file.check()
        if what.startswith("folded"):
            lines += folded(file, int(what[6:] or 0))
        elif what == "counts":
            print("command:", " ".join(file.command))
            print("epochs:", len(file.epochs))
            print("trees:", len(file.trees))
            for metric in file.metrics:
                print("metric:", metric.event, metric.flags, metric.period)
            for name, count in file.counts.items():
                print(f"{name}: {count}")
        elif what == "native":
            print(*native(file))
        elif what == "leaves":
            for tree in file.trees:
                for n in tree.nodes:
                    if any(n.metrics):
                        print(*place_of(file.epochs[tree.epoch], n.ip))
        elif what == "columns":
            for epoch, columns in enumerate(file.columns):
                print(f"{epoch}:", *[m.event for i, m in enumerate(file.metrics) if columns >> i & 1])
        elif what == "modules":
            for epoch, modules in enumerate(file.epochs):
                for i, m in enumerate(modules):
                    print(epoch, m.path, hex(m.preferred), hex(m.mapped), file.build_ids.get((epoch, i), ""))
    for line, count in lines.most_common():
        print(line, count)


main()
