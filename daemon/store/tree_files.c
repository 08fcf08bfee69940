// SPDX-License-Identifier: GPL-2.0-or-later
/* tree_files.c -- a session's files of call paths: opens and closes the files, and limits their
 * size. */
#include "config.h"
#include "daemon/store/tree_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/base/log.h"
#include "daemon/base/new_names.h"
#include "daemon/base/session.h"
#include "daemon/base/shares.h"
#include "daemon/store/closing.h"
#include "daemon/store/path_dir.h"
#include "daemon/store/sample_path.h"
#include "daemon/store/stats.h"
#include "daemon/store/tree_images.h"
#include "libop/base/clock.h"
#include "libop/base/id_ranges.h"
#include "libop/session/path_files.h"

#define NEW_TREE	OP_PATHS_DIR "/new"
/* Maximum number of nodes of a tree that is folded (libdb/tree.h) in one step. The step takes a few
 * hundredths of a second. */
#define SMALL		65536
/*
 * Number of tree nodes that one step of a folding visits. Folding visits each node five times, and
 * each new sample causes a step. So the folding of a tree is complete before the number of new
 * samples exceeds a hundredth of the number of its nodes. A step takes less than half a
 * millisecond.
 */
#define WORK		512

struct folding {
	const struct opd_session *session;
	struct tree_fold *fold;
	struct tree *to;
	uint32_t work;
};

/* Cancel the folding of a tree, which reduces the number of its nodes. @f may be NULL. */
static void folding_cancel(struct folding *f)
{
	if (!f)
		return;
	tree_fold_cancel(f->fold);
	tree_close(f->to);
	unlinkat(f->session->current_fd, NEW_TREE, 0);
	free(f);
}

/* Start to fold the tree @from: merge nodes into their callers' nodes until the tree has half of
 * its size. @generation: generation of the file of frames. Return 0 or a negative error. */
static int folding_begin(struct folding **ret, const struct opd_session *session,
			 const struct tree *from, uint64_t generation)
{
	struct folding *f = calloc(1, sizeof(*f));
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
		folding_cancel(f);
	else
		*ret = f;
	return err;
}

/* Do one step of the folding @f, or all steps if the tree is small. Return 1 if further steps are
 * needed, 0 if folding_end() can be called, or a negative error. */
static int folding_step(struct folding *f)
{
	return tree_fold_step(f->fold, f->work);
}

/* Replace the tree's file at @path by the folded tree, and set *@ret to the folded tree. Free @f,
 * also after an error. Return 0 or a negative error. */
static int folding_end(struct folding *f, const char *path, struct tree **ret)
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
		folding_cancel(f);
		return err;
	}
	*ret = f->to;
	free(f);
	return 0;
}

#define MAX_OPEN	OPD_TREES_OPEN
/* size in bytes of a node in a tree's file, and of a frame in the session's file of frames */
#define SLOT		16u
#define MIN_NODES	64u		/* trees with fewer nodes than this are not folded */
/* number of trees to sync or close per step; a step takes less than a millisecond */
#define STEP_TREES	16

struct opd_tree {
	/* must be the first member, because a pointer to it is cast to struct opd_tree */
	struct op_hash_link link;
	struct op_hash_link by_path;
	struct opd_tree_key key;
	struct tree *tree;
	/* resource share of the user for whose process the tree was opened */
	struct opd_share *share;
	char *path;			/* path of the file below the session's directory */
	/* value of tree_end() when the tree's size was last added to .open_nodes */
	uint32_t end;
	/* time before which no node is added to the tree; 0: nodes may be added */
	uint64_t grow_ms;
	/* .used: the tree was used since close_some() last visited it */
	bool used, dirty;
	/* value of opd_tree_files.round when this tree was last synced */
	unsigned int round;
};
#define OF_PATH(link) ((struct opd_tree *)((char *)(link) - offsetof(struct opd_tree, by_path)))

struct opd_tree_files {
	const struct opd_config *cfg;
	struct opd_path_dir dir;

