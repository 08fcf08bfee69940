// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sum-samples DIR -- checks every sample file below DIR without code of the daemon, whose output it
 * verifies. Prints "COUNT PATH" for each file, then "COUNT total". For an invalid file:
 * "BAD PATH: why", exit status 1: the counts cannot be read.
 * "UNFINISHED PATH: why", exit status 2: the writer was killed while the file grew; the counts are
 * valid.
 */
#include <ftw.h>
#include <stdint.h>
#include <string.h>

#include "common.h"

#define HEADER		72
#define DESCRIPTION	32

struct node {
	uint64_t key;
	uint32_t count, next;
};

static uint64_t total;
static int bad, unfinished, files;
static size_t skip;

static int report_bad(const char *path, const char *why)
{
	printf("BAD %s: %s\n", path + skip, why);
	bad = 1;
	return 0;
}

static void report_unfinished(const char *path, const char *why)
{
	printf("UNFINISHED %s: %s\n", path + skip, why);
	unfinished = 1;
}

static char *read_whole(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	size_t room = 0, n;

	if (!f)
		return NULL;
	*size = 0;
	do {
		if (*size == room)
			data = realloc(data, room = room ? room * 2 : 65536);
		if (!data)
			err(1, "memory");
		n = fread(data + *size, 1, room - *size, f);
		*size += n;
	} while (n);
	fclose(f);
	return data;
}

/* Check that every node is on the hash chain of its key, and on no other chain. */
static const char *check_hash(const struct node *nodes, const uint32_t *hash, uint32_t size,
			      uint32_t used)
{
	uint32_t i, n, t, seen = 0;

	for (i = 0; i < size; i++) {
		for (n = hash[i]; n; n = nodes[n].next) {
			if (n >= used)
				return "a hash chain leads to an unused node";
			t = (uint32_t)((nodes[n].key >> 32) ^ nodes[n].key);
			if (((t ^ (t >> 8)) & (size - 1)) != i)
				return "a node is on the wrong hash chain";
			if (++seen > used)
				return "a hash chain is a circle";
		}
	}
	return seen == used - 1 ? NULL : "nodes are missing from the hash chains";
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *name = path + ftw->base, *c, *why, *trees = strstr(path, "paths/unit");
	uint32_t size, used;
	uint64_t sum = 0;
	size_t length;
	int dots = 0;
	char *data;

	(void)st;
	for (c = name; *c; c++)
		dots += *c == '.';
	/* Skip files that do not have the name of a sample file below a directory "{...}". */
	if (type != FTW_F || dots != 5 || !(c = strchr(path, '{')) || (trees && trees < c))
		return 0;
	data = read_whole(path, &length);
	if (!data)
		return report_bad(path, "cannot be read");
	files++;
	/* The daemon was killed before it allocated the file, which has no samples then. */
	if (!length)
		goto done;
	if (length < HEADER + DESCRIPTION) {
		report_bad(path, "too short");
		goto done;
	}
	/* If the daemon was killed before it wrote the header, the file has no samples yet. */
	memcpy(&used, data + HEADER + 4, 4);
	if (!memcmp(data, "\0\0\0\0", 4) && used <= 1)
		goto done;
	if (memcmp(data, "DAE\n\x13\0\0\0", 8)) {
		report_bad(path, "wrong magic number or version");
		goto done;
	}
	memcpy(&size, data + HEADER, 4);
	if (!size || size & (size - 1) ||
	    length < HEADER + DESCRIPTION + (uint64_t)size * 16) {
		report_bad(path, "size makes no sense");
		goto done;
	}
	if (!used || used > size) {
		report_bad(path, "more nodes used than there are");
		goto done;
	}
	if (length != HEADER + DESCRIPTION + (uint64_t)size * 20)
		why = "length and size do not agree";
	else
		why = check_hash((void *)(data + HEADER + DESCRIPTION),
				 (void *)(data + HEADER + DESCRIPTION + (size_t)size * 16),
				 size, used);
	if (why)
		report_unfinished(path, why);
	for (uint32_t i = 1; i < used; i++)
		sum += ((struct node *)(data + HEADER + DESCRIPTION))[i].count;
	printf("%llu %s\n", (unsigned long long)sum, path + skip);
	total += sum;
done:
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		errx(2, "usage: sum-samples DIR");
	skip = strlen(argv[1]) + 1;
	if (nftw(argv[1], visit, 20, FTW_PHYS))
		err(1, "%s", argv[1]);
	printf("%llu total\n", (unsigned long long)total);
	return bad ? 1 : unfinished ? 2 : 0;
}
