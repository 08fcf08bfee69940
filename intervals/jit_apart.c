// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_apart.c -- separates JIT code of different processes that had the same process id. */
#include "config.h"
#include "intervals/jit_apart.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/private.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"

#define JIT_DIR		"jit/"
#define MAP		"map"
#define BORN		"born"
/* To separate processes with the same id, this number is added to their program numbers once, twice
 * and so on. */
#define DISTANCE	1000000u
#define MAX_APART	900u

/* A maker: a program, run by a process, that generated JIT code. It is identified by the process id
 * and by the number of programs that the process had run before. */
struct maker {
	int pid;
	unsigned int program;
};

/* A line "START SIZE NAME" of a perf-PID.map file. */
struct line {
	/* address range of the function: its start, and the first address after it */
	uint64_t start, end;
	uint64_t reach;			/* highest .end of this line and all lines before it */
	const char *text;
	size_t len;
};

struct hit;

/* The JIT code that one program generated during an interval. */
struct code {
	/* contents of the perf-PID.map file; each newline is replaced by a NUL */
	char *text;
	/* functions that the file lists, sorted by .start, then by text */
	struct line *lines;
	size_t nr_lines;
	/* addresses of samples and frames in the JIT code; borrowed */
	const struct hit *hits;
	size_t nr_hits;
};

/* Parse the file name "jit/PID.EXTENSION" or "jit/PID.PROGRAM.EXTENSION". Return the extension, or
 * NULL if the name has another form. */
static const char *parse_name(struct maker *ret, const char *name)
{
	const char *dot = strrchr(name, '.');
	char end;

	if (!dot || strncmp(name, JIT_DIR, strlen(JIT_DIR)))
		return NULL;
	*ret = (struct maker){ 0 };
	if (sscanf(name, JIT_DIR "%d.%u.%c", &ret->pid, &ret->program, &end) == 3)
		return dot + 1;
	ret->program = 0;
	return sscanf(name, JIT_DIR "%d.%c", &ret->pid, &end) == 2 ? dot + 1 : NULL;
}

/* A file that describes the JIT code of one program. */
struct maker_file {
	struct maker maker;
	const char *extension;
	const struct itv_file *file;
};

/* The address of a sample or of a frame in JIT code. */
struct hit {
	struct maker maker;
	uint64_t address;
};

/* An interval, with sorted lists of its JIT files and of the addresses in JIT code. */
struct view {
	const struct itv *v;
	/* JIT files, sorted by maker, then by file name extension */
	struct maker_file *files;
	size_t nr_files;
	struct maker *images;		/* makers of the interval's images of JIT code, sorted */
	size_t nr_images;
	/* addresses of samples and frames in JIT code, sorted by maker */
	struct hit *hits;
	size_t nr_hits;
};

static int compare_makers(const void *a, const void *b)
{
	const struct maker *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->program < y->program ? -1 : x->program > y->program;
}

static int compare_maker_files(const void *a, const void *b)
{
	const struct maker_file *x = a, *y = b;
	int c = compare_makers(&x->maker, &y->maker);

	return c ? c : strcmp(x->extension, y->extension);
}

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;
	int c = compare_makers(&x->maker, &y->maker);

	return c ? c : op_compare_u64(x->address, y->address);
}

static bool is_made(const struct itv_image *image)
{
	return image->image.name.kind == OP_IMAGE_ANON;
}

static struct maker maker_of(const struct itv_image *image)
{
	return (struct maker){ image->image.name.anon_tgid, image->image.name.anon_program };
}

static void add_hit(struct view *view, const struct itv_image *image, uint64_t offset)
{
	view->hits[view->nr_hits++] = (struct hit){
		maker_of(image), image->image.name.anon_start + offset,
	};
}