	/* the session's file of frames; NULL: the session's files are not open */
	struct frames *frames;
	struct opd_tree_images images;
	struct op_hash_table trees;
	struct op_hash_table paths;	/* hash table of the open trees, by file name */
	struct opd_shares *shares;
	/* process whose user is charged for new images and frames */
	int32_t tgid;
	/* owner of the file of the program that process .tgid executes */
	uint32_t owner;
	/* maximum number of frames in the session's file of frames */
	uint32_t max_frames;
	uint64_t closed_bytes;		/* size in bytes of all trees that are not open */
	uint64_t open_nodes;
	uint64_t generation;		/* the value that opd_tree_files_generation() returns */
	unsigned long made;		/* number of trees in the session */
	/* folding in progress, of the tree .folded; NULL: no tree is being folded */
	struct folding *folding;
	struct opd_tree *folded;
	/* opd_tree_files_use() continues to fold trees until enough disk space is free */
	bool makes_room;
	/* times before which an operation that has failed is not retried: .retry_ms: opening the
	 * files; .fold_ms: folding a tree; .make_ms: creating a tree; .frame_ms: adding frames */
	uint64_t retry_ms, fold_ms, make_ms, frame_ms;
	bool dirty;
	struct opd_closing closing;	/* trees that are no longer used and wait to be closed */
	unsigned int round;		/* number of syncs that were started */
	int sync_error;			/* first error of the current sync, or 0 */
};

int opd_tree_files_create(struct opd_tree_files **ret, const struct opd_config *cfg,
			  const struct opd_session *session, struct opd_stats *stats,
			  struct opd_log *log)
{
	struct opd_tree_files *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->shares = opd_shares_create("/proc", OP_SUBUID);
	if (!f->shares || op_hash_init(&f->trees) || op_hash_init(&f->paths)) {
		op_hash_release(&f->trees);
		opd_shares_destroy(f->shares);
		free(f);
		return -ENOMEM;
	}
	f->cfg = cfg;
	f->dir = (struct opd_path_dir){ session, stats, log };
	*ret = f;
	return 0;
}

static void cancel_fold(struct opd_tree_files *f)
{
	folding_cancel(f->folding);
	f->folding = NULL;
	f->folded = NULL;
}

static void close_tree(struct opd_tree_files *f, struct opd_tree *t)
{
	if (f->folded == t)
		cancel_fold(f);
	f->generation++;
	f->open_nodes -= t->end;
	f->closed_bytes += (uint64_t)t->end * SLOT;
	opd_closing_add(&f->closing, &(struct opd_closing_file){ NULL, t->tree, t->dirty });
	op_hash_remove(&f->paths, &t->by_path);
	free(t->path);
	free(t);
}

static bool close_link(struct op_hash_link *link, void *arg)
{
	close_tree(arg, (struct opd_tree *)link);
	return true;
}

/* Reset the numbers of frames and image bytes that a user has used, because the new session is
 * empty. The limit of new images per time is not reset. */
static void forget_share(struct opd_share *share, void *arg)
{
	(void)arg;
	share->frames = share->image_bytes = 0;
}

void opd_tree_files_close_all(struct opd_tree_files *f)
{
	opd_shares_for_each(f->shares, forget_share, NULL);
	op_hash_filter(&f->trees, close_link, f);
	opd_tree_images_close(&f->images);
	frames_close(f->frames);
	f->frames = NULL;
	f->generation++;
	f->closed_bytes = f->made = f->retry_ms = f->fold_ms = f->make_ms = f->frame_ms = 0;
	f->dirty = f->makes_room = false;
}

void opd_tree_files_destroy(struct opd_tree_files *f)
{
	if (!f)
		return;
	opd_tree_files_close_all(f);
	opd_closing_release(&f->closing);
	op_hash_release(&f->trees);
	op_hash_release(&f->paths);
	opd_shares_destroy(f->shares);
	free(f);
}

/* Open the session's file of frames and its list of images. */
static int open_session_files(struct opd_tree_files *f)
{
	int err;

	if (f->frames)
		return 0;
	if (op_now_ms() < f->retry_ms)
		return -EAGAIN;
	err = opd_path_dir_frames(&f->dir, &f->frames);
	f->max_frames = (uint32_t)(f->cfg->paths.limit / 2 / SLOT);
	if (!err)
		err = opd_tree_images_open(&f->images, f->dir.session->current_fd, f->frames,
					   f->cfg->paths.limit / 4);
	if (err) {
		frames_close(f->frames);
		f->frames = NULL;
		f->retry_ms = op_now_ms() + OPD_AGAIN_MS;
		opd_log(f->dir.log, OPD_ERROR, "cannot open the files of call paths: %s",
			odb_strerror(err));
		return err;
	}
	opd_path_dir_add_up(&f->dir, &f->closed_bytes, &f->made);
	return 0;
}

