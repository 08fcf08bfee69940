/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct.h -- the layout of .pct files: histograms of a program's addresses. doc/pct-file.md describes
 * the layout.
 *
 * Signal handlers write to the file through a shared mapping. A reader may read the file at the
 * same time, or after the writer was killed. So the file only grows, and a region is complete
 * before the header or another region refers to it. Numbers have the machine's byte order. All
 * offsets are relative to the start of the file.
 */
#ifndef LIBOP_RAW_PCT_H
#define LIBOP_RAW_PCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/elf.h"

#define RAW_PCT_MAGIC		0x010054435050ULL	/* the bytes of "PPCT", then 0 and 1 */
#define RAW_PCT_REGION_MAGIC	0x4e474552u		/* the bytes of "REGN" */
#define RAW_PCT_VERSION		1
#define RAW_PCT_ALIGN		65536	/* alignment of regions, a page boundary on any machine */
/* maximum size of the path of a mapping in bytes, including the NUL */
#define RAW_PCT_PATH		4096
#define RAW_PCT_NAME		32

enum raw_pct_kind { RAW_PCT_COUNTS, RAW_PCT_LOG, RAW_PCT_CIRCLE };
/* The driver: the source of the signals at which addresses are sampled. */
enum raw_pct_driver { RAW_PCT_BY_ITIMER, RAW_PCT_BY_PERF, RAW_PCT_BY_TIMER };
enum raw_pct_loss {
	RAW_PCT_OTHER,		/* samples lost because their address was outside of all regions */
	RAW_PCT_CHANGING,	/* samples lost while libraries were loaded or unloaded */
	/* samples lost because the disk was full or there were too many regions */
	RAW_PCT_NO_ROOM,
	RAW_PCT_SATURATED,	/* samples lost because their counter had reached its maximum */
	RAW_PCT_BUSY,		/* samples lost because another thread was writing to the log */
	RAW_PCT_NR_LOSSES,
};

struct raw_pct_header {
	uint64_t magic;
	uint32_t version;
	uint32_t kind;		/* kind of the file, enum raw_pct_kind */
	/* id of the run, computed from its start time and process id; in a file that is the sum of
	 * several runs, the id of the run that was added last */
	uint64_t id;
	uint64_t first;		/* offset of the first region in the file; 0: no region */
	/* number of samples taken; with profil(3), 0 until the run ends */
	uint64_t taken;
	uint64_t lost[RAW_PCT_NR_LOSSES];
	uint64_t runs;		/* number of runs whose samples this file contains */
	uint64_t quantum_ns;	/* requested time between two samples, in ns */
	uint32_t clock;		/* clock whose time is sampled, enum raw_pct_clock of words.h */
	uint32_t gap;
	uint32_t pid;		/* process id of the run; 0 in a file that is the sum of several
				 * runs */
	/* size in bytes of an address in the log file that belongs to this file */
	uint32_t word;
	char event[RAW_PCT_NAME];
	/* name of a translator of addresses, from a fixed table; "": any suitable translator.
	 * The name must not be executed as a command */
	char translator[RAW_PCT_NAME];
	char program[RAW_PCT_PATH];
	/* duration in ns of all runs that ended normally, measured by .clock; 0: unknown */
	uint64_t timed_ns;
	uint64_t timed;	/* number of signals that arrived in the runs that .timed_ns includes */
	/* enum raw_pct_driver: source of the signals of the last run */
	uint32_t driver;
	uint32_t unused;
};

/* bit of .flags: the region belongs to the program itself, not to a library */
#define RAW_PCT_MAIN	1u

struct raw_pct_region {
	uint32_t magic;
	uint32_t flags;
	/* offset of the next region in the .pct file, which must be higher; 0: this is the last
	 * region */
	uint64_t next;
	uint64_t start, end;	/* start address and end address of the region */
	uint64_t offset, inode;	/* .offset: offset of .start in the mapped file; .inode: inode of
				 * the mapped file */
	/* link address (virtual address in the ELF file) of .start; equal to .offset if the file
	 * could not be read */
	uint64_t vaddr;
	uint64_t counters;	/* offset of the first counter in the .pct file */
	uint64_t nr_bins;
	uint32_t bin;		/* number of bytes of code that share one counter */
	uint32_t width;		/* size of a counter in bytes: 1, 2, 4 or 8 */
	uint32_t major, minor;
	uint32_t build_id_len;
	uint8_t build_id[RAW_BUILD_ID_MAX];
	/* name of the mapping in /proc/PID/maps; "": memory without a name */
	char path[RAW_PCT_PATH];
};

/* Return the maximum of a counter of @width bytes. */
static inline uint64_t raw_pct_max(uint32_t width)
{
	return width == 8 ? UINT64_MAX : (1ULL << (width * 8)) - 1;
}

/* Return the offset of counter @i of region @r in the .pct file. */
static inline uint64_t raw_pct_counter_at(const struct raw_pct_region *r, uint64_t i)
{
	return r->counters + i * r->width;
}

/* Return the value of the counter at the address @at, which has @width bytes. */
uint64_t raw_pct_get(const void *at, uint32_t width);

/* Add @n to the counter at the address @at, but not above its maximum. Return the part of @n that
 * was not added. Handlers of several threads may call this function at the same time. */
uint64_t raw_pct_add(void *at, uint32_t width, uint64_t n);

/* Return whether @header, from a file of @size bytes, is valid. */
bool raw_pct_header_ok(const struct raw_pct_header *header, uint64_t size);
/* Return whether the region @r, at offset @at of a file of @size bytes, is valid: all its offsets
 * must be within the file, and its counters must be between this region and the next region. */
bool raw_pct_region_ok(const struct raw_pct_region *r, uint64_t at, uint64_t size);

/* Return whether two regions contain the same code, so that their counters can be added up. */
bool raw_pct_same(const struct raw_pct_region *a, const struct raw_pct_region *b);

#endif
