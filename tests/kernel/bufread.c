// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bufread.c -- reads the module's `buffer` without any of the daemon's code, checks the grammar of
 * the stream word by word, and checks that all samples are accounted for.
 *
 * usage: bufread [-f] [-n] [-p] [-s] [-r BYTES] SECONDS [COMMAND ARG...]
 *   samples for SECONDS (or while COMMAND runs, at most SECONDS), then prints
 *     samples PATH-OR-KIND COUNT       user samples by the file they are in
 *     guest COUNT                      samples of virtual machines, if there are any
 *     app PATH USER KERNEL             samples by program
 *     cpu N COUNT
 *     event N COUNT                    of each event; ibs_fetch COUNT, ibs_op COUNT: records
 *     wakers COUNT                     samples of wakers, which are in the lines above, too, if there are any
 *     modules N                        notices of modules that came or went
 *     taken N stored N lost N
 *   and fails unless taken == stored + lost, or when the stream is not what the document says.
 *   -r BYTES: read that much at a time; -p: print each sample, and in the end "name COOKIE PATH"; -n: nonblocking reads without poll;
 *   -s: print, each second, "second N cpu N event N COUNT" of those that had any in it; -f: print "foreign PATH" for each
 *   report of a container's file
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "module/uapi/oprofile.h"
#include "tests/kernel/fs_files.h"

#define MAX_ROWS 65536

struct row {
	uint64_t key;
	uint64_t user, kernel;
	char name[256];
};

static struct table {
	struct row rows[MAX_ROWS];
	size_t nr;
} files, apps;

static uint64_t by_cpu[1024], by_event[32], by_ibs[2];
static uint64_t stored, modules, kernel_samples, guest_samples, waker_samples;
static uint64_t in_second[1024][32];
static bool print_samples, print_seconds, print_foreign;
static int buffer;

static const char *const kinds[] = { "anon", "[heap]", "[stack]", "[vdso]" };

static struct row *row_of(struct table *t, uint64_t key)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->rows[i].key == key)
			return &t->rows[i];
	if (t->nr == MAX_ROWS)
		errx(1, "too many files");
	t->rows[t->nr].key = key;
	return &t->rows[t->nr++];
}

static void name_of(uint64_t cookie, char *name, size_t size)
{
	char path[4096];
	struct oprofile_cookie_info info = {
		.cookie = cookie, .path = (uintptr_t)path, .path_size = 1,
	};

	if (cookie < 4) {
		snprintf(name, size, "%s", kinds[cookie]);
		return;
	}
	info.cookie = cookie - 4;
	if (ioctl(buffer, OPROFILE_IOC_COOKIE, &info) != -1 || errno != ENAMETOOLONG)
		err(1, "cookie %llu: a path does not fit in a byte", (unsigned long long)info.cookie);
	info.path_size = sizeof(path);
	info.flags = 0;	/* this flag is announced too */
	if (ioctl(buffer, OPROFILE_IOC_COOKIE, &info))
		err(1, "cookie %llu", (unsigned long long)info.cookie);
	if (strlen(path) + 1 != info.path_len)
		errx(1, "path %s: length %u", path, info.path_len);
	snprintf(name, size, "%.255s", path);
}

#define GUEST 2

static struct {
	long cpu, tid, tgid;
	uint64_t app, cookie, start, end, kind, count;
	int user;		/* 1: the context is in user mode, 0: in kernel mode, or GUEST */
	bool cookie_known, range_known;
} st = { .cpu = -1, .tid = -1, .user = -1, .count = 1 };

static void sample(unsigned long offset, unsigned long event)
{
	if (st.cpu < 0 || st.tid < 0 || st.user < 0)
		errx(1, "sample without CPU, task or domain");
	if (print_samples)
		printf("%s cpu %ld tid %ld tgid %ld app %lx cookie %lx at %lx count %lu event %lu\n",
		       st.user == GUEST ? "guest" : st.user ? "user" : "kernel", st.cpu, st.tid, st.tgid, st.app,
		       st.user ? st.cookie : 0, offset, st.count, event);
	stored += st.count;
	by_cpu[st.cpu] += st.count;
	if (st.user == GUEST) {
		if (offset)
			errx(1, "guest sample at %lx", offset);
		guest_samples += st.count;
	} else if (!st.user) {
		if ((long)offset >= 0)
			errx(1, "kernel sample at user address %lx", offset);
		row_of(&apps, st.app)->kernel += st.count;
		kernel_samples += st.count;
	} else {
		if (!st.cookie_known)
			errx(1, "user sample without cookie");
		if (!st.cookie && (!st.range_known || offset < st.start || offset >= st.end))
			errx(1, "anonymous sample %lx outside of range %lx-%lx", offset, st.start, st.end);
		if (st.cookie && offset >= 1UL << 40)
			errx(1, "absurd file offset %lx", offset);
		row_of(&files, st.cookie ? st.cookie + 4 : st.kind)->user += st.count;
		row_of(&apps, st.app)->user += st.count;
	}
	st.count = 1;
}

