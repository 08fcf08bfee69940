// SPDX-License-Identifier: GPL-2.0-or-later
/* tables.c -- a queue of open files, a process that reads them, and the directory of results. */
#include <config.h>
#include "daemon/store/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "libop/base/clock.h"
#include "libop/base/dir.h"
#include "libop/base/grow.h"
#include "libop/session/table_request.h"

#define MAX_QUEUE	256		/* files that are held open */
#define LONG_QUEUE	64		/* more are not put off */
#define PUT_OFF_MS	60000		/* after the first of them */
#define MAX_TABLES	100000		/* on disk */
#define MAX_FILE_MS	10000		/* of CPU time for one file */
#define BURST_MS	20000		/* of CPU time, saved up ... */
#define SHARE		50		/* ... as one of so many milliseconds passes */
#define DEBUG_DIR	"/usr/lib/debug/.build-id"
#define NEW_PREFIX	"new."

struct job {
	char name[OP_TABLE_NAME_SIZE];
	int fd, debug_fd;	/* -1: none */
	bool at_once;
};

struct opd_tables {
	struct opd_log *log;
	int dir_fd;
	char *program;
	uint64_t max_bytes, bytes;	/* on disk; counted anew when there are too many */
	size_t nr_files;

	dev_t root;			/* where programs are that nobody unmounts */
	struct job queue[MAX_QUEUE];	/* those that are to be read at once come first */
	size_t first, nr;
	uint64_t begin_ms;		/* until then work is put off; 0: nothing was offered yet */
	struct job job;			/* being worked on, when busy */
	bool busy;
	int out_fd;
	char out_name[32];

	pid_t pid;			/* of opsymbols; 0: not running */
	int socket;
	bool broken;			/* it does not work here: told */
	uint64_t job_cpu_ms;		/* what it had used when the job began */
	int64_t cpu_ms;			/* left of the budget */
	uint64_t refilled_ms;
};

/* Beside the daemon as it is built, or as it is installed. */
static char *find_program(void)
{
	char self[PATH_MAX], *path;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len > 0) {
		self[len] = '\0';
		if (asprintf(&path, "%s/../pp/" OP_TABLE_PROGRAM, dirname(self)) < 0)
			return NULL;
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	path = strdup(OPD_LIBEXEC_DIR "/" OP_TABLE_PROGRAM);
	if (path && access(path, X_OK) < 0) {
		free(path);
		errno = ENOENT;
		return NULL;
	}
	return path;
}

struct on_disk {
	char name[OP_TABLE_NAME_SIZE];
	int64_t used;
	uint64_t bytes;
};

static int compare_used(const void *a, const void *b)
{
	const struct on_disk *x = a, *y = b;

	return x->used < y->used ? 1 : x->used > y->used ? -1 : 0;
}

