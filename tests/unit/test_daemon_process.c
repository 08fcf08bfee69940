// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_process.c -- tests the daemon's copies of address spaces: built from perf's notices
 * (mmap, fork, exec, exit), or from a simulated /proc if notices are missing.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <sys/stat.h>

#include "daemon/image/image.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/process.h"
#include "daemon/image/process_proc.h"

struct fixture {
	void *dir;
	struct opd_images *images;
	struct opd_mapped_files *files;
	struct opd_processes *ps;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || check_make_dir(&f->dir) || opd_images_create(&f->images) ||
	    opd_mapped_files_create(&f->files, f->images) ||
	    opd_processes_create(&f->ps, f->files, f->dir))
		return -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int err;

	opd_processes_destroy(f->ps);
	opd_mapped_files_destroy(f->files);
	opd_images_destroy(f->images);
	err = check_remove_dir(&f->dir);
	free(f);
	return err;
}

/* Add a process to the simulated /proc. @exe is NULL for a kernel thread. */
static void write_proc_entry(struct fixture *f, int pid, const char *exe, const char *maps)
{
	char path[256], command[600];
	FILE *out;

	snprintf(command, sizeof(command), "mkdir -p %s/%d/task/%d", (char *)f->dir, pid, pid);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/%d/exe", (char *)f->dir, pid);
	unlink(path);
	if (exe)
		assert_int_equal(symlink(exe, path), 0);
	snprintf(path, sizeof(path), "%s/%d/maps", (char *)f->dir, pid);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(maps, out);
	fclose(out);
}

static void map(struct fixture *f, uint64_t time, pid_t pid, uint64_t start, uint64_t len,
		const char *name)
{
	struct opd_mapping m = {
		.start = start, .len = len, .pgoff = 0x1000, .dev = 1, .ino = 2, .name = name,
	};

	opd_processes_mmap(f->ps, time, pid, &m);
}

/* Return the name of the mapping at @address, a path or a label, or NULL if the address is not
 * mapped. */
static const char *label_at(struct fixture *f, uint64_t time, pid_t pid, uint64_t address)
{
	struct opd_process *p = opd_processes_find(f->ps, time, pid);
	const struct opd_map *m = p ? opd_process_map(f->ps, p, time, address) : NULL;

	if (!m)
		return NULL;
	return m->file ? opd_mapped_file_path(m->file) : m->label;
}

static const char *app_path(struct fixture *f, uint64_t time, pid_t pid)
{
	struct opd_process *p = opd_processes_find(f->ps, time, pid);

	return p && p->app ? opd_mapped_file_path(p->app) : NULL;
}

#define S	1000000000ull

/* Apply the records of a new process @pid that executes the program @path. The parent of @pid is
 * process 1, about which f->ps may have no records. */
static void start_program(struct fixture *f, uint64_t time, pid_t pid, const char *path)
{
	opd_processes_fork(f->ps, time, pid, 1);
	opd_processes_exec(f->ps, time + 1, pid);
	map(f, time + 2, pid, 0x400000, 0x1000, path);
	map(f, time + 3, pid, 0x7f0000, 0x1000, "/lib/ld.so");
}

static void remapped_huge_page_text_keeps_file(void **state)
{
	struct fixture *f = *state;
	struct opd_mapping m = { .start = 0x400800, .len = 0x800, .name = "//anon" };

	start_program(f, S, 100, "/bin/a");
	opd_processes_mmap(f->ps, 2 * S, 100, &m);
	assert_string_equal(label_at(f, 3 * S, 100, 0x400900), "/bin/a");
	map(f, 3 * S, 100, 0x400000, 0x800, "/anon_hugepage (deleted)");
	assert_string_equal(label_at(f, 4 * S, 100, 0x400100), "/bin/a");
	/* A library may have been unmapped without a notice. Memory after the end of the text is
	 * not a copy of the text. */
	m.start = 0x7f0000;
	opd_processes_mmap(f->ps, 4 * S, 100, &m);
	assert_string_equal(label_at(f, 5 * S, 100, 0x7f0100), "anon");
	m.start = 0x400c00;
	opd_processes_mmap(f->ps, 5 * S, 100, &m);
	assert_string_equal(label_at(f, 6 * S, 100, 0x400d00), "anon");
}

