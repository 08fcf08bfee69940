/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * retries.h -- delays before another attempt to process an object, for example to pack a session.
 *
 * The delay for an object doubles with each failed attempt, from a minute to half an hour.
 */
#ifndef OPD_RETRIES_H
#define OPD_RETRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opd_retry {
	char *name;
	unsigned int failures;	/* number of successive failed attempts to process the object */
	/* time of the next attempt to process the object, in ms of op_now_ms() */
	uint64_t due_ms;
	/* the object still exists, because opd_retries_must_wait() was called for its name */
	bool is_kept;
};

/* The list of objects whose processing failed. A zeroed list is empty. */
struct opd_retries {
	struct opd_retry *items;
	size_t nr;
};

void opd_retries_release(struct opd_retries *r);

/* Record that processing the object @name failed at time @now_ms. Return the number of successive
 * failures of this object, or -ENOMEM. */
int opd_retries_add(struct opd_retries *r, const char *name, uint64_t now_ms);
/* Remove the object @name from the list, because it was processed successfully. */
void opd_retries_remove(struct opd_retries *r, const char *name);

/* Return true if it is too early, at time @now_ms, to process the object @name again. The call also
 * marks the object as existing for the next opd_retries_forget(). */
bool opd_retries_must_wait(struct opd_retries *r, const char *name, uint64_t now_ms);
/* Remove from the list the objects that no longer exist. An object exists if
 * opd_retries_must_wait() was called for it since the last opd_retries_forget(). */
void opd_retries_forget(struct opd_retries *r);

/* Return the time of the first attempt on the list that is due after @now_ms, or UINT64_MAX. */
uint64_t opd_retries_due(const struct opd_retries *r, uint64_t now_ms);

/* Return the delay in ms before the next attempt to process an object that has failed @failures
 * times in succession. */
uint64_t opd_retry_delay_ms(unsigned int failures);

#endif
