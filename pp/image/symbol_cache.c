// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol_cache.c -- cached files, each with one symbol table sorted by address, and the symbols'
 * names. */
#include "config.h"
#include "pp/image/symbol_cache.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "libop/base/cache_dir.h"
#include "libop/base/dir.h"
#include "libop/base/fs.h"
#include "libop/base/id_ranges.h"
#include "libop/session/identity.h"
#include "libop/session/table_files.h"
#include "pp/image/debug_file.h"

/* first number of a cached file; in a file from a machine with the other byte order, the number
 * differs */
#define MAGIC		0x34736d79736f7670ull
/* minimum number of symbols in a cached table; for fewer symbols, parsing the binary is as fast as
 * reading a cached file */
#define MIN_SYMBOLS	500
/* minimum size, in bytes, of the sections from which the names of PLT stubs are made; for smaller
 * sections, making the names is as fast as reading a cached file */
#define MIN_DYNAMIC	(16u << 10)
#define MAX_FILE	(256u << 20)
#define SUFFIX		".symbols"

static const char *const kind_names[] = {
	[PP_CACHED_FULL] = "",
	[PP_CACHED_REST] = ".rest",
	[PP_CACHED_PLT] = ".plt",
};

static const char *const origins[] = {".symtab", ".dynsym", ".gnu_debugdata", ".plt", ".gopclntab"};
#define NR_ORIGINS	(sizeof(origins) / sizeof(origins[0]))

/* The identity of a file's contents, from values that only the kernel sets. Any user can choose a
 * file's build-id, size and modification time. */
struct identity {
	uint64_t device, inode, size;
	uint64_t ctime;		/* time of the last inode change in ns; 0: no file */
};

struct header {
	/* .magic: identifies the format; .sum: checksum of all bytes after .sum */
	uint64_t magic, sum;
	uint64_t nr, strings_size;
	uint64_t from;			/* source of the symbols: an index in origins[] */
	struct identity binary, debug;	/* identities of the files from which the table was made */
};

struct record {
	uint64_t start;
	/* size of the symbol in bytes; .name: offset of its name in the strings */
	uint32_t size, name;
};

struct pp_symbol_cache {
	/* serializes writes to the cache; reads do not need the lock */
	pthread_mutex_t lock;
	struct op_table_files files;
};

/* Remove a file DEVICE-INODE[.KIND].symbols, which an earlier version of this program wrote to the
 * top of the cache directory. */
static void remove_old(int dirfd, const char *name)
{
	const char *digits = "0123456789abcdef";
	size_t device = strspn(name, digits),
	       inode = name[device] == '-' ? strspn(name + device + 1, digits) : 0;

	for (size_t i = 0; device && inode && i < sizeof(kind_names) / sizeof(kind_names[0]); i++) {
		char suffix[32];

		snprintf(suffix, sizeof(suffix), "%s" SUFFIX, kind_names[i]);
		if (!strcmp(name + device + 1 + inode, suffix))
			unlinkat(dirfd, name, 0);
	}
}

static void remove_old_files(const char *path)
{
	int fd = op_cache_dir_open(path);
	struct dirent *entry;
	DIR *dir;

	if (fd < 0)
		return;
	if (!op_open_dir(fd, ".", &dir)) {
		while ((entry = op_next_entry(dir)))
			remove_old(fd, entry->d_name);
		closedir(dir);
	}
	close(fd);
}

struct pp_symbol_cache *pp_symbol_cache_open(const char *path)
{
	int fd = op_cache_tables_open(path);
	struct pp_symbol_cache *cache = fd < 0 ? NULL : calloc(1, sizeof(*cache));
	uint64_t max_bytes;

	if (!cache) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	op_cache_max_bytes(&max_bytes, path);
	if (op_table_files_open(&cache->files, fd, max_bytes, OP_SUBUID)) {
		op_table_files_close(&cache->files);
		free(cache);
		return NULL;
	}
	pthread_mutex_init(&cache->lock, NULL);
	remove_old_files(path);
	return cache;
}

void pp_symbol_cache_close(struct pp_symbol_cache *cache)
{
	if (!cache)
		return;
	if (cache->files.added_nr)
		op_table_files_make_room(&cache->files);
	op_table_files_close(&cache->files);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
	return sum ^ sum >> 29;
}

