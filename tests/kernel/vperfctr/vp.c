// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vp.c -- tests of the virtual counters of threads inside a guest, by system calls and the mapped
 * page alone, without libvperf.
 *
 * usage: vperfctr TEST...; prints the results, and "FAILED: ..." for each error; the exit status is
 * 1 after an error.
 */
#include "vp.h"

int device, failed;

uint64_t tsc(void)
{
#if defined(__x86_64__) || defined(__i386__)
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc" : "=a" (low), "=d" (high));
	return (uint64_t)high << 32 | low;
#else
	uint64_t v;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r" (v));
	return v;
#endif
}

int open_tid(pid_t tid, unsigned int flags)
{
	struct vperfctr_open o = {
		.size = sizeof(o), .version = VPERFCTR_ABI_VERSION, .tid = tid, .flags = flags
	};

	return ioctl(device, VPERFCTR_IOC_OPEN, &o);
}

int control(int fd, const struct vperfctr_control *c)
{
	return ioctl(fd, VPERFCTR_IOC_CONTROL, c);
}

/* Return settings with the virtual TSC and @nr slots of page faults in user mode. */
struct vperfctr_control settings(int tsc_on, int nrctrs)
{
	struct vperfctr_control c = { .size = sizeof(c), .tsc_on = tsc_on, .nrctrs = nrctrs };

	for (int i = 0; i < nrctrs; i++) {
		c.pmc[i].type = PERF_TYPE_SOFTWARE;
		c.pmc[i].config = PERF_COUNT_SW_PAGE_FAULTS;
		c.pmc[i].flags = VPERFCTR_USER;
	}
	return c;
}

int set(int fd, int tsc_on, int nrctrs)
{
	struct vperfctr_control c = settings(tsc_on, nrctrs);

	return control(fd, &c);
}

int read_all(int fd, struct vperfctr_read *r)
{
	memset(r, 0x5a, sizeof(*r));
	r->size = sizeof(*r);
	r->want = VPERFCTR_READ_SUM | VPERFCTR_READ_CHILDREN | VPERFCTR_READ_CONTROL;
	return ioctl(fd, VPERFCTR_IOC_READ, r);
}

volatile const struct vperfctr_state *map(int fd)
{
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return page;
}

/* Read the virtual TSC by the loop that doc/vperfctr.md describes. */
uint64_t read_tsc(volatile const struct vperfctr_state *k)
{
	uint64_t tsc0 = k->cpu_state.tsc_start, tsc1, now, sum;

	for (;;) {
		now = tsc();
		sum = k->cpu_state.tsc_sum;
		tsc1 = k->cpu_state.tsc_start;
		if (tsc1 == tsc0)
			return sum + (now - tsc0);
		tsc0 = tsc1;
	}
}

double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/*
 * Cause exactly @pages page faults in user mode, unless other code of the program faults meanwhile.
 */
void touch(int pages)
{
	char *p = mmap(NULL, (size_t)PAGE * pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, (size_t)PAGE * pages, MADV_NOHUGEPAGE);
	for (int i = 0; i < pages; i++)
		((volatile char *)p)[(size_t)i * PAGE] = 1;
	munmap(p, (size_t)PAGE * pages);
}

void reap(pid_t pid, int want)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status != want)
		fail("process %d: status %#x", pid, status);
}


/* ---- a load for testing whether the module can be unloaded after kill -9 ---- */

void test_load(void)
{
	int fd = open_tid(0, VPERFCTR_OPEN_CREAT);

	set(fd, 1, 2);
	puts("loaded");
	fflush(stdout);
	for (;;) {
		if (!fork()) {
			touch(2);
			_exit(0);
		}
		wait(NULL);
	}
}

/* A process whose only reference to the module is an O_PATH descriptor. */
static void test_path(void)
{
	int fd = open_tid(0, VPERFCTR_OPEN_CREAT), path;
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	path = open(name, O_PATH);
	want_ok(path < 0 ? -1 : 0);
	ioctl(fd, VPERFCTR_IOC_UNLINK);
	close(fd);
	close(device);
	puts("held");
	pause();
}

static const struct { const char *name; void (*run)(void); } tests[] = {
	{ "calls", test_calls }, { "control", test_control }, { "time", test_time }, { "children", test_children },
	{ "line", test_line }, { "held", test_held }, { "forks", test_forks }, { "slots", test_slots }, { "refused", test_refused }, { "ranges", test_ranges }, { "keys", test_keys }, { "hardware", test_hardware },
	{ "instructions", test_instructions }, { "reads", test_reads }, { "cpus", test_cpus }, { "ring", test_ring }, { "exec", test_exec }, { "nobody", test_nobody }, { "remote", test_remote }, { "kill", test_kill },
	{ "load", test_load }, { "overflow", test_overflow }, { "path", test_path }, { "hostile", test_hostile }, { "soak", test_soak }, { "moved", test_moved }, { "affinity", test_affinity }, { "badluck", test_badluck },
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	/*
	 * lock this program's memory, so that the program does not fault while faults are counted
	 */
	mlockall(MCL_CURRENT);
	device = open(VPERFCTR_DEVICE, O_RDONLY | O_CLOEXEC);
	if (device < 0 || argc < 2) {
		perror(VPERFCTR_DEVICE);
		return 2;
	}
	if (!strcmp(argv[1], "lives") || !strcmp(argv[1], "gone")) {
		test_after_exec(!strcmp(argv[1], "lives"));
		return failed;
	}
	if (!strcmp(argv[1], "readable"))
		return test_readable();
	for (; *++argv;) {
		for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
			if (!strcmp(*argv, tests[i].name)) {
				printf("-- %s\n", *argv);
				tests[i].run();
			}
		}
	}
	return failed;
}
