// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slots.c -- opening, growing and filling a file of slots.
 *
 * If a writer is killed, at most one slot has a key without the word that completes it. Such a
 * slot counts as unused and is written again. After a power cut, sectors may be old or zero: slots
 * then have an older count or are unused. So a file never needs a repair, and opening it for
 * writing does not change it.
 */
#include "config.h"
#include "libdb/slots.h"
#include "libdb/layout.h"
#include "libdb/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LENGTH	4096u
#define MAX_STEP	(1u << 20)

/* Return the part of a slot's checksum that depends on the value. If one bit of the value changes,
 * exactly one bit of the result changes. */
static uint64_t check_of_value(const struct slots *s, uint64_t value)
{
	return slots_header(s)->version == SLOTS_VERSION_FIRST ? 0 :
	       (value ^ value >> 16 ^ value >> 32) << SLOT_VALUE_BITS;
}

/*
 * Return the checksum of a slot. It also covers the slot's number and the id of the file, so that
 * a page from another place or file is detected. For value 0 the checksum is not 0, so that the
 * word of a used slot is never 0.
 */
static uint64_t check_of(const struct slots *s, uint32_t i, uint64_t key, uint64_t value)
{
	uint64_t h = slots_hash(s, key, value) ^ slots_header(s)->id;
	uint64_t check;

	h = (h ^ i) * 0xbf58476d1ce4e5b9;
	check = (h ^ (h >> 32)) >> 16 & 0xffff;
	return (check ? check : 1) << SLOT_VALUE_BITS ^ check_of_value(s, value);
}

/*
 * Extend the file to @len bytes and map it. If the mapping fails, the file stays longer than the
 * old mapping, filled with zeros. Do not truncate it: a reader that has mapped the new length
 * would get SIGBUS.
 */
static int resize(struct slots *s, size_t old, size_t len)
{
	struct stat st;
	void *map;
	int err = 0;

	if (fstat(s->fd, &st) < 0)
		return -errno;
	/* If the file is shorter than the mapping, another program truncated it. Return an error:
	 * extending the file again would replace the lost slots by zeros without a message. */
	if ((uint64_t)st.st_size < old) {
		odb_count_lost_page();
		return ODB_ERR_TRUNCATED;
	}
	if (len > old)
		err = odb_extend_file(s->fd, old, len);
	/* Write the new length to the disk before any new number is used: after a reboot,
	 * after_restart() treats exactly the numbers below the file's length as used. */
	if (!err && s->kind->never_twice && fsync(s->fd) < 0)
		err = -errno;
	if (err)
		return err;
	if (s->slot)
		map = mremap(s->slot, s->map_len, len, MREMAP_MAYMOVE);
	else
		map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	s->slot = map;
	s->map_len = len;
	s->size = len / sizeof(struct slot);
	return 0;
}

static int grow(struct slots *s)
{
	size_t step = s->map_len < MAX_STEP ? s->map_len : MAX_STEP;
	size_t len = (s->map_len + step + FIRST_LENGTH - 1) & ~(size_t)(FIRST_LENGTH - 1);

	if (len / sizeof(struct slot) > SLOTS_MAX)
		return -EFBIG;
	return resize(s, s->map_len, len);
}

static uint32_t last_in_use(const struct slots *s)
{
	uint32_t i = s->size;

	while (i > SLOTS_FIRST && !__atomic_load_n(&s->slot[i - 1].word, __ATOMIC_ACQUIRE))
		i--;
	return i < SLOTS_FIRST ? SLOTS_FIRST : i;
}

/* Write the header of a new file. Also called if the creator of the file was killed before it
 * completed the header. */
static int create(struct slots *s, uint64_t generation, uint64_t boot)
{
	struct slots_header *header = slots_header(s);

	for (uint32_t i = SLOTS_FIRST; i < s->size; i++) {
		if (s->slot[i].key || s->slot[i].word)
			return ODB_ERR_FORMAT;
	}
	memset(header, 0, sizeof(*header));
	if (getrandom(&header->id, sizeof(header->id), 0) != sizeof(header->id))
		return -EIO;
	header->id |= 1;
	header->version = SLOTS_VERSION;
	header->generation = generation;
	header->boot = boot;
	__atomic_store_n(&header->magic, s->kind->magic, __ATOMIC_RELEASE);
	/* Write the header to the disk before any slot, because slots without the header are
	 * useless. */
	if (s->kind->never_twice && msync(s->slot, s->map_len, MS_SYNC) < 0) {
		int err = -errno;

		/* The header did not reach the disk: clear the magic number, so that no program
		 * opens the file. */
		__atomic_store_n(&header->magic, 0, __ATOMIC_RELEASE);
		return err;
	}
	return 0;
}

static int check_header(const struct slots *s, uint64_t generation)
{
	const struct slots_header *header = slots_header(s);
	uint32_t magic = __atomic_load_n(&header->magic, __ATOMIC_ACQUIRE);

	if (!magic)
		return ODB_ERR_EMPTY;
	if (magic == s->kind->magic && header->version > SLOTS_VERSION)
		return ODB_ERR_VERSION;
	if (magic != s->kind->magic || !slots_version_is_known(header->version) || !header->id)
		return ODB_ERR_FORMAT;
	return generation && header->generation != generation ? ODB_ERR_GENERATION : 0;
}

static int make_index(struct slots *s)
{
	uint64_t key, value;
	int err = slots_index_reserve(s, s->used);

	for (uint32_t i = SLOTS_FIRST; i < s->used && !err; i++) {
		if (slots_get(s, i, &key, &value))
			slots_index_put(s, i);
	}
	return err;
}

/*
 * After a reboot, never reuse a number of the previous boot: a slot may have been lost before it
 * reached the disk, although other files refer to its number. All old numbers are below the length
 * of the file, so continue at the end of the file.
 */
