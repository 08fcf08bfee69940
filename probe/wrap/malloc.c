// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * malloc.c -- libopprobe_malloc.so: replaces malloc() and similar functions, and reports heap
 * blocks to libopprobe.so.
 *
 * dlsym(), which looks up the real malloc(), may itself allocate: then it gets static memory, which
 * is never freed. Reporting calls are never tail calls, so that the frames of this library can be
 * recognized. Blocks that are not reported are passed to the real function by a tail call, so that
 * no frame of this library is on the stack.
 */
#include "config.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/arch/registers.h"
#include "probe/wrap/calls.h"
#include "probe/wrap/next.h"

#define EXPORT	__attribute__((visibility("default")))
#define EARLY	16384

/* Weak, so that this library has no effect without libopprobe.so. */
#pragma weak opprobe_allocated
#pragma weak opprobe_filter
#pragma weak opprobe_free
#pragma weak opprobe_frees
#pragma weak opprobe_freed
#pragma weak opprobe_not_freed

/* Replaces free() until the real functions are known. Such an early block is static memory or NULL,
 * so do nothing. */
static void ignore_free(void *at)
{
	(void)at;
}

/* The C library's functions that this library replaces, looked up once per process. Global, because
 * a replacement has only the arguments of the real function. */
static struct {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t nr, size_t size);
	void *(*realloc)(void *at, size_t size);
	void *(*memalign)(size_t align, size_t size);
	int (*posix_memalign)(void **ret, size_t align, size_t size);
	void *(*aligned_alloc)(size_t align, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	void (*free)(void *at);
	/* state of looking up the real functions: 0: not started; 1: a thread is looking them up;
	 * 2: done; atomic */
	int state;
} real = { .free = ignore_free };

/* number of bytes that the thread will allocate until its next sampled block; see
 * opprobe_allocated(); nonzero only when the real functions are known */
static __thread uint64_t gap;

/* Static memory for allocations before the real functions are known. */
static struct {
	size_t used;
	char bytes[EARLY] __attribute__((aligned(16)));
} early;

static bool is_early(const void *at)
{
	return (uintptr_t)at - (uintptr_t)early.bytes < EARLY;
}

/* Allocate zeroed static memory. The size of the block is stored in the 16 bytes before the block.
 * Return NULL if not enough memory is left. */
static void *early_alloc(size_t size)
{
	size_t whole = ((size + 15) & ~(size_t)15) + 16, at;

	if (size > EARLY)
		return NULL;
	at = __atomic_fetch_add(&early.used, whole, __ATOMIC_RELAXED);
	if (at + whole > EARLY)
		return NULL;
	memcpy(early.bytes + at, &size, sizeof(size));
	return early.bytes + at + 16;
}

/* Look up the real functions if necessary. Return false while a thread is looking them up: in that
 * thread, called from dlsym(), and in all other threads. */
