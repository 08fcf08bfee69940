// SPDX-License-Identifier: GPL-2.0-or-later
/* follow.c -- reads new samples from the files of a session while a daemon is writing them. */
#include "config.h"
#include "pp/top/follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/grow.h"
#include "pp/source/samples.h"
#include "pp/top/follow_paths.h"

/* A sample file that is read repeatedly for its new samples. */
struct pp_top_file {
	const char *path;
	/* titles of the program and the binary in the name of the file */
	const char *program, *image;
	struct op_image_name name;	/* name of the binary in the name of the file */
	struct pp_image_samples samples;
	struct pp_samples open;
	/* for each record of the sample file: .seen: the record's count at the last read; .entry:
	 * number of the record's counter in the live profile, plus 1 */
	uint32_t *seen, *entry;
	size_t room;			/* length of .seen and .entry */
	uint32_t program_number, binary_number;
	bool numbered;			/* .program_number and .binary_number have been set */
};

static void file_destroy(struct pp_top_file *file)
{
	if (file->open.db)
		pp_samples_close(&file->open);
	free(file->seen);
	free(file->entry);
	free(file);
}

static int make_room(struct pp_top_file *file, size_t nr)
{
	size_t room = file->room ? file->room : 64;
	uint32_t *seen, *entry;

	if (nr <= file->room)
		return 0;
	while (room < nr)
		room *= 2;
	seen = reallocarray(file->seen, room, sizeof(*seen));
	if (seen)
		file->seen = seen;
	entry = reallocarray(file->entry, room, sizeof(*entry));
	if (entry)
		file->entry = entry;
	if (!seen || !entry)
		return -ENOMEM;
	memset(seen + file->room, 0, (room - file->room) * sizeof(*seen));
	memset(entry + file->room, 0, (room - file->room) * sizeof(*entry));
	file->room = room;
	return 0;
}

/* Find the counter of the live profile for the address @key of the sample file. */
static int find_entry(struct pp_top_follow *f, struct pp_top_file *file, uint64_t key,
		      uint32_t *ret)
{
	struct pp_top_live *live = f->live;
	uint32_t function, entry;
	int err = 0;

	if (!file->numbered) {
		err = pp_top_program(live, file->program, &file->program_number);
		if (!err)
			err = pp_top_binary(&live->functions, file->image, &file->name,
					    &file->binary_number);
		file->numbered = !err;
	}
	if (!err)
		err = pp_top_function(&live->functions, file->binary_number, &file->samples, key,
				      &function);
	if (!err)
		err = pp_top_entry(live, file->program_number, function, &entry);
	if (!err)
		*ret = entry + 1;
	return err;
}

/* If the daemon has grown the file, map it again. */
static void follow_growth(struct pp_top_file *file)
{
	struct pp_samples longer;

	if (!odb_outgrown(file->open.db) || pp_samples_open(&longer, file->path))
		return;
	/* The daemon may have replaced the file by a new one with other node numbers. */
	if (longer.header.mtime != file->open.header.mtime ||
	    odb_nr_nodes(longer.db) < odb_nr_nodes(file->open.db)) {
		pp_samples_close(&longer);
		return;
	}
	pp_samples_close(&file->open);
	file->open = longer;
}

/* Count the samples that were added to a file since the last read. With @begin, only record the
 * current counts. */
static int read_file(struct pp_top_follow *f, struct pp_top_file *file, bool begin)
{
	const struct odb *db;
	uint32_t nr;
	int err;

	follow_growth(file);
	db = file->open.db;
	nr = odb_nr_nodes(db);
	err = make_room(file, nr);
	for (uint32_t i = odb_next_node(db, 0); i < nr && !err; i = odb_next_node(db, i + 1)) {
		uint64_t key;
		uint32_t count, more;

		odb_node(db, i, &key, &count);
		if (count <= file->seen[i])
			continue;
		more = count - file->seen[i];
		file->seen[i] = count;
		if (begin)
			continue;
		if (!file->entry[i])
			err = find_entry(f, file, key, &file->entry[i]);
		if (!err)
			err = pp_top_add_entry(f->live, file->entry[i] - 1, more);
	}
	return err;
}

