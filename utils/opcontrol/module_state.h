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
	/* state: the module is installed, and no obstacle to loading it is known */
	CTL_MODULE_READY,
	CTL_MODULE_OTHER_VERSION, /* state: another version of the module is loaded */
	CTL_MODULE_NO_SUPPORT,	/* state: the kernel does not support loadable modules */
	/* state: the sysctl kernel.modules_disabled forbids loading modules */
	CTL_MODULE_DISABLED,
	/* state: the kernel was booted with lockdown=confidentiality, which forbids the module */
	CTL_MODULE_CONFIDENTIAL,
	/* state: the module is not installed for this kernel, but the kernel's headers are
	 * installed */
	CTL_MODULE_NOT_BUILT,
	/* state: the module is not installed for this kernel, and the kernel's headers are
	 * missing */
	CTL_MODULE_NO_HEADERS,
	/* state: the kernel requires signed modules, but the module has no signature */
	CTL_MODULE_NOT_SIGNED,
	/* state: the module is signed with the machine's key, but the key is not enrolled */
	CTL_MODULE_NOT_ENROLLED,
	/* state: the module is signed with the machine's key, and mokutil, which checks keys, is
	 * not installed */
	CTL_MODULE_KEY_UNKNOWN,
	/* state: the module is installed, and the kernel refused this file at the last try since
	 * the boot (refusal.h) */
	CTL_MODULE_REFUSED,
};

/* Determine the state of the module for the kernel @release (uname -r). @root: prefix of paths in
 * /proc, /sys, /lib and /var, and of the paths of mokutil and modinfo, for tests; otherwise "". */
enum ctl_module_state ctl_module_state(const char *root, const char *release);

/* Return a short text for the state of the module, such as "not signed". */
const char *ctl_module_words(enum ctl_module_state state);
/* Store in @text the commands by which the user can make the module usable, and for
 * CTL_MODULE_REFUSED also the kernel's reason; "": no commands are needed or known. */
void ctl_module_advice(char *text, size_t size, enum ctl_module_state state, const char *root,
		       const char *release);

/* Return the malloc'd path of the module file below @root, or NULL if the module is not installed
 * for the kernel @release. */
char *ctl_module_file(const char *root, const char *release);

#endif
