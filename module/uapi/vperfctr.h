/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * uapi/vperfctr.h -- the interface of vperfctr.ko: virtual counters of threads.
 *
 * A thread's counters are an object, and a file descriptor is a reference to it. The ioctls of
 * /dev/vperfctr open objects, describe the machine and list threads (OPEN, INFO, CPUS, WHO). The
 * ioctls of an object's descriptor change and read the object (CONTROL, READ, UNLINK, IRESUME).
 * Programs map an object's page read-only, and read it without a system call.
 *
 * The struct of an ioctl begins with its size in the caller's version, contains no pointer, and has
 * the same layout in 32-bit programs. The kernel extends an older, smaller struct by zeros. If a
 * newer, larger struct has nonzero bytes in the unknown part, the call fails with E2BIG. The kernel
 * writes only as many bytes of a result as the caller's struct has. EINVAL: the size is smaller
 * than the first version's, or a flag is unknown.
 *
 * For another thread, calls work only while that thread is stopped by the caller's ptrace;
 * otherwise they fail with ESRCH. After the thread has exited, every process with a descriptor of
 * the object may call READ.
 */
#ifndef VPERFCTR_UAPI_H
#define VPERFCTR_UAPI_H

#include <linux/types.h>

#define VPERFCTR_DEVICE		"/dev/vperfctr"
/* version of the interface; changes with each incompatible change */
#define VPERFCTR_ABI_VERSION	1

/* type of the ioctl numbers. Terminals do not use this type, so an ioctl for terminals fails on
 * the device */
#define VPERFCTR_IOC		0xbd

#define VPERFCTR_MAX_PMCS	16
#define VPERFCTR_MAX_RING_PAGES	64
/* minimum of a slot's ireset for hardware events; the minimum for software events is 1 */
#define VPERFCTR_MIN_IRESET	100
#define VPERFCTR_MIN_IRESET_NS	100000	/* minimum ireset of clocks, in ns, without CAP_PERFMON */
#define VPERFCTR_MAX_CPUS	8192	/* size in bits of each mask in struct vperfctr_cpus */

/* ---- The page: offset 0 of an object's mapping ---- */

/* Features: in struct vperfctr_info, features of the machine; in a page, features of the
 * object's slots (only RDPMC and RDTSC). */
/* programs can read counters in user mode: the `map` of a slot may be valid */
#define VPERFCTR_FEATURE_RDPMC	1
#define VPERFCTR_FEATURE_RDTSC	2	/* programs can read the TSC, or cntvct_el0 on aarch64 */
/* the PMU interrupts at an overflow: hardware slots may have an ireset */
#define VPERFCTR_FEATURE_PCINT	4

/*
 * `map` of a slot. 0: the slot can only be read by READ. Otherwise the owner can read the counter:
 * the low 32 bits are the argument of rdpmc, on aarch64 the number of the counter (pmevcntrN_el0;
 * 31: pmccntr_el0). The member is valid until tsc_start changes.
 */
#define VPERFCTR_MAP_VALID	(1ULL << 32)
#define VPERFCTR_MAP_INDEX(map)	((__u32)(map))

/* Bits of `cstatus` in struct vperfctr_cpu_state. */
#define VPERFCTR_CSTATUS_TSC_ON		(1ULL << 0)	/* the virtual TSC is on */
/* the thread is running and being counted: tsc_start is valid */
#define VPERFCTR_CSTATUS_RUNNING	(1ULL << 1)
/* an overflow has stopped the slots until the ioctl IRESUME; the virtual TSC continues */
#define VPERFCTR_CSTATUS_SUSPENDED	(1ULL << 2)
/* the slots are stopped, because the thread has migrated to a CPU that cannot count them */
#define VPERFCTR_CSTATUS_FORBIDDEN	(1ULL << 3)
/* the object was detached from its thread by UNLINK or exec: sums are final */
#define VPERFCTR_CSTATUS_DETACHED	(1ULL << 4)
/* the object's thread has exited: sums are final */
#define VPERFCTR_CSTATUS_DEAD		(1ULL << 5)
#define VPERFCTR_CSTATUS_NRCTRS(c)	((__u32)((c) >> 8) & 0xff)
/* slot i does not count, because other users use its counter, or because a limit is reached */
#define VPERFCTR_CSTATUS_ERROR(i)	(1ULL << (32 + (i)))
#define VPERFCTR_CSTATUS_ERRORS		(0xffffULL << 32)

/* If the map is valid, the value of the slot is sum + ((counter - start) & mask), where mask has
 * the low `width` bits set. If the map is not valid, the value at time `tsc_start` is `sum`. */
struct vperfctr_pmc_state {
	__u64 map;
	__u64 width;
	__u64 start;
	__u64 sum;
};

/* Value of the virtual TSC: while RUNNING, tsc_sum + (tsc - tsc_start) in 64 bits; otherwise
 * tsc_sum. */
