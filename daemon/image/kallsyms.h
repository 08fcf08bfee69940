/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.h -- reads the kernel's list of symbols, line by line.
 */
#ifndef OPD_KALLSYMS_H
#define OPD_KALLSYMS_H

#include <stdint.h>

struct opd_kallsym {
	uint64_t address;	/* 0 if the kernel hides it from this process */
	char type;
	const char *name;
	const char *module;	/* without brackets: "ext4", "bpf"; NULL: core kernel */
};

/* Call @fn for each line; the strings are valid during the call only. Return 0 or a negative errno.
 */
int opd_kallsyms_read(const char *path, void (*fn)(void *arg, const struct opd_kallsym *sym),
		      void *arg);

#endif
