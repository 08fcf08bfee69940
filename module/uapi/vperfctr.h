/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * uapi/vperfctr.h -- virtual counters of threads: what vperfctr.ko and user space agree on.
 *
 * A thread's counters are an object, and a file descriptor is a reference to it. /dev/vperfctr makes and
 * finds objects and tells of the machine (OPEN, INFO, CPUS, WHO); everything else is a call on the object's
 * descriptor (CONTROL, READ, UNLINK, IRESUME), or needs none: the object's page, mapped read-only, is read.
 *
 * Every struct of a call begins with its size as the caller knows it, holds no pointer, and is laid out the
 * same for programs of 32 bits. The kernel takes an older, smaller one for zero-filled, and a newer, larger one
 * if the part that it does not know is zero: else the call fails with E2BIG. What it gives back, it gives as far
 * as the size goes. A size too small for the first version of a struct, and a flag that is not known, are EINVAL.
 *
 * Of another thread than the caller, calls work only while that thread is stopped under the caller's ptrace; else
 * they fail with ESRCH. READ of an object whose thread has gone works for whoever has the descriptor.
 */
#ifndef VPERFCTR_UAPI_H
#define VPERFCTR_UAPI_H

#include <linux/types.h>

#define VPERFCTR_DEVICE		"/dev/vperfctr"
#define VPERFCTR_ABI_VERSION	1	/* a change that programs cannot ignore makes another one */

#define VPERFCTR_IOC		0xbd	/* of ioctl numbers; no terminal knows it, which a program may take the device for */

#define VPERFCTR_MAX_PMCS	16
#define VPERFCTR_MAX_RING_PAGES	64
#define VPERFCTR_MIN_IRESET	100	/* the least of a slot whose events the PMU counts; software counts from 1 */
#define VPERFCTR_MIN_IRESET_NS	100000	/* of a clock's slot, without CAP_PERFMON */
#define VPERFCTR_MAX_CPUS	8192	/* that struct vperfctr_cpus has room for */

/* ---- The page: offset 0 of an object's mapping ---- */

/* What user space may do by itself: INFO tells of the machine as it is now, the page of its own slots (RDPMC, RDTSC). */
#define VPERFCTR_FEATURE_RDPMC	1	/* slots may get a `map` */
#define VPERFCTR_FEATURE_RDTSC	2	/* read the TSC (aarch64: cntvct_el0) */
#define VPERFCTR_FEATURE_PCINT	4	/* the PMU interrupts at an overflow: hardware slots may have an ireset */

/*
 * `map`: 0: ask by READ. Else the counter may be read by the owner: its low 32 bits are rdpmc's argument, on aarch64 the
 * number of the counter (pmevcntrN_el0; 31: pmccntr_el0). It holds as long as tsc_start stays.
 */
#define VPERFCTR_MAP_VALID	(1ULL << 32)
#define VPERFCTR_MAP_INDEX(map)	((__u32)(map))

/* cstatus */
#define VPERFCTR_CSTATUS_TSC_ON		(1ULL << 0)	/* the virtual TSC is on */
#define VPERFCTR_CSTATUS_RUNNING	(1ULL << 1)	/* the thread is on a CPU and counts: tsc_start holds */
#define VPERFCTR_CSTATUS_SUSPENDED	(1ULL << 2)	/* slots stand after an overflow, until IRESUME; the TSC goes on */
#define VPERFCTR_CSTATUS_FORBIDDEN	(1ULL << 3)	/* slots were stopped: the thread was put on a CPU that cannot count them */
#define VPERFCTR_CSTATUS_DETACHED	(1ULL << 4)	/* unlinked from its thread: sums are final */
#define VPERFCTR_CSTATUS_DEAD		(1ULL << 5)	/* its thread has exited: sums are final */
#define VPERFCTR_CSTATUS_NRCTRS(c)	((__u32)((c) >> 8) & 0xff)
#define VPERFCTR_CSTATUS_ERROR(i)	(1ULL << (32 + (i)))	/* slot i is not counted: the counters are others', or no more may be had */
#define VPERFCTR_CSTATUS_ERRORS		(0xffffULL << 32)

/* value = sum + ((counter - start) & mask), mask: the low `width` bits; without a map: as of `tsc_start` */
struct vperfctr_pmc_state {
	__u64 map;
	__u64 width;
	__u64 start;
	__u64 sum;
};

/* virtual TSC = tsc_sum + (tsc - tsc_start), all 64 bits wide, while RUNNING; else tsc_sum */
struct vperfctr_cpu_state {
	__u64 tsc_start;
	__u64 tsc_sum;
	__u64 cstatus;
	struct vperfctr_pmc_state pmc[VPERFCTR_MAX_PMCS];
};

/*
 * To read more than one word of it, the owner reads tsc_start before and after, and begins anew when it has
 * changed: every change of the page moves it, also while the virtual TSC is off. On another CPU than the
 * owner's, that is not enough: seq must be even, and the same before and after, with read barriers.
 */
