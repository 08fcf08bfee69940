// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_ring_size.c -- computes the sizes of the perf_events rings, within memory limits. */
#include "config.h"
#include "daemon/source/perf_ring_size.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "libop/event/spec.h"

/* size in bytes of a sample of one event without a stack */
#define SAMPLE_BYTES	32
#define NS		1000000000ull
/* A ring for events with counts is made large enough for this number of samples per second. */
#define COUNTED_RATE	4000
/* a ring must hold the samples of 1/HOLD_SHARE second */
#define HOLD_SHARE	2
/*
 * While an ordinary user samples a few processes, a ring must hold at least the samples of this
 * time, in ms. The default limit of locked memory is 8 MB plus half a MB per CPU. With stack
 * copies, this is too little for half a second of samples; and small copies make call paths through
 * large frames incomplete. Except on a very busy machine, the daemon gets a CPU within 15 ms.
 */
#define USER_HOLD_MS	15
#define MOST_SAMPLES	(128u << 20)
/* minimum size of a sample ring if memory allows it: 16 s of samples at 1 kHz without stacks */
#define LEAST_SAMPLES	(512u << 10)
/* Size of a ring for notices (fork, exec, mmap, exit records). The notices of a fork with an exec
 * take about 700 bytes. If the daemon does not run for 2 s, the ring holds the notices of 3,000
 * such forks per second. */
#define NOTICES		(4u << 20)
/* size of a ring for fork, exec, mmap and exit records on a machine with little memory */
#define FEW_NOTICES	(512u << 10)
/* size of a ring for fork, exec, mmap and exit records if an ordinary user samples processes of the
 * same user */
#define USER_NOTICES	(128u << 10)
#define SMALLEST	(64u << 10)
/* All rings together may use 1/MEMORY_SHARE of the machine's memory, and the rings for fork, exec,
 * mmap and exit records together 1/NOTICE_SHARE. */
#define MEMORY_SHARE	32
#define NOTICE_SHARE	256
/* Samples that wait for unwind tables may use 1/HELD_SHARE of the machine's available memory, but
 * at least HELD_LEAST and at most HELD_MOST bytes. */
#define HELD_SHARE	16
#define HELD_LEAST	(24u << 20)
#define HELD_MOST	(512u << 20)

static bool has_capability(unsigned int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capget, &header, data) &&
	       data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}

static long read_sysctl(const char *path, long otherwise)
{
	FILE *f = fopen(path, "re");
	long value;

	if (!f)
		return otherwise;
	if (fscanf(f, "%ld", &value) != 1)
		value = otherwise;
	fclose(f);
	return value;
}

/* Return the number of bytes that the user may lock in memory for rings. The kernel's perf_mmap()
 * adds two limits: a limit per CPU that all processes of the user share, and the limit of this
 * process. */
static uint64_t lockable(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), kb;
	struct rlimit limit;

	if (has_capability(CAP_IPC_LOCK) ||
	    read_sysctl("/proc/sys/kernel/perf_event_paranoid", 2) < 0)
		return UINT64_MAX;
	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		limit.rlim_cur = 0;
	if (limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	kb = read_sysctl("/proc/sys/kernel/perf_event_mlock_kb", 0);
	return limit.rlim_cur + (cpus > 0 && kb > 0 ? (uint64_t)cpus * (uint64_t)kb * 1024 : 0);
}

struct opd_perf_ring_limits opd_perf_ring_limits(size_t nr_cpus)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return (struct opd_perf_ring_limits){
		.memory =
			pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / MEMORY_SHARE : 0,
		.locked = lockable(),
		.nr_cpus = nr_cpus,
	};
}

uint64_t opd_perf_sample_rate(const struct op_event_spec *events, size_t nr)
{
	uint64_t rate = 0;

	for (size_t i = 0; i < nr; i++) {
		/* The samples of waits and of clock time are not in this ring. */
		if (op_event_is_offcpu(events[i].name) || op_event_is_latency(events[i].name))
			continue;

		uint64_t most = NS / (events[i].count ? events[i].count : 1);

		rate += most > COUNTED_RATE && strcmp(events[i].name, OP_EVENT_TIMER) ?
				COUNTED_RATE :
				most;
	}
	return rate;
}

