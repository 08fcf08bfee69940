// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_jit.c -- any bytes as a perf map (first byte even) or as a jitdump: what is read is in order
 * and overlaps nowhere.
 */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "pp/image/jit.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pp_jit jit = { 0 };
	static int (*const parsers[])(struct pp_jit *jit) = { pp_perf_map_parse, pp_jitdump_parse, pp_agent_dump_parse };

	if (!size)
		return 0;
	jit.data = fuzz_string(data + 1, size - 1);
	jit.size = size - 1;
	if (!parsers[*data % 3](&jit) && !pp_jit_settle(&jit))
		check(&jit);
	pp_jit_close(&jit);
	return 0;
}
