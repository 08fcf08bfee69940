/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * id_ranges.h -- ranges of subordinate user ids (subuid(5)).
 *
 * Each range belongs to one user. This user can create files and processes with each id of the
 * range. So for limits per user, all ids of a range count as one user, called the payer.
 */
#ifndef OP_BASE_ID_RANGES_H
#define OP_BASE_ID_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct op_id_range {
	uint32_t first, nr;
};

struct op_id_ranges {		/* The ranges of user ids. All zeros: no ranges. */
	struct op_id_range *items;
	size_t nr;
};

#define OP_SUBUID	"/etc/subuid"

/* Add the ranges in the file @path, but ignore invalid lines. Return 0 or -ENOMEM. A file that does
 * not exist is not an error. */
int op_id_ranges_read(struct op_id_ranges *r, const char *path);
void op_id_ranges_release(struct op_id_ranges *r);

/* Return the payer of @uid: the first id of the range that contains @uid, or @uid if no range
 * contains it. */
uint32_t op_id_ranges_payer(const struct op_id_ranges *r, uint32_t uid);

/*
 * Set *@ret to the payer of the process @tgid: the payer of its real user id, because a program may
 * change its effective id. @proc_dir: /proc. Return 0, or -ENOENT if the process has ended or /proc
 * hides it.
 */
int op_id_ranges_payer_of(const struct op_id_ranges *r, const char *proc_dir, int32_t tgid,
			  uint32_t *ret);

#endif