/* Lists the tables, and removes what a daemon left that was killed. *@ret: malloc'd. */
static size_t list_tables(struct opd_tables *t, struct on_disk **ret)
{
	struct on_disk *found = NULL;
	size_t nr = 0;
	struct dirent *d;
	DIR *dir;

	if (op_open_dir(t->dir_fd, ".", &dir))
		dir = NULL;
	while (dir && (d = op_next_entry(dir))) {
		struct stat st;

		if (strncmp(d->d_name, NEW_PREFIX, strlen(NEW_PREFIX)) == 0 && !t->busy)
			unlinkat(t->dir_fd, d->d_name, 0);
		if (strlen(d->d_name) >= sizeof(found->name) || !strstr(d->d_name, ".gz") ||
		    fstatat(t->dir_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (op_grow(&found, nr))
			break;
		strcpy(found[nr].name, d->d_name);
		found[nr].used = st.st_mtime;
		found[nr++].bytes = (uint64_t)st.st_blocks * 512;
	}
	if (dir)
		closedir(dir);
	*ret = found;
	return nr;
}

/* The least recently used go. */
static void make_room(struct opd_tables *t)
{
	struct on_disk *tables;
	size_t nr = list_tables(t, &tables);
	uint64_t limit = t->bytes > t->max_bytes || t->nr_files > MAX_TABLES ?
		t->max_bytes - t->max_bytes / 8 : t->max_bytes;

	if (nr)
		qsort(tables, nr, sizeof(*tables), compare_used);
	t->bytes = t->nr_files = 0;
	for (size_t i = 0; i < nr; i++) {
		if (t->bytes + tables[i].bytes > limit || i >= MAX_TABLES) {
			unlinkat(t->dir_fd, tables[i].name, 0);
			continue;
		}
		t->bytes += tables[i].bytes;
		t->nr_files++;
	}
	free(tables);
}

int opd_tables_create(struct opd_tables **ret, int samples_fd, uint64_t max_bytes,
		      struct opd_log *log)
{
	struct opd_tables *t = calloc(1, sizeof(*t));
	struct stat st;
	int made, err;

	if (!t)
		return -ENOMEM;
	t->log = log;
	t->max_bytes = max_bytes;
	t->socket = t->out_fd = t->dir_fd = -1;
	t->cpu_ms = BURST_MS;
	t->refilled_ms = op_now_ms();
	t->root = stat("/", &st) ? 0 : st.st_dev;
	t->program = find_program();
	if (!t->program) {
		opd_log(log, OPD_WARN, "symbol tables are not kept with the samples: there is no "
			OP_TABLE_PROGRAM " here, nor in " OPD_LIBEXEC_DIR);
		t->broken = true;
	}
	t->dir_fd = opd_open_dir_at(samples_fd, OP_TABLES_DIR, 0755, &made);
	if (t->dir_fd < 0) {
		err = t->dir_fd;
		opd_tables_destroy(t);
		return err;
	}
	make_room(t);
	*ret = t;
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void drop_job(struct job *job)
{
	close_fd(&job->fd);
	close_fd(&job->debug_fd);
}

/* The socket's end is the process's; who does not notice is killed. */
static void end_program(struct opd_tables *t, bool now)
{
	close_fd(&t->socket);
	if (!t->pid)
		return;
	for (int i = 0; !now && i < 20; i++) {
		if (waitpid(t->pid, NULL, WNOHANG) == t->pid) {
			t->pid = 0;
			return;
		}
		poll(NULL, 0, 5);
	}
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	t->pid = 0;
}

static void end_job(struct opd_tables *t, bool keep)
{
	struct stat st;

	if (keep && fstat(t->out_fd, &st) == 0 &&
	    renameat(t->dir_fd, t->out_name, t->dir_fd, t->job.name) == 0) {
		t->bytes += (uint64_t)st.st_blocks * 512;
		t->nr_files++;
	} else {
		unlinkat(t->dir_fd, t->out_name, 0);
	}
	close_fd(&t->out_fd);
	drop_job(&t->job);
	t->busy = false;
	if (t->bytes > t->max_bytes || t->nr_files > MAX_TABLES)
		make_room(t);
}

void opd_tables_destroy(struct opd_tables *t)
{
	if (!t)
		return;
	end_program(t, t->busy);
	if (t->busy)
		end_job(t, false);
	while (t->nr--)
		drop_job(&t->queue[t->first++ % MAX_QUEUE]);
	close_fd(&t->dir_fd);
	free(t->program);
	free(t);
}

/* The program starts with nothing of ours but its socket, and no signal blocked. */
static int start_program(struct opd_tables *t)
{
	char *const argv[] = { (char *)OP_TABLE_PROGRAM, NULL }, *const env[] = { NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	fcntl(pair[1], F_SETFL, 0);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&actions, pair[1], OP_TABLE_SOCKET);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	err = -posix_spawn(&t->pid, t->program, &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	close(pair[1]);
	if (err) {
		t->pid = 0;
		close(pair[0]);
		return err;
	}
	t->socket = pair[0];
	return 0;
}

/* Milliseconds of CPU time that the program has used. */
static uint64_t program_cpu_ms(const struct opd_tables *t)
{
	struct timespec used;
	clockid_t clock;

	if (!t->pid || clock_getcpuclockid(t->pid, &clock) || clock_gettime(clock, &used) < 0)
		return 0;
	return used.tv_sec * 1000ull + used.tv_nsec / 1000000;
}

static int send_job(struct opd_tables *t)
{
	int fds[OP_TABLE_MAX_FDS] = { t->job.fd, t->out_fd, t->job.debug_fd };
	size_t nr = t->job.debug_fd >= 0 ? 3 : 2;
	char kind = nr == 3 ? OP_TABLE_WITH_DEBUG : OP_TABLE_PLAIN;
	union {
		char bytes[CMSG_SPACE(sizeof(fds))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec data = { &kind, 1 };
	struct msghdr msg = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_SPACE(nr * sizeof(int)),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(nr * sizeof(int));
	memcpy(CMSG_DATA(c), fds, nr * sizeof(int));
	return sendmsg(t->socket, &msg, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

static int open_output(struct opd_tables *t)
{
	snprintf(t->out_name, sizeof(t->out_name), NEW_PREFIX "%d", (int)getpid());
	unlinkat(t->dir_fd, t->out_name, 0);
	t->out_fd = openat(t->dir_fd, t->out_name,
			   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	return t->out_fd < 0 ? -errno : 0;
}

static void begin_job(struct opd_tables *t)
{
	int err;

	t->job = t->queue[t->first];
	t->first = (t->first + 1) % MAX_QUEUE;
	t->nr--;
	t->busy = true;
	err = open_output(t);
	if (!err && !t->pid) {
		err = start_program(t);
		if (err)
			opd_log(t->log, OPD_WARN, "symbol tables are not kept: %s cannot be "
				"started: %s", t->program, strerror(-err));
		t->broken |= err != 0;
	}
	t->job_cpu_ms = program_cpu_ms(t);
	if (!err)
		err = send_job(t);
	if (err)
		end_job(t, false);
}

static void refill(struct opd_tables *t)
{
	uint64_t now = op_now_ms();

	t->cpu_ms += (now - t->refilled_ms) / SHARE;
	t->refilled_ms += (now - t->refilled_ms) / SHARE * SHARE;
	if (t->cpu_ms > BURST_MS)
		t->cpu_ms = BURST_MS;
}

/* The job is done, or the program has ended over it, or takes too long. */
static void take_answer(struct opd_tables *t)
{
	int32_t result = -EIO;
	ssize_t n = recv(t->socket, &result, sizeof(result), MSG_DONTWAIT);
	uint64_t used = program_cpu_ms(t) - t->job_cpu_ms;
	bool died = n >= 0 && n != sizeof(result), waiting = n < 0 && errno == EAGAIN;

	if (waiting && used <= MAX_FILE_MS)
		return;
	if (!waiting && n < 0)
		died = true;
	if (waiting || died) {
		opd_log(t->log, OPD_INFO, "the symbols of %s are not kept: reading them %s",
			t->job.name, waiting ? "takes too long" : "failed");
		end_program(t, true);
		result = -EIO;
		used = waiting ? used : MAX_FILE_MS / 10;
	}
	if (result == -EPERM || result == -ENOTSUP || result == -EINVAL) {
		opd_log(t->log, OPD_WARN, "symbol tables are not kept: " OP_TABLE_PROGRAM
			" cannot give up its rights here: %s", strerror(-result));
		t->broken = true;
	}
	t->cpu_ms -= (int64_t)used;
	end_job(t, result == 0);
}

/*
 * A session's first moments bring the most binaries. Reading them then would be what a short profile of a
 * quiet machine shows; they are held open, and so lose nothing by waiting. Where that would keep a file
 * system from being unmounted they are read at once.
 */
static bool is_due(const struct opd_tables *t)
{
	return t->nr && (t->nr > LONG_QUEUE || t->queue[t->first].at_once || op_now_ms() >= t->begin_ms);
}

void opd_tables_turn(struct opd_tables *t)
{
	if (!t)
		return;
	if (t->busy)
		take_answer(t);
	refill(t);
	if (t->broken || t->cpu_ms <= 0)
		while (t->nr) {
			drop_job(&t->queue[t->first]);
			t->first = (t->first + 1) % MAX_QUEUE;
			t->nr--;
		}
	while (!t->busy && !t->broken && is_due(t))
		begin_job(t);
	if (!t->busy && t->pid)
		end_program(t, false);
}

int opd_tables_fd(const struct opd_tables *t)
{
	return t && t->busy ? t->socket : -1;
}

void opd_tables_wait(struct opd_tables *t, int ms)
{
	uint64_t end = op_now_ms() + ms;

	while (t && (t->busy || is_due(t)) && op_now_ms() < end) {
		struct pollfd fd = { .fd = t->socket, .events = POLLIN };

		if (t->busy)
			poll(&fd, 1, 20);
		opd_tables_turn(t);
	}
}

static bool is_waiting(const struct opd_tables *t, const char *name)
{
	if (t->busy && strcmp(t->job.name, name) == 0)
		return true;
	for (size_t i = 0; i < t->nr; i++)
		if (strcmp(t->queue[(t->first + i) % MAX_QUEUE].name, name) == 0)
			return true;
	return false;
}

/* The administrator's directory: whom it belongs to decides what is in it. */
static int open_debug(const struct opd_image *image)
{
	char hex[2 * sizeof(image->build_id) + 1], path[128];
	struct stat st;
	int fd;

	if (image->build_id_len < 2)
		return -1;
	for (size_t i = 0; i < image->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", image->build_id[i]);
	snprintf(path, sizeof(path), DEBUG_DIR "/%.2s/%s.debug", hex, hex + 2);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
		close_fd(&fd);
	return fd;
}

static int name_of(const struct opd_image *image, char name[OP_TABLE_NAME_SIZE])
{
	return op_table_name(name, &image->identity, image->mtime, image->build_id,
			     image->build_id_len);
}

/* There is room. */
static void add_job(struct opd_tables *t, const struct job *job)
{
	size_t at = t->first + t->nr;

	if (job->at_once)
		at = t->first = (t->first + MAX_QUEUE - 1) % MAX_QUEUE;
	t->queue[at % MAX_QUEUE] = *job;
	t->nr++;
}

void opd_tables_offer(struct opd_tables *t, const struct opd_image *image, int fd)
{
	char name[OP_TABLE_NAME_SIZE];
	struct stat st;
	struct job job;

	if (!t || t->broken || name_of(image, name))
		return;
	if (utimensat(t->dir_fd, name, NULL, AT_SYMLINK_NOFOLLOW) == 0 || is_waiting(t, name)) {
		opd_image_set_kept(image);
		return;
	}
	if (t->nr == MAX_QUEUE || t->cpu_ms <= 0)
		return;
	memcpy(job.name, name, sizeof(name));
	job.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (job.fd < 0)
		return;
	job.debug_fd = open_debug(image);
	job.at_once = fstat(fd, &st) || st.st_dev != t->root;
	add_job(t, &job);
	if (!t->begin_ms)
		t->begin_ms = op_now_ms() + PUT_OFF_MS;
	opd_image_set_kept(image);
	if (!t->busy)
		opd_tables_turn(t);
}

static int catch_up(void *arg, const struct opd_image *image)
{
	struct opd_tables *t = arg;
	struct opd_identity identity;
	char name[OP_TABLE_NAME_SIZE];

	if (!image->used || !image->identity.build)
		return 0;
	if (image->kept) {
		if (name_of(image, name) == 0)
			utimensat(t->dir_fd, name, NULL, AT_SYMLINK_NOFOLLOW);
		return 0;
	}
	if (t->nr == MAX_QUEUE || t->cpu_ms <= 0)
		return 1;
	if (opd_identify(&identity, image->path, image->dev, image->ino, 0))
		return 0;
	if (identity.identity.build == image->identity.build && identity.fd >= 0)
		opd_tables_offer(t, image, identity.fd);
	opd_identity_release(&identity);
	return 0;
}

void opd_tables_catch_up(struct opd_tables *t, struct opd_images *images)
{
	if (!t || t->broken)
		return;
	refill(t);
	opd_images_for_each(images, catch_up, t);
	if (t->begin_ms)
		t->begin_ms = op_now_ms();
	opd_tables_turn(t);
}
