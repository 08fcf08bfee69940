// SPDX-License-Identifier: GPL-2.0-or-later
/* import.c -- conversion of another machine's sample files, and of directories of such files. */
#include "config.h"
#include "pp/archive/import.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/swapped.h"
#include "libop/base/fs.h"
#include "libop/session/abi.h"
#include "pp/archive/copy.h"

/* The following functions read a sample file that has another machine's layout. */

#define OLD_VERSION	0x12	/* version of sample files of OProfile up to 0.9.9 */
#define CHUNK_NODES	4096u
/* maximum count in one record of a sample file, as for odb_update() */
#define MAX_NODE_COUNT	(1ull << 40)

/* For each CPU type of OProfile 0.9.9: the CPU type of OProfile 1.4, which this program uses; -1 if
 * OProfile 1.4 does not support the CPU. */
static const int16_t new_cpu_type[] = {
	0, 1, 2, 3, 4, -1, 5, -1, -1, -1, 6, 7, -1, -1,
	-1, -1, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
	34, -1, 35, -1, 36, 37, 38, 39, -1, 40, 41, 42, 43, -1,
	44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57,
	58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71,
};

struct foreign {
	int fd;
	const struct pp_abi *abi;
	const char *name;
	struct pp_log *log;
	uint64_t file_size;
};

/* Read exactly @len bytes of a sample file. Return 0 or -EIO. */
static int read_at(const struct foreign *f, void *buf, size_t len, uint64_t offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(f->fd, (char *)buf + done, len - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += n;
	}
	return 0;
}

/*
 * Return 1 if the file begins like a sample file of any version and byte order, else 0 or a
 * negative errno. The file's offset stays the same.
 */
static int foreign_is(int fd)
{
	struct foreign f = { .fd = fd };
	char magic[4];
	int err = read_at(&f, magic, sizeof(magic), 0);

	if (err)
		return err == -EIO ? 0 : err;
	return !memcmp(magic, OP_SAMPLE_MAGIC, sizeof(magic));
}

/* Decode the CPU's speed in MHz, an IEEE double in the file's byte order. Return 0 if the value is
 * impossible. */
static double speed_of(const struct pp_abi *abi, const void *header)
{
	uint64_t bits = pp_abi_get(abi, &abi->cpu_speed, header);
	uint32_t half = bits;
	double speed = 0;
	float single;

	if (abi->cpu_speed.size == 8) {
		memcpy(&speed, &bits, sizeof(speed));
	} else if (abi->cpu_speed.size == 4) {
		memcpy(&single, &half, sizeof(single));
		speed = single;
	}
	return isfinite(speed) && speed > 0 ? speed : 0;
}

static int check_version(const struct foreign *f, const void *header, uint32_t *version)
{
	static const struct pp_abi_field field = { 4, 4 };
	struct pp_abi other = *f->abi;

	if (memcmp(header, OP_SAMPLE_MAGIC, 4))
		return op_fail(&f->log->error, -EINVAL, "%s: is not a sample file", f->name);
	*version = pp_abi_get(f->abi, &field, header);
	if (*version == OP_SAMPLE_VERSION || *version == OLD_VERSION)
		return 0;
	other.little_endian = !other.little_endian;
	if (pp_abi_get(&other, &field, header) <= OP_SAMPLE_VERSION)
		return op_fail(&f->log->error, -EINVAL,
			       "%s: is %s-endian, but the abi file describes another byte order: "
			       "use the abi file of the machine that recorded the file",
			       f->name, f->abi->little_endian ? "big" : "little");
	return op_fail(&f->log->error, -EINVAL,
		       "%s: has version 0x%" PRIx32 "; only 0x%x and 0x%x are known", f->name,
		       *version, OP_SAMPLE_VERSION, OLD_VERSION);
}

static uint32_t cpu_type_of(const struct foreign *f, uint32_t number, uint32_t version)
{
	if (version == OP_SAMPLE_VERSION)
		return number;
	if (number < sizeof(new_cpu_type) / sizeof(new_cpu_type[0]) && new_cpu_type[number] >= 0)
		return new_cpu_type[number];
	pp_warn(f->log, "%s: unknown CPU type: number %" PRIu32 " of OProfile 0.9",
		f->name, number);
	return UINT32_MAX;
}

