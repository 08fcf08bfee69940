// SPDX-License-Identifier: GPL-2.0-or-later
/* range.c -- the samples of requested periods: selects, reads and adds up stored intervals. */
#include "config.h"
#include "intervals/range.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "intervals/file.h"
#include "intervals/merge.h"
#include "intervals/session.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/session/about.h"
#include "libop/session/paths.h"
#include "libop/session/stats.h"

/* number of attempts to read the store if the daemon changes it during the reading */
#define MAX_TRIES	100
#define MAX_INTERVAL	(4ull << 30)	/* limit of the memory for one interval, in bytes */
#define MAX_KERNEL	(256u << 20)	/* limit of the size of one kernel's symbols, in bytes */
/* Limit of the number of samples: 2,000 CPUs at 20 kHz reach it in 80 days. A sample file needs a
 * 16-byte node for each 2^32 samples of an address, so absurd counts would fill the disk. */
#define MAX_SAMPLES	(1ull << 48)
#define MAX_LEVELS	48		/* maximum number of partial sums that are kept in memory */
#define NANO		1000000000ll

/* A file or directory of the store that contains samples of the requested periods: an interval or a
 * session. */
struct place {
	char name[ITV_NAME_SIZE];	/* name of the file or directory */
	/* directory that contains the file or directory .name; borrowed */
	int dirfd;
	int64_t begin, end;
	/* time of the last sample; for a session that is still written, time when its totals were
	 * last written */
	int64_t written;
	unsigned int step;
	uint32_t kernel;
	bool is_session, is_live;
	/* device and inode of the session's directory, recorded when the session was selected */
	dev_t dev;
	ino_t ino;
};

struct itv_range_places {
	/* intervals and sessions in ascending order of time; the current session is the last one */
	struct place *items;
	size_t nr;
	int store;			/* descriptor of the store; borrowed */
};

/* the arguments of itv_range_read(), and the open directories */
struct reading {
	struct itv_range *range;
	const struct itv_range_reader *to;
	int samples_fd, store;
	int64_t now;
};

/* Return whether the time from @begin to @end overlaps a requested period or contains a requested
 * moment. */
static bool is_asked(const struct itv_range *range, int64_t begin, int64_t end)
{
	for (size_t i = 0; i < range->nr_asked; i++) {
		const struct op_period *p = &range->asked[i];

		if (p->begin == p->end ? begin <= p->begin && p->begin < end :
					 begin < p->end && p->begin < end)
			return true;
	}
	return false;
}

static int add_part(struct itv_range *range, const struct place *place)
{
	if (op_grow(&range->parts, range->nr_parts))
		return -ENOMEM;
	range->parts[range->nr_parts++] =
		(struct itv_range_part){ .begin = place->begin, .end = place->written,
					 .step = place->step, .is_live = place->is_live };
	return 0;
}

static int add_gap(struct itv_range *range, int64_t from_ns, int64_t to_ns, const char *reason)
{
	struct itv_gap gap = { from_ns, to_ns, strdup(reason) };

	if (!gap.reason || op_grow(&range->gaps, range->nr_gaps)) {
		free(gap.reason);
		return -ENOMEM;
	}
	range->gaps[range->nr_gaps++] = gap;
	return 0;
}

static void add_times(struct itv_range_times *times, int64_t begin, int64_t end)
{
	if (!times->nr++ || begin < times->begin)
		times->begin = begin;
	if (times->nr == 1 || end > times->end)
		times->end = end;
}

/* Append the gaps of an interval to the range, as far as they are in the requested periods. */
static int add_gaps(struct itv_range *range, const struct itv *v)
{
	int err = 0;

	for (size_t i = 0; i < v->accounting.nr_gaps && !err; i++) {
		const struct itv_gap *gap = &v->accounting.gaps[i];

		if (is_asked(range, gap->from_ns / NANO, gap->to_ns / NANO + 1))
			err = add_gap(range, gap->from_ns, gap->to_ns, gap->reason);
	}
	return err;
}

static int add_place(struct itv_range_places *places, const struct place *place)
{
	if (op_grow(&places->items, places->nr))
		return -ENOMEM;
	places->items[places->nr++] = *place;
	return 0;
}

/* Store device and inode of the session's directory @fd in @session. Return 0 or a negative
 * errno. */
static int set_directory(struct place *session, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	session->dev = st.st_dev;
	session->ino = st.st_ino;
	return 0;
}

/* Open an interval or session that was selected before. If the daemon has packed, merged or deleted
 * it since, or another session now has its name, return -EAGAIN: the store must then be read
 * again. */
