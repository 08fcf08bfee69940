// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * csp.c -- writes the call paths of a process to a .csp file.
 */
#include "config.h"
#include "utils/opattach/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/raw/csp.h"
#include "libop/raw/live_to_csp.h"

#define SAME_NAME	100

static int write_all(void *arg, const void *buf, size_t len)
{
	const char *at = buf;

	while (len) {
		ssize_t done = write(*(int *)arg, at, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		at += done;
		len -= done;
	}
	return 0;
}

/* Return the number of the node after node @at in preorder, or 0 after the last node. */
static uint32_t next_of(const struct attach_paths *p, uint32_t at)
{
	if (p->nodes[at].child)
		return p->nodes[at].child;
	while (at && !p->nodes[at].sibling)
		at = p->nodes[at].parent;
	return p->nodes[at].sibling;
}

/* Write the nodes of the tree of call paths. Return the sum of their sample counts. */
static uint64_t write_tree(struct raw_csp_out *out, const struct attach_paths *p)
{
	uint32_t id = 0, at = 0;
	uint64_t sum = 0;

	raw_csp_trees(out, p->nr ? 1 : 0, 0);
	if (!p->nr)
		return 0;
	raw_csp_tree(out, p->nr, 0, false);
	do {
		struct attach_node *n = &p->nodes[at];

		n->id = id++;
		raw_csp_node(out, n->id, p->nodes[n->parent].id, n->ip, n->sp, &n->count, 1);
		sum += n->count;
		at = next_of(p, at);
	} while (at);
	return sum;
}

static void write_flagged(struct raw_csp_out *out, const struct attach_paths *p,
			  enum raw_csp_item kind, uint32_t flag)
{
	uint64_t nr = 0;

	for (uint32_t i = 1; i < p->nr; i++)
		nr += p->nodes[i].flags & flag ? 1 : 0;
	if (!nr)
		return;
	raw_csp_item(out, kind, 8 + 8 * nr);
	raw_csp_u32(out, 0);
	raw_csp_u32(out, 0);
	for (uint32_t i = 1; i < p->nr; i++)
		if (p->nodes[i].flags & flag)
			raw_csp_u64(out, p->nodes[i].id);
}

static void write_trailer(struct raw_csp_out *out, const struct attach_paths *p, uint32_t process,
			  uint64_t sum)
{
	raw_csp_trailer(out);
	raw_csp_item(out, RAW_CSP_OUTSIDE, 0);
	if (p->command_len) {
		raw_csp_item(out, RAW_CSP_COMMAND, p->command_len);
		raw_csp_bytes(out, p->command, p->command_len);
	}
	raw_csp_item(out, RAW_CSP_PROCESS, 8);
	raw_csp_u32(out, process);
	raw_csp_u32(out, 0);
	if (p->nr_modules) {
		raw_csp_item(out, RAW_CSP_SIZES, 8 + 8 * (uint64_t)p->nr_modules);
		raw_csp_u64(out, 0);
	}
	for (size_t i = 0; i < p->nr_modules; i++)
		raw_csp_u64(out, p->modules[i].end - p->modules[i].start);
	for (size_t i = 0; i < p->nr_modules; i++) {
		const struct attach_module *m = &p->modules[i];

		if (!m->build_id_len)
			continue;
		raw_csp_item(out, RAW_CSP_BUILD_ID, 8 + m->build_id_len);
		raw_csp_u32(out, 0);
		raw_csp_u32(out, i);
		raw_csp_bytes(out, m->build_id, m->build_id_len);
	}
	raw_live_counts_write(out, "", &p->counts, 0);
	write_flagged(out, p, RAW_CSP_INTERRUPTED, RAW_LIVE_INTERRUPTED);
	write_flagged(out, p, RAW_CSP_SHORT, RAW_LIVE_SHORT);
	raw_csp_sums(out, &sum, 1);
	raw_csp_item(out, RAW_CSP_END, 0);
}

static int write_csp(int fd, const struct attach_paths *p, const struct attach_target *t,
		     const struct raw_probe_event *event)
{
	struct raw_csp_out out;
	uint64_t sum;

	raw_csp_begin(&out, write_all, &fd);
	raw_csp_header(&out, "01.00");
	raw_csp_data(&out, t->exe, 1);
	raw_csp_metric(&out, event->name, RAW_CSP_ASYNC, event->period);
	raw_csp_epochs(&out, 1);
	raw_csp_epoch(&out, p->nr_modules);
	for (size_t i = 0; i < p->nr_modules; i++)
		raw_csp_module(&out, p->modules[i].path, strlen(p->modules[i].path),
			       p->modules[i].vaddr, p->modules[i].start);
	sum = write_tree(&out, p);
	write_trailer(&out, p, (uint32_t)t->pid, sum);
	return raw_csp_finish(&out);
}

/* Return the name of the target's program, for a file name. */
static const char *name_of(const struct attach_target *t, char buf[200])
{
	const char *slash = strrchr(t->exe, '/'), *name = slash ? slash + 1 : t->exe;
	/* cut off the " (deleted)" that the kernel appends */
	size_t len = strcspn(name, " ");

	if (len > 199)
		len = 199;
	for (size_t i = 0; i < len; i++)
		buf[i] = (unsigned char)name[i] < ' ' || name[i] == 0x7f || (!i && *name == '.') ?
				 '_' :
				 name[i];
	buf[len] = '\0';
	return buf;
}

/* Create the file @name in the directory @dir. Fail if a .csp or .csp.live file of that name
 * exists: a probe inside the process may still write that file. Return 0 with the descriptor in
 * *@fd, or a negative errno. */
static int create_file(int dir, const char *name, int *fd)
{
	char *live = NULL;
	int err = 0;

	if (asprintf(&live, "%s.live", name) < 0)
		return -ENOMEM;
	if (!faccessat(dir, live, F_OK, AT_SYMLINK_NOFOLLOW))
		err = -EEXIST;
	free(live);
	if (err)
		return err;
	*fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return *fd < 0 ? -errno : 0;
}

int attach_paths_write(struct attach_paths *paths, const struct attach_target *t,
		       const struct raw_probe_event *event, int dir, char **ret)
{
	char program[200], turn_text[16] = "", *name = NULL;
	int fd = -1, err = -EEXIST;

	name_of(t, program);
	for (int turn = 0; err == -EEXIST && turn <= SAME_NAME; turn++) {
		if (turn)
			snprintf(turn_text, sizeof(turn_text), ".%d", turn);
		free(name);
		if (asprintf(&name, "%s.%d%s.csp", program, (int)t->pid, turn_text) < 0)
			return -ENOMEM;
		err = create_file(dir, name, &fd);
	}
	if (!err)
		err = write_csp(fd, paths, t, event);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (err && fd >= 0)
		unlinkat(dir, name, 0);
	if (err)
		free(name);
	else
		*ret = name;
	return err;
}
