// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c -- writer of a .pct file through a shared mapping, so that the file is complete however
 * the process ends.
 */
#include "config.h"
#include "probe/pc/file.h"

#include <errno.h>

#include "probe/linux/calls.h"

#define CHUNK		(256u << 10)
/* unit in bytes in which disk space is allocated; a page of the kernel may be larger */
#define PAGE		4096

void *pc_file_alloc(struct pc_file *file, size_t len)
{
	void *ret;

	len = (len + 15) & ~(size_t)15;
	if (len > file->chunk_left) {
		size_t want = len > CHUNK ? (len + PAGE - 1) & ~(size_t)(PAGE - 1) : CHUNK;
		long at =
			call_mmap(want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (call_failed(at))
			return NULL;
		file->chunk = (char *)at;
		file->chunk_left = want;
	}
	ret = file->chunk;
	file->chunk += len;
	file->chunk_left -= len;
	return ret;
}

/* Extend the file to @size bytes. Return -EFBIG if @size exceeds the limit RLIMIT_FSIZE, because
 * ftruncate() would then raise SIGXFSZ. */
static int grow(int fd, uint64_t size)
{
	if (size > call_file_limit())
		return -EFBIG;
	return call_ftruncate(fd, size);
}

/* Write @len bytes at offset @at. This also allocates disk space: if the disk is full, the function
 * fails, instead of a later access to the mapping. */
static int write_at(int fd, const void *buf, size_t len, uint64_t at)
{
	long done = call_pwrite(fd, buf, len, at);

	return done < 0 ? done : (size_t)done == len ? 0 : -ENOSPC;
}

int pc_file_create(struct pc_file *file, const char *path, const struct raw_pct_header *header)
{
	long err, at;

	file->header = NULL;
	file->regions = NULL;
	file->nr_regions = 0;
	file->chunk_left = 0;
	err = fd_create(&file->fd, path, O_RDWR);
	if (err)
		return err;
	/* The lock shows other processes that this process still uses the file. */
	call_flock(file->fd.fd, LOCK_EX | LOCK_NB);
	err = grow(file->fd.fd, RAW_PCT_ALIGN);
	if (!err)
		err = write_at(file->fd.fd, header, sizeof(*header), 0);
	if (err)
		goto unlink;
	at = call_mmap(RAW_PCT_ALIGN, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd.fd, 0);
	if (call_failed(at)) {
		err = at;
		goto unlink;
	}
	file->header = (struct raw_pct_header *)at;
	file->last = &file->header->first;
	file->end = RAW_PCT_ALIGN;
	return 0;
unlink:
	call_unlinkat(AT_FDCWD, path);
	fd_close(&file->fd);
	return err;
}

static size_t length_of(uint64_t nr_bins, uint32_t width)
{
	uint64_t len = sizeof(struct raw_pct_region) + nr_bins * width;

	return (len + RAW_PCT_ALIGN - 1) & ~(uint64_t)(RAW_PCT_ALIGN - 1);
}

struct pc_region *pc_file_append(struct pc_file *file, const struct raw_pct_region *record)
{
	size_t len = length_of(record->nr_bins, record->width), pages = len / PAGE / 8 + 1;
	struct raw_pct_region written = *record;
	struct pc_region *r;
	int fd = fd_get(&file->fd);
	long at;

	if (fd < 0 || file->nr_regions >= PC_MAX_REGIONS)
		return NULL;
	r = pc_file_alloc(file, sizeof(*r) + 2 * pages);
	if (!r || grow(fd, file->end + len))
		return NULL;
	written.next = 0;
	written.counters = file->end + sizeof(written);
	if (write_at(fd, &written, sizeof(written), file->end))
		return NULL;
	at = call_mmap(len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, file->end);
	if (call_failed(at))
		return NULL;
	*r = (struct pc_region){
		.start = record->start,
		.end = record->end,
		.record = (void *)at,
		.counters = (void *)(at + sizeof(written)),
		.bin = record->bin,
		.width = record->width,
		.claimed = (uint8_t *)(r + 1),
		.has_room = (uint8_t *)(r + 1) + pages,
		.file = file,
		.next = file->regions,
	};
	file->regions = r;
	file->nr_regions++;
	__atomic_store_n(file->last, file->end, __ATOMIC_RELEASE);
	file->last = &r->record->next;
	file->end += len;
	return r;
}

/* Allocate disk space for @len zero bytes of the region's file at offset @at. If the file system
 * does not support fallocate(), write a zero to each page. */
static bool make_room(struct pc_region *r, uint64_t at, uint64_t len)
{
	int fd = fd_get(&r->file->fd);
	char zero = 0;
	long err;

	if (fd < 0)
		return false;
	err = call_fallocate(fd, 0, at, len);
	for (uint64_t i = 0; err == -EOPNOTSUPP && i < len; i += PAGE) {
		if (call_pwrite(fd, &zero, 1, at + i) != 1)
			return false;
		if (i + PAGE >= len)
			return true;
	}
	return !err;
}

static bool has_room(struct pc_region *r, size_t at)
{
	size_t page = at / PAGE;
	uint8_t bit = 1 << (page % 8);

	if (__atomic_load_n(&r->has_room[page / 8], __ATOMIC_ACQUIRE) & bit)
		return true;
	if (__atomic_fetch_or(&r->claimed[page / 8], bit, __ATOMIC_RELAXED) & bit)
		return false;
	if (!make_room(r, r->record->counters - sizeof(*r->record) + page * PAGE, PAGE)) {
		__atomic_fetch_and(&r->claimed[page / 8], (uint8_t)~bit, __ATOMIC_RELAXED);
		return false;
	}
	__atomic_fetch_or(&r->has_room[page / 8], bit, __ATOMIC_RELEASE);
	return true;
}

void pc_region_add_bin(struct pc_region *r, uint64_t i, uint64_t n)
{
	size_t at = i * r->width;
	uint64_t over;

	if (!has_room(r, sizeof(*r->record) + at)) {
		pc_file_lose(r->file, RAW_PCT_NO_ROOM, n);
		return;
	}
	over = raw_pct_add(r->counters + at, r->width, n);
	if (over)
		pc_file_lose(r->file, RAW_PCT_SATURATED, over);
}

void pc_region_add(struct pc_region *r, uint64_t at, uint64_t n)
{
	pc_region_add_bin(r, (at - r->start) / r->bin, n);
}

int pc_region_reserve(struct pc_region *r)
{
	uint64_t begin = r->record->counters - sizeof(*r->record);

	return make_room(r, begin, length_of(r->record->nr_bins, r->width)) ? 0 : -ENOSPC;
}

void pc_file_close(struct pc_file *file)
{
	if (!file->header)
		return;
	for (struct pc_region *r = file->regions; r; r = r->next)
		call_munmap(r->record, length_of(r->record->nr_bins, r->width));
	call_munmap(file->header, RAW_PCT_ALIGN);
	fd_close(&file->fd);
	file->header = NULL;
	file->regions = NULL;
}
