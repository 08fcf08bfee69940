// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c -- opcontrol's command line: its verbs (such as --start), and an option for each
 * setting of libop/settings.h.
 */
#include "config.h"
#include "utils/opcontrol/options.h"

#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/grow.h"
#include "libop/event/spec.h"
#include "libop/base/option_words.h"
#include "libop/session/paths.h"
#include "utils/opcontrol/events.h"
#include "utils/shared/command_line.h"

#define MAX_MEANT		200
#define MAX_SETTINGS		100

/* Ids of options, which popt returns. The id of a verb is its enum ctl_verb_id. The id of a setting
 * is OPT_SETTING plus the index of the setting in the table of settings. */
enum {
	OPT_CONFIG = 100,
	OPT_VERBOSE,
	OPT_ARCS,
	OPT_SETTING,
};

/* Tables of options for popt; popt reads them until the parse ends. */
struct table {
	struct poptOption settings[MAX_SETTINGS + 1];
	struct poptOption sections[4];
};

#define FLAG(name, letter, id, help) { name, letter, POPT_ARG_NONE, NULL, id, help, NULL }
#define ARG(name, letter, id, help, arg) { name, letter, POPT_ARG_STRING, NULL, id, help, arg }

static const struct poptOption verb_options[] = {
	FLAG("init", 0, CTL_INIT, "load the kernel module and mount /dev/oprofile"),
	FLAG("setup", 0, CTL_SETUP, "remember the given settings"),
	FLAG("start-daemon", 0, CTL_START_DAEMON, "start the daemon without sampling"),
	FLAG("start", 's', CTL_START, "start sampling, and the daemon if needed"),
	FLAG("dump", 'd', CTL_DUMP, "write all samples taken so far to the sample files"),
	FLAG("stop", 't', CTL_STOP, "stop sampling; the daemon stays"),
	FLAG("shutdown", 'h', CTL_SHUTDOWN, "stop sampling and the daemon"),
	FLAG("reset", 0, CTL_RESET, "delete the current session's samples"),
	ARG("save", 0, CTL_SAVE, "save the current session under a name", "NAME"),
	ARG("export", 0, CTL_EXPORT, "write the sample files of this time to the new directory DIR",
	    "TIME..TIME DIR"),
	FLAG("list-sessions", 0, CTL_LIST_SESSIONS, "list sessions with size and time"),
	ARG("delete", 0, CTL_DELETE, "delete a saved session", "NAME"),
	FLAG("deinit", 0, CTL_DEINIT, "shut down, unmount /dev/oprofile, unload the module"),
	FLAG("status", 0, CTL_STATUS, "show the daemon's state, settings and losses"),
	{ "why", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, CTL_WHY,
	  "compare the last ten minutes with this hour of the days before", "TIME..TIME" },
	FLAG("list-events", 'l', CTL_LIST_EVENTS, "list the events that --event accepts"),
	FLAG("prepare", 0, CTL_PREPARE, "make the unwind and symbol tables of running programs"),
	FLAG("doctor", 0, CTL_DOCTOR, "check what works on this machine, and print remedies"),
	FLAG("help", '?', CTL_HELP, "show this help"),
	FLAG("version", 'v', CTL_VERSION, "show the version"),
	POPT_TABLEEND
};

static const struct poptOption other_options[] = {
	ARG("config", 0, OPT_CONFIG, "remember settings in this file (default ~/.oprofile/daemonrc)",
	    "FILE"),
	{ "verbose", 'V', POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPT_VERBOSE,
	  "with --start, --start-daemon: write a more detailed log", "all" },
	FLAG("arcs", 0, OPT_ARCS, "with --save: make call-graph files for other tools from the call paths"),
	POPT_TABLEEND
};

#define SECTION(table, title) { NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(table), 0, title, NULL }

static const char *verb_name(int id)
{
	const struct poptOption *verb = verb_options;

	while (verb->val != id)
		verb++;
	return verb->longName;
}

static void make_table(struct table *table)
{
	const struct op_setting *row;
	size_t nr = 0;

	*table = (struct table){
		.sections = {
			SECTION(verb_options, "Verbs (give one):"),
			SECTION(table->settings, "Settings, remembered (give them alone, or with --setup, "
						 "--start, --start-daemon):"),
			SECTION(other_options, "Other options:"),
			POPT_TABLEEND
		},
	};
	op_for_each_setting(row, OP_FOR_OPCONTROL) {
		if (!row->name || nr == MAX_SETTINGS)
			continue;
		table->settings[nr++] = (struct poptOption){
			.longName = row->name,
			.shortName = row->letter,
			.argInfo = !row->arg	? POPT_ARG_NONE :
				   row->without ? POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL :
						  POPT_ARG_STRING,
			.val = OPT_SETTING + (int)(row - op_setting_table),
			.descrip = row->help,
			.argDescrip = row->arg,
		};
	}
}

