/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec.h -- environment variables for programs that this program executes.
 */
#ifndef PROBE_WRAP_EXEC_H
#define PROBE_WRAP_EXEC_H

/*
 * Make exec*() add @variables, texts of the form "NAME=VALUE", to each environment that lacks a
 * variable with the name of the first text. This is needed, for example, for a shell that built its
 * environment before the collector was loaded. Also remove the variables that equal a text of
 * @instead; both texts may be NULL. All texts must stay in memory. @variables NULL: add no
 * variables any more.
 */
void exec_adds(const char *const variables[2], const char *const instead[2]);

#endif
