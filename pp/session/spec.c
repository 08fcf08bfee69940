// SPDX-License-Identifier: GPL-2.0-or-later
/* spec.c -- parses profile specifications (words such as image:nginx), and matches sample files
 * with them. */
#include "config.h"
#include "pp/session/spec.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/target.h"
#include "libop/base/grow.h"
#include "libop/base/nearest.h"
#include "libop/event/any_cpu.h"
#include "libop/session/cgroup.h"
#include "libop/session/identity.h"
#include "libop/session/mangle.h"
#include "pp/source/source.h"

enum value_kind { GLOB, BINARY, NUMBER };

struct tag_word {
	const char *word;
	enum pp_tag tag;
	enum value_kind kind;
};

/* The words of tags. A tag may have several words in adjacent rows; messages use the first. */
static const struct tag_word tag_words[] = {
	{ "archive", PP_TAG_ARCHIVE, GLOB },
	{ "session-dir", PP_TAG_SESSION_DIR, GLOB },
	{ "session", PP_TAG_SESSION, GLOB },
	{ "session-exclude", PP_TAG_SESSION_EXCLUDE, GLOB },
	{ "time", PP_TAG_TIME, GLOB },
	{ "profile", PP_TAG_PROFILE, GLOB },
	{ "binary", PP_TAG_BINARY, BINARY },
	{ "image", PP_TAG_IMAGE, BINARY },
	{ "image-exclude", PP_TAG_IMAGE_EXCLUDE, BINARY },
	{ "lib-image", PP_TAG_LIB_IMAGE, BINARY },
	{ "lib-image-exclude", PP_TAG_LIB_IMAGE_EXCLUDE, BINARY },
	{ "sample-file", PP_TAG_SAMPLE_FILE, GLOB },
	{ "event", PP_TAG_EVENT, GLOB },
	{ "count", PP_TAG_COUNT, NUMBER },
	{ "unitmask", PP_TAG_UNITMASK, NUMBER },
	{ "unit-mask", PP_TAG_UNITMASK, NUMBER },
	{ "tgid", PP_TAG_TGID, NUMBER },
	{ "tid", PP_TAG_TID, NUMBER },
	{ "cpu", PP_TAG_CPU, NUMBER },
	{ "unit", PP_TAG_UNIT, GLOB },
	{ "container", PP_TAG_CONTAINER, GLOB },
	{ "pod", PP_TAG_POD, GLOB },
	{ "host", PP_TAG_HOST, GLOB },
	{ "service", PP_TAG_SERVICE, GLOB },
	{ "version", PP_TAG_VERSION, GLOB },
	{ "build-id", PP_TAG_BUILD_ID, GLOB },
};

#define NR_TAG_WORDS	(sizeof(tag_words) / sizeof(tag_words[0]))
#define ALL		"all"
#define MIN_WORD	2	/* minimum length of an abbreviation of a tag */
/* maximum length of a word with ':' that is reported as a mistyped tag, in bytes; a longer word is
 * assumed to be the name of a binary */
#define MAX_WORD	24

const char *pp_tag_name(enum pp_tag tag)
{
	for (size_t i = 0; i < NR_TAG_WORDS; i++)
		if (tag_words[i].tag == tag)
			return tag_words[i].word;
	return tag == PP_TAG_STORE ? "clickhouse" : "?";
}

static bool is_beginning(const char *word, const char *of)
{
	return !strncmp(of, word, strlen(word));
}

/*
 * Return the tag with the name @word, or the only tag whose name begins with @word. Return NULL if
 * no tag matches. "im" means "image", although "image-exclude" also begins with "im".
 */
static const struct tag_word *find_tag(const char *word)
{
	const struct tag_word *found = NULL;
	bool is_one = strlen(word) >= MIN_WORD;

	for (size_t i = 0; i < NR_TAG_WORDS; i++) {
		const struct tag_word *t = &tag_words[i];

		if (!strcmp(t->word, word))
			return t;
		if (!is_beginning(word, t->word))
			continue;
		if (!found || is_beginning(t->word, found->word))
			found = t;
		else if (found->tag != t->tag && !is_beginning(found->word, t->word))
			is_one = false;
	}
	return is_one ? found : NULL;
}

