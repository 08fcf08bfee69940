// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_kernel_image.c -- tests the mapping of kernel addresses to images, with simulated
 * kallsyms and /proc/modules.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "daemon/base/configuration.h"
#include "daemon/image/kernel.h"
#include "daemon/base/log.h"
#include "libop/session/kernel_syms.h"

struct fixture {
	/* must be the first member, because check_*_dir() takes its address */
	void *dir;
	char kallsyms[200], modules[200], notes[200];
	struct opd_kernel_files files;
	struct opd_config cfg;
	struct opd_log log;
	struct opd_kernel *k;
	int dirfd;
	int nr_calls;
};

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#define CORE \
	"0000000000000000 A fixed_percpu_data\n" \
	"ffffffff81000000 T _stext\n" \
	"ffffffff81000000 T _text\n" \
	"ffffffff81000000 t startup\n" \
	"ffffffff81000100 T do_one\n" \
	"ffffffff81000200 t do_two\n" \
	"ffffffff81000200 T sys_two\n" \
	"ffffffff81400000 T _etext\n" \
	"ffffffff82000000 D some_data\n" \
	"ffffffff83000000 t init_code\n"

#define EXT4 "ffffffffc0001000 t ext4_one\t[ext4]\nffffffffc0001800 T ext4_two\t[ext4]\n"
#define BPF "ffffffffc0003000 t bpf_prog_1\t[bpf]\n"

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	check_make_dir(&f->dir);
	f->dirfd = check_open_dir(&f->dir);
	snprintf(f->kallsyms, sizeof(f->kallsyms), "%s/kallsyms", (char *)f->dir);
	snprintf(f->modules, sizeof(f->modules), "%s/modules", (char *)f->dir);
	snprintf(f->notes, sizeof(f->notes), "%s/notes", (char *)f->dir);
	f->files = (struct opd_kernel_files){ f->kallsyms, f->modules, f->notes };
	opd_log_init(&f->log);
	write_file(f->kallsyms, CORE EXT4 BPF);
	write_file(f->modules, "ext4 8192 1 - Live 0xffffffffc0001000\n");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	opd_kernel_destroy(f->k);
	close(f->dirfd);
	check_remove_dir(&f->dir);
	free(f);
	return 0;
}

static void create(struct fixture *f)
{
	assert_int_equal(opd_kernel_create(&f->k, &f->cfg, &f->log, &f->files), 0);
}

static void expect(struct fixture *f, uint64_t pc, const char *name, uint64_t key)
{
	const struct opd_krange *r = opd_kernel_find(f->k, pc);

	assert_true(r->lo <= pc && pc <= r->last);
	assert_string_equal(r->image->name, name);
	assert_int_equal(pc - r->base, key);
}

static void test_addresses_map_to_kernel_or_module(void **state)
{
	struct fixture *f = *state;

	create(f);
	expect(f, 0xffffffff81000000, "vmlinux", 0);
	expect(f, 0xffffffff81000123, "vmlinux", 0x123);
	expect(f, 0xffffffff813fffff, "vmlinux", 0x3fffff);
	expect(f, 0xffffffffc0001000, "ext4", 0);
	expect(f, 0xffffffffc0002fff, "ext4", 0x1fff);
	/* An address outside of all modules belongs to the core kernel. */
	expect(f, 0xffffffffc0003000, "vmlinux", 0x3f003000);
	expect(f, 0xfffffe0000001000, "vmlinux", 0xfffffe0000001000 - 0xffffffff81000000);
	expect(f, 0, "vmlinux", -0xffffffff81000000);
	expect(f, UINT64_MAX, "vmlinux", UINT64_MAX - 0xffffffff81000000);
}

/* Since Linux 6.4, a module's size in /proc/modules includes parts that are elsewhere, so modules
 * seem to overlap. An address belongs to the module that has the highest start address below it. */
static void test_overlapping_modules_use_highest_start(void **state)
{
	struct fixture *f = *state;

	write_file(f->modules, "a 65536 0 - Live 0xffffffffc0001000\n"
		   "b 4096 0 - Live 0xffffffffc0004000 (OE)\n");
	create(f);
	expect(f, 0xffffffffc0001000, "a", 0);
	expect(f, 0xffffffffc0004010, "b", 0x10);
	expect(f, 0xffffffffc0005010, "a", 0x4010);
	/* When a snapshot contains the symbols of run-time code, an address in this code does not
	 * belong to the module a any more. */
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	expect(f, 0xffffffffc0002fff, "a", 0x1fff);
	expect(f, 0xffffffffc0003000, "vmlinux", 0x3f003000);
	expect(f, 0xffffffffc0004010, "b", 0x10);
}

