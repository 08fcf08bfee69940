/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_infer.h -- inference of unwind rules for code that has no entry in its file's unwind table.
 *
 * Unwind tables contain inferred entries only for files with little code. For larger files, a stack
 * walk infers the rule at a pc from the instructions around the pc. The instructions are read from
 * the part of the file that is in memory, so reading never waits, whatever the file system does.
 * Code that runs is nearly always in memory. x86 only.
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

/* Opens the file of @image, which process @tgid has mapped, as opd_finder_open_in_memory() does.
 * Returns a descriptor, which the caller closes, or a negative errno. */
typedef int (*opd_perf_infer_open_fn)(void *arg, const struct opd_image *image, pid_t tgid);

/* A program counter, in a mapping of a file, for which an unwind rule is needed. */
struct opd_perf_infer_at {
	const struct opd_image *image;
	pid_t tgid;
	uint8_t machine;     /* machine of the code, a value of enum oprofile_uw_machine */
	bool is_behind_call; /* the program counter is a return address */
	uint64_t pc;	     /* the program counter as an offset in the file */
	uint64_t start, end; /* start and end of the mapping, as offsets in the file */
	uint64_t time;	     /* time of the sample, in ns */
};

/* Create *@ret. The function @open, which is passed @arg, opens files. @arg must outlive *@ret.
 * Return 0 or -ENOMEM. */
int opd_perf_infer_create(struct opd_perf_infer **ret, opd_perf_infer_open_fn open, void *arg);
/* Limit each user to a share (shares.h) of the work per second. @shares is borrowed. */
void opd_perf_infer_set_shares(struct opd_perf_infer *i, struct opd_shares *shares);
/* Close descriptors of files that no sample before @time has needed for a second. Call this about
 * once a second. */
void opd_perf_infer_turn(struct opd_perf_infer *i, uint64_t time);
void opd_perf_infer_destroy(struct opd_perf_infer *i); /* @i may be NULL */

/*
 * Infer the unwind rule at @at and set *@ret. Return false if the code cannot be read, or if this
 * second's limit of opened files or of decoded instructions is reached.
 */
bool opd_perf_infer_find(struct opd_perf_infer *i, const struct opd_perf_infer_at *at,
			 struct oprofile_uw_rule *ret);

#endif
