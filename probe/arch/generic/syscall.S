/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.S -- an empty file for CPUs without a directory here: syscall() is not replaced, only
 * prctl().
 */
	.section .note.GNU-stack, "", %progbits