static int convert_header(const struct foreign *f, struct op_sample_header *ret)
{
	const struct pp_abi *abi = f->abi;
	uint32_t version;
	char *raw = malloc(abi->header_size);
	int err;

	if (!raw)
		return -ENOMEM;
	err = read_at(f, raw, abi->header_size, 0);
	err = err ? op_fail(&f->log->error, err, "%s: %s", f->name, strerror(-err))
		  : check_version(f, raw, &version);
	if (err) {
		free(raw);
		return err;
	}
	op_sample_header_init(ret);
	ret->cpu_type = cpu_type_of(f, pp_abi_get(abi, &abi->cpu_type, raw), version);
	ret->ctr_event = pp_abi_get(abi, &abi->ctr_event, raw);
	ret->ctr_um = pp_abi_get(abi, &abi->ctr_um, raw);
	ret->ctr_count = pp_abi_get(abi, &abi->ctr_count, raw);
	ret->is_kernel = pp_abi_get(abi, &abi->is_kernel, raw);
	ret->build = pp_abi_get(abi, &abi->build, raw);
	ret->owner = pp_abi_get(abi, &abi->owner, raw);
	ret->cpu_speed = speed_of(abi, raw);
	ret->mtime = pp_abi_get(abi, &abi->mtime, raw);
	ret->cg_to_is_kernel = pp_abi_get(abi, &abi->cg_to_is_kernel, raw);
	ret->anon_start = pp_abi_get(abi, &abi->anon_start, raw);
	ret->cg_to_anon_start = pp_abi_get(abi, &abi->cg_to_anon_start, raw);
	free(raw);
	return 0;
}

/* Store the number of nodes in the sample file, including the unused node 0, in *@ret. Return 0, or
 * -EINVAL with the cause in the log. */
static int count_nodes(const struct foreign *f, bool force, uint64_t *ret)
{
	const struct pp_abi *abi = f->abi;
	uint64_t start = (uint64_t)abi->header_size + abi->descr_size, room;
	uint64_t size, used;
	char *raw = malloc(abi->descr_size);
	int err;

	if (!raw)
		return -ENOMEM;
	err = read_at(f, raw, abi->descr_size, abi->header_size);
	size = err ? 0 : pp_abi_get(abi, &abi->descr_size_field, raw);
	used = err ? 0 : pp_abi_get(abi, &abi->current_size, raw);
	free(raw);
	if (err)
		return op_fail(&f->log->error, err, "%s: %s", f->name, strerror(-err));
	room = (f->file_size - start) / abi->node_size;
	if (f->file_size == start + size * (abi->node_size + abi->index_size) && used <= size) {
		*ret = used;
		return 0;
	}
	if (!force) {
		return op_fail(&f->log->error, -EINVAL,
			       "%s: has %" PRIu64 " bytes, which differs from the size in the abi file "
			       "and in its header; the file is damaged, or the abi file describes another "
			       "machine (--force converts the complete nodes)",
			       f->name, f->file_size);
	}
	*ret = used < room ? used : room;
	pp_warn(f->log, "%s: damaged: converted %" PRIu64 " of %" PRIu64 " nodes", f->name, *ret,
		used);
	return 0;
}

static int add_nodes(const struct foreign *f, struct odb *to, const char *nodes, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		const char *node = nodes + i * f->abi->node_size;
		uint64_t key = pp_abi_get(f->abi, &f->abi->key, node);
		uint64_t count = pp_abi_get(f->abi, &f->abi->value, node);
		int err = 0;

		if (count > MAX_NODE_COUNT)
			return op_fail(&f->log->error, -EINVAL,
				       "%s: impossible count of %" PRIu64 " samples", f->name,
				       count);
		if (count)
			err = odb_update(to, key, count);
		if (err)
			return op_fail(&f->log->error, err, "cannot write %s: %s", f->name,
				       odb_strerror(err));
	}
	return 0;
}

static int convert_nodes(const struct foreign *f, struct odb *to, uint64_t nr)
{
	const struct pp_abi *abi = f->abi;
	uint64_t start = (uint64_t)abi->header_size + abi->descr_size;
	char *nodes = malloc((size_t)CHUNK_NODES * abi->node_size);
	int err = 0;

	if (!nodes)
		return -ENOMEM;
	for (uint64_t i = 1; i < nr && !err; i += CHUNK_NODES) {
		uint64_t n = nr - i < CHUNK_NODES ? nr - i : CHUNK_NODES;

		err = read_at(f, nodes, n * abi->node_size, start + i * abi->node_size);
		if (err)
			op_fail(&f->log->error, err, "%s: %s", f->name, strerror(-err));
		else
			err = add_nodes(f, to, nodes, n);
	}
	free(nodes);
	return err;
}

