/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- what the library in a program has to tell, which prints nothing there itself: opprobe hears of it and prints it.
 */
#ifndef UTILS_OPPROBE_WARNINGS_H
#define UTILS_OPPROBE_WARNINGS_H

struct probe_told {
	char *path;		/* NULL: nobody can tell anything */
	int fd;
};

/* Programs that begin from now on know where to tell, in @dir; if they cannot, that is printed. */
void probe_told_open(struct probe_told *told, const char *dir);

/* Prints each line, once. Also of what could not be opened. */
void probe_told_close(struct probe_told *told);

#endif
