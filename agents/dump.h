/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dump.h -- the one file of a process in which its agents tell of code: jit-PID.dump, a header and records (jitdump.h).
 *
 * The file lies in /tmp, or in $XDG_RUNTIME_DIR where somebody else has the name in /tmp. Its first page is mapped, executable, so that
 * a profiler finds the file among the mappings of the process wherever the file is. A lock (flock) tells the file of
 * a live process from one that a dead process of the same number left: that one is replaced.
 *
 * The state is the process', under one lock, which is also held while the process forks. A child's first call copies
 * what its parent had written: the child has that code, too.
 */
#ifndef AGENTS_DUMP_H
#define AGENTS_DUMP_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Where the file goes: /tmp, but in tests. Before the first call of the others. */
void opa_dump_set_dir(const char *dir);

/* One more user; the first one makes the file, or goes on with the one that this process made before. 0 or negative errno. */
int opa_dump_take(void);
/* One user less; the last one closes the file. -EINVAL: there is none. */
int opa_dump_put(void);

/*
 * Adds a record, @size bytes in @nr parts (at most OPA_MAX_PARTS), wholly or not at all. -EINVAL: no user, or nobody
 * could read a record of that size.
 */
#define OPA_MAX_PARTS	4
int opa_dump_append(const struct iovec *parts, int nr, size_t size);

#endif
