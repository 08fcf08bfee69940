/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- receiving the warnings of the probe in profiled programs, and printing them. The
 * probe does not print in the program.
 */
#ifndef UTILS_OPPROBE_WARNINGS_H
#define UTILS_OPPROBE_WARNINGS_H

struct probe_warnings {
	char *path;		/* path of the FIFO; NULL: programs cannot send warnings */
	int fd;
};

/*
 * Create a FIFO in @dir, through which programs that are started from now on send warnings. On
 * failure print a message.
 */
void probe_warnings_open(struct probe_warnings *warnings, const char *dir);

/* Print each different warning once, and release @warnings, which may be unopened. */
void probe_warnings_close(struct probe_warnings *warnings);

#endif
