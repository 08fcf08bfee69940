/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_frames.h -- the frames that a session's trees of call paths name, by the binary each is in: part by part they
 * are found to be functions, and the trees are then made of those.
 */
#ifndef PP_PROFILE_PATH_FRAMES_H
#define PP_PROFILE_PATH_FRAMES_H

#include "libop/session/path_images.h"
#include "pp/profile/paths.h"
#include "pp/profile/profile.h"

/* A frame, and what it turned out to be: places[0] called places[1] and so on, by inlining. */
struct pp_path_frame {
	uint64_t offset;
	uint32_t image;		/* index into the session's images; OP_PATH_IMAGES_MAX: none */
	uint32_t session;	/* whose */
	uint32_t place;		/* first of them, in pp_frame_places.places; the part's, then all */
	uint16_t nr_places;	/* 0: not known */
	uint16_t how;
};

/* The frames in images of one title, and of what is known of each. */
struct pp_frame_places {
	struct pp_path_frame **frames;	/* of all frames, those in this binary, by session and image */
	size_t nr;
	uint32_t *chain;	/* indices into .places, from frames' .place on */
	size_t nr_chain;
	struct pp_place *places;	/* .code is the part's */
	size_t nr_places;
};

/* Of one session. */
struct pp_frame_source {
	struct pp_path_frame *frames;
	size_t nr;
	uint32_t *by_number;	/* one more than an index into .frames; 0: no tree names it */
	uint32_t end;
	uint64_t generation;	/* 0: there is no list of frames */
};

/* An image that a program has frames in: it is a binary of the profile, and a group. */
struct pp_path_group {
	const char *image, *app;	/* titles */
	const struct op_image_name *name;
};

struct pp_path_sources {
	struct pp_frame_source *sources;	/* beside the session's samples_dirs */
	size_t nr;
	struct pp_path_group *groups;	/* each once or more */
	size_t nr_groups;
	size_t nr_bad, nr_named_bad;	/* trees, and lists of frames, that could not be read */
};

/* Looks through all trees for the frames that they name. -ENOMEM; what cannot be read is told and left out. */
int pp_path_sources_read(struct pp_path_sources *ret, const struct pp_session *session, struct pp_log *log);
/* Takes a zeroed struct. */
void pp_path_sources_release(struct pp_path_sources *sources);

/* NULL: there is no such frame. */
struct pp_path_frame *pp_path_frame_find(const struct pp_path_sources *sources, size_t session, uint32_t number);

struct tree;
/* Opens the tree; 0, or an error that pp_samples_strerror() has a sentence for. */
int pp_path_file_open(struct tree **ret, const struct pp_path_sources *sources, const struct pp_sample_file *file);

#endif
