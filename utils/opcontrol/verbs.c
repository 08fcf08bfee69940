// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verbs.c -- opcontrol's verbs: init, setup, start, dump, stop, shutdown, reset, save, export,
 * list-sessions, delete, deinit, status, list-events, why, prepare.
 *
 * The file daemonrc stores the settings. While a daemon runs, new settings go to daemonrc_new,
 * because commands find the daemon by its present settings. When the daemon ends, daemonrc_new
 * replaces daemonrc. With --session-dir, a verb applies to the daemon of another session directory.
 * That daemon may run at the same time as the daemon of daemonrc, and its settings are not stored.
 * --start chooses the kernel module or perf_events as the source of samples.
 */
#include "config.h"
#include "utils/opcontrol/verbs.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intervals/plan.h"
#include "libop/base/clean.h"
#include "libop/base/owner.h"
#include "libop/event/spec.h"
#include "libop/session/paths.h"
#include "utils/opcontrol/config_place.h"
#include "utils/opcontrol/doctor.h"
#include "utils/opcontrol/driver.h"
#include "utils/opcontrol/events.h"
#include "utils/opcontrol/service.h"
#include "utils/shared/daemon.h"
#include "utils/shared/session_files.h"
#include "utils/shared/spawn.h"

/* Check whether the module's backend can sample the events. Return 0 or a negative errno. */
static int check_backend(const struct op_settings *cfg, const struct ctl_events *events,
			 struct op_reason *error)
{
	const char *wish = ctl_settings_backend(cfg);
	struct ctl_backend backend;
	int err;

	if (!events->plan.counters && !events->plan.records && !wish)
		return 0;
	if (!wish)
		wish = events->plan.records ? "native" : "auto";
	err = ctl_driver_set_backend(wish, &backend, error);
	if (err || strcmp(backend.name, "timer") || (!events->plan.counters && !events->plan.records))
		return err;
	if (!strcmp(wish, "timer"))
		return op_fail(error, -EINVAL, "cannot sample by events of the CPU's counters with "
			       "--backend=timer: use --event=" OP_EVENT_TIMER ":%d, or another backend",
			       OP_TIMER_DEFAULT_NS);
	return op_fail(error, -EOPNOTSUPP, "cannot sample by events with the kernel module, only "
					   "by time: %s",
		       backend.reason);
}

/* Choose the kernel module or perf_events as the source of samples. For the module, load it and
 * select its backend. Return 0, or a negative errno with a message in @error. If perf_events are
 * chosen, store the reason in @perf_error; for the module, store "". */
static int choose_source(struct op_reason *perf_error, const struct op_settings *cfg,
		      const struct ctl_events *events, struct op_reason *error)
{
	enum ctl_source source = ctl_settings_source(cfg);
	struct op_reason cause = { "" };
	bool no_module;
	int err;

	perf_error->text[0] = '\0';
	if (source == CTL_SOURCE_PERF)
		return op_fail(perf_error, 0, "requested");
	/* A required backend or an IBS event needs the module, so do not use perf_events. */
	if (source == CTL_SOURCE_AUTO && (ctl_settings_backend(cfg) || events->plan.records))
		source = CTL_SOURCE_MODULE;
	if (*events->beyond_module.text)
		return source == CTL_SOURCE_MODULE ? ctl_refuse_module(error, events, true) :
						     ctl_refuse_module(perf_error, events, false);
	err = ctl_driver_init(cfg->module, &cause);
	no_module = err != 0;
	if (!err && ctl_driver_in_use())
		err = op_fail(&cause, -EBUSY, "another daemon uses the module; end that daemon "
					      "with opcontrol --session-dir=ITS-DIR --shutdown");
	if (!err && cfg->separate & OP_SEPARATE_UNIT)
		err = ctl_driver_check_groups(&cause);
	if (!err)
		err = check_backend(cfg, events, &cause);
	if (err && source == CTL_SOURCE_AUTO)
		return op_fail(perf_error, 0, "%s", op_reason_text(&cause, err));
	if (err)
		op_fail(error, err, no_module && !events->plan.records ?
			"%s; --source=perf works without the module" : "%s", op_reason_text(&cause, err));
	return err;
}

