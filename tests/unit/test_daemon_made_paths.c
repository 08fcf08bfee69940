// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_made_paths.c -- single-steps a process that generates code. At each step, the test
 * compares the call path that the daemon computes with the calls and returns that the test has
 * observed.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "daemon/image/image.h"
#include "daemon/image/made_tables.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/process.h"
#include "daemon/image/process_proc.h"
#include "daemon/image/unwind_tables.h"
#include "daemon/source/perf_code.h"
#include "daemon/source/perf_regs.h"
#include "daemon/source/perf_walk.h"
#include "pp/image/made_rows.h"
#include "tests/paths/jumped.h"
#include "tests/paths/shadow.h"
#include "tests/tools/made_dump.h"

#ifdef __x86_64__

#define COPIED		(32 << 10)
#define SMALL		24
#define LARGE		104
#define ROUNDS		8

typedef void (*made_fn)(void (*fn)(void));

/*
 * How the process describes its code to the profiler. In the last four cases the code is not
 * described, and is entered by a jump.
 */
enum way {
	DESCRIBED,
	UNDESCRIBED,
	REPLACED,
	WITH_FP,
	SHOWN,
	JUMPED,
	JUMPED_ANYWHERE,
	JUMPED_COARSE,
	JUMPED_LOST,
};

static struct opd_images *images;
static struct opd_mapped_files *files;
static struct opd_processes *processes;
static struct opd_unwind_tables *tables;
static struct opd_made_tables *made;
static char dump_path[64];
static struct world world;
static struct shadow shadow;

/* The generated code of the stepped process. */

static made_fn inner_code;
static enum { CALLED, ENTERED_EXACT, ENTERED_COARSE } entered;
static volatile unsigned long sink;

/* Run @code, which calls @fn, from this function's caller. */
static inline __attribute__((always_inline)) void call_code(void (*fn)(void), made_fn code)
{
	if (entered == ENTERED_EXACT)
		enter_exact(fn, (void *)code);
	else if (entered == ENTERED_COARSE)
		enter_coarse(fn, (void *)code);
	else
		code(fn);
}

static __attribute__((noinline)) void leaf(void)
{
	for (int i = 0; i < 5; i++)
		sink += i;
}

static __attribute__((noinline)) void middle(void)
{
	call_code(leaf, inner_code);
	sink++;
}

static __attribute__((noinline)) void caller(made_fn code)
{
	call_code(middle, code);
	sink++;
}

static void make_jumped_code(unsigned char *at, unsigned char room, enum way way)
{
	make_jumped(at, room,
		    way == JUMPED_ANYWHERE ? NULL
		    : way == JUMPED_COARSE ? left_coarse
		    : way == JUMPED_LOST   ? lost_coarse
					   : left_exact);
}

static bool is_jumped(enum way way)
{
	return way >= JUMPED;
}

