/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.S -- there is none.
 */
	.section .note.GNU-stack, "", %progbits
