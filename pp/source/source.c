// SPDX-License-Identifier: GPL-2.0-or-later
/* source.c -- opens a source of any kind, and searches directories for files that are sources. */
#include "config.h"
#include "pp/source/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/error.h"
#include "libop/raw/csp.h"
#include "libop/raw/live.h"
#include "libop/raw/pct.h"
#include "pp/source/memory.h"

/* A file format. The first bytes of a file identify its format. If they do not match any format,
 * the suffix of the file's name decides. */
struct kind {
	const char *suffix;
	bool (*begins)(const unsigned char head[PP_SOURCE_HEAD]);
	int (*open)(struct pp_source **ret, const char *path, struct op_reason *error);
};

static bool begins_csp(const unsigned char *head)
{
	return !memcmp(head, RAW_CSP_MAGIC, sizeof(RAW_CSP_MAGIC) - 1);
}

static bool begins_with(const unsigned char *head, uint64_t magic)
{
	return !memcmp(head, &magic, sizeof(magic));
}

static bool begins_live(const unsigned char *head)
{
	return begins_with(head, RAW_LIVE_MAGIC);
}

static bool begins_pct(const unsigned char *head)
{
	return begins_with(head, RAW_PCT_MAGIC);
}

static bool begins_words(const unsigned char *head)
{
	(void)head;
	return false;
}

static const struct kind kinds[] = {
	{ ".csp", begins_csp, pp_csp_open },
	{ ".csp.live", begins_live, pp_live_open },
	{ ".pct", begins_pct, pp_pct_open },
	{ ".pcs", begins_words, pp_pct_open },
};

#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static bool has_suffix(const char *text, const char *suffix)
{
	size_t len = strlen(text), n = strlen(suffix);

	return len > n && !strcmp(text + len - n, suffix);
}

/* Return the format of the file @path. Return NULL with errno 0 if the format is unknown, or with
 * another errno if the file cannot be read. */
static const struct kind *kind_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	unsigned char head[PP_SOURCE_HEAD] = { 0 };
	const struct kind *found = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	errno = 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, head, sizeof(head), 0) >= 0) {
		for (size_t i = 0; i < NR_KINDS && !found; i++)
			if (kinds[i].begins(head))
				found = &kinds[i];
		for (size_t i = 0; i < NR_KINDS && !found; i++)
			if (has_suffix(path, kinds[i].suffix))
				found = &kinds[i];
	}
	close(fd);
	return found;
}

/* Return whether @path is a readable file of a known format. */
static bool source_is(const char *path)
{
	return kind_of(path) != NULL;
}

bool pp_source_is_name(const char *path)
{
	size_t i = 0;

	while (i < NR_KINDS && !has_suffix(path, kinds[i].suffix))
		i++;
	return i < NR_KINDS;
}

/* Return whether a directory entry has the suffix of a known format and is not hidden. */
static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && pp_source_is_name(entry->d_name);
}

/* Return whether @path is a .csp.live file that was already converted: a .csp file with the same
 * base name exists beside it. */
static bool is_left_over(const char *path)
{
	size_t len = strlen(path) - strlen(".live");
	char *made;
	bool ret;

	if (!has_suffix(path, ".csp.live"))
		return false;
	made = strndup(path, len);
	ret = made && !access(made, F_OK);
	free(made);
	return ret;
}

int pp_source_each(const char *path, int (*fn)(void *arg, const char *path), void *arg)
{
	struct dirent **entries = NULL;
	int nr, found = 0, err = 0;

	if (source_is(path)) {
		err = fn ? fn(arg, path) : 0;
		return err ? err : 1;
	}
	nr = scandir(path, &entries, is_visible, alphasort);
	for (int i = 0; i < nr; i++) {
		char *one = NULL;

		if (!err && asprintf(&one, "%s/%s", path, entries[i]->d_name) < 0) {
			one = NULL;
			err = -ENOMEM;
		}
		if (!err && source_is(one) && !is_left_over(one)) {
			err = fn ? fn(arg, one) : 0;
			found++;
		}
		free(one);
		free(entries[i]);
	}
	free(entries);
	return err ? err : found;
}

int pp_source_open(struct pp_source **ret, const char *path, struct op_reason *error)
{
	const struct kind *kind = kind_of(path);

	if (!kind && errno)
		return op_fail(error, -errno, "%s: %s", path, strerror(errno));
	if (!kind)
		return op_fail(error, -EINVAL,
			       "%s: is not a file written by opprobe or pct "
			       "(.csp, .csp.live, .pct)",
			       path);
	return kind->open(ret, path, error);
}
