// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree.c -- tests of the copies that children of fork() get, and of adding their counts to their
 * parents'.
 */
#include "vp.h"

#include <pthread.h>
#include <sys/resource.h>

#define LEVELS	3
#define WIDTH	10
#define NODES	(1 + WIDTH + WIDTH * WIDTH + WIDTH * WIDTH * WIDTH)
#define BRANCH	(1 + WIDTH + WIDTH * WIDTH)

/* Cases: parents wait for their children; parents do not wait; one subtree has its own settings. */
enum kind { WAITED_FOR, ORPHANS, OWN_BRANCH };

/* Send the descriptor of this process's object to the root process. */
static void send_object(int box)
{
	int fd = open_tid(0, 0);
	struct msghdr m = { 0 };
	union { char buffer[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } u;
	char byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct cmsghdr *c;

	m.msg_iov = &iov;
	m.msg_iovlen = 1;
	m.msg_control = u.buffer;
	m.msg_controllen = sizeof(u.buffer);
	memset(&u, 0, sizeof(u));
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (fd < 0 || sendmsg(box, &m, 0) != 1)
		_exit(3);
	close(fd);
}

static void *leaf(void *box)
{
	touch(LEVELS + 3);
	send_object(*(int *)box);
	return NULL;
}

/* Create a tree of processes; every other leaf is a thread. */
static void tree(int level, int box, enum kind kind)
{
	pthread_t threads[WIDTH];
	pid_t kids[WIDTH];

	touch(level + 3);
	send_object(box);
	for (int i = 0; level < LEVELS && i < WIDTH; i++) {
		if (level == LEVELS - 1 && i % 2) {
			if (pthread_create(&threads[i], NULL, leaf, &box))
				_exit(4);
			continue;
		}
		kids[i] = fork();
		if (!kids[i]) {
			tree(level + 1, box, kind);
			_exit(0);
		}
	}
	for (int i = 0; level < LEVELS && i < WIDTH; i++) {
		if (level == LEVELS - 1 && i % 2)
			pthread_join(threads[i], NULL);
		else if (kind != ORPHANS)
			waitpid(kids[i], NULL, 0);
	}
}

static int collect(int box, int *fds, int want)
{
	int got = 0;

	while (got < want) {
		union { char buffer[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } u;
		char byte;
		struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
		struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.buffer,
				    .msg_controllen = sizeof(u.buffer) };

		if (recvmsg(box, &m, 0) != 1 || !CMSG_FIRSTHDR(&m))
			break;
		memcpy(&fds[got++], CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	}
	return got;
}

/* Create a process that forks trees and waits for them. */
static pid_t fork_trees(int box, enum kind kind)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	send_object(box);
	for (int i = 0; i < WIDTH; i++) {
		pid = fork();
		if (!pid) {
			if (kind == OWN_BRANCH && i == WIDTH / 2)
				want_ok(set(open_tid(0, 0), 1, 2));
			tree(1, box, kind);
			_exit(failed);
		}
	}
	while (wait(NULL) > 0)
		;
	_exit(0);
}

/*
 * Add up the counts of the @nr files in @fds, each with @nrctrs slots. Return the number of files.
 */
static int add_up(const int *fds, int nr, uint32_t nrctrs, struct vperfctr_sum_ctrs *sum)
{
	struct vperfctr_read r;
	int found = 0;

	*sum = (struct vperfctr_sum_ctrs){ 0 };
	for (int i = 0; i < nr; i++) {
		want_ok(read_all(fds[i], &r));
		if (r.control.nrctrs != nrctrs)
			continue;
		found++;
		sum->tsc += r.sum.tsc;
		sum->pmc[0].count += r.sum.pmc[0].count;
	}
	return found;
}

static int nr_dead(const int *fds, int nr)
{
	struct vperfctr_read r;
	int dead = 0;

	for (int i = 0; i < nr; i++)
		dead += !read_all(fds[i], &r) && (r.sum.cstatus & VPERFCTR_CSTATUS_DEAD);
	return dead;
}

static void check_sums_of_tree(enum kind kind)
{
	static const char *const names[] = { "tree", "orphans", "own branch" };
	const int want = kind == OWN_BRANCH ? NODES - BRANCH : NODES;
	static int fds[NODES];
	struct vperfctr_sum_ctrs sum, branch;
	struct vperfctr_read root;
	int box[2], fd, i, got, same, other;
	pid_t pid;

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	want_ok(set(fd, 1, 1));
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, box))
		exit(1);
	pid = fork_trees(box[1], kind);
	got = collect(box[0], fds, NODES);
	reap(pid, 0);
	/* orphans end later, so wait for them */
	for (i = 0; i < 1000; i++) {
		want_ok(read_all(fd, &root));
		if (nr_dead(fds, got) == got && root.children.nr_children >= (uint64_t)want)
			break;
		usleep(10000);
	}
	same = add_up(fds, got, 1, &sum);
	other = add_up(fds, got, 2, &branch);
	printf("%s: %d objects, %d of them with other settings; %llu children; faults %llu and in children %llu; tsc %llu, %llu\n",
	       names[kind], got, other, (unsigned long long)root.children.nr_children, (unsigned long long)sum.pmc[0].count,
	       (unsigned long long)root.children.pmc[0].count, (unsigned long long)sum.tsc,
	       (unsigned long long)root.children.tsc);
	if (got != NODES || same != want || root.children.nr_children != (uint64_t)want || root.children.nr_missed)
		fail("%llu children of %d, %llu missed", (unsigned long long)root.children.nr_children, want,
		     (unsigned long long)root.children.nr_missed);
	if (root.children.tsc != sum.tsc || root.children.pmc[0].count != sum.pmc[0].count)
		fail("sums of the tree are not in the root");
	for (i = 0; i < got; i++)
		close(fds[i]);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
	close(box[0]);
	close(box[1]);
}

