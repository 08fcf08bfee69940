// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_odb.c -- fuzzes libdb with any sample file, or a valid file with some bytes changed: a file
 * that can be opened for writing stays consistent, and its counts add up.
 *
 * Input: first byte 0: the rest is the file. Otherwise its low 4 bits select the size of a valid
 * file, and the rest are changes: an offset (2 bytes) and a value each; an additional pair of bytes
 * at the end is the length to which the file is cut or extended.
 */
#include "config.h"

#include <sys/mman.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "tests/fuzz/fuzz.h"

#define HEADER 8

static void make_file(int fd, const uint8_t *data, size_t size)
{
	static const uint16_t sizes[] = { 1, 5, 100, 127, 128, 200, 255, 256, 300, 511, 600, 1000 };
	uint32_t nr;
	struct odb *db;
	size_t at;

	if (!size || !data[0]) {
		fuzz_require(write(fd, data + !!size, size - !!size) == (ssize_t)(size - !!size));
		return;
	}
	nr = sizes[data[0] % 16 % (sizeof(sizes) / sizeof(sizes[0]))];
	fuzz_require(!odb_open(&db, dup(fd), HEADER, ODB_WRITE, NULL));
	for (uint32_t i = 0; i < nr; i++)
		fuzz_require(!odb_update(db, i * 4 + ((uint64_t)(data[0] >> 4) << 40) * i, i + 1));
	odb_close(db);
	for (at = 1; at + 3 <= size; at += 3)
		fuzz_require(pwrite(fd, data + at + 2, 1, data[at] | data[at + 1] << 8) == 1);
	if (at + 2 == size)
		fuzz_require(!ftruncate(fd, data[at] | data[at + 1] << 8));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odb_repair repair = { 0 };
	int fd = memfd_create("odb", 0);
	uint64_t sum;
	struct odb *db;

	fuzz_require(fd >= 0);
	make_file(fd, data, size);
	if (!odb_open(&db, dup(fd), HEADER, ODB_READ, NULL)) {
		odb_total(db);
		odb_close(db);
	}
	if (odb_open(&db, dup(fd), HEADER, ODB_WRITE, &repair)) {
		close(fd);
		return 0;
	}
	sum = odb_total(db);
	for (uint64_t i = 0; i < 200; i++)
		fuzz_require(!odb_update(db, i * 4, i + 1));
	sum += 200 * 201 / 2;
	fuzz_require(odb_total(db) == sum);
	odb_close(db);

	fuzz_require(!odb_open(&db, dup(fd), HEADER, ODB_WRITE, &repair));
	fuzz_require(!repair.repaired);
	fuzz_require(odb_total(db) == sum);
	odb_close(db);
	fuzz_require(!odb_open(&db, fd, HEADER, ODB_READ, NULL));
	fuzz_require(odb_total(db) == sum);
	odb_close(db);
	return 0;
}
