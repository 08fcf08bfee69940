// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-attach UNTIL THREADS COMMAND... -- measures the effect of COMMAND, such as opattach, on a
 * running program. In COMMAND, PID is replaced by the program's pid and DIR by a new directory.
 * Prints the milliseconds from the start of COMMAND to the event UNTIL, and the longest time for
 * which a thread of the program was stopped.
 *
 * UNTIL: sample (a .csp.live file in DIR has a sample), exit (COMMAND ends), map=NAME (the program
 * has mapped a file of this name and is no longer traced by COMMAND).
 *
 * The program's threads read the clock in a loop. Time for which they waited for a CPU does not
 * count, because COMMAND does not cause it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/clock.h"
#include "libop/raw/live_tree.h"

#define MAX_THREADS	64
/* shorter gaps are caused by interrupts, not by stops of the thread */
#define GAP_NS		50000
#define LOOK_NS		10000000
#define SETTLE_NS	100000000

/* State of each thread of the program, written only by the thread itself. */
static struct seen {
	uint64_t rounds, longest_ns;
	/*
	 * time at which the main thread reset the measurement, after which each thread restarts its
	 * own
	 */
	uint64_t reset;
} *seen;

/* Return the time that the thread has waited for a CPU, from its schedstat file @fd. */
static uint64_t waited_ns(int fd)
{
	char text[64] = "";
	unsigned long long ran, waited = 0;

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0 || sscanf(text, "%llu %llu", &ran, &waited) != 2)
		warnx("the time that threads wait for a CPU is not known");
	return waited;
}

static void *run_thread(void *arg)
{
	struct seen *mine = arg;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	uint64_t waited = waited_ns(fd), last = op_now_ns(), looked = last, begun = 0;

	for (;;) {
		uint64_t now = op_now_ns(), gap = now - last;
		uint64_t reset = __atomic_load_n(&mine->reset, __ATOMIC_RELAXED);

		if (gap > GAP_NS || now - looked > LOOK_NS || reset != begun) {
			const uint64_t before = waited;

			waited = waited_ns(fd);
			if (reset != begun)
				__atomic_store_n(&mine->longest_ns, 0, __ATOMIC_RELAXED);
			else if (gap > GAP_NS && gap > waited - before && gap - (waited - before) > mine->longest_ns)
				__atomic_store_n(&mine->longest_ns, gap - (waited - before), __ATOMIC_RELAXED);
			begun = reset;
			now = looked = op_now_ns();
		}
		last = now;
		__atomic_add_fetch(&mine->rounds, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static pid_t begin_program(int nr)
{
	pid_t pid = fork();
	pthread_t thread;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	for (int i = 1; i < nr; i++)
		if (pthread_create(&thread, NULL, run_thread, &seen[i]))
			_exit(1);
	run_thread(&seen[0]);
	_exit(0);
}

static void pause_ns(long ns)
{
	nanosleep(&(struct timespec){ ns / 1000000000, ns % 1000000000 }, NULL);
}

/* Wait until each thread has completed a round that began after this call. */
static void all_go_on(int nr)
{
	for (int i = 0; i < nr; i++) {
		uint64_t before = __atomic_load_n(&seen[i].rounds, __ATOMIC_RELAXED);

		while (__atomic_load_n(&seen[i].rounds, __ATOMIC_RELAXED) < before + 2)
			pause_ns(100000);
	}
}

static uint64_t longest(int nr)
{
	uint64_t ns = 0;

	for (int i = 0; i < nr; i++)
		if (__atomic_load_n(&seen[i].longest_ns, __ATOMIC_RELAXED) > ns)
			ns = __atomic_load_n(&seen[i].longest_ns, __ATOMIC_RELAXED);
	return ns;
}

static bool has_sample(void *file, uint64_t size)
{
	struct raw_live live = { 0 };
	bool found = false;
	int nr = raw_live_count(file, size);

	if (nr <= 0)
		return false;
	live.nr_arenas = nr;
	live.arenas = calloc(nr, sizeof(*live.arenas));
	if (live.arenas && !raw_live_open(&live, file, size))
		for (int i = 1; i < nr; i++) {
			const struct raw_live_thread *t = raw_live_get(&live.arenas[i], RAW_LIVE_TOP, sizeof(*t));

			found |= t && t->samples.taken;
		}
	free(live.arenas);
	return found;
}

static bool dir_has_sample(const char *dir)
{
	bool found = false;
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && !found && (e = readdir(d))) {
		int fd = strstr(e->d_name, ".csp.live") ? openat(dirfd(d), e->d_name, O_RDONLY | O_CLOEXEC) : -1;
		struct stat st;
		void *file;

		if (fd < 0)
			continue;
		file = fstat(fd, &st) || !st.st_size ? MAP_FAILED : mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		close(fd);
		if (file == MAP_FAILED)
			continue;
		found = has_sample(file, st.st_size);
		munmap(file, st.st_size);
	}
	if (d)
		closedir(d);
	return found;
}

static bool has_map(pid_t pid, const char *name)
{
	char path[64], *line = NULL;
	bool found = false;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &room, f) > 0)
		found = strstr(line, name);
	free(line);
	if (f)
		fclose(f);
	return found;
}

