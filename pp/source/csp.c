// SPDX-License-Identifier: GPL-2.0-or-later
/* csp.c -- HPC_CSPROF files as sources of samples. Converts addresses in the process to offsets in
 * modules (binaries), and trees of addresses to trees of frames. */
#include "config.h"
#include "pp/source/csp.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/hash.h"
#include "libop/base/search.h"
#include "pp/source/memory.h"

/* Functions that read numbers and strings in HPC_CSPROF files. */

#define MAX_STRING	(1u << 20)	/* maximum length of a path or of an event's name */

static void csp_in_file(struct pp_csp_in *in, int fd, unsigned char *buffer)
{
	*in = (struct pp_csp_in){ .fd = fd, .bytes = buffer, .buffer = buffer };
}

static void csp_in_bytes(struct pp_csp_in *in, const unsigned char *bytes, size_t size)
{
	*in = (struct pp_csp_in){ .fd = -1, .bytes = bytes, .have = size };
}

uint64_t pp_csp_offset(const struct pp_csp_in *in)
{
	return in->before + in->at;
}

void pp_csp_bad(struct pp_csp_in *in, int err)
{
	if (!in->err)
		in->err = err;
}

/* If all bytes of the buffer have been parsed, refill the buffer from the file. */
static void fill(struct pp_csp_in *in)
{
	ssize_t got = 0;

	if (in->fd >= 0) {
		in->before += in->have;
		in->at = in->have = 0;
		do
			got = read(in->fd, in->buffer, PP_CSP_BUFFER);
		while (got < 0 && errno == EINTR);
	}
	if (got > 0)
		in->have = got;
	else
		pp_csp_bad(in, got ? -errno : -ENODATA);
}

/* Copy the next @len bytes of the file to @to. If @to is NULL, skip the bytes. */
static void read_bytes(struct pp_csp_in *in, unsigned char *to, uint64_t len)
{
	while (len && !in->err) {
		size_t n = in->have - in->at;

		if (!n) {
			fill(in);
			continue;
		}
		if (n > len)
			n = len;
		if (to) {
			memcpy(to, in->bytes + in->at, n);
			to += n;
		}
		in->at += n;
		len -= n;
	}
	if (to)
		memset(to, 0, len);
}

void pp_csp_take(struct pp_csp_in *in, void *to, size_t len)
{
	read_bytes(in, to, len);
}

void pp_csp_skip(struct pp_csp_in *in, uint64_t len)
{
	read_bytes(in, NULL, len);
}

/* Read a number of @size bytes. Most of a file are numbers, so numbers that are completely in the
 * buffer are read without a loop. */
static void read_number(struct pp_csp_in *in, void *to, size_t size)
{
	if (in->err || in->have - in->at < size) {
		read_bytes(in, to, size);
		if (in->err)
			memset(to, 0, size);
		return;
	}
	memcpy(to, in->bytes + in->at, size);
	in->at += size;
}

uint32_t pp_csp_u32(struct pp_csp_in *in)
{
	uint32_t value;

	read_number(in, &value, sizeof(value));
	return in->big_endian ? be32toh(value) : le32toh(value);
}

uint64_t pp_csp_u64(struct pp_csp_in *in)
{
	uint64_t value;

	read_number(in, &value, sizeof(value));
	return in->big_endian ? be64toh(value) : le64toh(value);
}

void pp_csp_expect(struct pp_csp_in *in, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len && !in->err; i++) {
		char byte;

		read_bytes(in, (unsigned char *)&byte, 1);
		if (byte != bytes[i])
			pp_csp_bad(in, -EINVAL);
	}
}

char *pp_csp_string(struct pp_csp_in *in, uint32_t len)
{
	char *text;

	if (len > MAX_STRING)
		pp_csp_bad(in, -EINVAL);
	if (in->err)
		return NULL;
	text = malloc((size_t)len + 1);
	if (!text) {
		pp_csp_bad(in, -ENOMEM);
		return NULL;
	}
	read_bytes(in, (unsigned char *)text, len);
	text[len] = '\0';
	if (!in->err)
		return text;
	free(text);
	return NULL;
}

char *pp_csp_tagged_string(struct pp_csp_in *in, uint32_t tag)
{
	if (pp_csp_u32(in) != tag)
		pp_csp_bad(in, -EINVAL);
	return pp_csp_string(in, pp_csp_u32(in));
}

uint64_t pp_csp_tagged_number(struct pp_csp_in *in, uint32_t tag)
{
	if (pp_csp_u32(in) != tag)
		pp_csp_bad(in, -EINVAL);
	return pp_csp_u64(in);
}

/* The frames at one address. A frame number of 0 means that the frame was not looked up yet. If
 * both numbers are 0, the hash slot is free. */
