// SPDX-License-Identifier: GPL-2.0-or-later
/* writer.c -- the mark of the process that writes a session: its conversion to and from text, and
 * the check whether the process is alive. */
#include "config.h"
#include "libop/session/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/hash.h"

/* Read a file of /proc into @text. Return the length of the text, or 0. */
static size_t read_proc(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	size_t len = 0;

	if (fd < 0)
		return 0;
	err = op_read_all(fd, text, size - 1, &len);
	close(fd);
	text[err ? 0 : len] = '\0';
	return err ? 0 : len;
}

/* Read /proc/PID/stat into @text. Return the start of the field with the number @number (3 or
 * higher), or NULL. */
static const char *stat_field(pid_t pid, int number, char *text, size_t size)
{
	char path[64], *field;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!read_proc(path, text, size))
		return NULL;
	/* The second field, the process's name in parentheses, may contain any character, even
	 * ')'. */
	field = strrchr(text, ')');
	for (int i = 2; field && i < number; i++)
		field = strchr(field + 1, ' ');
	return field ? field + 1 : NULL;
}

/* Return the start time of a process in the kernel's clock ticks, or 0. */
static uint64_t start_of(pid_t pid)
{
	char text[1024];
	const char *start = stat_field(pid, 22, text, sizeof(text));

	return start ? strtoull(start, NULL, 10) : 0;
}

bool op_pid_lives(pid_t pid)
{
	char text[1024];
	const char *state;

	if (kill(pid, 0) && errno == ESRCH)
		return false;
	state = stat_field(pid, 3, text, sizeof(text));
	return !state || (*state != 'Z' && *state != 'X');
}

static uint64_t this_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

static uint64_t this_boot(void)
{
	char id[64];
	size_t len = read_proc("/proc/sys/kernel/random/boot_id", id, sizeof(id));

	return len ? op_hash_bytes(OP_HASH_BEGIN, id, len) : 0;
}

void op_session_writer_self(struct op_session_writer *ret)
{
	*ret = (struct op_session_writer){
		.pid = getpid(),
		.start = start_of(getpid()),
		.namespace = this_namespace(),
		.boot = this_boot(),
	};
}

bool op_session_writer_lives(const struct op_session_writer *writer)
{
	uint64_t boot = this_boot();

	if (!writer->pid || (writer->boot && boot && writer->boot != boot))
		return false;
	if (writer->namespace != this_namespace())
		return true;
	if (!op_pid_lives(writer->pid))
		return false;
	return !writer->start || start_of(writer->pid) == writer->start;
}

const char *op_session_writer_print(char text[OP_SESSION_WRITER_TEXT],
				    const struct op_session_writer *writer)
{
	snprintf(text, OP_SESSION_WRITER_TEXT, "%d %" PRIu64 " %" PRIu64 " %016" PRIx64,
		 (int)writer->pid, writer->start, writer->namespace, writer->boot);
	return text;
}

bool op_session_writer_parse(struct op_session_writer *ret, const char *text)
{
	struct op_session_writer writer;
	int pid, len = 0;

	if (sscanf(text, "%d %" SCNu64 " %" SCNu64 " %" SCNx64 "%n", &pid, &writer.start,
		   &writer.namespace, &writer.boot, &len) != 4 ||
	    text[len] || pid <= 0)
		return false;
	writer.pid = pid;
	*ret = writer;
	return true;
}
