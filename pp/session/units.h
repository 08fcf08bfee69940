/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h -- systemd units, containers and pods as rows of a report.
 */
#ifndef PP_SESSION_UNITS_H
#define PP_SESSION_UNITS_H

#include "pp/session/files.h"

/* text before the unit in the title of a program, as in "nginx (unit:nginx.service)" */
#define PP_UNIT_MARK	" (unit:"

/*
 * If samples are separated by unit, append the brief name of the unit (op_cgroup_name()) to the
 * title of each program, or "?" if the unit is unknown. Groups with the same name become one row.
 * Return 0 or -ENOMEM.
 */
int pp_units_to_rows(struct pp_files *files);

/* Return the path of a control group whose samples are in the row of the program @title; NULL: none
 * is known, or samples are not separated by unit. */
const char *pp_unit_of(const struct pp_files *files, const char *title);

/* Return whether samples are separated by unit. */
bool pp_has_units(const struct pp_files *files);

#endif
