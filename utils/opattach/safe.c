// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * safe.c -- checking whether a stopped thread may call a function at the place where it is.
 */
#include "config.h"
#include "utils/opattach/safe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Functions of the C library, or of another allocator, that may hold a lock. Functions without a
 * symbol that they call are recognized by the call path. */
static const char *const holders[] = {
	"malloc",
	"calloc",
	"realloc",
	"reallocarray",
	"free",
	"cfree",
	"memalign",
	"posix_memalign",
	"aligned_alloc",
	"valloc",
	"pvalloc",
	"malloc_trim",
	"malloc_info",
	"mallinfo",
	"mallinfo2",
	"mallopt",
	"malloc_stats",
	"malloc_usable_size",
	"dlopen",
	"dlmopen",
	"dlclose",
	"dlsym",
	"dlvsym",
	"dladdr",
	"dladdr1",
	"dlinfo",
	"dlerror",
	"dl_iterate_phdr",
	"setenv",
	"putenv",
	"unsetenv",
	"clearenv",
	"getenv",
	"secure_getenv",
	"fork",
	"_Fork",
	"vfork",
	"posix_spawn",
	"posix_spawnp",
	"system",
	"popen",
	"daemon",
	"exit",
	"quick_exit",
	"_exit",
	"abort",
	"atexit",
	"at_quick_exit",
	"__cxa_atexit",
	"__cxa_at_quick_exit",
	"__cxa_finalize",
	"__cxa_thread_atexit_impl",
	"pthread_create",
	"pthread_exit",
	"pthread_atfork",
	"__register_atfork",
	"pthread_getattr_np",
	"pthread_key_create",
	"pthread_setspecific",
	"setlocale",
	"newlocale",
	"freelocale",
	"uselocale",
	NULL,
};

static bool is_loader(const struct attach_image *image)
{
	const char *base = attach_image_base(image);

	return !strncmp(base, "ld-", 3) || !strncmp(base, "ld.so", 5) ||
	       !strncmp(base, "ld64.so", 7);
}

/* Return whether the image defines malloc(): it is the C library, another allocator, or a static
 * program. */
static bool has_malloc(struct attach_image *image, const struct attach_walk *w)
{
	return attach_image_symbol(image, w->target, "malloc");
}

static uint64_t code_of(const struct attach_path_frame *frame)
{
	return frame->ip - !frame->innermost;
}

static int check_frame(const struct attach_walk *w, const struct attach_path_frame *frame,
		       struct op_reason *error)
{
	uint64_t code = code_of(frame);
	struct attach_image *image = attach_images_find(w->images, code);
	const char *name;

	if (!image)
		return op_fail(error, -EAGAIN, "in code without a file");
	if (is_loader(image))
		return op_fail(error, -EAGAIN, "in the loader");
	name = attach_image_name(image, w->target, code, holders);
	if (name)
		return op_fail(error, -EAGAIN, "in %s()", name);
	name = attach_image_name(image, w->target, code, NULL);
	/* Refuse a thread that is in an unknown function of an image with malloc() and not in a
	 * system call: the function may be about to take or release a lock. */
	if (frame->innermost && !name && !attach_arch_in_call(w->regs) && w->target->is_dynamic &&
	    has_malloc(image, w))
		return op_fail(error, -EAGAIN, "somewhere in %s", attach_image_base(image));
	return 0;
}

int attach_check_safe(const struct attach_walk *w, struct op_reason *error)
{
	struct attach_path *path = malloc(sizeof(*path));
	int err = path ? 0 : -ENOMEM;

	if (path)
		attach_walk(w, path);
	if (path && path->end != OPROFILE_UW_WHOLE)
		err = op_fail(error, -EAGAIN, "where its path is unknown");
	for (unsigned int i = 0; !err && i < path->nr; i++)
		err = check_frame(w, &path->frames[i], error);
	free(path);
	return err;
}
