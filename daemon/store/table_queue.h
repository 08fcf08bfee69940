/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_queue.h -- queue of binaries for which tables are to be made, and budgets of CPU time. Each
 * user has a share of the places in the queue and of the time (shares.h), so that a user with many
 * or slow files cannot block others.
 *
 * CPU time is saved up to a limit, and time that was used is paid back gradually: with L left and
 * S_u used by each user u, L + S_1 + S_2 + ... never exceeds the limit. A file may use time until
 * S_u = OPD_SHARE * L, and is then stopped. The file of the user with the lowest use comes first;
 * among a user's files, the file with the most waiting samples comes first.
 *
 * A user pays for files that only this user sees, and for files that the user owns. Root's files,
 * which all users run, may use all the CPU time that is left.
 */
#ifndef OPD_TABLE_QUEUE_H
#define OPD_TABLE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/identity.h"

/* maximum number of jobs; each job has an open descriptor */
#define OPD_TABLE_JOBS		256
#define OPD_TABLE_FILE_MS	10000	/* limit of CPU time for one file, in ms */
/* a file is begun only if at least this much CPU time is left, in ms */
#define OPD_TABLE_LEAST_MS	500
#define OPD_TABLE_SAVED_MS	20000	/* limit of the CPU time that a user can save up, in ms */
/* the budget grows by 1 ms of CPU time in this many ms of real time */
#define OPD_TABLE_SHARE		50

struct opd_identity;
struct opd_image;
struct opd_share;
struct opd_shares;

struct opd_table_job {
	char name[OP_TABLE_NAME_SIZE];	/* file name of the table that the job makes */
	const struct opd_image *image;	/* the first image that was offered with this table name */
	/* descriptor of the binary that the job reads; -1: no descriptor */
	int fd;
	/* the user who pays for the job, as in struct opd_identity */
	uint32_t payer;
	bool at_once;			/* this job must not be postponed */
	/* the binary's separate debug file is read as well, and the table's name includes the debug
	 * file's number */
	bool debug;
	/* the share that is charged for the job; the queue sets it; NULL: root pays */
	struct opd_share *share;
	/* limit of CPU time for this job, in ms; the queue sets it */
	double max_ms;
};

struct opd_table_queue {
	struct opd_shares *shares;
	struct opd_table_job jobs[OPD_TABLE_JOBS];
	size_t nr;
	/* Returns the number of samples that wait for the table of @image. NULL: the number is
	 * unknown. */
	uint64_t (*waiting)(void *arg, const struct opd_image *image);
	void *waiting_arg;
	/* CPU time left in the budget, in ms; negative if root's files used more */
	double left_ms;
	uint64_t refilled_ms;
};

/* Initialize @q. @subuid: the file of subordinate user ids; a user and the user's subordinate ids
 * count as one user (libop/base/id_ranges.h). Return 0 or -ENOMEM. */
int opd_table_queue_init(struct opd_table_queue *q, const char *subuid, uint64_t now_ms);
/* Release @q, which may be all zeros. */
void opd_table_queue_release(struct opd_table_queue *q);

/* Let the budget grow until the time @now_ms. Discard the jobs of users who have no CPU time left;
 * the images of discarded jobs are offered again later. */
void opd_table_queue_turn(struct opd_table_queue *q, uint64_t now_ms);

/* Return whether the queue is full or no CPU time is left, so that no user can add a job. */
bool opd_table_queue_full(const struct opd_table_queue *q);
bool opd_table_queue_has(const struct opd_table_queue *q, const char *name);

/* Return whether the user who pays for @image has a place in the queue and CPU time left. @payer is
 * the user; OPD_NOBODY: the owner of the image's file. */
bool opd_table_queue_may(const struct opd_table_queue *q, uint32_t payer,
			 const struct opd_image *image);
/*
 * Add a job for the file of @identity, whose descriptor is duplicated. @first: put the job before
 * all other jobs. Return false if its user has too many jobs or no CPU time left, or if there are
 * no more descriptors.
 */
bool opd_table_queue_add(struct opd_table_queue *q, const struct opd_table_job *job,
			 const struct opd_identity *identity, bool first);

/* Remove the next job from the queue and fill in @ret; the caller then owns the job's descriptor.
 * @all: also take jobs that may be postponed. Return false if no job is ready. */
bool opd_table_queue_take(struct opd_table_queue *q, bool all, struct opd_table_job *ret);
/* Charge the job's user @ms of CPU time. @stopped: the job needed more than its limit, so the
 * user's next job waits until the limit is higher. */
void opd_table_queue_spend(struct opd_table_queue *q, const struct opd_table_job *job, double ms,
			   bool stopped);

void opd_table_queue_clear(struct opd_table_queue *q);

#endif
