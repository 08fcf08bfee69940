// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libvperf_sampler.c -- tests the use of vperf_sampler by a profiling agent: 4 threads sample
 * two events each while code forbids samples, libraries are loaded and unloaded, and the process
 * forks. Each overflow must yield one sample. Uses perf_events, or vperfctr.ko if the environment
 * has VPERF_SOURCE=module.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "libvperf/sampler.h"

#define THREADS	4
#define ROUNDS	30
#define PAGES	400
#define SIGNO	(SIGRTMIN + 4)

static const char *const events[] = { "page-faults:u", "minor-faults:u" };
static const uint64_t periods[] = { 97, 31 };

static unsigned int source = VPERF_PERF;

/* An agent's data for one thread. */
struct agent {
	struct vperf_sampler *s;
	char *area;
	unsigned int samples[2], wrong, forbidden;
	volatile sig_atomic_t forbids;
};

static __thread struct agent *own;	/* the agent of this thread, for the signal handler */

static void on_signal(int signo, siginfo_t *info, void *context)
{
	struct agent *a = own;
	uint32_t mask = a ? vperf_sampler_decode(a->s, info) : 0;

	(void)signo;
	(void)context;
	if (!mask) {
		if (a)
			a->wrong++;
		return;
	}
	a->samples[0] += mask & 1;
	a->samples[1] += mask >> 1 & 1;
	a->forbidden += a->forbids == 1;
	/* Cause page faults as an unwinder in the handler does; they must not be counted. */
	for (int i = 0; i < 5; i++)
		*(volatile char *)&a->area[(PAGES + i) * 4096] = 1;
	madvise(&a->area[PAGES * 4096], 5 * 4096, MADV_DONTNEED);
	if (vperf_sampler_resume(a->s))
		a->wrong++;
}

static void touch_pages(struct agent *a, int nr)
{
	madvise(a->area, (size_t)PAGES * 4096, MADV_DONTNEED);
	for (int i = 0; i < nr; i++)
		*(volatile char *)&a->area[i * 4096] = 1;
}

/* Test in a forked child that the parent's sampler does not work, but that a new sampler does.
 * Return 0 on success. */
static int child(struct agent *a)
{
	struct vperf_counts c;

	if (vperf_sampler_suspend(a->s) != -ECHILD)
		return 1;
	own = NULL;
	vperf_sampler_stop(a->s);
	/*
	 * With vperfctr.ko the child inherits running counters, so discard the signals until now.
	 */
	memset(a->samples, 0, sizeof(a->samples));
	a->wrong = 0;
	own = a;
	if (vperf_sampler_start(&a->s, events, periods, 2, SIGNO, source, NULL, 0))
		return 2;
	touch_pages(a, PAGES);
	if (vperf_sampler_suspend(a->s) || vperf_sampler_read(a->s, &c))
		return 3;
	own = NULL;
	vperf_sampler_stop(a->s);
	return a->samples[0] == c.slot[0].count / periods[0] && a->samples[1] == c.slot[1].count / periods[1] &&
	       c.slot[0].count >= PAGES && !a->wrong ? 0 : 4;
}

static void *run_agent(void *arg)
{
	struct agent *a = arg;
	char why[200] = "";
	int err;

	own = a;
	/* Touch the pages once, for the page faults of ASan and of the first signal. */
	touch_pages(a, PAGES);
	err = vperf_sampler_start(&a->s, events, periods, 2, SIGNO, source, why, sizeof(why));
	if (err) {
		printf("cannot start: %s\n", why);
		a->wrong++;
		return NULL;
	}
	for (int i = 0; i < ROUNDS; i++) {
		touch_pages(a, PAGES);
		/* A suspended sampler takes no samples. */
		if (vperf_sampler_suspend(a->s))
			a->wrong++;
		a->forbids = 1;
		touch_pages(a, PAGES);
		a->forbids = 0;
		if (vperf_sampler_resume(a->s))
			a->wrong++;
		if (i % 10 == 5) {
			void *lib = dlopen("libm.so.6", RTLD_NOW);

			touch_pages(a, 50);
			if (!lib || dlclose(lib))
				a->wrong++;
		}
		if (i % 10 == 7) {
			pid_t pid = fork();
			int status = -1;

			if (!pid)
				_exit(child(a));
			if (waitpid(pid, &status, 0) != pid || status) {
				printf("child: status %x\n", (unsigned int)status);
				a->wrong++;
			}
		}
	}
	return NULL;
}

static void test_threads_sample_page_faults(void **state)
{
	struct agent agents[THREADS];
	pthread_t threads[THREADS];
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };

	(void)state;
	sigemptyset(&action.sa_mask);
	assert_return_code(sigaction(SIGNO, &action, NULL), errno);
	memset(agents, 0, sizeof(agents));
	for (int i = 0; i < THREADS; i++) {
		agents[i].area = mmap(NULL, (PAGES + 5) * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(agents[i].area != MAP_FAILED);
		assert_return_code(madvise(agents[i].area, (PAGES + 5) * 4096, MADV_NOHUGEPAGE), errno);
		assert_int_equal(pthread_create(&threads[i], NULL, run_agent, &agents[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		struct vperf_counts c;

		/*
		 * After a thread has ended, any other thread can read its counts until the sampler
		 * is closed.
		 */
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(agents[i].wrong, 0);
		assert_int_equal(agents[i].forbidden, 0);
		assert_int_equal(vperf_sampler_read(agents[i].s, &c), 0);
		assert_true(c.slot[0].count >= ROUNDS * PAGES);
		assert_int_equal(agents[i].samples[0], c.slot[0].count / periods[0]);
		assert_int_equal(agents[i].samples[1], c.slot[1].count / periods[1]);
		vperf_sampler_stop(agents[i].s);
		munmap(agents[i].area, (PAGES + 5) * 4096);
	}
}

static void test_invalid_events_are_refused(void **state)
{
	struct vperf_sampler *s = NULL;
	char why[200] = "";

	(void)state;
	assert_true(vperf_sampler_start(&s, (const char *const[]){ "x" }, periods, 1, SIGNO, source, why, sizeof(why)) < 0);
	assert_non_null(strstr(why, "\"x\""));
	assert_null(s);
	/*
	 * A signal below SIGRTMIN is refused for two events, because the kernel merges two pending
	 * signals with the same number.
	 */
	assert_int_equal(vperf_sampler_start(&s, events, periods, 2, SIGUSR1, source, NULL, 0), -EINVAL);
	vperf_sampler_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_sample_page_faults),
		cmocka_unit_test(test_invalid_events_are_refused),
	};
	const char *wanted = getenv("VPERF_SOURCE");
	struct vperf *v = NULL;
	int err;

	if (wanted && !strcmp(wanted, "module"))
		source = VPERF_MODULE;
	err = vperf_open(&v, source);

	if (!err && vperf_add(v, events[0]) < 0)
		err = -1;
	if (err)
		printf("nobody counts: %s\n", vperf_error(v));
	vperf_close(v);
	return err ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
