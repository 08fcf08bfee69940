// SPDX-License-Identifier: GPL-2.0-or-later
/* jit.c -- finds the files and puts what they say in order. */
#include "config.h"
#include "pp/image/jit.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE	(512u << 20)	/* dumps hold all the code ever made */
#define MAX_CODES	(8u << 20)
#define MAX_LINES	(32u << 20)
#define MAX_UNSIZED	(64u << 10)	/* maximum size of code whose size is unknown */

int pp_jit_add_code(struct pp_jit *jit, const struct pp_jit_code *code)
{
	if (jit->nr_codes >= MAX_CODES || op_grow(&jit->codes, jit->nr_codes))
		return -ENOMEM;
	jit->codes[jit->nr_codes] = *code;
	jit->codes[jit->nr_codes].order = jit->nr_codes;
	jit->nr_codes++;
	return 0;
}

int pp_jit_add_line(struct pp_jit *jit, const struct pp_jit_line *line)
{
	if (jit->nr_lines >= MAX_LINES || op_grow(&jit->lines, jit->nr_lines))
		return -ENOMEM;
	jit->lines[jit->nr_lines++] = *line;
	return 0;
}

static int compare_codes(const void *a, const void *b)
{
	const struct pp_jit_code *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* By address; what was said last about one counts. glibc's qsort() of large arrays may not be
 * stable, so the place in the array decides: lines stand in the file's order when this is
 * called. */
static int compare_lines(const void *a, const void *b)
{
	const struct pp_jit_line *x = *(const struct pp_jit_line *const *)a,
				 *y = *(const struct pp_jit_line *const *)b;

	if (x->vma != y->vma)
		return x->vma < y->vma ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Some programs write no sizes: let such code extend to the next code, as perf does. @codes are sorted. */
static void end_unsized(struct pp_jit_code *codes, size_t nr)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = nr; i-- > 0; ) {
		struct pp_jit_code *c = &codes[i];

		if (i + 1 < nr && codes[i + 1].start > c->start)
			next = codes[i + 1].start;
		if (c->end == c->start)
			c->end = next - c->start < MAX_UNSIZED ? next : c->start + MAX_UNSIZED;
	}
}

/* Where pieces of code overlap, memory was used again: the later one stays. */
static void drop_replaced(struct pp_jit *jit)
{
	struct pp_jit_code *codes = jit->codes;
	size_t kept = 0;

	for (size_t i = 0; i < jit->nr_codes; i++) {
		int is_replaced = 0;

		while (kept && codes[kept - 1].end > codes[i].start && !is_replaced) {
			is_replaced = codes[kept - 1].order > codes[i].order;
			kept -= !is_replaced;
		}
		if (!is_replaced)
			codes[kept++] = codes[i];
	}
	jit->nr_codes = kept;
}

static int sort_lines(struct pp_jit *jit)
{
	const struct pp_jit_line **order;
	struct pp_jit_line *lines;
	size_t nr = 0;

	if (!jit->nr_lines)
		return 0;
	order = malloc(jit->nr_lines * sizeof(*order));
	lines = malloc(jit->nr_lines * sizeof(*lines));
	if (!order || !lines) {
		free(order);
		free(lines);
		return -ENOMEM;
	}
	for (size_t i = 0; i < jit->nr_lines; i++)
		order[i] = &jit->lines[i];
	qsort(order, jit->nr_lines, sizeof(*order), compare_lines);
	for (size_t i = 0; i < jit->nr_lines; i++) {
		if (nr && lines[nr - 1].vma == order[i]->vma)
			nr--;
		lines[nr++] = *order[i];
	}
	free(order);
	free(jit->lines);
	jit->lines = lines;
	jit->nr_lines = nr;
	return 0;
}

static const struct pp_jit_code *code_at(const struct pp_jit *jit, uint64_t vma)
{
	uint32_t i = pp_symtab_lookup(&jit->symtab, vma);

	return i == PP_NO_SYMBOL ? NULL : &jit->codes[i];
}

/* Lines of code that other code has replaced say nothing about that. */
static void drop_replaced_lines(struct pp_jit *jit)
{
	size_t kept = 0;

	for (size_t i = 0; i < jit->nr_lines; i++) {
		const struct pp_jit_code *code = code_at(jit, jit->lines[i].vma);

		if (code && jit->lines[i].order >= code->order)
			jit->lines[kept++] = jit->lines[i];
	}
	jit->nr_lines = kept;
}

