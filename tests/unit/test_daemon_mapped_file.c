// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_mapped_file.c -- tests that a mapped file becomes an image when it is sampled, and
 * that identify.c handles files prepared by a hostile user.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "daemon/image/mapped_file.h"

struct fixture {
	void *dir;
	struct opd_images *images;
	struct opd_mapped_files *files;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || check_make_dir(&f->dir) || opd_images_create(&f->images) ||
	    opd_mapped_files_create(&f->files, f->images))
		return -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int err;

	opd_mapped_files_destroy(f->files);
	opd_images_destroy(f->images);
	err = check_remove_dir(&f->dir);
	free(f);
	return err;
}

static int count_image(void *arg, const struct opd_image *image)
{
	(void)image;
	(*(int *)arg)++;
	return 0;
}

static int nr_images(struct fixture *f)
{
	int n = 0;

	opd_images_for_each(f->images, count_image, &n);
	return n;
}

/* Copy a real program to the file @name. Set @path and @id as the kernel would report them. */
static struct stat make_program(struct fixture *f, const char *name, char *path, size_t size,
				struct opd_file_id *id)
{
	char command[512];
	struct stat st;

	snprintf(path, size, "%s/%s", (char *)f->dir, name);
	snprintf(command, sizeof(command), "cp /bin/sh '%s'", path);
	assert_int_equal(system(command), 0);
	assert_int_equal(stat(path, &st), 0);
	*id = (struct opd_file_id){ .dev = st.st_dev, .ino = st.st_ino, .generation = 7 };
	return st;
}

/*
 * Two paths with the same file id stay separate: the paths are hard links, or the kernel does not
 * report the id.
 */
static void paths_with_equal_ids_stay_separate(void **state)
{
	static const struct opd_file_id id = {.dev = 1, .ino = 2};
	struct fixture *f = *state;
	struct opd_mapped_file *a, *b;

	a = opd_mapped_files_get(f->files, "/some/a", &id);
	b = opd_mapped_files_get(f->files, "/some/b", &id);
	for (int i = 0; i < 3; i++) {
		assert_ptr_equal(opd_mapped_files_get(f->files, "/some/a", &id), a);
		assert_ptr_equal(opd_mapped_files_get(f->files, "/some/b", &id), b);
	}
	for (int i = 0; i < 4; i++) {
		opd_mapped_file_put(a);
		opd_mapped_file_put(b);
	}
	assert_int_equal(opd_mapped_files_bytes(f->files), 0);
	/* A freed file is not found. */
	b = opd_mapped_files_get(f->files, "/some/b", &id);
	assert_string_equal(opd_mapped_file_path(b), "/some/b");
	assert_true(opd_mapped_files_bytes(f->files) > 0);
	opd_mapped_file_put(b);
}

static void jitdump_names_are_recognised(void **state)
{
	static const struct {
		const char *path;
		bool is_dump;
	} files[] = {
		{"/tmp/jit-12.dump", true},    {"/jit-1.dump", true},
		{"/tmp/jit-.dump", false},     {"/tmp/jit-1a.dump", false},
		{"/tmp/jit-12.dump2", false},  {"/tmp/jit-12.dump/x", false},
		{"/tmp/a-jit-12.dump", false}, {"/lib/libc.so", false},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct opd_file_id id = {.dev = 1, .ino = i};
		struct opd_mapped_file *file = opd_mapped_files_get(f->files, files[i].path, &id);

		assert_int_equal(opd_mapped_file_is_dump(file), files[i].is_dump);
		opd_mapped_file_put(file);
	}
}

static void only_sampled_files_become_images(void **state)
{
	struct fixture *f = *state;
	struct opd_mapped_file *file, *again;
	const struct opd_image *image;
	struct opd_file_id id;
	char path[256];
	struct stat st = make_program(f, "prog", path, sizeof(path), &id);

	file = opd_mapped_files_get(f->files, path, &id);
	again = opd_mapped_files_get(f->files, path, &id);
	assert_ptr_equal(file, again);
	opd_mapped_file_put(again);
	assert_int_equal(nr_images(f), 0);

	image = opd_mapped_file_image(file, 0);
	assert_non_null(image);
	assert_int_equal(nr_images(f), 1);
	assert_string_equal(image->path, path);
	assert_int_equal(image->mtime, st.st_mtime);
	assert_ptr_equal(opd_mapped_file_image(file, 0), image);

	/* The image stays when the file is removed from the table. */
	opd_mapped_file_put(file);
	file = opd_mapped_files_get(f->files, path, &id);
	assert_ptr_equal(opd_mapped_file_image(file, 0), image);
	opd_mapped_file_put(file);
}

