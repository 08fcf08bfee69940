// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_code.c -- finds frames of code made at run time that has no unwind tables, from its
 * instructions. */
#include "config.h"
#include "daemon/source/perf_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libcfi/exits.h"
#include "libop/base/hash.h"
#include "module/uapi/unwind_walk.h"

#define NR_PLACES 4096
#define NR_PAGES 512
#define PAGE 4096
#define KEPT_NS 2000000000ull /* code may be replaced */
/* If code did not show a frame when it was read, it may not have been complete: read it again after
 * this time. */
#define FRESH_NS 50000000ull
/* The maximum of pages that are read in a second. */
#define READS 200
/* The maximum of instructions and words that are looked at in a second, for all processes together:
 * about a twentieth of the time. */
#define WORK 2000000
#define SECOND_NS 1000000000ull
#define MAX_EXITS 3 /* exits that agree are enough */
#define NR_ENTERED 64
#define ENTERED_NS (60 * SECOND_NS)
#define PIECE (64u << 10) /* bytes of a mapping that are searched at once */
#define MAX_PIECES 16
/* The maximum of bytes by which an interpreter's function extends its frame before it jumps. */
#define EXTENDS 64
#define MAX_MOVE 4096
#define LONGEST 12  /* bytes of the longest instructions that a search looks for */
#define CALL_SIZE 5 /* bytes of a direct call */

/* A piece of a process' memory. */
struct page {
	pid_t pid; /* 0: the entry is free */
	uint64_t address, read_at;
	size_t size; /* bytes that could be read */
	unsigned char bytes[PAGE];
};

/* The result of reading the code at a pc. */
struct place {
	pid_t pid; /* 0: the entry is free */
	bool is_return;
	uint64_t pc, read_at;
	struct opd_perf_shown shown;
};

/* The function on whose frame the made code of a mapping runs. */
struct entered {
	pid_t pid; /* 0: the entry is free */
	bool is_found;
	bool differs; /* there are several such functions, or frames */
	bool scanned;
	bool read_all;
	int32_t pushed; /* sum of all distances by which the code moves the stack pointer down */
	uint64_t mapping, found_at;
	struct opd_perf_shown shown; /* the rule is that of the function's body */
};

struct opd_perf_code {
	opd_perf_stacks_read_fn read;
	void *arg;
	uint64_t second; /* when the second began in which @reads and @work were done */
	unsigned int reads, work;
	uint64_t kept_ns; /* maximum age of pages */
	struct place places[NR_PLACES];
	struct entered entered[NR_ENTERED];
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
	c->kept_ns = KEPT_NS;
	*ret = c;
	return 0;
}

void opd_perf_code_destroy(struct opd_perf_code *c)
{
	free(c);
}

/* Return the age. Samples of several CPUs are slightly out of order. */
static uint64_t age(uint64_t time, uint64_t since)
{
	return time > since ? time - since : 0;
}

static void begin_second(struct opd_perf_code *c, uint64_t time)
{
	if (age(time, c->second) < SECOND_NS)
		return;
	c->second = time;
	c->reads = c->work = 0;
}

static bool may_read(struct opd_perf_code *c, uint64_t time)
{
	begin_second(c, time);
	return c->reads++ < READS;
}

bool opd_perf_code_may_work(struct opd_perf_code *c, uint64_t time, unsigned int amount)
{
	begin_second(c, time);
	if (c->work >= WORK)
		return false;
	c->work += amount < WORK ? amount : WORK;
	return true;
}

static uint64_t hash_of(pid_t pid, uint64_t address)
{
	return op_hash_number(op_hash_number(OP_HASH_BEGIN, (uint64_t)pid), address);
}

/* Return the page at @address of the process, or NULL if there was no time to read it. */
static const struct page *page_at(struct opd_perf_code *c, const struct opd_perf_code_at *at,
				  uint64_t address)
{
	struct page *p = &c->pages[hash_of(at->pid, address) % NR_PAGES];
	ssize_t n;

	if (p->pid == at->pid && p->address == address && age(at->time, p->read_at) < c->kept_ns)
		return p;
	if (at->tid <= 0 || !may_read(c, at->time))
		return NULL;
	n = c->read(c->arg, at->tid, address, p->bytes, PAGE);
	p->pid = at->pid;
	p->address = address;
	p->read_at = at->time;
	p->size = n > 0 ? (size_t)n : 0;
	return p;
}

