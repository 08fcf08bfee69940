// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostile.c -- random and malformed calls as the user nobody, in several processes at once. The
 * kernel's log shows kernel errors; this program checks that only permitted settings were accepted.
 *
 * Environment: HOSTILE: number of calls of each process; SEED: seed of the random numbers.
 */
#include "vp.h"

#include <pthread.h>

#define PROCESSES	3
#define FDS		8

static uint64_t state;

static uint64_t random64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t n)
{
	return random64() % n;
}

/* Return a random number: usually a small one, or one near a limit. */
static uint64_t random_number(void)
{
	static const uint64_t edges[] = { 0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 63, 64, 65, 99, 100, 1000, 99999, 100000, 0x7fffffff,
					  0x80000000, 0xffffffff, 1ULL << 62, 1ULL << 63, UINT64_MAX };

	return below(4) ? edges[below(sizeof(edges) / sizeof(*edges))] : random64() >> below(64);
}

/* Return random settings, of which half are valid, so that there are running objects. */
static struct vperfctr_control random_control(void)
{
	struct vperfctr_control c = settings(below(2), below(4));

	c.preserve = below(2) ? 0 : below(16);
	if (!below(3)) {
		c.si_signo = SIGUSR1;
		c.ring_pages = below(3);
		for (uint32_t i = 0; i < c.nrctrs; i++) {
			c.pmc[i].config = below(10);
			c.pmc[i].ireset = below(3) ? 1 + below(1000) : random_number();
		}
	}
	for (int n = below(2) ? 0 : below(4); n > 0; n--)
		((uint32_t *)&c)[below(sizeof(c) / 4)] = random_number();
	return c;
}

/* Check that settings that were accepted are settings that any user may have. */
static void look_at(int fd)
{
	struct vperfctr_read r;

	if (read_all(fd, &r))
		return;
	for (uint32_t i = 0; i < r.control.nrctrs && i < VPERFCTR_MAX_PMCS; i++) {
		const struct vperfctr_pmc *p = &r.control.pmc[i];

		if (p->type != PERF_TYPE_SOFTWARE || p->config > 9 || !(p->flags & VPERFCTR_USER) || p->flags & VPERFCTR_KERNEL)
			fail("nobody counts type %u config %llu flags %x", p->type, (unsigned long long)p->config, p->flags);
	}
	if (r.control.nrctrs > VPERFCTR_MAX_PMCS || r.control.size != sizeof(r.control))
		fail("a control of %u slots, size %u", r.control.nrctrs, r.control.size);
}

static void try_mapping(int fd)
{
	size_t length = PAGE * (1 + (below(3) ? 0 : below(66)));
	int prot = below(3) ? PROT_READ : (int)below(8);
	char *at = mmap(NULL, length, prot, below(4) ? MAP_SHARED : MAP_PRIVATE, fd, below(4) ? 0 : PAGE * below(70));

	if (at == MAP_FAILED)
		return;
	if (prot & (PROT_WRITE | PROT_EXEC))
		fail("a mapping with %x", prot);
	if (!mprotect(at, length, PROT_READ | PROT_WRITE))
		fail("a mapping was made writable");
	for (size_t i = 0; prot & PROT_READ && i < length; i += PAGE)
		(void)((volatile char *)at)[i];
	munmap(at, length);
}

/*
 * Return an address to which the kernel may write, because random writes into this program would
 * look like kernel errors.
 */
static uintptr_t random_address(const uint32_t *words, size_t size)
{
	const uintptr_t places[] = { 0, 1, PAGE, (uintptr_t)words + size - 4, (uintptr_t)(1ull << 47), (uintptr_t)-PAGE, (uintptr_t)-1,
				     (uintptr_t)0xffff888000000000, (uintptr_t)0xffffffff81000000 };

	return places[below(sizeof(places) / sizeof(*places))];
}

static void try_ioctl(int fd)
{
	const size_t size = 2 * PAGE;
	static uint32_t *words;
	static const unsigned long calls[] = { VPERFCTR_IOC_OPEN, VPERFCTR_IOC_INFO, VPERFCTR_IOC_CPUS, VPERFCTR_IOC_WHO,
					       VPERFCTR_IOC_CONTROL, VPERFCTR_IOC_READ, VPERFCTR_IOC_UNLINK, VPERFCTR_IOC_IRESUME };
	static const uint32_t sizes[] = { sizeof(struct vperfctr_open), sizeof(struct vperfctr_info), sizeof(struct vperfctr_cpus),
					  sizeof(struct vperfctr_who), sizeof(struct vperfctr_control), sizeof(struct vperfctr_read) };
	unsigned long call = calls[below(8)];
	int got;

	if (!words) {	/* map two pages; the page after them is unmapped */
		words = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap((char *)words + size, PAGE);
	}
	for (int n = 0; n < 40; n++)
		words[below(below(2) ? 16 : size / 4)] = below(2) ? 0 : random_number();
	words[0] = below(2) ? sizes[below(6)] + (below(2) ? 0 : 8 * below(40)) : random_number();
	if (call == VPERFCTR_IOC_OPEN && below(2))
		words[1] = VPERFCTR_ABI_VERSION;
	got = ioctl(below(3) ? fd : device, below(8) ? call : random64(),
		    below(8) ? (uintptr_t)words : random_address(words, size));
	if (call == VPERFCTR_IOC_OPEN && got > 2 && got != device)
		close(got);
}

/* number of objects whose owner ends while another process has a descriptor */
#define RACED	100

