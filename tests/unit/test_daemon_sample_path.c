// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_sample_path.c -- tests names of sample files for any path that users can choose. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "daemon/image/image.h"
#include "daemon/image/kernel.h"
#include "daemon/store/sample_path.h"

static const struct op_event_spec timer = {
	.name = "TIMER", .count = 1000000, .kernel = 1, .user = 1,
};

static void expect_clean(const char *path, const char *clean)
{
	char *got = opd_clean_path(path, 0);

	assert_string_equal(got, clean);
	free(got);
}

static void expect_name(const struct opd_file_key *key, const char *name)
{
	char *got = NULL;

	assert_int_equal(opd_sample_path(&got, key, &timer, 0), 0);
	assert_string_equal(got, name);
	free(got);
}

static void test_paths_are_cleaned(void **state)
{
	(void)state;
	expect_clean("/usr/bin/true", "/usr/bin/true");
	expect_clean("/a/{dep}/{root}/b", "/a/{dep}/{root}/b");
	expect_clean("/{0815-uuid}/b", "/{0815-uuid}/b");
	expect_clean("/../../etc/./passwd", "/etc/passwd");
	expect_clean("//a///b", "/a/b");
	expect_clean("no-slash", "/no-slash");
	expect_clean("/", "/(no name)");
	expect_clean("", "/(no name)");
	expect_clean("/a\nb (deleted)", "/a\nb (deleted)");
}

static void test_long_components_are_shortened(void **state)
{
	char path[10000], *a, *b;

	(void)state;
	/* A path consists of one component, with the longest possible suffix. */
	memset(path, 'n', 300);
	path[0] = '/';
	strcpy(path + 256, " (deleted)");
	a = opd_clean_path(path, 0);
	path[255] = 'm';
	b = opd_clean_path(path, 0);
	assert_true(strlen(a) <= NAME_MAX + 1 && strlen(b) <= NAME_MAX + 1);
	assert_string_not_equal(a, b);
	free(a);
	free(b);

	for (size_t i = 0; i < sizeof(path) - 1; i++)
		path[i] = i % 10 ? 'd' : '/';
	path[sizeof(path) - 1] = '\0';
	a = opd_clean_path(path, 0);
	path[sizeof(path) - 2] = 'e';
	b = opd_clean_path(path, 0);
	assert_true(strlen(a) <= OPD_MAX_IMAGE_PATH + 20);
	assert_string_not_equal(a, b);
	free(a);
	free(b);
	a = opd_clean_path(path, 1);
	assert_non_null(strstr(a, " (version of 1970-01-01 00:00:01 UTC)"));
	free(a);

	/* A path consists of one component, with the longest suffix. */
	memset(path, 'n', 255);
	path[0] = '/';
	path[255] = '\0';
	a = opd_clean_path(path, UINT64_MAX);
	assert_true(strlen(strrchr(a, '/') + 1) <= NAME_MAX);
	free(a);
}

static void test_sample_file_names(void **state)
{
	struct opd_image app = { .path = "/bin/app" }, lib = { .path = "/lib/l.so" };
	struct opd_kimage core = { OP_IMAGE_KERN, "vmlinux" };
	struct opd_kimage vmlinux = { OP_IMAGE_ROOT, "/boot/vmlinux" };
	struct opd_file_key key;
	char *name;

	(void)state;
	memset(&key, 0, sizeof(key));
	key.tgid = key.tid = key.cpu = OP_ALL;
	key.app = &app;
	key.image = &lib;
	expect_name(&key, "{root}/bin/app/{dep}/{root}/lib/l.so/TIMER.1000000.0.all.all.all");
	key.tgid = 7;
	key.tid = 8;
	key.cpu = 0;
	expect_name(&key, "{root}/bin/app/{dep}/{root}/lib/l.so/TIMER.1000000.0.7.8.0");
	key.tgid = key.tid = key.cpu = OP_ALL;
	key.image = NULL;
	key.kimage = &core;
	expect_name(&key, "{root}/bin/app/{dep}/{kern}/vmlinux/TIMER.1000000.0.all.all.all");
	key.app = NULL;
	expect_name(&key, "{kern}/vmlinux/{dep}/{kern}/vmlinux/TIMER.1000000.0.all.all.all");
	key.kimage = &vmlinux;
	expect_name(&key, "{root}/boot/vmlinux/{dep}/{root}/boot/vmlinux/TIMER.1000000.0.all.all.all");
	key.kimage = NULL;
	key.app = &app;
	key.anon_label = "[heap]";
	key.anon_start = 0x1000;
	key.anon_end = 0x2000;
	key.anon_tgid = 9;
	expect_name(&key, "{root}/bin/app/{dep}/{anon:[heap]}/9.0x1000.0x2000/"
		    "TIMER.1000000.0.all.all.all");

	/* If the program is its own image, both parts of the file name contain its version. If the
	 * program differs from the image, the program has no version in the name. */
	memset(&key, 0, sizeof(key));
	key.tgid = key.tid = key.cpu = OP_ALL;
	key.app = key.image = &app;
	assert_int_equal(opd_sample_path(&name, &key, &timer, 86400), 0);
	assert_string_equal(name, "{root}/bin/app (version of 1970-01-02 00:00:00 UTC)/{dep}/"
			    "{root}/bin/app (version of 1970-01-02 00:00:00 UTC)/"
			    "TIMER.1000000.0.all.all.all");
	free(name);
}

