/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method.h -- the methods of sampling a running process, in the order in which they are tried.
 */
#ifndef UTILS_OPATTACH_METHOD_H
#define UTILS_OPATTACH_METHOD_H

#include "utils/opattach/call.h"
#include "utils/opattach/options.h"

/* One use of opattach. */
struct attach {
	const struct attach_options *options;
	struct attach_target target;
	struct attach_files files;	/* of all processes that are looked at */
	struct attach_images images;	/* of the target */
	uint64_t sigreturn;		/* return address of signal handlers; 0: not known */
	char *dir;			/* malloc'd; from the root. NULL: not made yet */
	/* the same, whatever has its name later; when there is one */
	int dir_fd;
	int begun;			/* pipe to close when the process is sampled; -1: closed */
	/* a call in the process may be unfinished: do not try another method */
	bool is_unclear;
	char path[4096];		/* output file, "": already reported */
};

struct attach_method {
	const char *name;
	/* Begins to sample, or (with --stop) ends that. 0: done. Negative with text: why another
	 * is to be tried. A method that was passed over has changed nothing. */
	int (*begin)(struct attach *a, struct op_reason *error);
	int (*stop)(struct attach *a, struct op_reason *error);	/* NULL: it ends with us */
};

extern const struct attach_method attach_probe, attach_library, attach_linked, attach_mapped,
	attach_events, attach_timer;

#define ATTACH_COLLECTOR	"libitimer.so"	/* of addresses */

/* Check whether a collector of addresses can do what the options request: return 0, or a
 * negative errno with text. */
int attach_collector_check(const struct attach *a, struct op_reason *error);

/* Start the collector in the process, with files in a->dir if that is set. @library: the
 * collector for programs that the process starts, or "". Return 0, or a negative errno with
 * text. */
int attach_collector_begin(struct attach *a, const char *library, struct op_reason *error);

/* Return the path of our library @name, malloc'd, or NULL if the process finds another file at that
 * path. */
char *attach_visible_library(const struct attach *a, const char *name);

/* Note that the process is sampled, which ends the deadline for the beginning. */
void attach_has_begun(struct attach *a);

/* The directory of --output, made for the target's user. */
int attach_make_dir(struct attach *a, struct op_reason *error);

/* Whether @file is in @dir, whatever this is called. */
bool attach_is_in(const char *file, const char *dir);

/* Whether something may be called in the target at all. 0, or negative and why not. */
int attach_may_call(struct attach *a, struct op_reason *error);

/*
 * Call in a thread of the target that is at a safe place and has @stack bytes of stack. Return 0,
 * -EAGAIN if no thread reached such a place before the target's end_ns, or the result of
 * attach_call().
 */
int attach_call_safe(struct attach *a, const struct attach_call *call, size_t stack,
		     struct op_reason *error);

/* The same for a system call; of @call the function is found here. Whether the kernel did it is
 * not known. */
int attach_system_call(struct attach *a, struct attach_call call, struct op_reason *error);

/* The same in all its threads: how many of them never were where they may be, or negative errno. */
int attach_call_all(struct attach *a, const struct attach_call *call, size_t stack);

/* What the target has open whose name ends like this becomes a->path; the last of these. False:
 * it has none. */
bool attach_find_open(struct attach *a, const char *end);

/*
 * Return the image whose file is called @base (possibly a memfd), or the program's image for a NULL
 * @base; NULL without one.
 */
struct attach_image *attach_find_image(struct attach *a, const char *base);

/* The address of the function @name in it; 0: it has none of that name. */
uint64_t attach_find_function(struct attach *a, const char *base, const char *name);

/* Return the address of the variable @name in that image, or 0. */
uint64_t attach_find_variable(struct attach *a, const char *base, const char *name);

#endif
