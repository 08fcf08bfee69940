/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings.h -- the settings of opcontrol and oprofiled: one table for their options, help and
 * files.
 *
 * A new setting needs a member here, a row in settings.c, and code that uses the member. By means
 * of the row, opcontrol accepts the setting, stores it in daemonrc, prints it in its status and
 * passes it to oprofiled.
 */
#ifndef OP_SETTINGS_H
#define OP_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

/* Bits that represent the words of the option --separate. The word "kernel" sets two bits, because
 * it includes "lib". */
enum {
	OP_SEPARATE_LIB = 1 << 0,
	OP_SEPARATE_KERNEL = 1 << 1,
	OP_SEPARATE_THREAD = 1 << 2,
	OP_SEPARATE_CPU = 1 << 3,
	OP_SEPARATE_UNIT = 1 << 4,	/* systemd units, containers and pods */
};
/* size of a buffer for the longest text, such as "lib,kernel,thread,cpu" */
#define OP_SEPARATE_TEXT_SIZE	32

/* defaults of --keep and --max-disk with --interval */
#define OP_DEFAULT_KEEP		"2y"
#define OP_DEFAULT_MAX_DISK	"200M"
/* minimum of --max-memory in bytes; 0 is also allowed */
#define OP_LEAST_MEMORY	(32ull << 20)

/* The values of all settings; the struct owns its strings. A setting with the value NULL, 0 or
 * false is not set. Each comment below describes a value and, after a semicolon, its default. */
struct op_settings {
	char *session_dir;	/* session directory; never NULL */
	/* events, in the form of opcontrol --event; default: the default event */
	char **events;
	size_t nr_events;
	unsigned int separate;	/* what to store in separate sample files, OP_SEPARATE_* bits */
	/* paths of the images to sample, separated by commas; default: all images */
	char *image_filter;
	/* absolute path of the file vmlinux; default: use the symbols of the running kernel */
	char *vmlinux;
	/* source of samples: one of the words in settings.c; default: auto */
	char *source;
	/* backend of the module: one of the words in settings.c; default of opcontrol: auto; of
	 * oprofiled: the module's current backend */
	char *backend;
	/* time slice in ms of a group of multiplexed events; default: the module's current value */
	unsigned long time_slice;
	unsigned long jitter;	/* number of low bits that are random in the events' periods */
	char *cpus;		/* CPUs to sample: a list, "all" or "auto"; default: auto */
	char *module;		/* path of oprofile.ko; default: the installed module */
	/* group whose members may read samples, request the daemon's status, and dump samples */
	char *group;
	/* limit of the total size of the stored symbol tables, as text */
	char *symbols;
	/* limit of the total size of all tables in the user's cache, as text; default: the limit
	 * that is stored in the cache */
	char *cache_size;
	/* whether to sample the wakers of threads that wait: "on" or "off" */
	char *wakers;
	/* sizes of the module's buffers, in the units that the module uses */
	unsigned long buffer_size, buffer_watershed, cpu_buffer_size;
	/* maximum number of frames of a call path; default: record no call paths */
	unsigned long callgraph;
	/* number of bytes of the user stack that perf_events copies with a sample, as text */
	char *callgraph_stack;
	/* granularity of frames, "address" or "function"; default: address */
	char *callgraph_by;
	/* limit of the size of a session's call paths, as text */
	char *callgraph_limit;
	/* duration of an interval, as text; "0": no intervals */
	char *interval;
	/* age at which intervals are deleted, as text */
	char *keep;
	/* limit of the size of the session directory, as text */
	char *max_disk;
	/* limit of the daemon's memory, as text */
	char *max_memory;
	/* priority of the daemon while it walks stacks: a value of --priority; default: high */
	char *priority;
	/* Only oprofiled has the settings below. */
	bool no_vmlinux;
	/* path of a recorded stream of samples to replay; the stream's cookies are in the file
	 * PATH.cookies */
	char *replay;
	char *why;		/* text that says why the source .source was chosen */
	char *command;		/* profiled command, which reports print */
	char *cpu_type;		/* name of the CPU type whose events to use; default: the CPU of
				 * this machine */
	char *oprofilefs;	/* the mount point of the module's file system; never NULL */
	unsigned long max_files;	/* maximum number of sample files in a session */
	/* maximum number of new sample files of one user per minute; default: no limit */
	unsigned long new_files;
	/* maximum number of open sample files; default: as many as RLIMIT_NOFILE allows */
	unsigned long max_open;
	/* start sampling at once, without waiting for the request "start" */
	bool start;
	bool prepare;		/* do not sample: only generate unwind tables, then exit */
	bool foreground, verbose;
};

