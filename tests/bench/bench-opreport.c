// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-opreport.c -- measures opreport on a large session: 1,000 sample files with 3 million
 * distinct offsets in 200 images of 5,000 functions each. Usage: bench-opreport OPREPORT DIR
 * BASELINE [--update]
 *
 * The session is created in the empty directory DIR. CPU time is also printed as a multiple of the
 * CPU time of a fixed loop, so that results of different or busy machines can be compared. The file
 * BASELINE contains the multiples of an earlier version.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "libop/base/cache_dir.h"
#include "libop/base/fs.h"
#include "libop/cpu/type.h"
#include "libop/session/mangle.h"
#include "libop/session/sample_header.h"

#define NR_IMAGES	200
#define NR_APPS		5		/* number of programs that use each image */
#define NR_OFFSETS	3000		/* number of distinct offsets in each sample file */
#define NR_FUNCTIONS	5000
#define FUNCTION_SIZE	256
#define NR_RUNS		3		/* number of runs; the fastest one is reported */

struct measure {
	double wall, cpu;	/* times in seconds */
	long rss;		/* maximum resident memory in KiB */
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench-opreport: %s: %s\n", what, why);
	exit(1);
}

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/*
 * Do a fixed amount of work that resembles a report (table look-ups and arithmetic). Return its CPU
 * time.
 */
static double calibrate(void)
{
	static uint32_t table[1 << 16];
	uint32_t x = 1;
	double best = 1e9;

	for (int run = 0; run < NR_RUNS; run++) {
		double start = now(CLOCK_PROCESS_CPUTIME_ID), time;

		for (uint32_t i = 0; i < 30000000; i++) {
			x = x * 1664525 + 1013904223;
			table[x >> 16] += x ^ table[(x >> 8) & 0xffff];
		}
		time = now(CLOCK_PROCESS_CPUTIME_ID) - start;
		if (time < best)
			best = time;
	}
	return best + (table[0] == 42 ? 1e-12 : 0);
}

static void run(const char *what, char *const *argv, const char *output)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (output && !freopen(output, "w", stdout))
			_exit(126);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		die(what, "failed");
}

/* Create a shared library with a function at every FUNCTION_SIZE bytes. Return the offset of the
 * first function. */
static uint64_t make_image(const char path[4096])
{
	char source[4200], line[256], symbol[64];
	uint64_t start = 0;
	FILE *f;

	snprintf(source, sizeof(source), "%s.s", path);
	f = fopen(source, "we");
	if (!f)
		die(source, strerror(errno));
	fprintf(f, "\t.text\n\t.balign 4096\n");
	for (int i = 0; i < NR_FUNCTIONS; i++)
		fprintf(f,
			"\t.globl function_%d\n\t.type function_%d, "
			"%%function\nfunction_%d:\n\t.skip %d\n"
			"\t.size function_%d, %d\n",
			i, i, i, FUNCTION_SIZE, i, FUNCTION_SIZE);
	if (fclose(f))
		die(source, strerror(errno));
	run("cc", (char *[]){"cc", "-shared", "-nostdlib", "-o", (char *)path, source, NULL}, NULL);
	snprintf(source, sizeof(source), "%s.nm", path);
	run("nm", (char *[]){ "nm", (char *)path, NULL }, source);
	f = fopen(source, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 " %*c %63s", &start, symbol) == 2 &&
		    !strcmp(symbol, "function_0"))
			break;
	if (f)
		fclose(f);
	if (!start)
		die(path, "no function_0");
	/* linkers place the text of such a small library at equal offset and address */
	return start;
}

static void make_file(int dirfd, const char *image, int app, uint64_t start, uint64_t *random)
{
	char app_path[64], *path;
	struct op_sample_name name = {
		.app = {.kind = OP_IMAGE_ROOT, .path = app_path},
		.image = {.kind = OP_IMAGE_ROOT, .path = (char *)image},
		.event = (char *)"TIMER",
		.count = 1000000,
		.tgid = OP_ALL,
		.tid = OP_ALL,
		.cpu = OP_ALL,
	};
	struct op_sample_header *header;
	struct odb *db = NULL;
	int fd;

	snprintf(app_path, sizeof(app_path), "/usr/bin/program%d", app);
	if (op_mangle(&path, &name) || op_make_parents(dirfd, path, 0755))
		die(image, "cannot be mangled");
	fd = openat(dirfd, path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || odb_open(&db, fd, sizeof(*header), ODB_WRITE, NULL))
		die(path, "cannot be made");
	header = odb_header(db);
	op_sample_header_init(header);
	header->cpu_type = OP_CPU_TIMER;
	while (odb_nr_nodes(db) <= NR_OFFSETS) {
		*random = *random * 6364136223846793005u + 1442695040888963407u;
		odb_update(db, start + (*random >> 33) % (NR_FUNCTIONS * FUNCTION_SIZE),
			   1 + (*random >> 60));
	}
	odb_close(db);
	free(path);
}

