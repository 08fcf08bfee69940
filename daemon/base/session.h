/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- session directory: its lock, and the current session in samples/current.
 *
 * All functions work relative to open directories, follow no symbolic link, and refuse a directory
 * that another user owns or may write to (libop/base/owner.h), so that no other user can redirect a
 * privileged daemon or change a file while the daemon uses it.
 */
#ifndef OPD_SESSION_H
#define OPD_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/session/paths.h"

/* directory of the session that is being written, in SESSION_DIR/samples */
#define OPD_CURRENT	"current"

struct opd_new_names;

struct opd_session {
	struct op_session_paths paths;	/* paths of the session, used only in messages */
	int dir_fd;			/* descriptor of the session directory */
	int samples_fd;			/* descriptor of samples/ in the session directory */
	/* descriptor of samples/current/ in the session directory */
	int current_fd;
	/* descriptor of the next session's directory while it is being prepared (next_session.h);
	 * otherwise -1 */
	int next_fd;
	char next[64];			/* name of the next session's directory in samples/ */
	/* descriptor of the file that is locked (flock) as long as the daemon lives */
	int lock_fd;
	/* group whose users may read the samples; (gid_t)-1: only the owner may */
	gid_t group;
	bool reserve;			/* the file RESERVE, which reserves disk space, exists */
	struct opd_new_names *new_names;	/* names of new files; borrowed; may be NULL */
};

/*
 * Open the session directory @dir; make missing directories. Names of samples reveal the processes
 * and their memory layout, so only the owner and @group ((gid_t)-1: only the owner) may read
 * samples/. Return 0, -EPERM if another user may write to one of the directories, or another
 * negative errno with a sentence in @error. The caller must release @s in all cases.
 */
int opd_session_open(struct opd_session *s, const char *dir, gid_t group, struct op_reason *error);
void opd_session_release(struct opd_session *s);

/* Lock the session directory. Return 0 or a negative errno; -EBUSY if another daemon has locked it,
 * with the daemon's pid in *@holder if known. */
int opd_session_lock(struct opd_session *s, pid_t *holder);
/* Unlock the session directory, as opd_session_release() does. Declared for tests. */
void opd_session_unlock(struct opd_session *s);

/*
 * Keep some space on the disk reserved, so that the statistics can be written when the disk is
 * full. opd_session_keep_reserve() reserves it if possible; opd_session_take_reserve() frees it for
 * the statistics.
 */
void opd_session_keep_reserve(struct opd_session *s);
void opd_session_take_reserve(struct opd_session *s);

/*
 * Open the directory @name in @dirfd, without following a link. If it is missing, make it and set
 * *@made; do not make it if @made is NULL. Return a descriptor or a negative errno: -EPERM if the
 * directory belongs to another user.
 */
int opd_open_dir_at(int dirfd, const char *name, mode_t mode, int *made);

/* Make the file @name for samples in @dirfd and open it with @flags. Return a descriptor, or -1
 * with errno set: ENOSPC also if the limit of the disk space is reached (libop/base/quota.h). */
int opd_make_file(int dirfd, const char *name, int flags);

#endif
