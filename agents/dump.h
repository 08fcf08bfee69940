/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dump.h -- jit-PID.dump, the jitdump file that all agents of a process share: a header and records
 * (jitdump.h).
 *
 * The file is in /tmp, or in $XDG_RUNTIME_DIR if another user owns that name in /tmp. Its first
 * page is mapped executable, so that a profiler finds the file among the mappings of the process. A
 * live process holds a lock (flock) on its file; a file without a lock was left by a dead process
 * with the same id and is replaced.
 *
 * There is one state per process, with one lock, which is also held during fork. A child's first
 * call copies the parent's records, because the child has the parent's code.
 */
#ifndef AGENTS_DUMP_H
#define AGENTS_DUMP_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Set the directory of the file, for tests; the default is /tmp. Call it before the other
 * functions. */
void opa_dump_set_dir(const char *dir);

/* Add a user. The first user creates the file, or continues the file that this process made
 * before. Return 0 or a negative errno. */
int opa_dump_take(void);
/* Remove a user; the last user closes the file. -EINVAL: no user exists. */
int opa_dump_put(void);

/*
 * Append a record of @size bytes in @nr parts (at most OPA_MAX_PARTS), completely or not at all.
 * -EINVAL: no user exists, or @size does not fit into a record's header.
 */
#define OPA_MAX_PARTS	4
int opa_dump_append(const struct iovec *parts, int nr, size_t size);

#endif
