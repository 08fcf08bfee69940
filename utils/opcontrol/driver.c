// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * driver.c -- loads and unloads the kernel module, and mounts and unmounts its file system
 * oprofilefs.
 */
#include "config.h"
#include "utils/opcontrol/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/owner.h"
#include "utils/opcontrol/kernel_log.h"
#include "utils/opcontrol/module_state.h"
#include "utils/opcontrol/refusal.h"
#include "utils/opcontrol/service.h"
#include "utils/opcontrol/why_no_module.h"
#include "utils/shared/spawn.h"

#define OPROFILEFS_MAGIC 0x6f70726f
#define FS_TYPE "oprofilefs"
#define MODULE_NAME "oprofile"

/* HELD_TRIES: number of checks, 50 ms apart, whether tasks still hold references to the module.
 * HELD_NAMED: maximum number of tasks whose names a message lists. */
#define HELD_TRIES 20
#define HELD_PAUSE_NS 50000000
#define HELD_NAMED 8

bool ctl_driver_loaded(void)
{
	char line[128], type[64];
	bool found = false;
	FILE *f = fopen("/proc/filesystems", "re");

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "nodev %63s", type) == 1)
			found = !strcmp(type, FS_TYPE);
	}
	fclose(f);
	return found;
}

bool ctl_driver_mounted(void)
{
	struct statfs fs;

	return statfs(CTL_OPROFILEFS, &fs) == 0 && fs.f_type == OPROFILEFS_MAGIC;
}

static int insert_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST)
		err = errno == ENOENT ? -ENOEXEC : -errno;	/* ENOENT: unknown symbol */
	close(fd);
	return err;
}

/* Search the output of modprobe (in the C locale) for the message of an errno. Return the negative
 * errno. */
static int modprobe_errno(const char *output)
{
	static const int known[] = {
		EPERM, ENOEXEC, ENOKEY, EKEYREJECTED, EBADMSG, ENOMEM, EBUSY, EACCES, EINVAL,
	};

	if (!output || strstr(output, "not found"))
		return -ENOENT;
	/* The module was built for a kernel with other symbols, or of another version. The second
	 * text is busybox's. */
	if (strcasestr(output, "unknown symbol") || strcasestr(output, "invalid module format"))
		return -ENOEXEC;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strstr(output, strerror(known[i])))
			return -known[i];
	}
	return strstr(output, strerror(ENOENT)) ? -ENOENT : -EIO;
}

static int insert_installed(void)
{
	static const char *const programs[] = {
		"/sbin/modprobe", "/usr/sbin/modprobe", "/bin/modprobe", "/usr/bin/modprobe",
	};
	char *argv[] = { NULL, (char *)MODULE_NAME, NULL };
	char *output = NULL;
	int status;
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (access(programs[i], X_OK) == 0)
			break;
	}
	if (i == sizeof(programs) / sizeof(programs[0]))
		return -ENOENT;
	argv[0] = (char *)programs[i];
	status = ctl_spawn(argv, &output);
	if (status > 0)
		status = modprobe_errno(output);
	free(output);
	return status;
}

/* Explain why the module was not loaded. If the kernel has refused the installed module, keep the
 * explanation for --status. @log: the kernel's log before the load. */
static int explain(const char *module_file, int err, const char *log, struct op_reason *error)
{
	char reason[300], *after = NULL, *file = NULL;
	struct utsname uts;

	if (uname(&uts) < 0)
		return op_fail(error, -errno, "uname: %s", strerror(errno));
	ctl_why_no_module("", uts.release, err, error);
	if (err == -ENOENT || err == -EBUSY || err == -ENOMEM)
		return err;
	after = ctl_kernel_log_read();
	if (ctl_kernel_log_reason(reason, sizeof(reason), log, after))
		op_fail(error, err, "%s. The kernel's reason: %s", error->text, reason);
	file = module_file ? NULL : ctl_module_file(ctl_root(), uts.release);
	if (file)
		ctl_refusal_keep(ctl_root(), file, error->text);
	free(file);
	free(after);
	return err;
}

static int load(const char *module_file, struct op_reason *error)
{
	char *log;
	int err;

	if (ctl_driver_loaded())
		return 0;
	log = ctl_kernel_log_read();
	err = module_file ? insert_file(module_file) : insert_installed();
	if (err)
		err = explain(module_file, err, log, error);
	else
		ctl_refusal_forget(ctl_root());
	free(log);
	return err;
}

int ctl_driver_init(const char *module_file, struct op_reason *error)
{
	const struct passwd *user;
	char options[64] = "";
	int err = load(module_file, error);

	if (err)
		return err;
	if (ctl_driver_mounted())
		return 0;
	if (mkdir(CTL_OPROFILEFS, 0755) < 0 && errno != EEXIST)
		return op_fail(error, -errno, "cannot make " CTL_OPROFILEFS ": %s",
			       strerror(errno));
	/* Make the service's user the owner of the files of oprofilefs. To open the buffer, this
	 * user also needs CAP_PERFMON. */
	user = getpwnam(OP_SERVICE_USER);
	if (user && op_owner_is_service(user->pw_uid))
		snprintf(options, sizeof(options), "uid=%u,gid=%u,mode=0700",
			 (unsigned int)user->pw_uid, (unsigned int)user->pw_gid);
	if (mount("nodev", CTL_OPROFILEFS, FS_TYPE, MS_NOSUID | MS_NODEV | MS_NOEXEC, options) < 0)
		return op_fail(error, -errno, "cannot mount " FS_TYPE " on " CTL_OPROFILEFS ": %s",
			       strerror(errno));
	return 0;
}

