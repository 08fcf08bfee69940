/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_bytes.h -- writes perf_events records as the kernel does, to a buffer that may be a ring. */
#ifndef TESTS_UNIT_PERF_BYTES_H
#define TESTS_UNIT_PERF_BYTES_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

struct perf_bytes {
	unsigned char *data;
	size_t size;		/* size of the ring, a power of two */
	/* total number of bytes written to the ring, as in data_head */
	uint64_t head;
};

static inline void perf_put(struct perf_bytes *b, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		b->data[(b->head + i) & (b->size - 1)] = ((const unsigned char *)p)[i];
	b->head += n;
}

static inline void perf_put32(struct perf_bytes *b, uint32_t v)
{
	perf_put(b, &v, sizeof(v));
}

static inline void perf_put64(struct perf_bytes *b, uint64_t v)
{
	perf_put(b, &v, sizeof(v));
}

static inline void perf_put_header(struct perf_bytes *b, uint32_t type, uint16_t misc, size_t body)
{
	struct perf_event_header h = {
		.type = type, .misc = misc, .size = (uint16_t)(sizeof(h) + body),
	};

	perf_put(b, &h, sizeof(h));
}

/* Append a name, padded with zeroes to a multiple of 8. */
static inline void perf_put_name(struct perf_bytes *b, const char *name)
{
	size_t n = strlen(name) + 1;

	perf_put(b, name, n);
	for (; n % 8; n++)
		perf_put(b, "", 1);
}

static inline size_t perf_name_size(const char *name)
{
	return (strlen(name) + 8) / 8 * 8;
}

/*
 * Append a PERF_RECORD_SAMPLE with the fields IP, TID and TIME, which the daemon's sampling events
 * request.
 */
static inline void perf_put_sample(struct perf_bytes *b, uint16_t misc, uint64_t ip, uint32_t pid,
				   uint32_t tid, uint64_t time)
{
	perf_put_header(b, PERF_RECORD_SAMPLE, misc, 24);
	perf_put64(b, ip);
	perf_put32(b, pid);
	perf_put32(b, tid);
	perf_put64(b, time);
}

/*
 * Append a PERF_RECORD_MMAP2 whose sample_id has only TIME, as the daemon's events for side-band
 * records request.
 */
static inline void perf_put_mmap2(struct perf_bytes *b, uint32_t pid, uint64_t start, uint64_t len,
				  uint64_t pgoff, uint32_t minor, uint64_t ino, const char *name,
				  uint64_t time)
{
	perf_put_header(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 64 + perf_name_size(name) + 8);
	perf_put32(b, pid);
	perf_put32(b, pid);
	perf_put64(b, start);
	perf_put64(b, len);
	perf_put64(b, pgoff);
	perf_put32(b, 8);
	perf_put32(b, minor);
	perf_put64(b, ino);
	perf_put64(b, 77);	/* inode generation of the mapped file */
	perf_put32(b, 5);
	perf_put32(b, 2);
	perf_put_name(b, name);
	perf_put64(b, time);
}

static inline void perf_put_comm(struct perf_bytes *b, uint32_t pid, const char *comm, int exec,
				 uint64_t time)
{
	perf_put_header(b, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
			8 + perf_name_size(comm) + 8);
	perf_put32(b, pid);
	perf_put32(b, pid);
	perf_put_name(b, comm);
	perf_put64(b, time);
}

static inline void perf_put_task(struct perf_bytes *b, uint32_t type, uint32_t pid, uint32_t ppid,
				 uint32_t tid, uint64_t time)
{
	perf_put_header(b, type, 0, 24 + 8);
	perf_put32(b, pid);
	perf_put32(b, ppid);
	perf_put32(b, tid);
	/* The tid differs from the pid, because the forking thread is not the main thread of its
	 * process. */
	perf_put32(b, ppid + 1);
	perf_put64(b, time);
	perf_put64(b, time);
}

#endif