static int open_place(const struct place *place)
{
	int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
		    (place->is_session ? O_DIRECTORY : O_NOCTTY);
	int fd = openat(place->dirfd, place->name, flags), err;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	err = fstat(fd, &st) ? -errno : 0;
	if (!err && place->is_session && (st.st_dev != place->dev || st.st_ino != place->ino))
		err = -EAGAIN;
	if (err)
		close(fd);
	return err ? err : fd;
}

/* Return whether the file or directory @fd still has its name. The daemon renames a session before
 * it deletes the session. So if the name is unchanged, all data that were read before this check
 * are complete. */
static bool is_there(const struct place *place, int fd)
{
	struct stat opened, now;

	return fd >= 0 && !fstat(fd, &opened) &&
	       !fstatat(place->dirfd, place->name, &now, AT_SYMLINK_NOFOLLOW) &&
	       opened.st_dev == now.st_dev && opened.st_ino == now.st_ino;
}

/* Return whether a part, together with the parts before it, has more samples than is plausible.
 * Reports write the samples to files with counts of 32 bits, so a small hostile archive could fill
 * the disk. */
static bool has_too_many(const struct itv_range *range, const struct itv_accounting *part)
{
	return part->samples > MAX_SAMPLES || part->paths > MAX_SAMPLES ||
	       part->wakers > MAX_SAMPLES || range->samples > MAX_SAMPLES - part->samples ||
	       range->paths > MAX_SAMPLES - part->paths ||
	       range->wakers > MAX_SAMPLES - part->wakers;
}

/* Read the interval or session that is open as @fd. @reads: bits of enum itv_file_parts. */
static int read_place(const struct itv_range *range, struct itv *v, const struct place *place,
		      int fd, unsigned int reads)
{
	int err;

	if (!place->is_session) {
		err = itv_file_read(v, fd, reads, MAX_INTERVAL);
		if (!err && has_too_many(range, &v->accounting)) {
			itv_release(v);
			err = ITV_ERR_TOO_BIG;
		}
		return err;
	}
	err = itv_pack(v, fd, place->is_live);
	if (!err && !is_there(place, fd)) {
		itv_release(v);
		err = -EAGAIN;
	}
	return err;
}

static void add_precision(struct itv_range *range, const struct itv_accounting *part)
{
	if (part->precision > range->precision)
		range->precision = part->precision;
	range->samples += part->samples;
	range->paths += part->paths;
	range->wakers += part->wakers;
	range->folded += part->folded;
}

/* Read an interval or session, and record its time and gaps in the range. If it is damaged, record
 * a gap instead. Return 0, 1 if it is damaged, or a negative errno. The caller releases @v only if
 * the result is 0. */
static int read_part(const struct reading *r, struct itv *v, const struct place *place, int fd,
		     unsigned int reads)
{
	struct itv_range *range = r->range;
	int err = read_place(range, v, place, fd, reads);

	if (err && err != -ENOMEM && err != -EAGAIN) {
		r->to->damaged(r->to->arg, place->name, err);
		err = add_gap(range, place->begin * NANO, place->end * NANO,
			      err == ITV_ERR_VERSION ? "stored by a newer version" : "damaged");
		return err ? err : 1;
	}
	if (err)
		return err;
	err = add_gaps(range, v);
	if (!err)
		err = add_part(range, place);
	if (err)
		itv_release(v);
	else
		add_precision(range, &v->accounting);
	return err;
}

/*
 * Partial sums of the parts: level n is empty or contains the sum of 2^n parts, so that each merge
 * adds sums of similar size. If the parts were added one by one, the whole sum would be copied for
 * each part.
 */
struct sums {
	struct itv levels[MAX_LEVELS];
	bool is_used[MAX_LEVELS];
};

/* Merge @a, the sum of earlier parts, into @b, the sum of later parts. */
static int merge_earlier(struct itv *b, struct itv *a)
{
	int err = itv_merge(a, b, NULL);

	itv_release(b);
	*b = *a;
	*a = (struct itv){ .nr_images = 0 };
	return err;
}

/* Add a part to the partial sums. @sums takes ownership of *@part. */
static int add_to_sums(struct sums *sums, struct itv *part)
{
	size_t i = 0;
	int err = 0;

	for (; i < MAX_LEVELS - 1 && sums->is_used[i] && !err; i++) {
		err = merge_earlier(part, &sums->levels[i]);
		sums->is_used[i] = false;
	}
	sums->levels[i] = *part;
	sums->is_used[i] = true;
	*part = (struct itv){ .nr_images = 0 };
	return err;
}

