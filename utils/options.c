// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c -- one table of verbs and settings: parsing, checking and --help come from it.
 */
#include "config.h"
#include "utils/options.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/grow.h"
#include "libop/base/size.h"
#include "libop/base/nearest.h"
#include "libop/event/spec.h"
#include "libop/base/option_words.h"
#include "libop/session/paths.h"
#include "utils/events.h"
#include "utils/frequency.h"

/* What the module takes (doc/oprofilefs.md). */
#define MAX_TIME_SLICE_MS	10000
#define MAX_JITTER_BITS		16

#define MAX_MEANT		200

/* Options that are not verbs; verbs' popt values are their enum ctl_verb_id. */
enum {
	OPT_EVENT = 100,
	OPT_FREQUENCY,
	OPT_SEPARATE,
	OPT_IMAGE,
	OPT_VMLINUX,
	OPT_NO_VMLINUX,
	OPT_SESSION_DIR,
	OPT_BUFFER_SIZE,
	OPT_BUFFER_WATERSHED,
	OPT_CPU_BUFFER_SIZE,
	OPT_CALLGRAPH,
	OPT_SOURCE,
	OPT_BACKEND,
	OPT_TIME_SLICE,
	OPT_JITTER,
	OPT_CPUS,
	OPT_MODULE,
	OPT_GROUP,
	OPT_SYMBOLS,
	/* Not remembered. */
	OPT_CONFIG,
	OPT_VERBOSE,
};

#define FLAG(name, letter, id, help) { name, letter, POPT_ARG_NONE, NULL, id, help, NULL }
#define ARG(name, letter, id, help, arg) { name, letter, POPT_ARG_STRING, NULL, id, help, arg }

static const struct poptOption verb_options[] = {
	FLAG("init", 0, CTL_INIT, "load the kernel module and mount /dev/oprofile"),
	FLAG("setup", 0, CTL_SETUP, "remember the settings given with it"),
	FLAG("start-daemon", 0, CTL_START_DAEMON, "start the daemon without sampling"),
	FLAG("start", 's', CTL_START, "start sampling, and the daemon when needed"),
	FLAG("dump", 'd', CTL_DUMP, "write everything sampled so far to the sample files"),
	FLAG("stop", 't', CTL_STOP, "stop sampling; the daemon stays"),
	FLAG("shutdown", 'h', CTL_SHUTDOWN, "stop sampling and the daemon"),
	FLAG("reset", 0, CTL_RESET, "forget the current session's samples"),
	ARG("save", 0, CTL_SAVE, "keep the current session's samples under a name", "NAME"),
	FLAG("list-sessions", 0, CTL_LIST_SESSIONS, "list the sessions: samples, size, from when to when"),
	ARG("delete", 0, CTL_DELETE, "delete a session that was saved", "NAME"),
	FLAG("deinit", 0, CTL_DEINIT, "shut down, unmount /dev/oprofile, unload the module"),
	FLAG("status", 0, CTL_STATUS, "show what runs, the settings, and the losses"),
	FLAG("list-events", 'l', CTL_LIST_EVENTS, "list the events --event can name"),
	FLAG("help", '?', CTL_HELP, "show this help"),
	FLAG("version", 'v', CTL_VERSION, "show the version"),
	POPT_TABLEEND
};

