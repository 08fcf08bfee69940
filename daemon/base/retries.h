/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * retries.h -- objects whose processing has failed, and the time of the next try for each of them.
 *
 * The time between two tries of an object doubles with each failure, from a minute to half an hour.
 */
#ifndef OPD_RETRIES_H
#define OPD_RETRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opd_retry {
	char *name;
	unsigned int failures;	/* number of successive failures */
	uint64_t due_ms;	/* time of the next try, in ms of op_now_ms() */
	bool is_kept;		/* opd_retries_must_wait() was called for the object */
};

/* A struct opd_retries of zeros has no failures. */
struct opd_retries {
	struct opd_retry *items;
	size_t nr;
};

void opd_retries_release(struct opd_retries *r);

/* Note at the time @now_ms that the processing of the object @name has failed. Return the number of
 * its failures in a row, or -ENOMEM. */
int opd_retries_add(struct opd_retries *r, const char *name, uint64_t now_ms);
/* Forget the failures of @name: its processing has succeeded. */
void opd_retries_remove(struct opd_retries *r, const char *name);

/* Return whether @name must not be tried at the time @now_ms. The object is kept
 * (opd_retries_forget()). */
bool opd_retries_must_wait(struct opd_retries *r, const char *name, uint64_t now_ms);
/* Forget the objects that opd_retries_must_wait() was not asked for since the last call. */
void opd_retries_forget(struct opd_retries *r);

/* Return the time of the first try after @now_ms, or UINT64_MAX. */
uint64_t opd_retries_due(const struct opd_retries *r, uint64_t now_ms);

/* Return the time between a try and the next one, in ms, after @failures failures in a row. */
uint64_t opd_retry_delay_ms(unsigned int failures);

#endif
