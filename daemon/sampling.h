/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.h -- chooses, starts and stops the source of samples, and ends it after repeated
 * failures.
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
	char reason[512];		/* reason for the choice of this source */
	char limits[256];	/* samples that the source cannot take here; empty: no limits */
	bool running;
	bool is_raised;		/* the daemon's priority is raised */
	bool settled;		/* sampling is stopped, and all samples have been received */
	int failures;		/* number of successive failures of the source */
	int given_up;		/* negative errno of the last one of too many failures */
};

void opd_sampling_init(struct opd_sampling *s, const struct opd_config *cfg, struct opd_log *log);
/* Release @s, which may be only initialized. */
void opd_sampling_release(struct opd_sampling *s);

/* Open the requested source, or the best available one. Return 0, or a negative errno with a
 * sentence in @error. */
int opd_sampling_open(struct opd_sampling *s, struct opd_images *images, struct opd_sink *sink,
		      struct op_reason *error);

/* Start sampling; do nothing if it runs already. Return 0, or a negative errno, which was logged.
 */
int opd_sampling_start(struct opd_sampling *s);
int opd_sampling_stop(struct opd_sampling *s);
/* Receive all samples taken so far, while sampling continues. Return 0 or a negative errno. */
int opd_sampling_flush(struct opd_sampling *s);

/* Read the samples that are available. Return true at the end of a recording. */
bool opd_sampling_read(struct opd_sampling *s);
/* Like opd_sampling_read(), during other work that takes long. */
void opd_sampling_meanwhile(struct opd_sampling *s);

/* Log @failure, for example "cannot read samples", with the cause @err. Give up after ten failures
 * in a row. */
void opd_sampling_failed(struct opd_sampling *s, const char *failure, int err);

/* Return whether a recording is replayed, so that samples are always available. */
bool opd_sampling_replays(const struct opd_sampling *s);

#endif
