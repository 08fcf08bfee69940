// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.c -- reading copies of the executable files that the sampled processes have mapped.
 */
#include "config.h"
#include "utils/opattach/files.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_same(const struct attach_file *file, const struct stat *st)
{
	return file->dev && file->dev == st->st_dev && file->ino == st->st_ino &&
	       file->changed.tv_sec == st->st_mtim.tv_sec &&
	       file->changed.tv_nsec == st->st_mtim.tv_nsec;
}

static void drop_data(struct attach_files *files, struct attach_file *file)
{
	files->bytes -= file->size;
	free(file->data);
	file->data = NULL;
	file->size = 0;
}

static struct attach_file *add(struct attach_files *files, unsigned char *data, size_t size)
{
	struct attach_file *file = calloc(1, sizeof(*file));

	if (!file) {
		free(data);
		return NULL;
	}
	*file = (struct attach_file){
		.next = files->first, .users = 1, .data = data, .size = size,
	};
	files->first = file;
	files->bytes += size;
	if (!data || cfi_elf_open(&file->elf, data, size)) {
		drop_data(files, file);
		return file;
	}
	for (int form = CFI_EH_FRAME; form <= CFI_DEBUG_FRAME; form++)
		if (cfi_elf_frames(&file->elf, form, &file->frames[form]))
			file->frames[form].data = NULL;
	return file;
}

static unsigned char *read_all(int fd, size_t size, size_t *ret)
{
	unsigned char *data = malloc(size), *fits;
	size_t done = 0;
	ssize_t got;

	while (data && done < size && (got = pread(fd, data + done, size - done, done)) > 0)
		done += got;
	/* The file may have been truncated during the read: release the memory that was not
	 * filled. */
	fits = data && done && done < size ? realloc(data, done) : NULL;
	*ret = data ? done : 0;
	return fits ? fits : data;
}

struct attach_file *attach_files_get(struct attach_files *files, int fd)
{
	unsigned char *data = NULL;
	struct attach_file *file;
	struct stat st;
	size_t size = 0;

	if (fstat(fd, &st))
		return NULL;
	for (file = files->first; file; file = file->next) {
		if (is_same(file, &st)) {
			file->users++;
			return file;
		}
	}
	if (st.st_size > 0 && (uint64_t)st.st_size <= ATTACH_FILES_MAX - files->bytes)
		data = read_all(fd, st.st_size, &size);
	file = add(files, data, size);
	if (file) {
		file->dev = st.st_dev;
		file->ino = st.st_ino;
		file->changed = st.st_mtim;
	}
	return file;
}

struct attach_file *attach_files_memory(struct attach_files *files, unsigned char *data,
					size_t size)
{
	if (size <= ATTACH_FILES_MAX - files->bytes)
		return add(files, data, size);
	free(data);
	return NULL;
}

void attach_files_put(struct attach_files *files, struct attach_file *file)
{
	struct attach_file **at = &files->first;

	if (!file || --file->users)
		return;
	while (*at != file)
		at = &(*at)->next;
	*at = file->next;
	drop_data(files, file);
	free(file);
}
