// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vperf_sizes -- makes each call of the module with structs of a newer and of an older program,
 * with an invalid struct, and with a struct of another version. Prints the struct layout, which
 * must be equal for 32-bit and 64-bit programs, and "FAILED: ..." for each error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "module/uapi/vperfctr.h"

#define MORE	64	/* number of additional bytes in a newer program's struct */
#define UNKNOWN	0xee

static bool failed;

struct call {
	const char *name;
	unsigned long request;
	uint32_t size;
};

static void expect(const struct call *c, const char *what, int ret, int want)
{
	const int got = ret < 0 ? errno : 0;

	if (got == want)
		return;
	failed = true;
	printf("FAILED: %s, %s: %s, not %s\n", c->name, what, strerror(got), strerror(want));
}

static union {
	uint32_t size;
	struct vperfctr_open open;
	struct vperfctr_read read;
	unsigned char bytes[131072];
} area;

/* Set only the members that the call requires; all others are zero. */
static void prepare(const struct call *c, uint32_t size)
{
	memset(&area, 0, sizeof(area));
	area.size = size;
	if (c->request == VPERFCTR_IOC_OPEN)
		area.open.version = VPERFCTR_ABI_VERSION;
	if (c->request == VPERFCTR_IOC_READ)
		area.read.want = VPERFCTR_READ_SUM | VPERFCTR_READ_CHILDREN | VPERFCTR_READ_CONTROL;
}

static int call(const struct call *c, int fd)
{
	int ret = ioctl(fd, c->request, &area);

	if (ret >= 0 && c->request == VPERFCTR_IOC_OPEN)
		close(ret);
	return ret;
}

static void try_sizes(const struct call *c, int fd)
{
	unsigned char *const behind = area.bytes + c->size;

	prepare(c, c->size);
	expect(c, "its own size", call(c, fd), 0);
	prepare(c, c->size + MORE);
	expect(c, "newer, the rest zero", call(c, fd), 0);
	prepare(c, c->size + MORE);
	behind[MORE - 1] = UNKNOWN;
	expect(c, "newer, with something unknown", call(c, fd), E2BIG);
	if (behind[MORE - 1] != UNKNOWN) {
		failed = true;
		printf("FAILED: %s: the kernel wrote behind what it knows\n", c->name);
	}
	prepare(c, 100000);
	expect(c, "no struct is so large", call(c, fd), E2BIG);
	for (uint32_t size = 0; size < c->size; size += size < 8 ? 1 : c->size - 1 - size ? c->size - 1 - size : 1) {
		prepare(c, size);
		expect(c, "older than the first", call(c, fd), EINVAL);
	}
	expect(c, "nowhere", ioctl(fd, c->request, (void *)8), EFAULT);
}

#define FIELD(type, field)	printf("%s.%s %zu\n", #type, #field, offsetof(struct type, field))

static void print_layout(void)
{
	FIELD(vperfctr_state, seq);
	FIELD(vperfctr_state, ring_size);
	FIELD(vperfctr_state, cpu_state.tsc_start);
	FIELD(vperfctr_state, cpu_state.pmc[15].sum);
	FIELD(vperfctr_ring_record, tsc);
	FIELD(vperfctr_control, ring_pages);
	FIELD(vperfctr_control, pmc[15].ireset);
	FIELD(vperfctr_read, sum.pmc[15].running);
	FIELD(vperfctr_read, children);
	FIELD(vperfctr_read, control);
	FIELD(vperfctr_info, cpu_khz);
	FIELD(vperfctr_info, nrctrs);
	FIELD(vperfctr_cpus, usable);
	FIELD(vperfctr_cpus, forbidden);
	FIELD(vperfctr_who, cursor);
	FIELD(vperfctr_who, entry[31].comm);
}

int main(void)
{
	static const struct call of_device[] = {
		{ "OPEN", VPERFCTR_IOC_OPEN, sizeof(struct vperfctr_open) },
		{ "INFO", VPERFCTR_IOC_INFO, sizeof(struct vperfctr_info) },
		{ "CPUS", VPERFCTR_IOC_CPUS, sizeof(struct vperfctr_cpus) },
		{ "WHO", VPERFCTR_IOC_WHO, sizeof(struct vperfctr_who) },
	}, of_object[] = {
		{ "CONTROL", VPERFCTR_IOC_CONTROL, sizeof(struct vperfctr_control) },
		{ "READ", VPERFCTR_IOC_READ, sizeof(struct vperfctr_read) },
	};
	struct vperfctr_open open_arg = { .size = sizeof(open_arg), .version = VPERFCTR_ABI_VERSION + 1 };
	int device = open(VPERFCTR_DEVICE, O_RDONLY | O_CLOEXEC), object;

	if (device < 0) {
		perror(VPERFCTR_DEVICE);
		return 2;
	}
	expect(&of_device[0], "another version", ioctl(device, VPERFCTR_IOC_OPEN, &open_arg), EPROTO);
	open_arg.version = VPERFCTR_ABI_VERSION;
	open_arg.flags = VPERFCTR_OPEN_CREAT;
	object = ioctl(device, VPERFCTR_IOC_OPEN, &open_arg);
	expect(&of_device[0], "a new object", object, 0);
	for (size_t i = 0; i < sizeof(of_device) / sizeof(of_device[0]); i++)
		try_sizes(&of_device[i], device);
	for (size_t i = 0; i < sizeof(of_object) / sizeof(of_object[0]); i++)
		try_sizes(&of_object[i], object);
	print_layout();
	return failed;
}
