/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * anon.h -- labels of memory without a file, for the names of sample files.
 */
#ifndef OPD_ANON_H
#define OPD_ANON_H

/*
 * Return the label of a mapping: "[heap]", "[stack]", "[vdso]", or "anon" for all other names.
 * @name is the mapping's name in /proc/PID/maps or in a mmap record of perf_events; it may be
 * empty or NULL. The result is a static string.
 */
const char *opd_anon_label(const char *name);

/* Return the label for @kind, an OPROFILE_ANON_* constant of module/uapi; "anon" for unknown
 * kinds. */
const char *opd_anon_kind_label(unsigned long kind);

#endif
