/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec.h -- environment variables for programs that this program executes.
 */
#ifndef PROBE_WRAP_EXEC_H
#define PROBE_WRAP_EXEC_H

/*
 * Make exec*() add @variables, strings "NAME=VALUE", to each environment that lacks a variable with
 * the name of the first string. This is necessary, for example, for a shell that copied its
 * environment before the collector was loaded. Also remove the variables that are equal to a string
 * of @instead, whose strings may be NULL. All strings must stay in memory. @variables NULL: stop
 * adding variables.
 */
void exec_adds(const char *const variables[2], const char *const instead[2]);

#endif
