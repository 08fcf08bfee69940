/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_cells.h -- table cells that several tables of the page have.
 */
#ifndef PP_FORMAT_HTML_CELLS_H
#define PP_FORMAT_HTML_CELLS_H

#include "pp/format/html_page.h"
#include "pp/format/percent.h"

/* Write the cells "count" and "percent" of each class; write their heads. */
void pp_html_counts(const struct pp_html *html, const uint64_t *counts);
void pp_html_count_heads(const struct pp_html *html);
/* Print the heads of the cells of totals, which precede those cells. */
void pp_html_total_heads(const struct pp_html *html);

#define PP_HTML_SHARE	(PP_PERCENT_SIZE + 1)

/* "12.3456%" of the class with the largest share. */
void pp_html_share(const struct pp_html *html, const uint64_t *counts, char buf[PP_HTML_SHARE]);

#endif
