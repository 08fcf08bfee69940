// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapped.c -- the method for a running static program that contains no collector: opattach maps the
 * code of a pc sample collector (probe/pc/mapped.c) into the process, calls it, and exits. The
 * collector takes no lock of the program and makes system calls directly.
 */
#include "config.h"
#include "utils/opattach/method.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/plural.h"
#include "libop/raw/mapped.h"
#include "utils/opattach/children.h"
#include "utils/opprobe/program.h"

/*
 * A mapped code image of opattach (libop/raw/mapped.h) in a process without a dynamic loader.
 * opattach makes the process map memory, and writes the code to this memory.
 */

struct attach_code {
	uint64_t at;			/* address of the code image's header in the process */
	struct raw_mapped head;
};

#define MAX_FILE	(1u << 20)
#define USER_END	(1ULL << 47)
/* maximum number of attempts to map memory, because the process itself may map the chosen address
 * first */
#define TURNS		5

_Static_assert(_Alignof(struct raw_mapped) <= 16, "at the beginning of what malloc() gives");

static bool is_head(const struct raw_mapped *head)
{
	return !memcmp(head->magic, RAW_MAPPED_MAGIC, sizeof(head->magic)) &&
	       head->version == RAW_MAPPED_VERSION && head->data < head->end &&
	       head->end <= MAX_FILE && !(head->data % RAW_MAPPED_PAGE) &&
	       !(head->end % RAW_MAPPED_PAGE) && head->on < head->data && head->off < head->data &&
	       head->state >= head->data && head->state < head->end;
}

/* Search the process for a code image of this opattach version: anonymous executable memory that
 * begins with the header of a code image. Return false if it was not found. */
static bool attach_code_find(struct attach *a, struct attach_code *ret)
{
	for (size_t i = 0; i < a->images.nr; i++) {
		const struct attach_image *image = &a->images.items[i];

		if (image->inode ||
		    !attach_target_read(&a->target, image->start, &ret->head, sizeof(ret->head)) ||
		    !is_head(&ret->head))
			continue;
		ret->at = image->start;
		return true;
	}
	return false;
}

static int read_file(const char *path, unsigned char buf[MAX_FILE], struct op_reason *error)
{
	const struct raw_mapped *head = (const struct raw_mapped *)buf;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, buf, MAX_FILE) : -1;
	int err = got < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	if (err)
		return op_fail(error, err, "%s: %s", path, strerror(-err));
	return got >= (ssize_t)sizeof(*head) && is_head(head) && got == head->end ? 0 :
	       op_fail(error, -EINVAL, "%s has another version than opattach", path);
}

/*
 * Return an address for a mapping of @size bytes, or 0 if no gap is large enough. The address is in
 * the middle of the largest gap between mappings, to leave room for the heap, the stack and later
 * mappings.
 */
static uint64_t find_place(const struct attach_target *t, uint64_t size)
{
	int fd = openat(t->proc, "maps", O_RDONLY | O_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	unsigned long long start, end, last = RAW_MAPPED_PAGE, place = 0, largest = 2 * size;
	char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0 && sscanf(line, "%llx-%llx", &start, &end) == 2 &&
	       start < USER_END) {
		if (start > last && start - last > largest) {
			largest = start - last;
			place = last + largest / 2;
		}
		last = end;
	}
	free(line);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return place & ~(uint64_t)(RAW_MAPPED_PAGE - 1);
}

/*
 * Return whether the process now has the requested mapping at @at: anonymous, of @size bytes,
 * writable and not executable.
 */
