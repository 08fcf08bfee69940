/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dump.h -- jit-PID.dump, the jitdump file that all agents of a process share: a header and
 * records (jitdump.h).
 *
 * The file is in /tmp, or in $XDG_RUNTIME_DIR if another user owns that name in /tmp. Its first
 * page is mapped executable, so that a profiler finds the file among the mappings of the process.
 * The process holds a lock (flock) on its file. A file without a lock belongs to a dead process
 * with the same id and is replaced.
 *
 * The state belongs to the process and has one lock, which is also held during fork(). A child's
 * first call copies the parent's records to a new file, because the child has the same code as its
 * parent.
 */
#ifndef AGENTS_DUMP_H
#define AGENTS_DUMP_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* For tests: set the directory of the jitdump file, which is /tmp by default. Call this function
 * before all other functions. */
void opa_dump_set_dir(const char *dir);

/* Increment the number of open agents. For the first agent, create the file, or open this
 * process's file again. Return 0 or a negative errno. */
int opa_dump_take(void);
/* Decrement the number of open agents, and close the file with the last agent. -EINVAL: no agent
 * is open. */
int opa_dump_put(void);

/*
 * Append a record of @size bytes, which consists of @nr parts (at most OPA_MAX_PARTS). Write the
 * record completely or not at all. -EINVAL: no agent is open, or @size does not fit into a
 * record's header.
 */
#define OPA_MAX_PARTS	4
int opa_dump_append(const struct iovec *parts, int nr, size_t size);

#endif