static bool is_chosen(const struct ctl_request *req, const struct op_setting *row)
{
	for (size_t i = 0; i < req->nr_settings; i++)
		if (req->settings[i].setting == row)
			return true;
	return false;
}

/* Print " --NAME=VALUE" for a setting if it differs from the default. */
static int add_row(FILE *list, const struct op_setting *row, const struct op_settings *cfg,
		   const struct op_settings *defaults)
{
	char *text = NULL, *usual = NULL;
	int err = op_setting_text(&text, row, cfg);

	if (!err)
		err = op_setting_text(&usual, row, defaults);
	if (!err && strcmp(text ? text : "", usual ? usual : ""))
		op_clean_printf(list, " --%s=%s", row->name, text ? text : row->type == OP_SETTING_SEPARATE ? "none" : "0");
	free(usual);
	free(text);
	return err;
}

static int add_all(FILE *list, const struct op_settings *cfg, const struct ctl_request *req,
		   const struct op_settings *defaults)
{
	const struct op_setting *row;
	int err = 0;

	for (size_t i = 0; i < cfg->nr_events && !ctl_options_choose_events(req); i++) {
		fputs(" --event=", list);
		op_put_word(list, cfg->events[i]);
	}
	op_for_each_setting(row, OP_FOR_OPCONTROL) {
		if (!err && row->name && row->type != OP_SETTING_OWN && !is_chosen(req, row))
			err = add_row(list, row, cfg, defaults);
	}
	return err;
}

/* Print the settings in @cfg that an earlier command has stored, as options: those that are neither
 * the default nor on the command line @req. Add the command that restores the defaults. Print
 * nothing if no such settings exist. @config_path: file with the settings. Return 0 or -ENOMEM. */
static int print_remembered(FILE *out, const struct op_settings *cfg, const struct ctl_request *req,
			 const char *config_path)
{
	struct op_settings defaults;
	char *text = NULL;
	size_t size;
	FILE *list;
	int err;

	if (op_settings_init(&defaults, OP_FOR_OPCONTROL))
		return -ENOMEM;
	list = open_memstream(&text, &size);
	err = list ? add_all(list, cfg, req, &defaults) : -ENOMEM;
	if (list && fclose(list))
		err = -ENOMEM;
	if (!err && *text)
		op_clean_printf(out, "Settings remembered from earlier commands:%s; to return to "
				     "the defaults at the next start, run rm '%s'\n",
				text, config_path);
	free(text);
	op_settings_release(&defaults);
	return err;
}

/* State of one opcontrol command. */
struct ctl {
	const struct ctl_request *req;
	FILE *out;
	char *config_path, *new_config_path;
	struct op_settings cfg;
	struct ctl_daemon remembered;	/* daemon of the session directory that daemonrc names */
	/* daemon of cfg.session_dir, as found at the start of the command */
	struct ctl_daemon daemon;
	/* whether cfg.session_dir differs from the session directory in daemonrc */
	bool other_session;
	/* whether to store the command line's settings only after a daemon has started */
	bool unproven;
	bool is_machine;	/* whether the machine's configuration file is used */
	/* state of oprofile.service; zeroed if the command does not concern the service */
	struct ctl_service service;
};

/* Send a request to this command's daemon, which replies "ok" or an error message. */
static int send_request(struct ctl *ctl, const char *request, struct op_reason *error)
{
	return ctl_daemon_request(ctl->cfg.session_dir, request, CTL_WRITE_TIMEOUT_S, ctl->out,
				  NULL, error);
}

/* Return whether oprofile.service starts and stops the daemon of this command. */
static bool uses_service(const struct ctl *ctl)
{
	return ctl->service.is_there && !ctl->other_session &&
	       !strcmp(ctl->cfg.session_dir, OP_DEFAULT_SESSION_DIR);
}

