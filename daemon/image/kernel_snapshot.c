// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_snapshot.c -- reading and writing of a snapshot of the kernel's symbols. */
#include "config.h"
#include "daemon/image/kernel_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "daemon/image/build_id.h"
#include "daemon/image/kernel_modules.h"
#include "daemon/image/kimage.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"

/* maximum number of symbols of code that the kernel generated at run time; if there are more, drop
 * symbols of freed code */
#define MAX_RUNTIME_SYMBOLS (1u << 18)
/* number of symbols to read between two calls of .between */
#define SYMBOLS_AT_ONCE 4096

/* A symbol of a module. Symbols of modules are added to the snapshot after all symbols of the core
 * kernel. */
struct opd_module_symbol {
	const struct opd_kimage *image;
	uint64_t image_size;
	uint64_t offset;
	char type;
	char *name;
};

static int push_u64(uint64_t **array, size_t *nr, uint64_t value)
{
	if (op_grow(array, *nr))
		return -ENOMEM;
	(*array)[(*nr)++] = value;
	return 0;
}

static uint64_t core_size(const struct opd_kernel_snapshot *ks)
{
	return ks->etext - ks->stext;
}

static bool is_text(const struct opd_kallsym *sym)
{
	static const char *const marks[] = { "_text", "_stext", "_etext" };

	if (!strchr("tTwW", sym->type) || sym->name[0] == '$' || sym->name[0] == '.')
		return false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!strcmp(sym->name, marks[i]))
			return false;
	return true;
}

/* Return true if @module is a name, such as "bpf", that kallsyms uses for code that the kernel
 * generates at run time. */
static bool is_runtime(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11);
}

static int core_symbol(struct opd_kernel_snapshot *ks, uint64_t offset, char type, const char *name)
{
	int err = op_kernel_syms_add_symbol(&ks->syms, offset, type, name);

	if (!err && offset >= core_size(ks))
		err = push_u64(&ks->beyond, &ks->nr_beyond, offset);
	return err;
}

static int later_symbol(struct opd_kernel_snapshot *ks, const struct opd_module *m,
			const struct opd_kallsym *sym)
{
	struct opd_module_symbol *s;

	if (op_grow(&ks->later, ks->nr_later))
		return -ENOMEM;
	s = &ks->later[ks->nr_later];
	s->name = strdup(sym->name);
	if (!s->name)
		return -ENOMEM;
	s->image = m->image;
	s->image_size = m->end - m->start;
	s->offset = sym->address - m->start;
	s->type = sym->type;
	ks->nr_later++;
	return 0;
}

static int snapshot_symbol(void *arg, const struct opd_kallsym *sym)
{
	struct opd_kernel_snapshot *ks = arg;
	const struct opd_module *m;
	int err = 0;

	if (ks->between && ++ks->nr_read % SYMBOLS_AT_ONCE == 0)
		ks->between(ks->between_arg);
	if (!sym->address || !is_text(sym))
		return 0;
	m = sym->module ? opd_modules_loaded(ks->modules, sym->module) : NULL;
	if (m)
		return sym->address >= m->start && sym->address < m->end ?
		       later_symbol(ks, m, sym) : 0;
	if (sym->module && !is_runtime(sym->module))
		/* skip the symbol: its module was loaded after the list of modules was read */
		return 0;
	if (sym->module)
		err = push_u64(&ks->runtime, &ks->nr_runtime, sym->address);
	if (!err)
		err = core_symbol(ks, sym->address - ks->stext, sym->type, sym->name);
	/* Skip a symbol whose name contains characters that the format of the snapshot does not
	 * allow. */
	return err == -EINVAL ? 0 : err;
}

/* Copy, from the last snapshot @old, the symbols of code that the kernel had generated at run time
 * and has freed since the snapshot. */
static int copy_old_core(struct opd_kernel_snapshot *ks, const struct op_kimage *old)
{
	int err = 0;

	qsort(ks->beyond, ks->nr_beyond, sizeof(*ks->beyond), op_compare_u64_items);
	for (size_t i = 0; old && i < old->nr_syms && !err; i++) {
		const struct op_ksym *s = &old->syms[i];

		if (s->offset >= core_size(ks) && ks->nr_beyond < MAX_RUNTIME_SYMBOLS &&
		    !bsearch(&s->offset, ks->beyond, ks->nr_beyond, sizeof(*ks->beyond),
			     op_compare_u64_items))
			err = op_kernel_syms_add_symbol(&ks->syms, s->offset, s->type, s->name);
	}
	return err;
}

static int add_modules(struct opd_kernel_snapshot *ks)
{
	const struct opd_kimage *image = NULL;
	int err = 0;

	for (size_t i = 0; i < ks->nr_later && !err; i++) {
		const struct opd_module_symbol *s = &ks->later[i];

		if (s->image != image) {
			image = s->image;
			err = op_kernel_syms_add_image(&ks->syms, image->name, s->image_size);
		}
		if (!err)
			err = op_kernel_syms_add_symbol(&ks->syms, s->offset, s->type, s->name);
		if (err == -EINVAL)
			err = 0;
	}
	return err;
}

