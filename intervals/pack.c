// SPDX-License-Identifier: GPL-2.0-or-later
/* pack.c -- converts a samples directory to an interval. */
#include "config.h"
#include "intervals/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intervals/gaps.h"
#include "intervals/jit_lines.h"
#include "intervals/private.h"
#include "libdb/frames.h"
#include "libdb/odb.h"
#include "libdb/tree.h"
#include "libop/base/dir.h"
#include "libop/base/error.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/session/build_ids.h"
#include "libop/session/path_files.h"
#include "libop/session/paths.h"
#include "libop/session/recover.h"
#include "libop/session/sample_header.h"

#define OPEN_DIR	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
/* maximum number of directories that pack.c has open at a time */
#define MAX_OPEN	32
/* size limit of files that are stored unchanged, in bytes */
#define MAX_SMALL_FILE	(64u << 20)
#define SETTINGS_FILE	OP_STATS_DIR "/settings"

struct pack {
	struct itv *v;
	int samples_dirfd;
	struct op_build_ids build_ids;
	struct op_path_images path_images;
	/* the session's file of frames; NULL: the session has no call paths */
	struct frames *frames;
	/* for each image and each frame of the session: its index in the interval + 1; 0: not added
	 * yet */
	uint32_t *image_indices, *frame_indices;
	uint32_t frames_end;
	bool has_unreadable;		/* a file could not be read, so its samples are lost */
	/* path of the file that is being read, relative to the samples directory */
	char path[PATH_MAX];
	size_t len;
	int depth;
};

/* The type of the functions that read the files of one kind. The function closes @fd. */
typedef int pack_file_fn(struct pack *p, int fd);

static int copy_name(struct op_image_name *ret, const struct op_image_name *name)
{
	*ret = *name;
	ret->path = strdup(name->path);
	ret->unit = name->unit ? strdup(name->unit) : NULL;
	if (ret->path && (ret->unit || !name->unit))
		return 0;
	free(ret->path);
	free(ret->unit);
	return -ENOMEM;
}

/* Set the build-id of the image if the session has stored this build's build-id. */
static int add_build_id(const struct pack *p, struct itv_image *image)
{
	const struct op_build_id *ids;
	size_t nr = op_build_ids_find(&p->build_ids, image->image.name.path, &ids);

	for (size_t i = 0; i < nr; i++) {
		if (op_identity_of_build_id(ids[i].id, ids[i].len) != image->image.identity.build)
			continue;
		image->build_id = malloc(ids[i].len);
		if (!image->build_id)
			return -ENOMEM;
		memcpy(image->build_id, ids[i].id, ids[i].len);
		image->build_id_len = ids[i].len;
		return 0;
	}
	return 0;
}

/* Append a copy of @image to the interval, and set *@ret to its index. itv_sort() later joins
 * images that are equal. */
static int add_image(struct pack *p, const struct op_path_image *image, uint32_t *ret)
{
	struct itv *v = p->v;
	struct itv_image added = { .image = *image };
	int err = op_grow(&v->images, v->nr_images);

	if (!err)
		err = copy_name(&added.image.name, &image->name);
	if (err)
		return err;
	*ret = v->nr_images;
	v->images[v->nr_images++] = added;
	return add_build_id(p, &v->images[*ret]);
}

static int add_event(struct itv *v, const struct op_sample_name *name,
		     const struct op_sample_header *h, uint32_t *ret)
{
	struct itv_event event = { .name = name->event, .count = name->count, .um = name->um };

	/* Set the members that only the header of a sample file contains; files of call-path trees
	 * have no header. */
	if (h) {
		event.cpu_type = h->cpu_type;
		event.ctr_event = h->ctr_event;
		event.cpu_speed = h->cpu_speed;
	}
	for (uint32_t i = 0; i < v->nr_events; i++) {
		if (itv_compare_events(&v->events[i], &event))
			continue;
		itv_join_event(&v->events[i], &event);
		*ret = i;
		return 0;
	}
	if (op_grow(&v->events, v->nr_events))
		return -ENOMEM;
	event.name = strdup(name->event);
	if (!event.name)
		return -ENOMEM;
	*ret = v->nr_events;
	v->events[v->nr_events++] = event;
	return 0;
}

