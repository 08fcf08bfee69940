// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * moved.c -- tests that the mapped page shows the correct hardware counters while movpmu.ko moves
 * events between counters at any time.
 */
#include "vp.h"

#define SLOTS	2

struct truth {
	unsigned long long moves;
	/* how often events got another counter; if it is unchanged, no event was moved */
	unsigned int places;
	unsigned int place[SLOTS];
};

/* Read movpmu.ko's report of the counters in use. It identifies an event by its `config`. */
static struct truth truth(int fd)
{
	char text[200], *at = text;
	struct truth t = { .place = { UINT32_MAX, UINT32_MAX } };
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	int used, config, place;

	text[n > 0 ? n : 0] = '\0';
	if (sscanf(at, "%llu %u%n", &t.moves, &t.places, &used) != 2)
		fail("/proc/movpmu: %s", text);
	for (at += used; sscanf(at, " %d:%d%n", &config, &place, &used) == 2; at += used) {
		if (config < SLOTS)
			t.place[config] = place;
	}
	return t;
}

/*
 * Compare the page with movpmu.ko's report. Return 0 if they agree, 1 if the page shows no counter,
 * -1 if it is wrong.
 */
static int judge(int proc, volatile const struct vperfctr_state *page)
{
	uint64_t map[SLOTS];
	struct truth t, later = truth(proc);
	int result = 0;

	do {
		t = later;
		for (int i = 0; i < SLOTS; i++)
			map[i] = page->cpu_state.pmc[i].map;
		later = truth(proc);
	} while (t.places != later.places);
	for (int i = 0; i < SLOTS; i++) {
		if (!(map[i] & VPERFCTR_MAP_VALID))
			return 1;
		if (VPERFCTR_MAP_INDEX(map[i]) != t.place[i])
			result = -1;
	}
	return result;
}

void test_moved(void)
{
	struct vperfctr_control c = hardware(SLOTS);
	volatile const struct vperfctr_state *page;
	long right = 0, silent = 0, wrong = 0, n, turns = getenv("MOVED") ? atol(getenv("MOVED")) : 4000;
	int fd, proc = open("/proc/movpmu", O_RDONLY);
	struct truth first, last;

	pin(0);
	want_ok(proc);
	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	page = map(fd);
	for (int i = 0; i < SLOTS; i++)
		c.pmc[i].config = i;
	first = truth(proc);
	for (n = 0; n < turns; n++) {
		int what;

		want_ok(control(fd, &c));
		what = judge(proc, page);
		*(what > 0 ? &silent : what ? &wrong : &right) += 1;
	}
	last = truth(proc);
	printf("%ld settings, %llu moves: the page is right %ld times, silent %ld, wrong %ld\n", n, last.moves - first.moves, right,
	       silent, wrong);
	if (wrong)
		fail("the page tells of counters that are elsewhere");
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
	close(proc);
}
