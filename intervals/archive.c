// SPDX-License-Identifier: GPL-2.0-or-later
/* archive.c -- a single file with intervals and their symbols, for other machines. */
#include "config.h"
#include "intervals/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intervals/columns.h"
#include "intervals/file.h"
#include "intervals/store.h"
#include "libop/base/fs.h"
#include "libop/base/hash.h"
#include "libop/session/identity.h"

#define MAGIC		"OPAR\r\n\x1a\xb6"
#define MAGIC_LEN	8
#define ARCHIVE_VERSION		1
#define HEADER_LEN	32
#define AT_VERSION	8
#define AT_NR		12
#define AT_LENGTH	16
#define AT_CHECK	24
/* Length in bytes of the header of an archive member. The member's name and contents follow its
 * header. */
#define MEMBER_LEN	24
#define AT_DATA_LEN	0
#define AT_NAME_LEN	8
#define AT_ZERO		12
#define AT_MEMBER_CHECK	16
#define MAX_NAME	(sizeof(ITV_ARCHIVE_TABLES) + OP_TABLE_NAME_SIZE)
#define COPY_LEN	65536

static bool is_kernel(const char *name)
{
	uint32_t kernel;
	int at = 0;

	return strlen(name) == strlen("kernel-12345678.zst") &&
	       sscanf(name, "kernel-%8x.zst%n", &kernel, &at) == 1 && !name[at] && at &&
	       strspn(name + strlen("kernel-"), "0123456789abcdef") == 8;
}

