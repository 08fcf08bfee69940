/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_frames.h -- the frames in a session's trees of call paths, by binary. Each part looks up the
 * functions of its frames; then the profile's tree is made of functions.
 */
#ifndef PP_PROFILE_PATH_FRAMES_H
#define PP_PROFILE_PATH_FRAMES_H

#include "pp/profile/paths.h"
#include "pp/profile/profile.h"

/* A frame of call paths, with its functions: the function at the frame's address and the functions
 * that were inlined there, outermost first. */
struct pp_path_frame {
	uint64_t offset;
	/* virtual address of .offset; set when the functions are looked up */
	uint64_t vma;
	/* index of the image in the session's list; OP_PATH_IMAGES_MAX: no image */
	uint32_t image;
	uint32_t session;	/* index of the session that has the frame */
	/* index in .chain of the frame's first place: in the part's chain or, after
	 * pp_path_parts_take(), in the chain of all parts */
	uint32_t place;
	/* number of places; 0: the function is unknown. With pp_profile_options.call_lines, one
	 * more element of .chain follows: the last place without its line, for samples of the
	 * function itself. */
	uint16_t nr_places;
	uint16_t how;
	/* the byte after the frame's address belongs to another function; set only with
	 * pp_profile_options.tree_arcs */
	bool is_last;
};

/* The frames in one binary (all images of one title), and their functions. */
struct pp_frame_places {
	/* all frames in this binary, in order of session, then of image */
	struct pp_path_frame **frames;
	size_t nr;
	/* indexes into .places; those of a frame begin at pp_path_frame.place */
	uint32_t *chain;
	size_t nr_chain;
	struct pp_place *places;	/* .code of a place is an index into the part's codes */
	size_t nr_places;
};

/* The frames of one session. */
struct pp_frame_source {
	struct pp_path_frame *frames;
	size_t nr;
	uint32_t *by_number;	/* index into .frames + 1; 0: no tree has that frame */
	uint32_t end;
	uint64_t generation;	/* generation of the list of frames; 0: the session has no list */
};

/* An image with frames of a program. It becomes a binary and a group of the profile. */
struct pp_path_group {
	const char *image, *app;	/* titles of image and program, as reports show them */
	const struct op_image_name *name;
};

struct pp_path_sources {
	/* frames of each session; the indexes are those of pp_session.samples_dirs */
	struct pp_frame_source *sources;
	size_t nr;
	/* pairs of program and image; a pair may occur several times */
	struct pp_path_group *groups;
	size_t nr_groups;
	/* number of warnings about trees and lists of frames that could not be read */
	size_t nr_named_bad;
};

/* Find the frames of all trees. Skip files that cannot be read, with a warning. Return 0 or
 * -ENOMEM. */
int pp_path_sources_read(struct pp_path_sources *ret, const struct pp_session *session,
			 struct pp_log *log);
/* @sources may be zeroed. */
void pp_path_sources_release(struct pp_path_sources *sources);

/* Return the frame @number of the session, or NULL if no tree has it. */
struct pp_path_frame *pp_path_frame_find(const struct pp_path_sources *sources, size_t session,
					 uint32_t number);

/* Open the tree's paths. Return 0 or an error for pp_samples_strerror(). */
int pp_path_file_open(struct pp_source_paths *ret, const struct pp_session *session,
		      const struct pp_sample_file *file);

#endif
