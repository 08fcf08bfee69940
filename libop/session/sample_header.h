/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_header.h -- the 72-byte header of a sample file, in OProfile 1.4's layout.
 */
#ifndef OP_SAMPLE_HEADER_H
#define OP_SAMPLE_HEADER_H

#include <stdint.h>

#define OP_SAMPLE_MAGIC		"DAE\n"
#define OP_SAMPLE_VERSION	0x13

struct op_sample_header {
	uint8_t magic[4];
	uint32_t version;
	/* type of the CPU, as enum op_cpu_type; numbers that OProfile 1.4 also uses */
	uint32_t cpu_type;
	uint32_t ctr_event;
	uint32_t ctr_um;
	uint32_t ctr_count;
	uint32_t is_kernel;	/* 1 in a call-graph file whose caller is kernel code */
	/* identity of the binary's build (identity.h); padding in OProfile 1.4 */
	uint32_t build;
	double cpu_speed;	/* speed of the CPU in MHz; 0: unknown */
	uint64_t mtime;		/* modification time of the binary, in seconds; 0: unknown */
	uint32_t cg_to_is_kernel;
	/* identity of the user who owns the binary (identity.h); padding in OProfile 1.4 */
	uint32_t owner;
	uint64_t anon_start;
	uint64_t cg_to_anon_start;
};

_Static_assert(sizeof(struct op_sample_header) == 72, "OProfile 1.4 sample header");

/* Set the magic number and the version, and zero the other members. */
void op_sample_header_init(struct op_sample_header *h);

/* Check the magic number and the version. Return 0, OP_ERR_MAGIC or OP_ERR_VERSION. */
int op_sample_header_check(const struct op_sample_header *h);

#endif
