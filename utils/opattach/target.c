// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target.c -- the target: the process to sample, and properties of it that can be read without
 * changing it.
 */
#include "config.h"
#include "utils/opattach/target.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libop/base/dir.h"
#include "libop/base/fs.h"
#include "libop/raw/elf.h"
#include "utils/opattach/arch/arch.h"

#define MAX_SEGMENTS	128

static long read_file(int dir, const char *name, char *buf, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	size_t done = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	while (done + 1 < size && (got = read(fd, buf + done, size - 1 - done)) > 0)
		done += got;
	close(fd);
	buf[done] = '\0';
	return done;
}

bool attach_target_status(const struct attach_target *t, pid_t tid, const char *name, char *buf,
			  size_t size)
{
	char path[64], text[8192], *line, *end;
	size_t len = strlen(name);

	if (tid)
		snprintf(path, sizeof(path), "task/%d/status", (int)tid);
	if (read_file(t->proc, tid ? path : "status", text, sizeof(text)) <= 0)
		return false;
	/* Each line of the status file is one field, because the kernel escapes newlines in a
	 * program's name. */
	for (line = text; line; line = end ? end + 1 : NULL) {
		end = strchr(line, '\n');
		if (strncmp(line, name, len) || line[len] != ':')
			continue;
		if (end)
			*end = '\0';
		line += len + 1;
		line += strspn(line, " \t");
		snprintf(buf, size, "%s", line);
		return true;
	}
	return false;
}

bool attach_target_read(const struct attach_target *t, uint64_t at, void *buf, size_t len)
{
	/* pread(2) takes a signed offset, so reject addresses above INT64_MAX, which belong to the
	 * kernel. */
	return at <= INT64_MAX && pread(t->mem, buf, len, at) == (ssize_t)len;
}

bool attach_target_write(const struct attach_target *t, uint64_t at, const void *buf, size_t len)
{
	return at <= INT64_MAX && pwrite(t->mem, buf, len, at) == (ssize_t)len;
}

int attach_target_threads(const struct attach_target *t, pid_t **ret)
{
	pid_t *tids = NULL, *more;
	struct dirent *entry;
	int nr = 0, err;
	DIR *dir;

	err = op_open_dir(t->proc, "task", &dir);
	if (err)
		return err;
	while ((entry = op_next_entry(dir))) {
		if (!(nr & (nr - 1))) {
			more = realloc(tids, (nr ? 2 * nr : 1) * sizeof(*tids));
			if (!more) {
				free(tids);
				closedir(dir);
				return -ENOMEM;
			}
			tids = more;
		}
		tids[nr++] = atoi(entry->d_name);
	}
	closedir(dir);
	*ret = tids;
	return nr;
}

/* Read the auxiliary vector of the process. Return its size, or 0 if opattach is not permitted to
 * read it. */
static size_t read_auxv(const struct attach_target *t, unsigned char auxv[ATTACH_AUXV])
{
	long got = read_file(t->proc, "auxv", (char *)auxv, ATTACH_AUXV);

	return got > 0 ? got : 0;
}

/* Return the start time of the process in ticks since boot, or 0 if it cannot be read. */
static uint64_t read_start(const struct attach_target *t)
{
	char text[1024], *at;
	uint64_t start = 0;

	if (read_file(t->proc, "stat", text, sizeof(text)) <= 0)
		return 0;
	/* The first two fields are the process id and the program's name in parentheses. The name
	 * may contain any characters, so search for the last closing parenthesis. */
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1,
			  " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			  "%*d %*d %" SCNu64,
			  &start) != 1)
		return 0;
	return start;
}

static bool has_ended(const struct attach_target *t)
{
	struct pollfd p = { .fd = t->pidfd, .events = POLLIN };

	return t->pidfd >= 0 && poll(&p, 1, 0) == 1;
}

