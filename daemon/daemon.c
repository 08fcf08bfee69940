// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon.c -- creation, main loop and destruction of the daemon.
 *
 * The daemon has one thread. An additional thread only deletes directories (deleter.h) and shares
 * no data with the main thread. The daemon's actions are in verbs.c, the requests that cause them
 * in requests.c.
 */
#include "config.h"
#include "daemon/daemon.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/control.h"
#include "daemon/image/jit_copy.h"
#include "daemon/intervals.h"
#include "daemon/limits.h"
#include "daemon/reload.h"
#include "daemon/requests.h"
#include "daemon/service.h"
#include "daemon/source/source.h"
#include "daemon/store/made_files.h"
#include "daemon/store/sample_cache.h"
#include "daemon/store/session_settings.h"
#include "daemon/store/tables.h"
#include "daemon/verbs.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/session/abi.h"
#include "libop/session/paths.h"

/* maximum number of descriptors to poll for symbol tables, unwind tables, and unwind tables of JIT
 * code */
#define NR_TABLES_FDS	(3 * OPD_TABLE_WORKERS)

/* The daemon. The members are created in this order. */
struct opd {
	struct opd_config *cfg;		/* the configuration to which .parts refers; borrowed */
	struct opd_parts parts;
	int signal_fd;
	struct pollfd *fds;
	size_t max_fds;
	struct opd_requests requests;
	struct opd_control *control;
	struct opd_service service;
};

static void handled_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGUSR2);
}

