/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new_files.h -- limit of the number of new sample files per user, and a common program name for
 * samples beyond the limit.
 *
 * A user who runs a hundred thousand different programs, or as many processes with JIT code, would
 * cause as many sample files and even more directories. So each user has a budget of new files per
 * minute. When the budget is used up, samples of the user's new programs are counted for the
 * program "/(more programs of user UID)". Under this program, libraries of root and kernel images
 * keep their names.
 *
 * The limit is per user, not per parent program: the daemon may know only a program's file (the
 * module's stream does not name parents, and the parent may have ended). Parents could also be as
 * numerous as programs, so their names would need a limit, too.
 *
 * A sample file of a single process is charged to the user who started the process, if it still
 * runs. Other files are charged to the owner of the program's file. Root has no limit except
 * --max-files, because only root can create programs that root owns.
 */
#ifndef OPD_NEW_FILES_H
#define OPD_NEW_FILES_H

#include <stdbool.h>

struct opd_file_key;
struct opd_new_files;
struct opd_new_files_user;

/*
 * Create an empty table of budgets. @per_minute: number of files that each user may create per
 * minute. @proc_dir: "/proc". @subuid: the file /etc/subuid; a user and the user's subordinate
 * user ids count as one user (libop/base/id_ranges.h). Return NULL if memory is short.
 */
struct opd_new_files *opd_new_files_create(unsigned long per_minute, const char *proc_dir,
					   const char *subuid);
/* Destroy @n, which may be NULL. */
void opd_new_files_destroy(struct opd_new_files *n);

/* Return the user to charge for the sample file of @key, or NULL for no limit. @n may be NULL. The
 * result is valid as long as @n. */
struct opd_new_files_user *opd_new_files_user(struct opd_new_files *n,
					      const struct opd_file_key *key);

/* Return true if the user's budget allows one more file. @user may be NULL. */
bool opd_new_files_may(struct opd_new_files *n, struct opd_new_files_user *user);
/* Subtract one new file and @dirs new directories from the budget of @user, which may be NULL. */
void opd_new_files_spend(struct opd_new_files_user *user, unsigned long dirs);

/*
 * Set *@ret to the key of the file in which samples of @key are counted when the budget is used
 * up. Return true if the samples keep their offsets in this file; false if they must be counted at
 * offset 0.
 */
bool opd_new_files_instead(const struct opd_new_files_user *user, const struct opd_file_key *key,
			   struct opd_file_key *ret);

#endif
