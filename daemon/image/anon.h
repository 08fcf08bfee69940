/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * anon.h -- labels of mappings without a file such as "[heap]", which the names of sample files
 * contain.
 */
#ifndef OPD_ANON_H
#define OPD_ANON_H

/*
 * Return the label of a mapping: "[heap]", "[stack]", "[vdso]", or "anon" for all other names.
 * @name is the mapping's name in /proc/PID/maps or in a mmap record of perf_events; it may be
 * empty or NULL. The result is a static string.
 */
const char *opd_anon_label(const char *name);

/* Return the label for @kind, an OPROFILE_ANON_* constant of module/uapi. Return "anon" for an
 * unknown kind. */
const char *opd_anon_kind_label(unsigned long kind);

#endif
