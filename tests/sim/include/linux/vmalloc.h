/* SPDX-License-Identifier: GPL-2.0 */
/*
 * linux/vmalloc.h -- the kernel interfaces that module/paths/nodes.c and module/offcpu/threads.c use
 * besides types.h: memory, random numbers, counters, bits, arithmetic. The program that includes this file defines the functions.
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
#define unlikely(x)		(x)
#define array_size(a, b)	((unsigned long)(a) * (b))
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

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

static inline void atomic_dec(atomic_t *v)
{
	v->counter--;
}

static inline u32 hash_ptr(const void *p, unsigned int bits)
{
	return (u64)(unsigned long)p * GOLDEN_RATIO_64 >> (64 - bits);
}

static inline u32 hash_32(u32 n, unsigned int bits)
{
	return n * 0x61c88647u >> (32 - bits);
}

static inline int ilog2(unsigned long n)
{
	return 63 - __builtin_clzl(n);
}

static inline u64 div64_u64(u64 n, u64 by)
{
	return n / by;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int shift)
{
	return (unsigned __int128)a * b >> shift;
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
