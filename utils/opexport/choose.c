// SPDX-License-Identifier: GPL-2.0-or-later
/* choose.c -- chooses the next interval to send. */
#include "config.h"
#include "utils/opexport/choose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/plan.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "utils/opexport/batch.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t place_of(const struct export_progress *p, const char *name)
{
	return op_partition_point(i, p->nr_names, strcmp(p->names[i], name) < 0);
}

static bool has_name(const struct export_progress *p, const struct itv_entry *entry)
{
	char name[ITV_NAME_SIZE];
	size_t at;

	export_interval_name(name, entry);
	at = place_of(p, name);
	return at < p->nr_names && !strcmp(p->names[at], name);
}

int export_progress_add_name(struct export_progress *p, const char *name)
{
	char *copy = strdup(name);

	if (!copy || op_grow(&p->names, p->nr_names)) {
		free(copy);
		return -ENOMEM;
	}
	p->names[p->nr_names++] = copy;
	return 0;
}

void export_progress_sort(struct export_progress *p)
{
	if (p->nr_names)
		qsort(p->names, p->nr_names, sizeof(*p->names), compare_names);
}

int export_progress_add(struct export_progress *p, const struct itv_entry *entry)
{
	char name[ITV_NAME_SIZE];
	int err;

	if (entry->end > p->until)
		p->until = entry->end;
	if (has_name(p, entry))
		return 0;
	export_interval_name(name, entry);
	err = export_progress_add_name(p, name);
	export_progress_sort(p);
	return err;
}

void export_progress_release(struct export_progress *p)
{
	for (size_t i = 0; i < p->nr_names; i++)
		free(p->names[i]);
	free(p->names);
	*p = (struct export_progress){ .until = INT64_MIN };
}

/* Return the usual length of the daemon's intervals in seconds: the length of the longest original
 * interval, because shorter intervals were closed early. */
static int64_t usual_length(const struct itv_list *list)
{
	int64_t length = 0;

	for (size_t i = 0; i < list->nr; i++) {
		const struct itv_entry *e = &list->entries[i];

		if (!e->step && !e->is_session && e->end - e->begin > length)
			length = e->end - e->begin;
	}
	return length;
}

/* Return whether the daemon may still merge the interval with others of its slot. */
static bool may_be_merged(const struct itv_list *list, const struct itv_entry *entry,
			  int64_t length, int64_t now)
{
	int64_t begin, end;
	size_t nr = 0;

	if (entry->step || entry->end - entry->begin >= length)
		return false;
	itv_plan_slot(length, entry->begin, &begin, &end);
	if (now < end + EXPORT_SETTLES)
		return true;
	for (size_t i = 0; i < list->nr; i++)
		nr += !list->entries[i].step && list->entries[i].begin >= begin &&
		      list->entries[i].begin < end;
	return nr > 1 && now < end + EXPORT_MERGES;
}

/* Return whether an interval with a known name has a part of the time of @entry. */
static bool overlaps(const struct export_progress *p, const struct itv_entry *entry)
{
	char file[ITV_NAME_SIZE];
	struct itv_entry sent;

	for (size_t i = 0; i < p->nr_names; i++) {
		const int len = snprintf(file, sizeof(file), "%s" ITV_SUFFIX, p->names[i]);

		if (len > 0 && (size_t)len < sizeof(file) && itv_name_parse(&sent, file) &&
		    sent.begin < entry->end && entry->begin < sent.end)
			return true;
	}
	return false;
}

size_t export_count_older(const struct itv_list *list, const struct export_progress *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++) {
		const struct itv_entry *e = &list->entries[i];

		nr += !e->is_session && e->end <= p->until && e->begin < p->names_since &&
		      !has_name(p, e) && !overlaps(p, e);
	}
	return nr;
}

/* Return 1 if the interval, which ends before the end of the sent times, was not sent. */
static int is_left_over(const struct export_progress *p, const struct itv_entry *entry,
			int (*is_merged)(void *arg, const struct itv_entry *entry), void *arg)
{
	int err;

	if (entry->begin < p->names_since || has_name(p, entry))
		return 0;
	/* all names are known if the user asks for old intervals */
	if (entry->step)
		return p->names_since == INT64_MIN && !overlaps(p, entry);
	err = is_merged(arg, entry);
	return err < 0 ? err : !err;
}

int export_choose(struct export_choice *ret, const struct itv_list *list,
		  const struct export_progress *p, int64_t now, int64_t settles,
		  int (*is_merged)(void *arg, const struct itv_entry *entry), void *arg)
{
	const int64_t length = usual_length(list);

	*ret = (struct export_choice){ .kind = EXPORT_NOTHING };
	for (size_t i = 0; i < list->nr; i++) {
		const struct itv_entry *e = &list->entries[i];
		int err = 0;

		if (e->is_session) {
			/* The daemon packs this session soon: do not send later intervals before
			 * it. */
			if (e->end > p->until && now < e->end + EXPORT_MERGES)
				return 0;
			continue;
		}
		if (has_name(p, e))
			continue;
		if (e->end <= p->until)
			err = is_left_over(p, e, is_merged, arg);
		if (err < 0)
			return err;
		if (e->end <= p->until && !err)
			continue;
		if (now < e->end + settles || may_be_merged(list, e, length, now))
			return 0;
		*ret = (struct export_choice){ .kind = EXPORT_SEND, .entry = e };
		if (e->end > p->until && e->begin < p->until) {
			err = is_merged(arg, e);
			ret->kind = err > 0 ? EXPORT_GAP : EXPORT_SEND;
		}
		return err < 0 ? err : 0;
	}
	return 0;
}
