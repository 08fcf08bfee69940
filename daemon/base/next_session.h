/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * next_session.h -- the session after the current one. The next session is prepared completely
 * beside the current session, and then replaces it by one exchange of names. A failure before the
 * exchange changes nothing; readers see either the old session or the new one.
 *
 * No sample file may be open when the sessions change.
 */
#ifndef OPD_NEXT_SESSION_H
#define OPD_NEXT_SESSION_H

struct opd_session;

/* Return 0 if the current session can be saved as @name; -EINVAL for a bad name, -EEXIST, or
 * -ENODATA when there are no samples. */
int opd_session_may_save(const struct opd_session *s, const char *name);

/* Make the directory of the next session and open it as s->next_fd; the caller fills the directory.
 * Return 0 or a negative errno. */
int opd_session_prepare(struct opd_session *s);
/* Remove the prepared directory of the next session, if there is one. */
void opd_session_discard_next(struct opd_session *s);

/*
 * Move the current session to the directory @dirfd as @name. The next session, which is made now
 * unless it was prepared, becomes the current session. Return 0 or a negative errno.
 */
int opd_session_close(struct opd_session *s, int dirfd, const char *name);

/* Move the entry @name of the directory @dirfd out of the way, and delete it; the deletion may
 * continue after this function has returned. Return 0 or a negative errno. */
int opd_session_delete(const struct opd_session *s, int dirfd, const char *name);

/* Rename the current session to @name. The next session, which is made now unless it was prepared,
 * becomes the current session. Return 0 or a negative errno. */
int opd_session_save(struct opd_session *s, const char *name);

/* Replace the current session by the next session as opd_session_save() does, but delete the old
 * session. The deletion may continue after this function has returned. */
int opd_session_reset(struct opd_session *s);

/*
 * Delete the samples of the current session in place, for a disk without room for a next session.
 * stats/ and the kernel's symbols stay. Return 0, or a negative errno if nothing was deleted.
 */
int opd_session_empty(struct opd_session *s);

#endif
