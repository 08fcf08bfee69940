// SPDX-License-Identifier: LGPL-2.1-or-later
/* libperfctr.c -- perfctr's functions on top of vperfctr.ko. They convert perfctr's settings to the
 * settings of vperfctr.ko, and back. */
#include "config.h"
#include "libvperf/libperfctr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Both headers define a struct vperfctr_control, so rename the kernel's struct. */
#define vperfctr_control kernel_control
#include "libvperf/evntsel.h"
#include "libvperf/read.h"
#include "libvperf/vperfctr.h"
#undef vperfctr_control

#define ALL_CTRS	((1u << PERFCTR_MAX_CTRS) - 1)
#define FIXED		0x40000000u	/* bit in pmc_map: a fixed Intel counter */

_Static_assert(PERFCTR_MAX_CTRS == VPERFCTR_MAX_PMCS, "a counter is a slot");

static const uint64_t fixed[] = {
	PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES,
};
#define NR_FIXED	(sizeof(fixed) / sizeof(fixed[0]))

/* A handle; only the thread that opened it may use it. perfctr's functions receive a const
 * handle, so they reach the fields that they write through pointers. */
struct vperfctr {
	int fd;
	const volatile struct vperfctr_state *page;
	/* TSC at the last vperfctr_stop(); stored here because the kernel does not store it */
	uint64_t stopped_tsc;
	uint64_t *last_tsc;	/* pointer to .stopped_tsc, to write through a const handle */
};

struct rvperfctr {
	int fd;
	int tid;
};

static int fail(int err)
{
	errno = err;
	return -1;
}

/* ---- Settings ---- */

static int to_slot(struct vperfctr_pmc *ret, const struct perfctr_cpu_control *c, unsigned int i)
{
	struct vperfctr_pmc pmc =
		vperf_pmc_of_evntsel((uint64_t)c->evntsel_high[i] << 32 | c->evntsel[i]);
	long long events = i < c->nractrs ? 0 : -(long long)c->ireset[i];

	if (c->pmc_map[i] & FIXED) {
		if (c->pmc_map[i] - FIXED >= NR_FIXED)
			return fail(EINVAL);
		pmc.type = PERF_TYPE_HARDWARE;
		pmc.config = fixed[c->pmc_map[i] - FIXED];
	}
	if (i >= c->nractrs) {
		if (events <= 0)
			return fail(EINVAL);
		pmc.ireset = events < VPERFCTR_MIN_IRESET ? VPERFCTR_MIN_IRESET : (uint64_t)events;
	}
	*ret = pmc;
	return 0;
}

static int to_kernel(struct kernel_control *ret, const struct vperfctr_control *control)
{
	const struct perfctr_cpu_control *c = &control->cpu_control;
	struct kernel_control k = {
		.flags = control->flags & VPERFCTR_CONTROL_CLOEXEC ? VPERFCTR_CLOEXEC : 0,
		.si_signo = (uint32_t)control->si_signo,
		.preserve = control->preserve,
		.tsc_on = c->tsc_on,
		.nrctrs = c->nractrs + c->nrictrs,
	};

	if (c->nractrs > PERFCTR_MAX_CTRS || c->nrictrs > PERFCTR_MAX_CTRS - c->nractrs ||
	    control->flags & ~(unsigned int)VPERFCTR_CONTROL_CLOEXEC)
		return fail(EINVAL);
	if (c->p4.pebs_enable || c->p4.pebs_matrix_vert)
		return fail(EOPNOTSUPP);
	for (unsigned int i = 0; i < k.nrctrs; i++)
		if (to_slot(&k.pmc[i], c, i))
			return -1;
	*ret = k;
	return 0;
}

