/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * id_ranges.h -- subordinate user ids (subuid(5)): many numbers, one user.
 *
 * Whoever has a range of them can make files and processes of each. What is counted by user counts
 * a range as one.
 */
#ifndef OP_BASE_ID_RANGES_H
#define OP_BASE_ID_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct op_id_range {
	uint32_t first, nr;
};

struct op_id_ranges {		/* zeroed: there are none */
	struct op_id_range *items;
	size_t nr;
};

#define OP_SUBUID	"/etc/subuid"

/* Adds those of the file at @path; lines that are none are left out. 0, also without a file, or
 * ENOMEM. */
int op_id_ranges_read(struct op_id_ranges *r, const char *path);
void op_id_ranges_release(struct op_id_ranges *r);

/* The first id of the range that has @uid, or @uid itself. */
uint32_t op_id_ranges_payer(const struct op_id_ranges *r, uint32_t uid);

/*
 * Who started the process: whoever it works for by now, or hides as, counts less. @proc_dir: /proc.
 * 0, or -ENOENT: it is gone, or hidden.
 */
int op_id_ranges_payer_of(const struct op_id_ranges *r, const char *proc_dir, int32_t tgid,
			  uint32_t *ret);

#endif
