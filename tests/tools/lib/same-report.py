#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""same-report.py FORMAT FILE: prints a report without the data that a database does not have.

A database has names of functions, no addresses. So addresses and sizes are left out, numbers of symbols are replaced by
names, and rows whose order depends on addresses are sorted. The command line is left out. Each count remains, with the
names of its functions, program and column.
"""
import json
import re
import struct
import sys
import xml.etree.ElementTree as tree


def text(data):
    lines = data.decode().split("\n")
    # advice for the machine of the binaries
    return [line for line in lines if not re.match(r"  (To ask a server|Or install|The host of the binary names)", line)]


def csv(data):
    import csv as reader
    rows = []
    for row in reader.reader(data.decode().splitlines()):
        rows.append([cell for cell in row if not re.fullmatch(r"0x[0-9a-f]+", cell)])
        if len(row) > 8 and re.fullmatch(r"0x[0-9a-f]+", row[7]):
            rows[-1].pop(7)     # the size
        elif row and row[0] == "symbol" and row[7:9] == ["", ""]:
            rows[-1].pop(7)
            rows[-1].pop(7)
    return sorted(map(str, rows))


def plain(value, names):
    """The value with names in place of numbers of symbols, and sorted lists."""
    if isinstance(value, dict):
        return {key: names.get(item, item) if key in ("symbol", "id", "code") else plain(item, names)
                for key, item in sorted(value.items()) if key not in ("command", "address", "size")}
    if isinstance(value, list):
        return sorted((plain(item, names) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    return value


def as_json(data):
    value = json.loads(data)
    if "paths" in value:
        paths, codes = value["paths"], {code["id"]: code for code in value["symbols"]}
        names = [json.dumps(plain({**place, "symbol": codes[place["symbol"]]["name"]} if "symbol" in place else place, {}),
                            sort_keys=True) for place in paths["places"]]
        ways = []
        for node in paths["nodes"]:
            node["path"] = (ways[node["parent"]] if "parent" in node else "") + "/" + names[node["place"]]
            ways.append(node.pop("path"))
        value["paths"] = [[way, {key: v for key, v in node.items() if key not in ("parent", "place", "children")}]
                          for way, node in zip(ways, paths["nodes"])]
    names = {code["id"]: f"{code['image']} {code['name']}" for code in value.get("symbols", [])}
    return json.dumps(plain(value, names), indent=1, sort_keys=True).split("\n")


def xml(data):
    root = tree.fromstring(data)
    root.attrib.pop("title", None)
    names = {s.get("id"): s.get("name") for s in root.iter("symboldata")}
    out = []

    def walk(node, path):
        attributes = {key: names.get(value, value) if key in ("idref", "id") else value
                      for key, value in node.attrib.items() if key not in ("startingaddr", "codelength")}
        here = f"{path}/{node.tag}{sorted(attributes.items())}"
        if node.tag == "symbol":
            here += " ".join(c.text for c in node.iter("count") if c.text)
        out.append(here + (node.text or "").strip())
        for child in node:
            walk(child, here)
    walk(root, "")
    return sorted(out)


def speedscope(data):
    value = json.loads(data)
    frames = [f"{f['name']} {f.get('file')}" for f in value["shared"]["frames"]]
    return sorted(f"{p['name']} {p.get('unit')} {w} " + " < ".join(frames[i] for i in s)
                  for p in value["profiles"] for s, w in zip(p["samples"], p["weights"]))


def firefox(data):
    value = json.loads(data)
    out = []
    shared = value.get("shared", {})
    for thread in value["threads"]:
        strings = thread.get("stringArray") or shared["stringArray"]
        stacks, frames, functions = thread["stackTable"], thread["frameTable"], thread["funcTable"]

        def path(at):
            names = []
            while at is not None:
                names.append(strings[functions["name"][frames["func"][stacks["frame"][at]]]])
                at = stacks["prefix"][at]
            return " < ".join(reversed(names))
        for weight, stack in zip(thread["samples"]["weight"], thread["samples"]["stack"]):
            out.append(f"{thread['name']} {weight} {path(stack)}")
    return sorted(out)


def callgrind(data):
    """Costs of functions and calls, by name."""
    out, names, here, called, cost = [], {}, {}, {}, None
    for line in data.decode().splitlines():
        found = re.match(r"(c?fn|c?ob|c?fi|fl|fe)=\((\d+)\)(?: (.*))?", line)
        if line.startswith(("cmd:", "desc:", "#")) or not line:
            continue
        if found:
            kind, number, name = found.groups()
            group = kind[-2:].replace("fl", "fi").replace("fe", "fi")
            if name is not None:
                names[group, number] = name
            (called if kind[0] == "c" else here)[group] = names[group, number]
        elif line.startswith("calls="):
            cost = line.split()[0]
        elif re.match(r"[\d+*-]", line):
            counts = " ".join(line.split()[1:])
            out.append(f"{here} {cost} {called} {counts}" if cost else f"{here} {counts}")
            cost = None
            called = {}
        else:
            out.append(line)
    return sorted(out)


def pprof(data):
    import gzip
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)

    def fields(b):
        at = 0

        def number():
            nonlocal at
            value = shift = 0
            while True:
                byte = b[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value
        while at < len(b):
            key = number()
            if key & 7 == 0:
                yield key >> 3, number()
            elif key & 7 == 1:
                yield key >> 3, struct.unpack("<q", b[at:at + 8])[0]
                at += 8
            else:
                length = number()
                yield key >> 3, b[at:at + length]
                at += length

    def numbers(value):
        if isinstance(value, int):
            return [value]
        return [int(x) for x in packed(value)]

    def packed(b):
        value = shift = 0
        for byte in b:
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                yield value
                value = shift = 0
    strings, functions, locations, samples = [], {}, {}, []
    for number, value in fields(data):
        if number == 6:
            strings.append(value.decode())
        elif number == 5:
            function = dict(fields(value))
            functions[function[1]] = function
        elif number == 4:
            location = list(fields(value))
            locations[dict(location)[1]] = [dict(fields(v))[1] for n, v in location if n == 4]
        elif number == 2:
            samples.append(list(fields(value)))
    out = []
    for sample in samples:
        path = [i for n, v in sample if n == 1 for i in numbers(v)]
        counts = [i for n, v in sample if n == 2 for i in numbers(v)]
        names = [strings[functions[f].get(2, 0)] for at in path for f in locations[at]]
        out.append(f"{counts} {' < '.join(names)}")
    return sorted(out)


def html(data):
    """The texts of the page, sorted: tables, and the tree of the flame graph as numbers of names."""
    lines = re.sub(r"#code-\d+|id=\"code-\d+\"", "", data.decode())
    # a page for the machine of the binaries also has their code
    lines = re.sub(r"<script.*?</script>|<style.*?</style>|<section id=code.*?</section>", "", lines, flags=re.S)
    words = re.split(r"<[^>]*>|\n", lines)
    return sorted(w.strip() for w in words if w.strip() and not re.match(r"(To ask a server|Or install|The host of the binary|\S*opreport )", w.strip()))


def svg(data):
    return [line for line in data.decode().split("\n") if 'class="soft" x="10" y="40"' not in line]


def brief(data):
    lines = data.decode().split("\n")
    # the commands that come next, and advice for the machine of the binaries
    return [line for line in lines
            if not re.match(r"  ([a-z ]+: (DEBUGINFOD_URLS=\S+ )?op[a-z]+ |stripped: |.* in /.*: )", line)]


FORMATS = {"text": text, "lines": lambda data: sorted(text(data)), "csv": csv, "json": as_json, "xml": xml, "speedscope": speedscope, "firefox": firefox,
           "callgrind": callgrind, "pprof": pprof, "html": html, "flamegraph": svg, "brief": brief,
           "folded": lambda data: sorted(data.decode().split("\n"))}
with open(sys.argv[2], "rb") as file:
    print("\n".join(FORMATS[sys.argv[1]](file.read())))
