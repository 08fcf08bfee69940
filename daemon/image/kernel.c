// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.c -- kernel addresses to images: the ranges of the core kernel and of modules.
 *
 * Since 6.4 a module's size in /proc/modules counts parts that lie elsewhere, so ranges may seem
 * to overlap: the one that begins last below an address has it, and code made at run time (BPF
 * programs) ends the module before it.
 */
#include <config.h>
#include "daemon/image/kernel.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "daemon/base/config.h"
#include "daemon/image/kallsyms.h"
#include "daemon/base/log.h"
#include "libop/base/clock.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "libop/session/kernel_syms.h"

#define MAX_UNLOADED	1024	/* modules remembered after they have gone */
#define MAX_RUNTIME_SYMBOLS (1u << 18) /* beyond, names of run-time code that is gone are forgotten */
#define REREAD_MS	100
/*
 * Between snapshots because of addresses that nobody claims: the second twice as long as the first,
 * and so on, because most likely they have no names at all.
 */
#define UNCLAIMED_MS	10000
#define UNCLAIMED_MAX_MS 640000
/*
 * For modules that come again and again: so much at once, and a twentieth of a CPU's time. One whose
 * names no snapshot has yet is not held back: it may go before it is its turn.
 */
#define ALLOWANCE_MS	5000
#define SHARE		20

const struct opd_kernel_files opd_kernel_files_default = {
	.kallsyms = "/proc/kallsyms",
	.modules = "/proc/modules",
	.notes = "/sys/kernel/notes",
};

struct module {
	const struct opd_kimage *image;
	uint64_t start, end;
	bool loaded;
	bool seen;		/* in the reading under way */
	bool named;		/* a snapshot was taken since it came first */
	unsigned int unloaded;	/* when, as a generation */
};

struct opd_kernel {
	const struct opd_config *cfg;
	struct opd_log *log;
	struct opd_kernel_files files;

	struct opd_kimage core;
	uint64_t stext, etext;		/* 0: hidden */

	struct opd_kimage **images;	/* of modules; pointers are handed out */
	size_t nr_images;
	struct module *modules;
	size_t nr_modules;
	uint64_t *runtime;		/* where code made at run time begins, ascending */
	size_t nr_runtime;

	struct opd_krange *ranges;	/* ascending, without gaps from 0 to ~0 */
	size_t nr_ranges;
	unsigned int generation;
	uint64_t modules_read_ms;

	bool module_came;		/* since the last snapshot: it may go soon */
	bool new_names;			/* and one of them was never seen before */
	bool unclaimed;			/* an address was, since the last snapshot */
	uint64_t created_ms, snapshot_ms;
	uint64_t spent_ms;		/* of CPU time, for snapshots: a busy machine is no storm */
	uint64_t unclaimed_wait_ms;
};

