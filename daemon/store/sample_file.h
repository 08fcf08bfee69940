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

#include <stdbool.h>
#include <sys/types.h>

struct odb;
struct opd_config;
struct opd_file_key;
struct opd_images;
struct opd_log;
struct opd_new_files;
struct opd_stats;

#define OPD_ERR_TOO_MANY_FILES	(-7000)	/* the session's limit is reached */
#define OPD_ERR_OVER_BUDGET	(-7001)	/* the user's is spent, see new_files.h */

/* What opening needs beside the key; all borrowed. */
struct opd_sample_files {
	const struct opd_config *cfg;
	struct opd_stats *stats;
	struct opd_log *log;
	int cpu_type;
	double cpu_mhz;
	unsigned long made, made_dirs;	/* since the session began, for the limit */

	/*
	 * The odb of a file that is open already, or NULL. Several keys may lead to one file (two
	 * containers with the same program at the same path), and two writers would destroy it.
	 */
	struct odb *(*find_open)(void *arg, dev_t dev, ino_t ino);
	void *find_open_arg;
	struct opd_new_files *budget;	/* of each user, or NULL */
	struct opd_images *images;	/* told which of them have samples; or NULL */
};

struct opd_opened {
	struct odb *db;
	dev_t dev;
	ino_t ino;
	bool shared;			/* it is what find_open() returned */
};

void opd_sample_files_init(struct opd_sample_files *f, const struct opd_config *cfg,
			   struct opd_stats *stats, struct opd_log *log, int cpu_type,
			   double cpu_mhz);

/*
 * @current_fd: samples/current. 0, OPD_ERR_TOO_MANY_FILES, OPD_ERR_OVER_BUDGET, -ENOSPC, or another negative errno of
 * which the log tells the path.
 */
int opd_sample_file_open(struct opd_opened *ret, struct opd_sample_files *f, int current_fd,
			 const struct opd_file_key *key);

#endif
