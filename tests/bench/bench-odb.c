// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-odb.c -- measures odb_update() in nanoseconds per key, compared with the simplest writer of
 * the same format (classic_odb.h). Usage: bench-odb [DIRECTORY]
 *
 * small: a file of 2,000 keys (an average image); medium: 100,000; large: 1,000,000. Each figure is
 * the best of several rounds with a new file each; for new keys it includes file growth and page
 * faults.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "tests/bench/classic_odb.h"

#define HEADER 72

static double now_ns(void)
{
	struct timespec t;

	/* use CPU time, because other programs may be running */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Generate keys that are code addresses below 2^28. */
static void make_keys(uint64_t *keys, size_t nr, int random)
{
	uint64_t state = 1;

	for (size_t i = 0; i < nr; i++)
		keys[i] = random ? next_random(&state) & 0xfffffff : 0x1000 + i * 4;
}

/* Open a new unnamed file. On failure, print a message and return -1. */
static int new_file(const char *dir)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/bench-odb-XXXXXX", dir);
	fd = mkstemp(path);
	if (fd < 0)
		perror(path);
	else
		unlink(path);
	return fd;
}

/* Return the time in ns for updating all keys once, or a negative number on error. */
#define TIME_ALL(update) ({						\
	double start_ = now_ns();					\
	int err_ = 0;							\
									\
	for (size_t i_ = 0; i_ < nr && !err_; i_++)			\
		err_ = update(keys[i_]);				\
	err_ ? -1 : now_ns() - start_;					\
})

struct figures {
	double new_key;		/* time in ns for adding all keys to an empty file */
	double known_key;
};

static int measure_ours(int fd, const uint64_t *keys, size_t nr, int repeat, struct figures *f)
{
	struct odb *db;
	int err = odb_open(&db, fd, HEADER, ODB_WRITE, NULL);

	if (err) {
		fprintf(stderr, "bench-odb: %s\n", odb_strerror(err));
		close(fd);
		return -1;
	}
#define UPDATE(key) odb_update(db, (key), 1)
	f->new_key = TIME_ALL(UPDATE);
	f->known_key = 0;
	for (int i = 0; i < repeat; i++)
		f->known_key += TIME_ALL(UPDATE) / repeat;
#undef UPDATE
	odb_close(db);
	return f->new_key < 0 ? -1 : 0;
}

static int measure_classic(int fd, const uint64_t *keys, size_t nr, int repeat, struct figures *f)
{
	struct classic_odb db;
	int err = classic_odb_open(&db, fd, HEADER);

	if (err) {
		fprintf(stderr, "bench-odb: %s\n", strerror(-err));
		close(fd);
		return -1;
	}
#define UPDATE(key) classic_odb_update(&db, (key), 1)
	f->new_key = TIME_ALL(UPDATE);
	f->known_key = 0;
	for (int i = 0; i < repeat; i++)
		f->known_key += TIME_ALL(UPDATE) / repeat;
#undef UPDATE
	classic_odb_close(&db);
	return f->new_key < 0 ? -1 : 0;
}

static void keep_best(struct figures *best, const struct figures *f, bool first)
{
	if (first || f->new_key < best->new_key)
		best->new_key = f->new_key;
	if (first || f->known_key < best->known_key)
		best->known_key = f->known_key;
}

/* Run both writers alternately, so that other load on the machine affects both. */
static int bench(const char *dir, const char *what, size_t nr, int random, int rounds)
{
	struct figures ours = { 0 }, classic = { 0 }, f;
	uint64_t *keys = malloc(nr * sizeof(*keys));
	int repeat = nr < 100000 ? 50 : 1, round, fd;

	if (!keys)
		return -1;
	make_keys(keys, nr, random);
	for (round = 0; round < rounds; round++) {
		fd = new_file(dir);
		if (fd < 0 || measure_ours(fd, keys, nr, repeat, &f))
			goto err_free;
		keep_best(&ours, &f, !round);
		fd = new_file(dir);
		if (fd < 0 || measure_classic(fd, keys, nr, repeat, &f))
			goto err_free;
		keep_best(&classic, &f, !round);
	}
	free(keys);
	printf("%s\t%zu\t%.1f\t%.1f\t%.1f\t%.1f\n", what, nr, ours.new_key / nr,
	       classic.new_key / nr, ours.known_key / nr, classic.known_key / nr);
	return 0;

err_free:
	free(keys);
	return -1;
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : "/dev/shm";
	int err = 0;

	printf("libdb, ns of CPU time per odb_update(), file in %s\n", dir);
	printf("\tkeys\tnew key\tclassic\tknown key\tclassic\n");
	err |= bench(dir, "small file, sequential", 2000, 0, 200);
	err |= bench(dir, "small file, random", 2000, 1, 200);
	err |= bench(dir, "medium file, sequential", 100000, 0, 20);
	err |= bench(dir, "medium file, random", 100000, 1, 20);
	err |= bench(dir, "large file, sequential", 1000000, 0, 5);
	err |= bench(dir, "large file, random", 1000000, 1, 5);
	return err ? 1 : 0;
}
