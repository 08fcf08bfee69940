// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c -- the command line of oprofiled, checked.
 */
#include "config.h"
#include "daemon/options.h"

#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/cpu_list.h"
#include "daemon/source/ext.h"
#include "libop/base/clean.h"
#include "libop/base/error.h"
#include "libop/base/grow.h"
#include "libop/base/size.h"
#include "libop/session/paths.h"

#define DEFAULT_MAX_FILES	200000
#define DEFAULT_NEW_FILES	4096
#define DEFAULT_SYMBOLS		(256ull << 20)
#define DEFAULT_OPROFILEFS	"/dev/oprofile"
#define DEFAULT_GROUP		"oprofile"	/* where there is one */

enum {
	OPT_SESSION_DIR = 256,
	OPT_GROUP,
	OPT_SOURCE,
	OPT_WHY,
	OPT_REPLAY,
	OPT_SEPARATE,
	OPT_IMAGE,
	OPT_VMLINUX,
	OPT_NO_VMLINUX,
	OPT_PID,
	OPT_FOREGROUND,
	OPT_START,
	OPT_BUFFER_SIZE,
	OPT_BUFFER_WATERSHED,
	OPT_CPU_BUFFER_SIZE,
	OPT_MAX_FILES,
	OPT_MAX_NEW_FILES,
	OPT_MAX_OPEN,
	OPT_SYMBOLS,
	OPT_OPROFILEFS,
	OPT_BACKEND,
	OPT_TIME_SLICE,
	OPT_JITTER,
	OPT_CPUS,
	OPT_CPU_TYPE,
	OPT_COMMAND,
	OPT_EXT_FEATURE,
};

