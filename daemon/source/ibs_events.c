// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs_events.c -- table of the events that are derived from IBS records.
 *
 * For the bits see AMD's BIOS and Kernel Developer's Guide for family 10h: MSRs C001_1030 (fetch
 * control), 1035 (op data), 1036 (op data 2), 1037 (op data 3). For the events in their tables
 * (events/x86-64/common-ibs), later families use the same bits.
 */
#include "config.h"
#include "daemon/source/ibs_events.h"

#include <stdbool.h>

#define BIT(n)			(1ull << (n))

/* bits of the register "fetch control" (MSR C001_1030) */
#define FETCH_COMPLETED		BIT(50)
#define FETCH_IC_MISS		BIT(51)
#define FETCH_PHYS_VALID	BIT(52)
#define FETCH_L1_TLB_MISS	BIT(55)
#define FETCH_L2_TLB_MISS	BIT(56)

/* Bits of the register "op data" (MSR C001_1035). Its lower half contains two numbers of cycles:
 * from completion to retirement, and from tagging to retirement. */
#define OP_RESYNC		BIT(32)
#define OP_RETURN_MISPREDICTED	BIT(33)
#define OP_RETURN		BIT(34)
#define OP_TAKEN		BIT(35)
#define OP_MISPREDICTED		BIT(36)
#define OP_BRANCH		BIT(37)

/* bits of the register "op data 2" (MSR C001_1036) */
#define NB_SOURCE		7ull
#define NB_LOCAL_L3		1ull
/* the data came from the cache of another core, or, with NB_REMOTE, from the cache of another
 * node */
#define NB_CACHE		2ull
#define NB_DRAM			3ull
#define NB_OTHER		7ull
#define NB_REMOTE		BIT(4)
/* state of the cache line: 1: owned, 0: modified */
#define NB_OWNED		BIT(5)

/* bits of the register "op data 3" (MSR C001_1037) */
#define DC_LOAD			BIT(0)
#define DC_STORE		BIT(1)
#define DC_L1_TLB_MISS		BIT(2)
#define DC_L2_TLB_MISS		BIT(3)
#define DC_L1_TLB_2M		BIT(4)
#define DC_L1_TLB_1G		BIT(5)
#define DC_L2_TLB_2M		BIT(6)
#define DC_MISS			BIT(7)
#define DC_MISALIGNED		BIT(8)
#define DC_BANK_LOAD		BIT(9)
#define DC_BANK_STORE		BIT(10)
#define DC_FORWARDED		BIT(11)
#define DC_CANCELLED		BIT(12)
#define DC_WRITE_COMBINING	BIT(13)
#define DC_UNCACHEABLE		BIT(14)
#define DC_LOCKED		BIT(15)
#define DC_MAB_HIT		BIT(16)
#define DC_LINEAR_VALID		BIT(17)

/* If all these bits are 0, a redirection of the program counter cancelled the fetch before it
 * began. Most fetch events do not count such a fetch. */
#define FETCH_SIGNS		(FETCH_COMPLETED | FETCH_PHYS_VALID | FETCH_IC_MISS | \
				 FETCH_L1_TLB_MISS | FETCH_L2_TLB_MISS)
#define FETCH_PAGE		(3ull << 53)
#define FETCH_PAGE_IS(n)	((uint64_t)(n) << 53)	/* page size: 0: 4 KB, 1: 2 MB, 2: 1 GB */

#define ACCESS			(DC_LOAD | DC_STORE)

#define FETCH(...)		.when = { { .reg = OPD_IBS_FETCH_CTL, __VA_ARGS__ } }
#define OP(...)			.when = { { .reg = OPD_IBS_OP_DATA, __VA_ARGS__ } }
#define DC(...)			.when = { { .reg = OPD_IBS_OP_DATA3, .any = ACCESS, __VA_ARGS__ } }
/* The TLB bits of a record are valid only if the linear address is valid. */
#define TLB(set, ...)		DC(.all = DC_LINEAR_VALID | (set), __VA_ARGS__)
/* Only loads that miss the data cache send a request to the northbridge. */
#define NB(...)			.when = { { .reg = OPD_IBS_OP_DATA3, .all = DC_LOAD | DC_MISS }, \
				  { .reg = OPD_IBS_OP_DATA2, __VA_ARGS__ } }