static void exec_replaces_program_and_mappings(void **state)
{
	struct fixture *f = *state;

	start_program(f, S, 100, "/bin/a");
	assert_string_equal(app_path(f, 2 * S, 100), "/bin/a");
	assert_string_equal(label_at(f, 2 * S, 100, 0x400010), "/bin/a");
	assert_string_equal(label_at(f, 2 * S, 100, 0x7f0fff), "/lib/ld.so");
	assert_null(label_at(f, 2 * S, 100, 0x1));
	/* A second exec discards all data of the first program. */
	opd_processes_exec(f->ps, 3 * S, 100);
	map(f, 3 * S + 1, 100, 0x500000, 0x1000, "/bin/b");
	assert_string_equal(app_path(f, 4 * S, 100), "/bin/b");
	assert_null(label_at(f, 4 * S, 100, 0x400010));
	assert_string_equal(label_at(f, 4 * S, 100, 0x500010), "/bin/b");
}

static void child_inherits_mappings_at_fork(void **state)
{
	struct fixture *f = *state;

	start_program(f, S, 100, "/bin/a");
	opd_processes_fork(f->ps, 2 * S, 200, 100);
	map(f, 3 * S, 100, 0x600000, 0x1000, "/lib/parent.so");
	map(f, 3 * S, 200, 0x600000, 0x1000, "/lib/child.so");
	assert_string_equal(app_path(f, 4 * S, 200), "/bin/a");
	assert_string_equal(label_at(f, 4 * S, 200, 0x400000), "/bin/a");
	assert_string_equal(label_at(f, 4 * S, 200, 0x600000), "/lib/child.so");
	assert_string_equal(label_at(f, 4 * S, 100, 0x600000), "/lib/parent.so");
	opd_processes_exec(f->ps, 5 * S, 200);
	assert_string_equal(label_at(f, 5 * S, 100, 0x400000), "/bin/a");
}

static void new_library_replaces_unmapped_one(void **state)
{
	struct fixture *f = *state;

	start_program(f, S, 100, "/bin/a");
	for (uint64_t i = 0; i < 1000; i++) {
		map(f, 2 * S + 2 * i, 100, 0x600000, 0x3000, "/lib/x.so");
		assert_string_equal(label_at(f, 2 * S + 2 * i, 100, 0x600500), "/lib/x.so");
		map(f, 2 * S + 2 * i + 1, 100, 0x600000, 0x2000, "/lib/y.so");
		assert_string_equal(label_at(f, 2 * S + 2 * i + 1, 100, 0x600500), "/lib/y.so");
	}
}

static void exited_process_is_kept_for_late_samples(void **state)
{
	struct fixture *f = *state;

	start_program(f, S, 100, "/bin/a");
	opd_processes_exit(f->ps, 2 * S, 100);
	opd_processes_reap(f->ps, 2 * S + S / 2);
	assert_string_equal(app_path(f, 2 * S + S / 2, 100), "/bin/a");
	opd_processes_reap(f->ps, 4 * S);
	assert_int_equal(opd_processes_nr(f->ps), 0);
	assert_null(opd_processes_find(f->ps, 4 * S, 100));
}

static void process_ends_with_its_last_thread(void **state)
{
	struct fixture *f = *state;

	start_program(f, S, 100, "/bin/a");
	opd_processes_fork(f->ps, 2 * S, 100, 100);
	opd_processes_exit(f->ps, 3 * S, 100);
	opd_processes_reap(f->ps, 10 * S);
	assert_string_equal(label_at(f, 10 * S, 100, 0x400000), "/bin/a");
	opd_processes_exit(f->ps, 11 * S, 100);
	opd_processes_reap(f->ps, 20 * S);
	assert_int_equal(opd_processes_nr(f->ps), 0);
}

static void reused_pid_is_a_new_process(void **state)
{
	struct fixture *f = *state;

	start_program(f, S, 100, "/bin/a");
	start_program(f, S, 300, "/bin/c");
	opd_processes_exit(f->ps, 2 * S, 100);
	opd_processes_fork(f->ps, 2 * S + 1, 100, 300);
	assert_string_equal(app_path(f, 2 * S + 2, 100), "/bin/c");
	/* If a new process has the same pid, it is not removed together with the ended process. */
	opd_processes_reap(f->ps, 10 * S);
	assert_string_equal(app_path(f, 10 * S, 100), "/bin/c");
}

