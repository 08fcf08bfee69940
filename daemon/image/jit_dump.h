/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump.h -- search for the path of a process's file jit-PID.dump. The file may be outside
 * /tmp: node writes it to its working directory. The process maps the file executable, so that a
 * profiler can find it among the mappings.
 */
#ifndef OPD_JIT_DUMP_H
#define OPD_JIT_DUMP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct opd_finder;

struct opd_jit_dump {
	char *path;		/* path of the file as the process sees it; NULL: not found */
	uint64_t dev, ino;
};

/*
 * Search the mappings of process @tgid below @proc_dir for the file jit-PID.dump. @own_tgid: the
 * pid of the process in its own PID namespace. @finder, if not NULL, reads the mappings. Return 0,
 * after which the caller releases *@ret, or -ENOENT. Set *@nr_lines to the number of mappings
 * read, at most OPD_JIT_DUMP_LINES.
 */
#define OPD_JIT_DUMP_LINES	20000
int opd_jit_dump_find(struct opd_jit_dump *ret, struct opd_finder *finder, const char *proc_dir,
		      pid_t tgid, pid_t own_tgid, size_t *nr_lines);

void opd_jit_dump_release(struct opd_jit_dump *dump);

#endif
