/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h -- sources of samples. A source is a samples directory, a sum of intervals in memory, or
 * a file that a program wrote about itself.
 *
 * Each kind of source has a table of functions. Files that are parsed into memory as a whole share
 * one table, and their parsers only fill a struct pp_source (memory.h).
 *
 * A source stays open as long as its session. Several threads may read addresses at the same time,
 * but only one thread may use frames and call paths.
 */
#ifndef PP_SOURCE_SOURCE_H
#define PP_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libdb/frames.h"
#include "libdb/tree.h"
#include "libop/base/reason.h"
#include "libop/session/path_images.h"
#include "libop/session/stats.h"

struct pp_source;

/* A part of a source: the samples of one class (event, for example) in one binary, or the call
 * paths of one class. */
struct pp_source_part {
	const char *path;		/* only for a samples directory: path of the sample file */
	/* only for a sum of intervals: index of the sample file or tree in the sum (interval.h) */
	uint32_t item;
	/* only for other sources: index of the class (event), and index of the binary */
	uint32_t class, binary;
};

/* Properties that all samples of a part of a source share. */
struct pp_source_facts {
	struct op_identity identity;
	uint64_t mtime;			/* modification time of the binary; 0: unknown */
	bool is_kernel;
	uint64_t anon_start;
	uint32_t cpu_type;
	double cpu_speed;		/* clock speed of the profiled CPU in MHz; 0: unknown */
};

/* Callbacks that receive the samples of a part: first begin() once, then address() for each address
 * with samples. Each returns 0, or -ENOMEM to stop. */
struct pp_source_taker {
	int (*begin)(void *arg, const struct pp_source_facts *facts);
	int (*address)(void *arg, uint64_t key, uint64_t count);
	void *arg;
	bool shortened;			/* output: the file was truncated while it was read */
};

/* The call paths of one part of a source, open for reading. paths_open() sets .tree and .end. */
struct pp_source_paths {
	const struct pp_source *source;
	uint32_t class;
	struct tree *tree;
	uint32_t first; /* only for a sum of intervals: index of the first node of the open tree */
	uint32_t end;			/* number of the last node of the open tree, plus one */
};

/* The functions of a kind of source. The functions for frames and call paths are NULL if the source
 * cannot have call paths. */
struct pp_source_ops {
	const char *name;
	void (*close)(struct pp_source *source);
	/* Pass the samples of @part to the callbacks. Return 0, or an error for
	 * pp_samples_strerror(). On an error, begin() failed or was not called. */
	int (*addresses)(const struct pp_source *source, const struct pp_source_part *part,
			 struct pp_source_taker *taker);
	/* Read the list of images. Field .image of a frame is an index into this list, plus 1.
	 * Return 0, -ENOENT if no list exists, or another negative errno. */
	int (*images)(const struct pp_source *source, struct op_path_images *ret);
	/* Open the list of frames, which all trees of call paths of the source share. */
	int (*frames_open)(struct pp_source *source);
	bool (*frame)(const struct pp_source *source, uint32_t number, struct frame *ret);
	void (*frames_close)(struct pp_source *source);
	/* Open a tree of call paths. Its nodes are numbered from TREE_FIRST on, and a parent has a
	 * lower number than its children (libdb/tree.h). */
	int (*paths_open)(const struct pp_source *source, const struct pp_source_part *part,
			  struct pp_source_paths *ret);
	bool (*node)(const struct pp_source_paths *paths, uint32_t number, struct tree_node *ret);
	void (*paths_close)(struct pp_source_paths *paths);
};

/* Names of events of a heap profile that are computed from other counts. raw_probe_kind() has the
 * names of the recorded events. */
#define PP_SOURCE_NOT_FREED	"bytes not freed"
#define PP_SOURCE_AT_PEAK	"bytes at peak"

/* Value of .how in a frame at which a call path ends because the caller is unknown. */
#define PP_SOURCE_CALLER_UNKNOWN	UINT16_MAX

