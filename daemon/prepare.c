// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prepare.c -- option --prepare: makes the unwind tables and symbol tables of running programs in
 * advance.
 */
#include "config.h"
#include "daemon/prepare.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/image/finder.h"
#include "daemon/image/image.h"
#include "daemon/image/running.h"
#include "daemon/store/tables.h"
#include "libop/base/cache_dir.h"
#include "libop/base/clean.h"
#include "libop/base/error.h"
#include "libop/base/id_ranges.h"
#include "libop/base/size.h"
#include "libop/session/identity.h"

/* maximum time in ms to wait for one table; the helper process stops earlier (table_queue.h) */
#define WAIT_MS	60000

enum { UNWIND, SYMBOLS, NR_KINDS };

/* One kind of tables (symbol or unwind tables), with counts of the tables made. */
struct kind_tables {
	struct opd_tables_kind kind;
	struct opd_tables *tables;
	/* opd_tables_offer() is running for an image that already has a table, so a reported table
	 * is not new */
	bool offering;
	size_t nr_old, nr_new, nr_none;
};

struct preparation {
	struct opd_log log;
	struct opd_finder *finder;
	struct opd_images *images;
	struct kind_tables kinds[NR_KINDS];
};

static void count(void *arg, const struct opd_image *image, int result)
{
	struct kind_tables *k = arg;

	(void)image;
	if (result)
		k->nr_none++;
	else if (k->offering)
		k->nr_old++;
	else
		k->nr_new++;
}

static void offer(void *arg, const struct opd_image *image, const struct opd_identity *identity)
{
	struct preparation *p = arg;

	for (struct kind_tables *k = p->kinds; k < p->kinds + NR_KINDS; k++) {
		/* If the image already has a table, opd_tables_offer() reports only this table,
		 * which is not new. Otherwise it may report new tables that were just completed. */
		k->offering = opd_tables_has(k->tables, image);
		opd_tables_offer(k->tables, image, identity);
		k->offering = false;
		opd_tables_wait_idle(k->tables, WAIT_MS);
	}
}

static int create_tables(struct preparation *p, struct kind_tables *k, const char *cache,
			 struct op_reason *error)
{
	struct opd_tables_setup setup = {
		.kind = &k->kind, .done = count, .arg = k, .finder = p->finder, .log = &p->log,
	};
	int err = op_cache_max_bytes(&setup.max_bytes, cache);

	if (err)
		return op_fail(
			error, err,
			"cannot use " OP_CACHE_SIZE_ENV
			"=%s as the size limit of the cache: set it to " OP_SIZE_RULE ", at least "
			"%u MB",
			getenv(OP_CACHE_SIZE_ENV), (unsigned int)(OP_CACHE_LEAST_BYTES >> 20));
	setup.own_max_bytes = setup.max_bytes;
	setup.dir_fd = op_cache_tables_open(cache);
	err = setup.dir_fd < 0 ? setup.dir_fd : opd_tables_create(&k->tables, &setup);
	if (err)
		return op_fail(error, err, "cannot open or make the cache directory %s: %s",
			       cache ? cache : "(no HOME)", op_strerror(err));
	return opd_tables_program(k->tables) ? 0 : op_fail(error, -ENOENT, "cannot make unwind tables and "
									   "symbol tables: see the "
									   "message above");
}

static int run(struct preparation *p, FILE *out, const char *cache, struct op_reason *error)
{
	const struct kind_tables *unwind = &p->kinds[UNWIND], *symbols = &p->kinds[SYMBOLS];
	int err = 0;

	p->kinds[UNWIND].kind = opd_stack_tables;
	p->kinds[SYMBOLS].kind = opd_symbol_tables;
	/* Make the tables without delay: no profile is being taken that reading the binaries could
	 * disturb. */
	p->kinds[SYMBOLS].kind.at_once = true;
	for (size_t i = 0; i < NR_KINDS && !err; i++)
		err = create_tables(p, &p->kinds[i], cache, error);
	if (err)
		return err;
	err = opd_running_each(p->images, "/proc", NULL, 0, UINT64_MAX, offer, p);
	if (err)
		return op_fail(error, err, "cannot read /proc: %s", op_strerror(err));
	for (size_t i = 0; i < NR_KINDS; i++)
		opd_tables_wait(p->kinds[i].tables, WAIT_MS);
	op_clean_printf(out,
			"Unwind tables of running programs: %zu new, %zu made before, %zu of files "
			"without unwind information, "
			"in %s/" OP_CACHE_TABLES_DIR ".\n",
			unwind->nr_new, unwind->nr_old, unwind->nr_none, cache);
	op_clean_printf(out,
			"Symbol tables of running programs: %zu new, %zu made before, %zu of files "
			"that cannot be read, "
			"in %s/" OP_CACHE_TABLES_DIR ".\n",
			symbols->nr_new, symbols->nr_old, symbols->nr_none, cache);
	return 0;
}

int opd_prepare(FILE *out, struct op_reason *error)
{
	struct preparation p = { 0 };
	char *cache = op_cache_dir();
	int err;

	opd_log_init(&p.log);
	p.log.to_stderr = true;
	err = opd_images_create(&p.images);
	if (!err)
		err = opd_finder_create(&p.finder, "/proc", OP_SUBUID, &p.log);
	if (!err) {
		opd_images_set_finder(p.images, p.finder);
		err = run(&p, out, cache, error);
	}
	for (size_t i = 0; i < NR_KINDS; i++)
		opd_tables_destroy(p.kinds[i].tables);
	opd_images_destroy(p.images);
	opd_finder_destroy(p.finder);
	opd_log_release(&p.log);
	free(cache);
	return err;
}
