// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opsymbols.c -- the opsymbols program: makes tables of symbols and of unwind information for
 * oprofiled. Any user may have written the binaries that it parses, so it runs as nobody without
 * capabilities. Only oprofiled starts it (libop/session/table_request.h).
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libcfi/file.h"
#include "libop/base/fs.h"
#include "libop/base/process.h"
#include "libop/session/table_request.h"
#include "pp/image/debug_file.h"
#include "pp/image/drop_rights.h"
#include "pp/image/elf.h"
#include "pp/image/elf_symtab.h"
#include "pp/image/kept_table.h"
#include "pp/image/made_rows.h"
#include "pp/image/plt.h"
#include "pp/image/unpack.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD	2
#endif

/* Receive one request from oprofiled, and store its kind and its file descriptors. Return false at
 * the end of the requests. */
static bool receive(char *kind, int fds[OP_TABLE_MAX_FDS])
{
	union {
		char bytes[CMSG_SPACE(OP_TABLE_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec data = { kind, 1 };
	struct msghdr msg = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t n = recvmsg(OP_TABLE_SOCKET, &msg, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n == 1 ? CMSG_FIRSTHDR(&msg) : NULL;
	size_t nr = *kind == OP_TABLE_WITH_DEBUG || *kind == OP_TABLE_UNWIND_WITH_DEBUG ? 3 : 2;

	if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(nr * sizeof(int)))
		return false;
	fds[2] = -1;
	memcpy(fds, CMSG_DATA(c), nr * sizeof(int));
	return true;
}

static int write_table(const struct pp_elf *elf, int debug, int out)
{
	struct pp_elf_symtab symtab = { 0 };
	struct pp_plt plt = { 0 };
	uint64_t start, end;
	int err = pp_elf_symtab_read_open(&symtab, elf, debug);

	pp_plt_bounds(elf, &start, &end);
	if (!err && start != end)
		err = pp_plt_read(&plt, elf, "the profiled binary");
	if (!err)
		err = pp_kept_table_write(out, elf, &symtab, &plt);
	if (!err && fdatasync(out))
		err = -errno;
	pp_plt_release(&plt);
	pp_elf_symtab_release(&symtab);
	return err;
}

static int make_symbols(const int fds[OP_TABLE_MAX_FDS])
{
	struct pp_elf elf;
	int err = pp_elf_read(&elf, fds[0]);

	if (err)
		return err;
	err = write_table(&elf, fds[2] >= 0 && pp_debug_file_agrees(&elf, fds[2]) ? fds[2] : -1,
			  fds[1]);
	pp_elf_release(&elf);
	return err;
}

/* Write the unwind table of @elf to the descriptor @out. If the binary is truncated while it is
 * read, SIGBUS kills this process, and oprofiled starts another. */
static int write_unwind(const struct cfi_elf *elf, int out)
{
	uint64_t room = cfi_file_room(elf);
	struct cfi_file *file;
	int err;

	if (!room)
		return -ENOENT;
	file = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		    -1, 0);
	if (file == MAP_FAILED)
		return -errno;
	err = cfi_file_make(elf, file, room);
	if (!err)
		err = op_write_all(out, file, cfi_file_size(file));
	munmap(file, room);
	return err;
}

/*
 * Set elf->debug_frame to the section .debug_frame of @from, which is @elf itself or its debug
 * file. Uncompress a compressed section, or ignore it if that fails. Return the number of bytes at
 * elf->debug_frame that the caller has to unmap.
 */
static size_t use_frames(struct cfi_elf *elf, const struct cfi_elf *from)
{
	struct cfi_elf_section section;
	__u64 size;
	__u32 type;
	size_t got;
	void *room;

	if (from != elf && !cfi_elf_section(from, ".debug_frame", &section)) {
		elf->debug_frame = from->data + section.offset;
		elf->debug_frame_size = section.size;
		return 0;
	}
	if (cfi_elf_packed(from, ".debug_frame", &section, &type, &size) || !size ||
	    size > CFI_MAX_SECTION || (type != ELFCOMPRESS_ZLIB && type != ELFCOMPRESS_ZSTD))
		return 0;
	/* This mapping is as large as the file claims, but pages that are never written use no
	 * memory. */
	room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		    -1, 0);
	if (room == MAP_FAILED)
		return 0;
	if (pp_unpack(type == ELFCOMPRESS_ZLIB ? PP_PACKED_ZLIB : PP_PACKED_ZSTD,
		      from->data + section.offset, section.size, room, size, &got)) {
		munmap(room, size);
		return 0;
	}
	elf->debug_frame = room;
	elf->debug_frame_size = got;
	return size;
}

/* A file that is mapped into memory. */
struct mapped {
	void *bytes;
	size_t size;
	struct cfi_elf elf;
};

static int map(struct mapped *m, int fd)
{
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return -ENOEXEC;
	m->size = (size_t)st.st_size;
	m->bytes = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (m->bytes == MAP_FAILED) {
		m->bytes = NULL;
		return -errno;
	}
	err = cfi_elf_open(&m->elf, m->bytes, m->size);
	if (err) {
		munmap(m->bytes, m->size);
		m->bytes = NULL;
	}
	return err;
}

static bool has_frames(const struct cfi_elf *elf)
{
	struct cfi_elf_section section;
	__u64 size;
	__u32 type;

	return !cfi_elf_section(elf, ".debug_frame", &section) ||
	       !cfi_elf_packed(elf, ".debug_frame", &section, &type, &size);
}

static bool debug_agrees(const int fds[OP_TABLE_MAX_FDS])
{
	struct pp_elf elf;
	bool agrees;

	if (fds[2] < 0 || pp_elf_read(&elf, fds[0]))
		return false;
	agrees = pp_debug_file_agrees(&elf, fds[2]);
	pp_elf_release(&elf);
	return agrees;
}

static int make_unwind(const int fds[OP_TABLE_MAX_FDS])
{
	struct mapped binary = { 0 }, debug = { 0 };
	const struct cfi_elf *from = &binary.elf;
	size_t unpacked;
	int err = map(&binary, fds[0]);

	if (err)
		return err;
	if (!has_frames(&binary.elf) && debug_agrees(fds) && !map(&debug, fds[2]) &&
	    debug.elf.machine == binary.elf.machine)
		from = &debug.elf;
	unpacked = use_frames(&binary.elf, from);
	err = write_unwind(&binary.elf, fds[1]);
	if (unpacked)
		munmap((void *)binary.elf.debug_frame, unpacked);
	if (debug.bytes)
		munmap(debug.bytes, debug.size);
	munmap(binary.bytes, binary.size);
	return err;
}

static int make_made(const int fds[OP_TABLE_MAX_FDS])
{
	struct stat st;
	void *bytes;
	int err;

	if (fstat(fds[0], &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return -EINVAL;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fds[0], 0);
	if (bytes == MAP_FAILED)
		return -errno;
	err = pp_made_rows_write(fds[1], bytes, (size_t)st.st_size);
	munmap(bytes, (size_t)st.st_size);
	return err;
}

static int make(char kind, const int fds[OP_TABLE_MAX_FDS])
{
	switch (kind) {
	case OP_TABLE_UNWIND:
	case OP_TABLE_UNWIND_WITH_DEBUG:
		return make_unwind(fds);
	case OP_TABLE_MADE:
		return make_made(fds);
	default:
		return make_symbols(fds);
	}
}

static int answer(int32_t result)
{
	struct iovec data = { &result, sizeof(result) };
	struct msghdr msg = { .msg_iov = &data, .msg_iovlen = 1 };

	return sendmsg(OP_TABLE_SOCKET, &msg, MSG_NOSIGNAL) == sizeof(result) ? 0 : -errno;
}

int main(int argc, char **argv)
{
	int type, fds[OP_TABLE_MAX_FDS], err;
	char kind;
	socklen_t len = sizeof(type);

	op_process_prepare(NULL, OP_PROCESS_WORKS);
	if (argc != 1 || getsockopt(OP_TABLE_SOCKET, SOL_SOCKET, SO_TYPE, &type, &len) ||
	    type != SOCK_SEQPACKET) {
		fprintf(stderr,
			"%s: only oprofiled starts this program, to make its symbol tables\n",
			argv[0]);
		return EXIT_FAILURE;
	}
	syscall(SYS_close_range, OP_TABLE_SOCKET + 1, ~0u, 0);
	pp_unpack_load();
	err = pp_drop_rights();
	if (err) {
		answer(err);
		return EXIT_FAILURE;
	}
	while (!err && receive(&kind, fds)) {
		err = answer(make(kind, fds));
		for (size_t i = 0; i < OP_TABLE_MAX_FDS; i++)
			if (fds[i] >= 0)
				close(fds[i]);
	}
	return EXIT_SUCCESS;
}
