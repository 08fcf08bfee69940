// SPDX-License-Identifier: GPL-2.0-or-later
/* table_seal.c -- the seal, a checksum at the end of a symbol table: appending and checking. */
#include "config.h"
#include "libop/session/table_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/hash.h"

#define BUFFER_SIZE	16384

/* The start of a seal: a gzip header with an extra field. The field has one subfield "OP" of 8
 * bytes, the checksum in little-endian order. */
static const unsigned char head[] = {
	0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 12, 0, 'O', 'P', 8, 0,
};
/* The end of a seal: an empty deflate stream, with its checksum and length. */
static const unsigned char tail[] = { 3, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

#define SEAL_SIZE	(sizeof(head) + sizeof(uint64_t) + sizeof(tail))

static void make_seal(unsigned char seal[SEAL_SIZE], uint64_t sum)
{
	unsigned char *at = seal + sizeof(head);

	memcpy(seal, head, sizeof(head));
	for (size_t i = 0; i < sizeof(sum); i++)
		*at++ = (unsigned char)(sum >> 8 * i);
	memcpy(at, tail, sizeof(tail));
}

/* Set *@ret to the checksum of the first @size bytes of @fd. Return 0 or a negative errno. */
static int sum_of(uint64_t *ret, int fd, uint64_t size)
{
	uint64_t sum = op_hash_number(OP_HASH_BEGIN, size), at = 0;
	unsigned char buf[BUFFER_SIZE];
	size_t n;
	int err;

	while (at < size) {
		err = op_read_all_at(fd, buf,
				     size - at < sizeof(buf) ? (size_t)(size - at) : sizeof(buf),
				     (off_t)at, &n);
		if (err)
			return err;
		if (!n)
			return -EIO;
		sum = op_hash_bytes(sum, buf, n);
		at += n;
	}
	*ret = sum;
	return 0;
}

int op_table_seal(int fd)
{
	unsigned char seal[SEAL_SIZE];
	struct stat st;
	uint64_t sum;
	int err;

	if (fstat(fd, &st))
		return -errno;
	err = sum_of(&sum, fd, (uint64_t)st.st_size);
	if (err)
		return err;
	make_seal(seal, sum);
	return op_write_all(fd, seal, sizeof(seal));
}

static bool is_valid(int fd)
{
	unsigned char seal[SEAL_SIZE], expected[SEAL_SIZE];
	struct stat st;
	uint64_t sum, size;
	size_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= (off_t)SEAL_SIZE)
		return false;
	size = (uint64_t)st.st_size - SEAL_SIZE;
	if (op_read_all_at(fd, seal, SEAL_SIZE, (off_t)size, &n) || n != SEAL_SIZE ||
	    sum_of(&sum, fd, size))
		return false;
	make_seal(expected, sum);
	return !memcmp(seal, expected, SEAL_SIZE);
}

bool op_table_is_valid(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	bool sound = fd >= 0 && is_valid(fd);

	if (fd >= 0)
		close(fd);
	return sound;
}
