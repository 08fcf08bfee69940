/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * uapi/vperfctr.h -- the interface of vperfctr.ko: virtual counters of threads.
 *
 * A thread's counters are an object, and a file descriptor is a reference to it. The ioctls of
 * /dev/vperfctr create and find objects and describe the machine (OPEN, INFO, CPUS, WHO). The
 * ioctls of an object's descriptor change and read it (CONTROL, READ, UNLINK, IRESUME). Programs
 * map an object's page read-only, and read it without a system call.
 *
 * The struct of an ioctl begins with its size in the caller's version, contains no pointer, and has
 * the same layout in 32-bit programs. The kernel extends an older, smaller struct by zeros. It
 * accepts a newer, larger struct if the unknown part is zero, otherwise the call fails with E2BIG.
 * It writes results up to the caller's size. EINVAL: the size is smaller than the first version's,
 * or a flag is unknown.
 *
 * For another thread, calls work only while that thread is stopped by the caller's ptrace;
 * otherwise they fail with ESRCH. After the thread has exited, every process with a descriptor of
 * the object may call READ.
 */
#ifndef VPERFCTR_UAPI_H
#define VPERFCTR_UAPI_H

#include <linux/types.h>

#define VPERFCTR_DEVICE		"/dev/vperfctr"
/* number that changes with each incompatible change of the interface */
#define VPERFCTR_ABI_VERSION	1

/* type of the ioctl numbers. Terminals do not use it, so a program that takes the device for a
 * terminal fails */
#define VPERFCTR_IOC		0xbd

#define VPERFCTR_MAX_PMCS	16
#define VPERFCTR_MAX_RING_PAGES	64
/* minimum period of hardware events; the minimum of software events is 1 */
#define VPERFCTR_MIN_IRESET	100
#define VPERFCTR_MIN_IRESET_NS	100000	/* minimum period of clocks, without CAP_PERFMON */
#define VPERFCTR_MAX_CPUS	8192	/* size in bits of each mask in struct vperfctr_cpus */

/* ---- The page: offset 0 of an object's mapping ---- */

/* Features: in INFO those of the machine, in a page those of the object's slots (only RDPMC and
 * RDTSC). */
/* slots may get a `map`: programs can read them in user mode */
#define VPERFCTR_FEATURE_RDPMC	1
#define VPERFCTR_FEATURE_RDTSC	2	/* programs can read the TSC (aarch64: cntvct_el0) */
/* the PMU interrupts at an overflow: hardware slots may have an ireset */
#define VPERFCTR_FEATURE_PCINT	4

/*
 * `map` of a slot. 0: the slot can only be read by READ. Otherwise the owner can read the counter:
 * the low 32 bits are the argument of rdpmc, on aarch64 the number of the counter (pmevcntrN_el0;
 * 31: pmccntr_el0). The value is valid while tsc_start does not change.
 */
#define VPERFCTR_MAP_VALID	(1ULL << 32)
#define VPERFCTR_MAP_INDEX(map)	((__u32)(map))

/* Bits of `cstatus` in struct vperfctr_cpu_state. */
#define VPERFCTR_CSTATUS_TSC_ON		(1ULL << 0)	/* the virtual TSC is on */
/* the thread is running and counting: tsc_start is valid */
#define VPERFCTR_CSTATUS_RUNNING	(1ULL << 1)
/* slots are stopped after an overflow until IRESUME; the virtual TSC continues */
#define VPERFCTR_CSTATUS_SUSPENDED	(1ULL << 2)
/* slots were stopped, because the thread migrated to a CPU that cannot count them */
#define VPERFCTR_CSTATUS_FORBIDDEN	(1ULL << 3)
/* the object was unlinked from its thread: sums are final */
#define VPERFCTR_CSTATUS_DETACHED	(1ULL << 4)
/* the object's thread has exited: sums are final */
#define VPERFCTR_CSTATUS_DEAD		(1ULL << 5)
#define VPERFCTR_CSTATUS_NRCTRS(c)	((__u32)((c) >> 8) & 0xff)
/* slot i does not count, because its counter is in use, or a limit is reached */
#define VPERFCTR_CSTATUS_ERROR(i)	(1ULL << (32 + (i)))
#define VPERFCTR_CSTATUS_ERRORS		(0xffffULL << 32)

