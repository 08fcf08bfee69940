// SPDX-License-Identifier: GPL-2.0-or-later
/* jobs.c -- threads that process independent, numbered work items. */
#include "config.h"
#include "pp/profile/jobs.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define MAX_THREADS	32

struct jobs {
	const struct pp_jobs_ops *ops;
	void *arg;
	size_t nr;
	/* protects the members below; held while .ops->take() runs */
	pthread_mutex_t lock;
	size_t next;		/* index of the next work item to start */
	/* number of items whose results were passed to .ops->take(), in the order of the items */
	size_t taken;
	int err;		/* the first error; after an error, no further item is started */
	unsigned char *done;
	int *errs;
};

/* Pass the results of finished work items to .ops->take(), in the order of the items. */
static void collect_results(struct jobs *jobs)
{
	while (!jobs->err && jobs->taken < jobs->nr && jobs->done[jobs->taken]) {
		size_t i = jobs->taken++;

		jobs->err = jobs->errs[i];
		if (!jobs->err && jobs->ops->take)
			jobs->err = jobs->ops->take(jobs->arg, i);
	}
}

static void *run(void *arg)
{
	struct jobs *jobs = arg;

	pthread_mutex_lock(&jobs->lock);
	while (!jobs->err && jobs->next < jobs->nr) {
		size_t i = jobs->next++;
		int err;

		pthread_mutex_unlock(&jobs->lock);
		err = jobs->ops->work(jobs->arg, i);
		pthread_mutex_lock(&jobs->lock);
		jobs->errs[i] = err;
		jobs->done[i] = 1;
		collect_results(jobs);
	}
	pthread_mutex_unlock(&jobs->lock);
	return NULL;
}

static unsigned int nr_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

int pp_jobs_run(size_t nr, unsigned int threads, const struct pp_jobs_ops *ops, void *arg)
{
	struct jobs jobs = { .ops = ops, .arg = arg, .nr = nr };
	pthread_t others[MAX_THREADS];
	unsigned int nr_others = 0;

	jobs.done = calloc(nr + 1, sizeof(*jobs.done));
	jobs.errs = calloc(nr + 1, sizeof(*jobs.errs));
	if (!jobs.done || !jobs.errs) {
		jobs.err = -ENOMEM;
		goto done;
	}
	if (!threads)
		threads = nr_cpus();
	if (threads > nr)
		threads = nr;
	pthread_mutex_init(&jobs.lock, NULL);
	while (nr_others + 1 < threads && nr_others < MAX_THREADS &&
	       !pthread_create(&others[nr_others], NULL, run, &jobs))
		nr_others++;
	run(&jobs);
	while (nr_others)
		pthread_join(others[--nr_others], NULL);
	pthread_mutex_destroy(&jobs.lock);
done:
	free(jobs.done);
	free(jobs.errs);
	return jobs.err;
}
