/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * anon.h -- labels of memory without a file.
 */
#ifndef OPD_ANON_H
#define OPD_ANON_H

/*
 * Return the label, for sample files, of a mapping whose name in /proc/PID/maps or a perf mmap
 * record is @name (may be empty or NULL): "[heap]", "[stack]", "[vdso]", or "anon" for all other
 * names. The string is static.
 */
const char *opd_anon_label(const char *name);

/* Return the label of memory of the kind OPROFILE_ANON_* in module/uapi; "anon" for unknown
 * kinds. */
const char *opd_anon_kind_label(unsigned long kind);

#endif
