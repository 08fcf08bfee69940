// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_config_file.c -- tests the file of --config: its settings replace those of the
 * command line, and invalid lines are reported and ignored.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "daemon/config_file.h"
#include "daemon/options.h"

static char *in_dir(void **state, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", (char *)*state, name) > 0);
	return path;
}

/* Parse the service's options with a configuration file that contains the @len bytes @text. */
static void parse(void **state, struct opd_config *cfg, const char *text, size_t len)
{
	char *path = in_dir(state, "oprofile.conf"), *config;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	assert_true(asprintf(&config, "--config=%s", path) > 0);
	{
		char *argv[] = { (char *)"oprofiled", (char *)"--interval=10m", (char *)"--keep=2y",
				 (char *)"--callgraph=128", (char *)"--session-dir=/var/lib/oprofile",
				 config, NULL };

		assert_int_equal(opd_config_parse(cfg, 6, argv, stdout, stderr), OPD_PARSE_RUN);
	}
	free(config);
	free(path);
}

static void parse_text(void **state, struct opd_config *cfg, const char *text)
{
	parse(state, cfg, text, strlen(text));
}

/* A line with an invalid KEEP does not make the daemon delete intervals. */
static void test_invalid_keep_deletes_nothing(void **state)
{
	struct opd_config cfg;

	parse_text(state, &cfg, "KEEP=5yy\n");
	assert_non_null(strstr(cfg.complaints, "line 1 keeps its default: --keep"));
	assert_non_null(strstr(cfg.complaints, "until line 1 is corrected, the daemon deletes intervals only because of MAX_DISK"));
	assert_int_equal(cfg.intervals.keep, 20ll * 365 * 24 * 3600);
	opd_config_release(&cfg);
}

static void test_settings_are_read(void **state)
{
	struct opd_config cfg;

	parse_text(state, &cfg, "# comment\n\nINTERVAL=5m\nKEEP=\"1w\"\nCALLGRAPH=0\nSEPARATE_CPU=1\n"
				"NR_CHOSEN=1\nCHOSEN_EVENTS_0=TIMER:4000000\nMODULE=/x/oprofile.ko\n"
				"XENIMAGE=none\nVMLINUX=none\nIMAGE_FILTER=\n");
	assert_null(cfg.complaints);
	assert_int_equal(cfg.intervals.interval, 300);
	assert_int_equal(cfg.intervals.keep, 7 * 24 * 3600);
	assert_int_equal(cfg.paths.depth, 0);
	assert_int_equal(cfg.set.separate, OP_SEPARATE_CPU);
	assert_int_equal(cfg.nr_events, 1);
	assert_int_equal(cfg.events[0].count, 4000000);
	assert_true(cfg.set.no_vmlinux);
	opd_config_release(&cfg);
}

static void test_missing_file_keeps_command_line(void **state)
{
	char *path = in_dir(state, "none"), *config;
	struct opd_config cfg;

	assert_true(asprintf(&config, "--config=%s", path) > 0);
	{
		char *argv[] = { (char *)"oprofiled", config, (char *)"--callgraph=7", NULL };

		assert_int_equal(opd_config_parse(&cfg, 3, argv, stdout, stderr), OPD_PARSE_RUN);
	}
	assert_null(cfg.complaints);
	assert_int_equal(cfg.paths.depth, 7);
	opd_config_release(&cfg);
	free(config);
	free(path);
}

/*
 * For each invalid line, the setting keeps its default, and the message contains the given words.
 */
