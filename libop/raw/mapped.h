/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped.h -- the header of the collector, position-independent code that opattach(1) maps into a
 * program to count its addresses.
 *
 * The mapping begins with the code, which is not writable; the data follow. All offsets are in
 * bytes from the header. A later opattach finds the collector in the process by the magic bytes.
 */
#ifndef LIBOP_RAW_MAPPED_H
#define LIBOP_RAW_MAPPED_H

#include <stdint.h>

/* magic string of 16 bytes, including the NUL */
#define RAW_MAPPED_MAGIC	"opattach counts"
#define RAW_MAPPED_VERSION	1
#define RAW_MAPPED_PAGE		4096

struct raw_mapped {
	char magic[16];
	uint32_t version;
	uint32_t data, end;	/* offsets of the start and the end of the data, aligned to pages */
	/* offset of the function void on(const char *words), which starts sampling; @words has the
	 * format of $PCT */
	uint32_t on;
	uint32_t off;		/* offset of the function that stops sampling: void off(void) */
	uint32_t state;		/* offset of the struct raw_mapped_state in the data */
};

struct raw_mapped_state {
	/* whether this process is sampled; after a fork, also set in the child if the parent was
	 * sampled */
	int32_t is_on;
	int32_t error;		/* negative errno of a failed call of on(); 0: no failure */
	/* number of threads that are not sampled, because no timer could be created for them */
	uint32_t missed;
	/* id of the sampled process in its own pid namespace; 0: the collector has no file */
	uint32_t pid;
};

#endif
