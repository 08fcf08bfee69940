/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_data.h -- the script's data, as JSON.
 */
#ifndef PP_FORMAT_HTML_DATA_H
#define PP_FORMAT_HTML_DATA_H

#include "pp/format/html_page.h"

int pp_html_data(const struct pp_html *html);	/* 0 or -ENOMEM */

#endif
