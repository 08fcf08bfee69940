// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfctr_program WHAT -- a program that uses only perfctr's old interface: it counts itself
 * ("self"), a command that it executes ("command", like perfex), or a process that it traces
 * ("other"), and queries the machine. Prints "FAILED: ..." for each error.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libperfctr.h"

static bool failed;

#define CHECK(what) ((what) ? (void)0 : (void)(failed = true, printf("FAILED: line %d: %s (%s)\n", __LINE__, #what, strerror(errno))))

static void spin(unsigned int turns)
{
	for (volatile unsigned int i = 0; i < turns; i++)
		;
}

static int self(void)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs before, after, still;
	struct vperfctr *counters = vperfctr_open();
	struct perfctr_cpus_info *cpus;
	struct perfctr_info info;

	if (!counters) {
		perror("vperfctr_open");
		return 1;
	}
	CHECK(!vperfctr_info(counters, &info));
	CHECK(info.cpu_features & PERFCTR_FEATURE_RDTSC);
	perfctr_info_print(&info);
	cpus = vperfctr_cpus_info(counters);
	CHECK(cpus && cpus->nr_cpus);
	if (cpus)
		perfctr_cpus_info_print(cpus);
	free(cpus);
	if (perfctr_info_nrctrs(&info)) {
		control.cpu_control.nractrs = 1;
		control.cpu_control.evntsel[0] = 0x4100c0;
	}
	perfctr_cpu_control_print(&control.cpu_control);
	CHECK(!vperfctr_is_running(counters));
	CHECK(!vperfctr_control(counters, &control));
	CHECK(vperfctr_is_running(counters));
	CHECK(!vperfctr_read_ctrs(counters, &before));
	spin(1000000);
	CHECK(!vperfctr_read_ctrs(counters, &after));
	CHECK(after.tsc > before.tsc && vperfctr_read_tsc(counters) > after.tsc);
	if (control.cpu_control.nractrs)
		CHECK(after.pmc[0] - before.pmc[0] > 1000000 && vperfctr_read_pmc(counters, 0) > after.pmc[0]);
	printf("tsc %llu, pmc %llu\n", after.tsc - before.tsc, after.pmc[0] - before.pmc[0]);
	CHECK(vperfctr_iresume(counters) && errno == EPERM);
	CHECK(!vperfctr_stop(counters));
	CHECK(!vperfctr_is_running(counters));
	CHECK(!vperfctr_read_ctrs(counters, &after));
	spin(100000);
	CHECK(!vperfctr_read_state(counters, &still, &control));
	CHECK(after.tsc > before.tsc && !memcmp(&after, &still, sizeof(after)));
	CHECK(!control.cpu_control.tsc_on && !control.cpu_control.nractrs);
	/* Request a feature that the machine lacks: the call fails and changes nothing. */
	control.cpu_control.nractrs = 1;
	control.cpu_control.pmc_map[0] = 0x40000099;
	CHECK(vperfctr_control(counters, &control) && errno == EINVAL);
	CHECK(!vperfctr_unlink(counters));
	vperfctr_close(counters);
	return failed;
}

/*
 * Execute a command in a child with inherited counters, whose descriptor the child sends to this
 * process.
 */
static int command(char **argv)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 }, used;
	char space[CMSG_SPACE(sizeof(int))] = "", byte = 0;
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	struct perfctr_sum_ctrs sum, children;
	int pair[2], fd = _vperfctr_open(0), status = -1;
	struct perfctr_info info;

	CHECK(fd >= 0 && !perfctr_abi_check_fd(fd) && !perfctr_info(fd, &info));
	close(fd);
	CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
	if (!fork()) {
		fd = _vperfctr_open(1);
		if (fd < 0 || _vperfctr_control(fd, &control)) {
			perror("counters");
			_exit(1);
		}
		head->cmsg_len = CMSG_LEN(sizeof(int));
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(head), &fd, sizeof(fd));
		if (sendmsg(pair[1], &message, 0) != 1)
			_exit(1);
		close(fd);
		execvp(argv[0], argv);
		_exit(127);
	}
	wait(&status);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	CHECK(recvmsg(pair[0], &message, 0) == 1);
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	CHECK(!_vperfctr_read_sum(fd, &sum) && !_vperfctr_read_children(fd, &children) && !_vperfctr_read_control(fd, &used));
	printf("the command: tsc %llu, its children's %llu\n", sum.tsc, children.tsc);
	CHECK(sum.tsc > 1000 && children.tsc > 1000);
	CHECK(used.cpu_control.tsc_on && !used.flags);
	close(fd);
	return failed;
}

static int other(void)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs sum;
	struct rvperfctr *counters;
	int status;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		spin(100000);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	counters = rvperfctr_open(pid);
	CHECK(counters && rvperfctr_pid(counters) == pid && !rvperfctr_control(counters, &control));
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, &status, 0);
	CHECK(counters && !rvperfctr_read_state(counters, &sum, &control) && sum.tsc > 1000 && control.cpu_control.tsc_on);
	CHECK(counters && !rvperfctr_stop(counters) && !rvperfctr_unlink(counters));
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, &status, 0);
	rvperfctr_close(counters);
	return failed;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1 && !strcmp(argv[1], "self"))
		return self();
	if (argc > 1 && !strcmp(argv[1], "other"))
		return other();
	return argc > 2 ? command(argv + 2) : 2;
}
