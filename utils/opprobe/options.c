// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c -- opprobe's command line.
 */
#include "config.h"
#include "utils/opprobe/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libop/event/spec.h"
#include "libop/raw/num.h"
#include "libop/raw/words.h"
#include "utils/opprobe/event.h"
#include "utils/opprobe/verbose.h"

#define DEFAULT_DIR	"opprobe_data"
#define MIN_CIRCLE	2
/* maximum length of a circular log of addresses (option in $PCT) */
#define MAX_CIRCLE	(1u << 28)

enum {
	OPT_PC = 1,
	OPT_OUTPUT,
	OPT_RATE,
	OPT_RECOVER,
	OPT_EVENT,
	OPT_DRIVER,
	OPT_REPORT,
	OPT_VERBOSE,
	OPT_DEBUG,
	OPT_PERIOD,
	OPT_ALONE,
	OPT_WORD
};

#define LISTS			1u
#define LISTS_DEVELOPERS	2u
#define MEMORY	3	/* index of "memory" in plain_words */
#define RETURNS	7

/* Parse the value of --pc=KIND: set the library to preload, and the options in $PCT. */
static int parse_pc(struct probe_options *o, const char *kind, struct op_reason *error)
{
	uint64_t n;
	size_t len;

	free(o->words);
	o->words = NULL;
	o->library = "libitimer.so";
	if (!strcmp(kind, "itimer")) {
		o->words = strdup("");
	} else if (!strcmp(kind, "profil")) {
		o->library = "libprofil.so";
		o->words = strdup("");
	} else if (!strcmp(kind, "log")) {
		o->words = strdup("l");
	} else if (!strncmp(kind, "circular:", 9)) {
		len = raw_str2num(&n, kind + 9, strlen(kind + 9), 10);
		if (!len || kind[9 + len] || n < MIN_CIRCLE || n > MAX_CIRCLE)
			return op_fail(error, -EINVAL, "option \"--pc\": N of circular:N is %u to "
						       "%u addresses", MIN_CIRCLE,
				       MAX_CIRCLE);
		if (asprintf(&o->words, "c%u", (unsigned int)n) < 0)
			o->words = NULL;
	} else {
		return op_fail(error, -EINVAL, "option \"--pc\": \"%s\" is not itimer, profil, log "
					       "or circular:N", kind);
	}
	return o->words ? 0 : -ENOMEM;
}

static int add_event(struct probe_options *o, const struct raw_probe_event *event,
		     struct op_reason *error)
{
	int err = raw_probe_words_add(&o->probe, event);

	if (err == -EEXIST)
		return op_fail(error, err, "event %s is given twice", event->name);
	return err ? op_fail(error, err, "too many events: the limit is %d", RAW_PROBE_EVENTS) : 0;
}

static int parse_rate(struct probe_options *o, const char *text, struct op_reason *error)
{
	struct raw_probe_event event;
	size_t len = strlen(text);
	uint64_t n;

	if (!len || raw_str2num(&n, text, len, 10) != len || raw_probe_rate(&event, n))
		return op_fail(error, -EINVAL, "option \"--rate\": give 1 to %d samples a second", RAW_PROBE_MAX_RATE);
	o->rate = n;
	return add_event(o, &event, error);
}

/* Parse the sampling period of the event TIMER or WALL, which may have a unit such as "ms". The
 * event's name is case-insensitive. The period must be within the limits of timers. */
static int parse_timer(struct raw_probe_event *event, const char *name, const char *text)
{
	const char *period = strchr(text, ':');
	int err = raw_probe_event_parse(event, name, strlen(name));

	if (err || !period)
		return err;
	if (op_event_period_parse(&event->period, period + 1, strlen(period + 1)) ||
	    event->period < event->kind->min || event->period > event->kind->max)
		return -ERANGE;
	return 0;
}

