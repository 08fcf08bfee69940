#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""otlp-read.py FILE...: decode requests of OTLP's profiles by protoc, check them, and print them.

Each FILE is an ExportProfilesServiceRequest. A line "ID TIME DURATION EVENT PERIOD-TYPE PERIOD SERVICE VERSION CONTAINER HOST COUNT
STACK" for each sample, separated by tabs; STACK is a list "NAME|BINARY|BUILD-ID" from the first frame to the last, separated by
';;'. Exits with 1, and an explanation, for a request that breaks the rules of the signal.
"""
import os
import re
import subprocess
import sys

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "otlp.proto")
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", '"': b'"', "'": b"'", "\\": b"\\"}


def unescape(text):
    """The bytes of a string of protoc's text format."""
    out = b""
    for octal, char, plain in re.findall(r"\\([0-7]{3})|\\(.)|([^\\]+)", text):
        out += bytes([int(octal, 8)]) if octal else ESCAPES[char] if char else plain.encode()
    return out


def decode(path):
    """The message as a tree: {field: [value, ...]}."""
    with open(path, "rb") as f:
        done = subprocess.run(["protoc", "-I", os.path.dirname(PROTO), "--decode=otlp.ExportProfilesServiceRequest", "otlp.proto"],
                              stdin=f, capture_output=True, check=False, cwd=os.path.dirname(PROTO))
    if done.returncode or done.stderr:
        sys.exit(f"{path}: protoc: {done.stderr.decode(errors='replace')[:300]}")
    stack = [{}]
    for line in done.stdout.decode().splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
            continue
        name, _, value = line.partition(" ")
        name = name.rstrip(":")
        if name.isdigit():
            sys.exit(f"{path}: unknown field {line[:80]}")
        if value == "{":
            child = {}
            stack[-1].setdefault(name, []).append(child)
            stack.append(child)
        else:
            stack[-1].setdefault(name, []).append(unescape(value[1:-1]) if value.startswith('"') else int(value))
    return stack[0]


def one(message, field, default=0):
    values = message.get(field, [default])
    assert len(values) == 1, (field, values)
    return values[0]


class Request:
    def __init__(self, path):
        self.path = path
        self.message = decode(path)
        self.dictionary = one(self.message, "dictionary")
        self.strings = [s.decode() for s in self.dictionary["string_table"]]
        for table in ("mapping", "location", "function", "link", "attribute", "stack"):
            items = self.dictionary[table + "_table"]
            self.need(items[0] == {}, f"{table}_table[0] is not empty")
            self.need(len({repr(i) for i in items}) == len(items), f"{table}_table has duplicates")
        self.need(self.strings[0] == "" and len(set(self.strings)) == len(self.strings), "the strings")
        self.attributes = [self.attribute(a) for a in self.dictionary["attribute_table"]]

    def need(self, condition, text):
        if not condition:
            sys.exit(f"{self.path}: {text}")

    def attribute(self, item):
        return self.strings[one(item, "key_strindex")], one(one(item, "value", {}), "string_value", b"").decode()

    def frame(self, index):
        self.need(index, "a location is not set")
        location = self.dictionary["location_table"][index]
        mapping = self.dictionary["mapping_table"][one(location, "mapping_index")]
        build_id = dict(self.attributes[i] for i in mapping.get("attribute_indices", []))
        function = self.dictionary["function_table"][one(one(location, "lines"), "function_index")]
        name = self.strings[one(function, "name_strindex")]
        if name.startswith("0x"):
            self.need(one(location, "address") == int(name, 16), f"the address of {name}")
        return "|".join((name, self.strings[one(mapping, "filename_strindex")],
                         build_id.get("process.executable.build_id.gnu", "")))

    def rows(self, resource, profile):
        about = {one(a, "key").decode(): one(one(a, "value"), "string_value").decode()
                 for a in one(resource, "resource")["attributes"]}
        kinds = [tuple(self.strings[one(one(profile, field), part)] for part in ("type_strindex", "unit_strindex"))
                 for field in ("sample_type", "period_type")]
        self.need(kinds[0] == ("samples", "count"), f"the samples are {kinds[0]}")
        ident = one(profile, "profile_id").hex()
        self.need(len(ident) == 32 and int(ident, 16), f"the id is {ident}")
        event = dict(self.attributes[i] for i in profile["attribute_indices"])["oprofile.event"]
        for sample in profile["samples"]:
            values = sample["values"]
            self.need(len(values) == 1 and values[0] > 0, f"the values are {values}")
            locations = self.dictionary["stack_table"][one(sample, "stack_index")]["location_indices"]
            yield [ident, one(profile, "time_unix_nano"), one(profile, "duration_nano"), event, "/".join(kinds[1]),
                   one(profile, "period"), about["service.name"], about.get("service.version", ""),
                   about.get("container.id", ""), about["host.name"], values[0],
                   ";;".join(self.frame(i) for i in reversed(locations))]

    def print(self):
        for resource in self.message["resource_profiles"]:
            scope = one(resource, "scope_profiles")
            self.need(one(one(scope, "scope"), "name") == b"oprofile", "the scope")
            for row in self.rows(resource, one(scope, "profiles")):
                print(*row, sep="\t")


for name in sys.argv[1:]:
    Request(name).print()
