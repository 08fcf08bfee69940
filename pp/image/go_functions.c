// SPDX-License-Identifier: GPL-2.0-or-later
/* go_functions.c -- a copy of the functions in Go's table. */
#include "config.h"
#include "pp/image/go_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pp/image/go_table.h"

static int copy_functions(struct pp_go_functions *functions, const struct pp_go_table *t)
{
	uint64_t used = 0, start = pp_go_address(t, 0), end;
	size_t len = 0;

	for (uint64_t i = 0; i < t->nr; i++, start = end) {
		const char *name = pp_go_name(t, i, &len);

		end = pp_go_address(t, i + 1);
		if (end == start || !len || len > PP_GO_MAX_NAME)
			continue;
		functions->items[functions->nr++] = (struct pp_go_function){ start, end, used };
		memcpy(functions->names + used, name, len + 1);
		used += len + 1;
	}
	return functions->nr ? 0 : -ENOENT;
}

int pp_go_functions_read(struct pp_go_functions *ret, const struct pp_elf *elf)
{
	struct pp_go_functions functions = { 0 };
	struct pp_go_table t;
	int err = pp_go_table_read(&t, elf);

	if (err)
		return err;
	functions.items = malloc(t.nr * sizeof(*functions.items));
	functions.names = malloc(t.size);
	err = functions.items && functions.names ? copy_functions(&functions, &t) : -ENOMEM;
	pp_go_table_release(&t);
	if (err) {
		pp_go_functions_release(&functions);
		return err;
	}
	*ret = functions;
	return 0;
}

void pp_go_functions_release(struct pp_go_functions *functions)
{
	free(functions->items);
	free(functions->names);
	*functions = (struct pp_go_functions){ 0 };
}
