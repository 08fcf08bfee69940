// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_regs.c -- user-mode registers of perf_events samples. */
#include "config.h"
#include "daemon/source/perf_regs.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#define NONE	255

/* Table from DWARF register numbers to the register numbers of asm/perf_regs.h. The first numbers
 * are the same on i386 and x86_64. */
#if defined(__x86_64__) || defined(__i386__)
enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, R8 = 16, R9, R10, R11, R12, R13, R14, R15 };

static unsigned int perf_number(unsigned int machine, unsigned int number)
{
	static const unsigned char wide[] = {AX, DX, CX,  BX,  SI,  DI,	 BP,  SP,
					     R8, R9, R10, R11, R12, R13, R14, R15};
	static const unsigned char narrow[] = { AX, CX, DX, BX, SP, BP, SI, DI };

	if (number == OPROFILE_UW_PC)
		return IP;
	if (number >= oprofile_uw_nr_registers(machine))
		return NONE;
	return machine == OPROFILE_UW_I386 ? narrow[number] : wide[number];
}

static unsigned int machine_of(uint64_t abi)
{
	return abi == PERF_SAMPLE_REGS_ABI_64 ? OPROFILE_UW_X86_64 :
	       abi == PERF_SAMPLE_REGS_ABI_32 ? OPROFILE_UW_I386 :
						0;
}
#else
/* On aarch64, perf and DWARF use the same register numbers. The pc has the highest number. */
static unsigned int perf_number(unsigned int machine, unsigned int number)
{
	if (number == OPROFILE_UW_PC)
		return 32;
	return number < oprofile_uw_nr_registers(machine) ? number : NONE;
}

static unsigned int machine_of(uint64_t abi)
{
	return OPD_PERF_REGS && abi == PERF_SAMPLE_REGS_ABI_64 ? OPROFILE_UW_AARCH64 : 0;
}
#endif

int opd_perf_regs_init(struct opd_perf_regs *r, uint64_t abi, const unsigned char *values)
{
	unsigned int machine = machine_of(abi);

	if (!machine || !values)
		return -ENOTSUP;
	*r = (struct opd_perf_regs){ machine, values };
	return 0;
}

uint64_t opd_perf_reg(const struct opd_perf_regs *r, unsigned int number)
{
	unsigned int bit = perf_number(r->machine, number);
	uint64_t value;

	if (bit == NONE || !(OPD_PERF_REGS >> bit & 1))
		return 0;
	memcpy(&value,
	       r->values + 8 * (size_t)__builtin_popcountll(OPD_PERF_REGS & ((1ull << bit) - 1)),
	       sizeof(value));
	return r->machine == OPROFILE_UW_I386 ? (uint32_t)value : value;
}

uint64_t opd_perf_reg_sp(const struct opd_perf_regs *r)
{
	return opd_perf_reg(r, r->machine == OPROFILE_UW_X86_64 ? 7 :
			       r->machine == OPROFILE_UW_I386	? 4 :
								  31);
}

uint64_t opd_perf_reg_fp(const struct opd_perf_regs *r)
{
	return opd_perf_reg(r, oprofile_uw_fp_number(r->machine));
}
