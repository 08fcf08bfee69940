/* SPDX-License-Identifier: GPL-2.0 */
/*
 * linux/types.h -- the kernel interfaces that module/x86 uses, for the simulated CPU of tests/sim.
 * In the include path, this directory precedes the kernel's headers.
 */
#ifndef SIM_LINUX_TYPES_H
#define SIM_LINUX_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef long long s64;

#define BIT(n)			(1U << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(h, l)		((~0U >> (31 - (h))) & (~0U << (l)))
#define GENMASK_ULL(h, l)	((~0ULL >> (63 - (h))) & (~0ULL << (l)))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof(*(a)))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define __aligned(n)	__attribute__((aligned(n)))
#define barrier()		__asm__ volatile("" ::: "memory")
#define cmpxchg(p, old, new)	__sync_val_compare_and_swap(p, old, new)
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))

static inline u32 hweight64(u64 value)
{
	return __builtin_popcountll(value);
}

#endif
