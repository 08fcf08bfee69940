/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.h -- the source of samples: which one it is and why, whether it samples, and when it is given up.
 */
#ifndef OPD_SAMPLING_H
#define OPD_SAMPLING_H

#include <stdbool.h>

#include "libop/base/reason.h"

struct opd_config;
struct opd_images;
struct opd_log;
struct opd_sink;
struct opd_source;
struct opd_source_ops;

/* Owns the source; the rest is borrowed. */
struct opd_sampling {
	const struct opd_config *cfg;
	struct opd_log *log;
	const struct opd_source_ops *ops;
	struct opd_source *source;
	char why[512];		/* this source was taken */
	char limits[256];	/* what it does not see here; empty: nothing */
	bool running;
	bool is_raised;		/* the daemon's priority */
	bool settled;		/* stopped, and everything sampled has arrived */
	int failures;		/* of the source, in a row */
	int given_up;		/* negative errno: there were too many */
};

void opd_sampling_init(struct opd_sampling *s, const struct opd_config *cfg, struct opd_log *log);
/* Takes what was only initialized. */
void opd_sampling_release(struct opd_sampling *s);

/* The source that was asked for, or the best there is. On failure a sentence is in @why. */
int opd_sampling_open(struct opd_sampling *s, struct opd_images *images, struct opd_sink *sink,
		      struct op_reason *why);

/* 0 where there is nothing to do; else negative errno, which was told to the log. */
int opd_sampling_start(struct opd_sampling *s);
int opd_sampling_stop(struct opd_sampling *s);
/* While it runs: what was sampled by now arrives. */
int opd_sampling_flush(struct opd_sampling *s);

/* Takes what is ready. True at the end of a recording. */
bool opd_sampling_take(struct opd_sampling *s);
/* The same beside other work that takes long. */
void opd_sampling_meanwhile(struct opd_sampling *s);

/* @doing (a clause) failed with @err: tells it, and gives up after the tenth time in a row. */
void opd_sampling_failed(struct opd_sampling *s, const char *doing, int err);

/* A recording runs: there is always something to take. */
bool opd_sampling_replays(const struct opd_sampling *s);

#endif
