// SPDX-License-Identifier: GPL-2.0
/* vperfctr/pmu.c -- features of the CPU's PMU for users: whether user mode can read counters,
 * and whether overflows interrupt. */
#include "vperfctr/pmu.h"

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "compat/compat.h"
#ifdef CONFIG_X86
#include "compat/compat_x86.h"
#endif
#include "uapi/vperfctr.h"

#define ARM64_LONG		BIT(0)	/* bit of config1: the counter is 64 bits wide */
#define ARM64_USER_READS	BIT(1)
#define X86_FIXED		BIT(30)	/* bit of rdpmc's argument that selects a fixed counter */

bool vperfctr_request_user_reads(struct perf_event_attr *attr)
{
	if (!IS_ENABLED(CONFIG_ARM64) || attr->type == PERF_TYPE_SOFTWARE ||
	    (attr->config1 & ARM64_USER_READS))
		return false;
	attr->config1 |= ARM64_USER_READS;
	return true;
}

/* event_idx() returns 0 if user mode may not read the event's counter. If it may, event_idx()
 * returns another number even while the event has no counter: -1 on arm64. */
bool vperfctr_user_reads(const struct perf_event *event)
{
	return (event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT) &&
	       event->pmu->event_idx((struct perf_event *)event);
}

/* Return the same index of the counter as in perf's own user page. While perf removes an event from
 * its counter, the event's state is still active, but the event is stopped. */
u64 vperfctr_map_of(struct perf_event *event)
{
	int index;

	if (READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE ||
	    (event->hw.state & PERF_HES_STOPPED) || event->hw.idx < 0 ||
	    !(event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT))
		return 0;
	index = event->pmu->event_idx(event);
	return index > 0 ? VPERFCTR_MAP_VALID | (u32)(index - 1) : 0;
}

#ifdef CONFIG_X86
/* Return the width of counters in bits, by CPUID, because perf exports it only to KVM. Execute
 * CPUID only once, because it is slow in virtual machines. */
static u8 x86_width(bool is_fixed)
{
	static u8 widths[2];
	u8 width = READ_ONCE(widths[is_fixed]);

	if (width)
		return width;
	if (boot_cpu_data.cpuid_level >= 0xa)
		width = is_fixed ? (cpuid_edx(0xa) >> 5) & 0xff : (cpuid_eax(0xa) >> 16) & 0xff;
	if (!width)
		width = 48;	/* counters of AMD CPUs have 48 bits */
	WRITE_ONCE(widths[is_fixed], width);
	return width;
}
#endif

u64 vperfctr_width_of(const struct perf_event *event)
{
#ifdef CONFIG_X86
	return x86_width(event->hw.event_base_rdpmc & X86_FIXED);
#else
	return event->attr.config1 & ARM64_LONG ? 64 : 32;
#endif
}

static u32 pmu_features(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
	struct perf_event *event;
	u32 features = 0;

	vperfctr_request_user_reads(&attr);
	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	if (IS_ERR(event))
		return 0;
	if (!(event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT))
		features |= VPERFCTR_FEATURE_PCINT;
	if (vperfctr_user_reads(event))
		features |= VPERFCTR_FEATURE_RDPMC;
	perf_event_release_kernel(event);
	return features;
}

/* Return the detected features. Detect them if @now, or at the first call; otherwise return the
 * result of the last detection. */
static u32 known_features(bool now)
{
	static DEFINE_MUTEX(lock);
	static bool known;
	static u32 features;
	u32 ret;

	mutex_lock(&lock);
	if (now || !known)
		features = pmu_features();
	known = true;
	ret = features;
	mutex_unlock(&lock);
	return ret;
}

u32 vperfctr_features(bool now)
{
	u32 features = VPERFCTR_FEATURE_RDTSC;

#ifdef CONFIG_X86
	if (!boot_cpu_has(X86_FEATURE_TSC))
		features = 0;
#endif
	return features | known_features(now);
}
