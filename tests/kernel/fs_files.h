/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs_files.h -- functions that read and write files of a mounted oprofilefs, for programs that read
 * its buffer. If a read or write fails, they print the reason and exit.
 */
#ifndef TESTS_KERNEL_FS_FILES_H
#define TESTS_KERNEL_FS_FILES_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FS "/dev/oprofile/"

static inline void put(const char *name, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), FS "%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "write %s to %s", text, path);
	close(fd);
}

/* Return the number in the file stats/@name. */
static inline uint64_t get(const char *name)
{
	char path[256], text[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), FS "stats/%s", name);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		err(1, "read %s", path);
	close(fd);
	text[n] = 0;
	return strtoull(text, NULL, 10);
}

/*
 * Print the counters of lost samples, and "taken N stored N lost N". Exit with an error unless
 * taken equals stored plus lost.
 */
static inline void report_books(uint64_t stored)
{
	static const char *const losses[] = {
		"sample_lost_overflow", "sample_lost_pending", "sample_unresolved", "sample_lost_task_exit",
		"sample_lost_no_mm", "sample_lost_no_mapping", "sample_lost_map_busy", "sample_lost_user_quota",
		"sample_lost_no_cookie", "sample_lost_impossible", "sample_lost_offcpu_late", "sample_lost_offcpu_cpu",
		"sample_invalid_eip", "event_lost_overflow",
	};
	uint64_t taken = get("sample_received"), lost = 0;

	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		uint64_t n = get(losses[i]);

		if (n)
			printf("%s %lu\n", losses[i], n);
		lost += n;
	}
	printf("taken %lu stored %lu lost %lu\n", taken, stored, lost);
	if (taken != stored + lost)
		errx(1, "taken != stored + lost");
}

/*
 * Write to the file dump, and call @take until all samples that were taken before are read. @take
 * reads the whole buffer, and returns whether it read any data.
 */
static inline void dump(bool (*take)(void))
{
	int fd = open(FS "dump", O_WRONLY);

	if (fd < 0)
		err(1, "dump");
	while (write(fd, "1", 1) < 0) {
		if (errno != EAGAIN)
			err(1, "dump");
		if (!take())
			errx(1, "dump says EAGAIN, and there is nothing to read");
	}
	close(fd);
	take();
}

static inline double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

#endif
