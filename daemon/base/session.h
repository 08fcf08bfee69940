/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- the session directory: who owns it (lock), and its samples/current.
 *
 * All functions work relative to open directories, follow no symbolic link, and refuse a directory that another user
 * owns or may write to (libop/base/owner.h): no other user can lead a privileged daemon elsewhere or change a file
 * while the daemon uses it.
 */
#ifndef OPD_SESSION_H
#define OPD_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/session/paths.h"

#define OPD_CURRENT	"current"	/* the session that is written, in DIR/samples */

struct opd_session {
	struct op_session_paths paths;	/* for messages only */
	int dir_fd;			/* DIR */
	int samples_fd;			/* DIR/samples */
	int current_fd;			/* DIR/samples/current */
	int next_fd;			/* the directory of the next session while it is prepared (next_session.h), else -1 */
	char next[64];			/* its name in DIR/samples */
	int lock_fd;			/* holds the flock while the daemon lives */
	gid_t group;			/* may read the samples; (gid_t)-1: nobody but the owner */
	bool reserve;			/* RESERVE is there */
};

/*
 * Makes what is missing. Names of samples tell what every process is and where its memory lies, so
 * samples/ is for the owner and @group alone ((gid_t)-1: the owner alone). -EPERM: somebody else
 * may write there. On failure a sentence is in @why. Release it whatever the result.
 */
int opd_session_open(struct opd_session *s, const char *dir, gid_t group, struct op_reason *why);
void opd_session_release(struct opd_session *s);

/* -EBUSY: another daemon has it, its pid is in *@holder when it said so. */
int opd_session_lock(struct opd_session *s, pid_t *holder);
void opd_session_unlock(struct opd_session *s);

/*
 * A little room on the disk is kept, so that the books can be written when it is full. keep: takes
 * it, when it is not there and can be had. take: frees it for them.
 */
void opd_session_keep_reserve(struct opd_session *s);
void opd_session_take_reserve(struct opd_session *s);

/*
 * Opens the directory @name in @dirfd, not through a link; when it is missing makes it and sets
 * *@made; NULL: does not make it. A descriptor or negative errno, -EPERM where it is another user's.
 */
int opd_open_dir_at(int dirfd, const char *name, mode_t mode, int *made);

#endif