/* One search for the exits of a place. */
struct search {
	struct opd_perf_code *c;
	const struct opd_perf_code_at *at;
	struct opd_perf_shown shown;
	unsigned int nr_exits; /* with a rule */
	bool has_jump;	       /* .jump is an exit to an address in a register or in memory */
	bool jumps_differ;
	struct cfi_exit jump;
	bool differs; /* two exits show different frames */
	bool unread;  /* code could not be read now */
	int end;      /* code that an exit leads to is not known yet */
};

/* Copy at most @size bytes of code at @address to @to. Return the number of bytes. */
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

	if (opd_perf_code_may_work(s->c, s->at->time, 1))
		return copy_code(data, address, to, size);
	s->unread = true;
	return 0;
}

static enum cfi_code_kind kind(void *data, __u64 address)
{
	struct search *s = data;
	struct opd_perf_target t;

	if (s->at->target(s->at->arg, address, &t))
		return CFI_CODE_EXACT;
	if (t.is_made)
		return CFI_CODE_MADE;
	return t.has_rule && t.begin && !t.is_exact ? CFI_CODE_COARSE : CFI_CODE_EXACT;
}

static bool is_same(const struct opd_perf_shown *a, const struct opd_perf_shown *b)
{
	const struct oprofile_uw_rule *r = &a->rule, *q = &b->rule;

	return r->cfa == q->cfa && r->cfa_offset == q->cfa_offset &&
	       (r->saved & 15) == (q->saved & 15) && r->fp_offset == q->fp_offset;
}

static __s16 words_from(int32_t at, int32_t cfa)
{
	return (__s16)((at - cfa) / 8);
}

/* Set the location of the caller's frame pointer, for code that exits with the caller's frame
 * pointer. */
static void set_fp(struct oprofile_uw_rule *rule, const struct cfi_exit *e)
{
	unsigned int fp = OPROFILE_UW_SAME;

	if (e->fp == CFI_FP_LOST)
		fp = OPROFILE_UW_LOST;
	else if (e->fp == CFI_FP_LOADED)
		fp = OPROFILE_UW_AT_CFA;
	rule->saved = (__u8)((rule->saved & ~15) | fp);
	rule->fp_offset = fp == OPROFILE_UW_AT_CFA ? words_from(e->fp_at, rule->cfa_offset) : 0;
}

static void set_other(struct oprofile_uw_rule *rule, unsigned int saved, __s16 offset)
{
	rule->saved = (__u8)((rule->saved & 15) | saved << 4);
	rule->other_offset = offset;
}

/* Find the rule by a `ret`. */
static void by_return(const struct cfi_exit *e, struct opd_perf_shown *ret)
{
	ret->is_sure = e->is_plain;
	ret->rule = (struct oprofile_uw_rule){.cfa = OPROFILE_UW_CFA_SP, .cfa_offset = e->sp + 8};
	set_fp(&ret->rule, e);
	if (!e->is_plain)
		set_other(&ret->rule, OPROFILE_UW_LOST, 0);
	else if (e->bx_at >= 0)
		set_other(&ret->rule, OPROFILE_UW_AT_CFA, words_from(e->bx_at, e->sp + 8));
}

/* Find the rule at a place from the rule of the code that an exit jumps to. Return false if that is
 * impossible. */
static bool by_jump(const struct cfi_exit *e, const struct oprofile_uw_rule *there,
		    struct oprofile_uw_rule *ret)
{
	unsigned int fp = there->saved & 15, other = there->saved >> 4;

	if (fp != OPROFILE_UW_SAME && fp != OPROFILE_UW_AT_CFA)
		return false;
	if (there->cfa == OPROFILE_UW_CFA_FP ? e->fp != CFI_FP_KEPT
					     : there->cfa != OPROFILE_UW_CFA_SP)
		return false;
	*ret = *there;
	if (there->cfa == OPROFILE_UW_CFA_SP)
		ret->cfa_offset += e->sp;
	if (fp == OPROFILE_UW_SAME)
		set_fp(ret, e);
	if (other != OPROFILE_UW_AT_CFA)
		set_other(ret, OPROFILE_UW_LOST, 0);
	return true;
}

/* Return the entry of the mapping of made code at @mapping. */
static struct entered *entered_of(struct search *s, uint64_t mapping)
{
	struct entered *e = &s->c->entered[hash_of(s->at->pid, mapping) % NR_ENTERED];