static int read_settings(const struct ctl *ctl, struct op_settings *cfg, const char *path,
			 struct op_reason *error)
{
	return ctl->is_machine ? ctl_settings_read_machine(cfg, path, ctl->service.is_there, stderr,
							   error)
			       : ctl_settings_read(cfg, path, error);
}

static int init_settings(const struct ctl *ctl, struct op_settings *cfg)
{
	return ctl->service.is_there ? ctl_settings_service(cfg)
				     : op_settings_init(cfg, OP_FOR_OPCONTROL);
}

static int read_config(struct ctl *ctl, struct op_reason *error)
{
	int err = read_settings(ctl, &ctl->cfg, ctl->config_path, error);

	return err == -ENOENT ? 0 : err;
}

static int load(struct ctl *ctl, struct op_reason *error)
{
	const struct ctl_request *req = ctl->req;
	char *found_in;
	int err;

	ctl->config_path = ctl_config_place(req, &ctl->is_machine);
	if (!ctl->config_path ||
	    asprintf(&ctl->new_config_path, "%s_new", ctl->config_path) < 0) {
		ctl->new_config_path = NULL;
		return -ENOMEM;
	}
	if (ctl->is_machine)
		ctl_service_find(&ctl->service);
	if (init_settings(ctl, &ctl->cfg))
		return -ENOMEM;
	err = !ctl->is_machine ? 0 : ctl_config_move(ctl->out, ctl->config_path,
						     ctl->service.is_there);
	if (!err)
		err = read_config(ctl, error);
	/* --doctor must work even if the server of the session directory does not answer. */
	if (err || req->verb == CTL_DOCTOR)
		return err;
	err = ctl_daemon_find(&ctl->daemon, ctl->cfg.session_dir, error);
	if (err || ctl_daemon_alive(&ctl->daemon) || rename(ctl->new_config_path, ctl->config_path))
		return err;

	/* daemonrc_new may select another session directory than daemonrc. */
	found_in = strdup(ctl->cfg.session_dir);
	if (!found_in)
		return -ENOMEM;
	err = read_config(ctl, error);
	if (!err && strcmp(found_in, ctl->cfg.session_dir))
		err = ctl_daemon_find(&ctl->daemon, ctl->cfg.session_dir, error);
	free(found_in);
	return err;
}

/* Return whether two paths refer to the same directory. */
static bool same_dir(const char *a, const char *b)
{
	struct stat sa, sb;

	return !strcmp(a, b) || (stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
				 sa.st_ino == sb.st_ino);
}

/* Select the directory of --session-dir, if given, and find the daemon of that directory. */
static int select_session(struct ctl *ctl, struct op_reason *error)
{
	char *dir;

	ctl->remembered = ctl->daemon;
	if (!ctl->req->session_dir)
		return 0;
	dir = strdup(ctl->req->session_dir);
	if (!dir)
		return -ENOMEM;
	ctl->other_session = ctl->req->verb != CTL_DOCTOR && !same_dir(dir, ctl->cfg.session_dir);
	free(ctl->cfg.session_dir);
	ctl->cfg.session_dir = dir;
	return ctl->other_session ? ctl_daemon_find(&ctl->daemon, dir, error) : 0;
}

/* Check the events of this command line. Do not check stored events, because an invalid stored
 * event must not prevent a change of other settings. */
static int check_events(const struct ctl_request *req, const struct op_settings *cfg,
			struct op_reason *error)
{
	struct ctl_events events = { 0 };
	int err;

	if (!ctl_options_choose_events(req))
		return 0;
	err = ctl_events_check(&events, cfg, NULL, error);
	ctl_events_release(&events);
	return err;
}

/* Return whether the command line sets the length of intervals or their limit of disk space. */
static bool sets_intervals(const struct ctl_request *req)
{
	for (size_t i = 0; i < req->nr_settings; i++) {
		const char *name = req->settings[i].setting->name;

		if (name && (!strcmp(name, "interval") || !strcmp(name, "keep") ||
			     !strcmp(name, "max-disk")))
			return true;
	}
	return false;
}