static void anonymous_mappings_have_labels(void **state)
{
	struct fixture *f = *state;

	start_program(f, S, 100, "/bin/a");
	map(f, 2 * S, 100, 0x600000, 0x1000, "//anon");
	map(f, 2 * S, 100, 0x700000, 0x1000, "[heap]");
	map(f, 2 * S, 100, 0x800000, 0x1000, "/dev/zero (deleted)");
	map(f, 2 * S, 100, 0x900000, 0x1000, "/memfd:jit (deleted)");
	map(f, 2 * S, 100, 0xa00000, 0x1000, "[vdso]");
	assert_string_equal(label_at(f, 3 * S, 100, 0x600000), "anon");
	assert_string_equal(label_at(f, 3 * S, 100, 0x700000), "[heap]");
	assert_string_equal(label_at(f, 3 * S, 100, 0x800000), "anon");
	assert_string_equal(label_at(f, 3 * S, 100, 0x900000), "/memfd:jit (deleted)");
	assert_string_equal(label_at(f, 3 * S, 100, 0xa00000), "[vdso]");
}

#define MAPS_OLD \
	"00400000-00401000 r--p 00000000 08:01 7                          /bin/old\n" \
	"00401000-00402000 r-xp 00001000 08:01 7                          /bin/old\n" \
	"00600000-00700000 rw-p 00000000 00:00 0                          [heap]\n" \
	"7f0000000000-7f0000001000 r-xp 00002000 08:01 8                  /lib/new\\012line.so\n" \
	"7f0000002000-7f0000003000 rwxp 00000000 00:00 0 \n" \
	"7fff00000000-7fff00001000 r-xp 00000000 00:00 0                  [vdso]\n"

static void earlier_processes_are_read_from_proc(void **state)
{
	struct fixture *f = *state;
	const struct opd_map *m;

	write_proc_entry(f, 100, "/bin/old", MAPS_OLD);
	write_proc_entry(f, 2, NULL, "");
	assert_int_equal(opd_processes_scan_all(f->ps), 0);
	assert_int_equal(opd_processes_nr(f->ps), 2);
	assert_string_equal(app_path(f, S, 100), "/bin/old");
	assert_string_equal(label_at(f, S, 100, 0x401800), "/bin/old");
	assert_string_equal(label_at(f, S, 100, 0x7f0000000000), "/lib/new\nline.so");
	assert_string_equal(label_at(f, S, 100, 0x7f0000002000), "anon");
	assert_string_equal(label_at(f, S, 100, 0x7fff00000000), "[vdso]");
	m = opd_process_map(f->ps, opd_processes_find(f->ps, S, 100), S, 0x401000);
	assert_int_equal(m->pgoff, 0x1000);
	assert_null(app_path(f, S, 2));
}

static void notices_older_than_proc_scan_are_ignored(void **state)
{
	struct fixture *f = *state;
	uint64_t before = opd_perf_now(), after;

	write_proc_entry(f, 100, "/bin/old", MAPS_OLD);
	assert_int_equal(opd_processes_scan_all(f->ps), 0);
	after = opd_perf_now();
	start_program(f, before - 10, 300, "/bin/parent");
	opd_processes_fork(f->ps, before, 100, 300);
	opd_processes_exec(f->ps, before, 100);
	map(f, before, 100, 0x401000, 0x1000, "/bin/older");
	opd_processes_exit(f->ps, before, 100);
	assert_string_equal(app_path(f, after, 100), "/bin/old");
	assert_string_equal(label_at(f, after, 100, 0x401000), "/bin/old");
	/* Notices that are later than the reading of /proc are applied. */
	map(f, after, 100, 0x401000, 0x1000, "/bin/newer");
	assert_string_equal(label_at(f, after, 100, 0x401000), "/bin/newer");
}

static void proc_is_read_without_notice(void **state)
{
	struct fixture *f = *state;

	/* A process without a notice is looked up in /proc. */
	write_proc_entry(f, 100, "/bin/old", MAPS_OLD);
	assert_string_equal(label_at(f, S, 100, 0x401000), "/bin/old");
	/* /proc is also read for an address without a notice, but does not replace notices. */
	start_program(f, 2 * S, 200, "/bin/a");
	map(f, 3 * S, 200, 0x600000, 0x80000, "/lib/noticed.so");
	write_proc_entry(f, 200, "/bin/a", MAPS_OLD);
	assert_string_equal(label_at(f, 4 * S, 200, 0x680000), "[heap]");
	assert_string_equal(label_at(f, 4 * S, 200, 0x67ffff), "/lib/noticed.so");
	assert_string_equal(label_at(f, 4 * S, 200, 0x400000), "/bin/a");
}

static void parent_without_notice_is_read_from_proc(void **state)
{
	struct fixture *f = *state;

	write_proc_entry(f, 100, "/bin/old", MAPS_OLD);
	opd_processes_fork(f->ps, S, 200, 100);
	assert_string_equal(label_at(f, S, 200, 0x401000), "/bin/old");
	assert_string_equal(app_path(f, S, 200), "/bin/old");
}

