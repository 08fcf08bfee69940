/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libperfctr.h -- source compatibility with perfctr 2.6 over vperfctr.ko. Build old programs with
 * -I and this header's directory, and link them with -lvperf. Use vperf.h in new programs.
 *
 * Functions return 0, or -1 (NULL) with errno. A source file that includes this header must not
 * include another header of libvperf, because struct vperfctr_control here differs from the
 * kernel's. Differences from perfctr:
 *  - the kernel chooses the counters: pmc_map matters only as the number of a fixed Intel counter
 *    (0x40000000 + n);
 *  - the kernel sets evntsel's PC, INT and EN bits (19, 20, 22); evntsel_high is the register's
 *    upper half;
 *  - an overflow period is at least 100 events: smaller values in ireset are raised to 100;
 *  - P4's ESCRs and PEBS are not supported, and the library has no list of events: use opperfex
 *    --list;
 *  - a CPU that is newer than perfctr is reported as the last model of its vendor whose events it
 *    still has.
 */
#ifndef LIBPERFCTR_H
#define LIBPERFCTR_H

#include <signal.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PERFCTR_MAX_CTRS	16

/* ---- The machine ---- */

enum {
	PERFCTR_X86_GENERIC, /* CPU that has only a time-stamp counter */
	PERFCTR_X86_INTEL_P5,
	PERFCTR_X86_INTEL_P5MMX,
	PERFCTR_X86_INTEL_P6,
	PERFCTR_X86_INTEL_PII,
	PERFCTR_X86_INTEL_PIII,
	PERFCTR_X86_INTEL_PENTM,
	PERFCTR_X86_INTEL_P4,
	PERFCTR_X86_INTEL_P4M2,
	PERFCTR_X86_INTEL_P4M3,
	PERFCTR_X86_INTEL_CORE,
	PERFCTR_X86_INTEL_CORE2,
	PERFCTR_X86_INTEL_ATOM, /* Intel's Atom and all later Intel CPUs, with architectural
				 * events only */
	PERFCTR_X86_INTEL_NHLM,
	PERFCTR_X86_INTEL_WSTMR,
	PERFCTR_X86_CYRIX_MII,
	PERFCTR_X86_WINCHIP_C6,
	PERFCTR_X86_WINCHIP_2,
	PERFCTR_X86_VIA_C3,
	PERFCTR_X86_AMD_K7,
	PERFCTR_X86_AMD_K8,
	PERFCTR_X86_AMD_K8C,
	PERFCTR_X86_AMD_FAM10H, /* AMD's family 10h and all later AMD CPUs */
};

#define PERFCTR_FEATURE_RDPMC	1
#define PERFCTR_FEATURE_RDTSC	2
#define PERFCTR_FEATURE_PCINT	4

struct perfctr_info {
	unsigned int abi_version;
	char driver_version[32];
	unsigned int cpu_type;		/* the CPU's type, PERFCTR_X86_... */
	unsigned int cpu_features;	/* mask of the CPU's features, PERFCTR_FEATURE_... */
	unsigned int cpu_khz;
	unsigned int tsc_to_cpu_mult;	/* CPU cycles per TSC tick; 0: not constant */
};

/* Mask of CPUs: bit n % 64 of word n / 64 is set for CPU n. */
struct perfctr_cpus_info {
	unsigned int nr_cpus;
	unsigned long long cpus[128], cpus_forbidden[128];
};

/* ---- Settings and sums ---- */

struct perfctr_cpu_control {
	unsigned int tsc_on;
	/* number of counters without overflow signals; these are the first elements of the
	 * arrays */
	unsigned int nractrs;
	/* number of counters with overflow signals; these are the last elements of the arrays */
	unsigned int nrictrs;
	unsigned int pmc_map[PERFCTR_MAX_CTRS];
	unsigned int evntsel[PERFCTR_MAX_CTRS];
	union {
		unsigned int evntsel_high[PERFCTR_MAX_CTRS];
		struct {
			unsigned int escr[PERFCTR_MAX_CTRS];
			/* must be 0, otherwise the calls fail with EOPNOTSUPP */
			unsigned int pebs_enable, pebs_matrix_vert;
		} p4;
	};
	/* for counters with overflow signals: a negative number; the counter overflows every
	 * -ireset events */
	int ireset[PERFCTR_MAX_CTRS];
};

#define VPERFCTR_CONTROL_CLOEXEC	1