static const struct poptOption setting_options[] = {
	ARG("event", 'e', OPT_EVENT,
	    "what to sample: NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], or default", "SPEC"),
	ARG("frequency", 0, OPT_FREQUENCY,
	    "sample by time, so many times a second on each busy CPU (10 to 20000)", "HZ"),
	ARG("separate", 'p', OPT_SEPARATE,
	    "separate samples by none, lib, kernel, thread, cpu, all", "LIST"),
	ARG("image", 'i', OPT_IMAGE, "profile only these programs or libraries (or all)", "PATHS"),
	ARG("vmlinux", 0, OPT_VMLINUX, "the running kernel's uncompressed image", "FILE"),
	FLAG("no-vmlinux", 0, OPT_NO_VMLINUX, "name the kernel no-vmlinux in reports"),
	ARG("session-dir", 0, OPT_SESSION_DIR, "where samples go (default /var/lib/oprofile)",
	    "DIR"),
	ARG("source", 0, OPT_SOURCE, "where samples come from: auto, module, perf", "SOURCE"),
	ARG("backend", 0, OPT_BACKEND,
	    "what the module samples with: auto, native, perf, timer", "BACKEND"),
	ARG("time-slice", 0, OPT_TIME_SLICE,
	    "turns of events that need more counters than there are (0: default)", "MS"),
	ARG("jitter", 0, OPT_JITTER, "random low bits of every count, 0 to 16", "BITS"),
	ARG("cpus", 0, OPT_CPUS,
	    "sample these: 0-3,8; all; auto: all but isolated and nohz_full ones", "LIST"),
	ARG("module", 0, OPT_MODULE, "load this oprofile.ko, not the installed one", "FILE"),
	ARG("group", 0, OPT_GROUP,
	    "who may read samples, besides root (default oprofile, when there is such a group)", "NAME"),
	ARG("symbols", 0, OPT_SYMBOLS,
	    "room for symbol tables kept with the samples (default 256M, 0: none are kept)", "SIZE"),
	ARG("buffer-size", 0, OPT_BUFFER_SIZE, "kernel event buffer, in words (0: default)", "N"),
	ARG("buffer-watershed", 0, OPT_BUFFER_WATERSHED,
	    "wake the daemon with this many words left (0: a quarter)", "N"),
	ARG("cpu-buffer-size", 0, OPT_CPU_BUFFER_SIZE, "entries per CPU (0: default)", "N"),
	ARG("callgraph", 'c', OPT_CALLGRAPH, "depth of call graphs (only 0 in this release)", "N"),
	POPT_TABLEEND
};

static const struct poptOption other_options[] = {
	ARG("config", 0, OPT_CONFIG, "where settings are remembered (default ~/.oprofile/daemonrc)",
	    "FILE"),
	{ "verbose", 'V', POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPT_VERBOSE,
	  "with --start, --start-daemon: the daemon's log says more", "all" },
	POPT_TABLEEND
};

#define SECTION(table, title) { NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(table), 0, title, NULL }

static const struct poptOption all_options[] = {
	SECTION(verb_options, "What to do (one of these):"),
	SECTION(setting_options, "Settings, remembered (alone, or with --setup, --start, "
				 "--start-daemon):"),
	SECTION(other_options, "Others:"),
	POPT_TABLEEND
};

static const char *long_name(const struct poptOption *table, int id)
{
	for (; table->longName; table++) {
		if (table->val == id)
			return table->longName;
	}
	return NULL;
}

static const char *setting_name(int id)
{
	return long_name(setting_options, id);
}

/* popt's table, and its --help, without a chance to print or exit by itself. */
void ctl_options_help(FILE *to)
{
	static const char *const argv[] = { "opcontrol", NULL };
	poptContext ctx = poptGetContext("opcontrol", 1, (const char **)argv, all_options, 0);

	if (!ctx)
		return;
	poptSetOtherOptionHelp(ctx, "VERB [SETTING...]");
	poptPrintHelp(ctx, to, 0);
	poptFreeContext(ctx);
}

void ctl_request_release(struct ctl_request *req)
{
	while (req->nr_settings)
		free(req->settings[--req->nr_settings].value);
	free(req->settings);
	free(req->name);
	free(req->session_dir);
	free(req->config_file);
	free(req->verbose);
	memset(req, 0, sizeof(*req));
}

/* @path made absolute, malloc'd. What it names need not exist. */
static char *absolute(const char *path)
{
	char *cwd, *full;

	if (path[0] == '/')
		return strdup(path);
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return NULL;
	if (asprintf(&full, "%s/%s", cwd, path) < 0)
		full = NULL;
	free(cwd);
	return full;
}

