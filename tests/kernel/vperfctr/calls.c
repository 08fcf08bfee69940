// SPDX-License-Identifier: GPL-2.0-or-later
/* calls.c -- tests of the results and errors of the calls. */
#include "vp.h"

/* A struct larger than the kernel's is accepted if the additional bytes are zero. */
static void sizes(int fd)
{
	static union { uint32_t size; char bytes[8192]; } u;
	const struct { int fd; unsigned long call; size_t size; } structs[] = {
		{ device, VPERFCTR_IOC_INFO, sizeof(struct vperfctr_info) },
		{ device, VPERFCTR_IOC_CPUS, sizeof(struct vperfctr_cpus) },
		{ device, VPERFCTR_IOC_WHO, sizeof(struct vperfctr_who) },
		{ fd, VPERFCTR_IOC_READ, sizeof(struct vperfctr_read) },
	};

	for (size_t i = 0; i < sizeof(structs) / sizeof(*structs); i++) {
		memset(&u, 0, sizeof(u));
		u.size = structs[i].size - 1;
		want_errno(ioctl(structs[i].fd, structs[i].call, &u), EINVAL);
		u.size = structs[i].size + 9;
		u.bytes[structs[i].size + 8] = 1;
		want_errno(ioctl(structs[i].fd, structs[i].call, &u), E2BIG);
		u.bytes[structs[i].size + 8] = 0;
		want_ok(ioctl(structs[i].fd, structs[i].call, &u));
		u.size = PAGE + 1;
		want_errno(ioctl(structs[i].fd, structs[i].call, &u), E2BIG);
	}
}

void test_calls(void)
{
	struct vperfctr_control c = settings(1, 1), same;
	struct vperfctr_open o = { .size = sizeof(o), .version = 99 };
	struct { struct vperfctr_control c; uint64_t more; } larger = { .c = settings(1, 0) };
	struct vperfctr_info info = { .size = sizeof(info) };
	static struct vperfctr_cpus cpus;
	static struct vperfctr_who who;
	struct vperfctr_read r;
	char name[64] = "", link[64];
	struct statfs fs;
	int fd, second;
	char byte;

	want_errno(open_tid(0, 0), ENOENT);
	want_errno(ioctl(device, VPERFCTR_IOC_OPEN, &o), EPROTO);
	want_errno(open_tid(0, 8), EINVAL);
	want_errno(open_tid(-1, 0), EINVAL);
	want_errno(open_tid(4000000, 0), ESRCH);
	want_errno(open_tid(2, 1), EACCES);
	want_errno(open_tid(1, 1), ESRCH);
	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	want_errno(open_tid(0, VPERFCTR_OPEN_CREAT), EEXIST);
	want_ok(second = open_tid(0, VPERFCTR_OPEN_CLOEXEC));
	if (fcntl(fd, F_GETFD) != 0 || fcntl(second, F_GETFD) != FD_CLOEXEC)
		fail("close on exec");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, name, sizeof(name) - 1) < 0 || strncmp(name, "vperfctrfs:[", 12))
		fail("the descriptor is called %s", name);
	want_ok(fstatfs(fd, &fs));
	if (fs.f_type != 0x56504d43)
		fail("statfs: %lx", (long)fs.f_type);
	want_errno(open(link, O_RDONLY), ENXIO);
	if (read(fd, &byte, 1) != -1 || write(fd, &byte, 1) != -1)
		fail("read or write works");
	want_errno(lseek(fd, 0, SEEK_SET), ESPIPE);
	want_errno(ioctl(fd, VPERFCTR_IOC_INFO, &info), ENOTTY);

	/* a stopped object can be read */
	want_ok(read_all(fd, &r));
	if (r.sum.tsc || r.sum.pmc[0].count || r.sum.cstatus || r.children.nr_children || r.control.nrctrs)
		fail("a new object is not zero");

	/* a refused call changes nothing */
	c.si_signo = 0;
	c.cpus = 17;	/* this member is ignored */
	want_ok(control(fd, &c));
	touch(10);
	want_ok(read_all(fd, &r));
	same = r.control;