void opd_block_signals(void)
{
	sigset_t set;

	handled_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void handle_signals(struct opd *o)
{
	struct opd_parts *p = &o->parts;
	struct signalfd_siginfo info;

	while (read(o->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGHUP:
			opd_service_reloading();
			opd_hang_up(p);
			opd_reload(p, o->cfg);
			opd_service_reloaded(&o->service);
			break;
		case SIGUSR1:
			opd_start(p);
			break;
		case SIGUSR2:
			opd_stop(p);
			break;
		default:
			opd_log(&p->log, OPD_INFO, "received signal %u: shutting down",
				info.ssi_signo);
			p->quit = true;
		}
	}
}

static int open_signals(void)
{
	sigset_t set;
	int fd;

	handled_signals(&set);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static bool lock_session(struct opd_parts *p, struct op_reason *error)
{
	pid_t holder = 0;
	int err = opd_session_lock(&p->session, &holder);

	/* Retry if the lock is in use: another process may hold it for a moment to check whether a
	 * daemon runs. */
	for (int i = 0; i < 10 && err == -EBUSY; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
		err = opd_session_lock(&p->session, &holder);
	}
	if (!err)
		return true;
	if (err == -EBUSY && holder)
		op_fail(error, err, "a daemon (pid %d) already writes to %s: end that daemon with "
				    "opcontrol --shutdown", (int)holder, p->session.paths.dir);
	else if (err == -EBUSY)
		op_fail(error, err, "another daemon already writes to %s: end that daemon with "
				    "opcontrol --shutdown", p->session.paths.dir);
	else
		op_fail(error, err, "cannot lock %s: %s%s", p->session.paths.lock, strerror(-err),
			err == -EPERM ? " (it belongs to another user: remove it)"
			: err == -ENOSPC || err == -EDQUOT
				? " (free some disk space, or choose another --session-dir)"
				: "");
	return false;
}

static int open_session(struct opd *o, struct op_reason *error)
{
	struct opd_parts *p = &o->parts;
	int err = opd_session_open(&p->session, p->cfg->set.session_dir, p->cfg->group, error);
	int limits_err;

	if (err)
		return err;
	if (!lock_session(p, error))
		return -EBUSY;
	p->session.new_names = &p->new_names;
	err = opd_log_open(&p->log, p->session.samples_fd, "oprofiled.log");
	if (err)
		return op_fail(error, err, "cannot open the log %s: %s", p->session.paths.log,
			       strerror(-err));
	limits_err = opd_limits_apply(o->cfg, p->session.dir_fd);
	opd_log_lines(&p->log, OPD_WARN, p->cfg->complaints);
	if (limits_err)
		opd_log(&p->log, OPD_WARN, "cannot write the limits of stored intervals (KEEP, "
					   "MAX_DISK) to %s: %s",
			p->session.paths.dir, op_strerror(limits_err));
	err = op_abi_write(p->session.dir_fd, "abi");
	if (err)
		opd_log(&p->log, OPD_WARN, "cannot write %s: %s", p->session.paths.abi,
			op_strerror(err));
	return 0;
}

/* If this daemon's settings differ from the settings with which the session's samples were taken,
 * write a warning, also to stderr. The user can then still avoid a mixture. */
static void note_settings(struct opd_parts *p)
{
	bool elsewhere = strcmp(p->session.paths.dir, OP_DEFAULT_SESSION_DIR);
	char *changed = opd_settings_changed(p->cfg, p->session.current_fd);

	if (changed)
		opd_log(&p->log, OPD_WARN,
			"the samples of the current session were taken with other settings (%s): "
			"reports will mix old and new samples. "
			"opcontrol%s%s%s --save=NAME saves the old samples, --reset deletes them",
			changed, elsewhere ? " --session-dir='" : "",
			elsewhere ? p->session.paths.dir : "", elsewhere ? "'" : "");
	free(changed);
	opd_settings_write(p->cfg, p->session.current_fd);
}

static int open_polling(struct opd *o, struct op_reason *error)
{
	const struct opd_config *cfg = o->parts.cfg;

	o->signal_fd = open_signals();
	if (o->signal_fd < 0)
		return op_fail(error, o->signal_fd, "cannot create the signal descriptor: %s",
			       strerror(-o->signal_fd));
	o->max_fds = OPD_CONTROL_FDS + 1 + NR_TABLES_FDS + 64 +
		(sysconf(_SC_NPROCESSORS_CONF) + 8) * cfg->nr_events;
	o->fds = calloc(o->max_fds, sizeof(*o->fds));
	return o->fds ? 0 : -ENOMEM;
}

/* Create the parts of the daemon. First correct the totals after a daemon was killed: a later step
 * can fail, and the totals must be correct anyway. */
static int create_parts(struct opd *o, struct op_reason *error)
{
	struct opd_parts *p = &o->parts;
	int err = open_session(o, error);

	if (err)
		return err;
	opd_jit_copy_clean(p->session.current_fd);
	err = opd_accounting_open(&p->accounting);
	if (err)
		op_fail(error, err,
			"cannot correct the totals of a killed daemon in %s: %s",
			p->session.paths.current, op_strerror(err));
	if (!err)
		err = opd_intervals_open(&p->intervals, p, error);
	if (!err)
		err = opd_storage_create(&p->storage, error);
	if (!err)
		err = opd_sampling_open(&p->sampling, p->storage.images,
					&p->storage.attribution.sink, error);
	return err;
}

static int begin(struct opd_parts *p, struct op_reason *error)
{
	int err;

	note_settings(p);
	err = opd_storage_begin(&p->storage);
	if (err)
		return op_fail(error, err, "cannot write into %s: %s", p->session.paths.current,
			       op_strerror(err));
	err = p->cfg->set.start ? opd_start(p) : 0;
	return err ? op_fail(error, err, "cannot start sampling: %s", op_strerror(err)) : 0;
}

static int create(struct opd *o, struct op_reason *error)
{
	struct opd_parts *p = &o->parts;
	int err;

	opd_service_more_time();
	err = create_parts(o, error);
	if (!err)
		err = open_polling(o, error);
	if (!err)
		err = begin(p, error);
	if (err)
		return err;
	err = opd_control_create(&o->control, p->session.dir_fd, "control", p->cfg->group,
				 opd_request, &o->requests);
	return err ? op_fail(error, err, "cannot make the control socket %s: %s",
			     p->session.paths.control, op_strerror(err))
		   : 0;
}

static void init(struct opd *o, struct opd_config *cfg)
{
	struct opd_parts *p = &o->parts;

	o->signal_fd = -1;
	o->requests.parts = p;
	o->cfg = cfg;
	p->cfg = cfg;
	p->session.dir_fd = p->session.samples_fd = p->session.current_fd = -1;
	p->session.lock_fd = -1;
	/* Number new files from the current time in ns. An earlier daemon created less than one
	 * file per ns, so its numbers are lower. A program that has names of the earlier daemon
	 * then notices that it has missed names. */
	p->new_names.next = p->new_names.first = op_now_ns();
	opd_log_init(&p->log);
	p->log.verbose = cfg->set.verbose;
	p->log.to_stderr = true;
	opd_accounting_init(&p->accounting, &p->log, &p->session, &p->sampling);
	opd_storage_init(&p->storage, cfg, &p->log, &p->session, &p->sampling, &p->accounting);
	opd_sampling_init(&p->sampling, cfg, &p->log);
}

int opd_create(struct opd **ret, struct opd_config *cfg, struct op_reason *error)
{
	struct opd *o = calloc(1, sizeof(*o));
	struct opd_log *log;
	int err;

	if (!o)
		return -ENOMEM;
	init(o, cfg);
	log = &o->parts.log;
	err = create(o, error);
	if (err) {
		log->to_stderr = false;
		opd_log(log, OPD_ERROR, "%s", op_reason_text(error, err));
		opd_service_failed(op_reason_text(error, err));
		opd_destroy(o);
		return err;
	}
	if (*cfg->plan.cpu.note)
		opd_log(log, OPD_INFO, "%s", cfg->plan.cpu.note);
	opd_log(log, OPD_INFO, "ready, source %s (%s)", o->parts.sampling.ops->name,
		o->parts.sampling.reason);
	*ret = o;
	return 0;
}

void opd_quiet(struct opd *o)
{
	o->parts.log.to_stderr = false;
}

/* Return the timeout for poll() in the main loop, in ms. */
static int poll_timeout(const struct opd *o)
{
	const struct opd_parts *p = &o->parts;
	int wait = opd_control_timeout(o->control);
	uint64_t now = op_now_ms(), due = opd_storage_due(&p->storage);

	if (opd_sampling_replays(&p->sampling))
		return 0;
	if (opd_accounting_due(&p->accounting) < due)
		due = opd_accounting_due(&p->accounting);
	if (opd_intervals_due(&o->parts.intervals) < due)
		due = opd_intervals_due(&o->parts.intervals);
	if (opd_service_due(&o->service) < due)
		due = opd_service_due(&o->service);
	if (due <= now)
		return 0;
	if (due != UINT64_MAX && (wait < 0 || due - now < (uint64_t)wait))
		wait = due - now;
	return wait;
}

static void read_samples(struct opd_parts *p)
{
	opd_accounting_touch(&p->accounting);
	p->quit |= opd_sampling_read(&p->sampling);
	opd_sample_cache_flush(p->storage.cache);
	opd_accounting_check_files(&p->accounting);
}

static void run_turn(struct opd *o)
{
	struct opd_parts *p = &o->parts;
	struct opd_sampling *s = &p->sampling;
	struct pollfd *fds = o->fds, *sources, *tables;
	bool ready = opd_sampling_replays(s), made = false;
	size_t nr_control, nr_source, nr_unwind, nr_tables;
	int n;

	fds[0] = (struct pollfd){ .fd = o->signal_fd, .events = POLLIN };
	nr_control = opd_control_fds(o->control, fds + 1);
	sources = fds + 1 + nr_control;
	nr_source = s->ops->fds(s->source, sources, o->max_fds - 1 - NR_TABLES_FDS - nr_control);
	tables = sources + nr_source;
	nr_unwind = opd_tables_fds(p->storage.unwind_files, tables);
	nr_unwind += opd_made_files_fds(p->storage.made_files, tables + nr_unwind);
	nr_tables = nr_unwind + opd_tables_fds(p->storage.tables, tables + nr_unwind);
	n = poll(fds, 1 + nr_control + nr_source + nr_tables, poll_timeout(o));
	if (n < 0 && errno != EINTR)
		opd_sampling_failed(s, "cannot wait for samples", -errno);
	if (n < 0)
		return;

	for (size_t i = 0; i < nr_source; i++)
		ready |= sources[i].revents != 0;
	for (size_t i = 0; i < nr_unwind; i++)
		made |= tables[i].revents != 0;
	if (made) {
		/* An unwind table is ready: load it before reading samples, so that samples that
		 * wait for the table can be unwound. */
		opd_storage_turn(&p->storage);
		ready = true;
	}
	if (ready)
		read_samples(p);
	opd_service_alive(&o->service);
	if (fds[0].revents)
		handle_signals(o);
	opd_control_process(o->control, fds + 1, nr_control);
	opd_service_alive(&o->service);
	opd_storage_turn(&p->storage);
	opd_service_alive(&o->service);
	opd_accounting_turn(&p->accounting);
	opd_service_alive(&o->service);
	opd_intervals_turn(&o->parts.intervals);
	opd_service_turn(&o->service);
}

int opd_run(struct opd *o)
{
	struct opd_parts *p = &o->parts;
	int err;

	opd_service_begin(&o->service, p);
	while (!p->quit && !p->sampling.given_up)
		run_turn(o);
	opd_service_end();
	err = opd_finish(p);
	opd_log(&p->log, OPD_INFO, "ended");
	return p->sampling.given_up ? p->sampling.given_up : err;
}

void opd_destroy(struct opd *o)
{
	struct opd_parts *p;

	if (!o)
		return;
	p = &o->parts;
	opd_control_destroy(o->control);
	free(o->fds);
	if (o->signal_fd >= 0)
		close(o->signal_fd);
	opd_intervals_release(&o->parts.intervals);
	opd_sampling_release(&p->sampling);
	opd_storage_release(&p->storage);
	opd_accounting_release(&p->accounting);
	opd_log_release(&p->log);
	opd_session_release(&p->session);
	opd_new_names_release(&p->new_names);
	free(o);
}