/* Many files of copies are open at this point. */
static void many_files(void)
{
	struct rlimit limit = { NODES + 100, NODES + 100 };

	want_ok(setrlimit(RLIMIT_NOFILE, &limit));
}

/* The sums are exact to the last event and tick, because a file of each child is open. */
void test_children(void)
{
	struct vperfctr_read r, child;
	uint64_t t = 0, faults = 0;
	int fd, i, back[2];

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	want_ok(set(fd, 1, 2));
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, back))
		exit(1);
	for (i = 0; i < 300; i++) {
		int theirs;
		pid_t pid = fork();

		if (!pid) {
			/* each tenth process has a descriptor to send, as in tree() */
			if (i % 10 == 0)
				/* own settings, so its counts are not added to the parent's */
				set(open_tid(0, 0), 1, 1);
			for (int j = 0; j < i % 3; j++)
				touch(1);
			tree(LEVELS, back[1], WAITED_FOR);
			if (i % 7 == 0)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		if (collect(back[0], &theirs, 1) != 1)
			exit(1);
		want_ok(read_all(theirs, &child));
		if (!(child.sum.cstatus & VPERFCTR_CSTATUS_DEAD))
			fail("reaped, but not dead");
		if (i % 10) {
			t += child.sum.tsc;
			faults += child.sum.pmc[0].count;
			if (child.sum.pmc[0].count != child.sum.pmc[1].count)
				fail("two slots of the same event differ");
		}
		if (child.sum.pmc[0].count < LEVELS + 3)
			fail("child %d: %llu faults", i, (unsigned long long)child.sum.pmc[0].count);
		want_ok(read_all(fd, &r));
		if (r.children.nr_children != (uint64_t)i - i / 10 || r.children.tsc != t ||
		    r.children.pmc[0].count != faults) {
			fail("child %d: children %llu, tsc %llu of %llu, faults %llu of %llu", i,
			     (unsigned long long)r.children.nr_children, (unsigned long long)r.children.tsc,
			     (unsigned long long)t, (unsigned long long)r.children.pmc[0].count,
			     (unsigned long long)faults);
			break;
		}
		close(theirs);
	}
	printf("children: %llu, %llu faults, tsc %llu, the same as theirs\n", (unsigned long long)r.children.nr_children,
	       (unsigned long long)faults, (unsigned long long)t);
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
	many_files();
	check_sums_of_tree(WAITED_FOR);
	check_sums_of_tree(ORPHANS);
	check_sums_of_tree(OWN_BRANCH);
}

