/* SPDX-License-Identifier: GPL-2.0 */
/*
 * backends.h -- all backends: which of them is in use, or would be.
 */
#ifndef OPROFILE_BACKENDS_H
#define OPROFILE_BACKENDS_H

#include <linux/types.h>

struct dentry;
struct oprofile_backend;
struct oprofile_sampling;

int oprofile_backends_init(struct oprofile_sampling *s);
void oprofile_backends_exit(struct oprofile_sampling *s);
int oprofile_backends_create_files(struct oprofile_sampling *s, struct dentry *root);
/* auto, or a backend's name. EINVAL: no such name; EBUSY while set up; else what probe() says. */
int oprofile_backend_wish(struct oprofile_sampling *s, const char *name);
/* The one that samples now, or would if there were events. */
const struct oprofile_backend *oprofile_backend_current(struct oprofile_sampling *s);
/* Chooses the backend in use, and its setup(). lock. */
int oprofile_backend_setup(struct oprofile_sampling *s);

#endif
