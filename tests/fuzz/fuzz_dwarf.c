// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_dwarf.c -- fuzzes the reader of debug data: libdw reads or refuses lines and inlined
 * functions, in the sections that debug_view.c extracts.
 *
 * fuzz-libraries: -ldw -lelf
 */
#include "config.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pp/base/log.h"
#include "pp/image/elf.h"
#include "pp/image/lines.h"
#include "tests/fuzz/fuzz.h"

#define MAX_QUESTIONS	2000

static void ignore_message(struct pp_log *log, enum pp_log_level level, const char *text)
{
	(void)log;
	(void)level;
	(void)text;
}

static void check_address(struct pp_lines *lines, uint64_t vma)
{
	struct pp_frame frames[PP_MAX_FRAMES], frame;
	unsigned int nr = pp_lines_frames(lines, vma, frames, PP_MAX_FRAMES);

	fuzz_require(nr <= PP_MAX_FRAMES);
	for (unsigned int i = 0; i < nr; i++) {
		if (frames[i].file)
			fuzz_require(strlen(frames[i].file) < SIZE_MAX);
		if (frames[i].function)
			fuzz_require(strlen(frames[i].function) < SIZE_MAX);
	}
	pp_lines_line(lines, vma, 1, &frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t bases[64] = { 0 };
	struct pp_section_bases where = { bases, 64 };
	struct pp_log log = { .write = ignore_message };
	struct pp_lines_options options = { .path = "fuzz", .log = &log };
	int fd = memfd_create("fuzz", MFD_CLOEXEC), questions = 0;
	struct pp_lines *lines;
	const char *missing;
	struct pp_elf elf;

	fuzz_require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (pp_elf_read(&elf, fd)) {
		close(fd);
		return 0;
	}
	pp_lines_init();
	options.debug = &elf;
	for (size_t i = 0; i < 64 && i < elf.nr_sections; i++)
		bases[i] = elf.sections[i].addr;
	options.bases = &where;
	if (!pp_lines_open(&lines, &options, &missing)) {
		for (size_t i = 0; i < elf.nr_sections; i++)
			for (uint64_t at = 0; at < elf.sections[i].size && at < 4096 &&
				     questions++ < MAX_QUESTIONS; at += 3)
				check_address(lines, elf.sections[i].addr + at);
		pp_lines_close(lines);
	}
	pp_elf_release(&elf);
	close(fd);
	return 0;
}