/* Store the sum of all partial sums in *@ret. Return false if no part was added. */
static bool end_sums(struct sums *sums, struct itv *ret, int *err)
{
	bool has_sum = false;

	for (size_t i = 0; i < MAX_LEVELS && !*err; i++) {
		if (!sums->is_used[i])
			continue;
		if (has_sum)
			*err = merge_earlier(ret, &sums->levels[i]);
		else
			*ret = sums->levels[i];
		sums->is_used[i] = false;
		has_sum = true;
	}
	for (size_t i = 0; i < MAX_LEVELS; i++)
		if (sums->is_used[i])
			itv_release(&sums->levels[i]);
	return has_sum;
}

/* Add up the intervals and sessions that were recorded on @kernel, and pass the sum to the callback
 * (struct itv_range_reader). */
static int read_sum(const struct reading *r, const struct itv_range_places *places,
		    uint32_t kernel)
{
	struct sums *sums = calloc(1, sizeof(*sums));
	struct itv sum = { .nr_images = 0 };
	int err = sums ? 0 : -ENOMEM;
	bool has_sum;

	for (size_t i = 0; i < places->nr && !err; i++) {
		const struct place *place = &places->items[i];
		struct itv part = { .nr_images = 0 };
		int fd;

		if (place->kernel != kernel)
			continue;
		fd = open_place(place);
		if (fd < 0) {
			err = fd;
			break;
		}
		err = read_part(r, &part, place, fd, r->to->reads);
		close(fd);
		if (!err)
			err = add_to_sums(sums, &part);
		itv_release(&part);
		err = err > 0 ? 0 : err;
	}
	if (!sums)
		return err;
	has_sum = end_sums(sums, &sum, &err);
	if (!err && has_sum)
		err = r->to->sum(r->to->arg, &(struct itv_range_sum){ &sum, kernel, places });
	itv_release(&sum);
	free(sums);
	return err;
}

static bool is_first_of_kernel(const struct itv_range_places *places, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (places->items[i].kernel == places->items[at].kernel)
			return false;
	return true;
}

static int read_sums(const struct reading *r, const struct itv_range_places *places)
{
	int err = 0;

	for (size_t i = 0; i < places->nr && !err; i++)
		if (is_first_of_kernel(places, i))
			err = read_sum(r, places, places->items[i].kernel);
	return err;
}

/* Pass the intervals and sessions one by one to the callback (struct itv_range_reader). */
static int read_parts(const struct reading *r, const struct itv_range_places *places)
{
	const struct itv_range *range = r->range;
	int err = 0;

	for (size_t i = 0; i < places->nr && err >= 0; i++) {
		const struct place *place = &places->items[i];
		struct itv_range_source source = {
			place->name, open_place(place), place->is_session, place->kernel,
		};
		struct itv v = { .nr_images = 0 };

		if (source.fd < 0)
			return source.fd;
		err = read_part(r, &v, place, source.fd, r->to->reads);
		if (!err)
			err = r->to->part(r->to->arg, &v, &range->parts[range->nr_parts - 1],
					  &source);
		itv_release(&v);
		close(source.fd);
	}
	return err < 0 ? err : 0;
}

/* Set the times of @place, the current session. Return false if the session has no samples. */
static bool current_times(struct place *place, int fd, int64_t now)
{
	struct op_session_about about = { .begun = 0 };
	struct op_session_stats stats = { 0 };

	if (op_session_has_samples(fd) <= 0)
		return false;
	op_session_about_read(&about, fd);
	op_session_stats_read(&stats, fd);
	place->is_live = stats.writer.pid && op_session_writer_lives(&stats.writer);
	op_session_stats_release(&stats);
	/* A session that was replayed from a recorded stream has no times: assume that its samples
	 * are from the last second. */
	place->begin = about.begun ? about.begun : now - 1;
	/* A session that is still written ends after the current second. */
	place->end = place->is_live ? now + 1 : about.ended ? about.ended : now;
	if (place->end <= place->begin)
		place->end = place->begin + 1;
	place->written = place->end;
	if (place->is_live && about.ended > place->begin && about.ended < place->end)
		place->written = about.ended;
	return true;
}

/* Return whether the samples of an interval or session are requested. If they are not, and the
 * interval or session begins in the future, record this in the range. */
static bool choose(const struct reading *r, const struct place *place)
{
	if (is_asked(r->range, place->begin, place->end))
		return true;
	if (place->begin > r->now)
		add_times(&r->range->future, place->begin, place->end);
	return false;
}