struct vperfctr_state {
	__u32 version;		/* VPERFCTR_ABI_VERSION */
	__u32 size;		/* of this struct, as the kernel knows it */
	__u64 features;		/* VPERFCTR_FEATURE_* */
	__u64 seq;
	__u64 ring_head;	/* records ever written; record n is in ring[n % ring_size] */
	__u64 ring_lost;	/* overflows without a record */
	__u32 ring_size;	/* records; 0: there is no ring */
	__u32 ring_offset;	/* bytes, of ring[] in the mapping */
	__u64 reserved[2];
	struct vperfctr_cpu_state cpu_state;
};

/*
 * An overflow. The ring follows the page in the mapping, which is then 1 + ring_pages pages long. It is overwritten from
 * its oldest record on: who has copied record n, and then finds ring_head below n + ring_size, has it whole. Fields of
 * the ring change without tsc_start.
 */
struct vperfctr_ring_record {
	__u64 pc;		/* of a slot that counts in user mode only: of the thread's, also if the kernel was interrupted */
	__u64 mask;		/* the slots */
	__u64 tsc;		/* virtual */
	__u64 reserved;
};

/* ---- Calls ---- */

/*
 * OPEN, on /dev/vperfctr; returns a descriptor. EPROTO: another version; EEXIST: CREAT, and the thread has an object;
 * ENOENT: no CREAT, and it has none; ESRCH: no such thread, or not stopped by us; EAGAIN: the user has the maximum of
 * objects, or 16 objects of the thread were unlinked since it stopped; EACCES: the thread is a kernel thread.
 */
struct vperfctr_open {
	__u32 size;
	__u32 version;		/* VPERFCTR_ABI_VERSION */
	__s32 tid;		/* in the caller's PID namespace; 0: the caller */
	__u32 flags;		/* VPERFCTR_OPEN_* */
};

#define VPERFCTR_OPEN_CREAT	1
#define VPERFCTR_OPEN_CLOEXEC	2	/* the descriptor's close-on-exec; see VPERFCTR_CLOEXEC for the object's */

#define VPERFCTR_IOC_OPEN	_IO(VPERFCTR_IOC, 1)

/* si_code of the signal; int si_pmc_ovf_mask has the place of si_pid, behind si_signo, si_errno and si_code. */
#define VPERFCTR_SI_PMC_OVF	0x50

/* flags of a slot */
#define VPERFCTR_USER		1	/* counts in user mode; one of USER and KERNEL must be there */
#define VPERFCTR_KERNEL		2	/* and in the kernel's */
#define VPERFCTR_SHARE		4	/* may take turns with other users of the counters: see enabled and running */

struct vperfctr_pmc {
	__u32 type;		/* as perf_event_attr's: PERF_TYPE_HARDWARE, _SOFTWARE, _HW_CACHE or _RAW */
	__u32 flags;		/* VPERFCTR_USER ... */
	__u64 config;		/* as perf_event_attr's */
	__u64 config1;
	__u64 config2;
	__u64 ireset;		/* events to an overflow, also from what was preserved; 0: none is told of */
};

/* flags of a control */
#define VPERFCTR_CLOEXEC	1	/* exec unlinks the object. Without, an exec that gains rights still does */
#define VPERFCTR_ANY_CPU	2	/* run everywhere, also where slots are not counted: see enabled and running */

/*
 * CONTROL stops and samples what counts, takes new settings, and starts them; with none on, all is stopped.
 * Sums begin at zero, but those of slots in `preserve`, and the TSC's if it is on in the new settings. An
 * overflow is told of by a signal, after which slots stand until IRESUME; with a ring also by a record. With
 * a ring and no signal nothing stands still. Settings that are refused change nothing:
 *
 * The ring, and what is in it, stays as long as ring_pages is the same; another size is another ring, to be mapped anew.
 *
 * Hardware slots keep the thread on the CPUs that count them all, for good, and without ANY_CPU: where it is moved off
 * them later, slots stand (FORBIDDEN) and it gets SIGILL, until another control.
 *
 * EINVAL: a flag, a number out of range, an ireset that nobody would be told of (no si_signo and no ring), or no CPU
 * is left that can count it; E2BIG; EFAULT; ESRCH: the object has no thread any more, or its thread is neither
 * the caller nor stopped by it; EACCES: counting this is not allowed (also for what is neither the CPU's PMU nor
 * software; and to a tracer, for what the thread itself might not count, while anybody else has a descriptor, or by one that
 * somebody opened who might not);
 * EBUSY: somebody else holds the counters; ENOSPC: so many slots do not fit at once; EOPNOTSUPP: this kernel or CPU
 * cannot count it; ENOMEM; EAGAIN: the user has as many slots, or pages of rings, as may be.
 */