/* In a chain of processes, each of which forks the next one and ends, ended processes are freed. */
void test_line(void)
{
	struct vperfctr_read r;
	int fd, i = 0, p[2], tries;
	char byte;

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	want_ok(set(fd, 1, 0));
	if (pipe(p))
		exit(1);
	if (!fork()) {
		close(p[0]);
		for (i = 0; i < 20000; i++) {
			pid_t pid = fork();

			if (pid)
				_exit(pid < 0);
		}
		_exit(0);
	}
	close(p[1]);
	while (read(p[0], &byte, 1) > 0)
		;
	close(p[0]);
	while (waitpid(-1, NULL, 0) > 0)
		;
	for (tries = 0; tries < 1000; tries++) {
		want_ok(read_all(fd, &r));
		if (r.children.nr_children == 20001)
			break;
		usleep(10000);
	}
	printf("a line of 20001: %llu children, %llu missed\n", (unsigned long long)r.children.nr_children,
	       (unsigned long long)r.children.nr_missed);
	if (r.children.nr_children != 20001 || r.children.nr_missed)
		fail("a line of children");
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}

/*
 * Run MANY processes at once while other tasks use the CPUs: each must be counted. Each tenth
 * process also copies its memory.
 */
#define FORKING	4
#define LOADS	2

static pid_t forking(int times)
{
	pid_t pid = fork(), child;

	if (pid)
		return pid;
	for (int i = 0; i < times; i++) {
		child = i % 10 ? vfork() : fork();
		if (!child) {
			if (i % 10 == 0)
				touch(1);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			_exit(1);
	}
	_exit(0);
}

void test_forks(void)
{
	const int times = getenv("MANY") ? atoi(getenv("MANY")) / FORKING : 250, want = times * FORKING;
	struct vperfctr_read r;
	pid_t load[LOADS], pid[FORKING];
	int fd;

	for (int i = 0; i < LOADS; i++) {
		load[i] = fork();
		while (!load[i])
			;
	}
	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	want_ok(set(fd, 1, 1));
	for (int i = 0; i < FORKING; i++)
		pid[i] = forking(times - 1);	/* and count this process itself */
	for (int i = 0; i < FORKING; i++)
		reap(pid[i], 0);
	want_ok(read_all(fd, &r));
	printf("forks: %llu children of %d, %llu missed, %llu faults\n", (unsigned long long)r.children.nr_children, want,
	       (unsigned long long)r.children.nr_missed, (unsigned long long)r.children.pmc[0].count);
	if (r.children.nr_children != (uint64_t)want || r.children.nr_missed || r.children.cstatus ||
	    r.children.pmc[0].count < (uint64_t)want / 10 || !r.children.tsc)
		fail("not all of the children are told of");
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
	for (int i = 0; i < LOADS; i++) {
		kill(load[i], SIGKILL);
		reap(load[i], SIGKILL);
	}
}

/*
 * Create a chain of ended processes, each of which is kept by an open file and by the next process.
 * The last process changes its settings, so that its fork frees the whole chain at once, after all
 * files were closed.
 */
#define HELD	2000

static void fork_line(int box, int go)
{
	char byte;

	for (int i = 0; i < HELD; i++) {
		pid_t pid = fork();

		if (pid)
			_exit(pid < 0);
		send_object(box);
	}
	if (read(go, &byte, 1) != 1 || set(open_tid(0, 0), 0, 1))
		_exit(1);
	if (!fork())
		_exit(0);
	_exit(wait(NULL) < 0);
}

void test_held(void)
{
	static int fds[HELD];
	struct vperfctr_read r;
	int fd, box[2], go[2], got, dead = 0;

	want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
	want_ok(set(fd, 1, 0));
	want_ok(prctl(PR_SET_CHILD_SUBREAPER, 1));
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, box) || pipe(go))
		exit(1);
	if (!fork())
		fork_line(box[1], go[0]);
	got = collect(box[0], fds, HELD);
	for (int i = 0; i < got - 1; i++) {
		while (!read_all(fds[i], &r) && !(r.sum.cstatus & VPERFCTR_CSTATUS_DEAD))
			usleep(1000);
		dead++;
	}
	for (int i = 0; i < got; i++)
		close(fds[i]);
	if (write(go[1], "", 1) != 1)
		exit(1);
	while (waitpid(-1, NULL, 0) > 0)
		;
	want_ok(read_all(fd, &r));
	printf("a line of %d that files kept: %d had ended, %llu children\n", got, dead,
	       (unsigned long long)r.children.nr_children);
	/* the first process and the chain, without the process that has settings of its own */
	if (got != HELD || r.children.nr_children != HELD)
		fail("a line that files kept");
	want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
	close(fd);
}
