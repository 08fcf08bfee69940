/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * next_session.h -- replacement of the current session by a new one. The daemon creates the
 * complete directory of the next session, and then exchanges the names of the old and the new
 * directory. An error before the exchange changes nothing. Readers see either the old session or
 * the new one.
 *
 * Close all sample files before the exchange.
 */
#ifndef OPD_NEXT_SESSION_H
#define OPD_NEXT_SESSION_H

struct opd_session;

/* Check whether the current session can be saved as @name. Return 0, -EINVAL for an invalid name,
 * -EEXIST if the name is in use, or -ENODATA if the session has no samples. */
int opd_session_may_save(const struct opd_session *s, const char *name);

/* Create the directory of the next session, and store its descriptor in s->next_fd; the caller then
 * creates the session's files. Return 0 or a negative errno. */
int opd_session_prepare(struct opd_session *s);
/* Delete the directory that opd_session_prepare() has created, if any. */
void opd_session_discard_next(struct opd_session *s);

/*
 * Move the directory of the current session to @dirfd as @name, and make the next session the
 * current one. If the caller has not called opd_session_prepare(), call it first. Return 0 or a
 * negative errno.
 */
int opd_session_close(struct opd_session *s, int dirfd, const char *name);

/* Delete the entry @name of the directory @dirfd: rename it now, and delete it in a thread, which
 * may continue after the return. Return 0 or a negative errno. */
int opd_session_delete(const struct opd_session *s, int dirfd, const char *name);

/* Rename the current session to @name, and make the next session the current one, as
 * opd_session_close() does. Return 0 or a negative errno. */
int opd_session_save(struct opd_session *s, const char *name);

/* Make the next session the current one, and delete the old session in a thread, which may
 * continue after the return. */
int opd_session_reset(struct opd_session *s);

/*
 * Delete the samples of the current session without creating a new session. Use this function if
 * the disk is too full for a new session. The directory stats/ and the kernel's symbols remain.
 * Return 0, or a negative errno if nothing was deleted.
 */
int opd_session_empty(struct opd_session *s);

#endif
