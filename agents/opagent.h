/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * opagent.h -- for programs that make machine code while they run: tells profilers what that code is called, what it
 * consists of, and which source lines it came from. The interface is OProfile 1.x's (opagent.3); so is the ABI,
 * OPAGENT_1.0.
 *
 * Everything goes into one file of the process, /tmp/jit-PID.dump, in the jitdump format of perf; oprofiled and operf
 * keep that with their samples. All functions may be called from any thread, also after a fork: the child has a
 * file of its own from its first call on. None may be called from a signal handler.
 */
#ifndef OPAGENT_H
#define OPAGENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *op_agent_t;

struct debug_line_info {	/* of the code from @vma up to the next entry's */
	unsigned long vma;
	unsigned int lineno;
	/* A path, or a name that opannotate --search-dirs completes. The same pointer or text as in the entry before costs nothing. */
	const char *filename;
};

/* Of the interface: 1 and 0. */
int op_major_version(void);
int op_minor_version(void);

/* NULL with errno: the file cannot be made. Agents of one process share the file; each is closed by itself. */
op_agent_t op_open_agent(void);

/* The rest: 0, or -1 with errno. EINVAL: not an open agent, or a NULL that must not be. ENOSPC and the like: nothing of this
 * call is in the file, what was written before stays whole. */

/* The file stays: it may be needed when a report is made. */
int op_close_agent(op_agent_t agent);

/*
 * @size bytes of machine code at the address @vma are the function @symbol_name, from now on: later code replaces earlier code at
 * the same addresses. @code: where its bytes can be read now; NULL: not known, then reports have its name only.
 */
int op_write_native_code(op_agent_t agent, const char *symbol_name, uint64_t vma, const void *code,
			 unsigned int size);

/* Lines of code that was written before, whose first byte is at @code. Entries without a filename are left out. */
int op_write_debug_line_info(op_agent_t agent, const void *code, size_t nr_entry,
			     const struct debug_line_info *compile_map);

/* The code at @vma is gone. Samples taken before keep its name. */
int op_unload_native_code(op_agent_t agent, uint64_t vma);

#ifdef __cplusplus
}
#endif

#endif
