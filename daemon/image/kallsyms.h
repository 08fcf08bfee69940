/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.h -- reads the kernel's list of its symbols, line by line.
 */
#ifndef OPD_KALLSYMS_H
#define OPD_KALLSYMS_H

#include <stdint.h>

struct opd_kallsym {
	uint64_t address;	/* 0 when the kernel hides it from us */
	char type;
	const char *name;
	const char *module;	/* without brackets: "ext4", "bpf"; NULL: core kernel */
};

/* Calls @fn for each line; the strings are good for the call only. 0 or negative errno. */
int opd_kallsyms_read(const char *path, void (*fn)(void *arg, const struct opd_kallsym *sym),
		      void *arg);

#endif