static int add_cells(struct pack *p, struct odb *db, uint32_t *nr)
{
	struct itv *v = p->v;
	uint32_t end = odb_nr_nodes(db);

	*nr = 0;
	for (uint32_t i = odb_next_node(db, 0); i < end; i = odb_next_node(db, i + 1)) {
		struct itv_cell cell;
		uint32_t count;

		odb_node(db, i, &cell.key, &count);
		if (!count)
			continue;
		if (v->nr_cells == UINT32_MAX)
			return -EFBIG;
		if (op_grow(&v->cells, v->nr_cells))
			return -ENOMEM;
		cell.count = count;
		v->cells[v->nr_cells++] = cell;
		++*nr;
	}
	return 0;
}

/* Return the image to which the addresses in a sample file belong. The image's path belongs to
 * @name. */
static struct op_path_image image_of_file(const struct op_sample_name *name,
					  const struct op_sample_header *h)
{
	return (struct op_path_image){
		.name = name->image, .identity = { h->build, h->owner },
		.mtime = h->mtime, .is_kernel = h->is_kernel != 0,
	};
}

static int add_group(struct pack *p, const struct op_sample_name *name,
		     const struct op_sample_header *h, struct odb *db)
{
	struct itv *v = p->v;
	struct op_path_image app = { .name = name->app };
	struct op_path_image image = image_of_file(name, h);
	struct itv_group group = {
		.tgid = name->tgid, .tid = name->tid, .cpu = name->cpu, .cell = v->nr_cells,
	};
	int err = op_grow(&v->groups, v->nr_groups);

	if (!err)
		err = add_image(p, &app, &group.app);
	if (!err && name->woken) {
		v->images[group.app].woken = strdup(name->woken);
		err = v->images[group.app].woken ? 0 : -ENOMEM;
	}
	if (!err)
		err = add_image(p, &image, &group.image);
	if (!err)
		err = add_event(v, name, h, &group.event);
	if (!err)
		err = add_cells(p, db, &group.nr_cells);
	if (!err)
		v->groups[v->nr_groups++] = group;
	return err;
}

/* Return whether the file may be readable later although reading it failed with @err. Such a file
 * must not be skipped: a session is deleted after it was packed, so the samples would be lost. */
static bool is_passing(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -EAGAIN ||
	       err == -EINTR || err == -ENOSPC;
}

/* Read a sample file: call @add for its contents. If the file cannot be read, skip it; its samples
 * then count as lost. */
static int read_samples(struct pack *p, int fd,
			int (*add)(struct pack *p, const struct op_sample_name *name,
				   const struct op_sample_header *h, struct odb *db))
{
	struct op_sample_name name;
	struct op_sample_header h;
	struct odb *db;
	int err = op_unmangle(&name, p->path);

	if (err) {
		close(fd);
		p->has_unreadable = true;
		return is_passing(err) ? err : 0;
	}
	err = name.callee.path ? ODB_ERR_EMPTY : odb_open(&db, fd, sizeof(h), ODB_READ, NULL);
	if (err) {
		close(fd);
		op_sample_name_release(&name);
		p->has_unreadable |= err != ODB_ERR_EMPTY;
		return is_passing(err) ? err : 0;
	}
	h = *(struct op_sample_header *)odb_header(db);
	if (op_sample_header_check(&h))
		p->has_unreadable = true;
	else
		err = add(p, &name, &h, db);
	odb_close(db);
	op_sample_name_release(&name);
	return err;
}

static int pack_samples(struct pack *p, int fd)
{
	return read_samples(p, fd, add_group);
}

static int add_image_of_file(struct pack *p, const struct op_sample_name *name,
			     const struct op_sample_header *h, struct odb *db)
{
	struct op_path_image image = image_of_file(name, h);
	uint32_t index;

	(void)db;
	return add_image(p, &image, &index);
}

static int pack_image(struct pack *p, int fd)
{
	return read_samples(p, fd, add_image_of_file);
}

static int image_of_frame(struct pack *p, uint32_t number, uint32_t *ret)
{
	const struct op_path_image *image = op_path_image(&p->path_images, number);
	uint32_t index;
	int err;

	*ret = 0;
	if (!image)
		return 0;
	if (!p->image_indices[number - 1]) {
		err = add_image(p, image, &index);
		if (err)
			return err;
		p->image_indices[number - 1] = index + 1;
	}
	*ret = p->image_indices[number - 1];
	return 0;
}

