// SPDX-License-Identifier: GPL-2.0-or-later
/* decode_perf.c -- decoder of perf_events records. */
#include "config.h"
#include "daemon/source/decode_perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

/* The read position in the body of a record. A read beyond .end returns 0 and sets .torn. */
struct cursor {
	const unsigned char *at, *end;
	int torn;
};

static void read_data(struct cursor *c, void *out, size_t n)
{
	if ((size_t)(c->end - c->at) < n) {
		c->torn = 1;
		c->at = c->end;
		memset(out, 0, n);
		return;
	}
	memcpy(out, c->at, n);
	c->at += n;
}

static uint32_t take32(struct cursor *c)
{
	uint32_t v;

	read_data(c, &v, sizeof(v));
	return v;
}

static uint64_t take64(struct cursor *c)
{
	uint64_t v;

	read_data(c, &v, sizeof(v));
	return v;
}

/* Read the sample_id fields at the end of the record, and remove them from the record's body. Which
 * fields exist depends on the event's attr, not on the record. */
static void read_trailer(struct cursor *c, struct opd_perf_record *r,
			 const struct opd_perf_format *fmt)
{
	struct cursor t;
	size_t size = 0;

	if (!fmt->sample_id_all)
		return;
	if (fmt->sample_type & PERF_SAMPLE_TID)
		size += 8;
	if (fmt->sample_type & PERF_SAMPLE_TIME)
		size += 8;
	if (fmt->sample_type & PERF_SAMPLE_CPU)
		size += 8;
	if (fmt->sample_type & PERF_SAMPLE_IDENTIFIER)
		size += 8;
	if ((size_t)(c->end - c->at) < size) {
		c->torn = 1;
		return;
	}
	t = (struct cursor){ .at = c->end - size, .end = c->end };
	c->end -= size;
	if (fmt->sample_type & PERF_SAMPLE_TID) {
		r->pid = (int32_t)take32(&t);
		r->tid = (int32_t)take32(&t);
	}
	if (fmt->sample_type & PERF_SAMPLE_TIME)
		r->time = take64(&t);
}

/* Return a pointer to the next @nr elements of @size bytes in the record's body, and advance the
 * cursor past them. Return NULL if the body is too short. */
static const unsigned char *read_bytes(struct cursor *c, uint64_t nr, size_t size)
{
	const unsigned char *at = c->at;

	if (nr > (size_t)(c->end - c->at) / size) {
		c->torn = 1;
		c->at = c->end;
		return NULL;
	}
	c->at += nr * size;
	return at;
}

static void decode_stack(struct cursor *c, struct opd_perf_stack *s,
			 const struct opd_perf_format *fmt)
{
	if (fmt->sample_type & PERF_SAMPLE_CALLCHAIN) {
		s->nr_chain = take64(c);
		s->chain = read_bytes(c, s->nr_chain, 8);
	}
	if (fmt->sample_type & PERF_SAMPLE_REGS_USER) {
		s->abi = take64(c);
		if (s->abi)
			s->regs = read_bytes(c, fmt->nr_regs, 8);
	}
	if (fmt->sample_type & PERF_SAMPLE_STACK_USER) {
		uint64_t asked = take64(c);

		s->bytes = read_bytes(c, asked, 1);
		s->size = asked ? take64(c) : 0;
		s->full = s->size == asked;
		if (s->size > asked)
			c->torn = 1;
	}
}

static void decode_sample(struct cursor *c, struct opd_perf_record *r,
			  const struct opd_perf_format *fmt)
{
	memset(&r->sample, 0, sizeof(r->sample));
	if (fmt->sample_type & PERF_SAMPLE_IDENTIFIER)
		r->sample.id = take64(c);
	if (fmt->sample_type & PERF_SAMPLE_IP)
		r->sample.ip = take64(c);
	if (fmt->sample_type & PERF_SAMPLE_TID) {
		r->pid = (int32_t)take32(c);
		r->tid = (int32_t)take32(c);
	}
	if (fmt->sample_type & PERF_SAMPLE_TIME)
		r->time = take64(c);
	decode_stack(c, &r->sample.stack, fmt);
	if (fmt->sample_type & PERF_SAMPLE_CGROUP)
		r->sample.cgroup = take64(c);
}

/* Return the rest of the record's body as a string. The kernel pads strings with NULs, so a body
 * without a final NUL is truncated. */
static const char *read_name(struct cursor *c)
{
	c->torn |= c->at == c->end || c->end[-1];
	return (const char *)c->at;
}

static void decode_mmap(struct cursor *c, struct opd_perf_record *r, bool is_mmap2,
			bool has_build_id)
{
	struct {
		int32_t pid, tid;
		uint64_t start, len, pgoff;
	} m;
	struct {
		uint32_t major, minor;
		uint64_t ino, generation;
		uint32_t prot, flags;
	} file = { 0 };

	read_data(c, &m, sizeof(m));
	if (is_mmap2)
		read_data(c, &file, sizeof(file));
	if (has_build_id)
		memset(&file, 0, sizeof(file));
	r->pid = m.pid;
	r->tid = m.tid;
	r->mmap.start = m.start;
	r->mmap.len = m.len;
	r->mmap.pgoff = m.pgoff;
	r->mmap.major = file.major;
	r->mmap.minor = file.minor;
	r->mmap.ino = file.ino;
	r->mmap.generation = file.generation;
	r->mmap.path = read_name(c);
}

