// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampling.c -- control of the source of samples: chooses a source, starts and stops it, and gives
 * it up after repeated failures.
 */
#include "config.h"
#include "daemon/sampling.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/configuration.h"
#include "daemon/base/log.h"
#include "daemon/base/priority.h"
#include "daemon/source/source.h"

/* number of successive failures of the source after which the daemon ends */
#define MAX_FAILURES	10

void opd_sampling_init(struct opd_sampling *s, const struct opd_config *cfg, struct opd_log *log)
{
	*s = (struct opd_sampling){ .cfg = cfg, .log = log, .settled = true };
}

void opd_sampling_release(struct opd_sampling *s)
{
	if (s->source)
		s->ops->destroy(s->source);
	s->source = NULL;
}

/* the objects that a source uses to deliver its samples */
struct destination {
	struct opd_images *images;
	struct opd_sink *sink;
};

static int try_source(struct opd_sampling *s, const struct opd_source_ops *ops,
		      const struct destination *to, struct op_reason *error)
{
	struct op_reason said = { "" };
	size_t len = strlen(s->reason);
	int err = ops->create(&s->source, s->cfg, to->images, to->sink, &said);

	if (err)
		return op_fail(error, err, "%s (%s)",
			       *said.text ? said.text :
					    "cannot open the module or the perf_events that take "
					    "the samples",
			       strerror(-err));
	s->ops = ops;
	if (ops->buffers) {
		struct op_reason buffers = { "" };

		ops->buffers(s->source, &buffers);
		opd_log(s->log, OPD_INFO, "%s", buffers.text);
	}
	/* The source was created, but there is a message: the source cannot take all samples, and
	 * the message names the missing ones. */
	if (*said.text) {
		snprintf(s->reason + len, sizeof(s->reason) - len, "; %s", said.text);
		snprintf(s->limits, sizeof(s->limits), "%s", said.text);
		opd_log(s->log, OPD_INFO, "%s", said.text);
	}
	return 0;
}

/* Open the kernel module as the source of samples. If this fails, open perf_events. */
static int find_source(struct opd_sampling *s, const struct destination *to,
		       struct op_reason *error)
{
	struct op_reason first = { "" };
	int err;

	snprintf(s->reason, sizeof(s->reason), "the kernel module is loaded");
	err = try_source(s, &opd_source_oprofilefs, to, &first);
	if (!err)
		return 0;
	snprintf(s->reason, sizeof(s->reason), "perf_events instead of the module: %s", first.text);
	err = try_source(s, &opd_source_perf, to, error);
	if (!err) {
		opd_log(s->log, OPD_INFO, "using %s", s->reason);
		return 0;
	}
	return op_fail(error, err, "%s; and %s", error->text, first.text);
}

int opd_sampling_open(struct opd_sampling *s, struct opd_images *images, struct opd_sink *sink,
		      struct op_reason *error)
{
	const struct destination to = { images, sink };
	const struct opd_config *cfg = s->cfg;

	snprintf(s->reason, sizeof(s->reason), "%s", cfg->set.why ? cfg->set.why : "requested");
	switch (cfg->source) {
	case OPD_SOURCE_MODULE:
		return try_source(s, &opd_source_oprofilefs, &to, error);
	case OPD_SOURCE_REPLAY:
		snprintf(s->reason, sizeof(s->reason), "requested: %s", cfg->set.replay);
		return try_source(s, &opd_source_replay, &to, error);
	case OPD_SOURCE_PERF:
		return try_source(s, &opd_source_perf, &to, error);
	default:
		return find_source(s, &to, error);
	}
}

/* Raise the daemon's priority if perf_events copies stacks: such samples are large, so they fill
 * the rings quickly while the daemon waits for a CPU. */
static void raise_priority(struct opd_sampling *s)
{
	int err;

	if (s->ops != &opd_source_perf || !s->cfg->paths.depth ||
	    strcmp(s->cfg->set.priority, "high"))
		return;
	err = opd_priority_raise();
	s->is_raised = !err;
	if (err)
		opd_log(s->log, OPD_DEBUG, "cannot raise the priority: %s", strerror(-err));
	else
		opd_log(s->log, OPD_INFO,
			"the daemon runs at nice %d while it samples; --priority=normal keeps "
			"nice 0",
			OPD_PRIORITY_NICE);
}

static void restore_priority(struct opd_sampling *s)
{
	if (s->is_raised)
		opd_priority_restore();
	s->is_raised = false;
}

int opd_sampling_start(struct opd_sampling *s)
{
	int err;

	if (s->running)
		return 0;
	err = s->ops->start(s->source);
	if (err) {
		opd_log(s->log, OPD_ERROR, "cannot start sampling: %s", strerror(-err));
		return err;
	}
	raise_priority(s);
	s->running = true;
	s->settled = false;
	opd_log(s->log, OPD_INFO, "sampling started");
	return 0;
}

int opd_sampling_flush(struct opd_sampling *s)
{
	int err = s->running ? s->ops->flush(s->source) : 0;

	if (err < 0)
		opd_log(s->log, OPD_ERROR, "cannot read the samples that are left in the "
					   "buffers: %s", strerror(-err));
	return err < 0 ? err : 0;
}

int opd_sampling_refresh(struct opd_sampling *s)
{
	const struct opd_source_ops *ops = s->ops;
	int err;

	/* Do not read a recorded stream here: only the main loop may read its end, which ends the
	 * daemon. */
	if (!s->running || opd_sampling_replays(s))
		return 0;
	err = ops->refresh ? ops->refresh(s->source) : ops->process(s->source);
	if (err < 0)
		opd_log(s->log, OPD_ERROR, "cannot read samples: %s", strerror(-err));
	return err < 0 ? err : 0;
}

int opd_sampling_stop(struct opd_sampling *s)
{
	int err, err2;

	if (!s->running)
		return 0;
	err = s->ops->stop(s->source);
	if (err)
		opd_log(s->log, OPD_ERROR, "cannot stop sampling: %s", strerror(-err));
	err2 = opd_sampling_flush(s);
	restore_priority(s);
	s->running = false;
	s->settled = !err && !err2;
	opd_log(s->log, OPD_INFO, "sampling stopped");
	return err ? err : err2;
}

void opd_sampling_failed(struct opd_sampling *s, const char *failure, int err)
{
	if (s->failures++ == 0)
		opd_log(s->log, OPD_ERROR, "%s: %s", failure, strerror(-err));
	if (s->failures == MAX_FAILURES) {
		opd_log(s->log, OPD_ERROR, "cannot read samples after ten attempts: the daemon "
					   "ends");
		s->given_up = err;
	}
}

bool opd_sampling_read(struct opd_sampling *s)
{
	int ret = s->ops->process(s->source);

	if (ret < 0)
		opd_sampling_failed(s, "cannot read samples", ret);
	else
		s->failures = 0;
	return ret == 1;
}

void opd_sampling_read_between(struct opd_sampling *s)
{
	if (s->running)
		s->ops->process(s->source);
}

bool opd_sampling_replays(const struct opd_sampling *s)
{
	return s->running && s->cfg->source == OPD_SOURCE_REPLAY;
}
