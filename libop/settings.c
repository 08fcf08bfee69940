// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settings.c -- the table of settings; parsing, checking and printing the values of each type.
 */
#include "config.h"
#include "libop/settings.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/grow.h"
#include "libop/base/nearest.h"
#include "libop/base/size.h"
#include "libop/base/time_words.h"
#include "libop/session/paths.h"

#define BOTH	(OP_FOR_OPCONTROL | OP_FOR_DAEMON)
#define OPTION(option, short, value, says) \
	.name = option, .letter = short, .arg = value, .help = says
#define IN(field) .offset = offsetof(struct op_settings, field)

#define MAX_NUMBER	(1ul << 30)
#define SOURCES		"auto, module, perf"
#define BACKENDS	"auto, native, perf, timer"
#define KINDS		"none, lib, kernel, thread, cpu, unit, all"
#define FRAMES		"address, function"
#define PRIORITIES	"high, normal"
#define SWITCH		"off, on"
#define OPROFILEFS	"/dev/oprofile"

/* The order of the rows is the order in --help, --status and daemonrc. */
const struct op_setting op_setting_table[] = {
	{OP_SETTING_OWN, OP_FOR_OPCONTROL,
	 OPTION("event", 'e', "SPEC",
		"sample by this event: NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], or default")},
	{OP_SETTING_OWN, OP_FOR_DAEMON,
	 OPTION("events", 'e', "SPEC[,...]",
		"sample by NAME:COUNT[:UNITMASK[:KERNEL[:USER]]] (default TIMER:1000000)")},
	{OP_SETTING_OWN, OP_FOR_OPCONTROL,
	 OPTION("filter", 0, "FILTER",
		"sample the preceding tracepoint only where its fields match")},
	{OP_SETTING_OWN, OP_FOR_OPCONTROL,
	 OPTION("frequency", 0, "HZ",
		"sample by time, 10 to 20000 times a second")},
	{OP_SETTING_OWN, OP_FOR_OPCONTROL,
	 OPTION("wall", 0, "latency", "sample computing and waiting, 1 ms each"),
	 .without = ""},
	{OP_SETTING_SEPARATE, BOTH, OPTION("separate", 'p', "LIST", "separate samples by " KINDS),
	 IN(separate), .words = KINDS,
	 /* The same default as in operf, because most users want to know in which binaries each
	  * program spends its time. */
	 .opcontrols = "lib,kernel"},
	{OP_SETTING_BIT, OP_FOR_OPCONTROL, .variable = "SEPARATE_LIB", IN(separate),
	 .max = OP_SEPARATE_LIB},
	{OP_SETTING_BIT, OP_FOR_OPCONTROL, .variable = "SEPARATE_KERNEL", IN(separate),
	 .max = OP_SEPARATE_KERNEL},
	{OP_SETTING_BIT, OP_FOR_OPCONTROL, .variable = "SEPARATE_THREAD", IN(separate),
	 .max = OP_SEPARATE_THREAD},
	{OP_SETTING_BIT, OP_FOR_OPCONTROL, .variable = "SEPARATE_CPU", IN(separate),
	 .max = OP_SEPARATE_CPU},
	{OP_SETTING_BIT, OP_FOR_OPCONTROL, .variable = "SEPARATE_UNIT", IN(separate),
	 .max = OP_SEPARATE_UNIT},
	{OP_SETTING_WORD, BOTH,
	 OPTION("wakers", 0, "SWITCH", "sample the wakers of threads: " SWITCH),
	 .variable = "WAKERS", IN(wakers), .words = SWITCH, .status = "Wakers"},
	{OP_SETTING_TEXT, BOTH,
	 OPTION("image", 'i', "PATHS", "profile only these files (or all)"),
	 .variable = "IMAGE_FILTER", IN(image_filter)},
	{OP_SETTING_FILE, BOTH,
	 OPTION("vmlinux", 0, "FILE", "use this uncompressed image of the kernel"),
	 .variable = "VMLINUX", IN(vmlinux)},
	{OP_SETTING_FLAG, BOTH,
	 OPTION("no-vmlinux", 0, NULL, "name the kernel no-vmlinux in reports"), IN(no_vmlinux)},
	{OP_SETTING_PATH, BOTH,
	 OPTION("session-dir", 0, "DIR",
		"write samples to this directory (default " OP_DEFAULT_SESSION_DIR ")"),
	 .variable = "SESSION_DIR", IN(session_dir), .opcontrols = OP_DEFAULT_SESSION_DIR,
	 .daemons = OP_DEFAULT_SESSION_DIR},
	{OP_SETTING_WORD, BOTH, OPTION("source", 0, "SOURCE", "take samples from: " SOURCES),
	 .variable = "SOURCE", IN(source), .words = SOURCES},
	{OP_SETTING_WORD, BOTH,
	 OPTION("backend", 0, "BACKEND", "sample with: " BACKENDS),
	 .variable = "BACKEND", IN(backend), .words = BACKENDS},
	{OP_SETTING_NUMBER, BOTH,
	 OPTION("time-slice", 0, "MS",
		"set the time slice of events that share counters (0: default)"),
	 .variable = "TIME_SLICE", IN(time_slice), .max = 10000, .status = "Time slice",
	 .unit = " ms"},
	{OP_SETTING_NUMBER, BOTH,
	 OPTION("jitter", 0, "BITS", "randomise the low 0 to 16 bits of each count"),
	 .variable = "JITTER", IN(jitter), .max = 16, .status = "Jitter", .unit = " bits"},
	{OP_SETTING_CPUS, BOTH,
	 OPTION("cpus", 0, "LIST",
		"sample these CPUs: 0-3,8; all; auto: all but isolated and nohz_full CPUs"),
	 .variable = "CPUS", IN(cpus), .status = "CPUs"},
	{OP_SETTING_FILE, OP_FOR_OPCONTROL,
	 OPTION("module", 0, "FILE", "load this oprofile.ko, not the installed one"),
	 .variable = "MODULE", IN(module)},
	{OP_SETTING_GROUP, BOTH,
	 OPTION("group", 0, "NAME",
		"permit this group to read samples (default oprofile, if it exists)"),
	 .variable = "GROUP", IN(group)},
	{OP_SETTING_SIZE, BOTH,
	 OPTION("symbols", 0, "SIZE",
		"limit the stored symbol tables (default 256M, 0: no tables)"),
	 .variable = "SYMBOLS", IN(symbols), .daemons = "256M"},
	{OP_SETTING_SIZE, BOTH,
	 OPTION("cache-size", 0, "SIZE",
		"limit the cache of symbol and unwind tables (256M at first)"),
	 .variable = "CACHE_SIZE", IN(cache_size), .status = "Cache limit"},
	{OP_SETTING_NUMBER, BOTH,
	 OPTION("buffer-size", 0, "N", "set the size of the event buffer in words (0: default)"),
	 .variable = "BUF_SIZE", IN(buffer_size), .status = "Buffer size"},
	{OP_SETTING_NUMBER, BOTH,
	 OPTION("buffer-watershed", 0, "N",
		"wake the daemon when only this many words are free (0: a quarter)"),
	 .variable = "BUF_WATERSHED", IN(buffer_watershed), .status = "CPU buffer watershed"},
	{OP_SETTING_NUMBER, BOTH,
	 OPTION("cpu-buffer-size", 0, "N", "set the CPU buffers' entries (0: default)"),
	 .variable = "CPU_BUF_SIZE", IN(cpu_buffer_size), .status = "CPU buffer size"},
	{OP_SETTING_NUMBER, BOTH,
	 OPTION("callgraph", 'c', "DEPTH",
		"take call paths of at most DEPTH frames (128 without a number; 0: none)"),
	 .variable = "CALLGRAPH", IN(callgraph), .max = 1024, .without = "128"},
	{OP_SETTING_SIZE, BOTH,
	 OPTION("callgraph-stack", 0, "SIZE", "copy this much of the stack for each sample (at "
					      "most 63K)"),
	 .variable = "CALLGRAPH_STACK", IN(callgraph_stack), .status = "Call-path stack copy"},
	{OP_SETTING_WORD, BOTH, OPTION("callgraph-by", 0, "WHAT", "record frames by: " FRAMES),
	 .variable = "CALLGRAPH_BY", IN(callgraph_by), .words = FRAMES, .status = "Call paths by",
	 .daemons = "address"},
	{OP_SETTING_SIZE, BOTH,
	 OPTION("callgraph-limit", 0, "SIZE",
		"limit a session's call paths (default 64M) by merging rare paths"),
	 .variable = "CALLGRAPH_LIMIT", IN(callgraph_limit), .status = "Call-path limit",
	 .daemons = "64M"},
	{OP_SETTING_DURATION, BOTH,
	 OPTION("interval", 0, "TIME",
		"store samples in intervals of this length, as 10m (0: no intervals)"),
	 .variable = "INTERVAL", IN(interval), .status = "Interval"},
	{OP_SETTING_DURATION, BOTH,
	 OPTION("keep", 0, "TIME",
		"delete intervals that are older than this time (default " OP_DEFAULT_KEEP ")"),
	 .variable = "KEEP", IN(keep), .daemons = OP_DEFAULT_KEEP},
	{OP_SETTING_SIZE, BOTH,
	 OPTION("max-disk", 0, "SIZE",
		"limit the session directory by deleting intervals (default " OP_DEFAULT_MAX_DISK ")"),
	 .variable = "MAX_DISK", IN(max_disk), .daemons = OP_DEFAULT_MAX_DISK},
	{OP_SETTING_SIZE, BOTH,
	 OPTION("max-memory", 0, "SIZE",
		"limit the daemon's memory (0: no limit)"),
	 .variable = "MAX_MEMORY", IN(max_memory), .status = "Memory limit"},
	{OP_SETTING_WORD, BOTH,
	 OPTION("priority", 0, "PRIORITY",
		"set the priority: " PRIORITIES " (default high)"),
	 .variable = "PRIORITY", IN(priority), .words = PRIORITIES, .status = "Priority",
	 .daemons = "high"},

	{OP_SETTING_OWN, OP_FOR_DAEMON,
	 OPTION("config", 0, "FILE",
		"read settings from this file, which opcontrol --setup writes")},
	{OP_SETTING_OWN, OP_FOR_DAEMON,
	 OPTION("pid", 0, "PID[,...]", "sample only these processes and their children (perf)")},
	{OP_SETTING_PATH, OP_FOR_DAEMON,
	 OPTION("replay", 0, "FILE", "decode a recorded stream (FILE, FILE.cookies) and end"),
	 IN(replay)},
	{OP_SETTING_OWN, OP_FOR_DAEMON,
	 OPTION("ext-feature", 0, "ibs:fetch:EVENT[,...]:COUNT:UM|op:EVENT[,...]:COUNT:UM",
		"sample by these events of AMD's instruction-based sampling")},
	{OP_SETTING_TEXT, OP_FOR_DAEMON,
	 OPTION("cpu-type", 0, "NAME", "assume this type of CPU, as for a recorded stream"),
	 IN(cpu_type)},
	{OP_SETTING_TEXT, OP_FOR_DAEMON,
	 OPTION("command", 0, "TEXT", "record this description of the profile for reports"), IN(command)},
	{OP_SETTING_TEXT, OP_FOR_DAEMON,
	 OPTION("why", 0, "TEXT", "record this reason for the source in log and status"), IN(why)},
	{OP_SETTING_PATH, OP_FOR_DAEMON,
	 OPTION("oprofilefs", 0, "DIR",
		"find the module's files in this directory (default " OPROFILEFS ")"),
	 IN(oprofilefs), .daemons = OPROFILEFS},
	{OP_SETTING_NUMBER, OP_FOR_DAEMON,
	 OPTION("max-files", 0, "N", "limit the sample files of a session (default 200000)"),
	 IN(max_files), .daemons = "200000"},
	{OP_SETTING_NUMBER, OP_FOR_DAEMON,
	 OPTION("max-new-files", 0, "N",
		"limit the new sample files of a user in a minute (default 4096; 0: no limit)"),
	 IN(new_files), .daemons = "4096"},
	{OP_SETTING_NUMBER, OP_FOR_DAEMON,
	 OPTION("max-open", 0, "N", "limit the open sample files (0: as many as the system allows)"),
	 IN(max_open)},
	{OP_SETTING_FLAG, OP_FOR_DAEMON,
	 OPTION("start", 0, NULL, "start sampling immediately (default: at a request of "
				  "opcontrol)"), IN(start)},
	{OP_SETTING_FLAG, OP_FOR_DAEMON,
	 OPTION("prepare", 0, NULL,
		"make the unwind and symbol tables of everything that runs, and exit"),
	 IN(prepare)},
	{OP_SETTING_FLAG, OP_FOR_DAEMON,
	 OPTION("foreground", 0, NULL, "stay in the foreground until Ctrl-C"), IN(foreground)},
	{OP_SETTING_FLAG, OP_FOR_DAEMON, OPTION("verbose", 'V', "all", "write a more detailed log"),
	 IN(verbose)},
	{0}};

