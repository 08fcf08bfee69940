// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arcs.c -- has oparchive make call-graph files, because it reads paths and binaries.
 */
#include "config.h"
#include "utils/opcontrol/arcs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "utils/shared/program.h"
#include "utils/shared/spawn.h"

int ctl_arcs_make(const char *session_dir, const char *name, FILE *out, struct op_reason *error)
{
	char *program = ctl_program_find("oparchive"), *dir = NULL, *session = NULL;
	int status = -ENOMEM;

	fflush(out);
	if (program && asprintf(&dir, "--session-dir=%s", session_dir) >= 0 &&
	    asprintf(&session, "session:%s", name) >= 0) {
		char *const argv[] = { program, (char *)"--arcs", (char *)"--no-cache", dir, session, NULL };

		status = ctl_spawn(argv, NULL);
	}
	if (status < 0)
		op_fail(error, status, "the session is saved as %s, but has no call-graph files: "
				       "%s: %s", name,
			program ? program : "oparchive", strerror(-status));
	else if (status)
		status = op_fail(error, -EIO, "the session is saved as %s, but has no call-graph "
					      "files", name);
	free(session);
	free(dir);
	free(program);
	return status;
}
