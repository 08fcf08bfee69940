// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module_state.c -- checks whether the kernel module can be loaded: settings of the kernel, the
 * installed module file and its signature.
 */
#include "config.h"
#include "utils/opcontrol/module_state.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/opcontrol/look.h"
#include "utils/opcontrol/refusal.h"
#include "utils/shared/spawn.h"

/* last bytes of the file of a signed module */
#define SIGNATURE	"~Module signature appended~\n"
/* public key of the machine, with whose private key DKMS signs modules on Debian */
#define MACHINE_KEY	"/var/lib/dkms/mok.pub"

static const struct {
	/* .words: name of the state; .way_out: command that is the remedy; %s in either text stands
	 * for the kernel release */
	const char *words, *way_out;
} states[] = {
	[CTL_MODULE_LOADED] = { "loaded", "" },
	[CTL_MODULE_READY] = { "installed, not loaded", "opcontrol --init" },
	[CTL_MODULE_OTHER_VERSION] = {
		"another version is loaded", "opcontrol --deinit, then opcontrol --init" },
	[CTL_MODULE_NO_SUPPORT] = { "this kernel has no loadable modules", "samples come from perf_events" },
	[CTL_MODULE_DISABLED] = {
		"loading modules is switched off (kernel.modules_disabled)", "restart the machine" },
	[CTL_MODULE_CONFIDENTIAL] = {
		"forbidden by lockdown=confidentiality",
		"start the kernel without this word, or use --source=perf" },
	[CTL_MODULE_NOT_BUILT] = {
		"not built for this kernel",
		"apt-get install oprofile-dkms, or dkms install oprofile/" PACKAGE_VERSION " -k %s, or in a "
		"source tree make -C module install" },
	[CTL_MODULE_NO_HEADERS] = {
		"not built for this kernel, whose headers are missing",
		"apt-get install linux-headers-%s" },
	[CTL_MODULE_NOT_SIGNED] = {
		"not signed, and this kernel loads signed modules only",
		"apt-get install openssl, then dkms remove oprofile/" PACKAGE_VERSION " -k %s, "
		"then dkms install oprofile/" PACKAGE_VERSION },
	[CTL_MODULE_NOT_ENROLLED] = {
		"signed, but its key is not enrolled",
		"mokutil --import " MACHINE_KEY ", restart the machine and enroll the key there; "
		"mokutil --test-key " MACHINE_KEY " checks that" },
	[CTL_MODULE_KEY_UNKNOWN] = {
		"signed, and this kernel loads modules with enrolled keys only",
		"apt-get install mokutil, then mokutil --test-key " MACHINE_KEY " checks the key" },
	[CTL_MODULE_REFUSED] = { "installed, but the kernel refused it", "" },
};

const char *ctl_module_words(enum ctl_module_state state)
{
	return states[state].words;
}

char *ctl_module_file(const char *root, const char *release)
{
	char *path, *line = NULL, *ret = NULL, *name;
	size_t size = 0;
	FILE *f;

	if (asprintf(&path, "%s/lib/modules/%s/modules.dep", root, release) < 0)
		return NULL;
	f = fopen(path, "re");
	free(path);
	while (f && !ret && getline(&line, &size, f) > 0) {
		line[strcspn(line, ":")] = '\0';
		name = strrchr(line, '/');
		name = name ? name + 1 : line;
		if (strncmp(name, "oprofile.ko", 11) || (name[11] && name[11] != '.'))
			continue;
		if (asprintf(&ret, "%s/lib/modules/%s/%s", root, release, line) < 0)
			ret = NULL;
	}
	free(line);
	if (f)
		fclose(f);
	return ret;
}

void ctl_module_advice(char *text, size_t size, enum ctl_module_state state, const char *root,
		       const char *release)
{
	const char *form = states[state].way_out, *mark = strstr(form, "%s");
	char *file = state == CTL_MODULE_REFUSED ? ctl_module_file(root, release) : NULL;

	if (file && ctl_refusal_read(text, size, root, file))
		;
	else if (mark)
		snprintf(text, size, "%.*s%s%s", (int)(mark - form), form, release, mark + 2);
	else
		snprintf(text, size, "%s", form);
	free(file);
}

