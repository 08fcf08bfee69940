// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pathattack_maps.c -- kinds of pathattack whose address space changes.
 *   forks		four children at a time, which compute and end
 *   vforks	vfork() children that compute in the memory of the stopped parent; some end, some
 * 		execute `pathattack child`
 *   execs		a thread that is not the first one executes the program again
 *   remapped FILE-A FILE-B	the same code at the same address, alternately mapped from two
 * 		files, with an unmap between
 *   libraries FILE...	code of each file calls code of the next file
 * A FILE is pathattack_lib.c, compiled. Function number N (from 0) is called by `even` if N is
 * even, else by `odd`.
 */
#include "tests/kernel/pathattack.h"

#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

KNOWN static void m_inner(void)
{
	spin(20000);
	sink++;
}

KNOWN static void compute(int times)
{
	while (times--)
		c1(m_inner);
}

void forks(char **arg)
{
	(void)arg;
	for (int running = 0;;) {
		if (running == 4 && wait(NULL) > 0)
			running--;
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			compute(20);
			_exit(0);
		}
		running++;
	}
}

void vforks(char **arg)
{
	if (arg[0]) {
		compute(20);
		exit(0);
	}
	for (unsigned int n = 0;; n++) {
		pid_t child = vfork();

		if (!child) {
			compute(20);
			if (n & 1)
				execl("/proc/self/exe", "pathattack", "vforks", "child", NULL);
			_exit(0);
		}
		if (child < 0)
			err(1, "vfork");
		waitpid(child, NULL, 0);
		compute(20);
	}
}

static void *compute_on(void *arg)
{
	compute(1 << 30);
	return arg;
}

static void *exec_soon(void *arg)
{
	compute(50);
	execl("/proc/self/exe", "pathattack", "execs", NULL);
	err(1, "exec");
	return arg;
}

void execs(char **arg)
{
	pthread_t thread;

	(void)arg;
	if (pthread_create(&thread, NULL, compute_on, NULL) || pthread_create(&thread, NULL, exec_soon, NULL))
		errx(1, "no thread");
	compute_on(NULL);
}

typedef void through_fn(void (*next)(unsigned int), unsigned int n);

static int open_lib(const char *path, size_t *size, unsigned long *entry)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	Elf64_Ehdr eh;

	if (fd < 0 || fstat(fd, &st) || pread(fd, &eh, sizeof(eh), 0) != sizeof(eh))
		err(1, "%s", path);
	*size = st.st_size;
	*entry = eh.e_entry;
	return fd;
}

static through_fn *map_lib(int fd, size_t size, unsigned long entry, char *where)
{
	char *at = mmap(where, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | (where ? MAP_FIXED_NOREPLACE : 0), fd, 0);
	through_fn *through;

	if (at == MAP_FAILED)
		err(1, "mmap");
	*(void **)&through = at + entry;
	return through;
}

static through_fn *file_code[2];

KNOWN static void even(unsigned int n)
{
	(void)n;
	c1(m_inner);
	sink++;
}

KNOWN static void odd(unsigned int n)
{
	(void)n;
	c1(m_inner);
	sink++;
}

void remapped(char **arg)
{
	char *where = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long entry[2];
	size_t size[2];
	int fd[2];

	for (int i = 0; i < 2; i++)
		fd[i] = open_lib(arg[i], &size[i], &entry[i]);
	munmap(where, 1 << 20);
	for (unsigned int n = 0;; n++) {
		int i = n & 1;

		file_code[i] = map_lib(fd[i], size[i], entry[i], where);
		file_code[i](i ? odd : even, 0);
		munmap(where, size[i]);
	}
}

static through_fn **libs;
static unsigned int nr_libs;

#define DEEP	40	/* number of files through which a path leads */

KNOWN static void to_next_lib(unsigned int n)
{
	if (n % DEEP)
		libs[n % nr_libs](to_next_lib, n + 1);
	else
		c1(m_inner);
	sink++;
}

void libraries(char **arg)
{
	while (arg[nr_libs])
		nr_libs++;
	libs = calloc(nr_libs, sizeof(*libs));
	for (unsigned int i = 0; i < nr_libs; i++) {
		unsigned long entry;
		size_t size;
		int fd = open_lib(arg[i], &size, &entry);

		libs[i] = map_lib(fd, size, entry, NULL);
		close(fd);
	}
	for (unsigned int n = 0;; n += DEEP)
		libs[n % nr_libs](to_next_lib, n + 1);
}