/* Add the unpacked session @fd if its samples are requested. */
static int add_session(const struct reading *r, struct itv_range_places *places,
		       struct place *place, int fd, bool is_current)
{
	bool is_wanted = (!is_current || current_times(place, fd, r->now)) && choose(r, place);
	int err = is_wanted ? set_directory(place, fd) : 0;

	if (is_wanted && !err)
		err = itv_kernel_of(&place->kernel, fd);
	if (is_wanted && !err && !is_there(place, fd))
		err = -EAGAIN;
	return is_wanted && !err ? add_place(places, place) : err;
}

/* Add a closed session of the store that is not packed yet, if its samples are requested. */
static int add_closed(const struct reading *r, struct itv_range_places *places, struct place *place)
{
	int fd = openat(place->dirfd, place->name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int err;

	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	err = add_session(r, places, place, fd, false);
	close(fd);
	return err;
}

/* Find the intervals and sessions that have samples of the requested periods. @current_fd: the
 * current session, opened before the store was listed; negative: the store is a copy and has no
 * current session. If the session was closed between these two steps, the list contains it, too. */
static int find_places(const struct reading *r, struct itv_range_places *places,
		       const struct itv_list *list, int current_fd)
{
	struct place current = { .name = "current", .dirfd = r->samples_fd, .is_session = true };
	bool is_closed = current_fd < 0;
	int err = 0;

	for (size_t i = 0; i < list->nr && !err; i++) {
		const struct itv_entry *entry = &list->entries[i];
		struct place place = {
			.dirfd = r->store, .begin = entry->begin, .end = entry->end,
			.written = entry->end, .step = entry->step, .kernel = entry->kernel,
			.is_session = entry->is_session,
		};

		strcpy(place.name, entry->name);
		is_closed |= place.is_session && is_there(&place, current_fd);
		if (place.is_session)
			err = add_closed(r, places, &place);
		else if (choose(r, &place))
			err = add_place(places, &place);
	}
	if (err || is_closed)
		return err;
	/* The list does not contain the current session. If it was closed after the list was read,
	 * or replaced by an interval, read the store again. */
	if (!is_there(&current, current_fd))
		return -EAGAIN;
	return add_session(r, places, &current, current_fd, true);
}

static int read_once(const struct reading *r)
{
	int current = openat(r->samples_fd, "current",
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct itv_range_places places = { .store = r->store };
	struct itv_list list = { .nr = 0 };
	int err = itv_store_list(&list, r->store);

	r->range->first = list.nr ? list.entries[0].begin : INT64_MAX;
	if (!err)
		err = find_places(r, &places, &list, current);
	if (!err)
		err = r->to->sum ? read_sums(r, &places) : read_parts(r, &places);
	if (current >= 0)
		close(current);
	free(places.items);
	itv_list_release(&list);
	return err;
}

static int compare_parts(const void *a, const void *b)
{
	const struct itv_range_part *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int compare_gaps(const void *a, const void *b)
{
	const struct itv_gap *x = a, *y = b;

	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* Record the parts of the range that begin before the end of an earlier part. */
static void find_overlaps(struct itv_range *range)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < range->nr_parts; i++) {
		const struct itv_range_part *part = &range->parts[i];

		/* Ignore overlaps of one second: times are rounded to seconds, so adjacent parts
		 * may seem to overlap. */
		if (i && part->begin < last - 1)
			add_times(&range->overlaps, part->begin,
				  part->end < last ? part->end : last);
		last = part->end > last ? part->end : last;
	}
}

/* Add a gap to the range, with the reason why the store has no intervals for this time: deleted
 * (the store records the end of the deleted time) or never sampled. */
static int add_gap_of_store(struct itv_range *range, const struct itv_removed *removed,
			    int64_t from, int64_t to)
{
	const struct {
		int64_t end;
		const char *reason;
	} reasons[] = {
		{ removed->by_keep, "older than --keep" },
		{ removed->by_disk, "removed by --max-disk" },
		{ INT64_MAX, from < range->first && !removed->any ? ITV_GAP_BEFORE :
								   ITV_GAP_NOT_RUNNING },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]) && from < to && !err; i++) {
		int64_t end = to < reasons[i].end ? to : reasons[i].end;

		if (end <= from)
			continue;
		err = add_gap(range, from * NANO, end * NANO, reasons[i].reason);
		from = end;
	}
	return err;
}

/* Find the times of the requested period @asked that no part covers, and add them to the gaps of
 * the range. */
