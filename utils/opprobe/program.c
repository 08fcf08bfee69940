// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c -- checks whether a program can be profiled by a preloaded library, and finds the
 * library to preload.
 */
#include "config.h"
#include "utils/opprobe/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "libop/base/beside.h"
#include "libop/base/fs.h"
#include "libop/raw/elf.h"

#define MAX_SEGMENTS	128
#define MAX_NOTES	4096

/* Properties of a program that its program headers show. */
struct parts {
	/* whether the program has a dynamic loader; also true if its headers cannot be read,
	 * because the kernel then decides whether the program can be executed */
	bool is_dynamic;
	bool has_probe;
};

/* Return whether the note segment @s contains the note of opprobe.o (probe/linked/place.c), so that
 * the probe is linked into the program. */
static bool has_note(int fd, const struct raw_elf_segment *s)
{
	unsigned char bytes[MAX_NOTES];
	size_t size = s->file_size < sizeof(bytes) ? s->file_size : sizeof(bytes);
	long got = op_read_some_at(&fd, s->offset, bytes, size);
	struct raw_elf_notes notes = { .bytes = bytes, .len = got > 0 ? got : 0,
				       .align = s->align };
	struct raw_elf_note n;

	while (raw_elf_next_note(&n, &notes))
		if (n.name_size == sizeof("opprobe") &&
		    !memcmp(n.name, "opprobe", sizeof("opprobe")))
			return true;
	return false;
}

static struct parts read_parts(int fd)
{
	struct parts parts = { false, false };
	struct raw_elf_headers headers;
	struct raw_elf_segment s;

	if (raw_elf_headers_read(&headers, op_read_some_at, &fd) || headers.is_swapped)
		return (struct parts){ .is_dynamic = true };
	for (unsigned int i = 0; i < headers.nr && i < MAX_SEGMENTS; i++) {
		if (raw_elf_segment_read(&s, &headers, i))
			return (struct parts){ .is_dynamic = true };
		parts.is_dynamic |= s.type == PT_INTERP;
		parts.has_probe |= s.type == PT_NOTE && has_note(fd, &s);
	}
	return parts;
}

static int check(int fd, const char *path, bool by_paths, struct op_reason *error)
{
	struct parts parts;
	const unsigned char class = __SIZEOF_POINTER__ == 8 ? ELFCLASS64 : ELFCLASS32;
	unsigned char ident[EI_NIDENT];
	struct stat st;

	if (fstat(fd, &st) || pread(fd, ident, sizeof(ident), 0) != sizeof(ident) ||
	    memcmp(ident, ELFMAG, SELFMAG))
		return 0;
	if (((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
	    ((st.st_mode & S_ISGID) && st.st_gid != getegid()) ||
	    (geteuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0))
		return op_fail(error, -EPERM, "cannot preload a library into %s: it runs with "
					      "privileges of its own (setuid); as root, profile "
					      "the whole machine with opcontrol --start", path);
	if (ident[EI_CLASS] != class)
		return op_fail(error, -ENOEXEC, "cannot preload a library into %s: it has another "
						"word size than opprobe's libraries; build "
						"oprofile for that size, or run operf", path);
	parts = read_parts(fd);
	if (!parts.is_dynamic && !(by_paths && parts.has_probe))
		return op_fail(error, -ENOEXEC, "cannot preload a library into %s: a static "
						"program loads no libraries; link it with %s, or "
						"run operf", path, by_paths ? "opprobe.o (see opprobe(3))" : "itimer.o (see pct(1))");
	return 0;
}

int probe_program_check(const char *path, bool by_paths, struct op_reason *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		/* Accept a program that cannot be read: the user may still be permitted to execute
		 * it. */
		return 0;
	err = check(fd, path, by_paths, error);
	close(fd);
	return err;
}

int probe_library_find(char **ret, const char *name, struct op_reason *error)
{
	static const char *const trees[] = { "../../probe", NULL };
	const struct op_beside place = { BINDIR, PKGLIBDIR, trees };
	char *path = op_beside_find(&place, name);

	if (!path) {
		int err = -errno;

		return err == -EPERM ?
			op_fail(error, err, "cannot preload %s: another user can replace it, or a directory "
				"of its path: install oprofile for all users", name) :
			op_fail(error, err, "cannot find the library %s: %s", name, strerror(-err));
	}
	if (!access(path, R_OK) && !strpbrk(path, " :")) {
		*ret = path;
		return 0;
	}
	op_fail(error, -ENOENT, access(path, R_OK) ? "cannot read the library %s" :
		"cannot preload %s: ld.so accepts no path with a blank or a colon", path);
	free(path);
	return -ENOENT;
}
