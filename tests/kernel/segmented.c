// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * segmented SECONDS -- computes in its own 32-bit code segment. The segment's base is chosen so
 * that the program counter is an address in another function, which never runs. Link without PIE:
 * its addresses must be below 4 GB.
 */
#include <asm/ldt.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "tests/subject/common.h"
#include "tests/subject/work.h"

FILLER(never_runs, 65536);

/*
 * Far jumps to the 32-bit segment and back. 32-bit code may change the upper halves of registers,
 * so save the stack pointer in memory. %ecx: number of turns.
 */
void far_jump(void);
void shifted(void);
asm(".text\n"
    "far_jump:\n\t"
    "pushq %rbx\n\tpushq %rbp\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
    "movq %rsp, stack(%rip)\n\t"
    "movl turns(%rip), %ecx\n\t"
    "ljmpl *there(%rip)\n"
    ".type shifted, %function\n"
    ".code32\n"
    "shifted:\n"
    "1:\timull %eax, %eax\n\taddl $3, %eax\n\tdecl %ecx\n\tjnz 1b\n\t"
    "ljmpl $0x33, $back\n"
    ".size shifted, . - shifted\n"
    ".code64\n"
    "back:\n\t"
    "movq stack(%rip), %rsp\n\t"
    "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbp\n\tpopq %rbx\n\t"
    "ret\n");

extern const char never_runs[];
uint64_t stack;
uint32_t turns;
struct {
	uint32_t offset;
	uint16_t segment;
} __attribute__((packed)) there;

int main(int argc, char **argv)
{
	double end = seconds_argument(argc, argv) + cpu_time();
	struct user_desc code = {
		.limit = 0xfffff, .limit_in_pages = 1, .seg_32bit = 1, .contents = MODIFY_LDT_CONTENTS_CODE,
	};

	there.offset = (uint32_t)(uintptr_t)never_runs + 0x8000;
	there.segment = 7;	/* selector of the LDT's first entry, for user mode */
	code.base_addr = (uint32_t)(uintptr_t)shifted - there.offset;
	if (syscall(SYS_modify_ldt, 0x11, &code, sizeof(code)))
		err(1, "modify_ldt");
	turns = 10000000;
	while (cpu_time() < end)
		far_jump();
	return 0;
}
