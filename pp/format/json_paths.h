/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_paths.h -- the calling context tree in JSON.
 */
#ifndef PP_FORMAT_JSON_PATHS_H
#define PP_FORMAT_JSON_PATHS_H

#include "libop/base/json.h"
#include "pp/format/walk.h"

/* Write the member "paths" of the open object. Set the flags in @used of the codes that the
 * paths refer to. Return 0 or -ENOMEM. */
int pp_json_paths(struct op_json *json, const struct pp_walk *walk, uint8_t *used);
/* Write the members "pid", "tid" and "task" of the open object, as far as they are known. */
void pp_json_task(struct op_json *json, const struct pp_walk_task *task);

#endif