#define REFUSED(change, error) do {						\
	struct vperfctr_control c = settings(1, 1);				\
	change;									\
	want_errno(control(fd, &c), error);					\
} while (0)
	REFUSED(c.size = 4, EINVAL);
	REFUSED(c.size = 100000, E2BIG);
	REFUSED(c.flags = 0x80, EINVAL);
	REFUSED(c.tsc_on = 2, EINVAL);
	REFUSED(c.nrctrs = 17, EINVAL);
	REFUSED(c.preserve = 0x10000, EINVAL);
	REFUSED(c.si_signo = 65, EINVAL);
	REFUSED(c.ring_pages = 65, EINVAL);
	REFUSED(c.pmc[0].flags = 0, EINVAL);
	REFUSED(c.pmc[0].flags = 0x81, EINVAL);
	REFUSED(c.pmc[0].config = 10, EINVAL);
	REFUSED(c.pmc[0].config = ~0ULL, EINVAL);
	REFUSED(c.pmc[0].config1 = 1, EINVAL);
	REFUSED(c.pmc[0].type = PERF_TYPE_TRACEPOINT, EACCES);
	REFUSED(c.pmc[0].type = PERF_TYPE_BREAKPOINT, EACCES);
	want_errno(control(fd, NULL), EFAULT);
	want_errno(control(fd, (void *)-8L), EFAULT);
	larger.c.size = sizeof(larger);
	larger.more = 1;
	want_errno(control(fd, &larger.c), E2BIG);
	{
		struct vperfctr_read after;

		want_ok(read_all(fd, &after));
		if (memcmp(&after.control, &same, sizeof(same)))
			fail("refused settings changed the control");
		if (after.sum.pmc[0].count != r.sum.pmc[0].count || after.sum.tsc <= r.sum.tsc)
			fail("refused settings changed sums");
	}
	larger.more = 0;
	want_ok(control(fd, &larger.c));
	want_ok(read_all(fd, &r));
	if (r.control.size != sizeof(r.control) || r.control.cpus != (unsigned int)sysconf(_SC_NPROCESSORS_CONF))
		fail("the control says: size %u, %u CPUs", r.control.size, r.control.cpus);
	sizes(fd);

	/* only the page can be mapped, and only for reading */
	if (mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED ||
	    mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED ||
	    mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, PAGE) != MAP_FAILED ||
	    mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) != MAP_FAILED)
		fail("a mapping that should be refused");
	want_errno(mprotect((void *)map(fd), PAGE, PROT_READ | PROT_WRITE), EACCES);
	want_errno(mprotect((void *)map(fd), PAGE, PROT_READ | PROT_EXEC), EACCES);
	if (mremap((void *)map(fd), PAGE, 2 * PAGE, MREMAP_MAYMOVE) != MAP_FAILED)
		fail("a mapping grew");
	if (map(fd)->version != VPERFCTR_ABI_VERSION || map(fd)->size != sizeof(struct vperfctr_state) || map(fd)->seq & 1)
		fail("the page: version %u size %u seq %llu", map(fd)->version, map(fd)->size,
		     (unsigned long long)map(fd)->seq);

	want_ok(ioctl(device, VPERFCTR_IOC_INFO, &info));
	printf("info: abi %u driver %s type %u features %x cpu %llu kHz tsc %llu kHz\n", info.abi_version,
	       info.driver_version, info.cpu_type, info.features, (unsigned long long)info.cpu_khz,
	       (unsigned long long)info.tsc_khz);
	if (info.abi_version != VPERFCTR_ABI_VERSION || !(info.features & VPERFCTR_FEATURE_RDTSC) || !info.tsc_khz)
		fail("info");
	cpus.size = sizeof(cpus);
	want_ok(ioctl(device, VPERFCTR_IOC_CPUS, &cpus));
	if (!(cpus.usable[0] & 1) || cpus.forbidden[0] || cpus.nr_cpus < 1)
		fail("cpus: %llx of %u", (unsigned long long)cpus.usable[0], cpus.nr_cpus);
	who.size = sizeof(who);
	want_ok(ioctl(device, VPERFCTR_IOC_WHO, &who));
	if (who.nr != 1 || who.entry[0].tid != getpid() || strcmp(who.entry[0].comm, "vperfctr"))
		fail("who: %u, %d %s", who.nr, who.entry[0].tid, who.entry[0].comm);

	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	want_errno(set(fd, 1, 0), ESRCH);
	want_ok(read_all(second, &r));
	if (!(r.sum.cstatus & VPERFCTR_CSTATUS_DETACHED) || !r.sum.tsc)
		fail("sums of a detached object: cstatus %llx", (unsigned long long)r.sum.cstatus);
	want_ok(close(fd) | close(second));
	want_errno(open_tid(0, 0), ENOENT);
}
