// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compile.c -- loop over all rows of a section of call frame information.
 */
#include "libcfi/cfi.h"

#include "libcfi/entry.h"

int cfi_compile(const struct cfi_section *section, cfi_emit emit, void *data)
{
	struct cfi_entries entries;
	struct cfi_function function;
	struct cfi_row row;
	struct cfi_run run;
	int err = cfi_entries_begin(&entries, section);

	while (!err && (err = cfi_entries_next(&entries, &function)) > 0) {
		cfi_run_begin(&run, &function.shared->factors, &function.shared->initial,
			      function.program,
			      section->address + (function.program.at - section->data),
			      function.from, function.to);
		for (err = 0; !err && cfi_run_next(&run, &row); )
			err = emit(data, &row);
	}
	return err;
}