struct pp_source_class {
	char *event;
	/* sampling period: events per sample; for TIMER, nanoseconds per sample */
	uint64_t count;
};

/* The sampling rate, as the program recorded it in the file. */
struct pp_source_rate {
	/* name of the sampled event; NULL: TIMER, which is CPU time */
	const char *event;
	const char *clock;
	/* .driver: source of the sampling signals, enum raw_probe_driver; 0: unknown. .refused:
	 * reason why perf_events was not used; 0: no reason */
	uint32_t driver, refused;
	uint64_t signals, period_ns, cpu_ns;
};

/* Return whether the rate is known. It is unknown if the program was killed. */
bool pp_source_rate_is_known(const struct pp_source_rate *rate);

/* Completeness of call paths. .recorded: number of samples with a call path. .whole: number of
 * those whose path is complete. Both 0: unknown. */
struct pp_source_whole {
	uint64_t recorded, whole;
};

struct pp_source_binary {
	struct op_path_image image;
	uint8_t *build_id;		/* build-id of the binary; NULL: unknown */
	size_t build_id_len;
};

/* A source of samples. For a samples directory or a sum of intervals, only .ops, .path and
 * .interval are set and, while frames are open, .frames_end, .generation and .frames;
 * pp/session/open.c sets .stats and .stats_ns. All other data of these sources are in the names of
 * sample files (pp/session/files.h). */
struct pp_source {
	const struct pp_source_ops *ops;
	char *path;			/* path of the profile or samples directory */
	/* true: samples have virtual addresses of the binary; false: file offsets */
	bool linked;
	struct op_image_name program;
	struct pp_source_class *classes;
	size_t nr_classes;
	struct pp_source_binary *binaries;
	size_t nr_binaries;
	bool has_paths;
	/* statistics, such as numbers of lost samples, in the form of a session's statistics */
	struct op_session_stats stats;
	/* modification time of the file from which .stats was read, in ns since 1970; 0: unknown */
	uint64_t stats_ns;
	/* the program's command line, arguments separated by spaces; NULL: unknown */
	char *command;
	/* the program did not sample itself: another process sampled it */
	bool from_outside;
	pid_t process;			/* id of the profiled process; 0: unknown */
	struct pp_source_rate rate;
	struct pp_source_whole of_signals, of_calls;
	/* the first error found in the file; empty if the file has no error */
	struct op_reason broken;
	/* while frames are open: number of the last frame in the list, plus one */
	uint32_t frames_end;
	/* while frames are open: generation of the list of frames; 0: the source has no frames */
	uint64_t generation;
	/* the open list of frames of a samples directory; else NULL */
	struct frames *frames;
	/* the samples in memory; NULL: the source is a samples directory or a sum of intervals */
	struct pp_memory *memory;
	/* the sum of intervals (interval.h); NULL: the source is of another kind */
	struct pp_interval *interval;
	/* user id of the owner of the file, or -1 if several files have different owners. Do not
	 * trust paths in the file: the owner may have written any path as the path of a binary. */
	uid_t owner;
};

/* Return whether @path has the suffix of a known file format. */
bool pp_source_is_name(const char *path);
/* Call @fn for the file @path or, if @path is a directory, for each file of a known format in the
 * directory, sorted by name. Skip a .csp.live file if its .csp file exists. If @fn is NULL, only
 * count the files. Return the number of files, the negative result of @fn, or -ENOMEM. */
int pp_source_each(const char *path, int (*fn)(void *arg, const char *path), void *arg);

/* Open the file @path of any known format. Return 0, or a negative errno with the cause in
 * @error. */
int pp_source_open(struct pp_source **ret, const char *path, struct op_reason *error);
/* Create the source for the samples directory @samples_dir. Return 0 or -ENOMEM. */
int pp_source_of_session(struct pp_source **ret, const char *samples_dir);
/* Free the source. @source may be NULL. */
void pp_source_close(struct pp_source *source);

#endif
