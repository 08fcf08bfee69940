// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * finder.c -- the daemon's side of the finder, which opens users' files in a worker process: sends
 * requests to the worker, limits the time that the daemon waits, and lists the users whose file
 * systems stalled the worker.
 */
#include "config.h"
#include "daemon/image/finder.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/image/finder_message.h"
#include "libop/base/clock.h"
#include "libop/base/id_ranges.h"

/* maximum time to wait for one answer of the worker process, in ms; most answers take 0.05 ms */
#define WAIT_MS		1000
/* The daemon may wait 1/SHARE of the time. Waiting time that it does not use accumulates up to this
 * many milliseconds. */
#define SAVED_MS	2000
/* the daemon may spend 1/SHARE of the time waiting for the worker */
#define SHARE		50
/* minimum time in ms that the daemon waits for an answer, even if its waiting time is used up: on a
 * busy machine, the worker may have to wait for a CPU */
#define WAIT_LEAST_MS	200
/*
 * After a user's file system stalled the daemon, the daemon opens no files below the root
 * directories of this user's processes for AVOID_MS milliseconds. Each further stall increases this
 * time by AVOID_MS. After AVOID_TIMES stalls it is unlimited.
 */
#define AVOID_MS	60000
#define AVOID_TIMES	3
#define MAX_AVOIDED	64
/* delay in ms until the daemon requests a worker again, after the keeper process has refused to
 * start one because too many workers are stuck */
#define NO_WORKER_MS	10000

/* number of processes whose users are cached; a power of two */
#define NR_OWNERS	64
/* lifetime in ms of a cached user; the kernel cannot use up all process ids, and so reuse one, in
 * this time */
#define OWNER_MS	100

/* The user of a process, as op_id_ranges_payer_of() returns it. */
struct owner {
	pid_t tgid;
	uint32_t payer;
	uint64_t until_ms;
};

struct avoided {
	uint32_t payer;
	unsigned int times;
	uint64_t until_ms;
};

struct opd_finder {
	struct opd_log *log;
	const char *proc_dir;
	struct op_id_ranges ranges;
	pid_t keeper;			/* process that forks the workers; 0: not running */
	int keeper_socket, socket;	/* sockets of the keeper and of the worker; -1: closed */
	pid_t worker;			/* pid of the current worker; 0: not known yet */
	/* memfd into which the worker copies memory of a process for opd_finder_memory(); -1: not
	 * created yet */
	int memory_fd;
	uint64_t no_worker_until_ms;
	/* time in ms for which the daemon may still wait for the worker; negative after an
	 * overrun */
	int64_t left_ms;
	uint64_t refilled_ms;
	struct avoided avoided[MAX_AVOIDED];
	size_t nr_avoided;
	/* The finder may read the memory of a process hundreds of times a second, and the kernel
	 * takes as long to format /proc/PID/status as to answer such a request. */
	struct owner owners[NR_OWNERS];
	struct opd_finder_request request;
};

static int start_keeper(struct opd_finder *f, const char *proc_dir)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	f->keeper = fork();
	if (f->keeper == 0)
		opd_finder_process(pair[1], proc_dir);
	close(pair[1]);
	if (f->keeper < 0) {
		int err = -errno;

		f->keeper = 0;
		close(pair[0]);
		return err;
	}
	f->keeper_socket = pair[0];
	return 0;
}

int opd_finder_create(struct opd_finder **ret, const char *proc_dir, const char *subuid,
		      struct opd_log *log)
{
	struct opd_finder *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->log = log;
	f->proc_dir = proc_dir;
	f->keeper_socket = f->socket = f->memory_fd = -1;
	f->left_ms = SAVED_MS;
	f->refilled_ms = op_now_ms();
	err = op_id_ranges_read(&f->ranges, subuid);
	if (!err)
		err = start_keeper(f, proc_dir);
	if (err) {
		opd_finder_destroy(f);
		return err;
	}
	*ret = f;
	return 0;
}

static void dismiss(struct opd_finder *f)
{
	if (f->socket >= 0)
		close(f->socket);
	f->socket = -1;
}