bool attach_target_is_there(const struct attach_target *t)
{
	unsigned char auxv[ATTACH_AUXV];
	char state[32];

	if (has_ended(t) || read_start(t) != t->start)
		return false;
	if (!attach_target_status(t, 0, "State", state, sizeof(state)) || *state == 'Z' ||
	    *state == 'X')
		return false;
	/* After an exec the process has new memory. .mem still refers to the old memory, and a read
	 * from it returns 0 bytes, unless another process shares it. So compare the auxiliary
	 * vector as well. */
	if (t->mem >= 0 && !pread(t->mem, state, 1, 0))
		return false;
	return read_auxv(t, auxv) == t->auxv_len && !memcmp(auxv, t->auxv, t->auxv_len);
}

int attach_target_refused(const struct attach_target *t, int err, struct op_reason *error)
{
	char scope[16] = "", traced[32] = "0";

	if (err == -ESRCH)
		return op_fail(error, err, "process %d has ended", (int)t->pid);
	if (attach_target_status(t, 0, "TracerPid", traced, sizeof(traced)) && atoi(traced))
		return op_fail(error, -EBUSY,
			       "cannot trace process %d: process %d (a debugger or strace) "
			       "already traces it; end that process first",
			       (int)t->pid, atoi(traced));
	if (err != -EPERM && err != -EACCES)
		return op_fail(error, err, "process %d: %s", (int)t->pid, strerror(-err));
	if (read_file(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope)) > 0 &&
	    atoi(scope) > 0)
		return op_fail(error, -EPERM,
			       "cannot trace process %d: with "
			       "/proc/sys/kernel/yama/ptrace_scope=%d, only %s may trace it; run "
			       "opattach as root, or start the program with opprobe",
			       (int)t->pid, atoi(scope),
			       atoi(scope) == 1 ? "a process' parent" :
			       atoi(scope) == 2 ? "root" :
						  "nobody");
	return op_fail(error, -EPERM,
		       "cannot trace process %d: it belongs to another user, has privileges, or a "
		       "container or security module forbids tracing; run opattach as root",
		       (int)t->pid);
}

/* Read the word size and the machine type of the target's program, and whether the program has a
 * dynamic loader. Return 0 or a negative errno. */