static uint64_t hash_of(const struct opd_tree_key *key)
{
	uint64_t h = op_hash_number(OP_HASH_BEGIN, (uintptr_t)key->app);

	h = op_hash_number(h, (uintptr_t)key->unit);
	h = op_hash_number(h, (uint64_t)key->event << 32 | (uint32_t)key->cpu);
	return op_hash_number(h, (uint64_t)(uint32_t)key->tgid << 32 | (uint32_t)key->tid);
}

struct opd_tree *opd_tree_files_find(struct opd_tree_files *f, const struct opd_tree_key *key)
{
	struct op_hash_link *link;

	for (link = op_hash_first(&f->trees, hash_of(key)); link; link = op_hash_next(link)) {
		struct opd_tree *t = (struct opd_tree *)link;

		if (t->key.app == key->app && t->key.unit == key->unit &&
		    t->key.event == key->event &&
		    t->key.cpu == key->cpu && t->key.tgid == key->tgid && t->key.tid == key->tid) {
			t->used = true;
			return t;
		}
	}
	return NULL;
}

/* Find an open tree by its file name. Two keys have the same file if two containers have programs
 * with the same path. */
static struct opd_tree *find_path(struct opd_tree_files *f, const char *path)
{
	struct op_hash_link *link = op_hash_first(&f->paths, op_hash_text(OP_HASH_BEGIN, path));

	while (link && strcmp(OF_PATH(link)->path, path))
		link = op_hash_next(link);
	return link ? OF_PATH(link) : NULL;
}

struct sweep {
	struct opd_tree_files *f;
	size_t left;
};

static bool close_unused(struct op_hash_link *link, void *arg)
{
	struct opd_tree *t = (struct opd_tree *)link;
	struct sweep *s = arg;

	if (!s->left || t->used) {
		t->used = false;
		return false;
	}
	s->left--;
	close_tree(s->f, t);
	return true;
}

/* Close some of the trees that were not used since close_some() last visited them (second chance
 * algorithm). If all trees were used, the first pass clears their flags, and the second pass closes
 * some trees. */
static void close_some(struct opd_tree_files *f)
{
	struct sweep s = { f, MAX_OPEN / 8 };

	for (int i = 0; i < 2 && s.left; i++)
		op_hash_filter(&f->trees, close_unused, &s);
	opd_closing_release(&f->closing);
}

static int name_of(const struct opd_tree_files *f, const struct opd_tree_key *key, char **path)
{
	const struct op_event_spec *event = &f->cfg->events[key->event];
	struct op_sample_name name = {
		.app = { .kind = (enum op_image_kind)key->kind, .path = (char *)key->path,
			 .unit = (char *)key->unit },
		.event = (char *)event->name, .count = event->count, .um = event->um,
		.tgid = key->tgid, .tid = key->tid, .cpu = key->cpu,
	};

	return op_tree_name(path, &name);
}

int opd_tree_files_open(struct opd_tree_files *f, const struct opd_tree_key *key,
			struct opd_tree **ret)
{
	bool allowed, may_make, made = false;
	struct opd_tree *t;
	char *path;
	int err = open_session_files(f);

