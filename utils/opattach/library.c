// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library.c -- the methods that use the probe's library in the process: opattach uses a probe that
 * is already loaded, or makes the process load the probe by dlopen(). Then opattach exits.
 */
#include "config.h"
#include "utils/opattach/method.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libop/base/dir.h"
#include "libop/base/plural.h"
#include "libop/raw/live.h"
#include "utils/opprobe/event.h"
#include "utils/opprobe/program.h"

/* A copy of one of opattach's files in a memfd of the process, for a process that cannot see the
 * file. */

struct attach_sent {
	int fd;			/* number of the memfd's descriptor in the process */
	char path[64];		/* path by which the process can open the memfd */
};

/* Return whether the process's descriptor @place is a memfd that was just created: it belongs to
 * the process's user, is empty, and is not linked in a directory. Its path is not proof enough: a
 * process in a mount namespace of its own can give any path to any file. */
static bool is_new(const struct attach *a, int place)
{
	struct stat st;

	return !fstat(place, &st) && S_ISREG(st.st_mode) && !st.st_nlink && !st.st_size &&
	       st.st_uid == a->target.uid;
}

/* Find a new memfd named @name in the process. Return an O_PATH descriptor of the memfd, and store
 * the number of its descriptor in the process in *@number. Return -1 if the process does not have
 * such a memfd. */
static int find_new(const struct attach *a, const char *name, int *number)
{
	char link[256], wanted[256];
	struct dirent *entry;
	int found = -1;
	DIR *dir;

	snprintf(wanted, sizeof(wanted), "/memfd:%s (deleted)", name);
	if (op_open_dir(a->target.proc, "fd", &dir))
		return -1;
	while (found < 0 && (entry = op_next_entry(dir))) {
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		link[len > 0 ? len : 0] = '\0';
		if (strcmp(link, wanted))
			continue;
		found = openat(dirfd(dir), entry->d_name, O_PATH | O_CLOEXEC);
		if (found >= 0 && !is_new(a, found)) {
			close(found);
			found = -1;
		}
		*number = atoi(entry->d_name);
	}
	closedir(dir);
	return found;
}

static int copy(const char *from, int place)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out, err = 0;
	char path[64];
	struct stat st;
	off_t done = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	out = open(path, O_WRONLY | O_CLOEXEC);
	if (in < 0 || out < 0 || fstat(in, &st))
		err = -errno;
	while (!err && done < st.st_size) {
		ssize_t sent = sendfile(out, in, &done, st.st_size - done);

		if (sent <= 0)
			err = sent ? -errno : -EIO;
	}
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return err;
}

/* Make the process close the memfd. Its mappings stay. */
static void attach_close_sent(struct attach *a, const struct attach_sent *given)
{
	struct op_reason error = { "" };

	attach_system_call(a, (struct attach_call){.number = SYS_close, .args = {given->fd}},
			   &error);
}

/* Make the process create a memfd, and copy the file at @path to it. Return 0, or a negative errno
 * with a message in @error. If opattach is killed during this function, an unused descriptor stays
 * open in the process. */
static int attach_send_file(struct attach *a, const char *path, struct attach_sent *ret,
			    struct op_reason *error)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const struct attach_call call = {
		.number = SYS_memfd_create,
		.args = {0, MFD_CLOEXEC},
		.is_offset = {true},
		.data = name,
		.len = strlen(name) + 1,
	};
	int place, err = attach_system_call(a, call, error);

	if (err)
		return err;
	place = find_new(a, name, &ret->fd);
	if (place < 0)
		return op_fail(error, -EACCES,
			       "the process is not permitted to create a file in memory "
			       "(memfd_create)");
	snprintf(ret->path, sizeof(ret->path), "/proc/self/fd/%d", ret->fd);
	err = copy(path, place);
	close(place);
	if (!err)
		return 0;
	attach_close_sent(a, ret);
	return op_fail(error, err, "cannot copy %s into the process: %s", path, strerror(-err));
}

#define LIBRARY		"libopprobe.so"
#define OLDER		LIBRARY " is loaded, but is of an older version that opattach cannot start"
/* number of bytes of stack that dlopen() and the constructors of the library need */
#define LOADING		98304
#define BEGINNING	65536
#define NEEDED_STACK		16384

/* Store the path of the probe's library, followed by the libraries that the events need, separated
 * by colons. Store an empty list if @probe is "", because the process cannot see, and so cannot
 * load, opattach's files. Return 0, or a negative errno with a message in @error. */
static int find_libraries(const struct attach *a, const char *probe, char *buf, size_t size,
			  struct op_reason *error)
{
	size_t len = snprintf(buf, size, "%s", probe);
	int err = 0;

