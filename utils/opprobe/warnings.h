/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- warnings of the library in a program: the library does not print them there, but
 * sends them to opprobe.
 */
#ifndef UTILS_OPPROBE_WARNINGS_H
#define UTILS_OPPROBE_WARNINGS_H

struct probe_warnings {
	char *path;		/* NULL: programs cannot send warnings */
	int fd;
};

/*
 * Let programs that start from now on send warnings, by a FIFO in @dir. If that fails, print a
 * warning.
 */
void probe_warnings_open(struct probe_warnings *warnings, const char *dir);

/* Print each warning once, and release @warnings. It may not have been opened. */
void probe_warnings_close(struct probe_warnings *warnings);

#endif
