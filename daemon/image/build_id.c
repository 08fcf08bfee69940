// SPDX-License-Identifier: GPL-2.0-or-later
/* build_id.c -- parsing of the build-id note of an untrusted ELF file. */
#include "config.h"
#include "daemon/image/build_id.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "daemon/image/image.h"
#include "libop/base/fs.h"
#include "libop/session/build_ids.h"

#define MAX_SEGMENTS	128
#define MAX_NOTES	4096

int opd_build_id_in_notes(const unsigned char *notes, size_t len, size_t align, bool is_swapped,
			  uint8_t id[OPD_BUILD_ID_MAX])
{
	uint32_t id_len;
	const uint8_t *found = raw_elf_find_build_id(
		(struct raw_elf_notes){
			.bytes = notes, .len = len, .align = align, .is_swapped = is_swapped },
		&id_len);

	if (!found)
		return 0;
	memcpy(id, found, id_len);
	return (int)id_len;
}

static int read_notes(int fd, const struct raw_elf_segment *s, bool is_swapped, uint8_t *id)
{
	unsigned char notes[MAX_NOTES];
	size_t size = s->file_size < sizeof(notes) ? s->file_size : sizeof(notes);
	long n = op_read_some_at(&fd, s->offset, notes, size);

	return n < 0 ? (int)n : opd_build_id_in_notes(notes, n, s->align, is_swapped, id);
}

int opd_build_id_read(int fd, uint8_t id[OPD_BUILD_ID_MAX])
{
	struct raw_elf_headers headers;
	struct raw_elf_segment s;
	int err = raw_elf_headers_read(&headers, op_read_some_at, &fd), n = 0;

	if (err)
		return err == -ENOEXEC ? 0 : err;
	if (headers.nr > MAX_SEGMENTS)
		return 0;
	for (unsigned int i = 0; !n && i < headers.nr; i++) {
		if (raw_elf_segment_read(&s, &headers, i))
			return 0;
		if (s.type == PT_NOTE)
			n = read_notes(fd, &s, headers.is_swapped, id);
	}
	return n;
}

static int add_image(void *arg, const struct opd_image *image)
{
	struct op_build_ids *ids = arg;
	int err;

	if (!image->used || !image->build_id_len)
		return 0;
	err = op_build_ids_add(ids, image->path, image->build_id, image->build_id_len);
	/* Skip an image whose path contains characters that the list of build-ids does not
	 * allow. */
	return err == -EINVAL ? 0 : err;
}

int opd_build_id_file_write(const struct opd_images *images, size_t *written, int current_fd)
{
	size_t nr = opd_images_nr_build_ids(images);
	struct op_build_ids ids = { 0 };
	int err;

	if (nr == *written)
		return 0;
	err = op_build_ids_read(&ids, current_fd);
	if (!err || op_file_is_useless(err))
		err = opd_images_for_each(images, add_image, &ids);
	if (!err)
		err = op_build_ids_write(&ids, current_fd);
	if (!err)
		*written = nr;
	op_build_ids_release(&ids);
	return err;
}