static void failed_proc_reads_are_rate_limited(void **state)
{
	struct fixture *f = *state;

	assert_null(label_at(f, S, 100, 0x401000));
	write_proc_entry(f, 100, "/bin/old", MAPS_OLD);
	assert_null(label_at(f, S + 1000, 100, 0x401000));
	assert_string_equal(label_at(f, 2 * S, 100, 0x401000), "/bin/old");
	assert_null(label_at(f, 3 * S, 100, 0x1));
	write_proc_entry(f, 100, "/bin/old",
			 "00000000-00001000 r-xp 00000000 08:01 9 /lib/low.so\n");
	assert_null(label_at(f, 3 * S + 1000, 100, 0x1));
	assert_string_equal(label_at(f, 4 * S, 100, 0x1), "/lib/low.so");
}

static void unreadable_process_is_known_after_exec(void **state)
{
	struct fixture *f = *state;
	char path[256];

	write_proc_entry(f, 100, "/bin/secret", MAPS_OLD);
	assert_int_equal(chmod(f->dir, 0711), 0);
	snprintf(path, sizeof(path), "%s/100/maps", (char *)f->dir);
	assert_int_equal(chmod(path, 0), 0);
	/* Root may read all files. */
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(opd_processes_scan(f->ps, 100, opd_perf_now()), 0);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_true(opd_processes_find(f->ps, S, 100)->hidden);
	opd_processes_fork(f->ps, opd_perf_now(), 200, 100);
	assert_true(opd_processes_find(f->ps, opd_perf_now(), 200)->hidden);
	opd_processes_exec(f->ps, opd_perf_now(), 200);
	map(f, opd_perf_now(), 200, 0x400000, 0x1000, "/bin/b");
	assert_false(opd_processes_find(f->ps, opd_perf_now(), 200)->hidden);
	assert_string_equal(label_at(f, opd_perf_now(), 200, 0x400000), "/bin/b");
}

static void processes_with_lost_exits_are_freed(void **state)
{
	struct fixture *f = *state;

	uint64_t now = opd_perf_now();

	write_proc_entry(f, 50, "/bin/old", MAPS_OLD);
	start_program(f, now - 40 * S, 50, "/bin/alive");
	for (pid_t pid = 1000; pid < 20000; pid++) {
		uint64_t time = now - 30 * S + (uint64_t)pid * 1000000;

		opd_processes_fork(f->ps, time, pid, 50);
		/* The parent has ended long ago, but samples of its children still find the
		 * program. */
		assert_string_equal(app_path(f, time, pid), "/bin/alive");
		assert_string_equal(app_path(f, time, pid > 1100 ? pid - 100 : 50), "/bin/alive");
		opd_processes_reap(f->ps, time);
	}
	opd_processes_reap(f->ps, opd_perf_now() + 2 * S);
	assert_true(opd_processes_nr(f->ps) < 5000);
	assert_string_equal(app_path(f, now + 2 * S, 50), "/bin/alive");
}

static void fork_storm_uses_memory_only_for_living_processes(void **state)
{
	struct fixture *f = *state;

	start_program(f, S, 50, "/bin/shell");
	for (uint64_t i = 0; i < 20000; i++) {
		pid_t pid = 1000 + (pid_t)(i % 10000);
		uint64_t time = 2 * S + i * 1000000;

		opd_processes_fork(f->ps, time, pid, 50);
		assert_string_equal(label_at(f, time, pid, 0x400000), "/bin/shell");
		opd_processes_exec(f->ps, time + 1, pid);
		map(f, time + 2, pid, 0x400000, 0x1000, i % 2 ? "/bin/a" : "/bin/b");
		assert_string_equal(label_at(f, time + 3, pid, 0x400000),
				    i % 2 ? "/bin/a" : "/bin/b");
		opd_processes_exit(f->ps, time + 500000, pid);
		opd_processes_reap(f->ps, time + 500000);
		assert_true(opd_processes_nr(f->ps) < 1100);
	}
}

static long resident_pages(void)
{
	long size, pages = 0;
	FILE *in = fopen("/proc/self/statm", "r");

	assert_non_null(in);
	assert_int_equal(fscanf(in, "%ld %ld", &size, &pages), 2);
	fclose(in);
	return pages;
}

/* AddressSanitizer keeps freed memory for a while, so the amount of memory in use is not
 * significant. gcc and clang announce AddressSanitizer in two different ways. */
