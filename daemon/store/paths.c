// SPDX-License-Identifier: GPL-2.0-or-later
/* paths.c -- counting of samples in trees of call paths. */
#include "config.h"
#include "daemon/store/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/image/image.h"
#include "daemon/image/jit.h"
#include "daemon/image/kernel.h"
#include "daemon/image/unwind_tables.h"
#include "daemon/store/known_paths.h"
#include "daemon/store/last_paths.h"
#include "daemon/store/path_dir.h"
#include "daemon/store/sample_path.h"
#include "daemon/store/stats.h"
#include "daemon/store/tree_files.h"
#include "libop/base/dir.h"
#include "libop/base/hash.h"
#include "libop/session/path_files.h"
#include "module/uapi/unwind.h"

/* size of the cache opd_paths.known; a power of two */
#define MEMORY		4096

static const struct opd_image more_programs = { .path = "/(more programs)" };

/* Cache entry: the number that an image has in the session's list of images. The members before
 * .number are the key. */
struct known {
	/* address of a struct opd_image or struct opd_kimage, or of a label of anonymous memory;
	 * NULL: unused entry */
	const void *image;
	uint64_t start, end;
	int32_t tgid;
	/* for anonymous memory: value of opd_jit_program() for the process */
	uint32_t program;
	uint32_t number;
};

struct opd_paths {
	const struct opd_config *cfg;
	struct opd_kernel *kernel;
	struct opd_images *images;
	struct opd_stats *stats;
	/* list of processes with JIT code; NULL: JIT code is not recorded */
	struct opd_jit *jit;
	struct opd_tree_files *files;
	struct opd_last_paths *last;
	struct opd_known_paths *known_paths;
	struct known known[MEMORY];
};

int opd_paths_create(struct opd_paths **ret, const struct opd_config *cfg,
		     const struct opd_session *session, struct opd_kernel *kernel,
		     struct opd_images *images, struct opd_stats *stats, struct opd_log *log)
{
	struct opd_paths *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->cfg = cfg;
	p->kernel = kernel;
	p->images = images;
	p->stats = stats;
	p->last = opd_last_paths_create();
	p->known_paths = opd_known_paths_create();
	err = p->last && p->known_paths
		      ? opd_tree_files_create(&p->files, cfg, session, stats, log)
		      : -ENOMEM;
	if (err) {
		opd_known_paths_destroy(p->known_paths);
		opd_last_paths_destroy(p->last);
		free(p);
		return err;
	}
	*ret = p;
	return 0;
}

void opd_paths_destroy(struct opd_paths *p)
{
	if (!p)
		return;
	opd_tree_files_destroy(p->files);
	opd_known_paths_destroy(p->known_paths);
	opd_last_paths_destroy(p->last);
	free(p);
}

void opd_paths_set_jit(struct opd_paths *p, struct opd_jit *jit)
{
	if (p)
		p->jit = jit;
}

bool opd_paths_dirty(const struct opd_paths *p)
{
	return p && opd_tree_files_dirty(p->files);
}

void opd_paths_begin_sync(struct opd_paths *p)
{
	if (p)
		opd_tree_files_begin_sync(p->files);
}

int opd_paths_sync_step(struct opd_paths *p)
{
	return p ? opd_tree_files_sync_step(p->files) : 0;
}

int opd_paths_sync(struct opd_paths *p)
{
	int err;

	opd_paths_begin_sync(p);
	do {
		err = opd_paths_sync_step(p);
	} while (err > 0);
	return err;
}

bool opd_paths_is_closing(const struct opd_paths *p)
{
	return p && opd_tree_files_is_closing(p->files);
}

bool opd_paths_close_step(struct opd_paths *p)
{
	return p && opd_tree_files_close_step(p->files);
}

void opd_paths_close_all(struct opd_paths *p)
{
	if (!p)
		return;
	opd_tree_files_close_all(p->files);
	memset(p->known, 0, sizeof(p->known));
}

