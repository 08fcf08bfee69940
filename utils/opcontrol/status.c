// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * status.c -- opcontrol --status: prints the state of the daemon, the settings, and the numbers of
 * samples and losses.
 */
#include "config.h"
#include "utils/opcontrol/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/event/spec.h"
#include "libop/session/paths.h"
#include "libop/session/stats.h"
#include "utils/opcontrol/driver.h"
#include "utils/opcontrol/module_state.h"
#include "utils/opcontrol/service.h"
#include "utils/shared/session_files.h"

/* Timeout for a status request, in seconds. The daemon answers quickly; after this time it is
 * assumed to be stopped or to hang. */
#define ANSWER_TIMEOUT_S 5

static void print_daemon(FILE *out, const struct ctl_daemon *daemon, const struct op_reply *reply)
{
	const char *state = op_reply_get(reply, "state");

	switch (daemon->state) {
	case CTL_DAEMON_RUNNING:
		fprintf(out, "Daemon %s: pid %d\n",
			state && !strcmp(state, "paused") ? "paused" : "running", (int)daemon->pid);
		break;
	case CTL_DAEMON_DEAF:
		fprintf(out, "Daemon running but not answering: pid %d\n", (int)daemon->pid);
		break;
	case CTL_DAEMON_STALE:
		fprintf(out, "Daemon not running (the lock file of process %d, which has ended, "
			     "is still there)\n",
			(int)daemon->pid);
		break;
	case CTL_DAEMON_NONE:
		fputs("Daemon not running\n", out);
		break;
	}
}

/* Print the backend (source of interrupts) of the kernel module. Print nothing if the source of
 * samples is perf_events, which has no backends. */
static void print_backend(FILE *out, const struct op_settings *cfg, const struct op_reply *reply)
{
	const char *source = op_reply_get(reply, "source");
	const char *name = op_reply_get(reply, "backend"), *why = op_reply_get(reply, "backend-why");
	const char *asked = ctl_settings_backend(cfg);
	struct ctl_backend now;

	if (source && !name)
		return;
	if (!name && ctl_driver_backend(&now)) {
		name = now.name;
		why = now.reason;
	}
	if (name)
		fprintf(out, "Backend: %s%s%s%s\n", name, why && *why ? " (" : "", why ? why : "",
			why && *why ? ")" : "");
	else if (asked)
		fprintf(out, "Backend: %s, when the module is loaded\n", asked);
}

/* Return whether the daemon samples by perf_events although the settings prefer the module. */
static bool lacks_module(const struct op_settings *cfg, const struct op_reply *reply)
{
	const char *source = op_reply_get(reply, "source");

	return source && !strcmp(source, ctl_source_name(CTL_SOURCE_PERF)) &&
	       ctl_settings_source(cfg) == CTL_SOURCE_AUTO;
}

/* Print the command that starts the daemon again. */
static void print_restart(FILE *out, const struct op_settings *cfg, const struct ctl_daemon *daemon)
{
	char option[OP_SESSION_OPTION_SIZE];
	struct ctl_service service;

	ctl_service_find(&service);
	op_session_option(option, cfg->session_dir);
	if (service.pid == daemon->pid)
		fputs("systemctl restart oprofile\n", out);
	else
		fprintf(out, "opcontrol%s --shutdown && opcontrol%s --start\n", option, option);
}

/* Print the state of the kernel module with the texts that --doctor uses. A running daemon does not
 * change its source of samples, so a module that was installed later is used only after a restart
 * of the daemon. */
