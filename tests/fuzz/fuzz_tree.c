// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_tree.c -- fuzzes call path trees and files of frames, including nodes that are valid alone
 * but contradict each other: a tree that can be opened is walked, added up, merged and folded
 * without losing a sample.
 *
 * Input: first byte 0: the rest is a tree file. 1: the rest is a file of frames. Otherwise the rest
 * are nodes of 8 bytes (parent, frame, count), which get correct checksums; if the first byte is
 * odd, the last node is removed, so that its children have no path.
 */
#include "config.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libdb/frames.h"
#include "libdb/slots.h"
#include "libdb/tree.h"
#include "tests/fuzz/fuzz.h"

#define GENERATION 1

static const struct slots_kind tree_kind = { .magic = 0x0a54504f };

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("tree", 0);

	fuzz_require(fd >= 0);
	fuzz_require(write(fd, data, size) == (ssize_t)size);
	return fd;
}

static int file_of_nodes(const uint8_t *data, size_t size, bool cut)
{
	int fd = memfd_create("tree", 0);
	struct slots slots;
	uint32_t number = 0;

	fuzz_require(fd >= 0);
	fuzz_require(!slots_open(&slots, &tree_kind, dup(fd), ODB_WRITE, GENERATION, 0));
	for (; size >= 8; data += 8, size -= 8) {
		uint64_t parent = data[0] | data[1] << 8, frame = data[2] | data[3] << 8;
		/* The last byte of a node's input shifts its count, so that some sums overflow. */
		uint64_t count = (uint64_t)(data[4] | data[5] << 8 | data[6] << 16) << data[7] % 32;

		if (!slots_find(&slots, parent << 32 | frame, 0))
			fuzz_require(!slots_append(&slots, parent << 32 | frame, count & SLOT_VALUE_MAX, &number));
	}
	if (cut && number)
		slots.slot[number / 2 < SLOTS_FIRST ? SLOTS_FIRST : number / 2] = (struct slot){ 0 };
	slots_close(&slots);
	return fd;
}

static void check_sums(const struct tree *t, const struct tree_totals *before, uint32_t nodes)
{
	struct tree_totals after;
	struct tree *to;
	int err;

	fuzz_require(!tree_open(&to, memfd_create("to", 0), ODB_WRITE, GENERATION));
	err = nodes ? tree_fold(to, t, nodes) : tree_merge(to, t, NULL, NULL);
	fuzz_require(!err || err == -ERANGE);
	if (!err) {
		fuzz_require(!tree_totals(to, &after));
		fuzz_require(!after.orphans && !after.damaged);
		fuzz_require(after.count == before->count + before->orphan_count);
		fuzz_require(!nodes || after.nodes <= nodes);
	}
	tree_close(to);
}

static void as_tree(int fd)
{
	struct tree_totals books;
	struct tree_node node;
	struct tree *t;
	uint32_t number;

	if (!tree_open(&t, dup(fd), ODB_READ, 0)) {
		for (uint32_t i = 0; i < tree_end(t); i++)
			fuzz_require(!tree_node(t, i, &node) || node.parent < i);
		fuzz_require(!tree_totals(t, &books));
		check_sums(t, &books, 0);
		check_sums(t, &books, 4);
		check_sums(t, &books, 20);
		tree_close(t);
	}
	if (!tree_open(&t, dup(fd), ODB_WRITE, GENERATION)) {
		fuzz_require(!tree_child(t, TREE_ROOT, 77, &number));
		fuzz_require(tree_node(t, number, &node) && node.parent == TREE_ROOT && node.frame == 77);
		tree_folded_above(t, number);
		tree_close(t);
	}
	close(fd);
}

static void as_frames(int fd)
{
	const struct frame new = { .offset = 0x1234567, .image = 9, .how = 3 };
	struct frame frame;
	struct frames *f;
	uint32_t number;

	if (!frames_open(&f, dup(fd), ODB_READ, 0)) {
		for (uint32_t i = 0; i <= frames_end(f); i++)
			frames_get(f, i, &frame);
		frames_close(f);
	}
	if (!frames_open(&f, dup(fd), ODB_WRITE, 5)) {
		fuzz_require(!frames_number(f, &new, &number));
		fuzz_require(frames_get(f, number, &frame) && frame.offset == new.offset);
		frames_close(f);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] == 0)
		as_tree(file_of(data + 1, size - 1));
	else if (data[0] == 1)
		as_frames(file_of(data + 1, size - 1));
	else
		as_tree(file_of_nodes(data + 1, size - 1, data[0] & 1));
	return 0;
}
