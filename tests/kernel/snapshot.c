// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snapshot.c -- usage: snapshot FROM DIRECTORY NAME
 * 	create a btrfs snapshot of FROM as DIRECTORY/NAME; if FROM is empty, create a new subvolume
 */
#include <err.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	struct btrfs_ioctl_vol_args_v2 args = { 0 };
	int dir;

	if (argc != 4)
		errx(2, "usage: snapshot FROM DIRECTORY NAME");
	dir = open(argv[2], O_RDONLY | O_DIRECTORY);
	snprintf(args.name, sizeof(args.name), "%s", argv[3]);
	if (argv[1][0])
		args.fd = open(argv[1], O_RDONLY | O_DIRECTORY);
	if (dir < 0 || args.fd < 0 ||
	    ioctl(dir, argv[1][0] ? BTRFS_IOC_SNAP_CREATE_V2 : BTRFS_IOC_SUBVOL_CREATE_V2, &args))
		err(1, "%s", argv[3]);
	return 0;
}
