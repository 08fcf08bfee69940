// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inside.c -- a library that steps through the program that it is preloaded to: after every instruction the probe takes a
 * sample, as its signal handler does, and the path in its tree is compared with the calls and returns that happened.
 *
 * $STEPS is how many instructions are judged, of a program that shows its main() (-rdynamic) in there; $STEPS_AFTER how many
 * are only followed before that. One line on stderr, then the process is at its end.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

#include "probe/arch/context.h"
#include "probe/arch/registers.h"
#include "probe/linux/calls.h"
#include "probe/state.h"
#include "tests/paths/shadow.h"

/* No frame is marked here. */
void marker_returned(uint64_t sp)
{
	(void)sp;
	abort();
}

#define TRAP_FLAG	0x100
#define EXIT_GROUP	231
#define SHOWN		20

static struct arena_file file;		/* there is none: all is in memory */
static struct arena arena;
static struct epochs epochs;
static struct states states;
static struct state *state;
static struct shadow shadow;
static struct world world;
static enum shadow_kind kind;		/* of the instruction before */
static struct user_regs_struct before;
static uint64_t entry, after, left;
static uint64_t first;			/* where it is judged from; 0: at once */
static unsigned int outside;		/* frames around that */
static bool is_begun;
/* In the program itself, in libraries, and in the one that throws, where some of the instructions are a loss: a landing. */
enum where { PROGRAM, LIBRARY, RUNTIME, NR_WHERE };
static const char *const names[NR_WHERE] = { "program", "library", "runtime" };
static struct { unsigned long judged, right; } counts[NR_WHERE];
static unsigned long judged, landings, deepest, shown;
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

static const char *file_of(const struct epoch_module *m)
{
	const char *name = m ? strrchr(m->known->path, '/') : NULL;

	return name ? name + 1 : m ? m->known->path : "?";
}

static void finish(void)
{
	const struct raw_live_thread *t = arena_at(&state->arena, state->thread);
	unsigned long lost = 0;

	for (int i = 0; i < RAW_LIVE_NR_LOSSES; i++)
		lost += t->samples.lost[i];
	dprintf(2, "judged %lu", judged);
	for (int i = 0; i < NR_WHERE; i++)
		dprintf(2, " %s %lu %lu", names[i], counts[i].judged, counts[i].right);
	dprintf(2, " deepest %lu taken %lu lost %lu landings %lu returns %lu reused %lu\n", deepest,
		(unsigned long)t->samples.taken, lost, landings, shadow.wrong_returns, (unsigned long)state->bt.reused);
	arch_call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* The path in the tree, from the leaf on, against the shadow. How many are the same; -1: all. */
static int compare(uint64_t pc)
{
	uint32_t ref = state->bt.bufstk < state->bt.btend ? state->bt.bufstk->node : 0;
	unsigned int nr = shadow.nr;
	int same = 0;

	while (ref && ref != state->cct.root) {
		const struct raw_live_node *node = cct_node(&state->cct, ref);
		uint64_t want = same ? (nr ? shadow.frames[--nr].pc : 0) : pc;

		if (node->ip != want)
			return same;
		same++;
		ref = node->parent;
	}
	return ref && !nr ? -1 : same;
}

static enum where where_is(const struct epoch_module *m)
{
	if (m && !strcmp(m->known->path, ((struct raw_live_run *)arena_at(&arena, epochs.run))->program))
		return PROGRAM;
	return strncmp(file_of(m), "libgcc_s.", 9) ? LIBRARY : RUNTIME;
}

static void judge(const ucontext_t *c)
{
	struct raw_live_thread *t = arena_at(&state->arena, state->thread);
	uint64_t pc = arch_pc(c), whole = t->samples.complete, lost = t->samples.lost[RAW_LIVE_EXCEPTION];
	const struct epoch_module *m;
	enum where where;
	int same;

	state_sample(&states, state, c, 0, 1);
	m = epoch_find(epochs.now, pc);
	where = where_is(m);
	judged++;
	counts[where].judged++;
	if (shadow.nr > deepest)
		deepest = shadow.nr;
	if (t->samples.lost[RAW_LIVE_EXCEPTION] > lost) {
		landings += where == RUNTIME;
		return;
	}
	same = t->samples.complete > whole ? compare(pc) : -2;
	if (same == -1)
		counts[where].right++;
	else if (shown++ < SHOWN)
		dprintf(2, "  at %s+%#lx: %s, frame %d of %u\n", file_of(m), (unsigned long)(m ? pc - m->loaded_at : pc),
			same < 0 ? "not whole" : "another path", same, shadow.nr);
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

	(void)sig;
	(void)info;
	read_registers(c);
	if (!is_begun && world.regs.rip == entry) {
		is_begun = true;
		shadow.nr = 0;
		shadow.wrong_returns = 0;
	} else if (is_begun) {
		shadow_step(&shadow, &world, kind, &before);
	}
	if (is_begun) {
		kind = shadow_kind(&world);
		before = world.regs;
		if (first && world.regs.rip == first) {
			first = 0;
			outside = shadow.nr;
		}
		if (judged >= left || shadow.nr < outside || (kind == SHADOW_SYSTEM && world.regs.rax == EXIT_GROUP))
			finish();
		if (after)
			after--;
		else if (!first)
			judge(c);
	}
	c->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void fail(const char *what)
{
	dprintf(2, "inside: %s\n", what);
	_exit(125);
}

static void prepare(void)
{
	const struct epoch_module *own;
	struct raw_live_run *run;
	uint32_t ref;

	if (arena_init(&arena, &file, 0))
		fail("no arena");
	ref = arena_alloc(&arena, sizeof(*run));
	run = arena_at(&arena, ref);
	run->nr_metrics = 1;
	if (readlink("/proc/self/exe", run->program, sizeof(run->program) - 1) < 0 ||
	    epochs_init(&epochs, &arena, ref, raw_live_columns(1), NULL))
		fail("no epoch");
	states = (struct states){ .file = &file, .epochs = &epochs };
	own = epoch_find(epochs.now, (uintptr_t)prepare);
	if (own)
		unsafe_add(&states.unsafe, own->start, own->end, UNSAFE_OWN);
	state = state_take(&states, call_getpid(), (uintptr_t)__builtin_frame_address(0) & ~4095UL,
			   getauxval(AT_RANDOM) & ~15UL);
	if (!state)
		fail("no state");
}

__attribute__((constructor)) static void begin(void)
{
	const char *steps = getenv("STEPS"), *follow = getenv("STEPS_AFTER");
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = handlers_stack, .ss_size = sizeof(handlers_stack) };

	if (!steps)
		return;
	left = strtoull(steps, NULL, 0);
	after = follow ? strtoull(follow, NULL, 0) : 0;
	first = (uintptr_t)dlsym(RTLD_DEFAULT, "main");
	entry = getauxval(AT_ENTRY);
	world.machine = OPROFILE_UW_X86_64;
	unsetenv("LD_PRELOAD");
	prepare();
	sigfillset(&action.sa_mask);
	if (sigaltstack(&stack, NULL) || sigaction(SIGTRAP, &action, NULL))
		fail("no handler");
	__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i"(TRAP_FLAG) : "cc", "memory");
}
