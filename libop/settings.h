/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings.h -- the settings of opcontrol and oprofiled: one table for their options, help and
 * files.
 *
 * A new setting needs a field here, a row in settings.c, and code that uses the field. According to
 * the row, opcontrol accepts it, remembers it in daemonrc, shows it in its status and passes it to
 * oprofiled.
 */
#ifndef OP_SETTINGS_H
#define OP_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

/* Bits of --separate. The option's value "kernel" includes lib. */
enum {
	OP_SEPARATE_LIB = 1 << 0,
	OP_SEPARATE_KERNEL = 1 << 1,
	OP_SEPARATE_THREAD = 1 << 2,
	OP_SEPARATE_CPU = 1 << 3,
};
/* size of the longest text, "lib,kernel,thread,cpu", and more */
#define OP_SEPARATE_TEXT_SIZE	32

/* the least value of --max-memory, apart from 0 */
#define OP_LEAST_MEMORY	(32ull << 20)

/* The values of all settings; the struct owns its strings. NULL, 0 and false mean that the setting
 * is not set. The comments below name the value's meaning, and after a semicolon the default. */
struct op_settings {
	char *session_dir;	/* session directory; never NULL */
	/* events as written after opcontrol --event; default: the default event */
	char **events;
	size_t nr_events;
	unsigned int separate;	/* OP_SEPARATE_* */
	char *image_filter;	/* paths of images, separated by commas; default: all */
	/* absolute path of the kernel; default: the running kernel's own symbols */
	char *vmlinux;
	char *source;		/* source of samples, a word; default: auto */
	/* backend of the module, a word; default of opcontrol: auto, of oprofiled: the module's
	 * current backend */
	char *backend;
	/* time in ms for which a group of events is counted; default: the module's */
	unsigned long time_slice;
	unsigned long jitter;	/* number of random low bits of counts */
	char *cpus;		/* CPUs to sample: a list, "all" or "auto"; default: auto */
	char *module;		/* path of oprofile.ko; default: the installed file */
	/* group whose members may read samples, request the status and dump */
	char *group;
	/* limit of the size of the stored symbol tables, in the form in which the user wrote it */
	char *symbols;
	/* limit of the size of all tables in the user's cache, in the form in which the user wrote
	 * it; default: the limit that the cache has */
	char *cache_size;
	/* sizes of buffers, in the units of the module */
	unsigned long buffer_size, buffer_watershed, cpu_buffer_size;
	/* maximum number of frames of a call path; default: no call paths */
	unsigned long callgraph;
	/* number of bytes of a stack that perf_events copies, as the user has written it */
	char *callgraph_stack;
	/* what a frame of a call path is, "address" or "function"; default: address */
	char *callgraph_by;
	/* limit of the size of a session's call paths, in the form in which the user wrote it */
	char *callgraph_limit;
	/* duration of an interval, in the form in which the user wrote it; "0": the session has no
	 * intervals */
	char *interval;
	/* age at which intervals are deleted, in the form in which the user wrote it */
	char *keep;
	/* limit of the size of the session directory, in the form in which the user wrote it */
	char *max_disk;
	/* limit of the daemon's memory, in the form in which the user wrote it */
	char *max_memory;
	/* word for the daemon's priority while it walks stacks; default: high */
	char *priority;
	/* The settings below are options of oprofiled only. */
	bool no_vmlinux;
	/* path of a recorded stream to replay; the file REPLAY.cookies has its cookies */
	char *replay;
	char *why;		/* reason for the choice of the source of samples */
	char *command;		/* the command that is profiled, for reports */
	char *cpu_type;		/* CPU type to assume; default: the CPU of this machine */
	char *oprofilefs;	/* the mount point of the module's file system; never NULL */
	unsigned long max_files;	/* maximum number of sample files in a session */
	/* maximum number of new sample files of one user per minute; default: no limit */
	unsigned long new_files;
	/* maximum number of open sample files; default: as many as RLIMIT_NOFILE allows */
	unsigned long max_open;
	/* begin sampling at once, without waiting for the request "start" */
	bool start;
	bool prepare;		/* make unwind tables, and do nothing else */
	bool foreground, verbose;
};

