// SPDX-License-Identifier: GPL-2.0-or-later
/* lines.c -- reading of the files in events/ line by line. */
#include "config.h"
#include "libop/event/lines.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/error.h"
#include "libop/base/fs.h"

#define MAX_FILE	(1 << 20)
#define MAX_DEPTH	8	/* maximum depth of nested includes; real tables need less */

/* Return whether @cpu is a valid relative path below the events directory, such as
 * "i386/skylake". */
static bool is_cpu_name(const char *cpu)
{
	const char *p;

	for (p = cpu; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("/_-+", *p))
			return false;
	}
	return p > cpu && p - cpu < 128;
}

int op_lines_open(struct op_lines *lines, const char *root, const char *cpu, const char *name,
		  unsigned int depth, struct op_reason *error)
{
	struct op_lines new = { .root = root, .depth = depth, .error = error };
	const char *below;
	size_t len;
	int dirfd, err;

	if (!is_cpu_name(cpu))
		return op_fail(error, OP_ERR_EVENT_TABLE, "\"%s\" is not the name of a CPU", cpu);
	if (depth > MAX_DEPTH)
		return op_fail(error, OP_ERR_EVENT_TABLE,
			       "%s/%s/%s includes itself, directly or through other files",
			       root, cpu, name);
	if (asprintf(&new.file, "%s/%s/%s", root, cpu, name) < 0)
		return -ENOMEM;
	below = new.file + strlen(root) + 1;
	dirfd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0) {
		err = op_fail(error, -errno, "cannot open the tables of events in %s: "
					     "%s%s", root, strerror(errno),
			      errno == ENOENT ? "; run make install, or name their directory in "
			      "OPROFILE_EVENTS_DIR" : "");
		goto err_free;
	}
	err = op_read_file(dirfd, below, MAX_FILE, &new.data, &len);
	close(dirfd);
	if (err) {
		op_fail(error, err, "%s: %s", new.file, op_strerror(err));
		goto err_free;
	}
	if (strlen(new.data) != len) {
		err = op_fail(error, OP_ERR_EVENT_TABLE, "cannot read %s: it is not a text file", new.file);
		goto err_free;
	}
	new.next = new.data;
	*lines = new;
	return 0;

err_free:
	free(new.data);
	free(new.file);
	return err;
}

void op_lines_close(struct op_lines *lines)
{
	free(lines->data);
	free(lines->file);
	memset(lines, 0, sizeof(*lines));
}

char *op_lines_next(struct op_lines *lines)
{
	while (*lines->next) {
		char *line = lines->next, *end = strchrnul(line, '\n');
		const char *p;

		lines->next = *end ? end + 1 : end;
		lines->line++;
		while (end > line && isspace((unsigned char)end[-1]))
			end--;
		*end = '\0';
		for (p = line; isspace((unsigned char)*p); p++)
			;
		if (*p && *p != '#')
			return line;
	}
	return NULL;
}

int op_lines_error(const struct op_lines *lines, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return op_fail(lines->error, OP_ERR_EVENT_TABLE, "%s:%u: %s", lines->file,
		       lines->line, text);
}

char *op_lines_word(char **text)
{
	char *word = *text, *end;

	while (isspace((unsigned char)*word))
		word++;
	if (!*word)
		return NULL;
	for (end = word; *end && !isspace((unsigned char)*end); end++)
		;
	*text = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

char *op_lines_tag(char *word)
{
	char *colon = strchr(word, ':');

	if (!colon)
		return NULL;
	*colon = '\0';
	return colon + 1;
}

int op_lines_number(const char *text, uint64_t max, uint64_t *ret)
{
	int hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	unsigned long long n;

	if (!digits[0] || strlen(digits) > 16 ||
	    digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
		return -EINVAL;
	n = strtoull(digits, NULL, hex ? 16 : 10);
	if (n > max)
		return -EINVAL;
	*ret = n;
	return 0;
}