/* Set *@ret to the number that frame @number of the session has in the interval. */
static int frame_number(struct pack *p, uint32_t number, uint32_t *ret)
{
	struct itv *v = p->v;
	struct itv_frame added = { 0 };
	struct frame frame;
	int err = 0;

	*ret = number == FRAME_FOLDED ? ITV_FRAME_FOLDED : ITV_FRAME_LOST;
	if (number == FRAME_FOLDED || number == FRAME_LOST)
		return 0;
	/* A power failure destroyed the frame: keep the path, with an unknown frame instead. */
	if (!frames_get(p->frames, number, &frame))
		frame = (struct frame){ 0 };
	if (number < p->frames_end && p->frame_indices[number]) {
		*ret = ITV_FRAME_FIRST + p->frame_indices[number] - 1;
		return 0;
	}
	added.offset = frame.offset;
	added.how = frame.how;
	err = image_of_frame(p, frame.image, &added.image);
	if (!err)
		err = op_grow(&v->frames, v->nr_frames);
	if (err)
		return err;
	*ret = ITV_FRAME_FIRST + v->nr_frames;
	v->frames[v->nr_frames++] = added;
	if (number < p->frames_end)
		p->frame_indices[number] = v->nr_frames;
	return 0;
}

/* The children of each node of a libdb tree, as linked lists. A link is a node number; 0 ends a
 * list. */
struct links {
	uint32_t *first, *next;
	uint32_t end;
};

static int link_nodes(struct links *l, const struct tree *tree, uint64_t *lost)
{
	struct tree_node node;
	bool *has_path;

	l->end = tree_end(tree);
	l->first = calloc(l->end + 1ul, sizeof(*l->first));
	l->next = calloc(l->end + 1ul, sizeof(*l->next));
	has_path = calloc(l->end + 1ul, sizeof(*has_path));
	if (!l->first || !l->next || !has_path) {
		free(has_path);
		return -ENOMEM;
	}
	has_path[TREE_ROOT] = true;
	for (uint32_t i = TREE_FIRST; i < l->end; i++) {
		if (!tree_node(tree, i, &node))
			continue;
		has_path[i] = has_path[node.parent];
		if (!has_path[i]) {
			*lost += node.count;
			continue;
		}
		l->next[i] = l->first[node.parent];
		l->first[node.parent] = i;
	}
	free(has_path);
	return 0;
}

static int append_node(struct itv *v, uint32_t frame, uint64_t count)
{
	if (v->nr_nodes == UINT32_MAX)
		return -EFBIG;
	if (op_grow(&v->nodes, v->nr_nodes))
		return -ENOMEM;
	v->nodes[v->nr_nodes++] = (struct itv_node){ .frame = frame, .count = count };
	return 0;
}

/* A node on the path from the root to the current node, on the stack of append_nodes(). */
struct step {
	uint32_t number;		/* number of the node in the session's tree */
	uint32_t index;			/* index of the node in the interval */
};

/* Append the tree's nodes below the root to the interval, in depth-first order. @stack must have an
 * element for each node of the tree. */
static int append_nodes(struct pack *p, const struct tree *tree, const struct links *l,
			struct step *stack, uint32_t *nr_roots)
{
	struct itv *v = p->v;
	uint32_t depth = 0, at = l->first[TREE_ROOT];
	struct tree_node node;
	uint32_t frame;
	int err = 0;

	while (!err && (at || depth)) {
		if (!at) {
			at = l->next[stack[--depth].number];
			continue;
		}
		tree_node(tree, at, &node);
		err = frame_number(p, node.frame, &frame);
		if (!err)
			err = append_node(v, frame, node.count);
		if (err)
			break;
		if (depth)
			v->nodes[stack[depth - 1].index].nr_children++;
		else
			++*nr_roots;
		stack[depth++] = (struct step){ at, v->nr_nodes - 1 };
		at = l->first[at];
	}
	return err;
}

