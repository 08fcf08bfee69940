/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.h -- files that programs write about code made at run time: perf-PID.map (one line for each
 * function) and jit-PID.dump (also the code and its source lines).
 *
 * The daemon copies them to the session (daemon/image/jit.h). Without a copy, the files in /tmp are
 * read, but only if they belong to root or to the user who makes the report, because any user may
 * create a file there.
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

struct pp_jit_line { /* The source line of the code from .vma up to the next line's .vma. */
	uint64_t vma;
	const char *file;
	uint32_t line;
	/* the line belongs to a function whose .order is not above this number */
	uint32_t order;
};

struct pp_jit_code {		/* A function that was generated at run time. */
	uint64_t start, end;
	const char *bytes;	/* machine code of the function; NULL: unknown */
	/* sequence number of the function's creation: a function with a higher number replaces
	 * others */
	uint32_t order;
	const char *name;
};

/* The functions that a process generated at run time, by address. .data and .older own the
 * strings. */
struct pp_jit {
	char *path, *data;	/* path and contents of the newest file about generated code */
	size_t size;
	char **older;		/* contents of files that were read before .data */
	size_t nr_older;
	/* functions, sorted by start address, without overlaps */
	struct pp_jit_code *codes;
	size_t nr_codes;
	struct pp_jit_line *lines;	/* source lines of the functions, sorted by address */
	size_t nr_lines;
	struct pp_symtab symtab;
	uint16_t machine;		/* ELF machine of the generated code, EM_*; 0: unknown */
};

struct pp_jit_places {
	char *const *samples_dirs;
	size_t nr_samples_dirs;
	bool with_tmp; /* also search /tmp, because the process may have run on this machine */
};

/* Read the functions that process @pid generated: from its jitdump, else from the dump of an
 * OProfile 1.x agent, else from its map. @program: number of the program in the process
 * (anon_program of op_image_name). Read the files of the process's ancestors first; functions of
 * the process replace theirs. Ignore a malformed file with a warning. Return 0, -ENOENT if no file
 * exists, or -ENOMEM. */
int pp_jit_open(struct pp_jit *ret, const struct pp_jit_places *places, pid_t pid,
		unsigned int program, struct pp_log *log);
/* Free the contents of @jit, which may be zeroed. */
void pp_jit_close(struct pp_jit *jit);

/* Like pp_image_line(), for functions in @jit. */
bool pp_jit_line(const struct pp_jit *jit, uint64_t vma, struct pp_frame *ret);
/* Like pp_image_code(), for functions in @jit. */
size_t pp_jit_code(const struct pp_jit *jit, uint64_t vma, void *buf, size_t size);

/* Parse .data, the contents of a perf-PID.map of .size bytes, followed by a NUL. Append functions
 * and lines in the order of the file. Skip invalid lines and records. Return 0, -EINVAL if the file
 * has another format, or -ENOMEM. Public only for tests. */
int pp_perf_map_parse(struct pp_jit *jit);
/* Like pp_perf_map_parse(), for a jit-PID.dump. Public only for tests. */
int pp_jitdump_parse(struct pp_jit *jit);
/* Like pp_perf_map_parse(), for a dump of an OProfile 1.x agent. Public only for tests. */
int pp_agent_dump_parse(struct pp_jit *jit);
/* Append a function, for the parsers. Return 0 or -ENOMEM. */
int pp_jit_add_code(struct pp_jit *jit, const struct pp_jit_code *code);
/* Append a source line, for the parsers. Return 0 or -ENOMEM. */
int pp_jit_add_line(struct pp_jit *jit, const struct pp_jit_line *line);
/* Sort the parsed functions and lines, remove replaced functions, and make the symbol table. Return
 * 0 or -ENOMEM. Public only for tests. */
int pp_jit_finish(struct pp_jit *jit);

#endif