enum op_setting_type {
	OP_SETTING_OWN = 1,	/* type: the program parses the option itself */
	OP_SETTING_FLAG,	/* type: bool */
	OP_SETTING_NUMBER,	/* type: unsigned long from 0 to .max */
	OP_SETTING_BIT,		/* the bit `max` of an unsigned int; only a variable of daemonrc */
	OP_SETTING_SEPARATE,	/* type: unsigned int, a set of words from a list */
	/* The types below are stored as char *. */
	OP_SETTING_TEXT,
	OP_SETTING_PATH,	/* type: a text that is not empty */
	/* type: the path of a readable file, which is stored as an absolute path without links */
	OP_SETTING_FILE,
	OP_SETTING_WORD,	/* type: one of the words in .words */
	OP_SETTING_SIZE,	/* type: a number of bytes in the form of op_size_parse() */
	OP_SETTING_DURATION,	/* type: a duration in the form of op_duration_parse() */
	OP_SETTING_CPUS,	/* type: a list of CPUs, "all" or "auto" */
	OP_SETTING_GROUP,	/* type: the name of an existing group */
};

enum { OP_FOR_OPCONTROL = 1, OP_FOR_DAEMON = 2 };

struct op_setting {
	enum op_setting_type type;	/* type of the setting; 0: end of the table */
	/* the programs that have the option, OP_FOR_*; both: opcontrol passes it to oprofiled */
	unsigned int whose;
	const char *name;		/* name of the option; NULL: no option */
	char letter;			/* letter of the option; 0: none */
	/* texts for --help: the name of the option's value (not used for flags; NULL: the option
	 * has no value), and the description */
	const char *arg, *help;
	/* name of the variable in daemonrc; NULL: the setting is not stored */
	const char *variable;
	/* offset of the value in struct op_settings; unused with OP_SETTING_OWN */
	size_t offset;
	unsigned long max;
	const char *words;		/* allowed words, such as "auto, perf" */
	/* a line of --status when it is set: "Jitter: 4 bits"; or NULL */
	const char *status, *unit;
	/* value if the option is given without a value; NULL: a value is required */
	const char *without;
	/* the default in each program, as text; NULL: not set */
	const char *opcontrols, *daemons;
};

extern const struct op_setting op_setting_table[];

#define op_for_each_setting(row, programs) \
	for ((row) = op_setting_table; (row)->type; (row)++) \
		if (!((row)->whose & (programs))) {} else

/* Return the setting with the option name @name. Return NULL if @program (OP_FOR_*) has no such
 * option. */
const struct op_setting *op_setting_by_name(const char *name, unsigned int program);

/* Set the defaults of @program. Return 0 or -ENOMEM. */
int op_settings_init(struct op_settings *s, unsigned int program);
void op_settings_release(struct op_settings *s);

/*
 * Set the setting to @text, which may be NULL for a flag and for a setting with a value in
 * @without. Return 0, -ENOMEM, or -EINVAL with a message that does not name the option. Not for
 * OP_SETTING_OWN.
 */
int op_setting_take(const struct op_setting *row, struct op_settings *s, const char *text,
		    struct op_reason *error);

/*
 * Set the setting to a stored value that op_setting_take() accepted earlier, without checking again
 * that a file or a group exists.
 */
int op_setting_restore(const struct op_setting *row, struct op_settings *s, const char *text);

/* Set *@ret to the value in the form that op_setting_take() reads, allocated by malloc(), or to
 * NULL if the setting has no value. Return 0 or -ENOMEM. */
int op_setting_text(char **ret, const struct op_setting *row, const struct op_settings *s);

/* Copy the value of a setting to @to, also if the setting is not set. Nothing is done for
 * OP_SETTING_OWN. Return 0 or -ENOMEM. */
int op_setting_copy(const struct op_setting *row, struct op_settings *to,
		    const struct op_settings *from);

/* Return the position of @text in @words ("auto, perf"), counting from 0, or -1. */
int op_setting_word(const char *words, const char *text);

/* Write the set bits, such as "lib,cpu", or "" if no bit is set. Return @buf. */
const char *op_separate_text(char buf[OP_SEPARATE_TEXT_SIZE], unsigned int separate);

/* Set *@ret to the bytes of --max-memory, 0 for no limit. Return 0, or -EINVAL with the cause and a
 * way out in @error. */
int op_settings_memory(uint64_t *ret, const char *text, struct op_reason *error);

/* Add a copy of @spec. Return 0 or -ENOMEM. */
int op_settings_add_event(struct op_settings *s, const char *spec);
void op_settings_clear_events(struct op_settings *s);

#endif
