// SPDX-License-Identifier: GPL-2.0-or-later
/* pct_source.c -- a .pct or .pcs file as a source of samples. It has one event and no call
 * paths. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>

#include "libop/raw/probe_words.h"
#include "libop/raw/words.h"
#include "pp/source/memory.h"
#include "pp/source/pct.h"

static const char *const loss_names[RAW_PCT_NR_LOSSES] = {
	[RAW_PCT_OTHER] = "probe_lost_outside",
	[RAW_PCT_CHANGING] = "probe_lost_epoch",
	[RAW_PCT_NO_ROOM] = "probe_lost_memory",
	[RAW_PCT_SATURATED] = "probe_lost_saturated",
};

/* Add the statistics (lost samples and the like) of a histogram or log to the source. Skip the
 * counter RAW_PCT_BUSY: it counts samples that could not be logged, but the histogram has these
 * samples. */
static int add_stats(struct pp_source *source, const struct pp_pct *pct, bool is_log)
{
	/* A log may have overwritten old samples, so its number of samples taken is not used. */
	uint64_t lost = 0, taken = is_log ? 0 : pct->header.taken;
	int err = 0;

	for (int i = 0; i < RAW_PCT_NR_LOSSES && !err && !is_log; i++) {
		if (!loss_names[i])
			continue;
		lost += pct->header.lost[i];
		err = op_session_stats_add(&source->stats, loss_names[i], pct->header.lost[i]);
	}
	lost += pct->counted;
	/* Neither stored nor counted as lost: the program was killed while it stored a sample,
	 * or the file is incomplete. */
	if (!err && taken > lost)
		err = op_session_stats_add(&source->stats, "probe_lost_cut_off", taken - lost);
	if (!err)
		err = op_session_stats_add(&source->stats, "probe_taken",
					   taken > lost ? taken : lost);
	return err ? err : op_session_stats_add(&source->stats, "probe_recorded", pct->counted);
}

/* Return the sampling rate of the program's runs that have ended. If the gaps between samples
 * are random, return the mean gap. */
static struct pp_source_rate rate_of(const struct raw_pct_header *h)
{
	static const struct { const char *event, *clock; } clocks[] = {
		[RAW_PCT_PROF] = { "CPU_TIME", "CPU time" },
		[RAW_PCT_VIRTUAL] = { "USER_TIME", "CPU time in user mode" },
		[RAW_PCT_REAL] = { "WALL", "time" },
	};

	static const enum raw_probe_driver drivers[] = {
		[RAW_PCT_BY_ITIMER] = RAW_PROBE_ITIMER,
		[RAW_PCT_BY_PERF] = RAW_PROBE_PERF,
		[RAW_PCT_BY_TIMER] = RAW_PROBE_CPUTIME,
	};

	if (h->clock > RAW_PCT_REAL || h->driver > RAW_PCT_BY_TIMER || !h->timed_ns ||
	    h->timed > h->taken)
		return (struct pp_source_rate){ .driver = 0 };
	return (struct pp_source_rate){
		.event = clocks[h->clock].event,
		.clock = clocks[h->clock].clock,
		.driver = h->clock == RAW_PCT_REAL ? RAW_PROBE_MONOTONIC : drivers[h->driver],
		.signals = h->timed,
		.period_ns = h->gap ? h->quantum_ns * h->gap : h->quantum_ns,
		.cpu_ns = h->timed_ns,
	};
}

static int add_sample(struct pp_source *source, const struct pp_pct *pct,
		       const struct pp_pct_sample *sample)
{
	const struct pp_pct_region *region =
		sample->region == PP_PCT_NO_REGION ? NULL : pct->regions[sample->region];
	uint32_t binary, frame, row;
	int err = pp_memory_binary(source, region ? region->image : "",
				   region ? region->record.build_id : NULL,
				   region ? region->record.build_id_len : 0,
				   region ? region->record.start : 0, &binary);

	if (!err)
		err = pp_memory_frame(source, binary, sample->pc, &frame);
	return err ? err : pp_memory_row(source, frame, &sample->count, &row);
}

static int add_samples(struct pp_source *source, const struct pp_pct *pct)
{
	const struct raw_pct_header *h = &pct->header;
	uint32_t main = pp_pct_main_region(pct);
	const char *program = *h->program		 ? h->program
			      : main == PP_PCT_NO_REGION ? "?"
							 : pct->regions[main]->image;
	int err = pp_memory_program(source, program);

	if (!err)
		err = pp_memory_class(source, *h->event ? h->event : "PC", h->quantum_ns);
	for (size_t i = 0; i < pct->nr_samples && !err; i++)
		err = add_sample(source, pct, &pct->samples[i]);
	if (err == -EOVERFLOW) {
		op_fail(&source->broken, 0,
			"%s: has impossible counts; only samples before these are shown",
			source->path);
		err = 0;
	}
	if (!err)
		err = add_stats(source, pct, !h->magic || h->kind != RAW_PCT_COUNTS);
	return err ? err : pp_memory_finish(source);
}

int pp_pct_open(struct pp_source **ret, const char *path, struct op_reason *error)
{
	struct pp_source *source = NULL;
	struct pp_pct *pct;
	int err = pp_pct_read(&pct, path, error);

	if (err)
		return err;
	err = pp_memory_create(&source, path);
	if (!err) {
		source->broken = pct->broken;
		source->owner = pct->owner;
		source->rate = rate_of(&pct->header);
		err = add_samples(source, pct);
	}
	if (err)
		pp_source_close(source);
	else
		*ret = source;
	pp_pct_free(pct);
	return err;
}