static const struct kind {
	const char *name;
	unsigned int bits;
} kinds[] = {
	{ "lib", OP_SEPARATE_LIB },
	{ "kernel", OP_SEPARATE_KERNEL | OP_SEPARATE_LIB },
	{ "thread", OP_SEPARATE_THREAD },
	{ "cpu", OP_SEPARATE_CPU },
	{ "unit", OP_SEPARATE_UNIT | OP_SEPARATE_LIB | OP_SEPARATE_KERNEL },
	/* op_separate_text() uses only the words before "library": one word for each bit. */
	{ "library", OP_SEPARATE_LIB },
	/* not by unit: OProfile 1.4 does not read the names of such sample files */
	{ "all", OP_SEPARATE_LIB | OP_SEPARATE_KERNEL | OP_SEPARATE_THREAD | OP_SEPARATE_CPU },
	{ "none", 0 },
};
#define NR_BITS		5
#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static void *field(const struct op_setting *row, const struct op_settings *s)
{
	return (char *)s + row->offset;
}

const struct op_setting *op_setting_by_name(const char *name, unsigned int program)
{
	const struct op_setting *row;

	op_for_each_setting(row, program) {
		if (row->name && !strcmp(row->name, name))
			return row;
	}
	return NULL;
}

int op_setting_word(const char *words, const char *text)
{
	size_t len = strlen(text);
	int i = 0;

	for (;; i++) {
		size_t end = strcspn(words, ",");

		if (end == len && !strncmp(words, text, len))
			return i;
		if (!words[end])
			return -1;
		words += end + strspn(words + end, ", ");
	}
}

