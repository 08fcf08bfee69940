// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_mangle.c -- fuzzes the parser of sample file names: a name is refused, or parsed so that
 * mangling it again gives the same name.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/session/mangle.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_sample_name name;
	char *path = fuzz_string(data, size), *again;
	int err = op_unmangle(&name, path);

	if (err) {
		fuzz_require(err == OP_ERR_NAME);
	} else {
		fuzz_require(!op_mangle(&again, &name));
		fuzz_require(!strcmp(again, path));
		fuzz_require(!strstr(path, "/../"));
		free(again);
		op_sample_name_release(&name);
	}
	free(path);
	return 0;
}
