// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made_code.c -- unwind rules of JIT code, inferred from its instructions.
 */
#include "config.h"
#include "probe/core/made_code.h"

#include "probe/arch/registers.h"
#include "probe/linux/calls.h"

/* A thread's budget for inferring unwind rules. The unit is about the cost of one decoded
 * instruction (50 ns). Each NS_OF_UNIT of elapsed time adds one unit, so the work uses about 5 % of
 * the time. The budget is at most MAX_WORK, which limits the time in one signal handler. */
#define NS_OF_UNIT	1000
#define MAX_WORK	20000
/* a budget of this number of units is enough for nearly every search */
#define SEARCH		4000
#define LOOKUP		40	/* cost, in units, of a lookup of a module's unwind rule */
#define BYTES_OF_UNIT	16	/* scanning this number of bytes of a mapping costs one unit */

/* time in ns for which the result of a search is valid; limited because the program may replace its
 * code */
#define KEPT_NS		2000000000ull
/* If no rule could be inferred, the program may still be writing the code. Read the code again
 * after this time in ns. */
#define FRESH_NS	50000000ull
/* time in ns for which the result of a mapping's scan is valid, if the scan has found a jump to a
 * function */
#define KEPT_MAPPING_NS	60000000000ull

/* number of bytes of a mapping that are scanned at a time */
#define PIECE		MADE_PAGE
#define MAX_MAPPING	(1u << 20)	/* maximum number of bytes of a mapping that are scanned */
#define CALL_SIZE	5		/* size of a direct call instruction, in bytes */

static uint64_t now(struct made_code *c)
{
	uint64_t more;

	if (c->now_walk == c->walk)
		return c->now;
	more = (uint64_t)call_now_ns() - c->now;
	c->now_walk = c->walk;
	c->now += more;
	more = more / NS_OF_UNIT + c->work;
	c->work = more < MAX_WORK ? (uint32_t)more : MAX_WORK;
	return c->now;
}

static bool may_work(void *data, unsigned int amount)
{
	struct made_code *c = data;

	if (c->work < amount) {
		c->unread = true;
		return false;
	}
	c->work -= amount;
	return true;
}

/* Return the page of JIT code that contains @address. Read each page at most once per walk. */
static const struct made_page *page_at(struct made_code *c, uint64_t address)
{
	struct made_page *p = &c->pages[address / MADE_PAGE % MADE_PAGES];

	if (p->walk == c->walk && p->address == address)
		return p;
	p->walk = c->walk;
	p->address = address;
	p->size = call_read_memory(c->pid, address, p->bytes, MADE_PAGE) ? 0 : MADE_PAGE;
	return p;
}

static bool is_code_of(const struct epoch_module *m, uint64_t address)
{
	return m && address >= m->code && address < m->code_end;
}

/* Copy up to @size bytes of code at @address to @to. Return the number of bytes copied, which is
 * smaller if memory is unreadable. */
static size_t copy_code(struct made_code *c, uint64_t address, unsigned char *to, size_t size)
{
	const struct epoch_module *m = epoch_find(c->epoch, address);
	size_t done = 0;

	if (is_code_of(m, address)) {
		if (size > m->code_end - address)
			size = m->code_end - address;
		__builtin_memcpy(to, (const void *)(uintptr_t)address, size);
		return size;
	}
	while (done < size) {
		uint64_t page = (address + done) & ~(uint64_t)(MADE_PAGE - 1);
		size_t offset = address + done - page, left = size - done;
		const struct made_page *p = page_at(c, page);

		if (!p->size)
			return done;
		if (left > p->size - offset)
			left = p->size - offset;
		__builtin_memcpy(to + done, p->bytes + offset, left);
		done += left;
	}
	return done;
}

static size_t code(void *data, __u64 address, unsigned char *to, size_t size)
{
	return may_work(data, 1) ? copy_code(data, address, to, size) : 0;
}

static int look_up_target(void *data, __u64 address, struct cfi_target *ret)
{
	struct made_code *c = data;
	const struct epoch_module *m = epoch_find(c->epoch, address);
	const struct made_range *range = m ? NULL : made_known(c->made, address);
	struct cfi_row row;
	__u64 from, to;

	*ret = (struct cfi_target){ 0 };
	if (!m && !range)
		return OPROFILE_UW_MAPPING;
	if (range) {
		*ret = (struct cfi_target){
			.is_made = true,
			.begin = range->start,
			.end = range->end,
		};
		return 0;
	}
	if (!m->cfi.data || !is_code_of(m, address) ||
	    cfi_function_at(&m->cfi, address - m->moved, &from, &to))
		return 0;
	ret->begin = from + m->moved;
	if (cfi_row_at(&m->cfi, address - m->moved, &row) ||
	    row.rule.cfa == OPROFILE_UW_CFA_NONE)
		return 0;
	ret->has_rule = true;
	ret->rule = row.rule;
	/* An assembly function with many entry points often has a single unwind row, which is wrong
	 * for some of its instructions. So call the rows exact only if the row at the function's
	 * start is correct. */
	ret->is_exact = !cfi_row_at(&m->cfi, from, &row) && row.rule.cfa == OPROFILE_UW_CFA_SP &&
			row.rule.cfa_offset == 8;
	return 0;
}

static int find_target(void *data, __u64 address, struct cfi_target *ret)
{
	const struct made_code *c = data;

	return !epoch_find(c->epoch, address) || may_work(data, LOOKUP)
		       ? look_up_target(data, address, ret)
		       : OPROFILE_UW_MAPPING;
}