enum op_setting_type {
	OP_SETTING_OWN = 1,	/* value of any type; the program parses the option itself */
	OP_SETTING_FLAG,	/* bool */
	OP_SETTING_NUMBER,	/* unsigned long from 0 to .max */
	OP_SETTING_BIT,		/* bit number .max of an unsigned int; not an option, only a
				 * variable in daemonrc */
	OP_SETTING_SEPARATE,	/* unsigned int: the set of words of --separate */
	/* The settings of the types below are stored as char *. */
	OP_SETTING_TEXT,
	OP_SETTING_PATH,	/* text that is not empty */
	/* path of a readable file; stored as an absolute path without links */
	OP_SETTING_FILE,
	OP_SETTING_WORD,	/* one of the words in .words of the setting */
	OP_SETTING_SIZE,	/* number of bytes, in the form of op_size_parse() */
	OP_SETTING_DURATION,	/* duration, in the form of op_duration_parse() */
	OP_SETTING_CPUS,	/* list of CPUs, "all" or "auto" */
	OP_SETTING_GROUP,	/* name of an existing group */
};

enum { OP_FOR_OPCONTROL = 1, OP_FOR_DAEMON = 2 };

struct op_setting {
	enum op_setting_type type;	/* type of the setting; 0 marks the end of the table */
	/* mask of the programs that have the option, OP_FOR_* bits. If both programs have the
	 * option, opcontrol passes it to oprofiled */
	unsigned int whose;
	const char *name;		/* name of the option; NULL: the setting has no option */
	char letter;			/* letter of the option; 0: the option has no letter */
	/* .arg: name of the option's value in --help (NULL: no value; not used for flags); .help:
	 * description of the option */
	const char *arg, *help;
	/* name of the variable in daemonrc; NULL: the setting is not stored */
	const char *variable;
	/* offset of the value in struct op_settings; unused with OP_SETTING_OWN */
	size_t offset;
	unsigned long max;
	const char *words;		/* allowed words, such as "auto, perf" */
	/* label and unit of the setting in --status: "Jitter: 4 bits"; NULL: --status does not show
	 * the setting */
	const char *status, *unit;
	/* value if the user writes the option without a value; NULL: the option requires a value */
	const char *without;
	/* default of the setting in opcontrol and in oprofiled, as text; NULL: not set */
	const char *opcontrols, *daemons;
};

extern const struct op_setting op_setting_table[];

#define op_for_each_setting(row, programs) \
	for ((row) = op_setting_table; (row)->type; (row)++) \
		if (!((row)->whose & (programs))) {} else

/* Return the setting whose option is @name, or NULL if @program (OP_FOR_*) has no such option. */
const struct op_setting *op_setting_by_name(const char *name, unsigned int program);

/* Set all settings to the defaults of @program. Return 0 or -ENOMEM. */
int op_settings_init(struct op_settings *s, unsigned int program);
void op_settings_release(struct op_settings *s);

/*
 * Parse @text as the value of the setting and store it in @s. @text may be NULL for a flag, and for
 * a setting with .without. Return 0, -ENOMEM, or -EINVAL with a message that does not contain the
 * option's name. Not for OP_SETTING_OWN.
 */
int op_setting_parse(const struct op_setting *row, struct op_settings *s, const char *text,
		     struct op_reason *error);

/* Set the setting to @text, a stored value that op_setting_parse() has accepted earlier. Do not
 * check again whether a file or a group exists. */
int op_setting_restore(const struct op_setting *row, struct op_settings *s, const char *text);

/* Set *@ret to the setting's value in @s, as text that op_setting_parse() can parse; NULL if the
 * setting is not set. The caller frees *@ret. Return 0 or -ENOMEM. */
int op_setting_text(char **ret, const struct op_setting *row, const struct op_settings *s);

/* Copy the value of a setting to @to, even if the setting is not set. With OP_SETTING_OWN, do
 * nothing. Return 0 or -ENOMEM. */
int op_setting_copy(const struct op_setting *row, struct op_settings *to,
		    const struct op_settings *from);

/* Return the index of the word @text in the list @words ("auto, perf"), or -1. The first word has
 * the index 0. */
int op_setting_word(const char *words, const char *text);

/* Return whether --wakers is on. */
bool op_settings_wakers(const struct op_settings *s);

/* Write the bits of @separate as words, such as "lib,cpu", or "" if no bit is set. Return @buf. */
const char *op_separate_text(char buf[OP_SEPARATE_TEXT_SIZE], unsigned int separate);

/* Parse @text, the value of --max-memory, and set *@ret to the number of bytes; 0: no limit. Return
 * 0, or -EINVAL with the cause and a remedy in @error. */
int op_settings_memory(uint64_t *ret, const char *text, struct op_reason *error);

/* Add a copy of the event @spec to the events of @s. Return 0 or -ENOMEM. */
int op_settings_add_event(struct op_settings *s, const char *spec);
void op_settings_clear_events(struct op_settings *s);

#endif