/* Print popt's help text. popt does not handle --help itself, because it would exit. */
void ctl_options_help(FILE *to)
{
	static const char *const argv[] = { "opcontrol", NULL };
	struct table table;
	poptContext ctx;

	make_table(&table);
	ctx = poptGetContext("opcontrol", 1, (const char **)argv, table.sections, 0);
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
	free(req->directory);
	free(req->session_dir);
	free(req->config_file);
	free(req->verbose);
	memset(req, 0, sizeof(*req));
}

#define SESSION_DIR	"session-dir"

static bool is(const struct op_setting *setting, const char *name)
{
	return !strcmp(setting->name, name);
}

/* Return @path as a malloc'd absolute path. The file @path need not exist. */
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

/* Add a setting of the command line to @req, which takes ownership of @value. */
static int add_setting(struct ctl_request *req, const struct op_setting *setting, char *value,
		       struct op_reason *error)
{
	if (op_grow(&req->settings, req->nr_settings)) {
		free(value);
		return -ENOMEM;
	}
	req->settings[req->nr_settings++] = (struct ctl_option){ setting, value };

	if (!is(setting, SESSION_DIR))
		return 0;
	if (!*value)
		return op_fail(error, -EINVAL, "option \"--" SESSION_DIR "\" needs a directory");
	free(req->session_dir);
	req->session_dir = absolute(value);
	return req->session_dir ? 0 : -ENOMEM;
}

static int set_verb(struct ctl_request *req, int id, struct op_reason *error)
{
	const char *name = verb_name(id);

	/* --setup may be combined with --start or --start-daemon, as in the original opcontrol. */
	if (id == CTL_SETUP && (req->verb == CTL_START || req->verb == CTL_START_DAEMON))
		return 0;
	if (req->verb == CTL_SETUP && (id == CTL_START || id == CTL_START_DAEMON))
		req->verb = CTL_VERB_NONE;

	if (req->verb != CTL_VERB_NONE && (int)req->verb != id)
		return op_fail(error, -EINVAL, "option \"--%s\" cannot be combined with \"--%s\"", name, req->verb_name);
	req->verb = (enum ctl_verb_id)id;
	req->verb_name = name;
	return 0;
}

static void replace(char **field, char *value)
{
	free(*field);
	*field = value;
}

/* Handle the option with the id @id that popt has parsed. Take ownership of @value. */
static int parse_option(struct ctl_request *req, int id, char *value, struct op_reason *error)
{
	switch (id) {
	case OPT_CONFIG:
		replace(&req->config_file, value);
		return 0;
	case OPT_VERBOSE:
		if (!value)
			value = strdup("all");
		replace(&req->verbose, value);
		return value ? 0 : -ENOMEM;
	case OPT_ARCS:
		free(value);
		req->arcs = true;
		return 0;
	case CTL_SAVE:
	case CTL_EXPORT:
	case CTL_DELETE:
	case CTL_WHY:
		replace(&req->name, value);
		return set_verb(req, id, error);
	}
	if (id >= OPT_SETTING)
		return add_setting(req, &op_setting_table[id - OPT_SETTING], value, error);
	free(value);
	return set_verb(req, id, error);
}

/* Refuse combinations of options that have no meaning together. */
static int check_combination(const struct ctl_request *req, struct op_reason *error)
{
	bool starts = req->verb == CTL_START || req->verb == CTL_START_DAEMON;

	if (req->arcs && req->verb != CTL_SAVE)
		return op_fail(error, -EINVAL, "option \"--arcs\" is only valid with --save");
	if (req->verb == CTL_EXPORT && !req->directory)
		return op_fail(error, -EINVAL,
			       "option \"--export\" needs a time and a directory: opcontrol "
			       "--export=TIME..TIME DIR");
	if (req->verb == CTL_VERB_NONE && !req->nr_settings)
		return op_fail(error, -EINVAL, "no option given; see opcontrol --help");
	if (req->verb == CTL_SETUP && !req->nr_settings)
		return op_fail(error, -EINVAL, "no options specified for --setup");
	if (req->verbose && !starts)
		return op_fail(error, -EINVAL,
			       "option \"--verbose\" is only valid with --start or --start-daemon");
	if (starts || req->verb == CTL_SETUP || req->verb == CTL_VERB_NONE)
		return 0;
	for (size_t i = 0; i < req->nr_settings; i++) {
		/* Ignore --session-dir here. It is stored as a setting only with --setup and the
		 * --start verbs; with other verbs, it only selects a session. */
		if (is(req->settings[i].setting, SESSION_DIR))
			continue;
		if (is(req->settings[i].setting, "module") && req->verb == CTL_INIT)
			continue;
		return op_fail(error, -EINVAL,
			       "option \"--%s\" cannot be combined with \"--%s\": give settings "
			       "alone, or with --setup, --start or --start-daemon",
			       req->settings[i].setting->name, req->verb_name);
	}
	return 0;
}

