/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml.h -- output of text in XML and HTML.
 */
#ifndef OP_XML_H
#define OP_XML_H

#include <stdio.h>

/* Write @text, which may contain any bytes, between two tags or inside the double quotes of an
 * attribute. Escape special characters. */
void op_xml_text(FILE *out, const char *text);
/* Write the attribute ' NAME="TEXT"'. */
void op_xml_attribute(FILE *out, const char *name, const char *text);
/* Write the comment "<!-- TEXT -->", for information for which the XML schema has no element. */
void op_xml_comment(FILE *out, const char *text);

#endif