struct pp_csp_place {
	uint64_t address;
	uint32_t at;			/* number of the frame for samples at the address */
	/* if the address is a return address: number of the frame of the call instruction before
	 * it */
	uint32_t before;
};

struct pp_csp_places {
	struct pp_csp_place *slots;	/* hash table of addresses, with open addressing */
	/* .size: number of hash slots, a power of two or 0; .nr: used slots */
	size_t size, nr;
	/* random seed of hashes, so that the writer of a file cannot choose addresses with equal
	 * hashes */
	uint64_t seed;
};

#define FIRST_SIZE	256

/* Remove all addresses from the hash table @places. */
static void pp_csp_places_clear(struct pp_csp_places *places)
{
	free(places->slots);
	places->slots = NULL;
	places->size = places->nr = 0;
}

/* Return the slot of @address, or the free slot where @address can be added. */
static struct pp_csp_place *find(const struct pp_csp_places *places, uint64_t address)
{
	size_t at = op_hash_number(places->seed, address) & (places->size - 1);

	while ((places->slots[at].at || places->slots[at].before) &&
	       places->slots[at].address != address)
		at = (at + 1) & (places->size - 1);
	return &places->slots[at];
}

static int make_room(struct pp_csp_places *places)
{
	struct pp_csp_places old = *places;

	if (2 * places->nr < places->size)
		return 0;
	places->size = old.size ? 2 * old.size : FIRST_SIZE;
	places->slots = calloc(places->size, sizeof(*places->slots));
	if (!places->slots) {
		*places = old;
		return -1;
	}
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i].at || old.slots[i].before)
			*find(places, old.slots[i].address) = old.slots[i];
	free(old.slots);
	return 0;
}

/* Return the slot of @address, or NULL if out of memory. Before the next call, the caller must set
 * .at or .before of a new slot, because a slot without a frame number counts as free. */
static struct pp_csp_place *pp_csp_place(struct pp_csp_places *places, uint64_t address)
{
	struct pp_csp_place *place;

	if (make_room(places))
		return NULL;
	place = find(places, address);
	if (!place->at && !place->before) {
		place->address = address;
		places->nr++;
	}
	return place;
}

struct making {
	struct pp_source *source;
	struct pp_csp *csp;
	/* The members below describe the tree of call paths that is being converted. */
	const struct pp_csp_tree *tree;
	/* frames at the addresses in this tree, and in earlier trees of the same epoch (period in
	 * which the same modules are loaded) */
	struct pp_csp_places places;
	/* for each node of the file's tree: number of the node in the source, to which children are
	 * added */
	uint32_t *numbers;
	/* number of the node for paths whose outer callers are unknown; 0: not added yet */
	uint32_t cut;
	/* indices of the metrics "bytes allocated" and "bytes freed"; both 0: the file does not
	 * have both metrics */
	size_t allocated, freed;
};

static int compare_mapped(const void *a, const void *b)
{
	const struct pp_csp_module *x = a, *y = b;

	return x->mapped < y->mapped ? -1 : x->mapped > y->mapped;
}

/* Sort the modules of each epoch by address. Do this once, because many trees may use the same
 * epoch. */
static void sort_modules(struct pp_csp *csp)
{
	for (size_t i = 0; i < csp->nr_epochs; i++)
		if (csp->epochs[i].nr)
			qsort(csp->epochs[i].modules, csp->epochs[i].nr,
			      sizeof(*csp->epochs[i].modules), compare_mapped);
}

/* Return the path of the module. For the vdso return "[vdso]", because the dynamic loader may use
 * another name. */
static const char *name_of(const struct pp_csp_module *module)
{
	return !strncmp(module->path, "linux-vdso", strlen("linux-vdso")) ||
	       !strncmp(module->path, "linux-gate", strlen("linux-gate")) ? "[vdso]" : module->path;
}

/*
 * Return the path of the module as the kernel prints it; sessions and .pct files have this form. If
 * /lib is a symbolic link to usr/lib, the dynamic loader may have recorded either path. @buf:
 * memory for the path.
 */
static const char *path_of(const struct pp_csp_module *module, char buf[PATH_MAX])
{
	static const char *const links[] = { "/lib", "/lib32", "/lib64", "/bin", "/sbin" };
	const char *name = name_of(module);

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		size_t len = strlen(links[i]);
		char to[16];
		ssize_t n;

		if (strncmp(name, links[i], len) || name[len] != '/')
			continue;
		n = readlink(links[i], to, sizeof(to));
		if (n != (ssize_t)(strlen("usr") + len) || memcmp(to, "usr", 3) ||
		    memcmp(to + 3, links[i], len) ||
		    snprintf(buf, PATH_MAX, "/usr%s", name) >= PATH_MAX || access(buf, F_OK))
			break;
		return buf;
	}
	return name;
}

