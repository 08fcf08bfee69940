/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.h -- what programs that make code at run time tell about it: perf-PID.map (one line for each
 * function) and jit-PID.dump (also the code and its lines).
 *
 * The daemon keeps copies with the session (daemon/image/jit.h). Where it did not, the files in
 * /tmp are taken, but only those of the user who makes the report or of root: anybody may put a
 * file there.
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

struct pp_jit_line {		/* of the code from @vma up to the next one's */
	uint64_t vma;
	const char *file;
	uint32_t line;
	uint32_t order;		/* of the newest code that the line may be of */
};

struct pp_jit_code {		/* the bytes of a function */
	uint64_t start, end;
	const char *bytes;	/* NULL: not known */
	uint32_t order;		/* of being made: the later one wins a place */
	const char *name;
};

/* Codes by address in the process. Strings point into .data and .older. */
struct pp_jit {
	char *path, *data;	/* path and content of the newest file */
	size_t size;
	char **older;		/* contents of earlier files */
	size_t nr_older;
	struct pp_jit_code *codes;	/* by start, none overlapping another */
	size_t nr_codes;
	struct pp_jit_line *lines;	/* by vma */
	size_t nr_lines;
	struct pp_symtab symtab;
	uint16_t machine;		/* EM_*, 0: not known */
};

struct pp_jit_places {
	char *const *samples_dirs;
	size_t nr_samples_dirs;
	int with_tmp;		/* also /tmp, when the process may be of this machine */
};

/* Open the dump of process @pid, or else the dump of a classic agent, or else its map, as written
 * by the program with the number @program (op_image_name's anon_program). Before it, read files of
 * the process' ancestors, whose codes it may replace.
 * Return 0, -ENOENT if no file exists, or -ENOMEM. Warn of a malformed file and ignore it. */
int pp_jit_open(struct pp_jit *ret, const struct pp_jit_places *places, pid_t pid,
		unsigned int program, struct pp_log *log);
/* Takes a zeroed struct. */
void pp_jit_close(struct pp_jit *jit);

/* As pp_image_line() and pp_image_code(). */
bool pp_jit_line(const struct pp_jit *jit, uint64_t vma, struct pp_frame *ret);
size_t pp_jit_code(const struct pp_jit *jit, uint64_t vma, void *buf, size_t size);

/* For the parsers and their tests: all take .data and .size as read, with a NUL behind, and fill
 * in codes and lines in the order of the file. -EINVAL: not such a file at all; -ENOMEM. Lines
 * and records that make no sense are left out. */
int pp_perf_map_parse(struct pp_jit *jit);
int pp_jitdump_parse(struct pp_jit *jit);
int pp_agent_dump_parse(struct pp_jit *jit);	/* of OProfile 1.x's agents */
int pp_jit_add_code(struct pp_jit *jit, const struct pp_jit_code *code);
int pp_jit_add_line(struct pp_jit *jit, const struct pp_jit_line *line);
/* After parsing: sorts, lets later code replace earlier, makes the symbol table. */
int pp_jit_settle(struct pp_jit *jit);

#endif
