// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mangle.c -- encoding and decoding of the names of sample files.
 *
 * op_unmangle() accepts only names that op_mangle() generates. So each sample file has exactly one
 * name, and a name cannot point outside of the samples directory.
 */
#include "config.h"
#include "libop/session/mangle.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"

/* A part of a string, not terminated by a NUL. */
struct span {
	const char *s;
	size_t len;
};

static bool span_is(struct span a, const char *b)
{
	return a.len == strlen(b) && !memcmp(a.s, b, a.len);
}

static bool span_begins(struct span a, const char *b)
{
	return a.len >= strlen(b) && !memcmp(a.s, b, strlen(b));
}

/* Return the first path component of *@rest, and advance *@rest to the next component. */
static struct span next_component(struct span *rest)
{
	const char *slash = memchr(rest->s, '/', rest->len);
	struct span c = { rest->s, slash ? (size_t)(slash - rest->s) : rest->len };
	size_t used = slash ? c.len + 1 : c.len;

	rest->s += used;
	rest->len -= used;
	return c;
}

/* Return whether the path component @c is one of the words in braces that the format uses, such as
 * "{root}". */
static bool is_mark(struct span c)
{
	return span_is(c, "{root}") || span_is(c, "{kern}") || span_is(c, "{dep}") ||
	       span_is(c, "{cg}") || span_is(c, "{unit}") || span_is(c, "{woken}") ||
	       span_begins(c, "{anon:");
}

/* Return whether the path component @c is an ordinary name: not a word of the format, and neither
 * "." nor "..". */
static bool is_plain(struct span c)
{
	return c.len && c.len <= NAME_MAX && !span_is(c, ".") && !span_is(c, "..") && !is_mark(c) &&
	       !memchr(c.s, '\0', c.len);
}

/* replacement of the '{' in a path component of a user's file that equals a word of the format */
#define BRACE	"%7B"
/* replacement of the '%' in a path component of a user's file that looks like an escaped word */
#define PERCENT	"%25"

/* Return whether the path component @c looks as if put_path() had escaped it. */
static bool is_escaped_mark(struct span c)
{
	const size_t digits = strlen(PERCENT) - 1;
	char mark[NAME_MAX + 1];

	if (!c.len || c.len > NAME_MAX || *c.s != '%')
		return false;
	c.s++;
	c.len--;
	while (c.len >= digits && !memcmp(c.s, PERCENT + 1, digits)) {
		c.s += digits;
		c.len -= digits;
	}
	if (c.len < digits || memcmp(c.s, BRACE + 1, digits))
		return false;
	c.s += digits;
	c.len -= digits;
	mark[0] = '{';
	memcpy(mark + 1, c.s, c.len);
	return is_mark((struct span){ mark, c.len + 1 });
}

static void put_path(FILE *f, const char *path)
{
	struct span rest = { path + 1, strlen(path) - 1 };

	while (rest.len) {
		struct span c = next_component(&rest);
		const char *first = is_mark(c) ? BRACE : is_escaped_mark(c) ? PERCENT : NULL;

		if (first)
			fprintf(f, "/%s%.*s", first, (int)c.len - 1, c.s + 1);
		else
			fprintf(f, "/%.*s", (int)c.len, c.s);
	}
}

/* Undo the escapes of put_path() in place. */
static void restore_marks(char *path)
{
	const size_t more = strlen(BRACE) - 1;

	for (char *c = path; (c = strchr(c, '/')); ) {
		size_t len = strcspn(++c, "/");

		if (!is_escaped_mark((struct span){ c, len }))
			continue;
		*c = strncmp(c, BRACE, strlen(BRACE)) ? '%' : '{';
		memmove(c + 1, c + 1 + more, strlen(c + 1 + more) + 1);
	}
}

/* Return whether @path is absolute ("/a/b"), and each component is an ordinary name, or a word of
 * the format that put_path() can escape. */
static bool is_path(const char *path)
{
	struct span rest;

	if (path[0] != '/' || path[strlen(path) - 1] == '/')
		return false;
	rest = (struct span){ path + 1, strlen(path) - 1 };
	while (rest.len) {
		struct span c = next_component(&rest);

		if (!is_plain(c) && !is_mark(c))
			return false;
		if ((is_mark(c) || is_escaped_mark(c)) && c.len + strlen(BRACE) - 1 > NAME_MAX)
			return false;
	}
	return true;
}

