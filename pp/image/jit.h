/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.h -- the files that programs write about code made at run time: perf-PID.map (one line for
 * each function) and jit-PID.dump (also the code and its lines).
 *
 * The daemon copies them to the session (daemon/image/jit.h). Without a copy, the files in /tmp are
 * used, but only files that belong to the user who makes the report or to root, because any user
 * may create a file there.
 */
#ifndef PP_IMAGE_JIT_H
#define PP_IMAGE_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pp/image/frame.h"
#include "pp/image/symtab.h"
#include "pp/base/log.h"

struct pp_jit_line { /* the source line of the code from .vma up to the .vma of the next line */
	uint64_t vma;
	const char *file;
	uint32_t line;
	uint32_t order;		/* the line belongs to code whose .order is at most this */
};

struct pp_jit_code {		/* The code of one function. */
	uint64_t start, end;
	const char *bytes;	/* machine code of the function; NULL: unknown */
	/* number that increases with each creation: later code replaces earlier code */
	uint32_t order;
	const char *name;
};

/* Codes by address in the process. Strings belong to .data and .older. */
struct pp_jit {
	char *path, *data;	/* path and contents of the newest file */
	size_t size;
	char **older;		/* contents of earlier files */
	size_t nr_older;
	/* functions, in ascending order of start address, without overlaps */
	struct pp_jit_code *codes;
	size_t nr_codes;
	struct pp_jit_line *lines;	/* source lines, in ascending order of address */
	size_t nr_lines;
	struct pp_symtab symtab;
	uint16_t machine;		/* type of the machine, EM_*; 0: unknown */
};

struct pp_jit_places {
	char *const *samples_dirs;
	size_t nr_samples_dirs;
	bool with_tmp;		/* also use /tmp, because the process may be of this machine */
};

/* Open the dump of process @pid, or else the dump of a classic agent, or else its map, as written
 * by the program with the number @program (op_image_name's anon_program). First read the files of
 * the process' ancestors; the codes of the process replace the ancestors' codes. Return 0, -ENOENT
 * if no file exists, or -ENOMEM. Warn of a malformed file and ignore it. */
int pp_jit_open(struct pp_jit *ret, const struct pp_jit_places *places, pid_t pid,
		unsigned int program, struct pp_log *log);
/* Release @jit. Accepts a zeroed struct. */
void pp_jit_close(struct pp_jit *jit);

/* Like pp_image_line() and pp_image_code(), for code made at run time. */
bool pp_jit_line(const struct pp_jit *jit, uint64_t vma, struct pp_frame *ret);
size_t pp_jit_code(const struct pp_jit *jit, uint64_t vma, void *buf, size_t size);

/* Parse a perf-PID.map or jit-PID.dump in .data. Declared for tests. The input has .size bytes and
 * a NUL after them; codes and lines are added in the order of the file. Invalid lines and records
 * are skipped. Return 0, -EINVAL if the file has another format, or -ENOMEM. */
int pp_perf_map_parse(struct pp_jit *jit);
int pp_jitdump_parse(struct pp_jit *jit);
/* Parse a dump of an agent of OProfile 1.x, like pp_jitdump_parse(). Declared for tests. */
int pp_agent_dump_parse(struct pp_jit *jit);
int pp_jit_add_code(struct pp_jit *jit, const struct pp_jit_code *code);
int pp_jit_add_line(struct pp_jit *jit, const struct pp_jit_line *line);
/* Sort the parsed code and lines, remove replaced code, and make the symbol table. Return 0 or
 * -ENOMEM. Declared for tests. */
int pp_jit_settle(struct pp_jit *jit);

#endif
