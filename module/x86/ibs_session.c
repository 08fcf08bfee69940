// SPDX-License-Identifier: GPL-2.0
/*
 * x86/ibs_session.c -- the files and records of IBS in a session.
 */
#include <linux/kernel.h>
#include <linux/ptrace.h>

#include "handler.h"
#include "hit.h"
#include "oprofilefs.h"
#include "sampling.h"
#include "segment.h"
#include "uapi/oprofile.h"
#include "x86/native.h"

#define DEFAULT_COUNT	250000
#define LEAST_COUNT	0x90	/* minimum of max_count; with a lower value, some CPUs lose
				 * samples */

void oprofile_ibs_init(struct native_backend *b)
{
	b->fetch = b->op = (struct oprofile_ibs_wish){
		.max_count = DEFAULT_COUNT, .rand_enable = 1, .kernel = 1, .user = 1,
	};
}

static int create_unit(struct oprofile_sampling *s, struct dentry *root, const char *name,
		       struct oprofile_ibs_wish *wish, const struct oprofilefs_setting *max_count)
{
	static const struct oprofilefs_setting settings[] = {
		{ "enable", 0, 1, true },
		{ "rand_enable", 0, 1, true },
		{ "kernel", 0, 1, true },
		{ "user", 0, 1, true },
	};
	unsigned long *values[ARRAY_SIZE(settings)] = {
		&wish->enable, &wish->rand_enable, &wish->kernel, &wish->user,
	};
	static const struct oprofilefs_setting ops = { "dispatched_ops", 0, 1, true };
	struct dentry *dir = oprofilefs_mkdir(root, name);
	int i, err;

	if (!dir)
		return -ENOMEM;
	err = oprofilefs_create_setting(s, dir, max_count, &wish->max_count);
	for (i = 0; i < ARRAY_SIZE(settings) && !err; i++)
		err = oprofilefs_create_setting(s, dir, &settings[i], values[i]);
	if (wish == &s->native->op && oprofile_ibs_counts_ops(oprofile_ibs_caps()))
		err = err ?: oprofilefs_create_setting(s, dir, &ops, &wish->dispatched_ops);
	return err;
}

int oprofile_ibs_create_files(struct native_backend *b, struct dentry *root)
{
	static const struct oprofilefs_setting narrow = {
		"max_count", LEAST_COUNT, OPROFILE_IBS_FETCH_MAX, true,
	};
	static const struct oprofilefs_setting wide = {
		"max_count", LEAST_COUNT, OPROFILE_IBS_OP_WIDE_MAX, true,
	};
	u32 caps = oprofile_ibs_caps();
	int err;

	if (!caps)
		return 0;
	err = create_unit(b->s, root, "ibs_fetch", &b->fetch, &narrow);
	return err ?: create_unit(b->s, root, "ibs_op", &b->op,
				  oprofile_ibs_op_max(caps) > narrow.max ? &wide : &narrow);
}

bool oprofile_ibs_is_enabled(const struct native_backend *b)
{
	return b->fetch.enable || b->op.enable;
}

const char *oprofile_ibs_save_here(struct native_backend *b, struct native_cpu *nc)
{
	memset(&nc->ibs, 0, sizeof(nc->ibs));
	if (!oprofile_ibs_is_enabled(b))
		return NULL;
	return oprofile_ibs_save(&nc->ibs, &b->fetch, &b->op);
}

void oprofile_ibs_start_here(struct native_cpu *nc)
{
	const char *why = oprofile_ibs_start(&nc->ibs);

	if (why)
		pr_warn_once("oprofile: stopped sampling IBS on CPU %u: %s\n", smp_processor_id(), why);
}

void oprofile_ibs_stop_here(struct native_cpu *nc)
{
	u32 armed = oprofile_ibs_armed(&nc->ibs);

	if (armed)
		oprofile_pmu_expect_late(&nc->pmu, armed);
	oprofile_ibs_stop(&nc->ibs);
	if (nc->ibs.taken_away)
		pr_warn_once("oprofile: another program, probably perf, uses IBS: IBS is not "
			     "sampled until the next start\n");
}

static void store(struct native_backend *b, struct pt_regs *regs, u32 code,
		  const struct oprofile_ibs_wish *wish, const struct oprofile_ibs_record *record)
{
	const struct oprofile_data data = {.code = code, .nr = record->nr, .words = record->words};
	bool user = (s64)record->pc >= 0;

	if (!record->nr) {
		this_cpu_inc(b->s->cpu->stats.sample_received);
		this_cpu_inc(b->s->cpu->stats.sample_invalid_eip);
	} else if (user ? wish->user : wish->kernel)
		oprofile_add_entry(b->s, regs, record->pc, user, &data);
}

u32 oprofile_ibs_nmi(struct native_backend *b, struct native_cpu *nc, struct pt_regs *regs)
{
	struct oprofile_ibs_record record;
	unsigned long pc;
	u32 nr = 0;

	if (likely(!nc->ibs.fetch.armed && !nc->ibs.op.armed))
		return 0;
	nc->ibs.shift = READ_ONCE(this_cpu_ptr(b->s->cpu)->governor.shift) + nc->pmu.pace.shift;
	if (oprofile_ibs_read_fetch(&nc->ibs, &record)) {
		store(b, regs, OPROFILE_IBS_FETCH, &b->fetch, &record);
		nr++;
	}
	/* IBS records linear addresses. If it has recorded no address, use the pc of the
	 * interrupt, converted to a linear address. */
	pc = user_mode(regs) ? oprofile_user_pc(regs) : instruction_pointer(regs);
	if (oprofile_ibs_read_op(&nc->ibs, pc, &record)) {
		store(b, regs, OPROFILE_IBS_OP, &b->op, &record);
		nr++;
	}
	return nr;
}