static int add_setting(struct ctl_request *req, int id, char *value, struct ctl_error *error)
{
	if (op_grow(&req->settings, req->nr_settings)) {
		free(value);
		return ctl_fail(error, -ENOMEM, "Out of memory.");
	}
	req->settings[req->nr_settings++] = (struct ctl_option){ .id = id, .value = value };

	if (id != OPT_SESSION_DIR)
		return 0;
	if (!*value)
		return ctl_fail(error, -EINVAL, "Option \"--session-dir\" needs a directory.");
	free(req->session_dir);
	req->session_dir = absolute(value);
	return req->session_dir ? 0 : ctl_fail(error, -ENOMEM, "Out of memory.");
}

static int set_verb(struct ctl_request *req, int id, struct ctl_error *error)
{
	const char *name = long_name(verb_options, id);

	/* --setup is a keyword that may stand beside --start, as it always could. */
	if (id == CTL_SETUP && (req->verb == CTL_START || req->verb == CTL_START_DAEMON))
		return 0;
	if (req->verb == CTL_SETUP && (id == CTL_START || id == CTL_START_DAEMON))
		req->verb = CTL_VERB_NONE;

	if (req->verb != CTL_VERB_NONE && (int)req->verb != id)
		return ctl_fail(error, -EINVAL, "Option \"--%s\" not valid with other options: "
				"\"--%s\" is there already.", name, req->verb_name);
	req->verb = (enum ctl_verb_id)id;
	req->verb_name = name;
	return 0;
}

static void replace(char **field, char *value)
{
	free(*field);
	*field = value;
}

/* Takes over @value. */
static int take_option(struct ctl_request *req, int id, char *value, struct ctl_error *error)
{
	switch (id) {
	case OPT_CONFIG:
		replace(&req->config_file, value);
		return 0;
	case OPT_VERBOSE:
		if (!value)
			value = strdup("all");
		replace(&req->verbose, value);
		return value ? 0 : ctl_fail(error, -ENOMEM, "Out of memory.");
	case CTL_SAVE:
	case CTL_DELETE:
		replace(&req->name, value);
		return set_verb(req, id, error);
	}
	if (setting_name(id))
		return add_setting(req, id, value, error);
	free(value);
	return set_verb(req, id, error);
}

/* What one option alone cannot know. */
static int check_combination(const struct ctl_request *req, struct ctl_error *error)
{
	bool starts = req->verb == CTL_START || req->verb == CTL_START_DAEMON;
	size_t i;

	if (req->verb == CTL_VERB_NONE && !req->nr_settings)
		return ctl_fail(error, -EINVAL, "No option given. See opcontrol --help");
	if (req->verb == CTL_SETUP && !req->nr_settings)
		return ctl_fail(error, -EINVAL, "No options specified for --setup.");
	if (req->verbose && !starts)
		return ctl_fail(error, -EINVAL,
				"Option \"--verbose\" is only valid with --start or "
				"--start-daemon.");
	if (starts || req->verb == CTL_SETUP || req->verb == CTL_VERB_NONE)
		return 0;
	for (i = 0; i < req->nr_settings; i++) {
		/* Says which session is meant; not remembered. */
		if (req->settings[i].id == OPT_SESSION_DIR)
			continue;
		if (req->settings[i].id == OPT_MODULE && req->verb == CTL_INIT)
			continue;
		return ctl_fail(error, -EINVAL,
				"Option \"--%s\" not valid with \"--%s\": give settings "
				"alone, or with --setup, --start or --start-daemon.",
				setting_name(req->settings[i].id), req->verb_name);
	}
	return 0;
}

/* What the environment says is as good as the option. */
static int add_session_dir(struct ctl_request *req, struct ctl_error *error)
{
	const char *dir = getenv(OP_SESSION_DIR_ENV);
	char *copy;

	if (req->session_dir || !dir || !*dir)
		return 0;
	copy = strdup(dir);
	return copy ? add_setting(req, OPT_SESSION_DIR, copy, error) :
		      ctl_fail(error, -ENOMEM, "Out of memory.");
}

