/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/device.h -- /dev/vperfctr: the door for everybody.
 */
#ifndef VPERFCTR_DEVICE_H
#define VPERFCTR_DEVICE_H

int vperfctr_device_init(void);
void vperfctr_device_exit(void);

#endif
