/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_events.h -- what is said about events by a record of AMD's instruction-based sampling.
 *
 * One table of predicates: an event is counted when bits of the record have certain values, and counts
 * one, or the cycles in a field of it.
 */
#ifndef OPD_IBS_EVENTS_H
#define OPD_IBS_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/* Registers of a record, in the order in which the stream has them behind the address. */
enum opd_ibs_register {
	OPD_IBS_FETCH_LINEAR = 0,
	OPD_IBS_FETCH_CTL,
	OPD_IBS_FETCH_PHYSICAL,
	OPD_IBS_NR_FETCH,

	OPD_IBS_OP_RIP = 0,
	OPD_IBS_OP_DATA,	/* branches, and cycles to retirement */
	OPD_IBS_OP_DATA2,	/* which northbridge answered */
	OPD_IBS_OP_DATA3,	/* loads and stores */
	OPD_IBS_OP_DC_LINEAR,
	OPD_IBS_OP_DC_PHYSICAL,
	OPD_IBS_NR_OP,
};

/* What has to be true of a register. */
struct opd_ibs_condition {
	enum opd_ibs_register reg;
	uint64_t all;		/* these bits are set */
	uint64_t none;		/* these are not */
	uint64_t any;		/* of these at least one is, unless 0 */
	uint64_t field, value;	/* the bits of field are value */
};

struct opd_ibs_event {
	uint32_t code;			/* as in the tables of events */
	struct opd_ibs_condition when[2];
	struct {
		int used;		/* 0: the event counts one */
		enum opd_ibs_register reg;
		unsigned int shift;
	} cycles;			/* counts these 16 bits */
};

/* NULL when there is no such event. */
const struct opd_ibs_event *opd_ibs_event_find(uint32_t code);

/* What the event counts in a record: 0 when it does not apply. */
uint32_t opd_ibs_event_count(const struct opd_ibs_event *event, const uint64_t *regs);

#endif
