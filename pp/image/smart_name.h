/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smart_name.h -- C++ names as programmers write them: what the standard library's templates have
 * by default, and what stands behind their everyday names, is not said.
 */
#ifndef PP_IMAGE_SMART_NAME_H
#define PP_IMAGE_SMART_NAME_H

/* Shortens a demangled name in place. */
void pp_smart_name(char *name);

#endif
