/* SPDX-License-Identifier: GPL-2.0 */
/* foreign.h -- list of new files with foreign names, which wait for a report to the reader. */
#ifndef OPROFILE_FOREIGN_H
#define OPROFILE_FOREIGN_H

#include <linux/compiler.h>
#include <linux/types.h>

/* A file with a foreign name, and a process that has mapped the file. */
struct oprofile_foreign_file {
	u64 cookie;
	/* the user of the process (payer.h), who may be another user than the file's owner */
	u64 payer;
	pid_t tgid;
};

/* maximum number of files that wait */
#define OPROFILE_MAX_FOREIGN	64

/* Calls need a lock, except oprofile_foreign_any(). */
struct oprofile_foreign {
	struct oprofile_foreign_file file[OPROFILE_MAX_FOREIGN];
	u32 nr;
};

/* Return whether a file waits. */
static inline bool oprofile_foreign_any(const struct oprofile_foreign *f)
{
	return READ_ONCE(f->nr);
}

/*
 * Add a file to the list. Return false if it has no place: the files of one user take at most half
 * of the places, and a quarter of the places is reserved for root, so that a user with hundreds of
 * new files does not delay the reports of other users' files.
 */
static inline bool oprofile_foreign_add(struct oprofile_foreign *f,
					const struct oprofile_foreign_file *file)
{
	u32 i, same = 0;

	for (i = 0; i < f->nr; i++)
		same += f->file[i].payer == file->payer;
	if (f->nr == OPROFILE_MAX_FOREIGN)
		return false;
	if (file->payer && (same >= OPROFILE_MAX_FOREIGN / 2 ||
			    f->nr >= OPROFILE_MAX_FOREIGN - OPROFILE_MAX_FOREIGN / 4))
		return false;
	f->file[f->nr] = *file;
	WRITE_ONCE(f->nr, f->nr + 1);
	return true;
}

/* Move one of the files to *@to. Return false if no file waits. */
static inline bool oprofile_foreign_take(struct oprofile_foreign *f,
					 struct oprofile_foreign_file *to)
{
	if (!f->nr)
		return false;
	WRITE_ONCE(f->nr, f->nr - 1);
	*to = f->file[f->nr];
	return true;
}

#endif
