// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor.c -- opcontrol --doctor: checks whether the machine can be sampled. Prints one line for
 * each check, with a remedy if it failed.
 */
#include "config.h"
#include "utils/opcontrol/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "utils/opcontrol/look.h"
#include "utils/opcontrol/module_state.h"
#include "utils/opcontrol/service.h"

/* the time 2020-01-01; if the machine's clock shows an earlier time, the clock was never set */
#define FIRST_YEAR	1577836800
#define LEAST_BYTES	(8ull << 20)	/* minimum free disk space for a session, in bytes */
#define ENOUGH_BYTES	(200ull << 20)	/* default of the service's --max-disk, in bytes */
#define ANSWER_S	5	/* timeout of the file system check, in seconds */

struct result {
	enum ctl_health health;
	char text[300], way_out[1000];
};

static struct result found(enum ctl_health health, const char *text, const char *way_out)
{
	struct result r = { .health = health };

	snprintf(r.text, sizeof(r.text), "%s", text);
	snprintf(r.way_out, sizeof(r.way_out), "%s", way_out);
	return r;
}

static long number(const char *root, const char *path, long missing)
{
	char text[64];

	if (!ctl_read_first_line(text, sizeof(text), root, path))
		return missing;
	return strtol(text, NULL, 10);
}

static bool has_perf_events(const struct ctl_patient *p)
{
	return ctl_path_exists(p->root, "/proc/sys/kernel/perf_event_paranoid");
}

static bool has_module(const struct ctl_patient *p)
{
	enum ctl_module_state state = ctl_module_state(p->root, p->release);

	return state == CTL_MODULE_LOADED || state == CTL_MODULE_READY ||
	       state == CTL_MODULE_OTHER_VERSION;
}

/* Return whether this process has the capability @capability. */
static bool has_capability(const struct ctl_patient *p, int capability)
{
	unsigned long long caps = 0;
	char *path, line[256];
	FILE *f;

	if (asprintf(&path, "%s/proc/self/status", p->root) < 0)
		return true;
	f = fopen(path, "re");
	free(path);
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "CapEff: %llx", &caps) != 1)
		;
	if (f)
		fclose(f);
	return caps >> capability & 1;
}

static struct result check_kernel(const struct ctl_patient *p)
{
	return found(CTL_HEALTH_FINE, p->release, "");
}

static struct result check_counters(const struct ctl_patient *p)
{
	static const char *const pmus[] = { "cpu", "cpu_core", "armv8_pmuv3", "armv8_pmuv3_0" };

	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		char path[100];

		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", pmus[i]);
		if (ctl_path_exists(p->root, path))
			return found(CTL_HEALTH_FINE, "the CPU's counters can be used", "");
	}
	return found(CTL_HEALTH_LIMITED, "no counters of the CPU, as in most virtual machines",
		     "sampling by time works: opcontrol --start without --event");
}

static struct result check_module(const struct ctl_patient *p)
{
	enum ctl_module_state state = ctl_module_state(p->root, p->release);
	struct result r = found(state <= CTL_MODULE_READY ? CTL_HEALTH_FINE : CTL_HEALTH_LIMITED,
				ctl_module_words(state), "");

	ctl_module_advice(r.way_out, sizeof(r.way_out), state, p->root, p->release);
	return r;
}

static struct result check_perf_events(const struct ctl_patient *p)
{
	long paranoid = number(p->root, "/proc/sys/kernel/perf_event_paranoid", 0);

	if (!has_perf_events(p))
		return has_module(p) ?
			       found(CTL_HEALTH_LIMITED, "this kernel does not have perf_events (CONFIG_PERF_EVENTS)",
				     "the kernel module works without them; operf does not") :
			       found(CTL_HEALTH_BROKEN,
				     "this kernel has neither perf_events (CONFIG_PERF_EVENTS) nor the module",
				     "build the module: see the line above");
	if (paranoid > 2)
		return found(CTL_HEALTH_LIMITED, "kernel.perf_event_paranoid lets only root and the service oprofile open "
			     "perf_events, not users",
			     "sysctl kernel.perf_event_paranoid=2");
	return found(CTL_HEALTH_FINE, "users may profile their own programs", "");
}

