/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * anon.h -- names for memory without a file.
 */
#ifndef OPD_ANON_H
#define OPD_ANON_H

/*
 * The label of a sample file for a mapping that /proc/PID/maps or a perf mmap record calls @name
 * (may be empty or NULL): "[heap]", "[stack]", "[vdso]", or "anon" for everything else. Static.
 */
const char *opd_anon_label(const char *name);

/* The same for one of the kinds OPROFILE_ANON_* of module/uapi; unknown kinds are "anon". */
const char *opd_anon_kind_label(unsigned long kind);

#endif