static void test_unloaded_modules_keep_their_name(void **state)
{
	struct fixture *f = *state;

	create(f);
	write_file(f->modules, "other 4096 0 - Live 0xffffffffc0008000\n");
	assert_int_equal(opd_kernel_read_modules(f->k), 0);
	expect(f, 0xffffffffc0001010, "ext4", 0x10);
	expect(f, 0xffffffffc0008010, "other", 0x10);
	/* If another module is loaded in the middle of the old range of ext4, ext4 keeps the part
	 * before that module. */
	write_file(f->modules, "third 4096 0 - Live 0xffffffffc0001800\n");
	assert_int_equal(opd_kernel_read_modules(f->k), 0);
	expect(f, 0xffffffffc0001010, "ext4", 0x10);
	expect(f, 0xffffffffc0001810, "third", 0x10);
	expect(f, 0xffffffffc0008010, "other", 0x10);
	/* If ext4 is loaded at another address, samples at its old address still belong to ext4. */
	write_file(f->modules, "ext4 8192 0 - Live 0xffffffffc0010000\n");
	assert_int_equal(opd_kernel_read_modules(f->k), 0);
	expect(f, 0xffffffffc0010010, "ext4", 0x10);
	expect(f, 0xffffffffc0001010, "ext4", 0x10);
	/* If nothing has changed, no new snapshot is written. */
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	assert_int_equal(opd_kernel_read_modules(f->k), 0);
	assert_false(opd_kernel_snapshot_due(f->k, true));
}

static void test_unusual_module_lines_are_parsed(void **state)
{
	struct fixture *f = *state;
	char text[4000] = "used 4096 200 ";

	/* A line of /proc/modules that is longer than the read buffer is parsed. */
	for (int i = 0; i < 200; i++)
		sprintf(text + strlen(text), "user%d,", i);
	strcat(text, " Live 0xffffffffc0001000\nx/y 1 0 - Live 0xffffffffc0009000\nnonsense\n"
	       "hidden 4096 0 - Live 0x0000000000000000\n");
	write_file(f->modules, text);
	create(f);
	expect(f, 0xffffffffc0001004, "used", 4);
	expect(f, 0xffffffffc0009000, "vmlinux", 0x3f009000);
	unlink(f->modules);
	assert_int_equal(opd_kernel_read_modules(f->k), 0);
}

static void test_names_of_the_kernel(void **state)
{
	struct fixture *f = *state;

	f->cfg.set.no_vmlinux = true;
	create(f);
	expect(f, 0xffffffff81000123, "no-vmlinux", 0x123);
	opd_kernel_destroy(f->k);
	f->k = NULL;
	f->cfg.set.no_vmlinux = false;
	f->cfg.set.vmlinux = (char *)"/boot/vmlinux";
	create(f);
	expect(f, 0xffffffff81000123, "/boot/vmlinux", 0x123);
	assert_int_equal(opd_kernel_find(f->k, 0xffffffff81000123)->image->kind, OP_IMAGE_ROOT);
	expect(f, 0xffffffffc0001000, "ext4", 0);
}

static void test_hidden_addresses_map_to_vmlinux(void **state)
{
	struct fixture *f = *state;

	write_file(f->kallsyms, "0000000000000000 T _stext\n0000000000000000 T _etext\n"
		   "0000000000000000 t ext4_one\t[ext4]\n");
	write_file(f->modules, "ext4 8192 1 - Live 0x0000000000000000\n");
	create(f);
	assert_true(opd_kernel_hidden(f->k));
	assert_string_equal(opd_kernel_find(f->k, 0xffffffff81000123)->image->name, "vmlinux");
	/* A snapshot that would be wrong is not written. */
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	assert_int_not_equal(faccessat(f->dirfd, "kernel-symbols", F_OK, 0), 0);
}

static const char *symbol(const struct op_kernel_syms *s, const char *image, uint64_t offset)
{
	const struct op_kimage *i = op_kernel_syms_image(s, image);
	const struct op_ksym *sym = i ? op_kimage_lookup(i, offset) : NULL;

	return sym ? sym->name : "-";
}