size_t opd_perf_sample_bytes(unsigned int stack)
{
	return SAMPLE_BYTES + (stack ? stack + OPD_PERF_STACK_EXTRA : 0);
}

struct opd_perf_ring_sizes opd_perf_rings_size(uint64_t rate, size_t bytes)
{
	struct opd_perf_ring_sizes sizes = { .samples = LEAST_SAMPLES, .notices = NOTICES };
	uint64_t need = rate < NS ? rate * bytes / HOLD_SHARE : UINT64_MAX;

	/* Choose the power of two that is nearest to the needed size. */
	while (sizes.samples < MOST_SAMPLES && sizes.samples + sizes.samples / 2 < need)
		sizes.samples *= 2;
	return sizes;
}

/* Halve the larger of the two ring sizes. Return false if this size is already the minimum. */
static bool halve(struct opd_perf_ring_sizes *sizes)
{
	size_t *larger = sizes->samples > sizes->notices ? &sizes->samples : &sizes->notices;

	if (*larger <= SMALLEST)
		return false;
	*larger /= 2;
	return true;
}

uint64_t opd_perf_rings_bytes(const struct opd_perf_ring_sizes *sizes, size_t nr_cpus)
{
	/* In addition to its data, each ring has a control page. */
	const uint64_t beside = 2 * (uint64_t)sysconf(_SC_PAGESIZE);

	return nr_cpus * (sizes->samples + sizes->notices + beside);
}

void opd_perf_rings_fit(struct opd_perf_ring_sizes *sizes,
			const struct opd_perf_ring_limits *limits)
{
	const uint64_t most = limits->memory < limits->locked ? limits->memory : limits->locked;

	if (limits->brief)
		sizes->notices = USER_NOTICES;
	while (sizes->notices > FEW_NOTICES &&
	       limits->nr_cpus * sizes->notices > limits->memory / (NOTICE_SHARE / MEMORY_SHARE))
		sizes->notices /= 2;
	while (opd_perf_rings_bytes(sizes, limits->nr_cpus) > most)
		if (!halve(sizes))
			break;
}

/* Return true if rings within @limits can hold samples of @bytes bytes for the minimum time. */
static bool is_large_enough(uint64_t rate, size_t bytes, const struct opd_perf_ring_limits *limits)
{
	struct opd_perf_ring_sizes sizes = opd_perf_rings_size(rate, bytes);
	const size_t wanted = sizes.samples;

	if (rate > MOST_SAMPLES / bytes * HOLD_SHARE)
		return false;
	opd_perf_rings_fit(&sizes, limits);
	if (limits->brief)
		return sizes.samples >= rate * bytes * USER_HOLD_MS / 1000;
	return sizes.samples == wanted;
}

unsigned int opd_perf_stack_copy(uint64_t rate, const struct opd_perf_ring_limits *limits)
{
	static const unsigned int copies[] = { OPD_MAX_STACK, 32u << 10 };

	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		if (is_large_enough(rate, opd_perf_sample_bytes(copies[i]), limits))
			return copies[i];
	return OPD_PERF_LEAST_COPY;
}

uint64_t opd_perf_available_bytes(const char *meminfo)
{
	FILE *f = fopen(meminfo, "re");
	uint64_t kb = 0;
	char line[128];

	while (f && !kb && fgets(line, sizeof(line), f))
		sscanf(line, "MemAvailable: %" SCNu64 " kB", &kb);
	if (f)
		fclose(f);
	return kb < UINT64_MAX / 1024 ? kb * 1024 : 0;
}

uint64_t opd_perf_delay_limit(uint64_t available)
{
	const uint64_t share = available / HELD_SHARE;

	return share < HELD_LEAST ? HELD_LEAST : share > HELD_MOST ? HELD_MOST : share;
}