/* value of the slot = sum + ((counter - start) & mask), mask: the low `width` bits; without a map:
 * the sum at the time `tsc_start` */
struct vperfctr_pmc_state {
	__u64 map;
	__u64 width;
	__u64 start;
	__u64 sum;
};

/* virtual TSC: tsc_sum + (tsc - tsc_start), with all 64 bits, while RUNNING; otherwise tsc_sum */
struct vperfctr_cpu_state {
	__u64 tsc_start;
	__u64 tsc_sum;
	__u64 cstatus;
	struct vperfctr_pmc_state pmc[VPERFCTR_MAX_PMCS];
};

/*
 * The page. To read several words consistently, the owner reads tsc_start before and after them,
 * and repeats if it has changed. Each change of the page changes tsc_start, even while the virtual
 * TSC is off. Readers on other CPUs must use read barriers and also check that seq is even, and the
 * same before and after.
 */
struct vperfctr_state {
	__u32 version;		/* version of the interface, VPERFCTR_ABI_VERSION */
	__u32 size;		/* size of this struct in the kernel's version of the interface */
	__u64 features;		/* features of the object's slots, VPERFCTR_FEATURE_* */
	__u64 seq;
	__u64 ring_head;	/* number of records written; record n is in ring[n % ring_size] */
	__u64 ring_lost;	/* number of overflows without a record */
	__u32 ring_size;	/* number of records in the ring; 0: no ring */
	__u32 ring_offset;	/* offset of ring[] in the mapping, in bytes */
	__u64 reserved[2];
	struct vperfctr_cpu_state cpu_state;
};

/*
 * A record of an overflow. The ring of records follows the page in the mapping, which then has 1 +
 * ring_pages pages. New records overwrite the oldest ones: a copy of record n is valid if ring_head
 * is below n + ring_size after the copy. The members for the ring change without a change of
 * tsc_start.
 */
struct vperfctr_ring_record {
	/* program counter; if no slot counts kernel mode, the user pc, even if the kernel was
	 * interrupted */
	__u64 pc;
	__u64 mask;		/* bit mask of the slots that overflowed */
	__u64 tsc;		/* virtual TSC at the overflow */
	__u64 reserved;
};

/* ---- Calls ---- */

/*
 * OPEN, on /dev/vperfctr; returns a descriptor. Errors: EPROTO: another version; EEXIST: CREAT is
 * set, and the thread has an object; ENOENT: CREAT is not set, and the thread has no object; ESRCH:
 * no such thread, or not stopped by the caller; EAGAIN: the user has the maximum number of objects,
 * or 16 objects of the thread were unlinked since it stopped; EACCES: the thread is a kernel
 * thread.
 */
struct vperfctr_open {
	__u32 size;
	__u32 version;		/* version that the caller uses, VPERFCTR_ABI_VERSION */
	__s32 tid;		/* thread id in the caller's PID namespace; 0: the caller */
	__u32 flags;		/* flags VPERFCTR_OPEN_* */
};

#define VPERFCTR_OPEN_CREAT	1
/* flag: close the descriptor at exec; for the object itself see VPERFCTR_CLOEXEC */
#define VPERFCTR_OPEN_CLOEXEC	2

#define VPERFCTR_IOC_OPEN	_IO(VPERFCTR_IOC, 1)

/* si_code of the overflow signal. After si_signo, si_errno and si_code, at the offset of si_pid,
 * siginfo has the member int si_pmc_ovf_mask: the mask of the overflowed slots. */
#define VPERFCTR_SI_PMC_OVF	0x50

