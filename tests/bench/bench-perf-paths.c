// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-perf-paths.c -- records the perf_events rings of a command, and replays such a recording
 * through the daemon's perf source: decoding, ordering, stack walks, attribution and trees.
 *
 * bench-perf-paths record FILE COMMAND...: sample COMMAND at 1 kHz with copies of its stacks.
 * bench-perf-paths replay FILE DIR: store the samples in a new session in DIR. All work that
 * depends on samples is in measure(), so that callgrind can count only its instructions
 * (tests/bench/perf-paths.bench). Unwind tables are made before. The binaries that the command
 * executed must be unchanged.
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/image/image.h"
#include "daemon/image/kernel.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/process.h"
#include "daemon/image/unwind_tables.h"
#include "daemon/options.h"
#include "daemon/source/events.h"
#include "daemon/source/perf_attribute.h"
#include "daemon/source/perf_events.h"
#include "daemon/source/perf_order.h"
#include "daemon/source/perf_plan.h"
#include "daemon/source/perf_stacks.h"
#include "daemon/source/perf_walk.h"
#include "daemon/store/attribute.h"
#include "daemon/store/paths.h"
#include "daemon/store/sample_cache.h"
#include "daemon/store/stats.h"
#include "libcfi/file.h"

#define MAX_CPUS 64
#define DRAIN_NS 100000000 /* approximate time between two drains by the daemon */

/* A recording is a head and then chunks; each chunk is followed by @size bytes of a ring. */
struct head {
	struct opd_perf_format samples, notices;
	uint32_t nr_cpus;
};

struct chunk {
	uint32_t cpu, is_notice;
	uint64_t size;
};

