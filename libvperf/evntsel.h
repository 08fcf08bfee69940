/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evntsel.h -- conversion between two descriptions of a counter: a value of x86's event-select
 * register, which programs for perfctr use, and a slot of vperfctr.ko. */
#ifndef VPERF_EVNTSEL_H
#define VPERF_EVNTSEL_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "module/uapi/vperfctr.h"

/* Bits of the register that do not select the event. The kernel sets these bits by the slot's
 * flags. */
#define EVNTSEL_USR	(1ull << 16)
#define EVNTSEL_OS	(1ull << 17)
#define EVNTSEL_PC	(1ull << 19)
#define EVNTSEL_INT	(1ull << 20)
#define EVNTSEL_EN	(1ull << 22)
#define EVNTSEL_OWN	(EVNTSEL_USR | EVNTSEL_OS | EVNTSEL_PC | EVNTSEL_INT | EVNTSEL_EN)

/* Return the settings of a slot for a value of the event-select register. If the value selects
 * neither user nor kernel mode, the slot's flags are 0, which every call rejects. */
static inline struct vperfctr_pmc vperf_pmc_of_evntsel(uint64_t evntsel)
{
	return (struct vperfctr_pmc){
		.type = PERF_TYPE_RAW,
		.config = evntsel & ~EVNTSEL_OWN,
		.flags = (evntsel & EVNTSEL_USR ? VPERFCTR_USER : 0) |
			 (evntsel & EVNTSEL_OS ? VPERFCTR_KERNEL : 0),
	};
}

#endif