void opd_finder_destroy(struct opd_finder *f)
{
	if (!f)
		return;
	dismiss(f);
	if (f->memory_fd >= 0)
		close(f->memory_fd);
	if (f->keeper_socket >= 0)
		close(f->keeper_socket);
	/* Wait for the keeper process, which exits as soon as its socket is closed. The keeper
	 * cannot be stuck, because it opens no file. */
	if (f->keeper)
		waitpid(f->keeper, NULL, 0);
	op_id_ranges_release(&f->ranges);
	free(f);
}

/* Set the nice value of the keeper, which a new worker inherits. The keeper kills the current
 * worker when it starts a new one. */
void opd_finder_set_nice(struct opd_finder *f, int nice)
{
	if (f && f->keeper && !setpriority(PRIO_PROCESS, (id_t)f->keeper, nice))
		dismiss(f);
}

static int need_worker(struct opd_finder *f)
{
	int pair[2], err;

	if (f->socket >= 0)
		return 0;
	if (op_now_ms() < f->no_worker_until_ms)
		return -EBUSY;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	err = opd_finder_send(f->keeper_socket, "", 1, &pair[1], 1);
	close(pair[1]);
	if (err)
		close(pair[0]);
	else
		f->socket = pair[0];
	f->worker = 0;
	return err;
}

/* Return how long the daemon may wait for the worker's next answer, in ms. */
static int answer_limit_ms(struct opd_finder *f)
{
	uint64_t now = op_now_ms(), earned = (now - f->refilled_ms) / SHARE;

	f->left_ms += (int64_t)earned;
	f->refilled_ms += earned * SHARE;
	if (f->left_ms > SAVED_MS)
		f->left_ms = SAVED_MS;
	return f->left_ms > WAIT_MS	    ? WAIT_MS
	       : f->left_ms < WAIT_LEAST_MS ? WAIT_LEAST_MS
					    : (int)f->left_ms;
}

/* Return true if the worker is runnable but waits for a CPU. The worker itself reported its pid
 * and is not trusted, so check that the process is a child of the keeper. */
static bool waits_for_cpu(const struct opd_finder *f)
{
	char path[64], text[512], *end, state;
	FILE *stat;
	size_t len;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)f->worker);
	stat = fopen(path, "re");
	if (!stat)
		return false;
	len = fread(text, 1, sizeof(text) - 1, stat);
	fclose(stat);
	text[len] = '\0';
	end = strrchr(text, ')');
	return end && sscanf(end, ") %c %d", &state, &parent) == 2 && parent == f->keeper &&
	       state == 'R';
}

/* Wait until the worker has sent a message or exited, at most until time @end. Return 0; -EAGAIN if
 * the worker did not get enough CPU time; or -ETIMEDOUT if the file that it reads blocks it. */
