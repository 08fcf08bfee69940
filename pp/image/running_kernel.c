// SPDX-License-Identifier: GPL-2.0-or-later
/* running_kernel.c -- reader of /proc/kallsyms. */
#include "config.h"
#include "pp/image/running_kernel.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pp/image/debug_file.h"

#define FILE_OF_OPERF	"/{root}/proc/kallsyms/"
#define MAX_LINES	(4u << 20)

bool pp_is_running_kernel(const char *path)
{
	return path && strstr(path, FILE_OF_OPERF);
}

struct symbol {
	unsigned long long address;
	char type;
	char name[512];
};

/* Parse "ADDRESS TYPE NAME" for a symbol of the kernel itself. Symbols of modules have a fourth
 * word. */
static bool parse(const char *line, struct symbol *ret)
{
	return sscanf(line, "%llx %c %511s", &ret->address, &ret->type, ret->name) == 3 &&
	       !strchr(line, '[');
}

static int find_bounds(FILE *f, uint64_t *ret_text, uint64_t *ret_end)
{
	uint64_t text = 0, end = 0;
	struct symbol symbol;
	char line[1024];

	for (size_t i = 0; i < MAX_LINES && fgets(line, sizeof(line), f); i++) {
		if (!parse(line, &symbol))
			continue;
		if (!strcmp(symbol.name, "_text"))
			text = symbol.address;
		if (!strcmp(symbol.name, "_etext"))
			end = symbol.address;
	}
	if (!text || end <= text)
		return text || end ? -ENOEXEC : -EACCES;
	*ret_text = text;
	*ret_end = end;
	return 0;
}

static int read_symbols(struct op_kernel_syms *syms, FILE *f)
{
	uint64_t text, end;
	struct symbol symbol;
	char line[1024];
	int err = find_bounds(f, &text, &end);

	if (!err)
		err = op_kernel_syms_add_image(syms, OP_KERNEL_IMAGE, end - text);
	rewind(f);
	for (size_t i = 0; !err && i < MAX_LINES && fgets(line, sizeof(line), f); i++)
		if (parse(line, &symbol) && symbol.address >= text && symbol.address < end)
			err = op_kernel_syms_add_symbol(syms, symbol.address - text, symbol.type,
							symbol.name);
	if (!err)
		op_kernel_syms_sort(syms);
	return err;
}

int pp_running_kernel_read(struct op_kernel_syms *ret, const char *root)
{
	struct op_kernel_syms syms = { 0 };
	char *path;
	FILE *f;
	int fd, err;

	if (asprintf(&path, "%s/proc/kallsyms", root) < 0)
		return -ENOMEM;
	fd = pp_open_regular(path);
	free(path);
	if (fd < 0)
		return fd;
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	err = read_symbols(&syms, f);
	fclose(f);
	if (err)
		op_kernel_syms_release(&syms);
	else
		*ret = syms;
	return err;
}
