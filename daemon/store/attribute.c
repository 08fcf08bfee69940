// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attribute.c -- attribution: finds the sample file of each sample from the context of its run.
 *
 * A run of samples is split where the event changes and, in the kernel, where the kernel image
 * changes. The samples of each part are added to one sample file. Each sample is either stored
 * through the cache of sample files or added to a counter of lost samples.
 */
#include "config.h"
#include "daemon/store/attribute.h"

#include <string.h>

#include "daemon/base/configuration.h"
#include "daemon/image/image.h"
#include "daemon/image/jit.h"
#include "daemon/image/kernel.h"
#include "daemon/base/log.h"
#include "daemon/store/paths.h"
#include "daemon/store/sample_cache.h"
#include "daemon/store/stats.h"
#include "daemon/store/task_names.h"
#include "libop/session/mangle.h"

static uint64_t sum(const struct opd_sample *samples, size_t nr)
{
	uint64_t total = 0;

	for (size_t i = 0; i < nr; i++)
		total += samples[i].count;
	return total;
}

static bool is_named(struct opd_attribution *a, struct opd_filter_memory *last,
		     const struct opd_image *image)
{
	if (!image)
		return false;
	if (image != last->image) {
		last->image = image;
		last->named = false;
		for (size_t i = 0; i < a->cfg->nr_images && !last->named; i++)
			last->named = !strcmp(a->cfg->images[i], image->path);
	}
	return last->named;
}

/*
 * Return true if --image selects samples of this context. A path in --image selects all code that
 * the program with this path executes, and also the code of the library with this path in all
 * programs.
 */
static bool is_selected(struct opd_attribution *a, const struct opd_context *ctx)
{
	return !a->cfg->nr_images || is_named(a, &a->program, ctx->app) ||
	       (ctx->domain == OPD_USER_FILE && is_named(a, &a->library, ctx->image));
}

/* Set the process, thread, CPU and unit of a sample file's key as --separate requires. */
static void key_init(struct opd_file_key *key, const struct opd_attribution *a,
		     const struct opd_context *ctx)
{
	unsigned int separate = a->cfg->set.separate;

	memset(key, 0, sizeof(*key));
	key->tgid = separate & OP_SEPARATE_THREAD ? ctx->tgid : OP_ALL;
	key->tid = separate & OP_SEPARATE_THREAD ? ctx->tid : OP_ALL;
	key->cpu = separate & OP_SEPARATE_CPU ? (int32_t)ctx->cpu : OP_ALL;
	key->unit = separate & OP_SEPARATE_UNIT ? ctx->unit : NULL;
	key->woken = ctx->woken;
}

static void add_kernel(struct opd_attribution *a, struct opd_file_key *key,
		       const struct opd_context *ctx, const struct opd_sample *samples, size_t nr)
{
	bool per_app = a->cfg->set.separate & OP_SEPARATE_KERNEL || ctx->woken;

	while (nr) {
		const struct opd_krange *r = opd_kernel_find(a->kernel, samples[0].offset);
		uint64_t lo = r->lo, size = r->last - r->lo;
		size_t n = 1;

		while (n < nr && samples[n].offset - lo <= size)
			n++;
		key->kimage = r->image;
		key->app = per_app ? ctx->app : NULL;
		if (opd_kernel_hidden(a->kernel)) {
			/* The kernel hides its addresses from this user, so the files must not
			 * contain kernel addresses: store all samples at the base address. */
			struct opd_sample all = { r->base, samples[0].event, 0 };

			for (n = 0; n < nr && all.count <= UINT32_MAX - samples[n].count; n++)
				all.count += samples[n].count;
			opd_sample_cache_add(a->cache, key, &all, 1, r->base);
		} else {
			opd_sample_cache_add(a->cache, key, samples, n, r->base);
		}
		samples += n;
		nr -= n;
	}
}