static const struct option options[] = {
	{ "session-dir", required_argument, NULL, OPT_SESSION_DIR },
	{ "group", required_argument, NULL, OPT_GROUP },
	{ "source", required_argument, NULL, OPT_SOURCE },
	{ "why", required_argument, NULL, OPT_WHY },
	{ "replay", required_argument, NULL, OPT_REPLAY },
	{ "events", required_argument, NULL, 'e' },
	{ "separate", required_argument, NULL, OPT_SEPARATE },
	{ "image", required_argument, NULL, OPT_IMAGE },
	{ "vmlinux", required_argument, NULL, OPT_VMLINUX },
	{ "no-vmlinux", no_argument, NULL, OPT_NO_VMLINUX },
	{ "pid", required_argument, NULL, OPT_PID },
	{ "foreground", no_argument, NULL, OPT_FOREGROUND },
	{ "start", no_argument, NULL, OPT_START },
	{ "buffer-size", required_argument, NULL, OPT_BUFFER_SIZE },
	{ "buffer-watershed", required_argument, NULL, OPT_BUFFER_WATERSHED },
	{ "cpu-buffer-size", required_argument, NULL, OPT_CPU_BUFFER_SIZE },
	{ "max-files", required_argument, NULL, OPT_MAX_FILES },
	{ "max-new-files", required_argument, NULL, OPT_MAX_NEW_FILES },
	{ "max-open", required_argument, NULL, OPT_MAX_OPEN },
	{ "symbols", required_argument, NULL, OPT_SYMBOLS },
	{ "oprofilefs", required_argument, NULL, OPT_OPROFILEFS },
	{ "backend", required_argument, NULL, OPT_BACKEND },
	{ "time-slice", required_argument, NULL, OPT_TIME_SLICE },
	{ "jitter", required_argument, NULL, OPT_JITTER },
	{ "cpus", required_argument, NULL, OPT_CPUS },
	{ "cpu-type", required_argument, NULL, OPT_CPU_TYPE },
	{ "command", required_argument, NULL, OPT_COMMAND },
	{ "ext-feature", required_argument, NULL, OPT_EXT_FEATURE },
	{ "verbose", optional_argument, NULL, 'V' },
	{ "version", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
"Usage: oprofiled [OPTION...]\n"
"Takes samples from the kernel and keeps them as sample files for opreport.\n"
"Usually started by opcontrol(1); see oprofiled(8).\n"
"\n"
"  --session-dir=DIR        where samples are kept (" OP_DEFAULT_SESSION_DIR ")\n"
"  --group=NAME             who may read the samples, besides root (" DEFAULT_GROUP ")\n"
"  --source=SOURCE          auto, module, perf or replay:FILE (auto)\n"
"  --why=TEXT               why that source, for log and status\n"
"  --replay FILE            decode a recorded stream (FILE, FILE.cookies) and end\n"
"  -e, --events=SPEC[,...]  NAME:COUNT[:UNITMASK[:KERNEL[:USER]]] (TIMER:1000000)\n"
"  --backend=BACKEND        what the module samples with: auto, native, perf or timer\n"
"  --time-slice=MS          for how long a group of events is counted, when there are\n"
"                           more events than counters\n"
"  --jitter=BITS            random low bits of the period (0: none)\n"
"  --cpus=LIST              sample these CPUs, as in 0-3,8; all; auto (the default): all but\n"
"                           isolated and nohz_full ones\n"
"  --ext-feature=ibs:fetch:EVENT[,...]:COUNT:UM|op:EVENT[,...]:COUNT:UM\n"
"                           events of AMD's instruction-based sampling\n"
"  --cpu-type=NAME          take this for the CPU, as for a recorded stream\n"
"  --command=TEXT           what is profiled, for reports\n"
"  --separate=KIND[,...]    one profile per: lib, kernel, thread, cpu; all; none\n"
"  --image=PATH[,...]       only these programs and libraries\n"
"  --vmlinux=FILE           the kernel's image, for reports\n"
"  --no-vmlinux             name the kernel no-vmlinux in reports\n"
"  --pid=PID[,...]          only these processes and their children (perf)\n"
"  --start                  begin sampling at once, not when told to\n"
"  --foreground             stay in the foreground; ^C ends\n"
"  --buffer-size=N, --buffer-watershed=N, --cpu-buffer-size=N\n"
"                           sizes of the kernel's buffers (0: as they are)\n"
"  --max-files=N            sample files one session may have (200000)\n"
"  --max-new-files=N        those that one user may cause in a minute (4096; 0: any)\n"
"  --max-open=N             sample files open at once (as many as allowed)\n"
"  --symbols=SIZE           what symbol tables kept with the samples may take (256M;\n"
"                           0: none are kept)\n"
"  --oprofilefs=DIR         where the module's files are (" DEFAULT_OPROFILEFS ")\n"
"  -V, --verbose            say more in the log\n"
"  -v, --version            print the version\n"
"  -h, --help               print this\n";

static int take_string(char **to, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

static int take_path(char **to, const char *option, const char *value, FILE *err)
{
	if (!*value) {
		fprintf(err, "oprofiled: --%s wants a path, and there is none behind it\n", option);
		return -EINVAL;
	}
	return take_string(to, value);
}

/* Against what users pass by mistake: "", "-5", "10k". */
static int take_number(unsigned long *to, const char *value)
{
	char *end;
	unsigned long n;

	if (value[0] < '0' || value[0] > '9')
		return -EINVAL;
	errno = 0;
	n = strtoul(value, &end, 0);
	if (errno || *end)
		return -EINVAL;
	*to = n;
	return 0;
}

/* Calls @take for each of a comma list's parts. */
static int each_part(struct opd_config *cfg, const char *list,
		     int (*take)(struct opd_config *cfg, const char *part, FILE *err), FILE *err)
{
	char *copy = strdup(list), *rest = copy, *part;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (part = strsep(&rest, ",")))
		ret = take(cfg, part, err);
	free(copy);
	return ret;
}

static int take_event(struct opd_config *cfg, const char *part, FILE *err)
{
	struct op_event_spec spec;
	int ret;

	if (!*part && !cfg->nr_events)	/* the empty list: the timer */
		part = "TIMER:1000000";
	if (cfg->nr_events == OPD_MAX_EVENTS) {
		fprintf(err, "oprofiled: more than %d events\n", OPD_MAX_EVENTS);
		return -EINVAL;
	}
	ret = op_event_spec_parse_named(&spec, part);
	if (ret) {
		op_clean_printf(err, "oprofiled: bad event '%s': %s\n", part, op_strerror(ret));
		return ret;
	}
	if (op_grow(&cfg->events, cfg->nr_events)) {
		op_event_spec_release(&spec);
		return -ENOMEM;
	}
	cfg->events[cfg->nr_events++] = spec;
	return 0;
}

static int take_separate(struct opd_config *cfg, const char *part, FILE *err)
{
	static const struct {
		const char *name;
		unsigned int bits;
	} kinds[] = {
		{ "none", 0 },
		{ "lib", OPD_SEPARATE_LIB },
		{ "library", OPD_SEPARATE_LIB },
		{ "kernel", OPD_SEPARATE_KERNEL | OPD_SEPARATE_LIB },
		{ "thread", OPD_SEPARATE_THREAD },
		{ "cpu", OPD_SEPARATE_CPU },
		{ "all", OPD_SEPARATE_LIB | OPD_SEPARATE_KERNEL | OPD_SEPARATE_THREAD |
			 OPD_SEPARATE_CPU },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(part, kinds[i].name) == 0) {
			cfg->separate |= kinds[i].bits;
			return 0;
		}
	}
	op_clean_printf(err, "oprofiled: unknown kind '%s' in --separate (lib, kernel, thread, cpu, all "
			     "or none)\n", part);
	return -EINVAL;
}

static int take_image(struct opd_config *cfg, const char *part, FILE *err)
{
	char *path;

	if (strcmp(part, "all") == 0)
		return 0;
	if (part[0] != '/') {
		op_clean_printf(err, "oprofiled: --image wants absolute paths, not '%s'\n", part);
		return -EINVAL;
	}
	/* The kernel tells where links lead. A program may come to be only later. */
	path = realpath(part, NULL);
	if (!path)
		path = strdup(part);
	if (!path || op_grow(&cfg->images, cfg->nr_images)) {
		free(path);
		return -ENOMEM;
	}
	cfg->images[cfg->nr_images++] = path;
	return 0;
}

static int take_pid(struct opd_config *cfg, const char *part, FILE *err)
{
	unsigned long n;

	if (take_number(&n, part) || !n || n > 1u << 30) {
		op_clean_printf(err, "oprofiled: '%s' is not a process id\n", part);
		return -EINVAL;
	}
	if (op_grow(&cfg->pids, cfg->nr_pids))
		return -ENOMEM;
	cfg->pids[cfg->nr_pids++] = n;
	return 0;
}

static int take_source(struct opd_config *cfg, const char *value, FILE *err)
{
	if (strncmp(value, "replay:", 7) == 0) {
		cfg->source = OPD_SOURCE_REPLAY;
		return take_path(&cfg->replay, "source=replay:", value + 7, err);
	}
	if (strcmp(value, "auto") == 0) {
		cfg->source = OPD_SOURCE_AUTO;
	} else if (strcmp(value, "module") == 0) {
		cfg->source = OPD_SOURCE_MODULE;
	} else if (strcmp(value, "perf") == 0) {
		cfg->source = OPD_SOURCE_PERF;
	} else {
		op_clean_printf(err, "oprofiled: unknown source '%s' (auto, module, perf or replay:FILE)\n",
			value);
		return -EINVAL;
	}
	return 0;
}

static int take_size(unsigned long *to, const char *option, const char *value, FILE *err)
{
	int ret = take_number(to, value);

	if (ret)
		op_clean_printf(err, "oprofiled: --%s wants a number, not '%s'\n", option, value);
	return ret;
}

static int take_symbols(struct opd_config *cfg, const char *value, FILE *err)
{
	int ret = op_size_parse(&cfg->symbols, value);

	if (ret)
		fprintf(err, "oprofiled: --symbols wants " OP_SIZE_RULE ", not '%s'\n", value);
	return ret;
}

static int take_limited(unsigned long *to, const char *option, const char *value, unsigned long max,
			FILE *err)
{
	unsigned long n;

	if (take_number(&n, value) || n > max) {
		op_clean_printf(err, "oprofiled: --%s wants a number from 0 to %lu, not '%s'\n", option, max,
			value);
		return -EINVAL;
	}
	*to = n;
	return 0;
}

static int take_cpus(struct opd_config *cfg, const char *value, FILE *err)
{
	bool wanted[OPD_MAX_CPUS];

	if (opd_cpus_wanted(wanted, value, OPD_CPU_SYSFS)) {
		fprintf(err, "oprofiled: --cpus=%s is no list of CPUs (as in 0-3,8), nor all or auto\n", value);
		return -EINVAL;
	}
	return take_string(&cfg->cpus, value);
}

static int take_backend(struct opd_config *cfg, const char *value, FILE *err)
{
	static const char *const names[] = { "auto", "native", "perf", "timer" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(value, names[i]) == 0)
			return take_string(&cfg->backend, value);
	op_clean_printf(err, "oprofiled: unknown backend '%s' (auto, native, perf or timer)\n", value);
	return -EINVAL;
}

/* "ibs:fetch:A,B:COUNT:UM|op:C:COUNT:UM" is another way to write --events=A:COUNT:UM,... */
static int take_ext_feature(struct opd_config *cfg, const char *value, FILE *err)
{
	char *text = NULL;
	int ret = opd_ext_events(&text, value);

	if (ret == -EINVAL)
		op_clean_printf(err, "oprofiled: '%s' is no extended feature; there is "
			"ibs:fetch:EVENT[,...]:COUNT:UM|op:EVENT[,...]:COUNT:UM\n", value);
	if (!ret)
		ret = each_part(cfg, text, take_event, err);
	free(text);
	return ret;
}

static int take_group(struct opd_config *cfg, const char *value, FILE *err)
{
	const struct group *group = getgrnam(value);

	if (!group) {
		op_clean_printf(err, "oprofiled: there is no group '%s' for --group; groupadd makes one\n",
				value);
		return -EINVAL;
	}
	cfg->group = group->gr_gid;
	return 0;
}

static int take_vmlinux(struct opd_config *cfg, const char *value, FILE *err)
{
	char *path = realpath(value, NULL);

	if (!path) {
		op_clean_printf(err, "oprofiled: the kernel image '%s': %s\n", value, strerror(errno));
		return -EINVAL;
	}
	free(cfg->vmlinux);
	cfg->vmlinux = path;
	return 0;
}

static int take_option(struct opd_config *cfg, int opt, const char *value, FILE *err)
{
	unsigned long n;
	int ret;

	switch (opt) {
	case OPT_SESSION_DIR:
		return take_path(&cfg->session_dir, "session-dir", value, err);
	case OPT_GROUP:
		return take_group(cfg, value, err);
	case OPT_SOURCE:
		return take_source(cfg, value, err);
	case OPT_WHY:
		return take_string(&cfg->why, value);
	case OPT_REPLAY:
		cfg->source = OPD_SOURCE_REPLAY;
		return take_path(&cfg->replay, "replay", value, err);
	case 'e':
		return each_part(cfg, value, take_event, err);
	case OPT_SEPARATE:
		return each_part(cfg, value, take_separate, err);
	case OPT_IMAGE:
		return each_part(cfg, value, take_image, err);
	case OPT_VMLINUX:
		return take_vmlinux(cfg, value, err);
	case OPT_NO_VMLINUX:
		cfg->no_vmlinux = true;
		return 0;
	case OPT_PID:
		return each_part(cfg, value, take_pid, err);
	case OPT_FOREGROUND:
		cfg->foreground = true;
		return 0;
	case OPT_START:
		cfg->start = true;
		return 0;
	case OPT_BUFFER_SIZE:
		return take_size(&cfg->buffer_size, "buffer-size", value, err);
	case OPT_BUFFER_WATERSHED:
		return take_size(&cfg->buffer_watershed, "buffer-watershed", value, err);
	case OPT_CPU_BUFFER_SIZE:
		return take_size(&cfg->cpu_buffer_size, "cpu-buffer-size", value, err);
	case OPT_MAX_FILES:
		return take_size(&cfg->max_files, "max-files", value, err);
	case OPT_MAX_NEW_FILES:
		return take_size(&cfg->new_files, "max-new-files", value, err);
	case OPT_MAX_OPEN:
		ret = take_size(&n, "max-open", value, err);
		if (!ret)
			cfg->max_open = n;
		return ret;
	case OPT_SYMBOLS:
		return take_symbols(cfg, value, err);
	case OPT_BACKEND:
		return take_backend(cfg, value, err);
	case OPT_TIME_SLICE:
		return take_limited(&cfg->time_slice, "time-slice", value, OPD_MAX_TIME_SLICE, err);
	case OPT_JITTER:
		return take_limited(&cfg->jitter, "jitter", value, OPD_MAX_JITTER, err);
	case OPT_CPUS:
		return take_cpus(cfg, value, err);
	case OPT_CPU_TYPE:
		return take_string(&cfg->cpu_type, value);
	case OPT_COMMAND:
		return take_string(&cfg->command, value);
	case OPT_EXT_FEATURE:
		return take_ext_feature(cfg, value, err);
	case OPT_OPROFILEFS:
		return take_path(&cfg->oprofilefs, "oprofilefs", value, err);
	case 'V':
		cfg->verbose = true;
		return 0;
	default:
		return -EINVAL;
	}
}

/* What only the whole command line can tell. */
static int complete(struct opd_config *cfg, FILE *err)
{
	if (!cfg->nr_events && take_event(cfg, "", err))
		return -EINVAL;
	for (size_t i = 0; i < cfg->nr_events; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct op_event_spec *a = &cfg->events[i], *b = &cfg->events[j];

			if (strcmp(a->name, b->name) == 0 && a->count == b->count && a->um == b->um &&
			    !a->um_name && !b->um_name) {
				op_clean_printf(err, "oprofiled: event %s:%llu:%u is there twice\n", a->name,
					(unsigned long long)a->count, a->um);
				return -EINVAL;
			}
		}
	}
	if (cfg->vmlinux && cfg->no_vmlinux) {
		fprintf(err, "oprofiled: --vmlinux and --no-vmlinux exclude each other\n");
		return -EINVAL;
	}
	if (cfg->nr_pids && cfg->source == OPD_SOURCE_AUTO)
		cfg->source = OPD_SOURCE_PERF;
	if (cfg->nr_pids && cfg->source != OPD_SOURCE_PERF) {
		fprintf(err, "oprofiled: --pid works with --source=perf only; use --image to select "
			"programs\n");
		return -EINVAL;
	}
	if (cfg->source == OPD_SOURCE_REPLAY)
		cfg->start = true;
	/* What a user profiles is nobody's but theirs, if they do not say so. */
	if (cfg->group == (gid_t)-1 && geteuid() == 0 && getgrnam(DEFAULT_GROUP))
		cfg->group = getgrnam(DEFAULT_GROUP)->gr_gid;
	return 0;
}

