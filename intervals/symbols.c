// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols.c -- looks up start addresses of functions, in stored symbol tables and in kernel
 * symbols. */
#include "config.h"
#include "intervals/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "intervals/store.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "libop/session/identity.h"
#include "libop/session/kernel_syms.h"

#define MAGIC		"oprofile-symbols 1\n"
/* size in bytes of the blocks to which addresses are rounded at the precision ITV_LINES */
#define LINE_BYTES	64u
/* size in bytes of the blocks to which addresses in code without symbols, such as stripped
 * programs, are rounded at the precision ITV_FUNCTIONS */
#define PAGE_BYTES	4096u
#define MAX_SEGMENTS	4096
#define MAX_SYMBOLS	(8u << 20)
/* limit of the size of an unpacked symbol table, in bytes */
#define MAX_TEXT	(256u << 20)

struct range {
	uint64_t start, end;
};

/* A piece: a range of addresses that the same symbols cover. It ends at the start of the next
 * piece. */
struct piece {
	uint64_t start;
	bool is_code;	/* a function covers the piece; false: the piece is between functions */
};

struct segment {
	uint64_t vaddr, offset, size;
	bool is_executable;
};

/* The functions of an image. If .pieces and .segments are both empty, the functions are unknown. */
struct functions {
	struct itv_image key;
	char *path;			/* memory of .key.image.name.path; owned */
	uint8_t *build_id;		/* memory of .key.build_id; owned */
	/* pieces, sorted by .start; if .segments is not empty, .start is an ELF address in a
	 * segment */
	struct piece *pieces;
	size_t nr_pieces;
	/* ELF segments of the file, to convert file offsets to addresses; without segments, pieces
	 * have the same addresses as the interval */
	struct segment *segments;
	size_t nr_segments;
};

struct itv_symbols {
	int dirfd;
	uint32_t kernel;
	bool is_kernel_read;
	struct op_kernel_syms kernel_syms;
	struct functions **images;
	size_t nr_images;
	const struct functions *last;
};

/* The state of reading a symbol table. */
struct reading {
	struct range *ranges;
	size_t nr;
	struct segment *segments;
	size_t nr_segments;
};

static int add_range(struct reading *r, uint64_t start, uint64_t end)
{
	if (r->nr >= MAX_SYMBOLS)
		return -EFBIG;
	if (op_grow(&r->ranges, r->nr))
		return -ENOMEM;
	r->ranges[r->nr++] = (struct range){ start, end };
	return 0;
}

static void reading_release(struct reading *r)
{
	free(r->ranges);
	free(r->segments);
}

static int compare_ranges(const void *a, const void *b)
{
	return op_compare_u64(((const struct range *)a)->start, ((const struct range *)b)->start);
}

/*
 * Split the address space into pieces at each start and end of a symbol. Where several symbols
 * overlap, reports choose one of them; they choose the same one for all addresses of a piece.
 */
static int set_pieces(struct functions *f, struct reading *r)
{
	uint64_t *points = malloc((2 * r->nr + 1) * sizeof(*points)), end = 0;
	size_t next = 0;

	f->pieces = malloc((2 * r->nr + 1) * sizeof(*f->pieces));
	if (!points || !f->pieces) {
		free(points);
		return -ENOMEM;
	}
	if (r->nr)
		qsort(r->ranges, r->nr, sizeof(*r->ranges), compare_ranges);
	for (size_t i = 0; i < r->nr; i++) {
		points[2 * i] = r->ranges[i].start;
		points[2 * i + 1] = r->ranges[i].end;
	}
	qsort(points, 2 * r->nr, sizeof(*points), op_compare_u64_items);
	for (size_t i = 0; i < 2 * r->nr; i++) {
		if (i && points[i] == points[i - 1])
			continue;
		for (; next < r->nr && r->ranges[next].start <= points[i]; next++)
			if (r->ranges[next].end > end)
				end = r->ranges[next].end;
		f->pieces[f->nr_pieces++] = (struct piece){ points[i], end > points[i] };
	}
	free(points);
	return 0;
}

/* Parse a line of the head of a symbol table. Ignore lines that do not describe segments. */
static int read_head_line(struct reading *r, const char *line)
{
	struct segment s = { 0 };
	char flag;

	if (sscanf(line, "segment %" SCNx64 " %" SCNx64 " %" SCNx64 " %c", &s.vaddr, &s.offset,
		   &s.size, &flag) != 4)
		return 0;
	if (r->nr_segments >= MAX_SEGMENTS)
		return -EFBIG;
	if (op_grow(&r->segments, r->nr_segments))
		return -ENOMEM;
	s.is_executable = flag == 'x';
	r->segments[r->nr_segments++] = s;
	return 0;
}

