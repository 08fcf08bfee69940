/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.h -- the name and the id of this host. */
#ifndef OPEXPORT_HOST_H
#define OPEXPORT_HOST_H

#include "libop/base/reason.h"
#include "utils/opexport/batch.h"

/* Read the name of this host and the id of its machine. Return 0, or a negative errno with a
 * message. */
int export_host_read(struct export_host *ret, struct op_reason *error);

/* Write a hash of @id, the text of /etc/machine-id, to @ret. Return 0, or -EINVAL if @id is not the
 * id of a machine. Declared for tests. */
int export_host_machine(char ret[33], const char *id);

#endif
