// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_event_alias.c -- tests event names that include a unit mask, as other tools write
 * them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "libop/event/choose.h"
#include "tests/unit/check.h"

static void test_aliases_name_table_events(void **state)
{
	static const struct { const char *name, *event, *um; } aliases[] = {
		{ "L2_RQSTS.DEMAND_DATA_RD_HIT", "L2_RQSTS", "demand_data_rd_hit" },
		{ "l2_rqsts.demand_data_rd_hit", "L2_RQSTS", "demand_data_rd_hit" },
		{ "L2_RQSTS_DEMAND_DATA_RD_HIT", "L2_RQSTS", "demand_data_rd_hit" },
		{ "l2_rqsts", "L2_RQSTS", NULL },
		{ "inst_retired.any", "INST_RETIRED", NULL },
		{ "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED", NULL },
		{ "cpu_clk_unhalted.ref_tsc", "UNHALTED_REFERENCE_CYCLES", NULL },
		{ "cpu_clk_unhalted.thread_", NULL, NULL },
		{ "L2_RQSTS.", NULL, NULL },
		{ "L2_RQSTS.NOSUCH", NULL, NULL },
		{ "L2_RQST", NULL, NULL },
		{ "L2_RQSTSX", NULL, NULL },
		{ "", NULL, NULL },
	};
	struct op_event_table *table;
	struct op_reason error = { "" };

	(void)state;
	if (op_events_load(&table, op_cpu_by_name("i386/skylake"), EVENTS_DIR, &error))
		fail_msg("%s", error.text);
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		const struct op_um_value *um = NULL;
		const struct op_event *event = op_event_alias(table, aliases[i].name, &um);

		if (!event != !aliases[i].event || (event && strcmp(event->name, aliases[i].event)))
			fail_msg("%s: event %s", aliases[i].name, event ? event->name : "none");
		if (!event)
			continue;
		if (!um != !aliases[i].um || (um && strcasecmp(um->name, aliases[i].um)))
			fail_msg("%s: mask %s", aliases[i].name, um ? um->name : "none");
	}
	op_event_table_free(table);
}

/* Event names as in the lists of Linux perf and libpfm4 or, for AMD and ARM, as in the
 * manufacturers' manuals, which OProfile 1.4 followed. */
static const char haswell[] =
	"inst_retired.any inst_retired.any_p inst_retired.prec_dist cpu_clk_unhalted.thread cpu_clk_unhalted.thread_p "
	"cpu_clk_unhalted.ref_tsc br_inst_retired.all_branches br_inst_retired.conditional br_inst_retired.near_call "
	"br_inst_retired.near_return br_inst_retired.near_taken br_misp_retired.all_branches br_misp_retired.conditional "
	"l1d.replacement l1d_pend_miss.pending l2_rqsts.all_demand_data_rd l2_rqsts.demand_data_rd_hit l2_rqsts.all_rfo "
	"l2_rqsts.all_code_rd l2_lines_in.all l2_trans.l2_wb longest_lat_cache.miss longest_lat_cache.reference "
	"mem_load_uops_retired.l1_hit mem_load_uops_retired.l2_hit mem_load_uops_retired.l3_hit "
	"mem_load_uops_retired.l1_miss mem_load_uops_retired.l2_miss mem_load_uops_retired.l3_miss "
	"mem_load_uops_l3_hit_retired.xsnp_hitm mem_uops_retired.all_loads mem_uops_retired.all_stores "
	"mem_uops_retired.lock_loads dtlb_load_misses.miss_causes_a_walk dtlb_store_misses.miss_causes_a_walk "
	"itlb_misses.miss_causes_a_walk icache.misses machine_clears.memory_ordering resource_stalls.any "
	"uops_issued.any uops_retired.all uops_retired.retire_slots idq_uops_not_delivered.core offcore_requests.all_data_rd";
static const char skylake[] =
	"inst_retired.any inst_retired.any_p inst_retired.prec_dist cpu_clk_unhalted.thread cpu_clk_unhalted.thread_p "
	"cpu_clk_unhalted.ref_tsc br_inst_retired.all_branches br_inst_retired.conditional br_inst_retired.near_call "
	"br_inst_retired.near_return br_inst_retired.near_taken br_misp_retired.all_branches br_misp_retired.conditional "
	"l1d.replacement l1d_pend_miss.pending l2_rqsts.all_demand_data_rd l2_rqsts.demand_data_rd_hit l2_rqsts.all_rfo "
	"l2_rqsts.all_code_rd l2_lines_in.all l2_trans.l2_wb longest_lat_cache.miss longest_lat_cache.reference "
	"mem_load_retired.l1_hit mem_load_retired.l2_hit mem_load_retired.l3_hit mem_load_retired.l1_miss "
	"mem_load_retired.l2_miss mem_load_retired.l3_miss mem_load_l3_hit_retired.xsnp_hitm mem_inst_retired.all_loads "
	"mem_inst_retired.all_stores mem_inst_retired.lock_loads dtlb_load_misses.miss_causes_a_walk "
	"dtlb_store_misses.miss_causes_a_walk itlb_misses.miss_causes_a_walk icache_64b.iftag_miss "
	"machine_clears.memory_ordering resource_stalls.any uops_issued.any uops_retired.retire_slots "
	"idq_uops_not_delivered.core ld_blocks.store_forward arith.divider_active fp_arith_inst_retired.scalar_double";
