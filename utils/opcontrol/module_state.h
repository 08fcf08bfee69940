/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module_state.h -- whether the kernel module can be used, in the words of opcontrol --status and
 * --doctor.
 */
#ifndef UTILS_OPCONTROL_MODULE_STATE_H
#define UTILS_OPCONTROL_MODULE_STATE_H

#include <stddef.h>

enum ctl_module_state {
	CTL_MODULE_LOADED,
	CTL_MODULE_READY,	/* state: installed, and no reason against loading it is known */
	CTL_MODULE_OTHER_VERSION, /* state: another version is loaded */
	CTL_MODULE_NO_SUPPORT,	/* state: the kernel has no loadable modules */
	CTL_MODULE_DISABLED,	/* state: kernel.modules_disabled */
	CTL_MODULE_CONFIDENTIAL, /* state: lockdown=confidentiality */
	CTL_MODULE_NOT_BUILT,	/* state: not installed for this kernel, whose headers are there */
	CTL_MODULE_NO_HEADERS,	/* state: not installed for this kernel, and there are no headers */
	CTL_MODULE_NOT_SIGNED,	/* state: the kernel wants a signature, and the file has none */
	CTL_MODULE_NOT_ENROLLED, /* state: signed by the machine's key, which is not enrolled */
};

/* Find the state for the kernel @release (uname -r). @root: a prefix of /proc, /sys, /lib, /var and
 * of mokutil, for tests; otherwise "". */
enum ctl_module_state ctl_module_state(const char *root, const char *release);

/* Return the words for a state, such as "not signed". */
const char *ctl_module_words(enum ctl_module_state state);
/* Write the commands that lead to a module that can be used; "" if none are needed. */
void ctl_module_way_out(char *text, size_t size, enum ctl_module_state state, const char *release);

#endif