bool opd_kernel_hidden(const struct opd_kernel *k)
{
	return k->stext == 0;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int push_u64(uint64_t **array, size_t *nr, uint64_t value)
{
	if (op_grow(array, *nr))
		return -ENOMEM;
	(*array)[(*nr)++] = value;
	return 0;
}

/* The module that has @pc, or NULL. */
static const struct module *owner(const struct opd_kernel *k, uint64_t pc)
{
	const struct module *best = NULL;
	uint64_t cut = 0;

	for (size_t i = 0; i < k->nr_runtime && k->runtime[i] <= pc; i++)
		cut = k->runtime[i];
	for (size_t i = 0; i < k->nr_modules; i++) {
		const struct module *m = &k->modules[i];

		if (m->loaded && m->start <= pc && pc < m->end && m->start >= cut &&
		    (!best || m->start > best->start))
			best = m;
	}
	if (best)
		return best;
	for (size_t i = 0; i < k->nr_modules; i++) {
		const struct module *m = &k->modules[i];

		if (!m->loaded && m->start <= pc && pc < m->end && m->start >= cut &&
		    (!best || m->unloaded > best->unloaded))
			best = m;
	}
	return best;
}

static bool in_modules(const struct opd_kernel *k, uint64_t pc)
{
	for (size_t i = 0; i < k->nr_modules; i++)
		if (k->modules[i].start <= pc && pc < k->modules[i].end)
			return true;
	return false;
}

/* From what is known of modules and run-time code. The old ranges stay when memory is short. */
static int build_ranges(struct opd_kernel *k)
{
	uint64_t *points;
	struct opd_krange *ranges;
	size_t nr = 0, n = 0;

	points = malloc((k->nr_modules * 2 + k->nr_runtime + 3) * sizeof(*points));
	if (!points)
		return -ENOMEM;
	points[nr++] = 0;
	points[nr++] = k->stext;
	points[nr++] = k->etext;
	for (size_t i = 0; i < k->nr_modules; i++) {
		points[nr++] = k->modules[i].start;
		points[nr++] = k->modules[i].end;
	}
	for (size_t i = 0; i < k->nr_runtime; i++)
		if (in_modules(k, k->runtime[i]))
			points[nr++] = k->runtime[i];
	qsort(points, nr, sizeof(*points), compare_u64);

	ranges = malloc(nr * sizeof(*ranges));
	if (!ranges) {
		free(points);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct module *m;
		struct opd_krange r = { .lo = points[i], .last = UINT64_MAX };

		if (i + 1 < nr && points[i + 1] == points[i])
			continue;
		if (i + 1 < nr)
			r.last = points[i + 1] - 1;
		m = owner(k, r.lo);
		r.image = m ? m->image : &k->core;
		r.base = m ? m->start : k->stext;
		r.certain = m || opd_kernel_hidden(k) || (r.lo >= k->stext && r.lo < k->etext);
		if (n && ranges[n - 1].image == r.image && ranges[n - 1].base == r.base &&
		    ranges[n - 1].certain == r.certain)
			ranges[n - 1].last = r.last;
		else
			ranges[n++] = r;
	}
	free(points);
	free(k->ranges);
	k->ranges = ranges;
	k->nr_ranges = n;
	k->generation++;
	return 0;
}

static const struct opd_kimage *module_image(struct opd_kernel *k, const char *name)
{
	struct opd_kimage *image;

	for (size_t i = 0; i < k->nr_images; i++)
		if (strcmp(k->images[i]->name, name) == 0)
			return k->images[i];
	if (op_grow(&k->images, k->nr_images))
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
	k->images[k->nr_images++] = image;
	return image;
}

/* @changed is set when this is news. */
static int see_module(struct opd_kernel *k, const char *name, uint64_t start, uint64_t size,
		      bool *changed)
{
	const struct opd_kimage *image = module_image(k, name);
	bool named = false;

	if (!image)
		return -ENOMEM;
	for (size_t i = 0; i < k->nr_modules; i++) {
		struct module *m = &k->modules[i];

		if (m->image == image && m->start == start && m->end == start + size) {
			m->seen = true;
			if (!m->loaded) {
				*changed = k->module_came = true;
				k->new_names |= !m->named;
			}
			m->loaded = true;
			return 0;
		}
		/* The same one, as far as one can see, at another address. */
		named |= m->named && m->image == image && m->end - m->start == size;
	}
	if (op_grow(&k->modules, k->nr_modules))
		return -ENOMEM;
	k->modules[k->nr_modules++] = (struct module){
		.image = image, .start = start, .end = start + size, .loaded = true, .seen = true,
		.named = named,
	};
	*changed = k->module_came = true;
	k->new_names |= !named;
	return 0;
}

static bool module_name_ok(const char *name)
{
	for (const char *p = name; *p; p++)
		if (*p == '/' || (unsigned char)*p <= ' ' || *p == '{' || *p == '}')
			return false;
	return *name && *name != '.';
}

/* Where another module begins inside what was an unloaded one's, the old one is no more. */
static void forget_some(struct opd_kernel *k)
{
	size_t unloaded = 0, n = 0;

	for (size_t i = 0; i < k->nr_modules; i++)
		unloaded += !k->modules[i].loaded;
	for (size_t i = 0; i < k->nr_modules; i++) {
		if (!k->modules[i].loaded && unloaded > MAX_UNLOADED) {
			unloaded--;
			continue;
		}
		k->modules[n++] = k->modules[i];
	}
	k->nr_modules = n;
}

int opd_kernel_read_modules(struct opd_kernel *k)
{
	char line[1024], name[128];
	unsigned long long size, start;
	bool changed = false;
	int err = 0;
	FILE *f;

	k->modules_read_ms = op_now_ms();
	if (opd_kernel_hidden(k))
		return 0;
	f = fopen(k->files.modules, "re");
	if (!f)		/* a kernel without modules */
		return errno == ENOENT ? 0 : -errno;
	for (size_t i = 0; i < k->nr_modules; i++)
		k->modules[i].seen = false;
	while (fgets(line, sizeof(line), f)) {
		bool whole = strchr(line, '\n') != NULL;

		/* Lists of users can be long; the address stands behind them. */
		if (!whole) {
			char *more = NULL;
			size_t room = 0;

			if (getline(&more, &room, f) > 0) {
				const char *tail = strstr(more, " 0x");

				if (tail && sscanf(line, "%127s %llu", name, &size) == 2 &&
				    sscanf(tail, " %llx", &start) == 1 && start &&
				    module_name_ok(name))
					err = see_module(k, name, start, size, &changed);
			}
			free(more);
		} else if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size, &start) == 3 &&
			   start && module_name_ok(name)) {
			err = see_module(k, name, start, size, &changed);
		}
		if (err)
			break;
	}
	fclose(f);
	if (err)
		return err;

	for (size_t i = 0; i < k->nr_modules; i++) {
		struct module *m = &k->modules[i];

		if (m->seen || !m->loaded)
			continue;
		m->loaded = false;
		m->unloaded = k->generation + 1;
		changed = true;
	}
	if (!changed)
		return 0;
	forget_some(k);
	return build_ranges(k);
}

