/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h -- runs opreport on the files that a run of opprobe has created or changed.
 */
#ifndef UTILS_OPPROBE_REPORT_H
#define UTILS_OPPROBE_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

/* A sample file and its modification time. */
struct probe_file {
	char *name;
	int64_t written_ns;
};

struct probe_files {
	struct probe_file *files;
	size_t nr;
};

/*
 * List the sample files in @dir, sorted by name. Return 0, or a negative errno with a message in
 * @error. In both cases the caller releases @files.
 */
int probe_files_list(struct probe_files *files, const char *dir, struct op_reason *error);
void probe_files_release(struct probe_files *files);

/* Return the number of sample files in @dir that are new, or have changed since the list @before
 * was made. */
size_t probe_files_new(const char *dir, const struct probe_files *before);

/*
 * Call @fn with the name of each sample file in @dir that is new, or has changed since the list
 * @before was made, in the order of names. Stop if @fn returns a nonzero value.
 */
void probe_files_each_new(const char *dir, const struct probe_files *before,
			  int (*fn)(void *arg, const char *name), void *arg);

/*
 * Run opreport on the sample files in @dir that are new, or have changed since the list @before was
 * made. It prints the functions of all processes together on stdout. Return 0, or a negative errno
 * with a message in @error.
 */
int probe_report(const char *dir, const struct probe_files *before, struct op_reason *error);

#endif
