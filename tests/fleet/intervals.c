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

#define NR_APPS		3
#define NR_FRAMES	8
#define NR_NODES	7	/* nodes of each tree */

static struct itv_image program(const char *format, unsigned int number, bool has_unit)
{
	struct itv_image image = { .build_id_len = 20, .build_id = calloc(1, 20) };
	char path[60];

	assert_non_null(image.build_id);
	snprintf(path, sizeof(path), format, number);
	image.image.name.path = strdup(path);
	snprintf(path, sizeof(path), "/system.slice/sim%u.service", number);
	image.image.name.unit = has_unit ? strdup(path) : NULL;
	image.build_id[0] = (uint8_t)number;
	return image;
}

/* Add a tree of @v's program @app, and the group of its cells with the same sum. */
static void add_program(struct itv *v, uint32_t app, unsigned int atom)
{
	struct itv_tree tree = { .app = app, .node = v->nr_nodes, .tgid = OP_ALL, .tid = OP_ALL,
				 .cpu = OP_ALL, .nr_nodes = NR_NODES, .nr_roots = 1 };
	struct itv_group group = { .app = app, .image = NR_APPS, .tgid = OP_ALL, .tid = OP_ALL,
				   .cpu = OP_ALL, .cell = v->nr_cells, .nr_cells = NR_NODES };

	for (uint32_t i = 0; i < NR_NODES; i++) {
		/* the second level has two nodes, each with two children */
		static const uint32_t children[NR_NODES] = { 2, 2, 0, 0, 2, 0, 0 };
		const uint64_t count = 1 + (atom * 31 + app * 7 + i * 3) % 50;

		assert_int_equal(op_grow(&v->nodes, v->nr_nodes), 0);
		v->nodes[v->nr_nodes++] = (struct itv_node){
			.count = count, .nr_children = children[i],
			/* some stacks occur in few intervals only */
			.frame = ITV_FRAME_FIRST + (i + (i > 2 ? atom % 3 : 0)) % NR_FRAMES,
		};
		assert_int_equal(op_grow(&v->cells, v->nr_cells), 0);
		v->cells[v->nr_cells++] = (struct itv_cell){ 0x1000 + 64 * i, count };
	}
	assert_int_equal(op_grow(&v->trees, v->nr_trees), 0);
	v->trees[v->nr_trees++] = tree;
	assert_int_equal(op_grow(&v->groups, v->nr_groups), 0);
	v->groups[v->nr_groups++] = group;
}

static void make_atom(struct itv *v, unsigned int atom, const struct itv_entry *entry)
{
	*v = (struct itv){ .nr_images = NR_APPS + 1, .nr_events = 1, .nr_frames = NR_FRAMES };
	v->images = calloc(v->nr_images, sizeof(*v->images));
	v->events = calloc(1, sizeof(*v->events));
	v->frames = calloc(NR_FRAMES, sizeof(*v->frames));
	assert_true(v->images && v->events && v->frames);
	for (uint32_t i = 0; i < NR_APPS; i++)
		v->images[i] = program("/nonexistent/bin/sim%u", i, true);
	v->images[NR_APPS] = program("/nonexistent/lib/libsim%u.so", NR_APPS, false);
	v->events[0] = (struct itv_event){ .name = strdup("TIMER"), .count = 1000000 };
	for (uint32_t i = 0; i < NR_FRAMES; i++)
		v->frames[i] = (struct itv_frame){ .image = NR_APPS + 1, .offset = 0x1000 + 64 * i };
	/* every eleventh interval has no samples */
	for (uint32_t i = 0; i < NR_APPS && atom % 11 != 7; i++)
		add_program(v, i, atom);
	assert_int_equal(itv_sort(v), 0);
	assert_int_equal(itv_sum(v), 0);
	v->accounting.begun_ns = entry->begin * 1000000000;
	v->accounting.ended_ns = entry->end * 1000000000;
	v->accounting.about.begun = entry->begin;
	v->accounting.about.ended = entry->end;
}

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
			make_atom(&v, (unsigned int)pool->nr, &entry);
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
