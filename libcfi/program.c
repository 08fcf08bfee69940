// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c -- interpreter of call frame instructions, which describe where a function saves
 * registers.
 */
#include "libcfi/program.h"

#include <errno.h>
#include <stdbool.h>

#include "libcfi/encoded.h"
#include "libcfi/rule.h"

enum { /* opcodes of call frame instructions: DW_CFA_... in the DWARF standard */
       ADVANCE = 0x40,
       OFFSET = 0x80,
       RESTORE = 0xc0,
       HIGH = 0xc0,
       LOW = 0x3f,
       NOP = 0,
       SET_LOC,
       ADVANCE1,
       ADVANCE2,
       ADVANCE4,
       OFFSET_EXTENDED,
       RESTORE_EXTENDED,
       UNDEFINED,
       SAME_VALUE,
       REGISTER,
       REMEMBER_STATE,
       RESTORE_STATE,
       DEF_CFA,
       DEF_CFA_REGISTER,
       DEF_CFA_OFFSET,
       DEF_CFA_EXPRESSION,
       EXPRESSION,
       OFFSET_EXTENDED_SF,
       DEF_CFA_SF,
       DEF_CFA_OFFSET_SF,
       VAL_OFFSET,
       VAL_OFFSET_SF,
       VAL_EXPRESSION,
       MIPS_ADVANCE8 = 0x1d,
       AARCH64_SIGNED_WITH_PC = 0x2c,
       AARCH64_SIGNED = 0x2d,
       GNU_ARGS_SIZE = 0x2e,
       GNU_NEGATIVE_OFFSET = 0x2f,
};

/* Return the state of the register @number, or NULL for registers that unwinding does not need. */
static struct cfi_where *find(struct cfi_run *run, __u64 number)
{
	const struct cfi_numbers *numbers = cfi_numbers(run->factors.machine);
	struct cfi_where *where = run->state.where;

	if (number == numbers->pc)
		where += CFI_RETURN;
	else if (number == numbers->sp)
		where += CFI_SP;
	else if (number == numbers->fp)
		where += CFI_FP;
	else if (number == numbers->bx)
		where += CFI_BX;
	else
		return NULL;
	run->changed = true;
	return where;
}

/*
 * Set the state of a register. Register 0 contains the return value on all these machines. A
 * function that saves register 0 together with the callee-saved registers will overwrite all of
 * them to pass an exception, so set .installs. Exception: mcount() saves only register 0.
 */
static void set(struct cfi_run *run, __u64 number, enum cfi_kind kind, __s64 offset)
{
	struct cfi_where *where = find(run, number);

	if (!number && kind == CFI_AT_CFA && run->state.where[CFI_FP].kind == CFI_AT_CFA)
		run->installs = 1;
	if (where)
		*where = (struct cfi_where){ .kind = kind, .offset = offset };
}

static void set_expression(struct cfi_run *run, __u64 number, enum cfi_kind kind)
{
	__u64 length = cfi_uleb(&run->program);
	const unsigned char *expression = cfi_take(&run->program, length);
	struct cfi_where *where = find(run, number);

	if (where && expression)
		*where = (struct cfi_where){
			.kind = kind, .expression = expression, .length = length };
}

static void restore(struct cfi_run *run, __u64 number)
{
	struct cfi_where *where = find(run, number);

	if (where)
		*where = run->initial->where[where - run->state.where];
}

/* Multiply two numbers. On overflow, wrap around, because a signed overflow would be undefined
 * behaviour; cfi_rule() rejects impossible values. */
static __s64 times(__s64 a, __s64 b)
{
	return (__s64)((__u64)a * (__u64)b);
}

/* Convert a register number to 32 bits. Replace a number that does not fit by an unknown register,
 * because truncation could result in a known register. */
static __u32 number_of(__u64 number)
{
	return number > 255 ? 255 : number;
}

/* Execute an instruction that defines the CFA. Return false if @op is another kind of
 * instruction. */
