/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h -- what reports see samples by, wherever these are: a session's directory, or one file that a program wrote
 * of itself. A kind is a table of functions; where the samples of each are in memory once the file was read, the kind is
 * one file that reads it and fills in a struct pp_source (memory.h).
 *
 * Lifetime: a source is open as long as the session that was made of it. Reading addresses changes nothing, so several
 * threads may; frames and paths are for one at a time.
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

/* The samples of one class in one binary; of paths, those of one class. */
struct pp_source_part {
	const char *path;		/* a session: of the file */
	uint32_t class, binary;		/* else: indices */
};

/* What all samples of a part have in common. */
struct pp_source_facts {
	struct op_identity identity;
	uint64_t mtime;			/* 0: not known */
	bool is_kernel;
	uint64_t anon_start;
	uint32_t cpu_type;
	double cpu_speed;		/* MHz; 0: not known */
};

/* Who wants the samples of a part: first once begin(), then address() for each address that has any. Both give 0 or
 * -ENOMEM, which ends it. */
struct pp_source_taker {
	int (*begin)(void *arg, const struct pp_source_facts *facts);
	int (*address)(void *arg, uint64_t key, uint64_t count);
	void *arg;
	bool shortened;			/* is set: somebody cut the file while it was read */
};

/* The paths of a part, open; .tree and .end are the kind's. */
struct pp_source_paths {
	const struct pp_source *source;
	uint32_t class;
	struct tree *tree;
	uint32_t end;			/* one more than the highest number of a node */
};

/* NULL where the kind has no paths. */
struct pp_source_ops {
	const char *name;
	void (*close)(struct pp_source *source);
	/* An error that pp_samples_strerror() has a sentence for; then begin() was not called, or failed. */
	int (*addresses)(const struct pp_source *source, const struct pp_source_part *part,
			 struct pp_source_taker *taker);
	/* The binaries that frames are in, as a frame's .image - 1 counts them. Negative errno; -ENOENT: there are none. */
	int (*images)(const struct pp_source *source, struct op_path_images *ret);
	/* Opens what names the frames of all paths. */
	int (*frames_open)(struct pp_source *source);
	bool (*frame)(const struct pp_source *source, uint32_t number, struct frame *ret);
	void (*frames_close)(struct pp_source *source);
	/* Nodes have numbers as in libdb/tree.h: from TREE_FIRST on, parents first. */
	int (*paths_open)(const struct pp_source *source, const struct pp_source_part *part,
			  struct pp_source_paths *ret);
	bool (*node)(const struct pp_source_paths *paths, uint32_t number, struct tree_node *ret);
	void (*paths_close)(struct pp_source_paths *paths);
};

/* Events of a heap that reports compute or select; raw_probe_kind() has the others. */
#define PP_SOURCE_NOT_FREED	"bytes not freed"
#define PP_SOURCE_AT_PEAK	"bytes at peak"

/* Why a path of a source ends, where that is all that is known: of a frame's .how. */
#define PP_SOURCE_CALLER_UNKNOWN	UINT16_MAX

struct pp_source_class {
	char *event;
	uint64_t count;			/* events a sample; of TIMER nanoseconds */
};

/* How often CPU time was sampled, as the program's file tells. */
struct pp_source_rate {
	const char *event;		/* which was sampled by what follows, and its clock; NULL: TIMER, CPU time */
	const char *clock;
	uint32_t driver, refused;	/* enum raw_probe_driver; why that is not perf. 0: not told, nothing */
	uint64_t signals, period_ns, cpu_ns;
};

/* Does the file tell? A program that was killed wrote none. */
bool pp_source_rate_is_known(const struct pp_source_rate *rate);

/* How many samples have been recorded with their paths, and how many of these are whole. 0, 0: not told. */
struct pp_source_whole {
	uint64_t recorded, whole;
};

struct pp_source_binary {
	struct op_path_image image;
	uint8_t *build_id;		/* NULL: not known */
	size_t build_id_len;
};

/* A session has but .ops and .path, and of its frames what opening them fills in: the rest is the names of its files
 * (pp/session/files.h). */
struct pp_source {
	const struct pp_source_ops *ops;
	char *path;			/* of the file or samples directory */
	bool linked;			/* keys are addresses as linked, not offsets in files */
	struct op_image_name program;
	struct pp_source_class *classes;
	size_t nr_classes;
	struct pp_source_binary *binaries;
	size_t nr_binaries;
	bool has_paths;
	struct op_session_stats stats;	/* losses, as a session's */
	uint64_t stats_ns;		/* modification time of the file of .stats, in ns since 1970; 0: unknown */
	char *command;			/* the program's, with blanks between the arguments; NULL: not told */
	bool from_outside;		/* of a file: another process sampled the program */
	pid_t process;			/* ... which process the program was; 0: not told */
	struct pp_source_rate rate;
	struct pp_source_whole of_signals, of_calls;
	struct op_reason broken;	/* what is not whole, and where; empty: all is */
	uint32_t frames_end;		/* while frames are open: one more than the highest number */
	uint64_t generation;		/* ... of the frames; 0: there are none */
	struct frames *frames;		/* ... of a session */
	struct pp_memory *memory;	/* of the other kinds */
	uid_t owner;			/* ... who may have named any file as a binary; -1: there are several */
};

/* Is @path a file of one of the kinds? By its first bytes; false also when it cannot be read. */
bool pp_source_is(const char *path);
/* Does @path end as files of a kind do? */
bool pp_source_is_name(const char *path);
/* Calls @fn (may be NULL) with @path when it is one, or with each one in the directory @path, by name. How many; negative: what @fn
 * said, or -ENOMEM. A file that is left over beside one made of it (.csp.live beside .csp) is not another. */
int pp_source_each(const char *path, int (*fn)(void *arg, const char *path), void *arg);

/* Reads the file @path, of whichever kind; or negative errno and why. */
int pp_source_open(struct pp_source **ret, const char *path, struct op_reason *why);
/* That of a samples directory. -ENOMEM. */
int pp_source_of_session(struct pp_source **ret, const char *samples_dir);
/* Takes NULL. */
void pp_source_close(struct pp_source *source);

#endif
