/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_file.h -- opening of one sample file: makes a new file, continues an existing file, or
 * renames a file of another version of the binary.
 *
 * A sample file's name contains a path, but the file at a path can change: a package is upgraded,
 * or a container has another file at the same path. The time of modification in the sample file's
 * header identifies the version of the binary. Samples of two versions are never mixed: samples of
 * the newer version have the plain name, samples of the older version the name with " (version of
 * TIME)" (sample_path.h). The sample file of the older version is renamed when a newer version
 * appears, even while the file is open.
 *
 * A file that is damaged beyond repair, or is not a sample file, is moved to the directory damaged/
 * beside {root}, and a new file is begun.
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
struct opd_new_names;
struct opd_stats;

/* the session has as many sample files as --max-files allows */
#define OPD_ERR_TOO_MANY_FILES	(-7000)
/* result: the user's budget of new files is used up (new_files.h) */
#define OPD_ERR_OVER_BUDGET	(-7001)

/* The context for opening files; all members are borrowed. */
struct opd_sample_files {
	const struct opd_config *cfg;
	struct opd_stats *stats;
	struct opd_log *log;
	int cpu_type;
	double cpu_mhz;
	/* numbers of files and directories made since the session began, which are limited */
	unsigned long made, made_dirs;

	/*
	 * Returns the database of a sample file that is already open, or NULL. Several keys may
	 * lead to one file (two containers with the same program at the same path), and opening two
	 * databases on one file would destroy the file.
	 */
	struct odb *(*find_open)(void *arg, dev_t dev, ino_t ino);
	void *find_open_arg;
	struct opd_new_files *budget;	/* budgets of new files of each user; NULL: no limits */
	struct opd_new_names *names;	/* names of new files, for readers; NULL: not kept */
	/* images, which are marked as used when they have samples; may be NULL */
	struct opd_images *images;
};

struct opd_opened {
	struct odb *db;
	dev_t dev;
	ino_t ino;
	bool shared;			/* .db is the database that find_open() returned */
};

void opd_sample_files_init(struct opd_sample_files *f, const struct opd_config *cfg,
			   struct opd_stats *stats, struct opd_log *log, int cpu_type,
			   double cpu_mhz);

/*
 * Open the sample file of @key. @current_fd: the directory samples/current. Return 0,
 * OPD_ERR_TOO_MANY_FILES, OPD_ERR_OVER_BUDGET, -ENOSPC, or another negative errno, which was logged
 * with the path.
 */
int opd_sample_file_open(struct opd_opened *ret, struct opd_sample_files *f, int current_fd,
			 const struct opd_file_key *key);

#endif
