/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_walk.h -- walk of the stack in a perf_events sample: builds the sample's call path.
 *
 * A sample has the kernel's part of the path as a chain of addresses, and for the user's part the
 * registers and a copy of the innermost bytes of the stack. The copy is unwound by the images'
 * unwind tables (module/uapi/unwind_walk.h), with the mappings at the time of the sample. Beyond
 * the copy, a walk continues in the part of the stack that perf_stacks.h keeps.
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
 * Create a walker of stacks. All pointers but @ret are borrowed. @depth limits the user's part of a
 * path; the kernel limits its own part. If @stacks is NULL, paths end where the copies of stacks
 * end. @made may be NULL. Return 0 or -ENOMEM.
 */
int opd_perf_walker_create(struct opd_perf_walker **ret, unsigned int depth,
			   struct opd_processes *processes, struct opd_unwind_tables *tables,
			   struct opd_made_tables *made, struct opd_perf_stacks *stacks);
/* Set the finder of frames in made code that has no unwind information. @code is borrowed. */
void opd_perf_walker_set_code(struct opd_perf_walker *w, struct opd_perf_code *code);
/* Set the object that infers rules for code of files that has no unwind rows. @infer is
 * borrowed. */
void opd_perf_walker_set_infer(struct opd_perf_walker *w, struct opd_perf_infer *infer);
void opd_perf_walker_destroy(struct opd_perf_walker *w);	/* @w may be NULL */

/*
 * Return the call path of a sample of @process (NULL: unknown), valid until the next call. If the
 * path needs unwind rows of made code that will be available soon, it ends with
 * OPROFILE_UW_NO_TABLE if @waits; if not, it continues by frame pointers.
 */
const struct opd_path *opd_perf_walk(struct opd_perf_walker *w, const struct opd_perf_record *r,
				     struct opd_process *process, bool waits);

/* Note that the process @parent has forked @tgid, or that @tgid has executed a program. */
void opd_perf_walker_forked(struct opd_perf_walker *w, uint64_t time, pid_t tgid, pid_t parent);
void opd_perf_walker_execed(struct opd_perf_walker *w, pid_t tgid);

#endif
