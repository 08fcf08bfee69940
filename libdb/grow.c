// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * grow.c -- growth of a sample file while readers have it mapped.
 */
#include "config.h"
#include "libdb/layout.h"
#include "libdb/room.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int odb_resize(struct odb *db, size_t len)
{
	size_t old = db->map_len;
	struct stat st;
	void *map;
	int err;

	/* If the file is shorter than the mapping, another program truncated it. Return an error:
	 * extending the file again would replace the lost counts by zeros without a message. */
	if (fstat(db->fd, &st) == 0 && (uint64_t)st.st_size < old) {
		odb_count_lost_page();
		return ODB_ERR_TRUNCATED;
	}
	if (len > old) {
		err = odb_extend_file(db->fd, old, len);
		if (err)
			goto err_truncate;
	}
	if (db->map)
		map = mremap(db->map, old, len, MREMAP_MAYMOVE);
	else
		map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, db->fd, 0);
	if (map == MAP_FAILED) {
		err = -errno;
		goto err_truncate;
	}
	db->map = map;
	db->map_len = len;
	if (len < old && ftruncate(db->fd, len) < 0)
		return -errno;
#ifdef MADV_POPULATE_WRITE
	/* Populate the new pages with one call instead of one page fault per page. Ignore errors:
	 * page faults then populate the pages. */
	if (len > old && len - old >= 65536) {
		size_t start = old & ~(size_t)(sysconf(_SC_PAGESIZE) - 1);

		madvise((char *)map + start, len - start, MADV_POPULATE_WRITE);
	}
#endif
	return 0;

err_truncate:
	/* Truncating the file is safe: readers use only as many nodes as the size in struct
	 * odb_descr says. */
	if (len > old && ftruncate(db->fd, old) < 0)
		/* ftruncate() failed: the file stays longer than needed, and the next odb_open()
		 * repairs it */
		return err;
	return err;
}

void odb_link_nodes(struct odb *db, uint32_t used)
{
	/* number of nodes to prefetch ahead: consecutive nodes have hash buckets in distant cache
	 * lines */
	const uint32_t ahead = 32;

	for (uint32_t i = 1; i < used; i++) {
		struct odb_node *node = &db->nodes[i];
		uint32_t *head = &db->hash[odb_bucket(node->key, db->size)];

		if (i + ahead < used)
			__builtin_prefetch(&db->hash[odb_bucket(node[ahead].key, db->size)], 1);
		if (!node->value)
			continue;
		node->next = *head;
		*head = i;
	}
}

int odb_grow(struct odb *db)
{
	uint32_t old_size = db->size;
	size_t old_hash = old_size * sizeof(uint32_t);
	int err;

	if (old_size >= ODB_MAX_NODES)
		return -EFBIG;
	err = odb_resize(db, odb_file_size(db->header_size, old_size * 2));
	if (err)
		return err;

	/*
	 * The new hash table lies beyond the old end of the file and is zero. New nodes will occupy
	 * the bytes of the old hash table, so zero these bytes: otherwise they would look like
	 * nodes. If the process is killed before it stores the new size below, the file's length
	 * does not match the stored size, and the next odb_open() links the nodes again.
	 */
	odb_set_pointers(db, old_size * 2);
	memset(db->nodes + old_size, 0, old_hash);
	odb_link_nodes(db, db->used);
	__atomic_store_n(&db->descr->size, db->size, __ATOMIC_RELEASE);
	return 0;
}