int ctl_options_parse(struct ctl_request *req, int argc, char **argv, struct ctl_error *error)
{
	char meant[MAX_MEANT];
	poptContext ctx;
	int id, err = 0;

	ctx = poptGetContext("opcontrol", argc, (const char **)argv, all_options, 0);
	if (!ctx)
		return ctl_fail(error, -ENOMEM, "Out of memory.");
	if (op_options_abbreviate(ctx, all_options)) {
		poptFreeContext(ctx);
		return ctl_fail(error, -ENOMEM, "Out of memory.");
	}

	while (!err && (id = poptGetNextOpt(ctx)) >= 0)
		err = take_option(req, id, poptGetOptArg(ctx), error);

	if (!err && id == POPT_ERROR_BADOPT)
		err = ctl_fail(error, -EINVAL, "Unknown option \"%s\"%s. See opcontrol --help",
			       poptBadOption(ctx, 0), op_options_meant(all_options, poptBadOption(ctx, 0),
								       meant, sizeof(meant)));
	else if (!err && id < -1)
		err = ctl_fail(error, -EINVAL, "Option \"%s\": %s. See opcontrol --help",
			       poptBadOption(ctx, 0), poptStrerror(id));
	else if (!err && poptPeekArg(ctx))
		err = ctl_fail(error, -EINVAL, "Unexpected argument \"%s\". See opcontrol --help",
			       poptPeekArg(ctx));
	poptFreeContext(ctx);
	if (!err)
		err = check_combination(req, error);
	return err ? err : add_session_dir(req, error);
}

static int apply_event(struct ctl_settings *cfg, bool *first, const char *text,
		       struct ctl_error *error)
{
	struct op_event_spec spec;
	int err;

	/* What was remembered goes when something new is chosen. */
	if (*first)
		ctl_settings_clear_events(cfg);
	*first = false;
	if (!strcmp(text, "default"))
		return 0;

	err = ctl_event_parse(&spec, text, error);
	if (err)
		return err;
	op_event_spec_release(&spec);
	return ctl_settings_add_event(cfg, text) ? ctl_fail(error, -ENOMEM, "Out of memory.") : 0;
}

static int apply_frequency(struct ctl_settings *cfg, bool *first, const char *text,
			   struct ctl_error *error)
{
	char *event;
	int err = ctl_event_of_frequency(&event, text, error);

	if (err)
		return err;
	err = apply_event(cfg, first, event, error);
	free(event);
	return err;
}

#define SEPARATE_WORDS "none, lib, kernel, thread, cpu, all"

static int apply_separate(struct ctl_settings *cfg, const char *list, struct ctl_error *error)
{
	char meant[MAX_MEANT];
	char *copy = strdup(list), *rest = copy, *word;
	int err = 0;

	if (!copy)
		return ctl_fail(error, -ENOMEM, "Out of memory.");
	cfg->separate_lib = cfg->separate_kernel = 0;
	cfg->separate_thread = cfg->separate_cpu = 0;
	while (!err && (word = strsep(&rest, ","))) {
		bool all = !strcmp(word, "all");

		if (!strcmp(word, "none"))
			continue;
		if (all || !strcmp(word, "lib") || !strcmp(word, "library"))
			cfg->separate_lib = 1;
		else if (!strcmp(word, "kernel"))
			cfg->separate_lib = cfg->separate_kernel = 1;
		else if (!strcmp(word, "thread"))
			cfg->separate_thread = 1;
		else if (!strcmp(word, "cpu"))
			cfg->separate_cpu = 1;
		else
			err = ctl_fail(error, -EINVAL,
				       "Option \"--separate\": \"%s\" is none of " SEPARATE_WORDS
				       "%s.", word, op_list_meant(SEPARATE_WORDS, word, strlen(word),
								  meant, sizeof(meant)));
		if (all)
			cfg->separate_kernel = cfg->separate_thread = cfg->separate_cpu = 1;
	}
	free(copy);
	return err;
}

/*
 * Samples carry the path the kernel knows, so a link would match nothing: each path is resolved,
 * and has to exist.
 */
