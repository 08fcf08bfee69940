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
	uint32_t order;		/* the line belongs to code with this or a lower .order */
};

struct pp_jit_code {		/* A function that was generated at run time. */
	uint64_t start, end;
	const char *bytes;	/* machine code; NULL: unknown */
	/* sequence number of the creation: code with a higher number replaces other code */
	uint32_t order;
	const char *name;
};

/* Functions by address in the process. .data and .older own the strings. */
struct pp_jit {
	char *path, *data;	/* path and contents of the newest file */
	size_t size;
	char **older;		/* contents of earlier files */
	size_t nr_older;
	/* functions, sorted by start address, without overlaps */
	struct pp_jit_code *codes;
	size_t nr_codes;
	struct pp_jit_line *lines;	/* sorted by address */
	size_t nr_lines;
	struct pp_symtab symtab;
	uint16_t machine;		/* ELF machine, EM_*; 0: unknown */
};

struct pp_jit_places {
	char *const *samples_dirs;
	size_t nr_samples_dirs;
	bool with_tmp; /* also search /tmp, because the process may have run on this machine */
};

/* Read the jitdump of process @pid, else the dump of an OProfile 1.x agent, else the map. @program:
 * number of the program in the process (anon_program of op_image_name). Read the files of the
 * process's ancestors first; codes of the process replace theirs. Ignore a malformed file with a
 * warning. Return 0, -ENOENT if no file exists, or -ENOMEM. */
int pp_jit_open(struct pp_jit *ret, const struct pp_jit_places *places, pid_t pid,
		unsigned int program, struct pp_log *log);
/* Free the contents of @jit, which may be zeroed. */
void pp_jit_close(struct pp_jit *jit);

/* Like pp_image_line() and pp_image_code(), for code made at run time. */
bool pp_jit_line(const struct pp_jit *jit, uint64_t vma, struct pp_frame *ret);
size_t pp_jit_code(const struct pp_jit *jit, uint64_t vma, void *buf, size_t size);

/* Parse .data, a perf-PID.map or jit-PID.dump of .size bytes, followed by a NUL. Append codes and
 * lines in the order of the file. Skip invalid lines and records. Return 0, -EINVAL if the file has
 * another format, or -ENOMEM. Public only for tests. */
int pp_perf_map_parse(struct pp_jit *jit);
int pp_jitdump_parse(struct pp_jit *jit);
/* Parse a dump of an OProfile 1.x agent, like pp_jitdump_parse(). Public only for tests. */
int pp_agent_dump_parse(struct pp_jit *jit);
int pp_jit_add_code(struct pp_jit *jit, const struct pp_jit_code *code);
int pp_jit_add_line(struct pp_jit *jit, const struct pp_jit_line *line);
/* Sort the parsed codes and lines, remove replaced code, and make the symbol table. Return 0 or
 * -ENOMEM. Public only for tests. */
int pp_jit_finish(struct pp_jit *jit);

#endif
