/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- the session directory: its lock, and the current session in samples/current.
 *
 * All functions open files relative to open directories, and follow no symbolic link. They reject
 * directories that another user owns or may write to (libop/base/owner.h). So no other user can
 * redirect the privileged daemon, or change a file while the daemon uses it.
 */
#ifndef OPD_SESSION_H
#define OPD_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/session/paths.h"

/* directory of the current session in SESSION_DIR/samples */
#define OPD_CURRENT	"current"

struct opd_new_names;

struct opd_session {
	/* paths of the session; used only in messages, never to open a file */
	struct op_session_paths paths;
	int dir_fd;			/* descriptor of the session directory */
	int samples_fd;			/* descriptor of samples/ */
	/* descriptor of samples/current/ */
	int current_fd;
	/* descriptor of the next session's directory after opd_session_prepare() (next_session.h);
	 * otherwise -1 */
	int next_fd;
	char next[64];			/* name of the next session's directory in samples/ */
	/* descriptor of the lock file, which this process locks (flock) while it runs */
	int lock_fd;
	/* group that may read the samples; (gid_t)-1: only the owner may */
	gid_t group;
	/* the file that reserves disk space for the statistics exists */
	bool reserve;
	/* list that records the names of new files; borrowed; may be NULL */
	struct opd_new_names *new_names;
};

/*
 * Open the session directory @dir, and create missing directories. Only the owner and @group may
 * read samples/, because the names of sample files reveal processes and their memory layout;
 * (gid_t)-1: only the owner. Return 0, -EPERM if another user may write to one of the directories,
 * or another negative errno; errors set a message in @error. The caller must release @s in all
 * cases.
 */
int opd_session_open(struct opd_session *s, const char *dir, gid_t group, struct op_reason *error);
void opd_session_release(struct opd_session *s);

/* Lock the session directory. Return 0 or a negative errno. -EBUSY: another daemon has locked the
 * directory; if its pid is known, *@holder is the pid. */
int opd_session_lock(struct opd_session *s, pid_t *holder);
/* Unlock the session directory; for tests. opd_session_release() unlocks it, too. */
void opd_session_unlock(struct opd_session *s);

/* Reserve some disk space, if possible, so that the statistics can be written even if the disk is
 * full. */
void opd_session_create_reserve(struct opd_session *s);
/* Free the disk space of opd_session_create_reserve(). Call this before the statistics are
 * written. */
void opd_session_free_reserve(struct opd_session *s);

/*
 * Open the directory @name in @dirfd without following symbolic links. If it is missing, create it
 * and set *@made, or return -ENOENT if @made is NULL. Return a descriptor or a negative errno;
 * -EPERM: the directory belongs to another user.
 */
int opd_open_dir_at(int dirfd, const char *name, mode_t mode, int *made);

/* Create the sample file @name in @dirfd and open it with @flags. Return a descriptor, or -1 with
 * errno set. ENOSPC: the disk is full, or its limit (libop/base/quota.h) is reached. */
int opd_make_file(int dirfd, const char *name, int flags);

#endif
