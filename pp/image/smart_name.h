/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smart_name.h -- C++ names as programmers write them: without default arguments of the standard
 * library's templates, and with its usual type names.
 */
#ifndef PP_IMAGE_SMART_NAME_H
#define PP_IMAGE_SMART_NAME_H

/* Shorten a demangled name in place. */
void pp_smart_name(char *name);

#endif