bool op_settings_wakers(const struct op_settings *s)
{
	return s->wakers && op_setting_word(SWITCH, s->wakers) == 1;
}

static int refuse_word(const char *words, const char *text, struct op_reason *error)
{
	char meant[200];

	return op_fail(error, -EINVAL, "unknown value \"%s\": use one of %s%s", text, words,
		       op_list_suggest(words, text, strlen(text), meant, sizeof(meant)));
}

static int set_text(char **to, char *text)
{
	if (!text)
		return -ENOMEM;
	free(*to);
	*to = text;
	return 0;
}

static int parse_number(unsigned long *to, const char *text, unsigned long max,
			struct op_reason *error)
{
	unsigned long n;
	char *end;

	if (!max)
		max = MAX_NUMBER;
	errno = 0;
	n = strtoul(text, &end, 10);
	/* strtoul() would accept "" and "-5", so check the first character; it would ignore the
	 * rest of "10k", so check *@end. */
	if (text[0] < '0' || text[0] > '9' || *end || errno)
		return op_fail(error, -EINVAL, "\"%s\" is not a number from 0 to %lu", text, max);
	if (n > max)
		return op_fail(error, -EINVAL, "%lu is too large: the limit is %lu", n, max);
	*to = n;
	return 0;
}

static int parse_separate(unsigned int *to, const char *list, const char *words,
			  struct op_reason *error)
{
	char *copy = strdup(list), *rest = copy, *word;
	unsigned int bits = 0;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (word = strsep(&rest, ","))) {
		size_t i = 0;

		while (i < NR_KINDS && strcmp(word, kinds[i].name))
			i++;
		if (i < NR_KINDS)
			bits |= kinds[i].bits;
		else
			err = refuse_word(words, word, error);
	}
	free(copy);
	if (!err)
		*to = bits;
	return err;
}

