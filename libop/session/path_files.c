// SPDX-License-Identifier: GPL-2.0-or-later
/* path_files.c -- names of the files that contain call paths. */
#include "config.h"
#include "libop/session/path_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "module/uapi/unwind.h"

#define ROOT	OP_PATHS_DIR "/root"
#define KERN	OP_PATHS_DIR "/kern/"
#define UNIT	OP_PATHS_DIR "/unit"

int op_tree_name(char **ret, const struct op_sample_name *name)
{
	struct op_sample_name flat = *name;
	char *file, *tree;
	int err, len;

	/* The name of the tree is derived from the name that a sample file of the program itself
	 * would have. */
	flat.image = flat.app;
	flat.callee.path = NULL;
	err = op_mangle(&file, &flat);
	if (err)
		return err;
	if (flat.app.unit)
		/* No component of the file's name before this one is "{dep}". */
		len = asprintf(&tree, UNIT "%.*s%s",
			       (int)(strstr(file, "/{dep}/") - file - strlen("{unit}")),
			       file + strlen("{unit}"), strrchr(file, '/'));
	else
		len = asprintf(&tree, "%s%s%s", flat.app.kind == OP_IMAGE_ROOT ? ROOT : KERN,
			       flat.app.path, strrchr(file, '/'));
	free(file);
	if (len < 0)
		return -ENOMEM;
	*ret = tree;
	return 0;
}

int op_tree_unname(struct op_sample_name *ret, const char *path)
{
	static const struct op_image_name none;
	const char *event = strrchr(path, '/'), *kind, *app, *image = NULL;
	struct op_sample_name name;
	char *file;
	int err;

	if (!strncmp(path, UNIT "/", strlen(UNIT "/"))) {
		kind = "{unit}";
		app = path + strlen(UNIT);
		image = "{kern}/-";
	} else if (!strncmp(path, ROOT "/", strlen(ROOT "/"))) {
		kind = "{root}";
		app = path + strlen(ROOT);
	} else if (!strncmp(path, KERN, strlen(KERN))) {
		kind = "{kern}/";
		app = path + strlen(KERN);
	} else {
		return OP_ERR_NAME;
	}
	if (event <= app)
		return OP_ERR_NAME;
	if (image ? asprintf(&file, "%s%.*s/{dep}/%s%s", kind, (int)(event - app), app, image,
			     event) < 0
		  : asprintf(&file, "%s%.*s/{dep}/%s%s", kind, (int)(event - app), app, kind,
			     app) < 0)
		return -ENOMEM;
	err = op_unmangle(&name, file);
	free(file);
	if (err)
		return err;
	if (image && name.callee.path)
		err = OP_ERR_NAME;
	if (err) {
		op_sample_name_release(&name);
		return err;
	}
	free(name.image.path);
	name.image = none;
	*ret = name;
	return 0;
}

bool op_path_is_end(uint16_t how)
{
	return how >= OPROFILE_UW_HOW_ENDS;
}

bool op_path_by_frame_pointer(uint16_t how)
{
	return how == OPROFILE_UW_HOW_FP;
}

const char *op_path_end_words(uint16_t how)
{
	static const char *const words[] = {
#define X(end, name, text) text,
		OPROFILE_UW_ENDS(X)
#undef X
	};

	if (how <= OPROFILE_UW_HOW_ENDS + OPROFILE_UW_WHOLE ||
	    how >= OPROFILE_UW_HOW_ENDS + OPROFILE_UW_NR_ENDS)
		return NULL;
	return words[how - OPROFILE_UW_HOW_ENDS];
}
