/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_code.h -- source and assembly of the hottest functions.
 */
#ifndef PP_FORMAT_HTML_CODE_H
#define PP_FORMAT_HTML_CODE_H

#include "pp/format/html_page.h"

int pp_html_code(const struct pp_html *html);	/* 0 or -ENOMEM */

#endif
