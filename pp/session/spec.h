/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec.h -- profile specifications: the words after a report's options that select samples. A word
 * is tag:value[,value], or the name of a binary.
 *
 * A sample file matches a specification if, for each tag in the specification, it matches one of
 * the values of the tag. If a tag is repeated, its values are added.
 */
#ifndef PP_SESSION_SPEC_H
#define PP_SESSION_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "pp/base/log.h"

struct op_sample_name;
struct pp_store;

enum pp_tag {
	PP_TAG_ARCHIVE,
	/* path of the session directory, the same as the option --session-dir */
	PP_TAG_SESSION_DIR,
	PP_TAG_SESSION,
	PP_TAG_SESSION_EXCLUDE,
	/* periods of time: the intervals to read (range.h) */
	PP_TAG_TIME,
	/* A profile: a file that a program wrote about itself (*.csp, *.pct and so on). A word
	 * without a tag also gets this tag if it names such a file, or a directory of such
	 * files. */
	PP_TAG_PROFILE,
	/* a program or library; the tag of all other words that have no tag */
	PP_TAG_BINARY,
	PP_TAG_IMAGE,		/* the program that ran the sampled code */
	PP_TAG_IMAGE_EXCLUDE,
	PP_TAG_LIB_IMAGE,	/* the binary that contains the sampled address */
	PP_TAG_LIB_IMAGE_EXCLUDE,
	PP_TAG_SAMPLE_FILE,
	PP_TAG_EVENT,
	PP_TAG_COUNT,
	PP_TAG_UNITMASK,
	PP_TAG_TGID,
	PP_TAG_TID,
	PP_TAG_CPU,
	/* the systemd unit, container or pod in which the program ran: libop/session/cgroup.h */
	PP_TAG_UNIT,
	PP_TAG_CONTAINER,
	PP_TAG_POD,
	/* the URL of a database (pp/session/store.h), and the tags that select samples in it: the
	 * host; the unit, container or program; the build-id of the program; the build-id of any
	 * binary on the call path */
	PP_TAG_STORE,
	PP_TAG_HOST,
	PP_TAG_SERVICE,
	PP_TAG_VERSION,
	PP_TAG_BUILD_ID,
	PP_NR_TAGS,
};

struct pp_values {
	char **items;
	size_t nr;
};

struct pp_spec {
	struct pp_values tags[PP_NR_TAGS];
	/* Without a tag unitmask: .sums_reasons: the reasons of waits are summed
	 * (PP_MERGE_REASONS); .hides_idle: waits of idle threads do not match
	 * (op_event_idle_wait()). */
	bool sums_reasons, hides_idle;
	/* the samples that were read from the database PP_TAG_STORE; borrowed; NULL: none */
	const struct pp_store *store;
};

/*
 * Parse @words, the arguments of a command line after its options. Return 0, -ENOMEM, or -EINVAL
 * with the cause in the log. On failure *@ret is released.
 */
int pp_spec_parse(struct pp_spec *ret, const char *const *words, size_t nr, struct pp_log *log);
/* Free the contents of @spec, which may be zeroed. */
void pp_spec_release(struct pp_spec *spec);

const char *pp_tag_name(enum pp_tag tag);

/* Return the session directory that @spec names. Otherwise return @option, the value of
 * --session-dir, which may be NULL. */
const char *pp_spec_session_dir(const struct pp_spec *spec, const char *option);

/* Return whether a sample file matches @tag or, for pp_spec_matches(), all tags of the
 * specification. Tags that select archives and sessions match all files. @name: the parsed file
 * name. @path: the file's path relative to its samples directory. */
int pp_spec_tag_matches(const struct pp_spec *spec, enum pp_tag tag,
			const struct op_sample_name *name, const char *path);
bool pp_spec_matches(const struct pp_spec *spec, const struct op_sample_name *name,
		     const char *path);

/* Return whether one of the values matches @text, as a glob or literally. */
bool pp_values_match(const struct pp_values *v, const char *text);

/* Return whether @glob matches @text, as a glob or literally. */
bool pp_value_matches(const char *glob, const char *text);

/* Add a copy of the first @len bytes of @text to the values. Return 0 or -ENOMEM. */
int pp_values_add(struct pp_values *v, const char *text, size_t len);
void pp_values_release(struct pp_values *v);

/* Select the samples of @period, a value of the tag time: such as "FROM..TO", unless the
 * specification already has a period. Return 0 or -ENOMEM. */
int pp_spec_set_time(struct pp_spec *spec, const char *period);

#endif