	if (e->pid != s->at->pid || e->mapping != mapping ||
	    age(s->at->time, e->found_at) >= (e->is_found ? ENTERED_NS : KEPT_NS))
		*e = (struct entered){.pid = s->at->pid, .mapping = mapping};
	return e;
}

/* Note that made code jumps to @to, in the body of the function at @t. */
static void learn(struct search *s, struct entered *e, const struct opd_perf_target *t, uint64_t to)
{
	struct opd_perf_shown shown = {
		.shows = OPD_PERF_SHOWS_RULE,
		.is_strict = !t->is_exact,
		.rule = t->rule,
		.entered = t->begin,
	};

	/* A jump to the beginning of a function is a tail call: the made code was called itself. */
	if (to == t->begin)
		return;
	if (!e->is_found) {
		e->is_found = true;
		e->found_at = s->at->time;
		e->shown = shown;
	}
	e->differs |= e->shown.entered != shown.entered || !is_same(&e->shown, &shown);
}

/* Return the target of the jump at @code, of at least LONGEST bytes, or 0: jumps with 32 bits of
 * distance, and movabs imm64,rax; jmp *rax. */
static uint64_t jump_at(const unsigned char *code, uint64_t address)
{
	unsigned int length = *code == 0xe9 ? 5 : *code == 0x0f && (code[1] & 0xf0) == 0x80 ? 6 : 0;
	int32_t distance;

	if (code[0] == 0x48 && code[1] == 0xb8 && code[10] == 0xff && code[11] == 0xe0)
		memcpy(&address, code + 2, sizeof(address));
	else if (!length)
		return 0;
	if (!length)
		return address;
	memcpy(&distance, code + length - 4, sizeof(distance));
	return address + length + (uint64_t)(int64_t)distance;
}

/* Return by how many bytes the instruction at @code may decrease the stack pointer: add, sub or
 * lea. */
static int32_t moves_down(const unsigned char *code)
{
	int32_t by;

	if (code[0] != 0x48)
		return 0;
	if (code[1] == 0x83 && (code[2] == 0xc4 || code[2] == 0xec)) {
		by = (signed char)code[3];
	} else if (code[1] == 0x81 && (code[2] == 0xc4 || code[2] == 0xec)) {
		memcpy(&by, code + 3, sizeof(by));
	} else if (code[1] == 0x8d && code[2] == 0x64 && code[3] == 0x24) {
		by = (signed char)code[4];
	} else {
		return 0;
	}
	if (code[2] == 0xec && by > -MAX_MOVE)
		by = -by;
	return by < 0 && by > -MAX_MOVE ? -by : 0;
}

/* Search a piece of code for jumps to code with rows. Return false if there is no time for all
 * of it. */
static bool scan_piece(struct search *s, struct entered *e, uint64_t address, size_t size)
{
	const unsigned char *code = s->c->piece;
	struct opd_perf_target t;

	for (size_t i = 0; i + LONGEST <= size; i++) {
		uint64_t to = jump_at(code + i, address + i);

		e->pushed += moves_down(code + i);
		if (to && !opd_perf_code_may_work(s->c, s->at->time, 4))
			return false;
		if (to && !s->at->target(s->at->arg, to, &t) && t.has_rule && t.begin && t.is_exact)
			learn(s, e, &t, to);
	}
	return true;
}

/* Search a mapping of made code, @t. */
static struct entered *scan(struct search *s, const struct opd_perf_target *t)
{
	struct entered *e = entered_of(s, t->begin);
	uint64_t at = t->begin;

	if (e->scanned)
		return e;
	e->scanned = true;
	e->found_at = s->at->time;
	for (int n = 0;
	     n < MAX_PIECES && at < t->end && s->at->tid > 0 && may_read(s->c, s->at->time);
	     n++, at += PIECE) {
		ssize_t got = s->c->read(s->c->arg, s->at->tid, at, s->c->piece,
					 t->end - at < PIECE ? t->end - at : PIECE);

		if (got <= 0 || !scan_piece(s, e, at, (size_t)got))
			break;
	}
	e->read_all = at >= t->end;
	return e;
}

static void note_jump(struct search *s, const struct cfi_exit *e)
{
	s->jumps_differ |= s->has_jump && (e->sp != s->jump.sp || e->fp != s->jump.fp ||
					   e->fp_at != s->jump.fp_at);
	s->has_jump = true;
	s->jump = *e;
}