#ifdef __SANITIZE_ADDRESS__
#define KEEPS_FREED_MEMORY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEPS_FREED_MEMORY
#endif
#endif

/* Three processes and their children map as many files as the daemon remembers, with the longest
 * names. The memory for names must be limited, and must be freed. */
static void memory_for_names_is_limited_and_freed(void **state)
{
	struct fixture *f = *state;
	char path[3000];
	long before;

	start_program(f, S, 100, "/bin/other");
	before = resident_pages();
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	for (int i = 0; i < 3 * 30000; i++) {
		pid_t pid = 200 + i % 3;

		if (i < 3)
			start_program(f, 2 * S, pid, "/bin/hostile");
		if (i % 1000 == 999)
			opd_processes_fork(f->ps, 3 * S, 300 + i / 1000, pid);
		snprintf(path + sizeof(path) - 20, 20, "%d", i);
		map(f, 3 * S, pid, 0x10000000ull + i * 0x1000ull, 0x1000, path);
		assert_true(opd_mapped_files_bytes(f->files) <= OPD_NAMES_MAX + 4096);
	}
	/* Only the processes with many names lose names of mappings. */
	assert_string_equal(label_at(f, 4 * S, 100, 0x400010), "/bin/other");
	assert_string_equal(label_at(f, 4 * S, 100, 0x7f0fff), "/lib/ld.so");
	for (int i = 0; i < 3; i++)
		opd_processes_exit(f->ps, 5 * S, 200 + i);
	for (int i = 0; i < 90; i++)
		opd_processes_exit(f->ps, 5 * S, 300 + i);
	opd_processes_reap(f->ps, 9 * S);
	assert_true(opd_mapped_files_bytes(f->files) < 4096);
#ifndef KEEPS_FREED_MEMORY
	assert_true(resident_pages() - before < (OPD_NAMES_MAX / 4) / sysconf(_SC_PAGESIZE));
#else
	(void)before;
#endif
}

/* A process with long maps is reread only after a long time, and all processes together get only a
 * share of the daemon's time for reading /proc. */
static void proc_reads_have_a_budget(void **state)
{
	struct fixture *f = *state;
	const size_t nr = 60000, line = 40;
	char *maps = malloc(nr * line + 100), *end = maps;
	uint64_t t = 10 * S;

	assert_non_null(maps);
	for (size_t i = 0; i < nr; i++)
		end += sprintf(end, "%zx000-%zx000 rw-p 00000000 00:00 0\n", 0x10000 + i, 0x10001 + i);
	start_program(f, S, 100, "/bin/hostile");
	start_program(f, S, 200, "/bin/other");
	write_proc_entry(f, 100, "/bin/hostile", maps);
	write_proc_entry(f, 200, "/bin/other",
			 "800000-801000 r-xp 00000000 08:01 5 /lib/quiet.so\n");
	assert_null(label_at(f, t, 100, 0x900000));
	/* The library is mapped by now, without a notice, but the first reading of these maps took
	 * more than the budget of a second. */
	sprintf(end, "900000-901000 r-xp 00000000 08:01 6 /lib/late.so\n");
	write_proc_entry(f, 100, "/bin/hostile", maps);
	assert_null(label_at(f, t + S / 10, 100, 0x900000));
	/* The debt is larger than one second's budget, so other processes wait, too. */
	assert_null(label_at(f, t, 200, 0x800000));
	assert_null(label_at(f, t + 5 * S, 100, 0x900000));
	assert_string_equal(label_at(f, t + S, 200, 0x800000), "/lib/quiet.so");
	assert_string_equal(label_at(f, t + 15 * S, 100, 0x900000), "/lib/late.so");
	free(maps);
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(exec_replaces_program_and_mappings),
		test(remapped_huge_page_text_keeps_file),
		test(child_inherits_mappings_at_fork),
		test(new_library_replaces_unmapped_one),
		test(exited_process_is_kept_for_late_samples),
		test(process_ends_with_its_last_thread),
		test(reused_pid_is_a_new_process),
		test(anonymous_mappings_have_labels),
		test(earlier_processes_are_read_from_proc),
		test(notices_older_than_proc_scan_are_ignored),
		test(proc_is_read_without_notice),
		test(parent_without_notice_is_read_from_proc),
		test(failed_proc_reads_are_rate_limited),
		test(unreadable_process_is_known_after_exec),
		test(processes_with_lost_exits_are_freed),
		test(fork_storm_uses_memory_only_for_living_processes),
		test(memory_for_names_is_limited_and_freed),
		test(proc_reads_have_a_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
