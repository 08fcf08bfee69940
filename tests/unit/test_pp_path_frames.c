// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_path_frames.c -- tests that a report of a session that is still being written reads call
 * paths up to the first frame whose image is unknown.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "libdb/tree.h"
#include "libop/base/fs.h"
#include "pp/profile/path_frames.h"
#include "pp/session/open.h"
#include "tests/unit/pp_log.h"

#define NAME	"TIMER.1000000.0.all.all.all"
#define SAMPLES	"samples/current/{root}/bin/a/{dep}/{root}/bin/a/" NAME
#define TREE	"samples/current/paths/root/bin/a/" NAME

/* State of the writer of the session. */
struct writer {
	int dir;
	struct frames *frames;
	struct tree *tree;
};

/* Add @nr images, and for each image a frame below the root of the tree. */
static void write_more(struct writer *w, uint32_t first, uint32_t nr)
{
	char text[4096];
	uint32_t number;
	int len = 0;

	for (uint32_t i = 1; i < first + nr; i++)
		len += snprintf(text + len, sizeof(text) - len, "00000001 00000002 3 0 {root}/lib/%u\n", i);
	assert_int_equal(op_replace_file_nowait(w->dir, "samples/current/paths/images", text, len, 0644), 0);
	for (uint32_t i = first; i < first + nr; i++) {
		assert_int_equal(frames_number(w->frames, &(struct frame){ .offset = 16, .image = i }, &number), 0);
		assert_int_equal(tree_child(w->tree, TREE_ROOT, number, &number), 0);
		assert_int_equal(tree_add(w->tree, number, 1), 0);
	}
}

static void begin(struct writer *w, void **state)
{
	int fd;

	w->dir = check_open_dir(state);
	assert_int_equal(op_make_parents(w->dir, SAMPLES, 0755), 0);
	assert_int_equal(op_replace_file_nowait(w->dir, SAMPLES, "", 0, 0644), 0);
	assert_int_equal(op_make_parents(w->dir, TREE, 0755), 0);
	fd = openat(w->dir, "samples/current/paths/frames", O_RDWR | O_CREAT, 0644);
	assert_int_equal(frames_open(&w->frames, fd, ODB_WRITE, 7), 0);
	fd = openat(w->dir, TREE, O_RDWR | O_CREAT, 0644);
	assert_int_equal(tree_open(&w->tree, fd, ODB_WRITE, frames_generation(w->frames)), 0);
	write_more(w, 1, 10);
}

static void end(struct writer *w)
{
	tree_close(w->tree);
	frames_close(w->frames);
	close(w->dir);
}

/*
 * Check that the frame of each node, and the image of each frame, are known. Return the number of
 * nodes.
 */
static uint32_t check_nodes(const struct pp_session *session, const struct pp_path_sources *sources)
{
	struct pp_source_paths paths;
	struct tree_node node;
	uint32_t nr = 0;

	assert_int_equal(pp_path_file_open(&paths, session, &session->files.trees[0]), 0);
	for (uint32_t i = TREE_FIRST; i < paths.end; i++) {
		const struct pp_path_frame *frame;

		assert_true(paths.source->ops->node(&paths, i, &node));
		if (node.frame < FRAME_FIRST)
			continue;
		frame = pp_path_frame_find(sources, 0, node.frame);
		assert_non_null(frame);
		assert_true(frame->image < session->path_images[0].list.nr);
		nr++;
	}
	paths.source->ops->paths_close(&paths);
	return nr;
}

static void test_growing_files_are_read_consistently(void **state)
{
	struct pp_spec spec = { 0 };
	const struct pp_session_options options = { .session_dir = *state, .spec = &spec, .paths = 1 };
	struct check_log log = check_log();
	struct pp_path_sources sources;
	struct pp_session *session;
	struct writer w;

	begin(&w, state);
	assert_int_equal(pp_session_open(&session, &options, &log.log), 0);
	write_more(&w, 11, 10);		/* the session contains frames, but not their images */
	assert_int_equal(pp_path_sources_read(&sources, session, &log.log), 0);
	write_more(&w, 21, 10);		/* the tree refers to frames that do not exist */
	assert_int_equal(check_nodes(session, &sources), 10);
	pp_path_sources_release(&sources);
	pp_session_close(session);
	pp_spec_release(&spec);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_growing_files_are_read_consistently),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
