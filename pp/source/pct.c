// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pct.c -- parsing of .pct files and logs: histograms of one program's addresses (doc/pct-file.md).
 */
#include "config.h"
#include "pp/source/pct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/error.h"
#include "libop/base/grow.h"
#include "libop/base/copy.h"

#define MAX_REGIONS	65536
#define BLOCK		65536	/* bytes per read() */

struct reading {
	struct pp_pct *pct;
	const char *path;
	int fd;
	uint64_t size;
};

static int read_at(const struct reading *r, void *buf, size_t len, uint64_t at)
{
	ssize_t got = pread(r->fd, buf, len, at);

	return got < 0 ? -errno : (size_t)got == len ? 0 : -ENODATA;
}

/* Set the path of the binary that the region maps. The record has the path in the kernel's form: a
 * newline is "\012", and " (deleted)" is appended to the path of a removed file. */
static int name_image(struct pp_pct_region *region)
{
	char *to;

	region->image = region->record.path;
	if (!*region->image) {
		region->image = "[anon]";
		return 0;
	}
	if (!strstr(region->image, "\\012"))
		return 0;
	region->own = strdup(region->image);
	if (!region->own)
		return -ENOMEM;
	region->image = to = region->own;
	for (const char *at = region->own; *at; at++) {
		if (!strncmp(at, "\\012", 4)) {
			*to++ = '\n';
			at += 3;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
	return 0;
}

static int add_sample(struct pp_pct *pct, uint32_t region, uint64_t pc, uint64_t count)
{
	if (op_grow(&pct->samples, pct->nr_samples))
		return -ENOMEM;
	pct->samples[pct->nr_samples++] = (struct pp_pct_sample){ region, pc, count };
	pct->counted += count;
	return 0;
}

static int add_block(struct pp_pct *pct, uint32_t region, const unsigned char *block, uint64_t from,
		     size_t nr)
{
	const struct raw_pct_region *r = &pct->regions[region]->record;

	for (size_t i = 0; i < nr; i++) {
		uint64_t n = raw_pct_get(block + i * r->width, r->width);

		if (n && add_sample(pct, region, r->vaddr + (from + i) * r->bin, n))
			return -ENOMEM;
	}
	return 0;
}

/* Read the counters of a region. Most counters are in holes of the sparse file; skip the holes. */
static int read_counters(struct reading *r, uint32_t region)
{
	const struct raw_pct_region *record = &r->pct->regions[region]->record;
	uint64_t block[BLOCK / 8], i = 0;

	while (i < record->nr_bins) {
		uint64_t at = raw_pct_counter_at(record, i), nr = record->nr_bins - i;
		off_t data = lseek(r->fd, at, SEEK_DATA);
		int err;

		if (data < 0 && errno == ENXIO)
			return 0;
		if (data > (off_t)at) {
			i = ((uint64_t)data - record->counters) / record->width;
			if (i >= record->nr_bins)
				return 0;
			at = raw_pct_counter_at(record, i);
			nr = record->nr_bins - i;
		}
		if (nr > BLOCK / record->width)
			nr = BLOCK / record->width;
		err = read_at(r, block, nr * record->width, at);
		if (!err)
			err = add_block(r->pct, region, (unsigned char *)block, i, nr);
		if (err)
			return err;
		i += nr;
	}
	return 0;
}

static int add_region(struct reading *r, uint64_t at, uint64_t *next)
{
	struct pp_pct *pct = r->pct;
	struct pp_pct_region *region = calloc(1, sizeof(*region));
	int err = region ? 0 : -ENOMEM;

	if (!err)
		err = read_at(r, &region->record, sizeof(region->record), at);
	if (!err && !raw_pct_region_ok(&region->record, at, r->size))
		err = -ENODATA;
	if (!err)
		err = name_image(region);
	if (!err)
		err = op_grow(&pct->regions, pct->nr_regions);
	if (err) {
		if (region)
			free(region->own);
		free(region);
		return err;
	}
	pct->regions[pct->nr_regions++] = region;
	*next = region->record.next;
	return region->record.nr_bins ? read_counters(r, pct->nr_regions - 1) : 0;
}

static int read_regions(struct reading *r)
{
	struct pp_pct *pct = r->pct;
	uint64_t at = pct->header.first, next = 0;

	for (; at; at = next) {
		int err = pct->nr_regions < MAX_REGIONS ? add_region(r, at, &next) : -ENODATA;

		if (err == -ENODATA) {
			op_fail(&pct->broken, 0,
				"%s: has an impossible value at offset %llu; only samples before "
				"it are shown",
				r->path, (unsigned long long)at);
			return 0;
		}
		if (err)
			return err;
	}
	return 0;
}

static int open_file(struct reading *r, struct op_reason *error)
{
	struct stat st;

	r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (r->fd < 0 || fstat(r->fd, &st))
		return op_fail(error, -errno, "%s: %s", r->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return op_fail(error, -EINVAL, "%s: is not a regular file", r->path);
	r->size = st.st_size;
	r->pct->owner = r->pct->has_owner && r->pct->owner != st.st_uid ? (uid_t)-1 : st.st_uid;
	r->pct->has_owner = true;
	return 0;
}

static int read_file(struct reading *r, struct op_reason *error)
{
	struct raw_pct_header *h = &r->pct->header;
	int err = open_file(r, error);

	if (err)
		return err;
	if (r->size < sizeof(*h) || read_at(r, h, sizeof(*h), 0))
		h->magic = 0;
	if (h->magic == RAW_PCT_MAGIC && h->version > RAW_PCT_VERSION)
		return op_fail(error, -EINVAL, "%s: is a .pct file of the newer version %u: read "
			       "it with the release that wrote it", r->path, h->version);
	if (!h->magic || !raw_pct_header_ok(h, r->size))
		return op_fail(error, -EINVAL,
			       "%s: is not a .pct file, or has another version or byte order",
			       r->path);
	err = read_regions(r);
	return err ? op_fail(error, err, "%s: %s", r->path, op_strerror(err)) : 0;
}

/* Add a logged sample at the address @pc. */
static int add_logged(struct pp_pct *pct, uint64_t pc)
{
	for (size_t i = 0; i < pct->nr_regions; i++) {
		const struct raw_pct_region *r = &pct->regions[i]->record;

		if (pc >= r->start && pc < r->end)
			return add_sample(pct, i, pc - r->start + r->vaddr, 1);
	}
	return add_sample(pct, PP_PCT_NO_REGION, pc, 1);
}

static uint64_t word_at(const unsigned char *words, size_t i, uint32_t size)
{
	return raw_pct_get(words + i * size, size);
}

/* Add the samples of a log, oldest first. A circular log has a zero word after its newest sample,
 * and its oldest samples follow the zero word. */
static int add_words(struct pp_pct *pct, const unsigned char *words, size_t nr, uint32_t size,
		     bool is_circle)
{
	size_t zero = 0;
	int err = 0;

	while (is_circle && zero < nr && word_at(words, zero, size))
		zero++;
	for (size_t i = is_circle ? zero + 1 : 0; i < nr && !err; i++) {
		if (word_at(words, i, size))
			err = add_logged(pct, word_at(words, i, size));
	}
	for (size_t i = 0; i < zero && !err; i++)
		err = add_logged(pct, word_at(words, i, size));
	return err;
}

static bool has_end(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = strlen(end);

	return len > end_len && !strcmp(path + len - end_len, end);
}

/* Read a log, which has only words without a header. The .pct file with the same base name
 * describes the words. If that file does not exist, assume that a word has the size of a pointer,
 * and that a log with a zero word is circular. */
static int read_words(struct reading *r, struct op_reason *error)
{
	struct raw_pct_header *h = &r->pct->header;
	uint32_t size = h->word ? h->word : sizeof(void *);
	struct op_copy words = { NULL, 0 };
	size_t len;
	int err = open_file(r, error);
	bool is_circle;

	if (err)
		return err;
	err = op_copy_make(&words, r->fd);
	len = words.size - words.size % size;
	if (len != words.size)
		op_fail(&r->pct->broken, 0, "%s: is truncated inside an address", r->path);
	is_circle = h->magic ? h->kind == RAW_PCT_CIRCLE
			     : len && memmem(words.bytes, len, "\0\0\0\0\0\0\0\0", size);
	if (!err)
		err = add_words(r->pct, words.bytes, len / size, size, is_circle);
	op_copy_release(&words);
	return err ? op_fail(error, err, "%s: %s", r->path, op_strerror(err)) : 0;
}

static int read_log(struct pp_pct *pct, const char *path, struct op_reason *error)
{
	struct reading words = { pct, path, -1, 0 };
	char *beside = strdup(path);
	int err = beside ? 0 : -ENOMEM;

	if (!err) {
		struct reading regions = { pct, beside, -1, 0 };

		beside[strlen(beside) - 1] = 't';
		err = access(beside, F_OK) ? 0 : read_file(&regions, error);
		if (regions.fd >= 0)
			close(regions.fd);
	}
	if (!err)
		err = read_words(&words, error);
	if (words.fd >= 0)
		close(words.fd);
	free(beside);
	return err;
}

/* Check that the sum of counted and lost samples equals the number of samples taken. A running
 * program adds samples while its file is read, and it counts a sample as taken before it stores the
 * sample. So read the number of samples taken again, after all samples. */
static void check_counts(const struct reading *r)
{
	const struct pp_pct *pct = r->pct;
	struct raw_pct_header later;
	uint64_t found = pct->counted;

	if (pct->broken.text[0] || read_at(r, &later, sizeof(later), 0) || !later.taken)
		return;
	for (int i = 0; i < RAW_PCT_NR_LOSSES; i++)
		found += i == RAW_PCT_BUSY ? 0 : pct->header.lost[i];
	if (found > later.taken)
		op_fail(&r->pct->broken, 0,
			"%s: has %llu samples or losses, but only %llu were taken: the file is "
			"damaged",
			r->path, (unsigned long long)found, (unsigned long long)later.taken);
}

int pp_pct_read(struct pp_pct **ret, const char *path, struct op_reason *error)
{
	struct pp_pct *pct = calloc(1, sizeof(*pct));
	struct reading r = { pct, path, -1, 0 };
	int err;

	if (!pct)
		return -ENOMEM;
	if (has_end(path, ".pcs")) {
		err = read_log(pct, path, error);
	} else {
		err = read_file(&r, error);
		if (!err)
			check_counts(&r);
		if (r.fd >= 0)
			close(r.fd);
	}
	if (err) {
		pp_pct_free(pct);
		return err;
	}
	*ret = pct;
	return 0;
}

void pp_pct_free(struct pp_pct *pct)
{
	if (!pct)
		return;
	for (size_t i = 0; i < pct->nr_regions; i++) {
		free(pct->regions[i]->own);
		free(pct->regions[i]);
	}
	free(pct->regions);
	free(pct->samples);
	free(pct);
}

uint32_t pp_pct_main_region(const struct pp_pct *pct)
{
	for (size_t i = 0; i < pct->nr_regions; i++) {
		if (pct->regions[i]->record.flags & RAW_PCT_MAIN)
			return i;
	}
	return PP_PCT_NO_REGION;
}
