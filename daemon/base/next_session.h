/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * next_session.h -- the session after the current one. It is made beside the current session, with all that it needs
 * to begin with, and then takes its place by one exchange of names. Whatever fails before changes nothing; readers see the one session or
 * the other.
 *
 * No sample file may be open when the sessions change.
 */
#ifndef OPD_NEXT_SESSION_H
#define OPD_NEXT_SESSION_H

struct opd_session;

/* Return 0 if the current session can be saved as @name; -EINVAL for a bad name, -EEXIST, or -ENODATA when there are no
 * samples. */
int opd_session_may_save(const struct opd_session *s, const char *name);

/* Make the directory of the next session, which the caller fills in: s->next_fd. 0 or negative errno. */
int opd_session_prepare(struct opd_session *s);
/* Remove it again. Does nothing when there is none. */
void opd_session_discard_next(struct opd_session *s);

/* Rename the current session to @name; the next one, made now unless it was prepared, becomes current. 0 or negative errno. */
int opd_session_save(struct opd_session *s, const char *name);

/* The same, but the old session is deleted, which may go on after this has returned. */
int opd_session_reset(struct opd_session *s);

/*
 * Delete the samples of the current session where they are, for a disk that has no room for a next session: what
 * lies in stats/, and the kernel's symbols, stay. 0, or negative errno: nothing was deleted.
 */
int opd_session_empty(struct opd_session *s);

#endif
