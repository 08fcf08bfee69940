/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h -- the report at the end of a run, of the files that the run has made or written to.
 */
#ifndef UTILS_OPPROBE_REPORT_H
#define UTILS_OPPROBE_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

/* A file with counts, and when it was written last. */
struct probe_file {
	char *name;
	int64_t written_ns;
};

struct probe_files {
	struct probe_file *files;
	size_t nr;
};

/* Those that are in @dir, sorted by name. 0 or negative errno with text; @files is to be released all the same. */
int probe_files_list(struct probe_files *files, const char *dir, struct op_reason *error);
void probe_files_release(struct probe_files *files);

/* How many there are in @dir that are not as they were @before. */
size_t probe_files_new(const char *dir, const struct probe_files *before);

/* Calls @fn with the name of each of these, by name, until it does not return 0. */
void probe_files_each_new(const char *dir, const struct probe_files *before, int (*fn)(void *arg, const char *name), void *arg);

/*
 * Runs opreport over the files in @dir that are not as they were @before: functions of all processes together, on stdout.
 * 0, or negative errno with text.
 */
int probe_report(const char *dir, const struct probe_files *before, struct op_reason *error);

#endif
