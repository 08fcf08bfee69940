// SPDX-License-Identifier: GPL-2.0-or-later
/* debug_data.c -- opens the debug data of a binary: in the binary, in its separate debug file, and
 * in the file that dwz shares between debug files. */
#include "config.h"
#include "pp/image/debug_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pp/image/frame.h"

static void warn(struct pp_log *log, const char *path, int err, const char *missing)
{
	switch (err) {
	case -ENOENT:
		pp_verbose(log, "%s: no debug data, so no source lines", path);
		break;
	case -ENOSYS:
		pp_warn(log,
			"%s: its debug data is compressed, and %s, which uncompresses it, is not "
			"installed, so no source lines are shown",
			path, missing);
		break;
	case -EFBIG:
		pp_warn(log, "%s: too much debug data, so no source lines are shown", path);
		break;
	default:
		pp_warn(log, "%s: its debug data is damaged, so no source lines are shown", path);
	}
}

static int open_lines(struct pp_debug_data *data, const struct pp_elf *elf, const char *binary,
		      const struct pp_debug_places *places, const struct pp_section_bases *bases)
{
	struct pp_lines_options options = {
		.debug = elf, .bases = bases, .path = data->path, .log = places->log};
	const char *missing = "";
	struct pp_elf alt;
	struct stat st;
	int alt_fd, err;

	data->owner = fstat(elf->fd, &st) ? PP_NO_OWNER : st.st_uid;
	err = pp_split_create(&data->split, &(struct pp_split_places){.binary = binary,
								      .debug = data->path,
								      .owner = data->owner,
								      .root = places->root,
								      .log = places->log});
	if (err)
		return err;
	options.split = data->split;
	alt_fd = pp_alt_file_open(elf, data->path, places->root);
	if (alt_fd >= 0 && pp_elf_read(&alt, alt_fd)) {
		close(alt_fd);
		alt_fd = -1;
	}
	if (alt_fd >= 0)
		options.alt = &alt;
	err = pp_lines_open(&data->lines, &options, &missing);
	if (alt_fd >= 0) {
		pp_elf_release(&alt);
		close(alt_fd);
	} else if (!err && alt_fd != -ENOENT) {
		pp_warn(places->log,
			"%s: the file with debug data shared by dwz "
			"is missing, so some functions have no name",
			data->path);
	}
	if (err && err != -ENOMEM)
		warn(places->log, data->path, err, missing);
	return err;
}

static int open_separate(struct pp_debug_data *data, const struct pp_elf *elf, const char *path,
			 const struct pp_debug_places *places,
			 const struct pp_section_bases *bases)
{
	struct pp_elf debug;
	int fd = pp_debug_file_open(elf, path, places, &data->path);
	int err;

	if (fd < 0) {
		pp_verbose(places->log, "%s: no debug data, so no source lines", path);
		return fd;
	}
	err = pp_elf_read(&debug, fd);
	if (!err) {
		err = open_lines(data, &debug, path, places, bases);
		pp_elf_release(&debug);
	}
	close(fd);
	return err;
}

int pp_debug_data_open(struct pp_debug_data *ret, const struct pp_elf *elf, const char *path,
		       const struct pp_debug_places *places, const struct pp_section_bases *bases)
{
	struct pp_debug_data data = { 0 };
	int err;

	if (pp_debug_view_is_useful(elf)) {
		data.path = strdup(path);
		err = data.path ? open_lines(&data, elf, path, places, bases) : -ENOMEM;
	} else {
		err = open_separate(&data, elf, path, places, bases);
	}
	if (err) {
		pp_debug_data_close(&data);
		if (err == -ENOMEM)
			return err;
		if (pp_go_lines_open(&data.go, elf) == -ENOMEM)
			return -ENOMEM;
	}
	*ret = data;
	return 0;
}

bool pp_debug_data_line(struct pp_debug_data *data, uint64_t vma, bool first, struct pp_frame *ret)
{
	if (data->lines)
		return pp_lines_line(data->lines, vma, first, ret);
	return data->go && pp_go_lines_line(data->go, vma, ret);
}

struct walk {
	struct pp_split *split;
	void (*fn)(void *arg, int fd, const char *path);
	void *arg;
	/* Path that was passed to .fn last. All split units of a package have the path of the
	 * package, which is passed to .fn only once. */
	char *last;
};

static void walk_unit(void *arg, const struct pp_split_unit *unit)
{
	struct walk *walk = arg;
	char *path = NULL;
	int fd = pp_split_find(walk->split, unit, &path);

	if (fd >= 0 && (!walk->last || strcmp(walk->last, path)))
		walk->fn(walk->arg, fd, path);
	if (fd >= 0)
		close(fd);
	free(walk->last);
	walk->last = path;
}

void pp_debug_data_each_split(struct pp_debug_data *data,
			      void (*fn)(void *arg, int fd, const char *path), void *arg)
{
	struct walk walk = { .split = data->split, .fn = fn, .arg = arg };

	if (data->lines)
		pp_lines_each_split(data->lines, walk_unit, &walk);
	free(walk.last);
}

void pp_debug_data_close(struct pp_debug_data *data)
{
	pp_lines_close(data->lines);
	pp_go_lines_close(data->go);
	pp_split_free(data->split);
	free(data->path);
	*data = (struct pp_debug_data){ 0 };
}
