/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares.h -- what each user has of a session's frames, images and trees, or of the time for tables, so that nobody
 * takes what is there for all.
 *
 * Who has less than OPD_SHARE times what is left may take more: one user alone gets three quarters, a second one three
 * quarters of the rest, and so on. Nobody has to know beforehand how many there will be, and something is left for
 * whoever comes next. Root has no limit, and is the one only for what root started.
 */
#ifndef OPD_SHARES_H
#define OPD_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#define OPD_SHARE	3

/* What a user has; the counts are who asks' to change. */
struct opd_share {
	uint64_t frames;		/* new ones in this session */
	uint64_t image_bytes;		/* of the list of images, likewise */
	uint64_t images, images_ms;	/* listed of late, and when that last got less */
	uint64_t nodes;			/* of trees: for who adds them up */
	uint64_t jobs;			/* that wait in a queue of files (table_queue.h), and of their CPU time: */
	double cpu_ms, least_ms;	/* taken and not given back yet; what the next file needs */
	uint32_t uid;
};

struct opd_shares;

/* Create an empty table. @proc_dir: "/proc". @subuid: the file by which subordinate ids count as
 * one user (libop/base/id_ranges.h). Return NULL without memory. */
struct opd_shares *opd_shares_create(const char *proc_dir, const char *subuid);
void opd_shares_destroy(struct opd_shares *s);		/* takes NULL */

/*
 * Of who started the process; of one that is gone, of the owner of its program's file (@owner as in
 * libop/session/identity.h), but for root, whose programs are everybody's: such processes have a share together.
 * @tgid 0: the kernel's. Valid as long as @s. NULL: root's, there is no limit.
 */
struct opd_share *opd_shares_find(struct opd_shares *s, int32_t tgid, uint32_t owner);
/* Of a user by number, who may be one of a range. NULL: root's. */
struct opd_share *opd_shares_of(struct opd_shares *s, uint32_t uid);
/* Visits all but root's, in no order. */
void opd_shares_for_each(struct opd_shares *s, void (*visit)(struct opd_share *share, void *arg), void *arg);

/* Whether who has @taken may have one more, when @left are left. */
static inline bool opd_share_may(const struct opd_share *share, uint64_t taken, uint64_t left)
{
	return left && (!share || taken < OPD_SHARE * left);
}

#endif
