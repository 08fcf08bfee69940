/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_events.h -- events that are derived from records of AMD's instruction-based sampling (IBS).
 *
 * Each event has a predicate: the event applies to a record if certain bits have certain values.
 * The event's count for such a record is 1, or the number of cycles in a field of the record.
 */
#ifndef OPD_IBS_EVENTS_H
#define OPD_IBS_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/* Registers in an IBS record, in the order of the stream. In the stream, the sampled address is
 * before the registers. */
enum opd_ibs_register {
	OPD_IBS_FETCH_LINEAR = 0,
	OPD_IBS_FETCH_CTL,
	OPD_IBS_FETCH_PHYSICAL,
	OPD_IBS_NR_FETCH,

	OPD_IBS_OP_RIP = 0,
	OPD_IBS_OP_DATA,	/* IBS op data: branches, and cycles until retirement */
	OPD_IBS_OP_DATA2,	/* IBS op data 2: source of the data from the northbridge */
	OPD_IBS_OP_DATA3,	/* IBS op data 3: loads and stores */
	OPD_IBS_OP_DC_LINEAR,
	OPD_IBS_OP_DC_PHYSICAL,
	OPD_IBS_NR_OP,
};

/* A condition on a register of an IBS record. The register must satisfy each of the members .all to
 * .value. */
struct opd_ibs_condition {
	enum opd_ibs_register reg;
	uint64_t all;		/* all bits of this mask are set in the register */
	uint64_t none;		/* no bit of this mask is set in the register */
	/* at least one bit of this mask is set in the register, or the mask is 0 */
	uint64_t any;
	uint64_t field, value;	/* the bits of the register in mask .field equal .value */
};

struct opd_ibs_event {
	uint32_t code;			/* code of the event in the event tables */
	struct opd_ibs_condition when[2];
	struct {
		/* nonzero: the event counts cycles; 0: it counts 1 per record */
		int used;
		enum opd_ibs_register reg;
		unsigned int shift;
	/* the number of cycles is in 16 bits of .reg, from bit .shift on */
	} cycles;
};

/* Return the IBS event with code @code, or NULL. */
const struct opd_ibs_event *opd_ibs_event_find(uint32_t code);

/* Return the count of @event in a record with the registers @regs, or 0 if the event does not
 * apply. */
uint32_t opd_ibs_event_count(const struct opd_ibs_event *event, const uint64_t *regs);

#endif
