// SPDX-License-Identifier: GPL-2.0-or-later
/* deleter.c -- deletion of directories in a separate thread. */
#include "config.h"
#include "daemon/base/deleter.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libop/base/dir.h"

struct work {
	int dirfd;
	size_t nr;
	char **names;
};

static void free_work(struct work *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->nr; i++)
		free(w->names[i]);
	free(w->names);
	if (w->dirfd >= 0)
		close(w->dirfd);
	free(w);
}

static struct work *make_work(int dirfd, const char *const *names, size_t nr)
{
	struct work *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->dirfd = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);
	w->names = calloc(nr, sizeof(*w->names));
	if (w->dirfd < 0 || !w->names)
		goto free_work;
	for (; w->nr < nr; w->nr++) {
		w->names[w->nr] = strdup(names[w->nr]);
		if (!w->names[w->nr])
			goto free_work;
	}
	return w;

free_work:
	free_work(w);
	return NULL;
}

static void *delete_all(void *arg)
{
	struct work *w = arg;

	/* Lower the priority of this thread only, so that the deletion does not delay the profiled
	 * programs. */
	setpriority(PRIO_PROCESS, gettid(), 19);
	for (size_t i = 0; i < w->nr; i++) {
		int fd = openat(w->dirfd, w->names[i],
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd < 0) {
			unlinkat(w->dirfd, w->names[i], 0);
			continue;
		}
		op_empty_dir(fd);
		close(fd);
		unlinkat(w->dirfd, w->names[i], AT_REMOVEDIR);
	}
	free_work(w);
	return NULL;
}

int opd_delete_later(int dirfd, const char *const *names, size_t nr)
{
	struct work *w = make_work(dirfd, names, nr);
	pthread_t thread;
	int err;

	if (!w)
		return -ENOMEM;
	err = pthread_create(&thread, NULL, delete_all, w);
	if (err) {
		free_work(w);
		return -err;
	}
	pthread_detach(thread);
	return 0;
}