static void view_hits(struct view *view)
{
	const struct itv *v = view->v;

	for (uint32_t g = 0; g < v->nr_groups; g++) {
		const struct itv_group *group = &v->groups[g];
		const struct itv_image *image = &v->images[group->image];

		for (uint32_t i = 0; is_made(image) && i < group->nr_cells; i++)
			add_hit(view, image, v->cells[group->cell + i].key);
	}
	for (uint32_t i = 0; i < v->nr_frames; i++) {
		const struct itv_frame *frame = &v->frames[i];

		if (frame->image && is_made(&v->images[frame->image - 1]))
			add_hit(view, &v->images[frame->image - 1], frame->offset);
	}
}

/* Return the number of samples and frames of the interval that are in JIT code. */
static size_t count_hits(const struct itv *v)
{
	size_t nr = 0;

	for (uint32_t g = 0; g < v->nr_groups; g++)
		nr += is_made(&v->images[v->groups[g].image]) ? v->groups[g].nr_cells : 0;
	for (uint32_t i = 0; i < v->nr_frames; i++)
		nr += v->frames[i].image && is_made(&v->images[v->frames[i].image - 1]);
	return nr;
}

static void view_release(struct view *view)
{
	free(view->files);
	free(view->images);
	free(view->hits);
}

static int view_init(struct view *view, const struct itv *v)
{
	*view = (struct view){
		.v = v,
		.files = itv_new_list(v->nr_files, sizeof(*view->files)),
		.images = itv_new_list(v->nr_images, sizeof(*view->images)),
		.hits = itv_new_list(count_hits(v), sizeof(*view->hits)),
	};
	if (!view->files || !view->images || !view->hits)
		return -ENOMEM;
	for (uint32_t i = 0; i < v->nr_files; i++) {
		struct maker_file *file = &view->files[view->nr_files];

		file->file = &v->files[i];
		file->extension = parse_name(&file->maker, v->files[i].name);
		view->nr_files += file->extension != NULL;
	}
	for (uint32_t i = 0; i < v->nr_images; i++)
		if (is_made(&v->images[i]))
			view->images[view->nr_images++] = maker_of(&v->images[i]);
	view_hits(view);
	qsort(view->files, view->nr_files, sizeof(*view->files), compare_maker_files);
	qsort(view->images, view->nr_images, sizeof(*view->images), compare_makers);
	qsort(view->hits, view->nr_hits, sizeof(*view->hits), compare_hits);
	return 0;
}

static const struct itv_file *find_file(const struct view *view, struct maker maker,
					const char *extension)
{
	const struct maker_file wanted = { maker, extension, NULL };
	const struct maker_file *found = bsearch(&wanted, view->files, view->nr_files,
						 sizeof(wanted), compare_maker_files);

	return found ? found->file : NULL;
}

static bool has_images(const struct view *view, struct maker maker)
{
	return bsearch(&maker, view->images, view->nr_images, sizeof(maker), compare_makers);
}

static bool has_files(const struct view *view, struct maker maker)
{
	size_t i = op_partition_point(n, view->nr_files,
				      compare_makers(&view->files[n].maker, &maker) < 0);

	return i < view->nr_files && !compare_makers(&view->files[i].maker, &maker);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = op_compare_u64(x->start, y->start);

	if (!c)
		c = op_compare_u64(x->len, y->len);
	return c ? c : memcmp(x->text, y->text, x->len);
}

/* Parse one line of a perf-PID.map file. If the function has no size, set .end to .start. */
static bool parse_line(struct line *ret, const char *text, size_t len)
{
	char *end;

	ret->text = text;
	ret->len = len;
	errno = 0;
	ret->start = strtoull(text, &end, 16);
	if (end == text || errno || (*end != ' ' && *end != '\t'))
		return false;
	text = end;
	ret->end = strtoull(text, &end, 16);
	if (end == text || errno)
		return false;
	ret->end = ret->start + ret->end < ret->start ? UINT64_MAX : ret->start + ret->end;
	return true;
}

