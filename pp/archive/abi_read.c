// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi_read.c -- parsing of abi files, which consist of lines "name value".
 *
 * The file has the offsets of fields, but few sizes. The sizes of C types do not help: 32-bit
 * machines also have 64-bit fields in the header, and sizeof_time_t is not the size of mtime. So a
 * field is assumed to end at the next field, and to be at most as long as the same field on this
 * machine.
 */
#include "config.h"
#include "pp/archive/abi_read.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/session/sample_header.h"

#define MAX_RECORD	4096	/* maximum size of a header, descr or node, in bytes */

enum record { IN_HEADER, IN_DESCR, IN_NODE, NR_RECORDS };

/* A line of the abi file that the parser knows: its name, and the field in which to store its
 * number. Other lines of the file are ignored. */
struct item {
	const char *name;
	/* offset of the field in struct pp_abi: of a pp_abi_field or, if .is_field is false, of a
	 * uint32_t */
	size_t at;
	bool is_field;
	enum record record;
	uint32_t max_size;	/* maximum size of the field in bytes */
};

#define SIZE(line, member) { line, offsetof(struct pp_abi, member), 0, NR_RECORDS, 0 }
#define FIELD(line, member, record, max) \
	{ "offsetof_" line, offsetof(struct pp_abi, member), 1, record, max }

static const struct item items[] = {
	SIZE("sizeof_struct_opd_header", header_size),
	SIZE("sizeof_odb_descr_t", descr_size),
	SIZE("sizeof_odb_node_t", node_size),
	SIZE("sizeof_odb_index_t", index_size),
	SIZE("sizeof_odb_key_t", key.size),
	SIZE("sizeof_odb_value_t", value.size),
	SIZE("little_endian", little_endian),
	FIELD("node_key", key, IN_NODE, 8),
	FIELD("node_value", value, IN_NODE, 8),
	FIELD("descr_size", descr_size_field, IN_DESCR, 4),
	FIELD("descr_current_size", current_size, IN_DESCR, 4),
	FIELD("header_cpu_type", cpu_type, IN_HEADER, 4),
	FIELD("header_ctr_event", ctr_event, IN_HEADER, 4),
	FIELD("header_ctr_um", ctr_um, IN_HEADER, 4),
	FIELD("header_ctr_count", ctr_count, IN_HEADER, 4),
	FIELD("header_is_kernel", is_kernel, IN_HEADER, 4),
	FIELD("header_cpu_speed", cpu_speed, IN_HEADER, 8),
	FIELD("header_mtime", mtime, IN_HEADER, 8),
	FIELD("header_cg_to_is_kernel", cg_to_is_kernel, IN_HEADER, 4),
	FIELD("header_anon_start", anon_start, IN_HEADER, 8),
	FIELD("header_cg_to_anon_start", cg_to_anon_start, IN_HEADER, 8),
	/* The following lines are optional in an abi file. */
	FIELD("header_build", build, IN_HEADER, 4),
	FIELD("header_owner", owner, IN_HEADER, 4),
};

#define NR_ITEMS	(sizeof(items) / sizeof(items[0]))
#define NR_NEEDED	(NR_ITEMS - 2)

static uint32_t *number_of(struct pp_abi *abi, const struct item *item)
{
	/* for a field, this is the address of .offset, the first member of pp_abi_field */
	return (uint32_t *)((char *)abi + item->at);
}

/* Parse one line of the abi file, and store its value in @abi. Return 0, or -EINVAL if the value is
 * not a number or is out of range. */
static int read_line(struct pp_abi *abi, char *line, uint64_t *seen)
{
	size_t n = strcspn(line, " \t");
	char *end;
	unsigned long value;

	for (size_t i = 0; i < NR_ITEMS; i++) {
		if (strlen(items[i].name) != n || memcmp(items[i].name, line, n))
			continue;
		line += n + strspn(line + n, " \t");
		if (*line < '0' || *line > '9')
			return -EINVAL;
		errno = 0;
		value = strtoul(line, &end, 10);
		end += strspn(end, " \t\r");
		if (errno || *end || value > MAX_RECORD)
			return -EINVAL;
		*number_of(abi, &items[i]) = value;
		*seen |= 1ull << i;
		return 0;
	}
	return 0;
}

static uint32_t record_size(const struct pp_abi *abi, enum record record)
{
	return record == IN_HEADER ? abi->header_size :
	       record == IN_DESCR  ? abi->descr_size :
				     abi->node_size;
}