/* Write the settings to daemonrc_new, which replaces daemonrc after the daemon @running has ended.
 * The service does not use daemonrc_new: it reloads its settings at once, and applies those that it
 * can change while it runs. */
static int set_aside(struct ctl *ctl, const struct ctl_daemon *running, struct op_reason *error)
{
	const struct ctl_request *req = ctl->req;
	char option[OP_SESSION_OPTION_SIZE];
	struct itv_plan_config intervals;
	struct op_settings next;
	int err;

	if (init_settings(ctl, &next))
		return -ENOMEM;
	err = read_settings(ctl, &next, ctl->new_config_path, error);
	if (err == -ENOENT)
		err = read_settings(ctl, &next, ctl->config_path, error);
	if (err == -ENOENT)
		err = 0;
	if (!err)
		err = ctl_options_apply(req, &next, error);
	if (!err)
		err = check_events(req, &next, error);
	if (!err)
		err = itv_plan_settings(&intervals, &next, error);
	if (!err && intervals.interval && sets_intervals(req))
		ctl_intervals_note(ctl->out, &next, &intervals);
	if (!err)
		err = ctl_settings_write(
			&next, uses_service(ctl) ? ctl->config_path : ctl->new_config_path, error);
	op_settings_release(&next);
	if (!err && uses_service(ctl)) {
		err = ctl_service_run("reload", error);
		if (!err)
			fputs("The service oprofile has read the new settings. If its log "
			      "(journalctl -u oprofile) names settings that need a restart, run "
			      "systemctl restart oprofile.\n", ctl->out);
		return err;
	}
	if (!err)
		fprintf(ctl->out, "The daemon is running (pid %d): the new settings apply after "
			"opcontrol%s --shutdown.\n", (int)running->pid, running == &ctl->daemon ?
			op_session_option(option, ctl->cfg.session_dir) : "");
	return err;
}

/* Store the settings of the command line, immediately or, if a daemon runs, for the next daemon. */
static int do_setup(struct ctl *ctl, struct op_reason *error)
{
	const struct ctl_request *req = ctl->req;
	bool starts = req->verb == CTL_START || req->verb == CTL_START_DAEMON;
	struct itv_plan_config intervals;
	int err;

	if (!req->nr_settings)
		return 0;
	if (ctl_daemon_alive(&ctl->daemon)) {
		/* if --session-dir is the only setting, it selects a session and is not stored */
		if (starts && req->session_dir && req->nr_settings == 1)
			return 0;
		return set_aside(ctl, &ctl->daemon, error);
	}
	if (ctl_daemon_alive(&ctl->remembered) && !starts)
		return set_aside(ctl, &ctl->remembered, error);
	err = ctl_options_apply(req, &ctl->cfg, error);
	if (!err)
		err = check_events(req, &ctl->cfg, error);
	if (!err)
		err = itv_plan_settings(&intervals, &ctl->cfg, error);
	if (err)
		return err;
	if (intervals.interval && sets_intervals(req))
		ctl_intervals_note(ctl->out, &ctl->cfg, &intervals);
	if (!ctl_daemon_alive(&ctl->remembered)) {
		ctl->unproven = starts && !uses_service(ctl);
		return ctl_settings_write(&ctl->cfg, ctl->unproven ? ctl->new_config_path
								   : ctl->config_path,
					  error);
	}
	fprintf(ctl->out, "These settings are not remembered, because commands without "
			  "--session-dir use another daemon (pid %d).\n", (int)ctl->remembered.pid);
	return 0;
}

static int do_init(struct ctl *ctl, struct op_reason *error)
{
	int err;

	err = ctl_options_apply(ctl->req, &ctl->cfg, error);
	if (!err)
		err = ctl_driver_init(ctl->cfg.module, error);
	if (!err)
		fprintf(ctl->out, "The kernel module is loaded, " CTL_OPROFILEFS " is mounted.\n");
	return err;
}

