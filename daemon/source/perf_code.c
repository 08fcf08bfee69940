// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_code.c -- frames of JIT code without unwind tables, found by analysis of the code's
 * instructions.
 */
#include "config.h"
#include "daemon/source/perf_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/budget.h"
#include "libop/base/hash.h"
#include "module/uapi/unwind_walk.h"

#define NR_PLACES 4096
#define NR_PAGES 512
#define PAGE 4096
/* Maximum age in ns of a copied page of code; limited, because the process may replace its code. */
#define KEPT_NS 2000000000ull
/* If the analysis of the code found no frame, read the pages that are older than this many ns
 * again: the code may have been incomplete when it was copied. */
#define FRESH_NS 50000000ull
/* Maximum number of pages of code to read per second, for all processes together. */
#define READS 200
/* Maximum number of instructions and words of code to analyse per second, for all processes
 * together. The analysis takes about a twentieth of the CPU time. */
#define WORK 2000000
#define SECOND_NS 1000000000ull
#define NR_ENTERED 64
#define NR_RETURNED 64
#define NR_FUNCTIONS 64
#define ENTERED_NS (60 * SECOND_NS)
#define PIECE (64u << 10) /* A mapping of JIT code is searched in blocks of this size, in bytes. */
#define MAX_PIECES 16
#define CALL_SIZE 5 /* size in bytes of a direct call instruction on x86_64 */

/* A copied page of code from a process's memory. */
struct page {
	pid_t pid; /* process that contains the code; 0: unused entry */
	uint64_t address, read_at;
	size_t size; /* number of bytes of the page that could be read */
	unsigned char bytes[PAGE];
};

/* Cache entry: the frame that the analysis of the code found at a program counter. */
struct place {
	pid_t pid; /* process that contains the code; 0: unused entry */
	bool is_return;
	uint64_t pc, read_at;
	struct cfi_shown shown;
};

/* Cache entry: a mapping of JIT code, and the interpreter function that jumps into it. The JIT code
 * uses the stack frame of this function. */
struct entered {
	pid_t pid; /* process that contains the code; 0: unused entry */
	bool scanned;
	uint64_t mapping, found_at;
	struct cfi_entered found;
};

/* Cache entry: the stack frames that are known for a mapping of JIT code. */
struct returned {
	pid_t pid; /* process that contains the code; 0: unused entry */
	uint64_t mapping, found_at;
	struct cfi_returned frames;
};

/* Cache entry: the result of cfi_leaves_by_jump() for a function. */
struct function {
	pid_t pid; /* process that contains the code; 0: unused entry */
	bool leaves_by_jump;
	uint64_t begin, found_at;
};

struct opd_perf_code {
	opd_perf_stacks_read_fn read;
	void *arg;
	struct opd_budget reads, work;
	uint64_t kept_ns; /* maximum age in ns of copied pages that the current search may use */
	struct place places[NR_PLACES];
	struct entered entered[NR_ENTERED];
	struct returned returned[NR_RETURNED];
	struct function functions[NR_FUNCTIONS];
	unsigned char piece[PIECE];
	struct page pages[NR_PAGES];
};

int opd_perf_code_create(struct opd_perf_code **ret, opd_perf_stacks_read_fn read, void *arg)
{
	struct opd_perf_code *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->read = read;
	c->arg = arg;
	c->reads = (struct opd_budget){.kind = OPD_BUDGET_READS, .limit = READS};
	c->work = (struct opd_budget){.kind = OPD_BUDGET_WORDS, .limit = WORK};
	c->kept_ns = KEPT_NS;
	*ret = c;
	return 0;
}

void opd_perf_code_set_shares(struct opd_perf_code *c, struct opd_shares *shares)
{
	c->reads.shares = c->work.shares = shares;
}

void opd_perf_code_destroy(struct opd_perf_code *c)
{
	free(c);
}

/* Return the difference of two times, or 0 if @since is later: samples of different CPUs may be
 * slightly out of order. */
static uint64_t age(uint64_t time, uint64_t since)
{
	return time > since ? time - since : 0;
}

static bool may_read(struct opd_perf_code *c, const struct opd_perf_code_at *at)
{
	if (!opd_budget_may(&c->reads, at->pid, at->time))
		return false;
	opd_budget_charge(&c->reads, 1);
	return true;
}

