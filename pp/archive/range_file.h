/* SPDX-License-Identifier: GPL-2.0-or-later */
/* range_file.h -- archives of a range of time in one file (intervals/archive.h). */
#ifndef PP_ARCHIVE_RANGE_FILE_H
#define PP_ARCHIVE_RANGE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "pp/base/log.h"
#include "pp/session/spec.h"

/* Numbers for the summary that a tool prints about a written archive. */
struct pp_range_file {
	size_t nr_intervals, nr_tables, nr_nameless;
	uint64_t samples;
};

/*
 * Write an archive file @output of the intervals that the tag time: of @spec selects, with their
 * symbol tables and kernel symbols. Replace @output when the new file is complete. @session_dir: as
 * for pp_find_session_dir(). Return 0, or a negative errno with the cause in the log.
 */
int pp_range_file_write(struct pp_range_file *ret, const char *output, const struct pp_spec *spec,
			const char *session_dir, struct pp_log *log);

#endif