static int set_file(char **to, const char *path, struct op_reason *error)
{
	char *full = access(path, R_OK) ? NULL : realpath(path, NULL);

	if (!full)
		return op_fail(error, errno == ENOMEM ? -ENOMEM : -EINVAL,
			       "cannot read \"%s\": %s", path, strerror(errno));
	return set_text(to, full);
}

/* Return 0 if @text is a valid value of the setting, or a negative errno with a message. */
static int check_text(const struct op_setting *row, const char *text, struct op_reason *error)
{
	int64_t seconds;
	uint64_t size;
	int err;

	switch (row->type) {
	case OP_SETTING_PATH:
		return *text ? 0 : op_fail(error, -EINVAL, "a path is missing");
	case OP_SETTING_WORD:
		if (op_setting_word(row->words, text) < 0)
			return refuse_word(row->words, text, error);
		return 0;
	case OP_SETTING_SIZE:
		return op_size_parse(&size, text) ?
		       op_fail(error, -EINVAL, "\"%s\" is not " OP_SIZE_RULE, text) : 0;
	case OP_SETTING_DURATION:
		err = op_duration_parse(&seconds, text);
		return err == -ERANGE ?
		       op_fail(error, -EINVAL, "\"%s\" is longer than " OP_LONGEST_DURATION, text) :
		       err ? op_fail(error, -EINVAL,
				     "\"%s\" is not a duration: write " OP_DURATION_RULE, text) : 0;
	case OP_SETTING_CPUS:
		if (strcmp(text, "all") && strcmp(text, "auto") &&
		    (!*text || text[strspn(text, "0123456789,-")]))
			return op_fail(error, -EINVAL,
				       "\"%s\" is neither a list of CPUs, as in 0-3,8, "
				       "nor all or auto",
				       text);
		return 0;
	case OP_SETTING_GROUP:
		return getgrnam(text) ?
			       0 :
			       op_fail(error, -EINVAL,
				       "unknown group \"%s\": create it with groupadd %s, and "
				       "add users to it with usermod -aG %s USER",
				       text, text, text);
	default:
		return 0;
	}
}