static bool is_table(const char *name)
{
	static const char signs[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
	const size_t len = strlen(name), suffix = strlen(OP_TABLE_SUFFIX);

	return len > suffix && len < OP_TABLE_NAME_SIZE && name[0] != '.' &&
	       strspn(name, signs) == len && !strcmp(name + len - suffix, OP_TABLE_SUFFIX);
}

static bool is_interval(const char *name)
{
	struct itv_entry entry;

	return itv_name_parse(&entry, name) && !entry.is_session;
}

static bool is_member(const char *name)
{
	const size_t prefix = strlen(ITV_ARCHIVE_TABLES);

	if (!strncmp(name, ITV_ARCHIVE_TABLES, prefix))
		return is_table(name + prefix);
	return is_interval(name) || is_kernel(name);
}

/* Return the checksum of the header and the name of an archive member. The caller continues the
 * checksum with the member's contents. */
static uint64_t begin_check(const uint8_t *header, const char *name, size_t name_len)
{
	uint64_t check = op_hash_bytes(OP_HASH_BEGIN, header, AT_MEMBER_CHECK);

	return op_hash_bytes(check, name, name_len);
}

static int write_at(int fd, const void *data, size_t len, uint64_t at)
{
	if (lseek(fd, (off_t)at, SEEK_SET) < 0)
		return -errno;
	return op_write_all(fd, data, len);
}

/* Copy @len bytes from offset @from_at of file @from to offset @to_at of file @to, and update the
 * checksum *@check. */
static int copy(int to, uint64_t to_at, int from, uint64_t from_at, uint64_t len, uint64_t *check)
{
	uint8_t buf[COPY_LEN];
	int err = lseek(to, (off_t)to_at, SEEK_SET) < 0 ? -errno : 0;

	while (len && !err) {
		size_t n = len < sizeof(buf) ? (size_t)len : sizeof(buf), got;

		err = op_read_all_at(from, buf, n, (off_t)from_at, &got);
		if (!err && got != n)
			err = ITV_ERR_FORMAT;
		if (err)
			break;
		*check = op_hash_bytes(*check, buf, n);
		err = op_write_all(to, buf, n);
		from_at += n;
		len -= n;
	}
	return err;
}

int itv_archive_begin(struct itv_archive *a, int fd)
{
	*a = (struct itv_archive){ .fd = fd, .at = HEADER_LEN };
	return ftruncate(fd, 0) ? -errno : 0;
}

int itv_archive_add(struct itv_archive *a, const char *name, int from)
{
	const size_t name_len = strlen(name);
	uint8_t header[MEMBER_LEN] = { 0 };
	uint64_t check;
	struct stat st;
	int err;

	if (!is_member(name) || a->nr == UINT32_MAX)
		return -EINVAL;
	if (fstat(from, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	itv_put_le64(header + AT_DATA_LEN, (uint64_t)st.st_size);
	itv_put_le32(header + AT_NAME_LEN, (uint32_t)name_len);
	check = begin_check(header, name, name_len);
	err = copy(a->fd, a->at + MEMBER_LEN + name_len, from, 0, (uint64_t)st.st_size, &check);
	itv_put_le64(header + AT_MEMBER_CHECK, check);
	if (!err)
		err = write_at(a->fd, header, sizeof(header), a->at);
	if (!err)
		err = write_at(a->fd, name, name_len, a->at + MEMBER_LEN);
	if (err)
		return err;
	a->at += MEMBER_LEN + name_len + (uint64_t)st.st_size;
	a->nr++;
	return 0;
}

int itv_archive_end(const struct itv_archive *a)
{
	uint8_t header[HEADER_LEN];

	memcpy(header, MAGIC, MAGIC_LEN);
	itv_put_le32(header + AT_VERSION, ARCHIVE_VERSION);
	itv_put_le32(header + AT_NR, a->nr);
	itv_put_le64(header + AT_LENGTH, a->at);
	itv_put_le64(header + AT_CHECK, op_hash_bytes(OP_HASH_BEGIN, header, AT_CHECK));
	return write_at(a->fd, header, sizeof(header), 0);
}

/* Read exactly @len bytes at offset @at of file @fd. Return an error if the file is shorter. */
static int read_at(int fd, void *buf, size_t len, uint64_t at)
{
	size_t got;
	int err = op_read_all_at(fd, buf, len, (off_t)at, &got);

	return err ? err : got == len ? 0 : ITV_ERR_FORMAT;
}

/* Check the header of the archive @fd. Set *@nr to the number of members and *@len to the length of
 * the archive. */
static int read_header(int fd, uint64_t max_bytes, uint32_t *nr, uint64_t *len)
{
	uint8_t header[HEADER_LEN];
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return ITV_ERR_FORMAT;
	err = read_at(fd, header, sizeof(header), 0);
	if (err)
		return err;
	if (memcmp(header, MAGIC, MAGIC_LEN) || !itv_get_le32(header + AT_VERSION))
		return ITV_ERR_FORMAT;
	if (itv_get_le32(header + AT_VERSION) > ARCHIVE_VERSION)
		return ITV_ERR_VERSION;
	*nr = itv_get_le32(header + AT_NR);
	*len = itv_get_le64(header + AT_LENGTH);
	if (op_hash_bytes(OP_HASH_BEGIN, header, AT_CHECK) != itv_get_le64(header + AT_CHECK) ||
	    *len != (uint64_t)st.st_size)
		return ITV_ERR_FORMAT;
	return *len > max_bytes ? ITV_ERR_TOO_BIG : 0;
}

/* Unpack the archive member at offset *@at, and advance *@at to the next member. */
static int unpack_member(int fd, int store, uint64_t len, uint64_t *at,
			 void (*damaged)(void *arg, const char *name), void *arg)
{
	uint8_t header[MEMBER_LEN];
	char name[MAX_NAME] = "";
	uint64_t data_len, check;
	uint32_t name_len;
	int to, err = read_at(fd, header, sizeof(header), *at);

	if (err)
		return err;
	data_len = itv_get_le64(header + AT_DATA_LEN);
	name_len = itv_get_le32(header + AT_NAME_LEN);
	*at += MEMBER_LEN;
	if (name_len >= sizeof(name) || name_len > len - *at ||
	    data_len > len - *at - name_len || itv_get_le32(header + AT_ZERO))
		return ITV_ERR_FORMAT;
	err = read_at(fd, name, name_len, *at);
	if (err)
		return err;
	*at += name_len;
	if (strlen(name) != name_len || !is_member(name))
		return ITV_ERR_FORMAT;
	to = openat(store, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return errno == EEXIST ? ITV_ERR_FORMAT : -errno;
	check = begin_check(header, name, name_len);
	err = copy(to, 0, fd, *at, data_len, &check);
	if (close(to) && !err)
		err = -errno;
	*at += data_len;
	if (!err && check != itv_get_le64(header + AT_MEMBER_CHECK) && !is_interval(name)) {
		damaged(arg, name);
		err = unlinkat(store, name, 0) ? -errno : 0;
	}
	return err;
}

int itv_archive_unpack(int fd, int store, uint64_t max_bytes,
		       void (*damaged)(void *arg, const char *name), void *arg)
{
	uint64_t at = HEADER_LEN, len = 0;
	uint32_t nr = 0;
	int err = read_header(fd, max_bytes, &nr, &len);

	if (!err && mkdirat(store, ITV_ARCHIVE_TABLES, 0700))
		err = -errno;
	for (; nr && !err; nr--) {
		if (len - at < MEMBER_LEN)
			return ITV_ERR_FORMAT;
		err = unpack_member(fd, store, len, &at, damaged, arg);
	}
	return err ? err : at == len ? 0 : ITV_ERR_FORMAT;
}
