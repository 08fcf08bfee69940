// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * judge.c -- single-steps a program, and compares the call path that an unwinder finds at each
 * instruction with the calls and returns that were observed.
 *
 * Usage: judge [--entry | --stopped | --calls=N] [--after=N] [--places] [--no-code] INSTRUCTIONS
 * COMMAND [ARGUMENT...]
 *   --entry    begin at the program's entry point, after the dynamic linker
 *   --after=N  do not check the first N instructions
 *   --stopped  let the program run until it stops itself (SIGSTOP); then trust the path found
 *              there, and verify it by each return through it
 *   --calls=N  the same, until the program makes its N-th system call
 *   --no-code  the unwinder cannot read the code at the program's pc
 *   --places   print the ten places with most wrong or incomplete paths, wrong ones first
 *
 * Prints "judged N whole N short N wrong N runtime N returns N depth N.N deepest N registers N
 * claimed N", then " REASON:N" for each reason of an incomplete path. whole: all frames are right,
 * up to the entry point. runtime: wrong frames while the C++ runtime rewrites the stack. registers:
 * return addresses in a register, which are not compared. claimed: wrong paths that are marked as
 * complete.
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pp/image/elf.h"
#include "tests/paths/shadow.h"
#include "tests/paths/world.h"

#define MAX_PLACES	1024
#define SHOWN_PLACES	10

struct place {
	char image[64];
	uint64_t offset;
	unsigned long count;
	/* why the path ends (enum oprofile_uw_end); -1: the path contains a wrong frame */
	int end;
	unsigned int frame;
};

struct judge {
	struct world world;
	struct shadow shadow;
	unsigned long judged, whole, wrong, runtime, registers, claimed, depth, ends[OPROFILE_UW_NR_ENDS];
	unsigned int deepest, nr_places;
	struct place places[MAX_PLACES];
	/* address ranges of libgcc in the program, if it is linked statically: there the C++
	 * runtime rewrites stacks */
	struct { uint64_t from, to; } runtime_code[64];
	unsigned int nr_runtime;
	char program[256];
};

static const char *const end_names[] = {
#define X(end, name, words) words,
	OPROFILE_UW_ENDS(X)
#undef X
};

/* Find libgcc's unwinder, which may be linked into the program. */
static void find_runtime(struct judge *judge)
{
	const struct pp_elf_section *section;
	struct pp_elf_symbols symbols = { 0 };
	struct pp_elf elf = { 0 };
	char exe[64];
	int fd;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)judge->world.pid);
	if (readlink(exe, judge->program, sizeof(judge->program) - 1) < 0)
		return;
	fd = open(judge->program, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !pp_elf_read(&elf, fd)) {
		section = pp_elf_section_by_name(&elf, ".symtab");
		if (section && !pp_elf_symbols_read(&symbols, &elf, section))
			for (size_t i = 0; i < symbols.nr && judge->nr_runtime < 64; i++) {
				const struct pp_elf_symbol *s = &symbols.items[i];

				if (strncmp(s->name, "_Unwind_", 8) && strncmp(s->name, "uw_", 3))
					continue;
				for (size_t k = 0; k < elf.nr_segments; k++)
					if (elf.segments[k].executable && s->value >= elf.segments[k].vaddr &&
					    s->value < elf.segments[k].vaddr + elf.segments[k].file_size) {
						uint64_t at = s->value - elf.segments[k].vaddr + elf.segments[k].offset;

						judge->runtime_code[judge->nr_runtime].from = at;
						judge->runtime_code[judge->nr_runtime++].to = at + s->size;
						break;
					}
			}
		pp_elf_symbols_release(&symbols);
	}
	pp_elf_release(&elf);
	if (fd >= 0)
		close(fd);
}

static bool in_runtime(struct judge *judge)
{
	uint64_t offset;
	const char *image = world_place(&judge->world, judge->world.regs.rip, &offset);

	if (strstr(image, "/libgcc_s.so"))
		return true;
	for (unsigned int i = 0; i < judge->nr_runtime && !strcmp(image, judge->program); i++)
		if (offset >= judge->runtime_code[i].from && offset < judge->runtime_code[i].to)
			return true;
	return false;
}

static void note_place(struct judge *judge, int end, unsigned int frame)
{
	struct place *place = judge->places;
	uint64_t offset;
	const char *image = world_place(&judge->world, judge->world.regs.rip, &offset), *name = strrchr(image, '/');

	for (; place < judge->places + judge->nr_places; place++)
		if (place->offset == offset && place->end == end && place->frame == frame) {
			place->count++;
			return;
		}
	if (judge->nr_places == MAX_PLACES)
		return;
	judge->nr_places++;
	place->count = 1;
	snprintf(place->image, sizeof(place->image), "%s", name ? name + 1 : image);
	place->offset = offset;
	place->end = end;
	place->frame = frame;
}

/*
 * Return the number of equal frames, counted from the innermost one, in @frames and in the shadow
 * stack without its @skip innermost frames.
 */
