// SPDX-License-Identifier: GPL-2.0-or-later
/* place.c -- the probe linked into a static program. The probe's code is in a section of its
 * own, so that its address range is known. */
#include "config.h"

#include "probe/core/run.h"

/* An ELF note by which opprobe(1) recognizes a program with the probe linked in
 * (utils/opprobe/program.c). */
__asm__(".pushsection .note.opprobe, \"a\", %note\n\t"
	".balign 4\n\t"
	".long 8, 0, 1\n\t"
	".asciz \"opprobe\"\n\t"
	".popsection");

/* Start and end of the section with the probe's code. linked.lds creates the section, and the
 * linker defines the symbols. */
extern const char begins[] __asm__("__start_opprobe_text") __attribute__((visibility("hidden")));
extern const char ends[] __asm__("__stop_opprobe_text") __attribute__((visibility("hidden")));

static bool find_code(const struct epochs *epochs, uint64_t *start, uint64_t *end)
{
	(void)epochs;
	*start = (uintptr_t)begins;
	*end = (uintptr_t)ends;
	return true;
}

static void check(const struct run *run)
{
	for (uint32_t i = 0; i < run->words.nr_events; i++)
		if (run->words.events[i].kind->library)
			run_report(run,
				 "cannot count in a static "
				 "program: ", run->words.events[i].name, 0);
}

static void module_loaded(uint64_t base, const ElfW(Phdr) *headers, size_t nr)
{
	(void)base;
	(void)headers;
	(void)nr;
}

const struct place place = {
	.find_code = find_code,
	.check = check,
	.module_loaded = module_loaded,
	.starts_by_call = true,
};
