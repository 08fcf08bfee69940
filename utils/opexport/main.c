// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c -- main of opexport: exports closed intervals to ClickHouse or to a collector. */
#include "config.h"

#include <errno.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <sys/prctl.h>

#include "fleet/http.h"
#include "libop/base/process.h"
#include "pp/tool/console.h"
#include "utils/opexport/options.h"
#include "utils/opexport/run.h"
#include "utils/opexport/setup.h"

#define EXIT_OPTIONS	2	/* the unit oprofile-export.service knows this status, too */

/* blocks of at least this many bytes are allocated by mmap() */
#define MMAP_THRESHOLD	(128 << 10)

/* Return the memory of tables of symbols and rows to the system when they are freed. By default,
 * glibc keeps blocks of up to 32 MB in the heap. */
static void limit_heap(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
	mallopt(M_TRIM_THRESHOLD, MMAP_THRESHOLD);
#endif
}

static int run(struct export_options *o, struct pp_log *log)
{
	struct export_setup setup = {
		.database = o->target.database, .days = o->keep_days, .dry_run = o->dry_run,
		.out = stdout, .log = log,
	};
	int err = fleet_target_read_password(&o->target, o->password_file, &log->error);

	if (err)
		return err;
	/* Keep the password out of core files, and from other processes of this user. */
	if (o->target.password)
		prctl(PR_SET_DUMPABLE, 0);
	if (o->target.password && o->target.is_plain)
		pp_warn(log, "%s: the password and the samples are not encrypted on the network: use "
			"https", o->target.url);
	if (!o->setup_db)
		return o->service ? export_run_service(o, log) : export_run_once(o, log);
	err = fleet_http_create(&setup.http, &o->target, &o->http, &log->error);
	if (!err)
		err = export_setup(&setup);
	fleet_http_destroy(setup.http);
	return err;
}

int main(int argc, char **argv)
{
	struct export_options options = { .to = NULL };
	struct pp_console console;
	int err;

	op_process_prepare(NULL, OP_PROCESS_WORKS);
	limit_heap();
	setlocale(LC_CTYPE, "");
	pp_console_init(&console, "opexport", stderr);
	err = export_options_parse(&options, argc, argv, stdout, &console.log.error);
	if (err == -EINVAL) {
		pp_console_end(&console, err);
		return EXIT_OPTIONS;
	}
	if (!err)
		err = run(&options, &console.log);
	export_options_release(&options);
	return pp_console_end(&console, err < 0 ? err : 0);
}
