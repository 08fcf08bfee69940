// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel.c -- lookup of the image (core kernel or module) at a kernel address. */
#include "config.h"
#include "daemon/image/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/base/log.h"
#include "daemon/image/kernel_modules.h"
#include "daemon/image/kernel_snapshot.h"
#include "libop/base/clock.h"
#include "libop/base/owner.h"
#include "libop/base/search.h"

#define REREAD_MS	100
/*
 * If a sample hit an address that no module covers, make a new snapshot of the kernel's symbols
 * after this delay in ms. Each such snapshot doubles the delay, because the address probably has no
 * symbol.
 */
#define UNCLAIMED_MS	10000
#define UNCLAIMED_MAX_MS 640000
/*
 * Limit of the CPU time for snapshots of the kernel's symbols, because modules may be loaded again
 * and again: ALLOWANCE_MS at once, and 1/SHARE of a CPU on average. The limit does not apply if a
 * loaded module has symbols that no snapshot contains, because the module may be unloaded soon.
 */
#define ALLOWANCE_MS	5000
#define SHARE		20

const struct opd_kernel_files opd_kernel_files_default = {
	.kallsyms = "/proc/kallsyms",
	.modules = "/proc/modules",
	.notes = "/sys/kernel/notes",
};

struct opd_kernel {
	const struct opd_config *cfg;
	struct opd_log *log;
	struct opd_kernel_files files;

	struct opd_kimage core;
	/* address range of the core kernel's code; both 0: the kernel hides its addresses */
	uint64_t stext, etext;

	struct opd_modules modules;
	/* start addresses of code that the kernel generates at run time (for example BPF),
	 * ascending */
	uint64_t *runtime;
	size_t nr_runtime;

	/* address ranges in ascending order, which together cover all addresses */
	struct opd_krange *ranges;
	size_t nr_ranges;
	/* incremented whenever .ranges changes */
	uint64_t generation;
	uint64_t modules_read_ms;

	/* since the last snapshot of the symbols, a sample hit an address that no module covers */
	bool unclaimed;
	uint64_t created_ms, snapshot_ms;
	/* CPU time used for snapshots of the symbols; wall time would depend on the load of the
	 * machine */
	uint64_t spent_ms;
	uint64_t unclaimed_wait_ms;
};

bool opd_kernel_hidden(const struct opd_kernel *k)
{
	return k->stext == 0;
}

/* Return the module that contains @pc, or NULL. If code that was generated at run time lies in the
 * range of a module, assume that the module ends where this code begins. */
static const struct opd_module *owner(const struct opd_kernel *k, uint64_t pc)
{
	uint64_t cut = 0;

	for (size_t i = 0; i < k->nr_runtime && k->runtime[i] <= pc; i++)
		cut = k->runtime[i];
	return opd_modules_find(&k->modules, pc, cut);
}

/* Build .ranges from the known modules and .runtime. Return 0, or -ENOMEM and keep the old
 * ranges. */
