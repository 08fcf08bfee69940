/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vperfctr.h -- perfctr's calls for virtual counters, over vperfctr.ko. Most programs should use
 * vperf.h.
 *
 * Like system calls, the functions return -1 and set errno on failure; module/uapi/vperfctr.h
 * explains the errors.
 */
#ifndef LIBVPERF_VPERFCTR_H
#define LIBVPERF_VPERFCTR_H

#include "module/uapi/vperfctr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return a descriptor of the counters of thread @tid (0: the caller). @creat: create the counters.
 * As in perfctr, the descriptor stays open across exec, unless the caller sets FD_CLOEXEC. */
int sys_vperfctr_open(int tid, int creat);
/* Each function calls one ioctl of the descriptor @fd. The library sets the `size` members of the
 * structs. */
int sys_vperfctr_control(int fd, const struct vperfctr_control *control);
int sys_vperfctr_unlink(int fd);
/* Read the sums and settings. @sum, @control and @children may be NULL. */
int sys_vperfctr_read(int fd, struct vperfctr_sum_ctrs *sum, struct vperfctr_control *control,
		      struct vperfctr_sum_ctrs *children);
int sys_vperfctr_iresume(int fd);

/* Return a description of the CPU and of its counters. */
int sys_vperfctr_info(struct vperfctr_info *info);
int sys_vperfctr_cpus(struct vperfctr_cpus *cpus);
/* Return a part of the list of counted threads. Set @who->cursor to 0 before the first call, and
 * repeat until @who->cursor or @who->nr is 0. */
int sys_vperfctr_who(struct vperfctr_who *who);

#ifdef __cplusplus
}
#endif

#endif
