// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intervals.c -- the daemon's store in the simulation: files that are made once for all seeds, and
 * what the daemon does with them.
 */
#include "config.h"
#include "tests/fleet/sim.h"

#include <sys/stat.h>

#include "intervals/file.h"
#include "intervals/merge.h"
#include "libop/base/grow.h"
#include "tests/fleet/made.h"

static void write_file(struct sim_pool *pool, const struct itv *v, struct itv_entry *entry, uint64_t atoms)
{
	struct sim_file *file = &pool->files[pool->nr++];
	char path[200];
	int fd;

	itv_name(entry->name, entry);
	*file = (struct sim_file){ .entry = *entry, .sum = v->accounting.samples, .atoms = atoms };
	snprintf(file->name, sizeof(file->name), "%.*s", (int)(strlen(entry->name) - strlen(ITV_SUFFIX)),
		 entry->name);
	snprintf(path, sizeof(path), "%s/%s-%zu", pool->dir, entry->name, pool->nr - 1);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(itv_file_write(v, fd, 1, NULL), 0);
	close(fd);
}

/* Make a file of the files whose bits are in @parts, as the daemon merges them. */
static void join(struct sim_pool *pool, uint64_t parts, unsigned int step)
{
	struct itv_entry entry = { .begin = INT64_MAX, .step = step };
	struct itv sum = { .nr_images = 0 };
	uint64_t atoms = 0;
	bool is_first = true;

	for (size_t i = 0; i < pool->nr; i++) {
		const struct sim_file *file = &pool->files[i];
		struct itv v = { .nr_images = 0 };
		char path[200];
		int fd;

		if (!(parts & 1ull << i))
			continue;
		snprintf(path, sizeof(path), "%s/%s-%zu", pool->dir, file->entry.name, i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(itv_file_read(&v, fd, ITV_READ_ALL, 1 << 20), 0);
		close(fd);
		if (is_first) {
			sum = v;
		} else {
			assert_int_equal(itv_merge(&sum, &v, NULL), 0);
			itv_release(&v);
		}
		is_first = false;
		assert_int_equal(op_grow(&sum.accounting.parts, sum.accounting.nr_parts), 0);
		sum.accounting.parts[sum.accounting.nr_parts++] = strdup(file->entry.name);
		entry.begin = file->entry.begin < entry.begin ? file->entry.begin : entry.begin;
		entry.end = file->entry.end > entry.end ? file->entry.end : entry.end;
		atoms |= file->atoms;
	}
	write_file(pool, &sum, &entry, atoms);
	itv_release(&sum);
}

static void make_atoms(struct sim_pool *pool)
{
	for (unsigned int slot = 0; slot < SIM_SLOTS; slot++) {
		const int64_t begin = SIM_BEGIN + slot * SIM_SLOT;
		const bool is_parted = slot % 6 == 3;

		for (unsigned int part = 0; part < 1u + is_parted; part++) {
			struct itv_entry entry = { .begin = begin, .end = begin + SIM_SLOT };
			struct itv v;

			if (is_parted && !part)
				entry.end = begin + 250;
			else if (is_parted)
				entry.begin = begin + 250;
			/* every eleventh interval has no samples */
			assert_int_equal(fleet_make_interval(&v, (unsigned int)pool->nr,
							     pool->nr % 11 == 7, &entry), 0);
			write_file(pool, &v, &entry, 1ull << pool->nr);
			itv_release(&v);
		}
	}
}

void sim_pool_make(struct sim_pool *pool, const char *dir)
{
	*pool = (struct sim_pool){ .nr = 0 };
	snprintf(pool->dir, sizeof(pool->dir), "%s", dir);
	make_atoms(pool);
	assert_int_equal(pool->nr, SIM_ATOMS);
	for (size_t i = 0; i + 1 < SIM_ATOMS; i++)
		if (pool->files[i].entry.end % SIM_SLOT)
			join(pool, 3ull << i, 0);
	for (unsigned int hour = 0; hour < SIM_HOURS; hour++) {
		const int64_t begin = SIM_BEGIN + (SIM_FIRST_HOUR + 6 * hour) * SIM_SLOT;
		uint64_t parts = 0;

		for (size_t i = 0; i < pool->nr; i++) {
			const struct itv_entry *e = &pool->files[i].entry;

			if (e->end - e->begin == SIM_SLOT && e->begin >= begin && e->end <= begin + 3600)
				parts |= 1ull << i;
		}
		join(pool, parts, 1);
	}
	assert_int_equal(pool->nr, SIM_FILES);
}

static void path_of(char path[300], size_t file)
{
	snprintf(path, 300, "%s/%s", sim->store, sim->pool->files[file].entry.name);
}

void sim_store_make(const char *dir)
{
	char path[160];

	snprintf(sim->dir, sizeof(sim->dir), "%s", dir);
	assert_int_equal(mkdir(dir, 0755), 0);
	snprintf(path, sizeof(path), "%s/samples", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(sim->store, sizeof(sim->store), "%s/samples/" ITV_STORE_DIR, dir);
	assert_int_equal(mkdir(sim->store, 0755), 0);
	snprintf(path, sizeof(path), "%s/state", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(sim->cursor, sizeof(sim->cursor), "%s/state/cursor", dir);
}

void sim_store_add(size_t file)
{
	const struct sim_file *f = &sim->pool->files[file];
	char from[300], to[300];

	snprintf(from, sizeof(from), "%s/%s-%zu", sim->pool->dir, f->entry.name, file);
	path_of(to, file);
	assert_int_equal(link(from, to), 0);
	sim->files |= 1ull << file;
	sim->closed |= f->atoms;
}

/* Return the set of files in the store that @file consists of. */
static uint64_t parts_of(size_t file)
{
	const struct sim_file *f = &sim->pool->files[file];
	uint64_t parts = 0, atoms = 0;

	for (size_t i = 0; i < file; i++)
		if (sim->files & 1ull << i && (sim->pool->files[i].atoms | f->atoms) == f->atoms) {
			parts |= 1ull << i;
			atoms |= sim->pool->files[i].atoms;
		}
	return atoms == f->atoms ? parts : 0;
}

static void remove_file(size_t file)
{
	char path[300];

	path_of(path, file);
	assert_int_equal(unlink(path), 0);
	sim->files &= ~(1ull << file);
}

void sim_store_join(size_t file)
{
	const uint64_t parts = parts_of(file);

	if (!parts || sim->files & 1ull << file)
		return;
	sim_store_add(file);
	for (size_t i = 0; i < file; i++)
		if (parts & 1ull << i)
			remove_file(i);
}

void sim_store_remove(size_t nr)
{
	const bool by_keep = sim_below(2);
	int store = open(sim->store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(store >= 0);
	while (nr-- && sim->files) {
		size_t oldest = SIM_FILES;

		for (size_t i = 0; i < SIM_FILES; i++)
			if (sim->files & 1ull << i && (oldest == SIM_FILES ||
			    sim->pool->files[i].entry.begin < sim->pool->files[oldest].entry.begin))
				oldest = i;
		/* as the daemon: first the note, then the file */
		assert_int_equal(itv_store_note_removed(store, sim->pool->files[oldest].entry.end, by_keep), 0);
		remove_file(oldest);
		sim->deleted |= sim->pool->files[oldest].atoms;
		sim_trace("the daemon removed %s", sim->pool->files[oldest].name);
	}
	close(store);
}
