// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lines.c -- prints the source lines that pp/image finds for the addresses on its input, to compare
 * them with addr2line's. Usage: lines [--root=DIR] FILE < addresses (one hexadecimal number a line)
 *
 * Output: for each address a line "0xADDRESS", then for each frame, innermost first, a line
 * "FUNCTION FILE:LINE", which `addr2line -a -f -i` prints as two lines.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pp/tool/console.h"
#include "pp/image/debug_data.h"
#include "pp/image/debug_file.h"

static void print_frames(struct pp_debug_data *data, uint64_t vma)
{
	struct pp_frame frames[PP_MAX_FRAMES];
	unsigned int nr = data->lines ? pp_lines_frames(data->lines, vma, frames, PP_MAX_FRAMES) :
					pp_debug_data_line(data, vma, 0, frames);

	printf("0x%" PRIx64 "\n", vma);
	for (unsigned int i = 0; i < nr; i++)
		printf("%s\n%s:%u\n", frames[i].function ? frames[i].function : "??",
		       frames[i].file ? frames[i].file : "??", frames[i].line);
	if (!nr)
		printf("??\n??:0\n");
}

int main(int argc, char **argv)
{
	struct pp_console console;
	struct pp_debug_data data = { 0 };
	struct pp_debug_places places = { .root = "", .log = &console.log };
	struct pp_elf elf;
	char line[64];
	int fd, status;

	if (argc == 3 && !strncmp(argv[1], "--root=", 7)) {
		places.root = argv[1] + 7;
		argv++;
		argc--;
	}
	if (argc != 2)
		return 2;
	pp_lines_init();
	pp_console_init(&console, "lines", stderr);
	console.log.verbose = 1;
	fd = pp_open_regular(argv[1]);
	if (fd < 0 || pp_elf_read(&elf, fd)) {
		fprintf(stderr, "lines: %s: cannot be read\n", argv[1]);
		return 1;
	}
	status = pp_debug_data_open(&data, &elf, argv[1], &places, NULL) || !(data.lines || data.go);
	while (!status && fgets(line, sizeof(line), stdin))
		print_frames(&data, strtoull(line, NULL, 16));
	pp_debug_data_close(&data);
	pp_elf_release(&elf);
	close(fd);
	return status;
}
