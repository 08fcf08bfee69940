/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_file.h -- opens one sample file: makes a new file, continues an existing one, or moves
 * another version's file out of the way.
 *
 * A sample file's name contains a path, but the file at a path can change: a package is upgraded,
 * or a container has another file there. The time of modification in the header identifies the
 * version. Samples of two versions are never mixed: the newer version has the plain name, the other
 * one the name with " (version of TIME)" (sample_path.h). The older file is renamed when a newer
 * version appears, even while it is open.
 *
 * A file that is damaged beyond repair, or is not a sample file, is moved to damaged/ beside
 * {root}, and a new one is begun.
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

#define OPD_ERR_TOO_MANY_FILES	(-7000)	/* the limit of the session is reached */
#define OPD_ERR_OVER_BUDGET	(-7001)	/* the budget of the user is used up, see new_files.h */

/* The context for opening files; all members are borrowed. */
struct opd_sample_files {
	const struct opd_config *cfg;
	struct opd_stats *stats;
	struct opd_log *log;
	int cpu_type;
	double cpu_mhz;
	unsigned long made, made_dirs;	/* number since the session began, for the limit */

	/*
	 * Returns the odb of a file that is open already, or NULL. Several keys may lead to one
	 * file (two containers with the same program at the same path), and two writers would
	 * destroy it.
	 */
	struct odb *(*find_open)(void *arg, dev_t dev, ino_t ino);
	void *find_open_arg;
	struct opd_new_files *budget;	/* budgets of users, or NULL */
	struct opd_images *images;	/* are notified when they have samples; or NULL */
};

struct opd_opened {
	struct odb *db;
	dev_t dev;
	ino_t ino;
	bool shared;			/* .odb is the one that find_open() returned */
};

void opd_sample_files_init(struct opd_sample_files *f, const struct opd_config *cfg,
			   struct opd_stats *stats, struct opd_log *log, int cpu_type,
			   double cpu_mhz);

/*
 * Open the sample file of @key. @current_fd: samples/current. Return 0, OPD_ERR_TOO_MANY_FILES,
 * OPD_ERR_OVER_BUDGET, -ENOSPC, or another negative errno, for which the log has the path.
 */
int opd_sample_file_open(struct opd_opened *ret, struct opd_sample_files *f, int current_fd,
			 const struct opd_file_key *key);

#endif