static const struct opd_krange *search(const struct opd_kernel *k, uint64_t pc)
{
	size_t above = op_partition_point(i, k->nr_ranges, k->ranges[i].lo <= pc);

	return &k->ranges[above ? above - 1 : 0];
}

const struct opd_krange *opd_kernel_find(struct opd_kernel *k, uint64_t pc)
{
	const struct opd_krange *r = search(k, pc);

	if (r->certain || op_now_ms() - k->modules_read_ms < REREAD_MS)
		return r;
	/* Not told of a module, or of new run-time code, which the next snapshot shows. */
	k->unclaimed = true;
	opd_kernel_read_modules(k);
	return search(k, pc);
}

static void core_bounds(void *arg, const struct opd_kallsym *sym)
{
	struct opd_kernel *k = arg;

	if (sym->module)
		return;
	if (strcmp(sym->name, "_stext") == 0)
		k->stext = sym->address;
	else if (strcmp(sym->name, "_etext") == 0)
		k->etext = sym->address;
}

/* Hex of the GNU build-id in an ELF notes file; NULL when there is none. */
static char *read_build_id(const char *path)
{
	unsigned char notes[4096];
	char *hex = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;
	size_t pos = 0;

	if (fd < 0)
		return NULL;
	len = read(fd, notes, sizeof(notes));
	close(fd);
	while (len > 0 && pos + sizeof(Elf64_Nhdr) <= (size_t)len) {
		Elf64_Nhdr h;
		size_t name = pos + sizeof(h), desc, end;

		memcpy(&h, notes + pos, sizeof(h));
		desc = name + ((h.n_namesz + 3ull) & ~3ull);
		end = desc + ((h.n_descsz + 3ull) & ~3ull);
		if (end > (size_t)len || end <= pos)
			break;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0 && h.n_descsz <= 64) {
			hex = malloc(h.n_descsz * 2 + 1);
			for (size_t i = 0; hex && i < h.n_descsz; i++)
				sprintf(hex + 2 * i, "%02x", notes[desc + i]);
			break;
		}
		pos = end;
	}
	return hex;
}

int opd_kernel_create(struct opd_kernel **ret, const struct opd_config *cfg, struct opd_log *log,
		      const struct opd_kernel_files *files)
{
	struct opd_kernel *k = calloc(1, sizeof(*k));
	const char *name = OP_KERNEL_IMAGE;
	int err;

	if (!k)
		return -ENOMEM;
	k->cfg = cfg;
	k->log = log;
	k->files = *files;
	k->core.kind = OP_IMAGE_KERN;
	if (cfg->set.vmlinux) {
		name = cfg->set.vmlinux;
		k->core.kind = OP_IMAGE_ROOT;
	} else if (cfg->set.no_vmlinux) {
		name = OP_KERNEL_NO_VMLINUX;
	}
	k->core.name = strdup(name);
	if (!k->core.name) {
		err = -ENOMEM;
		goto err_destroy;
	}
	err = opd_kallsyms_read(k->files.kallsyms, core_bounds, k);
	if (err && err != -ENOENT && err != -EACCES && err != -EPERM)
		goto err_destroy;
	if (!k->stext)	/* a user, who sees no kernel samples mostly, has nothing to be warned of */
		opd_log(log, geteuid() == 0 ? OPD_WARN : OPD_INFO,
			"the kernel hides its addresses (kernel.kptr_restrict, or not root): kernel "
			"samples are counted, but cannot be told apart by symbol");
	k->created_ms = op_now_ms();
	k->unclaimed_wait_ms = UNCLAIMED_MS;
	k->module_came = true;
	err = opd_kernel_read_modules(k);
	if (!err && !k->ranges)
		err = build_ranges(k);
	if (err)
		goto err_destroy;
	*ret = k;
	return 0;

err_destroy:
	opd_kernel_destroy(k);
	return err;
}