	for (uint32_t i = 0; i < a->options->probe.nr_events && !err; i++) {
		const char *name = a->options->probe.events[i].kind->library;
		struct op_reason cause = { "" };
		char *path = NULL, *library;

		if (!name)
			continue;
		if (!*probe)
			return op_fail(error, -ENOENT,
				       "%s is counted by a library that the process cannot load; "
				       "start the program with opprobe",
				       a->options->probe.events[i].name);
		err = probe_library_find(&path, name, &cause);
		if (err)
			return op_fail(error, err, "%s", cause.text);
		library = realpath(path, NULL);
		if (library && len < size)
			len += snprintf(buf + len, size - len, ":%s", library);
		else
			err = op_fail(error, -ENOENT, "%s: %s", path, strerror(errno));
		free(library);
		free(path);
	}
	return err;
}

/* Store two NUL-terminated strings in @buf: the options in the syntax of $OPPROBE, and @library.
 * The directory in the options is a->dir or, if that is NULL, the directory of the file a->path.
 * Return the length of both strings. */
static size_t make_words(const struct attach *a, const char *library, char *buf, size_t size)
{
	size_t len = 0;

	for (uint32_t i = 0; i < a->options->probe.nr_events && len < size; i++)
		len += probe_event_word(buf + len, size - len, &a->options->probe.events[i]);
	if (len < size)
		len += snprintf(buf + len, size - len, "output=%.*s",
				a->dir ? (int)strlen(a->dir) :
					 (int)(strrchr(a->path, '/') - a->path),
				a->dir ? a->dir : a->path) +
		       1;
	if (len < size)
		len += snprintf(buf + len, size - len, "%s", library) + 1;
	return len;
}

/* Return a call of the probe's function @name in the process. .function is 0 if the process has
 * loaded an older version of the probe, without this function. */
static struct attach_call find_call(struct attach *a, const char *name)
{
	struct attach_call call = {
		.state = attach_find_variable(a, LIBRARY, "opprobe_attach_state")};

	call.function = call.state ? attach_find_function(a, LIBRARY, name) : 0;
	return call;
}

/*
 * Call opprobe_attach_thread() in each thread. Report the number of threads where this failed.
 * @missed: text that names the data that are not recorded in these threads.
 */
static void report_threads(struct attach *a, const char *missed)
{
	const struct attach_call call = find_call(a, "opprobe_attach_thread");
	int nr = attach_call_all(a, &call, NEEDED_STACK);

	if (nr > 0)
		fprintf(stderr,
			"opattach: %s in %d %s, because opattach found no safe moment to call a "
			"function there\n",
			missed, nr, op_plural(nr, "thread", "threads"));
}

static int begin(struct attach *a, const char *library, struct op_reason *error)
{
	char text[ATTACH_DATA] = "", libraries[ATTACH_DATA / 2];
	struct attach_call call = find_call(a, "opprobe_attach");
	int err = find_libraries(a, library, libraries, sizeof(libraries), error);

	if (err)
		return err;
	if (!call.function)
		return op_fail(error, -ENOENT, "%s", OLDER);
	call.data = text;
	call.is_offset[0] = true;
	err = attach_make_dir(a, error);
	if (err)
		return err;
	call.len = make_words(a, libraries, text, sizeof(text));
	if (call.len >= sizeof(text))
		return op_fail(error, -ENAMETOOLONG, "%s: the name is too long", a->dir);
	err = attach_call_safe(a, &call, BEGINNING, error);
	if (err)
		return err;
	if (!attach_find_open(a, ".csp.live"))
		return op_fail(error, -EACCES,
			       "the probe could not start in the process: the process has no "
			       "permission to write to %s or to read %s, or the kernel refuses "
			       "the event",
			       a->dir, libraries);
	report_threads(a, "nothing is sampled");
	return 0;
}

/* Read the list of metrics (counted events) of a->path, the .csp.live file of the process. Return
 * their number, or a negative errno. */
static int read_metrics(const struct attach *a,
			struct raw_live_metric metrics[RAW_LIVE_MAX_METRICS])
{
	const off_t at = RAW_LIVE_TOP * 8;
	struct raw_live_run run;
	struct stat st;
	int fd = open(a->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) || !S_ISREG(st.st_mode) ||
			      pread(fd, &run, sizeof(run), at) != sizeof(run) ||
			      run.nr_metrics > RAW_LIVE_MAX_METRICS ?
		      -EUCLEAN :
		      0;
	close(fd);
	if (err)
		return err;
	memcpy(metrics, run.metrics, sizeof(run.metrics));
	return run.nr_metrics;
}

/* Check whether the process already counts all requested events that are sampled by signals, and
 * store the answer in *@ret. Return 0, or a negative errno with a message in @error: -EEXIST if an
 * event is counted with another period. */
