/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_code.h -- which mapped files have code that was made at run time.
 *
 * .NET writes its code through one mapping of a memfd and runs it in another; code that was made before lies in mapped
 * files that are not ELF files. The process names both by their addresses, in perf-PID.map or jit-PID.dump: so such code is
 * treated like that in memory without a file.
 */
#ifndef OPD_MADE_CODE_H
#define OPD_MADE_CODE_H

#include <stdbool.h>

struct opd_image;
struct opd_process;

/*
 * Return true for a file that is not an ELF file, and for a memfd that is not known to be an ELF file or is the process'
 * program, if the process names its code. For a memfd of a process in namespaces of its own return true without a map,
 * because the daemon does not look into them. @app: the program; may be NULL.
 */
bool opd_is_made_code(struct opd_process *process, const struct opd_image *image, const struct opd_image *app);

#endif
