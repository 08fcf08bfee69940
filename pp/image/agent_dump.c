// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * agent_dump.c -- the dumps of OProfile 1.x's agents: a header, and records of new code, of its
 * lines, and of unloaded code. Timestamps have a resolution of a second, so the order in the file
 * decides.
 */
#include "config.h"
#include <byteswap.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "pp/image/jit.h"
#include "pp/image/swapped.h"

#define MAGIC	0x4f74496au	/* "jItO" on a little-endian machine */
#define FORMAT	1

enum { CODE_LOAD, CODE_UNLOAD, CODE_CLOSE, CODE_DEBUG_INFO };

/* Offsets of fields, from the beginning of the file or record. */
enum {
	FILE_VERSION = 4, FILE_SIZE = 8, FILE_TARGET = 32, FILE_MIN = 33,
	RECORD_SIZE = 4, RECORD_MIN = 16,	/* id, size, time stamp */
	LOAD_VMA = 16, LOAD_SIZE = 32, LOAD_NAME = 40,
	DEBUG_NR = 24, DEBUG_ENTRIES = 32,
	ENTRY_LINE = 8, ENTRY_NAME = 12,
};

struct reader {
	struct pp_jit *jit;
	bool swap;
};

/* Add a code record. The bytes of the code are optional. */
static int read_load(const struct reader *r, const char *p, size_t size)
{
	const char *name = p + LOAD_NAME, *end;
	struct pp_jit_code code = { .name = name };
	uint32_t code_size;

	if (size <= LOAD_NAME)
		return 0;
	end = memchr(name, '\0', size - LOAD_NAME);
	code_size = pp_get32(p + LOAD_SIZE, r->swap);
	code.start = pp_get64(p + LOAD_VMA, r->swap);
	if (!end || !*name || !code_size || code.start > UINT64_MAX - code_size)
		return 0;
	code.end = code.start + code_size;
	if (code_size <= (size_t)(p + size - end - 1))
		code.bytes = end + 1;
	return pp_jit_add_code(r->jit, &code);
}

/* Add the lines of the previous code record. */
static int read_debug(const struct reader *r, const char *p, size_t size)
{
	const char *end = p + size;
	uint32_t nr;

	if (size < DEBUG_ENTRIES || !r->jit->nr_codes)
		return 0;
	nr = pp_get32(p + DEBUG_NR, r->swap);
	p += DEBUG_ENTRIES;
	for (uint32_t i = 0; i < nr && end - p > ENTRY_NAME; i++) {
		const char *name = p + ENTRY_NAME, *name_end = memchr(name, '\0', end - name);
		int err;

		if (!name_end)
			return 0;
		err = pp_jit_add_line(r->jit, &(struct pp_jit_line){
			.vma = pp_get64(p, r->swap),
			.file = name,
			.line = pp_get32(p + ENTRY_LINE, r->swap),
			.order = r->jit->nr_codes - 1,
		});
		if (err)
			return err;
		p = name_end + 1;
	}
	return 0;
}

/* Return the machine for the name of the format. The machine's number in the header is libbfd's,
 * which differs between versions. */
static uint16_t machine_of(const char *target, size_t size)
{
	static const struct {
		const char *target;
		uint16_t machine;
	} machines[] = {
		{ "elf64-x86-64", EM_X86_64 },
		{ "elf32-i386", EM_386 },
		{ "elf64-littleaarch64", EM_AARCH64 },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		size_t len = strlen(machines[i].target) + 1;

		if (len <= size && !memcmp(target, machines[i].target, len))
			return machines[i].machine;
	}
	return EM_NONE;
}

int pp_agent_dump_parse(struct pp_jit *jit)
{
	struct reader r = { .jit = jit };
	const char *p = jit->data, *end = jit->data + jit->size;
	uint32_t magic, size;
	int err = 0;

	if (jit->size < FILE_MIN)
		return -EINVAL;
	memcpy(&magic, p, sizeof(magic));
	r.swap = magic == bswap_32(MAGIC);
	if ((magic != MAGIC && !r.swap) || pp_get32(p + FILE_VERSION, r.swap) != FORMAT)
		return -EINVAL;
	size = pp_get32(p + FILE_SIZE, r.swap);
	if (size < FILE_MIN || size > jit->size)
		return -EINVAL;
	jit->machine = machine_of(p + FILE_TARGET, size - FILE_TARGET);
	/* The last record may be incomplete. */
	for (p += size; !err && end - p >= RECORD_MIN; p += size) {
		uint32_t id = pp_get32(p, r.swap);

		size = pp_get32(p + RECORD_SIZE, r.swap);
		if (size < RECORD_MIN || size > (size_t)(end - p))
			break;
		if (id == CODE_LOAD)
			err = read_load(&r, p, size);
		else if (id == CODE_DEBUG_INFO)
			err = read_debug(&r, p, size);
	}
	return err;
}
