/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_code.h -- rules of code made while the program runs, found from its instructions.
 *
 * Made code without frame pointers has no rows, so libcfi/shown.h follows its instructions to the
 * places where the code is left. Results are kept for a limited time, because a program may
 * replace its code. All walks of a thread spend little time on this. x86_64 only.
 *
 * A struct made_code belongs to one thread, and is used in that thread's handler.
 */
#ifndef PROBE_MADE_CODE_H
#define PROBE_MADE_CODE_H

#include "libcfi/shown.h"
#include "probe/epoch.h"
#include "probe/made.h"

#define MADE_PLACES	1024
#define MADE_MAPPINGS	8
#define MADE_PAGES	4
#define MADE_PAGE	4096
#define MADE_FIRST	16	/* bytes of a place that are compared before its result is used */

/* The result of reading the code at a pc. */
struct made_place {
	uint64_t pc;		/* 0: the entry is free */
	uint64_t read_at;	/* ns */
	bool is_return;
	uint8_t nr_first;
	unsigned char first[MADE_FIRST];
	struct cfi_shown shown;
};

/* A mapping whose code is searched for jumps to functions with rows, from .start to .scanned. */
struct made_mapping {
	uint64_t start, scanned;
	uint64_t begun_at;	/* ns */
	bool is_done;
	struct cfi_entered found;
	uint64_t returned_at;	/* time of the first frame in .returned, ns */
	struct cfi_returned returned;
};

struct made_page {
	uint64_t address;
	uint32_t walk;		/* number of the walk that read the page; 0: none */
	uint32_t size;		/* bytes that could be read */
	unsigned char bytes[MADE_PAGE];
};

/* Zeroed memory is empty. */
struct made_code {
	struct made *made;
	uint32_t pid;
	/* of the current walk */
	const struct epoch *epoch;
	int (*word)(void *arg, __u64 address, unsigned int size, __u64 *value);
	void *arg;
	uint32_t walk;
	uint32_t now_walk;	/* number of the walk that read the clock */
	uint64_t now;		/* ns */
	uint32_t work;		/* instructions that may be decoded now */
	bool unread;		/* code could not be read */
	struct made_page pages[MADE_PAGES];
	struct made_place places[MADE_PLACES];
	struct made_mapping mappings[MADE_MAPPINGS];
};

/* Find the rule of @frame, which is in memory that no module has. Return whether its code shows
 * one. */
bool made_code_rule(struct made_code *c, const struct oprofile_uw_frame *frame,
		    struct oprofile_uw_rule *rule);

/* Return whether a call ends at @address, enum oprofile_uw_call. Read the memory map at no time:
 * code in memory that no walk has come to counts as no call. */
int made_code_known_call(struct made_code *c, uint64_t address);

#endif
