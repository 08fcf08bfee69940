/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cookie.h -- maps a cookie (the number of a file in the stream) to the file's image.
 */
#ifndef OPD_COOKIE_H
#define OPD_COOKIE_H

#include <stdint.h>
#include <stdio.h>

struct opd_image;
struct opd_images;
struct opd_cookies;

/* Create an empty table. @buffer_fd: an open `buffer` file for the ioctl, or -1; the caller keeps
 * it. Return 0 or a negative errno. */
int opd_cookies_create(struct opd_cookies **ret, struct opd_images *images, int buffer_fd);
void opd_cookies_destroy(struct opd_cookies *c);

/*
 * Read a table that was recorded with a stream: lines "hexcookie TAB path", optionally with more
 * fields after the cookie: "hexcookie,dev,ino,mtime TAB path" (decimal). In the path, \n, \t, \r
 * and \\ are escapes. Return the number of invalid lines, or a negative errno.
 */
int opd_cookies_read(struct opd_cookies *c, FILE *f);

/* Return the image of @cookie, or NULL. @c is a struct opd_cookies; this is the decoder's callback.
 */
const struct opd_image *opd_cookies_image(void *c, uint64_t cookie);

/* Prefetch the entry of @cookie, which will be looked up soon. Changes nothing. */
void opd_cookies_ahead(void *c, uint64_t cookie);

#endif
