// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_jit.c -- tests which files of programs with JIT code are copied to the session. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/image/finder.h"
#include "daemon/image/jit.h"
#include "libop/base/clock.h"
#include "libop/base/quota.h"

struct fixture {
	char dir[64], proc[128], tmp[128], current[128];
	int current_fd;
	uint64_t now_ms;
	int slices;
	struct opd_jit *jit;
};

static void make_dir(char path[128], const char *dir, const char *name)
{
	snprintf(path, 128, "%.64s/%.40s", dir, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char path[128];

	strcpy(f->dir, "/tmp/test_jit.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	make_dir(f->proc, f->dir, "proc");
	make_dir(f->tmp, f->dir, "tmp");
	make_dir(f->current, f->dir, "current");
	make_dir(path, f->proc, "7");
	make_dir(path, f->proc, "8");
	f->current_fd = open(f->current, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->jit = opd_jit_create(f->proc, f->tmp, "/dev/null", NULL);
	assert_non_null(f->jit);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	op_quota_set(NULL, NULL);
	opd_jit_destroy(f->jit);
	close(f->current_fd);
	snprintf(command, sizeof(command), "rm -rf %s", f->dir);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static void write_file(const struct fixture *f, const char *name, const char *text)
{
	char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", f->tmp, name);
	out = fopen(path, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* Return the contents of a copy, or NULL if the copy does not exist. */
static const char *read_copy(const struct fixture *f, const char *name)
{
	static char text[256];
	char path[200];
	size_t n;
	FILE *in;

	snprintf(path, sizeof(path), "%s/jit/%s", f->current, name);
	in = fopen(path, "re");
	if (!in)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, in);
	text[n] = '\0';
	fclose(in);
	return text;
}

/* Copy the files of all processes once, in any number of slices. */
static int copy_all(struct fixture *f, bool all)
{
	int err = 0;

	opd_jit_begin(f->jit, all);
	for (f->slices = 0; opd_jit_busy(f->jit); f->slices++) {
		int failed = opd_jit_work(f->jit, f->current_fd, f->now_ms);

		err = err ? err : failed;
		assert_true(f->slices < 1000);
	}
	return err;
}

/* Dumps of OProfile 1.x's agents, which are in a directory that any user may create, are copied. */
static void dumps_of_oprofile1_agents_are_copied(void **state)
{
	struct fixture *f = *state;
	char dir[256];

	snprintf(dir, sizeof(dir), "%s/.oprofile", f->tmp);
	assert_int_equal(mkdir(dir, 0777), 0);
	strcat(dir, "/jitdump");
	assert_int_equal(mkdir(dir, 0777), 0);
	write_file(f, ".oprofile/jitdump/7.dump", "jItO");
	opd_jit_note(f->jit, 7, NULL);
	assert_int_equal(copy_all(f, true), 0);
	assert_string_equal(read_copy(f, "7.agent"), "jItO");

	/* A symbolic link is not followed. */
	write_file(f, "8.dump", "jItO planted");
	unlinkat(AT_FDCWD, strcat(strcpy((char[300]){ 0 }, dir), "/7.dump"), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(symlink("..", dir), 0);
	opd_jit_note(f->jit, 8, NULL);
	assert_int_equal(copy_all(f, true), 0);
	assert_null(read_copy(f, "8.agent"));
}

static void changed_files_are_copied_again(void **state)
{
	struct fixture *f = *state;

	write_file(f, "perf-7.map", "1 2 seven\n");
	write_file(f, "jit-7.dump", "JiTD");
	write_file(f, "perf-8.map", "1 2 eight\n");
	assert_int_equal(copy_all(f, true), 0);
	assert_int_equal(faccessat(f->current_fd, "jit", F_OK, 0), -1);
	opd_jit_note(f->jit, 7, NULL);
	opd_jit_note(f->jit, 7, NULL);
	/* This process ended before it was noted, so its user is unknown. */
	opd_jit_note(f->jit, 9, NULL);
	write_file(f, "perf-9.map", "1 2 nine\n");
	assert_int_equal(copy_all(f, true), 0);
	assert_string_equal(read_copy(f, "7.map"), "1 2 seven\n");
	assert_string_equal(read_copy(f, "7.dump"), "JiTD");
	assert_null(read_copy(f, "8.map"));
	assert_null(read_copy(f, "9.map"));

	write_file(f, "perf-7.map", "1 2 seven\n3 4 more\n");
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "7.map"), "1 2 seven\n3 4 more\n");

	/* After a process has ended, its files are still copied as files of its user. */
	assert_int_equal(unlinkat(AT_FDCWD, strcat(strcpy((char[256]){ 0 }, f->proc), "/7"),
				  AT_REMOVEDIR), 0);
	write_file(f, "perf-7.map", "1 2 last\n");
	assert_int_equal(copy_all(f, true), 0);
	assert_string_equal(read_copy(f, "7.map"), "1 2 last\n");

	/* In a new session, files of a process are copied only after the process is sampled
	 * again. */
	opd_jit_restart(f->jit);
	write_file(f, "perf-7.map", "1 2 later\n");
	assert_int_equal(copy_all(f, true), 0);
	assert_string_equal(read_copy(f, "7.map"), "1 2 last\n");
}

/* A user with many processes does not displace other users' processes from the table. */
static void table_reserves_entries_for_other_users(void **state)
{
	struct fixture *f = *state;
	char path[200];

	if (geteuid())
		skip();
	for (int tgid = 1000; tgid < 5200; tgid++) {
		snprintf(path, sizeof(path), "%s/%d", f->proc, tgid);
		assert_int_equal(mkdir(path, 0755), 0);
		assert_int_equal(chown(path, 1000, 1000), 0);
		opd_jit_note(f->jit, tgid, NULL);
	}
	snprintf(path, sizeof(path), "%s/8", f->proc);
	assert_int_equal(chown(path, 1001, 1001), 0);
	write_file(f, "perf-8.map", "1 2 eight\n");
	opd_jit_note(f->jit, 8, NULL);
	assert_int_equal(copy_all(f, true), 0);
	assert_string_equal(read_copy(f, "8.map"), "1 2 eight\n");
}

static void only_regular_files_of_the_owner_are_copied(void **state)
{
	struct fixture *f = *state;
	char path[200], other[200];

	opd_jit_note(f->jit, 7, NULL);
	opd_jit_note(f->jit, 8, NULL);
	write_file(f, "secret", "1 2 secret\n");
	snprintf(other, sizeof(other), "%s/secret", f->tmp);
	snprintf(path, sizeof(path), "%s/perf-7.map", f->tmp);
	assert_int_equal(symlink(other, path), 0);
	snprintf(path, sizeof(path), "%s/jit-7.dump", f->tmp);
	assert_int_equal(link(other, path), 0);
	snprintf(path, sizeof(path), "%s/perf-8.map", f->tmp);
	assert_int_equal(mkfifo(path, 0644), 0);
	snprintf(path, sizeof(path), "%s/jit-8.dump", f->tmp);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(copy_all(f, true), 0);
	assert_int_equal(faccessat(f->current_fd, "jit", F_OK, 0), -1);

	/* A file that belongs to another user than the process is not copied. */
	if (geteuid() != 0)
		return;
	snprintf(path, sizeof(path), "%s/perf-8.map", f->tmp);
	assert_int_equal(unlink(path), 0);
	write_file(f, "perf-8.map", "1 2 planted\n");
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(copy_all(f, true), 0);
	assert_null(read_copy(f, "8.map"));
	/* The file is copied as soon as the process and the file belong to the same user. */
	snprintf(other, sizeof(other), "%s/8", f->proc);
	assert_int_equal(chown(other, 12345, 12345), 0);
	assert_int_equal(copy_all(f, true), 0);
	assert_string_equal(read_copy(f, "8.map"), "1 2 planted\n");
}

static void copies_keep_file_modes(void **state)
{
	struct fixture *f = *state;
	char path[200];
	struct stat st;

	opd_jit_note(f->jit, 7, NULL);
	write_file(f, "perf-7.map", "1 2 seven\n");
	snprintf(path, sizeof(path), "%s/perf-7.map", f->tmp);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(copy_all(f, true), 0);
	assert_int_equal(fstatat(f->current_fd, "jit/7.map", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* A symbolic link in place of the directory of copies is not followed. */
static void links_in_the_session_are_not_followed(void **state)
{
	struct fixture *f = *state;
	char elsewhere[128], path[200];

	make_dir(elsewhere, f->dir, "elsewhere");
	assert_int_equal(symlinkat(elsewhere, f->current_fd, "jit"), 0);
	opd_jit_note(f->jit, 7, NULL);
	write_file(f, "perf-7.map", "1 2 seven\n");
	assert_true(copy_all(f, true) < 0);
	snprintf(path, sizeof(path), "%s/7.map", elsewhere);
	assert_int_equal(access(path, F_OK), -1);
}

static void large_files_wait_for_a_dump(void **state)
{
	struct fixture *f = *state;
	char path[200];
	struct stat st;

	opd_jit_note(f->jit, 7, NULL);
	opd_jit_note(f->jit, 8, NULL);
	write_file(f, "perf-7.map", "1 2 seven\n");
	write_file(f, "perf-8.map", "1 2 eight\n");
	snprintf(path, sizeof(path), "%s/perf-7.map", f->tmp);
	assert_int_equal(truncate(path, 5 << 20), 0);
	snprintf(path, sizeof(path), "%s/perf-8.map", f->tmp);
	assert_int_equal(truncate(path, 65 << 20), 0);
	assert_int_equal(copy_all(f, false), 0);
	assert_int_equal(faccessat(f->current_fd, "jit", F_OK, 0), -1);
	assert_int_equal(copy_all(f, true), 0);
	assert_int_equal(fstatat(f->current_fd, "jit/7.map", &st, 0), 0);
	assert_int_equal(st.st_size, 5 << 20);
	assert_null(read_copy(f, "8.map"));
}

static void grow(const struct fixture *f, const char *name, off_t size)
{
	char path[200];

	write_file(f, name, "1 2 text\n");
	snprintf(path, sizeof(path), "%s/%s", f->tmp, name);
	assert_int_equal(truncate(path, size), 0);
}

static off_t copy_size(const struct fixture *f, const char *name)
{
	char path[200];
	struct stat st;

	snprintf(path, sizeof(path), "jit/%s", name);
	return fstatat(f->current_fd, path, &st, 0) ? 0 : st.st_size;
}

/* A user who keeps writing large files gets only one share of the daemon's time and of disk
 * space. */
static void copies_of_a_user_have_a_budget(void **state)
{
	struct fixture *f = *state;
	char path[200];

	if (geteuid() != 0)
		skip();
	opd_jit_note(f->jit, 7, NULL);
	snprintf(path, sizeof(path), "%s/8", f->proc);
	assert_int_equal(chown(path, 12345, 12345), 0);
	opd_jit_note(f->jit, 8, NULL);
	grow(f, "perf-7.map", 60 << 20);
	grow(f, "jit-7.dump", 60 << 20);
	assert_int_equal(copy_all(f, true), 0);
	assert_int_equal(copy_size(f, "7.map"), 60 << 20);
	assert_int_equal(copy_size(f, "7.dump"), 0);
	assert_int_equal(opd_jit_left_out(f->jit), 1);
	/* The daemon copies in slices of less than a megabyte, so that it can read its sources
	 * between the slices. */
	assert_true(f->slices >= 60);
	for (int i = 0; i < 10; i++) {
		f->now_ms += 1000;
		grow(f, "perf-7.map", (50 << 20) + i);
		assert_int_equal(copy_all(f, true), 0);
		assert_int_equal(copy_size(f, "7.map"), 60 << 20);
	}
	/* Files of another user are copied in between, and the first user's share grows again with
	 * time. */
	write_file(f, "perf-8.map", "1 2 eight\n");
	snprintf(path, sizeof(path), "%s/perf-8.map", f->tmp);
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(copy_all(f, true), 0);
	assert_string_equal(read_copy(f, "8.map"), "1 2 eight\n");
	f->now_ms += 60000;
	assert_int_equal(copy_all(f, true), 0);
	assert_int_equal(copy_size(f, "7.map"), (50 << 20) + 9);
	/* The copies of one user use at most 128 MiB of a session, however long the session
	 * lasts. */
	f->now_ms += 600000;
	assert_int_equal(copy_all(f, true), 0);
	assert_int_equal(copy_size(f, "7.dump"), 60 << 20);
	assert_int_equal(opd_jit_left_out(f->jit), 2);
}

static void user_gets_half_of_session_limit(void **state)
{
	struct fixture *f = *state;

	opd_jit_limit(f->jit, 8 << 20);
	opd_jit_note(f->jit, 7, NULL);
	grow(f, "perf-7.map", 5 << 20);
	grow(f, "jit-7.dump", 3 << 20);
	assert_int_equal(copy_all(f, true), 0);
	assert_int_equal(copy_size(f, "7.map"), 0);
	assert_int_equal(copy_size(f, "7.dump"), 3 << 20);
}

static void unfinished_copy_is_discarded_by_new_session(void **state)
{
	struct fixture *f = *state;

	opd_jit_note(f->jit, 7, NULL);
	/* a round of copies begins when a new process is noted */
	assert_int_equal(copy_all(f, false), 0);
	grow(f, "perf-7.map", 10 << 20);
	opd_jit_begin(f->jit, true);
	assert_int_equal(opd_jit_work(f->jit, f->current_fd, 0), 0);
	assert_int_equal(opd_jit_work(f->jit, f->current_fd, 0), 0);
	assert_true(opd_jit_busy(f->jit));
	assert_true(copy_size(f, "7.map.tmp") > 0);
	opd_jit_restart(f->jit);
	assert_false(opd_jit_busy(f->jit));
	assert_int_equal(copy_size(f, "7.map.tmp"), 0);
	assert_int_equal(copy_size(f, "7.map"), 0);
}

/* Simulate that process @pid has mapped the file @name. */
static void write_maps(const struct fixture *f, int pid, const char *name, const char *rights)
{
	char path[200], file[200];
	struct stat st;
	FILE *out;

	snprintf(file, sizeof(file), "%s/%s", f->dir, name);
	assert_int_equal(stat(file, &st), 0);
	snprintf(path, sizeof(path), "%s/%d/maps", f->proc, pid);
	out = fopen(path, "we");
	assert_non_null(out);
	fprintf(out, "10000-20000 rw-p 00000000 00:00 0 \n20000-21000 %s 00000000 %02x:%02x %llu    %s\n", rights,
		major(st.st_dev), minor(st.st_dev), (unsigned long long)st.st_ino, file);
	fclose(out);
}

/* The program writes its dump to its working directory, as node does, instead of /tmp. */
static void dump_in_working_directory_is_copied(void **state)
{
	struct fixture *f = *state;
	struct opd_finder *finder;
	struct opd_log log;
	char path[200], other[200];
	FILE *status;

	opd_log_init(&log);
	assert_int_equal(opd_finder_create(&finder, f->proc, "/dev/null", &log), 0);
	snprintf(path, sizeof(path), "%s/7/status", f->proc);
	status = fopen(path, "we");
	assert_non_null(status);
	fputs("Uid:\t1000\n", status);
	assert_int_equal(fclose(status), 0);
	for (int with_finder = 0; with_finder < 2; with_finder++) {
		opd_jit_destroy(f->jit);
		f->jit = opd_jit_create(f->proc, f->tmp, "/dev/null", with_finder ? finder : NULL);
		write_file(f, "../jit-7.dump", "JiTD elsewhere");
		write_maps(f, 7, "jit-7.dump", "r-xp");
		opd_jit_note(f->jit, 7, NULL);
		/* The dump is still found after the process has ended. */
		snprintf(path, sizeof(path), "%s/7/maps", f->proc);
		assert_int_equal(unlink(path), 0);
		/*
		 * An old dump in /tmp, of an earlier process with the same pid, is not used
		 * instead.
		 */
		write_file(f, "jit-7.dump", "JiTD old");
		assert_int_equal(copy_all(f, false), 0);
		assert_string_equal(read_copy(f, "7.dump"), "JiTD elsewhere");
		/* The dump has grown by more than a slice. */
		grow(f, "../jit-7.dump", 3 << 20);
		assert_int_equal(copy_all(f, false), 0);
		assert_int_equal(copy_size(f, "7.dump"), 3 << 20);
		/* The name now refers to another file, and then to a file with two hard links:
		 * neither is copied. */
		snprintf(path, sizeof(path), "%s/jit-7.dump", f->dir);
		snprintf(other, sizeof(other), "%s/other", f->dir);
		assert_int_equal(rename(path, other), 0);
		write_file(f, "../jit-7.dump", "JiTD another");
		assert_int_equal(copy_all(f, false), 0);
		assert_string_equal(read_copy(f, "7.dump"), "JiTD old");
		assert_int_equal(unlink(path), 0);
		assert_int_equal(link(other, path), 0);
		write_file(f, "jit-7.dump", "JiTD of tmp");
		assert_int_equal(copy_all(f, false), 0);
		assert_string_equal(read_copy(f, "7.dump"), "JiTD of tmp");
		assert_int_equal(unlink(path), 0);
		assert_int_equal(unlink(other), 0);
	}
	opd_jit_destroy(f->jit);
	f->jit = NULL;
	opd_finder_destroy(finder);
	opd_log_release(&log);
}

/* A file that is not mapped executable, or whose name has another process id, is not a dump. */
static void only_executable_mapping_with_own_pid_is_a_dump(void **state)
{
	struct fixture *f = *state;
	char path[200];

	write_file(f, "../jit-7.dump", "JiTD elsewhere");
	write_maps(f, 7, "jit-7.dump", "r--p");
	write_maps(f, 8, "jit-7.dump", "r-xp");
	opd_jit_note(f->jit, 7, NULL);
	opd_jit_note(f->jit, 8, NULL);
	assert_int_equal(copy_all(f, true), 0);
	assert_null(read_copy(f, "7.dump"));
	assert_null(read_copy(f, "8.dump"));
	/* A dump that is mapped later is found only in a round that copies all files. */
	write_maps(f, 7, "jit-7.dump", "r-xp");
	assert_int_equal(copy_all(f, false), 0);
	assert_null(read_copy(f, "7.dump"));
	assert_int_equal(copy_all(f, true), 0);
	assert_string_equal(read_copy(f, "7.dump"), "JiTD elsewhere");
	/* A dump is not copied if it belongs to another user than the process, unless it belongs to
	 * root. */
	if (geteuid() != 0)
		return;
	write_file(f, "../jit-8.dump", "JiTD planted");
	write_maps(f, 8, "jit-8.dump", "r-xp");
	snprintf(path, sizeof(path), "%s/jit-8.dump", f->dir);
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(copy_all(f, true), 0);
	assert_null(read_copy(f, "8.dump"));
}

static void write_stat(const struct fixture *f, int tgid, int parent, unsigned long stack)
{
	char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%d", f->proc, tgid);
	mkdir(path, 0755);
	strcat(path, "/stat");
	out = fopen(path, "we");
	assert_non_null(out);
	fprintf(out, "%d (a) b) S %d", tgid, parent);
	for (int field = 5; field < 28; field++)
		fprintf(out, " %d", field);
	fprintf(out, " %lu 29\n", stack);
	fclose(out);
}

static void child_gets_maps_of_its_ancestors(void **state)
{
	struct fixture *f = *state;

	/* Process 20 forks process 21, which forks process 7; then 20 and 21 end. */
	write_file(f, "perf-20.map", "1 2 twenty\n");
	opd_jit_started(f->jit, 21, 20);
	write_file(f, "perf-21.map", "3 4 twenty-one\n");
	opd_jit_started(f->jit, 7, 21);
	opd_jit_started(f->jit, 7, 7);		/* process 7 creates a thread */
	write_file(f, "perf-20.map", "1 2 twenty\n1 2 renamed\n");
	opd_jit_note(f->jit, 7, NULL);
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "7.born"), "21 15 0\n20 11 0\n");
	assert_string_equal(read_copy(f, "20.map"), "1 2 twenty\n1 2 renamed\n");
	assert_string_equal(read_copy(f, "21.map"), "3 4 twenty-one\n");

	/* A process that executes another program no longer has code of its parent. */
	opd_jit_started(f->jit, 8, 20);
	opd_jit_execed(f->jit, 8);
	opd_jit_note(f->jit, 8, NULL);
	assert_int_equal(copy_all(f, false), 0);
	assert_null(read_copy(f, "8.born"));
}

static int refuse_space(void *arg, enum op_quota_use use, uint64_t bytes)
{
	(void)arg;
	(void)use;
	(void)bytes;
	return -ENOSPC;
}

/* A round of copies ends even if nothing can be written, and a later round writes the missing
 * files. */
static void round_ends_on_full_disk(void **state)
{
	struct fixture *f = *state;

	write_file(f, "perf-20.map", "1 2 twenty\n");
	opd_jit_started(f->jit, 7, 20);
	opd_jit_started(f->jit, 8, 20);
	opd_jit_note(f->jit, 7, NULL);
	opd_jit_note(f->jit, 8, NULL);
	op_quota_set(refuse_space, NULL);
	assert_int_equal(copy_all(f, true), -ENOSPC);
	op_quota_set(NULL, NULL);
	assert_int_equal(copy_all(f, true), 0);
	assert_string_equal(read_copy(f, "7.born"), "20 11 0\n");
	assert_string_equal(read_copy(f, "8.born"), "20 11 0\n");
	assert_string_equal(read_copy(f, "20.map"), "1 2 twenty\n");
}

static int charge_space(void *arg, enum op_quota_use use, uint64_t bytes)
{
	uint64_t *left = arg;

	assert_int_equal(use, OP_QUOTA_SAMPLES);
	if (bytes > *left)
		return -ENOSPC;
	*left -= bytes;
	return 0;
}

/* Copying a small file needs disk space only for the bytes of the file, not for a whole slice. */
static void small_file_needs_space_of_its_size(void **state)
{
	struct fixture *f = *state;
	uint64_t left = 64 << 10;

	write_file(f, "perf-7.map", "1 2 twenty\n");
	opd_jit_note(f->jit, 7, NULL);
	op_quota_set(charge_space, &left);
	assert_int_equal(copy_all(f, true), 0);
	op_quota_set(NULL, NULL);
	assert_non_null(read_copy(f, "7.map"));
	assert_string_equal(read_copy(f, "7.map"), "1 2 twenty\n");
}

/* A fork without a notice is detected, because a child's stack is at the same address as its
 * parent's. */
static void fork_without_notice_is_detected_by_stack(void **state)
{
	struct fixture *f = *state;

	write_stat(f, 7, 8, 5000);
	write_stat(f, 8, 22, 5000);
	write_stat(f, 22, 1, 6000);		/* process 8 has executed another program */
	write_file(f, "perf-8.map", "1 2 eight\n");
	write_file(f, "perf-22.map", "1 2 twenty-two\n");
	opd_jit_note(f->jit, 7, NULL);
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "7.born"), "8 -1 0\n");
	assert_string_equal(read_copy(f, "8.map"), "1 2 eight\n");
	assert_null(read_copy(f, "22.map"));
	/* The kernel does not show the addresses of stacks to every user. */
	opd_jit_restart(f->jit);
	write_stat(f, 7, 8, 0);
	write_stat(f, 8, 22, 0);
	assert_int_equal(unlinkat(f->current_fd, "jit/7.born", 0), 0);
	opd_jit_note(f->jit, 7, NULL);
	assert_int_equal(copy_all(f, false), 0);
	assert_null(read_copy(f, "7.born"));
}

static void each_program_of_a_process_has_own_maps(void **state)
{
	struct fixture *f = *state;
	int first, second;

	write_file(f, "perf-7.map", "1 2 first\n");
	assert_int_equal(opd_jit_note(f->jit, 7, &first), 0);
	assert_int_equal(copy_all(f, false), 0);
	/*
	 * Process 7 executes another program before the end of the first program's map was copied.
	 */
	write_file(f, "perf-7.map", "1 2 first\n3 4 its end\n");
	opd_jit_started(f->jit, 8, 7);
	opd_jit_execed(f->jit, 7);
	assert_int_equal(opd_jit_program(f->jit, 7), 1);
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "7.map"), "1 2 first\n3 4 its end\n");
	write_file(f, "perf-7.map", "1 2 second\n");
	assert_int_equal(opd_jit_note(f->jit, 7, &second), 1);
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "7.1.map"), "1 2 second\n");
	assert_string_equal(read_copy(f, "7.map"), "1 2 first\n3 4 its end\n");
	/* A child inherits the JIT code of the program that forked it. */
	assert_int_equal(opd_jit_note(f->jit, 8, NULL), 0);
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "8.born"), "7 22 0\n");

	/* If notices are missing, the daemon detects another program by its stack address. By then
	 * the program may have written its own map. */
	write_file(f, "perf-7.map", "1 2 third and longer\n");
	assert_int_equal(opd_jit_note(f->jit, 7, &first), 2);
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "7.1.map"), "1 2 second\n");
	assert_int_equal(opd_jit_note(f->jit, 7, &first), 2);
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "7.2.map"), "1 2 third and longer\n");
	/*
	 * The fourth program writes no map; the fifth one writes its map before the daemon notices
	 * the exec.
	 */
	opd_jit_execed(f->jit, 7);
	assert_int_equal(copy_all(f, false), 0);
	write_file(f, "perf-7.map", "1 2 fifth\n");
	opd_jit_execed(f->jit, 7);
	assert_int_equal(copy_all(f, false), 0);
	assert_null(read_copy(f, "7.3.map"));
	assert_int_equal(opd_jit_note(f->jit, 7, &second), 4);
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "7.4.map"), "1 2 fifth\n");
	/* The number of programs that are stored for a process is limited. */
	for (int i = 0; i < 100; i++)
		opd_jit_execed(f->jit, 7);
	assert_int_equal(opd_jit_program(f->jit, 7), 7);
}