static bool is_followed(const struct pp_top_follow *f, const struct op_sample_name *name)
{
	const struct pp_top_event *event = f->nr_events ? &f->events[f->event] : NULL;

	return event && !strcmp(event->name, name->event) && event->count == name->count;
}

/* Return the inode number of @path, or 0 if @path does not exist. */
static ino_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

/* Add @inode to the set of followed inodes. Return 1 if it is new, else 0 or -ENOMEM. */
static int is_new(struct pp_top_follow *f, ino_t inode)
{
	size_t before = f->inodes.nr;
	uint32_t ignored;

	if (!inode)
		return 0;
	return pp_top_set_add(&f->inodes, inode, &ignored) ? -ENOMEM : f->inodes.nr > before;
}

/* Copy the description of @file, because the list that owns its strings is released soon. */
static int describe(struct pp_top_follow *f, struct pp_top_file *file,
		    const struct pp_sample_file *from)
{
	struct pp_top_functions *strings = &f->live->functions;
	const struct op_sample_header *header = &file->open.header;

	file->path = pp_top_string(strings, from->path);
	file->program = pp_top_string(strings, from->app);
	file->image = pp_top_string(strings, from->image);
	file->name = from->name.image;
	file->name.path = (char *)pp_top_string(strings, from->name.image.path);
	file->samples = (struct pp_image_samples){
		.identity = { header->build, header->owner },
		.mtime = header->mtime,
		.name = &file->name,
		.path = file->path,
		.is_kernel = header->is_kernel != 0,
		.anon_start = header->anon_start,
	};
	return file->path && file->program && file->image && file->name.path ? 0 : -ENOMEM;
}

/* Start to read a new sample file repeatedly. If the file is empty or cannot be opened, the next
 * search tries it again. */
static int add_file(struct pp_top_follow *f, const struct pp_sample_file *from, bool begin)
{
	struct pp_top_file *file;
	int err = is_new(f, inode_of(from->path));

	if (err <= 0)
		return err;
	file = calloc(1, sizeof(*file));
	if (!file || op_grow(&f->files, f->nr_files)) {
		free(file);
		return -ENOMEM;
	}
	err = pp_samples_open(&file->open, from->path);
	if (err) {
		f->again |= err == ODB_ERR_EMPTY;
		pp_top_set_forget_last(&f->inodes);
		free(file);
		return err == -ENOMEM ? err : 0;
	}
	err = describe(f, file, from);
	if (err) {
		file_destroy(file);
		return err;
	}
	f->files[f->nr_files++] = file;
	return begin ? read_file(f, file, true) : 0;
}

static int compare_events(const void *a, const void *b)
{
	const struct pp_top_event *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	return d ? d : x->count < y->count ? -1 : x->count > y->count;
}

/* Add the event in a file's name to the sorted list of events. The index of the followed event,
 * .event, may change thereby. */
static int note_event(struct pp_top_follow *f, const struct op_sample_name *name)
{
	const struct pp_top_event key = { name->event, name->count };
	struct pp_top_event new = { pp_top_string(&f->live->functions, name->event), name->count },
			    followed;

	for (size_t i = 0; i < f->nr_events; i++)
		if (!compare_events(&f->events[i], &key))
			return 0;
	if (!new.name || op_grow(&f->events, f->nr_events))
		return -ENOMEM;
	followed = f->nr_events ? f->events[f->event] : new;
	f->events[f->nr_events++] = new;
	qsort(f->events, f->nr_events, sizeof(*f->events), compare_events);
	while (compare_events(&f->events[f->event], &followed))
		f->event = f->event + 1 < f->nr_events ? f->event + 1 : 0;
	return 0;
}

/* Start to read all files in @files that are not read yet. Unless @begin is set, count all their
 * samples as new. */
