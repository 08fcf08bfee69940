/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpu_list.h -- text form of the CPU masks in struct vperfctr_cpus: "0-3,8". */
#ifndef VPERF_CPU_LIST_H
#define VPERF_CPU_LIST_H

#include <stdio.h>

/* Write the numbers of the CPUs in @mask to @ret as a list such as "0-3,8"; bit n % 64 of word n
 * / 64 stands for CPU n. A list that does not fit is truncated. */
static inline void vperf_cpu_list(char *ret, size_t size, const unsigned long long *mask,
				  unsigned int nr)
{
	unsigned int end;
	size_t len = 0;

	*ret = '\0';
	for (unsigned int cpu = 0; cpu < nr; cpu = end + 1) {
		for (end = cpu; end < nr && mask[end / 64] >> end % 64 & 1; end++)
			;
		if (end > cpu && len < size)
			len += (size_t)snprintf(ret + len, size - len,
						end - cpu > 1 ? "%s%u-%u" : "%s%u", len ? "," : "",
						cpu, end - 1);
	}
}

#endif