static bool run_cfa(struct cfi_run *run, unsigned int op)
{
	struct cfi_state *state = &run->state;
	__u64 length;

	switch (op) {
	case DEF_CFA:
	case DEF_CFA_SF:
		state->cfa_register = number_of(cfi_uleb(&run->program));
		state->cfa_offset = op == DEF_CFA ?
					    (__s64)cfi_uleb(&run->program) :
					    times(cfi_sleb(&run->program), run->factors.data);
		state->cfa_expression = NULL;
		break;
	case DEF_CFA_REGISTER:
		state->cfa_register = number_of(cfi_uleb(&run->program));
		state->cfa_expression = NULL;
		break;
	case DEF_CFA_OFFSET:
		state->cfa_offset = cfi_uleb(&run->program);
		break;
	case DEF_CFA_OFFSET_SF:
		state->cfa_offset = times(cfi_sleb(&run->program), run->factors.data);
		break;
	case DEF_CFA_EXPRESSION:
		length = cfi_uleb(&run->program);
		state->cfa_expression = cfi_take(&run->program, length);
		state->cfa_length = length;
		break;
	default:
		return false;
	}
	run->changed = true;
	return true;
}

/* Execute an instruction that defines where a register is saved. Its first operand is the number
 * of the register. Return false if @op is another kind of instruction. */
static bool run_register(struct cfi_run *run, unsigned int op)
{
	struct cfi_bytes *program = &run->program;
	__u64 number = cfi_uleb(program);

	switch (op) {
	case OFFSET_EXTENDED:
		set(run, number, CFI_AT_CFA, times(cfi_uleb(program), run->factors.data));
		break;
	case OFFSET_EXTENDED_SF:
		set(run, number, CFI_AT_CFA, times(cfi_sleb(program), run->factors.data));
		break;
	case GNU_NEGATIVE_OFFSET:
		set(run, number, CFI_AT_CFA, times(-cfi_uleb(program), run->factors.data));
		break;
	case RESTORE_EXTENDED: restore(run, number); break;
	case UNDEFINED: set(run, number, CFI_UNDEFINED, 0); break;
	case SAME_VALUE: set(run, number, CFI_SAME, 0); break;
	case REGISTER: set(run, number, CFI_IN_REGISTER, number_of(cfi_uleb(program))); break;
	case EXPRESSION: set_expression(run, number, CFI_AT_EXPRESSION); break;
	case VAL_EXPRESSION: set_expression(run, number, CFI_OTHER); break;
	case VAL_OFFSET:
	case VAL_OFFSET_SF:
		cfi_uleb(program);
		set(run, number, CFI_OTHER, 0);
		break;
	default: return false;
	}
	return true;
}

static bool run_state(struct cfi_run *run, unsigned int op)
{
	if (op == REMEMBER_STATE) {
		if (run->nr_remembered == CFI_REMEMBERED)
			return false;
		run->remembered[run->nr_remembered++] = run->state;
		return true;
	}
	if (op != RESTORE_STATE || !run->nr_remembered)
		return false;
	run->state = run->remembered[--run->nr_remembered];
	run->changed = true;
	return true;
}

static bool run_other(struct cfi_run *run, unsigned int op)
{
	switch (op) {
	case NOP:
	case AARCH64_SIGNED_WITH_PC:
	/* the return address is now signed: ignore this, because walks always remove the
	 * signature */
	case AARCH64_SIGNED:
		return true;
	case GNU_ARGS_SIZE:
		cfi_uleb(&run->program);
		return true;
	}
	return false;
}

/* If @op advances the address, set *@pc to the new address and return true; otherwise return
 * false. *@pc is unchanged if the operand cannot be read. */
