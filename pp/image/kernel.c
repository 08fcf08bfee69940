// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel.c -- extents of kernel symbols: kallsyms has neither sizes nor reliable types, so a symbol
 * extends to the next one. */
#include "config.h"
#include "pp/image/kernel.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* maximum length of a piece of code made at run time, which is apart from the image */
#define MAX_RUNTIME_CODE	(1u << 20)

static bool is_code(const struct op_ksym *sym)
{
	return sym->type && strchr("tTwW", sym->type) && pp_symbol_name_usable(sym->name);
}

static void convert(struct pp_symbol *ret, const struct op_kimage *image, const struct op_ksym *sym)
{
	ret->start = ret->end = sym->offset;
	ret->name = sym->name;
	ret->kind = PP_SYMBOL_FUNCTION;
	ret->bind = sym->type == 't' ? PP_BIND_LOCAL :
		    sym->type == 'T' ? PP_BIND_GLOBAL :
				       PP_BIND_WEAK;
	if (sym->offset < image->size)
		ret->limit = image->size;
	else if (sym->offset > UINT64_MAX - MAX_RUNTIME_CODE)
		ret->limit = UINT64_MAX;
	else
		ret->limit = sym->offset + MAX_RUNTIME_CODE;
}

int pp_kernel_symtab_make(struct pp_symtab *ret, const struct op_kimage *image)
{
	struct pp_symbol *symbols = malloc((image->nr_syms + 1) * sizeof(*symbols));
	size_t nr = 0;
	int err;

	if (!symbols)
		return -ENOMEM;
	for (size_t i = 0; i < image->nr_syms; i++)
		if (is_code(&image->syms[i]))
			convert(&symbols[nr++], image, &image->syms[i]);
	err = pp_symtab_make(ret, symbols, nr);
	if (err)
		free(symbols);
	return err;
}