static int add_files(struct pp_top_follow *f, const struct pp_files *files, bool begin)
{
	int err = f->images ? pp_images_update(f->images) : 0;

	f->again = false;
	for (size_t i = 0; i < files->nr && !err; i++)
		err = note_event(f, &files->items[i].name);
	for (size_t i = 0; i < files->nr && !err; i++)
		if (is_followed(f, &files->items[i].name))
			err = add_file(f, &files->items[i], begin);
	for (size_t i = 0; i < files->nr_trees && !err; i++) {
		const struct pp_sample_file *tree = &files->trees[i];
		ino_t inode = is_followed(f, &tree->name) ? inode_of(tree->path) : 0;
		int new = is_new(f, inode);

		err = new > 0 ? pp_top_tree_add(f, tree, begin) : new;
		if (err == ODB_ERR_EMPTY) {
			pp_top_set_forget_last(&f->inodes);
			f->again = true;
			err = 0;
		}
	}
	return err;
}

static int search(struct pp_top_follow *f, bool begin)
{
	struct pp_files files = { 0 };
	int err = pp_files_add(&files, f->dir, &f->log);

	if (!err)
		err = pp_files_add_trees(&files, f->dir, &f->log);
	if (!err)
		err = add_files(f, &files, begin);
	pp_files_release(&files);
	return err;
}

static int add_names(struct pp_top_follow *f, const struct pp_top_names *names, bool begin)
{
	struct pp_files files = { 0 };
	int err = 0;

	for (size_t i = 0; i < names->nr && !err; i++)
		err = pp_files_add_name(&files, f->dir, names->items[i], 0);
	if (!err)
		err = add_files(f, &files, begin);
	pp_files_release(&files);
	return err;
}

static int read_all(struct pp_top_follow *f, bool begin)
{
	int err = 0;

	for (size_t i = 0; i < f->nr_files && !err; i++)
		err = read_file(f, f->files[i], begin);
	for (size_t i = 0; i < f->nr_trees && !err; i++)
		err = pp_top_tree_read(f, f->trees[i], begin);
	return err;
}

static void close_all(struct pp_top_follow *f)
{
	pp_top_functions_forget(&f->live->functions);
	for (size_t i = 0; i < f->nr_files; i++)
		file_destroy(f->files[i]);
	f->nr_files = 0;
	free(f->files);
	f->files = NULL;
	pp_top_trees_close(f);
	pp_top_set_release(&f->inodes);
	pp_top_set_release(&f->paths);
}

int pp_top_follow_read(struct pp_top_follow *f, unsigned int how, const struct pp_top_names *names)
{
	bool begin = how & PP_TOP_BEGIN, search_now = how & PP_TOP_SEARCH;
	struct stat st;
	int err = 0;

	f->nr_unnamed = 0;
	if (stat(f->dir, &st))
		return -errno;
	if (f->session && st.st_ino != f->session) {
		err = read_all(f, begin);
		if (!err)
			err = pp_top_follow_paths(f);
		close_all(f);
		search_now = true;
	} else if (!f->session) {
		search_now = true;
	}
	if (!err && search_now)
		err = search(f, begin);
	else if (!err && names->nr)
		err = add_names(f, names, begin);
	if (!err)
		f->session = st.st_ino;
	return err ? err : read_all(f, begin);
}

void pp_top_follow_event(struct pp_top_follow *f, size_t event)
{
	close_all(f);
	f->session = 0;
	f->event = event < f->nr_events ? event : 0;
}

static void discard(struct pp_log *log, enum pp_log_level level, const char *text)
{
	(void)log;
	(void)level;
	(void)text;
}

int pp_top_follow_init(struct pp_top_follow *f, struct pp_top_live *live, struct pp_images *images,
		       const char *dir)
{
	*f = (struct pp_top_follow){
		.live = live,
		.images = images,
		.dir = strdup(dir),
		.log = { .write = discard },
	};
	return f->dir ? 0 : -ENOMEM;
}

void pp_top_follow_release(struct pp_top_follow *f)
{
	if (f->live)
		close_all(f);
	free(f->unnamed);
	free(f->events);
	free(f->dir);
	pp_files_release(&f->titles);
	*f = (struct pp_top_follow){ 0 };
}
