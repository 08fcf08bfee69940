// SPDX-License-Identifier: GPL-2.0-or-later
/* pathattack_calls.c -- a file of code in which every byte follows a call and has a row. */
asm(".text\n"
    "calls: .cfi_startproc\n"
    "	.fill 4 << 20, 1, 0xe8\n"
    "	.cfi_endproc\n");
