/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vperfctr.h -- the calls of virtual counters as perfctr had them, over vperfctr.ko. vperf.h is what programs want that
 * have no reason for these.
 *
 * Like system calls they return -1 and set errno on failure; module/uapi/vperfctr.h says which error means what.
 */
#ifndef LIBVPERF_VPERFCTR_H
#define LIBVPERF_VPERFCTR_H

#include "module/uapi/vperfctr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A descriptor, open across exec as perfctr's; close-on-exec is fcntl(2)'s. @tid 0: the caller. */
int sys_vperfctr_open(int tid, int creat);
/* Sizes are filled in by the library, as this header has them. */
int sys_vperfctr_control(int fd, const struct vperfctr_control *control);
int sys_vperfctr_unlink(int fd);
/* Each may be NULL. */
int sys_vperfctr_read(int fd, struct vperfctr_sum_ctrs *sum, struct vperfctr_control *control,
		      struct vperfctr_sum_ctrs *children);
int sys_vperfctr_iresume(int fd);

/* Of the machine. */
int sys_vperfctr_info(struct vperfctr_info *info);
int sys_vperfctr_cpus(struct vperfctr_cpus *cpus);
/* @who->cursor 0 at first; call until it or @who->nr is 0 again. */
int sys_vperfctr_who(struct vperfctr_who *who);

#ifdef __cplusplus
}
#endif

#endif