static int fail_period(const char *text, struct op_reason *error)
{
	const size_t len = strcspn(text, ":");
	const struct raw_probe_kind *kind;
	size_t i = 0;

	while ((kind = raw_probe_kind(i)) &&
	       (strlen(kind->name) != len || strncasecmp(kind->name, text, len)))
		i++;
	if (kind && !kind->max)
		return op_fail(error, -EINVAL, "option \"--event\": \"%s\": %s has no period", text, kind->name);
	if (kind)
		return op_fail(error, -EINVAL, "option \"--event\": the period of \"%s\" is out of "
					       "range: use %llu to %llu", text,
			       (unsigned long long)kind->min, (unsigned long long)kind->max);
	return op_fail(error, -EINVAL, "option \"--event\": the period of \"%s\" is out of range; see "
				       "opprobe(1)", text);
}

int probe_options_event(struct raw_probe_event *ret, const char *text, struct op_reason *error)
{
	struct raw_probe_event event;
	int err = op_event_is_timer(text) ? parse_timer(&event, OP_EVENT_TIMER, text) :
		  !strncmp(text, "WALL:", 5) ? parse_timer(&event, "WALL", text) :
		  raw_probe_event_parse(&event, text, strlen(text));

	if (err == -EINVAL || err == -ENAMETOOLONG)
		return op_fail(error, -EINVAL, "option \"--event\": \"%s\" is not "
					       "vperf:EVENT[:u][:PERIOD], an event of vperf(3) in "
					       "user mode, of at most %zu characters", text, RAW_PROBE_NAME - sizeof(RAW_PROBE_VPERF));
	if (err == -ENOENT)
		err = probe_event_find(&event, text, NULL, "/sys", error);
	if (!err)
		*ret = event;
	return err == -ERANGE ? fail_period(text, error) : err;
}

static int parse_event(struct probe_options *o, const char *text, struct op_reason *error)
{
	struct raw_probe_event event;
	int err = probe_options_event(&event, text, error);

	return err ? err : add_event(o, &event, error);
}

static int parse_driver(struct probe_options *o, const char *name, struct op_reason *error)
{
	if (!raw_probe_driver_parse(&o->probe.driver, name, strlen(name)))
		return 0;
	return op_fail(error, -EINVAL, "option \"--driver\": \"%s\" is not auto, perf, cputime, "
				       "itimer or monotonic", name);
}

/* Command line options that are passed on in $OPPROBE. For each: its name, and the valid values,
 * for the error message. */
static const struct plain_word {
	const char *key, *values;
} plain_words[] = {
	{ "follow", "all, fork, exec or none" },
	{ "separate", "none or thread" },
	{ "leaf", "address or function" },
	{ "memory", "a size of at most 4294967296 bytes; it may end in K, M or G" },
	{ "csp-version", "01.00 or 01.01" },
	{ "unsafe", "one of at most 8 functions or files, of 1 to 255 characters" },
	{ "marker", "on or off" },
	{ "returns", "last, all or off" },
};

static int parse_word(struct probe_options *o, const struct plain_word *option, const char *value,
		      struct op_reason *error)
{
	const char *key = option->key;
	char *word = NULL;
	int err = asprintf(&word, "%s=%s", key, value) < 0 ? -ENOMEM : raw_probe_word(&o->probe, word, strlen(word));

	free(word);
	return err ? op_fail(error, err, "option \"--%s\": \"%s\" is not %s", key, value, option->values) : 0;
}

static int parse_mask(struct probe_options *o, const char *text, bool for_developers,
		      struct op_reason *error)
{
	uint32_t *mask = for_developers ? &o->debug : &o->verbose;

	if (!strcmp(text, "list")) {
		o->lists |= for_developers ? LISTS_DEVELOPERS : LISTS;
		return 0;
	}
	if (!probe_verbose_mask(mask, text, for_developers))
		return 0;
	return op_fail(error, -EINVAL, "option \"-%c\": \"%s\" is neither a sum of bits nor a list "
				       "of names; '-%c list' prints the names",
		       for_developers ? 'D' : 'v', text, for_developers ? 'D' : 'v');
}

