/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method.h -- the ways to sample a process that runs, in the order in which they are tried.
 */
#ifndef ATTACH_METHOD_H
#define ATTACH_METHOD_H

#include "utils/attach/call.h"
#include "utils/attach/options.h"

/* One use of opattach. */
struct attach {
	const struct attach_options *options;
	struct attach_target target;
	struct attach_files files;	/* of all processes that are looked at */
	struct attach_images images;	/* of the target */
	uint64_t sigreturn;		/* what handlers return to there; 0: not known */
	char *dir;			/* malloc'd; from the root. NULL: not made yet */
	int dir_fd;			/* the same, whatever has its name later; when there is one */
	int begun;			/* closed when it is sampled; -1: it is */
	bool is_unclear;		/* something was called in it, and nobody knows how far that came: nothing else is tried */
	char path[4096];		/* what is written, when a method has begun; "": it told by itself */
};

struct attach_method {
	const char *name;
	/* Begins to sample, or (with --stop) ends that. 0: done. Negative with text: why another is to be tried. A method that was passed
	 * over has changed nothing. */
	int (*begin)(struct attach *a, struct op_reason *why);
	int (*stop)(struct attach *a, struct op_reason *why);	/* NULL: it ends with us */
};

extern const struct attach_method attach_probe, attach_library, attach_linked, attach_mapped, attach_events, attach_timer;

#define ATTACH_COLLECTOR	"libitimer.so"	/* of addresses */

/* Whether a collector of addresses can do what was asked for: 0, or negative with text. */
int attach_collector_check(const struct attach *a, struct op_reason *why);

/* Have the collector that is in the process count, into a->dir if that is made. @library: for programs that the process starts; "": none.
 * 0, or negative with text. */
int attach_collector_begin(struct attach *a, const char *library, struct op_reason *why);

/* The path of our library @name, if the process finds that very file by it. malloc'd; NULL: it does not. */
char *attach_visible_library(const struct attach *a, const char *name);

/* Say that the process is sampled: from now on the beginning's deadline does not count. */
void attach_has_begun(struct attach *a);

/* The directory of --output, made for the target's user. */
int attach_make_dir(struct attach *a, struct op_reason *why);

/* Whether @file is in @dir, whatever this is called. */
bool attach_is_in(const char *file, const char *dir);

/* Whether something may be called in the target at all. 0, or negative and why not. */
int attach_may_call(struct attach *a, struct op_reason *why);

/*
 * Calls in a thread of the target that is where it may be. 0, -EAGAIN: none was before the target's end_ns; or what attach_call()
 * says. The thread needs @stack bytes.
 */
int attach_call_safe(struct attach *a, const struct attach_call *call, size_t stack, struct op_reason *why);

/* The same for a system call; of @call the function is found here. Whether the kernel did it is not known. */
int attach_system_call(struct attach *a, struct attach_call call, struct op_reason *why);

/* The same in all its threads: how many of them never were where they may be, or negative errno. */
int attach_call_all(struct attach *a, const struct attach_call *call, size_t stack);

/* What the target has open whose name ends like this becomes a->path; the last of these. False: it has none. */
bool attach_find_open(struct attach *a, const char *end);

/* The image whose file is called @base (which may be one in memory), or (@base NULL) the program; NULL: there is none. */
struct attach_image *attach_find_image(struct attach *a, const char *base);

/* The address of the function @name in it; 0: it has none of that name. */
uint64_t attach_find_function(struct attach *a, const char *base, const char *name);

#endif
