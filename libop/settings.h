/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings.h -- what can be set: one table that opcontrol and oprofiled read their options, their help
 * and their files from.
 *
 * A new setting is a field here, a row in settings.c, and the place that uses the field. opcontrol takes it,
 * remembers it in daemonrc, shows it in its status and hands it to oprofiled, if its row says so.
 */
#ifndef OP_SETTINGS_H
#define OP_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/base/reason.h"

/* --separate. By its option, kernel never comes without lib. */
enum {
	OP_SEPARATE_LIB = 1 << 0,
	OP_SEPARATE_KERNEL = 1 << 1,
	OP_SEPARATE_THREAD = 1 << 2,
	OP_SEPARATE_CPU = 1 << 3,
};
#define OP_SEPARATE_TEXT_SIZE	32	/* "lib,kernel,thread,cpu" */

/* Values, owned. NULL, 0 and false: not set; what that means is told where it differs from none. */
struct op_settings {
	char *session_dir;	/* never NULL */
	char **events;		/* as written after opcontrol --event; none: the default event */
	size_t nr_events;
	unsigned int separate;	/* OP_SEPARATE_* */
	char *image_filter;	/* paths, comma between them; all */
	char *vmlinux;		/* absolute; the running kernel's own symbols */
	char *source;		/* a word; auto */
	char *backend;		/* of the module, a word; opcontrol: auto, oprofiled: as the module has it */
	unsigned long time_slice;	/* ms that a group of events is counted; the module's default */
	unsigned long jitter;	/* random low bits of counts */
	char *cpus;		/* to be sampled: a list, all or auto; auto */
	char *module;		/* oprofile.ko to load; the installed one */
	char *group;		/* its name; who may read samples, ask for status and dump */
	char *symbols;		/* bytes that kept symbol tables may take, as written */
	unsigned long buffer_size, buffer_watershed, cpu_buffer_size;	/* as the module has them */
	unsigned long callgraph;	/* how deep call paths are followed; none are taken */
	char *callgraph_stack;	/* bytes of a stack that perf_events copies, as written */
	char *callgraph_by;	/* what a call path consists of: an address or a function; NULL: addresses */
	char *callgraph_limit;	/* bytes that a session's paths may take, as written */
	char *priority;		/* of the daemon while it walks stacks: a word; high */
	/* oprofiled alone has these. */
	bool no_vmlinux;
	char *replay;		/* a recorded stream; its cookies are in REPLAY.cookies */
	char *why;		/* who chose the source says why */
	char *command;		/* what is profiled, for reports */
	char *cpu_type;		/* take this for the CPU */
	char *oprofilefs;	/* where the module's file system is mounted; never NULL */
	unsigned long max_files;	/* sample files one session may hold */
	unsigned long new_files;	/* of one user in a minute; no limit */
	unsigned long max_open;	/* as many as RLIMIT_NOFILE allows */
	bool start;		/* begin sampling without waiting for "start" */
	bool prepare;		/* make unwind tables, and nothing else */
	bool foreground, verbose;
};

enum op_setting_type {
	OP_SETTING_OWN = 1,	/* only the program knows what to make of it */
	OP_SETTING_FLAG,	/* bool */
	OP_SETTING_NUMBER,	/* unsigned long from 0 to max */
	OP_SETTING_BIT,		/* the bit `max` of an unsigned int; a variable of daemonrc, no option */
	OP_SETTING_SEPARATE,	/* unsigned int, from a list */
	/* The rest are char *. */
	OP_SETTING_TEXT,
	OP_SETTING_PATH,	/* not empty */
	OP_SETTING_FILE,	/* can be read; made absolute, links resolved */
	OP_SETTING_WORD,	/* one of words */
	OP_SETTING_SIZE,	/* as op_size_parse() takes it */
	OP_SETTING_CPUS,	/* a list, all or auto */
	OP_SETTING_GROUP,	/* there is one */
};

enum { OP_FOR_OPCONTROL = 1, OP_FOR_DAEMON = 2 };

struct op_setting {
	enum op_setting_type type;	/* 0 ends the table */
	unsigned int whose;		/* OP_FOR_*; both: opcontrol hands it to oprofiled */
	const char *name;		/* of the option, or NULL */
	char letter;			/* of the option, or 0 */
	const char *arg, *help;		/* in --help; no @arg: no value; a flag's is not heeded */
	const char *variable;		/* in daemonrc; NULL: not remembered */
	size_t offset;			/* in struct op_settings; not of OP_SETTING_OWN */
	unsigned long max;
	const char *words;		/* "auto, perf" */
	const char *status, *unit;	/* a line of --status when it is set: "Jitter: 4 bits"; or NULL */
	const char *without;		/* the value of an option given without one; NULL: it needs one */
	const char *opcontrols, *daemons;	/* default in either program, as text; NULL: not set */
};

extern const struct op_setting op_setting_table[];

#define op_for_each_setting(row, programs) \
	for ((row) = op_setting_table; (row)->type; (row)++) if (!((row)->whose & (programs))) {} else

/* The option of that name; NULL: @program (OP_FOR_*) has none. */
const struct op_setting *op_setting_by_name(const char *name, unsigned int program);

/* The defaults in @program. -ENOMEM. */
int op_settings_init(struct op_settings *s, unsigned int program);
void op_settings_release(struct op_settings *s);

/*
 * Sets it as @text says, which may be NULL for a flag and where there is a value without. -EINVAL with a @msg that does not name the option,
 * -ENOMEM; never for OP_SETTING_OWN.
 */
int op_setting_take(const struct op_setting *row, struct op_settings *s, const char *text,
		    struct op_reason *msg);

/*
 * The same for what was taken and written down earlier: what depends on the machine (is there such a file,
 * such a group) is not asked again.
 */
int op_setting_restore(const struct op_setting *row, struct op_settings *s, const char *text);

/* *@ret: what op_setting_take() would take, malloc'd; NULL when it is not set. -ENOMEM. */
int op_setting_text(char **ret, const struct op_setting *row, const struct op_settings *s);

/* Which of @words ("auto, perf") @text is, from 0; -1: none. */
int op_setting_word(const char *words, const char *text);

/* "lib,cpu", or "" when nothing is. Returns @buf. */
const char *op_separate_text(char buf[OP_SEPARATE_TEXT_SIZE], unsigned int separate);

int op_settings_add_event(struct op_settings *s, const char *spec);	/* -ENOMEM */
void op_settings_clear_events(struct op_settings *s);

#endif
