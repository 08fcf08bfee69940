/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_code.h -- mapped files that contain code made at run time.
 *
 * .NET writes its code through one mapping of a memfd and runs it in another. Code that was
 * compiled earlier lies in mapped files that are not ELF files. The process names both kinds by
 * their addresses, in perf-PID.map or jit-PID.dump. So the daemon treats such code like code in
 * memory without a file.
 */
#ifndef OPD_MADE_CODE_H
#define OPD_MADE_CODE_H

#include <stdbool.h>

struct opd_image;
struct opd_process;

/*
 * Return whether @image contains code made at run time that the process names: a file that is not
 * ELF, or a memfd that is not known to be ELF or is the process' program. For a memfd of a process
 * in its own namespaces, or of one that has ended, return true without a map, because the daemon
 * does not look into namespaces, or it is too late. @app: the program; may be NULL.
 */
bool opd_is_made_code(struct opd_process *process, const struct opd_image *image,
		      const struct opd_image *app);

#endif