static struct made_mapping *mapping_of(struct made_code *c, uint64_t start)
{
	struct made_mapping *m = &c->mappings[start / MADE_PAGE % MADE_MAPPINGS];
	uint64_t kept = m->found.is_found ? KEPT_MAPPING_NS : KEPT_NS;

	if (m->start != start || (m->is_done && now(c) - m->begun_at >= kept))
		*m = (struct made_mapping){ .start = start, .scanned = start, .begun_at = now(c) };
	return m;
}

/* Scan the mapping of JIT code that contains @t for jumps to functions of modules, as far as the
 * thread's budget allows. Return NULL until the whole mapping is scanned. */
static const struct cfi_entered *scan(void *data, const struct cfi_target *t)
{
	struct made_code *c = data;
	struct made_mapping *m = mapping_of(c, t->begin);
	uint64_t end = t->end - t->begin < MAX_MAPPING ? t->end : t->begin + MAX_MAPPING;

	while (!m->is_done && may_work(c, PIECE / BYTES_OF_UNIT)) {
		const struct made_page *p = m->scanned < end ? page_at(c, m->scanned) : NULL;

		if (!p || !p->size) {
			m->is_done = true;
			m->found.read_all = m->scanned >= t->end;
		} else if (!cfi_entered_scan(&m->found, p->bytes, m->scanned, p->size, find_target,
					     may_work, c)) {
			break;
		}
		m->scanned += PIECE;
	}
	return m->is_done ? &m->found : NULL;
}

int made_code_known_call(struct made_code *c, uint64_t address)
{
	unsigned char code[8];

	if ((!epoch_find(c->epoch, address - 1) && !made_known(c->made, address - 1)) ||
	    copy_code(c, address - sizeof(code), code, sizeof(code)) < sizeof(code))
		return OPROFILE_UW_CALL_NO;
	return oprofile_uw_is_call(ARCH_MACHINE, code) ? OPROFILE_UW_CALL_YES
						       : OPROFILE_UW_CALL_NO;
}

/* Return the frame layout that follows from the code at the address of @frame, or NULL if the
 * budget is used up. */
static const struct cfi_shown *find_shown(struct made_code *c,
					  const struct oprofile_uw_frame *frame)
{
	static const struct cfi_shown_ops ops = {code, find_target, scan};
	struct made_place *p = &c->places[(frame->pc ^ frame->pc >> 10) % MADE_PLACES];
	unsigned char first[MADE_FIRST];
	size_t nr_first = copy_code(c, frame->pc, first, sizeof(first));

	if (p->pc == frame->pc && p->is_return == !frame->innermost &&
	    now(c) - p->read_at < (p->shown.shows ? KEPT_NS : FRESH_NS) &&
	    p->nr_first == nr_first && !__builtin_memcmp(p->first, first, nr_first))
		return &p->shown;
	if (now(c) && c->work < SEARCH)
		return NULL;
	*p = (struct made_place){
		.pc = frame->pc,
		.read_at = now(c),
		.is_return = !frame->innermost,
		.nr_first = nr_first,
	};
	__builtin_memcpy(p->first, first, nr_first);
	c->unread = false;
	if (cfi_shown_find(frame->pc, &ops, c, &p->shown))
		p->shown = (struct cfi_shown){ 0 };
	p->shown.is_pushed = !frame->innermost &&
			     made_code_known_call(c, frame->pc) != OPROFILE_UW_CALL_YES;
	/* The search ended early because the budget is used up: do not cache its result. */
	if (c->unread)
		p->pc = 0;
	return &p->shown;
}

static int known_call(void *data, __u64 word)
{
	return made_code_known_call(data, word);
}

static int read_word(void *data, __u64 address, unsigned int size, __u64 *value)
{
	const struct made_code *c = data;

	return c->word(c->arg, address, size, value);
}

static __u64 called(void *data, __u64 pc, bool again)
{
	unsigned char call[CALL_SIZE];
	int32_t distance;

	(void)again;	/* @again is not used, because each walk reads the code again */
	if (copy_code(data, pc - CALL_SIZE, call, CALL_SIZE) < CALL_SIZE || *call != 0xe8)
		return 0;
	__builtin_memcpy(&distance, call + 1, sizeof(distance));
	return pc + (uint64_t)(int64_t)distance;
}

static bool is_made(void *data, __u64 address)
{
	struct made_code *c = data;

	return !epoch_find(c->epoch, address) && made_known(c->made, address);
}

static struct cfi_returned *returned(void *data, __u64 start)
{
	struct made_code *c = data;
	struct made_mapping *m = mapping_of(c, start);

	if (now(c) - m->returned_at >= KEPT_NS) {
		m->returned_at = now(c);
		m->returned = (struct cfi_returned){ 0 };
	}
	return &m->returned;
}

bool made_code_rule(struct made_code *c, const struct oprofile_uw_frame *frame,
		    struct oprofile_uw_rule *rule)
{
	static const struct cfi_shown_stack_ops ops = {
		look_up_target, read_word, known_call, called, may_work, is_made, returned, NULL,
	};

	const struct cfi_shown *shown;

	if (!made_find(c->made, frame->pc - !frame->innermost))
		return false;
	shown = find_shown(c, frame);
	return shown && (shown->is_sure || may_work(c, LOOKUP)) &&
	       cfi_shown_rule(shown, frame, &ops, c, rule);
}
