/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cookie.h -- table of cookies: maps a cookie, which is the number of a file in the module's
 * stream, to the file's image. A file that was run in another mount namespace or root directory
 * gets the daemon's path of the file.
 */
#ifndef OPD_COOKIE_H
#define OPD_COOKIE_H

#include <stdint.h>
#include <stdio.h>

struct opd_image;
struct opd_images;
struct opd_cookies;

/* Create an empty table. @buffer_fd: the module's open file `buffer`, by whose ioctl files are
 * requested, or -1; borrowed. Return 0 or a negative errno. */
int opd_cookies_create(struct opd_cookies **ret, struct opd_images *images, int buffer_fd);
void opd_cookies_destroy(struct opd_cookies *c);

/*
 * Read a table of cookies that was recorded with a stream. Its lines are "hexcookie TAB path",
 * optionally with more fields after the cookie: "hexcookie,dev,ino,mtime TAB path" (decimal). In
 * the path, \n, \t, \r and \\ are escapes. Return the number of invalid lines, or a negative errno.
 */
int opd_cookies_read(struct opd_cookies *c, FILE *f);

/* Return the image of @cookie, or NULL. @c is a struct opd_cookies. The decoder of the stream calls
 * this function. */
const struct opd_image *opd_cookies_image(void *c, uint64_t cookie);

/* Prefetch the table entry of @cookie, which will be looked up soon. Does not change the table. */
void opd_cookies_ahead(void *c, uint64_t cookie);

struct opd_finder;
struct opd_identity;

/*
 * Find the daemon's path of a file that the kernel describes by @inner, a path inside the file
 * system @fs_dev, and by inode @ino of device @dev. @mountinfo, in the format of
 * /proc/self/mountinfo, lists the mounts to search. Return 0, -ENOENT or -ENOMEM. After success,
 * *@ret is the path (malloc'd) and *@identity is what @finder found; the caller frees both.
 * Declared for tests.
 */
int opd_mount_path(char **ret, struct opd_identity *identity, struct opd_finder *finder,
		   FILE *mountinfo, uint64_t fs_dev, const char *inner, uint64_t dev, uint64_t ino);

#endif
