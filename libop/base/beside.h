/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beside.h -- search for files that belong to the same installation as the running program: helper
 * programs and libraries.
 *
 * An installation may have been moved to another directory (DESTDIR, another prefix), and programs
 * also run from a build tree. So a program searches for its files relative to its own path. A
 * helper runs with the program's privileges, so the program uses it only if each user who can
 * replace the helper can also replace the program. A program that has gained privileges by execve()
 * (setuid, file capabilities) uses only the configured directory.
 */
#ifndef OP_BASE_BESIDE_H
#define OP_BASE_BESIDE_H

struct op_beside {
	const char *from;		/* directory of the running program, as configured */
	const char *to;			/* directory of the file, as configured */
	/* possible directories of the file in a build tree, relative to the program's directory;
	 * ends with NULL */
	const char *const *trees;
};

/*
 * Find the file @name of the running program's installation. Return its path, which the caller
 * frees, or NULL with errno: ENOENT if the file is missing, EPERM if other users can replace it,
 * ENOMEM.
 */
char *op_beside_find(const struct op_beside *place, const char *name);

/* For tests: find the file @name as if the program @self, an absolute path, were running. */
char *op_beside_find_of(const char *self, const struct op_beside *place, const char *name);

#endif