/* Find the frame that an exit shows. Return false if it shows no rule. */
static bool read_exit(struct search *s, const struct cfi_exit *e, struct opd_perf_shown *ret)
{
	struct opd_perf_target t;
	int end;

	*ret = (struct opd_perf_shown){.shows = OPD_PERF_SHOWS_RULE};
	if (e->kind == CFI_EXIT_RETURN) {
		if (!s->at->target(s->at->arg, s->at->pc, &t))
			ret->entered = t.begin;
		by_return(e, ret);
		return true;
	}
	if (e->kind == CFI_EXIT_ANYWHERE) {
		note_jump(s, e);
		return false;
	}
	end = s->at->target(s->at->arg, e->to, &t);
	if (end == OPROFILE_UW_NO_TABLE)
		s->end = end;
	if (end || !t.has_rule || !t.begin)
		return false;
	ret->entered = t.begin;
	ret->is_strict = !t.is_exact;
	ret->rule = t.rule;
	if (e->kind == CFI_EXIT_JUMP)
		return by_jump(e, &t.rule, &ret->rule);
	if (!s->nr_exits) {
		s->shown = *ret;
		s->shown.shows = OPD_PERF_SHOWS_FUNCTION;
	}
	return false;
}

static bool add_exit(void *data, const struct cfi_exit *e)
{
	struct search *s = data;
	struct opd_perf_shown shown;

	if (!read_exit(s, e, &shown))
		return true;
	if (!s->nr_exits)
		s->shown = shown;
	s->nr_exits++;
	s->differs |= !is_same(&s->shown, &shown);
	return !shown.is_sure && !s->differs && s->nr_exits < MAX_EXITS;
}

/* Find the frame of a place whose exits are jumps to addresses in registers or in memory, from the
 * other made code of its mapping. */
static void by_other_code(struct search *s)
{
	struct entered *e;
	struct opd_perf_target t;

	if (!s->has_jump || s->jumps_differ || s->at->target(s->at->arg, s->at->pc, &t) ||
	    !t.is_made)
		return;
	e = scan(s, &t);
	if (!e->is_found || e->differs || !by_jump(&s->jump, &e->shown.rule, &s->shown.rule))
		return;
	s->shown.shows = OPD_PERF_SHOWS_RULE;
	s->shown.entered = e->shown.entered;
	s->shown.is_strict = e->shown.is_strict;
	s->shown.is_guess = true;
	s->shown.body = s->jump.sp;
}

/* Find the maximum size of the frame of a place whose code shows only its function. */
static void bound_frame(struct search *s)
{
	const struct entered *e;
	struct opd_perf_target t;

	s->shown.most = 0;
	if (s->shown.rule.cfa != OPROFILE_UW_CFA_SP || s->at->target(s->at->arg, s->at->pc, &t) ||
	    !t.is_made)
		return;
	e = scan(s, &t);
	if (e->read_all && e->pushed < MAX_MOVE)
		s->shown.most = s->shown.rule.cfa_offset + e->pushed + EXTENDS;
}

/* Return whether a call ends at the pc. */
static bool is_behind_call(struct search *s)
{
	unsigned char before[8];
	size_t size = sizeof(before);

	/* The page before the first page of a mapping cannot be read. */
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

/* Search the code at a place, in pages that are at most @kept_ns old. */
static void search(struct search *s, uint64_t kept_ns)
{
	static const struct cfi_exits_ops ops = {code, kind, add_exit};

	*s = (struct search){.c = s->c, .at = s->at};
	s->c->kept_ns = kept_ns;
	/* A wrong walk may lead to data, and memory where a process has unmapped code is still
	 * known as code. */
	if ((s->at->is_return && !is_behind_call(s)) || !cfi_exits_find(s->at->pc, &ops, s) ||
	    s->differs)
		s->shown = (struct opd_perf_shown){0};
	else if (!s->shown.shows)
		by_other_code(s);
	else if (s->shown.shows == OPD_PERF_SHOWS_FUNCTION)
		bound_frame(s);
	s->c->kept_ns = KEPT_NS;
}

int opd_perf_code_find(struct opd_perf_code *c, const struct opd_perf_code_at *at,
		       struct opd_perf_shown *ret)
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
		if (s.unread && !s.nr_exits)
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