/* Return a checksum that detects incomplete writes. The checksum need not resist attackers, because
 * only the user can write to the cache. */
static uint64_t sum_of(const char *data, size_t size)
{
	uint64_t sum = size, word = 0;

	for (; size >= sizeof(word); data += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		sum = mix(sum, word);
	}
	memcpy(&word, data, size);
	return size ? mix(sum, word) : sum;
}

/* Set the identity of an open file. Refuse file systems in user space, which can report any
 * identity. */
static int identify(struct identity *ret, uint32_t *owner, int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstatfs(fd, &fs) || fs.f_type == FUSE_SUPER_MAGIC || fstat(fd, &st))
		return -ENOENT;
	*ret = (struct identity){
		st.st_dev, st.st_ino, st.st_size,
		st.st_ctim.tv_sec * 1000000000ull + st.st_ctim.tv_nsec
	};
	*owner = st.st_uid;
	return 0;
}

static int describe(struct header *ret, uint32_t *owner, const struct pp_elf *elf,
		    const char *debug_path)
{
	int err = identify(&ret->binary, owner, elf->fd), fd;
	uint32_t debug_owner;

	ret->magic = MAGIC;
	if (err || !*debug_path)
		return err;
	fd = pp_open_regular(debug_path);
	if (fd < 0)
		return fd;
	err = identify(&ret->debug, &debug_owner, fd);
	close(fd);
	return err;
}

static void file_name(char name[OP_TABLE_NAME_SIZE], const struct header *header, uint32_t owner,
		      enum pp_cached kind)
{
	snprintf(name, OP_TABLE_NAME_SIZE, "%" PRIx64 "-%" PRIx64 "-%" PRIu32 "%s" SUFFIX,
		 header->binary.device, header->binary.inode, owner, kind_names[kind]);
}

static bool is_valid(const char *data, size_t size)
{
	struct header header;
	size_t rest = size - sizeof(header);

	if (size < sizeof(header))
		return false;
	memcpy(&header, data, sizeof(header));
	return header.magic == MAGIC && header.from < NR_ORIGINS && header.nr &&
	       header.nr <= rest / sizeof(struct record) &&
	       header.strings_size == rest - header.nr * sizeof(struct record) &&
	       header.strings_size && !data[size - 1] && header.sum == sum_of(data + 16, size - 16);
}

/* Make the symbol table from the contents of a cached file. The strings of the file begin with the
 * path of the debug file, or with an empty string. */
static int make_table(struct pp_elf_symtab *ret, const char *data)
{
	struct header header;
	const struct record *records = (const void *)(data + sizeof(header));
	struct pp_elf_symtab table = { 0 };
	struct pp_symbol *symbols;
	const char *strings;

	memcpy(&header, data, sizeof(header));
	table.from = origins[header.from];
	strings = data + sizeof(header) + header.nr * sizeof(struct record);
	symbols = malloc(header.nr * sizeof(*symbols));
	table.strings = malloc(header.strings_size);
	if (*strings)
		table.debug_path = strdup(strings);
	if (!symbols || !table.strings || (*strings && !table.debug_path))
		goto err_free;
	memcpy(table.strings, strings, header.strings_size);
	for (uint64_t i = 0; i < header.nr; i++) {
		uint64_t end = records[i].start + records[i].size;

		if (records[i].name >= header.strings_size || end < records[i].start ||
		    (i && records[i].start <= records[i - 1].start))
			goto err_free;
		symbols[i] = (struct pp_symbol){
			.start = records[i].start,
			.end = end,
			.limit = end,
			.name = table.strings + records[i].name,
		};
	}
	if (pp_symtab_make_sorted(&table.symtab, symbols, header.nr))
		goto err_free;
	*ret = table;
	return 0;

err_free:
	free(symbols);
	free(table.strings);
	free(table.debug_path);
	return -ENOENT;
}

