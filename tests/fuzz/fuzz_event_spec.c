// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_event_spec.c -- fuzzes the parser of --event. */
#include "config.h"

#include "libop/event/spec.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_event_spec spec;
	char *text = fuzz_string(data, size);
	size_t length = op_event_list_length(text);

	fuzz_require(length <= strlen(text) && (!text[length] || text[length] == ','));
	if (!op_event_spec_parse(&spec, text)) {
		fuzz_require(*spec.name && !strpbrk(spec.name, "/, \n"));
		/* a name contains ':' only if it is a tracepoint, SYSTEM:NAME */
		fuzz_require(!strchr(spec.name, ':') || op_event_name_is_tracepoint(spec.name));
		fuzz_require(spec.count && spec.count <= INT32_MAX);
		fuzz_require((spec.kernel | spec.user) <= 1);
		op_event_spec_release(&spec);
	}
	free(text);
	return 0;
}