bool opd_perf_code_may_work(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			    unsigned int amount)
{
	if (!opd_budget_may(&c->work, at->pid, at->time))
		return false;
	opd_budget_charge(&c->work, amount);
	return true;
}

static uint64_t hash_of(pid_t pid, uint64_t address)
{
	return op_hash_number(op_hash_number(OP_HASH_BEGIN, (uint64_t)pid), address);
}

/* Return a copy of the page at @address of the process @at->pid, or NULL if the limits of reads per
 * second do not allow reading the page now. */
static const struct page *page_at(struct opd_perf_code *c, const struct opd_perf_code_at *at,
				  uint64_t address)
{
	struct page *p = &c->pages[hash_of(at->pid, address) % NR_PAGES];
	ssize_t n;

	if (p->pid == at->pid && p->address == address && age(at->time, p->read_at) < c->kept_ns)
		return p;
	if (at->tid <= 0 || !may_read(c, at))
		return NULL;
	n = c->read(c->arg, at->tid, address, p->bytes, PAGE);
	p->pid = at->pid;
	p->address = address;
	p->read_at = at->time;
	p->size = n > 0 ? (size_t)n : 0;
	return p;
}

/* The state of one analysis of JIT code: a search for the instructions by which the code leaves its
 * function. */
struct search {
	struct opd_perf_code *c;
	const struct opd_perf_code_at *at;
	struct cfi_shown shown;
	bool unread; /* code that the search needs could not be read now */
	/* a code of enum oprofile_uw_end if the JIT code jumps to code that is not loaded yet;
	 * otherwise 0 */
	int end;
};

/* Copy up to @size bytes of the process's code at @address to @to. Return the number of copied
 * bytes. */
static size_t copy_code(void *data, uint64_t address, unsigned char *to, size_t size)
{
	struct search *s = data;
	size_t done = 0;

	while (done < size) {
		uint64_t page = (address + done) & ~(uint64_t)(PAGE - 1);
		size_t offset = (size_t)(address + done - page), left = size - done;
		const struct page *p = page_at(s->c, s->at, page);

		if (!p)
			s->unread = true;
		if (!p || p->size <= offset)
			return done;
		if (left > p->size - offset)
			left = p->size - offset;
		memcpy(to + done, p->bytes + offset, left);
		done += left;
	}
	return done;
}

static size_t code(void *data, __u64 address, unsigned char *to, size_t size)
{
	struct search *s = data;

	if (opd_perf_code_may_work(s->c, s->at, 1))
		return copy_code(data, address, to, size);
	s->unread = true;
	return 0;
}

static int target(void *data, __u64 address, struct cfi_target *ret)
{
	const struct search *s = data;

	return s->at->target(s->at->arg, address, ret);
}

static bool may_work(void *data, unsigned int amount)
{
	const struct search *s = data;

	return opd_perf_code_may_work(s->c, s->at, amount);
}

/* Return the cache entry of the mapping of JIT code that begins at @mapping. If the mapping was not
 * searched yet, the entry is empty. */
static struct entered *entered_of(struct search *s, uint64_t mapping)
{
	struct entered *e = &s->c->entered[hash_of(s->at->pid, mapping) % NR_ENTERED];

	if (e->pid != s->at->pid || e->mapping != mapping ||
	    age(s->at->time, e->found_at) >= (e->found.is_found ? ENTERED_NS : KEPT_NS))
		*e = (struct entered){.pid = s->at->pid, .mapping = mapping};
	return e;
}

/* Search the mapping @t of JIT code for jumps to the interpreter function whose stack frame the
 * code uses. Store the result in the cache, and return it. */
static const struct cfi_entered *scan(void *data, const struct cfi_target *t)
{
	struct search *s = data;
	struct entered *e = entered_of(s, t->begin);
	uint64_t at = t->begin;

	if (e->scanned)
		return &e->found;
	e->scanned = true;
	e->found_at = s->at->time;
	for (int n = 0; n < MAX_PIECES && at < t->end && s->at->tid > 0 && may_read(s->c, s->at);
	     n++, at += PIECE) {
		ssize_t got = s->c->read(s->c->arg, s->at->tid, at, s->c->piece,
					 t->end - at < PIECE ? t->end - at : PIECE);

		if (got <= 0 || !cfi_entered_scan(&e->found, s->c->piece, at, (size_t)got, target,
						  may_work, s))
			break;
	}
	e->found.read_all = at >= t->end;
	return &e->found;
}