static int apply_image(struct ctl_settings *cfg, const char *list, struct ctl_error *error)
{
	char *copy = strdup(list), *rest = copy, *word, *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);
	bool all = false;
	int err = 0;

	if (!copy || !f)
		err = ctl_fail(error, -ENOMEM, "Out of memory.");
	while (!err && (word = strsep(&rest, ","))) {
		char *real;

		if (!strcmp(word, "all")) {
			all = true;
			continue;
		}
		if (word[0] != '/') {
			err = ctl_fail(error, -EINVAL,
				       "Option \"--image\": \"%s\" is not an absolute "
				       "path.",
				       word);
			break;
		}
		real = realpath(word, NULL);
		if (!real)
			err = ctl_fail(error, -errno, "Option \"--image\": %s: %s.", word,
				       strerror(errno));
		else
			fprintf(f, "%s%s", ftell(f) > 0 ? "," : "", real);
		free(real);
	}
	if (f && fclose(f) && !err)
		err = ctl_fail(error, -ENOMEM, "Out of memory.");
	if (!err) {
		replace(&cfg->image_filter, all ? NULL : out);
		if (!all)
			out = NULL;
	}
	free(out);
	free(copy);
	return err;
}

/* A file that is there, as an absolute path. */
static int apply_file(char **field, const char *option, const char *path, struct ctl_error *error)
{
	char *full;

	if (access(path, R_OK) < 0)
		return ctl_fail(error, -errno,
				"The %s file \"%s\" specified with --%s cannot be read: "
				"%s.",
				option, path, option, strerror(errno));
	full = realpath(path, NULL);
	if (!full)
		return ctl_fail(error, -errno, "%s: %s.", path, strerror(errno));
	replace(field, full);
	return 0;
}

static int apply_number(unsigned long *field, const char *option, const char *text,
			struct ctl_error *error)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || n > 1UL << 30)
		return ctl_fail(error, -EINVAL, "Option \"--%s\": \"%s\" is not a number from 0 to "
				"%lu.", option, text, 1UL << 30);
	*field = n;
	return 0;
}

static int apply_text(char **field, const char *text, struct ctl_error *error)
{
	char *copy = strdup(text);

	if (!copy)
		return ctl_fail(error, -ENOMEM, "Out of memory.");
	replace(field, copy);
	return 0;
}

static int apply_callgraph(struct ctl_settings *cfg, const char *text, struct ctl_error *error)
{
	int err = apply_number(&cfg->callgraph, "callgraph", text, error);

	if (err || !cfg->callgraph)
		return err;
	return ctl_fail(error, -EOPNOTSUPP, "Call graphs are not there yet in this release: leave "
			"--callgraph out, or give 0.");
}

static int apply_source(struct ctl_settings *cfg, const char *text, struct ctl_error *error)
{
	if (ctl_source_by_name(text) < 0)
		return ctl_fail(error, -EINVAL,
				"Option \"--source\": \"%s\" is none of auto, module, "
				"perf.",
				text);
	return apply_text(&cfg->source, text, error);
}

static int apply_cpus(struct ctl_settings *cfg, const char *text, struct ctl_error *error)
{
	if (strcmp(text, "all") && strcmp(text, "auto") && (!*text || text[strspn(text, "0123456789,-")]))
		return ctl_fail(error, -EINVAL, "Option \"--cpus\": \"%s\" is neither a list of CPUs, as in "
				"0-3,8, nor all or auto.", text);
	return apply_text(&cfg->cpus, text, error);
}

static int apply_backend(struct ctl_settings *cfg, const char *text, struct ctl_error *error)
{
	if (!ctl_backend_valid(text))
		return ctl_fail(error, -EINVAL, "Option \"--backend\": \"%s\" is none of auto, native, "
				"perf, timer.", text);
	return apply_text(&cfg->backend, text, error);
}

static int apply_limited(unsigned long *field, const char *option, const char *text,
			 unsigned long max, struct ctl_error *error)
{
	unsigned long n = 0;
	int err = apply_number(&n, option, text, error);

	if (err)
		return err;
	if (n > max)
		return ctl_fail(error, -EINVAL, "Option \"--%s\": %lu is more than %lu.", option, n, max);
	*field = n;
	return 0;
}

