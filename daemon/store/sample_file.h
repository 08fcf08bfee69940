/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_file.h -- opening of a sample file: creates it, continues it, or renames the file of
 * another version of the binary.
 *
 * The name of a sample file contains the binary's path, but the binary at a path can change: a
 * package is upgraded, or a container has another file at the same path. The modification time in
 * the header identifies the version of the binary. Samples of different versions are never mixed:
 * samples of the newest version have the plain name; samples of an older version have the name
 * with " (version of TIME)" (sample_path.h). When a newer version appears, the sample file of the
 * older version is renamed, even if it is open.
 *
 * A file that is damaged beyond repair, or is not a sample file, is moved to the directory
 * damaged/ beside {root}, and a new file is created.
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

/* error: the session already has --max-files sample files */
#define OPD_ERR_TOO_MANY_FILES	(-7000)
/* error: the user's budget of new files is used up (new_files.h) */
#define OPD_ERR_OVER_BUDGET	(-7001)

/* Parameters and state for opening sample files. All pointers are borrowed. */
struct opd_sample_files {
	const struct opd_config *cfg;
	struct opd_stats *stats;
	struct opd_log *log;
	int cpu_type;
	double cpu_mhz;
	/* numbers of files and directories that were created in this session; both are limited */
	unsigned long made, made_dirs;

	/*
	 * Return the database of a sample file that is already open, or NULL. Several keys may
	 * lead to one file (two containers with the same program at the same path), and two open
	 * databases would corrupt the file.
	 */
	struct odb *(*find_open)(void *arg, dev_t dev, ino_t ino);
	void *find_open_arg;
	struct opd_new_files *budget;	/* users' budgets of new files; NULL: no limit */
	/* list to which the names of new files are added; NULL: do not record them */
	struct opd_new_names *names;
	/* table of images, to mark images that have samples as used; may be NULL */
	struct opd_images *images;
};

struct opd_opened {
	struct odb *db;
	dev_t dev;
	ino_t ino;
	/* .db was already open for another key: find_open() has returned it */
	bool shared;
};

void opd_sample_files_init(struct opd_sample_files *f, const struct opd_config *cfg,
			   struct opd_stats *stats, struct opd_log *log, int cpu_type,
			   double cpu_mhz);

/*
 * Open the sample file of @key. @current_fd: the directory samples/current. Return 0,
 * OPD_ERR_TOO_MANY_FILES, OPD_ERR_OVER_BUDGET, -ENOSPC, or another negative errno, which was
 * logged with the path.
 */
int opd_sample_file_open(struct opd_opened *ret, struct opd_sample_files *f, int current_fd,
			 const struct opd_file_key *key);

#endif
