// SPDX-License-Identifier: GPL-2.0-or-later
/* new_names.c -- names of the sample files and trees that the daemon created recently. */
#include "config.h"
#include "daemon/base/new_names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void forget(struct opd_new_names *n)
{
	for (size_t i = 0; i < OPD_NEW_NAMES; i++) {
		free(n->names[i]);
		n->names[i] = NULL;
	}
	n->first = n->next;
}

void opd_new_names_release(struct opd_new_names *n)
{
	forget(n);
	n->wanted = 0;
}

void opd_new_names_add(struct opd_new_names *n, const char *name)
{
	char **slot;

	if (!n)
		return;
	n->next++;
	if (!n->wanted) {
		/* Do not keep this name: no program has requested names recently, and a program
		 * that requests names later must search the session anyway. For the same reason,
		 * free the earlier names. */
		if (n->first < n->next - 1)
			forget(n);
		n->first = n->next;
		return;
	}
	n->wanted--;
	slot = &n->names[(n->next - 1) % OPD_NEW_NAMES];
	free(*slot);
	*slot = strdup(name);
	if (!*slot)
		n->first = n->next;
	else if (n->next - n->first > OPD_NEW_NAMES)
		n->first = n->next - OPD_NEW_NAMES;
}

void opd_new_names_request(struct opd_new_names *n)
{
	n->wanted = OPD_NEW_NAMES;
}

const char *opd_new_names_get(const struct opd_new_names *n, uint64_t number)
{
	return number >= n->first && number < n->next ? n->names[number % OPD_NEW_NAMES] : NULL;
}