static bool is_mapped(const struct attach_target *t, uint64_t at, uint64_t size)
{
	int fd = openat(t->proc, "maps", O_RDONLY | O_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	char *line = NULL, wanted[64];
	bool found = false;
	size_t room = 0;

	snprintf(wanted, sizeof(wanted), "%llx-%llx rw-p 00000000 00:00 0 ", (unsigned long long)at,
		 (unsigned long long)(at + size));
	while (f && !found && getline(&line, &room, f) > 0)
		found = !strncmp(line, wanted, strlen(wanted));
	free(line);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return found;
}

static int map_memory(struct attach *a, uint64_t size, uint64_t *at, struct op_reason *error)
{
	int err = 0;

	for (int turn = 0; turn < TURNS && !err; turn++) {
		*at = find_place(&a->target, size);
		err = attach_system_call(a, (struct attach_call){ .number = SYS_mmap, .args = {
			*at, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0 } }, error);
		if (!err && is_mapped(&a->target, *at, size))
			return 0;
	}
	return err ? err :
		     op_fail(error, -ENOMEM, "the process is not permitted to have more memory");
}

/* Write the code image to the new mapping. The mapping is already zeroed, so omit the zeros at the
 * end of the image. */
static int fill(struct attach *a, uint64_t at, const unsigned char *buf, size_t len)
{
	while (len && !buf[len - 1])
		len--;
	return attach_target_write(&a->target, at, buf, len) ? 0 : -EFAULT;
}

static int map(struct attach *a, const unsigned char *buf, struct attach_code *ret,
	       struct op_reason *error)
{
	const struct raw_mapped *head = (const struct raw_mapped *)buf;
	uint64_t at;
	int err = map_memory(a, head->end, &at, error);

	if (err)
		return err;
	err = fill(a, at, buf, head->end);
	if (err)
		return attach_target_refused(
			&a->target, attach_target_is_there(&a->target) ? err : -ESRCH, error);
	err = attach_system_call(
		a,
		(struct attach_call){.number = SYS_mprotect,
				     .args = {at, head->data, PROT_READ | PROT_EXEC}},
		error);
	if (err)
		return err;
	if (!attach_images_read(&a->images, &a->target) && attach_code_find(a, ret))
		return 0;
	err = attach_system_call(
		a, (struct attach_call){.number = SYS_munmap, .args = {at, head->end}}, error);
	return err ? err :
		     op_fail(error, -EACCES,
			     "a security module forbids the process to execute code that it has "
			     "written");
}

/* Map the code image in the file @name, which is in the directory of the probe's libraries, into
 * the process. The memory is never writable and executable at the same time. Return 0, or a
 * negative errno with a message in @error. If opattach is killed during this function, unused
 * memory stays mapped in the process. */
static int attach_code_map(struct attach *a, const char *name, struct attach_code *ret,
			   struct op_reason *error)
{
	unsigned char *buf = malloc(MAX_FILE);
	struct op_reason cause = { "" };
	char *path = NULL;
	int err = buf ? probe_library_find(&path, name, &cause) : -ENOMEM;

	if (err)
		op_fail(error, err, "%s", buf ? cause.text : "out of memory");
	if (!err)
		err = read_file(path, buf, error);
	if (!err)
		err = map(a, buf, ret, error);
	free(path);
	free(buf);
	return err;
}

#define FILE_NAME	"pct_mapped.bin"
#define CALLING		16384	/* number of bytes of stack that a call of the collector needs */

/* Return whether the signal set @name (such as SigBlk) in the status file of thread @tid (0: of the
 * process) contains the signal that the collector uses. */
static bool has_signal(const struct attach_target *t, pid_t tid, const char *name)
{
	char text[64];

	return attach_target_status(t, tid, name, text, sizeof(text)) &&
	       strtoull(text, NULL, 16) >> (SIGURG - 1) & 1;
}

/* Return whether the program handles, ignores or blocks the collector's signal, so that the
 * collector cannot use it. */
static bool uses_signal(const struct attach_target *t)
{
	bool uses = has_signal(t, 0, "SigCgt") || has_signal(t, 0, "SigIgn");
	pid_t *tids;
	int nr = attach_target_threads(t, &tids);

	for (int i = 0; i < nr && !uses; i++)
		uses = has_signal(t, tids[i], "SigBlk");
	if (nr >= 0)
		free(tids);
	return uses;
}

static int check(struct attach *a, struct op_reason *error)
{
	const struct raw_probe_words *asked = &a->options->probe;

	if (a->target.is_dynamic)
		return op_fail(error, -ENOEXEC,
			       "the program is dynamically linked: the probe can only be loaded "
			       "as a library");
	if (a->options->stack)
		return op_fail(error, -EINVAL,
			       "the collector mapped into a static program counts addresses, not "
			       "call paths");
	if (asked->nr_events > 1 || asked->events[0].kind->by != RAW_PROBE_BY_DRIVER)
		return op_fail(error, -EINVAL,
			       "the collector mapped into a static program samples only CPU time");
	if (attach_has_children(&a->target))
		return op_fail(error, -ECHILD,
			       "the process starts other processes, which can only be sampled from "
			       "outside");
	return attach_may_call(a, error);
}

/* Return the id of the process in the pid namespace of the process. */
static uint32_t own_pid(const struct attach_target *t)
{
	char text[256], *last;

	if (!attach_target_status(t, 0, "NSpid", text, sizeof(text)))
		return t->pid;
	last = strrchr(text, '\t');
	return atoi(last ? last + 1 : text);
}

/* Read the state of the mapped collector. Return false if the collector has never counted in this
 * process, for example after a fork. */
static bool read_state(const struct attach *a, const struct attach_code *p,
		       struct raw_mapped_state *state)
{
	return attach_target_read(&a->target, p->at + p->head.state, state, sizeof(*state)) &&
	       state->pid == own_pid(&a->target);
}

/* Store the options in the syntax of $PCT. The collector ignores the options if it has already
 * opened its file. CPU time clocks have at most the rate of the kernel's ticks. */
static size_t make_words(const struct attach *a, char *buf, size_t size)
{
	uint64_t period = a->options->probe.events[0].period, tick;
	struct timespec t = { 0, 0 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &t);
	tick = t.tv_sec * 1000000000ULL + t.tv_nsec;
	if (period < tick)
		period = tick;
	return snprintf(buf, size, "q%lluo%s", (unsigned long long)(period + 999) / 1000,
			a->dir ? a->dir : ".") + 1;
}

static int count(struct attach *a, const struct attach_code *p, struct op_reason *error)
{
	char words[ATTACH_DATA];
	struct attach_call call = {
		.function = p->at + p->head.on, .is_offset = {true}, .data = words};
	struct raw_mapped_state state;
	int err;

	call.len = make_words(a, words, sizeof(words));
	if (call.len > sizeof(a->path))
		return op_fail(error, -ENAMETOOLONG, "%s: the name is too long", a->dir);
	err = attach_call_safe(a, &call, CALLING, error);
	if (err)
		return err;
	if (!attach_target_read(&a->target, p->at + p->head.state, &state, sizeof(state)))
		return op_fail(error, -ESRCH, "process %d has ended", (int)a->target.pid);
	if (!state.is_on || !attach_find_open(a, ".pct"))
		return op_fail(error, -EACCES,
			       "the collector mapped into the process cannot write to %s: %s",
			       a->dir ? a->dir : "its file", strerror(-state.error));
	if (state.missed)
		fprintf(stderr, "opattach: %u %s not sampled: the kernel has no more timers\n",
			state.missed, op_plural(state.missed, "thread is", "threads are"));
	return 0;
}

/* Make the collector resume counting in the file that it has open. Return 0, or a negative errno
 * with a message in @error. */
static int resume_collector(struct attach *a, const struct attach_code *p, bool is_on,
			    struct op_reason *error)
{
	if (a->options->has_events)
		return op_fail(error, -EEXIST,
			       "the collector mapped into the process cannot change the period "
			       "that it was started with");
	if (!attach_find_open(a, ".pct"))
		return op_fail(error, -ENOENT,
			       "the process has closed the file of the collector mapped into it");
	if (a->options->dir && !attach_is_in(a->path, a->options->dir))
		return op_fail(error, -EEXIST,
			       "the collector mapped into the process continues to write %s and "
			       "cannot write another file",
			       a->path);
	return is_on ? 0 : count(a, p, error);
}

static int begin(struct attach *a, struct op_reason *error)
{
	struct raw_mapped_state state;
	struct attach_code code;
	bool is_there;
	int err = check(a, error);

	if (err)
		return err;
	is_there = attach_code_find(a, &code);
	if (is_there && read_state(a, &code, &state))
		return resume_collector(a, &code, state.is_on, error);
	if (!is_there && uses_signal(&a->target))
		return op_fail(error, -ENOTSUP, "the program uses SIGURG, which the collector "
						"needs");
	err = attach_make_dir(a, error);
	if (!err && !is_there)
		err = attach_code_map(a, FILE_NAME, &code, error);
	return err ? err : count(a, &code, error);
}

static int stop(struct attach *a, struct op_reason *error)
{
	struct raw_mapped_state state;
	struct attach_code code;
	struct attach_call call;
	int err;

	if (!attach_code_find(a, &code) || !read_state(a, &code, &state) || !state.is_on)
		return op_fail(error, -ENOENT, "the process has no mapped collector");
	call = (struct attach_call){ .function = code.at + code.head.off };
	err = attach_may_call(a, error);
	return err ? err : attach_call_safe(a, &call, CALLING, error);
}

const struct attach_method attach_mapped = { .name = "mapped", .begin = begin, .stop = stop };
