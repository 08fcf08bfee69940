/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new_files.h -- limit of the number of new sample files for each user, and names for samples above
 * the limit.
 *
 * A user who runs a hundred thousand different programs, or as many processes that generate code,
 * would cause as many sample files and several times as many directories. So each user has a budget
 * of files per minute. When the budget is used up, samples of the user's new programs are counted
 * for the program "/(more programs of user UID)"; libraries and kernel images that belong to root
 * keep their names under this program.
 *
 * The limit is for users, not for parent programs, because the daemon may know only a program's
 * file (the module's stream names no parents, and the parent may have ended). Parents can be as
 * numerous as programs, so their names would need a budget too.
 *
 * A sample file of a single process is charged to the user who started the process, if the process
 * still runs; every other file is charged to the owner of the program's file. Root has no limit
 * except --max-files, because only root can make programs that belong to root.
 */
#ifndef OPD_NEW_FILES_H
#define OPD_NEW_FILES_H

#include <stdbool.h>

struct opd_file_key;
struct opd_new_files;
struct opd_new_files_user;

/*
 * Create an empty table. @per_minute: number of files that each user may make in a minute.
 * @proc_dir: "/proc". @subuid: the file of subordinate user ids; a user and the user's subordinate
 * ids count as one user (libop/base/id_ranges.h). Return NULL if memory is short.
 */
struct opd_new_files *opd_new_files_create(unsigned long per_minute, const char *proc_dir,
					   const char *subuid);
/* Destroy the table. @n may be NULL. */
void opd_new_files_destroy(struct opd_new_files *n);

/* Return the user who pays for a sample file with this key. Return NULL if no user pays, so that
 * there is no limit. @n may be NULL. The pointer is valid as long as @n. */
struct opd_new_files_user *opd_new_files_user(struct opd_new_files *n,
					      const struct opd_file_key *key);

/* Return whether the user has budget left for one more file. @user may be NULL. */
bool opd_new_files_may(struct opd_new_files *n, struct opd_new_files_user *user);
/* Charge the user one new file and @dirs new directories. @user may be NULL. */
void opd_new_files_spend(struct opd_new_files_user *user, unsigned long dirs);

/*
 * Fill in @ret, the key of the file in which the samples of @key are counted when the budget is
 * used up. Return true if the samples keep their offsets in this file; if false, the samples must
 * be counted at offset 0.
 */
bool opd_new_files_instead(const struct opd_new_files_user *user, const struct opd_file_key *key,
			   struct opd_file_key *ret);

#endif
