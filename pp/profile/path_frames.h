/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_frames.h -- the frames of a session's call paths, by binary. The part of the profile for
 * each binary looks up the functions of the frames in that binary. Then the trees of frames are
 * converted to one tree of functions for the profile.
 */
#ifndef PP_PROFILE_PATH_FRAMES_H
#define PP_PROFILE_PATH_FRAMES_H

#include "pp/profile/paths.h"
#include "pp/profile/profile.h"

/* A frame of call paths, and its functions: the function at its address, then the functions inlined
 * there, outermost first. */
struct pp_path_frame {
	uint64_t offset;
	/* virtual address of .offset, set by the lookup of functions */
	uint64_t vma;
	/* index in the session's list of images; OP_PATH_IMAGES_MAX: no image */
	uint32_t image;
	uint32_t session;	/* index of the frame's session */
	/* index of the frame's first function in .chain of struct pp_frame_places: of the part's
	 * functions or, after pp_path_parts_add(), of the profile's functions */
	uint32_t place;
	/* number of functions of this frame in .chain; 0: unknown. With
	 * pp_profile_options.call_lines, .chain has nr_places + 1 elements: the additional element
	 * is the innermost function without a line, for samples in the function itself, outside of
	 * its calls. */
	uint16_t nr_places;
	uint16_t how;
	/* the address of the frame is the last byte of its function; set only with
	 * pp_profile_options.tree_arcs */
	bool is_last;
};

/* The frames in one binary (in all images with one title), and their functions. */
struct pp_frame_places {
	/* the frames in this binary, sorted by session, then image */
	struct pp_path_frame **frames;
	size_t nr;
	/* indices into .places (functions); the functions of a frame begin at
	 * .chain[frame->place] */
	uint32_t *chain;
	size_t nr_chain;
	/* functions; .code is an index into the part's codes (functions with symbols) */
	struct pp_place *places;
	size_t nr_places;
};

/* The frames of call paths in one session. */
struct pp_frame_source {
	struct pp_path_frame *frames;
	size_t nr;
	/* for each frame number: index into .frames, plus 1; 0: no tree uses the frame */
	uint32_t *by_number;
	uint32_t end;
	/* generation of the session's list of frames; 0: the session has no list */
	uint64_t generation;
};

/* A program, and an image that contains frames of the program's call paths. The pair becomes a
 * group of the profile. */
struct pp_path_group {
	const char *image, *app;	/* titles of image and program in reports */
	const struct op_image_name *name;
};

struct pp_path_sources {
	/* for each samples directory of the session (pp_session.samples_dirs): its frames */
	struct pp_frame_source *sources;
	size_t nr;
	/* pairs of program and image; the same pair may occur several times */
	struct pp_path_group *groups;
	size_t nr_groups;
	/* number of unreadable trees and lists of frames that warnings have mentioned */
	size_t nr_named_bad;
};

/* Collect the frames of all trees of call paths. Skip unreadable files with a warning. Return 0 or
 * -ENOMEM. */
int pp_path_sources_read(struct pp_path_sources *ret, const struct pp_session *session,
			 struct pp_log *log);
/* Free the contents of @sources, which may be zeroed. */
void pp_path_sources_release(struct pp_path_sources *sources);

/* Return the session's frame @number, or NULL if no tree uses that frame. */
struct pp_path_frame *pp_path_frame_find(const struct pp_path_sources *sources, size_t session,
					 uint32_t number);

/* Open a tree of call paths for reading. Return 0, or an error for pp_samples_strerror(). */
int pp_path_file_open(struct pp_source_paths *ret, const struct pp_session *session,
		      const struct pp_sample_file *file);

#endif
