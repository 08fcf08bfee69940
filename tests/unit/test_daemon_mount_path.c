// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_mount_path.c -- tests finding a file through one of several mounts. Simulated
 * mountinfo files describe the test's directory.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "daemon/image/cookie.h"
#include "daemon/image/identify.h"

static char dir[] = "/tmp/test mount_XXXXXX";
static struct stat st;

static int setup(void **state)
{
	char path[64];
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/sub", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/sub/prog", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0755);
	assert_true(fd >= 0 && write(fd, "#!", 2) == 2 && fstat(fd, &st) == 0);
	close(fd);
	return 0;
}

static int teardown(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/sub/prog", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/sub", dir);
	rmdir(path);
	return rmdir(dir);
}

/*
 * Look up @inner on the file system 8:1. @lines: mountinfo lines as "ROOT POINT TYPE"; %s in POINT
 * is replaced by the test's directory.
 */
static int find_path(const char *lines, const char *inner, char **path)
{
	char text[1024], *escaped = strdup(dir), *blank = strchr(escaped, ' ');
	struct opd_identity identity;
	FILE *f = fmemopen(text, sizeof(text), "w+");
	int ret;

	*blank = '\0';
	for (const char *line = lines; *line; line = strchr(line, ';') + 1) {
		char root[64], point[128], type[32];

		assert_int_equal(sscanf(line, "%63s %127s %31[^;]", root, point, type), 3);
		fprintf(f, "36 35 8:1 %s %s%s%s%s rw,noatime master:1 - %s /dev/x rw\n", root,
			point[0] == '=' ? escaped : "", point[0] == '=' ? "\\040" : "",
			point[0] == '=' ? blank + 1 : "", point[0] == '=' ? point + 1 : point, type);
	}
	rewind(f);
	*path = NULL;
	ret = opd_mount_path(path, &identity, NULL, f, makedev(8, 1), inner, st.st_dev, st.st_ino);
	if (!ret)
		opd_identity_release(&identity);
	fclose(f);
	free(escaped);
	return ret;
}

static void expect(const char *lines, const char *inner, const char *below)
{
	char want[64], *path;

	assert_int_equal(find_path(lines, inner, &path), below ? 0 : -ENOENT);
	if (below) {
		snprintf(want, sizeof(want), "%s%s", dir, below);
		assert_string_equal(path, want);
		free(path);
	}
}

static void test_file_is_found_through_mounts(void **state)
{
	(void)state;
	/* In these texts, "=" stands for the test's directory. */
	expect("/ = ext4;", "/sub/prog", "/sub/prog");
	expect("/a/b = ext4;", "/a/b/sub/prog", "/sub/prog");
	expect("/a/b =/sub ext4;", "/a/b/prog", "/sub/prog");
	expect("/a/b = ext4;", "/a/bc/sub/prog", NULL);
	expect("/a/b = ext4;", "/sub/prog", NULL);
	/* Of several mounts, the first mount that leads to the file is used. The other mounts lead
	 * to another file or to no file. */
	expect("/ /proc proc;/ /nowhere ext4;/x / ext4;/ = ext4;", "/sub/prog", "/sub/prog");
	expect("/ /etc ext4;", "/passwd", NULL);
	/* File systems that could make the daemon wait are not used. */
	expect("/ = fuse.sshfs;", "/sub/prog", NULL);
	expect("/ = fuseblk;/ = autofs;", "/sub/prog", NULL);
	/* A root with ".." or an empty component would lead to another file. */
	expect("/ = ext4;", "/../sub/prog", NULL);
	expect("/ = ext4;", "", NULL);
}

static void test_invalid_mountinfo_is_ignored(void **state)
{
	static const char *const texts[] = {
		"", "\n", " - \n", "1 2 - x\n", "1 2 8:1 / - ext4\n", "1 2 8 / /tmp rw - ext4\n",
		"1 2 8:1 / /tmp rw - \n", "1 2 8:1 / /\\04 rw - ext4\n", "- - - - - - - -",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct opd_identity identity;
		FILE *f = fmemopen((void *)texts[i], strlen(texts[i]) + 1, "r");
		char *path = NULL;

		assert_int_equal(opd_mount_path(&path, &identity, NULL, f, makedev(8, 1), "/sub/prog",
						st.st_dev, st.st_ino), -ENOENT);
		assert_null(path);
		fclose(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_is_found_through_mounts),
		cmocka_unit_test(test_invalid_mountinfo_is_ignored),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