static void make_session(const char *dir)
{
	char first[4096], image[8192];
	uint64_t start, random = 1;
	int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dirfd < 0 || op_make_parents(dirfd, "samples/current/x", 0755))
		die(dir, strerror(errno));
	close(dirfd);
	snprintf(first, sizeof(first), "%s/library", dir);
	start = make_image(first);
	snprintf(image, sizeof(image), "%s/samples/current", dir);
	dirfd = open(image, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < NR_IMAGES; i++) {
		snprintf(image, sizeof(image), "%s/lib%d.so", dir, i);
		if (link(first, image))
			die(image, strerror(errno));
		for (int app = 0; app < NR_APPS; app++)
			make_file(dirfd, image, (i + app * 7) % 50, start, &random);
	}
	close(dirfd);
}

static struct measure measure(char *const *argv)
{
	struct measure best = { .wall = 1e9, .cpu = 1e9 };

	for (int i = 0; i < NR_RUNS; i++) {
		double start = now(CLOCK_MONOTONIC), wall, cpu;
		struct rusage usage;
		int status;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			if (!freopen("/dev/null", "w", stdout))
				_exit(126);
			execv(argv[0], argv);
			_exit(127);
		}
		if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || status)
			die(argv[0], "failed");
		wall = now(CLOCK_MONOTONIC) - start;
		cpu = usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 + usage.ru_stime.tv_sec +
		      usage.ru_stime.tv_usec / 1e6;
		if (wall < best.wall)
			best.wall = wall;
		if (cpu < best.cpu)
			best.cpu = cpu;
		if (usage.ru_maxrss > best.rss)
			best.rss = usage.ru_maxrss;
	}
	return best;
}

/*
 * Return the CPU time that the baseline file has for @name, as a multiple of the fixed loop, or 0
 * if unknown.
 */
static double baseline(const char *path, const char *name)
{
	FILE *f = fopen(path, "re");
	char line[256], word[64];
	double value, found = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %lf", word, &value) == 2 && !strcmp(word, name))
			found = value;
	if (f)
		fclose(f);
	return found;
}

struct report {
	const char *name;
	const char *options[3];
};

static const struct report reports[] = {
	{ "images", { NULL } },
	{ "symbols-no-cache", { "-l", "--no-cache" } },
	{ "symbols", { "-l" } },
	{ "symbols-merged", { "-l", "--merge=lib" } },
	{ "details", { "-d" } },
};

#define NR_REPORTS (sizeof(reports) / sizeof(reports[0]))

int main(int argc, char **argv)
{
	char session_option[4096];
	double unit, ratios[NR_REPORTS];
	FILE *f;

	if (argc < 4)
		die("usage", "bench-opreport OPREPORT DIR BASELINE [--update]");
	make_session(argv[2]);
	snprintf(session_option, sizeof(session_option), "%s/cache", argv[2]);
	/* use a new cache directory instead of the user's */
	setenv(OP_CACHE_DIR_ENV, session_option, 1);
	unit = calibrate();
	snprintf(session_option, sizeof(session_option), "--session-dir=%s", argv[2]);
	printf("opreport: %d sample files, %d distinct offsets, %d images of %d functions; best of "
	       "%d\n",
	       NR_IMAGES * NR_APPS, NR_IMAGES * NR_APPS * NR_OFFSETS, NR_IMAGES, NR_FUNCTIONS,
	       NR_RUNS);
	printf("report\twall s\tCPU s\tpeak MB\tCPU in loops of %.2f s\tbefore\tchange\n", unit);
	for (size_t i = 0; i < NR_REPORTS; i++) {
		const struct report *r = &reports[i];
		char *const args[] = {argv[1], session_option, (char *)r->options[0],
				      (char *)r->options[1], NULL};
		struct measure m = measure(args);
		double before = baseline(argv[3], r->name);

		ratios[i] = m.cpu / unit;
		printf("%s\t%.2f\t%.2f\t%.1f\t%.2f", r->name, m.wall, m.cpu, m.rss / 1024.0,
		       ratios[i]);
		if (before)
			printf("\t%.2f\t%+.0f%%\n", before, 100 * (ratios[i] / before - 1));
		else
			printf("\t-\t-\n");
		fflush(stdout);
	}
	if (argc < 5)
		return 0;
	f = fopen(argv[3], "we");
	if (!f)
		die(argv[3], strerror(errno));
	fprintf(f, "# opreport's CPU time on bench-opreport's session, in units of its calibration "
		   "loop.\n");
	for (size_t i = 0; i < NR_REPORTS; i++)
		fprintf(f, "%s %.3f\n", reports[i].name, ratios[i]);
	return fclose(f) != 0;
}
