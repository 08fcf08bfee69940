// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mksession.c -- makes sample files from a description, so that reports can be tested without a
 * profiler. Usage: mksession SAMPLES_DIR < DESCRIPTION
 *
 *   header CPU_TYPE MHZ                  for the files that follow
 *   file KEY=VALUE...                    starts a sample file
 *     app= image=                        /PATH, kern:NAME or anon:NAME:TGID:START:END; image
 * defaults to app; %20 is a blank event= count= um= tgid= tid= cpu=  default TIMER 1000000 0 all
 * all all mtime=                             seconds, or "file" (the default): that of the image
 *     unit=/PATH                         control group of the program
 *     kernel=1                           keys are relative to .text
 *     build=HEX owner=UID                which build of the image (libop/session/identity.h); not known
 *   OFFSET COUNT                         OFFSET in hex
 *   tree KEY=VALUE...                    starts a tree of call paths; words as for a file
 *     flat=0                             without that each path's last frame is a sample in a sample file too
 *   COUNT FRAME...                       a path, outermost first: IMAGE+OFFSET, @fp or @kernel behind it; !N is
 *                                        why it is not whole (enum oprofile_uw_end), [folded], [lost]
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/frames.h"
#include "libdb/odb.h"
#include "libdb/tree.h"
#include "libop/base/fs.h"
#include "libop/cpu/type.h"
#include "libop/session/mangle.h"
#include "libop/session/path_files.h"
#include "libop/session/path_images.h"
#include "libop/session/sample_header.h"
#include "module/uapi/unwind.h"

static void die(const char *what, const char *why)
{
	fprintf(stderr, "mksession: %s: %s\n", what, why);
	exit(1);
}

/* Set the name of an image, but not its unit. */
static void parse_image(struct op_image_name *image, char *text)
{
	static char *part[5];
	char *blank;
	int nr = 0;

	while ((blank = strstr(text, "%20"))) {
		*blank = ' ';
		memmove(blank + 1, blank + 3, strlen(blank + 3) + 1);
	}
	if (text[0] == '/') {
		image->kind = OP_IMAGE_ROOT;
		image->path = text;
		return;
	}
	if (!strncmp(text, "kern:", 5)) {
		image->kind = OP_IMAGE_KERN;
		image->path = text + 5;
		return;
	}
	while (nr < 5 && (part[nr] = strsep(&text, ":")))
		nr++;
	if (nr != 5 || strcmp(part[0], "anon"))
		die("image", "neither /PATH, kern:NAME nor anon:NAME:TGID:START:END");
	image->kind = OP_IMAGE_ANON;
	image->path = part[1];
	image->anon_tgid = atoi(part[2]);
	image->anon_start = strtoull(part[3], NULL, 16);
	image->anon_end = strtoull(part[4], NULL, 16);
}

static int number(const char *text)
{
	return strcmp(text, "all") ? atoi(text) : OP_ALL;
}

static uint64_t file_mtime(const struct op_image_name *image)
{
	struct stat st;

	return image->kind == OP_IMAGE_ROOT && !stat(image->path, &st) ? (uint64_t)st.st_mtime : 0;
}

/* A sample file that the description requests: its program, image and other members. */
struct file {
	struct op_sample_name name;
	const char *mtime;
	uint32_t kernel, build, owner;
	int flat;
};

static void parse_word(struct file *f, const char *word, char *value)
{
	struct op_sample_name *name = &f->name;

	if (!strcmp(word, "app"))
		parse_image(&name->app, value);
	else if (!strcmp(word, "image"))
		parse_image(&name->image, value);
	else if (!strcmp(word, "callee"))
		parse_image(&name->callee, value);
	else if (!strcmp(word, "event"))
		name->event = value;
	else if (!strcmp(word, "count"))
		name->count = strtoull(value, NULL, 10);
	else if (!strcmp(word, "um"))
		name->um = strtoul(value, NULL, 0);
	else if (!strcmp(word, "tgid"))
		name->tgid = number(value);
	else if (!strcmp(word, "tid"))
		name->tid = number(value);
	else if (!strcmp(word, "cpu"))
		name->cpu = number(value);
	else if (!strcmp(word, "unit"))
		name->app.unit = value;
	else if (!strcmp(word, "mtime"))
		f->mtime = value;
	else if (!strcmp(word, "kernel"))
		f->kernel = atoi(value);
	else if (!strcmp(word, "build"))
		f->build = strtoul(value, NULL, 16);
	else if (!strcmp(word, "owner"))
		f->owner = atoi(value) + 1;
	else if (!strcmp(word, "flat"))
		f->flat = atoi(value);
	else
		die(word, "unknown key");
}

