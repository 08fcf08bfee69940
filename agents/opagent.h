/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * opagent.h -- description of machine code that a program generates at run time: names, bytes and
 * source lines for profilers. The interface and the ABI (OPAGENT_1.0) are those of OProfile 1.x
 * (opagent.3).
 *
 * All calls of a process write to one file, /tmp/jit-PID.dump, in perf's jitdump format. oprofiled
 * and operf keep a copy of it with their samples. All functions may be called from any thread, also
 * after a fork: a child's first call creates a file for the child. Do not call them from a signal
 * handler.
 */
#ifndef OPAGENT_H
#define OPAGENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *op_agent_t;

struct debug_line_info {	/* describes the code from @vma up to the next entry's @vma */
	unsigned long vma;
	unsigned int lineno;
	/* A path, or a name that opannotate --search-dirs completes. Repeating the previous
	 * entry's name takes one byte. */
	const char *filename;
};

/* Return the version of the interface: 1 and 0. */
int op_major_version(void);
int op_minor_version(void);

/* Open an agent. NULL and errno: cannot create the file. The agents of a process share the file;
 * close each agent. */
op_agent_t op_open_agent(void);

/* The functions below return 0, or -1 with errno set. EINVAL: the agent is not open, or an argument
 * must not be NULL. ENOSPC and other errors of the file: the call wrote nothing, and earlier
 * records stay complete. */

/* Close an agent. The file stays, because reports may need it. */
int op_close_agent(op_agent_t agent);

/*
 * From now on, @size bytes of machine code at the address @vma are the function @symbol_name. Later
 * code replaces earlier code at the same addresses. @code points to the bytes now; if it is NULL,
 * reports have only the name.
 */
int op_write_native_code(op_agent_t agent, const char *symbol_name, uint64_t vma, const void *code,
			 unsigned int size);

/* Describe the source lines of code that an earlier call wrote, with its first byte at @code.
 * Entries without a file name are skipped. */
int op_write_debug_line_info(op_agent_t agent, const void *code, size_t nr_entry,
			     const struct debug_line_info *compile_map);

/* Report that the code at @vma was freed. Earlier samples keep its name. */
int op_unload_native_code(op_agent_t agent, uint64_t vma);

#ifdef __cplusplus
}
#endif

#endif