/* Describe the image that contains @frame in the form of the session's list of images. The caller
 * frees ret->name.path. */
static int describe(const struct opd_frame *frame, const struct opd_kimage *kimage,
		    const struct known *k, struct op_path_image *ret)
{
	*ret = (struct op_path_image){ .is_kernel = kimage != NULL };
	if (kimage) {
		ret->name.kind = kimage->kind;
		ret->name.path = kimage->kind == OP_IMAGE_ROOT ? opd_clean_path(kimage->name, 0)
							       : strdup(kimage->name);
	} else if (frame->image) {
		ret->name.path = opd_clean_path(frame->image->path, 0);
		ret->identity = frame->image->identity;
		ret->mtime = frame->image->mtime;
	} else {
		ret->name.kind = OP_IMAGE_ANON;
		ret->name.path = strdup(frame->anon.label);
		ret->name.anon_tgid = k->tgid;
		ret->name.anon_start = k->start;
		ret->name.anon_end = k->end;
		ret->name.anon_program = k->program;
	}
	return ret->name.path ? 0 : -ENOMEM;
}

static int number_image(struct opd_paths *p, const struct opd_frame *frame,
			const struct opd_kimage *kimage, struct known *k)
{
	struct op_path_image image;
	int err = describe(frame, kimage, k, &image);

	if (!err)
		err = opd_tree_files_image(p->files, &image, &k->number);
	free(image.name.path);
	if (err)
		return err;
	/* Mark the image as used, even if it occurs only in call paths, so that its symbols are
	 * stored. */
	if (frame->image)
		opd_images_use(p->images, frame->image);
	else if (!kimage)
		opd_jit_note(p->jit, k->tgid, NULL);
	return 0;
}

static int image_number(struct opd_paths *p, const struct opd_frame *frame,
			const struct opd_kimage *kimage, pid_t tgid, uint32_t *number)
{
	struct known k = { .image = kimage ? (const void *)kimage : (const void *)frame->image };
	struct known *at;
	int err;

	if (!k.image)
		k = (struct known){.image = frame->anon.label,
				   .start = frame->anon.start,
				   .end = frame->anon.end,
				   .tgid = tgid,
				   .program = opd_jit_program(p->jit, tgid)};
	at = &p->known[(op_hash_number(op_hash_number(OP_HASH_BEGIN, (uintptr_t)k.image), k.start) ^
			(uint32_t)k.tgid) %
		       MEMORY];
	if (at->image != k.image || at->start != k.start || at->end != k.end ||
	    at->tgid != k.tgid || at->program != k.program) {
		err = number_image(p, frame, kimage, &k);
		if (err)
			return err;
		*at = k;
	}
	*number = at->number;
	return 0;
}

/* Return the offset of the start of the function that contains the frame, or the frame's own
 * offset if the unwind table of the file is not loaded. Set *@loaded to true if it is loaded. */
static uint64_t function_of(struct opd_paths *p, const struct opd_frame *f, bool *loaded)
{
	struct opd_unwind_tables *tables = opd_images_unwind(p->images);
	const struct cfi_file *file = tables ? opd_unwind_tables_get(tables, f->image)->file : NULL;

	*loaded = file != NULL;
	return file ? cfi_file_function(file, f->offset) : f->offset;
}

/* Set *@number to the number of a frame, which depends on the frame's image and offset. Set
 * *@settled to true if the frame keeps this number while the generations in the key of find_last()
 * stay the same. */