static void from_kernel(struct vperfctr_control *ret, const struct kernel_control *k)
{
	struct vperfctr_control control = {
		.si_signo = (int)k->si_signo,
		.flags = k->flags & VPERFCTR_CLOEXEC ? VPERFCTR_CONTROL_CLOEXEC : 0,
		.preserve = k->preserve,
		.cpu_control.tsc_on = k->tsc_on,
	};
	struct perfctr_cpu_control *c = &control.cpu_control;

	for (unsigned int i = 0; i < k->nrctrs && i < PERFCTR_MAX_CTRS; i++) {
		const struct vperfctr_pmc *pmc = &k->pmc[i];

		c->evntsel[i] = (pmc->flags & VPERFCTR_USER ? EVNTSEL_USR : 0) |
				(pmc->flags & VPERFCTR_KERNEL ? EVNTSEL_OS : 0) |
				(pmc->ireset ? EVNTSEL_INT : 0) | EVNTSEL_EN;
		c->pmc_map[i] = i;
		if (pmc->type == PERF_TYPE_RAW) {
			c->evntsel[i] |= (unsigned int)pmc->config;
			c->evntsel_high[i] = (unsigned int)(pmc->config >> 32);
		}
		for (unsigned int n = 0; n < NR_FIXED; n++)
			if (pmc->type == PERF_TYPE_HARDWARE && pmc->config == fixed[n])
				c->pmc_map[i] = FIXED + n;
		c->ireset[i] = -(int)pmc->ireset;
		if (pmc->ireset)
			c->nrictrs++;
		else
			c->nractrs++;
	}
	*ret = control;
}

static void from_sums(struct perfctr_sum_ctrs *ret, const struct vperfctr_sum_ctrs *sum)
{
	ret->tsc = sum->tsc;
	for (unsigned int i = 0; i < PERFCTR_MAX_CTRS; i++)
		ret->pmc[i] = sum->pmc[i].count;
}

static int stop(int fd)
{
	const struct kernel_control nothing = { .preserve = ALL_CTRS };

	return sys_vperfctr_control(fd, &nothing);
}

static int read_state(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control)
{
	struct vperfctr_sum_ctrs sums;
	struct kernel_control k;

	if (sys_vperfctr_read(fd, sum ? &sums : NULL, control ? &k : NULL, NULL))
		return -1;
	if (sum)
		from_sums(sum, &sums);
	if (control)
		from_kernel(control, &k);
	return 0;
}

/* ---- Descriptors ---- */

int _vperfctr_open(int creat)
{
	int fd = sys_vperfctr_open(0, creat);

	if (fd < 0 && errno == ENOENT && !creat)
		fd = open(VPERFCTR_DEVICE, O_RDONLY);
	return fd;
}

int _vperfctr_control(int fd, const struct vperfctr_control *control)
{
	struct kernel_control k;

	return to_kernel(&k, control) ? -1 : sys_vperfctr_control(fd, &k);
}

int _vperfctr_read_sum(int fd, struct perfctr_sum_ctrs *sum)
{
	return read_state(fd, sum, NULL);
}

int _vperfctr_read_control(int fd, struct vperfctr_control *control)
{
	return read_state(fd, NULL, control);
}

int _vperfctr_read_children(int fd, struct perfctr_sum_ctrs *sum)
{
	struct vperfctr_sum_ctrs children;

	if (sys_vperfctr_read(fd, NULL, NULL, &children))
		return -1;
	from_sums(sum, &children);
	return 0;
}

/* ---- The caller's own counters ---- */

struct vperfctr *vperfctr_open(void)
{
	struct vperfctr *self = calloc(1, sizeof(*self));
	void *page;
	int saved;

	if (!self)
		return NULL;
	self->last_tsc = &self->stopped_tsc;
	self->fd = sys_vperfctr_open(0, 1);
	if (self->fd < 0 && errno == EEXIST)
		self->fd = sys_vperfctr_open(0, 0);
	if (self->fd < 0)
		goto release;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	if (page == MAP_FAILED)
		goto close_fd;
	self->page = page;
	return self;
close_fd:
	saved = errno;
	close(self->fd);
	errno = saved;
release:
	free(self);
	return NULL;
}

void vperfctr_close(struct vperfctr *self)
{
	if (!self)
		return;
	munmap((void *)(uintptr_t)self->page, (size_t)sysconf(_SC_PAGESIZE));
	close(self->fd);
	free(self);
}

int vperfctr_control(const struct vperfctr *self, const struct vperfctr_control *control)
{
	return _vperfctr_control(self->fd, control);
}

