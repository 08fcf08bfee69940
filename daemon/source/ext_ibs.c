// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ext_ibs.c -- AMD's instruction-based sampling (IBS) as a CPU feature: derives the configured
 * events from each IBS record (ibs_events.h).
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/source/events.h"
#include "daemon/source/ext.h"
#include "daemon/source/ibs_events.h"
#include "daemon/source/oprofilefs_file.h"
#include "libop/session/stats.h"
#include "module/uapi/oprofile.h"

#define UM_DISPATCHED_OPS	1
#define MAX_PER_UNIT		OPD_MAX_EVENTS

/* One of the two units of IBS: the first tags instruction fetches, the second tags operations.
 * Each unit writes its own type of record. */
struct unit {
	const char *ext;	/* name of the unit in the event tables, after "ext:" */
	const char *dir;	/* directory of the unit in the module's file system */
	unsigned long code;
	unsigned int nr_regs;
};

enum { FETCH, OP, NR_UNITS };

static const struct unit units[NR_UNITS] = {
	[FETCH] = { "ibs_fetch", "ibs_fetch", OPROFILE_IBS_FETCH, OPD_IBS_NR_FETCH },
	[OP] = { "ibs_op", "ibs_op", OPROFILE_IBS_OP, OPD_IBS_NR_OP },
};

struct ibs {
	struct {
		uint64_t count;
		uint32_t um;
		/* .kernel: at least one configured event of this unit counts in the kernel; .user:
		 * at least one counts in user code */
		bool kernel, user;
		size_t nr_events;
		/* .records: number of records in the stream; .without: number of records from which
		 * no configured event was derived */
		uint64_t records, without;
		struct {
			const struct opd_ibs_event *event;
			uint32_t index;		/* index in opd_config.events */
		} events[MAX_PER_UNIT];
	} units[NR_UNITS];
};

static void ibs_destroy(void *state)
{
	free(state);
}

static int ibs_create(void **ret, const struct opd_config *cfg)
{
	struct ibs *ibs = calloc(1, sizeof(*ibs));
	bool used = false;

	if (!ibs)
		return -ENOMEM;
	for (size_t i = 0; i < cfg->nr_events; i++) {
		const char *ext = opd_event_ext(cfg, i);

		for (int u = 0; ext && u < NR_UNITS; u++) {
			const struct opd_ibs_event *event;

			if (strcmp(ext, units[u].ext))
				continue;
			event = opd_ibs_event_find(cfg->plan.choices[i].event->code);
			if (!event || ibs->units[u].nr_events == MAX_PER_UNIT)
				continue;
			ibs->units[u].events[ibs->units[u].nr_events].event = event;
			ibs->units[u].events[ibs->units[u].nr_events++].index = i;
			ibs->units[u].count = cfg->plan.choices[i].count;
			ibs->units[u].um = cfg->plan.choices[i].um;
			ibs->units[u].kernel |= cfg->plan.choices[i].kernel;
			ibs->units[u].user |= cfg->plan.choices[i].user;
			used = true;
		}
	}
	if (used)
		*ret = ibs;
	else
		free(ibs);
	return 0;
}

/* Read @nr registers from the words of a record. The stream contains each register as two words of
 * 32 bits, the lower half first. */
static void read_registers(uint64_t *regs, const unsigned long *words, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		regs[i] = (words[2 * i] & UINT32_MAX) | (uint64_t)words[2 * i + 1] << 32;
}

static int ibs_derive(void *state, unsigned long code, const unsigned long *operands,
		      struct opd_sample *samples)
{
	struct ibs *ibs = state;
	uint64_t regs[OPD_IBS_NR_OP];
	int nr = 0;

	for (int u = 0; u < NR_UNITS; u++) {
		if (units[u].code != code || !ibs->units[u].nr_events)
			continue;
		read_registers(regs, operands + 1, units[u].nr_regs);
		for (size_t i = 0; i < ibs->units[u].nr_events; i++) {
			uint32_t count = opd_ibs_event_count(ibs->units[u].events[i].event, regs);

			if (count)
				samples[nr++] = (struct opd_sample){
					.event = ibs->units[u].events[i].index,
					.count = count,
				};
		}
		ibs->units[u].records++;
		ibs->units[u].without += !nr;
		return nr;
	}
	return -1;
}

static int write_unit(int dir_fd, const char *dir, const char *file, uint64_t value)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return opd_oprofilefs_write(dir_fd, path, value);
}

