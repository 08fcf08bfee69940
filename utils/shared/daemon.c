// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon.c -- finds, starts and stops oprofiled.
 */
#include "config.h"
#include "utils/shared/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/owner.h"
#include "libop/base/process.h"
#include "libop/event/spec.h"
#include "libop/session/paths.h"
#include "utils/shared/session_files.h"
#include "utils/shared/spawn.h"

#define KILL_TIMEOUT_S 5

/* The module's default buffer sizes (doc/oprofilefs.md). The watershed is a quarter of the
 * buffer. */
#define MODULE_BUFFER_SIZE 131072
#define MODULE_CPU_BUFFER_SIZE 8192

/* Check the flock on the lock file of the session directory. A running daemon holds the lock; after
 * a daemon was killed, the file still exists but is not locked. */
static int check_lock(struct ctl_daemon *d, const char *session_dir, struct op_reason *error)
{
	int dir = op_session_dir_open(session_dir, OP_SESSION_READ, error), fd;

	if (dir < 0)
		return dir == -ENOENT ? 0 : dir;
	fd = openat(dir, "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(dir);
	if (fd < 0)
		return 0;
	d->pid = op_read_pid(fd);
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		d->state = CTL_DAEMON_DEAF;
	else if (d->pid)
		d->state = CTL_DAEMON_STALE;
	close(fd);
	return 0;
}

int ctl_daemon_find(struct ctl_daemon *ret, const char *session_dir, struct op_reason *error)
{
	struct ctl_daemon found = { .state = CTL_DAEMON_NONE };
	struct op_client client;
	int err;

	err = op_client_connect(&client, session_dir, CTL_WRITE_TIMEOUT_S, error);
	if (!err) {
		found.state = CTL_DAEMON_RUNNING;
		found.pid = client.pid;
		found.uid = client.uid;
		op_client_close(&client);
	} else if (err == -ENOENT || err == -ECONNREFUSED) {
		err = check_lock(&found, session_dir, error);
		if (err)
			return err;
	} else {
		return err;
	}
	*ret = found;
	return 0;
}

bool ctl_daemon_alive(const struct ctl_daemon *d)
{
	return d->state == CTL_DAEMON_RUNNING || d->state == CTL_DAEMON_DEAF;
}

int ctl_daemon_request(const char *session_dir, const char *request, int timeout_s, FILE *notices,
		       struct op_reply *reply, struct op_reason *error)
{
	char option[OP_SESSION_OPTION_SIZE];
	struct op_client client;
	int err;

	err = op_client_connect(&client, session_dir, timeout_s, error);
	if (err == -ENOENT || err == -ECONNREFUSED)
		return op_fail(error, -ESRCH,
			       "daemon not running: no daemon listens in %s; start it with "
			       "opcontrol%s --start, or name its --session-dir",
			       session_dir, op_session_option(option, session_dir));
	if (err)
		return err;
	client.notices = notices;
	err = op_client_request(&client, request, reply, error);
	op_client_close(&client);
	return err;
}

struct args {
	char **argv;
	size_t nr;
	bool failed;
};

static void add_arg(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_arg(struct args *a, const char *fmt, ...)
{
	char **more = reallocarray(a->argv, a->nr + 2, sizeof(*more));
	char *arg = NULL;
	va_list ap;

	if (more) {
		a->argv = more;
		va_start(ap, fmt);
		if (vasprintf(&arg, fmt, ap) < 0)
			arg = NULL;
		va_end(ap);
	}
	if (!arg) {
		a->failed = true;
		return;
	}
	more[a->nr++] = arg;
	more[a->nr] = NULL;
}

static void add_events(struct args *a, const struct op_settings *cfg)
{
	char *list = NULL;
	size_t size;
	FILE *f;

	if (!cfg->nr_events) {
		add_arg(a, "--events=%s:%d", OP_EVENT_TIMER, OP_TIMER_DEFAULT_NS);
		return;
	}
	f = open_memstream(&list, &size);
	if (!f) {
		a->failed = true;
		return;
	}
	for (size_t i = 0; i < cfg->nr_events; i++)
		fprintf(f, "%s%s", i ? "," : "", cfg->events[i]);
	if (fclose(f))
		a->failed = true;
	else
		add_arg(a, "--events=%s", list);
	free(list);
}

/*
 * Set the module's buffer sizes even if they are the defaults, because the module keeps earlier
 * values until it is unloaded.
 */
static void set_module_sizes(struct op_settings *cfg)
{
	if (!cfg->buffer_size)
		cfg->buffer_size = MODULE_BUFFER_SIZE;
	if (!cfg->buffer_watershed)
		cfg->buffer_watershed = cfg->buffer_size / 4;
	if (!cfg->cpu_buffer_size)
		cfg->cpu_buffer_size = MODULE_CPU_BUFFER_SIZE;
}

static void add_setting(struct args *a, const struct op_setting *row, const struct op_settings *cfg)
{
	char *text;

	if (op_setting_text(&text, row, cfg)) {
		a->failed = true;
		return;
	}
	if (text)
		add_arg(a, "--%s=%s", row->name, text);
	free(text);
}

char **ctl_daemon_argv(const char *program, const struct op_settings *cfg, const char *source,
		       const char *why, const char *verbose)
{
	/* a shallow copy, because @cfg continues to own the strings */
	struct op_settings sent = *cfg;
	const struct op_setting *row;
	struct args a = { 0 };

	sent.source = (char *)source;
	if (!strcmp(source, ctl_source_name(CTL_SOURCE_MODULE)))
		set_module_sizes(&sent);
	if (sent.vmlinux && !strcmp(sent.vmlinux, OP_NO_VMLINUX))
		sent.vmlinux = NULL;

	add_arg(&a, "%s", program);
	/* Put this argument first, so that it is visible in the output of ps(1). */
	add_setting(&a, op_setting_by_name("session-dir", OP_FOR_DAEMON), &sent);
	add_events(&a, cfg);
	op_for_each_setting(row, OP_FOR_OPCONTROL) {
		if (row->whose & OP_FOR_DAEMON && strcmp(row->name, "session-dir"))
			add_setting(&a, row, &sent);
	}
	if (cfg->vmlinux && !sent.vmlinux)
		add_arg(&a, "--no-vmlinux");
	if (why)
		add_arg(&a, "--why=%s", why);
	if (verbose)
		add_arg(&a, "--verbose=%s", verbose);
	if (a.failed) {
		ctl_daemon_argv_free(a.argv);
		return NULL;
	}
	return a.argv;
}

void ctl_daemon_argv_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

int ctl_daemon_start(char *const argv[], bool remembered, struct op_reason *error)
{
	int status = ctl_spawn(argv, NULL);

	if (status < 0)
		return op_fail(error, status, "cannot run %s: %s", argv[0], strerror(-status));
	if (status > 128)
		return op_fail(error, -EIO, "cannot start oprofiled: it was killed by signal %d "
					    "(%s)",
			       status - 128, strsignal(status - 128));
	if (status)
		return op_fail(error, -EIO, "cannot start oprofiled: see its messages above; %s", remembered ?
				"the settings are remembered: opcontrol --status shows them, --event=default forgets "
				"the events, --cpus=auto the CPUs." :
				"the settings of this command are not remembered.");
	return 0;
}

static int send_signal(int pidfd, int sig)
{
	return syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0) < 0 ? -errno : 0;
}

/* Return whether @uid may be the user of a daemon for the session directory. */
static bool is_owner(const char *session_dir, uid_t uid)
{
	struct op_reason unheard = { "" };
	int dir = op_session_dir_open(session_dir, OP_SESSION_READ, &unheard);
	bool is = (op_owner_trusted(uid) || op_owner_is_service(uid)) && dir >= 0 &&
		  op_session_dir_owns(dir, uid);

	if (dir >= 0)
		close(dir);
	return is;
}

/*
 * Open a pidfd of process @pid and check that the process is a daemon of root, of this user, or of
 * the service, and can be the daemon of @session_dir. The pid comes from a file or from an old
 * connection, so another process may have the same pid by now: open the pidfd first, then check the
 * process. Return the pidfd or a negative errno; -EPERM if the process is not such a daemon.
 */
static int open_daemon(pid_t pid, const char *session_dir)
{
	char path[64], comm[32] = "";
	struct stat st;
	int pidfd, ok;
	FILE *f;

	pidfd = op_pidfd_open(pid);
	if (pidfd < 0)
		return pidfd;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	ok = stat(path, &st) == 0 && is_owner(session_dir, st.st_uid);
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = ok ? fopen(path, "re") : NULL;
	ok = f && fgets(comm, sizeof(comm), f) && !strcmp(comm, "oprofiled\n");
	if (f)
		fclose(f);
	if (ok && send_signal(pidfd, 0) == 0)
		return pidfd;
	close(pidfd);
	return -EPERM;
}

/* Wait at most @seconds for the end of the process of @pidfd. Return whether it has ended. */
static bool wait_until_ended(int pidfd, int seconds)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	int n;

	do {
		n = poll(&p, 1, seconds * 1000);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

static int request_shutdown(const char *session_dir, int pidfd, const struct ctl_daemon *d,
			    FILE *notices, struct op_reason *error)
{
	int err = -EPIPE;

	/* If the process is stopped, continue it, because a stopped process does not handle the
	 * signal. */
	send_signal(pidfd, SIGCONT);
	if (d->state == CTL_DAEMON_RUNNING)
		err = ctl_daemon_request(session_dir, "shutdown", CTL_WRITE_TIMEOUT_S, notices, NULL,
					 error);
	if (!err || err == -EREMOTEIO)
		return err;
	err = send_signal(pidfd, SIGTERM);
	return err == -ESRCH ? 0 : err;
}

int ctl_daemon_shutdown(const char *session_dir, const struct ctl_daemon *d, FILE *notices,
			struct op_reason *error)
{
	int pidfd, err;

	pidfd = d->pid ? open_daemon(d->pid, session_dir) : -EPERM;
	if (pidfd == -ESRCH)
		return 0;
	if (pidfd == -EPERM)
		return op_fail(error, pidfd,
			       "cannot end the process that holds %s/lock or listens on "
			       "%s/control: it is not an oprofiled of root or of your user; find "
			       "it with fuser", session_dir, session_dir);
	if (pidfd < 0)
		return op_fail(error, pidfd, "cannot watch the daemon (pid %d): %s", (int)d->pid,
			       strerror(-pidfd));

	err = request_shutdown(session_dir, pidfd, d, notices, error);
	if (err == -EREMOTEIO)
		goto close_pidfd;
	if (!wait_until_ended(pidfd, CTL_WRITE_TIMEOUT_S)) {
		send_signal(pidfd, SIGKILL);
		err = wait_until_ended(pidfd, KILL_TIMEOUT_S) ?
			      1 :
			      op_fail(error, -ETIMEDOUT,
				      "cannot kill the daemon (pid %d): it hangs in the kernel; "
				      "see dmesg",
				      (int)d->pid);
	}

close_pidfd:
	close(pidfd);
	return err;
}