static void *leave_with_settings(void *fd)
{
	int own = open_tid(0, VPERFCTR_OPEN_CREAT);
	struct vperfctr_control c = random_control();

	dup2(own, RACED);
	control(own, &c);
	control(*(int *)fd, &c);	/* the object belongs to another thread */
	touch(below(4));
	close(own);
	return NULL;
}

/*
 * Create a process that shares this process's descriptor table, and executes another program or
 * ends during the calls.
 */
static int share_descriptors(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);

	if (pid)
		return pid;
	signal(SIGUSR1, SIG_IGN);
	leave_with_settings(&device);
	if (below(2))
		execl("/proc/self/exe", "vperfctr", "nothing", NULL);
	_exit(0);
}

static void call_from_other_thread(void)
{
	for (int n = below(30); n > 0; n--) {
		if (below(4))
			try_ioctl(RACED);
		else
			try_mapping(RACED);
	}
}

/* Send the descriptor to another process of the user nobody, or to this process. */
static void send_descriptor(int fd)
{
	union { char room[CMSG_SPACE(sizeof(int))]; struct cmsghdr head; } control = { .head = {
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) } };
	char byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	int pair[2], got;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return;
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	if (sendmsg(pair[0], &message, 0) == 1 && below(2) && recvmsg(pair[1], &message, MSG_CMSG_CLOEXEC) == 1 &&
	    CMSG_FIRSTHDR(&message)) {
		memcpy(&got, CMSG_DATA(&control.head), sizeof(got));
		look_at(got);
		close(got);
	}
	close(pair[0]);
	close(pair[1]);
}

/* Wait for the end of @pid. Kill the process if a signal of its settings has stopped it. */
static void end(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status))
		kill(pid, SIGKILL);
}

static void copies(int fd)
{
	pthread_t thread;
	pid_t pid;

	if (below(3)) {
		if (below(2)) {
			pid = share_descriptors();
			call_from_other_thread();
			end(pid);
		} else if (!pthread_create(&thread, NULL, leave_with_settings, &fd)) {
			call_from_other_thread();
			pthread_join(thread, NULL);
		}
		close(RACED);
		return;
	}
	pid = fork();
	if (!pid) {
		struct vperfctr_control c = random_control();

		signal(SIGUSR1, SIG_IGN);
		control(open_tid(0, 0), &c);
		control(fd, &c);
		touch(below(4));
		if (!below(4))
			execl("/proc/self/exe", "vperfctr", "nothing", NULL);
		if (below(2))
			kill(getpid(), SIGKILL);
		_exit(0);
	}
	if (pid > 0) {
		if (!below(3))
			kill(pid, SIGKILL);
		end(pid);
	}
}

/*
 * Number of signals since the last call of call_randomly(). If a period is shorter than resume()
 * takes, the next signal is pending when resume() returns; without a limit the program would only
 * run resume().
 */
static volatile sig_atomic_t resumed;

#define MAX_RESUMED	100

static void resume(int signo)
{
	int fd = resumed++ < MAX_RESUMED ? open_tid(0, 0) : -1;

	(void)signo;
	if (fd >= 0) {
		ioctl(fd, VPERFCTR_IOC_IRESUME);
		close(fd);
	}
}

static void call_randomly(int *fds)
{
	int *fd = &fds[below(FDS)];
	struct vperfctr_control c;

	switch (below(16)) {
	case 0: case 1:
		if (*fd >= 0)
			close(*fd);
		*fd = open_tid(0, below(4));
		break;
	case 2: case 3: case 4: case 5: case 6:
		c = random_control();
		control(*fd, &c);
		break;
	case 7:
		look_at(*fd);
		break;
	case 8:
		try_mapping(*fd);
		break;
	case 9:
		ioctl(*fd, below(2) ? VPERFCTR_IOC_IRESUME : below(4) ? VPERFCTR_IOC_READ : VPERFCTR_IOC_UNLINK);
		break;
	case 10:
		touch(below(20));
		break;
	case 11:
		if (!below(20))
			copies(*fd);
		else if (*fd >= 0 && !below(4))
			send_descriptor(*fd);
		break;
	default:
		try_ioctl(*fd);
	}
}

static void run(long calls, uint64_t seed)
{
	int fds[FDS];

	state = seed * 0x9e3779b97f4a7c15ULL | 1;
	for (int i = 0; i < FDS; i++)
		fds[i] = -1;
	signal(SIGUSR1, resume);
	for (int signo = 1; signo < 65; signo++)	/* si_signo may be any number */
		if (signo != SIGUSR1 && signo != SIGKILL && signo != SIGALRM)
			signal(signo, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	while (calls-- && !failed) {
		resumed = 0;
		call_randomly(fds);
	}
	_exit(failed);
}

void test_hostile(void)
{
	long calls = getenv("HOSTILE") ? atol(getenv("HOSTILE")) : 100000;
	uint64_t seed = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : 1;
	pid_t pids[PROCESSES];

	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (!pids[i])
			run(calls, seed + i);
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status = -1;	/* -1: no process was forked */

		while (waitpid(pids[i], &status, WUNTRACED) == pids[i] && WIFSTOPPED(status))
			kill(pids[i], SIGCONT);
		/*
		 * A signal of the process's own settings may have killed it; then start another
		 * process.
		 */
		if (WIFSIGNALED(status) && WTERMSIG(status) != SIGSEGV && WTERMSIG(status) != SIGBUS &&
		    WTERMSIG(status) != SIGABRT) {
			pids[i] = fork();
			if (!pids[i])
				run(calls, ++seed + 100);
			i--;
		} else if (status) {
			fail("process %d: status %#x", i, status);
		}
	}
	printf("%ld odd calls each of %d processes, seed %llu\n", calls, PROCESSES, (unsigned long long)seed);
}
