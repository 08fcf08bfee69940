// SPDX-License-Identifier: LGPL-2.1-or-later
/* vperfctr.c -- perfctr's calls for virtual counters, by ioctls of /dev/vperfctr and of its
 * objects. */
#include "config.h"
#include "libvperf/vperfctr.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Call an ioctl of /dev/vperfctr. */
static int ioctl_device(unsigned long request, void *arg)
{
	int device = open(VPERFCTR_DEVICE, O_RDONLY | O_CLOEXEC), ret, saved;

	if (device < 0)
		return -1;
	ret = ioctl(device, request, arg);
	saved = errno;
	close(device);
	errno = saved;
	return ret;
}

int sys_vperfctr_open(int tid, int creat)
{
	struct vperfctr_open open = {
		.size = sizeof(open),
		.version = VPERFCTR_ABI_VERSION,
		.tid = tid,
		.flags = creat ? VPERFCTR_OPEN_CREAT : 0,
	};

	return ioctl_device(VPERFCTR_IOC_OPEN, &open);
}

int sys_vperfctr_control(int fd, const struct vperfctr_control *control)
{
	struct vperfctr_control sized = *control;

	sized.size = sizeof(sized);
	return ioctl(fd, VPERFCTR_IOC_CONTROL, &sized);
}

int sys_vperfctr_unlink(int fd)
{
	return ioctl(fd, VPERFCTR_IOC_UNLINK, 0);
}

int sys_vperfctr_read(int fd, struct vperfctr_sum_ctrs *sum, struct vperfctr_control *control,
		      struct vperfctr_sum_ctrs *children)
{
	struct vperfctr_read read = { .size = sizeof(read) };
	int ret;

	read.want = (sum ? VPERFCTR_READ_SUM : 0) | (control ? VPERFCTR_READ_CONTROL : 0) |
		    (children ? VPERFCTR_READ_CHILDREN : 0);
	ret = ioctl(fd, VPERFCTR_IOC_READ, &read);
	if (ret < 0)
		return ret;
	if (sum)
		*sum = read.sum;
	if (control)
		*control = read.control;
	if (children)
		*children = read.children;
	return 0;
}

int sys_vperfctr_iresume(int fd)
{
	return ioctl(fd, VPERFCTR_IOC_IRESUME, 0);
}

int sys_vperfctr_info(struct vperfctr_info *info)
{
	info->size = sizeof(*info);
	return ioctl_device(VPERFCTR_IOC_INFO, info);
}

int sys_vperfctr_cpus(struct vperfctr_cpus *cpus)
{
	cpus->size = sizeof(*cpus);
	return ioctl_device(VPERFCTR_IOC_CPUS, cpus);
}

int sys_vperfctr_who(struct vperfctr_who *who)
{
	who->size = sizeof(*who);
	return ioctl_device(VPERFCTR_IOC_WHO, who);
}
