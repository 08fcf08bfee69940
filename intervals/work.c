// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * work.c -- packing of a closed session and merging of intervals in a store.
 *
 * An interval is written to memory until it is small enough. Only then its bytes are copied to the
 * disk, so that no file is ever larger than the interval.
 */
#include "config.h"
#include "intervals/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intervals/file.h"
#include "intervals/merge.h"
#include "intervals/session.h"
#include "intervals/symbols.h"
#include "libop/base/fs.h"
#include "libop/base/id_ranges.h"
#include "libop/base/quota.h"

#define PACK_LEVEL	9	/* compression level of zstd for a new interval */
/* compression level of zstd for a merged interval, which is kept long */
#define MERGE_LEVEL	19
#define MAX_INTERVAL	(1ull << 30)	/* bytes of memory of an interval that is read */
#define FILES_SHARE	4	/* share of an interval that users' files may have */
#define LEAST_FILES	4096	/* size of users' files for which there is always room, in bytes */
#define COPIES		"jit/"
#define LEAST_NAMES	2048	/* bytes of names that an interval keeps in any case */
#define NAMES_SHARE	4	/* share of an interval's limit that names may have */
#define MAX_TRIES	16	/* times that an interval is reduced and written again */
#define LEAST_NODES	64
#define NEW_NAME_SIZE	40

/* Mutable, because main() reads the ranges before the process gives up its rights (confine.h). */
static struct {
	bool is_read;
	struct op_id_ranges ranges;
} user_ranges;

int itv_work_prepare(void)
{
	int err = user_ranges.is_read ? 0 : op_id_ranges_read(&user_ranges.ranges, OP_SUBUID);

	user_ranges.is_read = !err;
	return err;
}

static int write_again(const struct itv *v, int fd, int level, struct itv_file_sizes *sizes)
{
	if (ftruncate(fd, 0))
		return -errno;
	return itv_file_write(v, fd, level, sizes);
}

/* Return the index of the largest copy of a user's file, or v->nr_files. */
static uint32_t largest_copy(const struct itv *v)
{
	uint32_t largest = v->nr_files;

	for (uint32_t i = 0; i < v->nr_files; i++)
		if (!strncmp(v->files[i].name, COPIES, strlen(COPIES)) &&
		    (largest == v->nr_files || v->files[i].len > v->files[largest].len))
			largest = i;
	return largest;
}

/*
 * Remove copies of users' files, the largest first, until the others probably fit into @max_bytes.
 * Users make these files as large as they like, and the files must not displace samples. The number
 * of removed files is added to the files that were left out. Return 0 or a negative error.
 */
static int drop_copies(struct itv *v, const struct itv_file_sizes *sizes, uint64_t max_bytes)
{
	uint64_t raw = 0, left_out = 0, nr = 0;

	for (uint32_t i = 0; i < v->nr_files; i++)
		raw += v->files[i].len;
	for (uint32_t i = largest_copy(v); i < v->nr_files; i = largest_copy(v)) {
		/* Assume that zstd compresses all files equally well. */
		if ((double)(raw - left_out) / (double)raw * (double)sizes->files <=
		    (double)max_bytes)
			break;
		left_out += v->files[i].len;
		free(v->files[i].name);
		free(v->files[i].data);
		memmove(&v->files[i], &v->files[i + 1],
			(v->nr_files - i - 1) * sizeof(*v->files));
		v->nr_files--;
		nr++;
	}
	return nr ? op_session_stats_add(&v->accounting.stats, "jit_left_out", nr) : 0;
}

static bool has_copies(const struct itv *v)
{
	return largest_copy(v) < v->nr_files;
}

/* Return the number of nodes that fit into @max_bytes, estimated from the present sizes. */
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

/* Return how many bytes copies of users' files may have. */
static uint64_t files_share(uint64_t max_bytes)
{
	return max_bytes / FILES_SHARE > LEAST_FILES ? max_bytes / FILES_SHARE : LEAST_FILES;
}

/* Ways to make an interval smaller. */
enum reduction {
	NOTHING,	/* the interval is as small as it can be */
	NAMES,		/* reduce the names to the part of the file that names may use */
	ADDRESSES, PATHS,
	LAST_NAMES,	/* reduce the names to half of their size */
	FILES,		/* reduce the copies of users' files to their part of the file */
};

/* Reductions that were tried and cannot make the interval any smaller. */
struct tried {
	enum itv_precision precision;	/* reducing to this precision changes no address */
	bool names, last_names;		/* names do not become fewer by NAMES, by LAST_NAMES */
};

/*
 * Choose the next reduction of an interval that exceeds @max_bytes.
 *
 * Users choose the number and the length of names, and the contents of files about made code, so
 * each of these has a share of the limit. Then call
 * paths are reduced, because a rare path is the least useful part of an interval. But while
 * addresses can still become coarser, paths keep at least a third of the limit: on a busy machine
 * the addresses of a short interval alone may exceed the limit, and without this rule all paths
 * would be removed to keep the exact addresses of instructions, which few reports print.
 */