static unsigned int nr_same(const struct shadow *shadow, const struct world_frame *frames, unsigned int nr, unsigned int skip)
{
	unsigned int same = 0;

	while (same < nr && same + skip < shadow->nr && frames[same].pc == shadow->frames[shadow->nr - 1 - skip - same].pc &&
	       frames[same].slot == shadow->frames[shadow->nr - 1 - skip - same].slot)
		same++;
	return same;
}

static void compare(struct judge *judge)
{
	static struct world_frame frames[WORLD_MAX_DEPTH];
	const struct shadow *shadow = &judge->shadow;
	unsigned int nr, same;
	int end = world_walk(&judge->world, frames, &nr);

	judge->judged++;
	judge->depth += shadow->nr;
	if (shadow->nr > judge->deepest)
		judge->deepest = shadow->nr;
	/* A return address in a register, as in vfork(), has no address on the stack to compare. */
	if (nr && !frames[0].slot) {
		memmove(frames, frames + 1, --nr * sizeof(frames[0]));
		judge->registers++;
	}
	same = nr_same(shadow, frames, nr, 0);
	/* With this reason, the innermost caller is missing; the other frames must be equal. */
	if (same < nr && end == OPROFILE_UW_LEAF && nr_same(shadow, frames, nr, 1) == nr)
		same = nr;
	if (same < nr) {
		if (in_runtime(judge)) {
			judge->runtime++;
		} else {
			note_place(judge, -1, same);
			judge->wrong++;
			judge->claimed += end == OPROFILE_UW_WHOLE;
		}
	} else if (nr == shadow->nr && end == OPROFILE_UW_WHOLE) {
		judge->whole++;
	} else {
		/* A path that lacks frames but is marked as complete counts as wrong. */
		judge->wrong += end == OPROFILE_UW_WHOLE;
		judge->claimed += end == OPROFILE_UW_WHOLE;
		judge->ends[end]++;
		note_place(judge, end, nr);
	}
}

/*
 * Wait until the program stops. Return 0 and set *@sig to the signal, or return -1 if the program
 * has ended.
 */