int pp_jit_settle(struct pp_jit *jit)
{
	struct pp_symbol *symbols;
	int err;

	if (jit->nr_codes)
		qsort(jit->codes, jit->nr_codes, sizeof(*jit->codes), compare_codes);
	end_unsized(jit->codes, jit->nr_codes);
	drop_replaced(jit);
	err = sort_lines(jit);
	if (err)
		return err;
	symbols = malloc((jit->nr_codes + 1) * sizeof(*symbols));
	if (!symbols)
		return -ENOMEM;
	for (size_t i = 0; i < jit->nr_codes; i++)
		symbols[i] = (struct pp_symbol){
			.start = jit->codes[i].start,
			.end = jit->codes[i].end,
			.limit = jit->codes[i].end,
			.name = jit->codes[i].name,
		};
	err = pp_symtab_make_sorted(&jit->symtab, symbols, jit->nr_codes);
	if (err)
		free(symbols);
	else
		drop_replaced_lines(jit);
	return err;
}

/* The whole file. @own: only of this user or root. -ENOENT also for what nobody should read. */
static int read_file(struct pp_jit *jit, int own)
{
	int fd = open(jit->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int err = -ENOENT;

	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_FILE ||
	    (own && st.st_uid != geteuid() && st.st_uid != 0))
		goto close_fd;
	jit->data = malloc(st.st_size + 1);
	if (!jit->data) {
		err = -ENOMEM;
		goto close_fd;
	}
	while (jit->size < (size_t)st.st_size) {
		ssize_t n = read(fd, jit->data + jit->size, st.st_size - jit->size);

		if (n <= 0)
			break;	/* shorter now: what is there will do */
		jit->size += n;
	}
	jit->data[jit->size] = '\0';
	err = 0;
close_fd:
	close(fd);
	return err;
}

/* Takes @path over. */
static int try_file(struct pp_jit *ret, char *path, int own, int (*parse)(struct pp_jit *jit),
		    struct pp_log *log)
{
	struct pp_jit jit = { .path = path };
	int err = path ? read_file(&jit, own) : -ENOMEM;

	if (!err)
		err = parse(&jit);
	if (err == -EINVAL) {
		pp_warn(log, "%s: not what its name says, or damaged, so it is not used", path);
		err = -ENOENT;
	}
	if (!err)
		err = pp_jit_settle(&jit);
	if (err)
		pp_jit_close(&jit);
	else
		*ret = jit;
	return err;
}

static char *name_file(const char *dir, const char *what, pid_t pid, const char *suffix)
{
	char *path;

	return asprintf(&path, "%s/%s%d.%s", dir, what, (int)pid, suffix) < 0 ? NULL : path;
}

int pp_jit_open(struct pp_jit *ret, const struct pp_jit_places *places, pid_t pid,
		struct pp_log *log)
{
	int err = -ENOENT;

	for (size_t i = 0; i < places->nr_samples_dirs && err == -ENOENT; i++) {
		const char *dir = places->samples_dirs[i];

		err = try_file(ret, name_file(dir, "jit/", pid, "dump"), 0, pp_jitdump_parse, log);
		if (err == -ENOENT)
			err = try_file(ret, name_file(dir, "jit/", pid, "agent"), 0, pp_agent_dump_parse, log);
		if (err == -ENOENT)
			err = try_file(ret, name_file(dir, "jit/", pid, "map"), 0,
				       pp_perf_map_parse, log);
	}
	if (err == -ENOENT && places->with_tmp)
		err = try_file(ret, name_file("/tmp", "jit-", pid, "dump"), 1, pp_jitdump_parse,
			       log);
	if (err == -ENOENT && places->with_tmp)
		err = try_file(ret, name_file("/tmp", ".oprofile/jitdump/", pid, "dump"), 1, pp_agent_dump_parse,
			       log);
	if (err == -ENOENT && places->with_tmp)
		err = try_file(ret, name_file("/tmp", "perf-", pid, "map"), 1, pp_perf_map_parse,
			       log);
	return err;
}

void pp_jit_close(struct pp_jit *jit)
{
	pp_symtab_release(&jit->symtab);
	free(jit->codes);
	free(jit->lines);
	free(jit->data);
	free(jit->path);
	*jit = (struct pp_jit){ 0 };
}

bool pp_jit_line(const struct pp_jit *jit, uint64_t vma, struct pp_frame *ret)
{
	const struct pp_jit_code *code = code_at(jit, vma);
	size_t above = op_partition_point(i, jit->nr_lines, jit->lines[i].vma <= vma);

	/* A line of the function before says nothing about this one. */
	if (!above || !code || jit->lines[above - 1].vma < code->start)
		return false;
	*ret = (struct pp_frame){
		.file = jit->lines[above - 1].file,
		.line = jit->lines[above - 1].line,
	};
	return true;
}

size_t pp_jit_code(const struct pp_jit *jit, uint64_t vma, void *buf, size_t size)
{
	const struct pp_jit_code *code = code_at(jit, vma);

	if (!code || !code->bytes)
		return 0;
	if (size > code->end - vma)
		size = code->end - vma;
	memcpy(buf, code->bytes + (vma - code->start), size);
	return size;
}
