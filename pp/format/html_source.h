/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_source.h -- the source around the lines of one function that have samples.
 */
#ifndef PP_FORMAT_HTML_SOURCE_H
#define PP_FORMAT_HTML_SOURCE_H

#include "pp/annotate/listing.h"
#include "pp/annotate/source_cache.h"
#include "pp/format/html_page.h"

/* @owner: of the binary, whose word the names of files are. 0 or -ENOMEM. */
int pp_html_source(const struct pp_html *html, struct pp_source_cache *cache,
		   const struct pp_listing *listing, uid_t owner);

#endif
