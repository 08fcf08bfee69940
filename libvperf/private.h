/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * private.h -- the handle, and the interface of its backends.
 */
#ifndef VPERF_PRIVATE_H
#define VPERF_PRIVATE_H

#include <stdarg.h>
#include <stdbool.h>

#include "libvperf/vperf.h"

struct vperf_ops;

/*
 * A handle. Only the thread that created it uses it, so it needs no lock. Reads use only the page
 * to which .head points. .pmc contains the requested settings of the slots; the backend manages the
 * counters in the kernel.
 */
struct vperf {
	struct vperf_head head;
	/* functions of the backend; NULL: no backend works, for the reason in .error */
	const struct vperf_ops *ops;
	void *backend;			/* state of the chosen backend, or NULL */
	pid_t tid;			/* id of the counted thread; 0: the owner of the handle */
	unsigned int flags;
	bool started;
	unsigned int nr;
	int signo;	/* signal that the kernel sends at overflows; 0: no signal */
	struct vperfctr_pmc pmc[VPERF_MAX];
	uint64_t tsc_khz;
	char source[640];
	char error[512];
	/* reason why vperfctr.ko is not used; empty: it is used */
	char not_module[512];
};

/* The functions of a backend. Each returns 0 or a negative errno, and calls vperf_fail() if the
 * errno does not explain the cause. vperf.c guarantees a valid order of calls. */
struct vperf_ops {
	const char *name;
	int (*open)(struct vperf *v);
	void (*close)(struct vperf *v);		/* also called after open() has failed */
	/* In a child of fork: release the state. The child has inherited the descriptors, but not
	 * the mapped pages. */
	void (*forget)(struct vperf *v);
	/* Replace v's slots by the @nr slots @pmc, whose overflows send @signo. On failure change
	 * nothing. */
	int (*set)(struct vperf *v, const struct vperfctr_pmc *pmc, unsigned int nr, int signo);
	int (*start)(struct vperf *v);
	int (*stop)(struct vperf *v);
	int (*reset)(struct vperf *v);
	int (*read)(struct vperf *v, struct vperf_counts *counts);
	int (*read_tsc)(struct vperf *v, uint64_t *tsc);
	int (*read_children)(struct vperf *v, struct vperf_counts *counts);
	uint32_t (*overflow)(struct vperf *v, const siginfo_t *info);
	int (*resume)(struct vperf *v);
	int (*fd)(const struct vperf *v);
};

extern const struct vperf_ops vperf_module_ops, vperf_perf_ops;

/* Set v's error message and return @err. */
int vperf_fail(struct vperf *v, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* If @v has the flag VPERF_HIGH, replace the descriptor @fd by a duplicate with a high number.
 * Return the resulting descriptor. If @fd is negative, return @fd. */
int vperf_place(const struct vperf *v, int fd);

/* Parse perf's name of an event, or rNNNN, into a slot. Return 0; on failure set v's error message
 * and return -EINVAL. */
int vperf_parse_event(struct vperf *v, struct vperfctr_pmc *ret, const char *event);

#endif