static void add_user(struct opd_attribution *a, struct opd_file_key *key,
		     const struct opd_context *ctx, const struct opd_sample *samples, size_t nr)
{
	bool per_app = a->cfg->set.separate & OP_SEPARATE_LIB || ctx->woken;

	if (ctx->domain == OPD_USER_FILE) {
		key->image = ctx->image;
		key->app = per_app && ctx->app ? ctx->app : ctx->image;
		opd_sample_cache_add(a->cache, key, samples, nr, 0);
		return;
	}
	/* An address of anonymous memory is meaningful in one process only, so the key includes the
	 * process. */
	key->anon_program = opd_jit_note(a->jit, ctx->tgid, ctx->app);
	key->app = ctx->app;
	key->anon_label = ctx->anon.label;
	key->anon_start = ctx->anon.start;
	key->anon_end = ctx->anon.end;
	key->anon_tgid = ctx->tgid;
	if (!key->app)
		a->stats->v[OPD_STAT_NO_APP] += sum(samples, nr);
	else
		opd_sample_cache_add(a->cache, key, samples, nr, ctx->anon.start);
}

/* Count samples that were taken in a virtual machine. Its code is not in files of this machine, so
 * its addresses cannot be attributed: use offset 0. */
static void add_guest(struct opd_attribution *a, struct opd_file_key *key,
		      const struct opd_context *ctx, const struct opd_sample *samples, size_t nr)
{
	static const char label[] = "[guest]";

	key->app = ctx->app;
	key->anon_label = label;
	key->anon_tgid = ctx->tgid;
	if (!key->app)
		a->stats->v[OPD_STAT_NO_APP] += sum(samples, nr);
	else
		opd_sample_cache_add(a->cache, key, samples, nr, 0);
}

static void add_run(struct opd_attribution *a, struct opd_file_key *key,
		    const struct opd_context *ctx, const struct opd_sample *samples, size_t nr)
{
	const struct op_event_spec *event = &a->cfg->events[key->event];
	bool kernel = ctx->domain == OPD_KERNEL, guest = ctx->domain == OPD_GUEST;

	/* For samples in a virtual machine, the hardware has already applied the event's kernel
	 * and user flags. */
	if (!guest && (kernel ? !event->kernel : !event->user))
		a->stats->v[OPD_STAT_EXCLUDED_DOMAIN] += sum(samples, nr);
	else if (guest)
		add_guest(a, key, ctx, samples, nr);
	else if (kernel)
		add_kernel(a, key, ctx, samples, nr);
	else
		add_user(a, key, ctx, samples, nr);
}

/* Add the samples one by one. Each sample that was stored in a sample file is also counted in a
 * tree of call paths. */
static void add_with_paths(struct opd_attribution *a, struct opd_file_key *key,
			   const struct opd_context *ctx, const struct opd_sample *samples,
			   size_t nr)
{
	const uint64_t *v = a->stats->v;
	const int32_t ids[] = { key->tgid, key->tid, key->cpu };

	for (size_t i = 0; i < nr; i++) {
		uint64_t stored = v[OPD_STAT_STORED], elsewhere = v[OPD_STAT_OVER_BUDGET];

		add_run(a, key, ctx, &samples[i], 1);
		opd_paths_add(a->paths, ctx, &samples[i], v[OPD_STAT_STORED] - stored, ids,
			      v[OPD_STAT_OVER_BUDGET] != elsewhere);
	}
}

static void attribute_samples(struct opd_sink *sink, const struct opd_context *ctx,
			      const struct opd_sample *samples, size_t nr)
{
	struct opd_attribution *a = (struct opd_attribution *)sink;
	struct opd_file_key key;

	if (!is_selected(a, ctx)) {
		a->stats->v[OPD_STAT_EXCLUDED_IMAGE] += sum(samples, nr);
		return;
	}
	key_init(&key, a, ctx);
	opd_task_names_sampled(a->names, ctx->tgid, ctx->tid);
	while (nr) {
		size_t n = 1;

		while (n < nr && samples[n].event == samples[0].event)
			n++;
		key.event = samples[0].event;
		if (key.event >= a->cfg->nr_events)
			a->stats->v[OPD_STAT_EVENT] += sum(samples, n);
		else if (a->paths && !ctx->woken)
			add_with_paths(a, &key, ctx, samples, n);
		else
			add_run(a, &key, ctx, samples, n);
		samples += n;
		nr -= n;
	}
}

