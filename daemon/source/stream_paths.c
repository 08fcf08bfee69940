// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_paths.c -- tables of the images and frames of call paths, which the kernel module's stream
 * refers to by numbers.
 */
#include "config.h"
#include "daemon/source/stream_paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/image/anon.h"
#include "daemon/image/image.h"
#include "module/uapi/oprofile.h"
#include "module/uapi/unwind.h"

/* Maximum numbers of nodes and images in the tables; the module's own limits are lower. */
#define MAX_NODES	(1ul << 22)
#define MAX_IMAGES	(1ul << 16)
/* maximum number of user frames in a path, and of kernel frames */
#define MAX_DEPTH	1200

enum part {
	NO_PART,	/* the node is invalid, or the element of the table is unused */
	/* the node is not a frame: it contains the reason why the path ends; its child nodes may be
	 * user or kernel frames */
	REASON,
	USER,
	KERNEL,
};

struct node {
	uint64_t offset;
	uint32_t parent;	/* number of the caller's node; 0: no caller */
	uint16_t image;
	/* number of nodes on the path from the outermost node to this one */
	uint16_t depth;
	/* an enum part: whether the node is a user frame, a kernel frame or an end reason */
	uint8_t part;
	/* enum oprofile_uw_how: how the frame was found; for REASON, an enum oprofile_uw_end */
	uint8_t how;
};

struct image {
	bool known;
	enum opd_domain domain;
	/* .cookie: number of the file that contains the code, for OPD_USER_FILE; .file: its image;
	 * NULL: unknown, or in no path yet */
	uint64_t cookie;
	const struct opd_image *file;
	/* mapping that contains the code, for OPD_USER_ANON */
	struct opd_anon anon;
};

/* An array that grows when a higher index is used. */
struct array {
	void *at;
	size_t nr, size;	/* .nr: number of elements; .size: size of an element in bytes */
};

struct opd_stream_paths {
	struct array nodes, images;
	struct opd_path path;
	struct opd_frame frames[2 * MAX_DEPTH];
};

int opd_stream_paths_create(struct opd_stream_paths **ret)
{
	struct opd_stream_paths *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->nodes.size = sizeof(struct node);
	p->images.size = sizeof(struct image);
	*ret = p;
	return 0;
}

void opd_stream_paths_destroy(struct opd_stream_paths *p)
{
	if (!p)
		return;
	free(p->nodes.at);
	free(p->images.at);
	free(p);
}

void opd_stream_paths_anew(struct opd_stream_paths *p)
{
	p->nodes.nr = p->images.nr = 0;
}

/* If the array does not contain index @number, extend it to this index, and zero the new elements.
 * Return 0 or -ENOMEM. */
static int reach(struct array *a, unsigned long number)
{
	size_t nr = a->nr ? a->nr : 64;
	void *at;

	if (number < a->nr)
		return 0;
	while (nr <= number)
		nr *= 2;
	at = realloc(a->at, nr * a->size);
	if (!at)
		return -ENOMEM;
	memset((char *)at + a->nr * a->size, 0, (nr - a->nr) * a->size);
	a->at = at;
	a->nr = nr;
	return 0;
}

/* Return node @number, or NULL if it is not defined. */
static const struct node *node_of(const struct opd_stream_paths *p, unsigned long number)
{
	const struct node *n =
		number < p->nodes.nr ? (const struct node *)p->nodes.at + number : NULL;

	return n && n->part ? n : NULL;
}

static struct image *image_of(const struct opd_stream_paths *p, unsigned long number)
{
	struct image *i = number < p->images.nr ? (struct image *)p->images.at + number : NULL;

	return i && i->known ? i : NULL;
}

int opd_stream_paths_image(struct opd_stream_paths *p, const unsigned long *op)
{
	struct image decoded = { .known = true, .domain = OPD_USER_FILE, .cookie = op[1] };
	int err;

	if (!op[0] || op[0] >= MAX_IMAGES || image_of(p, op[0]))
		return -EINVAL;
	if (op[1] == OPROFILE_NO_COOKIE) {
		if (op[2] >= op[3])
			return -EINVAL;
		decoded.domain = OPD_USER_ANON;
		decoded.anon = (struct opd_anon){
			.start = op[2], .end = op[3], .label = opd_anon_kind_label(op[4])};
	}
	err = reach(&p->images, op[0]);
	if (!err)
		((struct image *)p->images.at)[op[0]] = decoded;
	return err;
}

/* Return the enum part of a node with this image, method and offset, or NO_PART if the values are
 * invalid. */
static enum part part_of(const struct opd_stream_paths *p, unsigned long image, unsigned long how,
			 unsigned long offset)
{
	const struct image *i;

	if (how >= OPROFILE_UW_HOW_ENDS) {
		how -= OPROFILE_UW_HOW_ENDS;
		return !image && how > OPROFILE_UW_WHOLE && how < OPROFILE_UW_NR_ENDS ? REASON :
											NO_PART;
	}
	if (how == OPROFILE_UW_HOW_KERNEL)
		return image ? NO_PART : KERNEL;
	i = image_of(p, image);
	if (!i || (how != OPROFILE_UW_HOW_TABLE && how != OPROFILE_UW_HOW_FP))
		return NO_PART;
	if (i->domain == OPD_USER_ANON && (offset < i->anon.start || offset >= i->anon.end))
		return NO_PART;
	return USER;
}