/* Return true if the instruction before the program counter is a call. */
static bool is_after_call(struct search *s)
{
	unsigned char before[8];
	size_t size = sizeof(before);

	/* The eight bytes may begin on the page before the program counter's page. If that page
	 * cannot be read, use only the bytes on the program counter's page. */
	if (copy_code(s, s->at->pc - size, before, size) < size) {
		size = s->at->pc % PAGE;
		if (size >= sizeof(before))
			return false;
		memset(before, 0, sizeof(before));
		if (copy_code(s, s->at->pc - size, before + sizeof(before) - size, size) < size)
			return false;
	}
	return oprofile_uw_is_call(OPROFILE_UW_X86_64, before);
}

/* Analyse the code from the program counter to the end of the function, and store the result in
 * s->shown. Use only copies of pages that are at most @kept_ns old. */
static void search(struct search *s, uint64_t kept_ns)
{
	static const struct cfi_shown_ops ops = {code, target, scan};

	*s = (struct search){.c = s->c, .at = s->at};
	s->c->kept_ns = kept_ns;
	s->end = cfi_shown_find(s->at->pc, &ops, s, &s->shown);
	/* A supposed return address that does not follow a call instruction is only a pushed value.
	 * This happens if an earlier step of the stack walk was wrong, or if the process has
	 * unmapped the code and the daemon does not know this yet. */
	s->shown.is_pushed = s->at->is_return && !is_after_call(s);
	s->c->kept_ns = KEPT_NS;
}

int opd_perf_code_find(struct opd_perf_code *c, const struct opd_perf_code_at *at,
		       struct cfi_shown *ret)
{
	struct place *p = &c->places[hash_of(at->pid, at->pc) % NR_PLACES];
	struct search s = {.c = c, .at = at};

	if (p->pid != at->pid || p->pc != at->pc || p->is_return != at->is_return ||
	    age(at->time, p->read_at) >= (p->shown.shows ? KEPT_NS : FRESH_NS)) {
		search(&s, KEPT_NS);
		if (!s.shown.shows && !s.end)
			search(&s, FRESH_NS);
		if (s.end)
			return s.end;
		if (s.unread && !s.shown.nr_exits)
			return OPROFILE_UW_NO_ROW;
		*p = (struct place){
			.pid = at->pid,
			.is_return = at->is_return,
			.pc = at->pc,
			.read_at = at->time,
			.shown = s.shown,
		};
	}
	*ret = p->shown;
	return 0;
}

struct cfi_returned *opd_perf_code_returned(struct opd_perf_code *c,
					    const struct opd_perf_code_at *at, uint64_t mapping)
{
	struct returned *r = &c->returned[hash_of(at->pid, mapping) % NR_RETURNED];

	if (age(at->time, r->found_at) >= KEPT_NS)
		*r = (struct returned){.pid = at->pid, .mapping = mapping, .found_at = at->time};
	return r->pid == at->pid && r->mapping == mapping ? &r->frames : NULL;
}

bool opd_perf_code_leaves_by_jump(struct opd_perf_code *c, const struct opd_perf_code_at *at,
				  uint64_t begin)
{
	static const struct cfi_shown_ops ops = {code, target, scan};
	struct function *f = &c->functions[hash_of(at->pid, begin) % NR_FUNCTIONS];
	struct search s = {.c = c, .at = at};

	if (f->pid == at->pid && f->begin == begin && age(at->time, f->found_at) < ENTERED_NS)
		return f->leaves_by_jump;
	*f = (struct function){
		.pid = at->pid,
		.leaves_by_jump = cfi_leaves_by_jump(begin, &ops, &s),
		.begin = begin,
		.found_at = at->time,
	};
	if (s.unread && !f->leaves_by_jump)
		f->pid = 0;
	return f->leaves_by_jump;
}

uint64_t opd_perf_code_called(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			      uint64_t pc, bool again)
{
	struct search s = {.c = c, .at = at};
	unsigned char call[CALL_SIZE];
	int32_t distance;
	size_t size;

	if (again)
		c->kept_ns = FRESH_NS;
	size = copy_code(&s, pc - CALL_SIZE, call, CALL_SIZE);
	c->kept_ns = KEPT_NS;
	if (size < CALL_SIZE || *call != 0xe8)
		return 0;
	memcpy(&distance, call + 1, sizeof(distance));
	return pc + (uint64_t)(int64_t)distance;
}