/* Ignore errors of the update: then the address ranges of modules that are already known stay in
 * use. */
static void attribute_modules_changed(struct opd_sink *sink)
{
	struct opd_attribution *a = (struct opd_attribution *)sink;
	int err = opd_kernel_read_modules(a->kernel);

	if (err)
		opd_log(a->log, OPD_WARN, "cannot read the list of kernel modules: %s",
			strerror(-err));
}

static void attribute_named(struct opd_sink *sink, pid_t tgid, pid_t tid, const char *name,
			    uint64_t when)
{
	struct opd_attribution *a = (struct opd_attribution *)sink;

	opd_task_names_named(a->names, tgid, tid, name, when);
}

static void attribute_started(struct opd_sink *sink, pid_t tgid, pid_t tid, pid_t parent_tgid,
			      pid_t parent_tid)
{
	struct opd_attribution *a = (struct opd_attribution *)sink;

	opd_task_names_started(a->names, tgid, tid, parent_tgid, parent_tid);
	opd_jit_started(a->jit, tgid, parent_tgid);
}

static void attribute_execed(struct opd_sink *sink, pid_t tgid)
{
	opd_jit_execed(((struct opd_attribution *)sink)->jit, tgid);
}

static void attribute_makes_code(struct opd_sink *sink, pid_t tgid)
{
	opd_jit_hold(((struct opd_attribution *)sink)->jit, tgid);
}

static void attribute_replaced(struct opd_sink *sink, pid_t tgid)
{
	opd_jit_replaced(((struct opd_attribution *)sink)->jit, tgid);
}

/* Add @nr to the counter @stat_name, which counts lost samples or undecodable records. If the
 * counter was 0, log a warning. */
static void attribute_trouble(struct opd_sink *sink, const char *stat_name, uint64_t nr)
{
	struct opd_attribution *a = (struct opd_attribution *)sink;
	const struct op_stat_desc *desc = NULL;

	if (!opd_stats_count(a->stats, stat_name, nr))
		return;
	for (size_t i = 0; i < op_nr_stat_descs; i++)
		if (!strcmp(op_stat_descs[i].name, stat_name))
			desc = &op_stat_descs[i];
	opd_log(a->log, OPD_WARN,
		"lost or damaged: %s%s%s (statistic %s; logged once, counted always)",
		desc ? desc->what : stat_name, desc && desc->advice ? "; " : "",
		desc && desc->advice ? desc->advice : "", stat_name);
}

static void attribute_converted(struct opd_sink *sink, uint64_t derived)
{
	struct opd_attribution *a = (struct opd_attribution *)sink;

	a->stats->v[OPD_STAT_IBS_RECORDS]++;
	a->stats->v[OPD_STAT_IBS_DERIVED] += derived;
}

void opd_attribution_init(struct opd_attribution *a, const struct opd_config *cfg,
			  struct opd_kernel *kernel, struct opd_sample_cache *cache,
			  struct opd_stats *stats, struct opd_log *log)
{
	memset(a, 0, sizeof(*a));
	a->sink.samples = attribute_samples;
	a->sink.modules_changed = attribute_modules_changed;
	a->sink.named = attribute_named;
	a->sink.started = attribute_started;
	a->sink.execed = attribute_execed;
	a->sink.makes_code = attribute_makes_code;
	a->sink.replaced = attribute_replaced;
	a->sink.lost = attribute_trouble;
	a->sink.unread = attribute_trouble;
	a->sink.converted = attribute_converted;
	a->cfg = cfg;
	a->kernel = kernel;
	a->cache = cache;
	a->stats = stats;
	a->log = log;
}
