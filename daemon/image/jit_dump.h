/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h -- search for the path of a process's file jit-PID.dump, which may be outside /tmp:
 * node writes it into its working directory. A process that writes this file maps it once,
 * executable, so that a profiler can find it.
 */
#ifndef OPD_JIT_DUMP_H
#define OPD_JIT_DUMP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct opd_finder;

struct opd_jit_dump {
	char *path;		/* path of the file as the process sees it; NULL: no file */
	uint64_t dev, ino;
};

/*
 * Look for the file jit-PID.dump among the mappings of the process @tgid, whose pid in its own PID
 * namespace is @own_tgid, in @proc_dir. @finder, if not NULL, reads the mappings. Return 0, after
 * which the caller releases *@ret, or -ENOENT. Set *@nr_lines to the number of mappings that were
 * read, at most OPD_JIT_DUMP_LINES.
 */
#define OPD_JIT_DUMP_LINES	20000
int opd_jit_dump_find(struct opd_jit_dump *ret, struct opd_finder *finder, const char *proc_dir,
		      pid_t tgid, pid_t own_tgid, size_t *nr_lines);

void opd_jit_dump_release(struct opd_jit_dump *dump);

#endif