static int read_symbol(struct reading *r, const char *line, uint64_t *start)
{
	char *end;
	uint64_t delta = strtoull(line, &end, 16), size;

	if (end == line || *end != ' ')
		return -ENOEXEC;
	line = end;
	size = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return -ENOEXEC;
	*start += delta;
	/* A symbol with size 0 has an unknown end, but still shows where a function starts. */
	return *start + size < *start ? -ENOEXEC : add_range(r, *start, *start + size);
}

/* Read the lines of a symbol table. Only the first bytes of each line are parsed, so a long name
 * needs no memory. */
static int read_lines(struct reading *r, gzFile gz)
{
	char line[256];
	bool in_symbols = false, is_begun = true, is_first = true;
	uint64_t start = 0, read = 0;
	int err = 0;

	while (!err && gzgets(gz, line, sizeof(line))) {
		size_t len = strlen(line);
		bool is_new = is_begun;

		read += len;
		is_begun = len && line[len - 1] == '\n';
		if (read > MAX_TEXT)
			return -EFBIG;
		if (!is_new)
			continue;
		if (is_first && strcmp(line, MAGIC))
			return -ENOEXEC;
		is_first = false;
		if (in_symbols && !strncmp(line, "end ", 4))
			return strtoull(line + 4, NULL, 10) == r->nr ? 0 : -ENOEXEC;
		if (in_symbols)
			err = read_symbol(r, line, &start);
		else if (!strcmp(line, "symbols\n"))
			in_symbols = true;
		else
			err = read_head_line(r, line);
	}
	return err ? err : -ENOEXEC;
}

/* Read the symbol table in the file @fd, and close @fd. */
static int read_table(struct reading *r, int fd)
{
	gzFile gz = gzdopen(fd, "rb");
	int err;

	if (!gz) {
		close(fd);
		return -ENOMEM;
	}
	err = read_lines(r, gz);
	gzclose(gz);
	return err;
}

/* Open the symbol table @name: in the store, in the directory of the sessions, or in the user's
 * cache, to which a link points. A process that has changed its root directory (confine.h) cannot
 * open tables in the cache. */
static int open_table(int dirfd, const char *name)
{
	static const char *const places[] = {
		OP_INTERVAL_TABLES_DIR, OP_TABLES_DIR, OP_CACHE_LINK,
	};
	char path[OP_TABLE_NAME_SIZE + 32];
	struct stat st;
	int fd = -1;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++) {
		snprintf(path, sizeof(path), "../%s/%s", places[i], name);
		fd = openat(dirfd, path,
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	}
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -EINVAL;
	}
	return fd < 0 ? -errno : fd;
}

/*
 * Read the two symbol tables of a binary: one was made without its debug file, the other with it. A
 * report may use either table, so assume that a function starts where one of the tables has a
 * symbol.
 */
static int read_binary(struct reading *r, const struct itv_symbols *s,
		       const struct itv_image *image)
{
	char name[OP_TABLE_NAME_SIZE];
	const struct op_path_image *i = &image->image;
	int err = op_table_name(name, &i->identity, i->mtime, image->build_id, image->build_id_len);

	for (int n = 0; n < 2 && !err; n++) {
		struct reading table = { .nr = 0 };
		int fd;

		if (n)
			op_table_name_debug(name);
		fd = open_table(s->dirfd, name);
		if (fd < 0)
			continue;
		err = read_table(&table, fd);
		for (size_t k = 0; k < table.nr && !err; k++)
			err = add_range(r, table.ranges[k].start, table.ranges[k].end);
		if (!err && !r->nr_segments) {
			r->segments = table.segments;
			r->nr_segments = table.nr_segments;
			table.segments = NULL;
		}
		reading_release(&table);
	}
	/* If the table has no segments, file offsets cannot be converted to addresses of
	 * symbols. */
	if (!r->nr_segments)
		r->nr = 0;
	return err;
}

/* Read the functions of the kernel image @name: the core kernel or a module. Each function ends
 * where the next one starts. Code that the kernel generates at run time, after the end of the
 * image, has an unknown end. */
static int read_kernel(struct reading *r, struct itv_symbols *s, const char *name)
{
	const struct op_kimage *image;
	int err = 0;

	if (!s->is_kernel_read)
		err = itv_store_kernel_read(&s->kernel_syms, s->kernel, s->dirfd);
	s->is_kernel_read = true;
	image = err ? NULL : op_kernel_syms_image(&s->kernel_syms, name);
	for (size_t i = 0; image && i < image->nr_syms && !err; i++) {
		uint64_t start = image->syms[i].offset;
		uint64_t end = i + 1 < image->nr_syms ? image->syms[i + 1].offset : image->size;

		if (end > image->size)
			end = image->size;
		if (end < start)
			end = start;
		err = add_range(r, start, end);
	}
	return err;
}

static bool is_same(const struct functions *f, const struct itv_image *image)
{
	return !itv_compare_images(&f->key, image);
}

static void functions_free(struct functions *f)
{
	if (!f)
		return;
	free(f->path);
	free(f->build_id);
	free(f->pieces);
	free(f->segments);
	free(f);
}

