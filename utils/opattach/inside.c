// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inside.c -- common code of the methods that call functions in the process: checks whether calls
 * are possible, and searches for a thread that can make a call.
 */
#include "config.h"
#include "utils/opattach/method.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/clock.h"
#include "libop/base/dir.h"
#include "libop/raw/attach_state.h"
#include "utils/opattach/walk.h"

/*
 * The following functions check whether a stopped thread may call a function at the point where it
 * was stopped.
 * A thread must not call a function while it may hold a lock that the call needs: a lock of the
 * dynamic loader, of malloc(), or of functions that change the environment. The thread's call path
 * shows whether the thread is in such code. Threads that are not stopped continue to run and
 * release their locks.
 */

/* Functions of the C library, or of another allocator, that may hold a lock. Static functions that
 * they call may have no symbols, but the callers listed here are then in the call path. */
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
		return op_fail(error, -EAGAIN, "in code that belongs to no file");
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

/* Return 0 if the thread may call a function at its present point. Return -EAGAIN with the reason
 * in @error if it must not, or -ENOMEM. */
static int attach_check_safe(const struct attach_walk *w, struct op_reason *error)
{
	struct attach_path *path = malloc(sizeof(*path));
	int err = path ? 0 : -ENOMEM;

	if (path)
		attach_walk(w, path);
	if (path && path->end != OPROFILE_UW_WHOLE)
		err = op_fail(error, -EAGAIN, "at an instruction whose call path cannot be found");
	for (unsigned int i = 0; !err && i < path->nr; i++)
		err = check_frame(w, &path->frames[i], error);
	free(path);
	return err;
}

/* minimum free bytes on the stack of a thread that makes a system call; the system call itself uses
 * no user stack */
#define SYSTEM_CALL	1024
#define DEFAULT_DIR	"opprobe_data"
#define ROUNDS		400
#define PAUSE_NS	5000000L
/* pause in ns before the next attempt, if no thread could be stopped */
#define ASLEEP_NS	100000000L

void attach_has_begun(struct attach *a)
{
	if (a->begun >= 0)
		close(a->begun);
	a->begun = -1;
}

/* Create the output directory. If root creates it for a process of another user, make that user its
 * owner. Do not change the owner of an existing directory. */
int attach_make_dir(struct attach *a, struct op_reason *error)
{
	const char *dir = a->options->dir ? a->options->dir : DEFAULT_DIR;
	char self[64], path[PATH_MAX];
	bool is_new;
	ssize_t len;
	int fd;

	if (a->dir)
		return 0;
	is_new = !mkdir(dir, 0700);
	if (!is_new && errno != EEXIST)
		return op_fail(error, -errno, "%s: %s", dir, strerror(errno));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (is_new ? O_NOFOLLOW : 0));
	if (fd < 0)
		return op_fail(error, -errno, "%s: %s", dir, strerror(errno));
	if (is_new && !geteuid() && a->target.uid && fchown(fd, a->target.uid, a->target.gid)) {
		op_fail(error, -errno, "%s: %s", dir, strerror(errno));
		close(fd);
		return -EPERM;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	len = readlink(self, path, sizeof(path) - 1);
	a->dir = len > 0 ? strndup(path, len) : NULL;
	a->dir_fd = fd;
	if (a->dir)
		return 0;
	close(fd);
	return op_fail(error, -ENOMEM, "%s: %s", dir, strerror(errno));
}

bool attach_is_in(const char *file, const char *dir)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(file, '/');
	struct stat asked, is;

	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - file) : 0, file);
	return !stat(dir, &asked) && !stat(parent, &is) && asked.st_ino == is.st_ino &&
	       asked.st_dev == is.st_dev;
}

