// SPDX-License-Identifier: GPL-2.0-or-later
/* open.c -- the call of perf_event_open(2), and raising of the limit of open files. */
#include "config.h"
#include "libop/perf/open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libop/perf/opener.h"

/* Open an event. If the kernel does not let this process open an event of a whole CPU, ask the
 * service's opener (opener.h). Return a descriptor or a negative errno. */
static int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC),
	    err = fd < 0 ? -errno : 0;
	const char *opener;

	if ((err != -EACCES && err != -EPERM) || pid != -1)
		return err ? err : fd;
	opener = getenv(OP_PERF_OPENER_ENV);
	if (!opener)
		return err;
	return op_perf_opener_open(opener, attr, cpu);
}

int op_perf_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = open_event(attr, pid, cpu), err = fd;

	if (err != -EOPNOTSUPP || attr->exclude_guest)
		return fd;
	attr->exclude_guest = 1;
	fd = open_event(attr, pid, cpu);
	if (fd >= 0)
		return fd;
	attr->exclude_guest = 0;
	return err;
}

void op_perf_raise_file_limit(size_t need)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r))
		return;
	if (r.rlim_cur != RLIM_INFINITY && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
	if (r.rlim_cur != RLIM_INFINITY && r.rlim_cur < need) {
		r.rlim_cur = r.rlim_max = need;
		/* Only root can raise the hard limit. If raising the limit fails here, a later
		 * open() will fail. */
		setrlimit(RLIMIT_NOFILE, &r);
	}
}
