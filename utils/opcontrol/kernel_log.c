// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_log.c -- finds in the kernel's log why the kernel refused a module. */
#include "config.h"
#include "utils/opcontrol/kernel_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

/* action of syslog(2): read the last bytes of the log, and keep them */
#define READ_ALL	3
#define LOG_BYTES	(64 << 10)

char *ctl_kernel_log_read(void)
{
	char *text = malloc(LOG_BYTES + 1);
	int len = text ? klogctl(READ_ALL, text, LOG_BYTES) : -1;

	if (len < 0) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}

/* Return the first line of @after that was written after @before was read: the last line of @before
 * is in both texts, with its time. If it is not in @after, all lines of @after are new. */
static const char *first_new_line(const char *before, const char *after)
{
	size_t len = before ? strlen(before) : 0;
	const char *begin, *found;
	char *line;

	if (len && before[len - 1] == '\n')
		len--;
	begin = len ? memrchr(before, '\n', len) : NULL;
	begin = begin ? begin + 1 : before;
	line = len ? strndup(begin, len - (size_t)(begin - before)) : NULL;
	found = line ? strstr(after, line) : NULL;
	free(line);
	if (!found)
		return after;
	found = strchr(found, '\n');
	return found ? found + 1 : "";
}

/* Return whether @line may have an address: at least eight hexadecimal digits in a row. */
static bool has_address(const char *line)
{
	static const char digits[] = "0123456789abcdefABCDEF";

	for (size_t len; *line; line += len ? len : 1) {
		len = strspn(line, digits);
		if (len >= 8)
			return true;
	}
	return false;
}

/* Return whether a line of the kernel's log gives a reason against the module. The lines about a
 * tainted kernel do not. Lines with an address, such as those of wrong relocations, do not count,
 * because all users may read the reason. */
static bool is_reason(const char *line)
{
	static const char *const begins[] = {
		"oprofile: ", "Loading of ", "Lockdown: ", "PKCS#7 ", "module: ", "Module ",
	};

	if (strstr(line, "taint") || has_address(line))
		return false;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(line, begins[i], strlen(begins[i])))
			return true;
	return false;
}

bool ctl_kernel_log_reason(char *text, size_t size, const char *before, const char *after)
{
	const char *at = after ? first_new_line(before, after) : "";
	bool found = false;

	while (*at && !found) {
		size_t len = strcspn(at, "\n");
		char *line = strndup(at, len), *words = line ? strstr(line, "] ") : NULL;

		/* <LEVEL>[SECONDS] WORDS */
		words = words ? words + 2 : line;
		found = words && is_reason(words);
		if (found)
			snprintf(text, size, "%s", words);
		free(line);
		at += len + (at[len] == '\n');
	}
	return found;
}
