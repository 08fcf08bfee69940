/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ocaml_name.h -- names of OCaml's functions.
 *
 * ocamlopt calls the function map of List "camlStdlib__List__map_355", or from 5.1 on "camlStdlib.List.map_355", where
 * the number tells functions of one name apart, and writes what assemblers do not take as "$" and two hex digits.
 */
#ifndef PP_IMAGE_OCAML_NAME_H
#define PP_IMAGE_OCAML_NAME_H

/* Return the name as a programmer writes it, with the number, malloc'd; NULL: it is not OCaml's, or there is no memory. */
char *pp_ocaml_name(const char *name);

#endif
