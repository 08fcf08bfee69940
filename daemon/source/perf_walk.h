/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_walk.h -- builds the call path of a perf_events sample.
 *
 * The sample has the kernel's part as a chain of addresses, and for the user's part a copy of the
 * innermost bytes of the stack and the registers. The copy is unwound by the images' tables
 * (module/uapi/unwind_walk.h), with the mappings at the time of the sample. Beyond the copy, a walk
 * continues in the part of the stack that perf_stacks.h keeps.
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

/* Create a walker. All pointers but @ret are borrowed. @depth limits the user's part of a path; the
 * kernel limits its own part. If @stacks is NULL, paths end where their copies end. @made may be
 * NULL. Return 0 or -ENOMEM. */
int opd_perf_walker_create(struct opd_perf_walker **ret, unsigned int depth,
			   struct opd_processes *processes, struct opd_unwind_tables *tables,
			   struct opd_made_tables *made, struct opd_perf_stacks *stacks);
/* Let walks read made code that has no unwinding information. The caller owns @code. */
void opd_perf_walker_set_code(struct opd_perf_walker *w, struct opd_perf_code *code);
/* Let walks infer rules of files' code that has no rows. The caller owns @infer. */
void opd_perf_walker_set_infer(struct opd_perf_walker *w, struct opd_perf_infer *infer);
void opd_perf_walker_destroy(struct opd_perf_walker *w);	/* takes NULL */

/*
 * Return the path of a sample of @process (NULL: unknown), valid until the next call. A path may
 * need rows of made code that will be there soon: it ends with OPROFILE_UW_NO_TABLE if @waits, else
 * it continues by frame pointers.
 */
const struct opd_path *opd_perf_walk(struct opd_perf_walker *w, const struct opd_perf_record *r,
				     struct opd_process *process, bool waits);

/* Note that @parent has forked @tgid, and that @tgid has executed a program. */
void opd_perf_walker_forked(struct opd_perf_walker *w, uint64_t time, pid_t tgid, pid_t parent);
void opd_perf_walker_execed(struct opd_perf_walker *w, pid_t tgid);

#endif