/* Handle the option -p of csprof: set the period of all sampled events or, if there is no event, of
 * TIMER. */
static int parse_period(struct probe_options *o, const char *text, struct op_reason *error)
{
	size_t len = strlen(text);

	if (len && raw_str2num(&o->period, text, len, 10) == len && o->period)
		return 0;
	return op_fail(error, -EINVAL, "option \"-p\": \"%s\" is not a period", text);
}

static int set_period(struct probe_options *o, struct op_reason *error)
{
	struct raw_probe_event event;

	if (o->period && !o->probe.nr_events) {
		raw_probe_rate(&event, 1);
		raw_probe_words_add(&o->probe, &event);
	}
	for (uint32_t i = 0; o->period && i < o->probe.nr_events; i++) {
		const struct raw_probe_kind *kind = o->probe.events[i].kind;

		if (!kind->max)
			continue;
		if (o->period < kind->min || o->period > kind->max)
			return op_fail(error, -EINVAL, "option \"-p\": the period is out of range "
						       "for %s; see opprobe(1)",
				       o->probe.events[i].name);
		o->probe.events[i].period = o->period;
	}
	return 0;
}

static int parse_option(void *arg, int id, char *value, struct op_reason *error)
{
	struct probe_options *o = arg;
	int err = 0;

	if (id >= OPT_WORD) {
		o->has_words = true;
		err = parse_word(o, &plain_words[id - OPT_WORD], value, error);
		o->has_returns |= id == OPT_WORD + RETURNS;
		free(value);
		return err;
	}
	switch (id) {
	case OPT_VERBOSE:
	case OPT_DEBUG:
		err = parse_mask(o, value, id == OPT_DEBUG, error);
		break;
	case OPT_PERIOD:
		err = parse_period(o, value, error);
		break;
	case OPT_ALONE:
		o->probe.follow = RAW_PROBE_FOLLOW_NONE;
		break;
	case OPT_PC:
		err = parse_pc(o, value ? value : "itimer", error);
		break;
	case OPT_RATE:
		err = parse_rate(o, value, error);
		break;
	case OPT_EVENT:
		err = parse_event(o, value, error);
		break;
	case OPT_DRIVER:
		err = parse_driver(o, value, error);
		break;
	case OPT_REPORT:
		o->report = true;
		break;
	case OPT_RECOVER:
		free(o->recover);
		o->recover = value;
		return 0;
	case OPT_OUTPUT:
		free(o->dir);
		o->dir = value;
		return value && *value ? 0 : op_fail(error, -EINVAL, "option \"--output\" needs "
								     "the name of a directory");
	}
	free(value);
	return err;
}

/*
 * Return a copy of @argv in which "--pc" is replaced by "--pc=itimer". Otherwise popt would use the
 * next word as the value of --pc. The caller frees the array. Return NULL if out of memory.
 */
static const char **with_kind(int argc, char **argv)
{
	const char **words = calloc(argc + 1, sizeof(*words));

	for (int i = 0; words && i < argc; i++)
		words[i] = strcmp(argv[i], "--pc") ? argv[i] : "--pc=itimer";
	return words;
}

/* Options that all programs have. The short form -v of --version is omitted, because -v has another
 * meaning in opprobe. */
#define LAST_OPTIONS \
	{ "version", 0, POPT_ARG_NONE, NULL, CTL_OPT_VERSION, "print the version", NULL }, \
	{ "help", 'h', POPT_ARG_NONE, NULL, CTL_OPT_HELP, "print this help", NULL }, \
	{ "usage", 'u', POPT_ARG_NONE, NULL, CTL_OPT_USAGE, "print a shorter help", NULL }, \
	POPT_TABLEEND

