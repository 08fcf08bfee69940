// SPDX-License-Identifier: GPL-2.0
/* backend_offcpu.c -- the backend for sessions that sample only waits: it interrupts no CPU. */
#include "backend.h"

static int nothing_init(struct oprofile_sampling *s)
{
	return 0;
}

static void nothing(struct oprofile_sampling *s)
{
}

static int nothing_setup(struct oprofile_sampling *s)
{
	return 0;
}

static const char *nothing_cpu_type(struct oprofile_sampling *s)
{
	return "timer";
}

static unsigned int nothing_nr_counters(struct oprofile_sampling *s)
{
	return 0;
}

const struct oprofile_backend oprofile_backend_offcpu = {
	.name = "offcpu",
	.cpu_type = nothing_cpu_type,
	.nr_counters = nothing_nr_counters,
	.init = nothing_init,
	.exit = nothing,
	.setup = nothing_setup,
	.shutdown = nothing,
};