int op_setting_parse(const struct op_setting *row, struct op_settings *s, const char *text,
		     struct op_reason *error)
{
	unsigned long n = 0;
	int err;

	if (!text)
		text = row->without;
	switch (row->type) {
	case OP_SETTING_OWN:
		return op_fail(error, -EINVAL, "this setting is not accepted here: use the "
					       "command-line option of the same name");
	case OP_SETTING_FLAG:
		*(bool *)field(row, s) = true;
		return 0;
	case OP_SETTING_NUMBER:
		return parse_number(field(row, s), text, row->max, error);
	case OP_SETTING_BIT:
		err = parse_number(&n, text, 0, error);
		if (err)
			return err;
		*(unsigned int *)field(row, s) &= ~row->max;
		*(unsigned int *)field(row, s) |= n ? row->max : 0;
		return 0;
	case OP_SETTING_SEPARATE:
		return parse_separate(field(row, s), text, row->words, error);
	case OP_SETTING_FILE:
		return set_file(field(row, s), text, error);
	default:
		err = check_text(row, text, error);
		return err ? err : set_text(field(row, s), strdup(text));
	}
}

int op_setting_restore(const struct op_setting *row, struct op_settings *s, const char *text)
{
	if (row->type == OP_SETTING_FILE || row->type == OP_SETTING_GROUP)
		return set_text(field(row, s), strdup(text));
	return op_setting_parse(row, s, text, NULL);
}

