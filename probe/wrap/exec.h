/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec.h -- what programs find that this one begins.
 */
#ifndef PROBE_WRAP_EXEC_H
#define PROBE_WRAP_EXEC_H

/* "NAME=VALUE" twice, which stay; or NULL, for nothing. A shell has a list of variables of its own, which was made before a
 * collector came into it: exec*() adds these to one that has no variable of the first one's name. */
void exec_adds(const char *const variables[2]);

#endif