static const struct poptOption table[] = {
	{ "pc", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPT_PC, "make a histogram of addresses: by itimer (the "
	  "default) or by profil(3); or a log or circular buffer of addresses", "itimer|profil|log|circular:N" },
	{ "rate", 'F', POPT_ARG_STRING, NULL, OPT_RATE, "set the samples per second of CPU time; for call paths the same as "
	  "-e TIMER:1000000000/HZ, for --pc 1024 by default", "HZ" },
	{ "event", 'e', POPT_ARG_STRING, NULL, OPT_EVENT,"count EVENT by call path (default TIMER:1000000); may be repeated",
	  "EVENT[:PERIOD]" },
	{ "driver", 0, POPT_ARG_STRING, NULL, OPT_DRIVER, "choose the driver that takes samples (default auto: the first of perf, cputime "
	  "and itimer that works)", "auto|perf|cputime|itimer|monotonic" },
	{ "follow", 0, POPT_ARG_STRING, NULL, OPT_WORD, "profile also the command's children, or the programs that "
	  "they execute (default all)", "all|fork|exec|none" },
	{ "separate", 0, POPT_ARG_STRING, NULL, OPT_WORD + 1, "write a file for each thread (default none)", "none|thread" },
	{ "leaf", 0, POPT_ARG_STRING, NULL, OPT_WORD + 2, "record samples by address, or by function "
	  "(default address)", "address|function" },
	{ "memory", 0, POPT_ARG_STRING, NULL, OPT_WORD + 3, "reserve this memory for each thread at its start, in bytes, or with K, M "
	  "or G", "SIZE" },
	{ "csp-version", 0, POPT_ARG_STRING, NULL, OPT_WORD + 4, "write files of this version (default 01.00)",
	  "01.00|01.01" },
	{ "unsafe", 0, POPT_ARG_STRING, NULL, OPT_WORD + 5, "skip samples in this function, or in "
							    "code of this file; may be "
							    "repeated", "SYMBOL|FILE" },
	{ "marker", 0, POPT_ARG_STRING, NULL, OPT_WORD + 6, "mark the innermost frame of each sample: the next walk up the stack "
	  "ends there, and returns of functions are counted (default off)", "on|off" },
	{ "returns", 0, POPT_ARG_STRING, NULL, OPT_WORD + 7, "with --marker=on, count these returns: the first after each "
	  "sample, or all that markers see (default last)", "last|all|off" },
	{ "report", 0, POPT_ARG_NONE, NULL, OPT_REPORT, "at the end of the command, print opreport -l of all its "
	  "processes", NULL },
	{ "recover", 0, POPT_ARG_STRING, NULL, OPT_RECOVER, "convert FILE.csp.live, which a killed program left, to a .csp",
	  "FILE" },
	{ "output", 'o', POPT_ARG_STRING, NULL, OPT_OUTPUT,"write the files to this directory (default " DEFAULT_DIR ")",
	  "DIR" },
	{ "verbose", 'v', POPT_ARG_STRING, NULL, OPT_VERBOSE,"print more about the run: a sum of bits, or their names", "MASK|list" },
	{ "debug", 'D', POPT_ARG_STRING, NULL, OPT_DEBUG,"print more for developers: a sum of bits, or their names", "MASK|list" },
	LAST_OPTIONS
};

static const struct poptOption csprof[] = {
	{ "event", 'e', POPT_ARG_STRING, NULL, OPT_EVENT,"count EVENT by call path (default TIMER:1000000); may be repeated",
	  "EVENT[:PERIOD]" },
	{ "period", 'p', POPT_ARG_STRING, NULL, OPT_PERIOD, "set the period of all events", "N" },
	{ "memory", 'm', POPT_ARG_STRING, NULL, OPT_WORD + MEMORY, "reserve this memory for each thread at its start", "SIZE" },
	{ "output", 'o', POPT_ARG_STRING, NULL, OPT_OUTPUT,"write the files to this directory (default " DEFAULT_DIR ")",
	  "DIR" },
	{ "exclude", 'x', POPT_ARG_NONE, NULL, OPT_ALONE, "profile only the command, not its children or the programs that it "
	  "executes", NULL },
	{ "verbose", 'v', POPT_ARG_STRING, NULL, OPT_VERBOSE,"print more about the run: a sum of bits, or their names", "MASK|list" },
	{ "debug", 'D', POPT_ARG_STRING, NULL, OPT_DEBUG,"print more for developers: a sum of bits, or their names", "MASK|list" },
	LAST_OPTIONS
};

