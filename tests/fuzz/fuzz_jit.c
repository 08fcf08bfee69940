// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_jit.c -- fuzzes the readers of perf maps (first byte even) and jitdumps (odd): the resulting
 * functions are sorted and do not overlap, and unwind rows from a jitdump are valid.
 */
#include "config.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcfi/made.h"
#include "pp/image/jit.h"
#include "pp/image/made_rows.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct pp_jit *jit)
{
	struct pp_frame frame;
	char code[64];

	for (size_t i = 0; i < jit->nr_codes; i++) {
		const struct pp_jit_code *c = &jit->codes[i];
		uint32_t symbol = pp_symtab_lookup(&jit->symtab, c->start);

		fuzz_require(c->start < c->end);
		fuzz_require(!i || jit->codes[i - 1].end <= c->start);
		fuzz_require(symbol == i && *c->name);
		if (pp_jit_line(jit, c->start, &frame))
			fuzz_require(strlen(frame.file) <= jit->size);
		fuzz_require(pp_jit_code(jit, c->end - 1, code, sizeof(code)) <= 1);
		pp_jit_code(jit, c->start, code, sizeof(code));
	}
}

static void check_rows(const char *data, size_t size)
{
	int fd = memfd_create("rows", MFD_CLOEXEC);
	off_t made_size;
	void *made;

	if (!pp_made_rows_write(fd, data, size)) {
		made_size = lseek(fd, 0, SEEK_CUR);
		made = mmap(NULL, (size_t)made_size, PROT_READ, MAP_PRIVATE, fd, 0);
		fuzz_require(made != MAP_FAILED && cfi_made_is_valid(made, (uint64_t)made_size));
		munmap(made, (size_t)made_size);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pp_jit jit = { 0 };
	static int (*const parsers[])(struct pp_jit *jit) = { pp_perf_map_parse, pp_jitdump_parse, pp_agent_dump_parse };

	if (!size)
		return 0;
	jit.data = fuzz_string(data + 1, size - 1);
	jit.size = size - 1;
	if (!parsers[*data % 3](&jit) && !pp_jit_finish(&jit))
		check(&jit);
	pp_jit_close(&jit);
	if (*data % 3 == 1)
		check_rows((const char *)data + 1, size - 1);
	return 0;
}