static int frame_number(struct opd_paths *p, const struct opd_frame *f, pid_t tgid,
			uint32_t *number, bool *settled)
{
	const struct opd_kimage *kimage = NULL;
	struct frame frame = { .offset = f->offset, .how = f->how };
	int err;

	*settled = true;
	if (f->domain == OPD_KERNEL) {
		const struct opd_krange *r = opd_kernel_find(p->kernel, f->offset);

		kimage = r->image;
		*settled = r->certain;
		/* The kernel hides its addresses from this user, so the file must not contain a
		 * kernel address. */
		frame.offset = opd_kernel_hidden(p->kernel) ? 0 : f->offset - r->base;
		frame.how = OPROFILE_UW_HOW_KERNEL;
	} else if (f->domain == OPD_USER_ANON) {
		frame.offset -= f->anon.start;
	} else if (p->cfg->paths.by_function) {
		/* If the unwind table, which contains the starts of functions, is loaded later, the
		 * frame gets another number. */
		frame.offset = function_of(p, f, settled);
	}
	err = image_number(p, f, kimage, tgid, &frame.image);
	return err ? err : opd_tree_files_frame(p->files, &frame, number);
}

/* Replace *@node, the number of a node, by the number of the node's child for @frame, and create
 * the child if it is missing. If @err is not 0 or the child cannot be created, set *@node to the
 * node at which the sample must be counted instead, and return false. */
static bool enter_child(struct opd_tree *t, const struct tree *tree, uint32_t *node, uint32_t frame,
			int err)
{
	uint32_t child;

	if (!err)
		err = opd_tree_files_child(t, *node, frame, &child);
	*node = err ? tree_folded_above(tree, *node) : child;
	return !err;
}

/* Return the cached call path of the sample's thread. The path is empty if its cached nodes are not
 * nodes of @tree. */
static struct opd_last_path *find_last(struct opd_paths *p, const struct tree *tree,
				       const struct opd_context *ctx, const struct opd_path *path)
{
	const struct opd_last_path_key key = {
		.tree = tree,
		.trees = opd_tree_files_generation(p->files),
		.kernel = opd_kernel_generation(p->kernel),
		.program = opd_jit_program(p->jit, ctx->tgid),
		.tgid = ctx->tgid,
		.tid = ctx->tid,
		.end = path->end,
	};

	return opd_last_paths_find(p->last, &key);
}

/* Append the frames of the sample that @last does not contain to @last, with unknown nodes. @same:
 * number of outermost frames that @last contains. */
static void add_new_frames(struct opd_paths *p, struct opd_last_path *last, size_t same,
			   const struct opd_path *path, const struct opd_frame *leaf)
{
	const struct opd_known_process process = { last->key.tgid, last->key.program };
	uint64_t hash;

	if (same) {
		hash = last->steps[same - 1].hash;
	} else {
		const struct opd_known_root root = {
			.tree = tree_id(last->key.tree),
			.kernel = last->key.kernel,
			.end = last->key.end,
		};

		hash = opd_known_paths_begin(p->known_paths, &root);
	}
	for (size_t i = same; i <= path->nr; i++) {
		const struct opd_frame *frame = i < path->nr ? &path->frames[i] : leaf;

		hash = opd_known_paths_enter(p->known_paths, hash, frame, &process);
		opd_last_path_set(last, i, frame, 0);
		if (i >= last->nr)
			return;
		last->steps[i].hash = hash;
	}
}

/* Return the number of outermost frames, at most @nr, that already have a node, and set *@node to
 * the node of the innermost one of these frames. */
static size_t find_known(const struct opd_paths *p, const struct opd_last_path *last, size_t nr,
			 uint32_t *node)
{
	size_t i = nr < last->nr ? nr : last->nr;

	for (; i; i--) {
		const struct opd_last_step *step = &last->steps[i - 1];

		*node = step->node ? step->node : opd_known_paths_find(p->known_paths, step->hash);
		if (*node)
			break;
	}
	return i;
}

/* Store the node of frame number @i of the sample. @settled: see frame_number(). */
static void remember(struct opd_paths *p, struct opd_last_path *last, size_t i, uint32_t node,
		     bool settled)
{
	if (i >= last->nr)
		return;
	if (!settled) {
		last->nr = i;
		return;
	}
	last->steps[i].node = node;
	opd_known_paths_set(p->known_paths, last->steps[i].hash, node);
}

