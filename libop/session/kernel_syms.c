// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_syms.c -- the kernel symbols of a session: adding, reading, writing and looking up
 * symbols. */
#include "config.h"
#include "libop/session/kernel_syms.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "libop/session/paths.h"

#define MAGIC_WORD	"oprofile-kernel-symbols "
#define THIS_VERSION	'1'
#define MAGIC		MAGIC_WORD "1"
#define MAX_FILE	(256u << 20)
/* maximum length of a symbol's name: KSYM_NAME_LEN of the kernel */
#define MAX_NAME	512
#define BLOCK_SIZE	(256u << 10)

/* A block of memory for many names, because a malloc() for each of 200,000 names would use too
 * much memory. */
struct op_ksyms_block {
	struct op_ksyms_block *next;
	size_t used, size;
	char text[];
};

static char *copy_name(struct op_kernel_syms *s, const char *name, size_t len)
{
	struct op_ksyms_block *b = s->blocks;
	char *copy;

	if (!b || b->size - b->used < len + 1) {
		size_t size = len + 1 > BLOCK_SIZE ? len + 1 : BLOCK_SIZE;

		b = malloc(sizeof(*b) + size);
		if (!b)
			return NULL;
		*b = (struct op_ksyms_block){ .next = s->blocks, .size = size };
		s->blocks = b;
	}
	copy = b->text + b->used;
	memcpy(copy, name, len);
	copy[len] = '\0';
	b->used += len + 1;
	return copy;
}

/* Return whether the name has neither blanks nor control characters. Bytes above 127 are allowed,
 * because they may be UTF-8. */
static bool is_word(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)name[i] <= ' ' || name[i] == 127)
			return false;
	}
	return len && len <= MAX_NAME;
}

static int set_word(struct op_kernel_syms *s, char **field, const char *word)
{
	char *copy;

	if (!is_word(word, strlen(word)))
		return -EINVAL;
	copy = copy_name(s, word, strlen(word));
	if (!copy)
		return -ENOMEM;
	*field = copy;
	return 0;
}

int op_kernel_syms_set_release(struct op_kernel_syms *s, const char *release)
{
	return set_word(s, &s->release, release);
}

int op_kernel_syms_set_build_id(struct op_kernel_syms *s, const char *hex)
{
	if (hex[strspn(hex, "0123456789abcdef")])
		return -EINVAL;
	return set_word(s, &s->build_id, hex);
}

static int add_image(struct op_kernel_syms *s, const char *name, size_t len, uint64_t size)
{
	char *copy;

	if (!is_word(name, len) || memchr(name, '/', len))
		return -EINVAL;
	if (op_grow(&s->images, s->nr_images))
		return -ENOMEM;
	copy = copy_name(s, name, len);
	if (!copy)
		return -ENOMEM;
	s->images[s->nr_images++] = (struct op_kimage){ .name = copy, .size = size };
	return 0;
}

int op_kernel_syms_add_image(struct op_kernel_syms *s, const char *name, uint64_t size)
{
	return add_image(s, name, strlen(name), size);
}

static int add_symbol(struct op_kernel_syms *s, uint64_t offset, char type, const char *name,
		      size_t len)
{
	struct op_kimage *image;
	char *copy;

	if (!s->nr_images || !isalpha((unsigned char)type) || !is_word(name, len))
		return -EINVAL;
	image = &s->images[s->nr_images - 1];
	if (op_grow(&image->syms, image->nr_syms))
		return -ENOMEM;
	copy = copy_name(s, name, len);
	if (!copy)
		return -ENOMEM;
	image->syms[image->nr_syms++] = (struct op_ksym){ offset, type, copy };
	return 0;
}

int op_kernel_syms_add_symbol(struct op_kernel_syms *s, uint64_t offset, char type,
			      const char *name)
{
	return add_symbol(s, offset, type, name, strlen(name));
}

static int compare_syms(const void *a, const void *b)
{
	const struct op_ksym *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/* Sort symbols at the same offset in the order local, weak, global, because reports show
	 * the last of them. */
	if (!isupper((unsigned char)x->type) != !isupper((unsigned char)y->type))
		return isupper((unsigned char)x->type) ? 1 : -1;
	return strcmp(x->name, y->name);
}

