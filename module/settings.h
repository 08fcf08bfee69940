/* SPDX-License-Identifier: GPL-2.0 */
/*
 * settings.h -- when what is asked for may be changed, and the list of CPUs.
 */
#ifndef OPROFILE_SETTINGS_H
#define OPROFILE_SETTINGS_H

#include <linux/types.h>

struct oprofile_sampling;

/* The defaults. */
void oprofile_settings_init(struct oprofile_sampling *s);

/* Changes a setting. EBUSY while started, or while set up if @fixed; EINVAL out of range. */
int oprofile_set(struct oprofile_sampling *s, unsigned long *setting, unsigned long value,
		 unsigned long min, unsigned long max, bool fixed);

/*
 * The CPUs to sample: a list as in sysfs, or "all", or "auto" for all but those that shall not be
 * disturbed, isolated and nohz_full ones. EINVAL: no such list, or none of them is in this machine;
 * EBUSY: set up.
 */
int oprofile_set_cpus(struct oprofile_sampling *s, const char *list);
/* As a list with newline. Returns its length. */
int oprofile_get_cpus(struct oprofile_sampling *s, char *text, size_t size);

#endif