/* If --session-dir was not given, use the value of $OPROFILE_SESSION_DIR in its place. */
static int add_session_dir(struct ctl_request *req, struct op_reason *error)
{
	const char *dir = getenv(OP_SESSION_DIR_ENV);
	char *copy;

	if (req->session_dir || !dir || !*dir)
		return 0;
	copy = strdup(dir);
	return copy ? add_setting(req, op_setting_by_name(SESSION_DIR, OP_FOR_OPCONTROL), copy,
				  error) :
		      -ENOMEM;
}

int ctl_options_parse(struct ctl_request *req, int argc, char **argv, struct op_reason *error)
{
	static const char *const whole[] = { "reset", "delete", "deinit", NULL };
	char meant[MAX_MEANT];
	struct table table;
	poptContext ctx;
	int id = -1, err;

	make_table(&table);
	ctx = poptGetContext("opcontrol", argc, (const char **)argv, table.sections, 0);
	if (!ctx)
		return -ENOMEM;
	if (op_options_abbreviate(ctx, table.sections, whole)) {
		poptFreeContext(ctx);
		return -ENOMEM;
	}

	err = op_options_once(table.sections, (const char *const *)argv, false, error);
	while (!err && (id = poptGetNextOpt(ctx)) >= 0)
		err = parse_option(req, id, poptGetOptArg(ctx), error);

	if (!err && id == POPT_ERROR_BADOPT)
		err = op_fail(error, -EINVAL, "unknown option \"%s\"%s; see opcontrol --help",
			      poptBadOption(ctx, 0),
			      op_options_suggest(table.sections, poptBadOption(ctx, 0), meant,
						 sizeof(meant)));
	else if (!err && id < -1)
		err = op_fail(error, -EINVAL, "option \"%s\": %s; see opcontrol --help",
			      poptBadOption(ctx, 0), poptStrerror(id));
	if (!err && req->verb == CTL_EXPORT && poptPeekArg(ctx)) {
		req->directory = absolute(poptGetArg(ctx));
		err = req->directory ? 0 : -ENOMEM;
	}
	if (!err && poptPeekArg(ctx))
		err = op_fail(error, -EINVAL, "unexpected argument \"%s\"; see opcontrol --help",
			      poptPeekArg(ctx));
	poptFreeContext(ctx);
	if (!err)
		err = check_combination(req, error);
	return err ? err : add_session_dir(req, error);
}

static int apply_event(struct op_settings *cfg, bool *first, const char *text,
		       struct op_reason *error)
{
	struct op_event_spec spec;
	int err;

	/* The first --event of a command line replaces the stored events. Each further --event adds
	 * an event. */
	if (*first)
		op_settings_clear_events(cfg);
	*first = false;
	if (!strcmp(text, "default"))
		return 0;

	err = ctl_event_parse(&spec, text, error);
	if (err)
		return err;
	op_event_spec_release(&spec);
	return op_settings_add_event(cfg, text) ? -ENOMEM : 0;
}

/* Add the filter @text to the last event on this command line. */
static int apply_filter(struct op_settings *cfg, bool first, const char *text,
			struct op_reason *error)
{
	const char *last = first || !cfg->nr_events ? "" : cfg->events[cfg->nr_events - 1];
	struct op_reason cause = { "" };
	struct op_event_spec spec;
	char *event;
	int err = op_event_list_filter(&event, last, text, &cause);

	if (!err) {
		err = ctl_event_parse(&spec, event, error);
		if (err) {
			free(event);
			return err;
		}
		op_event_spec_release(&spec);
		free(cfg->events[cfg->nr_events - 1]);
		cfg->events[cfg->nr_events - 1] = event;
		return 0;
	}
	return op_fail(error, err, "option \"--filter\": %s", op_reason_text(&cause, err));
}

static int apply_frequency(struct op_settings *cfg, bool *first, const char *text,
			   struct op_reason *error)
{
	char *event;
	int err = ctl_event_of_frequency(&event, text, error);

	if (err)
		return err;
	err = apply_event(cfg, first, event, error);
	free(event);
	return err;
}

static int apply_wall(struct op_settings *cfg, bool *first, const char *value,
		      struct op_reason *error)
{
	bool latency;
	int err = ctl_wall_parse(&latency, value, error);

