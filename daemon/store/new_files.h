/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new_files.h -- limits of the number of new sample files per user, and names for samples beyond
 * the limit.
 *
 * A user who runs a hundred thousand different programs, or as many processes with code made at run
 * time, would cause as many files and several times as many directories. So each user has a budget
 * of files per minute. Beyond it, the program's samples are counted as those of "/(more programs of
 * user UID)"; libraries and kernel images that belong to root keep their names, under that program.
 *
 * The limit is by user, not by the program that started the other one, because the daemon may know
 * nothing of a program except its file (the module's stream names no parents, and the parent may
 * have ended), and because parents can be as numerous as programs, so their names would need a
 * budget too.
 *
 * A file is charged to the user who started the process, if the file is of one process and that
 * still runs; else to the owner of the program's file. Root has no limit except --max-files: only
 * root can make programs that belong to root.
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
struct opd_new_files *opd_new_files_create(unsigned long per_minute, const char *proc_dir,
					   const char *subuid);
/* Destroy the table. @n may be NULL. */
void opd_new_files_destroy(struct opd_new_files *n);

/* Return the user who pays for a file with this key; NULL: no user, so there is no limit. @n may be
 * NULL. The pointer is valid as long as @n. */
struct opd_new_files_user *opd_new_files_user(struct opd_new_files *n,
					      const struct opd_file_key *key);

/* Return whether the user has budget left. @user may be NULL. */
bool opd_new_files_may(struct opd_new_files *n, struct opd_new_files_user *user);
/* Charge one file and @dirs new directories. @user may be NULL. */
void opd_new_files_spend(struct opd_new_files_user *user, unsigned long dirs);

/*
 * Fill in the key under which samples of @key are counted instead. Return true if offsets keep
 * their meaning there; else all samples belong to offset 0.
 */
bool opd_new_files_instead(const struct opd_new_files_user *user, const struct opd_file_key *key,
			   struct opd_file_key *ret);

#endif