/* Copy to f->key the members that identify @image. A pointer to @image is not enough: the image is
 * freed when the interval is reduced. */
static int set_key(struct functions *f, const struct itv_image *image)
{
	f->path = strdup(image->image.name.path);
	f->build_id = malloc(image->build_id_len + 1);
	if (!f->path || !f->build_id)
		return -ENOMEM;
	if (image->build_id_len)
		memcpy(f->build_id, image->build_id, image->build_id_len);
	f->key = *image;
	f->key.image.name.path = f->path;
	f->key.image.name.unit = NULL;
	f->key.woken = NULL;
	f->key.build_id = image->build_id_len ? f->build_id : NULL;
	return 0;
}

/* Read the functions of an image. Return NULL if memory is short. If the symbols cannot be read,
 * the result contains no functions. */
static const struct functions *read_functions(struct itv_symbols *s, const struct itv_image *image)
{
	struct reading r = { .nr = 0 };
	struct functions *f = calloc(1, sizeof(*f));
	int err = f ? set_key(f, image) : -ENOMEM;

	if (!err && image->image.name.kind == OP_IMAGE_ROOT && !image->image.is_kernel)
		err = read_binary(&r, s, image);
	else if (!err && image->image.name.kind == OP_IMAGE_KERN && s->kernel)
		err = read_kernel(&r, s, image->image.name.path);
	/* if memory for the pieces is short, treat the functions as unknown */
	if (!err && !set_pieces(f, &r)) {
		f->segments = r.segments;
		f->nr_segments = r.nr_segments;
		r.segments = NULL;
	}
	reading_release(&r);
	if (!f || !f->path || op_grow(&s->images, s->nr_images)) {
		functions_free(f);
		return NULL;
	}
	s->images[s->nr_images++] = f;
	return f;
}

static const struct functions *functions_of(struct itv_symbols *s, const struct itv_image *image)
{
	const struct functions *found = NULL;

	if (s->last && is_same(s->last, image))
		return s->last;
	for (size_t i = 0; i < s->nr_images && !found; i++)
		if (is_same(s->images[i], image))
			found = s->images[i];
	if (!found)
		found = read_functions(s, image);
	s->last = found;
	return found;
}

/* Return the segment that contains the file offset @offset, or NULL. If several segments contain
 * it, choose the same one as reports. */
static const struct segment *segment_of(const struct functions *f, uint64_t offset)
{
	for (int executable = 1; executable >= 0; executable--) {
		for (size_t i = 0; i < f->nr_segments; i++) {
			const struct segment *s = &f->segments[i];

			if (s->is_executable == (executable == 1) && offset >= s->offset &&
			    offset - s->offset < s->size)
				return s;
		}
	}
	return NULL;
}

/* Return the last piece that starts at or below @address, or NULL. */
static const struct piece *piece_of(const struct functions *f, uint64_t address)
{
	size_t low = 0, high = f->nr_pieces;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->pieces[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &f->pieces[low - 1] : NULL;
}

/* Round @key down to a multiple of @bytes, but not below @least. */
static uint64_t block_of(uint64_t key, uint64_t bytes, uint64_t least)
{
	const uint64_t begin = key & ~(bytes - 1);

	return begin > least ? begin : least;
}

static uint64_t replace(void *arg, const struct itv_image *image, uint64_t key,
			enum itv_precision precision)
{
	const struct functions *f = functions_of(arg, image);
	const struct segment *segment = NULL;
	const struct piece *piece;
	uint64_t start;

	if (!f || (!f->nr_pieces && !f->nr_segments))
		return key;
	if (f->nr_segments) {
		segment = segment_of(f, key);
		if (!segment)
			return key;
	}
	piece = piece_of(f, segment ? key - segment->offset + segment->vaddr : key);
	/* The address may be outside of the kernel's code, whose end is unknown: do not round
	 * it. */
	if (!segment && (!piece || !piece->is_code))
		return key;
	start = piece ? piece->start : 0;
	if (segment) {
		if (start < segment->vaddr)
			start = segment->vaddr;
		start = start - segment->vaddr + segment->offset;
	}
	if (precision == ITV_LINES)
		return block_of(key, LINE_BYTES, start);
	return piece && piece->is_code ? start : block_of(key, PAGE_BYTES, start);
}

int itv_symbols_open(struct itv_symbols **ret, int dirfd, uint32_t kernel)
{
	struct itv_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->dirfd = dirfd;
	s->kernel = kernel;
	*ret = s;
	return 0;
}

void itv_symbols_close(struct itv_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr_images; i++)
		functions_free(s->images[i]);
	free(s->images);
	op_kernel_syms_release(&s->kernel_syms);
	free(s);
}

struct itv_places itv_symbols_places(struct itv_symbols *s)
{
	return (struct itv_places){ .replace = replace, .arg = s };
}
