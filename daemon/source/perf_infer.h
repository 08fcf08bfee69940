/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_infer.h -- infers unwind rules of a file's code that has no rows in its table.
 *
 * Tables have inferred rows only for files with little code. For larger files a walk infers the
 * rule at a pc from the instructions around the pc. The code is taken from the part of the file
 * that is in memory. Reading that part never waits, whatever the file system does. Code that runs
 * is nearly always there. x86 only.
 *
 * Not thread-safe.
 */
#ifndef OPD_PERF_INFER_H
#define OPD_PERF_INFER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "module/uapi/unwind.h"

struct opd_image;
struct opd_perf_infer;
struct opd_shares;

/* Opens @image, which process @tgid has mapped, as opd_finder_open_in_memory() does. Returns a
 * descriptor, which the callee gives up, or a negative errno. */
typedef int (*opd_perf_infer_open_fn)(void *arg, const struct opd_image *image, pid_t tgid);

/* A pc in a mapping of a file. */
struct opd_perf_infer_at {
	const struct opd_image *image;
	pid_t tgid;
	uint8_t machine;     /* enum oprofile_uw_machine */
	bool is_behind_call; /* the pc is a return address */
	uint64_t pc;	     /* offset in the file, like the following ones */
	uint64_t start, end; /* of the mapping */
	uint64_t time;	     /* of the sample, in ns */
};

/* @arg is passed to @open and must outlive *@ret. Return 0 or -ENOMEM. */
int opd_perf_infer_create(struct opd_perf_infer **ret, opd_perf_infer_open_fn open, void *arg);
/* Let users have shares in the work of a second; @shares is borrowed. */
void opd_perf_infer_set_shares(struct opd_perf_infer *i, struct opd_shares *shares);
void opd_perf_infer_destroy(struct opd_perf_infer *i); /* takes NULL */

/* Set *@ret to the rule at @at. Return false if the code cannot be read, or not now: the number of
 * files that are opened and of instructions that are decoded in a second is limited. */
bool opd_perf_infer_find(struct opd_perf_infer *i, const struct opd_perf_infer_at *at,
			 struct oprofile_uw_rule *ret);

#endif
