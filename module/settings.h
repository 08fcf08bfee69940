/* SPDX-License-Identifier: GPL-2.0 */
/* settings.h -- functions that change the settings and the list of sampled CPUs. */
#ifndef OPROFILE_SETTINGS_H
#define OPROFILE_SETTINGS_H

#include <linux/types.h>

struct oprofile_sampling;

/* Set all settings to their defaults. */
void oprofile_settings_init(struct oprofile_sampling *s);

/* Change a setting. Return 0; -EBUSY: sampling is started or, if @fixed, `buffer` is open; -EINVAL:
 * @value is not in the range from @min to @max. */
int oprofile_set(struct oprofile_sampling *s, unsigned long *setting, unsigned long value,
		 unsigned long min, unsigned long max, bool fixed);

/*
 * Set the CPUs to sample: a list in the format of sysfs, "all", or "auto" for all CPUs except
 * isolated and nohz_full CPUs, whose programs must not be disturbed. Return 0; -EINVAL: not a list,
 * or no CPU of the list exists; -EBUSY: `buffer` is open.
 */
int oprofile_set_cpus(struct oprofile_sampling *s, const char *list);
/* Write the list of the CPUs to sample, with a newline, to @text. Return its length. */
int oprofile_get_cpus(struct oprofile_sampling *s, char *text, size_t size);

#endif