static bool is_sorted(const struct op_kimage *image)
{
	for (size_t i = 1; i < image->nr_syms; i++) {
		if (image->syms[i].offset < image->syms[i - 1].offset)
			return false;
	}
	return true;
}

void op_kernel_syms_sort(struct op_kernel_syms *s)
{
	for (size_t i = 0; i < s->nr_images; i++) {
		if (s->images[i].nr_syms)
			qsort(s->images[i].syms, s->images[i].nr_syms, sizeof(struct op_ksym),
			      compare_syms);
	}
}

/* The rest of the line that is being parsed, without the newline at its end. */
struct line {
	const char *s, *end;
};

static bool next_line(struct line *l, const char **pos, const char *end)
{
	const char *nl;

	if (*pos >= end)
		return false;
	nl = memchr(*pos, '\n', end - *pos);
	l->s = *pos;
	l->end = nl ? nl : end;
	*pos = l->end + 1;
	return true;
}

/* Parse a hexadecimal number, and the blank after it. */
static bool parse_hex(struct line *l, uint64_t *ret)
{
	const char *c = l->s;
	uint64_t n = 0;

	for (; c < l->end && *c != ' '; c++) {
		unsigned int digit;

		if (*c >= '0' && *c <= '9')
			digit = *c - '0';
		else if (*c >= 'a' && *c <= 'f')
			digit = *c - 'a' + 10;
		else
			return false;
		if (n >> 60)
			return false;
		n = n << 4 | digit;
	}
	if (c == l->s)
		return false;
	l->s = c < l->end ? c + 1 : c;
	*ret = n;
	return true;
}

static bool skip_word(struct line *l, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(l->end - l->s) < len || memcmp(l->s, word, len))
		return false;
	l->s += len;
	return true;
}

/* Parse "NAME SIZE", the rest of a line that begins with the word "image". */
static int parse_image(struct op_kernel_syms *s, struct line l)
{
	const char *name = l.s, *blank = memchr(l.s, ' ', l.end - l.s);
	uint64_t size;

	if (!blank)
		return -EINVAL;
	l.s = blank + 1;
	if (!parse_hex(&l, &size) || l.s != l.end)
		return -EINVAL;
	return add_image(s, name, blank - name, size);
}

/* Parse a line "OFFSET TYPE SYMBOL". */
static int parse_symbol(struct op_kernel_syms *s, struct line l)
{
	uint64_t offset;

	if (!parse_hex(&l, &offset) || l.end - l.s < 3 || l.s[1] != ' ')
		return -EINVAL;
	return add_symbol(s, offset, l.s[0], l.s + 2, l.end - l.s - 2);
}

static int parse_word(struct op_kernel_syms *s, char **field, struct line l)
{
	if (*field || !is_word(l.s, l.end - l.s))
		return -EINVAL;
	*field = copy_name(s, l.s, l.end - l.s);
	return *field ? 0 : -ENOMEM;
}

/* Check @l, the first line of the file. Return 0, OP_ERR_KSYMS or OP_ERR_KSYMS_VERSION. */
static int check_magic(struct line l)
{
	if (!skip_word(&l, MAGIC_WORD) || l.s == l.end || *l.s == '0')
		return OP_ERR_KSYMS;
	for (const char *c = l.s; c < l.end; c++)
		if (*c < '0' || *c > '9')
			return OP_ERR_KSYMS;
	return l.end - l.s == 1 && *l.s == THIS_VERSION ? 0 : OP_ERR_KSYMS_VERSION;
}

/* Parse the text. @kernel_only: stop at the first image. */
static int parse(struct op_kernel_syms *s, const char *text, size_t len, bool kernel_only)
{
	const char *pos = text;
	struct line l;
	int err;

	if (!next_line(&l, &pos, text + len))
		return OP_ERR_KSYMS;
	err = check_magic(l);
	if (err)
		return err;
	while (next_line(&l, &pos, text + len)) {
		bool is_image = skip_word(&l, "image ");

		if (is_image && kernel_only)
			break;
		if (is_image)
			err = parse_image(s, l);
		else if (s->nr_images)
			err = parse_symbol(s, l);
		else if (skip_word(&l, "release "))
			err = parse_word(s, &s->release, l);
		else if (skip_word(&l, "build-id "))
			err = parse_word(s, &s->build_id, l);
		else
			err = -EINVAL;
		if (err)
			return err == -EINVAL ? OP_ERR_KSYMS : err;
	}
	for (size_t i = 0; i < s->nr_images; i++) {
		if (!is_sorted(&s->images[i]))
			return OP_ERR_KSYMS;
	}
	return s->release ? 0 : OP_ERR_KSYMS;
}

