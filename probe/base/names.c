// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c -- choosing the output directory and the file names of this process.
 */
#include "config.h"
#include "probe/base/names.h"

#include <elf.h>
#include <errno.h>

#include "libop/raw/argv.h"
#include "probe/base/text.h"
#include "probe/linux/calls.h"

struct vec { const void *at; size_t len; };

/* Read memory of this process by a system call. The memory may be unmapped, so that a direct access
 * would kill the program. */
static long read_self(void *arg, uint64_t at, void *buf, size_t len)
{
	struct vec to = { buf, len }, from = { (void *)(uintptr_t)at, len };

	(void)arg;
	return arch_call(SYS_process_vm_readv, call_getpid(), (long)&to, 1, (long)&from, 1, 0);
}

const char *names_variable(char **environ, const char *name)
{
	size_t len = __builtin_strlen(name);

	for (; environ && *environ; environ++) {
		size_t i = 0;

		while (i < len && (*environ)[i] == name[i])
			i++;
		if (i == len && (*environ)[len] == '=')
			return *environ + len + 1;
	}
	return NULL;
}

void names_find_fifo(struct names *names, char **environ)
{
	const char *path = names_variable(environ, "OPPROBE_TELL");
	struct text t;

	text_init(&t, names->fifo, sizeof(names->fifo));
	text_add(&t, path ? path : "");
	if (t.cut || names->fifo[0] != '/')
		names->fifo[0] = '\0';
}

void names_forget_variable(char **environ, const char *name)
{
	size_t len = __builtin_strlen(name);
	char **to = environ;

	for (; environ && *environ; environ++)
		if (__builtin_strncmp(*environ, name, len) || (*environ)[len] != '=')
			*to++ = *environ;
	if (environ)
		*to = NULL;
}

/* Store the program's argv[0] in @buf. If the program has moved its environment, argv cannot be
 * found in memory: read /proc instead. Return the length of argv[0] or a negative number. */
static long first_argument(char *buf, size_t size, char **environ)
{
	struct raw_argv argv;
	long got = -1;
	int fd;

	if (!raw_argv_find(&argv, (uintptr_t)environ, sizeof(void *), read_self, NULL))
		got = raw_argv_string(buf, size, argv.first, read_self, NULL);
	if (got > 0)
		return got;
	fd = call_openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	got = call_read(fd, buf, size - 1);
	call_close(fd);
	if (got > 0)
		buf[got] = '\0';
	return got;
}

/*
 * Set names->program to the last path component of argv[0]. Replace blanks and control characters,
 * which a process title may contain, because file names with blanks are awkward in a shell.
 */
static void find_program(struct names *names, char **environ)
{
	char path[FD_PATH], *name = path;
	size_t len = 0;

	if (first_argument(path, sizeof(path), environ) <= 0)
		__builtin_memcpy(path, "unknown", 8);
	for (char *c = path; *c; c++) {
		if (*c == '/' && c[1])
			name = c + 1;
	}
	for (; name[len] && name[len] != '/' && len + 1 < NAMES_PROGRAM; len++)
		names->program[len] =
			(unsigned char)name[len] <= ' ' || name[len] == 0x7f ? '_' : name[len];
	names->program[len] = '\0';
	if (names->program[0] == '.')
		names->program[0] = '_';
}

/* Return whether @dir is a directory that only this user may access. */
static bool is_own_dir(const char *dir)
{
	struct statx st;

	return !call_statx(AT_FDCWD, dir, AT_SYMLINK_NOFOLLOW, &st) &&
	       (st.stx_mode & 0170000) == 0040000 && st.stx_uid == (uint32_t)call_geteuid() &&
	       !(st.stx_mode & 0077);
}

int names_find(struct names *names, const struct raw_pct_words *words, char **environ)
{
	const char *home = names_variable(environ, "HOME");
	struct text dir;
	long err;

	text_init(&dir, names->dir, sizeof(names->dir));
	if (!words->here && !words->dir) {
		if (!home || home[0] != '/')
			return -EPERM;
		text_add(&dir, home);
		text_add(&dir, "/.pct");
	} else if (words->here || words->dir[0] != '/') {
		err = call_getcwd(names->dir, sizeof(names->dir));
		if (err < 0 || names->dir[0] != '/')
			return -ENOENT;
		dir.len = __builtin_strlen(names->dir);
		if (!words->here) {
			text_add(&dir, "/");
			text_add(&dir, words->dir);
		}
	} else {
		text_add(&dir, words->dir);
	}
	if (dir.cut)
		return -ENAMETOOLONG;
	err = words->here ? 0 : call_mkdirat(AT_FDCWD, names->dir, 0700);
	if (err && err != -EEXIST)
		return err;
	if (!words->here && !words->dir && !is_own_dir(names->dir))
		return -EPERM;
	if (words->here)
		__builtin_memcpy(names->program, "pc", 3);
	else
		find_program(names, environ);
	return 0;
}

bool names_is_privileged(char **environ)
{
	struct raw_argv argv;

	if (arch_call(SYS_getuid, 0, 0, 0, 0, 0, 0) != call_geteuid() ||
	    arch_call(SYS_getgid, 0, 0, 0, 0, 0, 0) != arch_call(SYS_getegid, 0, 0, 0, 0, 0, 0))
		return true;
	/* The entry AT_SECURE of the auxiliary vector says whether the program has elevated
	 * privileges. The kernel stores the auxiliary vector after the original environment. */
	if (raw_argv_find(&argv, (uintptr_t)environ, sizeof(void *), read_self, NULL))
		return false;
	while (*environ)
		environ++;
	for (const unsigned long *aux = (const unsigned long *)(environ + 1); aux[0] != AT_NULL;
	     aux += 2) {
		if (aux[0] == AT_SECURE)
			return aux[1];
	}
	return false;
}

bool names_path(const struct names *names, char path[FD_PATH], long pid, unsigned int turn,
		   const char *suffix)
{
	struct text t;

	text_init(&t, path, FD_PATH);
	text_add(&t, names->dir);
	text_add(&t, "/");
	text_add(&t, names->program);
	if (pid) {
		text_add(&t, ".");
		text_add_number(&t, pid);
	}
	if (turn) {
		text_add(&t, ".");
		text_add_number(&t, turn);
	}
	text_add(&t, suffix);
	return !t.cut;
}
