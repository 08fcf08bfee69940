/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * opagent.h -- for programs that generate machine code: report the code's names, bytes and source
 * lines to profilers. The API and the ABI (OPAGENT_1.0) are those of OProfile 1.x (opagent.3).
 *
 * All calls of a process write to one file, /tmp/jit-PID.dump, in perf's jitdump format. oprofiled
 * and operf store a copy of the file with their samples. All functions may be called from any
 * thread, also after fork(): a child's first call creates a file for the child. Do not call the
 * functions from a signal handler.
 */
#ifndef OPAGENT_H
#define OPAGENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *op_agent_t;

struct debug_line_info {	/* source line of the code from .vma up to the next entry's .vma */
	unsigned long vma;
	unsigned int lineno;
	/* Path of the source file: absolute, or relative to a directory of opannotate's option
	 * --search-dirs. A name that equals the previous entry's name takes one byte in the
	 * file. */
	const char *filename;
};

/* Return the interface's version: op_major_version() returns 1, op_minor_version() returns 0. */
int op_major_version(void);
int op_minor_version(void);

/* Open an agent. NULL with errno set: the file could not be created. All agents of a process share
 * the file. Close each agent with op_close_agent(). */
op_agent_t op_open_agent(void);

/*
 * The functions below return 0, or -1 with errno set. EINVAL: the agent is not open, or an
 * argument is NULL that must not be NULL. ENOSPC and other file errors: the call wrote nothing,
 * and the records of earlier calls are intact.
 */

/* Close an agent. The file remains, because reports may need it. */
int op_close_agent(op_agent_t agent);

/*
 * Report that the @size bytes of machine code at address @vma are the function @symbol_name from
 * now on. Later code replaces earlier code at the same addresses. @code points to a copy of the
 * bytes; if it is NULL, reports show only the name.
 */
int op_write_native_code(op_agent_t agent, const char *symbol_name, uint64_t vma, const void *code,
			 unsigned int size);

/* Report the source lines of code that an earlier call reported; @code is the address of its first
 * byte. Entries without a file name are skipped. */
int op_write_debug_line_info(op_agent_t agent, const void *code, size_t nr_entry,
			     const struct debug_line_info *compile_map);

/* Report that the code at @vma was freed. Samples that were taken before this call keep the
 * function's name. */
int op_unload_native_code(op_agent_t agent, uint64_t vma);

#ifdef __cplusplus
}
#endif

#endif