/* Return whether opprobe was started under the name csprof. In this case it accepts the options of
 * csprof. */
static bool is_csprof(const char *name)
{
	const char *slash = name ? strrchr(name, '/') : NULL;

	return name && !strcmp(slash ? slash + 1 : name, "csprof");
}

/* With --pc, add the rate of --rate to the options in $PCT. */
static int add_pc_rate(struct probe_options *o, struct op_reason *error)
{
	char *words = NULL;

	if (!strcmp(o->library, "libprofil.so"))
		return op_fail(error, -EINVAL, "option \"--rate\" needs --pc=itimer, because "
					       "profil(3) samples at the kernel's tick");
	if (o->rate != RAW_PCT_RATE && asprintf(&words, "%sq%u", o->words, (unsigned int)((1000000 + o->rate / 2) / o->rate)) < 0)
		return op_fail(error, -ENOMEM, "out of memory");
	if (words) {
		free(o->words);
		o->words = words;
	}
	return 0;
}

enum ctl_parse probe_options_parse(struct probe_options *o, int argc, char **argv, FILE *out,
				   struct op_reason *error)
{
	static const char *const whole[] = { "pc", NULL };
	const struct ctl_command_line line = {
		.program = is_csprof(argv[0]) ? "csprof" : "opprobe", .table = is_csprof(argv[0]) ? csprof : table, .whole = whole, .usage = "[OPTION]... COMMAND [ARG]...",
		.parse = parse_option, .arg = o,
	};
	const char **words = with_kind(argc, argv);
	bool of_paths;
	enum ctl_parse ret =
		ctl_command_line_parse(&line, argc, argv, words, &o->command, out, error);

	free(words);
	if (ret != CTL_RUN)
		return ret;
	if (o->lists) {
		if (o->lists & LISTS)
			probe_verbose_list(out, false);
		if (o->lists & LISTS_DEVELOPERS)
			probe_verbose_list(out, true);
		return CTL_DONE;
	}
	if (set_period(o, error))
		return CTL_WRONG;
	if (o->has_returns && !o->probe.marks && o->probe.returns != RAW_PROBE_RETURNS_OFF) {
		op_fail(error, -EINVAL, "option \"--returns\" needs --marker=on, because markers "
					"count the returns");
		return CTL_WRONG;
	}
	of_paths = o->probe.nr_events > (o->library && o->rate ? 1 : 0) || o->probe.driver ||
		   o->has_words;
	if (!o->command == !o->recover || (o->library && of_paths) ||
	    (o->recover && (o->report || of_paths))) {
		op_fail(error, -EINVAL, "%s; see opprobe --help", o->library && of_paths ?
			"only --rate, --output and --report may be combined with --pc" :
			o->recover && o->command ? "--recover takes no command" :
			o->recover ? "--recover takes no other option" :
			"no command is given: write it after the options, with its arguments");
		return CTL_WRONG;
	}
	if (o->library && o->rate && add_pc_rate(o, error))
		return CTL_WRONG;
	if (!o->library)
		o->library = "libopprobe.so";
	if (!o->dir)
		o->dir = strdup(DEFAULT_DIR);
	if (o->dir)
		return CTL_RUN;
	op_fail(error, -ENOMEM, "out of memory");
	return CTL_WRONG;
}

void probe_options_release(struct probe_options *o)
{
	free(o->words);
	free(o->recover);
	free(o->dir);
}