static bool is_component(const char *name)
{
	return !strchr(name, '/') && is_plain((struct span){ name, strlen(name) });
}

/* Return the length of the label of an anonymous image without its suffix "~N". Set *@program to
 * N, or to 0 if the label has no suffix. */
static size_t label_length(const char *label, unsigned int *program)
{
	const char *mark = strrchr(label, '~');
	size_t digits = mark ? strspn(mark + 1, "0123456789") : 0;

	*program = 0;
	if (!mark || mark == label || !digits || digits > 9 || mark[1] == '0' || mark[1 + digits])
		return strlen(label);
	*program = (unsigned int)strtoul(mark + 1, NULL, 10);
	return (size_t)(mark - label);
}

static int put_image(FILE *f, const struct op_image_name *image)
{
	unsigned int program;

	if (!image->path)
		return -EINVAL;
	switch (image->kind) {
	case OP_IMAGE_ROOT:
		if (!is_path(image->path))
			return -EINVAL;
		fputs("{root}", f);
		put_path(f, image->path);
		return 0;
	case OP_IMAGE_KERN:
		if (!is_component(image->path))
			return -EINVAL;
		fprintf(f, "{kern}/%s", image->path);
		return 0;
	case OP_IMAGE_ANON:
		if (!*image->path || strchr(image->path, '/') || image->anon_tgid < 0 ||
		    strlen(image->path) + strlen("{anon:~123456789}") > NAME_MAX ||
		    label_length(image->path, &program) != strlen(image->path) ||
		    image->anon_program > 999999999)
			return -EINVAL;
		fprintf(f, "{anon:%s", image->path);
		if (image->anon_program)
			fprintf(f, "~%u", image->anon_program);
		fprintf(f, "}/%d.0x%" PRIx64 ".0x%" PRIx64, (int)image->anon_tgid,
			image->anon_start, image->anon_end);
		return 0;
	}
	return -EINVAL;
}

/* Write the part of a name that consists of the word @mark and the path @path. The path "/" has no
 * components. Write nothing if @path is NULL. */
static int put_marked(FILE *f, const char *mark, const char *path)
{
	const bool is_root = path && !strcmp(path, "/");

	if (!path)
		return 0;
	if (!is_root && !is_path(path))
		return -EINVAL;
	fputs(mark, f);
	if (!is_root)
		put_path(f, path);
	putc('/', f);
	return 0;
}

static void put_number(FILE *f, int n)
{
	if (n == OP_ALL)
		fputs(".all", f);
	else
		fprintf(f, ".%d", n);
}

static int put_name(FILE *f, const struct op_sample_name *name)
{
	int err;

	if (!name->event || !is_component(name->event) || strchr(name->event, '.') ||
	    name->tgid < OP_ALL || name->tid < OP_ALL || name->cpu < OP_ALL ||
	    name->app.kind == OP_IMAGE_ANON)
		return -EINVAL;
	err = put_marked(f, "{woken}", name->woken);
	if (!err)
		err = put_marked(f, "{unit}", name->app.unit);
	if (!err)
		err = put_image(f, &name->app);
	if (err)
		return err;
	fputs("/{dep}/", f);
	err = put_image(f, &name->image);
	if (err)
		return err;
	if (name->callee.path) {
		fputs("/{cg}/", f);
		err = put_image(f, &name->callee);
		if (err)
			return err;
	}
	fprintf(f, "/%s.%" PRIu64 ".%" PRIu32, name->event, name->count, name->um);
	put_number(f, name->tgid);
	put_number(f, name->tid);
	put_number(f, name->cpu);
	return 0;
}

/* Write the name of a sample file. If @name is NULL, write only the part of a name that describes
 * the image @image. */
static int put(char **ret, const struct op_sample_name *name, const struct op_image_name *image)
{
	char *path = NULL;
	size_t len;
	FILE *f = open_memstream(&path, &len);
	int err;

	if (!f)
		return -ENOMEM;
	err = name ? put_name(f, name) : put_image(f, image);
	if (fclose(f) && !err)
		err = -ENOMEM;
	if (err) {
		free(path);
		return err;
	}
	*ret = path;
	return 0;
}

