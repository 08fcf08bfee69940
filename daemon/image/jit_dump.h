/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h -- where a process writes its jit-PID.dump, which need not be /tmp: node writes it into its working
 * directory. Whoever writes one maps it once, executable, so that a profiler finds it.
 */
#ifndef OPD_JIT_DUMP_H
#define OPD_JIT_DUMP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct opd_finder;

struct opd_jit_dump {
	char *path;		/* as the process sees it; NULL: there is none */
	uint64_t dev, ino;
};

/*
 * Looks for it among the mappings of @tgid, which knows itself as @own_tgid, below @proc_dir, which @finder, or NULL, reads. 0, with *@ret to be released, or -ENOENT. *@nr_lines: so
 * many mappings were read, OPD_JIT_DUMP_LINES at most.
 */
#define OPD_JIT_DUMP_LINES	20000
int opd_jit_dump_find(struct opd_jit_dump *ret, struct opd_finder *finder, const char *proc_dir, pid_t tgid,
		      pid_t own_tgid, size_t *nr_lines);

void opd_jit_dump_release(struct opd_jit_dump *dump);

#endif
