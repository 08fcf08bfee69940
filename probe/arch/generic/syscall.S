/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.S -- empty: syscall() is not replaced on other CPUs; prctl() is.
 */
	.section .note.GNU-stack, "", %progbits