static int report_unknown(const char *word, const char *tag, struct pp_log *log)
{
	struct op_nearest nearest = { .nr = 0 };
	char all[400], meant[120];
	size_t n = 0;

	for (size_t i = 0; i < NR_TAG_WORDS; i++) {
		/* A tag may have several words in adjacent rows: list each tag only once. */
		if (i && tag_words[i].tag == tag_words[i - 1].tag)
			continue;
		op_nearest_add(&nearest, tag, tag_words[i].word);
		n += snprintf(all + n, sizeof(all) - n, "%s%s:", n ? ", " : "", tag_words[i].word);
	}
	return op_fail(&log->error, -EINVAL,
		       "%s: unknown tag '%s:'%s. There are %s. To name a binary with a ':' in "
		       "it, write binary:%s",
		       word, tag, op_nearest_text_of(&nearest, "", meant, sizeof(meant)), all,
		       word);
}

/* Return the length of WORD in "WORD:...", or 0 if @text has no tag. */
static size_t tag_length(const char *text)
{
	size_t n = 0;

	while (islower((unsigned char)text[n]) || text[n] == '-' || text[n] == '_')
		n++;
	return n > 0 && n < MAX_WORD && text[n] == ':' ? n : 0;
}

int pp_values_add(struct pp_values *v, const char *text, size_t len)
{
	if (op_grow(&v->items, v->nr))
		return -ENOMEM;
	v->items[v->nr] = strndup(text, len);
	if (!v->items[v->nr])
		return -ENOMEM;
	v->nr++;
	return 0;
}

void pp_values_release(struct pp_values *v)
{
	for (size_t i = 0; i < v->nr; i++)
		free(v->items[i]);
	free(v->items);
	*v = (struct pp_values){ 0 };
}

/* Add @text, the name of a binary, to @v. If @text is the path of an existing file, also add its
 * absolute path without symbolic links. */
static int binary_add(struct pp_values *v, const char *text, size_t len)
{
	char *name = strndup(text, len);
	char *resolved = name ? realpath(name, NULL) : NULL;
	int err = name ? 0 : -ENOMEM;

	if (!err)
		err = pp_values_add(v, text, len);
	if (!err && resolved && strcmp(resolved, name))
		err = pp_values_add(v, resolved, strlen(resolved));
	free(resolved);
	free(name);
	return err;
}

/* Return whether @text is "all", which matches all files. It also matches if the session does not
 * separate samples by the tag. */
static bool is_all(const char *text, size_t len)
{
	return len == strlen(ALL) && !memcmp(text, ALL, len);
}

static bool has_all(const struct pp_values *v)
{
	for (size_t i = 0; i < v->nr; i++)
		if (!strcmp(v->items[i], ALL))
			return true;
	return false;
}

static bool is_number(const char *text, size_t len)
{
	char buf[24], *end;

	if (!len || len >= sizeof(buf))
		return false;
	memcpy(buf, text, len);
	buf[len] = '\0';
	if (!isdigit((unsigned char)buf[0]))
		return false;
	errno = 0;
	strtoull(buf, &end, 0);
	return !errno && !*end;
}

/* Add the values of the list "a,b,c" to the tag. Return 0 or a negative errno. */
static int add_list(struct pp_spec *spec, const struct tag_word *tag, const char *list,
		    struct pp_log *log)
{
	const char *word = list;

	for (;;) {
		size_t len = strcspn(word, ",");

		if (!len) {
			return op_fail(&log->error, -EINVAL, "%s: needs a value, as in %s:%s",
				       tag->word, tag->word, tag->kind == NUMBER ? "0" : "NAME");
		}
		if (tag->kind == NUMBER && !is_all(word, len) && !is_number(word, len)) {
			return op_fail(&log->error, -EINVAL, "%s:%.*s: neither a number nor all",
				       tag->word, (int)len, word);
		}
		if (tag->kind == BINARY ? binary_add(&spec->tags[tag->tag], word, len) :
					  pp_values_add(&spec->tags[tag->tag], word, len))
			return -ENOMEM;
		if (!word[len])
			return 0;
		word += len + 1;
	}
}

static bool has_samples(const char *dir)
{
	struct stat st;
	char *path;
	bool ret;

	if (asprintf(&path, "%s/samples", dir) < 0)
		return true;
	ret = !stat(path, &st) && S_ISDIR(st.st_mode);
	free(path);
	return ret;
}