static int build_ranges(struct opd_kernel *k)
{
	uint64_t *points;
	struct opd_krange *ranges;
	size_t nr = 0, n = 0;

	points = malloc((k->modules.nr * 2 + k->nr_runtime + 3) * sizeof(*points));
	if (!points)
		return -ENOMEM;
	points[nr++] = 0;
	points[nr++] = k->stext;
	points[nr++] = k->etext;
	for (size_t i = 0; i < k->modules.nr; i++) {
		points[nr++] = k->modules.modules[i].start;
		points[nr++] = k->modules.modules[i].end;
	}
	for (size_t i = 0; i < k->nr_runtime; i++)
		if (opd_modules_cover(&k->modules, k->runtime[i]))
			points[nr++] = k->runtime[i];
	qsort(points, nr, sizeof(*points), op_compare_u64_items);

	ranges = malloc(nr * sizeof(*ranges));
	if (!ranges) {
		free(points);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct opd_module *m;
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

int opd_kernel_read_modules(struct opd_kernel *k)
{
	int ret;

	k->modules_read_ms = op_now_ms();
	if (opd_kernel_hidden(k))
		return 0;
	ret = opd_modules_read(&k->modules, k->files.modules);
	return ret > 0 ? build_ranges(k) : ret;
}

static const struct opd_krange *search(const struct opd_kernel *k, uint64_t pc)
{
	size_t above = op_partition_point(i, k->nr_ranges, k->ranges[i].lo <= pc);

	return &k->ranges[above ? above - 1 : 0];
}

uint64_t opd_kernel_generation(const struct opd_kernel *k)
{
	return k->generation;
}

const struct opd_kimage *opd_kernel_core(const struct opd_kernel *k)
{
	return &k->core;
}

const struct opd_krange *opd_kernel_find(struct opd_kernel *k, uint64_t pc)
{
	const struct opd_krange *r = search(k, pc);

	if (r->certain || op_now_ms() - k->modules_read_ms < REREAD_MS)
		return r;
	/* No known module covers the address: read the list of modules again, and request a new
	 * snapshot of the symbols. */
	k->unclaimed = true;
	opd_kernel_read_modules(k);
	return search(k, pc);
}

/* Return 1 after the last of the symbols, or else 0. */
static int core_bounds(void *arg, const struct opd_kallsym *sym)
{
	struct opd_kernel *k = arg;

	if (sym->module)
		return 0;
	if (!strcmp(sym->name, "_stext"))
		k->stext = sym->address;
	else if (!strcmp(sym->name, "_etext"))
		k->etext = sym->address;
	return k->stext && k->etext ? 1 : 0;
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
	if (err < 0 && err != -ENOENT && err != -EACCES && err != -EPERM)
		goto err_destroy;
	/* If the kernel hides its addresses, log a warning; for an ordinary user, log only an
	 * informational message, because few of the user's samples are in the kernel. */
	if (!k->stext)
		opd_log(log, op_reads_all_users() ? OPD_WARN : OPD_INFO,
			"cannot read the addresses of the kernel's symbols (kernel.kptr_restrict "
			"is set, or the daemon is not root): kernel samples are counted, but "
			"have no symbols");
	k->created_ms = op_now_ms();
	k->unclaimed_wait_ms = UNCLAIMED_MS;
	k->modules.has_new_module = true;
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
	opd_modules_release(&k->modules);
	free(k->runtime);
	free(k->ranges);
	free(k->core.name);
	free(k);
}

bool opd_kernel_snapshot_due(const struct opd_kernel *k, bool now)
{
	uint64_t t;

	if (now || (!k->modules.has_new_module && !k->unclaimed))
		return k->modules.has_new_module || k->unclaimed;
	t = op_now_ms();
	if (k->modules.has_new_module)
		return k->modules.new_names ||
		       k->spent_ms <= ALLOWANCE_MS + (t - k->created_ms) / SHARE;
	return k->unclaimed && t - k->snapshot_ms >= k->unclaimed_wait_ms;
}

/* Move the list .runtime, addresses of code that the kernel generated at run time, from the
 * snapshot @s to @k, and rebuild the ranges: this code now has symbols. */
static int move_runtime(struct opd_kernel *k, struct opd_kernel_snapshot *s)
{
	free(k->runtime);
	k->runtime = s->runtime;
	k->nr_runtime = s->nr_runtime;
	s->runtime = NULL;
	s->nr_runtime = 0;
	return build_ranges(k);
}

int opd_kernel_snapshot(struct opd_kernel *k, int samples_dirfd, void (*between)(void *arg),
			void *arg)
{
	struct opd_kernel_snapshot s = {
		.modules = &k->modules, .stext = k->stext, .etext = k->etext,
		.between = between, .between_arg = arg,
	};
	uint64_t begin = op_clock_ms(CLOCK_THREAD_CPUTIME_ID);
	int err;

	if (k->unclaimed && !k->modules.has_new_module && k->unclaimed_wait_ms < UNCLAIMED_MAX_MS)
		k->unclaimed_wait_ms *= 2;
	k->unclaimed = false;
	k->snapshot_ms = op_now_ms();
	opd_modules_named(&k->modules);
	if (opd_kernel_hidden(k))
		return 0;
	err = opd_kernel_snapshot_read(&s, k->files.kallsyms, k->files.notes);
	if (!err)
		err = move_runtime(k, &s);
	if (!err)
		err = opd_kernel_snapshot_write(&s, samples_dirfd);
	opd_kernel_snapshot_release(&s);
	k->spent_ms += op_clock_ms(CLOCK_THREAD_CPUTIME_ID) - begin;
	if (err)
		k->unclaimed = true;	/* request another snapshot of the symbols */
	return err;
}

bool opd_kernel_differs(struct opd_kernel *k, int samples_dirfd, char **release)
{
	return opd_kernel_snapshot_differs(samples_dirfd, k->files.notes, release);
}
