// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * help_json_none.c -- built without json-c.
 */
#include "config.h"
#include "utils/help.h"

#include <errno.h>

static int write_json(FILE *to, const struct help_subject *subject, struct op_message *msg)
{
	(void)to;
	(void)subject;
	return op_message_set(msg, -ENOTSUP, "this ophelp was built without json-c: use --xml, or build "
			      "it again with libjson-c-dev installed");
}

const struct help_format help_json = { .write = write_json };
