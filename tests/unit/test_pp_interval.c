// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_interval.c -- exports random intervals to sample files and trees of call paths, and
 * compares the exported files with the intervals read in memory.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "intervals/session.h"
#include "pp/session/files.h"
#include "pp/source/interval.h"
#include "tests/unit/intervals.h"
#include "tests/unit/samples.h"

/* A source (a sample file or a tree of call paths) whose samples are added to a model. */
struct reading {
	struct model *model;
	const struct pp_sample_file *file;
	char *facts;
};

static int begin(void *arg, const struct pp_source_facts *facts)
{
	struct reading *r = arg;

	r->facts = model_text("%x %d %" PRIx64 " %u %.1f", facts->identity.build,
			      facts->is_kernel, facts->anon_start, facts->cpu_type,
			      facts->cpu_speed);
	return 0;
}

static int add_address(void *arg, uint64_t key, uint64_t count)
{
	struct reading *r = arg;

	model_add(r->model, model_text("cell %s %s %s %s %" PRIx64, r->file->relative,
				       r->file->app, r->file->image, r->facts, key), count);
	return 0;
}

static void read_file(struct model *m, const struct pp_source *source,
		      const struct pp_sample_file *file)
{
	struct reading r = { .model = m, .file = file };
	struct pp_source_taker taker = { .begin = begin, .address = add_address, .arg = &r };
	int err = source->ops->addresses(source, &file->part, &taker);

	/* A group without cells is valid. */
	assert_true(err == 0 || err == ODB_ERR_EMPTY);
	assert_false(taker.shortened);
	free(r.facts);
}

static char *frame_text(const struct pp_source *source, const struct op_path_images *images,
			uint32_t number)
{
	const struct op_path_image *image;
	struct frame frame;

	if (number < FRAME_FIRST) {
		assert_false(source->ops->frame(source, number, &frame));
		return model_text("[%u]", number);
	}
	assert_true(source->ops->frame(source, number, &frame));
	image = op_path_image(images, frame.image);
	if (!image)
		return model_text("?+%" PRIx64 ".%u", frame.offset, frame.how);
	return model_text("%d:%s:%x.%" PRIu64 "+%" PRIx64 ".%u", image->name.kind,
			  image->name.path, image->identity.build, image->mtime, frame.offset,
			  frame.how);
}

static void read_tree(struct model *m, const struct pp_source *source,
		      const struct op_path_images *images, const struct pp_sample_file *file)
{
	struct pp_source_paths paths;
	struct tree_node node;
	char **texts;

	assert_int_equal(source->ops->paths_open(source, &file->part, &paths), 0);
	texts = calloc(paths.end + 1ul, sizeof(*texts));
	assert_non_null(texts);
	for (uint32_t i = TREE_FIRST; i < paths.end; i++) {
		char *frame;

		assert_true(source->ops->node(&paths, i, &node));
		assert_true(node.parent < i);
		frame = frame_text(source, images, node.frame);
		texts[i] = model_text("%s;%s", node.parent ? texts[node.parent] : file->relative,
				      frame);
		free(frame);
		model_add(m, strdup(texts[i]), node.count);
	}
	assert_false(source->ops->node(&paths, paths.end, &node));
	for (uint32_t i = TREE_FIRST; i < paths.end; i++)
		free(texts[i]);
	free(texts);
	source->ops->paths_close(&paths);
}

/* Add all samples and call paths of a source to the model. */
static void read_source(struct model *m, struct pp_source *source, const struct pp_files *files)
{
	struct op_path_images images = { 0 };

	for (size_t i = 0; i < files->nr; i++)
		read_file(m, source, &files->items[i]);
	if (files->nr_trees) {
		assert_int_equal(source->ops->images(source, &images), 0);
		assert_int_equal(source->ops->frames_open(source), 0);
		for (size_t i = 0; i < files->nr_trees; i++)
			read_tree(m, source, &images, &files->trees[i]);
		source->ops->frames_close(source);
	} else {
		assert_int_not_equal(source->ops->frames_open(source), 0);
	}
	op_path_images_release(&images);
	model_sort(m);
	assert_int_equal(files->nr_unknown, 0);
}

