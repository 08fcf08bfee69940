/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ocaml_name.h -- names of OCaml's functions.
 *
 * ocamlopt calls the function map of List "camlStdlib__List__map_355", or from 5.1 on
 * "camlStdlib.List.map_355", where the number distinguishes functions of the same name. It writes
 * characters that assemblers do not accept as "$" and two hex digits.
 */
#ifndef PP_IMAGE_OCAML_NAME_H
#define PP_IMAGE_OCAML_NAME_H

/* Return the name in the programmer's notation, with the number, malloc'd. Return NULL without
 * memory or if it is not a name of OCaml. */
char *pp_ocaml_name(const char *name);

#endif