/* Return whether the module file @path, which is not compressed, has no signature. */
static bool lacks_signature(const char *path)
{
	char end[sizeof(SIGNATURE) - 1];
	bool lacks = false;
	FILE *f = fopen(path, "re");

	if (f)
		lacks = fseek(f, -(long)sizeof(end), SEEK_END) ||
			fread(end, 1, sizeof(end), f) != sizeof(end) ||
			memcmp(end, SIGNATURE, sizeof(end));
	if (f)
		fclose(f);
	return lacks;
}

/* Return whether modinfo finds no signature in the module file @path. Return false if modinfo
 * fails. */
static bool modinfo_finds_none(const char *root, char *path)
{
	char *program = NULL, *text = NULL;
	bool none = false;

	if (asprintf(&program, "%s/usr/sbin/modinfo", root) >= 0) {
		char *const argv[] = { program, (char *)"-F", (char *)"sig_id", path, NULL };

		none = ctl_spawn(argv, &text) == 0 && !(text && *text);
	}
	free(text);
	free(program);
	return none;
}

static bool is_unsigned(const char *root, char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".ko") ? lacks_signature(path) : modinfo_finds_none(root, path);
}

static bool wants_signature(const char *root)
{
	return ctl_file_has_line(root, "/sys/kernel/security/lockdown", "[integrity]") ||
	       ctl_file_has_line(root, "/sys/module/module/parameters/sig_enforce", "Y");
}

/* Return the state of a signed module: mokutil reports whether the public key of the machine is
 * enrolled for Secure Boot. */
static enum ctl_module_state key_state(const char *root)
{
	enum ctl_module_state state = CTL_MODULE_READY;
	char *program = NULL, *key = NULL, *text = NULL;

	if (asprintf(&key, "%s" MACHINE_KEY, root) < 0)
		return state;
	if (asprintf(&program, "%s/usr/bin/mokutil", root) < 0 || access(key, F_OK)) {
		/* Without the machine's key, nothing can be checked. */
	} else if (access(program, X_OK)) {
		state = CTL_MODULE_KEY_UNKNOWN;
	} else {
		char *const argv[] = { program, (char *)"--test-key", key, NULL };

		if (ctl_spawn(argv, &text) >= 0 && text && strstr(text, "not enrolled"))
			state = CTL_MODULE_NOT_ENROLLED;
	}
	free(text);
	free(key);
	free(program);
	return state;
}

static enum ctl_module_state loaded_state(const char *root)
{
	char version[64];

	if (ctl_read_first_line(version, sizeof(version), root, "/sys/module/oprofile/version") &&
	    strcmp(version, PACKAGE_VERSION))
		return CTL_MODULE_OTHER_VERSION;
	return CTL_MODULE_LOADED;
}

static enum ctl_module_state file_state(const char *root, const char *release)
{
	char *file = ctl_module_file(root, release), build[300], reason[100];
	enum ctl_module_state state = CTL_MODULE_READY;

	if (!file) {
		snprintf(build, sizeof(build), "/lib/modules/%s/build", release);
		return ctl_path_exists(root, build) ? CTL_MODULE_NOT_BUILT : CTL_MODULE_NO_HEADERS;
	}
	if (wants_signature(root))
		state = is_unsigned(root, file) ? CTL_MODULE_NOT_SIGNED : key_state(root);
	if (state == CTL_MODULE_READY && ctl_refusal_read(reason, sizeof(reason), root, file))
		state = CTL_MODULE_REFUSED;
	free(file);
	return state;
}

enum ctl_module_state ctl_module_state(const char *root, const char *release)
{
	if (!ctl_path_exists(root, "/proc/modules"))
		return CTL_MODULE_NO_SUPPORT;
	if (ctl_file_has_line(root, "/sys/kernel/security/lockdown", "[confidentiality]"))
		return CTL_MODULE_CONFIDENTIAL;
	if (ctl_path_exists(root, "/sys/module/oprofile"))
		return loaded_state(root);
	if (ctl_file_has_line(root, "/proc/sys/kernel/modules_disabled", "1"))
		return CTL_MODULE_DISABLED;
	return file_state(root, release);
}