struct vperfctr_cpu_state {
	__u64 tsc_start;
	__u64 tsc_sum;
	__u64 cstatus;
	struct vperfctr_pmc_state pmc[VPERFCTR_MAX_PMCS];
};

/*
 * The page. To read several words consistently, the owner reads tsc_start before and after these
 * words, and reads again if tsc_start has changed. Each change of the page changes tsc_start, even
 * while the virtual TSC is off. Readers on other CPUs must use read barriers. They must also check
 * that seq is even, and that it has the same value before and after the read.
 */
struct vperfctr_state {
	__u32 version;		/* version of the interface, VPERFCTR_ABI_VERSION */
	__u32 size;		/* size of this struct in the kernel's version of the interface */
	__u64 features;		/* features of the object's slots, VPERFCTR_FEATURE_* */
	__u64 seq;
	__u64 ring_head;	/* number of records written; record n is in ring[n % ring_size] */
	/* number of overflows that were lost because no record was written */
	__u64 ring_lost;
	__u32 ring_size;	/* number of records in the ring; 0: no ring */
	__u32 ring_offset;	/* offset of ring[] in the mapping, in bytes */
	__u64 reserved[2];
	struct vperfctr_cpu_state cpu_state;
};

/*
 * A record of an overflow. The ring of records follows the page in the mapping, which then has 1 +
 * ring_pages pages. New records overwrite the oldest ones: a copy of record n is valid if ring_head
 * is below n + ring_size after the copy. The page's members for the ring may change while tsc_start
 * does not.
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
 * Argument of the ioctl OPEN on /dev/vperfctr, which returns a descriptor of a thread's object.
 * Errors: EPROTO: the caller uses another version of the interface; EEXIST: CREAT is set, and the
 * thread has an object; ENOENT: CREAT is not set, and the thread has no object; ESRCH: no such
 * thread, or not stopped by the caller; EAGAIN: the user has the maximum number of objects, or 16
 * objects of the thread were unlinked since it stopped; EACCES: the thread is a kernel thread.
 */
struct vperfctr_open {
	__u32 size;
	__u32 version;		/* version that the caller uses, VPERFCTR_ABI_VERSION */
	__s32 tid;		/* thread id in the caller's PID namespace; 0: the caller */
	__u32 flags;		/* flags VPERFCTR_OPEN_* */
};

#define VPERFCTR_OPEN_CREAT	1
/* flag: close the descriptor at exec; the flag for the object is VPERFCTR_CLOEXEC */
#define VPERFCTR_OPEN_CLOEXEC	2

#define VPERFCTR_IOC_OPEN	_IO(VPERFCTR_IOC, 1)

/* si_code of the overflow signal. After si_signo, si_errno and si_code, at the offset of si_pid,
 * siginfo has the member int si_pmc_ovf_mask: the mask of the overflowed slots. */
#define VPERFCTR_SI_PMC_OVF	0x50

/* flags of a slot */
#define VPERFCTR_USER		1	/* count in user mode; USER or KERNEL must be set */
#define VPERFCTR_KERNEL		2	/* count in kernel mode */
/* the slot may be multiplexed with other users' events: compute rates from .enabled and .running */
#define VPERFCTR_SHARE		4

struct vperfctr_pmc {
	/* type of the event as in perf_event_attr: PERF_TYPE_HARDWARE, _SOFTWARE, _HW_CACHE or
	 * _RAW */
	__u32 type;
	__u32 flags;		/* flags of the slot: VPERFCTR_USER and so on */
	__u64 config;		/* code of the event as in perf_event_attr */
	__u64 config1;
	__u64 config2;
	/* the slot overflows whenever its sum reaches a multiple of this number; 0: no overflows */
	__u64 ireset;
};

/* flags of struct vperfctr_control */
/* exec detaches the object. Without this flag, only an exec that gains privileges detaches it */
#define VPERFCTR_CLOEXEC	1
/* let the thread also run on CPUs that cannot count all slots: then use .enabled and .running */
#define VPERFCTR_ANY_CPU	2

/*
 * Argument of the ioctl CONTROL, which stops the current slots and starts the new ones. Settings
 * without slots and without the TSC stop all counting. The sums begin at zero, except the sums of
 * slots in `preserve`. The virtual TSC also continues if it stays on. Invalid settings change
 * nothing.
 *
 * An overflow with a signal stops the slots until IRESUME. An overflow with a ring writes a record.
 * With a ring and without a signal, the slots continue to count.
 *
 * If ring_pages is unchanged, the ring keeps its records. A different ring_pages creates a new
 * ring, which the program must map.
 *
 * Without ANY_CPU, hardware slots restrict the thread permanently to the CPUs that count all slots.
 * If the thread is moved to another CPU later, the slots are stopped (FORBIDDEN) until the next
 * CONTROL, and the thread gets SIGILL.
 *
 * Errors: EINVAL: unknown flag, number out of range, ireset without si_signo and ring, or no CPU of
 * the thread can count the slots; E2BIG; EFAULT; ESRCH: the object has no thread any more, or its
 * thread is neither the caller nor stopped by the caller; EACCES: permission denied, also for
 * events of PMUs other than the CPU's. A tracer gets EACCES for settings that the thread itself may
 * not request, if the object has another descriptor, or if the opener of the descriptor may not
 * request them; EBUSY: another driver uses the counters; ENOSPC: the slots cannot all count at the
 * same time; EOPNOTSUPP: this kernel or CPU cannot count an event; ENOMEM; EAGAIN: the user's limit
 * of slots, or of pages of rings, is reached.
 */