int op_mangle(char **ret, const struct op_sample_name *name)
{
	return put(ret, name, NULL);
}

int op_mangle_image(char **ret, const struct op_image_name *image)
{
	return put(ret, NULL, image);
}

/* Parse the digits @s as a number. Accept only the form that printf() writes: no sign, and no
 * leading zeros. */
static int parse_number(struct span s, unsigned int base, uint64_t max, uint64_t *ret)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t n = 0;

	if (!s.len || (s.len > 1 && s.s[0] == '0'))
		return OP_ERR_NAME;
	for (size_t i = 0; i < s.len; i++) {
		const char *digit = memchr(digits, s.s[i], base);
		uint64_t d;

		if (!digit)
			return OP_ERR_NAME;
		d = digit - digits;
		if (d > max || n > (max - d) / base)
			return OP_ERR_NAME;
		n = n * base + d;
	}
	*ret = n;
	return 0;
}

static int parse_all_or_number(struct span s, int *ret)
{
	uint64_t n;
	int err;

	if (span_is(s, "all")) {
		*ret = OP_ALL;
		return 0;
	}
	err = parse_number(s, 10, INT_MAX, &n);
	if (!err)
		*ret = n;
	return err;
}

/* Split @s at each '.'. Store the first @max parts, and return the number of all parts. */
static unsigned int split(struct span s, struct span *parts, unsigned int max)
{
	unsigned int nr = 0;

	for (;;) {
		const char *dot = memchr(s.s, '.', s.len);
		size_t len = dot ? (size_t)(dot - s.s) : s.len;

		if (nr < max)
			parts[nr] = (struct span){ s.s, len };
		nr++;
		if (!dot)
			return nr;
		s.s += len + 1;
		s.len -= len + 1;
	}
}

static int dup_span(char **ret, const char *s, size_t len)
{
	*ret = strndup(s, len);
	return *ret ? 0 : -ENOMEM;
}

/* Parse TGID.0xSTART.0xEND, the range of an anonymous image. */
static int parse_range(struct op_image_name *image, struct span s)
{
	struct span parts[3];
	uint64_t tgid;
	int err;

	if (split(s, parts, 3) != 3)
		return OP_ERR_NAME;
	err = parse_number(parts[0], 10, INT_MAX, &tgid);
	for (int i = 1; i < 3 && !err; i++) {
		if (!span_begins(parts[i], "0x"))
			return OP_ERR_NAME;
		parts[i].s += 2;
		parts[i].len -= 2;
		err = parse_number(parts[i], 16, UINT64_MAX,
				   i == 1 ? &image->anon_start : &image->anon_end);
	}
	if (!err)
		image->anon_tgid = tgid;
	return err;
}

/* Parse the part of a sample file's name that describes an image. The part ends with the format's
 * word @end; if @end is NULL, it ends before the last component, which describes the event. Advance
 * *@rest to the text after the part. */
static int parse_image(struct op_image_name *image, struct span *rest, const char *end)
{
	struct span kind = next_component(rest), c, before;
	const char *start = rest->s;
	size_t len = 0;
	int err;

	image->kind = span_is(kind, "{root}") ? OP_IMAGE_ROOT :
		      span_is(kind, "{kern}") ? OP_IMAGE_KERN : OP_IMAGE_ANON;
	if (image->kind == OP_IMAGE_ANON) {
		if (!span_begins(kind, "{anon:") || kind.len > NAME_MAX || kind.len < 8 ||
		    kind.s[kind.len - 1] != '}')
			return OP_ERR_NAME;
		err = dup_span(&image->path, kind.s + 6, kind.len - 7);
		if (!err) {
			image->path[label_length(image->path, &image->anon_program)] = '\0';
			err = parse_range(image, next_component(rest));
		}
		if (err)
			return err;
	}
	for (;;) {
		before = *rest;
		if (!rest->len)
			return OP_ERR_NAME;
		c = next_component(rest);
		if (end && span_is(c, end))
			break;
		if (!end && !rest->len) {
			*rest = before;
			break;
		}
		if (!is_plain(c))
			return OP_ERR_NAME;
		len = c.s + c.len - start;
		if (image->kind == OP_IMAGE_ANON || (image->kind == OP_IMAGE_KERN && c.s != start))
			return OP_ERR_NAME;
	}
	if (image->kind == OP_IMAGE_ANON)
		return 0;
	if (!len)
		return OP_ERR_NAME;
	if (image->kind == OP_IMAGE_KERN)
		return dup_span(&image->path, start, len);
	/* the image's path includes the '/' before its first component */
	err = dup_span(&image->path, start - 1, len + 1);
	if (!err)
		restore_marks(image->path);
	return err;
}

