// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_finder.c -- tests the finder: the worker process that reads files for the daemon, its
 * results, and the daemon's behaviour when the worker does not answer.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "daemon/base/log.h"
#include "daemon/image/cookie.h"
#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/proc_maps.h"
#include "tests/unit/children.h"

struct fixture {
	struct opd_log log;
	struct opd_finder *finder;
	char *program;			/* path of the program, without symbolic links */
	struct stat st;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	opd_log_init(&f->log);
	f->program = realpath("/bin/true", NULL);
	*state = f;
	return stat(f->program, &f->st) || opd_finder_create(&f->finder, "/proc", "/nowhere", &f->log);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	opd_finder_destroy(f->finder);
	opd_log_release(&f->log);
	free(f->program);
	free(f);
	/* Check that no child process of the finder is left. */
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}

static int find(struct fixture *f, struct opd_identity *identity, pid_t tgid)
{
	return opd_finder_find(f->finder, identity, f->program, f->st.st_dev, f->st.st_ino, tgid);
}

/* Look up the test program in process @tgid, which must succeed. */
static void assert_found(struct fixture *f, pid_t tgid)
{
	struct opd_identity identity = { .fd = -1 };

	assert_int_equal(find(f, &identity, tgid), 0);
	opd_identity_release(&identity);
}

/* Look up like assert_found(), but retry: on a busy machine the finder may abandon a slow worker. */
static void assert_found_with_retries(struct fixture *f)
{
	struct opd_identity identity = { .fd = -1 };
	int err = -ETIMEDOUT;

	for (int i = 0; i < 20 && (err == -ETIMEDOUT || err == -EAGAIN); i++)
		err = find(f, &identity, 0);
	assert_int_equal(err, 0);
	opd_identity_release(&identity);
}

static pid_t worker_of(pid_t keeper)
{
	pid_t worker;

	do
		worker = child_of(keeper);
	while (!worker);
	return worker;
}

static void file_is_identified_by_path_and_inode(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = { .mtime = 99 }, direct = { .fd = -1 };
	char byte;

	assert_int_equal(opd_finder_find(f->finder, &identity, f->program, f->st.st_dev, f->st.st_ino + 1, 0),
			 -ENOENT);
	assert_int_equal(opd_finder_find(f->finder, &identity, "/nowhere", f->st.st_dev, f->st.st_ino, getpid()),
			 -ENOENT);
	assert_int_equal(identity.mtime, 99);	/* the failed look-up has not changed the result */
	assert_int_equal(find(f, &identity, 0), 0);
	assert_int_equal(opd_identify(&direct, f->program, f->st.st_dev, f->st.st_ino, 0), 0);
	assert_int_equal(identity.mtime, f->st.st_mtime);
	assert_int_equal(identity.identity.build, direct.identity.build);
	assert_memory_equal(identity.build_id, direct.build_id, sizeof(direct.build_id));
	assert_true(identity.mount == direct.mount);
	/* The descriptor must be O_PATH: closing a readable descriptor may wait for the file
	 * system. */
	assert_true(fcntl(identity.fd, F_GETFL) & O_PATH);
	assert_true(read(identity.fd, &byte, 1) < 0);
	opd_identity_release(&identity);
	opd_identity_release(&direct);
	/* A file in the process's own root directory is found despite a different device number. */
	f->st.st_dev++;
	assert_found(f, getpid());
}

static void executable_of_process_is_identified(void **state)
{
	struct fixture *f = *state;
	uint64_t dev = 0, ino = 0;
	struct stat st;

	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(opd_finder_exe(f->finder, &dev, &ino, getpid()), 0);
	assert_true(dev == st.st_dev && ino == st.st_ino);
	assert_int_equal(opd_finder_exe(f->finder, &dev, &ino, 0x7fffffff), -ENOENT);
}

struct look {
	struct stat st;
	bool seen;
};

static int look_for_program(void *arg, const struct opd_proc_map *m)
{
	struct look *l = arg;

	if (m->exec && m->ino == l->st.st_ino && strstr(m->name, "test_daemon_finder"))
		l->seen = true;
	return 0;
}

/* The finder does not wait for a process whose memory map blocks: it continues with the next
 * processes. */
static void copies_memory_maps(void **state)
{
	struct fixture *f = *state;
	pid_t keeper = child_of(getpid());
	struct look l = { .seen = false };

	assert_int_equal(stat("/proc/self/exe", &l.st), 0);
	assert_int_equal(opd_finder_maps(f->finder, -1, getpid(), look_for_program, &l), 0);
	assert_true(l.seen);
	assert_int_equal(opd_finder_maps(f->finder, -1, 0x7fffffff, look_for_program, &l), -ENOENT);
	kill(worker_of(keeper), SIGSTOP);
	assert_int_equal(opd_finder_maps(f->finder, -1, getpid(), look_for_program, &l), -EAGAIN);
	/* From now on, workers do not examine processes of this user. */
	assert_int_equal(opd_finder_maps(f->finder, -1, getpid(), look_for_program, &l), -EAGAIN);
	assert_found_with_retries(f);
}

