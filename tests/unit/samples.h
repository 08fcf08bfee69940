/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.h -- samples directories with a few sample files, for tests of intervals.
 */
#ifndef TESTS_UNIT_SAMPLES_H
#define TESTS_UNIT_SAMPLES_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "libdb/odb.h"
#include "libop/base/fs.h"
#include "libop/cpu/type.h"
#include "libop/session/mangle.h"
#include "libop/session/sample_header.h"
#include "tests/unit/check.h"

/* Members of a sample file of the event TIMER with one address, for samples_add(). */
struct samples_file {
	enum op_image_kind kind;
	const char *path;		/* build-id of the image */
	uint64_t offset, count;
	uint32_t cpu_type;		/* CPU type of the samples; 0: OP_CPU_TIMER */
	uint32_t build, owner;
	uint64_t mtime;
};

static inline int samples_make_dir(int dir, const char *name)
{
	int fd;

	assert_true(mkdirat(dir, name, 0755) == 0 || errno == EEXIST);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* Create the file @path in @dir, with its parent directories. Return a descriptor. */
static inline int samples_create(int dir, const char *path)
{
	int fd;

	assert_int_equal(op_make_parents(dir, path, 0755), 0);
	fd = openat(dir, path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	return fd;
}

static inline void samples_add(int dir, const struct samples_file *file)
{
	const struct op_image_name image = { .kind = file->kind, .path = (char *)file->path };
	struct op_sample_name name = {
		.app = { .kind = OP_IMAGE_ROOT, .path = (char *)"/bin/program" },
		.image = image,
		.event = (char *)"TIMER",
		.count = 1000000,
		.tgid = OP_ALL,
		.tid = OP_ALL,
		.cpu = OP_ALL,
	};
	struct op_sample_header *header;
	struct odb *db;
	char *path;

	if (file->kind == OP_IMAGE_ROOT)
		name.app = image;
	assert_int_equal(op_mangle(&path, &name), 0);
	assert_int_equal(odb_open(&db, samples_create(dir, path), sizeof(*header), ODB_WRITE, NULL),
			 0);
	free(path);
	header = odb_header(db);
	op_sample_header_init(header);
	header->cpu_type = file->cpu_type ? file->cpu_type : OP_CPU_TIMER;
	header->ctr_count = (uint32_t)name.count;
	header->build = file->build;
	header->owner = file->owner;
	header->mtime = file->mtime;
	header->is_kernel = file->kind == OP_IMAGE_KERN;
	assert_int_equal(odb_update(db, file->offset, file->count), 0);
	odb_close(db);
}

#endif
