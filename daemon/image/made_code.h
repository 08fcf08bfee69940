/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_code.h -- mapped files that contain code made at run time.
 *
 * .NET writes its code through one mapping of a memfd and runs the code in another mapping. Code
 * that .NET compiled in advance is in mapped files that are not ELF files. The process names both
 * kinds of code by address, in perf-PID.map or jit-PID.dump. So the daemon treats this code like
 * code in memory without a file.
 */
#ifndef OPD_MADE_CODE_H
#define OPD_MADE_CODE_H

#include <stdbool.h>

struct opd_image;
struct opd_process;

/*
 * Return whether @image contains code made at run time that the process names: a file that is not
 * ELF, or a memfd that is not known to be ELF or is the process' program. For a memfd of a process
 * that is in its own namespaces or has ended, return true even if no perf-PID.map was found,
 * because the daemon cannot look for it. @app: the program; may be NULL.
 */
bool opd_is_made_code(struct opd_process *process, const struct opd_image *image,
		      const struct opd_image *app);

#endif
