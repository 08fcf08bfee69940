/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_source.h -- the source around a function's lines with samples.
 */
#ifndef PP_FORMAT_HTML_SOURCE_H
#define PP_FORMAT_HTML_SOURCE_H

#include "pp/annotate/listing.h"
#include "pp/annotate/source_cache.h"
#include "pp/format/html_page.h"

/* Write the source of @listing. @owner: of the binary, whose debug data names the files. Return
 * 0 or -ENOMEM. */
int pp_html_source(const struct pp_html *html, struct pp_source_cache *cache,
		   const struct pp_listing *listing, uid_t owner);

#endif
