/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_code.h -- unwind rules of JIT code, inferred from its instructions.
 *
 * JIT code without frame pointers has no unwind tables. So libcfi/shown.h follows its instructions
 * to the points where the code returns or jumps to a known function. Results are valid only for a
 * limited time, because a program may replace its code. A budget limits the time that a thread
 * spends on the inference. Only for x86_64.
 *
 * A struct made_code belongs to one thread. It is used in that thread's signal handler.
 */
#ifndef PROBE_CORE_MADE_CODE_H
#define PROBE_CORE_MADE_CODE_H

#include "libcfi/shown.h"
#include "probe/core/epoch.h"
#include "probe/core/made.h"

#define MADE_PLACES	1024
#define MADE_MAPPINGS	8
#define MADE_PAGES	4
#define MADE_PAGE	4096
/* a cached result is valid only if this number of bytes at its pc is unchanged */
#define MADE_FIRST	16

/* The cached result of a search that started at one program counter. */
struct made_place {
	uint64_t pc;	/* program counter at which the search started; 0: this entry is free */
	uint64_t read_at;	/* time at which the code was read for the search, in ns */
	bool is_return;
	uint8_t nr_first;
	unsigned char first[MADE_FIRST];
	struct cfi_shown shown;
};

/* The scan of a mapping of JIT code for jumps to functions with unwind tables. The addresses from
 * .start up to .scanned have been scanned. */
struct made_mapping {
	uint64_t start, scanned;
	uint64_t begun_at;	/* time at which the scan started, in ns */
	bool is_done;
	struct cfi_entered found;
	uint64_t returned_at;	/* time at which the first frame of .returned was stored, in ns */
	struct cfi_returned returned;
};

struct made_page {
	uint64_t address;
	uint32_t walk;		/* number of the walk that read the page; 0: this entry is free */
	uint32_t size;		/* number of bytes of the page that were read */
	unsigned char bytes[MADE_PAGE];
};

/* State of inferring the unwind rules of JIT code. Initialize it with zeros. */
struct made_code {
	struct made *made;
	uint32_t pid;
	/* Values of the current walk, starting with its epoch. */
	const struct epoch *epoch;
	int (*word)(void *arg, __u64 address, unsigned int size, __u64 *value);
	void *arg;
	uint32_t walk;
	uint32_t now_walk;	/* number of the last walk that has read the clock */
	/* time read from the clock in walk .now_walk, in ns */
	uint64_t now;
	/* remaining budget of the thread, in units of about one decoded instruction */
	uint32_t work;
	bool unread;		/* a search skipped code because the budget was used up */
	struct made_page pages[MADE_PAGES];
	struct made_place places[MADE_PLACES];
	struct made_mapping mappings[MADE_MAPPINGS];
};

/* Infer the unwind rule of @frame, whose address is in no module. Return false if the code at
 * this address does not determine a rule. */
bool made_code_rule(struct made_code *c, const struct oprofile_uw_frame *frame,
		    struct oprofile_uw_rule *rule);

/* Return whether a call instruction ends at @address, as enum oprofile_uw_call. Do not read the
 * memory map: if no walk has looked up the memory at @address, return that no call ends there. */
int made_code_known_call(struct made_code *c, uint64_t address);

#endif
