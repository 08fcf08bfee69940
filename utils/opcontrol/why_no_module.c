// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * why_no_module.c -- explains why the kernel module could not be loaded, from the errno and from
 * files in /proc and /sys, with a remedy.
 */
#include "config.h"
#include "utils/opcontrol/why_no_module.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/opcontrol/module_state.h"

static bool exists(const char *root, const char *path)
{
	char *full;
	bool there;

	if (asprintf(&full, "%s%s", root, path) < 0)
		return true;
	there = access(full, F_OK) == 0;
	free(full);
	return there;
}

/* Return whether one of the lines of the file @path contains @text. */
static bool file_contains(const char *root, const char *path, const char *text)
{
	char *full, line[512];
	bool found = false;
	FILE *f;

	if (asprintf(&full, "%s%s", root, path) < 0)
		return false;
	f = fopen(full, "re");
	free(full);
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, text);
	fclose(f);
	return found;
}

/* Return whether this process does not have CAP_SYS_MODULE. Return false if its capabilities cannot
 * be read. */
static bool lacks_capability(const char *root)
{
	unsigned long long caps;
	char *full, line[512];
	bool lacks = false;
	FILE *f;

	if (asprintf(&full, "%s/proc/self/status", root) < 0)
		return false;
	f = fopen(full, "re");
	free(full);
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			lacks = !(caps >> CAP_SYS_MODULE & 1);
	}
	fclose(f);
	return lacks;
}

static int why_absent(const char *root, const char *release, struct op_reason *error)
{
	char *build, way_out[300];
	bool headers;

	if (asprintf(&build, "/lib/modules/%s/build", release) < 0)
		return -ENOMEM;
	headers = exists(root, build);
	free(build);
	ctl_module_advice(way_out, sizeof(way_out),
			  headers ? CTL_MODULE_NOT_BUILT : CTL_MODULE_NO_HEADERS, root, release);
	if (!headers)
		return op_fail(error, -ENOENT,
			       "the module oprofile.ko is not installed for kernel %s, and neither "
			       "are the headers to build it: run %s, after which DKMS builds it if "
			       "oprofile-dkms is installed", release, way_out);
	return op_fail(error, -ENOENT,
		       "the module oprofile.ko is not installed for kernel %s: run %s, or name a "
		       "module with --module=FILE", release, way_out);
}

int ctl_why_no_module(const char *root, const char *release, int err, struct op_reason *error)
{
	if (!exists(root, "/proc/modules"))
		return op_fail(error, err, "this kernel (%s) was built without loadable modules",
			       release);
	if (file_contains(root, "/proc/sys/kernel/modules_disabled", "1"))
		return op_fail(error, err,
			       "loading modules has been switched off until the next boot (sysctl "
			       "kernel.modules_disabled)");

	switch (-err) {
	case ENOENT:
		return why_absent(root, release, error);
	case ENOEXEC:
		return op_fail(error, err,
			       "the module oprofile.ko was built for another kernel than %s: build "
			       "it again with dkms remove oprofile/" PACKAGE_VERSION " -k %s and dkms "
			       "install oprofile/" PACKAGE_VERSION ", or in a source tree with "
			       "make -C module clean all", release, release);
	case EPERM:
	case EACCES:
	case EKEYREJECTED:
	case ENOKEY:
	case EBADMSG:
		if (file_contains(root, "/sys/kernel/security/lockdown", "[integrity]") ||
		    file_contains(root, "/sys/kernel/security/lockdown", "[confidentiality]"))
			return op_fail(error, err,
				       "the kernel is locked down (Secure Boot) and refuses "
				       "modules without a signature that it trusts: sign "
				       "oprofile.ko with a key enrolled by mokutil, and by a hash "
				       "(modinfo -F sig_hashalgo oprofile) that /proc/crypto lists");
		if (err != -EPERM && err != -EACCES)
			return op_fail(
				error, err,
				"the kernel refuses modules without a signature that it trusts "
				"(module.sig_enforce): sign oprofile.ko with an enrolled key");
		if (lacks_capability(root))
			return op_fail(error, err,
				       "loading a module needs CAP_SYS_MODULE, which this process "
				       "lacks, as in most containers");
		break;
	case EBUSY:
		return op_fail(error, err,
			       "another process is loading or unloading the module oprofile.ko: "
			       "try again");
	case ENOMEM:
		return op_fail(error, err,
			       "the kernel has no memory left for the module oprofile.ko");
	}
	return op_fail(error, err,
		       "the kernel refused the module oprofile.ko: %s; see dmesg",
		       strerror(-err));
}