static enum reduction choose_reduction(const struct itv *v, const struct itv_file_sizes *sizes,
				       uint64_t max_bytes, const struct tried *tried)
{
	const bool is_short = sizes->total - sizes->paths > max_bytes / 3 * 2;
	const bool has_names = itv_names_bytes(v) > LEAST_NAMES;

	if (has_copies(v) && sizes->files > files_share(max_bytes))
		return FILES;
	if (has_names && !tried->names && sizes->names > max_bytes / NAMES_SHARE)
		return NAMES;
	if (tried->precision < ITV_FUNCTIONS && (is_short || v->nr_nodes <= LEAST_NODES))
		return ADDRESSES;
	if (v->nr_nodes > LEAST_NODES)
		return PATHS;
	return has_names && !tried->last_names ? LAST_NAMES : NOTHING;
}

/* Data of the machine that reductions of an interval use. */
struct machine {
	struct itv_places places;
	const struct op_id_ranges *ranges;
};

static int reduce_addresses(struct itv *v, const struct machine *machine, struct tried *tried)
{
	if (tried->precision < v->accounting.precision)
		tried->precision = v->accounting.precision;
	tried->precision++;
	return itv_fold_addresses(v, tried->precision, &machine->places);
}

static int reduce_names(struct itv *v, uint64_t max_bytes, const struct machine *machine,
			bool *is_tried)
{
	const uint64_t before = itv_names_bytes(v);
	int err = itv_fold_names(v, max_bytes, machine->ranges);

	*is_tried = itv_names_bytes(v) >= before;
	return err;
}

static int reduce(struct itv *v, enum reduction reduction, const struct itv_file_sizes *sizes,
		  uint64_t max_bytes, const struct machine *machine, struct tried *tried)
{
	switch (reduction) {
	case FILES:
		return drop_copies(v, sizes, files_share(max_bytes));
	case NAMES:
		return reduce_names(v, fitting_names(v, sizes, max_bytes / NAMES_SHARE), machine,
				    &tried->names);
	case ADDRESSES:
		return reduce_addresses(v, machine, tried);
	case PATHS:
		return itv_fold_paths(v, fitting_nodes(v, sizes, max_bytes));
	case LAST_NAMES:
		return reduce_names(v, itv_names_bytes(v) / 2, machine, &tried->last_names);
	default:
		return 0;
	}
}

/* Write @v to the file @fd in at most @max_bytes (0: no limit), as far as possible. @v is reduced,
 * too. @level: see file.h. Set *@bytes to the file's length. Return 0 or a negative error. */
