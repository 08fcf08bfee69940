/* SPDX-License-Identifier: GPL-2.0 */
/* linux/processor.h -- the hint to the CPU in a loop that waits. */
#ifndef SIM_LINUX_PROCESSOR_H
#define SIM_LINUX_PROCESSOR_H

#define cpu_relax()	do { } while (0)

#endif
