/* SPDX-License-Identifier: GPL-2.0 */
/*
 * linux/vmalloc.h -- the kernel interfaces that module/paths/nodes.c uses besides types.h: memory,
 * random numbers, counters, bits. The program that includes this file defines the functions.
 */
#ifndef SIM_LINUX_VMALLOC_H
#define SIM_LINUX_VMALLOC_H

#include <errno.h>
#include <linux/types.h>

typedef struct {
	int counter;
} atomic_t;

struct irq_work {
	int queued;
};

#define GOLDEN_RATIO_64		0x61C8864680B583EBull
#define BITS_TO_LONGS(n)	(((n) + 63) / 64)
#define likely(x)		(x)
#define array_size(a, b)	((unsigned long)(a) * (b))
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)

void *vzalloc(unsigned long size);
void vfree(const void *p);
void get_random_bytes(void *to, int size);

static inline int atomic_read(const atomic_t *v)
{
	return v->counter;
}

static inline void atomic_set(atomic_t *v, int value)
{
	v->counter = value;
}

static inline int atomic_inc_return(atomic_t *v)
{
	return ++v->counter;
}

static inline void __set_bit(unsigned int nr, unsigned long *bits)
{
	bits[nr / 64] |= 1ul << nr % 64;
}

static inline bool irq_work_queue(struct irq_work *work)
{
	work->queued++;
	return true;
}

#endif
