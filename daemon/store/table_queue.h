/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_queue.h -- queue of files for which tables are to be made, with budgets of CPU time. Each
 * user has a share of places and of time (shares.h), so that a user with many or slow files cannot
 * block others.
 *
 * Time is saved up to a limit, and time that was taken is paid back gradually: with L left and S_u
 * taken by each user u, L + S_1 + S_2 + ... never exceeds the limit. A file may run until S_u =
 * OPD_SHARE * L, and is then stopped. The user with the lowest use comes first; among the files of
 * a user, the file with the most waiting samples comes first.
 *
 * A user pays for files that only this user sees, and for files that the user owns. Root's files,
 * which all users run, may use all the time that is left.
 */
#ifndef OPD_TABLE_QUEUE_H
#define OPD_TABLE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/identity.h"

#define OPD_TABLE_JOBS		256	/* maximum number of jobs, each with an open descriptor */
#define OPD_TABLE_FILE_MS	10000	/* limit of CPU time for one file, in ms */
#define OPD_TABLE_LEAST_MS	500	/* minimum of CPU time to begin a file, in ms */
#define OPD_TABLE_SAVED_MS	20000	/* limit of saved CPU time, in ms ... */
#define OPD_TABLE_SHARE		50	/* ... of which 1 ms is earned in this many ms */

struct opd_identity;
struct opd_image;
struct opd_share;
struct opd_shares;

struct opd_table_job {
	char name[OP_TABLE_NAME_SIZE];	/* file name of the table */
	const struct opd_image *image;	/* the first image that was offered with that name */
	int fd;				/* -1: no descriptor */
	uint32_t payer;			/* as in struct opd_identity */
	bool at_once;			/* do not postpone it */
	/* the debug file is read as well, and the table's name includes it */
	bool debug;
	/* the share that is charged; NULL: root. Set by the queue, like: */
	struct opd_share *share;
	double max_ms;			/* limit of CPU time for this job */
};

struct opd_table_queue {
	struct opd_shares *shares;
	struct opd_table_job jobs[OPD_TABLE_JOBS];
	size_t nr;
	/* Returns the number of samples that wait for the image's table; NULL: unknown. */
	uint64_t (*waiting)(void *arg, const struct opd_image *image);
	void *waiting_arg;
	double left_ms;			/* CPU time; below 0 if root's files took more */
	uint64_t refilled_ms;
};

/* Initialize @q. @subuid: the file by which subordinate ids count as one user
 * (libop/base/id_ranges.h). Return 0 or -ENOMEM. */
int opd_table_queue_init(struct opd_table_queue *q, const char *subuid, uint64_t now_ms);
/* Release @q, which may be all zeros. */
void opd_table_queue_release(struct opd_table_queue *q);

/* Update the budget to @now_ms. Discard jobs of users who have no time left; their images are
 * offered again. */
void opd_table_queue_turn(struct opd_table_queue *q, uint64_t now_ms);

/* Return whether no job can be added, for any user. */
bool opd_table_queue_full(const struct opd_table_queue *q);
bool opd_table_queue_has(const struct opd_table_queue *q, const char *name);

/* Return whether the user who pays for @image (@payer, unless that is OPD_NOBODY) has a place and
 * time left. */
bool opd_table_queue_may(const struct opd_table_queue *q, uint32_t payer,
			 const struct opd_image *image);
/*
 * Add a job for the file of @identity, whose descriptor is duplicated. @first: before all other
 * jobs. Return false if its user has too many jobs or no time left, or there are no descriptors.
 */
bool opd_table_queue_add(struct opd_table_queue *q, const struct opd_table_job *job,
			 const struct opd_identity *identity, bool first);

/* Remove the next job; the caller then owns its descriptor. @all: also a job that may be postponed.
 * Return false if there is none. */
bool opd_table_queue_take(struct opd_table_queue *q, bool all, struct opd_table_job *ret);
/* Charge @ms of CPU time. @stopped: the job needed more than its limit, so that the next job of
 * this user waits for more. */
void opd_table_queue_spend(struct opd_table_queue *q, const struct opd_table_job *job, double ms,
			   bool stopped);

void opd_table_queue_clear(struct opd_table_queue *q);

#endif
