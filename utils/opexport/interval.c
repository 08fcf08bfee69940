// SPDX-License-Identifier: GPL-2.0-or-later
/* interval.c -- opens a closed interval as a session. */
#include "config.h"
#include "utils/opexport/interval.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "intervals/file.h"
#include "pp/join/make.h"
#include "pp/session/open.h"
#include "pp/session/range.h"

#define MAX_ACCOUNTING	(64u << 20)	/* bytes of memory for the accounting of an interval */

static int open_store(const struct op_session_paths *paths)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/" ITV_STORE_DIR, paths->samples) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return fd < 0 ? -errno : fd;
}

int export_list_store(struct itv_list *ret, const struct op_session_paths *paths)
{
	int fd = open_store(paths), err;

	if (fd < 0)
		return fd;
	err = itv_store_list(ret, fd);
	close(fd);
	return err;
}

int export_interval_accounting(struct itv *ret, const struct op_session_paths *paths,
			       const struct itv_entry *entry)
{
	int store = open_store(paths), fd, err;

	if (store < 0)
		return store;
	fd = openat(store, entry->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	err = fd < 0 ? -errno : itv_file_read(ret, fd, ITV_READ_ACCOUNTING, MAX_ACCOUNTING);
	if (fd >= 0)
		close(fd);
	close(store);
	return err == -ENOENT ? -ESTALE : err;
}

bool export_interval_is_merged(const struct itv_accounting *accounting)
{
	for (size_t i = 0; i < accounting->nr_parts; i++)
		if (strstr(accounting->parts[i], ITV_SUFFIX))
			return true;
	return false;
}

static bool is_same(const struct itv_entry *a, const struct itv_entry *b)
{
	return !strcmp(a->name, b->name);
}

/* Return the latest end of the other entries that contain @time, or @time if no other entry
 * contains it. */
static int64_t end_at(const struct itv_list *list, const struct itv_entry *entry, int64_t time)
{
	int64_t end = time;

	for (size_t i = 0; i < list->nr; i++) {
		const struct itv_entry *e = &list->entries[i];

		if (!is_same(e, entry) && e->begin <= time && e->end > end)
			end = e->end;
	}
	return end;
}

int64_t export_interval_own_time(const struct itv_list *list, const struct itv_entry *entry)
{
	int64_t time = entry->begin + (entry->end - entry->begin) / 2;
	int64_t end = end_at(list, entry, time);

	if (end == time)
		return time;
	/* search from the begin of the entry, and skip the times of other entries */
	for (time = entry->begin; time < entry->end; time = end) {
		end = end_at(list, entry, time);
		if (end == time)
			return time;
	}
	return INT64_MIN;
}

/* Return whether the session has the samples of @entry and no others. */
static bool is_only(const struct pp_session *session, const struct itv_entry *entry)
{
	const struct itv_range *time = session->range ? &session->range->time : NULL;

	return time && time->nr_parts == 1 && time->parts[0].begin == entry->begin &&
	       time->parts[0].end == entry->end && time->parts[0].step == entry->step &&
	       !time->parts[0].is_live;
}

/* Open the session without waits of idle threads, as opreport does, because they would hide all
 * other waits. Return 0, 1 if the interval has no other samples, or a negative error. */
static int open_session(struct export_interval *i, const struct pp_session_options *options,
			struct pp_log *log)
{
	struct pp_session *all;
	int err;

	i->spec.hides_idle = true;
	err = pp_session_open(&i->session, options, log);
	if (err >= 0)
		return 0;
	/* another error, such as a lack of memory, does not mean that no samples are left */
	if (err != -EINVAL)
		return err;
	i->spec.hides_idle = false;
	if (pp_session_open(&all, options, log))
		return err;
	pp_session_close(all);
	*log->error.text = '\0';
	return 1;
}

static int make_profile(struct export_interval *i, const struct op_session_paths *paths,
			int64_t time, struct pp_log *log)
{
	const struct pp_session_options session = {
		.session_dir = paths->dir, .spec = &i->spec,
		/* units are rows */
		.merge = PP_MERGE_ALL & ~(PP_MERGE_LIB | PP_MERGE_UNIT),
		.any_axes = true, .paths = true,
	};
	struct pp_profile_options profile = {
		.symbols = true, .paths = true, .addresses = true,
		.demangle = PP_DEMANGLE_NORMAL, .jobs = 1,
	};
	struct pp_images_options images = { .cache_dir = NULL };
	char word[64];
	const char *words[1] = { word };
	int err;

	snprintf(word, sizeof(word), "time:@%lld", (long long)time);
	err = pp_spec_parse(&i->spec, words, 1, log);
	if (err)
		return err;
	err = open_session(i, &session, log);
	if (err > 0)
		return 0;
	if (!err && !is_only(i->session, &i->entry))
		return -ESTALE;
	if (err)
		return err;
	/* without call paths, the rows need the address of each sample in code without a symbol */
	profile.details = !i->session->has_trees;
	images.samples_dirs = i->session->samples_dirs;
	images.nr_samples_dirs = i->session->nr_samples_dirs;
	err = pp_images_create(&i->images, &images, log);
	return err ? err : pp_profile_make(&i->profile, i->session, i->images, &profile, log);
}

int export_interval_open(struct export_interval *ret, const struct op_session_paths *paths,
			 const struct itv_list *list, const struct itv_entry *entry,
			 struct pp_log *log)
{
	struct export_interval i = { .entry = *entry };
	const int64_t time = export_interval_own_time(list, entry);
	struct itv v = { .nr_images = 0 };
	int err;

	if (time == INT64_MIN)
		return -EEXIST;
	err = export_interval_accounting(&v, paths, entry);
	if (err)
		return err == -ESTALE ? err : op_fail(&log->error, err, "%s: %s", entry->name,
						      itv_strerror(err));
	i.accounting = v.accounting;
	v.accounting = (struct itv_accounting){ .begun_ns = 0 };
	itv_release(&v);
	/* An interval without samples has no profile. */
	err = i.accounting.samples ? make_profile(&i, paths, time, log) : 0;
	if (err)
		export_interval_release(&i);
	else
		*ret = i;
	return err;
}

void export_interval_release(struct export_interval *i)
{
	struct itv v = { .accounting = i->accounting };

	itv_release(&v);
	pp_profile_destroy(i->profile);
	pp_images_destroy(i->images);
	pp_session_close(i->session);
	pp_spec_release(&i->spec);
	*i = (struct export_interval){ .profile = NULL };
}
