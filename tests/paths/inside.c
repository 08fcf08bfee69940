// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inside.c -- a library that single-steps the program into which it is preloaded. After each
 * instruction the probe takes a sample, as its signal handler does; the path in the probe's tree is
 * compared with the calls and returns that were observed.
 *
 * $STEPS: number of instructions to check, in a program that exports main() (-rdynamic).
 * $STEPS_AFTER: number of instructions to follow before, without checks. $STEPS_EVERY: interval of
 * samples in instructions. $STEPS_MARKER, "all" or "last": frames are marked, that is, their return
 * addresses are replaced by a trampoline; the instructions in the trampoline are checked as well.
 * Prints one line to stderr, and ends the process.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

#include "probe/arch/context.h"
#include "probe/arch/registers.h"
#include "probe/linux/calls.h"
#include "probe/probe.h"
#include "probe/wrap/calls.h"
#include "tests/paths/shadow.h"

#define TRAP_FLAG	0x100
#define EXIT_GROUP	231
#define SHOWN		20

enum { SAMPLES, RETURNS, NR_METRICS };	/* metrics of a node of the tree */

/* for the probe's arena: without a file, all data are in memory */
static struct arena_file file;
static struct run run;			/* only the members that the test needs are set */
static struct state *state;
static struct shadow shadow;
static struct world world;
static enum shadow_kind kind;		/* kind of the previous instruction */
static struct user_regs_struct before;
static uint64_t entry, after, left, every, since;
/* number of the first instruction to check; 0: check from the start */
static uint64_t first;
/* number of frames outside of main(), which are not checked */
static unsigned int outside;
static bool is_begun;
/*
 * Where an instruction is: in the program, in libraries, or in libgcc, which unwinds exceptions
 * (some samples there are lost as "exception"); in the trampoline, or in code of the probe (some
 * samples there are lost as "unsafe").
 */
enum where { PROGRAM, LIBRARY, RUNTIME, TRAMPOLINE, OURS, NR_WHERE };
static const char *const names[NR_WHERE] = { "program", "library", "runtime", "trampoline", "ours" };
static struct { unsigned long judged, right; } counts[NR_WHERE];
static unsigned long judged, landings, unsafe, deepest, shown;
/* Number of wrong paths that are marked as complete. */
static unsigned long claimed;
/*
 * State of a return from a marked frame: the return leads to @to, with the stack pointer @sp; 0:
 * there is none. It may be a jump, if setjmp() has saved the replaced return address of its call.
 */
static struct { uint64_t to, sp; unsigned int nr; bool is_jump; unsigned long times, jumps; } passes;
static char handlers_stack[1 << 18];

size_t world_code(struct world *w, uint64_t address, unsigned char *bytes, size_t size)
{
	struct { const void *at; size_t len; } to = { bytes, size }, from = { (const void *)address, size };

	(void)w;
	if ((address & 4095) + size <= 4096)
		memcpy(bytes, from.at, size);
	else
		arch_call(SYS_process_vm_readv, call_getpid(), (long)&to, 1, (long)&from, 1, 0);
	return size;
}

bool world_word(struct world *w, uint64_t address, uint64_t *value)
{
	(void)w;
	memcpy(value, (const void *)address, sizeof(*value));
	return true;
}

struct run *probe_run(void)
{
	return &run;
}

struct state *probe_state(void)
{
	return state;
}

bool probe_is_on(void)
{
	return true;
}

bool probe_is_here(void)
{
	return true;
}

static const char *file_of(const struct epoch_module *m)
{
	const char *name = m ? strrchr(m->known->path, '/') : NULL;

	return name ? name + 1 : m ? m->known->path : "?";
}

static uint64_t returns_counted(uint32_t ref)
{
	const struct raw_live_node *node = cct_node(&state->cct, ref);
	uint64_t sum = node->metrics[RETURNS];

	for (uint32_t child = node->children; child; child = cct_node(&state->cct, child)->sibling)
		sum += returns_counted(child);
	return sum;
}

