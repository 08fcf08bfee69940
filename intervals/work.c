// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * work.c -- packs a closed session, and merges intervals in a store.
 *
 * An interval is written to a memory file until it is small enough, and only then copied to the
 * disk. So a file on the disk never exceeds its limit.
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

#define PACK_LEVEL	9	/* zstd's compression level for an interval that was just packed */
/* zstd's compression level for a merged interval: slow, but the file is small, because it is kept
 * for a long time */
#define MERGE_LEVEL	19
#define MAX_INTERVAL	(1ull << 30)	/* limit of the memory for one interval, in bytes */
/* the JIT files of users (user-provided files) may use 1/FILES_SHARE of an interval's size limit */
#define FILES_SHARE	4
#define LEAST_FILES	4096	/* user-provided files may always use this many bytes */
#define COPIES		"jit/"
#define LEAST_NAMES	2048	/* image names may always use this many bytes */
#define NAMES_SHARE	4	/* image names may use 1/NAMES_SHARE of an interval's size limit */
/* maximum number of attempts to reduce an interval to its size limit */
#define MAX_TRIES	16
#define LEAST_NODES	64
#define NEW_NAME_SIZE	40

/* Ranges of user ids that count as one user. The variable is global, because main() reads the
 * ranges before itv_confine() drops the right to do so. */
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

/* Return the index of the largest user-provided file in the interval, or v->nr_files if the
 * interval has no such file. */
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
 * Remove user-provided files from the interval, the largest first, until the others probably fit
 * into @max_bytes. Users control the size of these files, but the files must not displace samples.
 * Count the removed files in the accounting. Return 0 or a negative error.
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

/* Return an estimate, based on the current sizes, of the number of nodes that fit into
 * @max_bytes. */
static uint32_t fitting_nodes(const struct itv *v, const struct itv_file_sizes *sizes,
			      uint64_t max_bytes)
{
	uint64_t others = sizes->total - sizes->paths;
	double left = max_bytes > others ? (double)(max_bytes - others) : 0;
	/* Nodes with few samples are removed first, but they need fewer bytes than the average
	 * node. So aim 10 % below the limit. */
	double nodes = .9 * v->nr_nodes * left / (double)sizes->paths;

	return nodes < LEAST_NODES ? LEAST_NODES : (uint32_t)nodes;
}

/* Return an estimate of the number of bytes of image names that fit into @share bytes of the
 * file. */
static uint64_t fitting_names(const struct itv *v, const struct itv_file_sizes *sizes,
			      uint64_t share)
{
	return (uint64_t)(.9 * (double)itv_names_bytes(v) * (double)share / (double)sizes->names);
}

/* Return the number of bytes that user-provided files may use in a file of @max_bytes. */
static uint64_t files_share(uint64_t max_bytes)
{
	return max_bytes / FILES_SHARE > LEAST_FILES ? max_bytes / FILES_SHARE : LEAST_FILES;
}

/* Methods to reduce an interval. */
enum reduction {
	NOTHING,	/* no method can reduce the interval any further */
	NAMES,		/* reduce the image names to their share of the file */
	ADDRESSES, PATHS,
	LAST_NAMES,	/* reduce the image names to half of their present size */
	FILES,		/* remove user-provided files down to their share of the file */
};

/* The methods that were tried and cannot reduce the interval any further. */
struct tried {
	/* rounding addresses to this precision changes no address */
	enum itv_precision precision;
	/* the method NAMES, or LAST_NAMES, does not remove any more names */
	bool names, last_names;
};

/*
 * Choose the next method to reduce an interval that exceeds @max_bytes.
 *
 * Users control the number and length of image names and the contents of JIT files, so first reduce
 * these to their shares of the limit. Then remove call paths with few samples, which are the least
 * useful data. But as long as addresses can be rounded, do so if call paths would get less than a
 * third of the limit: on a busy machine, the exact addresses of a short interval alone may exceed
 * the limit. Otherwise all call paths would be removed to keep exact addresses, which few reports
 * print.
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

/* Data about this machine that the methods to reduce an interval need. */
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

/* Reduce @v until its file has at most @max_bytes (0: no limit), as far as possible, and write it
 * to the file @fd. @level: see file.h. Set *@bytes to the length of the file. Return 0 or a
 * negative error. */
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

/* Copy @len bytes of the file @from to the empty file @to, and fsync() @to. */
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

/* Rename the new file @name to the name of @entry. */
static int rename_new_file(int dirfd, const char *name, struct itv_entry *entry)
{
	itv_name(entry->name, entry);
	if (!renameat2(dirfd, name, dirfd, entry->name, RENAME_NOREPLACE))
		return 0;
	/* The file system may not support RENAME_NOREPLACE. Then a plain rename() is safe, because
	 * the store has only one writer. */
	if (errno != EINVAL || renameat(dirfd, name, dirfd, entry->name))
		return -errno;
	return 0;
}

/* Copy the interval @from, a memory file, to the disk, and then give it the name of @entry. */
static int publish_file(int from, struct itv_entry *entry, int dirfd)
{
	char name[NEW_NAME_SIZE];
	int fd, err = op_quota_request_name(OP_QUOTA_OTHERS);

	if (err)
		return err;
	fd = make_new(dirfd, name);
	if (fd < 0)
		return fd;
	err = copy_to_disk(fd, from, entry->bytes);
	if (close(fd) && !err)
		err = -errno;
	if (!err)
		err = rename_new_file(dirfd, name, entry);
	if (err)
		unlinkat(dirfd, name, 0);
	else if (fsync(dirfd))
		err = -errno;
	return err;
}

/* Reduce the interval to @max_bytes, and write it to the store as @entry. If the file would not be
 * smaller than @less_than bytes, do not write it and return -EALREADY. */
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

/* Return 0 if the store contains all @parts. Return -ESTALE if another interval has replaced a
 * part: a second sum with this part would count its samples twice. */
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
	/* A damaged file has the name of @entry, or another process has packed the session. */
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

/* Read the interval @name into *@v, and add the size of its file to *@bytes. */
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

/* The sum of the counts of @parts overflows: mark these intervals, so that they are not merged
 * again. */
static void mark_parts(int dirfd, const char *const *parts, size_t nr)
{
	struct stat st;

	for (size_t i = 0; i < nr; i++)
		/* Ignore errors: if an interval is not marked, it is only merged again in vain. */
		if (!fstatat(dirfd, parts[i], &st, AT_SYMLINK_NOFOLLOW) &&
		    fchmodat(dirfd, parts[i], (st.st_mode & 07777) | ITV_BAD_MODE, 0))
			return;
}

/* Set *@sum to the sum of the intervals @parts, and *@bytes to the total size of their files. */
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