/* Return 0 if @word may be the name of a binary. Return -EINVAL with the cause in the log if @word
 * is a file or directory of samples that cannot be read or has no samples. */
static int check_binary(const char *word, struct pp_log *log)
{
	struct stat st;

	if (stat(word, &st) || S_ISREG(st.st_mode)) {
		if (!pp_source_is_name(word))
			return 0;
		return op_fail(&log->error, -EINVAL, "%s: %s", word,
			       access(word, R_OK)
				       ? strerror(errno)
				       : "was not written by opprobe or pct, or its beginning "
					 "is lost");
	}
	if (S_ISDIR(st.st_mode)) {
		if (has_samples(word))
			/* Accept a session directory here: the report will be empty, and its
			 * message suggests the tag "session:". */
			return 0;
		return op_fail(&log->error, -EINVAL,
			       "%s: this directory has no file written by opprobe or pct "
			       "(*.csp, *.csp.live, *.pct, *.pcs)",
			       word);
	}
	return op_fail(&log->error, -EINVAL, "%s: is a %s, but must be a file or a directory", word,
		       S_ISFIFO(st.st_mode) ? "FIFO" : S_ISSOCK(st.st_mode) ? "socket" : "device");
}

static int parse_word(struct pp_spec *spec, const char *word, struct pp_log *log)
{
	const struct tag_word *tag;
	char name[MAX_WORD];
	size_t len = tag_length(word);

	if (word[0] == '{' || word[0] == '}')
		return op_fail(&log->error, -EINVAL,
			       "%s: unexpected brace outside a differential profile", word);
	if (!*word)
		return op_fail(&log->error, -EINVAL, "the profile specification is empty: write "
						     "a tag such as image:NAME, or omit the "
						     "specification");
	if (fleet_target_is(word))
		return pp_values_add(&spec->tags[PP_TAG_STORE], word, strlen(word));
	if (pp_source_each(word, NULL, NULL) > 0)
		return pp_values_add(&spec->tags[PP_TAG_PROFILE], word, strlen(word));
	if (!len) {
		int err = check_binary(word, log);

		return err ? err : binary_add(&spec->tags[PP_TAG_BINARY], word, strlen(word));
	}
	memcpy(name, word, len);
	name[len] = '\0';
	tag = find_tag(name);
	if (!tag)
		return report_unknown(word, name, log);
	return add_list(spec, tag, word + len + 1, log);
}

int pp_spec_parse(struct pp_spec *ret, const char *const *words, size_t nr, struct pp_log *log)
{
	struct pp_spec spec = { 0 };
	const struct pp_values *dirs = &spec.tags[PP_TAG_SESSION_DIR];

	for (size_t i = 0; i < nr; i++) {
		int err = parse_word(&spec, words[i], log);

		if (!err && dirs->nr > 1)
			err = op_fail(&log->error, -EINVAL,
				      "session-dir:%s and session-dir:%s: a report reads only one "
				      "session directory; to compare two, write { session-dir:%s } "
				      "{ session-dir:%s }",
				      dirs->items[0], dirs->items[1], dirs->items[0],
				      dirs->items[1]);
		if (err) {
			pp_spec_release(&spec);
			return err;
		}
	}
	*ret = spec;
	return 0;
}

const char *pp_spec_session_dir(const struct pp_spec *spec, const char *option)
{
	const struct pp_values *dirs = &spec->tags[PP_TAG_SESSION_DIR];

	return dirs->nr ? dirs->items[0] : option;
}

int pp_spec_set_time(struct pp_spec *spec, const char *period)
{
	if (spec->tags[PP_TAG_TIME].nr)
		return 0;
	return pp_values_add(&spec->tags[PP_TAG_TIME], period, strlen(period));
}

void pp_spec_release(struct pp_spec *spec)
{
	for (int tag = 0; tag < PP_NR_TAGS; tag++)
		pp_values_release(&spec->tags[tag]);
}

bool pp_value_matches(const char *glob, const char *text)
{
	return !strcmp(glob, text) || !fnmatch(glob, text, 0);
}

bool pp_values_match(const struct pp_values *v, const char *text)
{
	for (size_t i = 0; i < v->nr; i++)
		if (pp_value_matches(v->items[i], text))
			return true;
	return false;
}

/* Return whether one of the values in @v matches @path as a glob. A value without '/' is compared
 * with the last component of @path. */