static void end_process(const struct fixture *f, int tgid)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%d", f->proc, tgid);
	assert_int_equal(rmdir(path), 0);
}

static void remove_map(const struct fixture *f, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", f->tmp, name);
	assert_int_equal(unlink(path), 0);
}

/* A map that the daemon holds open is readable after the process has ended and removed the map,
 * because samples may arrive later. */
static void held_maps_are_readable_after_removal(void **state)
{
	struct fixture *f = *state;
	char path[128];

	write_file(f, "perf-7.map", "1 2 seven\n");
	opd_jit_hold(f->jit, 7);
	/* Process 8 writes its map after it has mapped the memory for its code. */
	opd_jit_hold(f->jit, 8);
	write_file(f, "perf-8.map", "1 2 eight\n");
	usleep(30000);
	opd_jit_hold_more(f->jit);
	remove_map(f, "perf-7.map");
	remove_map(f, "perf-8.map");
	end_process(f, 7);
	end_process(f, 8);
	assert_int_equal(opd_jit_note(f->jit, 7, NULL), 0);
	assert_int_equal(opd_jit_note(f->jit, 8, NULL), 0);
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "7.map"), "1 2 seven\n");
	assert_string_equal(read_copy(f, "8.map"), "1 2 eight\n");

	/* A map that an earlier program of the process has written is not used. */
	make_dir(path, f->proc, "9");
	write_file(f, "perf-9.map", "1 2 nine\n");
	opd_jit_hold(f->jit, 9);
	opd_jit_replaced(f->jit, 9);
	remove_map(f, "perf-9.map");
	opd_jit_note(f->jit, 9, NULL);
	end_process(f, 9);
	assert_int_equal(copy_all(f, false), 0);
	assert_null(read_copy(f, "9.map"));
}

