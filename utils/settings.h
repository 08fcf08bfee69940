/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings.h -- the settings opcontrol remembers from one command to the next.
 *
 * On disk (daemonrc): lines NAME=value, the names those of the original opcontrol. A value with
 * anything but letters, digits and -_:,./+@% in it is written in double quotes, with backslashes
 * before " \ $ and `, and \n for a newline. Lines with # and unknown names are skipped when read.
 */
#ifndef CTL_SETTINGS_H
#define CTL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "utils/error.h"

enum ctl_source {
	CTL_SOURCE_AUTO,	/* the module where it loads, else perf_events */
	CTL_SOURCE_MODULE,
	CTL_SOURCE_PERF,
};

#define CTL_NO_VMLINUX "none"	/* what VMLINUX says after --no-vmlinux */

struct ctl_settings {
	char *session_dir;	/* absolute, never NULL */
	char **events;		/* as written after --event; none: the default event */
	size_t nr_events;
	unsigned long separate_lib, separate_kernel, separate_thread, separate_cpu; /* 0 or 1 */
	char *vmlinux; /* absolute, CTL_NO_VMLINUX, or NULL: the running kernel's own symbols */
	char *image_filter;	/* absolute paths, comma between them; NULL: all */
	unsigned long buffer_size, buffer_watershed, cpu_buffer_size; /* 0: the driver's default */
	unsigned long callgraph;	/* depth, 0: none */
	char *source;		/* "auto", "module", "perf"; NULL: auto */
	char *backend;		/* of the module: "auto", "native", "perf", "timer"; NULL: auto */
	unsigned long time_slice;	/* ms; 0: the module's default */
	unsigned long jitter;	/* random low bits of counts */
	char *cpus;		/* to be sampled: a list, "all", "auto"; NULL: auto */
	char *group;		/* may read the samples; NULL: the daemon's default */
	char *symbols;		/* bytes kept symbol tables may take, as written; NULL: the daemon's default */
	char *module;		/* oprofile.ko to load; NULL: the installed one */
};

/* The defaults. -ENOMEM. */
int ctl_settings_init(struct ctl_settings *cfg);
void ctl_settings_release(struct ctl_settings *cfg);

/*
 * Into an initialised @cfg. -ENOENT without text when there is no such file (which is no reason to
 * complain), otherwise negative errno with text. @cfg keeps what it was on failure.
 */
int ctl_settings_read(struct ctl_settings *cfg, const char *path, struct ctl_error *error);

/* Replaces the file atomically, making its directory (0700) when missing. Negative errno, text. */
int ctl_settings_write(const struct ctl_settings *cfg, const char *path, struct ctl_error *error);

int ctl_settings_add_event(struct ctl_settings *cfg, const char *spec);	/* -ENOMEM */
void ctl_settings_clear_events(struct ctl_settings *cfg);

enum ctl_source ctl_settings_source(const struct ctl_settings *cfg);
const char *ctl_source_name(enum ctl_source source);

bool ctl_backend_valid(const char *name);
/* What the user insists on; NULL: nothing (auto). */
const char *ctl_settings_backend(const struct ctl_settings *cfg);

/* -1: no such source. */
int ctl_source_by_name(const char *name);

#endif
