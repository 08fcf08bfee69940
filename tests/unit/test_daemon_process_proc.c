// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_process_proc.c -- tests reading a simulated /proc with files that block their
 * reader. */
#include "config.h"
#include "tests/unit/check.h"

#include <sys/stat.h>

#include "daemon/base/log.h"
#include "daemon/image/finder.h"
#include "daemon/image/image.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/process.h"
#include "daemon/image/process_proc.h"
#include "tests/unit/children.h"

#define S	1000000000ull

static void write_file(const char *dir, int pid, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d/%s", dir, pid, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Add a process of user @uid to the simulated /proc. */
static void write_proc_entry(const char *dir, int pid, unsigned int uid)
{
	char path[256], text[32];

	snprintf(path, sizeof(path), "%s/%d", dir, pid);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(text, sizeof(text), "Uid:\t%u\n", uid);
	write_file(dir, pid, "status", text);
	write_file(dir, pid, "maps", "400000-401000 r-xp 00001000 00:01 2  /bin/a\n");
	snprintf(path, sizeof(path), "%s/%d/exe", dir, pid);
	assert_int_equal(symlink("/bin/a", path), 0);
}

/* The daemon does not wait for a process whose memory map blocks (here, a FIFO without a
 * writer). */
static void blocking_memory_map_is_skipped(void **state)
{
	struct opd_mapped_files *files;
	struct opd_processes *ps;
	struct opd_images *images;
	struct opd_finder *finder;
	struct opd_process *p;
	struct opd_log log;
	char path[256];

	opd_log_init(&log);
	assert_int_equal(opd_finder_create(&finder, *state, "/nowhere", &log), 0);
	assert_int_equal(opd_images_create(&images), 0);
	opd_images_set_finder(images, finder);
	assert_int_equal(opd_mapped_files_create(&files, images), 0);
	assert_int_equal(opd_processes_create(&ps, files, *state), 0);
	for (int pid = 100; pid <= 102; pid++)
		write_proc_entry(*state, pid, pid < 102 ? 1000 : 1001);
	snprintf(path, sizeof(path), "%s/100/maps", (char *)*state);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	for (int pid = 100; pid <= 102; pid++)
		assert_int_equal(opd_processes_scan(ps, pid, S), 0);
	p = opd_processes_find(ps, 2 * S, 100);
	assert_non_null(p);
	assert_true(p->unread);
	assert_false(p->hidden);
	/*
	 * Other processes of the same user, which may block as well, are not read for a while;
	 * processes of other users are read.
	 */
	assert_true(opd_processes_find(ps, 2 * S, 101)->unread);
	p = opd_processes_find(ps, 2 * S, 102);
	assert_false(p->unread);
	assert_non_null(p->app);
	assert_string_equal(opd_mapped_file_path(p->app), "/bin/a");
	opd_processes_destroy(ps);
	opd_mapped_files_destroy(files);
	opd_images_destroy(images);
	opd_finder_destroy(finder);
	opd_log_release(&log);
}

/* A process whose mappings could not be read, because the worker did not get enough CPU time (here:
 * the keeper process, which starts the worker, is stopped), is read again later. Its children are
 * not read at the same moment. */
static void process_is_read_again_after_slow_answer(void **state)
{
	struct opd_mapped_files *files;
	struct opd_processes *ps;
	struct opd_images *images;
	struct opd_finder *finder;
	struct opd_process *p;
	struct opd_log log;
	pid_t keeper;

	opd_log_init(&log);
	assert_int_equal(opd_finder_create(&finder, *state, "/nowhere", &log), 0);
	keeper = child_of(getpid());
	assert_int_equal(opd_images_create(&images), 0);
	opd_images_set_finder(images, finder);
	assert_int_equal(opd_mapped_files_create(&files, images), 0);
	assert_int_equal(opd_processes_create(&ps, files, *state), 0);
	write_proc_entry(*state, 100, 1000);
	assert_int_equal(kill(keeper, SIGSTOP), 0);
	assert_int_equal(opd_processes_scan(ps, 100, S), 0);
	p = opd_processes_find(ps, 2 * S, 100);
	assert_true(p->unread);
	assert_false(p->hidden);
	assert_null(opd_process_map(ps, p, 2 * S, 0x400800));
	opd_processes_fork(ps, 2 * S, 101, 100);
	assert_int_equal(kill(keeper, SIGCONT), 0);
	assert_true(opd_processes_find(ps, 2 * S + S / 2, 101)->unread);
	/* On a busy machine, the worker may be slow again. */
	for (int i = 4; i < 20 && p->unread; i++)
		p = opd_processes_find(ps, (uint64_t)i * S, 100);
	assert_false(p->unread);
	assert_non_null(opd_process_map(ps, p, 20 * S, 0x400800));
	assert_string_equal(opd_mapped_file_path(p->app), "/bin/a");
	opd_processes_destroy(ps);
	opd_mapped_files_destroy(files);
	opd_images_destroy(images);
	opd_finder_destroy(finder);
	opd_log_release(&log);
}

/* After notices were lost, a process is read again from /proc at the next look-up. The data of an
 * ended process stay unchanged. */
static void process_is_read_again_after_lost_notices(void **state)
{
	struct opd_mapped_files *files;
	struct opd_processes *ps;
	struct opd_images *images;
	struct opd_process *p;
	char path[256];

	assert_int_equal(opd_images_create(&images), 0);
	assert_int_equal(opd_mapped_files_create(&files, images), 0);
	assert_int_equal(opd_processes_create(&ps, files, *state), 0);
	for (int pid = 100; pid <= 101; pid++) {
		write_proc_entry(*state, pid, 1000);
		assert_int_equal(opd_processes_scan(ps, pid, S), 0);
	}
	write_file(*state, 100, "maps", "400000-401000 r-xp 00001000 00:01 2  /bin/a\n"
		   "700000-701000 r-xp 00000000 00:01 3  /lib/b.so\n");
	p = opd_processes_find(ps, 2 * S, 100);
	assert_null(opd_maps_find(p->maps, 0x700800));
	snprintf(path, sizeof(path), "%s/101/maps", (char *)*state);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/101/status", (char *)*state);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/101/exe", (char *)*state);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/101", (char *)*state);
	assert_int_equal(rmdir(path), 0);
	opd_processes_doubt(ps);
	p = opd_processes_find(ps, 3 * S, 100);
	assert_non_null(opd_maps_find(p->maps, 0x700800));
	p = opd_processes_find(ps, 3 * S, 101);
	assert_non_null(p);
	assert_non_null(opd_maps_find(p->maps, 0x400800));
	opd_processes_destroy(ps);
	opd_mapped_files_destroy(files);
	opd_images_destroy(images);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(blocking_memory_map_is_skipped),
		test_in_dir(process_is_read_again_after_slow_answer),
		test_in_dir(process_is_read_again_after_lost_notices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