static int spawn_daemon(struct ctl *ctl, struct op_reason *error)
{
	struct op_reason cause = { "" };
	char *program, **argv = NULL;
	struct ctl_events events = { 0 };
	const char *source;
	int err;

	err = ctl_events_check(&events, &ctl->cfg, NULL, error);
	if (!err)
		err = choose_source(&cause, &ctl->cfg, &events, error);
	if (!err && *events.plan.cpu.note)
		fprintf(ctl->out, "Note: %s.\n", events.plan.cpu.note);
	if (!err && *events.turns.text)
		fprintf(ctl->out, "Note: %s\n", events.turns.text);
	ctl_events_release(&events);
	if (err)
		return err;
	source = ctl_source_name(*cause.text ? CTL_SOURCE_PERF : CTL_SOURCE_MODULE);
	if (!*cause.text)
		fputs("Taking samples from the kernel module.\n", ctl->out);
	else if (ctl_settings_source(&ctl->cfg) == CTL_SOURCE_AUTO)
		fprintf(ctl->out, "Taking samples from perf_events, not the kernel module: %s.\n",
			cause.text);
	else
		fputs("Taking samples from perf_events.\n", ctl->out);
	fflush(ctl->out);

	program = ctl_program_find("oprofiled");
	if (program)
		argv = ctl_daemon_argv(program, &ctl->cfg, source, *cause.text ? cause.text : NULL,
				       ctl->req->verbose);
	err = argv ? ctl_daemon_start(argv, !ctl->unproven, error) : -ENOMEM;
	ctl_daemon_argv_free(argv);
	free(program);
	return err;
}

static int do_start_daemon(struct ctl *ctl, struct op_reason *error)
{
	char option[OP_SESSION_OPTION_SIZE];
	int err;

	err = do_setup(ctl, error);
	if (err)
		return err;
	switch (ctl->daemon.state) {
	case CTL_DAEMON_RUNNING:
		fprintf(ctl->out, "Daemon already running: pid %d\n", (int)ctl->daemon.pid);
		return 0;
	case CTL_DAEMON_DEAF:
		return op_fail(
			error, -EBUSY,
			"the daemon (pid %d) has %s but does not answer, because it may be "
			"starting or ending; try again, or end it with opcontrol%s --shutdown",
			(int)ctl->daemon.pid, ctl->cfg.session_dir,
			op_session_option(option, ctl->cfg.session_dir));
	case CTL_DAEMON_STALE:
		fprintf(ctl->out, "Replacing the lock file of process %d, which has ended.\n",
			(int)ctl->daemon.pid);
		break;
	case CTL_DAEMON_NONE:
		break;
	}
	if (uses_service(ctl)) {
		fputs("Starting the service oprofile.\n", ctl->out);
		fflush(ctl->out);
		err = ctl_service_run("start", error);
	} else {
		err = print_remembered(ctl->out, &ctl->cfg, ctl->req, ctl->config_path);
		if (!err)
			err = spawn_daemon(ctl, error);
	}
	if (err && ctl->unproven)
		unlink(ctl->new_config_path);
	if (err)
		return err;
	fputs("Daemon started.\n", ctl->out);
	if (ctl->unproven && rename(ctl->new_config_path, ctl->config_path) < 0 && errno != ENOENT)
		return op_fail(error, -errno, "cannot replace %s: %s", ctl->config_path, strerror(errno));
	return 0;
}

static int do_start(struct ctl *ctl, struct op_reason *error)
{
	int err = do_start_daemon(ctl, error);

	if (!err)
		err = send_request(ctl, "start", error);
	if (!err)
		fputs("Profiler running.\n", ctl->out);
	return err;
}

static int do_dump(struct ctl *ctl, struct op_reason *error)
{
	return send_request(ctl, "dump", error);
}

static int do_stop(struct ctl *ctl, struct op_reason *error)
{
	int err = send_request(ctl, "stop", error);

	if (!err)
		err = do_dump(ctl, error);
	if (!err)
		fputs("Profiler stopped; its samples are on disk.\n", ctl->out);
	return err;
}