int attach_may_call(struct attach *a, struct op_reason *error)
{
	const struct attach_target *t = &a->target;

	if (!ATTACH_ARCH_CALLS)
		return op_fail(error, -ENOTSUP,
			       "opattach cannot make other processes call functions on this kind "
			       "of machine");
	if (t->is_foreign)
		return op_fail(error, -ENOTSUP,
			       "the program has another word size or machine type than opattach");
	if (t->is_filtered)
		return op_fail(error, -EPERM,
			       "the process has a seccomp filter, which might end the process "
			       "when opattach makes a system call there");
	if (t->is_secure)
		return op_fail(error, -EPERM,
			       "the program runs with more rights than the user who started it has");
	if (t->has_shadow_stack)
		return op_fail(error, -ENOTSUP,
			       "the process has a shadow stack, so opattach cannot make it call "
			       "a function");
	if (!a->sigreturn)
		a->sigreturn = attach_find_sigreturn(&a->images, t);
	return a->sigreturn ? 0 :
			      op_fail(error, -ENOTSUP,
				      "opattach cannot find the program's code that returns from "
				      "signal handlers");
}

/* Return whether @path names the memfd to which attach_send_file() has copied the file @base. */
static bool is_sent_file(const char *path, const char *base)
{
	const size_t len = strlen(base);

	return !strncmp(path, "/memfd:", 7) && !strncmp(path + 7, base, len) &&
	       !strcmp(path + 7 + len, " (deleted)");
}

static bool is_called(const struct attach *a, const struct attach_image *image, const char *base)
{
	if (!base)
		return !strcmp(image->path, a->target.exe);
	return !strcmp(attach_image_base(image), base) || is_sent_file(image->path, base);
}

struct attach_image *attach_find_image(struct attach *a, const char *base)
{
	for (size_t i = 0; i < a->images.nr; i++)
		if (is_called(a, &a->images.items[i], base))
			return &a->images.items[i];
	return NULL;
}

/* Search all images of the file @base, because code of the file may be mapped several times. */
uint64_t attach_find_function(struct attach *a, const char *base, const char *name)
{
	uint64_t at = 0;

	for (size_t i = 0; i < a->images.nr && !at; i++)
		if (is_called(a, &a->images.items[i], base))
			at = attach_image_symbol(&a->images.items[i], &a->target, name);
	return at;
}

bool attach_find_open(struct attach *a, const char *end)
{
	const size_t end_len = strlen(end);
	char path[sizeof(a->path) - 64];
	struct dirent *entry;
	DIR *dir;

	*a->path = '\0';
	if (op_open_dir(a->target.proc, "fd", &dir))
		return false;
	while ((entry = op_next_entry(dir))) {
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, path, sizeof(path) - 1);

		if (len < (ssize_t)end_len || memcmp(path + len - end_len, end, end_len))
			continue;
		path[len] = '\0';
		/* The path is valid in the process's mount namespace, which is accessible through
		 * the process's root directory. */
		if (a->target.is_elsewhere)
			snprintf(a->path, sizeof(a->path), "/proc/%d/root%s", (int)a->target.pid,
				 path);
		else
			memcpy(a->path, path, len + 1);
	}
	closedir(dir);
	return *a->path;
}

uint64_t attach_find_variable(struct attach *a, const char *base, const char *name)
{
	uint64_t at = 0;

	for (size_t i = 0; i < a->images.nr && !at; i++)
		if (is_called(a, &a->images.items[i], base))
			at = attach_image_variable(&a->images.items[i], &a->target, name);
	return at;
}

/* Return whether the probe or collector that @call needs is loaded, and is not executing another
 * call. */
static bool accepts(const struct attach_target *t, const struct attach_call *call)
{
	uint32_t state;

	return !call->state || (attach_target_read(t, call->state, &state, sizeof(state)) &&
				state == RAW_ATTACH_READY);
}

static int refuse_busy(struct op_reason *error)
{
	return op_fail(error, -EAGAIN,
		       "a thread of the process still executes a function that an earlier "
		       "opattach called");
}

/* Check whether the stopped thread may make the call at its present point, and has @stack bytes of
 * stack left. Return 0, -EAGAIN with the reason in @error, or -ESRCH. */