	if (!err)
		err = name_of(f, key, &path);
	if (err)
		return err;
	*ret = find_path(f, path);
	if (*ret) {
		free(path);
		return 0;
	}
	if (f->trees.nr + f->closing.nr >= MAX_OPEN)
		opd_closing_release(&f->closing);
	if (f->trees.nr >= MAX_OPEN)
		close_some(f);
	allowed = f->made < f->cfg->set.max_files;
	may_make = allowed && op_now_ms() >= f->make_ms;
	t = calloc(1, sizeof(*t));
	err = t ? opd_path_dir_tree(&f->dir, path, frames_generation(f->frames), may_make, &t->tree,
				    &made)
		: -ENOMEM;
	/* also count a file that was created but could not be opened */
	f->made += made;
	if (!err && made)
		opd_new_names_add(f->dir.session->new_names, path);
	if (err) {
		if (may_make)
			f->make_ms = opd_again_ms(err);
		else if (allowed)
			err = -EAGAIN;
		free(t);
		free(path);
		return err;
	}
	t->key = *key;
	t->key.path = NULL;
	t->path = path;
	t->share = opd_shares_find(f->shares, f->tgid, f->owner);
	t->end = tree_end(t->tree);
	t->used = true;
	f->open_nodes += t->end;
	f->closed_bytes -= f->closed_bytes < (uint64_t)t->end * SLOT ? f->closed_bytes
								     : (uint64_t)t->end * SLOT;
	op_hash_add(&f->trees, &t->link, hash_of(key));
	op_hash_add(&f->paths, &t->by_path, op_hash_text(OP_HASH_BEGIN, path));
	*ret = t;
	return 0;
}

void opd_tree_files_for(struct opd_tree_files *f, int32_t tgid, uint32_t owner)
{
	f->tgid = tgid;
	f->owner = owner;
}

int opd_tree_files_image(struct opd_tree_files *f, const struct op_path_image *image,
			 uint32_t *number)
{
	int err = opd_tree_images_find(&f->images, image, number);

	if (err == -EAGAIN)
		err = opd_tree_images_add(&f->images, image,
					  opd_shares_find(f->shares, f->tgid, f->owner), number);
	return err;
}

int opd_tree_files_frame(struct opd_tree_files *f, const struct frame *frame, uint32_t *number)
{
	uint32_t end = frames_end(f->frames);
	struct opd_share *share;
	int err;

	frames_limit(f->frames, end);
	err = frames_number(f->frames, frame, number);
	if (err != -EFBIG || end >= f->max_frames || (f->frame_ms && op_now_ms() < f->frame_ms))
		return err;
	share = opd_shares_find(f->shares, f->tgid, f->owner);
	if (!opd_share_may(share, share ? share->frames : 0, f->max_frames - end))
		return err;
	frames_limit(f->frames, end + 1);
	err = frames_number(f->frames, frame, number);
	f->frame_ms = opd_again_ms(err);
	if (share)
		share->frames += !err;
	return err;
}

int opd_tree_files_child(struct opd_tree *t, uint32_t parent, uint32_t frame, uint32_t *number)
{
	int err = tree_child(t->tree, parent, frame, number);
	uint64_t again = opd_again_ms(err);

	if (again) {
		t->grow_ms = again;
		tree_limit(t->tree, tree_end(t->tree));
	}
	return err;
}

uint64_t opd_tree_files_generation(const struct opd_tree_files *f)
{
	return f->generation;
}

static uint64_t bytes(const struct opd_tree_files *f)
{
	return f->closed_bytes + (f->open_nodes + frames_end(f->frames)) * SLOT +
	       op_path_images_size(f->images.list);
}

static void zero_nodes(struct opd_share *share, void *arg)
{
	(void)arg;
	share->nodes = 0;
}

static uint64_t nodes_of(const struct opd_tree *t, uint64_t roots)
{
	return t->share ? t->share->nodes : roots;
}

/* Return the largest tree of the user whose trees have most nodes, among trees that are large
 * enough to be folded, or NULL. */
static struct opd_tree *largest(const struct opd_tree_files *f)
{
	struct opd_tree *ret = NULL;
	struct op_hash_link *link;
	uint64_t roots = 0;
	size_t i;

	opd_shares_for_each(f->shares, zero_nodes, NULL);
	op_hash_for_each(&f->trees, i, link) {
		struct opd_tree *t = (struct opd_tree *)link;

		*(t->share ? &t->share->nodes : &roots) += t->end;
	}
	op_hash_for_each(&f->trees, i, link) {
		struct opd_tree *t = (struct opd_tree *)link;

		if (t->end >= MIN_NODES &&
		    (!ret || nodes_of(t, roots) > nodes_of(ret, roots) ||
		     (nodes_of(t, roots) == nodes_of(ret, roots) && t->end > ret->end)))
			ret = t;
	}
	return ret;
}

