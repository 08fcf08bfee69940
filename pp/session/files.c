// SPDX-License-Identifier: GPL-2.0-or-later
/* files.c -- searches samples directories for sample files and trees of call paths. */
#include "config.h"
#include "pp/session/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/grow.h"
#include "libop/session/kernel_syms.h"
#include "libop/session/path_files.h"
#include "pp/source/interval.h"

#define KALLSYMS "/proc/kallsyms"
/* maximum depth of nested directories; the search keeps a descriptor open for each level */
#define MAX_DEPTH 128

struct walk {
	struct pp_files *files;
	struct pp_log *log;
	bool trees;		/* search for trees of call paths instead of sample files */
	size_t prefix;		/* length of the prefix "SAMPLES_DIR/" of a path */
	char path[PATH_MAX];
	size_t len;
	int depth;
	/* only for a sum of intervals: number of the sample file or tree in the sum */
	uint32_t item;
};

const char *pp_files_string(struct pp_files *files, const char *text)
{
	return pp_intern(&files->intern, &files->strings, text);
}

/* Return the name of an image in reports. For anonymous memory, this name is the label of the
 * memory or, with anon_ranges, "LABEL (tgid:T range:0xS-0xE)". */
const char *pp_files_title(struct pp_files *files, const struct op_image_name *name)
{
	const char *kept;
	char *title;

	if (name->kind != OP_IMAGE_ANON || !files->anon_ranges)
		return name->path;
	if (asprintf(&title, "%s (tgid:%d range:0x%" PRIx64 "-0x%" PRIx64 ")", name->path,
		     (int)name->anon_tgid, name->anon_start, name->anon_end) < 0)
		return NULL;
	kept = pp_files_string(files, title);
	free(title);
	return kept;
}

static int intern_name(struct pp_files *files, struct op_sample_name *name)
{
	char **strings[] = { &name->woken, &name->app.path, &name->app.unit,
			     &name->image.path, &name->callee.path, &name->event };
	int err = 0;

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if (!*strings[i])
			continue;
		*strings[i] = (char *)pp_files_string(files, *strings[i]);
		err |= *strings[i] ? 0 : -ENOMEM;
	}
	return err;
}

/* Replace the malloc'd strings of @name by shared copies that @files owns, and free the malloc'd
 * strings. */
static int share_name(struct pp_files *files, struct op_sample_name *name)
{
	struct op_sample_name own = *name;
	int err = intern_name(files, name);

	op_sample_name_release(&own);
	return err;
}

void pp_sample_file_release(struct pp_sample_file *file)
{
	free(file->path);
	memset(file, 0, sizeof(*file));
}

void pp_files_release(struct pp_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		pp_sample_file_release(&files->items[i]);
	for (size_t i = 0; i < files->nr_arcs; i++)
		pp_sample_file_release(&files->arcs[i]);
	for (size_t i = 0; i < files->nr_trees; i++)
		pp_sample_file_release(&files->trees[i]);
	free(files->items);
	free(files->arcs);
	free(files->trees);
	free(files->unknown_path);
	pp_intern_release(&files->intern);
	pp_block_free(files->strings);
	*files = (struct pp_files){ 0 };
}

/* Append *@file to the list *@items, which then owns the memory of *@file. Return 0 or -ENOMEM. */
static int append(struct pp_sample_file **items, size_t *nr, const struct pp_sample_file *file)
{
	if (op_grow(items, *nr))
		return -ENOMEM;
	(*items)[(*nr)++] = *file;
	return 0;
}

static int count_unknown_file(struct pp_files *files, const char *relative)
{
	files->nr_unknown++;
	if (!files->unknown_path)
		files->unknown_path = strdup(relative);
	return files->unknown_path ? 0 : -ENOMEM;
}

static bool has_suffix(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n >= m && !strcmp(text + n - m, suffix);
}

/* If the image has the name KALLSYMS, which the operf of OProfile 1.4 writes, replace this name
 * by the usual name of a kernel without a vmlinux. */
static int name_kernel(struct op_image_name *image)
{
	char *path;

	if (!image->path || image->kind != OP_IMAGE_ROOT || strcmp(image->path, KALLSYMS))
		return 0;
	path = strdup(OP_KERNEL_NO_VMLINUX);
	if (!path)
		return -ENOMEM;
	free(image->path);
	image->path = path;
	image->kind = OP_IMAGE_KERN;
	return 0;
}

