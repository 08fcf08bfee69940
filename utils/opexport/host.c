// SPDX-License-Identifier: GPL-2.0-or-later
/* host.c -- reads the name of the host and the id of the machine. */
#include "config.h"
#include "utils/opexport/host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/fs.h"
#include "libop/base/hash.h"

#define MACHINE_ID	"/etc/machine-id"
#define DIGITS		32

int export_host_machine(char ret[33], const char *id)
{
	uint64_t first, second;

	if (strspn(id, "0123456789abcdef") != DIGITS || (id[DIGITS] && id[DIGITS] != '\n'))
		return -EINVAL;
	first = op_hash_number(op_hash_bytes(OP_HASH_BEGIN, id, DIGITS), 1);
	second = op_hash_number(op_hash_bytes(op_hash_number(OP_HASH_BEGIN, 2), id, DIGITS), 3);
	snprintf(ret, 33, "%016" PRIx64 "%016" PRIx64, first, second);
	return 0;
}

int export_host_read(struct export_host *ret, struct op_reason *error)
{
	struct export_host host;
	char id[64], name[sizeof(host.name)];
	int fd = open(MACHINE_ID, O_RDONLY | O_CLOEXEC), err = fd < 0 ? -errno : 0;
	size_t len = 0;

	if (!err)
		err = op_read_all(fd, id, sizeof(id) - 1, &len);
	if (fd >= 0)
		close(fd);
	id[len] = '\0';
	if (!err)
		err = export_host_machine(host.machine, id);
	if (err)
		return op_fail(error, err, "cannot read the id of this machine from " MACHINE_ID
			       ": %s; systemd-machine-id-setup makes one", strerror(-err));
	if (gethostname(name, sizeof(name)))
		return op_fail(error, -errno, "cannot read the name of this host: %s",
			       strerror(errno));
	name[sizeof(name) - 1] = '\0';
	op_clean(host.name, sizeof(host.name), *name ? name : "localhost");
	*ret = host;
	return 0;
}
