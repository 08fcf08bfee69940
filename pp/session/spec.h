/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec.h -- profile specifications: the words after a report's options that say which samples it
 * is about, as tag:value[,value] or plain names of binaries.
 *
 * Values of one tag add up, also when the tag is written twice; different tags must all hold.
 */
#ifndef PP_SESSION_SPEC_H
#define PP_SESSION_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "pp/base/log.h"

struct op_sample_name;

enum pp_tag {
	PP_TAG_ARCHIVE,
	PP_TAG_SESSION,
	PP_TAG_SESSION_EXCLUDE,
	PP_TAG_PROFILE,		/* also a word without tag that names such a file, or a directory with one */
	PP_TAG_BINARY,		/* also a word without tag: program or library */
	PP_TAG_IMAGE,		/* the program */
	PP_TAG_IMAGE_EXCLUDE,
	PP_TAG_LIB_IMAGE,	/* where the sample fell */
	PP_TAG_LIB_IMAGE_EXCLUDE,
	PP_TAG_SAMPLE_FILE,
	PP_TAG_EVENT,
	PP_TAG_COUNT,
	PP_TAG_UNITMASK,
	PP_TAG_TGID,
	PP_TAG_TID,
	PP_TAG_CPU,
	PP_NR_TAGS,
};

struct pp_values {
	char **items;
	size_t nr;
};

struct pp_spec {
	struct pp_values tags[PP_NR_TAGS];
};

/*
 * @words: what popt left. On failure the log says what is wrong with which word and *@ret is
 * released; returns -EINVAL or -ENOMEM.
 */
int pp_spec_parse(struct pp_spec *ret, const char *const *words, size_t nr, struct pp_log *log);
/* Takes a zeroed struct. */
void pp_spec_release(struct pp_spec *spec);

const char *pp_tag_name(enum pp_tag tag);

/* Does a sample file pass what the spec says about one tag, or about all of them? Tags that choose
 * archives and sessions always pass. @path: of the file, relative to its samples directory. */
int pp_spec_tag_matches(const struct pp_spec *spec, enum pp_tag tag,
			const struct op_sample_name *name, const char *path);
bool pp_spec_matches(const struct pp_spec *spec, const struct op_sample_name *name,
		     const char *path);

/* Is one of @v equal to @text, as a glob? */
bool pp_values_match(const struct pp_values *v, const char *text);

/* Return whether @glob matches @text, as a glob or literally. */
bool pp_value_matches(const char *glob, const char *text);

/* A copy of the first @len bytes of @text. 0 or -ENOMEM. */
int pp_values_add(struct pp_values *v, const char *text, size_t len);
void pp_values_release(struct pp_values *v);

#endif