static struct result check_symbols(const struct ctl_patient *p)
{
	if (number(p->root, "/proc/sys/kernel/kptr_restrict", 0) >= 2)
		return found(CTL_HEALTH_LIMITED,
			     "kernel.kptr_restrict hides the kernel's symbols from everybody",
			     "sysctl kernel.kptr_restrict=1");
	return found(CTL_HEALTH_FINE, "root sees the kernel's symbols", "");
}

static bool is_container(const struct ctl_patient *p)
{
	return ctl_path_exists(p->root, "/run/systemd/container") ||
	       ctl_path_exists(p->root, "/.dockerenv") ||
	       ctl_path_exists(p->root, "/run/.containerenv");
}

static struct result check_rights(const struct ctl_patient *p)
{
	bool may = has_capability(p, CAP_PERFMON) || has_capability(p, CAP_SYS_ADMIN);

	if (may)
		return found(CTL_HEALTH_FINE, is_container(p) ? "a container that may sample the machine"
							       : "the whole machine", "");
	if (is_container(p))
		return found(CTL_HEALTH_BROKEN, "a container without the right to sample",
			     "start it with --cap-add=PERFMON, or run opcontrol outside");
	return found(CTL_HEALTH_LIMITED, "your own programs: the whole machine needs root",
		     "sudo opcontrol --doctor");
}

static struct result check_unknown_disk(const struct ctl_patient *p)
{
	struct result r = { .health = CTL_HEALTH_BROKEN };

	if (p->disk.error == -ETIMEDOUT) {
		snprintf(r.text, sizeof(r.text), "%.200s does not answer for %d s, as on a server "
			 "that is down", p->session_dir, ANSWER_S);
		snprintf(r.way_out, sizeof(r.way_out),
			 "bring the server back, or choose a --session-dir on a local disk");
	} else {
		snprintf(r.text, sizeof(r.text), "cannot look at the file system of %.200s: %s",
			 p->session_dir, strerror(-p->disk.error));
		snprintf(r.way_out, sizeof(r.way_out), "see dmesg, or choose another --session-dir");
	}
	return r;
}

static struct result check_disk(const struct ctl_patient *p)
{
	const struct ctl_disk *disk = &p->disk;
	struct result r = { .health = CTL_HEALTH_FINE };

	if (disk->error)
		return check_unknown_disk(p);
	snprintf(r.text, sizeof(r.text), "%" PRIu64 " MB free for %.200s", disk->free_bytes >> 20,
		 p->session_dir);
	if (disk->is_read_only) {
		r.health = CTL_HEALTH_BROKEN;
		snprintf(r.text, sizeof(r.text), "%.200s is mounted read-only", p->session_dir);
		snprintf(r.way_out, sizeof(r.way_out),
			 "mount -o remount,rw, or choose another --session-dir");
	} else if (disk->free_bytes < ENOUGH_BYTES) {
		r.health = disk->free_bytes < LEAST_BYTES ? CTL_HEALTH_BROKEN : CTL_HEALTH_LIMITED;
		snprintf(r.way_out, sizeof(r.way_out),
			 "free some disk space, use a lower --max-disk, or choose another --session-dir");
	} else if (disk->is_nfs) {
		r.health = CTL_HEALTH_LIMITED;
		snprintf(r.text, sizeof(r.text), "%.200s is on NFS, whose files may change elsewhere",
			 p->session_dir);
		snprintf(r.way_out, sizeof(r.way_out), "choose a --session-dir on a local disk");
	}
	return r;
}

static struct result check_clock(const struct ctl_patient *p)
{
	if (p->now < FIRST_YEAR)
		return found(CTL_HEALTH_LIMITED, "was never set: intervals have wrong "
						 "times",
			     "timedatectl set-ntp true, or date -s");
	return found(CTL_HEALTH_FINE, "set", "");
}

static struct result check_debug_data(const struct ctl_patient *p)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if ((urls && *urls) || ctl_path_exists(p->root, "/usr/lib/debug/.build-id"))
		return found(CTL_HEALTH_FINE, "reports find debug data", "");
	return found(CTL_HEALTH_FINE, "no source of debug data: reports have functions, but "
				      "source lines only of programs that contain debug data",
		     "export DEBUGINFOD_URLS=https://debuginfod.debian.net, or install -dbgsym packages");
}

static struct result check_service(const struct ctl_patient *p)
{
	struct ctl_service service;
	char text[80];