static size_t decode_ibs(const unsigned long *w, size_t nr)
{
	size_t size = w[1] == OPROFILE_IBS_FETCH ? 2 + 7 : 2 + 13;

	if (nr < size)
		errx(1, "bad IBS record");
	for (size_t i = 3; i < size; i++)
		if (w[i] >> 32)
			errx(1, "word %zu of an IBS record has more than 32 bits", i - 2);
	by_ibs[w[1] == OPROFILE_IBS_OP]++;
	/* count a sample without an event number, which IBS records do not contain */
	sample(w[2], 32);
	return size;
}

static size_t decode_sample(const unsigned long *w)
{
	if (w[1] >= 32)
		errx(1, "sample of event %lu", w[1]);
	by_event[w[1]] += st.count;
	if (st.cpu >= 0)
		in_second[st.cpu][w[1]] += st.count;
	sample(w[0], w[1]);
	return 2;
}

static size_t decode_waker(const unsigned long *w, size_t nr)
{
	const unsigned long plain[] = { w[2], w[3] };

	if (nr < 6 || !w[4])
		errx(1, "bad sample of a waker");
	st.count = w[4];
	waker_samples += st.count;
	decode_sample(plain);
	return 6;
}

static void put_foreign(uint64_t cookie)
{
	char name[256];

	name_of(cookie + 4, name, sizeof(name));
	printf("foreign %s\n", name);
}

/* Skip records of call paths, which pathread checks, of new files, and of control groups. Return
 * their number of words. */
static size_t decode_other(const unsigned long *w, size_t nr)
{
	size_t size;

	switch (w[1]) {
	case OPROFILE_WOKEN:
		return decode_waker(w, nr);
	case OPROFILE_CGROUP:
	case OPROFILE_PATH:
	case OPROFILE_PATH_NODE:
	case OPROFILE_PATH_IMAGE:
	case OPROFILE_PATHS_ANEW:
	case OPROFILE_TABLE_WANTED:
	case OPROFILE_FOREIGN_FILE:
		size = 2 + oprofile_operands(w[1]);
		if (nr < size)
			errx(1, "torn record");
		if (print_foreign && w[1] == OPROFILE_FOREIGN_FILE)
			put_foreign(w[2]);
		return size;
	default:
		errx(1, "unknown code %lu", w[1]);
	}
}

/* Decode the record at @w. Return its number of words. A truncated record is an error. */
static size_t decode(const unsigned long *w, size_t nr)
{
	if (nr < 2)
		errx(1, "torn record");
	if (w[0] != OPROFILE_ESCAPE)
		return decode_sample(w);
	if (st.count != 1)
		errx(1, "count without sample");
	switch (w[1]) {
	case OPROFILE_CTX_SWITCH:
		if (nr < 7 || w[4] != OPROFILE_ESCAPE || w[5] != OPROFILE_CTX_TGID)
			errx(1, "bad context switch");
		st.tid = w[2];
		st.app = w[3];
		st.tgid = w[6];
		st.cookie_known = st.range_known = false;
		return 7;
	case OPROFILE_CPU_SWITCH:
		if (nr < 3 || w[2] >= 1024)
			errx(1, "bad CPU switch");
		st.cpu = w[2];
		st.tid = -1;
		st.user = -1;
		return 3;
	case OPROFILE_COOKIE_SWITCH:
		if (nr < 3)
			errx(1, "bad cookie switch");
		st.cookie = w[2];
		st.cookie_known = true;
		return 3;
	case OPROFILE_KERNEL_ENTER:
	case OPROFILE_KERNEL_EXIT:
		st.user = w[1] == OPROFILE_KERNEL_EXIT;
		return 2;
	case OPROFILE_GUEST_ENTER:
		st.user = GUEST;
		return 2;
	case OPROFILE_MODULE_LOADED:
		modules++;
		return 2;
	case OPROFILE_COUNT:
		if (nr < 5 || w[2] < 2 || w[3] == OPROFILE_ESCAPE)
			errx(1, "bad count");
		st.count = w[2];
		return 3;
	case OPROFILE_ANON_RANGE:
		if (nr < 5 || w[2] >= w[3] || w[4] > OPROFILE_ANON_VDSO)
			errx(1, "bad range");
		st.start = w[2];
		st.end = w[3];
		st.kind = w[4];
		st.range_known = true;
		return 5;
	case OPROFILE_IBS_FETCH:
	case OPROFILE_IBS_OP:
		return decode_ibs(w, nr);
	default:
		return decode_other(w, nr);
	}
}