static int find_kind(struct attach_target *t)
{
	struct raw_elf_headers headers;
	struct raw_elf_segment s;
	int fd = openat(t->proc, "exe", O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = raw_elf_headers_read(&headers, op_read_some_at, &fd);
	if (!err) {
		t->is_foreign = !headers.is_64 || headers.is_swapped ||
				headers.machine != ATTACH_ARCH_ELF || sizeof(void *) != 8;
		for (unsigned int i = 0; !t->is_foreign && i < MAX_SEGMENTS &&
					 !raw_elf_segment_read(&s, &headers, i); i++)
			t->is_dynamic |= s.type == PT_INTERP;
	}
	close(fd);
	return err;
}

static bool find_secure(const struct attach_target *t)
{
	uint64_t aux[2];

	for (size_t i = 0; i + sizeof(aux) <= t->auxv_len; i += sizeof(aux)) {
		memcpy(aux, t->auxv + i, sizeof(aux));
		if (aux[0] == AT_SECURE)
			return aux[1];
	}
	return false;
}

static bool has_other_mount_ns(const struct attach_target *t)
{
	struct stat own, its;

	return stat("/proc/self/ns/mnt", &own) || fstatat(t->proc, "ns/mnt", &its, 0) ||
	       own.st_ino != its.st_ino;
}

static int read_state(const struct attach_target *t, struct op_reason *error)
{
	char text[64];

	if (attach_target_status(t, 0, "Tgid", text, sizeof(text)) && atoi(text) != t->pid)
		return op_fail(error, -EINVAL,
			       "%d is a thread of process %d: attach to that process", (int)t->pid,
			       atoi(text));
	if (!attach_target_status(t, 0, "State", text, sizeof(text)) || *text == 'Z' ||
	    *text == 'X')
		return op_fail(error, -ESRCH, "process %d has ended", (int)t->pid);
	if (*text == 'T')
		return op_fail(error, -EBUSY, "cannot attach to process %d: it is stopped; run kill -CONT %d first",
			       (int)t->pid, (int)t->pid);
	/* The tracer may be opattach itself, if it has asked a sleeping thread to stop. */
	if (attach_target_status(t, 0, "TracerPid", text, sizeof(text)) && atoi(text) &&
	    atoi(text) != getpid())
		return attach_target_refused(t, -EPERM, error);
	return 0;
}

/* Read the restrictions of thread @tid (0: of the first thread), such as a seccomp filter. */
static void read_restrictions(struct attach_target *t, pid_t tid)
{
	char text[256];

	t->is_filtered = attach_target_status(t, tid, "Seccomp", text, sizeof(text)) && atoi(text);
	t->has_shadow_stack =
		attach_target_status(t, tid, "x86_Thread_features", text, sizeof(text)) &&
		strstr(text, "shstk");
}

static void read_rights(struct attach_target *t)
{
	char text[256];
	unsigned int ids[4];

	t->uid = t->gid = -1;
	if (attach_target_status(t, 0, "Uid", text, sizeof(text)) &&
	    sscanf(text, "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4)
		t->uid = ids[3];
	if (attach_target_status(t, 0, "Gid", text, sizeof(text)) &&
	    sscanf(text, "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4)
		t->gid = ids[3];
	read_restrictions(t, 0);
	t->is_secure = find_secure(t);
	t->is_elsewhere = has_other_mount_ns(t);
}

int attach_target_update(struct attach_target *t, pid_t tid, struct op_reason *error)
{
	if (!attach_target_is_there(t))
		return op_fail(error, -ESRCH, "process %d has ended or executed another program",
			       (int)t->pid);
	read_restrictions(t, tid);
	return 0;
}

int attach_target_check(const struct attach_target *t, struct op_reason *error)
{
	return attach_target_is_there(t) ?
		       read_state(t, error) :
		       op_fail(error, -ESRCH, "process %d has ended or executed another program",
			       (int)t->pid);
}

int attach_target_open(struct attach_target *t, pid_t pid, struct op_reason *error)
{
	char path[32];
	ssize_t len;
	int err;

	*t = (struct attach_target){ .pid = pid, .proc = -1, .mem = -1 };
	t->pidfd = syscall(SYS_pidfd_open, pid, 0);
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	t->proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->proc < 0)
		return op_fail(error, -ESRCH, "process %d does not exist", (int)pid);
	t->start = read_start(t);
	/* Check that the process of the pidfd is alive. Until it ends, no other process can get the
	 * same id. */
	if (has_ended(t) || !t->start)
		return op_fail(error, -ESRCH, "process %d has ended", (int)pid);
	err = read_state(t, error);
	if (err)
		return err;
	/* Open the memory of the process before reading any properties of the program. Later writes
	 * to this descriptor then reach the program whose properties were read, or no program. */
	t->mem = openat(t->proc, "mem", O_RDWR | O_CLOEXEC);
	t->auxv_len = read_auxv(t, t->auxv);
	len = readlinkat(t->proc, "exe", t->exe, sizeof(t->exe) - 1);
	if (len < 0)
		return errno == ENOENT ?
			       op_fail(error, -EINVAL, "process %d is a kernel thread", (int)pid) :
			       attach_target_refused(t, -errno, error);
	err = find_kind(t);
	if (err)
		return attach_target_refused(t, err, error);
	read_rights(t);
	return attach_target_is_there(t) ?
		       0 :
		       op_fail(error, -ESRCH, "process %d has ended or executed another program",
			       (int)pid);
}

void attach_target_close(struct attach_target *t)
{
	if (t->proc > 0)
		close(t->proc);
	if (t->mem > 0)
		close(t->mem);
	if (t->pidfd > 0)
		close(t->pidfd);
	t->proc = t->mem = t->pidfd = -1;
}