	(void)p;
	ctl_service_find(&service);
	if (!service.is_there)
		return found(CTL_HEALTH_FINE, "no unit oprofile.service", "opcontrol --start starts a daemon");
	snprintf(text, sizeof(text), "oprofile.service is %s", service.state);
	if (!strcmp(service.state, "failed"))
		return found(CTL_HEALTH_LIMITED, text,
			     "systemctl status oprofile names the cause; then opcontrol --start");
	return found(CTL_HEALTH_FINE, text, service.pid ? "" : "systemctl enable --now oprofile");
}

static const struct check {
	const char *name;
	struct result (*look)(const struct ctl_patient *p);
} checks[] = {
	{ "Kernel", check_kernel },
	{ "Counters", check_counters },
	{ "Kernel module", check_module },
	{ "perf_events", check_perf_events },
	{ "Kernel symbols", check_symbols },
	{ "Rights", check_rights },
	{ "Disk", check_disk },
	{ "Clock", check_clock },
	{ "Debug data", check_debug_data },
	{ "Service", check_service },
};

enum ctl_health ctl_doctor(FILE *out, const struct ctl_patient *p)
{
	static const char *const words[] = { "ok", "limit", "FAILS" };
	static const char *const sums[] = {
		"Samples can be taken.", "Samples can be taken, with the limits above.",
		"No samples can be taken: see the lines with FAILS.",
	};
	enum ctl_health worst = CTL_HEALTH_FINE;

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct result r = checks[i].look(p);

		op_clean_printf(out, "%-6s %s: %s\n", words[r.health], checks[i].name, r.text);
		if (*r.way_out)
			op_clean_printf(out, "       -> %s\n", r.way_out);
		if (r.health > worst)
			worst = r.health;
	}
	fprintf(out, "%s\n", sums[worst]);
	return worst;
}

/* Examine the file system of @dir or, if @dir does not exist, of the nearest parent directory that
 * exists. */
static struct ctl_disk measure(const char *dir)
{
	struct ctl_disk disk = { .error = 0 };
	char *path = strdup(dir), *slash;
	struct statvfs st;
	struct statfs fs;
	int ret = -1;

	errno = ENOMEM;
	while (path && (ret = statvfs(*path ? path : "/", &st)) && errno == ENOENT) {
		slash = strrchr(path, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	if (ret || statfs(*path ? path : "/", &fs)) {
		disk.error = -errno;
	} else {
		disk.free_bytes = (uint64_t)st.f_bavail * st.f_frsize;
		disk.is_read_only = st.f_flag & ST_RDONLY;
		disk.is_nfs = fs.f_type == NFS_SUPER_MAGIC;
	}
	free(path);
	return disk;
}

/* Main function of the child process: examine the file system of @dir, and write the result to
 * @fd. */
static void __attribute__((noreturn)) measure_and_exit(int fd, const char *dir)
{
	const struct ctl_disk disk = measure(dir);

	_exit(write(fd, &disk, sizeof(disk)) != sizeof(disk));
}

/* Examine the file system of @dir in a child process, with a timeout. If the file system is on a
 * server that is down, system calls do not return, and the child cannot even be killed. */
static struct ctl_disk examine_disk(const char *dir)
{
	struct ctl_disk disk = { .error = -EIO };
	struct pollfd ready = { .events = POLLIN };
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC))
		return (struct ctl_disk){ .error = -errno };
	child = fork();
	if (child == 0)
		measure_and_exit(fds[1], dir);
	if (child < 0)
		disk.error = -errno;
	close(fds[1]);
	ready.fd = fds[0];
	if (child > 0 && poll(&ready, 1, ANSWER_S * 1000) <= 0)
		disk.error = -ETIMEDOUT;
	else if (child > 0 && read(fds[0], &disk, sizeof(disk)) != sizeof(disk))
		disk.error = -EIO;
	close(fds[0]);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, disk.error == -ETIMEDOUT ? WNOHANG : 0);
	}
	return disk;
}

enum ctl_health ctl_doctor_here(FILE *out, const char *root, const char *session_dir)
{
	struct utsname uts = { .release = "unknown" };
	struct ctl_patient p = { .root = root, .session_dir = session_dir, .now = time(NULL) };

	uname(&uts);
	p.release = uts.release;
	p.disk = examine_disk(session_dir);
	return ctl_doctor(out, &p);
}
