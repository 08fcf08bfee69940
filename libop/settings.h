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

#include "libop/base/reason.h"

/* Bits of --separate. The option's value "kernel" includes lib. */
enum {
	OP_SEPARATE_LIB = 1 << 0,
	OP_SEPARATE_KERNEL = 1 << 1,
	OP_SEPARATE_THREAD = 1 << 2,
	OP_SEPARATE_CPU = 1 << 3,
};
#define OP_SEPARATE_TEXT_SIZE	32	/* "lib,kernel,thread,cpu" */

/* The values of all settings; the struct owns its strings. NULL, 0 and false mean that the setting
 * is not set. The comments below name the value's meaning, and after a semicolon the default. */
struct op_settings {
	char *session_dir;	/* never NULL */
	char **events;		/* as written after opcontrol --event; the default event */
	size_t nr_events;
	unsigned int separate;	/* OP_SEPARATE_* */
	char *image_filter;	/* paths separated by commas; all */
	char *vmlinux;		/* absolute; the running kernel's own symbols */
	char *source;		/* a word; auto */
	/* the module's backend, a word; opcontrol: auto, oprofiled: the module's current one */
	char *backend;
	/* ms for which a group of events is counted; the module's default */
	unsigned long time_slice;
	unsigned long jitter;	/* random low bits of counts */
	char *cpus;		/* CPUs to sample: a list, all or auto; auto */
	char *module;		/* path of oprofile.ko; the installed one */
	char *group;		/* members may read samples, ask for the status and dump */
	char *symbols;		/* limit of stored symbol tables in bytes, as written */
	/* limit of all tables in the user's cache in bytes, as written; the limit stays as it is */
	char *cache_size;
	unsigned long buffer_size, buffer_watershed, cpu_buffer_size;	/* in the module's units */
	unsigned long callgraph;	/* the deepest call path to take; no call paths */
	char *callgraph_stack;	/* bytes of a stack that perf_events copies, as written */
	char *callgraph_by;	/* the unit of call paths, address or function; addresses */
	char *callgraph_limit;	/* limit of a session's call paths in bytes, as written */
	char *priority;		/* the daemon's priority while it walks stacks: a word; high */
	/* The settings below are options of oprofiled only. */
	bool no_vmlinux;
	char *replay;		/* a recorded stream; its cookies are in REPLAY.cookies */
	char *why;		/* the reason for the choice of the source */
	char *command;		/* the profiled command, for reports */
	char *cpu_type;		/* assume this CPU; the CPU of this machine */
	char *oprofilefs;	/* the mount point of the module's file system; never NULL */
	unsigned long max_files;	/* the most sample files of a session */
	/* the most new sample files of one user per minute; no limit */
	unsigned long new_files;
	unsigned long max_open;	/* the most open sample files; the limit is RLIMIT_NOFILE */
	bool start;		/* begin sampling without waiting for "start" */
	bool prepare;		/* only make unwind tables */
	bool foreground, verbose;
};

enum op_setting_type {
	OP_SETTING_OWN = 1,	/* the program handles the option itself */
	OP_SETTING_FLAG,	/* bool */
	OP_SETTING_NUMBER,	/* unsigned long from 0 to max */
	OP_SETTING_BIT,		/* the bit `max` of an unsigned int; only a variable of daemonrc */
	OP_SETTING_SEPARATE,	/* unsigned int, from a list */
	/* The types below are char *. */
	OP_SETTING_TEXT,
	OP_SETTING_PATH,	/* not empty */
	OP_SETTING_FILE,	/* a readable file; made absolute, links resolved */
	OP_SETTING_WORD,	/* one of words */
	OP_SETTING_SIZE,	/* as op_size_parse() takes it */
	OP_SETTING_CPUS,	/* a list, all or auto */
	OP_SETTING_GROUP,	/* an existing group */
};

enum { OP_FOR_OPCONTROL = 1, OP_FOR_DAEMON = 2 };

struct op_setting {
	enum op_setting_type type;	/* 0 ends the table */
	unsigned int whose;		/* OP_FOR_*; both: opcontrol passes it to oprofiled */
	const char *name;		/* the option's name, or NULL */
	char letter;			/* the option's letter, or 0 */
	/* in --help; without @arg the option has no value; ignored for flags */
	const char *arg, *help;
	const char *variable;		/* in daemonrc; NULL: not remembered */
	size_t offset;			/* in struct op_settings; unused with OP_SETTING_OWN */
	unsigned long max;
	const char *words;		/* "auto, perf" */
	/* a line of --status when it is set: "Jitter: 4 bits"; or NULL */
	const char *status, *unit;
	/* the value if the option is given without one; NULL: a value is required */
	const char *without;
	/* the default in each program, as text; NULL: not set */
	const char *opcontrols, *daemons;
};

extern const struct op_setting op_setting_table[];

#define op_for_each_setting(row, programs) \
	for ((row) = op_setting_table; (row)->type; (row)++) \
		if (!((row)->whose & (programs))) {} else

/* Return the setting with that option name; NULL: @program (OP_FOR_*) has no such option. */
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
		    struct op_reason *msg);

/*
 * Set the setting to a stored value that op_setting_take() accepted earlier, without checking again
 * that a file or a group exists.
 */
int op_setting_restore(const struct op_setting *row, struct op_settings *s, const char *text);

/* Set *@ret to the value as op_setting_take() reads it, allocated by malloc(), or to NULL if it
 * is not set. Return 0 or -ENOMEM. */
int op_setting_text(char **ret, const struct op_setting *row, const struct op_settings *s);

/* Return the position of @text in @words ("auto, perf"), counting from 0, or -1. */
int op_setting_word(const char *words, const char *text);

/* Write the set bits, such as "lib,cpu", or "" if no bit is set. Return @buf. */
const char *op_separate_text(char buf[OP_SEPARATE_TEXT_SIZE], unsigned int separate);

int op_settings_add_event(struct op_settings *s, const char *spec);	/* -ENOMEM */
void op_settings_clear_events(struct op_settings *s);

#endif