struct vperfctr_control {
	__u32 size;
	__u32 flags;		/* VPERFCTR_CLOEXEC ... */
	__u32 si_signo;		/* 0: no signal */
	__u32 preserve;		/* mask of slots whose sums go on */
	__u32 tsc_on;		/* 0 or 1 */
	__u32 nrctrs;		/* slots in use, from pmc[0] on */
	__u32 cpus;		/* out: how many CPUs can count all slots; ignored when given */
	__u32 ring_pages;	/* 0 to VPERFCTR_MAX_RING_PAGES */
	struct vperfctr_pmc pmc[VPERFCTR_MAX_PMCS];
};

#define VPERFCTR_IOC_CONTROL	_IO(VPERFCTR_IOC, 16)

struct vperfctr_sum {
	__u64 count;
	__u64 enabled;		/* ns that it should have been counted, and was */
	__u64 running;
};

struct vperfctr_sum_ctrs {
	__u64 tsc;
	__u64 cstatus;		/* of `children`: ERROR of slots that one of them has not counted */
	__u64 nr_children;	/* of `children`: threads in these sums */
	__u64 nr_missed;	/* of `children`: threads that were not counted, as there was no memory or no room */
	struct vperfctr_sum pmc[VPERFCTR_MAX_PMCS];
};

/*
 * READ. The caller's own object is sampled first. `children` are the sums of threads that were copied from
 * the owner, and theirs, that have exited with the control that they got.
 */
struct vperfctr_read {
	__u32 size;
	__u32 want;		/* VPERFCTR_READ_*: other parts are left alone */
	struct vperfctr_sum_ctrs sum;
	struct vperfctr_sum_ctrs children;
	struct vperfctr_control control;	/* its size is the kernel's */
};

#define VPERFCTR_READ_SUM	1
#define VPERFCTR_READ_CHILDREN	2
#define VPERFCTR_READ_CONTROL	4

#define VPERFCTR_IOC_READ	_IO(VPERFCTR_IOC, 17)

/*
 * Stop and sample the counters and detach the object; no argument. Returns 0 also if the object was detached already.
 * If the owner is a stopped tracee, all calls see the object as detached at once, but its page shows that only after
 * the tracee continues. ENOMEM is possible only in this case.
 */
#define VPERFCTR_IOC_UNLINK	_IO(VPERFCTR_IOC, 18)

/* After an overflow: slots go on; no argument. EPERM: none is pending; ESRCH: detached. */
#define VPERFCTR_IOC_IRESUME	_IO(VPERFCTR_IOC, 19)

/* INFO, on /dev/vperfctr. */
struct vperfctr_info {
	__u32 size;
	__u32 abi_version;
	char driver_version[32];
	__u32 cpu_type;		/* VPERFCTR_CPU_* */
	__u32 features;		/* VPERFCTR_FEATURE_* */
	__u64 cpu_khz;		/* 0: not known */
	__u64 tsc_khz;
	__u32 tsc_to_cpu_mult;	/* cycles to a tick of a CPU that runs at cpu_khz, rounded; 0: not known */
	__u32 nrctrs;		/* slots of an object */
};

#define VPERFCTR_CPU_GENERIC	0	/* TSC and software slots */
#define VPERFCTR_CPU_X86_INTEL	1
#define VPERFCTR_CPU_X86_AMD	2
#define VPERFCTR_CPU_X86_OTHER	3
#define VPERFCTR_CPU_ARM64	16

#define VPERFCTR_IOC_INFO	_IO(VPERFCTR_IOC, 2)

/* CPUS, on /dev/vperfctr: bit n % 64 of word n / 64 is CPU n. */
struct vperfctr_cpus {
	__u32 size;
	__u32 nr_cpus;		/* bits that can be set */
	__u64 usable[VPERFCTR_MAX_CPUS / 64];		/* threads with hardware slots may run there */
	__u64 forbidden[VPERFCTR_MAX_CPUS / 64];
};

#define VPERFCTR_IOC_CPUS	_IO(VPERFCTR_IOC, 3)

/* WHO, on /dev/vperfctr: threads with objects, of the caller's user, or all with CAP_PERFMON or CAP_SYS_ADMIN. */
#define VPERFCTR_WHO_MAX	32

struct vperfctr_who_entry {
	__s32 tid;		/* in the caller's PID namespace */
	__s32 tgid;
	__u32 uid;		/* in the caller's user namespace */
	__u32 nrctrs;
	__u64 cstatus;
	char comm[16];
};

struct vperfctr_who {
	__u32 size;
	__u32 nr;		/* out: entries; 0: there are no more */
	__u64 cursor;		/* 0 at first; then as it was given back. Threads that come or go meanwhile may be missed */
	struct vperfctr_who_entry entry[VPERFCTR_WHO_MAX];
};

#define VPERFCTR_IOC_WHO	_IO(VPERFCTR_IOC, 4)

#endif