static int check_thread(struct attach *a, const struct attach_thread *thread,
			const struct attach_call *call, size_t stack, struct op_reason *error)
{
	const struct attach_walk walk = {
		.target = &a->target, .images = &a->images, .regs = &thread->regs};
	struct op_reason where = { "" };
	char byte;

	int err = attach_target_update(&a->target, thread->tid, error);

	if (err)
		return err;
	if (attach_may_call(a, &where))
		return op_fail(error, -EAGAIN, "thread %d: %s", (int)thread->tid, where.text);
	if (!accepts(&a->target, call))
		return refuse_busy(error);
	if (attach_check_safe(&walk, &where))
		return op_fail(error, -EAGAIN, "thread %d is %s", (int)thread->tid, where.text);
	/* The stack of the first thread grows on demand. Stacks of other threads have a fixed size,
	 * so check the free size. */
	if (thread->tid != a->target.pid &&
	    !attach_target_read(&a->target, attach_arch_sp(&thread->regs) - stack, &byte, 1))
		return op_fail(error, -EAGAIN, "thread %d has less than %zu bytes of stack left",
			       (int)thread->tid, stack);
	return 0;
}

static int call_in(struct attach *a, struct attach_thread *thread, const struct attach_call *call,
		   size_t stack, struct op_reason *error)
{
	int err = check_thread(a, thread, call, stack, error);

	if (!err)
		err = attach_call(thread, &a->target, call, a->sigreturn, error);
	a->is_unclear |= err == -ETIME || err == -EFAULT;
	return err == -ENOSPC || err == -ENOTSUP ? -EAGAIN : err;
}

static int call_once(struct attach *a, pid_t tid, const struct attach_call *call, size_t stack,
		     struct op_reason *error)
{
	struct attach_thread thread;
	int err = attach_thread_stop(&thread, &a->target, tid, error);

	if (err)
		return err == -ESRCH && attach_target_is_there(&a->target) ? -EAGAIN : err;
	err = call_in(a, &thread, call, stack, error);
	attach_thread_release(&thread);
	return err;
}

static bool goes_on(const struct attach *a)
{
	return !a->target.end_ns || op_now_ns() < a->target.end_ns;
}

/* Try one thread after the other until one has made the call. If a thread could be stopped, but at
 * an unsafe point, shorten *@pause, because it may soon reach a safe point. */
static int call_in_any(struct attach *a, const struct attach_call *call, size_t stack, long *pause,
		       struct op_reason *error)
{
	int err = -EAGAIN, nr;
	pid_t *tids;

	nr = attach_target_threads(&a->target, &tids);
	if (nr < 0)
		return attach_target_refused(&a->target, nr == -ENOENT ? -ESRCH : nr, error);
	for (int i = 0; i < nr && err == -EAGAIN && goes_on(a); i++) {
		err = call_once(a, tids[i], call, stack, error);
		if (err != -ETIME)
			*pause = PAUSE_NS;
		else if (!a->is_unclear)
			err = -EAGAIN;
	}
	free(tids);
	return err;
}

int attach_call_safe(struct attach *a, const struct attach_call *call, size_t stack,
		     struct op_reason *error)
{
	int err = op_fail(error, -EAGAIN,
			  "no thread reached in time an instruction where opattach could make it "
			  "call a function");
	long pause = 0;

	for (long paused = 0; paused < ROUNDS * PAUSE_NS && err == -EAGAIN && goes_on(a);
	     paused += pause) {
		if (pause)
			nanosleep(&(struct timespec){ 0, pause }, NULL);
		attach_threads_release();
		if (pause && attach_images_read(&a->images, &a->target))
			return op_fail(error, -ESRCH, "process %d has ended",
				       (int)a->target.pid);
		pause = ASLEEP_NS;
		err = accepts(&a->target, call) ? call_in_any(a, call, stack, &pause, error) :
						  refuse_busy(error);
	}
	return err;
}