static uint32_t find_node(struct opd_paths *p, struct opd_tree *t, const struct tree *tree,
			  const struct opd_context *ctx, const struct opd_sample *sample)
{
	static const struct opd_path none = { .end = OPROFILE_UW_NOT_TAKEN };
	const struct opd_path *path = ctx->path ? ctx->path : &none;
	const struct opd_frame leaf = {
		.offset = sample->offset,
		.domain = ctx->domain == OPD_GUEST ? OPD_USER_ANON : ctx->domain,
		.image = ctx->image,
		.anon = ctx->domain == OPD_GUEST ? (struct opd_anon){.label = "[guest]"}
						 : ctx->anon,
	};
	struct opd_last_path *last = find_last(p, tree, ctx, path);
	size_t same = opd_last_path_same(last, path, &leaf), known;
	uint32_t node = TREE_ROOT, number = 0;
	bool settled;
	int err;

	if (same <= path->nr)
		add_new_frames(p, last, same, path, &leaf);
	known = find_known(p, last, path->nr + 1, &node);
	if (!known && path->end != OPROFILE_UW_WHOLE) {
		const struct frame end = { .how = (uint16_t)(OPROFILE_UW_HOW_ENDS + path->end) };

		err = opd_tree_files_frame(p->files, &end, &number);
		if (!enter_child(t, tree, &node, number, err))
			return node;
	}
	for (size_t i = known; i <= path->nr; i++) {
		const struct opd_frame *frame = i < path->nr ? &path->frames[i] : &leaf;

		err = frame_number(p, frame, ctx->tgid, &number, &settled);
		if (!enter_child(t, tree, &node, number, err))
			return node;
		remember(p, last, i, node, settled);
	}
	return node;
}

/* Find the tree of the sample's program, and open it if necessary. Return NULL if it cannot be
 * opened now. */
static struct opd_tree *find_tree(struct opd_paths *p, const struct opd_context *ctx,
				  uint32_t event, const int32_t ids[3], bool elsewhere)
{
	struct opd_tree_key key = { .event = event, .tgid = ids[0], .tid = ids[1], .cpu = ids[2] };
	const struct opd_kimage *kimage = NULL;
	const struct opd_image *app = elsewhere ? &more_programs : ctx->app ? ctx->app : ctx->image;
	struct opd_tree *t = NULL;
	char *path;

	if (p->cfg->set.separate & OP_SEPARATE_UNIT)
		key.unit = ctx->unit;
	if (elsewhere) {
		key.tgid = key.tid = OP_ALL;
		key.unit = NULL;
	}
	if (!app) {
		kimage = opd_kernel_core(p->kernel);
		key.kind = kimage->kind;
	}
	key.app = app ? (const void *)app : (const void *)kimage;
	t = opd_tree_files_find(p->files, &key);
	if (t)
		return t;
	path = app			       ? opd_clean_path(app->path, 0)
	       : kimage->kind == OP_IMAGE_ROOT ? opd_clean_path(kimage->name, 0)
					       : strdup(kimage->name);
	key.path = path;
	if (!path || opd_tree_files_open(p->files, &key, &t))
		t = NULL;
	free(path);
	return t;
}

void opd_paths_add(struct opd_paths *p, const struct opd_context *ctx,
		   const struct opd_sample *sample, uint64_t count, const int32_t ids[3],
		   bool elsewhere)
{
	unsigned int end = ctx->path ? ctx->path->end : OPROFILE_UW_NOT_TAKEN;
	struct opd_tree *t;
	struct tree *tree;

	if (!p || !count)
		return;
	opd_tree_files_for(p->files, ctx->tgid, ctx->app ? ctx->app->identity.owner : 0);
	t = find_tree(p, ctx, sample->event, ids, elsewhere);
	tree = t ? opd_tree_files_use(p->files, t) : NULL;
	if (!tree || tree_add(tree, find_node(p, t, tree, ctx, sample), count)) {
		p->stats->v[OPD_STAT_PATHS_LOST] += count;
		return;
	}
	p->stats->v[OPD_STAT_PATHS] += count;
	p->stats->v[OPD_STAT_PATH_END(end)] += count;
}