static int do_shutdown(struct ctl *ctl, struct op_reason *error)
{
	int err;

	if (!ctl_daemon_alive(&ctl->daemon)) {
		fputs("Daemon not running.\n", ctl->out);
		return 0;
	}
	err = ctl->service.pid && ctl->service.pid == ctl->daemon.pid ?
		      ctl_service_run("stop", error) :
		      ctl_daemon_shutdown(ctl->cfg.session_dir, &ctl->daemon, ctl->out, error);
	if (err < 0)
		return err;
	/* The daemon has ended, so use the settings that were stored for the next daemon. */
	if (!ctl->other_session && rename(ctl->new_config_path, ctl->config_path) < 0 &&
	    errno != ENOENT)
		return op_fail(error, -errno, "cannot replace %s: %s", ctl->config_path,
			       strerror(errno));
	if (err > 0)
		return op_fail(error, -EIO,
			       "the daemon did not end by itself and was killed: samples taken "
			       "after the last --dump may be lost");
	fputs("Daemon ended; its samples are on disk.\n", ctl->out);
	return 0;
}

static int do_reset(struct ctl *ctl, struct op_reason *error)
{
	int err;

	if (ctl_daemon_alive(&ctl->daemon))
		err = send_request(ctl, "reset", error);
	else
		err = ctl_session_reset(ctl->cfg.session_dir, error);
	if (!err)
		op_clean_printf(ctl->out, "Samples in %s/samples/current removed.\n", ctl->cfg.session_dir);
	return err;
}

/* Run oparchive to create call-graph files from the call paths of a saved session. */
static int make_arcs(const char *session_dir, const char *name, FILE *out, struct op_reason *error)
{
	char *program = ctl_program_find("oparchive"), *dir = NULL, *session = NULL;
	int status = -ENOMEM;

	fflush(out);
	if (program && asprintf(&dir, "--session-dir=%s", session_dir) >= 0 &&
	    asprintf(&session, "session:%s", name) >= 0) {
		char *const argv[] = { (char *)"oparchive", (char *)"--arcs", (char *)"--no-cache", dir, session, NULL };

		status = ctl_spawn_as(program, argv);
	}
	if (status < 0)
		op_fail(error, status, "the session is saved as %s, but has no call-graph files: "
				       "%s: %s", name,
			program ? program : "oparchive", strerror(-status));
	else if (status)
		status = op_fail(error, -EIO, "the session is saved as %s, but has no call-graph "
					      "files", name);
	free(session);
	free(dir);
	free(program);
	return status;
}

static int do_save(struct ctl *ctl, struct op_reason *error)
{
	const char *name = ctl->req->name;
	char option[OP_SESSION_OPTION_SIZE], *request;
	int err;

	err = ctl_session_check_name(name, error);
	if (err)
		return err;
	if (ctl_daemon_alive(&ctl->daemon)) {
		if (asprintf(&request, "save %s", name) < 0)
			return -ENOMEM;
		err = send_request(ctl, request, error);
		free(request);
	} else {
		err = ctl_session_save(ctl->cfg.session_dir, name, error);
	}
	if (!err && ctl->req->arcs)
		err = make_arcs(ctl->cfg.session_dir, name, ctl->out, error);
	if (!err)
		op_clean_printf(ctl->out, "Session saved as %s/samples/%s; see it with opreport"
			"%s session:%s\n", ctl->cfg.session_dir, name,
			op_session_option(option, ctl->cfg.session_dir), name);
	return err;
}

static int do_export(struct ctl *ctl, struct op_reason *error)
{
	const struct ctl_request *req = ctl->req;

	return ctl_export(ctl->out, ctl->cfg.session_dir, req->name, req->directory, error);
}

static int do_why(struct ctl *ctl, struct op_reason *error)
{
	struct op_reason cause = { "" };

	/* Make the daemon write its newest samples, so that the comparison includes them. */
	if (ctl_daemon_alive(&ctl->daemon) && send_request(ctl, "dump", &cause))
		op_clean_printf(ctl->out, "Note: the newest samples are missing: %s\n", cause.text);
	return ctl_why(ctl->out, ctl->cfg.session_dir, ctl->req->name, error);
}

