/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cookie.h -- from the number that stands for a file in the stream to the file.
 */
#ifndef OPD_COOKIE_H
#define OPD_COOKIE_H

#include <stdint.h>
#include <stdio.h>

struct opd_image;
struct opd_images;
struct opd_cookies;

/* @buffer_fd: an open `buffer` file to ask by ioctl, or -1. It stays the caller's. */
int opd_cookies_create(struct opd_cookies **ret, struct opd_images *images, int buffer_fd);
void opd_cookies_destroy(struct opd_cookies *c);

/*
 * Reads a table recorded with a stream: lines "hexcookie TAB path", optionally with more fields
 * behind the cookie: "hexcookie,dev,ino,mtime TAB path" (decimal). In the path, \n, \t, \r and \\
 * stand for themselves. Returns the number of lines that made no sense, or negative errno.
 */
int opd_cookies_read(struct opd_cookies *c, FILE *f);

/* The image, NULL when there is none. @c is a struct opd_cookies; the decoder's callback. */
const struct opd_image *opd_cookies_image(void *c, uint64_t cookie);

/* That will be asked soon: what is known of @cookie is on its way to the CPU when it is. Changes nothing. */
void opd_cookies_ahead(void *c, uint64_t cookie);

#endif
