/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method.h -- the methods of sampling a running process, in the order in which they are tried.
 */
#ifndef UTILS_OPATTACH_METHOD_H
#define UTILS_OPATTACH_METHOD_H

#include "utils/opattach/call.h"
#include "utils/opattach/options.h"

/* State of one run of opattach. */
struct attach {
	const struct attach_options *options;
	struct attach_target target;
	struct attach_files files;	/* of all sampled processes */
	struct attach_images images;	/* of the target */
	uint64_t sigreturn;		/* return address of signal handlers; 0: not known */
	char *dir;			/* malloc'd absolute path; NULL: not made yet */
	/* the same directory, even if another directory gets its name */
	int dir_fd;
	int begun;			/* pipe to close when the process is sampled; -1: closed */
	/* a call in the process may be unfinished: do not try another method */
	bool is_unclear;
	char path[4096];		/* output file, "": already reported */
};

struct attach_method {
	const char *name;
	/* Begin to sample, or end sampling for --stop. Return 0, or a negative errno with text,
	 * after which the next method is tried. A failed method has changed nothing. */
	int (*begin)(struct attach *a, struct op_reason *error);
	/* NULL: sampling ends when opattach ends */
	int (*stop)(struct attach *a, struct op_reason *error);
};

extern const struct attach_method attach_probe, attach_library, attach_linked, attach_mapped,
	attach_events, attach_timer;

#define ATTACH_COLLECTOR	"libitimer.so"	/* the collector of addresses */

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

/* Make the directory of --output for the target's user, and open it. Return 0, or a negative errno
 * with text. */
int attach_make_dir(struct attach *a, struct op_reason *error);

/* Return whether @file is in the directory @dir, even if its path names the directory in another
 * way. */
bool attach_is_in(const char *file, const char *dir);

/* Check whether a function may be called in the target. Return 0, or a negative errno with the
 * cause. */
int attach_may_call(struct attach *a, struct op_reason *error);

/*
 * Call in a thread of the target that is at a safe place and has @stack bytes of stack. Return 0,
 * -EAGAIN if no thread reached such a place before the target's end_ns, or the result of
 * attach_call().
 */
int attach_call_safe(struct attach *a, const struct attach_call *call, size_t stack,
		     struct op_reason *error);

/* Make a system call in the target, like attach_call_safe(); @call.function is set here. The result
 * of the system call is not available. */
int attach_system_call(struct attach *a, struct attach_call call, struct op_reason *error);

/* Call in each thread of the target, like attach_call_safe(). Return the number of threads that did
 * not reach a safe place, or a negative errno. */
int attach_call_all(struct attach *a, const struct attach_call *call, size_t stack);

/* Store the path of a file that the target has open and whose name ends with @end in a->path; if
 * there are several, the last one. Return false without such a file. */
bool attach_find_open(struct attach *a, const char *end);

/*
 * Return the image whose file is called @base (possibly a memfd), or the program's image for a NULL
 * @base; NULL without one.
 */
struct attach_image *attach_find_image(struct attach *a, const char *base);

/* Return the address of the function @name in the image of attach_find_image(@base), or 0. */
uint64_t attach_find_function(struct attach *a, const char *base, const char *name);

/* Return the address of the variable @name in the image of attach_find_image(@base), or 0. */
uint64_t attach_find_variable(struct attach *a, const char *base, const char *name);

#endif