/* List the sessions of the session directory. Also list the sessions of ./oprofile_data,
 * separately, because reports in this directory use them by default. */
static int do_list_sessions(struct ctl *ctl, struct op_reason *error)
{
	int err = ctl_session_list(ctl->out, ctl->cfg.session_dir, error);
	struct op_reason here = { "" };

	if (ctl->req->session_dir || access(OP_LOCAL_SESSION_DIR "/samples", F_OK) ||
	    same_dir(OP_LOCAL_SESSION_DIR, ctl->cfg.session_dir))
		return err;
	fprintf(ctl->out, "\nIn ./" OP_LOCAL_SESSION_DIR ", the session directory of opreport in this directory:\n");
	if (ctl_session_list(ctl->out, OP_LOCAL_SESSION_DIR, &here))
		fprintf(ctl->out, "%s\n", here.text);
	return err;
}

static int do_delete(struct ctl *ctl, struct op_reason *error)
{
	int err;

	if (!strcmp(ctl->req->name, "current"))
		return op_fail(error, -EINVAL, "cannot delete the current session, because it is "
					       "not a saved one; remove its samples with opcontrol "
					       "--reset");
	err = ctl_session_delete(ctl->cfg.session_dir, ctl->req->name, error);
	if (!err)
		fprintf(ctl->out, "Session %s deleted.\n", ctl->req->name);
	return err;
}

static int do_deinit(struct ctl *ctl, struct op_reason *error)
{
	int err;

	if (ctl_daemon_alive(&ctl->daemon)) {
		err = do_shutdown(ctl, error);
		if (err)
			return err;
	}
	err = ctl_driver_deinit(error);
	if (!err)
		fputs("The kernel module is not loaded.\n", ctl->out);
	return err;
}

static int do_status(struct ctl *ctl, struct op_reason *error)
{
	if (uses_service(ctl))
		op_clean_printf(ctl->out, "Service: oprofile.service, %s\n", ctl->service.state);
	return ctl_status(ctl->out, &ctl->cfg, &ctl->daemon, ctl->other_session, error);
}

static int do_list_events(struct ctl *ctl, struct op_reason *error)
{
	return ctl_events_list(ctl->out, error);
}

static int do_doctor(struct ctl *ctl, struct op_reason *error)
{
	(void)error;
	return (int)ctl_doctor_here(ctl->out, ctl_root(), ctl->cfg.session_dir);
}

/* Run oprofiled --prepare, which builds unwind tables and symbol tables. Daemons that are running
 * may use the cache of tables at the same time. */
static int do_prepare(struct ctl *ctl, struct op_reason *error)
{
	char *program = ctl_program_find("oprofiled");
	char *const argv[] = { program, (char *)"--prepare", NULL };
	int status;

	if (!program)
		return -ENOMEM;
	fflush(ctl->out);
	status = ctl_spawn(argv, NULL);
	free(program);
	if (status < 0)
		return op_fail(error, status, "cannot run oprofiled: %s", strerror(-status));
	return status ? op_fail(error, -EIO, "cannot make the tables: see the message of oprofiled "
					     "above") : 0;
}

/* flag of a verb: any user may run it; the daemon checks the user's rights */
#define ANY_USER	1
/* flag of a verb: the owner of the daemon (if no daemon is running: of the session) may run it */
#define OWNER		2
/* flag of a verb, in addition to OWNER: only root may run it if no daemon is running */
#define OF_A_DAEMON	4
/* flag of a verb: it changes files of the session itself if no daemon is running */
#define CHANGES_FILES	8

