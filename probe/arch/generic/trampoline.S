/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.S -- an empty file for CPUs without a directory here, which have no trampoline
 * (marker.h).
 */
	.section .note.GNU-stack, "", %progbits
