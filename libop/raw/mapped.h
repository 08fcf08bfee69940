/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped.h -- the head of the code that opattach(1) maps into a program which knows nothing of it: the collector of
 * addresses as a picture of memory, which runs wherever it lies.
 *
 * First code, which is only read and executed, then data; all numbers are of bytes from the head on. Whoever comes later
 * finds it in the process by these bytes.
 */
#ifndef LIBOP_RAW_MAPPED_H
#define LIBOP_RAW_MAPPED_H

#include <stdint.h>

#define RAW_MAPPED_MAGIC	"opattach counts"	/* 16 bytes with the NUL */
#define RAW_MAPPED_VERSION	1
#define RAW_MAPPED_PAGE		4096

struct raw_mapped {
	char magic[16];
	uint32_t version;
	uint32_t data, end;	/* where data begins, and ends: whole pages */
	uint32_t on;		/* void on(const char *words): counts from now on, as $PCT's words say */
	uint32_t off;		/* void off(void) */
	uint32_t state;		/* struct raw_mapped_state, in the data */
};

struct raw_mapped_state {
	int32_t is_on;		/* of this process, or of its parent when it was forked */
	int32_t error;		/* negative errno: why on() has not begun */
	uint32_t missed;	/* threads without a timer */
	uint32_t pid;		/* whose counts there are, as it knows itself; 0: there is no file */
};

#endif