enum opd_parse opd_config_parse(struct opd_config *cfg, int argc, char **argv, FILE *out,
				FILE *err)
{
	int opt, ret;

	memset(cfg, 0, sizeof(*cfg));
	cfg->max_files = DEFAULT_MAX_FILES;
	cfg->new_files = DEFAULT_NEW_FILES;
	cfg->symbols = DEFAULT_SYMBOLS;
	cfg->group = (gid_t)-1;
	if (take_string(&cfg->session_dir, OP_DEFAULT_SESSION_DIR) ||
	    take_string(&cfg->oprofilefs, DEFAULT_OPROFILEFS)) {
		fprintf(err, "oprofiled: out of memory\n");
		return OPD_PARSE_ERROR;
	}
	optind = 0;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":e:Vvh", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(help, out);
			return OPD_PARSE_DONE;
		}
		if (opt == 'v') {
			fprintf(out, "oprofiled: oprofile %s\n", PACKAGE_VERSION);
			return OPD_PARSE_DONE;
		}
		if (opt == '?' || opt == ':') {
			op_clean_printf(err, "oprofiled: %s '%s'; see oprofiled --help\n",
				opt == '?' ? "unknown option" : "a value is missing behind",
				argv[optind - 1]);
			return OPD_PARSE_ERROR;
		}
		ret = take_option(cfg, opt, optarg, err);
		if (ret == -ENOMEM)
			fprintf(err, "oprofiled: out of memory\n");
		if (ret)
			return OPD_PARSE_ERROR;
	}
	if (optind < argc) {
		op_clean_printf(err, "oprofiled: '%s' is not an option; see oprofiled --help\n",
			argv[optind]);
		return OPD_PARSE_ERROR;
	}
	return complete(cfg, err) ? OPD_PARSE_ERROR : OPD_PARSE_RUN;
}
