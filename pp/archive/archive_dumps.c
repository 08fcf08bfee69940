// SPDX-License-Identifier: GPL-2.0-or-later
/* archive_dumps.c -- the files that a program wrote about code made at run time. */
#include "config.h"
#include "pp/archive/archive_dumps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pp/archive/copy.h"

int pp_archive_dumps(const char *path, pid_t process, int out, const char *dir, struct pp_log *log)
{
	static const char *const kinds[] = { "dump", "agent", "map" };
	const char *base = strrchr(path, '/');
	char *beside = base ? strndup(path, base - path + 1) : strdup(".");
	int err = beside ? 0 : -ENOMEM,
	    in = beside ? open(beside, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && in >= 0 && !err; i++) {
		char name[64], *to = NULL;
		int fd;

		snprintf(name, sizeof(name), "jit/%d.%s", (int)process, kinds[i]);
		/* The owner of the directory may replace files by links. */
		fd = pp_open_below(in, name);
		if (fd < 0)
			continue;
		err = asprintf(&to, "%s/%s", dir, name) < 0 ? -ENOMEM
							    : pp_copy_file(fd, out, to, 0600);
		close(fd);
		if (err && err != -ENOMEM)
			op_fail(&log->error, err, "cannot copy %s%s: %s", beside, name,
				strerror(-err));
		free(to);
	}
	if (in >= 0)
		close(in);
	free(beside);
	return err;
}