int pp_foreign_convert(struct odb *to, int fd, const struct pp_abi *abi, bool force,
		       const char *name, struct pp_log *log)
{
	struct foreign f = { .fd = fd, .abi = abi, .name = name, .log = log };
	struct op_sample_header header;
	struct stat st;
	uint64_t nr = 0;
	int err;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return op_fail(&log->error, -EINVAL, "%s: is not a regular file", name);
	f.file_size = st.st_size;
	if (f.file_size < (uint64_t)abi->header_size + abi->descr_size)
		return op_fail(&log->error, -EINVAL, "%s: is too short for a sample file", name);
	err = convert_header(&f, &header);
	if (!err)
		err = count_nodes(&f, force, &nr);
	if (err)
		return err;
	*(struct op_sample_header *)odb_header(to) = header;
	return convert_nodes(&f, to, nr);
}

#define MAX_DEPTH	128

static int fail(struct pp_import *import, const char *path, int err)
{
	return op_fail(&import->log->error, err, "%s: %s", path, strerror(-err));
}

/* Convert the sample file @from to the file @leaf in the directory @dir. On failure, remove @leaf.
 * @path: the file's path, for messages. */
static int convert(struct pp_import *import, int from, int dir, const char *leaf, const char *path)
{
	char *partial;
	struct odb *db;
	int fd, err;

	if (asprintf(&partial, "%.*s.part", NAME_MAX - 5, leaf) < 0)
		return -ENOMEM;
	unlinkat(dir, partial, 0);
	fd = openat(dir, partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0) {
		err = fail(import, leaf, -errno);
		goto done;
	}
	err = odb_open(&db, fd, sizeof(struct op_sample_header), ODB_WRITE, NULL);
	if (err) {
		err = op_fail(&import->log->error, err, "%s: %s", leaf, odb_strerror(err));
		close(fd);
		goto err_unlink;
	}
	err = pp_foreign_convert(db, from, import->abi, import->force, path, import->log);
	odb_close(db);
	if (!err && renameat(dir, partial, dir, leaf))
		err = fail(import, leaf, -errno);
err_unlink:
	if (err)
		unlinkat(dir, partial, 0);
	else
		import->nr_converted++;
done:
	free(partial);
	return err;
}

static int convert_file(int from, int to)
{
	char bytes[1 << 16];
	off_t at = 0;
	size_t len;
	int err;

	do {
		err = op_read_all_at(from, bytes, sizeof(bytes), at, &len);
		/* Ignore an incomplete 16-byte record of call paths at the end of the file. */
		len -= len % 16;
		if (!err && len) {
			swapped_convert(bytes, len, at);
			err = op_write_all(to, bytes, len);
		}
		at += len;
	} while (!err && len == sizeof(bytes));
	return err;
}

/* Convert a file with a tree of call paths or a list of frames from the other byte order. */
static int convert_paths(struct pp_import *import, int from, int dir, const char *leaf,
			 const char *path)
{
	char *partial;
	int fd, err;

	if (asprintf(&partial, "%.*s.part", NAME_MAX - 5, leaf) < 0)
		return -ENOMEM;
	unlinkat(dir, partial, 0);
	fd = openat(dir, partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	err = fd < 0 ? -errno : convert_file(from, fd);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && renameat(dir, partial, dir, leaf))
		err = -errno;
	if (err) {
		fail(import, path, err);
		unlinkat(dir, partial, 0);
	} else {
		import->nr_converted++;
	}
	free(partial);
	return err;
}

/* Return whether @fd is a file of call paths, and in which byte order. Set *@known if the version
 * of the file is supported. */
static enum swapped find_paths(int fd, bool *known)
{
	char header[SWAPPED_HEADER];
	size_t len;

	if (op_read_all_at(fd, header, sizeof(header), 0, &len) || len < sizeof(header))
		return SWAPPED_OTHER_FILE;
	return swapped_find(header, known);
}

/* Copy a file unchanged, because its format is the same on all machines: kernel symbols, build-ids,
 * counters, or code compiled at run time, for example. */
static int copy(struct pp_import *import, int from, int dir, const char *leaf, const char *path)
{
	struct stat st;
	int err = fstat(from, &st) ? -errno : pp_copy_file(from, dir, leaf, st.st_mode & 0777);

	if (err)
		return fail(import, path, err);
	import->nr_copied++;
	return 0;
}

/* Return whether the file is an abi file, which may be in any directory of an archive. */
static bool is_abi(int fd, const char *leaf)
{
	static const char start[] = "sizeof_";
	char buf[sizeof(start) - 1];

	return !strcmp(leaf, "abi") && pread(fd, buf, sizeof(buf), 0) == sizeof(buf) &&
	       !memcmp(buf, start, sizeof(buf));
}

