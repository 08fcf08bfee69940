/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec.h -- what programs find that this one begins.
 */
#ifndef PROBE_WRAP_EXEC_H
#define PROBE_WRAP_EXEC_H

/*
 * Let exec*() add @variables, "NAME=VALUE" each, to lists that have no variable of the first one's name. A shell has such a list of its
 * own, made before a collector came into it. In it, @instead are replaced, of which either may be NULL. All texts must stay. NULL: add
 * nothing.
 */
void exec_adds(const char *const variables[2], const char *const instead[2]);

#endif