static bool path_matches(const struct pp_values *v, const char *path)
{
	const char *base = strrchr(path, '/');

	if (pp_values_match(v, path))
		return true;
	for (size_t i = 0; i < v->nr; i++)
		if (!strchr(v->items[i], '/') && base && !fnmatch(v->items[i], base + 1, 0))
			return true;
	return false;
}

/* Return whether one of the values in @v matches the path of the image, with or without the suffix
 * that identifies its build. */
static bool image_matches(const struct pp_values *v, const struct op_image_name *image)
{
	size_t len = op_unversioned_length(image->path);
	bool matches = path_matches(v, image->path);
	char *path;

	if (matches || !image->path[len])
		return matches;
	path = strndup(image->path, len);
	matches = path && path_matches(v, path);
	free(path);
	return matches;
}

/* Return whether one of the values in @v matches the number @n of a process, thread or CPU. If @n
 * is negative (samples are not separated by the tag), only "all" matches. */
static bool number_matches(const struct pp_values *v, int64_t n)
{
	if (has_all(v))
		return true;
	for (size_t i = 0; i < v->nr; i++)
		if (n >= 0 && strtoull(v->items[i], NULL, 0) == (uint64_t)n)
			return true;
	return false;
}

/* Return whether a value selects the control group @unit; NULL: unknown. */
static bool group_matches(const struct pp_values *v, const char *unit,
			  bool (*matches)(const char *path, const char *text))
{
	if (has_all(v))
		return true;
	for (size_t i = 0; i < v->nr && unit; i++)
		if (matches(unit, v->items[i]))
			return true;
	return false;
}

int pp_spec_tag_matches(const struct pp_spec *spec, enum pp_tag tag,
			const struct op_sample_name *name, const char *path)
{
	const struct pp_values *v = &spec->tags[tag];

	if (!v->nr)
		return tag != PP_TAG_UNITMASK || !spec->hides_idle ||
		       !op_event_idle_wait(name->event, name->um);
	switch (tag) {
	case PP_TAG_BINARY:
		return image_matches(v, &name->app) || image_matches(v, &name->image);
	case PP_TAG_IMAGE:
		return image_matches(v, &name->app);
	case PP_TAG_IMAGE_EXCLUDE:
		return !image_matches(v, &name->app);
	case PP_TAG_LIB_IMAGE:
		return image_matches(v, &name->image);
	case PP_TAG_LIB_IMAGE_EXCLUDE:
		return !image_matches(v, &name->image);
	case PP_TAG_SAMPLE_FILE:
		return pp_values_match(v, path);
	case PP_TAG_EVENT:
		return has_all(v) || pp_values_match(v, name->event);
	case PP_TAG_COUNT:
		return number_matches(v, name->count <= INT64_MAX ? (int64_t)name->count : -1);
	case PP_TAG_UNITMASK:
		return number_matches(v, name->um);
	case PP_TAG_TGID:
		return number_matches(v, name->tgid);
	case PP_TAG_TID:
		return number_matches(v, name->tid);
	case PP_TAG_CPU:
		return number_matches(v, name->cpu);
	case PP_TAG_UNIT:
		return spec->store || group_matches(v, name->app.unit, op_cgroup_is_unit);
	case PP_TAG_CONTAINER:
		return spec->store || group_matches(v, name->app.unit, op_cgroup_is_container);
	case PP_TAG_POD:
		return group_matches(v, name->app.unit, op_cgroup_is_pod);
	case PP_TAG_ARCHIVE:
	case PP_TAG_SESSION_DIR:
	case PP_TAG_SESSION:
	case PP_TAG_SESSION_EXCLUDE:
	case PP_TAG_TIME:
	case PP_TAG_PROFILE:
	case PP_TAG_STORE:
	case PP_TAG_HOST:
	case PP_TAG_SERVICE:
	case PP_TAG_VERSION:
	case PP_TAG_BUILD_ID:
	case PP_NR_TAGS:
		break;
	}
	return 1;
}

bool pp_spec_matches(const struct pp_spec *spec, const struct op_sample_name *name,
		     const char *path)
{
	for (int tag = 0; tag < PP_NR_TAGS; tag++)
		if (!pp_spec_tag_matches(spec, tag, name, path))
			return false;
	return true;
}
