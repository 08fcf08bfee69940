/* SPDX-License-Identifier: GPL-2.0 */
/* linux/processor.h -- the wait of a loop. */
#ifndef SIM_LINUX_PROCESSOR_H
#define SIM_LINUX_PROCESSOR_H

#define cpu_relax()	do { } while (0)

#endif