static int add_file(struct walk *walk)
{
	struct pp_files *files = walk->files;
	struct pp_sample_file file = { 0 };
	const char *relative = walk->path + walk->prefix;
	int err;

	if (has_suffix(relative, ".jo"))
		return 0;
	err = op_unmangle(&file.name, relative);
	if (err == -ENOMEM)
		return err;
	if (err)
		return count_unknown_file(files, relative);
	/* optop reads a list of all new files of the daemon, with and without wakers */
	if (files->wakers != (file.name.woken != NULL)) {
		op_sample_name_release(&file.name);
		return 0;
	}
	err = name_kernel(&file.name.app);
	if (!err)
		err = name_kernel(&file.name.image);
	if (!err)
		err = name_kernel(&file.name.callee);
	if (err) {
		pp_sample_file_release(&file);
		return err;
	}
	err = share_name(files, &file.name);
	if (err)
		return err;
	file.path = strdup(walk->path);
	file.app = pp_files_title(files, &file.name.app);
	file.image = pp_files_title(files, &file.name.image);
	err = file.path && file.app && file.image ? 0 : -ENOMEM;
	if (!err) {
		file.relative = file.path + walk->prefix;
		file.part.path = file.path;
		file.part.item = walk->item;
	}
	if (!err && file.name.callee.path) {
		file.callee = pp_files_title(files, &file.name.callee);
		file.callee_app = file.app;
		err = file.callee ?
			      append(&files->arcs, &files->nr_arcs, &file) :
			      -ENOMEM;
	} else if (!err) {
		err = append(&files->items, &files->nr, &file);
	}
	if (err)
		pp_sample_file_release(&file);
	return err;
}

static int add_tree(struct walk *walk)
{
	struct pp_files *files = walk->files;
	struct pp_sample_file file = { 0 };
	const char *relative = walk->path + walk->prefix;
	int err = op_tree_unname(&file.name, relative);

	if (err)
		return err == -ENOMEM ? err : count_unknown_file(files, relative);
	err = share_name(files, &file.name);
	if (err)
		return err;
	file.path = strdup(walk->path);
	file.app = pp_files_title(files, &file.name.app);
	file.relative = file.path ? file.path + walk->prefix : NULL;
	file.part.path = file.path;
	file.part.item = walk->item;
	err = file.path && file.app ? append(&files->trees, &files->nr_trees, &file) : -ENOMEM;
	if (err)
		pp_sample_file_release(&file);
	return err;
}

int pp_files_add_part(struct pp_files *files, const struct op_sample_name *name, const char *path,
		      const struct pp_source_part *part, bool is_tree)
{
	struct pp_sample_file file = { .name = *name, .path = strdup(path), .part = *part };
	int err = intern_name(files, &file.name);

	file.relative = file.path;
	if (!err)
		file.app = pp_files_title(files, &file.name.app);
	if (!err && !is_tree)
		file.image = pp_files_title(files, &file.name.image);
	if (!file.path || !file.app || (!is_tree && !file.image))
		err = -ENOMEM;
	if (!err && is_tree)
		err = append(&files->trees, &files->nr_trees, &file);
	else if (!err)
		err = append(&files->items, &files->nr, &file);
	if (err)
		pp_sample_file_release(&file);
	return err;
}

/* Return whether the entry @name of a samples directory may contain samples. Other entries are
 * statistics and symbols. */
static bool may_have_samples(const struct walk *walk, const char *name)
{
	if (walk->files->wakers)
		return !walk->trees && !strcmp(name, "{woken}");
	return !strcmp(name, walk->trees ? "root" : "{root}") ||
	       !strcmp(name, walk->trees ? "kern" : "{kern}") ||
	       !strcmp(name, walk->trees ? "unit" : "{unit}");
}

static int walk_dir(struct walk *walk, int dirfd);

/* Return the type of an entry, DT_REG, DT_DIR or another, or DT_UNKNOWN if the daemon removed the
 * entry after the directory was read. Most file systems store the type in the directory. */
