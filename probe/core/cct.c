// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cct.c -- a calling context tree (tree of call paths) in an arena.
 *
 * The children of a node form a left-leaning red-black tree. It is at most 64 levels deep: an arena
 * has at most 2^35 bytes, a node at least 48, and the longest path is at most twice as long as the
 * shortest.
 */
#include "config.h"
#include "probe/core/cct.h"

#include <errno.h>

#define MAX_DEPTH	64
#define RED		1u

int cct_init(struct cct *cct, struct arena *arena, uint32_t nr_metrics)
{
	uint32_t root = arena_alloc(arena, sizeof(struct raw_live_node) + 8 * nr_metrics);

	if (!root)
		return -ENOMEM;
	*cct = (struct cct){ .arena = arena, .root = root, .nr_metrics = nr_metrics };
	cct_node(cct, root)->parent = root;
	return 0;
}

/* Compare children by address, then by @flags. The flags matter because the same address may be
 * both a return address and an address at which a signal interrupted the thread. */
static int compare(uint64_t ip, uint32_t flags, const struct raw_live_node *n)
{
	if (ip != n->ip)
		return ip < n->ip ? -1 : 1;
	return (int)flags - (int)n->flags;
}

/* Return the reference to a node that @link contains. A link is reference << 1 | red, so a
 * reference has at most 31 bits. */
static inline uint32_t ref_of(uint32_t link)
{
	return link >> 1;
}

static struct raw_live_node *linked(const struct cct *cct, uint32_t link)
{
	return cct_node(cct, ref_of(link));
}

static bool is_red(uint32_t link)
{
	return link & RED;
}

static uint32_t rotate_left(const struct cct *cct, uint32_t link)
{
	struct raw_live_node *n = linked(cct, link);
	uint32_t up = n->right;
	struct raw_live_node *u = linked(cct, up);

	n->right = u->left;
	u->left = link | RED;
	return (up & ~RED) | (link & RED);
}

static uint32_t rotate_right(const struct cct *cct, uint32_t link)
{
	struct raw_live_node *n = linked(cct, link);
	uint32_t up = n->left;
	struct raw_live_node *u = linked(cct, up);

	n->left = u->right;
	u->right = link | RED;
	return (up & ~RED) | (link & RED);
}

/* Restore the invariants of a left-leaning red-black tree after an insertion. @link: root of the
 * subtree with the insertion. Return the subtree's new root. */
static uint32_t mend(const struct cct *cct, uint32_t link)
{
	struct raw_live_node *n = linked(cct, link);

	if (is_red(n->right) && !is_red(n->left)) {
		link = rotate_left(cct, link);
		n = linked(cct, link);
	}
	if (is_red(n->left) && is_red(linked(cct, n->left)->left)) {
		link = rotate_right(cct, link);
		n = linked(cct, link);
	}
	if (is_red(n->left) && is_red(n->right)) {
		n->left &= ~RED;
		n->right &= ~RED;
		link |= RED;
	}
	return link;
}

/* Add a child with the address @ip to @node. Return the child's reference, or 0 if out of
 * memory. */
static __attribute__((noinline)) uint32_t add_child(struct cct *cct, uint32_t node, uint64_t ip,
						    uint64_t sp, uint32_t flags)
{
	struct raw_live_node *parent = cct_node(cct, node), *child;
	struct { struct raw_live_node *node; bool right; uint32_t link; } way[MAX_DEPTH];
	uint32_t link = parent->by_ip, ref;
	int depth = 0;

	while (link) {
		struct raw_live_node *n = linked(cct, link);
		int order = compare(ip, flags, n);

		if (depth == MAX_DEPTH)
			return 0;
		way[depth].node = n;
		way[depth].right = order > 0;
		way[depth++].link = link;
		link = order > 0 ? n->right : n->left;
	}
	ref = arena_alloc(cct->arena, sizeof(*child) + 8 * cct->nr_metrics);
	if (!ref || ref > UINT32_MAX >> 1)
		return 0;
	child = cct_node(cct, ref);
	child->ip = ip;
	child->sp = sp;
	child->flags = flags;
	child->parent = node;
	child->sibling = parent->children;
	__atomic_store_n(&parent->children, ref, __ATOMIC_RELEASE);
	link = ref << 1 | RED;
	while (depth--) {
		if (way[depth].right)
			way[depth].node->right = link;
		else
			way[depth].node->left = link;
		link = mend(cct, way[depth].link);
	}
	parent->by_ip = link & ~RED;
	return ref;
}

uint32_t cct_child(struct cct *cct, uint32_t node, uint64_t ip, uint64_t sp, uint32_t flags)
{
	uint32_t link = cct_node(cct, node)->by_ip;

	while (link) {
		const struct raw_live_node *n = linked(cct, link);
		int order = compare(ip, flags, n);

		if (!order)
			return ref_of(link);
		link = order > 0 ? n->right : n->left;
	}
	return add_child(cct, node, ip, sp, flags);
}
