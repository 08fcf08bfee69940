// SPDX-License-Identifier: GPL-2.0
/* cpu.c -- allocation of one CPU's state. */
#include "cpu.h"

#include <linux/topology.h>

int oprofile_cpu_alloc(struct oprofile_cpu *pcpu, unsigned long slots, bool entries,
		       struct oprofile_waker *waker)
{
	int node = cpu_to_node(pcpu->cpu), err;

	if (pcpu->active)
		return 0;
	err = oprofile_table_alloc(&pcpu->tables[0], slots, entries, node, waker);
	if (err)
		return err;
	err = oprofile_table_alloc(&pcpu->tables[1], slots, entries, node, waker);
	if (err) {
		oprofile_table_release(&pcpu->tables[0]);
		return err;
	}
	pcpu->draining = NULL;
	WRITE_ONCE(pcpu->active, &pcpu->tables[0]);
	return 0;
}

void oprofile_cpu_release(struct oprofile_cpu *pcpu)
{
	WRITE_ONCE(pcpu->active, NULL);
	pcpu->draining = NULL;
	oprofile_table_release(&pcpu->tables[0]);
	oprofile_table_release(&pcpu->tables[1]);
}