#define NB_FROM(source)		.field = NB_SOURCE, .value = source
#define CYCLES(register, bit)	.cycles = { 1, register, bit }

static const struct opd_ibs_event events[] = {
	{ .code = 0xf000, FETCH(.all = 0) },
	{ .code = 0xf001, FETCH(.none = FETCH_SIGNS) },
	{ .code = 0xf002, FETCH(.any = FETCH_SIGNS) },
	{ .code = 0xf003, FETCH(.all = FETCH_COMPLETED) },
	{ .code = 0xf004, FETCH(.any = FETCH_SIGNS, .none = FETCH_COMPLETED) },
	{ .code = 0xf005, FETCH(.all = FETCH_PHYS_VALID, .none = FETCH_L1_TLB_MISS) },
	{ .code = 0xf006, FETCH(.all = FETCH_L1_TLB_MISS, .none = FETCH_L2_TLB_MISS) },
	{ .code = 0xf007, FETCH(.all = FETCH_L1_TLB_MISS | FETCH_L2_TLB_MISS) },
	{ .code = 0xf008, FETCH(.all = FETCH_IC_MISS) },
	{ .code = 0xf009, FETCH(.all = FETCH_COMPLETED, .none = FETCH_IC_MISS) },
	{ .code = 0xf00a, FETCH(.all = FETCH_PHYS_VALID, .none = FETCH_L1_TLB_MISS,
			.field = FETCH_PAGE, .value = FETCH_PAGE_IS(0)) },
	{ .code = 0xf00b, FETCH(.all = FETCH_PHYS_VALID, .none = FETCH_L1_TLB_MISS,
			.field = FETCH_PAGE, .value = FETCH_PAGE_IS(1)) },
	{ .code = 0xf00c, FETCH(.all = FETCH_PHYS_VALID, .none = FETCH_L1_TLB_MISS,
			.field = FETCH_PAGE, .value = FETCH_PAGE_IS(2)) },
	{ .code = 0xf00e, FETCH(.any = FETCH_SIGNS), CYCLES(OPD_IBS_FETCH_CTL, 32) },

	{ .code = 0xf100, OP(.all = 0) },
	{ .code = 0xf101, OP(.all = 0), CYCLES(OPD_IBS_OP_DATA, 16) },
	{ .code = 0xf102, OP(.all = 0), CYCLES(OPD_IBS_OP_DATA, 0) },
	{ .code = 0xf103, OP(.all = OP_BRANCH) },
	{ .code = 0xf104, OP(.all = OP_BRANCH | OP_MISPREDICTED) },
	{ .code = 0xf105, OP(.all = OP_BRANCH | OP_TAKEN) },
	{ .code = 0xf106, OP(.all = OP_BRANCH | OP_TAKEN | OP_MISPREDICTED) },
	{ .code = 0xf107, OP(.all = OP_RETURN) },
	{ .code = 0xf108, OP(.all = OP_RETURN, .any = OP_RETURN_MISPREDICTED | OP_MISPREDICTED) },
	{ .code = 0xf109, OP(.all = OP_RESYNC) },

	{ .code = 0xf200, DC(.all = 0) },
	{ .code = 0xf201, DC(.all = DC_LOAD) },
	{ .code = 0xf202, DC(.all = DC_STORE) },
	{ .code = 0xf203, TLB(0, .none = DC_L1_TLB_MISS) },
	{ .code = 0xf204, TLB(DC_L1_TLB_MISS, .none = DC_L2_TLB_MISS) },
	{ .code = 0xf205, TLB(DC_L1_TLB_MISS | DC_L2_TLB_MISS, .none = 0) },
	{ .code = 0xf206, DC(.all = DC_MISS) },
	{ .code = 0xf207, DC(.none = DC_MISS) },
	{ .code = 0xf208, DC(.all = DC_MISALIGNED) },
	{ .code = 0xf209, DC(.all = DC_LOAD | DC_BANK_LOAD) },
	{ .code = 0xf20a, DC(.all = DC_BANK_STORE) },
	{ .code = 0xf20b, DC(.all = DC_LOAD | DC_FORWARDED) },
	{ .code = 0xf20c, DC(.all = DC_LOAD | DC_CANCELLED) },
	{ .code = 0xf20d, DC(.all = DC_UNCACHEABLE) },
	{ .code = 0xf20e, DC(.all = DC_WRITE_COMBINING) },
	{ .code = 0xf20f, DC(.all = DC_LOCKED) },
	{ .code = 0xf210, DC(.all = DC_MAB_HIT) },
	{ .code = 0xf211, TLB(0, .none = DC_L1_TLB_MISS | DC_L1_TLB_2M | DC_L1_TLB_1G) },
	{ .code = 0xf212, TLB(DC_L1_TLB_2M, .none = DC_L1_TLB_MISS) },
	{ .code = 0xf213, TLB(DC_L1_TLB_1G, .none = DC_L1_TLB_MISS) },
	{ .code = 0xf215, TLB(DC_L1_TLB_MISS, .none = DC_L2_TLB_MISS | DC_L2_TLB_2M) },
	{ .code = 0xf216, TLB(DC_L1_TLB_MISS | DC_L2_TLB_2M, .none = DC_L2_TLB_MISS) },
	{ .code = 0xf219, DC(.all = DC_LOAD | DC_MISS), CYCLES(OPD_IBS_OP_DATA3, 32) },

	{ .code = 0xf240, NB(.any = NB_SOURCE, .none = NB_REMOTE) },
	{ .code = 0xf241, NB(.any = NB_SOURCE, .all = NB_REMOTE) },
	{ .code = 0xf242, NB(NB_FROM(NB_LOCAL_L3), .none = NB_REMOTE) },
	{ .code = 0xf243, NB(NB_FROM(NB_CACHE), .none = NB_REMOTE) },
	{ .code = 0xf244, NB(NB_FROM(NB_CACHE), .all = NB_REMOTE) },
	{ .code = 0xf245, NB(NB_FROM(NB_DRAM), .none = NB_REMOTE) },
	{ .code = 0xf246, NB(NB_FROM(NB_DRAM), .all = NB_REMOTE) },
	{ .code = 0xf247, NB(NB_FROM(NB_OTHER), .none = NB_REMOTE) },
	{ .code = 0xf248, NB(NB_FROM(NB_OTHER), .all = NB_REMOTE) },
	{ .code = 0xf249, NB(NB_FROM(NB_CACHE), .none = NB_OWNED) },
	{ .code = 0xf24a, NB(NB_FROM(NB_CACHE), .all = NB_OWNED) },
	{ .code = 0xf24b, NB(.any = NB_SOURCE, .none = NB_REMOTE), CYCLES(OPD_IBS_OP_DATA3, 32) },
	{ .code = 0xf24c, NB(.any = NB_SOURCE, .all = NB_REMOTE), CYCLES(OPD_IBS_OP_DATA3, 32) },
};

const struct opd_ibs_event *opd_ibs_event_find(uint32_t code)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].code == code)
			return &events[i];
	return NULL;
}

static bool holds(const struct opd_ibs_condition *c, const uint64_t *regs)
{
	uint64_t bits = regs[c->reg];

	return (bits & c->all) == c->all && !(bits & c->none) && (!c->any || bits & c->any) &&
	       (bits & c->field) == c->value;
}

uint32_t opd_ibs_event_count(const struct opd_ibs_event *event, const uint64_t *regs)
{
	if (!holds(&event->when[0], regs) || !holds(&event->when[1], regs))
		return 0;
	if (!event->cycles.used)
		return 1;
	return regs[event->cycles.reg] >> event->cycles.shift & 0xffff;
}