static int wait_for_message(struct opd_finder *f, uint64_t end)
{
	struct pollfd fd = { .fd = f->socket, .events = POLLIN };
	uint64_t now;
	int n;

	do {
		now = op_now_ms();
		n = poll(&fd, 1, now < end ? (int)(end - now) : 0);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		return 0;
	if (!f->worker || waits_for_cpu(f))
		return -EAGAIN;
	/* A worker that sent the message after the end of the wait is not blocked. */
	return poll(&fd, 1, 0) > 0 ? 0 : -ETIMEDOUT;
}

/* Receive the worker's answer to a request. @size: number of bytes that the worker was asked to
 * copy. A new worker first sends a message with its pid: receive this message first. */
static int receive_answer(struct opd_finder *f, struct opd_finder_answer *a, size_t size)
{
	uint64_t begin = op_now_ms(), end = begin + (uint64_t)answer_limit_ms(f);
	int err = 0;

	if (!f->worker) {
		err = wait_for_message(f, end);
		if (!err)
			err = opd_finder_receive_answer(f->socket, a, 0);
		if (!err) {
			opd_identity_release(&a->identity);
			f->worker = a->worker;
		}
	}
	if (!err)
		err = wait_for_message(f, end);
	if (!err)
		err = opd_finder_receive_answer(f->socket, a, size);
	f->left_ms -= (int64_t)(op_now_ms() - begin);
	return err;
}

/*
 * Send the first @size bytes of f->request and receive the answer. The caller closes the
 * descriptor in the answer. Return -ETIMEDOUT if the file's file system stalled the worker, or
 * -EAGAIN if the worker did not get enough CPU time.
 */
static int send_request(struct opd_finder *f, size_t size, const int *fds, size_t nr_fds,
			struct opd_finder_answer *a)
{
	int err = need_worker(f);

	if (err)
		return err;
	err = opd_finder_send(f->socket, &f->request, size, fds, nr_fds);
	if (!err)
		err = receive_answer(f, a, f->request.size);
	if (err == -EPIPE) {
		/* The keeper has closed the socket without starting a worker: MAX_STUCK workers are
		 * stuck. */
		f->no_worker_until_ms = op_now_ms() + NO_WORKER_MS;
		err = -EBUSY;
	}
	if (err) {
		dismiss(f);
		return err;
	}
	return a->result;
}

/* Return the entry of user @payer in the list of avoided users, or NULL. */
static struct avoided *find_avoided(struct opd_finder *f, uint32_t payer)
{
	for (size_t i = 0; i < f->nr_avoided; i++)
		if (f->avoided[i].payer == payer)
			return &f->avoided[i];
	return NULL;
}

static bool is_avoided(struct opd_finder *f, uint32_t payer)
{
	const struct avoided *a = find_avoided(f, payer);

	return a && op_now_ms() < a->until_ms;
}

/* Return an entry for user @payer in the list of avoided users: the user's existing entry, a free
 * entry, or the entry that expires first. */
static struct avoided *place_for(struct opd_finder *f, uint32_t payer)
{
	struct avoided *place = find_avoided(f, payer);

	if (place)
		return place;
	if (f->nr_avoided < MAX_AVOIDED) {
		place = &f->avoided[f->nr_avoided++];
	} else {
		place = f->avoided;
		for (size_t i = 1; i < MAX_AVOIDED; i++)
			if (f->avoided[i].until_ms < place->until_ms)
				place = &f->avoided[i];
	}
	*place = (struct avoided){ .payer = payer };
	return place;
}

/*
 * Do not open files of user @payer for a while, because a file of this user's process @tgid stalled
 * the daemon. The caller looks up @payer before it waits for the worker: after the wait, another
 * process may have the id @tgid.
 */
static void avoid(struct opd_finder *f, const char *what, pid_t tgid, uint32_t payer)
{
	struct avoided *a;

	if (payer == OPD_NO_PAYER) {
		opd_log(f->log, OPD_WARN, "cannot open %s: its file system does not answer", what);
		return;
	}
	a = place_for(f, payer);
	a->until_ms = ++a->times < AVOID_TIMES ? op_now_ms() + a->times * AVOID_MS : UINT64_MAX;
	opd_log(f->log, OPD_WARN,
		"cannot open %s of process %d: its file system does not answer. The daemon skips "
		"files that only processes of user %u can see%s",
		what, (int)tgid, payer, a->until_ms == UINT64_MAX ? "" : " for a while");
}

/* Set *@payer to the user that the work for the process @tgid counts against. Return 0, or -ENOENT
 * if the process does not exist. */
static int find_payer(struct opd_finder *f, pid_t tgid, uint32_t *payer)
{
	struct owner *at = &f->owners[(uint32_t)tgid % NR_OWNERS];
	uint64_t now = op_now_coarse_ms();
	int err;

	if (at->until_ms <= now || at->tgid != tgid) {
		err = op_id_ranges_payer_of(&f->ranges, f->proc_dir, tgid, payer);
		if (err)
			return err;
		*at = (struct owner){tgid, *payer, now + OWNER_MS};
	}
	*payer = at->payer;
	return 0;
}

/* Ask the worker to find a file below the root directory of process @tgid, which belongs to user
 * @payer. */
static int find_in(struct opd_finder *f, enum opd_finder_what what, struct opd_identity *ret,
		   const char *path, uint64_t dev, uint64_t ino, pid_t tgid, uint32_t payer)
{
	struct opd_finder_request *r = &f->request;
	size_t len = strlen(path) + 1;
	struct opd_finder_answer a;
	int err;

	if (len > sizeof(r->path))
		return -ENOENT;
	r->what = what;
	r->tgid = tgid;
	r->dev = dev;
	r->ino = ino;
	memcpy(r->path, path, len);
	err = send_request(f, offsetof(struct opd_finder_request, path) + len, NULL, 0, &a);
	if (!err) {
		*ret = a.identity;
		ret->payer = payer;
	}
	if (err == -ETIMEDOUT)
		avoid(f, path, tgid, payer);
	return err;
}

int opd_finder_find_through(struct opd_finder *f, struct opd_identity *ret, const char *path,
			    uint64_t dev, uint64_t ino, pid_t tgid)
{
	uint32_t payer;

	if (!f)
		return opd_identify(ret, path, dev, ino, tgid);
	if (find_payer(f, tgid, &payer) || is_avoided(f, payer))
		return -ENOENT;
	return find_in(f, OPD_FINDER_FIND, ret, path, dev, ino, tgid, payer);
}

int opd_finder_find(struct opd_finder *f, struct opd_identity *ret, const char *path, uint64_t dev,
		    uint64_t ino, pid_t tgid)
{
	int err;

	/* Search below the daemon's root directory first. No user is responsible for these
	 * mounts. */
	err = f ? find_in(f, OPD_FINDER_FIND, ret, path, dev, ino, 0, OPD_NO_PAYER) :
		  opd_identify(ret, path, dev, ino, 0);
	if (err != -ENOENT || tgid <= 0)
		return err;
	return opd_finder_find_through(f, ret, path, dev, ino, tgid);
}

int opd_finder_open(struct opd_finder *f, struct opd_identity *ret, const char *path, pid_t tgid)
{
	uint32_t payer;

	if (!f)
		return opd_open_in_root(ret, path, tgid);
	if (find_payer(f, tgid, &payer) || is_avoided(f, payer))
		return -ENOENT;
	return find_in(f, OPD_FINDER_OPEN, ret, path, 0, 0, tgid, payer);
}

int opd_finder_exe(struct opd_finder *f, uint64_t *dev, uint64_t *ino, pid_t tgid)
{
	struct opd_finder_answer a;
	uint32_t payer;
	int err;

	if (!f)
		return opd_identify_exe(dev, ino, tgid);
	if (find_payer(f, tgid, &payer) || is_avoided(f, payer))
		return -ENOENT;
	f->request.what = OPD_FINDER_EXE;
	f->request.tgid = tgid;
	err = send_request(f, offsetof(struct opd_finder_request, path), NULL, 0, &a);
	if (!err) {
		*dev = a.dev;
		*ino = a.ino;
	}
	if (err == -ETIMEDOUT)
		avoid(f, "the program", tgid, payer);
	return err;
}

/* Ask the worker to copy the memory map of process @tgid. Return a descriptor of the copy, which
 * the caller closes, or a negative errno. */
static int copy_of_maps(struct opd_finder *f, pid_t tgid)
{
	struct opd_finder_answer a;
	uint32_t payer;
	int fd, err;

	if (find_payer(f, tgid, &payer))
		return -ENOENT;
	if (is_avoided(f, payer))
		return -ETIMEDOUT;
	fd = memfd_create("maps", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	f->request.what = OPD_FINDER_MAPS;
	f->request.tgid = tgid;
	err = send_request(f, offsetof(struct opd_finder_request, path), &fd, 1, &a);
	if (err == -ETIMEDOUT)
		avoid(f, "the memory map", tgid, payer);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int opd_finder_maps(struct opd_finder *f, int proc_fd, pid_t tgid, opd_proc_map_fn fn, void *arg)
{
	int fd;

	if (!f)
		return opd_proc_maps_each(proc_fd, tgid, fn, arg);
	fd = copy_of_maps(f, tgid);
	if (fd >= 0)
		return opd_proc_maps_read(fd, fn, arg);
	switch (fd) {
	case -ENOENT:
	case -ESRCH:
		return -ENOENT;
	case -EACCES:
	case -EPERM:
		return -EACCES;
	default:
		return -EAGAIN;
	}
}

int opd_finder_copy(struct opd_finder *f, struct opd_copied *ret, const struct opd_identity *from,
		    int to_fd, off_t at, size_t size)
{
	struct opd_finder_answer a;
	int fds[] = { from->fd, to_fd }, err;

	if (!f)
		return opd_copy_found(ret, from->fd, to_fd, at, to_fd < 0 ? 0 : size);
	if (from->payer != OPD_NO_PAYER && is_avoided(f, from->payer))
		return -ENOENT;
	f->request.what = OPD_FINDER_COPY;
	f->request.at = at;
	f->request.size = size;
	err = send_request(f, offsetof(struct opd_finder_request, path), fds, to_fd < 0 ? 1 : 2,
			   &a);
	if (!err)
		*ret = a.copied;
	if (err == -ETIMEDOUT)
		avoid(f, "a JIT file", 0, from->payer);
	return err;
}

ssize_t opd_finder_memory(struct opd_finder *f, pid_t tid, uint64_t address, void *to, size_t size)
{
	struct opd_finder_answer a;
	uint32_t payer;
	ssize_t got;
	int err;

	if (!f) {
		struct iovec here = { to, size }, there = { (void *)(uintptr_t)address, size };

		got = process_vm_readv(tid, &here, 1, &there, 1, 0);
		return got < 0 ? -errno : got;
	}
	if (find_payer(f, tid, &payer) || is_avoided(f, payer))
		return -ESRCH;
	if (f->memory_fd < 0)
		f->memory_fd = memfd_create("memory", MFD_CLOEXEC);
	if (f->memory_fd < 0)
		return -errno;
	f->request.what = OPD_FINDER_MEMORY;
	f->request.tgid = tid;
	f->request.dev = address;
	f->request.size = size;
	err = send_request(f, offsetof(struct opd_finder_request, path), &f->memory_fd, 1, &a);
	if (err == -ETIMEDOUT)
		avoid(f, "the stack", tid, payer);
	if (!err) {
		got = pread(f->memory_fd, to, a.copied.len, 0);
		return got < 0 ? -errno : got;
	}
	/* Create another memfd for the next request: a worker that was abandoned may still write to
	 * this one. */
	close(f->memory_fd);
	f->memory_fd = -1;
	return err;
}

int opd_finder_open_in_memory(struct opd_finder *f, int path_fd, uint32_t payer)
{
	struct opd_finder_answer a;
	int err;

	if (!f)
		return opd_open_in_memory(path_fd);
	if (payer != OPD_NO_PAYER && is_avoided(f, payer))
		return -ENOENT;
	f->request.what = OPD_FINDER_OPEN_IN_MEMORY;
	err = send_request(f, offsetof(struct opd_finder_request, path), &path_fd, 1, &a);
	if (err == -ETIMEDOUT)
		avoid(f, "a program's code", 0, payer);
	if (err)
		return err;
	return a.identity.fd >= 0 ? a.identity.fd : -EBADMSG;
}

int opd_finder_hand_over(struct opd_finder *f, int path_fd, uint32_t payer, int socket, char kind,
			 const int *more, size_t nr)
{
	struct opd_finder_answer a;
	int fds[OPD_FINDER_FDS], err;

	if (nr > OPD_FINDER_FDS - 2)
		return -EINVAL;
	if (!f)
		return -ENOSYS;
	if (payer != OPD_NO_PAYER && is_avoided(f, payer))
		return -ENOENT;
	fds[0] = path_fd;
	fds[1] = socket;
	memcpy(fds + 2, more, nr * sizeof(*more));
	f->request.what = OPD_FINDER_HAND_OVER;
	f->request.kind = kind;
	err = send_request(f, offsetof(struct opd_finder_request, path), fds, nr + 2, &a);
	if (err == -ETIMEDOUT)
		avoid(f, "a binary whose symbols are to be kept", 0, payer);
	return err;
}