/* flags of a slot */
#define VPERFCTR_USER		1	/* count in user mode; USER or KERNEL must be set */
#define VPERFCTR_KERNEL		2	/* count in kernel mode */
/* may be multiplexed with other users of the counters: then use .enabled and .running */
#define VPERFCTR_SHARE		4

struct vperfctr_pmc {
	/* type of the event as in perf_event_attr: PERF_TYPE_HARDWARE, _SOFTWARE, _HW_CACHE or
	 * _RAW */
	__u32 type;
	__u32 flags;		/* flags of the slot: VPERFCTR_USER and so on */
	__u64 config;		/* code of the event as in perf_event_attr */
	__u64 config1;
	__u64 config2;
	/* number of events until an overflow, counted from preserved sums; 0: no overflows */
	__u64 ireset;
};

/* flags of struct vperfctr_control */
/* exec unlinks the object. Without this flag, only an exec that gains privileges does */
#define VPERFCTR_CLOEXEC	1
/* run also on CPUs that do not count all slots: then use .enabled and .running */
#define VPERFCTR_ANY_CPU	2

/*
 * CONTROL stops and reads the current slots, and starts the new settings. Settings without slots
 * and TSC stop everything. Sums begin at zero, except those of slots in `preserve`, and the TSC's
 * if it is on in the new settings. Invalid settings change nothing.
 *
 * An overflow with a signal stops the slots until IRESUME. An overflow with a ring writes a record.
 * With a ring and no signal, slots are not stopped.
 *
 * The ring and its records remain while ring_pages is the same. Another size creates a new ring,
 * which must be mapped.
 *
 * Without ANY_CPU, hardware slots restrict the thread permanently to the CPUs that count all slots.
 * If the thread is moved to another CPU later, the slots are stopped (FORBIDDEN) until the next
 * CONTROL, and the thread gets SIGILL.
 *
 * Errors: EINVAL: unknown flag, number out of range, ireset without si_signo and ring, or no CPU of
 * the thread can count the slots; E2BIG; EFAULT; ESRCH: the object has no thread any more, or its
 * thread is neither the caller nor stopped by the caller; EACCES: permission denied. This includes
 * events of PMUs other than the CPU's; and a tracer's settings that the thread itself may not
 * request, if another descriptor of the object exists, or its opener may not count them; EBUSY:
 * another driver uses the counters; ENOSPC: the slots cannot all count at the same time;
 * EOPNOTSUPP: this kernel or CPU cannot count an event; ENOMEM; EAGAIN: the user's limit of slots,
 * or of pages of rings, is reached.
 */
struct vperfctr_control {
	__u32 size;
	__u32 flags;		/* flags of the settings: VPERFCTR_CLOEXEC and so on */
	__u32 si_signo;		/* number of the signal that an overflow sends; 0: no signal */
	__u32 preserve;		/* bit mask of the slots whose sums are not reset */
	__u32 tsc_on;		/* 1: the virtual TSC is on; 0: off */
	__u32 nrctrs;		/* number of slots in pmc[] */
	/* result: number of CPUs that can count all slots; not an input */
	__u32 cpus;
	__u32 ring_pages;	/* number of pages of the ring, 0 to VPERFCTR_MAX_RING_PAGES */
	struct vperfctr_pmc pmc[VPERFCTR_MAX_PMCS];
};

#define VPERFCTR_IOC_CONTROL	_IO(VPERFCTR_IOC, 16)

struct vperfctr_sum {
	__u64 count;
	/* .enabled: time in ns for which the slot was enabled; .running: time for which it was
	 * counted */
	__u64 enabled;
	__u64 running;
};

struct vperfctr_sum_ctrs {
	__u64 tsc;
	/* VPERFCTR_CSTATUS_*; in `children`: ERROR bits of the slots that a child thread could not
	 * count */
	__u64 cstatus;
	__u64 nr_children;	/* in `children`: number of threads included in the sums */
	/* in `children`: number of threads that were not counted for lack of memory or because of a
	 * limit */
	__u64 nr_missed;
	struct vperfctr_sum pmc[VPERFCTR_MAX_PMCS];
};

