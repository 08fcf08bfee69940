// SPDX-License-Identifier: GPL-2.0-or-later
/* identity.c -- computation of the identity of a binary's build, and of the names of its symbol and
 * unwind tables. */
#include "config.h"
#include "libop/session/identity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/hash.h"

/* number of bytes that are hashed at each end of the file. These bytes include the ELF header and
 * the section headers, and some code */
#define PIECE	65536
#define MAX_ID	20

uint32_t op_identity_of_build_id(const uint8_t *id, size_t len)
{
	uint32_t build = 0;

	for (size_t i = 0; i < 4 && i < len; i++)
		build = build << 8 | id[i];
	return len && !build ? 1 : build;
}

static int hash_piece(uint64_t *h, int fd, off_t at)
{
	unsigned char buf[4096];

	for (off_t end = at + PIECE; at < end; at += sizeof(buf)) {
		size_t n;
		int err = op_read_all_at(fd, buf, sizeof(buf), at, &n);

		if (err)
			return err;
		*h = op_hash_bytes(*h, buf, n);
		if (n < sizeof(buf))
			break;
	}
	return 0;
}

uint32_t op_identity_of_contents(int fd)
{
	uint64_t h = OP_HASH_BEGIN;
	struct stat st;
	uint32_t build;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || hash_piece(&h, fd, 0))
		return 0;
	if (st.st_size > PIECE && hash_piece(&h, fd, st.st_size - PIECE))
		return 0;
	h = (h ^ (uint64_t)st.st_size) * 0x100000001b3u;
	build = h ^ h >> 32;
	return build ? build : 1;
}

uint32_t op_identity_of_owner(uint32_t uid)
{
	return uid + 1;
}

int op_table_name(char name[OP_TABLE_NAME_SIZE], const struct op_identity *identity,
		  uint64_t mtime, const uint8_t *id, size_t len)
{
	int at = 0;

	if (!identity->build || !identity->owner || len > MAX_ID)
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		at += snprintf(name + at, OP_TABLE_NAME_SIZE - at, "%02x", id[i]);
	if (!len)
		at = snprintf(name, OP_TABLE_NAME_SIZE, "contents-%08" PRIx32 "-%" PRIx64,
			      identity->build, mtime);
	snprintf(name + at, OP_TABLE_NAME_SIZE - at, "-%" PRIu32 OP_TABLE_SUFFIX,
		 identity->owner - 1);
	return 0;
}

void op_table_name_debug(char name[OP_TABLE_NAME_SIZE])
{
	char *end = strrchr(name, '.');

	snprintf(end, OP_TABLE_NAME_SIZE - (size_t)(end - name), OP_TABLE_DEBUG_SUFFIX);
}

void op_version_suffix(char suffix[OP_VERSION_SUFFIX_SIZE], uint64_t version)
{
	time_t t = version;
	struct tm tm;

	if (version & OP_VERSION_BUILD)
		snprintf(suffix, OP_VERSION_SUFFIX_SIZE, " (build %08llx)",
			 (unsigned long long)(version & ~OP_VERSION_BUILD));
	else if (gmtime_r(&t, &tm))
		strftime(suffix, OP_VERSION_SUFFIX_SIZE, " (version of %Y-%m-%d %H:%M:%S UTC)",
			 &tm);
	else
		snprintf(suffix, OP_VERSION_SUFFIX_SIZE, " (version of %llu)",
			 (unsigned long long)version);
}

size_t op_unversioned_length(const char *path)
{
	static const char *const marks[] = { " (version of ", " (build " };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *mark = strstr(name, marks[i]), *end = mark ? strchr(mark, ')') : NULL;

		if (end && !end[1])
			return (size_t)(mark - path);
	}
	return strlen(path);
}
