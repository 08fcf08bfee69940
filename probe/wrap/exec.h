/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec.h -- variables for the programs that this one executes.
 */
#ifndef PROBE_WRAP_EXEC_H
#define PROBE_WRAP_EXEC_H

/*
 * Make exec*() add @variables, "NAME=VALUE" each, to environments without a variable of the first
 * one's name. A shell, for example, has built its environment before the collector was loaded. Also
 * replace the variables @instead, of which either may be NULL. All texts must stay in memory. NULL:
 * add no variables.
 */
void exec_adds(const char *const variables[2], const char *const instead[2]);

#endif
