/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.h -- reading of the kernel's list of symbols, line by line.
 */
#ifndef OPD_KALLSYMS_H
#define OPD_KALLSYMS_H

#include <stdint.h>

struct opd_kallsym {
	/* address of the symbol; 0 if the kernel hides it from this process */
	uint64_t address;
	char type;
	const char *name;
	/* name of the module, without brackets: "ext4", "bpf"; NULL: core kernel */
	const char *module;
};

/* Call @fn for each line of the list in the file @path; the strings are valid only during the call
 * of @fn. Return 0 or a negative errno. */
int opd_kallsyms_read(const char *path, void (*fn)(void *arg, const struct opd_kallsym *sym),
		      void *arg);

#endif