	if (!err)
		err = apply_event(cfg, first, CTL_WALL_COMPUTES, error);
	if (!err)
		err = apply_event(cfg, first, CTL_WALL_WAITS, error);
	if (!err && latency)
		err = apply_event(cfg, first, CTL_WALL_LATENCY, error);
	return err;
}

/*
 * Set the image filter (paths of binaries to sample) to @list. Samples have the canonical path of a
 * binary, so the path of a symbolic link would match no sample: resolve each path. The files must
 * exist.
 */
static int apply_image(struct op_settings *cfg, const char *list, struct op_reason *error)
{
	char *copy = strdup(list), *rest = copy, *word, *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);
	bool all = false;
	int err = 0;

	if (!copy || !f)
		err = -ENOMEM;
	while (!err && (word = strsep(&rest, ","))) {
		char *real;

		if (!strcmp(word, "all")) {
			all = true;
			continue;
		}
		if (word[0] != '/') {
			err = op_fail(error, -EINVAL,
				      "option \"--image\": \"%s\" is not an absolute path",
				      word);
			break;
		}
		real = realpath(word, NULL);
		if (!real)
			err = op_fail(error, -errno, "option \"--image\": %s: %s", word,
				      strerror(errno));
		else
			fprintf(f, "%s%s", ftell(f) > 0 ? "," : "", real);
		free(real);
	}
	if (f && fclose(f) && !err)
		err = -ENOMEM;
	if (!err) {
		replace(&cfg->image_filter, all ? NULL : out);
		if (!all)
			out = NULL;
	}
	free(out);
	free(copy);
	return err;
}

static int apply_no_vmlinux(struct op_settings *cfg)
{
	char *none = strdup(OP_NO_VMLINUX);

	if (!none)
		return -ENOMEM;
	replace(&cfg->vmlinux, none);
	return 0;
}

static int apply(struct op_settings *cfg, const struct ctl_request *req,
		 const struct ctl_option *option, bool *first_event, struct op_reason *error)
{
	const struct op_setting *setting = option->setting;
	const char *value = option->value;
	struct op_reason cause = { "" };
	int err;

	if (is(setting, "event"))
		return apply_event(cfg, first_event, value, error);
	if (is(setting, "filter"))
		return apply_filter(cfg, *first_event, value, error);
	if (is(setting, "frequency"))
		return apply_frequency(cfg, first_event, value, error);
	if (is(setting, "wall"))
		return apply_wall(cfg, first_event, value, error);
	if (is(setting, "image"))
		return apply_image(cfg, value, error);
	if (is(setting, "no-vmlinux"))
		return apply_no_vmlinux(cfg);
	if (is(setting, SESSION_DIR))
		value = req->session_dir;
	err = op_setting_parse(setting, cfg, value, &cause);
	if (err)
		return op_fail(error, err, "option \"--%s\": %s", setting->name, op_reason_text(&cause, err));
	return 0;
}

bool ctl_options_choose_events(const struct ctl_request *req)
{
	for (size_t i = 0; i < req->nr_settings; i++) {
		const struct op_setting *setting = req->settings[i].setting;

		if (is(setting, "event") || is(setting, "frequency") || is(setting, "wall"))
			return true;
	}
	return false;
}

int ctl_options_apply(const struct ctl_request *req, struct op_settings *cfg,
		       struct op_reason *error)
{
	bool first_event = true;
	uint64_t memory;
	int err;

	for (size_t i = 0; i < req->nr_settings; i++) {
		err = apply(cfg, req, &req->settings[i], &first_event, error);
		if (err)
			return err;
	}
	if (ctl_settings_backend(cfg) && ctl_settings_source(cfg) == CTL_SOURCE_PERF)
		return op_fail(error, -EINVAL, "option \"--backend\" selects a backend of the "
					       "kernel module, but --source=perf is set: set one "
					       "of the two to auto");
	if (op_settings_wakers(cfg) && ctl_settings_source(cfg) == CTL_SOURCE_PERF)
		return op_fail(error, -EINVAL, "option \"--wakers=on\" needs the kernel module, but "
					       "--source=perf is set: use --source=auto or "
					       "--wakers=off");
	if (cfg->max_memory && op_settings_memory(&memory, cfg->max_memory, error))
		return -EINVAL;
	if (cfg->buffer_size && cfg->buffer_watershed >= cfg->buffer_size)
		return op_fail(error, -EINVAL,
			       "the buffer watershed (%lu) has to be smaller than the buffer size "
			       "(%lu)",
			       cfg->buffer_watershed, cfg->buffer_size);
	return 0;
}
