// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * decode_oprofilefs.c -- decoder of the kernel module's `buffer` file: converts its words to runs
 * of samples.
 */
#include "config.h"
#include "daemon/source/decode_oprofilefs.h"

#include <stdbool.h>
#include <string.h>

#include "daemon/image/anon.h"
#include "daemon/image/cgroups.h"
#include "daemon/image/image.h"
#include "daemon/source/stream_paths.h"
#include "module/uapi/oprofile.h"

#define MAX_CPU		65535
#define MAX_PID		(1ul << 30)
#define MAX_COUNT	UINT32_MAX
/* number of words that are searched for cookies before they are decoded, to prefetch the cookies'
 * table entries */
#define WORDS_AHEAD	256

static void deliver(struct opd_decoder *d)
{
	size_t nr = d->nr_run;

	if (!nr)
		return;
	d->nr_run = 0;
	d->sink->samples(d->sink, &d->ctx, d->run, nr);
}

static void count_lost(struct opd_decoder *d, const char *name)
{
	d->sink->lost(d->sink, name, d->count);
	d->taken += d->count;
	d->count = 1;
	d->has_path = false;
}

static void bad_record(struct opd_decoder *d)
{
	d->sink->unread(d->sink, "stream_bad_record", 1);
	d->count = 1;
	d->has_path = false;
}

static void update_mode(struct opd_decoder *d)
{
	d->max_plain = OPROFILE_ESCAPE - 1;
	if (d->domain == OPROFILE_GUEST_ENTER) {
		d->mode = OPD_DECODE_GUEST;
		d->ctx.domain = OPD_GUEST;
		d->ctx.image = NULL;
	} else if (d->domain != OPROFILE_KERNEL_EXIT) {
		d->mode = d->domain ? OPD_DECODE_KERNEL : OPD_DECODE_NO_DOMAIN;
		d->ctx.domain = OPD_KERNEL;
		d->ctx.image = NULL;
	} else if (d->cookie == OPROFILE_NO_COOKIE && d->ctx.anon.label) {
		d->mode = OPD_DECODE_ANON;
		d->ctx.domain = OPD_USER_ANON;
		d->ctx.image = NULL;
	} else if (d->image) {
		d->mode = OPD_DECODE_FILE;
		d->max_plain = OPROFILE_MAX_OFFSET;
		d->ctx.domain = OPD_USER_FILE;
		d->ctx.image = d->image;
	} else {
		d->mode = OPD_DECODE_NO_FILE;
	}
}

static const struct opd_image *image_of(void *arg, uint64_t cookie, pid_t tgid)
{
	const struct opd_decoder *d = arg;

	if (cookie == OPROFILE_NO_COOKIE || cookie == OPROFILE_INVALID_COOKIE)
		return NULL;
	return d->image_of(d->image_of_arg, cookie, tgid);
}

static void set_group(struct opd_decoder *d, uint64_t id)
{
	d->group = id;
	d->ctx.unit = opd_cgroups_unit(d->cgroups, id);
}

static void cpu_switch(struct opd_decoder *d, unsigned long cpu)
{
	d->trace = OPD_TRACE_NONE;
	set_group(d, 0);
	if (cpu > MAX_CPU)
		bad_record(d);
	else
		d->ctx.cpu = cpu;
}

static void context_switch(struct opd_decoder *d, const unsigned long *op)
{
	if (op[0] > MAX_PID || op[2] != OPROFILE_ESCAPE || op[3] != OPROFILE_CTX_TGID ||
	    op[4] > MAX_PID) {
		/* A context switch record with an invalid word lacks some words. Skip all words up
		 * to the next escape: the following words could be operands, and must not be
		 * decoded as samples. */
		bad_record(d);
		d->resync = 1;
		return;
	}
	d->ctx.tid = op[0];
	d->ctx.tgid = op[4];
	d->ctx.app = image_of(d, op[1], d->ctx.tgid);
}