static void test_invalid_lines_keep_defaults(void **state)
{
	static const struct {
		const char *line, *words;
	} bad[] = {
		{ "INTERVAL=often\n", "line 2 keeps its default: --interval: \"often\"" },
		{ "CALLGRAPH=99999\n", "line 2 keeps its default: --callgraph: 99999 is too large" },
		{ "CALLGRAPH=-1\n", "line 2 keeps its default: --callgraph" },
		{ "SEPARATE_LIB=x\n", "line 2 keeps its default: SEPARATE_LIB: \"x\"" },
		{ "SOURCE=fast\n", "line 2 keeps its default: --source: unknown value \"fast\": use one of" },
		{ "COLOUR=red\n", "line 2 is ignored: unknown setting COLOUR" },
		{ "INTERVAL\n", "line 2 is ignored: \"INTERVAL\" is not NAME=value" },
		{ "INTERVAL=\"5", "line 2 is ignored: \"INTERVAL=\"5\" is not NAME=value" },
		{ "GROUP=no-such-group\n", "unknown group \"no-such-group\"" },
		{ "VMLINUX=/no/such/file\n", "line 2 keeps its default: --vmlinux" },
		{ "SESSION_DIR=relative\n", "line 2 is ignored: the daemon already uses the session directory /var/lib" },
		{ "SESSION_DIR=/elsewhere\n", "line 2 is ignored: the daemon already uses the session directory /var/lib" },
		{ "CHOSEN_EVENTS_0=TIMER:1\n", "line 2 keeps its default: event" },
		{ "KEEP=1m\n", "KEEP keeps its default: --keep=1 min is shorter than" },
		{ "MAX_MEMORY=1K\n", "MAX_MEMORY keeps its default: --max-memory must be" },
		{ "CHOSEN_EVENTS_0=TIMER:2000000\nCHOSEN_EVENTS_1=TIMER:2000000\n",
		  "the events are replaced by the default event: event TIMER:2000000:0 is given twice" },
		{ "X=\x1b[2J\n", "unknown setting X" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct opd_config cfg;
		char text[200];

		snprintf(text, sizeof(text), "JITTER=3\n%s", bad[i].line);
		parse_text(state, &cfg, text);
		assert_non_null(cfg.complaints);
		if (!strstr(cfg.complaints, bad[i].words))
			fail_msg("%s: %s", bad[i].line, cfg.complaints);
		assert_null(strchr(cfg.complaints, '\x1b'));
		assert_int_equal(cfg.intervals.interval, 600);
		assert_int_equal(cfg.paths.depth, 128);
		assert_int_equal(cfg.nr_events, 1);
		assert_int_equal(cfg.events[0].count, 1000000);
		assert_string_equal(cfg.set.session_dir, "/var/lib/oprofile");
		/* Valid lines of a file with invalid lines take effect. */
		assert_int_equal(cfg.set.jitter, 3);
		opd_config_release(&cfg);
	}
}

/*
 * Settings are accepted if they are valid in any order, even if not in the order of the file. If a
 * setting conflicts with all other settings, only this setting is refused.
 */
static void test_settings_are_applied_in_valid_order(void **state)
{
	struct opd_config cfg;

	parse_text(state, &cfg, "INTERVAL=3y\nMAX_MEMORY=1K\nKEEP=10y\n");
	assert_int_equal(cfg.intervals.interval, 3ll * 365 * 24 * 3600);
	assert_non_null(strstr(cfg.complaints, "MAX_MEMORY keeps its default"));
	assert_null(strstr(cfg.complaints, "INTERVAL"));
	opd_config_release(&cfg);
}

/* A binary file, and paths that are not regular files, are refused. */
static void test_binary_files_are_refused(void **state)
{
	static const char zeros[5000];
	char *path = in_dir(state, "oprofile.conf"), *config;
	char *argv[] = { (char *)"oprofiled", NULL, NULL };
	struct opd_config cfg;

	parse(state, &cfg, zeros, sizeof(zeros));
	assert_int_equal(cfg.paths.depth, 128);
	opd_config_release(&cfg);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(asprintf(&config, "--config=%s", path) > 0);
	argv[1] = config;
	assert_int_equal(opd_config_parse(&cfg, 2, argv, stdout, stderr), OPD_PARSE_RUN);
	assert_non_null(strstr(cfg.complaints, "cannot read the file: "));
	opd_config_release(&cfg);
	free(config);
	free(path);
}

/* Events that this CPU does not support are reported and ignored. */
static void test_unsupported_events_are_ignored(void **state)
{
	const struct op_reason error = { "no event FOO" };
	struct opd_config cfg;

	parse_text(state, &cfg, "CHOSEN_EVENTS_0=FOO:100000\n");
	assert_string_equal(cfg.events[0].name, "FOO");
	assert_int_equal(opd_config_file_drop_events(&cfg, &error), 0);
	assert_int_equal(cfg.nr_events, 1);
	assert_string_equal(cfg.events[0].name, "TIMER");
	assert_non_null(strstr(cfg.complaints, "the events are replaced by the default event: no event FOO"));
	assert_int_equal(opd_config_file_drop_events(&cfg, &error), -EINVAL);
	opd_config_release(&cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_settings_are_read),
		test_in_dir(test_missing_file_keeps_command_line),
		test_in_dir(test_invalid_lines_keep_defaults),
		test_in_dir(test_settings_are_applied_in_valid_order),
		test_in_dir(test_binary_files_are_refused),
		test_in_dir(test_unsupported_events_are_ignored),
		test_in_dir(test_invalid_keep_deletes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