static bool tsc_is_on(const struct vperfctr *self)
{
	return self->page->cpu_state.cstatus & VPERFCTR_CSTATUS_TSC_ON;
}

int vperfctr_stop(const struct vperfctr *self)
{
	const uint64_t tsc = vperfctr_read_tsc(self);

	if (stop(self->fd))
		return -1;
	*self->last_tsc = tsc;
	return 0;
}

bool vperfctr_is_running(const struct vperfctr *self)
{
	return tsc_is_on(self) || VPERFCTR_CSTATUS_NRCTRS(self->page->cpu_state.cstatus);
}

int vperfctr_iresume(const struct vperfctr *self)
{
	return sys_vperfctr_iresume(self->fd);
}

int vperfctr_unlink(const struct vperfctr *self)
{
	return sys_vperfctr_unlink(self->fd);
}

unsigned long long vperfctr_read_tsc(const struct vperfctr *self)
{
	if (tsc_is_on(self))
		return vperf_state_tsc(self->page);
	return vperfctr_is_running(self) ? 0 : *self->last_tsc;
}

unsigned long long vperfctr_read_pmc(const struct vperfctr *self, unsigned int i)
{
	struct perfctr_sum_ctrs sum;
	uint64_t value;

	if (i >= PERFCTR_MAX_CTRS)
		return 0;
	if (vperf_state_pmc(self->page, i, &value))
		return value;
	return read_state(self->fd, &sum, NULL) ? 0 : sum.pmc[i];
}

int vperfctr_read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	const unsigned int nr = VPERFCTR_CSTATUS_NRCTRS(self->page->cpu_state.cstatus);
	uint64_t tsc, values[PERFCTR_MAX_CTRS];

	if (!tsc_is_on(self) || !vperf_state_all(self->page, nr, &tsc, values))
		return vperfctr_read_state(self, sum, NULL);
	*sum = (struct perfctr_sum_ctrs){ .tsc = tsc };
	for (unsigned int i = 0; i < nr; i++)
		sum->pmc[i] = values[i];
	return 0;
}

int vperfctr_read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
			struct vperfctr_control *control)
{
	if (read_state(self->fd, sum, control))
		return -1;
	if (sum && !vperfctr_is_running(self))
		sum->tsc = *self->last_tsc;
	return 0;
}

int vperfctr_info(const struct vperfctr *self, struct perfctr_info *info)
{
	return perfctr_info(self->fd, info);
}

struct perfctr_cpus_info *vperfctr_cpus_info(const struct vperfctr *self)
{
	return perfctr_cpus_info(self->fd);
}

/* ---- Counters of another thread ---- */

struct rvperfctr *rvperfctr_open(int tid)
{
	struct rvperfctr *other = calloc(1, sizeof(*other));

	if (!other)
		return NULL;
	other->tid = tid;
	other->fd = sys_vperfctr_open(tid, 1);
	if (other->fd < 0 && errno == EEXIST)
		other->fd = sys_vperfctr_open(tid, 0);
	if (other->fd < 0) {
		free(other);
		return NULL;
	}
	return other;
}

void rvperfctr_close(struct rvperfctr *other)
{
	if (other)
		close(other->fd);
	free(other);
}

int rvperfctr_pid(const struct rvperfctr *other)
{
	return other->tid;
}

int rvperfctr_info(const struct rvperfctr *other, struct perfctr_info *info)
{
	return perfctr_info(other->fd, info);
}

int rvperfctr_control(const struct rvperfctr *other, const struct vperfctr_control *control)
{
	return _vperfctr_control(other->fd, control);
}

int rvperfctr_stop(const struct rvperfctr *other)
{
	return stop(other->fd);
}

int rvperfctr_unlink(const struct rvperfctr *other)
{
	return sys_vperfctr_unlink(other->fd);
}

int rvperfctr_read_ctrs(const struct rvperfctr *other, struct perfctr_sum_ctrs *sum)
{
	return read_state(other->fd, sum, NULL);
}

int rvperfctr_read_state(const struct rvperfctr *other, struct perfctr_sum_ctrs *sum,
			 struct vperfctr_control *control)
{
	return read_state(other->fd, sum, control);
}