static unsigned char type_of(int dirfd, const struct dirent64 *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type;
	if (fstatat(dirfd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
		return DT_UNKNOWN;
	return IFTODT(st.st_mode);
}

static int walk_entry(struct walk *walk, int dirfd, const struct dirent64 *entry)
{
	size_t old_len = walk->len;
	size_t n = strlen(entry->d_name);
	unsigned char type;
	int err = 0, fd;

	if (!walk->depth && !may_have_samples(walk, entry->d_name))
		return 0;
	if (walk->len + 1 + n + 1 > sizeof(walk->path))
		return count_unknown_file(walk->files, walk->path + walk->prefix);
	walk->path[walk->len++] = '/';
	memcpy(walk->path + walk->len, entry->d_name, n + 1);
	walk->len += n;
	type = type_of(dirfd, entry);
	if (type == DT_UNKNOWN)
		goto done;
	if (type == DT_REG) {
		err = walk->trees ? add_tree(walk) : add_file(walk);
	} else if (type != DT_DIR || walk->depth >= MAX_DEPTH) {
		err = count_unknown_file(walk->files, walk->path + walk->prefix);
	} else {
		fd = openat(dirfd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0) {
			/* ENOENT: the daemon removed the directory */
			if (errno != ENOENT)
				pp_warn(walk->log, "%s: %s", walk->path, strerror(errno));
			goto done;
		}
		walk->depth++;
		err = walk_dir(walk, fd);
		walk->depth--;
	}
done:
	walk->len = old_len;
	walk->path[old_len] = '\0';
	return err;
}

/* Walk the directory that is open as @fd, and close @fd. Return 0 or a negative errno. A session
 * may have a directory for each sample file, and fdopendir() makes three more system calls. */
static int walk_dir(struct walk *walk, int fd)
{
	union {
		struct dirent64 entry;
		char bytes[4096];
	} entries;
	ssize_t len = 0;
	int err = 0;

	while (!err && (len = getdents64(fd, &entries, sizeof(entries))) > 0) {
		for (ssize_t at = 0; !err && at < len;) {
			const struct dirent64 *entry = (const void *)(entries.bytes + at);

			at += entry->d_reclen;
			if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
				err = walk_entry(walk, fd, entry);
		}
	}
	if (len < 0)
		err = -errno;
	close(fd);
	return err;
}

/* Search @samples_dir for sample files or trees. If @below is not NULL, search only the
 * subdirectory @below. */
static int walk_samples(struct pp_files *files, const char *samples_dir, const char *below,
			struct pp_log *log)
{
	struct walk *walk;
	size_t n = strlen(samples_dir), len;
	int err, fd;

	while (n > 1 && samples_dir[n - 1] == '/')
		n--;
	len = n + (below ? 1 + strlen(below) : 0);
	if (len + 1 >= PATH_MAX)
		return -ENAMETOOLONG;
	walk = calloc(1, sizeof(*walk));
	if (!walk)
		return -ENOMEM;
	walk->files = files;
	walk->log = log;
	walk->trees = below;
	snprintf(walk->path, sizeof(walk->path), "%.*s%s%s", (int)n, samples_dir, below ? "/" : "",
		 below ? below : "");
	walk->len = len;
	walk->prefix = n + 1;
	fd = open(walk->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (below ? O_NOFOLLOW : 0));
	err = fd < 0 ? -errno : walk_dir(walk, fd);
	free(walk);
	return err;
}

int pp_files_add(struct pp_files *files, const char *samples_dir, struct pp_log *log)
{
	return walk_samples(files, samples_dir, NULL, log);
}

/* Return whether the relative path @name stays inside its directory. */
static bool is_below(const char *name)
{
	bool ret = *name != '/';

	for (const char *part = name; ret && part; part = strchr(part, '/')) {
		part += *part == '/';
		ret = strncmp(part, "../", 3) && strcmp(part, "..");
	}
	return ret;
}

int pp_files_add_name(struct pp_files *files, const char *samples_dir, const char *name,
		      uint32_t item)
{
	struct walk *walk;
	int n, err = 0;

	if (!is_below(name))
		return 0;
	walk = calloc(1, sizeof(*walk));
	if (!walk)
		return -ENOMEM;
	walk->files = files;
	walk->item = item;
	walk->prefix = strlen(samples_dir) + 1;
	n = snprintf(walk->path, sizeof(walk->path), "%s/%s", samples_dir, name);
	if (n < 0 || (size_t)n >= sizeof(walk->path))
		err = count_unknown_file(files, name);
	else
		err = strncmp(name, OP_PATHS_DIR "/", strlen(OP_PATHS_DIR "/")) ? add_file(walk) :
										  add_tree(walk);
	free(walk);
	return err;
}

static int compare_trees(const void *a, const void *b)
{
	return strcmp(((const struct pp_sample_file *)a)->path,
		      ((const struct pp_sample_file *)b)->path);
}

static void sort_trees(struct pp_files *files, size_t first)
{
	if (files->nr_trees > first)
		qsort(files->trees + first, files->nr_trees - first, sizeof(*files->trees),
		      compare_trees);
}

/* Arguments of add_item(). */
struct adding {
	struct pp_files *files;
	const char *samples_dir;
};

static int add_item(void *arg, const char *path, uint32_t item)
{
	const struct adding *adding = arg;
	char name[32];

	if (!path) {
		snprintf(name, sizeof(name), "{interval item %" PRIu32 "}", item);
		return count_unknown_file(adding->files, name);
	}
	return pp_files_add_name(adding->files, adding->samples_dir, path, item);
}

int pp_files_add_interval(struct pp_files *files, const struct pp_source *source, bool trees)
{
	struct adding adding = { files, source->path };
	size_t before = files->nr_trees;
	int err = pp_interval_each(source, trees, add_item, &adding);

	sort_trees(files, before);
	return err;
}

int pp_files_add_trees(struct pp_files *files, const char *samples_dir, struct pp_log *log)
{
	size_t before = files->nr_trees;
	int err = walk_samples(files, samples_dir, OP_PATHS_DIR, log);

	sort_trees(files, before);
	if (err == -ENOMEM)
		return err;
	if (err && err != -ENOENT)
		pp_warn(log, "%s/%s: %s; call paths are not shown", samples_dir, OP_PATHS_DIR,
			strerror(-err));
	return 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct pp_sample_file *x = a, *y = b;
	int d = strcmp(x->image, y->image);

	if (!d)
		d = strcmp(x->app, y->app);
	return d ? d : strcmp(x->path, y->path);
}

void pp_files_sort(struct pp_files *files)
{
	if (files->nr)
		qsort(files->items, files->nr, sizeof(*files->items), compare_files);
	if (files->nr_arcs)
		qsort(files->arcs, files->nr_arcs, sizeof(*files->arcs), compare_files);
}