int pp_symbol_cache_read(struct pp_symbol_cache *cache, enum pp_cached kind,
			 const struct pp_elf *elf, struct pp_elf_symtab *ret)
{
	struct header now = { 0 }, then;
	char name[OP_TABLE_NAME_SIZE], *data;
	uint32_t owner;
	size_t size;
	int err;

	if (!cache || describe(&now, &owner, elf, ""))
		return -ENOENT;
	file_name(name, &now, owner, kind);
	if (!op_table_files_use(&cache->files, name))
		return -ENOENT;
	err = op_read_file(cache->files.dir_fd, name, MAX_FILE, &data, &size);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	err = -ENOENT;
	if (!is_valid(data, size))
		goto free_data;
	memcpy(&then, data, sizeof(then));
	if (describe(&now, &owner, elf, data + sizeof(then) + then.nr * sizeof(struct record)))
		goto free_data;
	now.sum = then.sum;
	now.nr = then.nr;
	now.strings_size = then.strings_size;
	now.from = then.from;
	err = memcmp(&now, &then, sizeof(now)) ? -ENOENT : make_table(ret, data);
free_data:
	free(data);
	return err;
}

/* Return the contents of a cached file, malloc'd, or NULL if out of memory or if the contents are
 * too large. */
static char *compose(const struct pp_elf_symtab *table, struct header *header, size_t *ret_size)
{
	const struct pp_symtab *symtab = &table->symtab;
	const char *path = table->debug_path ? table->debug_path : "";
	uint64_t size = sizeof(*header) + symtab->nr * sizeof(struct record), at;
	struct record *records;
	char *data;

	header->nr = symtab->nr;
	header->strings_size = strlen(path) + 1;
	for (size_t i = 0; i < symtab->nr; i++)
		header->strings_size += strlen(symtab->symbols[i].name) + 1;
	if (size + header->strings_size > MAX_FILE)
		return NULL;
	data = malloc(size + header->strings_size);
	if (!data)
		return NULL;
	records = (void *)(data + sizeof(*header));
	strcpy(data + size, path);
	at = strlen(path) + 1;
	for (size_t i = 0; i < symtab->nr; i++) {
		const struct pp_symbol *s = &symtab->symbols[i];
		uint64_t length = s->end - s->start;

		records[i] = (struct record){
			s->start, length > UINT32_MAX ? UINT32_MAX : length, at };
		strcpy(data + size + at, s->name);
		at += strlen(s->name) + 1;
	}
	*ret_size = size + header->strings_size;
	memcpy(data, header, sizeof(*header));
	header->sum = sum_of(data + 16, *ret_size - 16);
	memcpy(data, header, sizeof(*header));
	return data;
}

static bool is_worth_it(enum pp_cached kind, const struct pp_elf *elf,
			const struct pp_elf_symtab *table)
{
	uint64_t dynamic = 0;

	if (kind != PP_CACHED_PLT || !table->symtab.nr)
		return table->symtab.nr >= MIN_SYMBOLS;
	for (size_t i = 0; i < elf->nr_sections; i++) {
		const struct pp_elf_section *s = &elf->sections[i];

		if (s->type == SHT_RELA || s->type == SHT_REL || s->type == SHT_DYNSYM)
			dynamic += s->size;
	}
	return dynamic >= MIN_DYNAMIC;
}

static void write_file(struct pp_symbol_cache *cache, const char *name, const char *data,
		       size_t size)
{
	struct op_new_table new;
	int err = op_table_files_begin(&cache->files, &new);

	if (err)
		return;
	err = op_write_all(new.fd, data, size);
	pthread_mutex_lock(&cache->lock);
	op_table_files_end(&cache->files, &new, err ? NULL : name);
	pthread_mutex_unlock(&cache->lock);
}

void pp_symbol_cache_write(struct pp_symbol_cache *cache, enum pp_cached kind,
			   const struct pp_elf *elf, const struct pp_elf_symtab *table)
{
	struct header header = { 0 };
	char name[OP_TABLE_NAME_SIZE], *data;
	uint32_t owner;
	size_t size;

	if (!cache || !is_worth_it(kind, elf, table) ||
	    describe(&header, &owner, elf, table->debug_path ? table->debug_path : ""))
		return;
	while (header.from < NR_ORIGINS && strcmp(table->from, origins[header.from]))
		header.from++;
	if (header.from == NR_ORIGINS)
		return;
	file_name(name, &header, owner, kind);
	data = compose(table, &header, &size);
	if (!data)
		return;
	write_file(cache, name, data, size);
	free(data);
}
