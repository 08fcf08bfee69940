/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_file.h -- opens one sample file: makes it, continues it, or finds that what stands under
 * its name is something else.
 *
 * A name holds a path, but the file at a path changes: a package is upgraded, a container has its
 * own. The modification time in the header tells. Samples of two versions are never mixed: the
 * newer version has the plain name, the other one the name with " (version of TIME)"
 * (sample_path.h); a file moves there when a newer version turns up, open or not.
 *
 * A file that is damaged beyond repair, or is no sample file, is moved to damaged/ beside {root},
 * and a new one begun.
 */
#ifndef OPD_SAMPLE_FILE_H
#define OPD_SAMPLE_FILE_H

struct odb;
struct opd_config;
struct opd_file_key;
struct opd_log;
struct opd_stats;

#define OPD_ERR_TOO_MANY_FILES	(-7000)	/* the session's limit is reached */

/* What opening needs beside the key; all borrowed. */
struct opd_sample_files {
	const struct opd_config *cfg;
	struct opd_stats *stats;
	struct opd_log *log;
	int cpu_type;
	double cpu_mhz;
	unsigned long made, made_dirs;	/* since the session began, for the limit */
};

void opd_sample_files_init(struct opd_sample_files *f, const struct opd_config *cfg,
			   struct opd_stats *stats, struct opd_log *log, int cpu_type,
			   double cpu_mhz);

/*
 * @current_fd: samples/current. 0, OPD_ERR_TOO_MANY_FILES, -ENOSPC, or another negative errno of
 * which the log tells the path.
 */
int opd_sample_file_open(struct odb **ret, struct opd_sample_files *f, int current_fd,
			 const struct opd_file_key *key);

#endif