static int parse_all(struct op_kernel_syms *ret, const char *text, size_t len, bool kernel_only)
{
	struct op_kernel_syms s = { 0 };
	int err = parse(&s, text, len, kernel_only);

	if (err) {
		op_kernel_syms_release(&s);
		return err;
	}
	*ret = s;
	return 0;
}

int op_kernel_syms_parse(struct op_kernel_syms *ret, const char *text, size_t len)
{
	return parse_all(ret, text, len, false);
}

static int read_file(struct op_kernel_syms *ret, int samples_dirfd, bool kernel_only)
{
	size_t len;
	char *text;
	int err;

	err = op_read_file(samples_dirfd, OP_KERNEL_SYMS_FILE, MAX_FILE, &text, &len);
	if (err)
		return err;
	err = parse_all(ret, text, len, kernel_only);
	free(text);
	return err;
}

int op_kernel_syms_read(struct op_kernel_syms *ret, int samples_dirfd)
{
	return read_file(ret, samples_dirfd, false);
}

int op_kernel_syms_read_kernel(struct op_kernel_syms *ret, int samples_dirfd)
{
	return read_file(ret, samples_dirfd, true);
}

/* Write the line of a symbol. fprintf() would take three times as many instructions, and the daemon
 * writes 100,000 lines. */
static void put_symbol(FILE *f, const struct op_ksym *sym)
{
	char text[sizeof("0123456789abcdef t ")];
	char *end = text + sizeof(text), *p = end;
	uint64_t offset = sym->offset;

	*--p = ' ';
	*--p = sym->type;
	*--p = ' ';
	do {
		*--p = "0123456789abcdef"[offset & 15];
		offset >>= 4;
	} while (offset);
	fwrite_unlocked(p, 1, end - p, f);
	fwrite_unlocked(sym->name, 1, strlen(sym->name), f);
	putc_unlocked('\n', f);
}

static void put(FILE *f, const struct op_kernel_syms *s)
{
	fprintf(f, MAGIC "\nrelease %s\n", s->release);
	if (s->build_id)
		fprintf(f, "build-id %s\n", s->build_id);
	for (size_t i = 0; i < s->nr_images; i++) {
		const struct op_kimage *image = &s->images[i];

		fprintf(f, "image %s %" PRIx64 "\n", image->name, image->size);
		for (size_t j = 0; j < image->nr_syms; j++)
			put_symbol(f, &image->syms[j]);
	}
}

int op_kernel_syms_write(const struct op_kernel_syms *s, int samples_dirfd)
{
	char *text = NULL;
	size_t len;
	FILE *f;
	int err;

	if (!s->release)
		return -EINVAL;
	for (size_t i = 0; i < s->nr_images; i++) {
		if (!is_sorted(&s->images[i]))
			return -EINVAL;
	}
	f = open_memstream(&text, &len);
	if (!f)
		return -ENOMEM;
	put(f, s);
	if (fclose(f))
		err = -ENOMEM;
	else
		err = op_replace_file_nowait(samples_dirfd, OP_KERNEL_SYMS_FILE, text, len, 0644);
	free(text);
	return err;
}

void op_kernel_syms_release(struct op_kernel_syms *s)
{
	struct op_ksyms_block *b, *next;

	for (size_t i = 0; i < s->nr_images; i++)
		free(s->images[i].syms);
	free(s->images);
	for (b = s->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	memset(s, 0, sizeof(*s));
}

const struct op_kimage *op_kernel_syms_image(const struct op_kernel_syms *s, const char *name)
{
	for (size_t i = 0; i < s->nr_images; i++) {
		if (!strcmp(s->images[i].name, name))
			return &s->images[i];
	}
	return NULL;
}

const struct op_ksym *op_kimage_lookup(const struct op_kimage *image, uint64_t offset)
{
	size_t above = op_partition_point(i, image->nr_syms, image->syms[i].offset <= offset);

	return above ? &image->syms[above - 1] : NULL;
}
