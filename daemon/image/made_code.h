/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_code.h -- detection of mapped files that contain JIT code.
 *
 * .NET writes its code through one mapping of a memfd and executes it through another one. .NET's
 * precompiled code is in mapped files that are not ELF files. For both kinds of code, the process
 * writes the functions' addresses and names to perf-PID.map or jit-PID.dump. So the daemon treats
 * this code like code in anonymous memory.
 */
#ifndef OPD_MADE_CODE_H
#define OPD_MADE_CODE_H

#include <stdbool.h>

struct opd_image;
struct opd_process;

/*
 * Return true if @image contains JIT code that the process describes: a file that is not an ELF
 * file, or a memfd that is not known to be an ELF file and is not the process's program. If the
 * process is in its own namespaces or has ended, the daemon cannot search for its perf-PID.map:
 * then return true for a memfd without the search. @app: the program; may be NULL.
 */
bool opd_is_made_code(struct opd_process *process, const struct opd_image *image,
		      const struct opd_image *app);

#endif
