// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c -- checks whether a program loads a preloaded library, and the paths of our libraries.
 */
#include "config.h"
#include "utils/opprobe/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_SEGMENTS	128
#define MAX_NOTES	4096

/* The facts of the program headers. */
struct parts {
	bool is_dynamic;		/* also set for files that only the kernel can judge */
	bool has_probe;
};

/* Return whether the notes contain that of opprobe.o (probe/linked/place.c). */
static bool has_note(int fd, uint64_t at, uint64_t size)
{
	_Alignas(Elf64_Nhdr) char buf[MAX_NOTES];
	ssize_t got = pread(fd, buf, size < sizeof(buf) ? size : sizeof(buf), at);
	size_t left = got > 0 ? got : 0;

	for (const char *note = buf; left >= sizeof(Elf64_Nhdr); ) {
		const Elf64_Nhdr *n = (const Elf64_Nhdr *)note;
		uint64_t len = sizeof(*n) + (((uint64_t)n->n_namesz + 3) & ~3ULL) +
			       (((uint64_t)n->n_descsz + 3) & ~3ULL);

		if (len > left)
			return false;
		if (n->n_namesz == sizeof("opprobe") && !memcmp(note + sizeof(*n), "opprobe", sizeof("opprobe")))
			return true;
		note += len;
		left -= len;
	}
	return false;
}

/* Read the program headers of our own ELF class, because preloading works only within it. */
static struct parts read_parts(int fd)
{
	struct parts parts = { false, false };
#if __SIZEOF_POINTER__ == 8
	Elf64_Ehdr h;
	Elf64_Phdr p;
#else
	Elf32_Ehdr h;
	Elf32_Phdr p;
#endif

	if (pread(fd, &h, sizeof(h), 0) != sizeof(h) || h.e_phentsize < sizeof(p))
		return (struct parts){ .is_dynamic = true };
	for (unsigned int i = 0; i < h.e_phnum && i < MAX_SEGMENTS; i++) {
		if (pread(fd, &p, sizeof(p), h.e_phoff + (off_t)i * h.e_phentsize) != sizeof(p))
			return (struct parts){ .is_dynamic = true };
		parts.is_dynamic |= p.p_type == PT_INTERP;
		parts.has_probe |= p.p_type == PT_NOTE && has_note(fd, p.p_offset, p.p_filesz);
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
		return 0;	/* the program may be executed, but not read */
	err = check(fd, path, by_paths, error);
	close(fd);
	return err;
}

int probe_library_find(char **ret, const char *name, struct op_reason *error)
{
	const size_t bin_len = strlen(BINDIR);
	char self[PATH_MAX], *path = NULL;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *dir_end;

	if (len < 0)
		return op_fail(error, -errno, "/proc/self/exe: %s", strerror(errno));
	self[len] = '\0';
	dir_end = strrchr(self, '/');
	*dir_end = '\0';
	len = dir_end - self;
	/*
	 * The installation may be below another directory than the configured one; the library is
	 * below the same.
	 */
	if ((size_t)len >= bin_len && !strcmp(self + len - bin_len, BINDIR)) {
		if (asprintf(&path, "%.*s" LIBDIR "/%s", (int)(len - bin_len), self, name) < 0)
			return -ENOMEM;
	} else if (asprintf(&path, "%s/../../probe/%s", self, name) < 0) {
		return -ENOMEM;
	}
	if (!access(path, R_OK) && !strpbrk(path, " :")) {
		*ret = path;
		return 0;
	}
	op_fail(error, -ENOENT, access(path, R_OK) ? "cannot find the library %s" :
		"cannot preload %s: ld.so accepts no path with a blank or a colon", path);
	free(path);
	return -ENOENT;
}