/* For each function without a size, set .end to the start of the next function. */
static void find_ends(struct code *code)
{
	uint64_t reach = 0;

	for (size_t i = 0; i < code->nr_lines; i++) {
		struct line *line = &code->lines[i];

		if (line->end == line->start)
			line->end = i + 1 < code->nr_lines ? line[1].start : UINT64_MAX;
		reach = line->end > reach ? line->end : reach;
		line->reach = reach;
	}
}

static int read_lines(struct code *code, const struct itv_file *map)
{
	char *at, *last;

	code->text = malloc(map->len + 1);
	if (!code->text)
		return -ENOMEM;
	memcpy(code->text, map->data, map->len);
	code->text[map->len] = '\0';
	last = code->text + map->len;
	for (at = code->text; at < last;) {
		char *end = strchrnul(at, '\n');

		*end = '\0';
		if (op_grow(&code->lines, code->nr_lines))
			return -ENOMEM;
		code->nr_lines += parse_line(&code->lines[code->nr_lines], at,
					     (size_t)(end - at));
		at = end + 1;
	}
	if (code->nr_lines)
		qsort(code->lines, code->nr_lines, sizeof(*code->lines), compare_lines);
	find_ends(code);
	return 0;
}

/* Set code->hits to the addresses of samples and frames that are in the JIT code of @maker. */
static void find_hits(struct code *code, const struct view *view, struct maker maker)
{
	size_t begin = op_partition_point(n, view->nr_hits,
					  compare_makers(&view->hits[n].maker, &maker) < 0);
	size_t end = op_partition_point(n, view->nr_hits,
					compare_makers(&view->hits[n].maker, &maker) <= 0);

	code->hits = view->hits + begin;
	code->nr_hits = end - begin;
}

static void code_release(struct code *code)
{
	free(code->text);
	free(code->lines);
}

/* Return whether a function in @code overlaps the address range [@start, @end). */
static bool overlaps(const struct code *code, uint64_t start, uint64_t end)
{
	size_t nr = op_partition_point(i, code->nr_lines, code->lines[i].start < end);

	return nr && code->lines[nr - 1].reach > start;
}

/* Return whether the function names of @a contradict those of @b: @a has a line that is not in @b
 * but overlaps a line of @b; or @a has a sample that no line of @a names, but a line of @b does. */
static bool differs(const struct code *a, const struct code *b)
{
	for (size_t i = 0; i < a->nr_lines; i++) {
		const struct line *line = &a->lines[i];

		if (overlaps(b, line->start, line->end) &&
		    !bsearch(line, b->lines, b->nr_lines, sizeof(*line), compare_lines))
			return true;
	}
	for (size_t i = 0; i < a->nr_hits; i++)
		if (!overlaps(a, a->hits[i].address, a->hits[i].address + 1) &&
		    overlaps(b, a->hits[i].address, a->hits[i].address + 1))
			return true;
	return false;
}

/* Return 1 if the perf-PID.map files of two programs (@of_x in interval @x, @of_y in interval @y)
 * contradict each other, 0 if not, or -ENOMEM. */
static int maps_differ(const struct view *x, struct maker of_x, const struct view *y,
		       struct maker of_y)
{
	const struct itv_file *map_x = find_file(x, of_x, MAP), *map_y = find_file(y, of_y, MAP);
	struct code a = { .nr_lines = 0 }, b = { .nr_lines = 0 };
	int ret = 0;

	if (!map_x && !map_y)
		return 0;
	if (map_x)
		ret = read_lines(&a, map_x);
	if (map_y && !ret)
		ret = read_lines(&b, map_y);
	find_hits(&a, x, of_x);
	find_hits(&b, y, of_y);
	if (!ret)
		ret = differs(&a, &b) || differs(&b, &a);
	code_release(&a);
	code_release(&b);
	return ret;
}

/* Return whether the other JIT files of two programs contradict each other. A process only appends
 * to such a file, so the longer file must begin with the bytes of the shorter one. */