struct vperfctr_control {
	__u32 size;
	__u32 flags;		/* flags of the settings: VPERFCTR_CLOEXEC and so on */
	__u32 si_signo;		/* number of the signal that an overflow sends; 0: no signal */
	__u32 preserve;		/* bit mask of the slots whose sums are not reset */
	__u32 tsc_on;		/* 1: the virtual TSC is on; 0: off */
	__u32 nrctrs;		/* number of slots in pmc[] */
	/* result: number of CPUs that can count all slots; ignored in the caller's struct */
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
 * Argument of the ioctl READ. If the object belongs to the caller, READ first updates the sums.
 * `children` contains the sums of the owner's descendant threads that have exited and whose
 * settings were an unchanged copy of the owner's.
 */
struct vperfctr_read {
	__u32 size;
	/* bit mask of the parts of this struct to fill, VPERFCTR_READ_*; other parts stay
	 * unchanged */
	__u32 want;
	struct vperfctr_sum_ctrs sum;
	struct vperfctr_sum_ctrs children;
	/* the object's settings; .size is the size of the struct in the kernel's version of the
	 * interface */
	struct vperfctr_control control;
};

#define VPERFCTR_READ_SUM	1
#define VPERFCTR_READ_CHILDREN	2
#define VPERFCTR_READ_CONTROL	4

#define VPERFCTR_IOC_READ	_IO(VPERFCTR_IOC, 17)

/*
 * UNLINK: stop and read the counters, and detach the object from its thread; no argument. Also
 * returns 0 if the object is already detached. If the owner is a stopped tracee, all calls see the
 * object as detached at once, but its page shows this only after the tracee continues; ENOMEM is
 * possible only in this case.
 */
#define VPERFCTR_IOC_UNLINK	_IO(VPERFCTR_IOC, 18)

/* IRESUME: resume the slots that an overflow has stopped; no argument. Errors: EPERM: no
 * overflow has stopped a slot; ESRCH: the object has no thread any more. */
#define VPERFCTR_IOC_IRESUME	_IO(VPERFCTR_IOC, 19)

/* Argument of the ioctl INFO on /dev/vperfctr. */
struct vperfctr_info {
	__u32 size;
	__u32 abi_version;
	char driver_version[32];
	__u32 cpu_type;		/* type of the CPU, VPERFCTR_CPU_* */
	__u32 features;		/* features of the machine, VPERFCTR_FEATURE_* */
	__u64 cpu_khz;		/* frequency of the CPU in kHz; 0: unknown */
	__u64 tsc_khz;
	/* number of CPU cycles, at cpu_khz, in one tick of the TSC, rounded; 0: unknown */
	__u32 tsc_to_cpu_mult;
	__u32 nrctrs;		/* maximum number of slots of an object */
};

#define VPERFCTR_CPU_GENERIC	0	/* a CPU with only the TSC and software slots */
#define VPERFCTR_CPU_X86_INTEL	1
#define VPERFCTR_CPU_X86_AMD	2
#define VPERFCTR_CPU_X86_OTHER	3
#define VPERFCTR_CPU_ARM64	16

#define VPERFCTR_IOC_INFO	_IO(VPERFCTR_IOC, 2)

/* Argument of the ioctl CPUS on /dev/vperfctr. In both masks, bit n % 64 of word n / 64 stands
 * for CPU n. */
struct vperfctr_cpus {
	__u32 size;
	__u32 nr_cpus;		/* number of used bits in the masks of CPUs */
	/* CPUs on which threads with hardware slots may run */
	__u64 usable[VPERFCTR_MAX_CPUS / 64];
	__u64 forbidden[VPERFCTR_MAX_CPUS / 64];
};

#define VPERFCTR_IOC_CPUS	_IO(VPERFCTR_IOC, 3)

/*
 * Argument of the ioctl WHO on /dev/vperfctr, which lists the threads that have objects. With
 * CAP_PERFMON or CAP_SYS_ADMIN it lists the threads of all users, otherwise only those of the
 * caller's user.
 */
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
	/* position in the list: 0 in the first call, then the value that the previous call has
	 * returned. A thread that starts or exits between the calls may be missing in the list */
	__u64 cursor;
	struct vperfctr_who_entry entry[VPERFCTR_WHO_MAX];
};

#define VPERFCTR_IOC_WHO	_IO(VPERFCTR_IOC, 4)

#endif
