// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * paths.c -- paths of the files in a session directory.
 */
#include "config.h"
#include "libop/session/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/dir.h"

static char *below(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", strcmp(dir, "/") ? dir : "", name) < 0 ? NULL : path;
}

int op_session_paths_init(struct op_session_paths *p, const char *dir)
{
	struct op_session_paths n = { 0 };
	size_t len;

	if (!dir)
		dir = OP_DEFAULT_SESSION_DIR;
	len = strlen(dir);
	if (!len)
		return -EINVAL;
	while (len > 1 && dir[len - 1] == '/')
		len--;
	n.dir = strndup(dir, len);
	if (!n.dir)
		return -ENOMEM;
	n.samples = below(n.dir, "samples");
	n.current = below(n.dir, "samples/current");
	n.log = below(n.dir, "samples/oprofiled.log");
	n.lock = below(n.dir, "lock");
	n.control = below(n.dir, "control");
	n.abi = below(n.dir, "abi");
	if (!n.samples || !n.current || !n.log || !n.lock || !n.control || !n.abi) {
		op_session_paths_release(&n);
		return -ENOMEM;
	}
	*p = n;
	return 0;
}

void op_session_paths_release(struct op_session_paths *p)
{
	free(p->dir);
	free(p->samples);
	free(p->current);
	free(p->log);
	free(p->lock);
	free(p->control);
	free(p->abi);
	memset(p, 0, sizeof(*p));
}

const char *op_session_option(char buf[OP_SESSION_OPTION_SIZE], const char *dir)
{
	FILE *f;

	buf[0] = '\0';
	if (!strcmp(dir, OP_DEFAULT_SESSION_DIR))
		return buf;
	f = fmemopen(buf, OP_SESSION_OPTION_SIZE, "w");
	if (!f)
		return buf;
	fputs(" --session-dir=", f);
	op_put_word(f, dir);
	if (fclose(f))
		/* write an empty name, because a truncated one could be the name of another
		 * session */
		buf[0] = '\0';
	return buf;
}

bool op_session_name_ok(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > 200 || name[0] == '.' || name[0] == '-' || !strcmp(name, "current") ||
	    !strcmp(name, "oprofiled.log"))
		return false;
	for (; *name; name++) {
		unsigned char c = *name;

		if (c <= ' ' || c == 0x7f || strchr("/{}*?[]\\'\"", c))
			return false;
	}
	return true;
}

/* Each of the directories "{root}", "{kern}" and "{anon:...}" is created together with its first
 * sample file. So search only for such a directory. */
int op_session_has_samples(int fd)
{
	struct dirent *d;
	DIR *dir;
	int err = op_open_dir(fd, ".", &dir);

	if (err)
		return err;
	while ((d = op_next_entry(dir)) && d->d_name[0] != '{')
		;
	closedir(dir);
	return d ? 1 : 0;
}
