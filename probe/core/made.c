// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made.c -- lookup of executable memory that the dynamic loader does not know, in /proc/self/maps.
 */
#include "config.h"
#include "probe/core/made.h"

#include <errno.h>

#include "probe/linux/calls.h"

/* number of unknown addresses that are skipped after a lookup that found no executable memory */
#define SKIP	32

static long read_maps(void *arg, void *buf, size_t len)
{
	return call_read(*(int *)arg, buf, len);
}

static long walk_maps(char buf[RAW_REGIONS_BUF], raw_region_fn each, void *arg)
{
	int fd = call_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	long result;

	if (fd < 0)
		return fd;
	result = raw_regions_walk(buf, RAW_REGIONS_BUF, read_maps, &fd, each, arg);
	call_close(fd);
	return result;
}

struct search {
	uint64_t code;
	/* the executable memory that the search has found; .path is not set */
	struct raw_region found;
	bool is_file;
	/* Return whether @address is in the original mapping, of which the searched code is a
	 * second mapping. Used only in the second pass over the memory map. */
	bool (*is_original)(void *arg, uint64_t address);
	void *arg;
	/* address in the first mapping that has the same code as @code in the second mapping */
	uint64_t original;
};

static long match_region(void *arg, const struct raw_region *region)
{
	struct search *s = arg;

	if (s->code < region->start || s->code >= region->end)
		return 0;
	s->found = *region;
	s->is_file = region->inode && region->path_len && region->path[0] == '/';
	return 1;
}

static long find_original(void *arg, const struct raw_region *region)
{
	const struct raw_region *second = &((struct search *)arg)->found;
	struct search *s = arg;
	uint64_t offset = second->offset + (s->code - second->start);

	if (region->inode != second->inode || region->major != second->major ||
	    region->minor != second->minor || offset < region->offset ||
	    offset - region->offset >= region->end - region->start)
		return 0;
	s->original = region->start + (offset - region->offset);
	return s->original != s->code && s->is_original(s->arg, s->original);
}

struct made_range *made_known(struct made *made, uint64_t code)
{
	for (uint32_t i = 0; i < MADE_RANGES; i++)
		if (code - made->ranges[i].start < made->ranges[i].end - made->ranges[i].start)
			return &made->ranges[i];
	return NULL;
}

struct made_range *made_find(struct made *made, uint64_t code)
{
	struct made_range *range = made_known(made, code);
	struct search search = { .code = code };

	if (range)
		return range;
	if (made->skip) {
		made->skip--;
		return NULL;
	}
	if (walk_maps(made->buf, match_region, &search) != 1) {
		made->skip = SKIP;
		return NULL;
	}
	range = &made->ranges[made->next++ % MADE_RANGES];
	*range = (struct made_range){ search.found.start, search.found.end, search.is_file, false };
	return range;
}

int made_find_original(uint64_t code, bool (*is_original)(void *arg, uint64_t address), void *arg,
		       struct made_range *ret, uint64_t *moved)
{
	struct search search = { .code = code, .is_original = is_original, .arg = arg };
	long at = call_mmap(RAW_REGIONS_BUF, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long result;

	if (call_failed(at))
		return -ENOMEM;
	result = walk_maps((char *)at, match_region, &search);
	if (result == 1)
		result = search.is_file ? walk_maps((char *)at, find_original, &search) : 0;
	call_munmap((void *)at, RAW_REGIONS_BUF);
	if (result != 1)
		return result < 0 ? result : -ENOENT;
	*ret = (struct made_range){ search.found.start, search.found.end, true, true };
	*moved = code - search.original;
	return 0;
}