static int import_file(struct pp_import *import, int from, int dir, const char *leaf,
		       const char *path)
{
	int sample = foreign_is(from), err;
	enum swapped swapped;
	bool known = true;

	if (sample < 0)
		return fail(import, path, sample);
	swapped = find_paths(from, &known);
	if (!known)
		return op_fail(&import->log->error, -EINVAL, "%s: has call paths of another version",
			       path);
	if (swapped == SWAPPED_YES)
		return convert_paths(import, from, dir, leaf, path);
	/* replace the old abi file, because the new files have this machine's layout */
	if (is_abi(from, leaf)) {
		err = op_abi_write(dir, leaf);
		return err ? fail(import, path, err) : 0;
	}
	return sample ? convert(import, from, dir, leaf, path) :
			   copy(import, from, dir, leaf, path);
}

static int import_directory(struct pp_import *import, int from, int to, const char *path,
			    int depth);

static int import_entry(struct pp_import *import, int from, int to, const char *name,
			const char *path, int depth)
{
	struct stat st;
	char *whole;
	int fd, sub, err = 0;

	if (asprintf(&whole, "%s/%s", path, name) < 0)
		return -ENOMEM;
	/* Do not follow links. O_NONBLOCK: opening a FIFO must not block; the code below skips
	 * FIFOs. */
	fd = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		if (errno != ELOOP && errno != ENXIO && errno != ENOENT)
			err = fail(import, whole, -errno);
		goto done;
	}
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		err = import_file(import, fd, to, name, whole);
	} else if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH) {
		sub = mkdirat(to, name, 0755) && errno != EEXIST ?
			      -1 :
			      openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			err = fail(import, whole, -errno);
		else
			err = import_directory(import, fd, sub, whole, depth + 1);
		if (sub >= 0)
			close(sub);
	}
	close(fd);
done:
	free(whole);
	return err;
}

/* Import a directory with sample files. If a file fails, continue with the next file. */
static int import_directory(struct pp_import *import, int from, int to, const char *path, int depth)
{
	int fd = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return fail(import, path, err);
	}
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		err = import_entry(import, from, to, entry->d_name, path, depth);
		if (!err)
			continue;
		pp_log_failure(import->log, err);
		import->nr_failed++;
	}
	closedir(dir);
	return 0;
}

static bool is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int nr = 0;

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	while ((entry = readdir(dir)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return !nr;
}

static int import_tree(struct pp_import *import, int from, const char *path, const char *to)
{
	int fd, err;

	if (mkdir(to, 0700) && errno != EEXIST)
		return fail(import, to, -errno);
	fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(import, to, -errno);
	if (!is_empty(fd)) {
		close(fd);
		return op_fail(&import->log->error, -EINVAL, "%s: is not empty; name a new directory",
			       to);
	}
	err = import_directory(import, from, fd, path, 0);
	close(fd);
	if (!err && import->nr_failed)
		return op_fail(&import->log->error, -EIO, "%s: cannot import %zu file(s)", path,
			       import->nr_failed);
	if (!err && !import->nr_converted)
		return op_fail(&import->log->error, -ENODATA, "%s: has no sample file", path);
	return err;
}

static int import_single(struct pp_import *import, int from, const char *path, const char *to)
{
	const char *slash = strrchr(to, '/');
	char *parent = slash ? strndup(to, slash == to ? 1 : slash - to) : strdup(".");
	const char *leaf = slash ? slash + 1 : to;
	int dir, err;

	if (!parent)
		return -ENOMEM;
	dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(parent);
	if (dir < 0)
		return fail(import, to, -errno);
	if (*leaf)
		err = import_file(import, from, dir, leaf, path);
	else
		err = fail(import, to, -EISDIR);
	close(dir);
	return err;
}

/* Return whether an agent of OProfile made the file @name, an ELF file with code compiled at run
 * time. Its format is the same on all machines. */
static bool is_jit_code(const char *name)
{
	size_t n = strlen(name);

	return n > 3 && !strcmp(name + n - 3, ".jo");
}

int pp_import(struct pp_import *import, const char *from, const char *to)
{
	struct stat st;
	bool known;
	int fd = open(from, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), err;

	if (fd < 0 || fstat(fd, &st)) {
		err = fail(import, from, -errno);
	} else if (S_ISDIR(st.st_mode)) {
		err = import_tree(import, fd, from, to);
	} else if (!S_ISREG(st.st_mode)) {
		err = op_fail(&import->log->error, -EINVAL, "%s: is neither a file nor a directory",
			      from);
	} else if (!foreign_is(fd) && !is_jit_code(from) &&
		   find_paths(fd, &known) == SWAPPED_OTHER_FILE) {
		err = op_fail(&import->log->error, -EINVAL, "%s: is not a sample file", from);
	} else {
		err = import_single(import, fd, from, to);
	}
	if (fd >= 0)
		close(fd);
	return err;
}
