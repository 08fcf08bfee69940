// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table_queue.c -- queue of binaries whose symbol or unwind tables must be made; divides queue
 * entries and CPU time among users.
 */
#include "config.h"
#include "daemon/store/table_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "daemon/base/shares.h"

int opd_table_queue_init(struct opd_table_queue *q, const char *subuid, uint64_t now_ms)
{
	q->shares = opd_shares_create("/proc", subuid);
	q->nr = 0;
	q->waiting = NULL;
	q->left_ms = OPD_TABLE_SAVED_MS;
	q->refilled_ms = now_ms;
	return q->shares ? 0 : -ENOMEM;
}

/* Remove the job with index @at from the queue without closing its descriptor. */
static struct opd_table_job remove_job(struct opd_table_queue *q, size_t at)
{
	struct opd_table_job job = q->jobs[at];

	q->nr--;
	memmove(q->jobs + at, q->jobs + at + 1, (q->nr - at) * sizeof(job));
	if (job.share)
		job.share->jobs--;
	return job;
}

void opd_table_queue_clear(struct opd_table_queue *q)
{
	while (q->nr)
		close(remove_job(q, q->nr - 1).fd);
}

void opd_table_queue_release(struct opd_table_queue *q)
{
	opd_table_queue_clear(q);
	opd_shares_destroy(q->shares);
	q->shares = NULL;
}

/* Return the CPU time limit in ms for the user's next job, or 0 if the user has too little CPU
 * time left to start a job. */
static double allowance(const struct opd_table_queue *q, const struct opd_share *share)
{
	double ms = share ? (OPD_SHARE * q->left_ms - share->cpu_ms) / (OPD_SHARE + 1)
			  : OPD_TABLE_FILE_MS;

	if (q->left_ms <= 0 || ms < OPD_TABLE_LEAST_MS || (share && ms < share->least_ms))
		return 0;
	return ms < OPD_TABLE_FILE_MS ? ms : OPD_TABLE_FILE_MS;
}

static void decay_share(struct opd_share *share, void *arg)
{
	share->cpu_ms -= share->cpu_ms * *(const double *)arg;
}

static void refill(struct opd_table_queue *q, uint64_t now_ms)
{
	uint64_t earned = (now_ms - q->refilled_ms) / OPD_TABLE_SHARE;
	double missing = OPD_TABLE_SAVED_MS - q->left_ms, part;

	q->refilled_ms += earned * OPD_TABLE_SHARE;
	if (!earned || missing <= 0)
		return;
	part = earned < missing ? (double)earned / missing : 1;
	q->left_ms += part * missing;
	opd_shares_for_each(q->shares, decay_share, &part);
}

void opd_table_queue_turn(struct opd_table_queue *q, uint64_t now_ms)
{
	refill(q, now_ms);
	for (size_t i = q->nr; i-- > 0;)
		if (allowance(q, q->jobs[i].share) <= 0)
			close(remove_job(q, i).fd);
}

bool opd_table_queue_full(const struct opd_table_queue *q)
{
	return q->nr == OPD_TABLE_JOBS || q->left_ms <= 0;
}

bool opd_table_queue_has(const struct opd_table_queue *q, const char *name)
{
	for (size_t i = 0; i < q->nr; i++)
		if (!strcmp(q->jobs[i].name, name))
			return true;
	return false;
}

static struct opd_share *share_of(const struct opd_table_queue *q, uint32_t payer,
				  const struct opd_image *image)
{
	return opd_shares_of(q->shares, payer == OPD_NO_PAYER ? image->identity.owner - 1 : payer);
}

static bool may(const struct opd_table_queue *q, const struct opd_share *share)
{
	return opd_share_may(share, share ? share->jobs : 0, OPD_TABLE_JOBS - q->nr) &&
	       allowance(q, share) > 0;
}

bool opd_table_queue_may(const struct opd_table_queue *q, uint32_t payer,
			 const struct opd_image *image)
{
	return may(q, share_of(q, payer, image));
}

bool opd_table_queue_add(struct opd_table_queue *q, const struct opd_table_job *job,
			 const struct opd_identity *identity, bool first)
{
	struct opd_share *share = share_of(q, identity->payer, job->image);
	size_t at = first ? 0 : q->nr;
	struct opd_table_job *new = &q->jobs[at];
	int fd = may(q, share) ? fcntl(identity->fd, F_DUPFD_CLOEXEC, 0) : -1;

	if (fd < 0)
		return false;
	memmove(new + 1, new, (q->nr - at) * sizeof(*new));
	*new = *job;
	new->fd = fd;
	new->payer = identity->payer;
	new->share = share;
	q->nr++;
	if (share)
		share->jobs++;
	return true;
}

static double used(const struct opd_table_job *job)
{
	return job->share ? job->share->cpu_ms : 0;
}

/* Return true if job @a must run before job @b, which was added earlier. */
static bool is_before(const struct opd_table_queue *q, const struct opd_table_job *a,
		      const struct opd_table_job *b)
{
	if (used(a) < used(b) || used(a) > used(b))
		return used(a) < used(b);
	return q->waiting &&
	       q->waiting(q->waiting_arg, a->image) > q->waiting(q->waiting_arg, b->image);
}

bool opd_table_queue_pop(struct opd_table_queue *q, bool all, struct opd_table_job *ret)
{
	size_t best = q->nr;

	for (size_t i = 0; i < q->nr; i++)
		if ((all || q->jobs[i].at_once) &&
		    (best == q->nr || is_before(q, &q->jobs[i], &q->jobs[best])))
			best = i;
	if (best == q->nr)
		return false;
	*ret = remove_job(q, best);
	ret->max_ms = allowance(q, ret->share);
	return true;
}

void opd_table_queue_spend(struct opd_table_queue *q, const struct opd_table_job *job, double ms,
			   bool stopped)
{
	q->left_ms -= ms;
	if (!job->share)
		return;
	job->share->cpu_ms += ms;
	/* If a job was stopped because it reached its limit, the user's next job waits until a much
	 * higher limit is possible. Otherwise the same job would be repeated with only slightly
	 * more time. */
	job->share->least_ms = !stopped				     ? 0
			       : job->max_ms < OPD_TABLE_FILE_MS / 2 ? job->max_ms * 2
								     : OPD_TABLE_FILE_MS;
}
