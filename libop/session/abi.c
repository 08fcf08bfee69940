// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi.c -- a text description of the layout that sample files have on this machine.
 *
 * OProfile 1.4's opimport parses the names in this description. libdb does not export its layout,
 * so this file repeats the layout's numbers, which are the same on all machines;
 * tests/unit/test_libop_abi.c compares them with libdb.
 */
#include "config.h"
#include "libop/session/abi.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libop/base/fs.h"
#include "libop/session/sample_header.h"

#define HEADER(field) { "offsetof_header_" #field, offsetof(struct op_sample_header, field) }

static const struct {
	const char *name;
	unsigned int value;
} items[] = {
	{ "sizeof_double", sizeof(double) },
	{ "sizeof_time_t", sizeof(time_t) },
	{ "sizeof_u8", sizeof(uint8_t) },
	{ "sizeof_u32", sizeof(uint32_t) },
	{ "sizeof_u64", sizeof(uint64_t) },
	{ "sizeof_int", sizeof(int) },
	{ "sizeof_unsigned_int", sizeof(unsigned int) },
	{ "sizeof_odb_key_t", 8 },
	{ "sizeof_odb_index_t", 4 },
	{ "sizeof_odb_value_t", 4 },
	{ "sizeof_odb_node_nr_t", 4 },
	{ "sizeof_odb_descr_t", 32 },
	{ "sizeof_odb_node_t", 16 },
	{ "sizeof_struct_opd_header", sizeof(struct op_sample_header) },
	{ "offsetof_node_key", 0 },
	{ "offsetof_node_value", 8 },
	{ "offsetof_node_next", 12 },
	{ "offsetof_descr_size", 0 },
	{ "offsetof_descr_current_size", 4 },
	HEADER(magic),
	HEADER(version),
	HEADER(cpu_type),
	HEADER(ctr_event),
	HEADER(ctr_um),
	HEADER(ctr_count),
	HEADER(is_kernel),
	HEADER(build),
	HEADER(cpu_speed),
	HEADER(mtime),
	HEADER(cg_to_is_kernel),
	HEADER(owner),
	HEADER(anon_start),
	HEADER(cg_to_anon_start),
};

int op_abi_write(int dirfd, const char *path)
{
	static const uint32_t one = 1;
	char *text = NULL;
	size_t len;
	FILE *f;
	int err;

	f = open_memstream(&text, &len);
	if (!f)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		fprintf(f, "%s %u\n", items[i].name, items[i].value);
	fprintf(f, "little_endian %d\n", *(const uint8_t *)&one);
	if (fclose(f))
		err = -ENOMEM;
	else
		err = op_replace_file(dirfd, path, text, len, 0644);
	free(text);
	return err;
}