static const char family10[] =
	"CPU_CLK_UNHALTED RETIRED_INSTRUCTIONS RETIRED_UOPS RETIRED_BRANCH_INSTRUCTIONS "
	"RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS RETIRED_TAKEN_BRANCH_INSTRUCTIONS RETIRED_FAR_CONTROL_TRANSFERS "
	"RETIRED_NEAR_RETURNS DATA_CACHE_ACCESSES DATA_CACHE_MISSES DATA_CACHE_REFILLS DATA_CACHE_REFILLS_FROM_SYSTEM "
	"L1_DTLB_MISS_AND_L2_DTLB_HIT L1_DTLB_AND_L2_DTLB_MISS MISALIGNED_ACCESSES INSTRUCTION_CACHE_FETCHES "
	"INSTRUCTION_CACHE_MISSES L1_ITLB_MISS_AND_L2_ITLB_MISS REQUESTS_TO_L2.DATA L2_CACHE_MISS.DATA "
	"L2_CACHE_MISS_DATA DISPATCH_STALLS DISPATCHED_FPU DISPATCHED_FPU.OPS_ADD INTERRUPTS_TAKEN "
	"DECODER_EMPTY INSTRUCTION_FETCH_STALL L3_CACHE_MISSES READ_REQUEST_TO_L3_CACHE DRAM_ACCESSES_PAGE";
static const char cortex_a57[] =
	"sw_incr l1i_cache_refill l1i_tlb_refill l1d_cache_refill l1d_cache l1d_tlb_refill inst_retired exc_taken "
	"exc_return cid_write_retired br_mis_pred cpu_cycles br_pred mem_access l1i_cache l1d_cache_wb l2d_cache "
	"l2d_cache_refill l2d_cache_wb bus_access memory_error inst_spec ttbr_write_retired bus_cycles l1d_cache_rd "
	"l1d_cache_wr l1d_cache_refill_rd l1d_cache_refill_wr l1d_cache_wb_victim l1d_cache_wb_clean l1d_cache_inval "
	"l1d_tlb_refill_rd l1d_tlb_refill_wr l2d_cache_rd l2d_cache_wr l2d_cache_refill_rd l2d_cache_refill_wr "
	"l2d_cache_wb_victim l2d_cache_wb_clean l2d_cache_inval bus_access_rd bus_access_wr bus_access_shared "
	"bus_access_not_shared bus_access_normal bus_access_periph mem_access_rd mem_access_wr unaligned_ld_spec "
	"unaligned_st_spec unaligned_ldst_spec ldrex_spec strex_pass_spec strex_fail_spec ld_spec st_spec ldst_spec "
	"dp_spec ase_spec vfp_spec pc_write_spec crypto_spec br_immed_spec br_return_spec br_indirect_spec isb_spec "
	"dsb_spec dmb_spec exc_undef exc_svc exc_pabort exc_dabort exc_irq exc_fiq exc_smc exc_hvc exc_trap_pabort "
	"exc_trap_dabort exc_trap_other exc_trap_irq exc_trap_fiq rc_ld_spec rc_st_spec";

/*
 * Count the known event names in @names, and print the unknown ones. An installed libpfm4 may know
 * more events than the tables.
 */
static size_t count_known(struct op_event_table *table, const char *names, size_t *ret_nr)
{
	char *text = strdup(names), *rest = text, *name;
	size_t known = 0, nr = 0;

	assert_non_null(text);
	while ((name = strsep(&rest, " "))) {
		const struct op_um_value *um;

		nr++;
		if (op_event_find(table, name) || op_event_alias(table, name, &um))
			known++;
		else
			print_message("  not known: %s\n", name);
	}
	free(text);
	*ret_nr = nr;
	return known;
}

static void test_public_event_names_are_known(void **state)
{
	static const struct { const char *cpu, *names; size_t at_least; } lists[] = {
		{ "i386/haswell", haswell, 42 },
		{ "i386/skylake", skylake, 44 },
		{ "x86-64/family10", family10, 27 },
		{ "arm/armv8-ca57", cortex_a57, 83 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct op_event_table *table;
		struct op_reason error = { "" };
		size_t nr, known;

		if (op_events_load(&table, op_cpu_by_name(lists[i].cpu), EVENTS_DIR, &error))
			fail_msg("%s: %s", lists[i].cpu, error.text);
		known = count_known(table, lists[i].names, &nr);
		print_message("%s: %zu of %zu public names are known\n", lists[i].cpu, known, nr);
		assert_true(known >= lists[i].at_least);
		op_event_table_free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aliases_name_table_events),
		cmocka_unit_test(test_public_event_names_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