int opd_stream_paths_node(struct opd_stream_paths *p, const unsigned long *op)
{
	const unsigned long number = op[0], parent = op[1], how = op[3];
	const struct node *outer = parent ? node_of(p, parent) : NULL;
	enum part part = part_of(p, op[2], how, op[4]);
	unsigned int depth = outer ? outer->depth + 1u : 1;
	int err;

	if (!number || number >= MAX_NODES || node_of(p, number) || part == NO_PART ||
	    depth > MAX_DEPTH)
		return -EINVAL;
	if (parent && (!outer || part == REASON || (outer->part != REASON && outer->part != part)))
		return -EINVAL;
	err = reach(&p->nodes, number);
	if (err)
		return err;
	((struct node *)p->nodes.at)[number] = (struct node){
		.offset = op[4],
		.parent = (uint32_t)parent,
		.image = (uint16_t)op[2],
		.depth = (uint16_t)depth,
		.part = part,
		.how = (uint8_t)(part == REASON ? how - OPROFILE_UW_HOW_ENDS : how),
	};
	return 0;
}

/* Return true if @number is a valid innermost node of the user or kernel part @part of a path;
 * number 0 means that the part has no nodes. Set *@ret to the node, or to NULL for an empty
 * part. */
static bool is_part(const struct opd_stream_paths *p, unsigned long number, enum part part,
		    const struct node **ret)
{
	*ret = number ? node_of(p, number) : NULL;
	return !number || (*ret && ((*ret)->part == REASON || (*ret)->part == part));
}

/* Return true if node @n is the sampled address @leaf in context @ctx. */
static bool is_leaf(const struct opd_stream_paths *p, const struct node *n,
		    const struct opd_context *ctx, const struct opd_path_leaf *leaf)
{
	const struct image *i;

	if (!n || n->part == REASON || n->offset != leaf->offset)
		return false;
	if (ctx->domain == OPD_KERNEL)
		return true;
	i = image_of(p, n->image);
	if (i->domain != ctx->domain)
		return false;
	return i->domain == OPD_USER_FILE ? i->cookie == leaf->cookie :
					    i->anon.start == ctx->anon.start;
}

/* How to find the image of a cookie: call .image_of with .arg and the process .tgid. */
struct files {
	const struct opd_image *(*image_of)(void *arg, uint64_t cookie, pid_t tgid);
	void *arg;
	pid_t tgid;
};

/* Return the file of the image, or NULL if it is unknown. Look up a file that has no build again,
 * because another process may have made it possible to open the file. */
static const struct opd_image *open_file(struct image *i, const struct files *files)
{
	if (!i->file || !i->file->identity.build)
		i->file = files->image_of(files->arg, i->cookie, files->tgid);
	return i->file;
}

/*
 * Write the frames of one part of a path, from the innermost node @n outwards, to the array
 * elements before @at, so that each caller precedes its callee. Return the address of the outermost
 * frame, and set *@end if the part ends early.
 */
static struct opd_frame *write_part(const struct opd_stream_paths *p, const struct node *n,
				    const struct files *files, struct opd_frame *at, uint16_t *end)
{
	for (; n; n = n->parent ? node_of(p, n->parent) : NULL) {
		struct image *i = n->part == USER ? image_of(p, n->image) : NULL;

		if (n->part == REASON) {
			*end = n->how;
			break;
		}
		if (i && i->domain == OPD_USER_FILE && !open_file(i, files)) {
			*end = OPROFILE_UW_MAPPING;
			break;
		}
		*--at = (struct opd_frame){
			.offset = n->offset, .how = n->how, .domain = i ? i->domain : OPD_KERNEL,
		};
		if (i && i->domain == OPD_USER_FILE)
			at->image = i->file;
		else if (i)
			at->anon = i->anon;
	}
	return at;
}

const struct opd_path *
opd_stream_paths_find(struct opd_stream_paths *p, const struct opd_context *ctx,
		      const struct opd_path_leaf *leaf,
		      const struct opd_image *(*image_of_cookie)(void *arg, uint64_t cookie,
								 pid_t tgid),
		      void *image_of_arg)
{
	const struct files files = { image_of_cookie, image_of_arg, ctx->tgid };
	bool in_kernel = ctx->domain == OPD_KERNEL;
	struct opd_frame *at = p->frames + 2 * MAX_DEPTH;
	uint16_t kernel_end = OPROFILE_UW_WHOLE, user_end = OPROFILE_UW_WHOLE;
	const struct node *u, *k;

	if (ctx->domain == OPD_GUEST || !is_part(p, leaf->user, USER, &u) ||
	    !is_part(p, leaf->kernel, KERNEL, &k) || (!in_kernel && k) ||
	    !is_leaf(p, in_kernel ? k : u, ctx, leaf))
		return NULL;
	at = write_part(p, k, &files, at, &kernel_end);
	/* path.nr does not include the innermost frame, which is the sampled address. */
	at = write_part(p, u, &files, at, &user_end);
	p->path.frames = at;
	p->path.nr = (size_t)(p->frames + 2 * MAX_DEPTH - at) - 1;
	p->path.end = user_end != OPROFILE_UW_WHOLE ? user_end : kernel_end;
	return &p->path;
}
