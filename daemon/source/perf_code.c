// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_code.c -- rules of frames in made code without unwinding information, from its instructions. */
#include "config.h"
#include "daemon/source/perf_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"

#define NR_PIECES	4096
#define PIECE		64		/* bytes of code from a pc on */
#define MAX_STACK	4096		/* bytes */
#define KEPT_NS		2000000000ull	/* code may be replaced */
/* The maximum of pieces that are read in a second. */
#define READS		200
#define SECOND_NS	1000000000ull
#define NOT_SAVED	(-1)

/* What the code at a pc shows. */
struct piece {
	pid_t pid;			/* 0: the entry is free */
	bool shows;
	uint64_t pc, read_at;
	struct oprofile_uw_rule rule;
};

struct opd_perf_code {
	opd_perf_stacks_read_fn read;
	void *arg;
	uint64_t second;		/* when the second began in which @reads were made */
	unsigned int reads;
	struct piece pieces[NR_PIECES];
};

int opd_perf_code_create(struct opd_perf_code **ret, opd_perf_stacks_read_fn read, void *arg)
{
	struct opd_perf_code *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->read = read;
	c->arg = arg;
	*ret = c;
	return 0;
}

void opd_perf_code_destroy(struct opd_perf_code *c)
{
	free(c);
}

/* The stack as the instructions leave it: offsets from the stack pointer at the first of them, in bytes. */
struct effect {
	int32_t sp;
	int32_t fp_at, other_at;	/* where rbp and rbx were taken from, or NOT_SAVED */
};

/* Return the length of the instruction at @code, of @size bytes, if it only takes values from the stack; 0: it is another one. */
static size_t take(const unsigned char *code, size_t size, struct effect *e)
{
	bool wide = size > 1 && code[0] == 0x41;
	unsigned char pop = size > wide ? code[wide] : 0;
	int32_t number;

	if (code[0] == 0x90)
		return 1;
	if (pop >= 0x58 && pop <= 0x5f && (wide || pop != 0x5c)) {	/* pop, but not of rsp */
		if (!wide && pop == 0x5d)
			e->fp_at = e->sp;
		if (!wide && pop == 0x5b)
			e->other_at = e->sp;
		e->sp += 8;
		return 1 + wide;
	}
	if (size >= 4 && code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xc4) {	/* add to rsp */
		e->sp += (signed char)code[3];
		return 4;
	}
	if (size >= 7 && code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xc4) {
		memcpy(&number, code + 3, sizeof(number));
		e->sp += number >= 0 && number <= MAX_STACK ? number : MAX_STACK;
		return 7;
	}
	return 0;
}

static __s16 words_from(int32_t at, int32_t cfa)
{
	return (__s16)((at - cfa) / 8);
}

bool opd_perf_code_decode(const unsigned char *code, size_t size, struct oprofile_uw_rule *rule)
{
	struct effect e = { 0, NOT_SAVED, NOT_SAVED };
	size_t at = 0, length;
	int32_t cfa;

	while (at < size && code[at] != 0xc3) {
		length = take(code + at, size - at, &e);
		if (!length || e.sp < 0 || e.sp >= MAX_STACK || e.sp % 8)
			return false;
		at += length;
	}
	if (at >= size)
		return false;
	cfa = e.sp + 8;
	*rule = (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_SP, .cfa_offset = cfa };
	if (e.fp_at != NOT_SAVED) {
		rule->saved |= OPROFILE_UW_AT_CFA;
		rule->fp_offset = words_from(e.fp_at, cfa);
	}
	if (e.other_at != NOT_SAVED) {
		rule->saved |= OPROFILE_UW_AT_CFA << 4;
		rule->other_offset = words_from(e.other_at, cfa);
	}
	return true;
}

static bool may_read(struct opd_perf_code *c, uint64_t time)
{
	if (time - c->second >= SECOND_NS) {
		c->second = time;
		c->reads = 0;
	}
	return c->reads++ < READS;
}

bool opd_perf_code_rule(struct opd_perf_code *c, pid_t pid, pid_t tid, uint64_t pc, uint64_t time, struct oprofile_uw_rule *rule)
{
	struct piece *p = &c->pieces[op_hash_number(op_hash_number(OP_HASH_BEGIN, (uint64_t)pid), pc) % NR_PIECES];
	unsigned char code[PIECE];
	ssize_t n;

	if (p->pid != pid || p->pc != pc || time - p->read_at >= KEPT_NS) {
		if (tid <= 0 || !may_read(c, time))
			return false;
		n = c->read(c->arg, tid, pc, code, sizeof(code));
		*p = (struct piece){ .pid = pid, .pc = pc, .read_at = time };
		p->shows = n > 0 && opd_perf_code_decode(code, (size_t)n, &p->rule);
	}
	if (p->shows)
		*rule = p->rule;
	return p->shows;
}