static int add_tree(struct pack *p, const struct op_sample_name *name, const struct tree *tree)
{
	struct itv *v = p->v;
	struct op_path_image app = { .name = name->app };
	struct itv_tree added = {
		.tgid = name->tgid, .tid = name->tid, .cpu = name->cpu, .node = v->nr_nodes,
	};
	struct links l = { .first = NULL };
	uint64_t lost = 0;
	struct step *stack = NULL;
	int err = op_grow(&v->trees, v->nr_trees);

	if (!err)
		err = link_nodes(&l, tree, &lost);
	if (!err) {
		stack = calloc(l.end + 1ul, sizeof(*stack));
		err = stack ? 0 : -ENOMEM;
	}
	if (!err)
		err = add_image(p, &app, &added.app);
	if (!err)
		err = add_event(v, name, NULL, &added.event);
	if (!err)
		err = append_nodes(p, tree, &l, stack, &added.nr_roots);
	/* Append a root for the lost samples. If a root with the same frame exists, itv_sort()
	 * later joins the two. */
	if (!err && lost) {
		err = append_node(v, ITV_FRAME_LOST, lost);
		added.nr_roots++;
	}
	added.nr_nodes = v->nr_nodes - added.node;
	if (!err)
		v->trees[v->nr_trees++] = added;
	free(stack);
	free(l.first);
	free(l.next);
	return err;
}

static int pack_tree(struct pack *p, int fd)
{
	struct op_sample_name name;
	struct tree *tree;
	int err = p->frames ? op_tree_unname(&name, p->path) : OP_ERR_NAME;

	if (err) {
		close(fd);
		return is_passing(err) ? err : 0;
	}
	err = tree_open(&tree, fd, ODB_READ, frames_generation(p->frames));
	if (err) {
		close(fd);
	} else {
		err = add_tree(p, &name, tree);
		tree_close(tree);
	}
	op_sample_name_release(&name);
	/* Skip the tree if it is unreadable: its samples then count as lost paths. */
	return is_passing(err) || err == -EFBIG ? err : 0;
}

/* Add the file to the interval unchanged. Skip a description of JIT code that only its owner may
 * read (daemon/image/jit.h), because everybody who may read the session may read the interval. */
