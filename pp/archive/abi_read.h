/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi_read.h -- the layout of another machine's sample files, from its abi file.
 */
#ifndef PP_ARCHIVE_ABI_READ_H
#define PP_ARCHIVE_ABI_READ_H

#include <stdint.h>

#include "pp/base/log.h"

/* A number in a record: its offset, and its size (1, 2, 4 or 8 bytes). */
struct pp_abi_field {
	uint32_t offset;
	uint32_t size;
};

struct pp_abi {
	int little_endian;
	uint32_t header_size, descr_size, node_size, index_size;
	/* fields of struct odb_node, a record with a key and a sample count */
	struct pp_abi_field key, value;
	/* fields of struct odb_descr: the capacity of the array of nodes, and the number of used
	 * nodes */
	struct pp_abi_field descr_size_field, current_size;
	/* fields of struct op_sample_header, the file's header */
	struct pp_abi_field cpu_type, ctr_event, ctr_um, ctr_count, is_kernel;
	/* more fields of the header. Layouts that lack a field, such as OProfile 1.4's, have size 0
	 * for the field. */
	struct pp_abi_field build, owner;
	struct pp_abi_field cpu_speed, mtime, cg_to_is_kernel, anon_start, cg_to_anon_start;
};

/*
 * Parse the abi file @text, and modify @text. All returned fields lie inside their records. @name:
 * file name for messages. Return 0, or -EINVAL with the cause in the log.
 */
int pp_abi_parse(struct pp_abi *ret, char *text, const char *name, struct pp_log *log);

/* Set @ret to the layout of this machine's sample files. */
void pp_abi_native(struct pp_abi *ret);
bool pp_abi_same(const struct pp_abi *a, const struct pp_abi *b);

/* Return the value of @field in @record, or 0 if the field's size is 0. */
uint64_t pp_abi_get(const struct pp_abi *abi, const struct pp_abi_field *field, const void *record);

#endif
