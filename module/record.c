// SPDX-License-Identifier: GPL-2.0
/* record.c -- encoding of samples as words of the stream. */
#include "record.h"

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "ring.h"
#include "table.h"
#include "uapi/oprofile.h"

/* The maximum length of a sample's record with all context records. */
#define MAX_WORDS	(OPROFILE_CPU_SWITCH_LENGTH + OPROFILE_CTX_SWITCH_LENGTH +		\
			 OPROFILE_TASK_NAME_LENGTH + OPROFILE_CGROUP_LENGTH +			\
			 OPROFILE_KERNEL_EXIT_LENGTH + OPROFILE_COOKIE_SWITCH_LENGTH +		\
			 OPROFILE_ANON_RANGE_LENGTH + OPROFILE_PATH_LENGTH + OPROFILE_IBS_OP_LENGTH)
static_assert(OPROFILE_COUNT_LENGTH + OPROFILE_SAMPLE_LENGTH <= OPROFILE_IBS_OP_LENGTH);
static_assert(OPROFILE_IBS_FETCH_LENGTH <= OPROFILE_IBS_OP_LENGTH);

struct record {
	unsigned long words[MAX_WORDS];
	size_t nr;
	bool impossible;	/* whether the sample cannot be encoded */
};

/* Add a word to the record. The word ESCAPE begins each code, and users can choose the values of
 * some words, so replace a value that equals ESCAPE. */
static void word(struct record *r, unsigned long value)
{
	r->impossible |= value == OPROFILE_ESCAPE;
	r->words[r->nr++] = value;
}

static void code(struct record *r, unsigned long value)
{
	r->words[r->nr++] = OPROFILE_ESCAPE;
	r->words[r->nr++] = value;
}

static void enter_cpu(struct oprofile_stream *st, struct record *r, int cpu)
{
	if (st->cpu_known)
		return;
	code(r, OPROFILE_CPU_SWITCH);
	word(r, cpu);
	*st = (struct oprofile_stream){ .names = st->names, .cpu_known = true, .domain = -1 };
}

static void put_name(struct record *r, const struct oprofile_attribution *who)
{
	unsigned long words[OPROFILE_NAME_WORDS];
	int i;

	memcpy(words, who->name, sizeof(words));
	code(r, OPROFILE_TASK_NAME);
	word(r, who->tid);
	word(r, who->named);
	/* An ESCAPE word in a name would look like a code, so write 0 instead. */
	for (i = 0; i < OPROFILE_NAME_WORDS; i++)
		word(r, words[i] == OPROFILE_ESCAPE ? 0 : words[i]);
}

static void enter_task(struct oprofile_stream *st, struct record *r,
		       const struct oprofile_sample *sample)
{
	const struct oprofile_attribution *who = sample->who;

	if (st->group != who->group) {
		code(r, OPROFILE_CGROUP);
		word(r, who->group);
		st->group = who->group;
	}
	if (st->task_known && oprofile_same_attribution(&st->who, who)) {
		/* If only the name has changed, write only the name. */
		if (st->names && memcmp(st->who.name, who->name, sizeof(who->name))) {
			put_name(r, who);
			st->who = *who;
		}
		return;
	}
	code(r, OPROFILE_CTX_SWITCH);
	word(r, who->tid);
	word(r, who->app);
	code(r, OPROFILE_CTX_TGID);
	word(r, who->tgid);
	if (st->names)
		put_name(r, who);
	st->task_known = true;
	st->who = *who;
	st->cookie_known = st->range_known = false;
}

static void enter_domain(struct oprofile_stream *st, struct record *r, u32 domain)
{
	static const unsigned long codes[] = {
		[OPROFILE_IN_KERNEL] = OPROFILE_KERNEL_ENTER,
		[OPROFILE_IN_USER] = OPROFILE_KERNEL_EXIT,
		[OPROFILE_IN_GUEST] = OPROFILE_GUEST_ENTER,
	};

	if (st->domain == domain)
		return;
	code(r, codes[domain]);
	st->domain = domain;
}

static void enter_place(struct oprofile_stream *st, struct record *r,
			const struct oprofile_place *place)
{
	if (!st->cookie_known || st->cookie != place->cookie) {
		code(r, OPROFILE_COOKIE_SWITCH);
		word(r, place->cookie);
		st->cookie = place->cookie;
		st->cookie_known = true;
	}
	if (place->cookie != OPROFILE_NO_COOKIE ||
	    (st->range_known && st->range.start == place->start &&
	     st->range.end == place->end && st->range.kind == place->kind))
		return;
	code(r, OPROFILE_ANON_RANGE);
	word(r, place->start);
	word(r, place->end);
	word(r, place->kind);
	st->range = *place;
	st->range_known = true;
}

static void put_data(struct record *r, unsigned long offset, const struct oprofile_data *data)
{
	u32 i;

	r->impossible |= oprofile_operands(data->code) != 1 + (int)data->nr;
	code(r, data->code);
	word(r, offset);
	for (i = 0; i < data->nr; i++)
		word(r, data->words[i]);
}

static void put_sample(struct record *r, unsigned long offset, const struct oprofile_sample *sample)
{
	if (sample->hit.data) {
		put_data(r, offset, sample->hit.data);
		return;
	}
	if (sample->who->woken) {
		code(r, OPROFILE_WOKEN);
		word(r, offset);
		word(r, sample->hit.event);
		word(r, sample->hit.n);
		word(r, sample->who->woken == OPROFILE_WOKE_KERNEL ? OPROFILE_NO_COOKIE :
								    sample->who->woken);
		return;
	}
	if (sample->has_path) {
		code(r, OPROFILE_PATH);
		word(r, sample->user_node);
		word(r, sample->kernel_node);
	}
	if (sample->hit.n != 1) {
		code(r, OPROFILE_COUNT);
		word(r, sample->hit.n);
	}
	word(r, offset);
	word(r, sample->hit.event);
}

int oprofile_record_sample(struct oprofile_ring *ring, struct oprofile_stream *st, int cpu,
			   const struct oprofile_sample *sample)
{
	struct oprofile_stream next = *st;
	struct record r = { };
	unsigned long offset = sample->hit.where;
	int err;

	enter_cpu(&next, &r, cpu);
	enter_task(&next, &r, sample);
	enter_domain(&next, &r, sample->domain);
	if (sample->domain == OPROFILE_IN_USER) {
		enter_place(&next, &r, sample->place);
		if (sample->place->cookie != OPROFILE_NO_COOKIE) {
			offset = sample->place->offset;
			r.impossible |= offset > OPROFILE_MAX_OFFSET;
		}
	}
	put_sample(&r, offset, sample);
	if (unlikely(r.impossible))
		return -EINVAL;
	err = oprofile_ring_put(ring, r.words, r.nr);
	if (!err)
		*st = next;
	return err;
}

int oprofile_record_foreign(struct oprofile_ring *ring, u64 cookie, pid_t tgid)
{
	const unsigned long record[] = {
		OPROFILE_ESCAPE, OPROFILE_FOREIGN_FILE, cookie, tgid,
	};

	static_assert(ARRAY_SIZE(record) == OPROFILE_FOREIGN_FILE_LENGTH);
	return oprofile_ring_put(ring, record, ARRAY_SIZE(record));
}

int oprofile_record_modules(struct oprofile_ring *ring)
{
	static const unsigned long notice[] = { OPROFILE_ESCAPE, OPROFILE_MODULE_LOADED };

	return oprofile_ring_put(ring, notice, ARRAY_SIZE(notice));
}