static int find_frame(struct making *m, uint64_t address, uint32_t *ret)
{
	const struct pp_csp_epoch *epoch = &m->csp->epochs[m->tree->epoch];
	size_t i = op_partition_point(k, epoch->nr, epoch->modules[k].mapped <= address);
	struct pp_csp_module *module;
	char path[PATH_MAX];
	uint32_t binary;
	int err = 0;

	/* An address outside all modules is in code made at run time. */
	if (!i || address - epoch->modules[i - 1].mapped >= epoch->modules[i - 1].size) {
		err = pp_memory_binary(m->source, "", NULL, 0, 0, &binary);
		return err ? err : pp_memory_frame(m->source, binary, address, ret);
	}
	module = &epoch->modules[i - 1];
	if (!module->binary) {
		err = pp_memory_binary(m->source, path_of(module, path), module->id, module->id_len,
				       module->mapped, &binary);
		module->binary = err ? 0 : binary + 1;
	}
	return err ? err : pp_memory_frame(m->source, module->binary - 1,
					   address - module->mapped + module->preferred, ret);
}

static int frame_at(struct making *m, uint64_t address, bool is_call, uint32_t *ret)
{
	struct pp_csp_place *place = pp_csp_place(&m->places, address);
	uint32_t *number = !place ? NULL : is_call ? &place->before : &place->at;
	int err = 0;

	if (!place)
		return -ENOMEM;
	if (!*number)
		err = find_frame(m, address - is_call, number);
	*ret = *number;
	return err;
}

static bool has_counts(const struct pp_csp *csp, const uint64_t *counts)
{
	for (size_t i = 0; i < csp->nr_metrics; i++)
		if (counts[i])
			return true;
	return false;
}

/* Set *@ret to the parent of @node, an outermost node. The parent is the root or, if the call
 * path is incomplete, the node for unknown callers. */
static int outermost(struct making *m, const struct pp_csp_node *node, uint32_t *ret)
{
	uint32_t frame;
	int err = 0;

	*ret = TREE_ROOT;
	if (!node->is_short)
		return 0;
	if (!m->cut) {
		err = pp_memory_cut(m->source, &frame);
		if (!err)
			err = pp_memory_node(m->source, TREE_ROOT, frame, PP_MEMORY_NO_ROW,
					     &m->cut);
	}
	*ret = m->cut;
	return err;
}

static void find_heap(struct making *m)
{
	size_t allocated = SIZE_MAX, freed = SIZE_MAX;

	for (size_t i = 0; i < m->csp->nr_metrics; i++) {
		if (!strcmp(m->csp->metrics[i].event, "bytes allocated"))
			allocated = i;
		if (!strcmp(m->csp->metrics[i].event, "bytes freed"))
			freed = i;
	}
	/* A file that another profiler wrote may have only one of the two metrics. */
	if (allocated < freed && freed != SIZE_MAX && m->csp->nr_metrics < PP_CSP_MAX_METRICS) {
		m->allocated = allocated;
		m->freed = freed;
	}
}

static uint64_t not_freed(const struct making *m, const uint64_t *counts)
{
	return counts[m->allocated] > counts[m->freed] ? counts[m->allocated] - counts[m->freed]
						       : 0;
}

/*
 * Raise the recorded peak of heap use to the heap's size at the end of the program, if the latter
 * is larger. A probe records a new peak only if it exceeds the last peak by one percent.
 */
static void raise_peak(struct making *m)
{
	const struct pp_csp *csp = m->csp;
	uint64_t left = 0, most = 0;
	size_t peak = 0;

	while (peak < csp->nr_metrics && strcmp(csp->metrics[peak].event, PP_SOURCE_AT_PEAK))
		peak++;
	if (!m->freed || peak == csp->nr_metrics || !csp->counts)
		return;
	for (size_t i = 0; i < csp->nr_counts; i += csp->nr_metrics) {
		left += not_freed(m, &csp->counts[i]);
		most += csp->counts[i + peak];
	}
	for (size_t i = 0; left > most && i < csp->nr_counts; i += csp->nr_metrics)
		csp->counts[i + peak] = not_freed(m, &csp->counts[i]);
}

static int add_row(struct making *m, uint32_t frame, const uint64_t *counts, uint32_t *row)
{
	uint64_t all[PP_CSP_MAX_METRICS];

	if (!m->freed)
		return pp_memory_row(m->source, frame, counts, row);
	memcpy(all, counts, m->csp->nr_metrics * sizeof(*all));
	all[m->csp->nr_metrics] = not_freed(m, counts);
	return pp_memory_row(m->source, frame, all, row);
}

/*
 * Add node @i of the file's tree to the source. Samples of the node itself are at the address of
 * the node, but its children were called by the instruction before this address. So the node
 * usually becomes two nodes with a frame each.
 */