static void file_range_is_copied(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = { .fd = -1 };
	struct opd_copied copied = { .len = 99 };
	FILE *copy = tmpfile(), *full = fopen("/dev/full", "w");
	char there[100], here[100];
	int original = open(f->program, O_RDONLY);

	assert_non_null(copy);
	assert_int_equal(find(f, &identity, 0), 0);
	assert_int_equal(opd_finder_copy(f->finder, &copied, &identity, -1, 0, 0), 0);
	assert_int_equal(copied.len, 0);
	assert_int_equal(copied.st.st_size, f->st.st_size);
	assert_int_equal(copied.st.st_ino, f->st.st_ino);
	assert_int_equal(opd_finder_copy(f->finder, &copied, &identity, fileno(copy), 20, 100), 0);
	assert_int_equal(copied.len, 100);
	assert_int_equal(copied.err, 0);
	assert_int_equal(pread(original, there, 100, 20), 100);
	assert_int_equal(pread(fileno(copy), here, 100, 20), 100);
	assert_memory_equal(here, there, 100);
	/* Copy the end of the file, and then copy to a full disk, which fails. */
	assert_int_equal(opd_finder_copy(f->finder, &copied, &identity, fileno(copy), f->st.st_size - 7, 100), 0);
	assert_int_equal(copied.len, 7);
	assert_int_equal(opd_finder_copy(f->finder, &copied, &identity, fileno(full), 0, 100), 0);
	assert_int_equal(copied.err, -ENOSPC);
	close(original);
	fclose(full);
	fclose(copy);
	opd_identity_release(&identity);
}

static void descriptor_is_passed_to_socket(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = { .fd = -1 };
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
	char kind = 0, magic[4];
	struct iovec iov = { &kind, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };
	int pair[2], fds[2], null = open("/dev/null", O_WRONLY);

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(find(f, &identity, 0), 0);
	assert_int_equal(opd_finder_hand_over(f->finder, identity.fd, identity.payer, pair[0], 'x', &null, 1), 0);
	assert_int_equal(recvmsg(pair[1], &msg, MSG_DONTWAIT), 1);
	assert_int_equal(kind, 'x');
	assert_int_equal(CMSG_FIRSTHDR(&msg)->cmsg_len, CMSG_LEN(sizeof(fds)));
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fds));
	assert_int_equal(pread(fds[0], magic, 4, 0), 4);
	assert_memory_equal(magic, "\177ELF", 4);
	assert_int_equal(write(fds[1], magic, 4), 4);
	close(fds[0]);
	close(fds[1]);
	close(pair[0]);
	close(pair[1]);
	close(null);
	opd_identity_release(&identity);
}

/*
 * The finder opens a file only if its file system supports reads that do not wait (RWF_NOWAIT).
 */
static void files_are_opened_for_nonblocking_reads(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = {.fd = -1};
	char magic[4];
	struct iovec iov = {magic, sizeof(magic)};
	int proc = open("/proc/self/status", O_PATH | O_CLOEXEC), fd;

	assert_int_equal(find(f, &identity, 0), 0);
	fd = opd_finder_open_in_memory(f->finder, identity.fd, identity.payer);
	if (fd >= 0) {
		assert_int_equal(preadv2(fd, &iov, 1, 0, RWF_NOWAIT), 4);
		assert_memory_equal(magic, "\177ELF", 4);
		close(fd);
	} else {
		/* The file system of the test program supports such reads. */
		assert_int_equal(fd, -EOPNOTSUPP);
	}
	assert_int_equal(opd_finder_open_in_memory(f->finder, proc, OPD_NO_PAYER), -EOPNOTSUPP);
	close(proc);
	opd_identity_release(&identity);
}

/* If a worker is blocked by a file, the finder abandons it and starts another worker. */
static void blocked_worker_is_replaced(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = { .fd = -1 };
	pid_t keeper = child_of(getpid()), workers[6];

	for (int i = 0; i < 6; i++) {
		assert_found_with_retries(f);
		workers[i] = worker_of(keeper);
		kill(workers[i], SIGSTOP);
		assert_int_equal(find(f, &identity, 0), -ETIMEDOUT);
	}
	assert_found_with_retries(f);
	/* An abandoned worker is killed when the next worker starts. */
	while (kill(workers[4], 0) == 0)
		usleep(1000);
}

