/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cookie.h -- table from cookies to images. In the stream of the kernel module, a cookie is a
 * number that identifies a file. If a file was executed in another mount namespace or root
 * directory, its image has the path by which the daemon sees it.
 */
#ifndef OPD_COOKIE_H
#define OPD_COOKIE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct opd_image;
struct opd_images;
struct opd_cookies;

/* Create an empty table. @buffer_fd: descriptor of oprofilefs's file `buffer`, whose ioctl returns
 * files; -1: no ioctl. @buffer_fd is borrowed. Return 0 or a negative errno. */
int opd_cookies_create(struct opd_cookies **ret, struct opd_images *images, int buffer_fd);
void opd_cookies_destroy(struct opd_cookies *c);

/*
 * Add the entries of the file @f to the table. The file was recorded together with a stream of the
 * module. A line is "hexcookie TAB path", or "hexcookie,dev,ino,mtime TAB path" with decimal
 * numbers. The path may contain the escapes \n, \t, \r and \\. Return the number of invalid lines,
 * or a negative errno.
 */
int opd_cookies_read(struct opd_cookies *c, FILE *f);

/*
 * Return the image of @cookie, or NULL. The first call opens the file, if need be through process
 * @tgid, which has mapped the file (0: unknown): below its root directory, or as a file that it
 * executes or has mapped. If the file was not found, a call with another process tries again, for
 * a few processes; the image is another one once the file was opened. @c points to a struct
 * opd_cookies; its type is void *, because the function is a callback of the stream decoder.
 */
const struct opd_image *opd_cookies_image(void *c, uint64_t cookie, pid_t tgid);

/* Prefetch the table entry of @cookie before a lookup. */
void opd_cookies_ahead(void *c, uint64_t cookie);

struct opd_finder;
struct opd_identity;

/*
 * Find a path by which the daemon can open a file of another mount namespace. The kernel reports
 * the file's path @inner inside the file system @fs_dev, and its inode @ino on device @dev.
 * @mountinfo lists the daemon's mounts in the format of /proc/self/mountinfo. On success return 0:
 * *@ret is the path and *@identity the result of @finder; the caller frees both. If the finder does
 * not answer, as on a busy machine, *@ret is the first possible path according to the mounts, and
 * *@identity is unchanged. Errors: -ENOENT, -ENOMEM. Public for tests.
 */
int opd_mount_path(char **ret, struct opd_identity *identity, struct opd_finder *finder,
		   FILE *mountinfo, uint64_t fs_dev, const char *inner, uint64_t dev, uint64_t ino);

#endif
