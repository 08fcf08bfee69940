/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_events.h -- events that are derived from records of AMD's instruction-based sampling (IBS).
 *
 * A table has a predicate for each event: the event applies if bits of the record have certain
 * values. It counts 1, or the cycles in a field of the record.
 */
#ifndef OPD_IBS_EVENTS_H
#define OPD_IBS_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/* Registers of an IBS record. The order is that of the stream, where the address precedes them. */
enum opd_ibs_register {
	OPD_IBS_FETCH_LINEAR = 0,
	OPD_IBS_FETCH_CTL,
	OPD_IBS_FETCH_PHYSICAL,
	OPD_IBS_NR_FETCH,

	OPD_IBS_OP_RIP = 0,
	OPD_IBS_OP_DATA,	/* data about branches, and the number of cycles until retirement */
	OPD_IBS_OP_DATA2,	/* data about the source from which the northbridge got the data */
	OPD_IBS_OP_DATA3,	/* IBS register with data about loads and stores */
	OPD_IBS_OP_DC_LINEAR,
	OPD_IBS_OP_DC_PHYSICAL,
	OPD_IBS_NR_OP,
};

/* A condition on a register of an IBS record. It is true if all its parts are. */
struct opd_ibs_condition {
	enum opd_ibs_register reg;
	uint64_t all;		/* the event applies if all bits of this mask are set */
	uint64_t none;		/* the event applies if no bit of this mask is set */
	uint64_t any;		/* at least one bit of this mask is set, or the mask is 0 */
	uint64_t field, value;	/* the bits of the mask .field have this value */
};

struct opd_ibs_event {
	uint32_t code;			/* code of the event in the tables of events */
	struct opd_ibs_condition when[2];
	struct {
		int used;		/* .cycles is used; 0: each matching record counts as 1 */
		enum opd_ibs_register reg;
		unsigned int shift;
	/* the event counts the value of the 16 bits of .reg that begin at bit .shift */
	} cycles;
};

/* Return the IBS event with this code, or NULL. */
const struct opd_ibs_event *opd_ibs_event_find(uint32_t code);

/* Return the count of the event in the record with the registers @regs; 0 if the event does not
 * apply. */
uint32_t opd_ibs_event_count(const struct opd_ibs_event *event, const uint64_t *regs);

#endif