static int after_restart(struct slots *s, uint64_t boot)
{
	uint32_t behind = s->size;
	int err;

	if (!s->kind->never_twice || slots_header(s)->boot == boot)
		return 0;
	err = grow(s);
	if (err)
		return err;
	s->used = behind;
	slots_header(s)->boot = boot;
	return 0;
}

static int open_write(struct slots *s, const struct stat *st, uint64_t generation, uint64_t boot)
{
	size_t len = ((size_t)st->st_size + FIRST_LENGTH - 1) & ~(size_t)(FIRST_LENGTH - 1);
	int err = 0;

	if (getrandom(&s->seed, sizeof(s->seed), 0) != sizeof(s->seed))
		err = -EIO;
	if (!err && st->st_size)
		err = odb_fill_holes(s->fd, st);
	if (!err)
		err = resize(s, st->st_size, len ? len : FIRST_LENGTH);
	if (err)
		return err;
	err = check_header(s, generation);
	if (err == ODB_ERR_EMPTY)
		err = create(s, generation, boot);
	if (err)
		return err;
	s->used = last_in_use(s);
	err = after_restart(s, boot);
	return err ? err : make_index(s);
}

static int open_read(struct slots *s, int fd, const struct stat *st, uint64_t generation)
{
	if (!st->st_size)
		return ODB_ERR_EMPTY;
	if ((uint64_t)st->st_size < sizeof(struct slots_header))
		return ODB_ERR_TRUNCATED;
	s->slot = mmap(NULL, st->st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (s->slot == MAP_FAILED) {
		s->slot = NULL;
		return -errno;
	}
	s->map_len = st->st_size;
	s->size = st->st_size / sizeof(struct slot);
	s->used = last_in_use(s);
	return check_header(s, generation);
}

int slots_open(struct slots *s, const struct slots_kind *kind, int fd, enum odb_mode mode,
	       uint64_t generation, uint64_t boot)
{
	struct stat st;
	int err;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size > (uint64_t)SLOTS_MAX * sizeof(struct slot))
		return ODB_ERR_FORMAT;
	s->kind = kind;
	s->mode = mode;
	s->limit = SLOTS_MAX;
	if (mode == ODB_WRITE) {
		s->fd = fd;
		err = open_write(s, &st, generation, boot);
	} else {
		err = open_read(s, fd, &st, generation);
	}
	if (err) {
		s->fd = -1;	/* on failure, the caller keeps the descriptor */
		slots_close(s);
	} else if (mode == ODB_READ) {
		close(fd);	/* a reader needs only the mapping, not the descriptor */
	}
	return err;
}

void slots_close(struct slots *s)
{
	if (s->slot)
		munmap(s->slot, s->map_len);
	if (s->kind && s->fd >= 0)
		close(s->fd);
	free(s->index);
	memset(s, 0, sizeof(*s));
}

int slots_sync(struct slots *s, int wait)
{
	return s->mode == ODB_READ ? -EBADF : odb_sync_map(s->fd, s->slot, s->map_len, wait);
}

bool slots_more(struct slots *s)
{
	while (s->used < s->size && __atomic_load_n(&s->slot[s->used].word, __ATOMIC_ACQUIRE))
		s->used++;
	return s->used == s->size;
}

uint32_t slots_end(const struct slots *s)
{
	return s->used;
}

void slots_limit(struct slots *s, uint32_t end)
{
	s->limit = end < SLOTS_MAX ? end : SLOTS_MAX;
	if (s->mode == ODB_READ && s->used > end)
		s->used = end < SLOTS_FIRST ? SLOTS_FIRST : end;
}

bool slots_get(const struct slots *s, uint32_t i, uint64_t *key, uint64_t *value)
{
	uint64_t word, k;

	if (i < SLOTS_FIRST || i >= s->size)
		return false;
	word = __atomic_load_n(&s->slot[i].word, __ATOMIC_ACQUIRE);
	if (!word)
		return false;
	k = __atomic_load_n(&s->slot[i].key, __ATOMIC_RELAXED);
	if ((word & ~SLOT_VALUE_MAX) != check_of(s, i, k, word & SLOT_VALUE_MAX))
		return false;
	*key = k;
	*value = word & SLOT_VALUE_MAX;
	return true;
}

uint64_t slots_value(const struct slots *s, uint32_t i)
{
	if (i < SLOTS_FIRST || i >= s->size)
		return 0;
	return __atomic_load_n(&s->slot[i].word, __ATOMIC_ACQUIRE) & SLOT_VALUE_MAX;
}

int slots_append(struct slots *s, uint64_t key, uint64_t value, uint32_t *number)
{
	uint32_t i = s->used;
	int err;

	if (value > SLOT_VALUE_MAX)
		return -ERANGE;
	if (i >= s->limit)
		return -EFBIG;
	err = slots_index_reserve(s, s->indexed + 1);
	if (!err && i >= s->size)
		err = grow(s);
	if (err)
		return err;
	__atomic_store_n(&s->slot[i].key, key, __ATOMIC_RELAXED);
	__atomic_store_n(&s->slot[i].word, check_of(s, i, key, value) | value, __ATOMIC_RELEASE);
	s->used = i + 1;
	slots_index_put(s, i);
	*number = i;
	return 0;
}

int slots_add(struct slots *s, uint32_t i, uint64_t count)
{
	uint64_t word = s->slot[i].word, value = word & SLOT_VALUE_MAX;

	if (count > SLOT_VALUE_MAX - value)
		return -ERANGE;
	word = (word + count) ^ check_of_value(s, value) ^ check_of_value(s, value + count);
	__atomic_store_n(&s->slot[i].word, word, __ATOMIC_RELAXED);
	return 0;
}
