// SPDX-License-Identifier: GPL-2.0-or-later
/* running.c -- search of /proc for the files whose code any process has mapped. */
#include "config.h"
#include "daemon/image/running.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/proc_maps.h"
#include "libop/base/clock.h"
#include "libop/base/dir.h"
#include "libop/base/hash.h"

struct seen {
	/* must be the first member, because a pointer to it is cast to struct seen */
	struct op_hash_link link;
	uint64_t dev, ino;
	char path[];
};

struct look {
	struct opd_images *images;
	int proc_fd;
	pid_t tgid;
	uint64_t end_ms;
	struct op_hash_table seen;
	opd_image_fn fn;
	void *arg;
};

/* Add the file of a mapping to the set of seen files. Return true if the file is new. */
static bool see(struct look *l, const struct opd_proc_map *m)
{
	uint64_t hash = op_hash_number(op_hash_text(OP_HASH_BEGIN, m->name), m->dev ^ m->ino);
	struct op_hash_link *link;
	struct seen *s;
	size_t len;

	for (link = op_hash_first(&l->seen, hash); link; link = op_hash_next(link)) {
		s = (struct seen *)link;
		if (s->dev == m->dev && s->ino == m->ino && !strcmp(s->path, m->name))
			return false;
	}
	len = strlen(m->name) + 1;
	s = malloc(sizeof(*s) + len);
	if (!s)
		return false;
	s->dev = m->dev;
	s->ino = m->ino;
	memcpy(s->path, m->name, len);
	op_hash_add(&l->seen, &s->link, hash);
	return true;
}

static int add_map(void *arg, const struct opd_proc_map *m)
{
	struct opd_identity identity = { .fd = -1 };
	const struct opd_image *image;
	struct look *l = arg;

	if (op_now_ms() >= l->end_ms)
		return 1;
	if (!m->exec || !m->ino || m->name[0] != '/' || !see(l, m))
		return 0;
	if (opd_finder_find(opd_images_finder(l->images), &identity, m->name, m->dev, m->ino,
			    l->tgid))
		return 0;
	image = opd_images_intern_quietly(l->images, m->name, m->dev, m->ino, &identity);
	if (image && identity.fd >= 0)
		l->fn(l->arg, image, &identity);
	opd_identity_release(&identity);
	return 0;
}

static void read_maps(struct look *l, pid_t tgid)
{
	l->tgid = tgid;
	opd_finder_maps(opd_images_finder(l->images), l->proc_fd, tgid, add_map, l);
}

static int read_all_maps(struct look *l)
{
	struct dirent *e;
	DIR *dir;
	int err = op_open_dir(l->proc_fd, ".", &dir);

	if (err)
		return err;
	while (op_now_ms() < l->end_ms && (e = op_next_entry(dir))) {
		char *end;
		long tgid = strtol(e->d_name, &end, 10);

		if (*end == '\0' && tgid > 0 && tgid <= INT_MAX)
			read_maps(l, (pid_t)tgid);
	}
	closedir(dir);
	return 0;
}

static bool free_seen(struct op_hash_link *link, void *arg)
{
	(void)arg;
	free(link);
	return true;
}

int opd_running_each(struct opd_images *images, const char *proc_dir, const pid_t *pids,
		     size_t nr_pids, uint64_t end_ms, opd_image_fn fn, void *arg)
{
	struct look l = { .images = images, .end_ms = end_ms, .fn = fn, .arg = arg };
	int err = 0;

	if (op_hash_init(&l.seen))
		return -ENOMEM;
	l.proc_fd = open(proc_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l.proc_fd < 0)
		err = -errno;
	for (size_t i = 0; i < nr_pids && !err; i++)
		read_maps(&l, pids[i]);
	if (!err && !nr_pids)
		err = read_all_maps(&l);
	if (l.proc_fd >= 0)
		close(l.proc_fd);
	op_hash_filter(&l.seen, free_seen, NULL);
	op_hash_release(&l.seen);
	return err;
}