static void test_kernel_symbols_are_written_once(void **state)
{
	struct fixture *f = *state;
	struct op_kernel_syms s = { 0 };
	struct stat st;

	create(f);
	assert_true(opd_kernel_snapshot_due(f->k, false));
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	assert_false(opd_kernel_snapshot_due(f->k, true));
	assert_int_equal(op_kernel_syms_read(&s, f->dirfd), 0);
	assert_string_equal(symbol(&s, "vmlinux", 0x10), "startup");
	assert_string_equal(symbol(&s, "vmlinux", 0x1ff), "do_one");
	assert_string_equal(symbol(&s, "vmlinux", 0x234), "sys_two");
	assert_string_equal(symbol(&s, "vmlinux", 0x3f003004), "bpf_prog_1");
	assert_string_equal(symbol(&s, "ext4", 0x7ff), "ext4_one");
	assert_string_equal(symbol(&s, "ext4", 0x900), "ext4_two");
	op_kernel_syms_release(&s);

	/*
	 * After a module and a piece of run-time code were removed and others were added, the
	 * snapshot contains the names of the removed and of the added ones.
	 */
	write_file(f->modules, "third 4096 0 - Live 0xffffffffc0001800\n");
	write_file(f->kallsyms, CORE "ffffffffc0001900 t third_one\t[third]\n"
		   "ffffffffc0009000 t bpf_prog_2\t[bpf]\n");
	assert_int_equal(opd_kernel_read_modules(f->k), 0);
	assert_true(opd_kernel_snapshot_due(f->k, true));
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	memset(&s, 0, sizeof(s));
	assert_int_equal(op_kernel_syms_read(&s, f->dirfd), 0);
	assert_string_equal(symbol(&s, "ext4", 0x900), "ext4_two");
	assert_string_equal(symbol(&s, "third", 0x100), "third_one");
	assert_string_equal(symbol(&s, "vmlinux", 0x3f003004), "bpf_prog_1");
	assert_string_equal(symbol(&s, "vmlinux", 0x3f009004), "bpf_prog_2");
	op_kernel_syms_release(&s);

	/* Snapshots of the same symbols do not enlarge the file. */
	assert_int_equal(fstatat(f->dirfd, "kernel-symbols", &st, 0), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	off_t size = st.st_size;

	assert_int_equal(fstatat(f->dirfd, "kernel-symbols", &st, 0), 0);
	assert_int_equal(st.st_size, size);
}

/* Unload the modules, and count the calls. */
static void unload(void *arg)
{
	struct fixture *f = arg;

	write_file(f->modules, "");
	assert_int_equal(opd_kernel_read_modules(f->k), 0);
	f->nr_calls++;
}

static void test_modules_may_go_while_symbols_are_read(void **state)
{
	struct fixture *f = *state;
	struct op_kernel_syms s = { 0 };
	FILE *kallsyms;

	create(f);
	kallsyms = fopen(f->kallsyms, "ae");
	assert_non_null(kallsyms);
	for (int i = 0; i < 10000; i++)
		fprintf(kallsyms, "ffffffffc0001900 t more_%d\t[ext4]\n", i);
	fprintf(kallsyms, "ffffffffc0001a00 t too_late\t[ext4]\n");
	assert_int_equal(fclose(kallsyms), 0);
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, unload, f), 0);
	assert_int_equal(f->nr_calls, 2);
	assert_int_equal(op_kernel_syms_read(&s, f->dirfd), 0);
	assert_string_equal(symbol(&s, "ext4", 0x7ff), "ext4_one");
	assert_string_equal(symbol(&s, "ext4", 0x8ff), "ext4_two");
	assert_int_equal(strncmp(symbol(&s, "ext4", 0xa00), "more_", 5), 0);
	op_kernel_syms_release(&s);
}

/* Simulated duration of each clock read, in ms. */
static uint64_t wall_step_ms, cpu_step_ms;

int clock_gettime(clockid_t id, struct timespec *t)
{
	static uint64_t wall_ms, cpu_ms;
	uint64_t *ms = id == CLOCK_MONOTONIC ? &wall_ms : &cpu_ms;
	int ret = syscall(SYS_clock_gettime, id, t);

	*ms += id == CLOCK_MONOTONIC ? wall_step_ms : cpu_step_ms;
	t->tv_sec += *ms / 1000;
	return ret;
}