/* From the last snapshot, copy the symbols of the modules that are no longer loaded. */
static int copy_old_modules(struct opd_kernel_snapshot *ks, const struct op_kernel_syms *old)
{
	int err = 0;

	for (size_t i = 0; i < old->nr_images && !err; i++) {
		const struct op_kimage *image = &old->images[i];

		if (op_kernel_syms_image(&ks->syms, image->name))
			continue;
		err = op_kernel_syms_add_image(&ks->syms, image->name, image->size);
		for (size_t j = 0; j < image->nr_syms && !err; j++)
			err = op_kernel_syms_add_symbol(&ks->syms, image->syms[j].offset,
							image->syms[j].type, image->syms[j].name);
	}
	return err;
}

/* Return the GNU build-id in the ELF notes file @path as a hexadecimal string, or NULL. */
static char *read_build_id(const char *path)
{
	unsigned char notes[4096];
	uint8_t id[OPD_BUILD_ID_MAX];
	int nr = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;
	char *hex;

	if (fd < 0)
		return NULL;
	len = read(fd, notes, sizeof(notes));
	close(fd);
	if (len > 0)
		nr = opd_build_id_in_notes(notes, len, 4, false, id);
	hex = nr ? malloc(2 * nr + 1) : NULL;
	for (int i = 0; hex && i < nr; i++)
		sprintf(hex + 2 * i, "%02x", id[i]);
	return hex;
}

int opd_kernel_snapshot_read(struct opd_kernel_snapshot *ks, const char *kallsyms,
			     const char *notes)
{
	char *build_id = read_build_id(notes);
	struct utsname uts;
	int err;

	uname(&uts);
	err = op_kernel_syms_set_release(&ks->syms, uts.release);
	if (!err && build_id)
		err = op_kernel_syms_set_build_id(&ks->syms, build_id);
	free(build_id);
	if (!err)
		err = op_kernel_syms_add_image(&ks->syms, OP_KERNEL_IMAGE, core_size(ks));
	if (!err)
		err = opd_kallsyms_read(kallsyms, snapshot_symbol, ks);
	qsort(ks->runtime, ks->nr_runtime, sizeof(*ks->runtime), op_compare_u64_items);
	return err;
}

static bool is_other_kernel(const struct op_kernel_syms *syms, const char *build_id,
			    const char *release)
{
	if (build_id && syms->build_id)
		return strcmp(build_id, syms->build_id);
	return release && syms->release && strcmp(syms->release, release);
}

int opd_kernel_snapshot_write(struct opd_kernel_snapshot *ks, int samples_dirfd)
{
	struct op_kernel_syms old = { 0 };
	int err;

	/* Use the last snapshot of the symbols only if it is readable and was made of the running
	 * kernel. */
	if (op_kernel_syms_read(&old, samples_dirfd) != 0)
		memset(&old, 0, sizeof(old));
	else if (is_other_kernel(&old, ks->syms.build_id, ks->syms.release))
		op_kernel_syms_release(&old);
	err = copy_old_core(ks, op_kernel_syms_image(&old, OP_KERNEL_IMAGE));
	if (!err)
		err = add_modules(ks);
	if (!err)
		err = copy_old_modules(ks, &old);
	if (!err) {
		op_kernel_syms_sort(&ks->syms);
		err = op_kernel_syms_write(&ks->syms, samples_dirfd);
	}
	op_kernel_syms_release(&old);
	return err;
}

void opd_kernel_snapshot_release(struct opd_kernel_snapshot *ks)
{
	for (size_t i = 0; i < ks->nr_later; i++)
		free(ks->later[i].name);
	free(ks->later);
	free(ks->beyond);
	free(ks->runtime);
	op_kernel_syms_release(&ks->syms);
}

bool opd_kernel_snapshot_differs(int samples_dirfd, const char *notes, char **release)
{
	struct op_kernel_syms old = { 0 };
	struct utsname uts;
	char *build_id;
	bool differs;

	if (op_kernel_syms_read_kernel(&old, samples_dirfd) != 0)
		return false;
	uname(&uts);
	build_id = read_build_id(notes);
	differs = is_other_kernel(&old, build_id, uts.release);
	free(build_id);
	if (differs) {
		*release = old.release ? strdup(old.release) : NULL;
		differs = *release != NULL;
	}
	op_kernel_syms_release(&old);
	return differs;
}

/* Return the value of a hexadecimal digit as the kernel prints it; -1: not a digit. */
static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parse, in place, a line "ADDRESS TYPE NAME[\t[MODULE]]\n" of /proc/kallsyms. strtoull() would
 * take half of the time. */
static int parse(char *line, struct opd_kallsym *sym)
{
	char *p = line;

	sym->address = 0;
	for (; digit_of(*p) >= 0; p++)
		sym->address = sym->address << 4 | (unsigned int)digit_of(*p);
	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ')
		return -EINVAL;
	sym->type = p[1];
	p += 3;
	sym->name = p;
	sym->module = NULL;
	p += strcspn(p, "\t\n");
	if (p == sym->name)
		return -EINVAL;
	if (*p == '\t' && p[1] == '[') {
		*p = '\0';
		sym->module = p + 2;
		p = strchr(p + 2, ']');
		if (!p)
			return -EINVAL;
	}
	*p = '\0';
	return 0;
}

int opd_kallsyms_read(const char *path, int (*fn)(void *arg, const struct opd_kallsym *sym),
		      void *arg)
{
	struct opd_kallsym sym;
	char *line = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "re");
	int err = 0;

	if (!f)
		return -errno;
	while (!err && getline(&line, &size, f) > 0)
		if (parse(line, &sym) == 0)
			err = fn(arg, &sym);
	if (!err && ferror(f))
		err = -EIO;
	free(line);
	fclose(f);
	return err;
}