int attach_system_call(struct attach *a, struct attach_call call, struct op_reason *error)
{
	call.function = attach_find_syscall(&a->images, &a->target);
	return call.function ?
		       attach_call_safe(a, &call, SYSTEM_CALL, error) :
		       op_fail(error, -ENOTSUP,
			       "opattach cannot find code in the program that makes a system "
			       "call and returns");
}

/* State of one thread that must make the call. */
struct one {
	/* id of the thread; 0: the thread has made the call, or has ended */
	pid_t tid;
	/* the thread from the request to stop until its release; .tid 0: opattach has not asked it
	 * to stop, or has released it in this round */
	struct attach_thread thread;
	struct attach_calling *calling;	/* the call in progress; NULL: not started */
};

struct round {
	struct attach *attach;
	const struct attach_call *call;
	size_t stack;
	/* deadline by which threads must have stopped in this round, by op_now_ns() */
	uint64_t end_ns;
};

/* Let the thread continue. @is_done: do not try the call in this thread again. */
static void end_one(struct one *one, bool is_done)
{
	attach_thread_release(&one->thread);
	one->calling = NULL;
	if (is_done)
		one->tid = 0;
}

/*
 * If the thread has stopped at a safe point, start the call. If it has stopped at an unsafe point,
 * let it continue, because other threads may wait for a lock that it holds.
 */
static void check_stop(const struct round *r, struct one *one)
{
	struct op_reason error = { "" };
	struct attach *a = r->attach;
	int err = attach_thread_stop_poll(&one->thread, &a->target, &error);

	if (err == -EAGAIN && op_now_ns() < r->end_ns)
		return;
	if (!err)
		err = check_thread(a, &one->thread, r->call, r->stack, &error);
	if (!err)
		err = attach_call_begin(&one->thread, &a->target, r->call, a->sigreturn,
					&one->calling, &error);
	if (err)
		end_one(one, err == -ESRCH);
}

/* Check the progress of all threads in this round. Return false when the round is over. */
static bool check_all(const struct round *r, struct one *all, int nr)
{
	struct op_reason error = { "" };
	bool goes_on = false;

	for (int i = 0; i < nr; i++) {
		struct one *one = &all[i];

		if (one->thread.tid && !one->calling)
			check_stop(r, one);
		if (one->calling && attach_call_poll(one->calling, &error) != -EAGAIN)
			end_one(one, true);
		goes_on |= one->thread.tid;
	}
	return goes_on;
}

/* Run one round: ask all remaining threads to stop, and make the call in each thread that stops at
 * a safe point. Return the number of threads that have not made the call. */
static int call_round(struct round *r, struct one *all, int nr)
{
	struct op_reason error = { "" };
	long pause = 0;
	int left = 0;

	for (int i = 0; i < nr; i++) {
		int err = all[i].tid ? attach_thread_stop_begin(&all[i].thread, &r->attach->target,
								all[i].tid, &error) :
				       0;

		if (err)
			end_one(&all[i], err == -ESRCH);
	}
	r->end_ns = attach_stop_end_ns(&r->attach->target);
	while (check_all(r, all, nr))
		attach_pause(&pause);
	for (int i = 0; i < nr; i++)
		left += all[i].tid ? 1 : 0;
	return left;
}

int attach_call_all(struct attach *a, const struct attach_call *call, size_t stack)
{
	struct round r = { .attach = a, .call = call, .stack = stack };
	struct one *all;
	pid_t *tids;
	int nr = attach_target_threads(&a->target, &tids), left = nr;

	if (nr < 0)
		return nr;
	all = calloc(nr, sizeof(*all));
	for (int i = 0; all && i < nr; i++)
		all[i].tid = tids[i];
	for (int round = 0; all && round < ROUNDS && left && goes_on(a); round++) {
		if (round)
			nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
		attach_threads_release();
		left = call_round(&r, all, nr);
	}
	free(all);
	free(tids);
	return left;
}
