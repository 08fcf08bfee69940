/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beside.h -- the place of files that are installed with the running program: helper programs,
 * libraries.
 *
 * An installation may have been moved below another directory (DESTDIR, another prefix), and
 * programs run from a build tree, too. So a program finds its files by its own path. A helper runs
 * with the program's rights. Hence a program uses a helper only if each user who can replace the
 * helper can replace the program, too. A program that execve() gave rights (setuid, file
 * capabilities) uses the configured directory only.
 */
#ifndef OP_BASE_BESIDE_H
#define OP_BASE_BESIDE_H

struct op_beside {
	const char *from;		/* configured directory of the running program */
	const char *to;			/* configured directory of the file */
	const char *const *trees;	/* the same in a build tree, relative to the program's
					 * directory; ends with NULL */
};

/*
 * Find the file @name that belongs to the running program. Return its malloc'd path, or NULL with
 * errno: ENOENT if the file is missing, EPERM if other users can replace it, ENOMEM.
 */
char *op_beside_find(const struct op_beside *place, const char *name);

/* Find the file @name that belongs to the program @self, an absolute path: for tests. */
char *op_beside_find_of(const char *self, const struct op_beside *place, const char *name);

#endif
