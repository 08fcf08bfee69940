// SPDX-License-Identifier: GPL-2.0-or-later
/* samples.c -- opening of sample files. */
#include "config.h"
#include "pp/source/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <stdbool.h>
#include <unistd.h>

#include "libop/base/error.h"

int pp_samples_open(struct pp_samples *ret, const char *path)
{
	unsigned long lost_pages = odb_lost_pages();
	struct pp_samples samples;
	struct stat st;
	int err, fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		err = -EINVAL;
		goto err_close_fd;
	}
	err = odb_open(&samples.db, fd, sizeof(samples.header), ODB_READ, NULL);
	if (err)
		goto err_close_fd;
	samples.header = *(struct op_sample_header *)odb_header(samples.db);
	err = op_sample_header_check(&samples.header);
	if (err) {
		odb_close(samples.db);
		return err;
	}
	samples.lost_pages = lost_pages;
	*ret = samples;
	return 0;

err_close_fd:
	close(fd);
	return err;
}

bool pp_samples_shortened(const struct pp_samples *samples)
{
	return odb_lost_pages() != samples->lost_pages;
}

void pp_samples_close(struct pp_samples *samples)
{
	odb_close(samples->db);
	samples->db = NULL;
}

const char *pp_samples_strerror(int err)
{
	return err <= ODB_ERR_VERSION && err >= ODB_ERR_FORMAT ? odb_strerror(err)
								  : op_strerror(err);
}
