/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_time.h -- the data of the page's time line: how many samples each row of a table, each image
 * and each node of the graph has in each slice of the report's time.
 *
 * Rows are registered while the tables are written. After that, the slices are read one by one.
 */
#ifndef PP_FORMAT_HTML_TIME_H
#define PP_FORMAT_HTML_TIME_H

#include "libop/base/json.h"
#include "pp/format/html.h"
#include "pp/format/path_names.h"

/* Create *@ret without rows, or set *@ret to NULL if the page has no time line. Return 0 or
 * -ENOMEM. */
int pp_html_time_create(struct pp_html_time **ret, const struct pp_html *html);
/* Free @time, which may be NULL. */
void pp_html_time_destroy(struct pp_html_time *time);

/* Register the next row of a table for the time line. Rows of the list of programs have @code ==
 * PP_NO_CODE. @app or @image is NULL if the row sums all programs or images. Do nothing if the page
 * has no time line. */
void pp_html_time_row(const struct pp_html *html, const char *app, const char *image,
		      uint32_t code);
/* Register the next image in the list of images for the time line. */
void pp_html_time_image(const struct pp_html *html, const char *image);

/* Read all slices of time. @pick: the nodes that the graph shows. Return 0, -EAGAIN if the daemon
 * has joined intervals of several slices, or -ENOMEM. */
int pp_html_time_read(struct pp_html_time *time, const struct pp_html *html,
		      const struct pp_path_names *names, const struct pp_path_pick *pick);
/* Write @time as the JSON member "time" of the page's data. */
void pp_html_time_put(const struct pp_html_time *time, const struct pp_html *html,
		      struct op_json *json);

#endif