/* The value with which module/debug.h fills unused words. */
#define UNWRITTEN	0x6f70726f66696c65UL

static unsigned long words[1 << 20];
static size_t read_size = sizeof(words);

/* Read all data that is available now. Return false if there was none. */
static bool take(void)
{
	bool any = false;
	ssize_t n;

	while ((n = read(buffer, words, read_size)) > 0) {
		size_t nr = n / sizeof(*words), i = 0;

		if (n % sizeof(*words))
			errx(1, "read of %zd bytes", n);
		for (size_t at = 0; at < nr; at++)
			if (words[at] == UNWRITTEN)
				errx(1, "word %zu of %zu was never written", at, nr);
		while (i < nr)
			i += decode(words + i, nr - i);
		any = true;
	}
	if (n < 0 && errno != EAGAIN)
		err(1, "read");
	return any;
}

static void report(void)
{
	char name[256];

	for (size_t i = 0; i < files.nr; i++) {
		name_of(files.rows[i].key, name, sizeof(name));
		printf("samples %s %lu\n", name, files.rows[i].user);
		if (print_samples && files.rows[i].key >= 4)
			printf("name %lx %s\n", files.rows[i].key - 4, name);
	}
	printf("samples kernel %lu\n", kernel_samples);
	if (waker_samples)
		printf("wakers %lu\n", waker_samples);
	if (guest_samples)
		printf("guest %lu\n", guest_samples);
	for (size_t i = 0; i < apps.nr; i++) {
		if (apps.rows[i].key)
			name_of(apps.rows[i].key + 4, name, sizeof(name));
		else
			strcpy(name, "none");
		printf("app %s %lu %lu\n", name, apps.rows[i].user, apps.rows[i].kernel);
		if (print_samples)
			printf("name %lx %s\n", apps.rows[i].key, name);
	}
	for (size_t i = 0; i < 1024; i++)
		if (by_cpu[i])
			printf("cpu %zu %lu\n", i, by_cpu[i]);
	for (size_t i = 0; i < 32; i++)
		if (by_event[i])
			printf("event %zu %lu\n", i, by_event[i]);
	if (by_ibs[0])
		printf("ibs_fetch %lu\n", by_ibs[0]);
	if (by_ibs[1])
		printf("ibs_op %lu\n", by_ibs[1]);
	printf("modules %lu\n", modules);
	printf("user_resolved %lu sampling_ns %lu period_missed %lu governor_throttled %lu\n",
	       get("user_resolved"), get("sampling_ns"), get("period_missed"),
	       get("governor_throttled"));
	report_books(stored);
}

static void end_second(unsigned int second)
{
	for (size_t cpu = 0; cpu < 1024; cpu++)
		for (size_t event = 0; event < 32; event++)
			if (in_second[cpu][event])
				printf("second %u cpu %zu event %zu %lu\n", second, cpu, event, in_second[cpu][event]);
	memset(in_second, 0, sizeof(in_second));
}

static pid_t run(char *const argv[])
{
	pid_t child = fork();

	if (child)
		return child;
	usleep(50000);
	execvp(argv[0], argv);
	err(127, "%s", argv[0]);
}

int main(int argc, char **argv)
{
	bool use_poll = true;
	double end, begin;
	unsigned int second = 0;
	pid_t child = 0;
	int opt;

	while ((opt = getopt(argc, argv, "+fnpr:s")) != -1) {
		if (opt == 'r')
			read_size = atol(optarg);
		else if (opt == 'p')
			print_samples = true;
		else if (opt == 's')
			print_seconds = true;
		else if (opt == 'f')
			print_foreign = true;
		else if (opt == 'n')
			use_poll = false;
		else
			return 2;
	}
	if (optind == argc)
		errx(2, "usage: bufread [-f] [-n] [-p] [-s] [-r BYTES] SECONDS [COMMAND ARG...]");
	buffer = open(FS "buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (buffer < 0)
		err(1, FS "buffer");
	if (argc > optind + 1)
		child = run(argv + optind + 1);
	put("enable", "1");
	begin = now();
	end = begin + atof(argv[optind]);
	while (now() < end) {
		struct pollfd p = { .fd = buffer, .events = POLLIN };

		if (print_seconds && now() >= begin + second + 1)
			end_second(second++);
		if (child && waitpid(child, NULL, WNOHANG) == child) {
			child = 0;
			break;
		}
		if (!use_poll)
			usleep(10000);
		else if (poll(&p, 1, 100) <= 0)
			continue;
		take();
	}
	dump(take);
	put("enable", "0");
	dump(take);
	if (child) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	report();
	return 0;
}
