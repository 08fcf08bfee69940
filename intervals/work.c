// SPDX-License-Identifier: GPL-2.0-or-later
/* work.c -- packing of a closed session and merging of intervals in a store. */
#include "config.h"
#include "intervals/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "intervals/file.h"
#include "intervals/merge.h"
#include "intervals/session.h"
#include "intervals/symbols.h"
#include "libop/base/id_ranges.h"

#define PACK_LEVEL	9	/* zstd's level for a new interval */
#define MERGE_LEVEL	19	/* for intervals that stay for long */
#define MAX_INTERVAL	(1ull << 30)	/* bytes of memory of an interval that is read */
#define MAX_TRIES	16	/* times that an interval is reduced and written again */
#define LEAST_NODES	64
#define LEAST_NAMES	2048	/* bytes of names that an interval keeps in any case */
#define NAMES_SHARE	4	/* share of an interval's limit that names may have */
#define NEW_NAME_SIZE	40

static int write_again(const struct itv *v, int fd, int level, struct itv_file_sizes *sizes)
{
	if (ftruncate(fd, 0))
		return -errno;
	return itv_file_write(v, fd, level, sizes);
}

/* Return the number of nodes that probably fits. */
static uint32_t fitting_nodes(const struct itv *v, const struct itv_file_sizes *sizes,
			      uint64_t max_bytes)
{
	uint64_t others = sizes->total - sizes->paths;
	double left = max_bytes > others ? (double)(max_bytes - others) : 0;
	/* Rare nodes take fewer bytes than others, so aim below the limit. */
	double nodes = .9 * v->nr_nodes * left / (double)sizes->paths;

	return nodes < LEAST_NODES ? LEAST_NODES : (uint32_t)nodes;
}

/* Return how many bytes of names probably fit into @share bytes of the file. */
static uint64_t fitting_names(const struct itv *v, const struct itv_file_sizes *sizes,
			      uint64_t share)
{
	return (uint64_t)(.9 * (double)itv_names_bytes(v) * (double)share / (double)sizes->names);
}

/* The kinds of reduction. */
enum reduction {
	NOTHING,	/* the interval is as small as it can be */
	NAMES,		/* to the share of names */
	ADDRESSES, PATHS,
	LAST_NAMES,	/* to half of the names */
};

/*
 * Choose the next reduction of an interval that exceeds @max_bytes.
 *
 * Users choose the number and the length of names, so names have a share of the limit. Then call
 * paths are reduced, because a rare path is the least useful part of an interval. But while
 * addresses can still become coarser, paths keep at least a third of the limit: on a busy machine
 * the addresses of a short interval alone may exceed the limit, and without this rule all paths
 * would be removed to keep the exact addresses of instructions, which few reports print.
 */
static enum reduction choose_reduction(const struct itv *v, const struct itv_file_sizes *sizes,
				       uint64_t max_bytes)
{
	const bool is_short = sizes->total - sizes->paths > max_bytes / 3 * 2;
	const bool has_names = itv_names_bytes(v) > LEAST_NAMES;

	if (has_names && sizes->names > max_bytes / NAMES_SHARE)
		return NAMES;
	if (v->accounting.precision < ITV_FUNCTIONS && (is_short || v->nr_nodes <= LEAST_NODES))
		return ADDRESSES;
	if (v->nr_nodes > LEAST_NODES)
		return PATHS;
	return has_names ? LAST_NAMES : NOTHING;
}

/* What a reduction needs to know of the machine. */
struct machine {
	struct itv_places places;
	struct op_id_ranges ranges;
};

static int reduce(struct itv *v, enum reduction reduction, const struct itv_file_sizes *sizes,
		  uint64_t max_bytes, const struct machine *machine)
{
	switch (reduction) {
	case NAMES:
		return itv_fold_names(v, fitting_names(v, sizes, max_bytes / NAMES_SHARE),
				      &machine->ranges);
	case ADDRESSES:
		return itv_fold_addresses(v, v->accounting.precision + 1, &machine->places);
	case PATHS:
		return itv_fold_paths(v, fitting_nodes(v, sizes, max_bytes));
	case LAST_NAMES:
		return itv_fold_names(v, itv_names_bytes(v) / 2, &machine->ranges);
	default:
		return 0;
	}
}

/* Write @v to the file @fd in at most @max_bytes (0: no limit), as far as possible. @v is reduced,
 * too. @level: see file.h. Set *@bytes to the file's length. Return 0 or a negative error. */
