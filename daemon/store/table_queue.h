/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_queue.h -- queue of binaries that need symbol or unwind tables, with budgets of CPU time.
 * Each user has a share of the queue entries and of the time (shares.h), so that a user with many
 * or slow files cannot block others.
 *
 * Unused CPU time accumulates up to a limit, and the time that a user has used decreases gradually.
 * If L is the time left and S_u the time that user u has used, L + S_1 + S_2 + ... never exceeds
 * the limit. A job of user u may use time until S_u = OPD_SHARE * L; then it is stopped. The job of
 * the user with the least used time runs first. Among the jobs of one user, the job for which most
 * samples wait runs first.
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

/* maximum number of jobs in the queue, each with an open descriptor */
#define OPD_TABLE_JOBS		256
#define OPD_TABLE_FILE_MS	10000	/* maximum CPU time for one file, in ms */
/* a job starts only if at least this much CPU time, in ms, is left */
#define OPD_TABLE_LEAST_MS	500
#define OPD_TABLE_SAVED_MS	20000	/* maximum CPU time that accumulates, in ms */
/* ms of real time after which the budget grows by 1 ms of CPU time */
#define OPD_TABLE_SHARE		50

struct opd_identity;
struct opd_image;
struct opd_share;
struct opd_shares;

struct opd_table_job {
	char name[OP_TABLE_NAME_SIZE];	/* file name of the table to make */
	/* image that first requested this table; other images may have the same table */
	const struct opd_image *image;
	/* descriptor of the binary; -1: not open */
	int fd;
	/* user whose budget the job uses, as in struct opd_identity */
	uint32_t payer;
	/* the job must not be postponed to the end of the first minute */
	bool at_once;
	/* also read the binary's separate debug file; the table's name then includes a number that
	 * identifies it */
	bool debug;
	/* resource share that the job's CPU time is charged to, set by the queue; NULL: root */
	struct opd_share *share;
	/* CPU time limit in ms, set by the queue */
	double max_ms;
};

struct opd_table_queue {
	struct opd_shares *shares;
	struct opd_table_job jobs[OPD_TABLE_JOBS];
	size_t nr;
	/* Return the number of samples that wait for the table of @image. NULL: unknown. */
	uint64_t (*waiting)(void *arg, const struct opd_image *image);
	void *waiting_arg;
	/* CPU time that is left in ms; negative if jobs for root's files used more */
	double left_ms;
	uint64_t refilled_ms;
};

/* Initialize @q. @subuid: the file /etc/subuid; a user and the user's subordinate user ids count
 * as one user (libop/base/id_ranges.h). Return 0 or -ENOMEM. */
int opd_table_queue_init(struct opd_table_queue *q, const char *subuid, uint64_t now_ms);
/* Release @q, which may be zeroed. */
void opd_table_queue_release(struct opd_table_queue *q);

/* Increase the budget for the time up to @now_ms, and drop the jobs of users who have no CPU time
 * left. The images of these jobs are added again later. */
void opd_table_queue_turn(struct opd_table_queue *q, uint64_t now_ms);

/* Return true if no job can be added: the queue is full or no CPU time is left. */
bool opd_table_queue_full(const struct opd_table_queue *q);
bool opd_table_queue_has(const struct opd_table_queue *q, const char *name);

/* Return true if the user who pays for @image may add a job and has CPU time left. @payer: this
 * user; OPD_NO_PAYER: the owner of the image's file. */
bool opd_table_queue_may(const struct opd_table_queue *q, uint32_t payer,
			 const struct opd_image *image);
/*
 * Add a job for the file of @identity, and duplicate the file's descriptor. @first: insert the job
 * before all others. Return false if the user has too many jobs or no CPU time left, or if the
 * process has no free descriptor.
 */
bool opd_table_queue_add(struct opd_table_queue *q, const struct opd_table_job *job,
			 const struct opd_identity *identity, bool first);

/* Remove the next job from the queue and store it in *@ret; the caller then owns its descriptor.
 * @all: include jobs that may be postponed. Return false if no job is ready. */
bool opd_table_queue_pop(struct opd_table_queue *q, bool all, struct opd_table_job *ret);
/* Charge @ms of CPU time to the user of @job. @stopped: the job was stopped because it reached its
 * limit, so the user's next job must wait for a higher limit. */
void opd_table_queue_spend(struct opd_table_queue *q, const struct opd_table_job *job, double ms,
			   bool stopped);

void opd_table_queue_clear(struct opd_table_queue *q);

#endif
