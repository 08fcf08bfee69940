// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_perf_walk.c -- tests walks of this program's own stack: copies the stack to a
 * simulated perf_events sample, and checks the call path.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "daemon/image/image.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/process.h"
#include "daemon/image/process_proc.h"
#include "daemon/image/unwind_tables.h"
#include "daemon/source/perf_regs.h"
#include "daemon/source/perf_stacks.h"
#include "daemon/source/perf_attribute.h"
#include "daemon/source/perf_walk.h"

#define DEEP	12
#define COPIED	(48 << 10)
#define KERNEL	0xffffffff81000000ull

static struct opd_images *images;
static struct opd_mapped_files *files;
static struct opd_processes *processes;
static struct opd_unwind_tables *tables;
static bool has_tables = true;

/* Build an unwind table, as opsymbols builds it for the daemon. */
static void make_table(void *arg, const struct opd_image *image)
{
	int fd = has_tables ? open(image->path, O_RDONLY | O_CLOEXEC) : -1, out = memfd_create("table", MFD_CLOEXEC);
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

static int begin(void **state)
{
	(void)state;
	return opd_images_create(&images) || opd_mapped_files_create(&files, images) ||
	       opd_processes_create(&processes, files, "/proc") || opd_unwind_tables_create(&tables, make_table, NULL) ||
	       opd_processes_scan(processes, getpid(), opd_perf_now()) ? -1 : 0;
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

/* A sample of perf_events, as the kernel would have recorded it. */
struct sample {
	struct opd_perf_record record;
	uint64_t regs[64];
	uint64_t chain[4];
	unsigned char stack[COPIED];
	/* addresses to which the functions below return, innermost first */
	uint64_t returns[DEEP + 1];
};

static struct sample sample;

static void read_regs(const ucontext_t *uc)
{
#if defined(__x86_64__)
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
				     REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		sample.regs[i] = (uint64_t)uc->uc_mcontext.gregs[order[i]];
	sample.record.sample.ip = sample.regs[8];
#elif defined(__aarch64__)
	for (size_t i = 0; i < 31; i++)
		sample.regs[i] = uc->uc_mcontext.regs[i];
	sample.regs[31] = uc->uc_mcontext.sp;
	sample.regs[32] = sample.record.sample.ip = uc->uc_mcontext.pc;
#else
	(void)uc;
#endif
}

static uint64_t stack_pointer(void)
{
	struct opd_perf_regs regs;

	assert_int_equal(opd_perf_regs_init(&regs, PERF_SAMPLE_REGS_ABI_64, (unsigned char *)sample.regs), 0);
	return opd_perf_reg_sp(&regs);
}

/* AddressSanitizer must not check this function: it reads other functions' frames and the red zone
 * below them, as the kernel does when it copies a stack. */
static __attribute__((noinline, no_sanitize("address"))) void simulate_sample(void)
{
	struct opd_perf_stack *s = &sample.record.sample.stack;
	ucontext_t uc;
	uint64_t sp;

	memset(&sample.record, 0, sizeof(sample.record));
	getcontext(&uc);
	sample.returns[0] = (uintptr_t)__builtin_return_address(0);
	read_regs(&uc);
	sp = stack_pointer();
	sample.record.kind = OPD_PERF_SAMPLE;
	sample.record.mode = OPD_PERF_MODE_USER;
	sample.record.pid = sample.record.tid = getpid();
	sample.record.time = opd_perf_now();
	s->abi = PERF_SAMPLE_REGS_ABI_64;
	s->regs = (unsigned char *)sample.regs;
	s->bytes = sample.stack;
	/* The copy reaches at least to main() and its callers, or to the end of the stack. */
	for (s->size = 0; s->size < sizeof(sample.stack) && sp + s->size < (uintptr_t)environ; s->size += 8) {
		uint64_t word = *(volatile uint64_t *)(sp + s->size);

		memcpy(sample.stack + s->size, &word, 8);
	}
	s->full = true;
}

static __attribute__((noinline)) int recurse(int depth)
{
	volatile char room[256];

	room[0] = (char)depth;
	sample.returns[depth + 1] = (uintptr_t)__builtin_return_address(0);
	if (depth)
		recurse(depth - 1);
	else
		simulate_sample();
	return room[0];
}

static const struct opd_path *walk(unsigned int depth, struct opd_perf_walker **w)
{
	struct opd_process *p = opd_processes_find(processes, sample.record.time, getpid());

	assert_int_equal(opd_perf_walker_create(w, depth, processes, tables, NULL, NULL), 0);
	return opd_perf_walk(*w, &sample.record, p, true);
}

/*
 * Return whether the frame is the call before the return address @returns_to, according to
 * /proc/self/maps.
 */
static bool is_frame(const struct opd_frame *f, uint64_t returns_to)
{
	struct opd_process *p = opd_processes_find(processes, sample.record.time, getpid());
	const struct opd_map *map = opd_process_map(processes, p, sample.record.time, returns_to - 1);

	return f->domain == OPD_USER_FILE && map && map->file && f->image == opd_mapped_file_image(map->file, p->tgid) &&
	       f->offset == returns_to - 1 - map->start + map->pgoff && f->how == OPROFILE_UW_HOW_TABLE;
}

static void complete_path_has_all_callers(void **state)
{
	struct opd_perf_walker *w;
	const struct opd_path *path;

	(void)state;
	recurse(DEEP - 1);
	path = walk(128, &w);
	assert_int_equal(path->end, OPROFILE_UW_WHOLE);
	/* the frames of this function, of cmocka, of main() and of its callers */
	assert_true(path->nr > DEEP + 3);
	for (size_t i = 0; i <= DEEP; i++)
		assert_true(is_frame(&path->frames[path->nr - 1 - i], sample.returns[i]));
	opd_perf_walker_destroy(w);
}

static void small_stack_copy_ends_path(void **state)
{
	struct opd_perf_walker *w;
	const struct opd_path *path;

	(void)state;
	recurse(DEEP - 1);
	sample.record.sample.stack.size = 2048;
	path = walk(128, &w);
	assert_int_equal(path->end, OPROFILE_UW_COPY);
	assert_true(path->nr > 1 && path->nr < DEEP);
	assert_true(is_frame(&path->frames[path->nr - 1], sample.returns[0]));
	opd_perf_walker_destroy(w);

	/* Simulate that the kernel could copy only a part of the stack. */
	sample.record.sample.stack.full = false;
	path = walk(128, &w);
	assert_int_equal(path->end, OPROFILE_UW_STACK);
	opd_perf_walker_destroy(w);
}

/* In code without unwind rows, if a frame pointer points to an address just after the copy, the
 * next copies are larger. */
static void frame_pointer_beyond_copy_ends_path(void **state)
{
	void *made = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct opd_perf_walker *w;

	(void)state;
#if defined(__x86_64__)
	recurse(1);
	sample.record.sample.stack.size = 2048;
	sample.regs[8] = sample.record.sample.ip = (uintptr_t)made + 64;
	sample.regs[6] = stack_pointer() + 4096;
	assert_int_equal(walk(128, &w)->end, OPROFILE_UW_COPY);
	opd_perf_walker_destroy(w);
	/* The frame pointer is not an address of the stack. */
	sample.regs[6] = stack_pointer() + (64 << 20);
	assert_int_equal(walk(128, &w)->end, OPROFILE_UW_NO_ROW);
	opd_perf_walker_destroy(w);
#else
	(void)w;
#endif
	munmap(made, 4096);
}

static size_t nr_reads;

/* Read the stack as it was at the time of the sample. */
static ssize_t read_sampled(void *arg, pid_t tid, uint64_t address, void *to, size_t size)
{
	uint64_t at = address - stack_pointer();

	(void)arg;
	nr_reads++;
	assert_int_equal(tid, 42);
	assert_true(at < COPIED);
	if (size > COPIED - at)
		size = COPIED - at;
	memcpy(to, sample.record.sample.stack.bytes + at, size);
	return (ssize_t)size;
}

/* If the copy of the stack is small, walks continue in a cached part of the stack. Such a path is
 * marked as incomplete, because that part may have changed between the sample and the read. */
static void walk_continues_in_cached_stack(void **state)
{
	struct opd_perf_stacks *stacks;
	struct opd_perf_walker *w;
	const struct opd_path *path;

	(void)state;
	recurse(DEEP - 1);
	sample.record.pid = sample.record.tid = 42;
	sample.record.sample.stack.size = 2048;
	nr_reads = 0;
	assert_int_equal(opd_perf_stacks_create(&stacks, read_sampled, NULL), 0);
	assert_int_equal(opd_perf_walker_create(&w, 128, processes, tables, NULL, stacks), 0);
	for (int times = 0; times < 3; times++) {
		path = opd_perf_walk(w, &sample.record, opd_processes_find(processes, sample.record.time, getpid()), true);
		assert_int_equal(path->end, OPROFILE_UW_OUTER);
		for (size_t i = 0; i <= DEEP; i++)
			assert_true(is_frame(&path->frames[path->nr - 1 - i], sample.returns[i]));
		/* A copy that ends at another address of the same stack needs no new read. */
		sample.record.sample.stack.size = times ? 1500 : 3000;
	}
	assert_int_equal(nr_reads, 1);
	assert_int_equal(opd_perf_stacks_counters(stacks)->read, 1);
	assert_int_equal(opd_perf_stacks_counters(stacks)->kept, 2);
	opd_perf_walker_destroy(w);
	opd_perf_stacks_destroy(stacks);
}

static void path_ends_at_depth_limit(void **state)
{
	struct opd_perf_walker *w;
	const struct opd_path *path;

	(void)state;
	recurse(DEEP - 1);
	path = walk(5, &w);
	assert_int_equal(path->end, OPROFILE_UW_DEPTH);
	assert_int_equal(path->nr, 5);
	assert_true(is_frame(&path->frames[0], sample.returns[4]));
	opd_perf_walker_destroy(w);
}

/* The path has the user frames first, including the innermost one, then the kernel frames except
 * the sampled address itself. */
static void kernel_frames_follow_user_frames(void **state)
{
	struct opd_perf_stack *s = &sample.record.sample.stack;
	struct opd_perf_walker *w;
	const struct opd_path *path;

	(void)state;
	recurse(DEEP - 1);
	sample.record.mode = OPD_PERF_MODE_KERNEL;
	sample.chain[0] = (uint64_t)PERF_CONTEXT_KERNEL;
	sample.chain[1] = KERNEL + 1;
	sample.chain[2] = KERNEL + 101;
	sample.chain[3] = KERNEL + 201;
	s->chain = (unsigned char *)sample.chain;
	s->nr_chain = 4;
	path = walk(128, &w);
	assert_int_equal(path->end, OPROFILE_UW_WHOLE);
	for (size_t i = 0; i < 2; i++) {
		const struct opd_frame *f = &path->frames[path->nr - 2 + i];

		assert_int_equal(f->domain, OPD_KERNEL);
		assert_int_equal(f->how, OPROFILE_UW_HOW_KERNEL);
		assert_int_equal(f->offset, KERNEL + (i ? 100 : 200));
	}
	assert_true(is_frame(&path->frames[path->nr - 3], sample.record.sample.ip + 1));
	assert_true(is_frame(&path->frames[path->nr - 4], sample.returns[0]));
	opd_perf_walker_destroy(w);

	/* A kernel thread has no user frames, so its path is whole; an exiting program has lost its
	 * user frames. */
	s->abi = PERF_SAMPLE_REGS_ABI_NONE;
	path = walk(128, &w);
	assert_int_equal(path->nr, 2);
	assert_int_equal(path->end, OPROFILE_UW_EXITING);
	path = opd_perf_walk(w, &sample.record, NULL, true);
	assert_int_equal(path->nr, 2);
	assert_int_equal(path->end, OPROFILE_UW_WHOLE);
	opd_perf_walker_destroy(w);
}

/* Return the id of a process that has ended. */
static pid_t ended_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* The cache of the last two mappings is cleared for each walk, so that it is not used for another
 * process. */
static void mapping_cache_is_per_walk(void **state)
{
	uint64_t time = opd_perf_now();
	struct opd_perf_walker *w;
	const struct opd_path *path;
	pid_t other = ended_process();
	size_t nr;

	(void)state;
	opd_processes_fork(processes, time, other, getpid());
	opd_processes_exec(processes, time, other);
	recurse(1);
	nr = walk(128, &w)->nr;
	opd_perf_walker_destroy(w);
	/* The outermost frame of this program is _start(). A walk that ends earlier has ended in
	 * the C library. */
	path = walk((unsigned int)nr - 1, &w);
	assert_int_equal(path->end, OPROFILE_UW_DEPTH);
	assert_ptr_not_equal(path->frames[0].image, path->frames[nr - 2].image);
	path = opd_perf_walk(w, &sample.record, opd_processes_find(processes, time + 1, other), true);
	assert_int_equal(path->end, OPROFILE_UW_MAPPING);
	assert_int_equal(path->nr, 0);
	opd_perf_walker_destroy(w);
}

static void missing_table_ends_path(void **state)
{
	struct opd_unwind_tables *others = tables;
	struct opd_perf_walker *w;
	const struct opd_path *path;

	(void)state;
	has_tables = false;
	assert_int_equal(opd_unwind_tables_create(&tables, make_table, NULL), 0);
	recurse(1);
	path = walk(128, &w);
	assert_int_equal(path->nr, 0);
	assert_int_equal(path->end, OPROFILE_UW_NO_TABLE);
	opd_perf_walker_destroy(w);
	opd_unwind_tables_destroy(tables);
	tables = others;
	has_tables = true;
}

/*
 * Change a return address of the sample to an address that does not follow a call: the path must
 * end there, whatever the table's rows are.
 */
static void overwrite_return_address(uint64_t address)
{
	bool changed = false;
	uint64_t word;

	/* Change every copy of the address: unused bytes of a frame may contain an older copy. */
	for (size_t at = 0; at + 8 <= sample.record.sample.stack.size; at += 8) {
		memcpy(&word, sample.stack + at, 8);
		if (word != address)
			continue;
		word += 4;
		memcpy(sample.stack + at, &word, 8);
		changed = true;
	}
	assert_true(changed);
}

/* The cached outer part of a stack may have changed before it was read, so a walk that fails in
 * this part has its own reason for the end. */
static void invalid_return_address_in_cached_stack_is_reported(void **state)
{
	struct opd_perf_stacks *stacks;
	struct opd_perf_walker *w;
	const struct opd_path *path;

	(void)state;
	recurse(DEEP - 1);
	/* The changed return address is beyond the copy of 2048 bytes. */
	overwrite_return_address(sample.returns[DEEP]);
	sample.record.pid = sample.record.tid = 42;
	sample.record.sample.stack.size = 2048;
	assert_int_equal(opd_perf_stacks_create(&stacks, read_sampled, NULL), 0);
	assert_int_equal(opd_perf_walker_create(&w, 128, processes, tables, NULL, stacks), 0);
	path = opd_perf_walk(w, &sample.record, opd_processes_find(processes, sample.record.time, getpid()), true);
	assert_int_equal(path->end, OPROFILE_UW_OUTER);
	assert_int_equal(path->nr, DEEP);
	opd_perf_walker_destroy(w);
	opd_perf_stacks_destroy(stacks);
}

static void return_address_without_call_ends_path(void **state)
{
	struct opd_perf_walker *w;
	const struct opd_path *path;

	(void)state;
	recurse(DEEP - 1);
	overwrite_return_address(sample.returns[1]);
	path = walk(128, &w);
	assert_int_equal(path->end, OPROFILE_UW_NOT_CALLED);
	assert_int_equal(path->nr, 1);
	opd_perf_walker_destroy(w);
}

#ifdef __x86_64__
/* Code without unwind rows, from which no rule can be inferred. */
__asm__(".pushsection .text\n"
	"jmp *%rax\n"
	".balign 32\n"
	"nop\n"
	"call *%rax\n"
	"chain_return: jmp *%rax\n"
	".balign 32\n"
	".popsection\n");
extern const char chain_return[], _start[];

/* Return the reason for the end of a path of @nr frames of 60 words, which are linked only by frame
 * pointers. */
static unsigned int end_of_chain(unsigned int nr)
{
	struct opd_perf_stack *s = &sample.record.sample.stack;
	uint64_t frame[62] = { 0 }, begin = 0, word;
	struct opd_perf_walker *w;
	unsigned int ret;

	recurse(0);
	for (size_t at = 0; at + 8 <= s->size; at += 8) {
		memcpy(&word, sample.stack + at, 8);
		if (word > (uintptr_t)_start && word < (uintptr_t)_start + 64)
			begin = word;
	}
	assert_true(begin);
	s->size = sizeof(frame) * nr;
	assert_true(s->size <= sizeof(sample.stack));
	sample.regs[6] = sample.regs[7] + sizeof(frame) - 16;
	sample.regs[8] = sample.record.sample.ip = (uintptr_t)chain_return;
	for (unsigned int i = 0; i < nr; i++) {
		frame[60] = sample.regs[6] + (i + 1) * sizeof(frame);
		frame[61] = i + 1 < nr ? (uintptr_t)chain_return : begin;
		memcpy(sample.stack + i * sizeof(frame), frame, sizeof(frame));
	}
	ret = walk(128, &w)->end;
	opd_perf_walker_destroy(w);
	return ret;
}

/*
 * The number of stack words that are examined is limited, because the profiled program determines
 * it.
 */
static void examined_stack_words_are_limited(void **state)
{
	(void)state;
	assert_int_equal(end_of_chain(10), OPROFILE_UW_WHOLE);
	assert_int_equal(end_of_chain(40), OPROFILE_UW_LEAF);
}
#endif

static void count(void *arg, const struct opd_image *image)
{
	(void)image;
	++*(unsigned int *)arg;
}

/*
 * Requests for tables have a budget, because the daemon examines files for each request, and any
 * user can map any number of files.
 */
static void table_requests_have_a_budget(void **state)
{
	struct opd_unwind_tables *many;
	unsigned int asked = 0;
	char name[40];

	(void)state;
	assert_int_equal(opd_unwind_tables_create(&many, count, &asked), 0);
	for (unsigned int i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "/many/%u", i);
		assert_null(opd_unwind_tables_get(many, opd_images_intern(images, name, 1, i + 2, 3))->file);
	}
	assert_true(asked > 1000 && asked < 40000);
	opd_unwind_tables_destroy(many);
}

struct waiting {
	struct opd_sink sink;
	int asked, patience;
	unsigned int nr, end;
};

static bool may_hold(void *arg)
{
	struct waiting *w = arg;

	return w->asked++ < w->patience;
}

static void count_path(struct opd_sink *sink, const struct opd_context *ctx, const struct opd_sample *samples, size_t nr)
{
	struct waiting *w = (struct waiting *)sink;

	(void)samples;
	w->nr += nr;
	w->end = ctx->path->end;
}

/* A sample that needs a table is held back for a limited time, and gets its path if the table was
 * built in this time. */
static void sample_waits_for_table(void **state)
{
	struct waiting w = { .sink.samples = count_path, .patience = 3 };
	struct opd_perf_attributor *a = malloc(sizeof(*a));

	(void)state;
	assert_non_null(a);
	recurse(3);
	for (int is_built = 0; is_built < 2; is_built++) {
		w.asked = w.nr = 0;
		opd_unwind_tables_destroy(tables);
		has_tables = false;
		assert_int_equal(opd_unwind_tables_create(&tables, make_table, NULL), 0);
		opd_perf_attributor_init(a, processes, &w.sink);
		a->may_hold = may_hold;
		a->may_hold_arg = &w;
		assert_int_equal(opd_perf_walker_create(&a->walker, 128, processes, tables, NULL, NULL), 0);
		for (int i = 0; i < 3; i++)
			assert_false(opd_perf_attribute_sample(a, 0, 0, &sample.record, NULL));
		opd_perf_attribute_end(a);
		assert_int_equal(w.nr + a->counters.received, 0);
		has_tables = true;
		if (is_built) {
			opd_unwind_tables_destroy(tables);
			assert_int_equal(opd_unwind_tables_create(&tables, make_table, NULL), 0);
			opd_perf_walker_destroy(a->walker);
			assert_int_equal(opd_perf_walker_create(&a->walker, 128, processes, tables, NULL, NULL), 0);
		}
		assert_true(opd_perf_attribute_sample(a, 0, 0, &sample.record, NULL));
		assert_int_equal(w.nr, 1);
		assert_int_equal(a->counters.received, 1);
		assert_int_equal(w.end, is_built ? OPROFILE_UW_WHOLE : OPROFILE_UW_NO_TABLE);
		opd_perf_walker_destroy(a->walker);
	}
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_path_has_all_callers),
		cmocka_unit_test(small_stack_copy_ends_path),
		cmocka_unit_test(frame_pointer_beyond_copy_ends_path),
		cmocka_unit_test(walk_continues_in_cached_stack),
		cmocka_unit_test(path_ends_at_depth_limit),
		cmocka_unit_test(kernel_frames_follow_user_frames),
		cmocka_unit_test(mapping_cache_is_per_walk),
		cmocka_unit_test(missing_table_ends_path),
		cmocka_unit_test(invalid_return_address_in_cached_stack_is_reported),
		cmocka_unit_test(return_address_without_call_ends_path),
#ifdef __x86_64__
		cmocka_unit_test(examined_stack_words_are_limited),
#endif
		cmocka_unit_test(table_requests_have_a_budget),
		cmocka_unit_test(sample_waits_for_table),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