static int write_within(struct itv *v, int fd, int level, uint64_t max_bytes,
			const struct machine *machine, uint64_t *bytes)
{
	enum reduction reduction;
	struct itv_file_sizes sizes;
	int err = write_again(v, fd, level, &sizes);

	for (int i = 0; !err && max_bytes && sizes.total > max_bytes && i < MAX_TRIES; i++) {
		reduction = choose_reduction(v, &sizes, max_bytes);
		if (reduction == NOTHING)
			break;
		err = reduce(v, reduction, &sizes, max_bytes, machine);
		if (!err)
			err = itv_sum(v);
		if (!err)
			err = write_again(v, fd, level, &sizes);
	}
	*bytes = err ? 0 : sizes.total;
	return err;
}

static int make_new(int dirfd, char name[NEW_NAME_SIZE])
{
	int fd;

	snprintf(name, NEW_NAME_SIZE, ITV_NEW_PREFIX "%d", (int)getpid());
	unlinkat(dirfd, name, 0);
	fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : fd;
}

/* Write the interval to a new file, and give it the name of @entry when it is on the disk. */
static int publish(struct itv *v, struct itv_entry *entry, int dirfd, int level,
		   uint64_t max_bytes)
{
	char name[NEW_NAME_SIZE];
	struct machine machine = { .ranges = { 0 } };
	struct itv_symbols *symbols;
	int fd, err = itv_symbols_open(&symbols, dirfd, v->accounting.kernel);

	if (err)
		return err;
	fd = make_new(dirfd, name);
	if (fd < 0) {
		itv_symbols_close(symbols);
		return fd;
	}
	machine.places = itv_symbols_places(symbols);
	err = op_id_ranges_read(&machine.ranges, OP_SUBUID);
	if (!err)
		err = write_within(v, fd, level, max_bytes, &machine, &entry->bytes);
	op_id_ranges_release(&machine.ranges);
	itv_symbols_close(symbols);
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err)
		itv_name(entry->name, entry);
	if (!err && renameat2(dirfd, name, dirfd, entry->name, RENAME_NOREPLACE))
		err = -errno;
	/* Some file systems do not support RENAME_NOREPLACE; the store has one writer. */
	if (err == -EINVAL && !renameat(dirfd, name, dirfd, entry->name))
		err = 0;
	if (err)
		unlinkat(dirfd, name, 0);
	else if (fsync(dirfd))
		err = -errno;
	return err;
}

static int set_parts(struct itv *v, const char *const *parts, size_t nr)
{
	struct itv_accounting *a = &v->accounting;

	while (a->nr_parts)
		free(a->parts[--a->nr_parts]);
	free(a->parts);
	a->parts = calloc(nr + 1, sizeof(*a->parts));
	for (size_t i = 0; a->parts && i < nr; i++) {
		a->parts[i] = strdup(parts[i]);
		if (!a->parts[i])
			return -ENOMEM;
		a->nr_parts++;
	}
	return a->parts ? 0 : -ENOMEM;
}

int itv_work_pack(struct itv_entry *ret, int dirfd, const char *name, uint64_t max_bytes)
{
	struct itv v = { .nr_images = 0 };
	struct itv_entry entry;
	int fd, err;

	if (!itv_name_parse(&entry, name) || !entry.is_session)
		return -EINVAL;
	entry.is_session = false;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = itv_store_kernel(&entry.kernel, dirfd, fd);
	if (!err)
		err = itv_pack(&v, fd, false);
	close(fd);
	if (!err) {
		v.accounting.kernel = entry.kernel;
		v.accounting.begun_ns = entry.begin * 1000000000;
		v.accounting.ended_ns = entry.end * 1000000000;
		err = set_parts(&v, &name, 1);
	}
	if (!err)
		err = publish(&v, &entry, dirfd, PACK_LEVEL, max_bytes);
	itv_release(&v);
	if (!err)
		*ret = entry;
	return err;
}

static int read_part(struct itv *v, int dirfd, const char *name)
{
	int fd = openat(dirfd, name,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;

	if (fd < 0)
		return -errno;
	err = itv_file_read(v, fd, ITV_READ_ALL, MAX_INTERVAL);
	close(fd);
	return err;
}

int itv_work_merge(struct itv_entry *result, int dirfd, const char *const *parts, size_t nr_parts,
		   uint64_t max_bytes)
{
	struct itv sum = { .nr_images = 0 };
	int err = nr_parts ? read_part(&sum, dirfd, parts[0]) : -EINVAL;

	for (size_t i = 1; i < nr_parts && !err; i++) {
		struct itv part = { .nr_images = 0 };

		err = read_part(&part, dirfd, parts[i]);
		if (!err)
			err = itv_merge(&sum, &part, "not running");
		itv_release(&part);
	}
	if (!err)
		err = set_parts(&sum, parts, nr_parts);
	if (!err)
		err = itv_sum(&sum);
	if (!err)
		err = itv_store_new_name(result, dirfd);
	if (!err)
		err = publish(&sum, result, dirfd, MERGE_LEVEL, max_bytes);
	itv_release(&sum);
	return err;
}