static void read_directory(struct model *m, const char *dir)
{
	struct pp_files files = { 0 };
	struct pp_source *source;
	struct pp_log log = { 0 };

	assert_int_equal(pp_source_of_session(&source, dir), 0);
	assert_int_equal(pp_files_add(&files, dir, &log), 0);
	assert_int_equal(pp_files_add_trees(&files, dir, &log), 0);
	read_source(m, source, &files);
	pp_files_release(&files);
	pp_source_close(source);
}

static void read_memory(struct model *m, const char *dir, struct itv *v)
{
	struct pp_files files = { 0 };
	struct pp_source *source;

	assert_int_equal(pp_source_of_interval(&source, dir, v), 0);
	assert_int_equal(v->nr_images, 0);
	assert_int_equal(pp_files_add_interval(&files, source, false), 0);
	assert_int_equal(pp_files_add_interval(&files, source, true), 0);
	read_source(m, source, &files);
	pp_files_release(&files);
	pp_source_close(source);
}

static void test_like_files(void **state)
{
	int dir = check_open_dir(state);
	struct random r = { 26 };
	unsigned int nr = 0;

	for (int i = 0; i < 200; i++) {
		struct model files = { 0 }, memory = { 0 };
		struct itv v;
		char name[16], *path;
		int out;

		random_sorted(&r, &v);
		snprintf(name, sizeof(name), "session%d", i);
		out = samples_make_dir(dir, name);
		path = model_text("%s/%s", (char *)*state, name);
		/* A random name may be invalid for a sample file. */
		if (!itv_export(&v, out)) {
			read_directory(&files, path);
			read_memory(&memory, path, &v);
			model_assert_equal(&files, &memory);
			nr += files.nr > 50;
		}
		close(out);
		free(path);
		itv_release(&v);
		model_release(&files);
		model_release(&memory);
	}
	assert_true(nr > 20);
	close(dir);
}

/* The export of an interval's companions writes neither sample files nor trees. */
static void test_companions(void **state)
{
	int dir = check_open_dir(state), out = samples_make_dir(dir, "companions");
	struct random r = { 1 };
	struct itv v;

	do {
		random_sorted(&r, &v);
		if (!v.nr_groups || !v.nr_trees)
			itv_release(&v);
	} while (!v.nr_groups || !v.nr_trees);
	assert_int_equal(itv_export_companions(&v, out), 0);
	assert_int_equal(faccessat(out, "stats", F_OK, 0), 0);
	assert_int_not_equal(faccessat(out, "{root}", F_OK, 0), 0);
	assert_int_not_equal(faccessat(out, "{kern}", F_OK, 0), 0);
	assert_int_not_equal(faccessat(out, "paths", F_OK, 0), 0);
	itv_release(&v);
	close(out);
	close(dir);
}

/* A group whose name is not valid for a sample file is counted as unknown. Only damaged or hostile
 * archives have one, and the other groups of such an archive are reported. */
static void test_invalid_name(void **state)
{
	struct pp_files files = { 0 };
	struct pp_source *source;
	struct random r = { 1 };
	struct itv v = { 0 };
	int dir = check_open_dir(state);
	bool are_valid = false;

	for (int i = 0; v.nr_groups < 2 || !are_valid; i++) {
		char name[24];
		int out;

		itv_release(&v);
		random_sorted(&r, &v);
		snprintf(name, sizeof(name), "session%d", i);
		out = samples_make_dir(dir, name);
		are_valid = !itv_export(&v, out);
		close(out);
	}
	close(dir);
	v.groups[0].tgid = OP_ALL - 1;
	assert_int_equal(pp_source_of_interval(&source, *state, &v), 0);
	assert_int_equal(pp_files_add_interval(&files, source, false), 0);
	assert_int_equal(files.nr_unknown, 1);
	assert_int_not_equal(files.nr, 0);
	pp_files_release(&files);
	pp_source_close(source);
	itv_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_like_files, check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_companions, check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_invalid_name, check_make_dir,
						check_remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
