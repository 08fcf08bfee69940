/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module_state.h -- checks whether the kernel module can be loaded, for opcontrol --status and
 * --doctor.
 */
#ifndef UTILS_OPCONTROL_MODULE_STATE_H
#define UTILS_OPCONTROL_MODULE_STATE_H

#include <stddef.h>

enum ctl_module_state {
	CTL_MODULE_LOADED,
	CTL_MODULE_READY,	/* state: installed, and no known obstacle to loading it */
	CTL_MODULE_OTHER_VERSION, /* state: another version is loaded */
	CTL_MODULE_NO_SUPPORT,	/* state: the kernel has no loadable modules */
	CTL_MODULE_DISABLED,	/* state: kernel.modules_disabled */
	CTL_MODULE_CONFIDENTIAL, /* state: lockdown=confidentiality */
	/* state: not installed for this kernel, but its headers are installed */
	CTL_MODULE_NOT_BUILT,
	/* state: not installed for this kernel, and its headers are missing */
	CTL_MODULE_NO_HEADERS,
	CTL_MODULE_NOT_SIGNED,	/* state: the kernel requires a signature, and the file has none */
	CTL_MODULE_NOT_ENROLLED, /* state: signed with the machine's key, which is not enrolled */
};

/* Determine the state of the module for the kernel @release (uname -r). @root: prefix of paths in
 * /proc, /sys, /lib and /var, and of mokutil's path, for tests; otherwise "". */
enum ctl_module_state ctl_module_state(const char *root, const char *release);

/* Return a short text for the state of the module, such as "not signed". */
const char *ctl_module_words(enum ctl_module_state state);
/* Store in @text the commands by which the user can make the module usable; "": no commands are
 * needed or known. */
void ctl_module_advice(char *text, size_t size, enum ctl_module_state state, const char *release);

#endif
