// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_infer.c -- inference of unwind rules from instructions, for code without an entry in its
 * file's unwind table.
 */
#include "config.h"
#include "daemon/source/perf_infer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "daemon/base/budget.h"
#include "libcfi/infer.h"
#include "libop/base/hash.h"

#define NR_PLACES 16384
#define NR_FILES 32
#define PAGE 4096
/* number of bytes of code to read before and after a pc; cfi_infer_at() examines at most BEFORE
 * bytes before the pc */
#define BEFORE 16384
#define AFTER 8192
#define SECOND_NS 1000000000ull
/* Close a file if no sample has needed it for this time: an open file prevents unmounting, and
 * keeps the blocks of a deleted file allocated. */
#define UNUSED_NS SECOND_NS
/* Maximum number of files to open, and of instructions to decode, per second for all processes
 * together. The decoding takes about a twentieth of the CPU time. */
#define OPENS 8
#define WORK 2000000
#define PLACE_WORK 40000 /* maximum number of instructions to decode for one pc */

/* Cache entry: the inferred unwind rule at a pc. The rule depends on the range of code that was
 * read. A user may map a single page of root's file, so the range is part of the key. */
struct place {
	/* file that contains the pc; NULL: unused entry */
	const struct opd_image *image;
	/* .pc: the pc; .from, .to: range of the code that was read; all are file offsets */
	uint64_t pc, from, to;
	struct oprofile_uw_rule rule;
};

struct file {
	const struct opd_image *image; /* image of the file; NULL: unused entry */
	/* descriptor of the file, or the negative errno of the attempt to open it */
	int fd;
	uint64_t opened_at, used_at;
};

struct opd_perf_infer {
	opd_perf_infer_open_fn open;
	void *arg;
	struct opd_budget opens, work;
	struct file files[NR_FILES];
	struct place places[NR_PLACES];
	unsigned char code[BEFORE + AFTER];
};

int opd_perf_infer_create(struct opd_perf_infer **ret, opd_perf_infer_open_fn open, void *arg)
{
	struct opd_perf_infer *i = calloc(1, sizeof(*i));

	if (!i)
		return -ENOMEM;
	i->open = open;
	i->arg = arg;
	i->opens = (struct opd_budget){.kind = OPD_BUDGET_OPENS, .limit = OPENS};
	i->work = (struct opd_budget){.kind = OPD_BUDGET_INSTRUCTIONS, .limit = WORK};
	*ret = i;
	return 0;
}

void opd_perf_infer_set_shares(struct opd_perf_infer *i, struct opd_shares *shares)
{
	i->opens.shares = i->work.shares = shares;
}

/* Return the difference of two times, or 0 if @since is later: samples of different CPUs may be
 * slightly out of order. */
static uint64_t age(uint64_t time, uint64_t since)
{
	return time > since ? time - since : 0;
}

static void close_file(struct file *f)
{
	if (f->image && f->fd >= 0)
		close(f->fd);
	f->image = NULL;
}

void opd_perf_infer_turn(struct opd_perf_infer *i, uint64_t time)
{
	for (size_t n = 0; n < NR_FILES; n++)
		if (age(time, i->files[n].used_at) >= UNUSED_NS)
			close_file(&i->files[n]);
}

void opd_perf_infer_destroy(struct opd_perf_infer *i)
{
	for (size_t n = 0; i && n < NR_FILES; n++)
		close_file(&i->files[n]);
	free(i);
}

/* Return a descriptor of the file of @at->image, or a negative errno. If the file could not be
 * opened, do not try again before a second has passed. */
static int file_of(struct opd_perf_infer *i, const struct opd_perf_infer_at *at)
{
	uint64_t hash = op_hash_number(OP_HASH_BEGIN, (uintptr_t)at->image);
	struct file *f = &i->files[hash % NR_FILES];

	if (f->image == at->image && (f->fd >= 0 || age(at->time, f->opened_at) < SECOND_NS)) {
		f->used_at = at->time;
		return f->fd;
	}
	if (!opd_budget_may(&i->opens, at->tgid, at->time))
		return -EAGAIN;
	opd_budget_charge(&i->opens, 1);
	close_file(f);
	f->fd = i->open(i->arg, at->image, at->tgid);
	f->image = at->image;
	f->opened_at = f->used_at = at->time;
	return f->fd;
}

/* Read the code between file offsets @from and @to into @i->code, up to the first page that is not
 * in the page cache. Return the number of bytes, or 0. */
static size_t read_code(struct opd_perf_infer *i, int fd, uint64_t from, uint64_t to)
{
	struct iovec iov = {i->code, to - from};
	ssize_t n = preadv2(fd, &iov, 1, (off_t)from, RWF_NOWAIT);

	return n > 0 ? (size_t)n : 0;
}

/* Infer the unwind rule at the pc of @want from the code range of @want. Return false if the code
 * at the pc cannot be read. */
static bool infer(struct opd_perf_infer *i, const struct opd_perf_infer_at *at,
		  const struct place *want, int fd, struct oprofile_uw_rule *ret)
{
	struct cfi_code code = {.at = i->code, .machine = at->machine};
	uint64_t from = want->from, page = at->pc - at->pc % PAGE;
	__u64 steps = PLACE_WORK;

	code.size = read_code(i, fd, from, want->to);
	if (at->pc - from >= code.size) {
		/* The pages before the pc's page are not in the page cache: start at the pc's
		 * page. */
		from = page > from ? page : from;
		code.size = read_code(i, fd, from, want->to);
	}
	if (at->pc - from >= code.size)
		return false;
	cfi_infer_at(&code, at->pc - from, false, &steps, ret);
	opd_budget_charge(&i->work, PLACE_WORK - steps);
	return true;
}

static bool is_place(const struct place *p, const struct place *want)
{
	return p->image == want->image && p->pc == want->pc && p->from == want->from &&
	       p->to == want->to;
}

/* Return the cache entry for the pc and code range in @want. */
static struct place *place_of(struct opd_perf_infer *i, const struct place *want)
{
	uint64_t hash = op_hash_number(OP_HASH_BEGIN, (uintptr_t)want->image);

	hash = op_hash_number(op_hash_number(hash, want->pc), want->from);
	return &i->places[op_hash_number(hash, want->to) % NR_PLACES];
}

bool opd_perf_infer_find(struct opd_perf_infer *i, const struct opd_perf_infer_at *at,
			 struct oprofile_uw_rule *ret)
{
	struct place *p, want = {
		.image = at->image,
		.pc = at->pc,
		.from = at->pc - at->start > BEFORE ? at->pc - BEFORE : at->start,
		.to = at->end - at->pc > AFTER ? at->pc + AFTER : at->end,
	};
	int fd;

	if (at->machine == OPROFILE_UW_AARCH64 || at->pc < at->start || at->pc >= at->end)
		return false;
	p = place_of(i, &want);
	if (!is_place(p, &want)) {
		fd = opd_budget_may(&i->work, at->tgid, at->time) ? file_of(i, at) : -EAGAIN;
		if (fd < 0 || !infer(i, at, &want, fd, &want.rule))
			return false;
		*p = want;
	}
	*ret = p->rule;
	return true;
}