/* Parse EVENT.COUNT.UM.TGID.TID.CPU, the last component of a sample file's name. */
static int parse_event(struct op_sample_name *name, struct span s)
{
	struct span parts[6];
	uint64_t um;
	int err;

	if (split(s, parts, 6) != 6 || !is_plain(parts[0]))
		return OP_ERR_NAME;
	err = parse_number(parts[1], 10, UINT64_MAX, &name->count);
	if (!err)
		err = parse_number(parts[2], 10, UINT32_MAX, &um);
	if (!err)
		err = parse_all_or_number(parts[3], &name->tgid);
	if (!err)
		err = parse_all_or_number(parts[4], &name->tid);
	if (!err)
		err = parse_all_or_number(parts[5], &name->cpu);
	if (err)
		return err;
	name->um = um;
	return dup_span(&name->event, parts[0].s, parts[0].len);
}

static bool has_component(struct span rest, const char *word)
{
	while (rest.len) {
		if (span_is(next_component(&rest), word))
			return true;
	}
	return false;
}

/* Parse the part of a name that put_marked() writes for @mark, if the name has it. Advance *@rest
 * to the text after the part. */
static int parse_marked(char **ret, struct span *rest, const char *mark)
{
	struct span after = *rest, before, c;
	const char *start;
	size_t len = 0;
	int err;

	if (!span_is(next_component(&after), mark))
		return 0;
	start = after.s;
	for (;;) {
		before = after;
		c = next_component(&after);
		if (span_is(c, "{root}") || span_is(c, "{kern}") || span_is(c, "{unit}"))
			break;
		if (!is_plain(c))
			return OP_ERR_NAME;
		len = (size_t)(c.s + c.len - start);
	}
	/* the path includes the '/' before its first component */
	err = len ? dup_span(ret, start - 1, len + 1) : dup_span(ret, "/", 1);
	if (!err)
		restore_marks(*ret);
	*rest = before;
	return err;
}

int op_unmangle(struct op_sample_name *ret, const char *path)
{
	struct op_sample_name name = { 0 };
	struct span rest = { path, strlen(path) };
	char *unit = NULL;
	int err;

	if (!rest.len || path[rest.len - 1] == '/')
		return OP_ERR_NAME;
	err = parse_marked(&name.woken, &rest, "{woken}");
	if (!err)
		err = parse_marked(&unit, &rest, "{unit}");
	if (!err)
		err = parse_image(&name.app, &rest, "{dep}");
	name.app.unit = unit;
	if (!err && name.app.kind == OP_IMAGE_ANON)
		err = OP_ERR_NAME;
	if (!err && has_component(rest, "{cg}")) {
		err = parse_image(&name.image, &rest, "{cg}");
		if (!err)
			err = parse_image(&name.callee, &rest, NULL);
	} else if (!err) {
		err = parse_image(&name.image, &rest, NULL);
	}
	if (!err)
		err = parse_event(&name, rest);
	if (err) {
		op_sample_name_release(&name);
		return err;
	}
	*ret = name;
	return 0;
}

int op_unmangle_image(struct op_image_name *ret, const char *text)
{
	struct op_image_name image = { 0 };
	struct span rest;
	char *name;
	int err;

	/* append a dummy event, because op_unmangle() requires one */
	if (asprintf(&name, "%s/-", text) < 0)
		return -ENOMEM;
	rest = (struct span){ name, strlen(name) };
	err = parse_image(&image, &rest, NULL);
	free(name);
	if (err)
		free(image.path);
	else
		*ret = image;
	return err;
}

void op_sample_name_release(struct op_sample_name *name)
{
	free(name->woken);
	free(name->app.path);
	free(name->app.unit);
	free(name->image.path);
	free(name->callee.path);
	free(name->event);
	memset(name, 0, sizeof(*name));
}
