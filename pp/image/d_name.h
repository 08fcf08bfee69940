/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * d_name.h -- names of D functions: _D3app4workFiZv is app.work.
 *
 * libiberty's demangler of D allocates memory, so it cannot be left by a timer, and its time and its text can grow
 * exponentially with back references and nested types. So only the qualified name is decoded here, without the
 * parameters. The text is shorter than the mangled name, and the time is proportional to its length.
 */
#ifndef PP_IMAGE_D_NAME_H
#define PP_IMAGE_D_NAME_H

/* Return the text, malloc'd; NULL if @name is not such a name, has templates, back references or names of types, or
 * belongs to a nested function, or without memory. */
char *pp_d_name(const char *name);

#endif
