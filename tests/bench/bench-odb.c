// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-odb.c -- nanoseconds per key of odb_update(), as a table. bench-odb [DIRECTORY]
 *
 * small: a file of 2,000 keys (an average image); medium: 100,000; large:
 * 1,000,000. Each figure is the best of several rounds, each on a new file, growth and page faults
 * included for new keys.
 */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libdb/odb.h"

#define HEADER 72

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);	/* others may be running too */
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Code addresses: below 2^28. */
static void make_keys(uint64_t *keys, size_t nr, int random)
{
	uint64_t state = 1;
	size_t i;

	for (i = 0; i < nr; i++)
		keys[i] = random ? next_random(&state) & 0xfffffff : 0x1000 + i * 4;
}

static struct odb *open_new(const char *dir)
{
	struct odb *db = NULL;
	char path[4096];
	int fd, err;

	snprintf(path, sizeof(path), "%s/bench-odb-XXXXXX", dir);
	fd = mkstemp(path);
	if (fd < 0) {
		perror(path);
		return NULL;
	}
	unlink(path);
	err = odb_open(&db, fd, HEADER, ODB_WRITE, NULL);
	if (err) {
		fprintf(stderr, "%s: %s\n", path, odb_strerror(err));
		close(fd);
		return NULL;
	}
	return db;
}

/* Nanoseconds for all keys. */
static double update_all(struct odb *db, const uint64_t *keys, size_t nr)
{
	double start = now_ns();
	size_t i;

	for (i = 0; i < nr; i++) {
		int err = odb_update(db, keys[i], 1);

		if (err) {
			fprintf(stderr, "bench-odb: %s\n", odb_strerror(err));
			return -1;
		}
	}
	return now_ns() - start;
}

static int bench(const char *dir, const char *what, size_t nr, int random, int rounds)
{
	double best_new = 0, best_known = 0;
	uint64_t *keys = malloc(nr * sizeof(*keys));
	int repeat = nr < 100000 ? 50 : 1, round, i;

	if (!keys)
		return 1;
	make_keys(keys, nr, random);
	for (round = 0; round < rounds; round++) {
		double t_new, t_known = 0;
		struct odb *db = open_new(dir);

		if (!db) {
			free(keys);
			return 1;
		}
		t_new = update_all(db, keys, nr);
		for (i = 0; i < repeat; i++)
			t_known += update_all(db, keys, nr) / repeat;
		odb_close(db);
		if (!round || t_new < best_new)
			best_new = t_new;
		if (!round || t_known < best_known)
			best_known = t_known;
	}
	free(keys);
	printf("%-28s %9zu %12.1f %12.1f\n", what, nr, best_new / nr, best_known / nr);
	return 0;
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : "/dev/shm";
	int err = 0;

	printf("libdb, ns of CPU time per odb_update(), file in %s\n", dir);
	printf("%-28s %9s %12s %12s\n", "", "keys", "new key", "known key");
	err |= bench(dir, "small file, sequential", 2000, 0, 200);
	err |= bench(dir, "small file, random", 2000, 1, 200);
	err |= bench(dir, "medium file, sequential", 100000, 0, 20);
	err |= bench(dir, "medium file, random", 100000, 1, 20);
	err |= bench(dir, "large file, sequential", 1000000, 0, 5);
	err |= bench(dir, "large file, random", 1000000, 1, 5);
	return err;
}
