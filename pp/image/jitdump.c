// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jitdump.c -- records of code that is made, moved, and described, as perf defines them, and those that only
 * libopagent writes (agents/jitdump.h).
 */
#include "config.h"
#include <byteswap.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "pp/image/jit.h"
#include "pp/image/swapped.h"

#define MAGIC		0x4a695444u
#define MAX_CODE	(1ull << 30)	/* bytes of one function */

#define MAX_STEPS	(64u << 20)

enum {
	CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO,
	OUR_LINES = 0x4f500000,	/* of code that was loaded before; perf's are of what comes next */
	OUR_NAME,		/* a load without the bytes */
};

/* Offsets of fields, from the beginning of the file or record. */
enum {
	FILE_MACHINE = 12,
	FILE_HEADER_SIZE = 8,
	FILE_HEADER_MIN = 40,
	RECORD_SIZE = 4,
	RECORD_MIN = 16,	/* id, size, time stamp */
	LOAD_ADDRESS = 32, LOAD_SIZE = 40, LOAD_NAME = 56,
	MOVE_OLD = 32, MOVE_NEW = 40, MOVE_SIZE = 48, MOVE_END = 64,
	DEBUG_NR = 24, DEBUG_ENTRIES = 32,
	ENTRY_LINE = 8, ENTRY_NAME = 16,
};

struct reader {
	struct pp_jit *jit;
	bool swap;
	uint64_t steps;		/* left, looking for what was moved; hostile files have many */
};

static int add_code(struct reader *r, uint64_t start, uint64_t size, const char *name,
		    const char *bytes)
{
	struct pp_jit_code code = { .start = start, .end = start + size, .name = name,
				    .bytes = bytes };

	if (!size || size > MAX_CODE || start > UINT64_MAX - size || !*name)
		return 0;
	return pp_jit_add_code(r->jit, &code);
}

/* Of a record of @size bytes at @p. */
static int read_load(struct reader *r, const char *p, size_t size, bool with_bytes)
{
	const char *name = p + LOAD_NAME, *end;
	uint64_t code_size;

	if (size < LOAD_NAME)
		return 0;
	end = memchr(name, '\0', size - LOAD_NAME);
	code_size = pp_get64(p + LOAD_SIZE, r->swap);
	if (!end)
		return 0;
	end++;
	return add_code(r, pp_get64(p + LOAD_ADDRESS, r->swap), code_size, name,
			with_bytes && code_size <= (uint64_t)(p + size - end) ? end : NULL);
}

/* The name and the bytes are those of what was there last. */
static int read_move(struct reader *r, const char *p, size_t size)
{
	const struct pp_jit *jit = r->jit;
	uint64_t old;

	if (size < MOVE_END)
		return 0;
	old = pp_get64(p + MOVE_OLD, r->swap);
	/* Garbage collectors move what is young. */
	for (size_t back = 1; back <= jit->nr_codes && r->steps; back++, r->steps--) {
		struct pp_jit_code code = jit->codes[jit->nr_codes - back];

		if (code.start == old)
			return add_code(r, pp_get64(p + MOVE_NEW, r->swap), code.end - code.start, code.name,
					code.bytes);
	}
	return 0;
}

/* @order: of the newest code that it may be about. */
static int read_debug(struct reader *r, const char *p, size_t size, uint32_t order)
{
	const char *end = p + size, *file = NULL;
	uint64_t nr;

	if (size < DEBUG_ENTRIES)
		return 0;
	nr = pp_get64(p + DEBUG_NR, r->swap);
	p += DEBUG_ENTRIES;
	for (uint64_t i = 0; i < nr && end - p > ENTRY_NAME; i++) {
		const char *name = p + ENTRY_NAME, *name_end = memchr(name, '\0', end - name);
		struct pp_jit_line line = { .vma = pp_get64(p, r->swap), .line = pp_get32(p + ENTRY_LINE, r->swap), .order = order };
		int err;

		if (!name_end)
			return 0;
		/* "\xff": the same file again. */
		if (strcmp(name, "\xff"))
			file = name;
		line.file = file;
		err = file ? pp_jit_add_line(r->jit, &line) : 0;
		if (err)
			return err;
		p = name_end + 1;
	}
	return 0;
}

static int read_record(struct reader *r, uint32_t id, const char *p, size_t size)
{
	uint32_t nr = r->jit->nr_codes;

	switch (id) {
	case CODE_LOAD:
	case OUR_NAME:
		return read_load(r, p, size, id == CODE_LOAD);
	case CODE_MOVE:
		return read_move(r, p, size);
	case CODE_DEBUG_INFO:
		return read_debug(r, p, size, nr);
	case OUR_LINES:
		return nr ? read_debug(r, p, size, nr - 1) : 0;
	default:
		return 0;
	}
}

int pp_jitdump_parse(struct pp_jit *jit)
{
	struct reader r = { .jit = jit, .steps = MAX_STEPS };
	const char *p = jit->data, *end = jit->data + jit->size;
	uint32_t magic, size;
	int err = 0;

	if (jit->size < FILE_HEADER_MIN)
		return -EINVAL;
	memcpy(&magic, p, sizeof(magic));
	r.swap = magic == bswap_32(MAGIC);
	if (magic != MAGIC && !r.swap)
		return -EINVAL;
	jit->machine = pp_get32(p + FILE_MACHINE, r.swap);
	size = pp_get32(p + FILE_HEADER_SIZE, r.swap);
	if (size < FILE_HEADER_MIN || size > jit->size)
		return -EINVAL;
	/* The last record may be half written. */
	for (p += size; !err && end - p >= RECORD_MIN; p += size) {
		size = pp_get32(p + RECORD_SIZE, r.swap);
		if (size < RECORD_MIN || size > (size_t)(end - p))
			break;
		err = read_record(&r, pp_get32(p, r.swap), p, size);
	}
	return err;
}
