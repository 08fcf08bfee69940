// SPDX-License-Identifier: GPL-2.0-or-later
/* store.c -- access to the store, the directory of a host's intervals. */
#include "config.h"
#include "intervals/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "intervals/file.h"
#include "libop/base/clock.h"
#include "libop/base/dir.h"
#include "libop/base/error.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "libop/session/kernel_syms.h"
#include "libop/session/paths.h"

#define TIME_SIZE	sizeof("20261120T030000Z")
#define MAX_COPIES	1000
#define MAX_READS	100
/* The kernel updates a directory's mtime only once per tick, so two changes within one tick may
 * leave the same mtime. After this many ns, a further change certainly changes the mtime. */
#define SETTLE_NS	20000000
/* limit of the size of an interval's accounting, in bytes */
#define MAX_ACCOUNTING	(16u << 20)
#define MAX_KERNEL	(256u << 20)	/* limit of the size of a kernel's symbols, in bytes */
#define REMOVED_FILE	"removed"
#define MAX_REMOVED	64
#define KERNEL_LEVEL	9
#define KERNEL_NAME	"kernel-%08" PRIx32 ".zst"
#define KERNEL_NAME_SIZE	32

static void write_time(char text[TIME_SIZE], int64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || tm.tm_year < -1900 || tm.tm_year > 9999 - 1900 ||
	    !strftime(text, TIME_SIZE, "%Y%m%dT%H%M%SZ", &tm))
		strcpy(text, "00000101T000000Z");
}

void itv_name(char name[ITV_NAME_SIZE], const struct itv_entry *entry)
{
	char begin[TIME_SIZE], end[TIME_SIZE], kernel[16] = "", copy[16] = "";

	write_time(begin, entry->begin);
	write_time(end, entry->end);
	if (entry->copy)
		snprintf(copy, sizeof(copy), ".%u", entry->copy % (MAX_COPIES + 1));
	if (!entry->is_session)
		snprintf(kernel, sizeof(kernel), "-%08" PRIx32, entry->kernel);
	snprintf(name, ITV_NAME_SIZE, "%s-%s-%u%s%s%s", begin, end, entry->step % ITV_NR_STEPS,
		 kernel, copy, entry->is_session ? ITV_SESSION_SUFFIX : ITV_SUFFIX);
}

