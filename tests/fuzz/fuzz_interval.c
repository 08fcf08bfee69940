// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_interval.c -- fuzzes the reader of packed intervals: an interval that can be read satisfies
 * all invariants, can be written and read again, and can be folded and added without losing a
 * sample.
 *
 * Input: first byte 0: the rest is a file. Otherwise, the checksums in the header and directory are
 * corrected first.
 * fuzz-libraries: -lzstd
 */
#include "config.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "intervals/columns.h"
#include "intervals/file.h"
#include "intervals/format.h"
#include "intervals/merge.h"
#include "libop/base/hash.h"
#include "tests/fuzz/fuzz.h"

#define LIMIT (16u << 20)

static void write_checksums(uint8_t *bytes, size_t size)
{
	uint32_t nr = itv_get_le32(bytes + ITV_AT_NR_BLOCKS);
	uint64_t check;

	if (nr > (size - ITV_HEADER_LEN) / ITV_ENTRY_LEN)
		return;
	for (uint32_t i = 0; i < nr; i++) {
		uint8_t *entry = bytes + ITV_HEADER_LEN + i * ITV_ENTRY_LEN;
		uint64_t offset = itv_get_le64(entry + ITV_ENTRY_OFFSET);
		uint64_t stored = itv_get_le64(entry + ITV_ENTRY_STORED);

		if (offset <= size && stored <= size - offset)
			itv_put_le64(entry + ITV_ENTRY_CHECK,
				     op_hash_bytes(OP_HASH_BEGIN, bytes + offset, stored));
	}
	check = op_hash_bytes(OP_HASH_BEGIN, bytes, ITV_AT_CHECK);
	check = op_hash_bytes(check, bytes + ITV_HEADER_LEN, nr * ITV_ENTRY_LEN);
	itv_put_le64(bytes + ITV_AT_CHECK, check);
}

static int write_file(const struct itv *v)
{
	int fd = memfd_create("interval", 0);

	fuzz_require(fd >= 0);
	fuzz_require(!itv_file_write(v, fd, 1, NULL));
	return fd;
}

/* Write the interval and read it again: the contents must be equal. */
static void compare_rewritten(const struct itv *v)
{
	int fd[2] = { write_file(v) };
	struct itv again = { 0 };
	off_t len = lseek(fd[0], 0, SEEK_END);
	char *bytes[2];

	fuzz_require(!itv_file_read(&again, fd[0], ITV_READ_ALL, UINT64_MAX));
	fd[1] = write_file(&again);
	fuzz_require(lseek(fd[1], 0, SEEK_END) == len);
	for (int i = 0; i < 2; i++) {
		bytes[i] = malloc((size_t)len);
		fuzz_require(bytes[i] && pread(fd[i], bytes[i], (size_t)len, 0) == len);
		close(fd[i]);
	}
	fuzz_require(!memcmp(bytes[0], bytes[1], (size_t)len));
	free(bytes[0]);
	free(bytes[1]);
	itv_release(&again);
}

static void check_interval(struct itv *v)
{
	const struct itv_accounting before = v->accounting;
	struct itv sum = { 0 };
	int err;

	fuzz_require(!itv_sum(v));
	fuzz_require(v->accounting.samples == before.samples && v->accounting.paths == before.paths);
	compare_rewritten(v);
	fuzz_require(!itv_merge(&sum, v, "stopped"));
	err = itv_merge(&sum, v, "stopped");
	fuzz_require(!err || err == -EOVERFLOW);
	fuzz_require(!itv_sum(&sum));
	fuzz_require(err || sum.accounting.samples == 2 * before.samples);
	itv_release(&sum);
	fuzz_require(!itv_fold_paths(v, v->nr_nodes / 2));
	fuzz_require(!itv_sum(v));
	fuzz_require(v->accounting.paths == before.paths);
	fuzz_require(!itv_sort(v));
	fuzz_require(!itv_sum(v));
	fuzz_require(v->accounting.paths == before.paths && v->accounting.samples == before.samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("interval", 0);
	struct itv v = { 0 };
	uint8_t *bytes;

	fuzz_require(fd >= 0);
	if (size > 1) {
		bytes = malloc(size - 1);
		fuzz_require(bytes);
		memcpy(bytes, data + 1, size - 1);
		if (data[0] && size - 1 >= ITV_HEADER_LEN)
			write_checksums(bytes, size - 1);
		fuzz_require(write(fd, bytes, size - 1) == (ssize_t)(size - 1));
		free(bytes);
	}
	for (unsigned int parts = 0; parts < ITV_READ_ALL; parts++) {
		if (!itv_file_read(&v, fd, parts, LIMIT))
			itv_release(&v);
	}
	if (!itv_file_read(&v, fd, ITV_READ_ALL, LIMIT))
		check_interval(&v);
	itv_release(&v);
	close(fd);
	return 0;
}
