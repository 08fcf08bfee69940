// SPDX-License-Identifier: GPL-2.0-or-later
/* classic_odb.c -- the simplest writer of the sample file's format (doc/sample-file.md). */
#include "config.h"
#include "tests/bench/classic_odb.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE, CURRENT_SIZE, DESCR_WORDS = 8 };

struct classic_node {
	uint64_t key;
	uint32_t value;
	uint32_t next;
};

static size_t file_size(const struct classic_odb *db, uint32_t size)
{
	return db->header_size + DESCR_WORDS * sizeof(uint32_t) +
	       (size_t)size * (sizeof(struct classic_node) + sizeof(uint32_t));
}

static uint32_t bucket(uint64_t key, uint32_t size)
{
	uint32_t t = (uint32_t)((key >> 32) ^ key);

	return (t ^ (t >> 8)) & (size - 1);
}

static void set_pointers(struct classic_odb *db, uint32_t size)
{
	db->descr = (uint32_t *)(db->map + db->header_size);
	db->nodes = (struct classic_node *)(db->descr + DESCR_WORDS);
	db->hash = (uint32_t *)(db->nodes + size);
	db->descr[SIZE] = size;
}

int classic_odb_open(struct classic_odb *db, int fd, size_t header_size)
{
	const uint32_t size = 128;

	db->header_size = header_size;
	db->fd = fd;
	if (ftruncate(fd, file_size(db, size)) < 0)
		return -errno;
	db->map = mmap(NULL, file_size(db, size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (db->map == MAP_FAILED)
		return -errno;
	set_pointers(db, size);
	db->descr[CURRENT_SIZE] = 1;
	return 0;
}

void classic_odb_close(struct classic_odb *db)
{
	munmap(db->map, file_size(db, db->descr[SIZE]));
	close(db->fd);
}

static void link_node(struct classic_odb *db, uint32_t i)
{
	uint32_t *head = &db->hash[bucket(db->nodes[i].key, db->descr[SIZE])];

	db->nodes[i].next = *head;
	*head = i;
}

static int grow(struct classic_odb *db)
{
	uint32_t size = db->descr[SIZE];
	char *map;

	if (ftruncate(db->fd, file_size(db, 2 * size)) < 0)
		return -errno;
	map = mremap(db->map, file_size(db, size), file_size(db, 2 * size), MREMAP_MAYMOVE);
	if (map == MAP_FAILED)
		return -errno;
	db->map = map;
	set_pointers(db, 2 * size);
	for (uint32_t i = 1; i < db->descr[CURRENT_SIZE]; i++)
		link_node(db, i);
	return 0;
}

int classic_odb_update(struct classic_odb *db, uint64_t key, uint32_t count)
{
	uint32_t i = db->hash[bucket(key, db->descr[SIZE])];

	for (; i; i = db->nodes[i].next) {
		if (db->nodes[i].key == key) {
			db->nodes[i].value += count;
			return 0;
		}
	}
	if (db->descr[CURRENT_SIZE] >= db->descr[SIZE]) {
		int err = grow(db);

		if (err)
			return err;
	}
	i = db->descr[CURRENT_SIZE]++;
	db->nodes[i] = (struct classic_node){ .key = key, .value = count };
	link_node(db, i);
	return 0;
}
