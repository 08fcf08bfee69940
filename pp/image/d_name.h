/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * d_name.h -- names of D functions: _D3app4workFiZv is app.work.
 *
 * libiberty's demangler of D allocates memory, so a timer must not interrupt it, and its time and
 * its text can grow exponentially with back references and nested types. So only the qualified name
 * is decoded here, without the parameters. The text is shorter than the mangled name, and the time
 * is proportional to its length.
 */
#ifndef PP_IMAGE_D_NAME_H
#define PP_IMAGE_D_NAME_H

/* Return the decoded name, malloc'd. Return NULL without memory, or if @name is not a name of D,
 * has templates, back references or names of types, or belongs to a nested function. */
char *pp_d_name(const char *name);

#endif
