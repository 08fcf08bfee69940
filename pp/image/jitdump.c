// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jitdump.c -- parser for perf's jitdump (new code, moved code, lines) and for the records that
 * only libopagent writes (agents/jitdump.h).
 */
#include "config.h"
#include "pp/image/jitdump.h"

#include <byteswap.h>
#include <errno.h>
#include <string.h>

#include "pp/image/jit.h"
#include "pp/image/swapped.h"

#define MAGIC		0x4a695444u
/* flag in a jitdump's header: time stamps are from the dump's own clock */
#define OWN_CLOCK	1

#define MAX_STEPS	(64u << 20)

/* Offsets of fields in the header of a jitdump, and in its records. */
enum {
	FILE_MACHINE = 12,
	FILE_HEADER_SIZE = 8,
	FILE_FLAGS = 32,
	FILE_HEADER_MIN = 40,
	RECORD_SIZE = 4,
	DEBUG_NR = 24, DEBUG_ENTRIES = 32,
	ENTRY_LINE = 8, ENTRY_NAME = 16,
};

struct reader {
	struct pp_jit *jit;
	bool swap;
	/* number of functions that searches for moved code may still examine; limits the work for
	 * malicious files */
	uint64_t steps;
};

static int add_code(struct reader *r, uint64_t start, uint64_t size, const char *name,
		    const char *bytes)
{
	struct pp_jit_code code = { .start = start, .end = start + size, .name = name,
				    .bytes = bytes };

	if (!size || size > PP_JITDUMP_MAX_CODE || start > UINT64_MAX - size || !*name)
		return 0;
	return pp_jit_add_code(r->jit, &code);
}

/* Add the function that the record of @size bytes at @p describes. Return 0 or a negative errno. */
static int read_load(struct reader *r, const char *p, size_t size, bool with_bytes)
{
	const char *name = p + PP_JITDUMP_LOAD_NAME, *end;
	uint64_t code_size;

	if (size < PP_JITDUMP_LOAD_NAME)
		return 0;
	end = memchr(name, '\0', size - PP_JITDUMP_LOAD_NAME);
	code_size = pp_get64(p + PP_JITDUMP_LOAD_SIZE, r->swap);
	if (!end)
		return 0;
	end++;
	return add_code(r, pp_get64(p + PP_JITDUMP_LOAD_ADDRESS, r->swap), code_size, name,
			with_bytes && code_size <= (uint64_t)(p + size - end) ? end : NULL);
}

/* Add a function that was moved. Copy its name and bytes from the function that was last loaded at
 * the old address. */
static int read_move(struct reader *r, const char *p, size_t size)
{
	const struct pp_jit *jit = r->jit;
	uint64_t old;

	if (size < PP_JITDUMP_MOVE_END)
		return 0;
	old = pp_get64(p + PP_JITDUMP_MOVE_OLD, r->swap);
	/* Search backwards, because garbage collectors mostly move new objects. */
	for (size_t back = 1; back <= jit->nr_codes && r->steps; back++, r->steps--) {
		struct pp_jit_code code = jit->codes[jit->nr_codes - back];

		if (code.start == old)
			return add_code(r, pp_get64(p + PP_JITDUMP_MOVE_NEW, r->swap),
					code.end - code.start, code.name, code.bytes);
	}
	return 0;
}

/* Add the source lines of a debug record. @order: number to store in the .order of each line. */
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
		struct pp_jit_line line = {.vma = pp_get64(p, r->swap),
					   .line = pp_get32(p + ENTRY_LINE, r->swap),
					   .order = order};
		int err;

		if (!name_end)
			return 0;
		/* The name "\xff" stands for the file name of the previous entry. */
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

static int read_record(void *arg, uint32_t id, const char *p, size_t size)
{
	struct reader *r = arg;
	uint32_t nr = r->jit->nr_codes;

	switch (id) {
	case PP_JITDUMP_LOAD:
	case PP_JITDUMP_OUR_NAME:
		return read_load(r, p, size, id == PP_JITDUMP_LOAD);
	case PP_JITDUMP_MOVE:
		return read_move(r, p, size);
	case PP_JITDUMP_DEBUG_INFO:
		return read_debug(r, p, size, nr);
	case PP_JITDUMP_OUR_LINES:
		return nr ? read_debug(r, p, size, nr - 1) : 0;
	default:
		return 0;
	}
}

int pp_jitdump_open(struct pp_jitdump *ret, const char *data, size_t size)
{
	struct pp_jitdump dump = { .data = data, .size = size };
	uint32_t magic;

	if (size < FILE_HEADER_MIN)
		return -EINVAL;
	memcpy(&magic, data, sizeof(magic));
	dump.swap = magic == bswap_32(MAGIC);
	if (magic != MAGIC && !dump.swap)
		return -EINVAL;
	dump.machine = pp_get32(data + FILE_MACHINE, dump.swap);
	dump.own_clock = pp_get64(data + FILE_FLAGS, dump.swap) & OWN_CLOCK;
	dump.first = pp_get32(data + FILE_HEADER_SIZE, dump.swap);
	if (dump.first < FILE_HEADER_MIN || dump.first > size)
		return -EINVAL;
	*ret = dump;
	return 0;
}

int pp_jitdump_each(const struct pp_jitdump *dump, pp_jitdump_fn fn, void *arg)
{
	const char *p = dump->data + dump->first, *end = dump->data + dump->size;
	uint32_t size;
	int err = 0;

	/* The last record may be incomplete, because the program may still be writing the file. */
	for (; !err && end - p >= PP_JITDUMP_RECORD_MIN; p += size) {
		size = pp_get32(p + RECORD_SIZE, dump->swap);
		if (size < PP_JITDUMP_RECORD_MIN || size > (size_t)(end - p))
			break;
		err = fn(arg, pp_get32(p, dump->swap), p, size);
	}
	return err;
}

int pp_jitdump_parse(struct pp_jit *jit)
{
	struct reader r = { .jit = jit, .steps = MAX_STEPS };
	struct pp_jitdump dump;
	int err = pp_jitdump_open(&dump, jit->data, jit->size);

	if (err)
		return err;
	r.swap = dump.swap;
	jit->machine = dump.machine;
	return pp_jitdump_each(&dump, read_record, &r);
}
