// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * brief-subjects.c -- a server whose load has one known cause: `server NUMBER SECONDS`. The names
 * of its functions do not reveal the cause.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NEVER_INLINE __attribute__((noinline))
#define NR_THREADS	2

static double limit;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Load 1: a loop that only computes. */
static volatile uint64_t sink;

NEVER_INLINE static uint64_t checksum_records(const uint64_t *records, size_t nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum = (sum ^ records[i]) * 0x100000001b3ull;
	return sum;
}

NEVER_INLINE static void handle_request(void)
{
	static uint64_t records[4096];

	sink += checksum_records(records, sizeof(records) / sizeof(records[0]));
}

static void accept_orders(void)
{
	while (now() < limit)
		handle_request();
}

/* Load: a contended lock. */
static pthread_mutex_t orders = PTHREAD_MUTEX_INITIALIZER;
static uint64_t nr_orders;

NEVER_INLINE static void book_order(void)
{
	pthread_mutex_lock(&orders);
	nr_orders++;
	pthread_mutex_unlock(&orders);
}

static void *take_orders(void *arg)
{
	while (now() < limit)
		for (int i = 0; i < 1000; i++)
			book_order();
	return arg;
}

static void threads(void *(*run)(void *), size_t nr)
{
	pthread_t ids[16];

	for (size_t i = 0; i < nr; i++)
		pthread_create(&ids[i], NULL, run, (void *)i);
	for (size_t i = 0; i < nr; i++)
		pthread_join(ids[i], NULL);
}

static void process_orders(void)
{
	threads(take_orders, 8);
}

/* Load: counters of several threads in one cache line (false sharing). */
static struct { volatile uint64_t count; } counters[NR_THREADS];

NEVER_INLINE static void count_packets(size_t thread)
{
	for (int i = 0; i < 100000; i++)
		counters[thread].count++;
}

static void *receive_packets(void *arg)
{
	while (now() < limit)
		count_packets((size_t)arg);
	return arg;
}

static void receive_all(void)
{
	threads(receive_packets, NR_THREADS);
}

/* Load: many small allocations. */
NEVER_INLINE static void parse_row(void **fields, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		free(fields[i]);
		fields[i] = malloc(16 + (i * 7919) % 2000);
	}
}

static void import_rows(void)
{
	static void *fields[20000];

	while (now() < limit)
		parse_row(fields, sizeof(fields) / sizeof(fields[0]));
}

/* Load: memory that is returned to the kernel and touched again. */
NEVER_INLINE static void render_frame(void)
{
	size_t size = 16 << 20;
	char *frame = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < size; i += 4096)
		frame[i] = 1;
	munmap(frame, size);
}

static void render_frames(void)
{
	while (now() < limit)
		render_frame();
}

/* Load: reads of a file larger than the memory limit, so that the kernel reclaims pages. */
NEVER_INLINE static void look_up_rows(const char *table, size_t size)
{
	for (size_t i = 0; i < size && now() < limit; i += 4096)
		sink += (uint64_t)table[i];
}

static void query_table(void)
{
	const char *file = getenv("TABLE"), *table;
	int fd = file ? open(file, O_RDONLY) : -1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		exit(2);
	table = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (table == MAP_FAILED)
		exit(2);
	while (now() < limit)
		look_up_rows(table, (size_t)st.st_size);
}

static void (*const subjects[])(void) = {
	accept_orders, process_orders, receive_all, import_rows, render_frames, query_table,
};

int main(int argc, char **argv)
{
	size_t number = argc > 2 ? (size_t)atoi(argv[1]) : 99;

	if (number >= sizeof(subjects) / sizeof(subjects[0]))
		return 2;
	limit = now() + atof(argv[2]);
	subjects[number]();
	return 0;
}
