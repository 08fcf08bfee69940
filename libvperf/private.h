/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * private.h -- what a handle consists of, and what a backend has to do.
 */
#ifndef VPERF_PRIVATE_H
#define VPERF_PRIVATE_H

#include <stdarg.h>
#include <stdbool.h>

#include "libvperf/vperf.h"

struct vperf_ops;

/*
 * Owned by the thread that made it; nothing of it is locked. What reads need is in @head's page, and only ever points
 * to pages that are mapped. Slots are settings: what the kernel has been told of them is the backend's.
 */
struct vperf {
	struct vperf_head head;
	const struct vperf_ops *ops;	/* NULL: neither backend can be had, and @error says why */
	void *backend;			/* the ops' own state, or NULL */
	pid_t tid;			/* whom it counts; 0: who made it */
	unsigned int flags;
	bool started;
	unsigned int nr;
	int signo;			/* of overflows; 0: none wanted */
	struct vperfctr_pmc pmc[VPERF_MAX];
	uint64_t tsc_khz;
	char source[640];
	char error[512];
	char not_module[512];		/* why it is not the module that counts; or empty */
};

/*
 * Each returns 0 or negative errno, with vperf_fail() where errno is not all. Calls come in an order that makes
 * sense: vperf.c sees to that.
 */
struct vperf_ops {
	const char *name;
	int (*open)(struct vperf *v);
	void (*close)(struct vperf *v);		/* also after a failed open */
	void (*forget)(struct vperf *v);	/* close in a child that fork made: it has descriptors, but no pages */
	/* The slots @pmc[0..nr) with @signo take the place of v's if they can be had; else nothing changes. */
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

/* Sets v's error and returns @err. */
int vperf_fail(struct vperf *v, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The descriptor, or instead of it a high one where v is to have those; negative ones as they are. */
int vperf_place(const struct vperf *v, int fd);

/* perf's name or rNNNN as a slot. 0 or -EINVAL with v's error. */
int vperf_parse_event(struct vperf *v, struct vperfctr_pmc *ret, const char *event);

#endif
