// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stats.c -- accounting: adds up the counters of this daemon, of the source and of earlier daemons,
 * and computes the number of samples in transit from the source to the daemon.
 */
#include "config.h"
#include "daemon/store/stats.h"

#include <errno.h>
#include <string.h>

static const char *const names[OPD_NR_STATS] = {
	[OPD_STAT_STORED] = "stored",
	[OPD_STAT_DISK_FULL] = "lost_disk_full",
	[OPD_STAT_SAMPLE_FILE] = "lost_sample_file",
	[OPD_STAT_TOO_MANY_FILES] = "lost_too_many_files",
	[OPD_STAT_IMAGE_TABLE] = "lost_image_table",
	[OPD_STAT_NO_DOMAIN] = "lost_no_domain",
	[OPD_STAT_NO_FILE] = "lost_no_file",
	[OPD_STAT_NO_APP] = "lost_no_app",
	[OPD_STAT_EVENT] = "lost_event",
	[OPD_STAT_TORN_RECORD] = "lost_torn_record",
	[OPD_STAT_EXCLUDED_IMAGE] = "excluded_image",
	[OPD_STAT_EXCLUDED_DOMAIN] = "excluded_domain",
	[OPD_STAT_IBS_RECORDS] = "ibs_records",
	[OPD_STAT_IBS_DERIVED] = "ibs_derived",
	[OPD_STAT_WAKERS] = "wakers",
	[OPD_STAT_UNKNOWN_CODE] = "stream_unknown_code",
	[OPD_STAT_BAD_RECORD] = "stream_bad_record",
	[OPD_STAT_OVER_BUDGET] = "over_budget",
	[OPD_STAT_SET_ASIDE] = "files_set_aside",
	[OPD_STAT_VERSIONS] = "files_of_versions",
	[OPD_STAT_REPAIRED] = "files_repaired",
	[OPD_STAT_PATHS] = "paths",
	[OPD_STAT_PATHS_LOST] = "paths_lost",
	[OPD_STAT_FOLDINGS] = "paths_foldings",
#define X(end, name, words) [OPD_STAT_PATH_END(OPROFILE_UW_##end)] = "paths_" name,
	X(WHOLE, "whole", "whole")
	OPROFILE_UW_SHORT(X)
#undef X
};

void opd_stats_init(struct opd_stats *s)
{
	memset(s, 0, sizeof(*s));
}

void opd_stats_release(struct opd_stats *s)
{
	op_session_stats_release(&s->extra);
	op_session_stats_release(&s->earlier);
	op_session_stats_release(&s->source_base);
}

const char *opd_stat_name(enum opd_stat stat)
{
	return names[stat];
}

bool opd_stats_count(struct opd_stats *s, const char *name, uint64_t nr)
{
	bool first;

	for (int i = 0; i < OPD_NR_STATS; i++) {
		if (!strcmp(names[i], name)) {
			first = s->v[i] == 0;
			s->v[i] += nr;
			return first;
		}
	}
	first = op_session_stats_get(&s->extra, name) == 0;
	/* Ignore an error: if memory for the counter is short, the loss is not counted. */
	op_session_stats_add(&s->extra, name, nr);
	return first;
}

/*
 * Return true if the counter can decrease. For example, samples that wait in the kernel for their
 * task to run count as lost until the module has resolved them. The value of such a counter at the
 * session's start must not be subtracted.
 */
static bool is_gauge(const char *name)
{
	return !strcmp(name, "sample_unresolved");
}

static bool is_kind(const struct op_stat_value *v, enum op_stat_kind kind)
{
	return v->desc && v->desc->kind == kind;
}

/* Add all counters except TAKEN to @ret: the daemon's own counters, and the increase of the
 * source's counters since the session's start. */
static int add_outcomes(const struct opd_stats *s, const struct op_session_stats *source,
			struct op_session_stats *ret)
{
	int err;

