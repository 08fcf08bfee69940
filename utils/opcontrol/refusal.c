// SPDX-License-Identifier: GPL-2.0-or-later
/* refusal.c -- keeps why the kernel refused the installed module: /run/oprofile-module.refused. */
#include "config.h"
#include "utils/opcontrol/refusal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"

#define DIR_NAME	"/run"
#define FILE_NAME	"oprofile-module.refused"

static int open_run(const char *root)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s" DIR_NAME, root) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return fd;
}

/* Store in @text the identity of this version of the module file: a newly built file has another
 * time. Return false if the file does not exist. */
static bool identify(char *text, size_t size, const char *file)
{
	struct stat st;

	if (stat(file, &st))
		return false;
	snprintf(text, size, "%llu %llu %lld.%09ld", (unsigned long long)st.st_ino,
		 (unsigned long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return true;
}

void ctl_refusal_keep(const char *root, const char *file, const char *reason)
{
	char id[100], *text = NULL;
	int dir = open_run(root), len = -1;

	if (dir < 0)
		return;
	if (identify(id, sizeof(id), file))
		len = asprintf(&text, "%s\n%s\n", id, reason);
	if (len > 0) {
		op_replace_file(dir, FILE_NAME, text, (size_t)len, 0644);
		free(text);
	}
	close(dir);
}

void ctl_refusal_forget(const char *root)
{
	int dir = open_run(root);

	if (dir < 0)
		return;
	unlinkat(dir, FILE_NAME, 0);
	close(dir);
}

bool ctl_refusal_read(char *reason, size_t size, const char *root, const char *file)
{
	char id[100], *text = NULL, *words;
	bool same = false;
	size_t len;
	int dir = open_run(root);

	if (dir < 0)
		return false;
	if (identify(id, sizeof(id), file) && !op_read_file(dir, FILE_NAME, 4096, &text, &len)) {
		words = strchr(text, '\n');
		if (words) {
			*words++ = '\0';
			words[strcspn(words, "\n")] = '\0';
			same = !strcmp(text, id) && *words;
		}
		if (same)
			snprintf(reason, size, "%s", words);
	}
	free(text);
	close(dir);
	return same;
}
