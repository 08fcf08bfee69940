// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log.c -- log of the daemon: writes lines with time and level, escapes control characters, and
 * limits the number of lines.
 */
#include "config.h"
#include "daemon/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/quota.h"

static const char *const level_names[] = {
	[OPD_ERROR] = "error",
	[OPD_WARN] = "warning",
	[OPD_INFO] = "info",
	[OPD_DEBUG] = "debug",
};

void opd_log_init(struct opd_log *log)
{
	memset(log, 0, sizeof(*log));
	log->fd = -1;
}

int opd_log_open(struct opd_log *log, int dirfd, const char *name)
{
	int fd = openat(dirfd, name,
			O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);

	if (fd < 0)
		return -errno;
	if (log->fd >= 0)
		close(log->fd);
	log->fd = fd;
	return 0;
}

void opd_log_release(struct opd_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

static void ignore(ssize_t n)
{
	(void)n;
}

/* Write a line of the log. Ignore errors, which must not stop the daemon. */
static void write_line(int fd, const char *line, size_t len)
{
	if (!op_quota_ask_write(fd, len))
		ignore(write(fd, line, len));
}

static void emit(struct opd_log *log, enum opd_level level, const char *text)
{
	char line[2400], stamp[32];
	struct timespec now;
	struct tm tm;
	size_t n;
	int head;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &tm);
	head = snprintf(line, sizeof(line), "%s.%03ld %s: ", stamp, now.tv_nsec / 1000000,
			level_names[level]);
	op_clean(line + head, sizeof(line) - head - 1, text);
	n = strlen(line);
	line[n++] = '\n';
	if (log->fd >= 0)
		write_line(log->fd, line, n);
	if (log->to_stderr && level <= OPD_WARN)
		dprintf(STDERR_FILENO, "oprofiled: %s: %.*s", level_names[level], (int)(n - head),
			line + head);
}

/* Return whether one more line may be written in this time window. Debug messages may use only half
 * of the limit. */
static bool within_limit(struct opd_log *log, enum opd_level level)
{
	struct timespec now;
	uint64_t suppressed = log->suppressed;
	char text[80];

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - log->window >= OPD_LOG_WINDOW) {
		log->window = now.tv_sec;
		log->in_window = 0;
		log->suppressed = 0;
		if (suppressed) {
			snprintf(text, sizeof(text), "%llu messages were suppressed",
				 (unsigned long long)suppressed);
			emit(log, OPD_WARN, text);
		}
	}
	if (log->in_window < (level == OPD_DEBUG ? OPD_LOG_BURST / 2 : OPD_LOG_BURST)) {
		log->in_window++;
		return true;
	}
	log->suppressed++;
	return false;
}

void opd_log(struct opd_log *log, enum opd_level level, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	if (level == OPD_DEBUG && !log->verbose)
		return;
	if (!within_limit(log, level))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	emit(log, level, text);
}
