// SPDX-License-Identifier: GPL-2.0-or-later
/* look.c -- reads system files below a path prefix. */
#include "config.h"
#include "utils/opcontrol/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ctl_path_exists(const char *root, const char *path)
{
	char *full;
	bool there;

	if (asprintf(&full, "%s%s", root, path) < 0)
		return true;
	there = access(full, F_OK) == 0;
	free(full);
	return there;
}

static FILE *open_file(const char *root, const char *path)
{
	char *full;
	FILE *f;

	if (asprintf(&full, "%s%s", root, path) < 0)
		return NULL;
	f = fopen(full, "re");
	free(full);
	return f;
}

bool ctl_file_has_line(const char *root, const char *path, const char *text)
{
	FILE *f = open_file(root, path);
	bool found = false;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, text);
	if (f)
		fclose(f);
	return found;
}

bool ctl_read_first_line(char *text, size_t size, const char *root, const char *path)
{
	FILE *f = open_file(root, path);
	bool found = f && fgets(text, (int)size, f);

	if (found)
		text[strcspn(text, "\n")] = '\0';
	if (f)
		fclose(f);
	return found;
}
