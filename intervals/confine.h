/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confine.h -- the rights of opintervals when the daemon has started it. */
#ifndef ITV_CONFINE_H
#define ITV_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Give up all rights that the work in the store does not need. The current directory must be the
 * store. The process keeps its user, because the files of the session belong to this user, but no
 * capability; it can only make the listed system calls, add @room bytes to the disk and use a
 * limited amount of memory; and it ends with @daemon, its parent. @is_rooted: as root, see no file
 * outside the directory of the sessions. Return 0 or a negative errno; -ESRCH if the daemon has
 * ended.
 */
int itv_confine(uint64_t room, pid_t daemon, bool is_rooted);

/* Return whether a request for more than the room was refused. */
bool itv_confined_is_short(void);

#endif