static void parse_words(struct file *f, char *words)
{
	char *word;

	while ((word = strsep(&words, " \t"))) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (!value)
			die(word, "not KEY=VALUE");
		*value++ = '\0';
		parse_word(f, word, value);
	}
	if (!f->name.image.path) {
		f->name.image = f->name.app;
		f->name.image.unit = NULL;
	}
	if (!f->name.app.path)
		die("file", "no app=");
}

/* Properties of the machine, for the sample files that follow in the description. */
struct machine {
	int dirfd;
	uint32_t cpu_type;
	double speed;
};

static const struct file usual = {
	.name = { .event = (char *)"TIMER", .count = 1000000, .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL },
	.mtime = "file",
	.flat = 1,
};

static uint64_t mtime_of(const struct file *f, const struct op_image_name *image)
{
	return strcmp(f->mtime, "file") ? strtoull(f->mtime, NULL, 10) : file_mtime(image);
}

static int open_file(const struct machine *m, const char *path)
{
	int err = op_make_parents(m->dirfd, path, 0755), fd;

	if (err)
		die(path, strerror(-err));
	fd = openat(m->dirfd, path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		die(path, strerror(errno));
	return fd;
}

static struct odb *make_file(const struct machine *m, const struct file *f)
{
	const struct op_sample_name *name = &f->name;
	struct op_sample_header *header;
	struct odb *db;
	char *path;
	int err;

	if (op_mangle(&path, name))
		die(name->app.path, "cannot be made a file name");
	err = odb_open(&db, open_file(m, path), sizeof(*header), ODB_WRITE, NULL);
	if (err)
		die(path, odb_strerror(err));
	header = odb_header(db);
	op_sample_header_init(header);
	header->cpu_type = m->cpu_type;
	header->cpu_speed = m->speed;
	header->ctr_count = name->count;
	header->ctr_um = name->um;
	header->is_kernel = f->kernel || name->image.kind == OP_IMAGE_KERN;
	header->mtime = mtime_of(f, &name->image);
	header->build = f->build;
	header->owner = f->owner;
	header->anon_start = name->image.kind == OP_IMAGE_ANON ? name->image.anon_start : 0;
	free(path);
	return db;
}

static struct odb *start_file(const struct machine *m, char *words)
{
	struct file f = usual;

	parse_words(&f, words);
	return make_file(m, &f);
}

/* The tree to which paths are added, and data common to all trees of the session. */
struct trees {
	const struct machine *machine;
	struct frames *frames;
	struct op_path_images_writer *images;
	struct tree *tree;
	struct file file;
	char *words;			/* memory to which .file points */
	struct odb *flat;		/* the flat sample file of the image .flat_of */
	char *flat_of;
};

static void end_tree(struct trees *t)
{
	odb_close(t->flat);
	free(t->flat_of);
	free(t->words);
	tree_close(t->tree);
	t->flat = NULL;
	t->flat_of = t->words = NULL;
	t->tree = NULL;
}

static void start_tree(struct trees *t, const char *words)
{
	char *path;
	int err;

	end_tree(t);
	t->words = strdup(words);
	t->file = usual;
	parse_words(&t->file, t->words);
	if (op_tree_name(&path, &t->file.name))
		die(words, "cannot be made a tree's name");
	if (!t->frames) {
		err = frames_open(&t->frames, open_file(t->machine, OP_PATHS_FRAMES), ODB_WRITE, 1);
		if (!err)
			err = op_path_images_open(&t->images, t->machine->dirfd, frames_generation(t->frames), 0);
		if (err)
			die(OP_PATHS_FRAMES, odb_strerror(err));
	}
	err = tree_open(&t->tree, open_file(t->machine, path), ODB_WRITE, frames_generation(t->frames));
	if (err)
		die(path, odb_strerror(err));
	free(path);
}

/*
 * Count the samples of a call path also in the flat sample file of @image, at the address of the
 * innermost frame.
 */
static void count_flat(struct trees *t, const char *image, const struct op_image_name *name, uint64_t offset,
		       uint64_t count)
{
	struct file f = t->file;

	if (!t->file.flat)
		return;
	if (!t->flat_of || strcmp(t->flat_of, image)) {
		odb_close(t->flat);
		free(t->flat_of);
		t->flat_of = strdup(image);
		f.name.image = *name;
		t->flat = make_file(t->machine, &f);
	}
	if (odb_update(t->flat, offset, count))
		die(image, "is full");
}

/* Parse a frame of a path, IMAGE+OFFSET[@HOW]. */
static void parse_frame(struct frame *frame, char *word)
{
	char *plus = strrchr(word, '+'), *how = plus ? strchr(plus, '@') : NULL;

	if (!plus)
		die(word, "not IMAGE+OFFSET");
	*plus = '\0';
	frame->offset = strtoull(plus + 1, NULL, 16);
	frame->how = !how ? OPROFILE_UW_HOW_TABLE :
		     !strcmp(how, "@fp") ? OPROFILE_UW_HOW_FP : OPROFILE_UW_HOW_KERNEL;
}

static uint32_t frame_number(struct trees *t, char *word, bool is_leaf, uint64_t count)
{
	struct op_path_image image = { .identity = { t->file.build, t->file.owner } };
	struct frame frame = { 0 };
	uint32_t number;
	char *text;

	if (!strcmp(word, "[folded]"))
		return FRAME_FOLDED;
	if (!strcmp(word, "[lost]"))
		return FRAME_LOST;
	if (word[0] == '!') {
		frame.how = OPROFILE_UW_HOW_ENDS + atoi(word + 1);
	} else {
		parse_frame(&frame, word);
		text = strdup(word);
		parse_image(&image.name, word);
		image.mtime = mtime_of(&t->file, &image.name);
		image.is_kernel = image.name.kind == OP_IMAGE_KERN;
		if (op_path_images_number(t->images, &image, &frame.image))
			die(word, "cannot be numbered");
		if (is_leaf)
			count_flat(t, text, &image.name, frame.offset, count);
		free(text);
	}
	if (frames_number(t->frames, &frame, &number))
		die(word, "no room for a frame");
	return number;
}

static void parse_path(struct trees *t, char *text)
{
	uint32_t node = TREE_ROOT;
	uint64_t count;
	char *word;

	count = strtoull(strsep(&text, " "), NULL, 10);
	while ((word = strsep(&text, " ")))
		if (*word && tree_child(t->tree, node, frame_number(t, word, !text, count), &node))
			die(word, "no room for a node");
	if (tree_add(t->tree, node, count))
		die("path", "cannot be counted");
}

int main(int argc, char **argv)
{
	struct machine machine = { .cpu_type = OP_CPU_TIMER };
	struct trees trees = { .machine = &machine };
	struct odb *db = NULL;
	char *line = NULL;
	size_t size = 0;

	if (argc != 2)
		die("usage", "mksession SAMPLES_DIR < DESCRIPTION");
	machine.dirfd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (machine.dirfd < 0)
		die(argv[1], strerror(errno));
	while (getline(&line, &size, stdin) > 0) {
		char *text = line + strspn(line, " \t");
		uint64_t offset, count;

		text[strcspn(text, "\n")] = '\0';
		if (!*text || *text == '#')
			continue;
		if (!strncmp(text, "header ", 7)) {
			if (sscanf(text + 7, "%" SCNu32 " %lf", &machine.cpu_type, &machine.speed) != 2)
				die(text, "not: header CPU_TYPE MHZ");
		} else if (!strncmp(text, "file ", 5)) {
			odb_close(db);
			end_tree(&trees);
			db = start_file(&machine, text + 5);
		} else if (!strncmp(text, "tree ", 5)) {
			odb_close(db);
			db = NULL;
			start_tree(&trees, text + 5);
		} else if (trees.tree) {
			parse_path(&trees, text);
		} else if (db && sscanf(text, "%" SCNx64 " %" SCNu64, &offset, &count) == 2) {
			int err = odb_update(db, offset, count);

			if (err)
				die(text, odb_strerror(err));
		} else {
			die(text, "not understood");
		}
	}
	odb_close(db);
	end_tree(&trees);
	frames_close(trees.frames);
	op_path_images_close(trees.images);
	free(line);
	close(machine.dirfd);
	return 0;
}
