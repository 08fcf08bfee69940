// SPDX-License-Identifier: GPL-2.0-or-later
/* ring.c -- tests of the ring buffer of overflow records. */
#include "vp.h"

#define FAULTS	10000

struct ring {
	volatile const struct vperfctr_state *page;
	const volatile struct vperfctr_ring_record *record;
	size_t bytes;
};

static struct ring map_ring(int fd, unsigned int pages)
{
	struct ring r = { .bytes = (size_t)PAGE * (1 + pages) };
	void *at = mmap(NULL, r.bytes, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED) {
		perror("mmap of a ring");
		exit(1);
	}
	r.page = at;
	r.record = (void *)((char *)at + r.page->ring_offset);
	if (r.page->ring_size != pages * PAGE / sizeof(*r.record) || r.page->ring_offset != PAGE)
		fail("%u pages: %u records at %u", pages, r.page->ring_size, r.page->ring_offset);
	return r;
}

/*
 * Check that each page fault is a record or is counted as lost, and that the records are in order
 * and have one address in touch().
 */
static void check_records(const char *what, const struct ring *r, uint64_t faults, uint64_t mask)
{
	uint64_t head = r->page->ring_head, lost = r->page->ring_lost, size = r->page->ring_size, tsc = 0;
	int wrong = 0;

	for (uint64_t n = head > size ? head - size : 0; n < head; n++) {
		const volatile struct vperfctr_ring_record *record = &r->record[n % size];

		wrong += record->mask != mask || record->tsc <= tsc || record->pc != r->record[(head - 1) % size].pc ||
			record->pc < (uintptr_t)touch || record->pc > (uintptr_t)touch + 1000;
		tsc = record->tsc;
	}
	printf("%s: %llu records, %llu lost; %d wrong\n", what, (unsigned long long)head, (unsigned long long)lost, wrong);
	if (head + lost != faults || head < faults / 2 || wrong)
		fail("%s: records", what);
}

static int signals;

static void on_signal(int signo, siginfo_t *info, void *context)
{
	(void)signo, (void)info, (void)context;
	signals++;
}

/* Create a ring of one page, which is overwritten often. */
static struct ring one_page(int fd, struct vperfctr_control *c)
{
	struct vperfctr_read read;
	struct ring r;
	uint64_t before;

	c->ring_pages = 1;
	want_ok(control(fd, c));
	r = map_ring(fd, 1);
	if (mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED ||
	    mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, PAGE) != MAP_FAILED ||
	    mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED)
		fail("a mapping that should be refused");
	want_errno(mprotect((void *)r.page, r.bytes, PROT_READ | PROT_WRITE), EACCES);
	want_ok(control(fd, c));
	before = r.page->ring_head + r.page->ring_lost;
	touch(FAULTS);
	check_records("one page", &r, before + FAULTS, 1);
	want_ok(read_all(fd, &read));
	if (read.sum.pmc[0].count != FAULTS || read.sum.cstatus & VPERFCTR_CSTATUS_SUSPENDED)
		fail("slots stood: %llu faults", (unsigned long long)read.sum.pmc[0].count);
	return r;
}

/* With a signal, there is one record, and then the slots are stopped. */
static void with_signal(int fd, const struct ring *r)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct vperfctr_control c = settings(1, 1);
	struct ring own;

	sigaction(SIGIO, &action, NULL);
	c.ring_pages = 1;
	c.si_signo = SIGIO;
	c.pmc[0].ireset = 100;
	want_ok(control(fd, &c));
	own = map_ring(fd, 1);
	touch(500);
	if (signals != 1 || r->page->ring_head != 1 || r->page->ring_lost || own.record[0].mask != 1)
		fail("%d signals, %llu records", signals, (unsigned long long)r->page->ring_head);
	munmap((void *)own.page, own.bytes);
}

/*
 * vmsplice() of the ring to a pipe fails, because the pipe would keep a page that a process could
 * read after the descriptor and the mapping are gone.
 */
static void no_references(const struct ring *ring)
{
	int pipes[2];

	if (pipe(pipes))
		exit(1);
	for (size_t at = 0; at < ring->bytes; at += PAGE) {
		struct iovec page = { (char *)ring->page + at, PAGE };

		want_errno(vmsplice(pipes[1], &page, 1, 0), EFAULT);
	}
	close(pipes[0]);
	close(pipes[1]);
}

void test_ring(void)
{
	struct vperfctr_control c = settings(1, 1);
	struct ring small, large;
	int fd;

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	touch(10);
	c.pmc[0].ireset = 1;
	want_errno(control(fd, &c), EINVAL);	/* no process could receive the signal */
	c.ring_pages = 65;
	want_errno(control(fd, &c), EINVAL);
	small = one_page(fd, &c);
	no_references(&small);
	/* changing the size creates a new ring; the mapping of the old ring keeps its contents */
	c.ring_pages = 64;
	want_ok(control(fd, &c));
	large = map_ring(fd, 64);
	if (large.page->ring_head + large.page->ring_lost > 10 || small.record[0].mask != 1)
		fail("a new ring is not empty: %llu", (unsigned long long)large.page->ring_head);
	munmap((void *)large.page, large.bytes);
	want_ok(set(fd, 0, 0));
	if (small.page->ring_size)
		fail("no ring is told of %u records", small.page->ring_size);
	with_signal(fd, &small);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	if (small.page->ring_head != 1)
		fail("a detached object's ring: %llu", (unsigned long long)small.page->ring_head);
	munmap((void *)small.page, small.bytes);
	close(fd);
}
