// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_x86_owed.c -- tests the number of late NMIs that a CPU still expects
 * (oprofile_pmu_expect_late() of module/x86/), if an NMI occurs at any instruction of its update,
 * or while the CPU is detected again. The trap flag raises SIGTRAP at each instruction; the signal
 * represents the NMI.
 */
#include "config.h"

#include "unit/check.h"

#include <signal.h>
#include <ucontext.h>

#include "sim/cpu.h"
#include "x86/pmu.h"

/* a number larger than the number of instructions of any tested function */
#define ENOUGH		100000

static const struct sim_config config = {
	.name = "AMD 17h", .vendor = SIM_AMD, .family = 0x17, .core = true, .general = 6, .bits = 48,
};

static struct {
	struct sim_cpu cpu;
	struct oprofile_pmu pmu;
	void (*nmi)(void);
	u32 instructions;	/* number of instructions before the single simulated NMI */
	u32 claimed;		/* number of late interrupts that the NMI claimed */
	/*
	 * .nmis: number of NMIs; .lost: number of NMIs that found expected late interrupts while
	 * the model of the CPU was unknown
	 */
	u32 nmis, lost;
	volatile sig_atomic_t came;
} run;

static u32 handle_nmi(void)
{
	u32 events;

	return oprofile_pmu_handle_nmi(&run.pmu, 0, &events);
}

static void claim_late_nmi(void)
{
	run.claimed += handle_nmi();
}

/*
 * Act as an NMI handler that expects one more late interrupt, because it found two overflows or an
 * overflow of IBS.
 */
static void expect_late_nmi(void)
{
	oprofile_pmu_expect_late(&run.pmu, 1);
}

/*
 * Act as an NMI handler on a CPU that does not count. Restore the state afterwards, so that the NMI
 * at the next instruction finds the same state.
 */
static void check_state(void)
{
	struct oprofile_pmu was = run.pmu;

	run.nmis++;
	if (was.owed && !was.model)
		run.lost++;
	else if (was.owed)
		handle_nmi();
	run.pmu = was;
}

#ifdef __x86_64__

#define TRAP_FLAG	0x100
#define STEP_ON()	asm volatile("pushfq; orq %0, (%%rsp); popfq" : : "i" (TRAP_FLAG) : "memory", "cc")
#define STEP_OFF()	asm volatile("pushfq; andq %0, (%%rsp); popfq" : : "i" (~TRAP_FLAG) : "memory", "cc")

static void run_nmi_at_instruction(int signal, siginfo_t *info, void *data)
{
	ucontext_t *context = data;

	(void)signal;
	(void)info;
	if (run.instructions--)
		return;
	context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	run.came = 1;
	run.nmi();
}

static void run_nmi_at_step(int signal, siginfo_t *info, void *data)
{
	(void)signal;
	(void)info;
	(void)data;
	run.nmi();
}

#else

#define STEP_ON()	skip()
#define STEP_OFF()

static void run_nmi_at_instruction(int signal, siginfo_t *info, void *data)
{
}

static void run_nmi_at_step(int signal, siginfo_t *info, void *data)
{
}

#endif

/*
 * Expect @interrupts late interrupts, and raise the NMI after @instructions instructions of
 * oprofile_pmu_expect_late(). Return false if the function returned before the NMI.
 */
static bool expect_late_with_nmi(u32 interrupts, u32 instructions)
{
	run.instructions = instructions;
	run.came = 0;
	STEP_ON();
	oprofile_pmu_expect_late(&run.pmu, interrupts);
	STEP_OFF();
	return run.came;
}

static void begin_run(void)
{
	memset(&run, 0, sizeof(run));
	sim_init(&run.cpu, &config, 0, 0, 1);
	sim_use(&run.cpu);
	run.cpu.ticks = 1000000;
	assert_null(oprofile_pmu_detect(&run.pmu));
	run.pmu.active = 0xf;
}

static u32 count_expected(void)
{
	u32 nr;

	for (nr = 0; nr < 100 && handle_nmi(); nr++)
		;
	return nr;
}

/*
 * Check that late interrupts that are expected before, during and after the NMI are neither
 * forgotten nor counted twice.
 */
static void check_nmi_at_each_instruction(void (*nmi)(void), u32 before, u32 expected)
{
	struct sigaction action = {
		.sa_sigaction = run_nmi_at_instruction, .sa_flags = SA_SIGINFO,
	}, old;
	u32 i;

	sigaction(SIGTRAP, &action, &old);
	for (i = 0; i < ENOUGH; i++) {
		bool came;
		u32 now;

		begin_run();
		run.nmi = nmi;
		oprofile_pmu_expect_late(&run.pmu, before);
		came = expect_late_with_nmi(2, i);
		now = count_expected() + run.claimed;
		if (came && now != expected)
			fail_msg("an NMI after %u instructions: %u owed or paid, not %u", i, now, expected);
		if (!came)
			break;
	}
	sigaction(SIGTRAP, &old, NULL);
	assert_in_range(i, 10, ENOUGH - 1);
}

static void nested_nmi_claims_late_interrupt_once(void **state)
{
	(void)state;
	check_nmi_at_each_instruction(claim_late_nmi, 1, 3);
}

static void late_interrupts_of_nested_nmi_are_counted(void **state)
{
	(void)state;
	check_nmi_at_each_instruction(expect_late_nmi, 0, 3);
	check_nmi_at_each_instruction(expect_late_nmi, 1, 4);
}

static void late_count_is_cleared_before_model(void **state)
{
	struct sigaction action = { .sa_sigaction = run_nmi_at_step, .sa_flags = SA_SIGINFO }, old;
	const char *why;

	(void)state;
	begin_run();
	oprofile_pmu_expect_late(&run.pmu, 2);
	run.nmi = check_state;
	sigaction(SIGTRAP, &action, &old);
	STEP_ON();
	why = oprofile_pmu_detect(&run.pmu);
	STEP_OFF();
	sigaction(SIGTRAP, &old, NULL);
	assert_null(why);
	assert_in_range(run.nmis, 50, ENOUGH - 1);
	assert_int_equal(run.lost, 0);
	assert_int_equal(count_expected(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_nmi_claims_late_interrupt_once),
		cmocka_unit_test(late_interrupts_of_nested_nmi_are_counted),
		cmocka_unit_test(late_count_is_cleared_before_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
