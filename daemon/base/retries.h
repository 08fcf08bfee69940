/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * retries.h -- delays before another attempt to process an object, for example to pack a session.
 *
 * The delay of an object doubles with each failure, from a minute to half an hour.
 */
#ifndef OPD_RETRIES_H
#define OPD_RETRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opd_retry {
	char *name;
	unsigned int failures;	/* number of successive failed attempts with the object */
	uint64_t due_ms;	/* time of the next attempt, in ms of op_now_ms() */
	/* the object still exists: opd_retries_must_wait() was called for it */
	bool is_kept;
};

/* The list of failed objects. A zeroed list is empty. */
struct opd_retries {
	struct opd_retry *items;
	size_t nr;
};

void opd_retries_release(struct opd_retries *r);

/* Record at time @now_ms that the object @name failed again. Return the number of its successive
 * failures, or -ENOMEM. */
int opd_retries_add(struct opd_retries *r, const char *name, uint64_t now_ms);
/* Remove @name from the list, because an attempt succeeded. */
void opd_retries_remove(struct opd_retries *r, const char *name);

/* Return true if it is too early, at time @now_ms, for another attempt with @name. The call also
 * protects @name from the next opd_retries_forget(). */
bool opd_retries_must_wait(struct opd_retries *r, const char *name, uint64_t now_ms);
/* Remove objects that no longer exist: all for which opd_retries_must_wait() was not called since
 * the last opd_retries_forget(). */
void opd_retries_forget(struct opd_retries *r);

/* Return the time of the first attempt that is due after @now_ms, or UINT64_MAX. */
uint64_t opd_retries_due(const struct opd_retries *r, uint64_t now_ms);

/* Return the delay in ms before the next attempt, after @failures successive failures. */
uint64_t opd_retry_delay_ms(unsigned int failures);

#endif
