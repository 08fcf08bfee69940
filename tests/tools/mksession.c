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
 *     kernel=1                           keys are relative to .text
 *     build=HEX owner=UID                which build of the image (libop/session/identity.h); not known
 *   OFFSET COUNT                         OFFSET in hex
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "libop/base/fs.h"
#include "libop/cpu/type.h"
#include "libop/session/mangle.h"
#include "libop/session/sample_header.h"

static void die(const char *what, const char *why)
{
	fprintf(stderr, "mksession: %s: %s\n", what, why);
	exit(1);
}

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

/* A line of the description: whose samples, and what their file says of itself. */
struct file {
	struct op_sample_name name;
	const char *mtime;
	uint32_t kernel, build, owner;
};

static void take_word(struct file *f, const char *word, char *value)
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
	else if (!strcmp(word, "mtime"))
		f->mtime = value;
	else if (!strcmp(word, "kernel"))
		f->kernel = atoi(value);
	else if (!strcmp(word, "build"))
		f->build = strtoul(value, NULL, 16);
	else if (!strcmp(word, "owner"))
		f->owner = atoi(value) + 1;
	else
		die(word, "unknown key");
}

static void take_words(struct file *f, char *words)
{
	char *word;

	while ((word = strsep(&words, " \t"))) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (!value)
			die(word, "not KEY=VALUE");
		*value++ = '\0';
		take_word(f, word, value);
	}
	if (!f->name.image.path)
		f->name.image = f->name.app;
	if (!f->name.app.path)
		die("file", "no app=");
}

static struct odb *start_file(int dirfd, char *words, uint32_t cpu_type, double speed)
{
	struct file f = {
		.name = { .event = (char *)"TIMER", .count = 1000000, .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL },
		.mtime = "file",
	};
	const struct op_sample_name *name = &f.name;
	struct op_sample_header *header;
	struct odb *db;
	char *path;
	int err, fd;

	take_words(&f, words);
	if (op_mangle(&path, name))
		die(name->app.path, "cannot be made a file name");
	err = op_make_parents(dirfd, path, 0755);
	if (err)
		die(path, strerror(-err));
	fd = openat(dirfd, path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		die(path, strerror(errno));
	err = odb_open(&db, fd, sizeof(*header), ODB_WRITE, NULL);
	if (err)
		die(path, odb_strerror(err));
	header = odb_header(db);
	op_sample_header_init(header);
	header->cpu_type = cpu_type;
	header->cpu_speed = speed;
	header->ctr_count = name->count;
	header->ctr_um = name->um;
	header->is_kernel = f.kernel || name->image.kind == OP_IMAGE_KERN;
	header->mtime = strcmp(f.mtime, "file") ? strtoull(f.mtime, NULL, 10) : file_mtime(&name->image);
	header->build = f.build;
	header->owner = f.owner;
	header->anon_start = name->image.kind == OP_IMAGE_ANON ? name->image.anon_start : 0;
	free(path);
	return db;
}

int main(int argc, char **argv)
{
	uint32_t cpu_type = OP_CPU_TIMER;
	double speed = 0;
	struct odb *db = NULL;
	char *line = NULL;
	size_t size = 0;
	int dirfd;

	if (argc != 2)
		die("usage", "mksession SAMPLES_DIR < DESCRIPTION");
	dirfd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0)
		die(argv[1], strerror(errno));
	while (getline(&line, &size, stdin) > 0) {
		char *text = line + strspn(line, " \t");
		uint64_t offset, count;

		text[strcspn(text, "\n")] = '\0';
		if (!*text || *text == '#')
			continue;
		if (!strncmp(text, "header ", 7)) {
			if (sscanf(text + 7, "%" SCNu32 " %lf", &cpu_type, &speed) != 2)
				die(text, "not: header CPU_TYPE MHZ");
		} else if (!strncmp(text, "file ", 5)) {
			odb_close(db);
			db = start_file(dirfd, text + 5, cpu_type, speed);
		} else if (db && sscanf(text, "%" SCNx64 " %" SCNu64, &offset, &count) == 2) {
			int err = odb_update(db, offset, count);

			if (err)
				die(text, odb_strerror(err));
		} else {
			die(text, "not understood");
		}
	}
	odb_close(db);
	free(line);
	close(dirfd);
	return 0;
}