const char *op_separate_text(char buf[OP_SEPARATE_TEXT_SIZE], unsigned int separate)
{
	buf[0] = '\0';
	for (size_t i = 0; i < NR_BITS; i++) {
		if (!(separate & 1u << i))
			continue;
		if (buf[0])
			strcat(buf, ",");
		strcat(buf, kinds[i].name);
	}
	return buf;
}

static int format(char **ret, const char *form, unsigned long n)
{
	char *text;

	if (asprintf(&text, form, n) < 0)
		return -ENOMEM;
	*ret = text;
	return 0;
}

int op_setting_text(char **ret, const struct op_setting *row, const struct op_settings *s)
{
	char list[OP_SEPARATE_TEXT_SIZE] = "";
	const char *text = NULL;
	char *copy;

	switch (row->type) {
	case OP_SETTING_OWN:
	case OP_SETTING_FLAG:
		break;
	case OP_SETTING_BIT:
		text = *(unsigned int *)field(row, s) & row->max ? "1" : NULL;
		break;
	case OP_SETTING_NUMBER:
		if (*(unsigned long *)field(row, s))
			return format(ret, "%lu", *(unsigned long *)field(row, s));
		break;
	case OP_SETTING_SEPARATE:
		if (*op_separate_text(list, *(unsigned int *)field(row, s)))
			text = list;
		break;
	default:
		text = *(char **)field(row, s);
	}
	copy = text ? strdup(text) : NULL;
	if (text && !copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

int op_setting_copy(const struct op_setting *row, struct op_settings *to,
		    const struct op_settings *from)
{
	const char *text;
	char *copy;

	switch (row->type) {
	case OP_SETTING_OWN:
		return 0;
	case OP_SETTING_FLAG:
		*(bool *)field(row, to) = *(const bool *)field(row, from);
		return 0;
	case OP_SETTING_NUMBER:
		*(unsigned long *)field(row, to) = *(const unsigned long *)field(row, from);
		return 0;
	case OP_SETTING_BIT:
	case OP_SETTING_SEPARATE:
		*(unsigned int *)field(row, to) = *(const unsigned int *)field(row, from);
		return 0;
	default:
		text = *(char **)field(row, from);
		copy = text ? strdup(text) : NULL;
		if (text && !copy)
			return -ENOMEM;
		free(*(char **)field(row, to));
		*(char **)field(row, to) = copy;
		return 0;
	}
}

int op_settings_init(struct op_settings *s, unsigned int program)
{
	const struct op_setting *row;

	memset(s, 0, sizeof(*s));
	op_for_each_setting(row, program) {
		const char *text = program == OP_FOR_DAEMON ? row->daemons : row->opcontrols;

		if (text && op_setting_parse(row, s, text, NULL))
			return -ENOMEM;
	}
	return 0;
}

void op_settings_clear_events(struct op_settings *s)
{
	while (s->nr_events)
		free(s->events[--s->nr_events]);
	free(s->events);
	s->events = NULL;
}

int op_settings_memory(uint64_t *ret, const char *text, struct op_reason *error)
{
	uint64_t bytes;

	if (op_size_parse(&bytes, text))
		return op_fail(error, -EINVAL, "--max-memory=%s: not a size such as 64M", text);
	if (bytes && bytes < OP_LEAST_MEMORY)
		return op_fail(error, -EINVAL, "--max-memory must be 0 or at least %lluM, not %s",
			       OP_LEAST_MEMORY >> 20, text);
	*ret = bytes;
	return 0;
}

int op_settings_add_event(struct op_settings *s, const char *spec)
{
	if (op_grow(&s->events, s->nr_events))
		return -ENOMEM;
	s->events[s->nr_events] = strdup(spec);
	if (!s->events[s->nr_events])
		return -ENOMEM;
	s->nr_events++;
	return 0;
}

void op_settings_release(struct op_settings *s)
{
	const struct op_setting *row;

	op_settings_clear_events(s);
	for (row = op_setting_table; row->type; row++) {
		if (row->type >= OP_SETTING_TEXT)
			free(*(char **)field(row, s));
	}
	memset(s, 0, sizeof(*s));
}
