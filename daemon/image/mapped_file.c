// SPDX-License-Identifier: GPL-2.0-or-later
/* mapped_file.c -- files that processes have mapped, with or without samples. */
#include "config.h"
#include "daemon/image/mapped_file.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "libop/base/hash.h"

/* Maximum number of files in the table that have an image but are not mapped now. The next
 * short-lived process often maps such a file again; without its entry, the daemon would have to
 * open the file again. */
#define MAX_UNUSED	8192

/* Do not call malloc_trim() if the entries have used at most this memory, in bytes: the call costs
 * too much time. */
#define WORTH_GIVING_BACK	(4u << 20)

#define NR_RECENT	256u

struct opd_mapped_file {
	struct opd_mapped_files *owner;
	struct op_hash_link link;
	/* number of references to the entry; 0: the entry is kept only for its image */
	size_t refs;
	struct opd_file_id id;
	/* image of the file; NULL: the file has no sample yet */
	const struct opd_image *image;
	size_t bytes;			/* size of this struct including the path */
	bool is_dump;
	char path[];
};

struct opd_mapped_files {
	struct opd_images *images;
	struct op_hash_table table;
	/* Cache of recently used entries, indexed by a hash of the file's id. If the entry is in
	 * the cache, no lookup by path is needed, which has to read the whole path. */
	struct opd_mapped_file *recent[NR_RECENT];
	size_t nr_unused;
	struct opd_files_apart apart;
	/* memory of all entries in bytes, and its maximum since the last call of malloc_trim() */
	size_t bytes, peak;
};

static struct opd_mapped_file *file_at(struct op_hash_link *link)
{
	return (struct opd_mapped_file *)((char *)link - offsetof(struct opd_mapped_file, link));
}

int opd_mapped_files_create(struct opd_mapped_files **ret, struct opd_images *images)
{
	struct opd_mapped_files *files = calloc(1, sizeof(*files));

	if (!files || op_hash_init(&files->table)) {
		free(files);
		return -ENOMEM;
	}
	files->images = images;
	*ret = files;
	return 0;
}

static bool free_file(struct op_hash_link *link, void *arg)
{
	(void)arg;
	free(file_at(link));
	return true;
}

void opd_mapped_files_destroy(struct opd_mapped_files *files)
{
	if (!files)
		return;
	op_hash_filter(&files->table, free_file, NULL);
	op_hash_release(&files->table);
	free(files);
}

static uint64_t extend(uint64_t hash, const struct opd_file_id *id)
{
	hash = op_hash_number(op_hash_number(hash, id->dev), id->ino);
	return op_hash_number(hash, id->generation);
}

static uint64_t hash_of(const char *path, const struct opd_file_id *id)
{
	return extend(op_hash_text(OP_HASH_BEGIN, path), id);
}

static struct opd_mapped_file **recent_of(struct opd_mapped_files *files,
					  const struct opd_file_id *id)
{
	return &files->recent[extend(OP_HASH_BEGIN, id) % NR_RECENT];
}

static void forget_recent(struct opd_mapped_file *file)
{
	struct opd_mapped_file **recent = recent_of(file->owner, &file->id);

	if (*recent == file)
		*recent = NULL;
}

static bool is_dump(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t len;

	if (!base || strncmp(base, "/jit-", 5))
		return false;
	base += 5;
	len = strspn(base, "0123456789");
	return len && !strcmp(base + len, ".dump");
}

static bool is_file(const struct opd_mapped_file *f, const char *path, const struct opd_file_id *id)
{
	return f->id.dev == id->dev && f->id.ino == id->ino && f->id.generation == id->generation &&
	       !strcmp(f->path, path);
}

static struct opd_mapped_file *find(struct opd_mapped_files *files, const char *path,
				    const struct opd_file_id *id, uint64_t hash)
{
	struct op_hash_link *link;

	for (link = op_hash_first(&files->table, hash); link; link = op_hash_next(link))
		if (is_file(file_at(link), path, id))
			return file_at(link);
	return NULL;
}

/* Add an entry for a file, with no references. Return NULL if memory is short. */
static struct opd_mapped_file *add(struct opd_mapped_files *files, const char *path,
				   const struct opd_file_id *id, uint64_t hash)
{
	struct opd_mapped_file *f;
	size_t len;

	len = strlen(path) + 1;
	f = malloc(sizeof(*f) + len);
	if (!f)
		return NULL;
	*f = (struct opd_mapped_file){
		.owner = files, .id = *id, .bytes = sizeof(*f) + len, .is_dump = is_dump(path)};
	memcpy(f->path, path, len);
	op_hash_add(&files->table, &f->link, hash);
	files->bytes += f->bytes;
	if (files->bytes > files->peak)
		files->peak = files->bytes;
	files->nr_unused++;
	return f;
}