static bool parse_time(int64_t *ret, const char *text)
{
	struct tm tm = { 0 };
	int at = 0;

	if (sscanf(text, "%4d%2d%2dT%2d%2d%2dZ%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &at) != 6 ||
	    at != TIME_SIZE - 1)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*ret = timegm(&tm);
	return true;
}

bool itv_name_parse(struct itv_entry *ret, const char *name)
{
	const char *suffix = strrchr(name, '.'), *rest = name + 2 * TIME_SIZE;
	char again[ITV_NAME_SIZE];
	int at = 0;

	if (strlen(name) >= ITV_NAME_SIZE || strlen(name) < 2 * TIME_SIZE + 1 || !suffix)
		return false;
	*ret = (struct itv_entry){ .is_session = !strcmp(suffix, ITV_SESSION_SUFFIX) };
	if (!parse_time(&ret->begin, name) || !parse_time(&ret->end, name + TIME_SIZE) ||
	    sscanf(rest, "%1u%n", &ret->step, &at) != 1 || ret->step >= ITV_NR_STEPS ||
	    ret->begin >= ret->end || ret->begin < -ITV_MAX_TIME || ret->end > ITV_MAX_TIME)
		return false;
	rest += at;
	if (sscanf(rest, "-%8" SCNx32 "%n", &ret->kernel, &at) == 1)
		rest += at;
	sscanf(rest, ".%4u", &ret->copy);
	strcpy(ret->name, name);
	/* Accept only the name that itv_name() writes, so that each entry has exactly one valid
	 * name. */
	itv_name(again, ret);
	return !strcmp(again, name);
}

static int compare_entries(const void *a, const void *b)
{
	const struct itv_entry *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return x->copy < y->copy ? -1 : x->copy > y->copy;
}

void itv_list_release(struct itv_list *list)
{
	free(list->entries);
	free(list->replaced);
	*list = (struct itv_list){ .nr = 0 };
}

static int64_t time_ns(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static int read_entries(struct itv_list *list, int dirfd)
{
	struct itv_entry entry;
	struct dirent *d;
	struct stat st;
	DIR *dir;
	int err = op_open_dir(dirfd, ".", &dir);

	if (err)
		return err;
	while (!err && (d = op_next_entry(dir))) {
		if (!itv_name_parse(&entry, d->d_name))
			continue;
		if (fstatat(dirfd, d->d_name, &st, AT_SYMLINK_NOFOLLOW)) {
			/* another process has deleted the file since it was listed */
			err = -EAGAIN;
			break;
		}
		if (entry.is_session ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
			continue;
		entry.is_bad = !entry.is_session && (st.st_mode & ITV_BAD_MODE);
		entry.bytes = entry.is_session ? 0 : (uint64_t)st.st_blocks * 512;
		err = op_grow(&list->entries, list->nr);
		if (!err)
			list->entries[list->nr++] = entry;
	}
	closedir(dir);
	if (!err && list->nr)
		qsort(list->entries, list->nr, sizeof(*list->entries), compare_entries);
	return err;
}

/* Return whether @err, an error of opening a file, is temporary. */
static bool is_passing(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -EINTR;
}

static bool same_interval(const struct itv_entry *a, const struct itv_entry *b)
{
	return a->begin == b->begin && a->end == b->end && a->step == b->step &&
	       a->copy == b->copy;
}

/* Read the accounting of a listed interval into the zeroed struct *@v. If the interval cannot be
 * read, its list of parts is empty. Return 0, -EAGAIN if the interval was deleted, or another
 * negative errno. */
static int read_accounting(struct itv *v, const struct itv_entry *entry, int dirfd)
{
	int fd = openat(dirfd, entry->name,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err;

	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : is_passing(-errno) ? -errno : 0;
	err = itv_file_read(v, fd, ITV_READ_ACCOUNTING, MAX_ACCOUNTING);
	close(fd);
	return is_passing(err) ? err : 0;
}

/* Set marks[i] for each entry i of the list that interval @at names as one of its parts. Return 0
 * or a negative errno. */
static int mark_parts(const struct itv_list *list, size_t at, int dirfd, bool *marks)
{
	struct itv v = { .nr_images = 0 };
	int err = read_accounting(&v, &list->entries[at], dirfd);

	for (size_t p = 0; !err && p < v.accounting.nr_parts; p++)
		for (size_t i = 0; i < list->nr; i++)
			if (i != at && !strcmp(list->entries[i].name, v.accounting.parts[p]))
				marks[i] = true;
	itv_release(&v);
	return err;
}

/* Return a malloc'd array; its element n is the latest end of the first n entries of the list.
 * Return NULL if the allocation fails. */
static int64_t *latest_ends(const struct itv_list *list)
{
	int64_t *ends = calloc(list->nr + 1, sizeof(*ends));

	if (!ends)
		return NULL;
	ends[0] = INT64_MIN;
	for (size_t i = 0; i < list->nr; i++)
		ends[i + 1] = list->entries[i].end > ends[i] ? list->entries[i].end : ends[i];
	return ends;
}

/* Return the index of the first entry of the list that ends after @time, or list->nr. */
static size_t first_after(const struct itv_list *list, const int64_t *ends, int64_t time)
{
	size_t first = 0, last = list->nr;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (ends[middle + 1] > time)
			last = middle;
		else
			first = middle + 1;
	}
	return first;
}

/* Return whether an entry of the list can be a part of interval @at: only entries within the time
 * of the interval can. @ends: result of latest_ends(). */
static bool may_have_parts(const struct itv_list *list, const int64_t *ends, size_t at)
{
	const struct itv_entry *entry = &list->entries[at];

	if (entry->is_session)
		return false;
	for (size_t i = first_after(list, ends, entry->begin);
	     i < list->nr && list->entries[i].begin < entry->end; i++)
		if (i != at && list->entries[i].end > entry->begin &&
		    (list->entries[i].is_session ? same_interval(&list->entries[i], entry) :
						   list->entries[i].step <= entry->step))
			return true;
	return false;
}

/* Move from the list to list->replaced the entries that are parts of other intervals. */
static int find_replaced(struct itv_list *list, int dirfd)
{
	bool *marks = calloc(list->nr + 1, sizeof(*marks));
	int64_t *ends = latest_ends(list);
	size_t kept = 0;
	int err = marks && ends ? 0 : -ENOMEM;

	for (size_t i = 0; i < list->nr && !err; i++)
		if (may_have_parts(list, ends, i))
			err = mark_parts(list, i, dirfd, marks);
	for (size_t i = 0; i < list->nr && !err; i++) {
		if (!marks[i]) {
			list->entries[kept++] = list->entries[i];
			continue;
		}
		err = op_grow(&list->replaced, list->nr_replaced);
		if (!err)
			list->replaced[list->nr_replaced++] = list->entries[i];
	}
	if (!err)
		list->nr = kept;
	free(ends);
	free(marks);
	return err;
}

/* Read the entries of the store once. Return -EAGAIN if the directory changed during the reading,
 * or less than @settle_ns before it. */
static int read_once(struct itv_list *list, int dirfd, int64_t settle_ns)
{
	struct stat before, after;
	int64_t now_ns;
	int err = fstat(dirfd, &before) ? -errno : read_entries(list, dirfd);

	if (!err)
		err = find_replaced(list, dirfd);
	if (!err && fstat(dirfd, &after))
		err = -errno;
	if (err)
		return err;
	now_ns = (int64_t)op_clock_ns(CLOCK_REALTIME);
	if (time_ns(&before.st_mtim) != time_ns(&after.st_mtim))
		return -EAGAIN;
	/* If the clock was set back, the mtime may be in the future. Then do not wait: each further
	 * change sets the mtime to an earlier time, so it is noticed. */
	if (now_ns >= time_ns(&after.st_mtim) &&
	    now_ns - time_ns(&after.st_mtim) < settle_ns)
		return -EAGAIN;
	return 0;
}

static int list_entries(struct itv_list *ret, int dirfd, int64_t settle_ns)
{
	const struct timespec wait = { .tv_nsec = settle_ns };
	struct itv_list list = { .nr = 0 };
	int err = -EAGAIN;

	for (int i = 0; i < MAX_READS && err == -EAGAIN; i++) {
		if (i && settle_ns)
			nanosleep(&wait, NULL);
		itv_list_release(&list);
		err = read_once(&list, dirfd, settle_ns);
	}
	if (err)
		itv_list_release(&list);
	else
		*ret = list;
	return err;
}

int itv_store_list(struct itv_list *ret, int dirfd)
{
	return list_entries(ret, dirfd, SETTLE_NS);
}

int itv_store_list_writer(struct itv_list *ret, int dirfd)
{
	return list_entries(ret, dirfd, 0);
}

/* Return the index of the entry @name in @list, or list->nr if the list does not contain it. */
static size_t find_entry(const struct itv_list *list, const char *name)
{
	size_t i = 0;

	while (i < list->nr && strcmp(list->entries[i].name, name))
		i++;
	return i;
}

/* Set @marks for all parts of the intervals that may have entry @at as a part. These are intervals
 * whose time includes the time of the entry. */
static int mark_replacing(const struct itv_list *list, size_t at, int dirfd, bool *marks)
{
	const struct itv_entry *entry = &list->entries[at];
	int err = 0;

	for (size_t i = 0; i < list->nr && !err; i++) {
		const struct itv_entry *other = &list->entries[i];

		if (i != at && !other->is_session && other->step >= entry->step &&
		    other->begin <= entry->begin && other->end >= entry->end)
			err = mark_parts(list, i, dirfd, marks);
	}
	return err;
}

static int has_all(int dirfd, const char *const *names, size_t nr)
{
	struct itv_list list = { .nr = 0 };
	int err = read_entries(&list, dirfd), has = 1;
	bool *marks = calloc(list.nr + 1, sizeof(*marks));

	if (!err && !marks)
		err = -ENOMEM;
	for (size_t i = 0; i < nr && has && !err; i++) {
		size_t at = find_entry(&list, names[i]);

		has = at < list.nr;
		if (has)
			err = mark_replacing(&list, at, dirfd, marks);
		has = has && !err && !marks[at];
	}
	free(marks);
	itv_list_release(&list);
	return err ? err : has;
}

int itv_store_has(int dirfd, const char *const *names, size_t nr)
{
	int has = -EAGAIN;

	for (int i = 0; i < MAX_READS && has == -EAGAIN; i++)
		has = has_all(dirfd, names, nr);
	return has;
}

int itv_store_lock(int dirfd)
{
	int fd = openat(dirfd, ITV_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600), err = 0;

	if (fd < 0)
		return errno == ENOSPC || errno == EDQUOT ? 0 : -errno;
	while (flock(fd, LOCK_EX))
		if (errno != EINTR) {
			err = -errno;
			close(fd);
			return err;
		}
	return 0;
}

static int compare_ends(const void *a, const void *b)
{
	const struct itv_entry *x = a, *y = b;

	return x->end != y->end ? (x->end < y->end ? -1 : 1) : compare_entries(a, b);
}

int itv_store_list_old(struct itv_list *ret, int dirfd, int64_t end)
{
	struct itv_list list = { .nr = 0 };
	size_t nr = 0;
	int err = read_entries(&list, dirfd);

	if (err) {
		itv_list_release(&list);
		return err;
	}
	for (size_t i = 0; i < list.nr; i++)
		if (!list.entries[i].is_session && list.entries[i].end < end)
			list.entries[nr++] = list.entries[i];
	list.nr = nr;
	if (nr)
		qsort(list.entries, nr, sizeof(*list.entries), compare_ends);
	*ret = list;
	return 0;
}

/* The names of entries with the same times differ by a copy number. Set @is_used[N] if copy number
 * N would give @entry the name of @other, or of a part of @other. Return 0 or a negative errno. */
static int find_copies(bool *is_used, const struct itv_entry *entry, const struct itv_entry *other,
		       int dirfd)
{
	struct itv_entry named = *entry, part;
	struct itv v = { .nr_images = 0 };
	int err;

	named.copy = other->copy;
	if (same_interval(other, &named))
		is_used[other->copy % MAX_COPIES] = true;
	if (other->is_session || other->step < entry->step || other->begin > entry->begin ||
	    other->end < entry->end)
		return 0;
	err = read_accounting(&v, other, dirfd);
	for (size_t p = 0; !err && p < v.accounting.nr_parts; p++) {
		if (!itv_name_parse(&part, v.accounting.parts[p]))
			continue;
		named.copy = part.copy;
		if (same_interval(&part, &named))
			is_used[part.copy % MAX_COPIES] = true;
	}
	itv_release(&v);
	return err;
}

int itv_store_new_name(struct itv_entry *entry, int dirfd)
{
	bool is_used[MAX_COPIES] = { false };
	struct itv_list list;
	int err = itv_store_list_writer(&list, dirfd);

	if (err)
		return err;
	for (size_t i = 0; i < list.nr && !err; i++)
		err = find_copies(is_used, entry, &list.entries[i], dirfd);
	for (size_t i = 0; i < list.nr_replaced && !err; i++)
		err = find_copies(is_used, entry, &list.replaced[i], dirfd);
	itv_list_release(&list);
	for (entry->copy = 0; entry->copy < MAX_COPIES && is_used[entry->copy]; entry->copy++)
		;
	if (!err && entry->copy >= MAX_COPIES)
		err = -EEXIST;
	if (!err)
		itv_name(entry->name, entry);
	return err;
}

/* Read and decompress the store's file of kernel symbols. *@data is malloc'd. Return 0 or a
 * negative error. */
static int read_kernel(int dirfd, uint32_t kernel, char **data, size_t *len)
{
	char name[KERNEL_NAME_SIZE], *packed;
	unsigned long long size;
	size_t packed_len;
	int err;

	*data = NULL;
	snprintf(name, sizeof(name), KERNEL_NAME, kernel);
	err = op_read_file(dirfd, name, MAX_KERNEL, &packed, &packed_len);
	if (err)
		return err;
	size = ZSTD_getFrameContentSize(packed, packed_len);
	/* this also rejects ZSTD's codes for an unknown size and for an error, which are greater */
	if (size > MAX_KERNEL)
		err = ITV_ERR_FORMAT;
	if (!err) {
		*data = malloc(size + 1);
		err = *data ? 0 : -ENOMEM;
	}
	if (!err && ZSTD_decompress(*data, size, packed, packed_len) != size)
		err = ITV_ERR_FORMAT;
	free(packed);
	if (err) {
		free(*data);
		*data = NULL;
		return err;
	}
	(*data)[size] = '\0';
	*len = size;
	return 0;
}

static int write_kernel(int dirfd, uint32_t kernel, const char *data, size_t len)
{
	size_t room = ZSTD_compressBound(len), size;
	char name[KERNEL_NAME_SIZE], *packed = malloc(room);
	int err = packed ? 0 : -ENOMEM;

	snprintf(name, sizeof(name), KERNEL_NAME, kernel);
	if (!err) {
		size = ZSTD_compress(packed, room, data, len, KERNEL_LEVEL);
		err = ZSTD_isError(size) ? -ENOMEM :
					   op_replace_file(dirfd, name, packed, size, 0644);
	}
	free(packed);
	return err;
}

/* Append to @text the images that only @old, an earlier snapshot of the symbols, contains. */
static int append_old_images(char **text, size_t *len, const struct op_kernel_syms *syms,
			     const char *old, size_t old_len)
{
	static const char word[] = "image ";
	const char *line = old, *last = old + old_len;
	bool is_kept = false;
	char *to = malloc(*len + old_len + 1);

	if (!to)
		return -ENOMEM;
	memcpy(to, *text, *len);
	while (line < last) {
		const char *end = memchr(line, '\n', (size_t)(last - line));
		size_t n = (size_t)((end ? end + 1 : last) - line);

		if (n > sizeof(word) && !memcmp(line, word, sizeof(word) - 1)) {
			const char *name = line + sizeof(word) - 1;
			char image[256];
			size_t m = strcspn(name, " \n");

			snprintf(image, sizeof(image), "%.*s", (int)(m < 255 ? m : 255), name);
			is_kept = !op_kernel_syms_image(syms, image);
		}
		if (is_kept) {
			memcpy(to + *len, line, n);
			*len += n;
		}
		line += n;
	}
	to[*len] = '\0';
	free(*text);
	*text = to;
	return 0;
}

static uint32_t number_of_kernel(const struct op_kernel_syms *syms)
{
	const char *text = syms->build_id ? syms->build_id : syms->release;
	uint64_t hash = op_hash_text(OP_HASH_BEGIN, text ? text : "");
	uint32_t number = (uint32_t)(hash ^ hash >> 32);

	return number ? number : 1;
}

/* Read the kernel symbols of a session into *@text, which is malloc'd; it is NULL if the session
 * has no valid symbols. */
static int read_session_kernel(int samples_dirfd, char **text, size_t *len,
			       struct op_kernel_syms *syms, uint32_t *kernel)
{
	int err = op_read_file(samples_dirfd, OP_KERNEL_SYMS_FILE, MAX_KERNEL, text, len);

	*kernel = 0;
	if (err) {
		*text = NULL;
		return op_file_is_useless(err) ? 0 : err;
	}
	err = op_kernel_syms_parse(syms, *text, *len);
	if (!err) {
		*kernel = number_of_kernel(syms);
		return 0;
	}
	free(*text);
	*text = NULL;
	return err == OP_ERR_KSYMS || err == OP_ERR_KSYMS_VERSION ? 0 : err;
}

int itv_kernel_of(uint32_t *kernel, int samples_dirfd)
{
	struct op_kernel_syms syms = { 0 };
	char *text;
	size_t len;
	int err = read_session_kernel(samples_dirfd, &text, &len, &syms, kernel);

	op_kernel_syms_release(&syms);
	free(text);
	return err;
}

int itv_store_kernel(uint32_t *kernel, int dirfd, int samples_dirfd)
{
	struct op_kernel_syms syms = { 0 };
	char *text, *old = NULL;
	size_t len, old_len;
	int err = read_session_kernel(samples_dirfd, &text, &len, &syms, kernel);

	if (err || !text)
		return err;
	err = read_kernel(dirfd, *kernel, &old, &old_len);
	if (err != -ENOMEM)
		err = old ? append_old_images(&text, &len, &syms, old, old_len) : 0;
	if (!err && (!old || len != old_len || memcmp(text, old, len)))
		err = write_kernel(dirfd, *kernel, text, len);
	free(old);
	op_kernel_syms_release(&syms);
	free(text);
	return err;
}

int itv_store_kernel_export(uint32_t kernel, int dirfd, int samples_dirfd)
{
	char *text;
	size_t len;
	int err = read_kernel(dirfd, kernel, &text, &len);

	if (!err)
		err = op_replace_file_nowait(samples_dirfd, OP_KERNEL_SYMS_FILE, text, len, 0644);
	free(text);
	return err;
}

int itv_store_kernel_read(struct op_kernel_syms *ret, uint32_t kernel, int dirfd)
{
	char *text;
	size_t len;
	int err = read_kernel(dirfd, kernel, &text, &len);

	if (!err)
		err = op_kernel_syms_parse(ret, text, len);
	free(text);
	return err;
}

void itv_store_removed(struct itv_removed *ret, int dirfd)
{
	char *text;
	size_t len;

	*ret = (struct itv_removed){ INT64_MIN, INT64_MIN, false };
	if (op_read_file(dirfd, REMOVED_FILE, MAX_REMOVED, &text, &len))
		return;
	ret->any = sscanf(text, "%" SCNd64 " %" SCNd64, &ret->by_disk, &ret->by_keep) >= 1;
	free(text);
}

int itv_store_note_removed(int dirfd, int64_t end, bool by_keep)
{
	struct itv_removed removed;
	int64_t *noted = by_keep ? &removed.by_keep : &removed.by_disk;
	char text[MAX_REMOVED];
	int len;

	itv_store_removed(&removed, dirfd);
	if (end <= *noted)
		return 0;
	*noted = end;
	len = snprintf(text, sizeof(text), "%" PRId64 " %" PRId64 "\n", removed.by_disk,
		       removed.by_keep);
	return op_replace_file_nowait(dirfd, REMOVED_FILE, text, (size_t)len, 0644);
}

static bool has_kernel(const struct itv_list *list, uint32_t kernel)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->entries[i].kernel == kernel)
			return true;
	return false;
}

void itv_store_kernels_keep(const struct itv_list *list, int dirfd)
{
	struct dirent *d;
	DIR *dir;

	if (op_open_dir(dirfd, ".", &dir))
		return;
	while ((d = op_next_entry(dir))) {
		uint32_t kernel;
		int at = 0;

		if (sscanf(d->d_name, "kernel-%8" SCNx32 ".zst%n", &kernel, &at) == 1 &&
		    at && !d->d_name[at] && !has_kernel(list, kernel))
			unlinkat(dirfd, d->d_name, 0);
	}
	closedir(dir);
}