static bool is_ready(void)
{
	int not_started = 0;

	if (__atomic_load_n(&real.state, __ATOMIC_ACQUIRE) == 2)
		return true;
	if (!__atomic_compare_exchange_n(&real.state, &not_started, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	*(void **)&real.malloc = next_function("malloc");
	*(void **)&real.calloc = next_function("calloc");
	*(void **)&real.realloc = next_function("realloc");
	*(void **)&real.memalign = next_function("memalign");
	*(void **)&real.posix_memalign = next_function("posix_memalign");
	*(void **)&real.aligned_alloc = next_function("aligned_alloc");
	*(void **)&real.valloc = next_function("valloc");
	*(void **)&real.pvalloc = next_function("pvalloc");
	*(void **)&real.free = next_function("free");
	__atomic_store_n(&real.state, 2, __ATOMIC_RELEASE);
	return true;
}

/*
 * If a new block of @size bytes is not sampled, subtract @size from the thread's gap and return
 * true: the block need not be reported. If a signal handler allocates during the subtraction, the
 * worst effect is that another block is sampled.
 */
static inline bool passes(size_t size)
{
	if (gap <= size || !size)
		return false;
	gap -= size;
	return true;
}

static inline __attribute__((always_inline)) void *count_block(void *at, size_t size)
{
	struct arch_caller caller;

	if (at && opprobe_allocated) {
		arch_caller(&caller);
		opprobe_allocated(at, size, &caller, &gap);
	}
	__asm__ volatile("" : "+r"(at));
	return at;
}

static __attribute__((noinline)) void *malloc_counted(size_t size)
{
	return is_ready() ? count_block(real.malloc(size), size) : early_alloc(size);
}

EXPORT void *malloc(size_t size)
{
	return passes(size) ? real.malloc(size) : malloc_counted(size);
}

static __attribute__((noinline)) void *calloc_counted(size_t nr, size_t size)
{
	size_t whole;

	if (is_ready())
		return count_block(real.calloc(nr, size), nr * size);
	return __builtin_mul_overflow(nr, size, &whole) ? NULL : early_alloc(whole);
}

EXPORT void *calloc(size_t nr, size_t size)
{
	return passes(nr * size) ? real.calloc(nr, size) : calloc_counted(nr, size);
}

EXPORT void *memalign(size_t align, size_t size)
{
	return is_ready() ? count_block(real.memalign(align, size), size) : NULL;
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
	return is_ready() ? count_block(real.aligned_alloc(align, size), size) : NULL;
}

EXPORT int posix_memalign(void **ret, size_t align, size_t size)
{
	int err = is_ready() ? real.posix_memalign(ret, align, size) : ENOMEM;

	if (!err)
		count_block(*ret, size);
	return err;
}

EXPORT void *valloc(size_t size)
{
	return is_ready() ? count_block(real.valloc(size), size) : NULL;
}

/* pvalloc() allocates whole pages: report the rounded size. */
EXPORT void *pvalloc(size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return is_ready() ? count_block(real.pvalloc(size), (size + page - 1) & ~(page - 1)) : NULL;
}

/* Return whether the table of heap blocks may contain the block at @at. If only samples of blocks
 * are recorded, the answer is usually false. */
static bool may_be_known(const void *at)
{
	return opprobe_filter &&
	       __atomic_load_n(&opprobe_filter[filter_place(filter_hash((uintptr_t)at))],
			       __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void free_known(void *at)
{
	opprobe_free(at);
	real.free(at);
	__asm__ volatile("");
}

EXPORT void free(void *at)
{
	if (is_early(at))
		return;
	if (may_be_known(at))
		free_known(at);
	else
		real.free(at);
}

static void *move_early(const void *at, size_t size)
{
	void *to = malloc(size);
	size_t had;

	memcpy(&had, (const char *)at - 16, sizeof(had));
	return to ? memcpy(to, at, had < size ? had : size) : NULL;
}

/*
 * Reallocate the block at @at, and count this as a free() and a malloc(). Remove the block from the
 * table of heap blocks first, because another thread may get the same address as soon as the block
 * is freed.
 */
static inline __attribute__((always_inline)) void *change(void *at, size_t size)
{
	struct opprobe_block block = { 0 };
	void *to;

	if (at && may_be_known(at))
		opprobe_frees(at, &block);
	to = real.realloc(at, size);
	if (block.at && !to && size)
		opprobe_not_freed(&block);
	else if (block.at)
		opprobe_freed(&block);
	return passes(size) ? to : count_block(to, size);
}

EXPORT void *realloc(void *at, size_t size)
{
	if (at && is_early(at))
		return move_early(at, size);
	return is_ready() ? change(at, size) : early_alloc(size);
}

EXPORT void *reallocarray(void *at, size_t nr, size_t size)
{
	size_t whole;

	if (__builtin_mul_overflow(nr, size, &whole)) {
		errno = ENOMEM;
		return NULL;
	}
	if (at && is_early(at))
		return move_early(at, whole);
	return is_ready() ? change(at, whole) : early_alloc(whole);
}