static bool others_differ(const struct view *x, struct maker of_x, const struct view *y,
			  struct maker of_y)
{
	static const char *const extensions[] = { "dump", "agent", BORN };

	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		const struct itv_file *a = find_file(x, of_x, extensions[i]),
				      *b = find_file(y, of_y, extensions[i]);
		size_t len = a && b && a->len < b->len ? a->len : b ? b->len : 0;

		if (a && b && len && memcmp(a->data, b->data, len))
			return true;
		/* If only one of two processes has function names, separate the processes: the
		 * samples of the other process must not get these names. */
		if (strcmp(extensions[i], BORN) &&
		    ((a && !b && has_images(y, of_y)) || (b && !a && has_images(x, of_x))))
			return true;
	}
	return false;
}

/* The programs of the interval @from that generated JIT code, and the new number of each program in
 * the merged interval. */
struct plan {
	struct maker *makers;		/* the programs, sorted */
	unsigned int *programs;
	size_t nr;
	bool changes;
};

/* Append a program to the plan. find_makers() removes duplicates later. */
static int add_maker(struct plan *plan, struct maker maker)
{
	if (op_grow(&plan->makers, plan->nr))
		return -ENOMEM;
	plan->makers[plan->nr++] = maker;
	return 0;
}

/* List the programs of @from that have JIT files in @from, or samples in @from and JIT files in
 * @to. */
static int find_makers(struct plan *plan, const struct view *to, const struct view *from)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < from->nr_files && !err; i++)
		err = add_maker(plan, from->files[i].maker);
	for (size_t i = 0; i < to->nr_files && !err; i++)
		if (has_images(from, to->files[i].maker))
			err = add_maker(plan, to->files[i].maker);
	if (err)
		return err;
	if (plan->nr)
		qsort(plan->makers, plan->nr, sizeof(*plan->makers), compare_makers);
	for (size_t i = 0; i < plan->nr; i++)
		if (!kept || compare_makers(&plan->makers[kept - 1], &plan->makers[i]))
			plan->makers[kept++] = plan->makers[i];
	plan->nr = kept;
	plan->programs = itv_new_list(kept, sizeof(*plan->programs));
	return plan->programs ? 0 : -ENOMEM;
}

/* Return whether one of the first @nr programs already has the number @program for process @pid.
 * Programs of one process are adjacent. */
static bool is_taken(const struct plan *plan, size_t nr, int pid, unsigned int program)
{
	for (size_t i = nr; i-- && plan->makers[i].pid == pid;)
		if (plan->programs[i] == program)
			return true;
	return false;
}

/* Choose the number of program @at in the merged interval: the lowest unused number whose JIT files
 * in @to do not contradict the files of this program. Return 0 or -ENOMEM. */
static int choose(struct plan *plan, size_t at, const struct view *to, const struct view *from)
{
	const struct maker old = plan->makers[at];
	struct maker new = { old.pid, old.program % DISTANCE };

	for (unsigned int i = 0; i < MAX_APART; i++, new.program += DISTANCE) {
		int differ;

		if (is_taken(plan, at, new.pid, new.program))
			continue;
		if (!has_files(to, new) && !has_images(to, new))
			break;
		differ = others_differ(to, new, from, old) ? 1 : maps_differ(to, new, from, old);
		if (differ < 0)
			return differ;
		if (!differ)
			break;
	}
	plan->programs[at] = new.program;
	plan->changes |= new.program != old.program;
	return 0;
}

/* Return the number of the program @maker in the merged interval. */
static unsigned int program_of(const struct plan *plan, struct maker maker)
{
	const struct maker *found = bsearch(&maker, plan->makers, plan->nr, sizeof(maker),
					    compare_makers);

	return found ? plan->programs[found - plan->makers] : maker.program;
}

/* Copy a file jit/PID.born and change the program numbers in its lines "PID SIZE PROGRAM". Each
 * line names a parent process whose code this process inherited. */
