/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/device.h -- the device /dev/vperfctr.
 */
#ifndef VPERFCTR_DEVICE_H
#define VPERFCTR_DEVICE_H

int vperfctr_device_init(void);
void vperfctr_device_exit(void);

#endif