static int count_samples(const struct attach *a, bool *ret, struct op_reason *error)
{
	struct raw_live_metric metrics[RAW_LIVE_MAX_METRICS];
	int nr = read_metrics(a, metrics);
	bool are_counted = true;

	if (nr < 0)
		return op_fail(error, nr, "cannot read %s: %s", a->path, strerror(-nr));
	for (uint32_t i = 0; i < a->options->probe.nr_events; i++) {
		const struct raw_probe_event *event = &a->options->probe.events[i];
		int j = 0;

		if (!raw_probe_by_signal(event->kind))
			continue;
		while (j < nr && strncmp(metrics[j].event, event->name, sizeof(metrics[j].event)))
			j++;
		if (j < nr && metrics[j].period != event->period)
			return op_fail(error, -EEXIST,
				       "the probe in the process cannot change the period of %s, "
				       "which is %" PRIu64,
				       event->name, metrics[j].period);
		are_counted &= j < nr;
	}
	*ret = are_counted;
	return 0;
}

/* Return whether the process has loaded the library of each requested event. */
static bool have_libraries(struct attach *a)
{
	for (uint32_t i = 0; i < a->options->probe.nr_events; i++)
		if (!attach_find_image(a, a->options->probe.events[i].kind->library))
			return false;
	return true;
}

/* Make the probe count the requested events in addition to the events that it counts already.
 * Return 0, or a negative errno with a message in @error. */
static int add(struct attach *a, struct attach_call call, struct op_reason *error)
{
	char *library = attach_visible_library(a, LIBRARY), text[ATTACH_DATA] = "",
	     libraries[ATTACH_DATA / 2];
	int err = find_libraries(a, library ? library : "", libraries, sizeof(libraries), error);
	bool are_counted;

	free(library);
	if (!err)
		err = count_samples(a, &are_counted, error);
	if (err)
		return err;
	call.data = text;
	call.is_offset[0] = true;
	call.len = make_words(a, libraries, text, sizeof(text));
	if (call.len >= sizeof(text))
		return op_fail(error, -ENAMETOOLONG, "%s: the name is too long", a->path);
	err = attach_call_safe(a, &call, BEGINNING, error);
	if (err)
		return err;
	if (attach_images_read(&a->images, &a->target))
		return attach_target_refused(&a->target, -ESRCH, error);
	if (!have_libraries(a))
		return op_fail(error, -EACCES, "the process could not load all libraries of "
					       "%s", libraries);
	err = count_samples(a, &are_counted, error);
	return err || are_counted ?
		       err :
		       op_fail(error, -ENOTSUP,
			       "the probe in the process cannot add the events: the program "
			       "counts metrics of its own, or the kernel refuses an event there");
}

/* Make the probe resume counting after --stop, and add the requested events. Return 0, or a
 * negative errno with a message in @error. */
static int resume_probe(struct attach *a, struct op_reason *error)
{
	const struct attach_call call = find_call(a, "opprobe_attach");
	int err;

	if (a->options->dir && !attach_is_in(a->path, a->options->dir))
		return op_fail(error, -EEXIST,
			       "the probe in the process continues to write %s and cannot write "
			       "another file",
			       a->path);
	if (!call.function)
		return op_fail(error, -ENOENT, "%s", OLDER);
	err = a->options->has_events ? add(a, call, error) :
				       attach_call_safe(a, &call, NEEDED_STACK, error);
	if (!err)
		report_threads(a, "the added events are not counted");
	return err;
}

static int begin_probe(struct attach *a, struct op_reason *error)
{
	struct attach_image *probe = attach_find_image(a, LIBRARY);
	int err;

	if (!probe)
		return op_fail(error, -ENOENT, "the process has not loaded the probe");
	if (a->options->pc)
		return op_fail(error, -EINVAL, "the probe in the process counts call paths");
	err = attach_may_call(a, error);
	if (err)
		return err;
	return attach_find_open(a, ".csp.live") ? resume_probe(a, error) : begin(a, probe->path, error);
}

static int stop_probe(struct attach *a, struct op_reason *error)
{
	const struct attach_call call = find_call(a, "opprobe_detach");
	int err;

	if (!attach_find_image(a, LIBRARY))
		return op_fail(error, -ENOENT, "the process has not loaded the probe");
	if (!call.function)
		return op_fail(error, -ENOENT, "%s", OLDER);
	err = attach_may_call(a, error);
	return err ? err : attach_call_safe(a, &call, NEEDED_STACK, error);
}

/* Return the address of dlopen() in the process, or 0. The function is in the C library or, in old
 * versions, in libdl. */