static int copy_born(struct itv_file *ret, const struct plan *plan, const struct itv_file *from)
{
	const char *at = from->data, *last = from->data + from->len;
	FILE *out = open_memstream(&ret->data, &ret->len);

	if (!out)
		return -ENOMEM;
	while (at < last) {
		const char *newline = memchr(at, '\n', (size_t)(last - at));
		size_t len = (size_t)((newline ? newline + 1 : last) - at);
		struct maker maker = { 0 };
		char line[64];
		long long size;

		snprintf(line, sizeof(line), "%.*s", (int)(newline ? len - 1 : len), at);
		if (sscanf(line, "%d %lld %u", &maker.pid, &size, &maker.program) >= 2 &&
		    program_of(plan, maker) != maker.program)
			fprintf(out, "%d %lld %u\n", maker.pid, size, program_of(plan, maker));
		else
			fwrite(at, 1, len, out);
		at += len;
	}
	return fclose(out) ? -ENOMEM : 0;
}

static int copy_file(struct itv_file *ret, const struct plan *plan, const struct itv_file *from)
{
	const struct itv_file empty = { 0 };
	struct maker maker;
	const char *extension = parse_name(&maker, from->name);

	if (!extension || strcmp(extension, BORN))
		return itv_join_lines(&empty, from, ret);
	ret->name = strdup(from->name);
	return ret->name ? copy_born(ret, plan, from) : -ENOMEM;
}

/* Rename a JIT file according to the number of its program in the merged interval. */
static int rename_file(struct itv_file *file, const struct plan *plan)
{
	struct maker maker;
	const char *extension = parse_name(&maker, file->name);
	unsigned int program = extension ? program_of(plan, maker) : 0;
	char *name;

	if (!extension || program == maker.program)
		return 0;
	if (program ? asprintf(&name, JIT_DIR "%d.%u.%s", maker.pid, program, extension) < 0
		    : asprintf(&name, JIT_DIR "%d.%s", maker.pid, extension) < 0)
		return -ENOMEM;
	free(file->name);
	file->name = name;
	return 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct itv_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int copy_files(struct itv *ret, const struct itv *from, const struct plan *plan)
{
	ret->files = itv_new_list(from->nr_files, sizeof(*ret->files));
	if (!ret->files)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->nr_files; i++) {
		int err = copy_file(&ret->files[i], plan, &from->files[i]);

		ret->nr_files++;
		if (!err)
			err = rename_file(&ret->files[i], plan);
		if (err)
			return err;
	}
	qsort(ret->files, ret->nr_files, sizeof(*ret->files), compare_files);
	return 0;
}

/* Copy the interval @from, and give its programs the numbers of @plan. */
static int copy(struct itv *ret, const struct itv *from, const struct plan *plan)
{
	struct itv view = *from;
	int err;

	view.images = itv_new_list(from->nr_images, sizeof(*view.images));
	if (!view.images)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->nr_images; i++) {
		struct op_image_name *name = &view.images[i].image.name;

		view.images[i] = from->images[i];
		if (name->kind == OP_IMAGE_ANON)
			name->anon_program = program_of(plan, (struct maker){
				name->anon_tgid, name->anon_program });
	}
	err = itv_sorted_lists(&view, ret);
	if (!err)
		err = copy_files(ret, from, plan);
	free(view.images);
	return err;
}

int itv_jit_apart(const struct itv *to, const struct itv *from, struct itv *ret)
{
	struct view to_view, from_view = { .v = NULL };
	struct plan plan = { .nr = 0 };
	int err = view_init(&to_view, to);

	if (!err)
		err = view_init(&from_view, from);
	if (!err)
		err = find_makers(&plan, &to_view, &from_view);
	for (size_t i = 0; i < plan.nr && !err; i++)
		err = choose(&plan, i, &to_view, &from_view);
	if (!err && plan.changes) {
		err = copy(ret, from, &plan);
		if (err)
			itv_release(ret);
	}
	if (!err)
		err = plan.changes;
	free(plan.makers);
	free(plan.programs);
	view_release(&to_view);
	view_release(&from_view);
	return err;
}
