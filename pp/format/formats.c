// SPDX-License-Identifier: GPL-2.0-or-later
/* formats.c -- the list of all formats. */
#include "config.h"
#include "pp/format/format.h"

#include <string.h>

const struct pp_format_ops *const pp_formats[] = {
	&pp_format_text,
	&pp_format_xml,
	&pp_format_json,
	&pp_format_csv,
	&pp_format_folded,
	&pp_format_flamegraph,
	&pp_format_pprof,
	&pp_format_callgrind,
	&pp_format_speedscope,
	&pp_format_firefox,
	&pp_format_html,
	&pp_format_brief,
	&pp_format_llvm_sample,
	&pp_format_afdo,
	&pp_format_bolt,
	&pp_format_bolt_preagg,
	NULL,
};

const struct pp_format_ops *pp_format_find(const char *name)
{
	for (size_t i = 0; pp_formats[i]; i++)
		if (!strcmp(pp_formats[i]->name, name))
			return pp_formats[i];
	return NULL;
}