static int write_within(struct itv *v, int fd, int level, uint64_t max_bytes,
			const struct machine *machine, uint64_t *bytes)
{
	struct tried tried = { .precision = v->accounting.precision };
	enum reduction reduction;
	struct itv_file_sizes sizes;
	int err = write_again(v, fd, level, &sizes);

	for (int i = 0; !err && max_bytes && sizes.total > max_bytes && i < MAX_TRIES; i++) {
		reduction = choose_reduction(v, &sizes, max_bytes, &tried);
		if (reduction == NOTHING)
			break;
		err = reduce(v, reduction, &sizes, max_bytes, machine, &tried);
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

/* Copy the file @from to the empty file @to, and wait for the disk. */
static int copy_to_disk(int to, int from, uint64_t len)
{
	char buf[65536];
	uint64_t at = 0;
	int err = 0;

	while (at < len && !err) {
		size_t got;

		err = op_read_all_at(from, buf, sizeof(buf), (off_t)at, &got);
		if (!err && !got)
			err = -EIO;
		if (!err)
			err = op_write_all(to, buf, got);
		at += err ? 0 : got;
	}
	return err ? err : fsync(to) ? -errno : 0;
}

/* Give the new file @name the name of @entry. */
static int give_name(int dirfd, const char *name, struct itv_entry *entry)
{
	itv_name(entry->name, entry);
	if (!renameat2(dirfd, name, dirfd, entry->name, RENAME_NOREPLACE))
		return 0;
	/* Some file systems do not support RENAME_NOREPLACE; the store has one writer. */
	if (errno != EINVAL || renameat(dirfd, name, dirfd, entry->name))
		return -errno;
	return 0;
}

/* Write the interval @from, which is in memory, to a new file, and give it the name of @entry when
 * it is on the disk. */
static int publish_file(int from, struct itv_entry *entry, int dirfd)
{
	char name[NEW_NAME_SIZE];
	int fd, err = op_quota_ask_name(OP_QUOTA_OTHERS);

	if (err)
		return err;
	fd = make_new(dirfd, name);
	if (fd < 0)
		return fd;
	err = copy_to_disk(fd, from, entry->bytes);
	if (close(fd) && !err)
		err = -errno;
	if (!err)
		err = give_name(dirfd, name, entry);
	if (err)
		unlinkat(dirfd, name, 0);
	else if (fsync(dirfd))
		err = -errno;
	return err;
}

/* Reduce the interval to @max_bytes, and write it as @entry. The interval must have fewer bytes
 * than @less_than, else the function returns -EALREADY. */
static int publish(struct itv *v, struct itv_entry *entry, int dirfd, int level,
		   uint64_t max_bytes, uint64_t less_than)
{
	struct machine machine = { .ranges = NULL };
	struct itv_symbols *symbols;
	int fd, err = itv_symbols_open(&symbols, dirfd, v->accounting.kernel);

	if (err)
		return err;
	fd = memfd_create("interval", MFD_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		goto close_symbols;
	}
	machine.places = itv_symbols_places(symbols);
	err = itv_work_prepare();
	machine.ranges = &user_ranges.ranges;
	if (!err)
		err = write_within(v, fd, level, max_bytes, &machine, &entry->bytes);
	if (!err && entry->bytes >= less_than)
		err = -EALREADY;
	if (!err)
		err = publish_file(fd, entry, dirfd);
	close(fd);
close_symbols:
	itv_symbols_close(symbols);
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

/* Return 0 if all parts are in the store and count. If another process has replaced them, return
 * -ESTALE: a second sum would count their samples twice. */
static int check_parts(int dirfd, const char *const *parts, size_t nr)
{
	int has = itv_store_has(dirfd, parts, nr);

	return has < 0 ? has : has ? 0 : -ESTALE;
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
	err = check_parts(dirfd, &name, 1);
	if (!err)
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
		err = publish(&v, &entry, dirfd, PACK_LEVEL, max_bytes, UINT64_MAX);
	/* A damaged file may have the name, or another process has packed the session. */
	if (err == -EEXIST) {
		err = check_parts(dirfd, &name, 1);
		if (!err)
			err = itv_store_new_name(&entry, dirfd);
		if (!err)
			err = publish(&v, &entry, dirfd, PACK_LEVEL, max_bytes, UINT64_MAX);
	}
	itv_release(&v);
	if (!err)
		*ret = entry;
	return err;
}

/* Read the interval @name, and add the bytes of its file to *@bytes. */
static int read_part(struct itv *v, int dirfd, const char *name, uint64_t *bytes)
{
	int fd = openat(dirfd, name,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : itv_file_read(v, fd, ITV_READ_ALL, MAX_INTERVAL);
	if (!err)
		*bytes += (uint64_t)st.st_size;
	if (itv_file_is_bad(err))
		fchmod(fd, (st.st_mode & 07777) | ITV_BAD_MODE);
	close(fd);
	return err;
}

/* Mark parts whose sum does not fit into a count, so that they stay as they are. */
static void mark_parts(int dirfd, const char *const *parts, size_t nr)
{
	struct stat st;

	for (size_t i = 0; i < nr; i++)
		/* A part without the mark is only tried again. */
		if (!fstatat(dirfd, parts[i], &st, AT_SYMLINK_NOFOLLOW) &&
		    fchmodat(dirfd, parts[i], (st.st_mode & 07777) | ITV_BAD_MODE, 0))
			return;
}

/* Set *@sum to the sum of the parts, and *@bytes to the bytes of their files. */
static int add_parts(struct itv *sum, int dirfd, const char *const *parts, size_t nr,
		     uint64_t *bytes)
{
	struct itv_merges merges = { .gap_reason = "not running" };
	int err = nr ? 0 : -EINVAL;

	for (size_t i = 0; i < nr && !err; i++) {
		struct itv part = { .nr_images = 0 };

		err = read_part(&part, dirfd, parts[i], bytes);
		if (!err)
			err = itv_merges_add(&merges, &part);
		itv_release(&part);
	}
	if (!err)
		err = itv_merges_end(&merges, sum);
	itv_merges_release(&merges);
	if (err == -EOVERFLOW)
		mark_parts(dirfd, parts, nr);
	return err;
}

int itv_work_merge(struct itv_entry *result, int dirfd, const char *const *parts, size_t nr_parts,
		   uint64_t max_bytes, bool must_shrink)
{
	struct itv sum = { .nr_images = 0 };
	uint64_t bytes = 0;
	int err = check_parts(dirfd, parts, nr_parts);

	if (!err)
		err = add_parts(&sum, dirfd, parts, nr_parts, &bytes);
	if (!err)
		err = set_parts(&sum, parts, nr_parts);
	if (!err)
		err = itv_sum(&sum);
	if (!err)
		err = itv_store_new_name(result, dirfd);
	if (!err)
		err = publish(&sum, result, dirfd, MERGE_LEVEL, max_bytes,
			      must_shrink ? bytes - bytes / 8 : UINT64_MAX);
	itv_release(&sum);
	return err;
}
