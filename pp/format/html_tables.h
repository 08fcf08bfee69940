/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_tables.h -- the tables of programs, symbols, and images with their symbols.
 */
#ifndef PP_FORMAT_HTML_TABLES_H
#define PP_FORMAT_HTML_TABLES_H

#include "pp/format/html_page.h"

void pp_html_programs(const struct pp_html *html);
void pp_html_symbols(const struct pp_html *html);
int pp_html_images(const struct pp_html *html);	/* 0 or -ENOMEM */

#endif