/* Return the size of the largest integer (8, 4, 2 or 1 bytes) that fits into @room bytes. */
static uint32_t whole(uint32_t room)
{
	return room >= 8 ? 8 : room >= 4 ? 4 : room >= 2 ? 2 : room;
}

/* Set the size of each field in @abi. Return NULL, or the name of a field that lies outside its
 * record. */
static const char *finish_fields(struct pp_abi *abi, uint64_t seen)
{
	for (size_t i = 0; i < NR_ITEMS; i++) {
		struct pp_abi_field *field = (struct pp_abi_field *)number_of(abi, &items[i]);
		uint32_t end = record_size(abi, items[i].record);

		if (!items[i].is_field || !(seen & 1ull << i))
			continue;
		if (field->offset >= end)
			return items[i].name;
		for (size_t j = 0; j < NR_ITEMS; j++) {
			uint32_t other = *number_of(abi, &items[j]);

			if (items[j].is_field && seen & 1ull << j &&
			    items[j].record == items[i].record && other > field->offset &&
			    other < end)
				end = other;
		}
		end = whole(end - field->offset);
		if (items[i].record != IN_NODE)
			field->size = end < items[i].max_size ? end : items[i].max_size;
		else if (field->size > end || whole(field->size) != field->size || !field->size)
			return items[i].name;
	}
	return NULL;
}

int pp_abi_parse(struct pp_abi *ret, char *text, const char *name, struct pp_log *log)
{
	struct pp_abi abi = { 0 };
	const char *bad;
	uint64_t seen = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (read_line(&abi, line, &seen))
			return op_fail(&log->error, -EINVAL,
				       "%s: \"%s\" is not a line of an abi file", name, line);
	}
	if (!seen) {
		return op_fail(&log->error, -EINVAL,
			       "%s: is not an abi file; oprofiled writes one into its session "
			       "directory",
			       name);
	}
	for (size_t i = 0; i < NR_NEEDED; i++) {
		if (seen & 1ull << i)
			continue;
		return op_fail(&log->error, -EINVAL, "%s: has no line \"%s\"", name, items[i].name);
	}
	bad = finish_fields(&abi, seen);
	if (!bad && (abi.little_endian > 1 || abi.header_size < 12 || !abi.index_size ||
		     abi.index_size > 8))
		bad = abi.little_endian > 1	? "little_endian" :
		      abi.header_size < 12	? "sizeof_struct_opd_header" :
						  "sizeof_odb_index_t";
	if (bad)
		return op_fail(&log->error, -EINVAL, "%s: the line \"%s\" contradicts another "
						     "line of the file",
			       name, bad);
	*ret = abi;
	return 0;
}

#define NATIVE(field) { offsetof(struct op_sample_header, field), \
			sizeof(((struct op_sample_header *)0)->field) }

void pp_abi_native(struct pp_abi *ret)
{
	*ret = (struct pp_abi){
		.little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
		.header_size = sizeof(struct op_sample_header),
		.descr_size = 32,
		.node_size = 16,
		.index_size = 4,
		.key = { 0, 8 },
		.value = { 8, 4 },
		.descr_size_field = { 0, 4 },
		.current_size = { 4, 4 },
		.cpu_type = NATIVE(cpu_type),
		.ctr_event = NATIVE(ctr_event),
		.ctr_um = NATIVE(ctr_um),
		.ctr_count = NATIVE(ctr_count),
		.is_kernel = NATIVE(is_kernel),
		.build = NATIVE(build),
		.owner = NATIVE(owner),
		.cpu_speed = NATIVE(cpu_speed),
		.mtime = NATIVE(mtime),
		.cg_to_is_kernel = NATIVE(cg_to_is_kernel),
		.anon_start = NATIVE(anon_start),
		.cg_to_anon_start = NATIVE(cg_to_anon_start),
	};
}

bool pp_abi_same(const struct pp_abi *a, const struct pp_abi *b)
{
	/* memcmp() works because the struct has no padding: all members are 32 bits wide */
	return !memcmp(a, b, sizeof(*a));
}

uint64_t pp_abi_get(const struct pp_abi *abi, const struct pp_abi_field *field, const void *record)
{
	const uint8_t *bytes = (const uint8_t *)record + field->offset;
	uint64_t value = 0;

	for (uint32_t i = 0; i < field->size; i++)
		value = value << 8 | bytes[abi->little_endian ? field->size - 1 - i : i];
	return value;
}
