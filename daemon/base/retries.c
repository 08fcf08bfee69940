// SPDX-License-Identifier: GPL-2.0-or-later
/* retries.c -- list of objects whose processing failed, with the time of the next attempt for each
 * object. */
#include "config.h"
#include "daemon/base/retries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"

#define RETRY_MS	60000
/* number of failures after which the delay before the next attempt no longer doubles */
#define MAX_DOUBLINGS	5

uint64_t opd_retry_delay_ms(unsigned int failures)
{
	unsigned int doublings = failures ? failures - 1 : 0;

	return (uint64_t)RETRY_MS << (doublings < MAX_DOUBLINGS ? doublings : MAX_DOUBLINGS);
}

static struct opd_retry *find(const struct opd_retries *r, const char *name)
{
	for (size_t i = 0; i < r->nr; i++)
		if (!strcmp(r->items[i].name, name))
			return &r->items[i];
	return NULL;
}

static void remove_item(struct opd_retries *r, struct opd_retry *item)
{
	free(item->name);
	*item = r->items[--r->nr];
}

void opd_retries_release(struct opd_retries *r)
{
	while (r->nr)
		remove_item(r, &r->items[r->nr - 1]);
	free(r->items);
	r->items = NULL;
}

int opd_retries_add(struct opd_retries *r, const char *name, uint64_t now_ms)
{
	struct opd_retry *item = find(r, name);

	if (!item) {
		char *copy = strdup(name);

		if (!copy || op_grow(&r->items, r->nr)) {
			free(copy);
			return -ENOMEM;
		}
		item = &r->items[r->nr++];
		*item = (struct opd_retry){ .name = copy };
	}
	item->is_kept = true;
	item->due_ms = now_ms + opd_retry_delay_ms(++item->failures);
	return (int)item->failures;
}

void opd_retries_remove(struct opd_retries *r, const char *name)
{
	struct opd_retry *item = find(r, name);

	if (item)
		remove_item(r, item);
}

bool opd_retries_must_wait(struct opd_retries *r, const char *name, uint64_t now_ms)
{
	struct opd_retry *item = find(r, name);

	if (item)
		item->is_kept = true;
	return item && now_ms < item->due_ms;
}

void opd_retries_forget(struct opd_retries *r)
{
	for (size_t i = r->nr; i-- > 0;) {
		if (r->items[i].is_kept)
			r->items[i].is_kept = false;
		else
			remove_item(r, &r->items[i]);
	}
}

uint64_t opd_retries_due(const struct opd_retries *r, uint64_t now_ms)
{
	uint64_t due = UINT64_MAX;

	for (size_t i = 0; i < r->nr; i++)
		if (r->items[i].due_ms > now_ms && r->items[i].due_ms < due)
			due = r->items[i].due_ms;
	return due;
}
