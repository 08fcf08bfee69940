// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * split_unit.c -- makes libdw open our own file.
 *
 * libdw finds split units by itself: it opens the path in the program without any check, and does
 * not support packages. Its interface has no function that takes an open file. So during its
 * search, the path in our copy of the debug data is replaced by the path of our descriptor.
 */
#include "config.h"
#include "pp/image/split_unit.h"

#include <dwarf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROOM	32	/* for "/proc/self/fd/N" */

static const char *string_of(Dwarf_Die *die, unsigned int name, unsigned int old_name)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr(die, name, &attr) && (!old_name || !dwarf_attr(die, old_name, &attr)))
		return NULL;
	return dwarf_formstring(&attr);
}

bool pp_split_unit_of(struct pp_split_unit *ret, Dwarf_Die *skeleton)
{
	struct pp_split_unit unit = { 0 };
	uint8_t type;

	if (dwarf_cu_info(skeleton->cu, NULL, &type, NULL, NULL, &unit.id, NULL, NULL) ||
	    type != DW_UT_skeleton)
		return false;
	unit.name = string_of(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	unit.dir = string_of(skeleton, DW_AT_comp_dir, 0);
	if (!unit.name || !*unit.name)
		return false;
	*ret = unit;
	return true;
}

/* Return whether the name in the view may be overwritten. The bytes after the name are overwritten,
 * too, while libdw reads other attributes. So the name must not lie in .debug_info among the
 * attributes. */
static bool may_overwrite(Dwarf_Die *skeleton, const struct pp_debug_view *view, const char *name)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr(skeleton, DW_AT_dwo_name, &attr) &&
	    !dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attr))
		return false;
	return dwarf_whatform(&attr) != DW_FORM_string && name >= view->bytes &&
	       name < view->bytes + view->size && (size_t)(view->bytes + view->size - name) >= ROOM;
}

static bool link_file(Dwarf_Die *ret, Dwarf_Die *skeleton, char *name, int fd)
{
	Dwarf_Die die = { 0 };
	char before[ROOM];
	int err;

	memcpy(before, name, ROOM);
	snprintf(name, ROOM, "/proc/self/fd/%d", fd);
	err = dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, &die, NULL, NULL, NULL);
	memcpy(name, before, ROOM);
	if (err || !die.addr)
		return false;
	*ret = die;
	return true;
}

bool pp_split_unit_link(Dwarf_Die *ret, Dwarf_Die *skeleton, const struct pp_debug_view *view,
			struct pp_split *split)
{
	struct pp_split_unit unit;
	bool is_linked;
	int fd;

	if (!pp_split_unit_of(&unit, skeleton) || !may_overwrite(skeleton, view, unit.name))
		return false;
	fd = pp_split_open(split, &unit);
	if (fd < 0)
		return false;
	is_linked = link_file(ret, skeleton, view->bytes + (unit.name - view->bytes), fd);
	close(fd);
	if (!is_linked)
		pp_split_refuse(split, &unit);
	return is_linked;
}