/*
 * A new entry is not evicted immediately, because each new entry costs the daemon some system
 * calls.
 */
static void new_entries_are_not_evicted(void **state)
{
	struct fixture *f = *state;
	char path[128], name[16];
	bool is_slow = true;

	write_file(f, "perf-7.map", "1 2 seven\n");
	/* An entry is not evicted for 100 ms. Repeat the loop until the machine completes it in half
	 * of this time. */
	for (int turn = 0; is_slow; turn++) {
		uint64_t begin;

		if (turn == 100)
			skip();		/* the machine is too busy for this test */
		if (turn)
			usleep(110000);
		begin = op_now_ms();
		opd_jit_replaced(f->jit, 7);
		opd_jit_hold(f->jit, 7);
		for (int i = 100 * turn + 100; i < 100 * turn + 200; i++) {
			snprintf(name, sizeof(name), "%d", i);
			make_dir(path, f->proc, name);
			opd_jit_hold(f->jit, i);
		}
		is_slow = op_now_ms() - begin >= 50;
	}
	remove_map(f, "perf-7.map");
	end_process(f, 7);
	opd_jit_note(f->jit, 7, NULL);
	assert_int_equal(copy_all(f, false), 0);
	assert_string_equal(read_copy(f, "7.map"), "1 2 seven\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(changed_files_are_copied_again,
						setup, teardown),
		cmocka_unit_test_setup_teardown(table_reserves_entries_for_other_users,
						setup, teardown),
		cmocka_unit_test_setup_teardown(dumps_of_oprofile1_agents_are_copied,
						setup, teardown),
		cmocka_unit_test_setup_teardown(only_regular_files_of_the_owner_are_copied,
						setup, teardown),
		cmocka_unit_test_setup_teardown(copies_keep_file_modes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(links_in_the_session_are_not_followed, setup,
						teardown),
		cmocka_unit_test_setup_teardown(copies_of_a_user_have_a_budget, setup, teardown),
		cmocka_unit_test_setup_teardown(user_gets_half_of_session_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(unfinished_copy_is_discarded_by_new_session,
						setup, teardown),
		cmocka_unit_test_setup_teardown(large_files_wait_for_a_dump, setup, teardown),
		cmocka_unit_test_setup_teardown(dump_in_working_directory_is_copied,
						setup, teardown),
		cmocka_unit_test_setup_teardown(only_executable_mapping_with_own_pid_is_a_dump,
						setup, teardown),
		cmocka_unit_test_setup_teardown(child_gets_maps_of_its_ancestors, setup, teardown),
		cmocka_unit_test_setup_teardown(round_ends_on_full_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(small_file_needs_space_of_its_size,
						setup, teardown),
		cmocka_unit_test_setup_teardown(fork_without_notice_is_detected_by_stack,
						setup, teardown),
		cmocka_unit_test_setup_teardown(each_program_of_a_process_has_own_maps,
						setup, teardown),
		cmocka_unit_test_setup_teardown(held_maps_are_readable_after_removal,
						setup, teardown),
		cmocka_unit_test_setup_teardown(new_entries_are_not_evicted, setup,
						teardown),
	};

	opd_jit_destroy(NULL);
	opd_jit_started(NULL, 1, 2);
	opd_jit_execed(NULL, 1);
	opd_jit_hold(NULL, 1);
	opd_jit_hold_more(NULL);
	opd_jit_replaced(NULL, 1);
	opd_jit_begin(NULL, true);
	assert_int_equal(opd_jit_work(NULL, -1, 0), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