static void finish(void)
{
	const struct raw_live_thread *t = arena_at(&state->arena, state->thread);
	unsigned long lost = 0;

	for (int i = 0; i < RAW_LIVE_NR_LOSSES; i++)
		lost += t->samples.lost[i];
	dprintf(2, "judged %lu", judged);
	for (int i = 0; i < NR_WHERE; i++)
		dprintf(2, " %s %lu %s_right %lu", names[i], counts[i].judged, names[i], counts[i].right);
	dprintf(2, " claimed %lu", claimed);
	dprintf(2, " deepest %lu taken %lu lost %lu landings %lu unsafe %lu wrong %lu reused %lu", deepest,
		(unsigned long)t->samples.taken, lost, landings, unsafe, shadow.wrong_returns, (unsigned long)state->bt.reused);
#define X(count, name)	t->marker.nr[RAW_LIVE_MARKER_##count],
	const uint64_t marker[] = { RAW_LIVE_MARKER(X) };
	dprintf(2, " passes %lu jumps %lu noticed %lu counted %lu stray %lu gone %lu inside %lu\n", passes.times, passes.jumps,
		(unsigned long)marker[RAW_LIVE_MARKER_RETURNS], run.words.marks ? (unsigned long)returns_counted(state->cct.root) : 0,
		(unsigned long)marker[RAW_LIVE_MARKER_STRAY], (unsigned long)marker[RAW_LIVE_MARKER_LOST],
		(unsigned long)marker[RAW_LIVE_MARKER_SAMPLES]);
	arch_call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/*
 * Compare the path in the tree, from the leaf @ref on, with @pc and the outermost @nr frames of the
 * shadow stack, without frames of the probe. Return the number of equal frames, or -1 if all are
 * equal.
 */
static int compare(uint32_t ref, uint64_t pc, unsigned int nr)
{
	int same = 0;

	while (ref && ref != state->cct.root) {
		const struct raw_live_node *node = cct_node(&state->cct, ref);

		if (node->ip != pc)
			return same;
		same++;
		ref = node->parent;
		while (nr && states_is_own(&run.states, shadow.frames[nr - 1].pc))
			nr--;
		pc = nr ? shadow.frames[--nr].pc : 0;
	}
	return ref && !pc ? -1 : same;
}

static enum where kind_of_module(const struct epoch_module *m)
{
	if (m && !strcmp(m->known->path, run_record(&run)->program))
		return PROGRAM;
	return strncmp(file_of(m), "libgcc_s.", 9) ? LIBRARY : RUNTIME;
}

/*
 * Take a sample during a return from a marked frame; it belongs to the frame to which the program
 * returns. Return the number of correct frames, -1 if all are correct, or -2 if there is no frame.
 */
static int sample_during_return(const ucontext_t *c)
{
	uint32_t ref = marker_goes_to(&state->marker, &state->bt, arch_pc(c), arch_sp(c));
	uint64_t had = ref ? cct_node(&state->cct, ref)->metrics[SAMPLES] : 0;

	state_sample(&run.states, state, c, SAMPLES, 1);
	return ref && cct_node(&state->cct, ref)->metrics[SAMPLES] == had + 1 ? compare(ref, passes.to, passes.nr) : -2;
}

static void check_sample(const ucontext_t *c)
{
	struct raw_live_thread *t = arena_at(&state->arena, state->thread);
	uint64_t pc = arch_pc(c), whole = t->samples.complete, landed = t->samples.lost[RAW_LIVE_EXCEPTION];
	uint64_t in_unsafe = t->samples.lost[RAW_LIVE_UNSAFE];
	bool in_trampoline = marker_is_trampoline(pc), is_ours = !in_trampoline && states_is_own(&run.states, pc);
	const struct epoch_module *m;
	enum where where;
	int same = 0;

	if (passes.to)
		same = sample_during_return(c);
	else
		state_sample(&run.states, state, c, SAMPLES, 1);
	m = epoch_find(run.epochs.now, pc);
	where = in_trampoline ? TRAMPOLINE : is_ours ? OURS : kind_of_module(m);
	judged++;
	counts[where].judged++;
	if (shadow.nr > deepest)
		deepest = shadow.nr;
	if (t->samples.lost[RAW_LIVE_EXCEPTION] > landed) {
		landings += where == RUNTIME;
		return;
	}
	if ((is_ours || passes.is_jump) && t->samples.lost[RAW_LIVE_UNSAFE] > in_unsafe) {
		unsafe++;
		return;
	}
	if (t->samples.complete == whole)
		same = -2;
	else if (!passes.to)
		same = compare(state->bt.bufstk < state->bt.btend ? state->bt.bufstk->node : 0, pc, shadow.nr);
	if (same == -1)
		counts[where].right++;
	else if (t->samples.complete > whole)
		claimed++;
	if (same != -1 && shown++ < SHOWN)
		dprintf(2, "  at %s+%#lx: %s, frame %d of %u\n", file_of(m), (unsigned long)(m ? pc - m->loaded_at : pc),
			same < 0 ? "not whole" : "another path", same, shadow.nr);
}

/*
 * Update the shadow stack as the program intends: a jump to one of the probe's stubs counts as a
 * jump to the stub's target.
 */
static void follow(uint64_t pc)
{
	uint64_t to = passes.to ? pc : marker_real(pc);

	if (to != pc) {
		world.regs.rip = passes.to = to;
		passes.sp = world.regs.rsp;
		/*
		 * A system call and the next instruction, which may be a return, are stepped over
		 * together.
		 */
		passes.is_jump = kind != SHADOW_RETURN && kind != SHADOW_SYSTEM;
		passes.times++;
		passes.jumps += passes.is_jump;
	}
	shadow_step(&shadow, &world, kind, &before);
	world.regs.rip = pc;
	if (to != pc) {
		passes.nr = shadow.nr;
	} else if (pc == passes.to && world.regs.rsp == passes.sp) {
		passes.to = 0;
		passes.is_jump = false;
	}
}

static void read_registers(const ucontext_t *c)
{
	world.regs.rip = arch_pc(c);
	world.regs.rsp = arch_sp(c);
	world.regs.rax = arch_register(c, 0);
}

static void on_step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	bool is_over;

	(void)sig;
	(void)info;
	read_registers(c);
	if (!is_begun && world.regs.rip == entry) {
		is_begun = true;
		shadow.nr = 0;
		shadow.wrong_returns = 0;
	} else if (is_begun) {
		follow(arch_pc(c));
	}
	if (is_begun) {
		kind = shadow_kind(&world);
		before = world.regs;
		if (first && world.regs.rip == first) {
			first = 0;
			outside = shadow.nr;
		}
		/*
		 * Do not end during a return from a marked frame, because the probe notices such a
		 * return in its middle.
		 */
		is_over = judged >= left || shadow.nr < outside || (kind == SHADOW_SYSTEM && world.regs.rax == EXIT_GROUP);
		if (is_over && !passes.to)
			finish();
		if (after)
			after--;
		else if (!first && !is_over && ++since >= every)
			since = 0, check_sample(c);
	}
	c->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void fail(const char *what)
{
	dprintf(2, "inside: %s\n", what);
	_exit(125);
}

static void add_own_code(const void *code)
{
	struct dl_find_object found;

	if (!code || _dl_find_object((void *)code, &found) ||
	    unsafe_add(&run.states.unsafe, (uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end, UNSAFE_OWN))
		fail("whose code that is");
}

static void prepare(const char *marks)
{
	struct raw_live_run *record;

	if (arena_init(&run.arena, &file, 0))
		fail("no arena");
	run.record = arena_alloc(&run.arena, sizeof(*record));
	record = run_record(&run);
	record->nr_metrics = NR_METRICS;
	if (readlink("/proc/self/exe", record->program, sizeof(record->program) - 1) < 0 ||
	    epochs_init(&run.epochs, &run.arena, run.record, raw_live_columns(NR_METRICS), NULL,
			place.module_loaded))
		fail("no epoch");
	run.states = (struct states){ .file = &file, .run = record, .epochs = &run.epochs };
	add_own_code((const void *)prepare);
	if (marks) {
		if (marker_begin(marker_returned))
			fail("no frame can be marked");
		add_own_code(dlsym(RTLD_DEFAULT, "opprobe_marker_library"));
		run.words.marks = true;
		run.states.marks = (struct marker_rules){ .is_on = true, .counts_all = !strcmp(marks, "all"), .metric = RETURNS };
	}
	state = state_claim(&run.states, call_getpid(), (uintptr_t)__builtin_frame_address(0) & ~4095UL,
			    getauxval(AT_RANDOM) & ~15UL);
	if (!state)
		fail("no state");
}

__attribute__((constructor)) static void begin(void)
{
	const char *steps = getenv("STEPS"), *then = getenv("STEPS_AFTER"), *each = getenv("STEPS_EVERY");
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = handlers_stack, .ss_size = sizeof(handlers_stack) };

	if (!steps)
		return;
	left = strtoull(steps, NULL, 0);
	after = then ? strtoull(then, NULL, 0) : 0;
	every = each ? strtoull(each, NULL, 0) : 1;
	first = (uintptr_t)dlsym(RTLD_DEFAULT, "main");
	entry = getauxval(AT_ENTRY);
	world.machine = OPROFILE_UW_X86_64;
	unsetenv("LD_PRELOAD");
	prepare(getenv("STEPS_MARKER"));
	sigfillset(&action.sa_mask);
	if (sigaltstack(&stack, NULL) || sigaction(SIGTRAP, &action, NULL))
		fail("no handler");
	__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i"(TRAP_FLAG) : "cc", "memory");
}
