/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct.h -- the layout of .pct files: histograms of a program's addresses. doc/pct-file.md tells the same in words.
 *
 * A file is written in place through a shared mapping, by handlers, and may be read meanwhile, and after the writer was
 * killed. So it only grows: a region is complete before the one before it, or the header, leads to it. Numbers are the
 * machine's own; all offsets are from the beginning of the file.
 */
#ifndef LIBOP_RAW_PCT_H
#define LIBOP_RAW_PCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/elf.h"

#define RAW_PCT_MAGIC		0x010054435050ULL	/* "PPCT", 0, 1 as little-endian bytes */
#define RAW_PCT_REGION_MAGIC	0x4e474552u		/* "REGN" */
#define RAW_PCT_VERSION		1
#define RAW_PCT_ALIGN		65536	/* regions begin there: at a page of any machine's */
#define RAW_PCT_PATH		4096	/* with the NUL */
#define RAW_PCT_NAME		32

enum raw_pct_kind { RAW_PCT_COUNTS, RAW_PCT_LOG, RAW_PCT_CIRCLE };
/* Source of the signals that take samples. */
enum raw_pct_driver { RAW_PCT_BY_ITIMER, RAW_PCT_BY_PERF, RAW_PCT_BY_TIMER };
enum raw_pct_loss {
	RAW_PCT_OTHER,		/* outside all regions */
	RAW_PCT_CHANGING,	/* while libraries came or went */
	RAW_PCT_NO_ROOM,	/* the disk was full, or too many regions were there */
	RAW_PCT_SATURATED,	/* the counter could not count higher */
	RAW_PCT_BUSY,		/* two threads wanted to log at once */
	RAW_PCT_NR_LOSSES,
};

struct raw_pct_header {
	uint64_t magic;
	uint32_t version;
	uint32_t kind;		/* enum raw_pct_kind */
	uint64_t id;		/* of this run: time and process; of a sum, the run added last */
	uint64_t first;		/* the first region, 0: none */
	uint64_t taken;		/* samples; of profil(3), which is asked at the end, 0 until then */
	uint64_t lost[RAW_PCT_NR_LOSSES];
	uint64_t runs;		/* added up here */
	uint64_t quantum_ns;	/* asked for */
	uint32_t clock;		/* enum raw_pct_clock of words.h */
	uint32_t gap;
	uint32_t pid;		/* of the run; of a sum, 0 */
	uint32_t word;		/* bytes of an address in the log or circle beside */
	char event[RAW_PCT_NAME];
	char translator[RAW_PCT_NAME];	/* a name in a table, "" for whatever fits; never a command */
	char program[RAW_PCT_PATH];
	uint64_t timed_ns;	/* of .clock while samples were taken, of runs that came to their end; 0: not told */
	uint64_t timed;		/* signals that brought these samples */
	uint32_t driver;	/* enum raw_pct_driver: their source in the run added last */
	uint32_t unused;
};

#define RAW_PCT_MAIN	1u	/* .flags: the program itself */

struct raw_pct_region {
	uint32_t magic;
	uint32_t flags;
	uint64_t next;		/* the next region, always further behind; 0: none */
	uint64_t start, end;	/* addresses */
	uint64_t offset, inode;	/* in its file */
	uint64_t vaddr;		/* what @start is linked at; the offset when the file could not be read */
	uint64_t counters;	/* offset of the first */
	uint64_t nr_bins;
	uint32_t bin;		/* bytes of code */
	uint32_t width;		/* bytes of a counter: 1, 2, 4, 8 */
	uint32_t major, minor;
	uint32_t build_id_len;
	uint8_t build_id[RAW_BUILD_ID_MAX];
	char path[RAW_PCT_PATH];	/* as in /proc/PID/maps; "" for memory without a name */
};

/* The highest value of a counter of @width bytes. */
static inline uint64_t raw_pct_max(uint32_t width)
{
	return width == 8 ? UINT64_MAX : (1ULL << (width * 8)) - 1;
}

/* Where in the file counter @i of @r is. */
static inline uint64_t raw_pct_counter_at(const struct raw_pct_region *r, uint64_t i)
{
	return r->counters + i * r->width;
}

/* A counter at @at. */
uint64_t raw_pct_get(const void *at, uint32_t width);

/* Adds @n, no further than its highest value; what did not fit. Handlers of several threads may be at it at once. */
uint64_t raw_pct_add(void *at, uint32_t width, uint64_t n);

/* Whether @header, of a file of @size bytes, can be believed. */
bool raw_pct_header_ok(const struct raw_pct_header *header, uint64_t size);
/* Whether @r, found at offset @at of a file of @size bytes, can be: all that it leads to is in the file, its
 * counters behind it and before the next region. */
bool raw_pct_region_ok(const struct raw_pct_region *r, uint64_t at, uint64_t size);

/* Whether two regions are of the same code, so that their counters can be added. */
bool raw_pct_same(const struct raw_pct_region *a, const struct raw_pct_region *b);

#endif