/* Make the next look-up of a process block in the process's root directory, by a device number that
 * no file in the daemon's root directory has. */
static void block_worker_in_process_root(struct fixture *f)
{
	f->st.st_dev++;
	assert_found(f, getpid());
	kill(worker_of(child_of(getpid())), SIGSTOP);
}

/* If a worker blocks in the root directory of a user's process, later workers skip processes of
 * this user, but still examine processes of other users. */
static void user_whose_process_blocks_is_skipped(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = { .fd = -1 };
	uint64_t dev, ino;
	pid_t other;

	block_worker_in_process_root(f);
	assert_int_equal(opd_finder_exe(f->finder, &dev, &ino, getpid()), -ETIMEDOUT);
	assert_int_equal(find(f, &identity, getpid()), -ENOENT);
	assert_int_equal(opd_finder_exe(f->finder, &dev, &ino, getpid()), -ENOENT);
	if (geteuid() == 0) {
		other = fork();
		if (!other) {
			if (setuid(4711))
				_exit(1);
			pause();
		}
		/* wait until the other process has changed its user id by setuid() */
		while (find(f, &identity, other))
			usleep(1000);
		opd_identity_release(&identity);
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	}
	/* A file in the root directory that all processes share is examined, even if a skipped user
	 * runs it. */
	f->st.st_dev--;
	assert_found(f, getpid());
}

/* Called in a child: end as soon as the parent waits for the worker's answer. By then the parent
 * has looked up the owner of this process. */
static void __attribute__((noreturn)) exit_during_lookup(void)
{
	char path[64], kind = 'R';

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)getppid());
	while (kind != 'S') {
		FILE *f = fopen(path, "r");

		usleep(1000);
		if (!f || fscanf(f, "%*d (%*[^)]) %c", &kind) != 1)
			_exit(1);
		fclose(f);
	}
	_exit(0);
}

/* A user whose process blocks a worker is skipped even if the process ends before the finder
 * abandons the worker. */
static void user_of_ended_blocking_process_is_skipped(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = { .fd = -1 };
	uint64_t dev, ino;
	pid_t other;

	block_worker_in_process_root(f);
	signal(SIGCHLD, SIG_IGN);	/* make the kernel reap the child without a wait */
	other = fork();
	if (!other)
		exit_during_lookup();
	assert_int_equal(opd_finder_exe(f->finder, &dev, &ino, other), -ETIMEDOUT);
	assert_int_equal(waitpid(other, NULL, 0), -1);
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(find(f, &identity, getpid()), -ENOENT);
}

/* A user is also skipped if the first look-up succeeds, but the worker blocks when it opens the
 * file a second time. */
static void user_is_skipped_after_blocked_second_open(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = { .fd = -1 };
	pid_t keeper = child_of(getpid());
	int null = open("/dev/null", O_WRONLY);

	f->st.st_dev++;
	assert_int_equal(find(f, &identity, getpid()), 0);
	kill(worker_of(keeper), SIGSTOP);
	assert_int_equal(opd_finder_hand_over(f->finder, identity.fd, identity.payer, null, 'x', &null, 1), -ETIMEDOUT);
	opd_identity_release(&identity);
	close(null);
	assert_int_equal(find(f, &identity, getpid()), -ENOENT);
}

/* A user is not skipped if a worker only gets no CPU time, or has not started yet. */
static void user_is_not_skipped_when_worker_lacks_cpu(void **state)
{
	struct fixture *f = *state;
	pid_t keeper = child_of(getpid());
	uint64_t dev, ino;
	int err;

	kill(keeper, SIGSTOP);
	assert_int_equal(opd_finder_exe(f->finder, &dev, &ino, getpid()), -EAGAIN);
	kill(keeper, SIGCONT);
	do
		err = opd_finder_exe(f->finder, &dev, &ino, getpid());
	while (err == -EAGAIN);
	assert_int_equal(err, 0);
}

/* A file is named without an answer of the finder, because the mounts give the path. */
static void file_is_named_without_finder_answer(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = { .fd = -1 };
	pid_t keeper = child_of(getpid());
	char text[] = "36 35 8:1 / / rw,noatime master:1 - ext4 /dev/x rw\n", *path = NULL;
	FILE *mounts = fmemopen(text, strlen(text), "r");
	int err;

	assert_non_null(mounts);
	kill(keeper, SIGSTOP);
	err = opd_mount_path(&path, &identity, f->finder, mounts, makedev(8, 1), f->program, f->st.st_dev, f->st.st_ino);
	kill(keeper, SIGCONT);
	assert_int_equal(err, 0);
	assert_string_equal(path, f->program);
	assert_int_equal(identity.fd, -1);
	free(path);
	fclose(mounts);
}