static uint64_t find_dlopen(struct attach *a)
{
	static const char *const libraries[] = { "libc.so.6", "libdl.so.2" };
	uint64_t at = 0;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !at; i++)
		at = attach_find_function(a, libraries[i], "dlopen");
	return at;
}

/* Return whether the path @library refers to the same file for the process and for opattach. */
static bool is_visible(const struct attach *a, const char *library)
{
	char path[sizeof(a->path)];
	struct stat own, its;

	if (!a->target.is_elsewhere)
		return true;
	snprintf(path, sizeof(path), "root%s", library);
	return !stat(library, &own) && !fstatat(a->target.proc, path, &its, 0) &&
	       own.st_ino == its.st_ino && own.st_dev == its.st_dev;
}

/* Make the process load the library @path (a path as the process sees it), and check that a file
 * named @name was loaded. Return 0, or a negative errno with a message in @error. */
static int load(struct attach *a, const char *path, const char *name, struct op_reason *error)
{
	struct attach_call call = {.args = {0, RTLD_NOW | RTLD_GLOBAL},
				   .is_offset = {true},
				   .data = path,
				   .len = strlen(path) + 1};
	int err;

	call.function = find_dlopen(a);
	if (!call.function)
		return op_fail(
			error, -ENOENT,
			"cannot find dlopen() in the program: its C library is not supported");
	err = attach_call_safe(a, &call, LOADING, error);
	if (err)
		return err;
	if (attach_images_read(&a->images, &a->target))
		return attach_target_refused(&a->target, -ESRCH, error);
	return attach_find_image(a, name) ? 0 :
					    op_fail(error, -EACCES,
						    "the process could not load %s: it may not "
						    "read the file, or a library that the file needs is missing",
						    path);
}

/* Give the process a copy of the library in a memfd, and make the process load it. Used for a
 * process in a container that does not see opattach's files. */
static int load_sent(struct attach *a, const char *library, const char *name,
		     struct op_reason *error)
{
	struct attach_sent given;
	int err = attach_send_file(a, library, &given, error);

	if (err)
		return err;
	err = load(a, given.path, name, error);
	attach_close_sent(a, &given);
	return err;
}

/* Find the path of the probe's library @name. The caller frees the path. Return 0, or a negative
 * errno with a message in @error. */
static int find_own(char **ret, const char *name, struct op_reason *error)
{
	struct op_reason cause = { "" };
	char *path = NULL;
	int err = probe_library_find(&path, name, &cause);

	if (err)
		return op_fail(error, err, "%s", cause.text);
	*ret = realpath(path, NULL);
	err = *ret ? 0 : op_fail(error, -ENOENT, "%s: %s", path, strerror(errno));
	free(path);
	return err;
}

char *attach_visible_library(const struct attach *a, const char *name)
{
	struct op_reason error = { "" };
	char *library = NULL;

	if (find_own(&library, name, &error) || is_visible(a, library))
		return library;
	free(library);
	return NULL;
}

/* Load the library @name (the pc sample collector or the probe) into the process, and start it. If
 * the library was copied to a memfd, programs that the process starts cannot open it: do not make
 * them preload it. */
static int load_and_begin(struct attach *a, const char *name, struct op_reason *error)
{
	int (*begins)(struct attach * a, const char *library, struct op_reason *error) =
		a->options->pc ? attach_collector_begin : begin;
	char *library = NULL, others[ATTACH_DATA];
	bool is_seen;
	int err = find_own(&library, name, error);

	if (err)
		return err;
	is_seen = is_visible(a, library);
	err = a->options->pc ?
		      attach_make_dir(a, error) :
		      find_libraries(a, is_seen ? library : "", others, sizeof(others), error);
	if (!err)
		err = is_seen ? load(a, library, name, error) : load_sent(a, library, name, error);
	if (!err)
		err = begins(a, is_seen ? library : "", error);
	free(library);
	return err;
}

static int begin_library(struct attach *a, struct op_reason *error)
{
	const char *name = a->options->pc ? ATTACH_COLLECTOR : LIBRARY;
	int err;

	if (attach_find_image(a, name))
		return op_fail(error, -EEXIST, "the process has already loaded %s", name);
	err = a->options->pc ? attach_collector_check(a, error) : 0;
	if (err)
		return err;
	if (!a->target.is_dynamic && !a->target.is_foreign)
		return op_fail(error, -ENOEXEC, "the program is static: it cannot load the probe");
	err = attach_may_call(a, error);
	return err ? err : load_and_begin(a, name, error);
}

const struct attach_method attach_probe = {
	.name = "probe", .begin = begin_probe, .stop = stop_probe};
const struct attach_method attach_library = { .name = "library", .begin = begin_library };
