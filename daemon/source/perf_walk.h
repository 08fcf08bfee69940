/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_walk.h -- unwinding of the stack of a perf_events sample, to get its call path.
 *
 * A sample contains the kernel frames as a list of addresses. For the user frames it contains the
 * registers and a copy of the innermost bytes of the stack. The walk unwinds the copy with the
 * images' unwind tables (module/uapi/unwind_walk.h) and the process's mappings at the time of the
 * sample. Beyond the copy, the walk continues in the part of the stack that perf_stacks.h caches.
 */
#ifndef OPD_PERF_WALK_H
#define OPD_PERF_WALK_H

#include "daemon/base/record.h"
#include "daemon/source/decode_perf.h"

struct opd_made_tables;
struct opd_perf_code;
struct opd_perf_infer;
struct opd_perf_stacks;
struct opd_perf_walker;
struct opd_process;
struct opd_processes;
struct opd_unwind_tables;

/*
 * Create an object that unwinds stacks. All pointers except @ret are borrowed. @depth: maximum
 * number of user frames in a path; the kernel limits the kernel frames. @stacks NULL: paths end at
 * the end of the sample's stack copy. @made may be NULL. Return 0 or -ENOMEM.
 */
int opd_perf_walker_create(struct opd_perf_walker **ret, unsigned int depth,
			   struct opd_processes *processes, struct opd_unwind_tables *tables,
			   struct opd_made_tables *made, struct opd_perf_stacks *stacks);
/* Set the object that finds frames of JIT code without unwind tables. @code is borrowed. */
void opd_perf_walker_set_code(struct opd_perf_walker *w, struct opd_perf_code *code);
/* Set the object that infers unwind rules for code without an entry in its file's unwind table.
 * @infer is borrowed. */
void opd_perf_walker_set_infer(struct opd_perf_walker *w, struct opd_perf_infer *infer);
void opd_perf_walker_destroy(struct opd_perf_walker *w);	/* @w may be NULL. */

/*
 * Return the call path of a sample of @process (NULL: unknown), valid until the next call. @waits:
 * if the path needs an unwind table of JIT code that will be available soon, end the path with
 * OPROFILE_UW_NO_TABLE; otherwise continue the path by frame pointers.
 */
const struct opd_path *opd_perf_walk(struct opd_perf_walker *w, const struct opd_perf_record *r,
				     struct opd_process *process, bool waits);

/* Report that process @parent has forked process @tgid. */
void opd_perf_walker_forked(struct opd_perf_walker *w, uint64_t time, pid_t tgid, pid_t parent);
/* Report that process @tgid has executed another program. */
void opd_perf_walker_execed(struct opd_perf_walker *w, pid_t tgid);

#endif