static int pack_small(struct pack *p, int fd)
{
	struct itv *v = p->v;
	struct itv_file file = { .name = NULL };
	struct stat st;
	bool is_private;
	int err;

	is_private = fstat(fd, &st) || (!st.st_uid && !(st.st_mode & S_IROTH));
	close(fd);
	if (is_private)
		return 0;
	err = op_read_file(p->samples_dirfd, p->path, MAX_SMALL_FILE, &file.data, &file.len);
	if (err)
		return is_passing(err) ? err : 0;
	file.name = strdup(p->path);
	if (!file.name || op_grow(&v->files, v->nr_files)) {
		free(file.name);
		free(file.data);
		return -ENOMEM;
	}
	v->files[v->nr_files++] = file;
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Record that a file or directory could not be read because of @err. Return @err if it is
 * temporary, otherwise 0. */
static int skipped(struct pack *p, int err)
{
	p->has_unreadable |= err != -ENOENT;
	return is_passing(err) ? err : 0;
}

/* Read the names in the directory @fd into *@ret, each NUL-terminated. */
static int read_names(int fd, char **ret, size_t *len)
{
	struct dirent *d;
	char *text = NULL;
	FILE *f = NULL;
	DIR *dir;
	int err = op_open_dir(fd, ".", &dir);

	if (err)
		return err;
	f = open_memstream(&text, len);
	while (f && (d = op_next_entry(dir)))
		fwrite(d->d_name, strlen(d->d_name) + 1, 1, f);
	closedir(dir);
	if (!f || fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	*ret = text;
	return 0;
}

static int walk(struct pack *p, int *dirfd, const char *name, pack_file_fn *fn);

/* Call @fn for all files below the directory *@fd. The function may close *@fd and replace it by a
 * new descriptor. */
static int walk_names(struct pack *p, int *fd, pack_file_fn *fn)
{
	char *names;
	size_t len;
	int err = read_names(*fd, &names, &len);

	if (err)
		return skipped(p, err);
	p->depth++;
	for (size_t at = 0; !err && at < len; at += strlen(names + at) + 1)
		err = walk(p, fd, names + at, fn);
	p->depth--;
	free(names);
	return err;
}

/* Open the parent directory of *@fd, and close *@fd. Check that the parent is the directory @to.
 * Return a descriptor or -1. */
static int open_above(int *fd, const struct stat *to)
{
	struct stat st;
	int above = *fd < 0 ? -1 : openat(*fd, "..", OPEN_DIR);

	close_fd(fd);
	if (above < 0 || fstat(above, &st) || st.st_dev != to->st_dev ||
	    st.st_ino != to->st_ino)
		close_fd(&above);
	return above;
}

/* Call walk_names() for @child, a subdirectory of *@dirfd. If too many directories are open, close
 * *@dirfd during the call and open it again afterwards. */
static int walk_dir(struct pack *p, int *dirfd, int child, pack_file_fn *fn)
{
	const bool is_deep = p->depth >= MAX_OPEN;
	struct stat st;
	int err;

	if (is_deep && fstat(*dirfd, &st)) {
		err = -errno;
		close(child);
		return err;
	}
	if (is_deep)
		close_fd(dirfd);
	err = walk_names(p, &child, fn);
	if (!is_deep) {
		close_fd(&child);
		return err;
	}
	*dirfd = open_above(&child, &st);
	/* -EAGAIN: another process has moved the directory */
	return err ? err : *dirfd < 0 ? -EAGAIN : 0;
}

static int walk_file(struct pack *p, int dirfd, const char *name, pack_file_fn *fn)
{
	struct stat st;
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return skipped(p, -errno);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fn(p, fd);
	close(fd);
	return 0;
}

/* Call @fn for the file @name in *@dirfd, or for all files below the directory @name. Users control
 * the depth of directories through the names of their programs, so the number of open descriptors
 * is limited: deeper than MAX_OPEN levels, *@dirfd is closed and opened again. */
static int walk(struct pack *p, int *dirfd, const char *name, pack_file_fn *fn)
{
	size_t old = p->len, n = strlen(name);
	int err, fd;

	if (p->len + n + 2 > sizeof(p->path)) {
		p->has_unreadable = true;
		return 0;
	}
	if (p->len)
		p->path[p->len++] = '/';
	memcpy(p->path + p->len, name, n + 1);
	p->len += n;
	fd = openat(*dirfd, name, OPEN_DIR);
	if (fd >= 0)
		err = walk_dir(p, dirfd, fd, fn);
	else if (errno == ENOTDIR)
		err = walk_file(p, *dirfd, name, fn);
	else
		err = skipped(p, -errno);
	p->len = old;
	p->path[old] = '\0';
	return err;
}

/* Call walk() for the directory @path, which may have several components. */
static int walk_path(struct pack *p, const char *path, pack_file_fn *fn)
{
	const char *slash = strrchr(path, '/');
	int dirfd, err;

	if (!slash)
		return walk(p, &p->samples_dirfd, path, fn);
	p->len = (size_t)(slash - path);
	memcpy(p->path, path, p->len);
	p->path[p->len] = '\0';
	dirfd = openat(p->samples_dirfd, p->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dirfd < 0)
		err = is_passing(-errno) ? -errno : 0;
	else
		err = walk(p, &dirfd, slash + 1, fn);
	if (dirfd >= 0)
		close(dirfd);
	p->len = 0;
	return err;
}

static int open_paths(struct pack *p)
{
	int fd = openat(p->samples_dirfd, OP_PATHS_FRAMES,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;

	if (fd < 0)
		return is_passing(-errno) ? -errno : 0;
	err = frames_open(&p->frames, fd, ODB_READ, 0);
	if (err) {
		close(fd);
		p->frames = NULL;
		return is_passing(err) ? err : 0;
	}
	err = op_path_images_read(&p->path_images, p->samples_dirfd);
	if (is_passing(err))
		return err;
	p->frames_end = frames_end(p->frames);
	p->frame_indices = calloc(p->frames_end + 1ul, sizeof(*p->frame_indices));
	p->image_indices = calloc(p->path_images.nr + 1, sizeof(*p->image_indices));
	return p->frame_indices && p->image_indices ? 0 : -ENOMEM;
}

static int read_accounting(struct itv_accounting *a, int samples_dirfd)
{
	size_t len;
	int err = op_session_stats_read(&a->stats, samples_dirfd);

	if (is_passing(err))
		return err;
	/* The session's totals cannot be read: record this. correct_totals() adds the samples that
	 * the files contain. */
	if (err && err != -ENOENT)
		err = op_session_stats_add(&a->stats, "totals_damaged", 1);
	if (err && err != -ENOENT)
		return err;
	err = op_session_about_read(&a->about, samples_dirfd);
	if (is_passing(err))
		return err;
	err = itv_gaps_read(a, samples_dirfd);
	if (err)
		return err;
	a->begun_ns = a->about.begun * 1000000000;
	a->ended_ns = a->about.ended * 1000000000;
	err = op_read_file(samples_dirfd, SETTINGS_FILE, MAX_SMALL_FILE, &a->settings, &len);
	return is_passing(err) ? err : 0;
}

/* Correct the session's totals to match the samples that were read from its files. @fewer: name of
 * the counter of lost samples to which missing samples are added. */
static int correct_totals(struct itv *v, bool is_live, const char *fewer)
{
	struct itv_accounting *a = &v->accounting;
	uint64_t stored = op_session_stats_sum(&a->stats, OP_STAT_STORED);
	const char *more = is_live ? "archived_samples" : "recovered_samples";
	struct op_session_sums sums = {
		.stored = a->samples, .paths = a->paths, .has_paths = v->nr_trees != 0,
	};
	int err = 0;

	if (stored != a->samples)
		err = op_recover_stored(&a->stats, a->samples, more, fewer);
	if (!err)
		err = op_recover_wakers(&a->stats, a->wakers, more, fewer);
	if (!err && a->paths != op_session_stats_get(&a->stats, "paths"))
		err = op_recover_paths(&a->stats, stored, &sums);
	a->stats.writer = (struct op_session_writer){ 0 };
	return err;
}

/* the directories of a session that contain sample files */
static const char *const samples[] = { "{root}", "{kern}", "{unit}", "{woken}" };

#define NR_SAMPLES	(sizeof(samples) / sizeof(samples[0]))

static int pack_all(struct pack *p)
{
	static const char *const trees[] = { OP_PATHS_DIR "/root", OP_PATHS_DIR "/kern",
					     OP_PATHS_DIR "/unit" };
	static const char *const small[] = { "task-names", "vdso", "jit" };
	int err = op_build_ids_read(&p->build_ids, p->samples_dirfd);

	err = is_passing(err) ? err : read_accounting(&p->v->accounting, p->samples_dirfd);
	if (!err)
		err = open_paths(p);
	for (size_t i = 0; i < NR_SAMPLES && !err; i++)
		err = walk_path(p, samples[i], pack_samples);
	for (size_t i = 0; i < 3 && !err; i++)
		err = walk_path(p, trees[i], pack_tree);
	for (size_t i = 0; i < 3 && !err; i++)
		err = walk_path(p, small[i], pack_small);
	if (!err)
		err = itv_jit_reduce(p->v);
	if (!err)
		err = itv_sort(p->v);
	if (!err)
		err = itv_sum(p->v);
	return err;
}

static void pack_free(struct pack *p)
{
	frames_close(p->frames);
	op_build_ids_release(&p->build_ids);
	op_path_images_release(&p->path_images);
	free(p->image_indices);
	free(p->frame_indices);
	free(p);
}

int itv_pack(struct itv *v, int samples_dirfd, bool is_live)
{
	struct pack *p = calloc(1, sizeof(*p));
	unsigned long lost_pages = odb_lost_pages();
	int err;

	if (!p)
		return -ENOMEM;
	p->v = v;
	p->samples_dirfd = samples_dirfd;
	err = pack_all(p);
	p->has_unreadable |= odb_lost_pages() != lost_pages;
	if (!err)
		err = correct_totals(v, is_live,
				     p->has_unreadable ? "lost_file_damaged" : "lost_crash");
	if (err)
		itv_release(v);
	pack_free(p);
	return err;
}

int itv_session_images(struct itv *v, int samples_dirfd)
{
	struct pack *p = calloc(1, sizeof(*p));
	const struct op_path_image *image;
	uint32_t index;
	int err;

	if (!p)
		return -ENOMEM;
	p->v = v;
	p->samples_dirfd = samples_dirfd;
	err = op_build_ids_read(&p->build_ids, samples_dirfd);
	if (!is_passing(err))
		err = op_path_images_read(&p->path_images, samples_dirfd);
	err = is_passing(err) ? err : 0;
	for (uint32_t n = 1; n <= p->path_images.nr && !err; n++) {
		image = op_path_image(&p->path_images, n);
		err = image ? add_image(p, image, &index) : 0;
	}
	for (size_t i = 0; i < NR_SAMPLES && !err; i++)
		err = walk_path(p, samples[i], pack_image);
	if (err)
		itv_release(v);
	pack_free(p);
	return err;
}
