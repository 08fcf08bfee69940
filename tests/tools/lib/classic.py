#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Read the sample files of a session as OProfile 1.4 does, without code of this project.

usage: classic.py SAMPLES

Prints, sorted, a line for each image below the directory SAMPLES: the number of its samples and its path, with a tab between
them, and last a line "arcs" with the total of the call-graph files. Fails if a name or a file is not as OProfile 1.4 writes it:
a name without six parts, a header of another version, a length that does not match the size of the table, a chain that leads
out of the table, a node in the chain of another bucket or in none, a key twice, a count of zero.
"""

import os
import struct
import sys

HEADER = struct.Struct('<4sIIIIII4xdQI4xQQ')	# the natural alignment of the header's members on x86-64
DESCRIPTION = struct.Struct('<II24x')
NODE = struct.Struct('<QII')
VERSION = 0x13


def fail(path, reason):
    sys.exit(f'classic.py: {path}: {reason}')


def bucket_of(key, size):
    folded = (key >> 32 ^ key) & 0xffffffff
    return (folded ^ folded >> 8) & size - 1


def read_nodes(path, table):
    """Return the counts by key of a hash table, the part of a file after its header."""
    size, used = DESCRIPTION.unpack_from(table)
    if size & size - 1 or len(table) != DESCRIPTION.size + size * (NODE.size + 4):
        fail(path, f'{len(table)} bytes do not hold a table of {size} nodes')
    if not 0 < used <= size:
        fail(path, f'{used} of {size} nodes are in use')
    heads = struct.unpack_from(f'<{size}I', table, DESCRIPTION.size + size * NODE.size)
    counts, seen = {}, set()
    for bucket, number in enumerate(heads):
        while number:
            if number >= used or number in seen:
                fail(path, f'the chain of bucket {bucket} leads to node {number}')
            seen.add(number)
            key, count, following = NODE.unpack_from(table, DESCRIPTION.size + number * NODE.size)
            if bucket_of(key, size) != bucket or key in counts or not count:
                fail(path, f'node {number} in bucket {bucket}: key {key:#x}, count {count}')
            counts[key] = count
            number = following
    if len(seen) != used - 1:
        fail(path, f'{len(seen)} nodes are in chains, {used - 1} are in use')
    return counts


def read_file(path, name):
    """Return the counts by key of a sample file, whose header must match its NAME."""
    parts = name.split('.')
    if len(parts) != 6:
        fail(path, 'the name does not have six parts')
    with open(path, 'rb') as file:
        data = file.read()
    if len(data) < HEADER.size + DESCRIPTION.size:
        fail(path, 'too short')
    magic, version, _, _, mask, count, *_ = HEADER.unpack_from(data)
    if magic != b'DAE\n' or version != VERSION:
        fail(path, f'magic {magic}, version {version:#x}')
    if [count, mask] != [int(part) for part in parts[1:3]]:
        fail(path, f'count {count} and unit mask {mask} in the header')
    for part in parts[3:]:
        if part != 'all':
            int(part)
    return read_nodes(path, data[HEADER.size:])


def image_of(path, inside):
    """Return the image of a sample file from INSIDE, its path below the directory of samples."""
    program, _, rest = inside.partition('/{dep}/')
    if not program.startswith(('{root}/', '{kern}/')) or not rest:
        fail(path, 'no program, or no image')
    image = rest.partition('/{cg}/')[0]
    if image.startswith('{root}/'):
        return image[len('{root}'):]
    if image.startswith('{kern}/'):
        return image[len('{kern}/'):]
    if image.startswith('{anon:'):
        return image
    return fail(path, 'the image is of no known kind')


def main():
    samples = sys.argv[1]
    images, arcs = {}, 0
    for directory, _, names in os.walk(samples):
        inside = os.path.relpath(directory, samples)
        if not inside.startswith(('{root}/', '{kern}/')):
            continue
        for name in names:
            path = os.path.join(directory, name)
            if name.endswith('.jo'):
                continue
            total = sum(read_file(path, name).values())
            image = image_of(path, inside)
            if '/{cg}/' in inside:
                arcs += total
            else:
                images[image] = images.get(image, 0) + total
    for image, total in sorted(images.items()):
        print(f'{total}\t{image}')
    print(f'{arcs}\tarcs')


main()