static int end_folding(struct opd_tree_files *f)
{
	struct folding *folding = f->folding;
	struct opd_tree *t = f->folded;
	struct tree *to = NULL;
	int err;

	f->folding = NULL;
	f->folded = NULL;
	err = folding_end(folding, t->path, &to);
	if (err)
		return err;
	opd_new_names_add(f->dir.session->new_names, t->path);
	tree_close(t->tree);
	t->tree = to;
	f->generation++;
	f->open_nodes -= t->end;
	t->end = tree_end(to);
	f->open_nodes += t->end;
	f->dir.stats->v[OPD_STAT_FOLDINGS]++;
	return 0;
}

/* Do one step of folding a tree. Return 1 if the folding needs further steps and the caller should
 * do other work first, 0 if a tree was folded, or a negative error. */
static int fold_on(struct opd_tree_files *f)
{
	int err = 0;

	if (!f->folding) {
		f->folded = largest(f);
		/* no tree has enough nodes to be folded */
		if (!f->folded)
			return -EFBIG;
		err = folding_begin(&f->folding, f->dir.session, f->folded->tree,
					     frames_generation(f->frames));
	}
	if (!err)
		err = folding_step(f->folding);
	if (err)
		return err;
	return end_folding(f);
}

/* Fold trees until a quarter of the limit of the session's call paths is free. Return early if a
 * folding needs further steps. */
static void make_room(struct opd_tree_files *f)
{
	uint64_t want = f->cfg->paths.limit - f->cfg->paths.limit / 4;
	int err = 0;

	if (op_now_ms() < f->fold_ms)
		return;
	while (!err && (f->folding || bytes(f) > want))
		err = fold_on(f);
	f->makes_room = err > 0;
	if (err >= 0)
		return;
	cancel_fold(f);
	f->fold_ms = op_now_ms() + OPD_AGAIN_MS;
	if (err != -EFBIG)
		opd_log(f->dir.log, OPD_WARN, "cannot merge rare call paths to save disk space: "
					      "%s", odb_strerror(err));
}

struct tree *opd_tree_files_use(struct opd_tree_files *f, struct opd_tree *t)
{
	uint64_t limit = f->cfg->paths.limit, now;
	uint32_t end = tree_end(t->tree);

	f->open_nodes += end - t->end;
	t->end = end;
	/* Start to fold trees before the limit is reached, because samples that arrive during the
	 * folding also need space. */
	if (f->makes_room || bytes(f) >= limit - limit / 16)
		make_room(f);
	if (t->grow_ms && op_now_ms() >= t->grow_ms)
		t->grow_ms = 0;
	now = bytes(f);
	tree_limit(t->tree,
		   t->end + (uint32_t)(now < limit && !t->grow_ms ? (limit - now) / SLOT : 0));
	f->dirty = t->dirty = true;
	return t->tree;
}

bool opd_tree_files_dirty(const struct opd_tree_files *f)
{
	return f && f->dirty;
}

void opd_tree_files_begin_sync(struct opd_tree_files *f)
{
	f->round++;
	f->sync_error = f->dirty && f->frames ? frames_sync(f->frames, 0) : 0;
	f->dirty = false;
}

int opd_tree_files_sync_step(struct opd_tree_files *f)
{
	struct op_hash_link *link;
	size_t i, nr = 0;

	op_hash_for_each(&f->trees, i, link) {
		struct opd_tree *t = (struct opd_tree *)link;
		int err;

		if (!t->dirty || t->round == f->round || nr == STEP_TREES)
			continue;
		err = tree_sync(t->tree, 0);
		if (err && !f->sync_error)
			f->sync_error = err;
		t->round = f->round;
		t->dirty = false;
		nr++;
	}
	return nr == STEP_TREES ? 1 : f->sync_error;
}

bool opd_tree_files_is_closing(const struct opd_tree_files *f)
{
	return f->closing.nr != 0;
}

bool opd_tree_files_close_step(struct opd_tree_files *f)
{
	opd_closing_step(&f->closing, STEP_TREES);
	return opd_tree_files_is_closing(f);
}
