/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h -- finds the path of a process' jit-PID.dump, which may be outside /tmp: node writes
 * it into its working directory. A process that writes such a file maps it once, executable, so
 * that a profiler can find it.
 */
#ifndef OPD_JIT_DUMP_H
#define OPD_JIT_DUMP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct opd_finder;

struct opd_jit_dump {
	char *path;		/* path as the process sees it; NULL: no dump */
	uint64_t dev, ino;
};

/*
 * Look for the dump among the mappings of @tgid, whose number in its own PID namespace is
 * @own_tgid, in @proc_dir. @finder, if not NULL, reads the map. Return 0, then the caller releases
 * *@ret, or -ENOENT. Set *@nr_lines to the number of mappings read, at most OPD_JIT_DUMP_LINES.
 */
#define OPD_JIT_DUMP_LINES	20000
int opd_jit_dump_find(struct opd_jit_dump *ret, struct opd_finder *finder, const char *proc_dir,
		      pid_t tgid, pid_t own_tgid, size_t *nr_lines);

void opd_jit_dump_release(struct opd_jit_dump *dump);

#endif