/*
 * READ. The counters of the caller's own object are read first, so that sums are current.
 * `children` are the sums of the owner's descendant threads that have exited with an unchanged copy
 * of its control.
 */
struct vperfctr_read {
	__u32 size;
	/* parts to write, VPERFCTR_READ_*; the other parts are not written */
	__u32 want;
	struct vperfctr_sum_ctrs sum;
	struct vperfctr_sum_ctrs children;
	/* the settings; .size is that of the kernel's version */
	struct vperfctr_control control;
};

#define VPERFCTR_READ_SUM	1
#define VPERFCTR_READ_CHILDREN	2
#define VPERFCTR_READ_CONTROL	4

#define VPERFCTR_IOC_READ	_IO(VPERFCTR_IOC, 17)

/*
 * UNLINK: stop and read the counters, and detach the object from its thread; no argument. Returns 0
 * also if the object is already detached. If the owner is a stopped tracee, all calls see the
 * object as detached at once, but its page shows this only after the tracee continues; ENOMEM is
 * possible only in this case.
 */
#define VPERFCTR_IOC_UNLINK	_IO(VPERFCTR_IOC, 18)

/* IRESUME: resume the slots after an overflow; no argument. Errors: EPERM: no slot is stopped by an
 * overflow; ESRCH: detached. */
#define VPERFCTR_IOC_IRESUME	_IO(VPERFCTR_IOC, 19)

/* Argument of the ioctl INFO on /dev/vperfctr. */
struct vperfctr_info {
	__u32 size;
	__u32 abi_version;
	char driver_version[32];
	__u32 cpu_type;		/* type of the CPU, VPERFCTR_CPU_* */
	__u32 features;		/* features of the machine, VPERFCTR_FEATURE_* */
	__u64 cpu_khz;		/* frequency of the CPU; 0: unknown */
	__u64 tsc_khz;
	/* CPU cycles, at cpu_khz, per tick of the TSC, rounded; 0: unknown */
	__u32 tsc_to_cpu_mult;
	__u32 nrctrs;		/* maximum number of slots of an object */
};

#define VPERFCTR_CPU_GENERIC	0	/* a CPU with only the TSC and software slots */
#define VPERFCTR_CPU_X86_INTEL	1
#define VPERFCTR_CPU_X86_AMD	2
#define VPERFCTR_CPU_X86_OTHER	3
#define VPERFCTR_CPU_ARM64	16

#define VPERFCTR_IOC_INFO	_IO(VPERFCTR_IOC, 2)

/* CPUS, on /dev/vperfctr: bit n % 64 of word n / 64 is CPU n. */
struct vperfctr_cpus {
	__u32 size;
	__u32 nr_cpus;		/* number of used bits in the masks of CPUs */
	/* CPUs on which threads with hardware slots may run */
	__u64 usable[VPERFCTR_MAX_CPUS / 64];
	__u64 forbidden[VPERFCTR_MAX_CPUS / 64];
};

#define VPERFCTR_IOC_CPUS	_IO(VPERFCTR_IOC, 3)

/* WHO, on /dev/vperfctr: list the threads that have objects. Lists those of the caller's user; with
 * CAP_PERFMON or CAP_SYS_ADMIN those of all users. */
#define VPERFCTR_WHO_MAX	32

struct vperfctr_who_entry {
	__s32 tid;		/* thread id in the caller's PID namespace */
	__s32 tgid;
	__u32 uid;		/* user id in the caller's user namespace */
	__u32 nrctrs;
	__u64 cstatus;
	char comm[16];
};

struct vperfctr_who {
	__u32 size;
	__u32 nr;		/* result: number of entries; 0: the list is complete */
	/* 0 in the first call, then the returned value. A thread that starts or exits during the
	 * listing may be missed */
	__u64 cursor;
	struct vperfctr_who_entry entry[VPERFCTR_WHO_MAX];
};

#define VPERFCTR_IOC_WHO	_IO(VPERFCTR_IOC, 4)

#endif