/* Make @name the only loaded module, and read the module list. Return whether a snapshot is due. */
static bool due_for(struct fixture *f, const char *name)
{
	char line[128];

	snprintf(line, sizeof(line), "%s 4096 0 - Live 0xffffffffc0100000\n", name);
	write_file(f->modules, line);
	assert_int_equal(opd_kernel_read_modules(f->k), 0);
	return opd_kernel_snapshot_due(f->k, false);
}

/* Frequent loading and unloading of modules costs only a share of a CPU, but the symbols of a new
 * module are read at once. */
static void test_module_changes_cost_limited_time(void **state)
{
	struct fixture *f = *state;

	create(f);
	assert_true(due_for(f, "one"));
	/* A snapshot that took long only because other programs used the CPU does not delay the
	 * next snapshot. */
	wall_step_ms = 6000;
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	wall_step_ms = 0;
	assert_true(due_for(f, "two"));
	assert_true(due_for(f, "one"));

	cpu_step_ms = 20000;
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	cpu_step_ms = 0;
	/* a snapshot is due, because no snapshot contains this module yet */
	assert_true(due_for(f, "two"));
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	for (int i = 0; i < 3; i++) {
		assert_false(due_for(f, "one"));
		assert_false(due_for(f, "two"));
	}
	assert_true(due_for(f, "three"));
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	assert_false(due_for(f, "one"));
}

static void write_build_id(struct fixture *f, char byte)
{
	const uint32_t note[] = { 4, 4, 3, 0x554e47, 0x01010101u * byte };
	FILE *file = fopen(f->notes, "w");

	fwrite(note, sizeof(note), 1, file);
	fclose(file);
}

static void test_build_id_of_other_kernel_differs(void **state)
{
	struct fixture *f = *state;
	char *release = NULL;

	write_build_id(f, 1);
	create(f);
	assert_int_equal(opd_kernel_differs(f->k, f->dirfd, &release), 0);
	assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
	assert_int_equal(opd_kernel_differs(f->k, f->dirfd, &release), 0);
	write_build_id(f, 2);
	assert_int_equal(opd_kernel_differs(f->k, f->dirfd, &release), 1);
	assert_non_null(release);
	free(release);
}

static bool has_symbols_of(int dirfd, const char *image)
{
	struct op_kernel_syms syms = { 0 };
	bool has;

	assert_int_equal(op_kernel_syms_read(&syms, dirfd), 0);
	has = op_kernel_syms_image(&syms, image);
	op_kernel_syms_release(&syms);
	return has;
}

/* A snapshot keeps the symbols of modules unloaded since the last snapshot, but only if the last
 * snapshot is of the same kernel. */
static void test_snapshot_of_another_kernel(void **state)
{
	struct fixture *f = *state;
	struct op_kernel_syms syms = { 0 };

	write_build_id(f, 1);
	create(f);
	for (int same = 1; same >= 0; same--) {
		assert_int_equal(op_kernel_syms_set_release(&syms, "1.2.3"), 0);
		assert_int_equal(op_kernel_syms_set_build_id(&syms, same ? "01010101" : "02020202"),
				 0);
		assert_int_equal(op_kernel_syms_add_image(&syms, "unloaded", 4096), 0);
		assert_int_equal(op_kernel_syms_add_symbol(&syms, 16, 't', "old"), 0);
		assert_int_equal(op_kernel_syms_write(&syms, f->dirfd), 0);
		op_kernel_syms_release(&syms);
		assert_int_equal(opd_kernel_snapshot(f->k, f->dirfd, NULL, NULL), 0);
		assert_int_equal(has_symbols_of(f->dirfd, "unloaded"), same);
	}
}

/*
 * If a module was loaded without a notice, a sample at an address outside of all modules makes the
 * daemon read the module list.
 */
static void test_module_without_notice(void **state)
{
	struct fixture *f = *state;

	create(f);
	write_file(f->modules, "quiet 4096 0 - Live 0xffffffffc0100000\n");
	usleep(150 * 1000);
	expect(f, 0xffffffffc0100004, "quiet", 4);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_addresses_map_to_kernel_or_module),
		T(test_overlapping_modules_use_highest_start),
		T(test_unloaded_modules_keep_their_name),
		T(test_unusual_module_lines_are_parsed),
		T(test_names_of_the_kernel),
		T(test_hidden_addresses_map_to_vmlinux),
		T(test_kernel_symbols_are_written_once),
		T(test_modules_may_go_while_symbols_are_read),
		T(test_build_id_of_other_kernel_differs),
		T(test_snapshot_of_another_kernel),
		T(test_module_without_notice),
		T(test_module_changes_cost_limited_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