static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	if (n < 0)
		return false;
	text[n] = '\0';
	return true;
}

static bool read_line(const char *path, char *text, size_t size)
{
	if (!read_text(path, text, size))
		return false;
	text[strcspn(text, "\n")] = '\0';
	return true;
}

int ctl_driver_check_groups(struct op_reason *error)
{
	if (!access(CTL_OPROFILEFS "/cgroups", F_OK))
		return 0;
	return op_fail(error, -EOPNOTSUPP,
		       "the loaded kernel module is too old for --separate=unit: unload it with "
		       "opcontrol --deinit, or use --source=perf");
}

/* Test whether the module's buffer is open: write the present value of a setting back to the
 * setting. The module refuses any such write while its buffer is open (doc/oprofilefs.md). */
bool ctl_driver_in_use(void)
{
	static const char path[] = CTL_OPROFILEFS "/jitter";
	char text[32];
	bool in_use;
	int fd;

	if (!read_line(path, text, sizeof(text)))
		return false;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	in_use = fd >= 0 && write(fd, text, strlen(text)) < 0 && errno == EBUSY;
	if (fd >= 0)
		close(fd);
	return in_use;
}

bool ctl_driver_backend(struct ctl_backend *ret)
{
	return read_line(CTL_OPROFILEFS "/backend", ret->name, sizeof(ret->name)) &&
	       read_line(CTL_OPROFILEFS "/backend_why", ret->reason, sizeof(ret->reason));
}

int ctl_driver_set_backend(const char *wish, struct ctl_backend *ret, struct op_reason *error)
{
	int fd = open(CTL_OPROFILEFS "/backend", O_WRONLY | O_CLOEXEC), err = 0;
	ssize_t len = strlen(wish);

	ret->reason[0] = '\0';
	if (fd < 0)
		return op_fail(error, -errno, "the loaded kernel module is too old to choose a "
					      "backend; unload it with opcontrol --deinit");
	if (write(fd, wish, len) != len)
		err = errno ? -errno : -EIO;
	close(fd);
	if (ctl_driver_backend(ret) && !err)
		return 0;
	if (!err)
		err = -EIO;
	return op_fail(error, err, "the kernel module cannot sample with --backend=%s: %s", wish,
		       *ret->reason ? ret->reason : err == -EBUSY ? "it is in use" : strerror(-err));
}

/* Append "PID (NAME)" of a task to @text. The name may contain any byte. */
static void append_task(char *text, size_t size, const char *pid)
{
	size_t len = strlen(text), i;
	char path[64], name[32];

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	if (!read_line(path, name, sizeof(name)))
		strcpy(name, "has ended");
	for (i = 0; name[i]; i++) {
		if (name[i] < ' ' || name[i] > '~')
			name[i] = '?';
	}
	snprintf(text + len, size - len, "%s%s (%s)", len ? ", " : "", pid, name);
}

/*
 * Return whether tasks hold references to the module, and append the names of some tasks to @text.
 * A task that was sampled in a system call holds a reference until the call returns. Most calls
 * return at once, so wait up to a second.
 */
static bool is_held(char *text, size_t size)
{
	const struct timespec pause = { .tv_nsec = HELD_PAUSE_NS };
	char lines[4096], *pid, *rest;
	int tries, nr = 0;

	for (tries = 0; ; tries++) {
		if (!read_text(CTL_OPROFILEFS "/holders", lines, sizeof(lines)) || !*lines)
			return false;
		if (tries == HELD_TRIES)
			break;
		nanosleep(&pause, NULL);
	}
	*text = '\0';
	for (pid = strtok_r(lines, "\n", &rest); pid && nr < HELD_NAMED;
	     pid = strtok_r(NULL, "\n", &rest), nr++)
		append_task(text, size, pid);
	if (pid)
		snprintf(text + strlen(text), size - strlen(text), " and others");
	return true;
}

int ctl_driver_deinit(struct op_reason *error)
{
	char holders[HELD_NAMED * 64];

	if (ctl_driver_mounted() && is_held(holders, sizeof(holders)))
		return op_fail(error, -EBUSY,
			       "cannot unload the module oprofile.ko: it waits for process %s, "
			       "which still sleeps in the system call where it was sampled; wake "
			       "or end the process and repeat opcontrol --deinit, or leave the "
			       "module loaded: it takes no samples now", holders);
	/* The file system may be mounted several times, one on top of the other. */
	while (ctl_driver_mounted()) {
		if (umount2(CTL_OPROFILEFS, UMOUNT_NOFOLLOW) < 0)
			return op_fail(error, -errno,
				       "cannot unmount " CTL_OPROFILEFS ": %s; end the process "
				       "that has a file there open (fuser -m finds it)",
				       strerror(errno));
	}
	if (!ctl_driver_loaded())
		return 0;
	if (syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK) < 0 && errno != ENOENT)
		return op_fail(error, -errno, "cannot unload the module oprofile.ko: %s",
			       errno == EAGAIN || errno == EBUSY ? "it is in use" :
								    strerror(errno));
	if (rmdir(CTL_OPROFILEFS) < 0 && errno != ENOENT)
		return op_fail(error, -errno, "cannot remove " CTL_OPROFILEFS ": %s",
			       strerror(errno));
	return 0;
}
