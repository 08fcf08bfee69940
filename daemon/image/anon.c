// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * anon.c -- labels of anonymous mappings such as "[heap]", which the names of sample files contain.
 */
#include "config.h"
#include "daemon/image/anon.h"

#include <string.h>

#include "module/uapi/oprofile.h"

static const char *const kind_labels[] = {
	[OPROFILE_ANON_PLAIN] = "anon",
	[OPROFILE_ANON_HEAP] = "[heap]",
	[OPROFILE_ANON_STACK] = "[stack]",
	[OPROFILE_ANON_VDSO] = "[vdso]",
};

const char *opd_anon_kind_label(unsigned long kind)
{
	if (kind >= sizeof(kind_labels) / sizeof(kind_labels[0]))
		return kind_labels[OPROFILE_ANON_PLAIN];
	return kind_labels[kind];
}

const char *opd_anon_label(const char *name)
{
	if (name) {
		for (unsigned long i = OPROFILE_ANON_HEAP; i <= OPROFILE_ANON_VDSO; i++)
			if (!strcmp(name, kind_labels[i]))
				return kind_labels[i];
		/* Old kernels name a thread's stack "[stack:TID]". */
		if (!strncmp(name, "[stack:", 7))
			return kind_labels[OPROFILE_ANON_STACK];
	}
	return kind_labels[OPROFILE_ANON_PLAIN];
}
