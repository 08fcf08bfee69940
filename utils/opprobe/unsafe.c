// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unsafe.c -- reporting names of --unsafe that no process has found, probably because the user
 * mistyped them.
 *
 * Only the profiled processes can find functions and files by name. So they share a file with one
 * byte for each name, in the output directory, and mark the names that they find.
 */
#include "config.h"
#include "utils/opprobe/unsafe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/clean.h"

#define PATTERN	".unsafe.XXXXXX"

int probe_unsafe_open(struct raw_probe_words *words, const char *dir, struct op_reason *error)
{
	char *path = NULL;
	int fd, err;

	if (!words->nr_unsafe)
		return -1;
	if (asprintf(&path, "%s/" PATTERN, dir) < 0)
		return op_fail(error, -ENOMEM, "out of memory");
	fd = mkostemp(path, O_CLOEXEC);
	err = fd < 0 ? -errno : ftruncate(fd, RAW_PROBE_UNSAFE) ? -errno : 0;
	if (err) {
		op_fail(error, err, "%s: %s", dir, strerror(-err));
		if (fd >= 0) {
			unlink(path);
			close(fd);
		}
	} else {
		memcpy(words->unsafe_met, path + strlen(path) - strlen(PATTERN), sizeof(PATTERN));
	}
	free(path);
	return err ? err : fd;
}

void probe_unsafe_close(int fd, const struct raw_probe_words *words, const char *dir, bool reports)
{
	char met[RAW_PROBE_UNSAFE] = { 0 }, *path = NULL;

	if (fd < 0)
		return;
	if (reports && pread(fd, met, sizeof(met), 0) == sizeof(met))
		for (uint32_t i = 0; i < words->nr_unsafe; i++)
			if (!met[i])
				op_clean_printf(stderr, "opprobe: --unsafe=%s: no process loaded a "
							"function or file of that name; give a "
							"function as nm(1) prints it, from a file "
							"with its symbol table, or a file as "
							"/proc/PID/maps lists it\n", words->unsafe[i]);
	if (asprintf(&path, "%s/%s", dir, words->unsafe_met) >= 0)
		unlink(path);
	free(path);
	close(fd);
}