static void print_module(FILE *out, const struct op_settings *cfg, const struct ctl_daemon *daemon,
			 const struct op_reply *reply)
{
	struct utsname uts;
	char way_out[1000];
	enum ctl_module_state state;

	if (ctl_driver_mounted() || ctl_driver_loaded() || uname(&uts)) {
		fprintf(out, "Kernel module: %s\n",
			ctl_driver_mounted() ? "loaded, " CTL_OPROFILEFS " mounted" : "loaded");
		return;
	}
	state = ctl_module_state(ctl_root(), uts.release);
	if (state == CTL_MODULE_READY && lacks_module(cfg, reply)) {
		fputs("Kernel module: installed, but the daemon samples by perf_events until its "
		      "next start: ", out);
		print_restart(out, cfg, daemon);
		return;
	}
	ctl_module_advice(way_out, sizeof(way_out), state, ctl_root(), uts.release);
	op_clean_printf(out, "Kernel module: not loaded; %s%s%s\n", ctl_module_words(state),
		*way_out ? ": " : "", way_out);
}

static void print_source(FILE *out, const struct op_settings *cfg, const struct ctl_daemon *daemon,
			 const struct op_reply *reply)
{
	const char *source = op_reply_get(reply, "source");
	const char *why = op_reply_get(reply, "why");

	if (why && !*why)
		why = NULL;

	if (!source)
		source = ctl_source_name(ctl_settings_source(cfg));
	fprintf(out, "Source: %s%s%s%s\n", source, why ? " (" : "", why ? why : "", why ? ")" : "");
	if (op_reply_get(reply, "cpu"))
		fprintf(out, "CPU type: %s\n", op_reply_get(reply, "cpu"));
	print_backend(out, cfg, reply);
	if (op_reply_get(reply, "buffers"))
		op_clean_printf(out, "Buffers: %s\n", op_reply_get(reply, "buffers"));
	print_module(out, cfg, daemon, reply);
}

static void print_separate(FILE *out, const struct op_settings *cfg)
{
	fprintf(out, "Separate options:%s%s%s%s%s%s\n", cfg->separate & OP_SEPARATE_LIB ? " library" : "",
		cfg->separate & OP_SEPARATE_KERNEL ? " kernel" : "",
		cfg->separate & OP_SEPARATE_THREAD ? " thread" : "",
		cfg->separate & OP_SEPARATE_CPU ? " cpu" : "",
		cfg->separate & OP_SEPARATE_UNIT ? " unit" : "", cfg->separate ? "" : " none");
}

/* Print the settings. Settings that have a line of their own are always printed, other settings
 * only if they differ from the default. */
static int print_settings(FILE *out, const struct op_settings *cfg)
{
	const struct op_setting *row;

	op_clean_printf(out, "Session-dir: %s\n", cfg->session_dir);
	for (size_t i = 0; i < cfg->nr_events; i++)
		op_clean_printf(out, "Event %zu: %s\n", i, cfg->events[i]);
	if (!cfg->nr_events)
		fprintf(out, "Event 0: %s:%d\n", OP_EVENT_TIMER, OP_TIMER_DEFAULT_NS);
	print_separate(out, cfg);
	op_clean_printf(out, "vmlinux file: %s\n", cfg->vmlinux ? cfg->vmlinux :
		"not needed, the running kernel provides its symbols");
	op_clean_printf(out, "Image filter: %s\n", cfg->image_filter ? cfg->image_filter : "none");
	fprintf(out, "Call-graph depth: %lu\n", cfg->callgraph);

	op_for_each_setting(row, OP_FOR_OPCONTROL) {
		char *text = NULL;

		if (row->status && op_setting_text(&text, row, cfg))
			return -ENOMEM;
		if (text)
			op_clean_printf(out, "%s: %s%s\n", row->status, text, row->unit ? row->unit : "");
		free(text);
	}
	return 0;
}

static uint64_t number(const struct op_reply *reply, const char *key)
{
	const char *value = op_reply_get(reply, key);

	return value ? strtoull(value, NULL, 10) : 0;
}

