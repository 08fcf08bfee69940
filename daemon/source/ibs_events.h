/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_events.h -- derives counts of events from a record of AMD's instruction-based sampling.
 *
 * One table of predicates: an event applies if bits of the record have certain values. It counts
 * one, or the cycles in a field of the record.
 */
#ifndef OPD_IBS_EVENTS_H
#define OPD_IBS_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/* Registers of a record, in the order of the stream, where they follow the address. */
enum opd_ibs_register {
	OPD_IBS_FETCH_LINEAR = 0,
	OPD_IBS_FETCH_CTL,
	OPD_IBS_FETCH_PHYSICAL,
	OPD_IBS_NR_FETCH,

	OPD_IBS_OP_RIP = 0,
	OPD_IBS_OP_DATA,	/* branches, and cycles to retirement */
	OPD_IBS_OP_DATA2,	/* the northbridge that answered */
	OPD_IBS_OP_DATA3,	/* loads and stores */
	OPD_IBS_OP_DC_LINEAR,
	OPD_IBS_OP_DC_PHYSICAL,
	OPD_IBS_NR_OP,
};

/* Condition on a register. */
struct opd_ibs_condition {
	enum opd_ibs_register reg;
	uint64_t all;		/* all these bits are set */
	uint64_t none;		/* none of these bits is set */
	uint64_t any;		/* at least one of these bits is set, unless the mask is 0 */
	uint64_t field, value;	/* the bits in field have this value */
};

struct opd_ibs_event {
	uint32_t code;			/* code in the tables of events */
	struct opd_ibs_condition when[2];
	struct {
		int used;		/* 0: the event counts one */
		enum opd_ibs_register reg;
		unsigned int shift;
	} cycles;			/* the value of these 16 bits is counted */
};

/* Return the event with this code, or NULL. */
const struct opd_ibs_event *opd_ibs_event_find(uint32_t code);

/* Return the count of the event in a record; 0 if it does not apply. */
uint32_t opd_ibs_event_count(const struct opd_ibs_event *event, const uint64_t *regs);

#endif
