// SPDX-License-Identifier: GPL-2.0-or-later
/* sampling.c -- the source of samples: which one it is, whether it samples, and when it is given up. */
#include "config.h"
#include "daemon/sampling.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/configuration.h"
#include "daemon/base/log.h"
#include "daemon/base/priority.h"
#include "daemon/source/source.h"

#define MAX_FAILURES	10	/* of the source, in a row, then it is given up */

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

/* What its samples are for, and where they go. */
struct destination {
	struct opd_images *images;
	struct opd_sink *sink;
};

static int try_source(struct opd_sampling *s, const struct opd_source_ops *ops,
		      const struct destination *to, struct op_reason *why)
{
	struct op_reason said = { "" };
	size_t len = strlen(s->why);
	int err = ops->create(&s->source, s->cfg, to->images, to->sink, &said);

	if (err)
		return op_fail(why, err, "%s (%s)", *said.text ? said.text : "it did not open", strerror(-err));
	s->ops = ops;
	if (ops->buffers) {
		struct op_reason buffers = { "" };

		ops->buffers(s->source, &buffers);
		opd_log(s->log, OPD_INFO, "%s", buffers.text);
	}
	/* It samples, but not all. */
	if (*said.text) {
		snprintf(s->why + len, sizeof(s->why) - len, "; %s", said.text);
		snprintf(s->limits, sizeof(s->limits), "%s", said.text);
		opd_log(s->log, OPD_INFO, "%s", said.text);
	}
	return 0;
}

/* The module if it is there, else perf_events. */
static int find_source(struct opd_sampling *s, const struct destination *to, struct op_reason *why)
{
	struct op_reason first = { "" };
	int err;

	snprintf(s->why, sizeof(s->why), "the kernel module is loaded");
	err = try_source(s, &opd_source_oprofilefs, to, &first);
	if (!err)
		return 0;
	snprintf(s->why, sizeof(s->why), "perf_events instead of the module: %s", first.text);
	err = try_source(s, &opd_source_perf, to, why);
	if (!err) {
		opd_log(s->log, OPD_INFO, "using %s", s->why);
		return 0;
	}
	return op_fail(why, err, "%s; and %s", why->text, first.text);
}

int opd_sampling_open(struct opd_sampling *s, struct opd_images *images, struct opd_sink *sink,
		      struct op_reason *why)
{
	const struct destination to = { images, sink };
	const struct opd_config *cfg = s->cfg;

	snprintf(s->why, sizeof(s->why), "%s", cfg->set.why ? cfg->set.why : "asked for");
	switch (cfg->source) {
	case OPD_SOURCE_MODULE:
		return try_source(s, &opd_source_oprofilefs, &to, why);
	case OPD_SOURCE_REPLAY:
		snprintf(s->why, sizeof(s->why), "asked for: %s", cfg->set.replay);
		return try_source(s, &opd_source_replay, &to, why);
	case OPD_SOURCE_PERF:
		return try_source(s, &opd_source_perf, &to, why);
	default:
		return find_source(s, &to, why);
	}
}

/* Stacks come in large samples, which fill a buffer while the daemon waits for a CPU that other programs use. */
static void raise_priority(struct opd_sampling *s)
{
	int err;

	if (s->ops != &opd_source_perf || !s->cfg->paths.depth || strcmp(s->cfg->set.priority, "high"))
		return;
	err = opd_priority_raise();
	s->is_raised = !err;
	if (err)
		opd_log(s->log, OPD_DEBUG, "priority not raised: %s", strerror(-err));
	else
		opd_log(s->log, OPD_INFO, "nice %d while samples are taken (--priority=normal: 0)", OPD_PRIORITY_NICE);
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
		opd_log(s->log, OPD_ERROR, "sampling cannot be started: %s", strerror(-err));
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
		opd_log(s->log, OPD_ERROR, "draining the sample buffers failed: %s", strerror(-err));
	return err < 0 ? err : 0;
}

int opd_sampling_stop(struct opd_sampling *s)
{
	int err, err2;

	if (!s->running)
		return 0;
	err = s->ops->stop(s->source);
	if (err)
		opd_log(s->log, OPD_ERROR, "sampling cannot be stopped: %s", strerror(-err));
	err2 = opd_sampling_flush(s);
	restore_priority(s);
	s->running = false;
	s->settled = !err && !err2;
	opd_log(s->log, OPD_INFO, "sampling stopped");
	return err ? err : err2;
}

void opd_sampling_failed(struct opd_sampling *s, const char *doing, int err)
{
	if (s->failures++ == 0)
		opd_log(s->log, OPD_ERROR, "%s: %s", doing, strerror(-err));
	if (s->failures == MAX_FAILURES) {
		opd_log(s->log, OPD_ERROR, "the source of samples does not work any more: ending");
		s->given_up = err;
	}
}

bool opd_sampling_take(struct opd_sampling *s)
{
	int ret = s->ops->process(s->source);

	if (ret < 0)
		opd_sampling_failed(s, "reading samples failed", ret);
	else
		s->failures = 0;
	return ret == 1;
}

void opd_sampling_meanwhile(struct opd_sampling *s)
{
	if (s->running)
		s->ops->process(s->source);
}

bool opd_sampling_replays(const struct opd_sampling *s)
{
	return s->running && s->cfg->source == OPD_SOURCE_REPLAY;
}
