// SPDX-License-Identifier: GPL-2.0-or-later
/* tree_folding.c -- folding of a tree of call paths: writes the file of the smaller tree. */
#include "config.h"
#include "daemon/store/tree_folding.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/session.h"
#include "daemon/store/sample_path.h"
#include "libop/session/path_files.h"

#define NEW_TREE	OP_PATHS_DIR "/new"
/* a tree with at most this many nodes is folded in one step, which takes a few hundredths of a
 * second */
#define SMALL		65536
/*
 * Number of node visits per step. The folding needs five visits of each node of the tree, so it is
 * complete before the number of new samples reaches a hundredth of the number of nodes. A step
 * takes less than half a millisecond.
 */
#define WORK		512

struct opd_tree_folding {
	const struct opd_session *session;
	struct tree_fold *fold;
	struct tree *to;
	uint32_t work;
};

int opd_tree_folding_begin(struct opd_tree_folding **ret, const struct opd_session *session,
			   const struct tree *from, uint64_t generation)
{
	struct opd_tree_folding *f = calloc(1, sizeof(*f));
	int fd, err;

	if (!f)
		return -ENOMEM;
	f->session = session;
	f->work = tree_end(from) <= SMALL ? UINT32_MAX : WORK;
	unlinkat(session->current_fd, NEW_TREE, 0);
	fd = opd_make_file(session->current_fd, NEW_TREE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	err = fd < 0 ? -errno : tree_open(&f->to, fd, ODB_WRITE, generation);
	if (err && fd >= 0)
		close(fd);
	if (!err)
		err = tree_fold_begin(&f->fold, f->to, from, tree_end(from) / 2);
	if (err)
		opd_tree_folding_cancel(f);
	else
		*ret = f;
	return err;
}

int opd_tree_folding_step(struct opd_tree_folding *f)
{
	return tree_fold_step(f->fold, f->work);
}

int opd_tree_folding_end(struct opd_tree_folding *f, const char *path, struct tree **ret)
{
	const char *base;
	int dir, err = tree_fold_end(f->fold);

	f->fold = NULL;
	if (!err)
		err = tree_sync(f->to, 1);
	if (!err) {
		dir = opd_open_parent(f->session->current_fd, path, &base, NULL);
		err = dir < 0						      ? dir
		      : renameat(f->session->current_fd, NEW_TREE, dir, base) ? -errno
									      : 0;
		if (dir >= 0)
			close(dir);
	}
	if (err) {
		opd_tree_folding_cancel(f);
		return err;
	}
	*ret = f->to;
	free(f);
	return 0;
}

void opd_tree_folding_cancel(struct opd_tree_folding *f)
{
	if (!f)
		return;
	tree_fold_cancel(f->fold);
	tree_close(f->to);
	unlinkat(f->session->current_fd, NEW_TREE, 0);
	free(f);
}