static void decode_name(struct cursor *c, struct opd_perf_record *r)
{
	int32_t ids[2];

	read_data(c, ids, sizeof(ids));
	r->pid = ids[0];
	r->tid = ids[1];
	r->name.text = read_name(c);
}

static void decode_task(struct cursor *c, struct opd_perf_record *r)
{
	struct {
		int32_t pid, parent_pid, tid, parent_tid;
		uint64_t time;
	} t;

	read_data(c, &t, sizeof(t));
	r->pid = t.pid;
	r->tid = t.tid;
	r->time = t.time;
	r->fork.parent_pid = t.parent_pid;
	r->fork.parent_tid = t.parent_tid;
}

static enum opd_perf_mode mode_of(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return OPD_PERF_MODE_KERNEL;
	case PERF_RECORD_MISC_USER:
		return OPD_PERF_MODE_USER;
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
		return OPD_PERF_MODE_GUEST;
	default:
		return OPD_PERF_MODE_OTHER;
	}
}

/* Set to "unknown" all members that every type of record has. The caller sets .kind and the members
 * of this type of record. */
static void begin(struct opd_perf_record *r)
{
	r->kind = OPD_PERF_OTHER;
	r->mode = OPD_PERF_MODE_OTHER;
	r->time = 0;
	r->pid = r->tid = 0;
}

static void decode_body(struct cursor *c, struct opd_perf_record *r, uint32_t type, uint16_t misc,
			const struct opd_perf_format *fmt)
{
	if (type == PERF_RECORD_SAMPLE) {
		r->kind = OPD_PERF_SAMPLE;
		r->mode = mode_of(misc);
		decode_sample(c, r, fmt);
		return;
	}

	read_trailer(c, r, fmt);
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		r->kind = OPD_PERF_MMAP;
		decode_mmap(c, r, type == PERF_RECORD_MMAP2, misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
		break;
	case PERF_RECORD_COMM:
		r->kind = misc & PERF_RECORD_MISC_COMM_EXEC ? OPD_PERF_EXEC : OPD_PERF_NAME;
		decode_name(c, r);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		r->kind = type == PERF_RECORD_FORK ? OPD_PERF_FORK : OPD_PERF_EXIT;
		decode_task(c, r);
		break;
	case PERF_RECORD_LOST:
		r->kind = OPD_PERF_LOST;
		r->lost.id = take64(c);
		r->lost.nr = take64(c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->kind = OPD_PERF_LOST_SAMPLES;
		r->lost.id = 0;
		r->lost.nr = take64(c);
		break;
	case PERF_RECORD_THROTTLE:
		r->kind = OPD_PERF_THROTTLE;
		break;
	case PERF_RECORD_CGROUP:
		r->kind = OPD_PERF_CGROUP;
		r->cgroup.id = take64(c);
		r->cgroup.path = read_name(c);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		r->kind = OPD_PERF_SWITCH;
		r->change.out = misc & PERF_RECORD_MISC_SWITCH_OUT;
		r->change.can_run = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		break;
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
		r->kind = OPD_PERF_KERNEL_CODE;
		break;
	default:
		break;
	}
}

#define PLAIN_SAMPLE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* Decode a sample that has the most frequent layout. Return false for any other layout. This
 * function executes a third of the instructions of decode_body(). */
static bool decode_plain_sample(struct opd_perf_record *r, const void *body,
				const struct perf_event_header *h,
				const struct opd_perf_format *fmt)
{
	struct {
		uint64_t ip;
		int32_t pid, tid;
		uint64_t time, cgroup;
	} s = { .cgroup = 0 };
	const bool has_cgroup = fmt->sample_type == (PLAIN_SAMPLE | PERF_SAMPLE_CGROUP);
	const size_t size = sizeof(s) - (has_cgroup ? 0 : sizeof(s.cgroup));

	if (h->type != PERF_RECORD_SAMPLE || (fmt->sample_type != PLAIN_SAMPLE && !has_cgroup) ||
	    h->size != sizeof(*h) + size)
		return false;
	memcpy(&s, body, size);
	r->kind = OPD_PERF_SAMPLE;
	r->mode = mode_of(h->misc);
	r->time = s.time;
	r->pid = s.pid;
	r->tid = s.tid;
	r->sample.ip = s.ip;
	r->sample.id = 0;
	r->sample.cgroup = s.cgroup;
	r->sample.stack = (struct opd_perf_stack){ 0 };
	return true;
}

ssize_t opd_perf_decode(struct opd_perf_record *ret, const void *buf, size_t len,
			const struct opd_perf_format *fmt)
{
	struct perf_event_header h;
	struct cursor c;

	if (len < sizeof(h))
		return 0;
	memcpy(&h, buf, sizeof(h));
	if (h.size < sizeof(h) || h.size % 8)
		return -EBADMSG;
	if (len < h.size)
		return 0;

	c = (struct cursor){
		.at = (const unsigned char *)buf + sizeof(h),
		.end = (const unsigned char *)buf + h.size,
	};
	if (decode_plain_sample(ret, c.at, &h, fmt))
		return h.size;
	begin(ret);
	decode_body(&c, ret, h.type, h.misc, fmt);
	if (c.torn)
		begin(ret);
	return h.size;
}