static void replaced_file_is_another_image(void **state)
{
	struct fixture *f = *state;
	const struct timespec times[2] = { { 1000, 0 }, { 1000, 0 } };
	struct opd_mapped_file *old, *new;
	struct opd_file_id id;
	char path[256];

	make_program(f, "prog", path, sizeof(path), &id);
	old = opd_mapped_files_get(f->files, path, &id);
	opd_mapped_file_image(old, 0);
	/* A new file uses the same inode number, and differs only in the generation. */
	assert_int_equal(truncate(path, 4096), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	id.generation++;
	new = opd_mapped_files_get(f->files, path, &id);
	assert_ptr_not_equal(new, old);
	assert_ptr_not_equal(opd_mapped_file_image(new, 0), opd_mapped_file_image(old, 0));
	assert_int_equal(opd_mapped_file_image(new, 0)->mtime, 1000);
	opd_mapped_file_put(old);
	opd_mapped_file_put(new);
}

static void unused_files_are_freed(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 30000; i++) {
		struct opd_file_id id = { .ino = 1 + i };
		struct opd_mapped_file *file = opd_mapped_files_get(f->files, "/gone", &id);

		assert_non_null(file);
		if (i % 2)
			assert_non_null(opd_mapped_file_image(file, 0));
		opd_mapped_file_put(file);
	}
	assert_int_equal(nr_images(f), 15000);
}

static void file_is_identified_by_path_and_inode(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = { .mtime = 99 };
	struct opd_file_id id;
	char path[256], other[300];
	struct stat st = make_program(f, "prog", path, sizeof(path), &id);

	assert_int_equal(opd_identify(&identity, path, id.dev, id.ino + 1, 0), -ENOENT);
	assert_int_equal(opd_identify(&identity, path, id.dev + 1, id.ino, 0), -ENOENT);
	assert_int_equal(opd_identify(&identity, path, id.dev, 0, 0), -ENOENT);
	assert_int_equal(opd_identify(&identity, "prog", id.dev, id.ino, 0), -ENOENT);
	assert_int_equal(opd_identify(&identity, "//anon", id.dev, id.ino, 0), -ENOENT);
	snprintf(other, sizeof(other), "%s (deleted)", path);
	assert_int_equal(opd_identify(&identity, other, id.dev, id.ino, 0), -ENOENT);
	assert_int_equal(identity.mtime, 99);	/* the failed look-up has not changed the result */

	assert_int_equal(opd_identify(&identity, path, id.dev, id.ino, 0), 0);
	assert_int_equal(identity.mtime, st.st_mtime);
	/* A file in the root directory of the process (here, of this test) is found whatever its
	 * device number is. */
	assert_int_equal(opd_identify(&identity, path, id.dev + 1, id.ino, getpid()), 0);
}

static void links_are_not_followed(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity;
	struct opd_file_id id;
	char path[256], trap[300];
	struct stat st;

	make_program(f, "prog", path, sizeof(path), &id);
	/* A path is refused if its last component, or an earlier one, is a symbolic link. */
	snprintf(trap, sizeof(trap), "%s/link", (char *)f->dir);
	assert_int_equal(symlink(path, trap), 0);
	assert_int_equal(opd_identify(&identity, trap, id.dev, id.ino, 0), -ENOENT);
	snprintf(trap, sizeof(trap), "%s/way", (char *)f->dir);
	assert_int_equal(symlink(".", trap), 0);
	snprintf(trap, sizeof(trap), "%s/way/prog", (char *)f->dir);
	assert_int_equal(opd_identify(&identity, trap, id.dev, id.ino, 0), -ENOENT);
	/* A pipe without a writer is refused without a wait. */
	snprintf(trap, sizeof(trap), "%s/pipe", (char *)f->dir);
	assert_int_equal(mkfifo(trap, 0600), 0);
	assert_int_equal(stat(trap, &st), 0);
	assert_int_equal(opd_identify(&identity, trap, st.st_dev, st.st_ino, 0), -ENOENT);
	/* A device file is refused. */
	assert_int_equal(stat("/dev/zero", &st), 0);
	assert_int_equal(opd_identify(&identity, "/dev/zero", st.st_dev, st.st_ino, 0), -ENOENT);
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* The daemon counts a file that no longer exists as missed. It does not count a deleted file or a
 * memfd, because an earlier attempt could not have opened these either. */
static void missed_files_are_counted(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *path;
		size_t missed;
	} files[] = {
		{ "/no/such/program", 1 }, { "/no/such/program (deleted)", 1 },
		{ "/memfd:x (deleted)", 1 }, { "/no/such/library", 2 },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct opd_file_id id = { .dev = 1, .ino = 100 + i };
		struct opd_mapped_file *file = opd_mapped_files_get(f->files, files[i].path, &id);

		assert_non_null(opd_mapped_file_image(file, 0));
		opd_mapped_file_put(file);
		assert_int_equal(opd_mapped_files_apart(f->files).missed, files[i].missed);
	}
	assert_int_equal(opd_mapped_files_apart(f->files).opened, 0);
}

/* Whether the process is apart does not depend on its file systems. */
static void processes_apart_are_recognised(void **state)
{
	int pipe_fds[2];
	char byte = 0;
	pid_t pid;

	(void)state;
	assert_false(opd_is_apart(getpid()));
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (!pid) {
		byte = unshare(CLONE_NEWNS) == 0;
		if (write(pipe_fds[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
	assert_int_equal(opd_is_apart(pid), byte);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_false(opd_is_apart(pid));
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(only_sampled_files_become_images),
		test(paths_with_equal_ids_stay_separate),
		test(jitdump_names_are_recognised),
		test(replaced_file_is_another_image),
		test(unused_files_are_freed),
		test(file_is_identified_by_path_and_inode),
		test(links_are_not_followed),
		test(missed_files_are_counted),
		test(processes_apart_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
