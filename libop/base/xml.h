/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml.h -- text in XML and HTML.
 */
#ifndef OP_XML_H
#define OP_XML_H

#include <stdio.h>

/* @text, whatever is in it, as text or inside the double quotes of an attribute. */
void op_xml_text(FILE *out, const char *text);
/* ' NAME="TEXT"' */
void op_xml_attribute(FILE *out, const char *name, const char *text);
/* "<!-- TEXT -->", for people: what a schema has no place for. */
void op_xml_comment(FILE *out, const char *text);

#endif