void opd_kernel_destroy(struct opd_kernel *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->nr_images; i++) {
		free(k->images[i]->name);
		free(k->images[i]);
	}
	free(k->images);
	free(k->modules);
	free(k->runtime);
	free(k->ranges);
	free(k->core.name);
	free(k);
}

/* A symbol that has to wait until the core kernel's, which come first, are all there. */
struct module_symbol {
	const struct opd_kimage *image;
	uint64_t offset;
	char type;
	char *name;
};

/* What a snapshot is put together from. */
struct building {
	struct opd_kernel *k;
	struct op_kernel_syms syms;
	uint64_t core_size;
	uint64_t *beyond;		/* offsets of core symbols outside of it */
	size_t nr_beyond;
	struct module_symbol *later;
	size_t nr_later;
	int err;
};

static bool is_text(const struct opd_kallsym *sym)
{
	static const char *const marks[] = { "_text", "_stext", "_etext" };

	if (!strchr("tTwW", sym->type) || sym->name[0] == '$' || sym->name[0] == '.')
		return false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strcmp(sym->name, marks[i]) == 0)
			return false;
	return true;
}

static const struct module *loaded_module(const struct opd_kernel *k, const char *name)
{
	for (size_t i = 0; i < k->nr_modules; i++)
		if (k->modules[i].loaded && strcmp(k->modules[i].image->name, name) == 0)
			return &k->modules[i];
	return NULL;
}

/* What stands in a module's place in kallsyms and is none. */
static bool is_runtime(const char *module)
{
	return strcmp(module, "bpf") == 0 || strncmp(module, "__builtin__", 11) == 0;
}

static int core_symbol(struct building *b, uint64_t offset, char type, const char *name)
{
	int err = op_kernel_syms_add_symbol(&b->syms, offset, type, name);

	if (!err && offset >= b->core_size)
		err = push_u64(&b->beyond, &b->nr_beyond, offset);
	return err;
}

static int later_symbol(struct building *b, const struct module *m, const struct opd_kallsym *sym)
{
	struct module_symbol *s;

	if (op_grow(&b->later, b->nr_later))
		return -ENOMEM;
	s = &b->later[b->nr_later];
	s->name = strdup(sym->name);
	if (!s->name)
		return -ENOMEM;
	s->image = m->image;
	s->offset = sym->address - m->start;
	s->type = sym->type;
	b->nr_later++;
	return 0;
}

static void snapshot_symbol(void *arg, const struct opd_kallsym *sym)
{
	struct building *b = arg;
	const struct module *m;

	if (b->err || !sym->address || !is_text(sym))
		return;
	m = sym->module ? loaded_module(b->k, sym->module) : NULL;
	if (m) {
		if (sym->address >= m->start && sym->address < m->end)
			b->err = later_symbol(b, m, sym);
		return;
	}
	if (sym->module && !is_runtime(sym->module))
		return;		/* loaded since we read the list */
	if (sym->module)
		b->err = push_u64(&b->k->runtime, &b->k->nr_runtime, sym->address);
	if (!b->err)
		b->err = core_symbol(b, sym->address - b->k->stext, sym->type, sym->name);
	if (b->err == -EINVAL)	/* a name that the file cannot hold */
		b->err = 0;
}

/* Run-time code that was there at the last snapshot and is gone. */
static int keep_old_core(struct building *b, const struct op_kimage *old)
{
	int err = 0;

	qsort(b->beyond, b->nr_beyond, sizeof(*b->beyond), compare_u64);
	for (size_t i = 0; old && i < old->nr_syms && !err; i++) {
		const struct op_ksym *s = &old->syms[i];

		if (s->offset >= b->core_size && b->nr_beyond < MAX_RUNTIME_SYMBOLS &&
		    !bsearch(&s->offset, b->beyond, b->nr_beyond, sizeof(*b->beyond), compare_u64))
			err = op_kernel_syms_add_symbol(&b->syms, s->offset, s->type, s->name);
	}
	return err;
}

static int add_modules(struct building *b)
{
	const struct opd_kimage *image = NULL;
	int err = 0;

	for (size_t i = 0; i < b->nr_later && !err; i++) {
		const struct module_symbol *s = &b->later[i];

		if (s->image != image) {
			const struct module *m = loaded_module(b->k, s->image->name);

			image = s->image;
			err = op_kernel_syms_add_image(&b->syms, image->name, m->end - m->start);
		}
		if (!err)
			err = op_kernel_syms_add_symbol(&b->syms, s->offset, s->type, s->name);
		if (err == -EINVAL)
			err = 0;
	}
	return err;
}

