// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log.c -- the daemon's log: writes lines with time and level, escapes control characters, counts
 * repeated messages instead of writing them, and limits the number of lines.
 */
#include "config.h"
#include "daemon/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/hash.h"
#include "libop/base/quota.h"

static const char *const level_names[] = {
	[OPD_ERROR] = "error",
	[OPD_WARN] = "warning",
	[OPD_INFO] = "info",
	[OPD_DEBUG] = "debug",
};

static const int priorities[] = {
	[OPD_ERROR] = LOG_ERR,
	[OPD_WARN] = LOG_WARNING,
	[OPD_INFO] = LOG_INFO,
	[OPD_DEBUG] = LOG_DEBUG,
};

/* Return true if standard error is connected to the systemd journal: $JOURNAL_STREAM contains its
 * device and inode. A program may have replaced standard error after systemd set the variable. */
static bool is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == dev && st.st_ino == ino;
}

void opd_log_init(struct opd_log *log)
{
	memset(log, 0, sizeof(*log));
	log->fd = -1;
	log->to_journal = is_journal();
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

static void ignore(ssize_t n)
{
	(void)n;
}

/* Write one line to the log. Ignore errors: a full disk must not stop the daemon. */
static void write_line(int fd, const char *line, size_t len)
{
	if (!op_quota_request_write(fd, len))
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
	if (log->to_stderr && log->to_journal)
		dprintf(STDERR_FILENO, "<%d>%.*s", priorities[level], (int)(n - head), line + head);
	else if (log->to_stderr && level <= OPD_WARN)
		dprintf(STDERR_FILENO, "oprofiled: %s: %.*s", level_names[level], (int)(n - head),
			line + head);
}

/* Return true if the limit of lines per time window allows one more line. Debug messages may use
 * only half of the limit. */
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

static void emit_count(struct opd_log *log, struct opd_log_recent *r)
{
	char text[sizeof(r->text) + 64];

	if (!r->nr)
		return;
	snprintf(text, sizeof(text), "%llu more times: %s", (unsigned long long)r->nr, r->text);
	r->nr = 0;
	emit(log, r->level, text);
}

/* Log how often a message was repeated, if the limit of lines allows one more line; otherwise count
 * the repetitions as suppressed. */
static void emit_count_within_limit(struct opd_log *log, struct opd_log_recent *r)
{
	if (!r->nr)
		return;
	if (within_limit(log, r->level)) {
		emit_count(log, r);
		return;
	}
	log->suppressed += r->nr - 1;
	r->nr = 0;
}

void opd_log_release(struct opd_log *log)
{
	for (size_t i = 0; i < OPD_LOG_RECENT; i++)
		emit_count(log, &log->recent[i]);
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

/* Return true if the same warning or error was written recently, and count the repetition.
 * Otherwise remember the new message instead of the message that was written first. */
static bool is_repeated(struct opd_log *log, enum opd_level level, const char *text)
{
	struct opd_log_recent *r = log->recent, *oldest = r;
	const uint64_t hash = op_hash_text(OP_HASH_BEGIN, text);
	struct timespec now;

	if (level > OPD_WARN)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	for (; r < log->recent + OPD_LOG_RECENT; r++) {
		if (*r->text && r->level == level && r->hash == hash)
			break;
		if (!*r->text || (*oldest->text && r->since < oldest->since))
			oldest = r;
	}
	if (r < log->recent + OPD_LOG_RECENT && now.tv_sec - r->since < OPD_LOG_REPEAT) {
		r->nr++;
		return true;
	}
	if (r == log->recent + OPD_LOG_RECENT)
		r = oldest;
	emit_count_within_limit(log, r);
	*r = (struct opd_log_recent){ .level = level, .since = now.tv_sec, .hash = hash };
	snprintf(r->text, sizeof(r->text), "%s", text);
	return false;
}

void opd_log(struct opd_log *log, enum opd_level level, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	if (level == OPD_DEBUG && !log->verbose)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (is_repeated(log, level, text) || !within_limit(log, level))
		return;
	emit(log, level, text);
}

void opd_log_lines(struct opd_log *log, enum opd_level level, const char *lines)
{
	while (lines && *lines) {
		size_t len = strcspn(lines, "\n");

		opd_log(log, level, "%.*s", (int)len, lines);
		lines += len + (lines[len] == '\n');
	}
}