static pid_t begin_command(char **args, pid_t pid, const char *dir)
{
	char number[16];
	pid_t command = fork();

	if (command)
		return command;
	setpgid(0, 0);
	snprintf(number, sizeof(number), "%d", (int)pid);
	for (char **arg = args; *arg; arg++)
		*arg = !strcmp(*arg, "PID") ? number : !strcmp(*arg, "DIR") ? (char *)dir : *arg;
	if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		_exit(126);
	execvp(*args, args);
	_exit(127);
}

int main(int argc, char **argv)
{
	const char *until = argc > 3 ? argv[1] : "";
	int nr = argc > 3 ? atoi(argv[2]) : 0, status = -1;
	char dir[4096];
	bool has_ended = false, is_there = false;
	uint64_t begin, end;
	pid_t pid, command;

	if (nr < 1 || nr > MAX_THREADS)
		errx(2, "usage: bench-attach sample|exit|map=NAME THREADS COMMAND...");
	seen = mmap(NULL, MAX_THREADS * sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(dir, sizeof(dir), "%s/bench-attach.XXXXXX", getenv("TMPDIR") ?: "/tmp");
	if (seen == MAP_FAILED || !mkdtemp(dir) || chmod(dir, 0777))
		err(2, "cannot begin");
	pid = begin_program(nr);
	all_go_on(nr);
	pause_ns(SETTLE_NS);
	for (int i = 0; i < nr; i++)
		__atomic_store_n(&seen[i].reset, 1, __ATOMIC_RELAXED);
	all_go_on(nr);

	begin = op_now_ns();
	command = begin_command(argv + 3, pid, dir);
	while (!is_there && !(has_ended && strcmp(until, "sample"))) {
		pause_ns(100000);
		has_ended = has_ended || waitpid(command, &status, WNOHANG) == command;
		is_there = !strcmp(until, "sample") ? dir_has_sample(dir) : !strcmp(until, "exit") ? has_ended :
			   has_map(pid, until + strlen("map="));
		if (has_ended && status)
			break;
	}
	if (is_there && strcmp(until, "sample"))
		all_go_on(nr);
	end = op_now_ns();
	if (is_there)
		pause_ns(SETTLE_NS);
	printf("%.2f %.2f\n", (end - begin) / 1e6, longest(nr) / 1e6);
	kill(pid, SIGKILL);
	if (!has_ended) {
		kill(-command, SIGTERM);
		waitpid(command, &status, 0);
		status = 0;
	}
	return is_there && !status ? 0 : 1;
}
