// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * odbdump.c -- prints the contents of sample files, for tests.
 *
 * odbdump DIR: for each sample file below DIR/{root}, DIR/{kern} and DIR/{unit}, sorted by name: its name, then
 * lines "  KEY COUNT" sorted by key. odbdump --sum DIR: the sum of all counts. odbdump --header
 * FILE: the file's header.
 */
#include "config.h"
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "libop/session/sample_header.h"

struct node {
	uint64_t key, count;
};

static int by_key(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static struct odb *open_file(const char *path)
{
	struct odb *db;
	int err, fd = open(path, O_RDONLY);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	err = odb_open(&db, fd, sizeof(struct op_sample_header), ODB_READ, NULL);
	if (err == ODB_ERR_EMPTY) {
		close(fd);
		return NULL;
	}
	if (err) {
		fprintf(stderr, "%s: %s\n", path, odb_strerror(err));
		exit(1);
	}
	err = op_sample_header_check(odb_header(db));
	if (err) {
		fprintf(stderr, "%s: bad header\n", path);
		exit(1);
	}
	return db;
}

/*
 * Read the nodes of the sample file @path to *@ret, and add up nodes with equal keys. Return the
 * total.
 */
static uint64_t read_nodes(const char *path, struct node **ret, size_t *ret_nr)
{
	struct odb *db = open_file(path);
	uint32_t nr = db ? odb_nr_nodes(db) : 0;
	struct node *nodes = calloc(nr + 1, sizeof(*nodes));
	uint64_t sum = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t count;

		odb_node(db, i, &nodes[n].key, &count);
		nodes[n].count = count;
		sum += count;
		if (count)
			n++;
	}
	qsort(nodes, n, sizeof(*nodes), by_key);
	nr = n;
	n = 0;
	for (uint32_t i = 0; i < nr; i++) {
		if (n && nodes[n - 1].key == nodes[i].key)
			nodes[n - 1].count += nodes[i].count;
		else
			nodes[n++] = nodes[i];
	}
	odb_close(db);
	*ret = nodes;
	*ret_nr = n;
	return sum;
}

static char **paths;
static size_t nr_paths;

static int collect(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (flag != FTW_F)
		return 0;
	paths = realloc(paths, (nr_paths + 1) * sizeof(*paths));
	paths[nr_paths++] = strdup(path);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_header(const char *path)
{
	struct odb *db = open_file(path);
	const struct op_sample_header *h;

	if (!db)
		exit(1);
	h = odb_header(db);
	printf("cpu_type %u event %u um %u count %u is_kernel %u mtime %" PRIu64
	       " anon_start 0x%" PRIx64 "\n", h->cpu_type, h->ctr_event, h->ctr_um, h->ctr_count,
	       h->is_kernel, h->mtime, h->anon_start);
	odb_close(db);
}

int main(int argc, char **argv)
{
	bool sum_only = argc == 3 && !strcmp(argv[1], "--sum");
	uint64_t sum = 0;

	if (argc == 3 && !strcmp(argv[1], "--header")) {
		print_header(argv[2]);
		return 0;
	}
	if ((argc != 2 && !sum_only) || chdir(argv[argc - 1]) < 0) {
		fprintf(stderr, "usage: odbdump [--sum] DIR | --header FILE\n");
		return 1;
	}
	nftw("{root}", collect, 64, FTW_PHYS);
	nftw("{kern}", collect, 64, FTW_PHYS);
	nftw("{unit}", collect, 64, FTW_PHYS);
	if (nr_paths)
		qsort(paths, nr_paths, sizeof(*paths), by_name);
	for (size_t i = 0; i < nr_paths; i++) {
		struct node *nodes;
		size_t nr;

		sum += read_nodes(paths[i], &nodes, &nr);
		if (!sum_only) {
			printf("%s\n", paths[i]);
			for (size_t j = 0; j < nr; j++)
				printf("  0x%" PRIx64 " %" PRIu64 "\n", nodes[j].key,
				       nodes[j].count);
		}
		free(nodes);
		free(paths[i]);
	}
	free(paths);
	if (sum_only)
		printf("%" PRIu64 "\n", sum);
	return 0;
}
