// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * make-csp.c -- writes an HPC_CSPROF file with a calling context tree of NODES nodes, which is the
 * same in each run. Usage: make-csp FILE BINARY START SIZE NODES. The nodes have 30,000 different
 * addresses in BINARY, in the SIZE bytes from START on.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/raw/csp.h"

#define NR_PLACES	30000
#define MAX_DEPTH	30
#define BUSHY_DEPTH	3	/* nodes up to this depth have many children */

struct making {
	struct raw_csp_out out;
	uint64_t start, size, nr, next, random;
};

static int to_file(void *arg, const void *buf, size_t len)
{
	return fwrite(buf, 1, len, arg) == len ? 0 : -EIO;
}

/* Return a random number below @limit, by xorshift64 (Marsaglia, 2003). */
static uint64_t below(struct making *m, uint64_t limit)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return m->random % limit;
}

static void put_tree(struct making *m, uint64_t parent, int depth)
{
	uint64_t id = m->next++, place = m->start + below(m, NR_PLACES) * 2654435761u % m->size, count;
	unsigned int children = depth < MAX_DEPTH ? 1 + (below(m, 100) < 55) : 0;

	if (depth < BUSHY_DEPTH)
		children += 3;
	else if (depth > 2 * BUSHY_DEPTH && below(m, 100) < 8)
		children = 0;
	count = children && below(m, 10) ? 0 : 1 + below(m, 5);
	raw_csp_node(&m->out, id, parent, place, 0, &count, 1);
	while (children-- && m->next < m->nr)
		put_tree(m, id, depth + 1);
}

int main(int argc, char **argv)
{
	struct making m = { .next = 1, .random = 88172645463325252 };
	FILE *f;
	uint32_t len;

	if (argc != 6) {
		fprintf(stderr, "usage: make-csp FILE BINARY START SIZE NODES\n");
		return 1;
	}
	f = fopen(argv[1], "w");
	len = (uint32_t)strlen(argv[2]);
	m.start = strtoull(argv[3], NULL, 0);
	m.size = strtoull(argv[4], NULL, 0);
	m.nr = strtoull(argv[5], NULL, 0);
	if (!f || !m.size) {
		perror(argv[1]);
		return 1;
	}
	raw_csp_begin(&m.out, to_file, f);
	raw_csp_header(&m.out, "01.00");
	raw_csp_data(&m.out, argv[2], 1);
	raw_csp_metric(&m.out, "TIMER", RAW_CSP_ASYNC, 1000000);
	raw_csp_epochs(&m.out, 1);
	raw_csp_epoch(&m.out, 1);
	raw_csp_module(&m.out, argv[2], len, m.start, m.start);
	raw_csp_trees(&m.out, 1, 0);
	raw_csp_tree(&m.out, m.nr, 0, false);
	raw_csp_node(&m.out, 0, 0, 0, 0, &(uint64_t){ 0 }, 1);
	while (m.next < m.nr)
		put_tree(&m, 0, 0);
	raw_csp_trailer(&m.out);
	raw_csp_item(&m.out, RAW_CSP_END, 0);
	if (raw_csp_finish(&m.out) || fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