static void make_code(int dump, unsigned char *at, unsigned char room, enum way way)
{
	/* code: push rbp; mov rsp,rbp; call *rdi; pop rbp; ret */
	static const unsigned char with_fp[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

	/* code: sub 24,rsp; call *rdi; add 24,rsp; ret */
	static const unsigned char shown[] = { 0x48, 0x83, 0xec, 24, 0xff, 0xd7, 0x48, 0x83, 0xc4, 24, 0xc3 };

	if (is_jumped(way)) {
		/* rsp is a multiple of 16 at the call. */
		make_jumped_code(at, room + 8, way);
		return;
	}
	if (way == WITH_FP || way == SHOWN) {
		memcpy(at, way == SHOWN ? shown : with_fp, way == SHOWN ? sizeof(shown) : sizeof(with_fp));
		return;
	}
	made_frameless(at, room);
	if (way != UNDESCRIBED)
		made_dump_frames(dump, room);
	made_dump_load(dump, at, MADE_FRAMELESS_SIZE, "made");
}

static void run_code(enum way way)
{
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int dump = made_dump_open(dump_path, "/tmp");

	inner_code = (made_fn)(at + 64);
	make_code(dump, at, SMALL, way);
	make_code(dump, at + 64, LARGE, way);
	if (is_jumped(way))
		entered =
			way == JUMPED_COARSE || way == JUMPED_LOST ? ENTERED_COARSE : ENTERED_EXACT;
	if (way == JUMPED_ANYWHERE)
		make_code(dump, at + 256, SMALL, JUMPED);
	raise(SIGSTOP);
	for (int i = 0; i < ROUNDS; i++) {
		if (way == REPLACED) {
			make_code(dump, at, i % 2 ? SMALL : LARGE, way);
			make_code(dump, at + 64, i % 2 ? LARGE : SMALL, way);
		}
		caller((made_fn)at);
	}
	raise(SIGSTOP);
	_exit(0);
}

/* Functions on the daemon's side. */

static void make_table(void *arg, const struct opd_image *image)
{
	int fd = open(image->path, O_RDONLY | O_CLOEXEC), out = memfd_create("table", MFD_CLOEXEC);
	struct cfi_file *file;
	struct cfi_elf elf;
	struct stat st;
	uint64_t room;
	void *bytes;

	(void)arg;
	if (fd < 0 || fstat(fd, &st)) {
		close(out);
		return;
	}
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_int_equal(cfi_elf_open(&elf, bytes, (uint64_t)st.st_size), 0);
	room = cfi_file_room(&elf);
	file = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_int_equal(cfi_file_make(&elf, file, room), 0);
	assert_int_equal(write(out, file, cfi_file_size(file)), cfi_file_size(file));
	assert_int_equal(opd_unwind_tables_load(tables, image, out), 0);
	munmap(file, room);
	munmap(bytes, (size_t)st.st_size);
	close(out);
	close(fd);
}

/* Make unwind rows from the jitdump, as opsymbols does for the daemon. */
static void write_made_rows(void *arg, pid_t tgid, off_t had)
{
	int fd = open(dump_path, O_RDONLY | O_CLOEXEC), out = memfd_create("rows", MFD_CLOEXEC);
	struct stat st;
	void *bytes;

	(void)arg;
	assert_true(fd >= 0 && !fstat(fd, &st));
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (st.st_size == had || pp_made_rows_write(out, bytes, (size_t)st.st_size))
		opd_made_tables_unchanged(made, tgid);
	else
		assert_int_equal(opd_made_tables_load(made, tgid, out, st.st_size), 0);
	munmap(bytes, (size_t)st.st_size);
	close(out);
	close(fd);
}

size_t world_code(struct world *w, uint64_t address, unsigned char *bytes, size_t size)
{
	struct iovec to = { bytes, size }, from = { (void *)address, size };
	ssize_t n = process_vm_readv(w->pid, &to, 1, &from, 1, 0);

	return n < 0 ? 0 : (size_t)n;
}

bool world_word(struct world *w, uint64_t address, uint64_t *value)
{
	return world_code(w, address, (unsigned char *)value, sizeof(*value)) == sizeof(*value);
}

static ssize_t read_code(void *arg, pid_t tid, uint64_t address, void *to, size_t size)
{
	(void)arg;
	assert_int_equal(tid, world.pid);
	return (ssize_t)world_code(&world, address, to, size);
}

struct counts {
	/*
	 * .claimed: number of paths that are marked as complete, although a frame is missing or
	 * wrong
	 */
	unsigned int steps, right, claimed;
};

static bool is_frame(const struct opd_frame *f, uint64_t returns_to, uint64_t time)
{
	struct opd_process *p = opd_processes_find(processes, time, world.pid);
	const struct opd_map *map = opd_process_map(processes, p, time, returns_to - 1);
	uint64_t offset = returns_to - 1;

	if (!map)
		return false;
	return map->file ? f->domain == OPD_USER_FILE && f->offset == offset - map->start + map->pgoff
			 : f->domain == OPD_USER_ANON && f->offset == offset;
}

/* Return the call path that the daemon computes at this step for a sample of perf_events. */
static const struct opd_path *walk_at_this_step(struct opd_perf_walker *w, uint64_t time)
{
	static unsigned char stack[COPIED];
	static uint64_t regs[17];
	const struct user_regs_struct *u = &world.regs;
	/* the registers in the order of enum perf_event_x86_regs, without the registers that
	 * OPD_PERF_REGS omits */
	const uint64_t values[] = {
		u->rax, u->rbx, u->rcx, u->rdx, u->rsi, u->rdi, u->rbp, u->rsp, u->rip,
		u->r8, u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15,
	};
	struct opd_perf_record r = { .kind = OPD_PERF_SAMPLE, .mode = OPD_PERF_MODE_USER, .pid = world.pid, .tid = world.pid, .time = time };
	const struct opd_path *path;

	memcpy(regs, values, sizeof(regs));
	r.sample.ip = u->rip;
	r.sample.stack.abi = PERF_SAMPLE_REGS_ABI_64;
	r.sample.stack.regs = (unsigned char *)regs;
	r.sample.stack.bytes = stack;
	r.sample.stack.size = world_code(&world, u->rsp, stack, sizeof(stack));
	r.sample.stack.full = true;
	/* Rows are made at most every 50 ms. */
	while ((path = opd_perf_walk(w, &r, opd_processes_find(processes, time, world.pid), true))->end == OPROFILE_UW_NO_TABLE)
		usleep(10000);
	return path;
}

static void compare_path(struct opd_perf_walker *w, uint64_t time, struct counts *counts)
{
	const struct opd_path *path = walk_at_this_step(w, time);
	bool same = path->nr > shadow.nr;

	for (size_t i = 0; same && i < shadow.nr; i++)
		same = is_frame(&path->frames[path->nr - 1 - i], shadow.frames[shadow.nr - 1 - i].pc, time);
	counts->steps++;
	counts->right += same && path->end == OPROFILE_UW_WHOLE;
	counts->claimed += !same && path->end == OPROFILE_UW_WHOLE;
}

static bool wait_stopped(int sig)
{
	int status;

	return waitpid(world.pid, &status, 0) == world.pid && WIFSTOPPED(status) && WSTOPSIG(status) == sig;
}

static struct counts step_through(enum way way)
{
	struct counts counts = { 0 };
	struct opd_perf_walker *w;
	struct opd_perf_code *code;
	struct stat st, seen = { 0 };
	uint64_t time = 0;

	world.pid = fork();
	if (!world.pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		run_code(way);
	}
	snprintf(dump_path, sizeof(dump_path), "/tmp/jit-%d.dump", (int)world.pid);
	shadow = (struct shadow){ 0 };
	assert_true(wait_stopped(SIGSTOP));
	assert_int_equal(opd_made_tables_create(&made, write_made_rows, NULL), 0);
	assert_int_equal(opd_processes_scan(processes, world.pid, opd_perf_now()), 0);
	assert_int_equal(opd_perf_walker_create(&w, 128, processes, tables, made, NULL), 0);
	assert_int_equal(opd_perf_code_create(&code, read_code, NULL), 0);
	opd_perf_walker_set_code(w, code);
	world.machine = OPROFILE_UW_X86_64;
	assert_int_equal(ptrace(PTRACE_GETREGS, world.pid, NULL, &world.regs), 0);
	for (;;) {
		struct user_regs_struct before = world.regs;
		enum shadow_kind kind = shadow_kind(&world);

		assert_int_equal(ptrace(PTRACE_SINGLESTEP, world.pid, NULL, NULL), 0);
		if (!wait_stopped(SIGTRAP))
			break;
		assert_int_equal(ptrace(PTRACE_GETREGS, world.pid, NULL, &world.regs), 0);
		shadow_step(&shadow, &world, kind, &before);
		/*
		 * Use the time of the dump's last change as the sample's time, which avoids reading
		 * the dump again.
		 */
		assert_int_equal(stat(dump_path, &st), 0);
		if (st.st_size != seen.st_size)
			time = opd_perf_now();
		seen = st;
		compare_path(w, time, &counts);
	}
	kill(world.pid, SIGKILL);
	waitpid(world.pid, NULL, 0);
	unlink(dump_path);
	opd_perf_walker_destroy(w);
	opd_perf_code_destroy(code);
	opd_made_tables_destroy(made);
	print_message("way %d: %u steps, %u right, %u claimed\n", way, counts.steps, counts.right, counts.claimed);
	return counts;
}

static int begin(void **state)
{
	(void)state;
	return opd_images_create(&images) || opd_mapped_files_create(&files, images) ||
	       opd_processes_create(&processes, files, "/proc") || opd_unwind_tables_create(&tables, make_table, NULL) ? -1 : 0;
}

static int end(void **state)
{
	(void)state;
	opd_unwind_tables_destroy(tables);
	opd_processes_destroy(processes);
	opd_mapped_files_destroy(files);
	opd_images_destroy(images);
	return 0;
}

static void jit_code_with_rows_is_walked(void **state)
{
	struct counts counts = step_through(DESCRIBED);

	(void)state;
	assert_true(counts.steps > 500);
	assert_int_equal(counts.claimed, 0);
	assert_int_equal(counts.right, counts.steps);
}

static void replaced_jit_code_is_walked(void **state)
{
	struct counts counts = step_through(REPLACED);

	(void)state;
	assert_true(counts.steps > 500);
	assert_int_equal(counts.claimed, 0);
	assert_true(counts.right >= counts.steps / 1000 * 999);
}

static void jit_code_without_rows_yields_no_wrong_path(void **state)
{
	struct counts counts = step_through(UNDESCRIBED);

	(void)state;
	assert_true(counts.steps > 500);
	assert_int_equal(counts.claimed, 0);
}

static void jit_code_with_frame_pointers_is_walked(void **state)
{
	struct counts counts = step_through(WITH_FP);

	(void)state;
	assert_true(counts.steps > 500);
	assert_int_equal(counts.claimed, 0);
	assert_true(counts.right >= counts.steps / 100 * 85);
}

static void jit_code_is_walked_by_inferred_frame(void **state)
{
	struct counts counts = step_through(SHOWN);

	(void)state;
	assert_true(counts.steps > 500);
	assert_int_equal(counts.claimed, 0);
	assert_true(counts.right >= counts.steps / 100 * 85);
}

/* Step through JIT code that is entered by a jump. */
static void check_jumped(enum way way, unsigned int percent)
{
	struct counts counts = step_through(way);

	assert_true(counts.steps > 500);
	assert_int_equal(counts.claimed, 0);
	assert_true(counts.right >= counts.steps / 100 * percent);
}

static void jit_code_that_jumps_back_is_walked(void **state)
{
	(void)state;
	check_jumped(JUMPED, 99);
}

static void jit_code_with_indirect_jumps_is_walked(void **state)
{
	(void)state;
	check_jumped(JUMPED_ANYWHERE, 99);
}

/* The path is right although the row of enter_coarse() is wrong at the beginning and the end of the
 * function. */
static void jit_code_entered_from_coarse_rows_is_walked(void **state)
{
	(void)state;
	check_jumped(JUMPED_COARSE, 75);
}

static void jit_code_with_unknown_frame_size_yields_no_wrong_path(void **state)
{
	(void)state;
	check_jumped(JUMPED_LOST, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jit_code_that_jumps_back_is_walked),
		cmocka_unit_test(jit_code_with_indirect_jumps_is_walked),
		cmocka_unit_test(jit_code_entered_from_coarse_rows_is_walked),
		cmocka_unit_test(jit_code_with_unknown_frame_size_yields_no_wrong_path),
		cmocka_unit_test(jit_code_is_walked_by_inferred_frame),
		cmocka_unit_test(jit_code_with_rows_is_walked),
		cmocka_unit_test(replaced_jit_code_is_walked),
		cmocka_unit_test(jit_code_without_rows_yields_no_wrong_path),
		cmocka_unit_test(jit_code_with_frame_pointers_is_walked),
	};

	return cmocka_run_group_tests(tests, begin, end);
}

#else

int main(void)
{
	puts("the code that this test makes is x86_64's");
	return 77;
}

#endif
