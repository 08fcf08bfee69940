// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_spec.c -- tests profile specifications: parsing, refused words, and the selection of
 * sample files.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "libop/session/mangle.h"
#include "pp/session/spec.h"
#include "tests/unit/pp_log.h"

#define PARSE(spec, check, ...)                                                                    \
	({                                                                                         \
		const char *const words[] = {__VA_ARGS__};                                         \
		pp_spec_parse(spec, words, sizeof(words) / sizeof(words[0]), &(check)->log);       \
	})

static struct op_sample_name example_name(void)
{
	return (struct op_sample_name){
		.app = { .kind = OP_IMAGE_ROOT, .path = (char *)"/usr/bin/cc" },
		.image = { .kind = OP_IMAGE_ROOT, .path = (char *)"/usr/lib/libc.so.6" },
		.event = (char *)"TIMER",
		.count = 1000000,
		.tgid = 42,
		.tid = 43,
		.cpu = OP_ALL,
	};
}

static int is_selected(const char *word)
{
	struct check_log log = check_log();
	struct op_sample_name name = example_name();
	struct pp_spec spec;
	int match;

	assert_int_equal(PARSE(&spec, &log, word), 0);
	match = pp_spec_matches(&spec, &name, "{root}/usr/bin/cc/x");
	pp_spec_release(&spec);
	return match;
}

static void each_tag_selects_matching_files(void **state)
{
	static const char *const yes[] = {
		"/usr/bin/cc",
		"cc",
		"libc.so.6",
		"*libc*",
		"/usr/*/cc",
		"binary:cc",
		"image:cc",
		"image:/usr/bin/*",
		"lib-image:libc.so.6",
		"image-exclude:ld",
		"lib-image-exclude:cc",
		"event:TIMER",
		"event:T*",
		"event:OTHER,TIMER",
		"count:1000000",
		"unitmask:0",
		"unit-mask:0x0",
		"tgid:42",
		"tid:1,43",
		"sample-file:*cc*",
		"session:other",
		"session-exclude:other",
	};
	static const char *const no[] = {
		"ld",
		"/usr/bin/c",
		"image:libc.so.6",
		"lib-image:cc",
		"image-exclude:cc",
		"lib-image-exclude:libc*",
		"event:OTHER",
		"count:1",
		"unitmask:1",
		"tgid:43",
		"tid:42",
		"cpu:0",
		"sample-file:none",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!is_selected(yes[i]))
			fail_msg("%s should pass", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (is_selected(no[i]))
			fail_msg("%s should not pass", no[i]);
}

static void repeated_tags_select_any(void **state)
{
	struct check_log log = check_log();
	struct op_sample_name name = example_name();
	struct pp_spec spec;

	(void)state;
	assert_int_equal(PARSE(&spec, &log, "image:cc", "image:ld"), 0);
	assert_true(pp_spec_matches(&spec, &name, ""));
	pp_spec_release(&spec);
	assert_int_equal(PARSE(&spec, &log, "image:ld", "image:cc"), 0);
	assert_true(pp_spec_matches(&spec, &name, ""));
	pp_spec_release(&spec);
}

static void path_selects_all_its_versions(void **state)
{
	static const struct { const char *word; bool matches; } versions[] = {
		{ "image:cc", true }, { "image:/usr/bin/cc", true }, { "/usr/bin/cc", true },
		{ "image:cc (version of 2026-11-29 09:18:31 UTC)", true },
		{ "image:cc (version of 2026-11-29 09:18:32 UTC)", false },
		{ "image-exclude:cc", false }, { "image:c", false }, { "lib-image:libc.so.6", true },
	};
	struct check_log log = check_log();
	struct op_sample_name name = example_name();
	struct pp_spec spec;

	(void)state;
	name.app.path = (char *)"/usr/bin/cc (version of 2026-11-29 09:18:31 UTC)";
	name.image.path = (char *)"/usr/lib/libc.so.6 (build 0123abcd)";
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		assert_int_equal(PARSE(&spec, &log, versions[i].word), 0);
		assert_int_equal(pp_spec_matches(&spec, &name, ""), versions[i].matches);
		pp_spec_release(&spec);
	}
}

static void different_tags_must_all_match(void **state)
{
	struct check_log log = check_log();
	struct op_sample_name name = example_name();
	struct pp_spec spec;

	(void)state;
	assert_int_equal(PARSE(&spec, &log, "image:cc", "tgid:1"), 0);
	assert_false(pp_spec_matches(&spec, &name, ""));
	assert_true(pp_spec_tag_matches(&spec, PP_TAG_IMAGE, &name, ""));
	assert_false(pp_spec_tag_matches(&spec, PP_TAG_TGID, &name, ""));
	pp_spec_release(&spec);
}

static void unknown_tag_suggests_similar_tag(void **state)
{
	struct check_log log = check_log();
	struct pp_spec spec;

	(void)state;
	assert_int_equal(PARSE(&spec, &log, "imagee:cc"), -EINVAL);
	assert_failed_with(&log, "(did you mean image?)");
	assert_int_equal(PARSE(&spec, &log, "sesion:x"), -EINVAL);
	assert_failed_with(&log, "(did you mean session or version?)");
	assert_int_equal(PARSE(&spec, &log, "lib_image:x"), -EINVAL);
	assert_failed_with(&log, "(did you mean lib-image?)");
	/* A file name with a colon is not parsed as TAG:VALUE. */
	assert_int_equal(PARSE(&spec, &log, "/a/b:c", "Foo:bar"), 0);
	assert_int_equal(spec.tags[PP_TAG_BINARY].nr, 2);
	pp_spec_release(&spec);
}

static void bad_values_are_refused(void **state)
{
	static const char *const bad[] = {
		"cpu:",
		"cpu:x",
		"cpu:1,",
		"cpu:,1",
		"cpu:-1",
		"tid:0x",
		"count:99999999999999999999",
		"image:",
		"event:a,,b",
		"",
		"{",
		"}",
	};
	struct check_log log = check_log();
	struct pp_spec spec;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *const words[] = { "image:cc", bad[i] };

		*log.log.error.text = '\0';
		if (pp_spec_parse(&spec, words, 2, &log.log) != -EINVAL || !*log.log.error.text)
			fail_msg("'%s' should be refused", bad[i]);
	}
}

static void symbolic_links_are_resolved(void **state)
{
	struct check_log log = check_log();
	struct op_sample_name name = example_name();
	char target[256], path[256], real[4096];
	struct pp_spec spec;

	snprintf(target, sizeof(target), "%s/target", (char *)*state);
	snprintf(path, sizeof(path), "%s/link", (char *)*state);
	close(open(target, O_CREAT | O_WRONLY, 0644));
	assert_int_equal(symlink(target, path), 0);
	assert_non_null(realpath(target, real));
	name.app.path = real;
	assert_int_equal(PARSE(&spec, &log, path), 0);
	assert_true(pp_spec_matches(&spec, &name, ""));
	pp_spec_release(&spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_tag_selects_matching_files),
		cmocka_unit_test(repeated_tags_select_any),
		cmocka_unit_test(path_selects_all_its_versions),
		cmocka_unit_test(different_tags_must_all_match),
		cmocka_unit_test(unknown_tag_suggests_similar_tag),
		cmocka_unit_test(bad_values_are_refused),
		test_in_dir(symbolic_links_are_resolved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