static int setup_unit(const struct ibs *ibs, int u, int dir_fd, struct op_reason *error)
{
	const char *dir = units[u].dir;
	uint64_t ops = ibs->units[u].um & UM_DISPATCHED_OPS;
	int err;

	if (faccessat(dir_fd, dir, F_OK, 0) < 0)
		return op_fail(error, -EOPNOTSUPP,
			       "the kernel module cannot sample IBS events here: the CPU has no "
			       "IBS, or the backend "
			       "is not the native one (see backend_why in /dev/oprofile)");
	err = write_unit(dir_fd, dir, "max_count", ibs->units[u].count);
	if (err)
		return op_fail(error, err,
			       "the kernel module refused the count of the IBS events: it is too "
			       "large for this "
			       "CPU");
	err = write_unit(dir_fd, dir, "rand_enable", 1);
	if (err && err != -ENOENT)
		return op_fail(error, err,
			       "the kernel module refused to vary the counts of IBS events at "
			       "random");
	if (u == OP) {
		err = write_unit(dir_fd, dir, "dispatched_ops", ops);
		if (err == -ENOENT && !ops)
			err = 0;
		if (err)
			return op_fail(error, err,
				       "this CPU cannot count dispatched operations for the "
				       "period of IBS_OP events: give these events the unit mask "
				       "cycles");
	}
	/* If no event of the unit counts in a CPU mode, exclude this mode, so that the module
	 * writes fewer records. Ignore errors: samples in this mode are dropped later. */
	write_unit(dir_fd, dir, "kernel", ibs->units[u].kernel);
	write_unit(dir_fd, dir, "user", ibs->units[u].user);
	err = write_unit(dir_fd, dir, "enable", 1);
	if (err)
		op_fail(error, err, "the kernel module refused to enable IBS, AMD's "
				    "instruction-based sampling");
	return err;
}

static int ibs_setup(const void *state, int dir_fd, struct op_reason *error)
{
	const struct ibs *ibs = state;

	for (int u = 0; u < NR_UNITS; u++) {
		int err = 0;

		if (ibs && ibs->units[u].nr_events)
			err = setup_unit(ibs, u, dir_fd, error);
		else
			/* ignore the error of a module that does not support the unit */
			write_unit(dir_fd, units[u].dir, "enable", 0);
		if (err)
			return err;
	}
	return 0;
}

/* Split "EVENT[,EVENT...]:COUNT:UM" of length @len, and write EVENT:COUNT:UM to @out for each
 * event. */
static int write_events(FILE *out, const char *prefix, const char *text, size_t len, bool *first)
{
	const char *colon = memchr(text, ':', len);
	size_t names, pos = 0;

	if (!colon || colon == text)
		return -EINVAL;
	names = colon - text;
	while (pos < names) {
		size_t n = strcspn(text + pos, ",:");

		/* Reject an event that belongs to the other IBS unit. */
		if (!n || strncmp(text + pos, prefix, strlen(prefix)))
			return -EINVAL;
		fprintf(out, "%s%.*s%.*s", *first ? "" : ",", (int)n, text + pos,
			(int)(len - names), colon);
		*first = false;
		pos += n + 1;
	}
	return 0;
}

/* Convert "fetch:EVENTS:COUNT:UM|op:EVENTS:COUNT:UM", or one half of it, to a list for --events. */
static int ibs_events(FILE *out, const char *args)
{
	bool first = true;

	while (*args) {
		size_t len = strcspn(args, "|");
		int err;

		if (!strncmp(args, "fetch:", 6))
			err = write_events(out, "IBS_FETCH_", args + 6, len - 6, &first);
		else if (!strncmp(args, "op:", 3))
			err = write_events(out, "IBS_OP_", args + 3, len - 3, &first);
		else
			err = -EINVAL;
		if (err)
			return err;
		args += len + (args[len] == '|');
	}
	return first ? -EINVAL : 0;
}

static int ibs_stats(const void *state, struct op_session_stats *stats)
{
	static const char *const names[NR_UNITS][2] = {
		[FETCH] = { "ibs_fetch_records", "ibs_fetch_without" }, [OP] = { "ibs_op_records", "ibs_op_without" },
	};
	const struct ibs *ibs = state;
	int err = 0;

	for (int u = 0; u < NR_UNITS && !err; u++) {
		err = op_session_stats_add(stats, names[u][0], ibs->units[u].records);
		if (!err)
			err = op_session_stats_add(stats, names[u][1], ibs->units[u].without);
	}
	return err;
}

const struct opd_ext_feature opd_ext_ibs = {
	.name = "ibs",
	.create = ibs_create,
	.destroy = ibs_destroy,
	.setup = ibs_setup,
	.derive = ibs_derive,
	.stats = ibs_stats,
	.events = ibs_events,
};
