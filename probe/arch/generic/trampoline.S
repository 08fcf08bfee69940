/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.S -- empty: no trampoline on other CPUs.
 */
	.section .note.GNU-stack, "", %progbits