struct vperfctr_control {
	int si_signo;
	/* flags; VPERFCTR_CONTROL_CLOEXEC: counting ends at exec */
	unsigned int flags;
	unsigned int preserve;		/* bit mask of the counters that keep their sums */
	struct perfctr_cpu_control cpu_control;
};

struct perfctr_sum_ctrs {
	unsigned long long tsc;
	unsigned long long pmc[PERFCTR_MAX_CTRS];
};

/* Members of siginfo_t in the signal of an overflow. */
#define SI_PMC_OVF		0x50
#define si_pmc_ovf_mask		si_pid		/* bit mask of the counters that overflowed */

/* ---- The caller's own counters, created when they are first opened ---- */

struct vperfctr;

struct vperfctr *vperfctr_open(void);
/* Free the handle @self. The thread's counters continue to count. */
void vperfctr_close(struct vperfctr *self);
int vperfctr_info(const struct vperfctr *self, struct perfctr_info *info);
/* Return information that the caller must free(). */
struct perfctr_cpus_info *vperfctr_cpus_info(const struct vperfctr *self);
int vperfctr_control(const struct vperfctr *self, const struct vperfctr_control *control);
int vperfctr_stop(const struct vperfctr *self);		/* Stop counting, but keep the sums. */
bool vperfctr_is_running(const struct vperfctr *self);
int vperfctr_iresume(const struct vperfctr *self);
int vperfctr_unlink(const struct vperfctr *self);
/* The functions from here to vperfctr_read_state() make no system call if counters can be read in
 * user mode. */
unsigned long long vperfctr_read_tsc(const struct vperfctr *self);
unsigned long long vperfctr_read_pmc(const struct vperfctr *self, unsigned int i);
int vperfctr_read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sum);
/* @sum and @control may be NULL. */
int vperfctr_read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
			struct vperfctr_control *control);

/* ---- Counters of another thread, which must be stopped by the caller's ptrace ---- */

struct rvperfctr;

struct rvperfctr *rvperfctr_open(int tid);
void rvperfctr_close(struct rvperfctr *other);
int rvperfctr_pid(const struct rvperfctr *other);
int rvperfctr_info(const struct rvperfctr *other, struct perfctr_info *info);
int rvperfctr_control(const struct rvperfctr *other, const struct vperfctr_control *control);
int rvperfctr_stop(const struct rvperfctr *other);
int rvperfctr_unlink(const struct rvperfctr *other);
int rvperfctr_read_ctrs(const struct rvperfctr *other, struct perfctr_sum_ctrs *sum);
int rvperfctr_read_state(const struct rvperfctr *other, struct perfctr_sum_ctrs *sum,
			 struct vperfctr_control *control);

/* ---- Descriptors of the caller's counters, or of another thread that has sent its descriptor
 * ---- */

/*
 * Return a descriptor of the caller's counters. If the caller has no counters and @creat is 0, the
 * descriptor can be used only for perfctr_info() and similar functions. The descriptor stays open
 * across exec.
 */
int _vperfctr_open(int creat);
int _vperfctr_control(int fd, const struct vperfctr_control *control);
int _vperfctr_read_sum(int fd, struct perfctr_sum_ctrs *sum);
int _vperfctr_read_children(int fd, struct perfctr_sum_ctrs *sum);
int _vperfctr_read_control(int fd, struct vperfctr_control *control);

/* fail with EPROTO if the kernel module and the library have different versions */
int perfctr_abi_check_fd(int fd);
int perfctr_info(int fd, struct perfctr_info *info);
/* Return information that the caller must free(). */
struct perfctr_cpus_info *perfctr_cpus_info(int fd);

/* ---- Names; the print functions write to standard output ---- */

struct perfctr_unit_mask {
	unsigned int default_value;
};

struct perfctr_event {
	unsigned int evntsel, counters_set;
	const struct perfctr_unit_mask *unit_mask;
	const char *name;
};

struct perfctr_event_set {
	unsigned int cpu_type;
	const char *event_prefix;
	const struct perfctr_event_set *include;
	unsigned int nevents;
	const struct perfctr_event *events;
};

const char *perfctr_info_cpu_name(const struct perfctr_info *info);
unsigned int perfctr_info_nrctrs(const struct perfctr_info *info);
/* Always return NULL, because the library has no list of events. */
const struct perfctr_event_set *perfctr_cpu_event_set(unsigned int cpu_type);
void perfctr_info_print(const struct perfctr_info *info);
void perfctr_cpus_info_print(const struct perfctr_cpus_info *info);
void perfctr_cpu_control_print(const struct perfctr_cpu_control *control);

#ifdef __cplusplus
}
#endif

#endif
