// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lost_page.c -- SIGBUS handler for mapped pages that the file no longer has.
 */
#include "config.h"
#include "libdb/layout.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* number of replaced pages; static, because a signal handler has no context argument */
static atomic_ulong nr_lost;
static uintptr_t page_size;

/* Replace the lost page by an anonymous page of zeros, and count it: later stores to the page do
 * not reach the file. */
static void replace_page(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));

	(void)context;
	/* If another process sent the signal, or if mmap() fails, restore the default action, so
	 * that SIGBUS ends this process. */
	if (info->si_code <= 0 ||
	    mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == MAP_FAILED) {
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
