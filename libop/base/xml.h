/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml.h -- output of text in XML and HTML.
 */
#ifndef OP_XML_H
#define OP_XML_H

#include <stdio.h>

/* Write @text, which may contain any bytes, as text or inside the double quotes of an attribute. */
void op_xml_text(FILE *out, const char *text);
/* Write ' NAME="TEXT"'. */
void op_xml_attribute(FILE *out, const char *name, const char *text);
/* Write "<!-- TEXT -->", for information for which the schema has no element. */
void op_xml_comment(FILE *out, const char *text);

#endif