	for (int i = 0; i < OPD_NR_STATS; i++) {
		if (!s->v[i] && i != OPD_STAT_STORED)
			continue;
		err = op_session_stats_add(ret, names[i], s->v[i]);
		if (err)
			return err;
	}
	err = op_session_stats_add_all(ret, &s->extra);
	if (err)
		return err;
	for (size_t i = 0; i < source->nr; i++) {
		const struct op_stat_value *v = &source->values[i];
		uint64_t base = op_session_stats_same(&s->source_base, v);

		if (is_kind(v, OP_STAT_TAKEN))
			continue;
		err = op_session_stats_add_same(ret, v, v->value > base ? v->value - base : 0);
		if (err)
			return err;
	}
	return 0;
}

/* Return the sum of all outcomes of the source's interrupts (samples stored or lost), but without
 * the samples that the daemon derived from IBS records. */
static uint64_t outcome_sum(const struct op_session_stats *s)
{
	return op_session_stats_sum(s, OP_STAT_STORED) + op_session_stats_sum(s, OP_STAT_LOSS) +
	       op_session_stats_sum(s, OP_STAT_CONVERTED) - op_session_stats_sum(s, OP_STAT_TAKEN);
}

int opd_stats_totals(const struct opd_stats *s, const struct op_session_stats *source, bool settled,
		     struct op_session_stats *ret)
{
	uint64_t outcomes, taken = 0;
	const char *taken_name = NULL;
	int err = add_outcomes(s, source, ret);

	if (err)
		return err;
	outcomes = outcome_sum(ret);

	for (size_t i = 0; i < source->nr; i++) {
		const struct op_stat_value *v = &source->values[i];

		if (!is_kind(v, OP_STAT_TAKEN))
			continue;
		taken_name = v->name;
		taken += v->value - op_session_stats_same(&s->source_base, v);
	}
	if (taken_name) {
		if (!settled && taken > outcomes) {
			err = op_session_stats_add(ret, "pending", taken - outcomes);
			if (err)
				return err;
		}
		err = op_session_stats_add(ret, taken_name, settled ? taken : outcomes);
		if (err)
			return err;
	}

	for (size_t i = 0; i < s->earlier.nr; i++) {
		const struct op_stat_value *v = &s->earlier.values[i];

		/* Skip the counter of samples that were in transit when an earlier daemon ended:
		 * these samples are lost, and the TAKEN of that daemon does not include them. */
		if (!strcmp(v->name, "pending"))
			continue;
		err = op_session_stats_add_same(ret, v, v->value);
		if (err)
			return err;
	}
	return 0;
}

int opd_stats_base(const struct opd_stats *s, const struct op_session_stats *source, bool settled,
		   struct op_session_stats *ret)
{
	struct op_session_stats base = { 0 }, sums = { 0 };
	uint64_t in_flight = 0, taken = 0;
	int err;

	err = add_outcomes(s, source, &sums);
	if (err)
		goto err_release;
	for (size_t i = 0; i < source->nr; i++)
		if (is_kind(&source->values[i], OP_STAT_TAKEN))
			taken += source->values[i].value -
				 op_session_stats_same(&s->source_base, &source->values[i]);
	if (!settled && taken > outcome_sum(&sums))
		in_flight = taken - outcome_sum(&sums);
	op_session_stats_release(&sums);

	for (size_t i = 0; i < source->nr; i++) {
		const struct op_stat_value *v = &source->values[i];

		if (is_gauge(v->name)) {
			in_flight += v->value;
			continue;
		}
		err = op_session_stats_add_same(&base, v, v->value);
		if (err)
			goto err_release;
	}
	/* Samples that are in transit at this moment will be stored in the new session, so the
	 * TAKEN of the new session must include them. */
	for (size_t i = 0; i < base.nr && in_flight; i++) {
		if (is_kind(&base.values[i], OP_STAT_TAKEN)) {
			base.values[i].value -= in_flight;
			in_flight = 0;
		}
	}

	*ret = base;
	return 0;

err_release:
	op_session_stats_release(&sums);
	op_session_stats_release(&base);
	return err;
}

void opd_stats_restart(struct opd_stats *s, struct op_session_stats *base)
{
	op_session_stats_release(&s->source_base);
	op_session_stats_release(&s->extra);
	op_session_stats_release(&s->earlier);
	memset(s->v, 0, sizeof(s->v));
	s->source_base = *base;
	*base = (struct op_session_stats){ 0 };
}