static int find_gaps(struct itv_range *range, const struct op_period *asked,
		     const struct itv_removed *removed, int64_t now)
{
	int64_t at = asked->begin, last = asked->end < now ? asked->end : now;
	int err = 0;

	for (size_t i = 0; i <= range->nr_parts && !err && at < last; i++) {
		int64_t begin = i < range->nr_parts ? range->parts[i].begin : last;
		int64_t end = begin < last ? begin : last;

		/* Ignore gaps of one second: times are rounded to seconds. */
		if (end > at + 1)
			err = add_gap_of_store(range, removed, at, end);
		if (i == range->nr_parts)
			break;
		/* Do not record a gap at the end of a session that is still written: the running
		 * daemon has not written the latest samples yet. */
		if (range->parts[i].is_live)
			at = last;
		else if (range->parts[i].end > at)
			at = range->parts[i].end;
	}
	return err;
}

static int finish(const struct reading *r)
{
	struct itv_range *range = r->range;
	struct itv_removed removed;
	int err = 0;

	itv_store_removed(&removed, r->store);

	if (range->nr_parts)
		qsort(range->parts, range->nr_parts, sizeof(*range->parts), compare_parts);
	find_overlaps(range);
	for (size_t i = 0; i < range->nr_asked && !err; i++)
		err = find_gaps(range, &range->asked[i], &removed, r->now);
	if (range->nr_gaps)
		qsort(range->gaps, range->nr_gaps, sizeof(*range->gaps), compare_gaps);
	return err;
}

/* Free all results in @range, but not the requested periods. */
static void reset(struct itv_range *range)
{
	while (range->nr_gaps)
		free(range->gaps[--range->nr_gaps].reason);
	free(range->parts);
	free(range->gaps);
	*range = (struct itv_range){ .asked = range->asked, .nr_asked = range->nr_asked };
}

int itv_range_read(struct itv_range *range, int samples_fd, const struct itv_range_reader *reader)
{
	struct reading r = {
		.range = range, .to = reader, .samples_fd = samples_fd,
		.store = itv_range_open_store(samples_fd), .now = (int64_t)time(NULL),
	};
	int err = -EAGAIN;

	if (r.store < 0)
		return r.store;
	/* If the daemon has packed, merged or deleted an interval during the reading, read the
	 * store again. */
	for (int i = 0; i < MAX_TRIES && err == -EAGAIN; i++) {
		reset(range);
		err = reader->again ? reader->again(reader->arg) : 0;
		if (!err)
			err = read_once(&r);
	}
	if (!err)
		err = finish(&r);
	close(r.store);
	return err;
}

void itv_range_release(struct itv_range *range)
{
	reset(range);
	free(range->asked);
	*range = (struct itv_range){ .asked = NULL };
}

/* Write the symbols of the sum's kernel to the directory @to. Read them from the store or from a
 * session that is not packed. */
static int export_kernel(const struct itv_range_sum *sum, int to)
{
	const struct itv_range_places *places = sum->places;
	int err = itv_store_kernel_export(sum->kernel, places->store, to);

	for (size_t i = places->nr; i-- > 0 && err == -ENOENT;) {
		const struct place *place = &places->items[i];
		char *text;
		size_t len;
		int fd;

		if (!place->is_session || place->kernel != sum->kernel)
			continue;
		fd = open_place(place);
		if (fd < 0)
			return fd;
		err = op_read_file(fd, OP_KERNEL_SYMS_FILE, MAX_KERNEL, &text, &len);
		close(fd);
		if (err)
			continue;
		err = op_replace_file_nowait(to, OP_KERNEL_SYMS_FILE, text, len, 0600);
		free(text);
	}
	return err == -ENOENT ? 0 : err;
}

int itv_range_export(const struct itv_range_sum *sum, int samples_dirfd)
{
	int err = itv_export(sum->v, samples_dirfd);

	return !err && sum->kernel ? export_kernel(sum, samples_dirfd) : err;
}

int itv_range_export_companions(const struct itv_range_sum *sum, int samples_dirfd)
{
	int err = itv_export_companions(sum->v, samples_dirfd);

	return !err && sum->kernel ? export_kernel(sum, samples_dirfd) : err;
}

int itv_range_open_store(int samples_fd)
{
	int fd = openat(samples_fd, ITV_STORE_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int itv_range_of_store(int64_t *begin, int64_t *end, int store)
{
	struct itv_list list = { .nr = 0 };
	int64_t last = INT64_MIN;
	int err = itv_store_list(&list, store);

	for (size_t i = 0; i < list.nr; i++)
		last = list.entries[i].end > last ? list.entries[i].end : last;
	if (!err && !list.nr)
		err = -ENODATA;
	if (!err) {
		*begin = list.entries[0].begin;
		*end = last;
	}
	itv_list_release(&list);
	return err;
}
