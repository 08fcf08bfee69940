// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lost_page.c -- a mapped page that the file has no longer is an event, not the end of the process.
 *
 * A signal handler is given nothing of ours, so here alone is state that belongs to the process.
 */
#include "config.h"
#include "libdb/layout.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_ulong nr_lost;
static uintptr_t page_size;

/* What is logged to the page from now on reaches no file: zeros make that safe, and the count tells. */
static void replace_page(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));

	(void)context;
	/* Sent by hand, or no memory for a page: as if there were no handler. */
	if (info->si_code <= 0 ||
	    mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED) {
		signal(sig, SIG_DFL);
		if (info->si_code <= 0)
			raise(sig);
	}
	atomic_fetch_add(&nr_lost, 1);
	errno = saved_errno;
}

int odb_survive_lost_pages(void)
{
	struct sigaction act = { .sa_sigaction = replace_page, .sa_flags = SA_SIGINFO };

	page_size = sysconf(_SC_PAGESIZE);
	sigemptyset(&act.sa_mask);
	return sigaction(SIGBUS, &act, NULL) < 0 ? -errno : 0;
}

unsigned long odb_lost_pages(void)
{
	return atomic_load(&nr_lost);
}

void odb_count_lost_page(void)
{
	atomic_fetch_add(&nr_lost, 1);
}
