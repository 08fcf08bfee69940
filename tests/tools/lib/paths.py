# SPDX-License-Identifier: GPL-2.0-or-later
"""paths.py: the call paths of a samples directory, read by doc/path-tree.md and libop/session/path_images.h."""

import os
import struct


def slots(path):
    """Number -> (key, value), of those that are there; what damage can do is not looked for."""
    data = open(path, "rb").read()
    found = {}
    for n in range(4, len(data) // 16):
        key, word = struct.unpack_from("=QQ", data, 16 * n)
        if word:
            found[n] = (key, word & (1 << 48) - 1)
    return found


class Paths:
    """frames: number -> (image's name or None, offset, how); trees: name -> [(path of frame numbers, count)]."""

    def __init__(self, samples):
        top = os.path.join(samples, "paths")
        images = {}
        for line in open(top + "/images").read().split("\n")[:-1]:
            number, _, _, _, _, _, name = line[1:].split(" ", 6)
            images[int(number)] = name
        self.frames = {1: ("[folded]", 0, 0), 2: ("[lost]", 0, 0)}
        for number, (offset, value) in slots(top + "/frames").items():
            image, how = value & 0xffffffff, value >> 32
            self.frames[number] = (images.get(image), offset, how)
        self.trees = {}
        for kind in "root", "kern":
            for directory, _, files in os.walk(os.path.join(top, kind)):
                for name in files:
                    path = os.path.join(directory, name)
                    self.trees[os.path.relpath(path, top)] = self.tree(path)

    @staticmethod
    def tree(path):
        ways, counted = {0: ()}, []
        for number, (key, count) in sorted(slots(path).items()):
            parent, frame = key >> 32, key & 0xffffffff
            if parent not in ways:
                continue    # an orphan
            ways[number] = ways[parent] + (frame,)
            if count:
                counted.append((ways[number], count))
        return counted