static int wait_for(struct judge *judge, int *sig)
{
	int status;

	if (waitpid(judge->world.pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return -1;
	*sig = WSTOPSIG(status);
	world_clear_cache(&judge->world);
	return ptrace(PTRACE_GETREGS, judge->world.pid, 0, &judge->world.regs) ? -1 : 0;
}

/* Let the program run until its @calls-th system call or, if @calls is 0, until it stops itself. */
static int run_to(struct judge *judge, unsigned long calls)
{
	struct world_frame frames[WORLD_MAX_DEPTH];
	unsigned long stops = 2 * calls;
	int sig = 0, with = calls ? PTRACE_SYSCALL : PTRACE_CONT;
	unsigned int nr;

	do {
		if (ptrace(with, judge->world.pid, 0, sig == SIGTRAP ? 0 : sig) || wait_for(judge, &sig))
			return -1;
	} while (calls ? sig != SIGTRAP || --stops : sig != SIGSTOP);
	world_maps_changed(&judge->world);
	if (world_walk(&judge->world, frames, &nr) != OPROFILE_UW_WHOLE)
		return -1;
	while (nr--)
		judge->shadow.frames[judge->shadow.nr++] = frames[nr];
	return 0;
}

/* Return the program's entry point as the kernel reports it, or 0 if unknown. */
static uint64_t entry_point(const struct world *world)
{
	unsigned int word = oprofile_uw_word(world->machine);
	uint64_t pair[2] = { 0 };
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/auxv", (int)world->pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && read(fd, &pair[0], word) == word && read(fd, &pair[1], word) == word && pair[0] != AT_ENTRY)
		;
	if (fd >= 0)
		close(fd);
	return pair[0] == AT_ENTRY ? pair[1] : 0;
}

/* Let the program run up to its entry point, where the stack is empty. */
static int run_to_entry(struct judge *judge)
{
	uint64_t entry = entry_point(&judge->world);
	long code = ptrace(PTRACE_PEEKTEXT, judge->world.pid, entry, 0);
	int sig;

	if (!entry || ptrace(PTRACE_POKETEXT, judge->world.pid, entry, (code & ~0xffL) | 0xcc) ||
	    ptrace(PTRACE_CONT, judge->world.pid, 0, 0) || wait_for(judge, &sig) ||
	    judge->world.regs.rip != entry + 1 || ptrace(PTRACE_POKETEXT, judge->world.pid, entry, code))
		return -1;
	judge->world.regs.rip = entry;
	world_maps_changed(&judge->world);
	return ptrace(PTRACE_SETREGS, judge->world.pid, 0, &judge->world.regs);
}

/*
 * Return whether the step was mmap, mprotect, munmap or mremap, after which the code at an address
 * may have changed.
 */
static bool changes_mappings(const struct world *world, const struct user_regs_struct *before)
{
	unsigned long number = before->rax;

	if (world->machine == OPROFILE_UW_X86_64)
		return (number >= 9 && number <= 11) || number == 25;
	return number == 90 || number == 91 || number == 125 || number == 163 || number == 192;
}

/* Execute one instruction. Return -1 if the program has ended. */
static int step(struct judge *judge, int *sig)
{
	struct world *world = &judge->world;
	struct user_regs_struct before = world->regs;
	enum shadow_kind kind = shadow_kind(world);
	int given = *sig;

	if (ptrace(PTRACE_SINGLESTEP, world->pid, 0, given) || wait_for(judge, sig))
		return -1;
	if (*sig != SIGTRAP)
		/* no instruction was executed: the next step delivers the signal */
		return 0;
	*sig = 0;
	if (given && shadow_signal(&judge->shadow, world, &before))
		return 1;
	if (kind == SHADOW_SYSTEM && changes_mappings(world, &before))
		world_maps_changed(world);
	shadow_step(&judge->shadow, world, kind, &before);
	return 1;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if ((x->end < 0) != (y->end < 0))
		return x->end < 0 ? -1 : 1;
	return x->count != y->count ? (x->count > y->count ? -1 : 1) : 0;
}

static void report(struct judge *judge, bool places)
{
	unsigned long shorts = judge->judged - judge->whole - judge->wrong - judge->runtime;

	printf("judged %lu whole %lu short %lu wrong %lu runtime %lu returns %lu depth %.1f deepest %u registers %lu claimed %lu",
	       judge->judged, judge->whole, shorts, judge->wrong, judge->runtime, judge->shadow.wrong_returns,
	       judge->judged ? (double)judge->depth / judge->judged : 0, judge->deepest,
	       judge->registers, judge->claimed);
	for (int i = 0; i < OPROFILE_UW_NR_ENDS; i++)
		if (judge->ends[i])
			printf(" %s:%lu", end_names[i], judge->ends[i]);
	putchar('\n');
	qsort(judge->places, judge->nr_places, sizeof(judge->places[0]), compare_places);
	for (unsigned int i = 0; places && i < judge->nr_places && i < SHOWN_PLACES; i++) {
		const struct place *place = &judge->places[i];

		printf("  %lu at %s+%#lx: %s, frame %u\n", place->count, place->image, (unsigned long)place->offset,
		       place->end < 0 ? "wrong" : end_names[place->end], place->frame);
	}
}

static pid_t start(char **command)
{
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		if (null >= 0) {
			dup2(null, 0);
			dup2(null, 1);
			dup2(null, 2);
		}
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(command[0], command);
		_exit(127);
	}
	return pid;
}

int main(int argc, char **argv)
{
	unsigned long after = 0, calls = 0, max;
	bool places = false, stopped = false, entry = false, no_code = false;
	struct judge *judge = calloc(1, sizeof(*judge));
	int i, sig, err;

	for (i = 1; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strncmp(argv[i], "--after=", 8))
			after = strtoul(argv[i] + 8, NULL, 0);
		if (!strncmp(argv[i], "--calls=", 8))
			calls = strtoul(argv[i] + 8, NULL, 0);
		places |= !strcmp(argv[i], "--places");
		stopped |= !strcmp(argv[i], "--stopped");
		entry |= !strcmp(argv[i], "--entry");
		no_code |= !strcmp(argv[i], "--no-code");
	}
	if (!judge || argc - i < 2) {
		fprintf(stderr, "Usage: judge [--entry | --stopped | --calls=N] [--after=N] [--places] [--no-code] "
			"INSTRUCTIONS COMMAND [ARGUMENT...]\n");
		return 2;
	}
	max = strtoul(argv[i], NULL, 0);
	judge->world.pid = start(argv + i + 1);
	if (judge->world.pid < 0 || wait_for(judge, &sig)) {
		fprintf(stderr, "judge: %s cannot be started\n", argv[i + 1]);
		return 1;
	}
	err = world_begin(&judge->world, judge->world.pid);
	if (err || ptrace(PTRACE_GETREGS, judge->world.pid, 0, &judge->world.regs)) {
		fprintf(stderr, "judge: %s: %s\n", argv[i + 1], strerror(-err));
		kill(judge->world.pid, SIGKILL);
		return 1;
	}
	judge->world.no_code = no_code;
	find_runtime(judge);
	sig = 0;
	if ((entry && run_to_entry(judge)) || ((stopped || calls) && run_to(judge, calls))) {
		fprintf(stderr, "judge: %s did not come to where it is to be judged, or its path there was not whole\n",
			argv[i + 1]);
		kill(judge->world.pid, SIGKILL);
		return 1;
	}
	while (judge->judged < max) {
		int done = step(judge, &sig);

		if (done < 0)
			break;
		if (!done || (after && after--))
			continue;
		compare(judge);
	}
	kill(judge->world.pid, SIGKILL);
	report(judge, places);
	free(judge);
	return 0;
}
