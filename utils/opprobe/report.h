/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h -- the report at the end of a run, of the files that the run has made or written to.
 */
#ifndef UTILS_OPPROBE_REPORT_H
#define UTILS_OPPROBE_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

/* A file with counts, and the time of its last change. */
struct probe_file {
	char *name;
	int64_t written_ns;
};

struct probe_files {
	struct probe_file *files;
	size_t nr;
};

/*
 * List the files in @dir, sorted by name. Return 0, or a negative errno with text. Release @files
 * in both cases.
 */
int probe_files_list(struct probe_files *files, const char *dir, struct op_reason *error);
void probe_files_release(struct probe_files *files);

/* Return how many files in @dir are new or changed compared with @before. */
size_t probe_files_new(const char *dir, const struct probe_files *before);

/*
 * Call @fn with the name of each file that is new or changed compared with @before, in order, until
 * @fn does not return 0.
 */
void probe_files_each_new(const char *dir, const struct probe_files *before,
			  int (*fn)(void *arg, const char *name), void *arg);

/*
 * Run opreport over the files in @dir that are new or changed compared with @before: the functions
 * of all processes together, on stdout. Return 0, or a negative errno with text.
 */
int probe_report(const char *dir, const struct probe_files *before, struct op_reason *error);

#endif