/* Each name can be parsed again, and two names of the maximum length fit into PATH_MAX. */
static void test_hostile_names_parse(void **state)
{
	/* Paths, and the paths that are parsed from their file names: braces are restored. */
	static const struct { const char *path, *parsed; } paths[] = {
		{ "/{root}/x", "/{root}/x" }, { "/x/{dep}", "/x/{dep}" }, { "/{dep}/{root}", "/{dep}/{root}" },
		{ "/a.b.c.d.e.f", NULL }, { "/{anon:anon}/1.0x0.0x1", "/{anon:anon}/1.0x0.0x1" },
		{ "/x/TIMER.1000000.0.all.all.all", NULL }, { "/\n\n", NULL }, { "/ ", NULL },
		{ "/{cg}/{root}/y", "/{cg}/{root}/y" }, { "/%7Bdep}", "/%7Bdep}" },
		{ "/%257Bdep}/%7Bdep", "/%257Bdep}/%7Bdep" },
	};
	/* Escaping makes these components longer, because they look like marks. */
	static const char *const components[] = { "/d", "/{cg}", "/%7Bcg}" };
	char deep[9000];

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) + sizeof(components) / sizeof(components[0]); i++) {
		const bool is_deep = i >= sizeof(paths) / sizeof(paths[0]);
		const char *path = is_deep ? deep : paths[i].path;
		struct opd_image image = { .path = path };
		struct opd_file_key key;
		struct op_sample_name parsed;
		char *name, *again, *clean;
		const char *want;

		for (size_t len = 0; is_deep && len < sizeof(deep) - 10; len += strlen(deep + len))
			strcpy(deep + len, components[i - sizeof(paths) / sizeof(paths[0])]);
		clean = opd_clean_path(path, 0);
		want = is_deep || !paths[i].parsed ? clean : paths[i].parsed;
		memset(&key, 0, sizeof(key));
		key.tgid = key.tid = key.cpu = OP_ALL;
		key.app = key.image = &image;
		assert_int_equal(opd_sample_path(&name, &key, &timer, 0), 0);
		assert_true(strlen(name) < PATH_MAX - 400);
		assert_int_equal(op_unmangle(&parsed, name), 0);
		assert_int_equal(parsed.image.kind, OP_IMAGE_ROOT);
		assert_string_equal(parsed.image.path, want);
		assert_string_equal(parsed.app.path, want);
		assert_int_equal(op_mangle(&again, &parsed), 0);
		assert_string_equal(again, name);
		op_sample_name_release(&parsed);
		free(again);
		free(name);
		free(clean);
	}
}

static void test_parent_directories_are_created(void **state)
{
	int dir = check_open_dir(state), fd;
	unsigned long made = 0;
	const char *base;

	fd = opd_open_parent(dir, "a/b/c/file", &base, &made);
	assert_true(fd >= 0);
	assert_string_equal(base, "file");
	assert_int_equal(made, 3);
	close(fd);
	fd = opd_open_parent(dir, "a/b/d/file", &base, &made);
	assert_true(fd >= 0);
	assert_int_equal(made, 4);
	close(fd);
	fd = opd_open_parent(dir, "file", &base, &made);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(opd_open_parent(dir, "a/../x/file", &base, &made), -EINVAL);
	assert_int_equal(opd_open_parent(dir, "/x/file", &base, &made), -EINVAL);
	assert_int_equal(opd_open_parent(dir, "a//file", &base, &made), -EINVAL);

	/* A symbolic link in the path is not followed. */
	assert_int_equal(symlinkat("/tmp", dir, "link"), 0);
	assert_true(opd_open_parent(dir, "link/file", &base, &made) < 0);
	assert_true(opd_open_parent(dir, "link/x/file", &base, &made) < 0);
	assert_int_equal(symlinkat("/nowhere", dir, "a/dangling"), 0);
	assert_true(opd_open_parent(dir, "a/dangling/file", &base, &made) < 0);
	close(dir);
}

static void test_names_of_wakers(void **state)
{
	struct opd_image app = { .path = (char *)"/bin/server" };
	struct opd_file_key key = {
		.app = &app, .image = &app, .tgid = -1, .tid = -1, .cpu = -1,
		.woken = &opd_kernel_threads,
	};
	struct opd_image woken = { .path = "/bin/./client" };
	char path[2000], *name;
	struct op_sample_name back;

	(void)state;
	expect_name(&key, "{woken}/{root}/bin/server/{dep}/{root}/bin/server/TIMER.1000000.0.all.all.all");
	key.woken = &woken;
	expect_name(&key, "{woken}/bin/client/{root}/bin/server/{dep}/{root}/bin/server/"
			  "TIMER.1000000.0.all.all.all");
	/* a long path of the woken program leaves room for the other two */
	for (size_t i = 0; i + 1 < sizeof(path); i++)
		path[i] = i % 20 ? 'n' : '/';
	path[sizeof(path) - 1] = '\0';
	woken.path = path;
	assert_int_equal(opd_sample_path(&name, &key, &timer, 0), 0);
	assert_int_equal(op_unmangle(&back, name), 0);
	assert_true(strlen(back.woken) < 450);
	op_sample_name_release(&back);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths_are_cleaned),
		cmocka_unit_test(test_long_components_are_shortened),
		cmocka_unit_test(test_sample_file_names),
		cmocka_unit_test(test_hostile_names_parse),
		cmocka_unit_test(test_names_of_wakers),
		test_in_dir(test_parent_directories_are_created),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
