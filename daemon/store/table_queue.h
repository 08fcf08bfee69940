/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_queue.h -- files that tables are to be made of, and the CPU time there is for them: who has many files, or
 * files that take long, gets a share of both (shares.h) and keeps nobody from having the rest.
 *
 * The time is saved up to a limit and comes back as it was taken: L left, and S_u of each user u, with
 * L + S_1 + S_2 + ... never above the limit. Each file may take what leaves S_u = OPD_SHARE * L, and is stopped
 * there. The user with the lowest use comes first; among the files of a user, the file with the most
 * waiting samples comes first.
 *
 * A user pays for his files: those that he alone sees, and those that are his. Root's files, which everybody runs,
 * may use all there is.
 */
#ifndef OPD_TABLE_QUEUE_H
#define OPD_TABLE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/identity.h"

#define OPD_TABLE_JOBS		256	/* that are held open at once */
#define OPD_TABLE_FILE_MS	10000	/* of CPU time, for one file */
#define OPD_TABLE_LEAST_MS	500	/* with less it is not begun */
#define OPD_TABLE_SAVED_MS	20000	/* is saved up ... */
#define OPD_TABLE_SHARE		50	/* ... as one of so many milliseconds passes */

struct opd_identity;
struct opd_image;
struct opd_share;
struct opd_shares;

struct opd_table_job {
	char name[OP_TABLE_NAME_SIZE];	/* the table's */
	const struct opd_image *image;	/* the first that was offered with that name */
	int fd;				/* -1: none */
	uint32_t payer;			/* as opd_identity has it */
	bool at_once;			/* it may not be put off */
	bool debug;			/* the table's name includes the debug file, which is read, too */
	struct opd_share *share;	/* who pays; NULL: root. The queue's, as is: */
	double max_ms;			/* of CPU time, that it may take */
};

struct opd_table_queue {
	struct opd_shares *shares;
	struct opd_table_job jobs[OPD_TABLE_JOBS];
	size_t nr;
	/* Returns the number of samples that wait for the image's table; NULL: unknown. */
	uint64_t (*waiting)(void *arg, const struct opd_image *image);
	void *waiting_arg;
	double left_ms;			/* of CPU time; below 0 when root's files took more */
	uint64_t refilled_ms;
};

/* Initialize @q. @subuid: the file by which subordinate ids count as one user
 * (libop/base/id_ranges.h). Return 0 or -ENOMEM. */
int opd_table_queue_init(struct opd_table_queue *q, const char *subuid, uint64_t now_ms);
/* Takes what is zeroed. */
void opd_table_queue_release(struct opd_table_queue *q);

/* What time there is at @now_ms. Closes and forgets jobs of those who have none left: they are offered again. */
void opd_table_queue_turn(struct opd_table_queue *q, uint64_t now_ms);

/* True: nothing can be added, whose ever it is. */
bool opd_table_queue_full(const struct opd_table_queue *q);
bool opd_table_queue_has(const struct opd_table_queue *q, const char *name);

/* Whether the user who pays for @image, if @payer does not (OPD_NOBODY), has a place and time left. */
bool opd_table_queue_may(const struct opd_table_queue *q, uint32_t payer, const struct opd_image *image);
/*
 * Adds a job for the file of @identity, which is duplicated. @first: before what is there. False: its user has too
 * many, or no time left, or there are no descriptors.
 */
bool opd_table_queue_add(struct opd_table_queue *q, const struct opd_table_job *job, const struct opd_identity *identity,
			 bool first);

/* Takes out the next one, whose descriptor is the caller's then; @all: also of those that may be put off. False: there
 * is none. */
bool opd_table_queue_take(struct opd_table_queue *q, bool all, struct opd_table_job *ret);
/* It took so much. @stopped: and needed more than it may take, so that the next one of this user waits for more. */
void opd_table_queue_spend(struct opd_table_queue *q, const struct opd_table_job *job, double ms, bool stopped);

void opd_table_queue_clear(struct opd_table_queue *q);

#endif
