/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.h -- control of the source of samples: chooses a source, starts and stops it, and gives
 * it up after repeated failures.
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

/* The chosen source and its state. The struct owns .source; other pointers are borrowed. */
struct opd_sampling {
	const struct opd_config *cfg;
	struct opd_log *log;
	const struct opd_source_ops *ops;
	struct opd_source *source;
	char reason[512];		/* why this source was chosen */
	/* text: which samples the source cannot take on this machine; "": it can take all
	 * samples */
	char limits[256];
	bool running;
	bool is_raised;		/* the daemon's priority is raised */
	bool settled;		/* sampling is stopped, and all samples were read from the source */
	int failures;		/* number of successive failures of the source */
	/* negative errno of the failure after which the source was given up; 0: the source is in
	 * use */
	int given_up;
};

void opd_sampling_init(struct opd_sampling *s, const struct opd_config *cfg, struct opd_log *log);
/* Release @s, which must be initialized; opd_sampling_open() need not have been called. */
void opd_sampling_release(struct opd_sampling *s);

/* Open the configured source, or the best available one. Return 0, or a negative errno with a
 * message in @error. */
int opd_sampling_open(struct opd_sampling *s, struct opd_images *images, struct opd_sink *sink,
		      struct op_reason *error);

/* Start sampling; do nothing if it already runs. Return 0, or a negative errno, which was
 * logged. */
int opd_sampling_start(struct opd_sampling *s);
int opd_sampling_stop(struct opd_sampling *s);
/* Read all samples that the source has taken so far; sampling continues. Return 0 or a negative
 * errno. */
int opd_sampling_flush(struct opd_sampling *s);

/* Read the samples that the source has available without waiting. Return 0 or a negative errno. */
int opd_sampling_refresh(struct opd_sampling *s);

/* Read the available samples of the source. Return true at the end of a recorded stream. */
bool opd_sampling_read(struct opd_sampling *s);
/* Read the available samples of the source between the steps of other long work. Ignore errors, and
 * the end of a recorded stream. */
void opd_sampling_read_between(struct opd_sampling *s);

/* Log the failure @failure of the source, for example "cannot read samples", with the cause @err.
 * After ten successive failures give up the source: set .given_up. */
void opd_sampling_failed(struct opd_sampling *s, const char *failure, int err);

/* Return true if a recorded stream is being replayed; samples are then always available. */
bool opd_sampling_replays(const struct opd_sampling *s);

#endif