static int add_node(struct making *m, uint32_t i)
{
	const struct pp_csp_node *node = &m->csp->nodes[m->tree->first + i];
	/* A file without metrics has no counts, so use NULL. */
	const uint64_t *counts =
		m->csp->counts ? &m->csp->counts[(m->tree->first + i) * m->csp->nr_metrics] : NULL;
	bool is_leaf = has_counts(m->csp, counts), is_inner = i && node->has_children;
	uint32_t parent = m->numbers[node->parent], frame, row = PP_MEMORY_NO_ROW, number;
	int err = 0;

	if (!i || !node->parent)
		err = outermost(m, node, &parent);
	if (!err && is_leaf) {
		err = frame_at(m, node->ip, false, &frame);
		if (!err)
			err = add_row(m, frame, counts, &row);
		if (!err)
			err = pp_memory_node(m->source, parent, frame, row, &number);
	}
	if (err || !is_inner)
		return err;
	if (is_leaf && node->interrupted) {
		m->numbers[i] = number;
		return 0;
	}
	err = frame_at(m, node->ip, !node->interrupted, &frame);
	return err ? err
		   : pp_memory_node(m->source, parent, frame, PP_MEMORY_NO_ROW, &m->numbers[i]);
}

static int add_tree(struct making *m, const struct pp_csp_tree *tree)
{
	int err = 0;

	if (m->tree && m->tree->epoch != tree->epoch)
		pp_csp_places_clear(&m->places);
	m->tree = tree;
	m->cut = 0;
	free(m->numbers);
	m->numbers = calloc(tree->nr + 1, sizeof(*m->numbers));
	if (!m->numbers)
		err = -ENOMEM;
	for (uint32_t i = 0; i < tree->nr && !err; i++)
		err = add_node(m, i);
	return err;
}

static int add_trees(struct making *m)
{
	const struct pp_csp *csp = m->csp;
	int err = pp_memory_program(m->source, *csp->target ? csp->target : "?");

	for (size_t i = 0; i < csp->nr_metrics && !err; i++)
		err = pp_memory_class(m->source, csp->metrics[i].event, csp->metrics[i].period);
	find_heap(m);
	raise_peak(m);
	if (!err && m->freed)
		err = pp_memory_class(m->source, PP_SOURCE_NOT_FREED, 1);
	for (size_t i = 0; i < csp->nr_trees && !err; i++)
		err = add_tree(m, &csp->trees[i]);
	if (err == -EOVERFLOW) {
		op_fail(&m->source->broken, 0,
			"%s: has impossible counts; only samples before these are shown",
			m->source->path);
		err = 0;
	}
	return err ? err : pp_memory_finish(m->source);
}

static int open_in(struct pp_source **ret, const char *path, struct pp_csp_in *in,
		   struct op_reason *error)
{
	struct pp_csp csp = { 0 };
	struct making m = { .csp = &csp };
	int err = pp_csp_read(&csp, in, path, error);

	if (!err)
		err = pp_memory_create(&m.source, path);
	if (!err) {
		sort_modules(&csp);
		m.source->broken = csp.broken;
		m.places.seed = pp_memory_seed(m.source);
		m.source->process = csp.process;
		err = add_trees(&m);
	}
	if (!err) {
		m.source->stats = csp.stats;
		csp.stats = (struct op_session_stats){ 0 };
		m.source->command = csp.command;
		csp.command = NULL;
		m.source->rate = csp.rate;
		m.source->from_outside = csp.from_outside;
		m.source->of_signals = csp.of_signals;
		m.source->of_calls = csp.of_calls;
		*ret = m.source;
	} else {
		pp_source_close(m.source);
	}
	free(m.numbers);
	pp_csp_places_clear(&m.places);
	pp_csp_release(&csp);
	return err;
}

int pp_csp_open_bytes(struct pp_source **ret, const char *path, const unsigned char *bytes,
		      size_t size, struct op_reason *error)
{
	struct pp_csp_in in;

	csp_in_bytes(&in, bytes, size);
	return open_in(ret, path, &in, error);
}

int pp_csp_open(struct pp_source **ret, const char *path, struct op_reason *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	unsigned char *buffer = malloc(PP_CSP_BUFFER);
	struct pp_csp_in in;

	if (fd < 0) {
		err = op_fail(error, -errno, "%s: %s", path, strerror(errno));
	} else if (!buffer) {
		err = -ENOMEM;
	} else {
		csp_in_file(&in, fd, buffer);
		err = open_in(ret, path, &in, error);
		if (!err)
			(*ret)->owner = pp_source_owner(fd);
	}
	if (fd >= 0)
		close(fd);
	free(buffer);
	return err;
}