/* Report the name of the current task to the sink. If the record contains another task's id, words
 * are missing from the stream: count the record as bad. */
static void task_name(struct opd_decoder *d, const unsigned long *op)
{
	char name[OPROFILE_NAME_SIZE];

	if (op[0] != (unsigned long)d->ctx.tid) {
		bad_record(d);
		return;
	}
	memcpy(name, op + 2, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	if (*name)
		d->sink->named(d->sink, d->ctx.tgid, d->ctx.tid, name, op[1]);
}

/* Return the name of the counter of lost samples for a sample at @offset, or NULL if the sample is
 * valid. */
static const char *loss_of(const struct opd_decoder *d, unsigned long offset)
{
	if (d->mode == OPD_DECODE_NO_DOMAIN)
		return "lost_no_domain";
	if (d->mode == OPD_DECODE_NO_FILE)
		return "lost_no_file";
	if (offset > d->max_plain)
		return "lost_torn_record";
	if (d->mode == OPD_DECODE_ANON &&
	    (offset < d->ctx.anon.start || offset >= d->ctx.anon.end))
		return "lost_torn_record";
	return NULL;
}

/* Decode a record of a CPU feature such as IBS. The record describes one interrupt, from which any
 * number of events is derived. The caller has already delivered the collected samples to the
 * sink. */
static void ext_record(struct opd_decoder *d, unsigned long code, const unsigned long *op)
{
	const char *loss = loss_of(d, op[0]);
	uint64_t derived = 0;
	int nr = 0;

	if (!loss) {
		nr = d->derive ? d->derive(d->ext, code, op, d->run) : -1;
		if (nr < 0)
			loss = "lost_event";
	}
	if (loss) {
		count_lost(d, loss);
		return;
	}
	for (int i = 0; i < nr; i++) {
		d->run[i].offset = op[0];
		derived += d->run[i].count;
	}
	d->taken++;
	d->sink->converted(d->sink, derived);
	if (nr)
		d->sink->samples(d->sink, &d->ctx, d->run, nr);
}

/* Decode a sample of a waker. The caller has already delivered the collected samples to the
 * sink. */
static void woken_record(struct opd_decoder *d, const unsigned long *op)
{
	const struct opd_image *program = image_of(d, op[3], 0);
	const struct opd_sample sample = { op[0], op[1], op[2] };
	const char *loss = loss_of(d, op[0]);

	if (!op[2] || op[2] > MAX_COUNT) {
		bad_record(d);
		return;
	}
	d->count = op[2];
	if (op[1] > UINT32_MAX)
		loss = "lost_event";
	else if (!program && op[3] != OPROFILE_NO_COOKIE)
		loss = "lost_no_file";
	if (loss) {
		count_lost(d, loss);
		return;
	}
	d->taken += d->count;
	d->count = 1;
	d->ctx.woken = program ? program : &opd_kernel_threads;
	d->sink->samples(d->sink, &d->ctx, &sample, 1);
	d->ctx.woken = NULL;
}

/* Handle a record about the task of the context. */
static void task_record(struct opd_decoder *d, unsigned long code, const unsigned long *op)
{
	if (code == OPROFILE_TASK_NAME)
		task_name(d, op);
	else if (code == OPROFILE_CGROUP)
		set_group(d, op[0]);
	else
		woken_record(d, op);
}

/* Open a file while a process has it mapped. Its image is found again at its first sample. */
static void foreign_file(struct opd_decoder *d, const unsigned long *op)
{
	if (op[1] > MAX_PID)
		bad_record(d);
	else
		image_of(d, op[0], op[1]);
}

static void set_count(struct opd_decoder *d, unsigned long n)
{
	if (n == 0 || n > MAX_COUNT)
		bad_record(d);
	else
		d->count = n;
}

static void anon_range(struct opd_decoder *d, const unsigned long *op)
{
	if (op[0] >= op[1]) {
		bad_record(d);
		d->ctx.anon.label = NULL;
	} else {
		d->ctx.anon.start = op[0];
		d->ctx.anon.end = op[1];
		d->ctx.anon.label = opd_anon_kind_label(op[2]);
	}
	update_mode(d);
}

/* Handle a record about call paths. If the number of a node or image is invalid, do not store the
 * node or image, and count the record as bad. Later records that refer to this number also count as
 * bad. */
static void path_record(struct opd_decoder *d, unsigned long code, const unsigned long *op)
{
	int err = 0;

	if (!d->paths)
		return;
	switch (code) {
	case OPROFILE_PATH:
		d->has_path = true;
		d->user_node = op[0];
		d->kernel_node = op[1];
		break;
	case OPROFILE_PATH_NODE:
		err = opd_stream_paths_node(d->paths, op);
		break;
	case OPROFILE_PATH_IMAGE:
		err = opd_stream_paths_image(d->paths, op);
		break;
	case OPROFILE_PATHS_ANEW:
		opd_stream_paths_anew(d->paths);
		break;
	case OPROFILE_TABLE_WANTED:
		if (d->table_wanted)
			d->table_wanted(d->table_wanted_arg, op[0]);
		break;
	}
	if (err)
		bad_record(d);
}

/* Handle a complete record. @code is the record's type, and @op points to its operands. */
static void escape(struct opd_decoder *d, unsigned long code, const unsigned long *op)
{
	if (d->count != 1 || (d->has_path && code != OPROFILE_COUNT))
		/* a count or a call path was not followed by its sample */
		bad_record(d);
	if (code != OPROFILE_COUNT)
		deliver(d);

	switch (code) {
	case OPROFILE_CTX_SWITCH:
		/* A context switch ends a call trace, except between the record TRACE_BEGIN and the
		 * first sample of the trace. */
		if (d->trace == OPD_TRACE_CALLERS)
			d->trace = OPD_TRACE_NONE;
		context_switch(d, op);
		break;
	case OPROFILE_CPU_SWITCH:
		cpu_switch(d, op[0]);
		break;
	case OPROFILE_COOKIE_SWITCH:
		d->cookie = op[0];
		d->image = image_of(d, op[0], d->ctx.tgid);
		update_mode(d);
		break;
	case OPROFILE_KERNEL_ENTER:
	case OPROFILE_KERNEL_EXIT:
	case OPROFILE_GUEST_ENTER:
		d->domain = code;
		update_mode(d);
		break;
	case OPROFILE_MODULE_LOADED:
		d->sink->modules_changed(d->sink);
		break;
	case OPROFILE_TRACE_BEGIN:
		d->trace = OPD_TRACE_LEAF;
		break;
	case OPROFILE_COUNT:
		set_count(d, op[0]);
		break;
	case OPROFILE_ANON_RANGE:
		anon_range(d, op);
		break;
	case OPROFILE_IBS_FETCH:
	case OPROFILE_IBS_OP:
		ext_record(d, code, op);
		break;
	case OPROFILE_TASK_NAME ... OPROFILE_WOKEN:
		task_record(d, code, op);
		break;
	case OPROFILE_PATH ... OPROFILE_TABLE_WANTED:
		path_record(d, code, op);
		break;
	case OPROFILE_FOREIGN_FILE:
		foreign_file(d, op);
		break;
	default:
		/* a record type whose length is known, but which this decoder ignores */
		d->sink->unread(d->sink, "stream_unknown_code", 1);
	}
}

/* Deliver the last collected sample, which has a call path, to the sink as a run of one sample. If
 * the path is unknown, or of another context, deliver the sample without a path. */
static void deliver_with_path(struct opd_decoder *d)
{
	const struct opd_path_leaf leaf = {
		d->cookie, d->run[d->nr_run - 1].offset, d->user_node, d->kernel_node,
	};

	d->ctx.path = opd_stream_paths_find(d->paths, &d->ctx, &leaf, image_of, d);
	if (!d->ctx.path)
		bad_record(d);
	deliver(d);
	d->ctx.path = NULL;
	d->has_path = false;
}

/* Handle a sample that plain_samples() does not decode: skip the callers of a call trace, count a
 * lost sample, or add a valid sample to the run. */
static void slow_sample(struct opd_decoder *d, unsigned long offset, unsigned long event)
{
	if (d->trace == OPD_TRACE_CALLERS) {
		d->count = 1;
		d->has_path = false;
		return;
	}
	if (d->trace == OPD_TRACE_LEAF)
		d->trace = OPD_TRACE_CALLERS;

	if (event > UINT32_MAX) {
		count_lost(d, "lost_event");
	} else if (loss_of(d, offset)) {
		count_lost(d, loss_of(d, offset));
	} else {
		d->run[d->nr_run++] = (struct opd_sample){ offset, event, d->count };
		d->taken += d->count;
		d->count = 1;
		if (d->has_path)
			deliver_with_path(d);
		else if (d->nr_run == OPD_DECODE_RUN)
			deliver(d);
	}
}

/* Decode samples (pairs of words) up to the next escape or an incomplete pair. Return a pointer to
 * the first word that was not decoded. */
static const unsigned long *plain_samples(struct opd_decoder *d, const unsigned long *p,
					  const unsigned long *end)
{
	const unsigned long max = d->max_plain;

	while (end - p >= 2 && p[0] != OPROFILE_ESCAPE) {
		struct opd_sample *s = d->run + d->nr_run;
		struct opd_sample *limit = d->run + OPD_DECODE_RUN;

		while (s < limit && end - p >= 2 && p[0] <= max && p[1] <= UINT32_MAX) {
			*s++ = (struct opd_sample){ p[0], p[1], 1 };
			p += 2;
		}
		d->taken += s - (d->run + d->nr_run);
		d->nr_run = s - d->run;
		if (s == limit) {
			deliver(d);
			continue;
		}
		if (end - p >= 2 && p[0] != OPROFILE_ESCAPE) {
			if (p[1] == OPROFILE_ESCAPE)
				break;
			count_lost(d, p[0] > max ? "lost_torn_record" : "lost_event");
			p += 2;
		}
	}
	return p;
}

/*
 * Return true if one of the @nr operands @op is the word ESCAPE, which means that words are
 * missing. Two operands may be ESCAPE: the inner escape of a context switch record, and the invalid
 * cookie that OProfile's original module wrote.
 */
static bool has_escape(unsigned long code, const unsigned long *op, int nr)
{
	if (code == OPROFILE_COOKIE_SWITCH)
		return false;
	for (int i = 0; i < nr; i++) {
		if (op[i] == OPROFILE_ESCAPE &&
		    !(code == OPROFILE_CTX_SWITCH && (i == 1 || i == 2)))
			return true;
	}
	return false;
}

/* Skip words up to the start of the next record, or up to @end. Return the first word after the
 * skipped words. */
static const unsigned long *resynchronise(struct opd_decoder *d, const unsigned long *p,
					  const unsigned long *end)
{
	while (p < end && d->resync) {
		if (*p == OPROFILE_ESCAPE) {
			if (end - p < 2)
				return p;
			/* Two ESCAPE words follow each other: the first is an operand of a record
			 * whose start was lost. */
			d->resync = oprofile_operands(p[1]) < 0;
		}
		p += d->resync;
	}
	return p;
}

/* Decode the words from @p to @end. Return a pointer to the first word that was not decoded: @end,
 * or the start of an incomplete record. */
static const unsigned long *decode_some(struct opd_decoder *d, const unsigned long *p,
					const unsigned long *end)
{
	while (p < end) {
		int operands;

		p = resynchronise(d, p, end);
		if (p == end || d->resync)
			return p;
		if (p[0] != OPROFILE_ESCAPE) {
			if (d->count == 1 && !d->has_path && d->trace == OPD_TRACE_NONE &&
			    (d->mode == OPD_DECODE_KERNEL || d->mode == OPD_DECODE_FILE))
				p = plain_samples(d, p, end);
			if (end - p < 2)
				return p;
			if (p[0] == OPROFILE_ESCAPE)
				continue;
			if (p[1] == OPROFILE_ESCAPE) {
				count_lost(d, "lost_torn_record");
				p++;
				continue;
			}
			slow_sample(d, p[0], p[1]);
			p += 2;
			continue;
		}

		if (end - p < 2)
			return p;
		operands = oprofile_operands(p[1]);
		if (operands < 0) {
			d->sink->unread(d->sink, "stream_unknown_code", 1);
			d->count = 1;
			d->has_path = false;
			d->resync = 1;
			p++;
			continue;
		}
		if (end - p < 2 + operands)
			return p;
		if (has_escape(p[1], p + 2, operands)) {
			bad_record(d);
			d->resync = 1;
		} else {
			escape(d, p[1], p + 2);
		}
		p += 2;
		if (!d->resync)
			p += operands;
	}
	return p;
}

void opd_decoder_init(struct opd_decoder *d, struct opd_sink *sink,
		      const struct opd_image *(*image_of_cookie)(void *arg, uint64_t cookie,
								 pid_t tgid),
		      void *image_of_arg)
{
	memset(d, 0, sizeof(*d));
	d->sink = sink;
	d->image_of = image_of_cookie;
	d->image_of_arg = image_of_arg;
	d->cookie = OPROFILE_INVALID_COOKIE;
	d->count = 1;
}

/* Prefetch the table entries of cookies that the decoder will look up soon. It does no harm if a
 * word is not a cookie. */
static void prefetch_cookies(const struct opd_decoder *d, const unsigned long *p,
			     const unsigned long *end)
{
	for (; p + 3 < end; p++) {
		if (*p != OPROFILE_ESCAPE)
			continue;
		if (p[1] == OPROFILE_COOKIE_SWITCH)
			d->image_ahead(d->image_of_arg, p[2]);
		else if (p[1] == OPROFILE_CTX_SWITCH)
			d->image_ahead(d->image_of_arg, p[3]);
	}
}

void opd_decode(struct opd_decoder *d, const unsigned long *words, size_t nr)
{
	const unsigned long *p = words, *end = words + nr;

	/* A new session may have begun since the last call, which makes the old unit invalid. */
	set_group(d, d->group);
	/* Complete the record that the last call left incomplete: append one word at a time, and
	 * try to decode the record. */
	while (d->nr_tail && p < end) {
		const unsigned long *stop;

		d->tail[d->nr_tail++] = *p++;
		stop = decode_some(d, d->tail, d->tail + d->nr_tail);
		d->nr_tail -= stop - d->tail;
		memmove(d->tail, stop, d->nr_tail * sizeof(*d->tail));
	}
	while (p < end) {
		const unsigned long *stop = end - p > WORDS_AHEAD ? p + WORDS_AHEAD : end;

		if (d->image_ahead)
			prefetch_cookies(d, p, stop);
		/* This call decodes at least one record, because each record is shorter than
		 * WORDS_AHEAD. */
		p = decode_some(d, p, stop);
		if (stop == end)
			break;
	}
	if (p < end) {
		d->nr_tail = end - p;
		memcpy(d->tail, p, d->nr_tail * sizeof(*p));
	}
	deliver(d);
}

void opd_decode_end(struct opd_decoder *d)
{
	if (d->nr_tail) {
		if (d->tail[0] == OPROFILE_ESCAPE)
			bad_record(d);
		else
			count_lost(d, "lost_torn_record");
	} else if (d->count != 1 || d->has_path || d->trace == OPD_TRACE_LEAF) {
		bad_record(d);
	}
	d->nr_tail = 0;
	d->trace = OPD_TRACE_NONE;
}
