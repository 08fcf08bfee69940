/* SPDX-License-Identifier: GPL-2.0 */
/* backends.h -- the list of backends, and the choice of the backend that samples. */
#ifndef OPROFILE_BACKENDS_H
#define OPROFILE_BACKENDS_H

#include <linux/types.h>

struct dentry;
struct oprofile_backend;
struct oprofile_sampling;

int oprofile_backends_init(struct oprofile_sampling *s);
void oprofile_backends_exit(struct oprofile_sampling *s);
int oprofile_backends_create_files(struct oprofile_sampling *s, struct dentry *root);
/* Set the backend for all later sessions to @name; "auto": choose the best usable one. Return 0;
 * -EINVAL: unknown name; -EBUSY: `buffer` is open; or the error of the backend's probe(). */
int oprofile_backend_choose(struct oprofile_sampling *s, const char *name);
/* Return the backend that samples now. While `buffer` is closed, return the backend that would
 * sample if events were enabled. */
const struct oprofile_backend *oprofile_backend_current(struct oprofile_sampling *s);
/* Choose the backend for the session that begins now and call its setup(). The caller holds the
 * sampling's lock. Return 0 or a negative errno. */
int oprofile_backend_setup(struct oprofile_sampling *s);

#endif