/* Modules of the last snapshot that are gone. */
static int keep_old_modules(struct building *b, const struct op_kernel_syms *old)
{
	int err = 0;

	for (size_t i = 0; i < old->nr_images && !err; i++) {
		const struct op_kimage *image = &old->images[i];

		if (op_kernel_syms_image(&b->syms, image->name))
			continue;
		err = op_kernel_syms_add_image(&b->syms, image->name, image->size);
		for (size_t j = 0; j < image->nr_syms && !err; j++)
			err = op_kernel_syms_add_symbol(&b->syms, image->syms[j].offset,
							image->syms[j].type, image->syms[j].name);
	}
	return err;
}

bool opd_kernel_snapshot_due(const struct opd_kernel *k, bool now)
{
	uint64_t t;

	if (now || (!k->module_came && !k->unclaimed))
		return k->module_came || k->unclaimed;
	t = op_now_ms();
	if (k->module_came)
		return k->new_names || k->spent_ms <= ALLOWANCE_MS + (t - k->created_ms) / SHARE;
	return k->unclaimed && t - k->snapshot_ms >= k->unclaimed_wait_ms;
}

int opd_kernel_snapshot(struct opd_kernel *k, int samples_dirfd)
{
	struct building b = { .k = k, .core_size = k->etext - k->stext };
	struct op_kernel_syms old = { 0 };
	uint64_t begin = op_clock_ms(CLOCK_THREAD_CPUTIME_ID);
	struct utsname uts;
	char *build_id = NULL;
	int err;

	if (k->unclaimed && !k->module_came && k->unclaimed_wait_ms < UNCLAIMED_MAX_MS)
		k->unclaimed_wait_ms *= 2;
	k->module_came = k->new_names = k->unclaimed = false;
	k->snapshot_ms = op_now_ms();
	for (size_t i = 0; i < k->nr_modules; i++)
		k->modules[i].named |= k->modules[i].loaded;
	if (opd_kernel_hidden(k))
		return 0;
	uname(&uts);
	build_id = read_build_id(k->files.notes);
	err = op_kernel_syms_set_release(&b.syms, uts.release);
	if (!err && build_id)
		err = op_kernel_syms_set_build_id(&b.syms, build_id);
	if (!err)
		err = op_kernel_syms_add_image(&b.syms, OP_KERNEL_IMAGE, b.core_size);
	if (err)
		goto release;

	k->nr_runtime = 0;
	err = opd_kallsyms_read(k->files.kallsyms, snapshot_symbol, &b);
	if (!err)
		err = b.err;
	qsort(k->runtime, k->nr_runtime, sizeof(*k->runtime), compare_u64);
	if (!err)
		err = build_ranges(k);
	if (err)
		goto release;
	/* None yet, or not readable: nothing to keep. */
	if (op_kernel_syms_read(&old, samples_dirfd) != 0)
		memset(&old, 0, sizeof(old));
	err = keep_old_core(&b, op_kernel_syms_image(&old, OP_KERNEL_IMAGE));
	if (!err)
		err = add_modules(&b);
	if (!err)
		err = keep_old_modules(&b, &old);
	if (!err) {
		op_kernel_syms_sort(&b.syms);
		err = op_kernel_syms_write(&b.syms, samples_dirfd);
	}

release:
	for (size_t i = 0; i < b.nr_later; i++)
		free(b.later[i].name);
	free(b.later);
	free(b.beyond);
	free(build_id);
	op_kernel_syms_release(&old);
	op_kernel_syms_release(&b.syms);
	k->spent_ms += op_clock_ms(CLOCK_THREAD_CPUTIME_ID) - begin;
	if (err)
		k->unclaimed = true;	/* again, but not at once */
	return err;
}

int opd_kernel_differs(struct opd_kernel *k, int samples_dirfd, char **release)
{
	struct op_kernel_syms old = { 0 };
	struct utsname uts;
	char *build_id;
	int differs;

	if (op_kernel_syms_read(&old, samples_dirfd) != 0)
		return 0;
	uname(&uts);
	build_id = read_build_id(k->files.notes);
	if (build_id && old.build_id)
		differs = strcmp(build_id, old.build_id) != 0;
	else
		differs = old.release && strcmp(old.release, uts.release) != 0;
	free(build_id);
	if (differs) {
		*release = old.release ? strdup(old.release) : NULL;
		differs = *release != NULL;
	}
	op_kernel_syms_release(&old);
	return differs;
}