static void fail(const char *what, int err)
{
	fprintf(stderr, "bench-perf-paths: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void check(int err, const char *what)
{
	if (err)
		fail(what, err);
}

static void configure(struct opd_config *cfg)
{
	struct op_reason error = {""};
	char *argv[] = {"bench", "--source=perf", "--events=TIMER:1000000", "--callgraph=128",
			"--max-new-files=0"};

	if (opd_config_parse(cfg, sizeof(argv) / sizeof(argv[0]), argv, stdout, stderr) !=
	    OPD_PARSE_RUN)
		exit(1);
	check(opd_events_resolve(cfg, &error), error.text);
}

/* Start @argv in a child that waits until a byte is written to *@go. Return its pid. */
static pid_t start(char **argv, int *go)
{
	int fds[2];
	pid_t pid;
	char c;

	if (pipe2(fds, O_CLOEXEC))
		fail("pipe", -errno);
	pid = fork();
	if (pid)
		close(fds[0]);
	if (!pid && read(fds[0], &c, 1) == 1) {
		execvp(argv[0], argv);
		fail(argv[0], -errno);
	}
	*go = fds[1];
	return pid;
}

/* Append the new bytes of the ring of @cpu to the recording @f. */
static void save_ring(FILE *f, struct opd_perf_ring *ring, uint32_t cpu, bool is_notice)
{
	struct chunk chunk = {cpu, is_notice, 0};
	size_t at, first;

	opd_perf_ring_refresh(ring);
	chunk.size = ring->head - ring->tail;
	if (!chunk.size)
		return;
	at = ring->tail & (ring->size - 1);
	first = chunk.size < ring->size - at ? chunk.size : ring->size - at;
	fwrite(&chunk, sizeof(chunk), 1, f);
	fwrite(ring->data + at, 1, first, f);
	fwrite(ring->data, 1, chunk.size - first, f);
	ring->tail = ring->head;
	opd_perf_ring_publish(ring);
}

static void save_rings(FILE *f, struct opd_perf_cpu **cpus, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		save_ring(f, &cpus[i]->samples, i, false);
		save_ring(f, &cpus[i]->notices, i, true);
	}
}

static int record(const char *path, char **argv)
{
	struct opd_perf_cpu *cpus[MAX_CPUS];
	struct op_reason error = {""};
	struct opd_perf_plan plan = {0};
	struct opd_config cfg;
	struct head head = {0};
	uint64_t lost = 0;
	FILE *f = fopen(path, "we");
	int go, status;
	pid_t pid;

	if (!f)
		fail(path, -errno);
	configure(&cfg);
	pid = start(argv, &go);
	check(opd_perf_plan_init(&plan, &cfg, true, &error), error.text);
	plan.setup.pids = &pid;
	plan.setup.nr_pids = plan.setup.nr_named = 1;
	for (int cpu = 0; cpu < OP_MAX_CPUS && head.nr_cpus < MAX_CPUS; cpu++)
		if (plan.wanted[cpu] &&
		    !opd_perf_cpu_open(&cpus[head.nr_cpus], &plan.setup, cpu, &error))
			check(opd_perf_cpu_enable(cpus[head.nr_cpus++], true), "enable");
	if (!head.nr_cpus) {
		fprintf(stderr, "bench-perf-paths: no CPU can be sampled: %s\n", error.text);
		return 1;
	}
	head.samples = cpus[0]->samples.format;
	head.notices = cpus[0]->notices.format;
	fwrite(&head, sizeof(head), 1, f);
	if (write(go, "", 1) != 1)
		fail("write", -errno);
	while (!waitpid(pid, &status, WNOHANG)) {
		save_rings(f, cpus, head.nr_cpus);
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	save_rings(f, cpus, head.nr_cpus);
	for (uint32_t i = 0; i < head.nr_cpus; i++) {
		for (size_t n = 0; n < cpus[i]->nr_fds; n++)
			lost += cpus[i]->lost[n];
		opd_perf_cpu_close(cpus[i]);
	}
	opd_perf_plan_release(&plan);
	opd_config_release(&cfg);
	if (lost)
		fprintf(stderr, "bench-perf-paths: %llu samples lost\n", (unsigned long long)lost);
	return fclose(f) ? 1 : 0;
}

/* The recorded bytes of one ring. */
struct bytes {
	unsigned char *data;
	size_t size, room;
};

struct stream {
	struct head head;
	struct bytes samples[MAX_CPUS], notices[MAX_CPUS];
};

static void load_chunk(FILE *f, struct bytes *b, size_t size)
{
	while (!b->room || b->size + size > b->room) {
		b->room = b->room ? 2 * b->room : 1 << 20;
		b->data = realloc(b->data, b->room);
		if (!b->data)
			fail("memory", -ENOMEM);
	}
	if (fread(b->data + b->size, 1, size, f) != size)
		fail("record file is cut off", -EINVAL);
	b->size += size;
}

static void load(struct stream *s, const char *path)
{
	FILE *f = fopen(path, "re");
	struct chunk chunk;

	if (!f)
		fail(path, -errno);
	memset(s, 0, sizeof(*s));
	if (fread(&s->head, sizeof(s->head), 1, f) != 1)
		fail(path, -EINVAL);
	while (fread(&chunk, sizeof(chunk), 1, f) == 1)
		load_chunk(f, chunk.is_notice ? &s->notices[chunk.cpu] : &s->samples[chunk.cpu],
			   chunk.size);
	fclose(f);
}

static void unload(struct stream *s)
{
	for (size_t i = 0; i < MAX_CPUS; i++) {
		free(s->samples[i].data);
		free(s->notices[i].data);
	}
	free(s);
}

static struct opd_unwind_tables *tables;

/* Make the unwind table of @image immediately. */
static void make_table(void *arg, const struct opd_image *image)
{
	int fd = open(image->path, O_RDONLY | O_CLOEXEC), out = memfd_create("table", MFD_CLOEXEC);
	struct cfi_file *file;
	struct cfi_elf elf;
	struct stat st;
	void *bytes;

	(void)arg;
	if (fd < 0 || out < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		goto give_up;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED || cfi_elf_open(&elf, bytes, (uint64_t)st.st_size))
		goto give_up;
	file = mmap(NULL, cfi_file_room(&elf), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (file == MAP_FAILED || cfi_file_make(&elf, file, cfi_file_room(&elf)) ||
	    write(out, file, cfi_file_size(file)) != (ssize_t)cfi_file_size(file) ||
	    opd_unwind_tables_load(tables, image, out))
		goto give_up;
	close(out);
	close(fd);
	return;

give_up:
	opd_unwind_tables_give_up(tables, image, OPROFILE_UW_NO_FILE);
	close(out);
	close(fd);
}

/* The state of one replay. */
struct replay {
	struct opd_perf_ring rings[2][MAX_CPUS];
	struct opd_perf_ring *samples[MAX_CPUS], *notices[MAX_CPUS];
	size_t nr;
	struct opd_processes *processes;
	struct opd_perf_stacks *stacks;
	struct opd_perf_attributor attributor;
	struct opd_perf_task exited[MAX_CPUS];
	bool has_exited[MAX_CPUS];
};

static void open_ring(struct opd_perf_ring *ring, const struct bytes *b,
		      const struct opd_perf_format *format)
{
	size_t size = 4096;

	while (size < b->size)
		size *= 2;
	opd_perf_ring_init_memory(ring, b->data, size, 0, b->size, format);
}

static ssize_t read_no_memory(void *arg, pid_t tid, uint64_t address, void *to, size_t size)
{
	(void)arg;
	(void)tid;
	(void)address;
	(void)to;
	(void)size;
	return -ESRCH; /* report that the recorded process has ended */
}

static void begin_replay(struct replay *r, const struct stream *s, const struct opd_config *cfg,
			 struct opd_mapped_files *files, struct opd_sink *sink)
{
	memset(r, 0, sizeof(*r));
	r->nr = s->head.nr_cpus;
	for (size_t i = 0; i < r->nr; i++) {
		r->samples[i] = &r->rings[0][i];
		r->notices[i] = &r->rings[1][i];
		open_ring(r->samples[i], &s->samples[i], &s->head.samples);
		open_ring(r->notices[i], &s->notices[i], &s->head.notices);
	}
	/* Use a directory without processes as /proc, because the recorded processes have ended. */
	check(opd_processes_create(&r->processes, files, "/sys"), "processes");
	opd_perf_attributor_init(&r->attributor, r->processes, sink);
	check(opd_perf_stacks_create(&r->stacks, read_no_memory, NULL), "stacks");
	check(opd_perf_walker_create(&r->attributor.walker, cfg->paths.depth, r->processes, tables,
				     NULL, r->stacks),
	      "walker");
}

static void end_replay(struct replay *r)
{
	opd_perf_walker_destroy(r->attributor.walker);
	opd_perf_stacks_destroy(r->stacks);
	opd_processes_destroy(r->processes);
	for (size_t i = 0; i < r->nr; i++) {
		opd_perf_ring_unmap(r->samples[i]);
		opd_perf_ring_unmap(r->notices[i]);
	}
}

static bool on_sample(void *arg, size_t ring, const struct opd_perf_record *record)
{
	struct replay *r = arg;

	if (record->kind == OPD_PERF_SAMPLE)
		opd_perf_attribute_sample(&r->attributor, (uint32_t)ring, 0, record,
					  r->has_exited[ring] ? &r->exited[ring] : NULL);
	return true;
}

static void on_notice(void *arg, size_t ring, const struct opd_perf_record *record)
{
	struct replay *r = arg;

	if (record->kind == OPD_PERF_EXIT) {
		r->has_exited[ring] = true;
		r->exited[ring] = (struct opd_perf_task){record->pid, record->tid};
	}
	opd_perf_attribute_notice(&r->attributor, record);
}

/* Return the time of the first notice in ns. */
static uint64_t first_time(struct replay *r)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < r->nr; i++) {
		const struct opd_perf_record *notice = opd_perf_ring_peek(r->notices[i]);

		if (notice && notice->time < first)
			first = notice->time;
	}
	return first;
}

static bool is_empty(struct replay *r)
{
	for (size_t i = 0; i < r->nr; i++)
		if (opd_perf_ring_peek(r->samples[i]) || opd_perf_ring_peek(r->notices[i]))
			return false;
	return true;
}

/* Deliver all records in intervals of time, as the daemon drains its rings. */
static void take_records(struct replay *r)
{
	static const struct opd_perf_order_ops ops = {.sample = on_sample, .notice = on_notice};

	for (uint64_t limit = first_time(r) + DRAIN_NS; !is_empty(r); limit += DRAIN_NS) {
		opd_perf_order_drain(r->samples, r->notices, r->nr, limit, &ops, r);
		opd_perf_attribute_end(&r->attributor);
		opd_processes_reap(r->processes, limit);
	}
}

__attribute__((noinline)) static void measure(struct replay *r)
{
	take_records(r);
}

static void drop_samples(struct opd_sink *sink, const struct opd_context *ctx,
			 const struct opd_sample *samples, size_t nr)
{
	(void)sink;
	(void)ctx;
	(void)samples;
	(void)nr;
}

static void replay(const char *path, const char *dir)
{
	void (*take_samples)(struct opd_sink *, const struct opd_context *,
			     const struct opd_sample *, size_t);
	struct opd_config cfg;
	struct opd_session session;
	struct opd_stats stats;
	struct opd_log log;
	struct opd_images *images;
	struct opd_mapped_files *files;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	struct opd_attribution attribution;
	struct op_reason error = {""};
	struct stream *stream = malloc(sizeof(*stream));
	struct replay *r = malloc(sizeof(*r));

	if (!stream || !r)
		fail("memory", -ENOMEM);
	load(stream, path);
	configure(&cfg);
	opd_log_init(&log);
	opd_stats_init(&stats);
	check(opd_session_open(&session, dir, (gid_t)-1, &error), error.text);
	check(opd_images_create(&images), "images");
	check(opd_unwind_tables_create(&tables, make_table, NULL), "tables");
	opd_images_set_unwind(images, tables);
	check(opd_mapped_files_create(&files, images), "files");
	check(opd_kernel_create(&kernel, &cfg, &log, &opd_kernel_files_default), "kernel");
	check(opd_sample_cache_create(&cache, &cfg, &session, &stats, &log, 4, 0), "cache");
	opd_attribution_init(&attribution, &cfg, kernel, cache, &stats, &log);
	check(opd_paths_create(&attribution.paths, &cfg, &session, kernel, images, &stats, &log),
	      "paths");

	/* A first pass requests the unwind tables, which are made before the measurement. */
	take_samples = attribution.sink.samples;
	attribution.sink.samples = drop_samples;
	begin_replay(r, stream, &cfg, files, &attribution.sink);
	take_records(r);
	end_replay(r);
	attribution.sink.samples = take_samples;
	begin_replay(r, stream, &cfg, files, &attribution.sink);
	measure(r);
	printf("%llu\t%llu\t%llu\n", (unsigned long long)r->attributor.counters.received,
	       (unsigned long long)stats.v[OPD_STAT_PATHS],
	       (unsigned long long)stats.v[OPD_STAT_PATH_END(OPROFILE_UW_WHOLE)]);
	end_replay(r);
	opd_sample_cache_flush(cache);
	opd_paths_destroy(attribution.paths);
	opd_sample_cache_destroy(cache);
	opd_kernel_destroy(kernel);
	opd_mapped_files_destroy(files);
	opd_unwind_tables_destroy(tables);
	opd_images_destroy(images);
	opd_stats_release(&stats);
	opd_session_release(&session);
	opd_config_release(&cfg);
	free(r);
	unload(stream);
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "record"))
		return record(argv[2], argv + 3);
	if (argc == 4 && !strcmp(argv[1], "replay")) {
		replay(argv[2], argv[3]);
		return 0;
	}
	fprintf(stderr, "usage: bench-perf-paths record FILE COMMAND... | replay FILE DIR\n");
	return 2;
}
