/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml_out.h -- text in XML and HTML.
 */
#ifndef PP_FORMAT_XML_OUT_H
#define PP_FORMAT_XML_OUT_H

#include <stdio.h>

/* @text, whatever is in it, as text or inside the double quotes of an attribute. */
void pp_xml_text(FILE *out, const char *text);
/* ' NAME="TEXT"' */
void pp_xml_attribute(FILE *out, const char *name, const char *text);

#endif