static void killed_worker_is_replaced(void **state)
{
	struct fixture *f = *state;
	struct opd_identity identity = { .fd = -1 };
	pid_t keeper = child_of(getpid());

	assert_found(f, 0);
	kill(worker_of(keeper), SIGKILL);
	while (find(f, &identity, 0))
		usleep(1000);
	opd_identity_release(&identity);
}

/* A worker that has ended is reaped at once, and is not a zombie until the next request. */
static void ended_worker_is_reaped(void **state)
{
	struct fixture *f = *state;
	pid_t worker;

	assert_found(f, 0);
	worker = worker_of(child_of(getpid()));
	kill(worker, SIGKILL);
	while (!kill(worker, 0))
		usleep(1000);
}

/* A worker does not inherit open files of the daemon, such as the session's lock, because a blocked
 * worker would hold the lock. */
static void worker_inherits_no_descriptors(void **state)
{
	struct fixture *f = *state;
	char path[64];
	struct opd_identity identity = { .fd = -1 };
	int nr = 0;
	DIR *dir;

	assert_found(f, 0);
	/* The worker closes the file only after it has answered. So make another request, which
	 * finds nothing, before checking its descriptors. */
	assert_int_equal(opd_finder_find(f->finder, &identity, f->program, f->st.st_dev, f->st.st_ino + 1, 0), -ENOENT);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)worker_of(child_of(getpid())));
	dir = opendir(path);
	assert_non_null(dir);
	for (struct dirent *d; (d = readdir(dir));)
		nr += d->d_name[0] != '.';
	closedir(dir);
	/* the descriptors are standard input, output and error, and the worker's socket */
	assert_int_equal(nr, 4);
}

/* Return the number after @field in /proc/PID/status, in base @base; the second number with
 * @effective. */
static unsigned long long status_of(pid_t pid, const char *field, int base, bool effective)
{
	char path[64], line[256];
	unsigned long long ret = ~0ull;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *end = line + strlen(field);

		if (strncmp(line, field, strlen(field)) || *end != ':')
			continue;
		ret = strtoull(end + 1, &end, base);
		if (effective)
			ret = strtoull(end, NULL, base);
	}
	fclose(f);
	return ret;
}

/* A worker that was compromised by a hostile file can make only few system calls, and cannot write
 * to any file. */
static void worker_has_minimal_privileges(void **state)
{
	struct fixture *f = *state;
	pid_t worker;

	assert_found(f, 0);
	worker = worker_of(child_of(getpid()));
	assert_int_equal(status_of(worker, "Seccomp", 10, false), 2);
	assert_int_equal(status_of(worker, "NoNewPrivs", 10, false), 1);
	/* The worker has only the capabilities to read any file, to inspect any process, and to
	 * open files that are mapped but deleted. */
	assert_int_equal(status_of(worker, "CapPrm", 16, false) & ~(1ull << 2 | 1ull << 19 | 1ull << 40), 0);
	if (geteuid())
		return;
	assert_int_equal(status_of(worker, "Uid", 10, true), 65534);
	assert_int_equal(status_of(worker, "Gid", 10, true), 65534);
	assert_int_equal(status_of(worker, "CapEff", 16, false), 1ull << 2 | 1ull << 19 | 1ull << 40);
}

static int nice_of(pid_t pid)
{
	return getpriority(PRIO_PROCESS, (id_t)pid);
}

/* The next worker has the new priority, and the worker with the old priority ends. */
static void has_our_priority(void **state)
{
	struct fixture *f = *state;
	const pid_t keeper = child_of(getpid());
	pid_t worker;

	assert_found(f, 0);
	assert_int_equal(nice_of(worker_of(keeper)), nice_of(getpid()));
	opd_finder_set_nice(f->finder, 19);
	assert_found_with_retries(f);
	worker = worker_of(keeper);
	assert_int_equal(nice_of(worker), 19);
	opd_finder_set_nice(NULL, 0);
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(file_is_identified_by_path_and_inode),
		test(executable_of_process_is_identified),
		test(copies_memory_maps),
		test(file_range_is_copied),
		test(descriptor_is_passed_to_socket),
		test(files_are_opened_for_nonblocking_reads),
		test(blocked_worker_is_replaced),
		test(user_whose_process_blocks_is_skipped),
		test(user_of_ended_blocking_process_is_skipped),
		test(user_is_skipped_after_blocked_second_open),
		test(user_is_not_skipped_when_worker_lacks_cpu),
		test(file_is_named_without_finder_answer),
		test(killed_worker_is_replaced),
		test(ended_worker_is_reaped),
		test(worker_inherits_no_descriptors),
		test(worker_has_minimal_privileges),
		test(has_our_priority),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