struct opd_mapped_file *opd_mapped_files_get(struct opd_mapped_files *files, const char *path,
					     const struct opd_file_id *id)
{
	struct opd_mapped_file **recent = recent_of(files, id), *f = *recent;
	uint64_t hash;

	if (!f || !is_file(f, path, id)) {
		hash = hash_of(path, id);
		f = find(files, path, id, hash);
		if (!f)
			f = add(files, path, id, hash);
		if (!f)
			return NULL;
		*recent = f;
	}
	opd_mapped_file_get(f);
	return f;
}

void opd_mapped_file_get(struct opd_mapped_file *file)
{
	if (file && file->refs++ == 0)
		file->owner->nr_unused--;
}

static void unlink_and_free(struct opd_mapped_file *file)
{
	struct opd_mapped_files *files = file->owner;

	op_hash_remove(&files->table, &file->link);
	forget_recent(file);
	files->bytes -= file->bytes;
	free(file);
}

static bool free_unused(struct op_hash_link *link, void *arg)
{
	struct opd_mapped_file *file = file_at(link);
	struct opd_mapped_files *files = arg;

	if (file->refs)
		return false;
	forget_recent(file);
	files->bytes -= file->bytes;
	free(file);
	return true;
}

void opd_mapped_files_forget_unused(struct opd_mapped_files *files)
{
	op_hash_filter(&files->table, free_unused, files);
	files->nr_unused = 0;
}

void opd_mapped_file_put(struct opd_mapped_file *file)
{
	struct opd_mapped_files *files;

	if (!file || --file->refs)
		return;
	files = file->owner;
	if (!file->image) {
		unlink_and_free(file);
		return;
	}
	if (++files->nr_unused > MAX_UNUSED)
		opd_mapped_files_forget_unused(files);
}

/* Call malloc_trim(): without this call, the C library does not return small free blocks to the
 * system. */
void opd_mapped_files_trim(struct opd_mapped_files *files)
{
	if (files->peak < WORTH_GIVING_BACK || files->bytes > files->peak / 2)
		return;
	files->peak = files->bytes;
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

int opd_mapped_files_of(const struct opd_mapped_files *files, int proc_fd, pid_t tgid,
			opd_proc_map_fn fn, void *arg)
{
	return opd_finder_maps(opd_images_finder(files->images), proc_fd, tgid, fn, arg);
}

int opd_mapped_files_exe(const struct opd_mapped_files *files, struct opd_file_id *ret, pid_t tgid)
{
	return opd_finder_exe(opd_images_finder(files->images), &ret->dev, &ret->ino, tgid);
}

bool opd_mapped_file_is_dump(const struct opd_mapped_file *file)
{
	return file->is_dump;
}

size_t opd_mapped_file_bytes(const struct opd_mapped_file *file)
{
	return file->bytes;
}

size_t opd_mapped_files_bytes(const struct opd_mapped_files *files)
{
	return files->bytes;
}

struct opd_files_apart opd_mapped_files_apart(const struct opd_mapped_files *files)
{
	return files->apart;
}

const char *opd_mapped_file_path(const struct opd_mapped_file *file)
{
	return file->path;
}

static bool is_deleted(const char *path)
{
	static const char suffix[] = " (deleted)";
	const size_t len = strlen(path), suffix_len = sizeof(suffix) - 1;

	return len > suffix_len && !strcmp(path + len - suffix_len, suffix);
}

/* Count the file if it is apart. @err: result of the finder, which has set @identity. */
static void count_apart(struct opd_mapped_file *file, int err, const struct opd_identity *identity,
			pid_t tgid)
{
	struct opd_files_apart *apart = &file->owner->apart;

	if (file->path[0] != '/' || opd_is_memfd(file->path) || is_deleted(file->path))
		return;
	if (err == -ENOENT)
		apart->missed++;
	/* On btrfs and overlayfs, the finder opens every file through its process. */
	else if (!err && identity->payer != OPD_NO_PAYER)
		apart->opened += opd_is_apart(tgid);
}

/* Create the image of the file, at its first sample. */
static const struct opd_image *create_image(struct opd_mapped_file *file, pid_t tgid)
{
	struct opd_identity identity = { .fd = -1, .payer = OPD_NO_PAYER };
	struct opd_images *images = file->owner->images;
	int err = opd_finder_find(opd_images_finder(images), &identity, file->path, file->id.dev,
				  file->id.ino, tgid);

	count_apart(file, err, &identity, tgid);
	file->image = opd_images_intern_build(images, file->path, file->id.dev, file->id.ino,
					      &identity);
	opd_identity_release(&identity);
	return file->image;
}

const struct opd_image *opd_mapped_file_image(struct opd_mapped_file *file, pid_t tgid)
{
	return file->image ? file->image : create_image(file, tgid);
}