static void print_samples(FILE *out, uint64_t taken, uint64_t stored, uint64_t lost,
			  const struct op_session_stats *stats)
{
	fprintf(out,
		"Samples: %" PRIu64 " taken, %" PRIu64 " in files, %" PRIu64 " lost (%.3f %%)\n",
		taken, stored, lost, taken ? 100.0 * (double)lost / (double)taken : 0.0);
	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (!v->value || !v->desc || v->desc->kind != OP_STAT_LOSS)
			continue;
		fprintf(out, "  lost %" PRIu64 ": %s%s%s%s\n", v->value, v->desc->what,
			v->desc->advice ? " (" : "", v->desc->advice ? v->desc->advice : "",
			v->desc->advice ? ")" : "");
	}
}

/* Print the numbers of samples and losses of the running daemon. Its reply has a line "stat NAME:
 * VALUE" for each number. */
static int print_samples_of_daemon(FILE *out, const struct op_reply *reply)
{
	struct op_session_stats stats = { 0 };
	int err = 0;

	if (!op_reply_get(reply, "taken"))
		return 0;
	for (size_t i = 0; i < reply->nr && !err; i++) {
		if (!strncmp(reply->lines[i].key, "stat ", 5))
			err = op_session_stats_add(&stats, reply->lines[i].key + 5,
						   strtoull(reply->lines[i].value, NULL, 10));
	}
	if (!err)
		print_samples(out, number(reply, "taken"), number(reply, "stored"),
			      number(reply, "lost"), &stats);
	op_session_stats_release(&stats);
	return err;
}

/* Print the numbers of samples and losses of the last session, from its statistics file. Print
 * nothing if the file cannot be read. */
static void print_samples_of_files(FILE *out, const struct op_settings *cfg)
{
	struct op_session_stats stats = { 0 };
	struct op_reason unheard = { "" };
	int samples = ctl_session_open_samples(cfg->session_dir, OP_SESSION_READ, &unheard), dir;

	if (samples < 0)
		return;
	dir = openat(samples, "current", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(samples);
	if (dir < 0)
		return;
	if (op_session_stats_read(&stats, dir) == 0)
		print_samples(out, op_session_stats_sum(&stats, OP_STAT_TAKEN),
			      op_session_stats_sum(&stats, OP_STAT_STORED),
			      op_session_stats_sum(&stats, OP_STAT_LOSS), &stats);
	op_session_stats_release(&stats);
	close(dir);
}

/* Print the settings that the running daemon could not apply. */
static void print_complaints(FILE *out, const struct op_reply *reply)
{
	for (size_t i = 0; i < reply->nr; i++)
		if (!strcmp(reply->lines[i].key, "complaint"))
			op_clean_printf(out, "Warning: %s\n", reply->lines[i].value);
}

int ctl_status(FILE *out, const struct op_settings *cfg, const struct ctl_daemon *found, bool other,
	       struct op_reason *error)
{
	struct ctl_daemon daemon = *found;
	struct op_reply reply = { 0 };
	int err = 0;

	if (daemon.state == CTL_DAEMON_RUNNING)
		err = ctl_daemon_request(cfg->session_dir, "status", ANSWER_TIMEOUT_S, NULL, &reply,
					 error);
	/* the daemon's reply names the users who may read the complete status */
	if (err == -EREMOTEIO)
		fprintf(out, "Daemon running: pid %d\n", (int)daemon.pid);
	if (err == -ETIMEDOUT) {
		daemon.state = CTL_DAEMON_DEAF;
		err = 0;
	}
	if (!err) {
		print_daemon(out, &daemon, &reply);
		if (other && op_reply_get(&reply, "events"))
			op_clean_printf(out, "Session-dir: %s\nEvents: %s\n", cfg->session_dir,
				op_reply_get(&reply, "events"));
		else
			err = print_settings(out, cfg);
		print_complaints(out, &reply);
		print_source(out, cfg, &daemon, &reply);
		if (!err)
			err = print_samples_of_daemon(out, &reply);
		if (!ctl_daemon_alive(&daemon))
			print_samples_of_files(out, cfg);
		ctl_intervals_print(out, cfg, op_reply_get(&reply, "intervals"));
	}
	op_reply_release(&reply);
	return err;
}
