// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow-files.c -- runs a program from a user's own file system (FUSE), below an overlay, both
 * mounted in a user namespace. The file system answers only requests of this program.
 *
 * usage: slow-files DEVICE DIR PROGRAM lookup|read|flush
 * DEVICE: /dev/fuse, or a device like it. DIR: an empty directory. The last argument is the request
 * of other processes that is never answered: any lookup, reading a part that the program itself has
 * not read, or closing. Prints "asked by PID" for each process that waits.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PROGRAM_NODE	2

static char buf[1 << 20];
static char *program;
static size_t program_size;

__attribute__((format(printf, 3, 4)))
static void put(const char *dir, const char *name, const char *fmt, ...)
{
	char path[4096];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f)
		err(1, "%s", path);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	if (fclose(f))
		err(1, "%s", path);
}

static void reply(int fd, const struct fuse_in_header *h, int error, const void *data, size_t len)
{
	struct fuse_out_header out = { .len = sizeof(out) + len, .error = error, .unique = h->unique };
	struct iovec iov[] = { { &out, sizeof(out) }, { (void *)data, len } };

	if (writev(fd, iov, 2) < 0 && errno != ENOENT)
		err(1, "reply to request %u", h->opcode);
}

static struct fuse_attr attr_of(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node, .mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0755, .nlink = 1,
		.size = node == FUSE_ROOT_ID ? 0 : program_size, .mtime = 1000000000, .blksize = 4096,
	};
}

static void begin(int fd, const struct fuse_in_header *h)
{
	struct fuse_init_out out = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096,
				     .max_background = 16, .congestion_threshold = 12 };

	reply(fd, h, 0, &out, sizeof(out));
}

static void serve(int fd, const struct fuse_in_header *h)
{
	const void *in = h + 1;

	switch (h->opcode) {
	case FUSE_INIT:
		begin(fd, h);
		break;
	case FUSE_LOOKUP: {
		/* Names stay valid for long: otherwise the kernel would repeat the lookup with the
		 * process's user id, which the namespace does not map. */
		struct fuse_entry_out out = { .nodeid = PROGRAM_NODE, .entry_valid = 100000,
					      .attr = attr_of(PROGRAM_NODE) };

		if (strcmp(in, "prog"))
			reply(fd, h, -ENOENT, NULL, 0);
		else
			reply(fd, h, 0, &out, sizeof(out));
		break;
	}
	case FUSE_GETATTR: {
		struct fuse_attr_out out = { .attr = attr_of(h->nodeid) };

		reply(fd, h, 0, &out, sizeof(out));
		break;
	}
	case FUSE_OPEN:
	case FUSE_OPENDIR: {
		struct fuse_open_out out = { .fh = 1, .open_flags = FOPEN_KEEP_CACHE };

		reply(fd, h, 0, &out, sizeof(out));
		break;
	}
	case FUSE_READ: {
		const struct fuse_read_in *r = in;
		size_t left = r->offset < program_size ? program_size - r->offset : 0;

		reply(fd, h, 0, program + r->offset, left < r->size ? left : r->size);
		break;
	}
	case FUSE_STATFS: {
		struct fuse_statfs_out out = { .st.bsize = 4096, .st.namelen = 255 };

		reply(fd, h, 0, &out, sizeof(out));
		break;
	}
	case FUSE_READDIR:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
		reply(fd, h, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(fd, h, -ENOSYS, NULL, 0);
	}
}

static void serve_only(int fd, pid_t pid, const char *what)
{
	const struct fuse_in_header *h = (const void *)buf;

	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf) - 1);
		bool others, slow;

		if (n < 0 && (errno == EINTR || errno == ENOENT))
			continue;
		if (n <= 0)
			exit(0);
		buf[n] = '\0';
		others = h->pid && (pid_t)h->pid != pid && h->opcode != FUSE_FORGET &&
			h->opcode != FUSE_BATCH_FORGET && h->opcode != FUSE_INTERRUPT && h->opcode != FUSE_RELEASE;
		slow = *what == 'l' || (*what == 'r' && h->opcode == FUSE_READ) ||
			(*what == 'f' && h->opcode == FUSE_FLUSH);
		if (others && slow) {
			printf("asked by %u for %u\n", h->pid, h->opcode);
			fflush(stdout);
		} else {
			serve(fd, h);
		}
	}
}

static void read_program(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", path);
	program_size = st.st_size;
	program = malloc(program_size);
	if (!program || read(fd, program, program_size) != (ssize_t)program_size)
		err(1, "%s", path);
	close(fd);
}

int main(int argc, char **argv)
{
	char dir[1024], path[1100], options[2200];
	uid_t uid = getuid();
	gid_t gid = getgid();
	int fd;

	if (argc != 5)
		errx(2, "usage: slow-files DEVICE DIR PROGRAM lookup|read|flush");
	snprintf(dir, sizeof(dir), "%s", argv[2]);
	read_program(argv[3]);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		err(77, "a user namespace");
	put("/proc/self", "setgroups", "deny");
	put("/proc/self", "uid_map", "0 %u 1", uid);
	put("/proc/self", "gid_map", "0 %u 1", gid);
	fd = open(argv[1], O_RDWR);
	if (fd < 0 || mount("none", dir, "tmpfs", 0, NULL))
		err(77, "%s, %s", argv[1], dir);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, (const char *[]){ "low", "empty", "seen" }[i]);
		if (mkdir(path, 0755))
			err(1, "%s", path);
	}
	snprintf(path, sizeof(path), "%s/low", dir);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40755,user_id=0,group_id=0,allow_other", fd);
	if (mount("slow", path, "fuse", MS_NODEV | MS_NOSUID, options))
		err(77, "a FUSE mount of a user's");
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve_only(fd, getppid(), argv[4]);
	}
	close(fd);
	snprintf(path, sizeof(path), "%s/seen", dir);
	snprintf(options, sizeof(options), "lowerdir=%s/low:%s/empty", dir, dir);
	if (mount("overlay", path, "overlay", MS_NODEV | MS_NOSUID, options))
		err(77, "an overlay of a user's");
	snprintf(path, sizeof(path), "%s/seen/prog", dir);
	fflush(stdout);
	/* From here on, discard the server's output. */
	freopen("/dev/null", "w", stdout);
	execl(path, "prog", NULL);
	err(1, "%s", path);
}