static const struct verb {
	int (*run)(struct ctl *ctl, struct op_reason *error);
	unsigned int flags;
} verbs[] = {
	[CTL_VERB_NONE] = { do_setup, 0 },
	[CTL_SETUP] = { do_setup, 0 },
	[CTL_INIT] = { do_init, 0 },
	[CTL_START_DAEMON] = { do_start_daemon, OWNER | OF_A_DAEMON },
	[CTL_START] = { do_start, OWNER | OF_A_DAEMON },
	[CTL_DUMP] = { do_dump, ANY_USER },
	[CTL_STOP] = { do_stop, OWNER },
	[CTL_SHUTDOWN] = { do_shutdown, OWNER },
	[CTL_RESET] = { do_reset, OWNER | CHANGES_FILES },
	[CTL_SAVE] = { do_save, OWNER | CHANGES_FILES },
	[CTL_EXPORT] = { do_export, ANY_USER },
	[CTL_LIST_SESSIONS] = { do_list_sessions, ANY_USER },
	[CTL_DELETE] = { do_delete, OWNER | CHANGES_FILES },
	[CTL_DEINIT] = { do_deinit, 0 },
	[CTL_STATUS] = { do_status, ANY_USER },
	[CTL_LIST_EVENTS] = { do_list_events, ANY_USER },
	[CTL_WHY] = { do_why, ANY_USER },
	[CTL_PREPARE] = { do_prepare, ANY_USER },
	[CTL_DOCTOR] = { do_doctor, ANY_USER },
};

/* Check that the user may run a verb that has the flags @flags (ANY_USER and so on). A user other
 * than root may control only the daemons that this user's operf has started. */
static int check_rights(const struct ctl *ctl, unsigned int flags, struct op_reason *error)
{
	const struct ctl_request *req = ctl->req;
	struct stat st;

	if (geteuid() == 0 || flags & ANY_USER)
		return 0;
	if (flags & OWNER && ctl->daemon.state == CTL_DAEMON_RUNNING &&
	    ctl->daemon.uid == geteuid())
		return 0;
	if (flags & OWNER && !(flags & OF_A_DAEMON) && ctl->daemon.state != CTL_DAEMON_RUNNING &&
	    stat(ctl->cfg.session_dir, &st) == 0 && st.st_uid == geteuid())
		return 0;
	return op_fail(error, -EPERM, "%s%s must be run as root: you do not own %s; without root, "
				      "run opcontrol --list-events, --prepare, --status or --dump, "
				      "or profile your programs with operf COMMAND", req->verb_name ? "--" : "A setting",
		       req->verb_name ? req->verb_name : "",
		       flags & OWNER && !(flags & OF_A_DAEMON) ? ctl->cfg.session_dir : "the whole machine");
}

/* If the service's user owns the session directory, become this user before changing files:
 * otherwise the user could redirect root's writes by symbolic links. */
static int become_owner(const struct ctl *ctl, struct op_reason *error)
{
	const struct ctl_daemon *d = &ctl->daemon;
	struct stat st;

	if (geteuid() || stat(ctl->cfg.session_dir, &st) || !op_owner_is_service(st.st_uid))
		return 0;
	if (d->state == CTL_DAEMON_RUNNING && d->uid != st.st_uid)
		return 0;
	if (setgroups(0, NULL) || setresgid(st.st_gid, st.st_gid, st.st_gid) ||
	    setresuid(st.st_uid, st.st_uid, st.st_uid))
		return op_fail(error, -errno, "cannot switch to the user of the service: %s",
			       strerror(errno));
	return 0;
}

int ctl_run(const struct ctl_request *req, FILE *out, struct op_reason *error)
{
	const struct verb *verb = &verbs[req->verb];
	struct ctl ctl = { .req = req, .out = out };
	int err;

	err = load(&ctl, error);
	if (!err)
		err = select_session(&ctl, error);
	if (!err)
		err = check_rights(&ctl, verb->flags, error);
	if (!err && verb->flags & CHANGES_FILES)
		err = become_owner(&ctl, error);
	if (!err)
		err = verb->run(&ctl, error);
	op_settings_release(&ctl.cfg);
	free(ctl.config_path);
	free(ctl.new_config_path);
	return err;
}
