// SPDX-License-Identifier: GPL-2.0-or-later
/* copy.c -- copying of a file's data to memory; holes of the file use no memory. */
#include "config.h"
#include "libop/base/copy.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_piece(struct op_copy *copy, int fd, off_t from, off_t to)
{
	while (from < to) {
		ssize_t got = pread(fd, copy->bytes + from, to - from, from);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (!got)
			return 0;
		if (got > 0)
			from += got;
	}
	return 0;
}

static int read_pieces(struct op_copy *copy, int fd)
{
	off_t size = copy->size, from = 0;
	int err = 0;

	while (from < size && !err) {
		off_t data = lseek(fd, from, SEEK_DATA), hole;

		if (data < 0)
			return errno == ENXIO ? 0 : -errno;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0 || hole > size)
			hole = size;
		err = read_piece(copy, fd, data, hole);
		from = hole;
	}
	return err;
}

int op_copy_make(struct op_copy *ret, int fd)
{
	struct op_copy copy = { NULL, 0 };
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EUCLEAN;
	if (st.st_size > OP_COPY_MOST)
		return -EFBIG;
	copy.size = st.st_size;
	if (copy.size) {
		copy.bytes = mmap(NULL, copy.size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (copy.bytes == MAP_FAILED)
			return -errno;
	}
	err = read_pieces(&copy, fd);
	if (err)
		op_copy_release(&copy);
	else
		*ret = copy;
	return err;
}

void op_copy_release(struct op_copy *copy)
{
	if (copy->bytes)
		munmap(copy->bytes, copy->size);
	copy->bytes = NULL;
}
