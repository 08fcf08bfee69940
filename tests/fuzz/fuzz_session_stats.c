// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_session_stats.c -- fuzzes the parser of a session's counters. */
#include "config.h"

#include "libop/session/stats.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_session_stats s = { 0 };
	char *text = fuzz_string(data, size);

	fuzz_require(!op_session_stats_parse(&s, text));
	for (size_t i = 0; i < s.nr; i++) {
		fuzz_require(*s.values[i].name && !strpbrk(s.values[i].name, " \n\033"));
		fuzz_require(op_session_stats_get(&s, s.values[i].name) == s.values[i].value);
	}
	op_session_stats_release(&s);
	free(text);
	return 0;
}