static int apply_group(struct ctl_settings *cfg, const char *text, struct ctl_error *error)
{
	if (!getgrnam(text))
		return ctl_fail(error, -EINVAL, "Option \"--group\": there is no group \"%s\". Make it with "
				"groupadd %s, and take users in with usermod -aG %s USER.", text, text, text);
	return apply_text(&cfg->group, text, error);
}

static int apply_symbols(struct ctl_settings *cfg, const char *text, struct ctl_error *error)
{
	uint64_t size;

	if (op_size_parse(&size, text))
		return ctl_fail(error, -EINVAL, "Option \"--symbols\": \"%s\" is not " OP_SIZE_RULE
				".", text);
	return apply_text(&cfg->symbols, text, error);
}

static int apply(struct ctl_settings *cfg, const struct ctl_request *req,
		 const struct ctl_option *setting, bool *first_event, struct ctl_error *error)
{
	const char *name = setting_name(setting->id), *value = setting->value;

	switch (setting->id) {
	case OPT_EVENT:
		return apply_event(cfg, first_event, value, error);
	case OPT_FREQUENCY:
		return apply_frequency(cfg, first_event, value, error);
	case OPT_SEPARATE:
		return apply_separate(cfg, value, error);
	case OPT_IMAGE:
		return apply_image(cfg, value, error);
	case OPT_VMLINUX:
		return apply_file(&cfg->vmlinux, name, value, error);
	case OPT_NO_VMLINUX:
		return apply_text(&cfg->vmlinux, CTL_NO_VMLINUX, error);
	case OPT_SESSION_DIR:
		return apply_text(&cfg->session_dir, req->session_dir, error);
	case OPT_BUFFER_SIZE:
		return apply_number(&cfg->buffer_size, name, value, error);
	case OPT_BUFFER_WATERSHED:
		return apply_number(&cfg->buffer_watershed, name, value, error);
	case OPT_CPU_BUFFER_SIZE:
		return apply_number(&cfg->cpu_buffer_size, name, value, error);
	case OPT_CALLGRAPH:
		return apply_callgraph(cfg, value, error);
	case OPT_SOURCE:
		return apply_source(cfg, value, error);
	case OPT_BACKEND:
		return apply_backend(cfg, value, error);
	case OPT_TIME_SLICE:
		return apply_limited(&cfg->time_slice, name, value, MAX_TIME_SLICE_MS, error);
	case OPT_JITTER:
		return apply_limited(&cfg->jitter, name, value, MAX_JITTER_BITS, error);
	case OPT_CPUS:
		return apply_cpus(cfg, value, error);
	case OPT_GROUP:
		return apply_group(cfg, value, error);
	case OPT_SYMBOLS:
		return apply_symbols(cfg, value, error);
	case OPT_MODULE:
		return apply_file(&cfg->module, name, value, error);
	}
	return ctl_fail(error, -EINVAL, "Option \"--%s\" is not implemented.", name);
}

bool ctl_options_choose_events(const struct ctl_request *req)
{
	size_t i;

	for (i = 0; i < req->nr_settings; i++) {
		if (req->settings[i].id == OPT_EVENT || req->settings[i].id == OPT_FREQUENCY)
			return true;
	}
	return false;
}

int ctl_options_apply(const struct ctl_request *req, struct ctl_settings *cfg,
		       struct ctl_error *error)
{
	bool first_event = true;
	size_t i;
	int err;

	for (i = 0; i < req->nr_settings; i++) {
		err = apply(cfg, req, &req->settings[i], &first_event, error);
		if (err)
			return err;
	}
	if (ctl_settings_backend(cfg) && ctl_settings_source(cfg) == CTL_SOURCE_PERF)
		return ctl_fail(error, -EINVAL, "--backend is about the kernel module, and --source=perf "
				"is set: leave one of them at auto.");
	if (cfg->buffer_size && cfg->buffer_watershed >= cfg->buffer_size)
		return ctl_fail(error, -EINVAL,
				"The buffer watershed (%lu) has to be smaller than the "
				"buffer size (%lu).",
				cfg->buffer_watershed, cfg->buffer_size);
	return 0;
}
