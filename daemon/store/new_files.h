/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new_files.h -- how many new sample files each user may cause, and under which name their samples
 * are counted when there have been enough.
 *
 * Who runs a hundred thousand programs that were never there before, or as many processes with code
 * made at run time, would make as many files and several times as many directories. So each user
 * has a budget a minute. Beyond it a program is "/(more programs of user UID)"; libraries and kernel
 * images that are root's stay what they are, under that program.
 *
 * Counted by user and not below the program that started it: of a program the daemon may know no more than its file
 * (the module's stream names no parents, and who started it may be gone), and parents are as easily new as programs
 * are, so that one more name for each of them would need a budget again.
 *
 * Who causes a file: who started the process, where the file is of one process and that lives; else the
 * owner of the program's file. Root has no limit but --max-files; only root makes programs of root's.
 */
#ifndef OPD_NEW_FILES_H
#define OPD_NEW_FILES_H

#include <stdbool.h>

struct opd_file_key;
struct opd_new_files;
struct opd_new_files_user;

/* Create an empty table. @per_minute: files allowed to each user. @proc_dir: "/proc". @subuid: the
 * file by which subordinate ids count as one user (libop/base/id_ranges.h). Return NULL without
 * memory. */
struct opd_new_files *opd_new_files_create(unsigned long per_minute, const char *proc_dir, const char *subuid);
/* Takes NULL. */
void opd_new_files_destroy(struct opd_new_files *n);

/* Whose budget it is; NULL: nobody's, there is no limit. Takes NULL for @n. Valid as long as @n. */
struct opd_new_files_user *opd_new_files_user(struct opd_new_files *n,
					      const struct opd_file_key *key);

/* There is something left. Takes NULL. */
bool opd_new_files_may(struct opd_new_files *n, struct opd_new_files_user *user);
/* A file was made, and @dirs directories for it. Takes NULL. */
void opd_new_files_spend(struct opd_new_files_user *user, unsigned long dirs);

/*
 * The key under which samples of @key are counted instead. Returns true if offsets mean the same
 * there; else they all belong to offset 0.
 */
bool opd_new_files_instead(const struct opd_new_files_user *user, const struct opd_file_key *key,
			   struct opd_file_key *ret);

#endif
