// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpu SECONDS -- a KVM virtual machine whose only CPU computes for SECONDS of this thread's CPU
 * time; the program itself computes for a third of that time. Prints both times.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "tests/subject/common.h"
#include "tests/subject/work.h"

WORK(outside)

/* real mode code: 1: incl %eax; jmp 1b */
static const unsigned char code[] = { 0x66, 0x40, 0xeb, 0xfc };

static void on_alarm(int sig)
{
	(void)sig;	/* the signal only interrupts the ioctl KVM_RUN */
}

static int must(int fd, unsigned long request, void *arg, const char *what)
{
	int ret = ioctl(fd, request, arg);

	if (ret < 0)
		err(1, "%s", what);
	return ret;
}

/*
 * Create a virtual machine with one page of memory and one CPU, which starts at the page's code.
 * Return the CPU's descriptor.
 */
static int make_cpu(struct kvm_run **run)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = 0x1000, .memory_size = 4096, .userspace_addr = (unsigned long)page,
	};
	struct kvm_regs regs = { .rip = 0x1000, .rflags = 2 };
	struct kvm_sregs sregs;
	int kvm = open("/dev/kvm", O_RDWR), machine, cpu;

	if (kvm < 0 || page == MAP_FAILED)
		err(1, "/dev/kvm");
	memcpy(page, code, sizeof(code));
	machine = must(kvm, KVM_CREATE_VM, 0, "create a machine");
	must(machine, KVM_SET_USER_MEMORY_REGION, &region, "give it memory");
	cpu = must(machine, KVM_CREATE_VCPU, 0, "create a CPU");
	must(cpu, KVM_GET_SREGS, &sregs, "get registers");
	sregs.cs.base = sregs.cs.selector = 0;
	must(cpu, KVM_SET_SREGS, &sregs, "set registers");
	must(cpu, KVM_SET_REGS, &regs, "set registers");
	*run = mmap(NULL, must(kvm, KVM_GET_VCPU_MMAP_SIZE, 0, "size of its state"), PROT_READ | PROT_WRITE,
		    MAP_SHARED, cpu, 0);
	if (*run == MAP_FAILED)
		err(1, "map its state");
	return cpu;
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 50000 }, { 0, 50000 } };
	struct sigaction alarm = { .sa_handler = on_alarm };
	double seconds = seconds_argument(argc, argv), in = 0, out = 0, t;
	unsigned long turns = turns_per_ms(outside);
	struct kvm_run *run;
	int cpu = make_cpu(&run);

	sigaction(SIGALRM, &alarm, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (in < seconds) {
		t = cpu_time();
		if (ioctl(cpu, KVM_RUN, 0) == 0 || errno != EINTR)
			errx(1, "the machine stopped: %u", run->exit_reason);
		in += cpu_time() - t;
		for (t = cpu_time(); out < in / 3; out += cpu_time() - t, t = cpu_time())
			outside(turns);
	}
	printf("inside %.3f outside %.3f\n", in, out);
	return 0;
}
