/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h -- sources of samples: a samples directory, or a file that a program wrote about itself.
 *
 * Each kind of source has a table of functions. A kind that is read into memory as a whole only
 * fills in a struct pp_source (memory.h).
 *
 * A source is open as long as its session. Several threads may read addresses at the same time;
 * only one thread may use frames and paths.
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

/* The samples of one class in one binary, or the paths of one class. */
struct pp_source_part {
	const char *path;		/* path of the file, if the source is a samples directory */
	uint32_t class, binary;		/* in other sources: indices of the class and the binary */
};

/* Properties that all samples of a part have. */
struct pp_source_facts {
	struct op_identity identity;
	uint64_t mtime;			/* modification time of the binary; 0: unknown */
	bool is_kernel;
	uint64_t anon_start;
	uint32_t cpu_type;
	double cpu_speed;		/* speed of the CPU in MHz; 0: unknown */
};

/* Functions that receive the samples of a part: begin() is called once, then address() for each
 * address with samples. Both return 0 or -ENOMEM, which ends the reading. */
struct pp_source_taker {
	int (*begin)(void *arg, const struct pp_source_facts *facts);
	int (*address)(void *arg, uint64_t key, uint64_t count);
	void *arg;
	bool shortened;			/* result: the file was truncated while it was read */
};

/* The call paths of one part of a source, open for reading. paths_open() sets .tree and .end. */
struct pp_source_paths {
	const struct pp_source *source;
	uint32_t class;
	struct tree *tree;
	uint32_t end;			/* highest number of a node, plus one */
};

/* The functions of a kind of source. Functions for frames and paths are NULL if the kind has no
 * paths. */
struct pp_source_ops {
	const char *name;
	void (*close)(struct pp_source *source);
	/* Read the samples. Return 0, or an error for pp_samples_strerror(); on an error, begin()
	 * was not called, or it failed. */
	int (*addresses)(const struct pp_source *source, const struct pp_source_part *part,
			 struct pp_source_taker *taker);
	/* Read the list of binaries. The .image of a frame is an index into the list, plus 1.
	 * Return 0, -ENOENT if there is no list, or another negative errno. */
	int (*images)(const struct pp_source *source, struct op_path_images *ret);
	/* Open the list of the frames of all paths. */
	int (*frames_open)(struct pp_source *source);
	bool (*frame)(const struct pp_source *source, uint32_t number, struct frame *ret);
	void (*frames_close)(struct pp_source *source);
	/* Open the tree of paths. Nodes are numbered as in libdb/tree.h: from TREE_FIRST on,
	 * parents before children. */
	int (*paths_open)(const struct pp_source *source, const struct pp_source_part *part,
			  struct pp_source_paths *ret);
	bool (*node)(const struct pp_source_paths *paths, uint32_t number, struct tree_node *ret);
	void (*paths_close)(struct pp_source_paths *paths);
};

/* Events of a heap profile that reports compute or select; raw_probe_kind() has the other
 * events. */
#define PP_SOURCE_NOT_FREED	"bytes not freed"
#define PP_SOURCE_AT_PEAK	"bytes at peak"

/* Value of a frame's .how: the path ends because the caller is unknown. */
#define PP_SOURCE_CALLER_UNKNOWN	UINT16_MAX

struct pp_source_class {
	char *event;
	/* number of events for each sample; for TIMER, nanoseconds */
	uint64_t count;
};

/* The sampling rate, as recorded in the program's file. */
struct pp_source_rate {
	const char *event;		/* the sampled event; NULL: TIMER, that is CPU time */
	const char *clock;
	/* .driver: enum raw_probe_driver, 0 if unknown; .refused: the reason why the driver is not
	 * perf, 0 if there is no reason */
	uint32_t driver, refused;
	uint64_t signals, period_ns, cpu_ns;
};

/* Return whether the rate is known. The file of a killed program does not have it. */
bool pp_source_rate_is_known(const struct pp_source_rate *rate);

/* The number of samples with call paths (.recorded), and the number of samples with complete call
 * paths (.whole). Both 0: unknown. */
struct pp_source_whole {
	uint64_t recorded, whole;
};

struct pp_source_binary {
	struct op_path_image image;
	uint8_t *build_id;		/* build-id of the binary; NULL: unknown */
	size_t build_id_len;
};

/* A source. The source of a samples directory sets only .ops and .path, and, while frames are open,
 * .frames_end, .generation and .frames; pp/session/open.c sets .stats and .stats_ns. Other data of
 * a session are in the names of its files (pp/session/files.h). */
struct pp_source {
	const struct pp_source_ops *ops;
	char *path;			/* path of the file or samples directory */
	/* keys of samples are virtual addresses in the binary, else offsets in the file */
	bool linked;
	struct op_image_name program;
	struct pp_source_class *classes;
	size_t nr_classes;
	struct pp_source_binary *binaries;
	size_t nr_binaries;
	bool has_paths;
	struct op_session_stats stats;	/* lost samples, in the form of a session's statistics */
	/* modification time of the file of .stats, in ns since 1970; 0: unknown */
	uint64_t stats_ns;
	/* command line of the program, arguments separated by spaces; NULL: unknown */
	char *command;
	bool from_outside;		/* another process sampled the program */
	pid_t process;			/* id of the profiled process; 0: unknown */
	struct pp_source_rate rate;
	struct pp_source_whole of_signals, of_calls;
	/* the first error and its place; empty: the file is complete */
	struct op_reason broken;
	/* highest number of a frame plus one, while frames are open */
	uint32_t frames_end;
	/* while frames are open: their generation; 0: there are no frames */
	uint64_t generation;
	/* the open list of frames; NULL: the list is not open, or the source is not a samples
	 * directory */
	struct frames *frames;
	/* the samples in memory; NULL: the source is a samples directory */
	struct pp_memory *memory;
	/* owner of the file, who may have written any path as the path of a binary; -1: there are
	 * several owners */
	uid_t owner;
};

/* Return whether @path ends in the suffix of one of the kinds of files. */
bool pp_source_is_name(const char *path);
/* Call @fn (NULL: only count) for the file @path, or for each file of a known kind in the directory
 * @path, sorted by name. Skip a .csp.live file if its .csp file exists. Return the number of files,
 * the negative result of @fn, or -ENOMEM. */
int pp_source_each(const char *path, int (*fn)(void *arg, const char *path), void *arg);

/* Read the file @path of any kind. Return 0, or a negative errno with the cause in @error. */
int pp_source_open(struct pp_source **ret, const char *path, struct op_reason *error);
/* Create the source of a samples directory. Return 0 or -ENOMEM. */
int pp_source_of_session(struct pp_source **ret, const char *samples_dir);
/* @source may be NULL. */
void pp_source_close(struct pp_source *source);

#endif
