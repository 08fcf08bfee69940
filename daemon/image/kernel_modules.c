// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_modules.c -- list of loaded and unloaded kernel modules with their addresses. */
#include "config.h"
#include "daemon/image/kernel_modules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/image/kimage.h"
#include "libop/base/grow.h"

#define MAX_UNLOADED	1024	/* maximum number of unloaded modules that the list contains */

void opd_modules_release(struct opd_modules *ms)
{
	for (size_t i = 0; i < ms->nr_images; i++) {
		free(ms->images[i]->name);
		free(ms->images[i]);
	}
	free(ms->images);
	free(ms->modules);
}

const struct opd_module *opd_modules_find(const struct opd_modules *ms, uint64_t pc, uint64_t cut)
{
	const struct opd_module *best = NULL;

	for (size_t i = 0; i < ms->nr; i++) {
		const struct opd_module *m = &ms->modules[i];

		if (m->loaded && m->start <= pc && pc < m->end && m->start >= cut &&
		    (!best || m->start > best->start))
			best = m;
	}
	if (best)
		return best;
	for (size_t i = 0; i < ms->nr; i++) {
		const struct opd_module *m = &ms->modules[i];

		if (!m->loaded && m->start <= pc && pc < m->end && m->start >= cut &&
		    (!best || m->unloaded > best->unloaded))
			best = m;
	}
	return best;
}

bool opd_modules_cover(const struct opd_modules *ms, uint64_t pc)
{
	for (size_t i = 0; i < ms->nr; i++)
		if (ms->modules[i].start <= pc && pc < ms->modules[i].end)
			return true;
	return false;
}

const struct opd_module *opd_modules_loaded(const struct opd_modules *ms, const char *name)
{
	for (size_t i = 0; i < ms->nr; i++)
		if (ms->modules[i].loaded && !strcmp(ms->modules[i].image->name, name))
			return &ms->modules[i];
	return NULL;
}

void opd_modules_named(struct opd_modules *ms)
{
	ms->has_new_module = ms->new_names = false;
	for (size_t i = 0; i < ms->nr; i++)
		ms->modules[i].named |= ms->modules[i].loaded;
}

static const struct opd_kimage *module_image(struct opd_modules *ms, const char *name)
{
	struct opd_kimage *image;

	for (size_t i = 0; i < ms->nr_images; i++)
		if (!strcmp(ms->images[i]->name, name))
			return ms->images[i];
	if (op_grow(&ms->images, ms->nr_images))
		return NULL;
	image = malloc(sizeof(*image));
	if (!image)
		return NULL;
	image->kind = OP_IMAGE_KERN;
	image->name = strdup(name);
	if (!image->name) {
		free(image);
		return NULL;
	}
	ms->images[ms->nr_images++] = image;
	return image;
}

/* Add the module @name of /proc/modules to the list, or update its entry. Set *@changed if the
 * module is new or was loaded again. */
static int see_module(struct opd_modules *ms, const char *name, uint64_t start, uint64_t size,
		      bool *changed)
{
	const struct opd_kimage *image = module_image(ms, name);
	bool named = false;

	if (!image)
		return -ENOMEM;
	for (size_t i = 0; i < ms->nr; i++) {
		struct opd_module *m = &ms->modules[i];

		if (m->image == image && m->start == start && m->end == start + size) {
			m->seen = true;
			if (!m->loaded) {
				*changed = ms->has_new_module = true;
				ms->new_names |= !m->named;
			}
			m->loaded = true;
			return 0;
		}
		/* If a module is loaded again with the same name and size, it probably has the same
		 * symbols: then the last snapshot of the kernel's symbols already contains them. */
		named |= m->named && m->image == image && m->end - m->start == size;
	}
	if (op_grow(&ms->modules, ms->nr))
		return -ENOMEM;
	ms->modules[ms->nr++] = (struct opd_module){
		.image = image, .start = start, .end = start + size, .loaded = true, .seen = true,
		.named = named,
	};
	*changed = ms->has_new_module = true;
	ms->new_names |= !named;
	return 0;
}

static bool module_name_ok(const char *name)
{
	for (const char *p = name; *p; p++)
		if (*p == '/' || (unsigned char)*p <= ' ' || *p == '{' || *p == '}')
			return false;
	return *name && *name != '.';
}

/* If the list has more than MAX_UNLOADED unloaded modules, remove the modules that were unloaded
 * first. */
static void forget_some(struct opd_modules *ms)
{
	size_t unloaded = 0, n = 0;

	for (size_t i = 0; i < ms->nr; i++)
		unloaded += !ms->modules[i].loaded;
	for (size_t i = 0; i < ms->nr; i++) {
		if (!ms->modules[i].loaded && unloaded > MAX_UNLOADED) {
			unloaded--;
			continue;
		}
		ms->modules[n++] = ms->modules[i];
	}
	ms->nr = n;
}

/* Parse a line of /proc/modules. The module's address is at the end of the line, after the names of
 * all modules that use this module. Return false if the line is invalid, or if no sample can be in
 * the module. */
static bool read_line(const char *line, char name[128], uint64_t *start, uint64_t *size)
{
	unsigned long long bytes, address;
	const char *tail = strstr(line, " 0x");

	if (!tail || sscanf(line, "%127s %llu", name, &bytes) != 2 ||
	    sscanf(tail, " %llx", &address) != 1)
		return false;
	*start = address;
	*size = bytes;
	return address && module_name_ok(name);
}

int opd_modules_read(struct opd_modules *ms, const char *path)
{
	char name[128], *line = NULL;
	uint64_t start, size;
	bool changed = false;
	size_t room = 0;
	int err = 0;
	FILE *f = fopen(path, "re");

	if (!f)		/* ENOENT: this kernel does not support modules */
		return errno == ENOENT ? 0 : -errno;
	for (size_t i = 0; i < ms->nr; i++)
		ms->modules[i].seen = false;
	while (!err && getline(&line, &room, f) > 0)
		if (read_line(line, name, &start, &size))
			err = see_module(ms, name, start, size, &changed);
	free(line);
	fclose(f);
	if (err)
		return err;

	for (size_t i = 0; i < ms->nr; i++) {
		struct opd_module *m = &ms->modules[i];

		if (m->seen || !m->loaded)
			continue;
		m->loaded = false;
		m->unloaded = ms->readings + 1;
		changed = true;
	}
	if (!changed)
		return 0;
	ms->readings++;
	forget_some(ms);
	return 1;
}