static bool run_advance(struct cfi_run *run, unsigned int op, __u64 *pc)
{
	struct cfi_bytes *program = &run->program;
	__u64 delta;

	switch (op) {
	case SET_LOC:
		if (!cfi_encoded(program, run->factors.encoding,
				 cfi_numbers(run->factors.machine)->word,
				 run->program_address + (program->at - run->program_start), pc))
			program->failed = 1;
		return true;
	case ADVANCE1: delta = cfi_number(program, 1); break;
	case ADVANCE2: delta = cfi_number(program, 2); break;
	case ADVANCE4: delta = cfi_number(program, 4); break;
	case MIPS_ADVANCE8: delta = cfi_number(program, 8); break;
	default:
		if ((op & HIGH) != ADVANCE)
			return false;
		delta = op & LOW;
	}
	if (__builtin_mul_overflow(delta, run->factors.code, &delta) ||
	    __builtin_add_overflow(*pc, delta, pc))
		program->failed = 1;
	return true;
}

/* Execute instructions until the address changes or the instructions end. Return 1, or -EINVAL for
 * an instruction that cannot be decoded. */
static int run_on(struct cfi_run *run, __u64 *pc)
{
	struct cfi_bytes *program = &run->program;

	while (program->at < program->end) {
		unsigned int op = *program->at++;
		__u64 next = *pc;

		if ((op & HIGH) == OFFSET) {
			set(run, op & LOW, CFI_AT_CFA, times(cfi_uleb(program), run->factors.data));
		} else if ((op & HIGH) == RESTORE) {
			restore(run, op & LOW);
		} else if (run_advance(run, op, &next)) {
			if (program->failed || next < *pc)
				return -EINVAL;
			if (next != *pc) {
				*pc = next;
				return 1;
			}
		} else if (!run_cfa(run, op) && !run_state(run, op) && !run_other(run, op) &&
			   !run_register(run, op)) {
			return -EINVAL;
		}
		if (program->failed)
			return -EINVAL;
	}
	*pc = ~0ULL;
	return 1;
}

int cfi_run_initial(struct cfi_state *initial, const struct cfi_factors *factors,
		    struct cfi_bytes program)
{
	static const struct cfi_state nothing = { .cfa_register = 255 };
	struct cfi_run run;
	__u64 pc = 0;

	cfi_run_begin(&run, factors, &nothing, program, 0, 0, ~0ULL);
	if (run_on(&run, &pc) < 0 || pc != ~0ULL)
		return -EINVAL;
	*initial = run.state;
	return 0;
}

void cfi_run_begin(struct cfi_run *run, const struct cfi_factors *factors,
		   const struct cfi_state *initial, struct cfi_bytes program, __u64 program_address,
		   __u64 from, __u64 to)
{
	run->factors = *factors;
	run->program = program;
	run->program_start = program.at;
	run->program_address = program_address;
	run->initial = initial;
	run->state = *initial;
	run->from = run->pc = from;
	run->to = to;
	run->rule = (struct oprofile_uw_rule){ 0 };
	run->changed = true;
	run->installs = 0;
	run->nr_remembered = 0;
}

static bool end_row(struct cfi_run *run, __u64 to, struct cfi_row *row)
{
	row->from = run->from;
	row->to = to;
	row->rule = run->rule;
	row->installs = run->installs;
	run->from = to;
	return true;
}

int cfi_run_next(struct cfi_run *run, struct cfi_row *row)
{
	while (run->pc < run->to) {
		struct oprofile_uw_rule rule = run->rule;
		__u64 here = run->pc, next = here;

		if (run_on(run, &next) < 0) {
			/* The rest of the function's instructions cannot be decoded, so its rule is
			 * unknown. */
			rule = (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_UNSUPPORTED };
			next = run->to;
		} else if (run->changed) {
			cfi_rule(&rule, &run->state, &run->factors);
			run->changed = false;
		}
		run->pc = next < run->to ? next : run->to;
		if (run->from < here && !cfi_same_rule(&rule, &run->rule)) {
			end_row(run, here, row);
			run->rule = rule;
			return 1;
		}
		run->rule = rule;
	}
	return run->from < run->to ? end_row(run, run->to, row) : 0;
}
