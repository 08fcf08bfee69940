/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_frames.h -- the frames that a session's trees of call paths name, by the binary each is in: part by part they
 * are found to be functions, and the trees are then made of those.
 */
#ifndef PP_PROFILE_PATH_FRAMES_H
#define PP_PROFILE_PATH_FRAMES_H

#include "pp/profile/paths.h"
#include "pp/profile/profile.h"

/* A frame, and the functions that it stands for: by inlining, places[0] called places[1], and so
 * on. */
struct pp_path_frame {
	uint64_t offset;
	uint64_t vma;		/* the address of .offset; set once the places are known */
	/* index into the session's images; OP_PATH_IMAGES_MAX: it has none */
	uint32_t image;
	uint32_t session;	/* index of its session */
	uint32_t place;		/* index of its first place: of the part's places, later of all */
	/* 0: unknown function. With call_lines, .chain has one more element: the last place without
	 * a line, for samples. */
	uint16_t nr_places;
	uint16_t how;
	/* the next byte is another function's; only where calls are told (pp_profile_options.tree_arcs) */
	bool is_last;
};

/* The frames in one binary, which has images of one title, and their functions. */
struct pp_frame_places {
	/* those of all frames that are in this binary, by session and image */
	struct pp_path_frame **frames;
	size_t nr;
	uint32_t *chain;	/* indices into .places; a frame's begin at its .place */
	size_t nr_chain;
	struct pp_place *places;	/* their .code counts the part's codes */
	size_t nr_places;
};

/* The frames of one session. */
struct pp_frame_source {
	struct pp_path_frame *frames;
	size_t nr;
	uint32_t *by_number;	/* index into .frames + 1; 0: no tree names that number */
	uint32_t end;
	uint64_t generation;	/* 0: there is no list of frames */
};

/* An image that a program has frames in. It becomes a binary of the profile, and a group. */
struct pp_path_group {
	const char *image, *app;	/* titles */
	const struct op_image_name *name;
};

struct pp_path_sources {
	struct pp_frame_source *sources;	/* one for each of the session's samples_dirs */
	size_t nr;
	struct pp_path_group *groups;	/* each at least once */
	size_t nr_groups;
	size_t nr_named_bad;	/* trees, and lists of frames, that could not be read */
};

/* Looks through all trees for the frames that they name. Files that cannot be read are told and
 * left out. -ENOMEM. */
int pp_path_sources_read(struct pp_path_sources *ret, const struct pp_session *session, struct pp_log *log);
/* Takes a zeroed struct. */
void pp_path_sources_release(struct pp_path_sources *sources);

/* NULL: there is no such frame. */
struct pp_path_frame *pp_path_frame_find(const struct pp_path_sources *sources, size_t session, uint32_t number);

/* Opens the tree's paths; 0, or an error that pp_samples_strerror() has a sentence for. */
int pp_path_file_open(struct pp_source_paths *ret, const struct pp_session *session, const struct pp_sample_file *file);

#endif
