/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h -- a session for tests of daemon/store: its directory, two events, and a kernel with one
 * module.
 */
#ifndef TESTS_UNIT_STORE_H
#define TESTS_UNIT_STORE_H

#include "tests/unit/check.h"

#include <sys/stat.h>

#include "daemon/base/configuration.h"
#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/image/image.h"
#include "daemon/image/kernel.h"
#include "daemon/store/attribute.h"
#include "daemon/store/paths.h"
#include "daemon/store/sample_cache.h"
#include "daemon/store/stats.h"

struct store {
	void *dir;
	char kallsyms[200], modules[200];
	struct op_event_spec events[2];
	struct opd_config cfg;
	struct opd_session session;
	struct opd_stats stats;
	struct opd_log log;
	/*
	 * Objects that a test may create from these members; store_teardown() destroys them, too.
	 */
	struct opd_kernel *kernel;
	struct opd_images *images;
	const struct opd_image *app, *lib;	/* images of program and library */
	struct opd_sample_cache *cache;
	struct opd_paths *paths;
	struct opd_attribution a;
};

static inline void store_write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Initialize @state as a session with the timer event and the event @second. */
static inline struct store *store_setup(void **state, struct op_event_spec second)
{
	struct store *s = calloc(1, sizeof(*s));
	struct op_reason error = { "" };

	assert_non_null(s);
	check_make_dir(&s->dir);
	snprintf(s->kallsyms, sizeof(s->kallsyms), "%s/kallsyms", (char *)s->dir);
	snprintf(s->modules, sizeof(s->modules), "%s/modules", (char *)s->dir);
	store_write_file(s->kallsyms, "ffffffff81000000 T _stext\nffffffff81400000 T _etext\n");
	store_write_file(s->modules, "ext4 8192 1 - Live 0xffffffffc0001000\n");
	s->events[0] = (struct op_event_spec){ .name = "TIMER", .count = 1000000, .kernel = 1, .user = 1 };
	s->events[1] = second;
	s->cfg.events = s->events;
	s->cfg.nr_events = 2;
	s->cfg.set.max_files = 1000;
	opd_log_init(&s->log);
	opd_stats_init(&s->stats);
	assert_int_equal(opd_session_open(&s->session, s->dir, (gid_t)-1, &error), 0);
	*state = s;
	return s;
}

static inline void store_open_cache(struct store *s, double cpu_mhz)
{
	assert_int_equal(opd_sample_cache_create(&s->cache, &s->cfg, &s->session, &s->stats, &s->log, 4, cpu_mhz), 0);
}

/* Start storing: from now on, s->a writes samples to the cache. */
static inline void store_start(struct store *s)
{
	const struct opd_kernel_files files = { s->kallsyms, s->modules, "/nonexistent" };

	assert_int_equal(opd_kernel_create(&s->kernel, &s->cfg, &s->log, &files), 0);
	store_open_cache(s, 0);
	opd_attribution_init(&s->a, &s->cfg, s->kernel, s->cache, &s->stats, &s->log);
}

static inline void store_stop(struct store *s)
{
	opd_paths_destroy(s->paths);
	opd_sample_cache_destroy(s->cache);
	opd_images_destroy(s->images);
	opd_kernel_destroy(s->kernel);
}

static inline int store_teardown(void **state)
{
	struct store *s = *state;
	int err;

	store_stop(s);
	opd_session_release(&s->session);
	opd_stats_release(&s->stats);
	err = check_remove_dir(&s->dir);
	free(s);
	return err;
}

#endif
