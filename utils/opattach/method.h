/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method.h -- the methods of sampling a running process.
 */
#ifndef UTILS_OPATTACH_METHOD_H
#define UTILS_OPATTACH_METHOD_H

#include "utils/opattach/call.h"
#include "utils/opattach/options.h"

/* The state of a run of opattach. */
struct attach {
	const struct attach_options *options;
	struct attach_target target;
	struct attach_files files;	/* copies of files that the sampled processes have mapped */
	struct attach_images images;	/* executable file mappings of the target */
	/* address of the code (sigreturn) to which signal handlers in the target return; 0: not
	 * known */
	uint64_t sigreturn;
	/* absolute path of the output directory, malloc'd; NULL: not created yet */
	char *dir;
	/* descriptor of the output directory; it stays valid if the directory is renamed */
	int dir_fd;
	/* descriptor of a pipe that is closed when sampling has started; -1: already closed */
	int begun;
	/* whether a call in the process may not have returned yet, so that no other method may be
	 * tried */
	bool is_unclear;
	/* path of the output file, to be printed; "": no file, or already printed */
	char path[4096];
};

struct attach_method {
	const char *name;
	/* Start sampling. Return 0, or a negative errno with a message in @error. On an error the
	 * process is unchanged, and the next method is tried. */
	int (*begin)(struct attach *a, struct op_reason *error);
	/* Stop sampling, for --stop. Return 0, or a negative errno with a message in @error. NULL:
	 * sampling ends when opattach ends. */
	int (*stop)(struct attach *a, struct op_reason *error);
};

extern const struct attach_method attach_probe, attach_library, attach_linked, attach_mapped,
	attach_events, attach_timer;

#define ATTACH_COLLECTOR	"libitimer.so"	/* file name of the pc sample collector */

/* Check whether the pc sample collector supports everything that the options request. Return 0, or
 * a negative errno with a message in @error. */
int attach_collector_check(const struct attach *a, struct op_reason *error);

/* Start the pc sample collector in the process. If a->dir is set, the collector writes its files
 * there. @library: path of the collector, which programs that the process starts will preload; "":
 * none. Return 0, or a negative errno with a message in @error. */
int attach_collector_begin(struct attach *a, const char *library, struct op_reason *error);

/* Return the path of opattach's library @name, or NULL if opattach has no such library, or if the
 * process would not find the same file at this path. The caller frees the path. */
char *attach_visible_library(const struct attach *a, const char *name);

/* Record that sampling has started, so that the deadline for the start no longer applies. */
void attach_has_begun(struct attach *a);

/* Create the output directory for the target's user if it does not exist, and open it. Return 0, or
 * a negative errno with a message in @error. */
int attach_make_dir(struct attach *a, struct op_reason *error);

/* Return whether the file @file is in the directory @dir. Compare the directories, not the spelling
 * of their paths. */
bool attach_is_in(const char *file, const char *dir);

/* Check whether functions may be called in the target. Return 0, or a negative errno with the cause
 * in @error. */
int attach_may_call(struct attach *a, struct op_reason *error);

/*
 * Make @call in a thread of the target that is at a safe point (inside.c) and has @stack free bytes
 * on its stack. Return 0; -EAGAIN if no thread reached a safe point before the target's end_ns; or
 * the result of attach_call().
 */
int attach_call_safe(struct attach *a, const struct attach_call *call, size_t stack,
		     struct op_reason *error);

/* Make a system call in a thread of the target that is at a safe point. Return like
 * attach_call_safe(). This function sets @call.function. The result of the system call is not
 * available. */
int attach_system_call(struct attach *a, struct attach_call call, struct op_reason *error);

/* Make @call in every thread of the target, each at a safe point. Return the number of threads that
 * did not reach a safe point, or a negative errno. */
int attach_call_all(struct attach *a, const struct attach_call *call, size_t stack);

/* Find a file that the target has open and whose name ends with @end, and store its path in
 * a->path. If there are several files, store the last one. Return false if the target has no such
 * file open. */
bool attach_find_open(struct attach *a, const char *end);

/*
 * Return an image (executable mapping) of the file @base in the target. The file may also be a
 * memfd with this name. If @base is NULL, return the program's image. Return NULL if the target has
 * not mapped the file.
 */
struct attach_image *attach_find_image(struct attach *a, const char *base);

/* Return the address of the function @name in the images of the file @base (as for
 * attach_find_image()), or 0. */
uint64_t attach_find_function(struct attach *a, const char *base, const char *name);

/* Return the address of the variable @name in the images of the file @base (as for
 * attach_find_image()), or 0. */
uint64_t attach_find_variable(struct attach *a, const char *base, const char *name);

#endif
