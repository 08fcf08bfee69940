// SPDX-License-Identifier: GPL-2.0
/*
 * cpu_buffer_alloc.c -- memory for the tables that the interrupt handler counts in.
 */
#include "cpu_buffer.h"

#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "resolve.h"

static void table_release(struct oprofile_table *t)
{
	vfree(t->slots);
	vfree(t->cold);
	vfree(t->contexts);
	vfree(t->records);
	memset(t, 0, sizeof(*t));
}

static int table_alloc(struct oprofile_table *t, unsigned long slots, bool records, int node)
{
	unsigned int bits = order_base_2(slots);
	unsigned int context_bits = bits - 2;

	t->slots = vzalloc_node(sizeof(*t->slots) << bits, node);
	t->cold = vzalloc_node(sizeof(*t->cold) << bits, node);
	t->contexts = vzalloc_node(sizeof(*t->contexts) << context_bits, node);
	if (records) {
		t->records_max = 1U << (bits - 1);
		t->records_high = t->records_max / 2;
		t->records = vzalloc_node(array_size(sizeof(*t->records), t->records_max), node);
	}
	if (!t->slots || !t->cold || !t->contexts || (records && !t->records)) {
		table_release(t);
		return -ENOMEM;
	}
	t->slot_shift = 64 - bits;
	t->slot_mask = (1U << bits) - 1;
	t->slots_high = 1U << (bits - 1);
	t->context_shift = 64 - context_bits;
	t->context_mask = (1U << context_bits) - 1;
	t->contexts_high = 1U << (context_bits - 1);
	return 0;
}

int oprofile_cpu_buffer_alloc(struct cpu_buffer *cb, unsigned long slots, bool records)
{
	int node = cpu_to_node(cb->cpu), err;

	if (cb->active)
		return 0;
	err = table_alloc(&cb->tables[0], slots, records, node);
	if (err)
		return err;
	err = table_alloc(&cb->tables[1], slots, records, node);
	if (err)
		goto err_release_first;
	err = oprofile_pending_alloc(cb);
	if (err)
		goto err_release_second;
	cb->draining = NULL;
	WRITE_ONCE(cb->active, &cb->tables[0]);
	return 0;

err_release_second:
	table_release(&cb->tables[1]);
err_release_first:
	table_release(&cb->tables[0]);
	return err;
}

void oprofile_cpu_buffer_release(struct cpu_buffer *cb)
{
	WRITE_ONCE(cb->active, NULL);
	cb->draining = NULL;
	table_release(&cb->tables[0]);
	table_release(&cb->tables[1]);
}
