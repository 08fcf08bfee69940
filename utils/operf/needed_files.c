// SPDX-License-Identifier: GPL-2.0-or-later
/* needed_files.c -- finds the files that a program maps at its start, from the first line of a
 * script, the program headers of an ELF file, and the output of the dynamic loader. */
#include "config.h"
#include "utils/operf/needed_files.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/clock.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/raw/elf.h"
#include "utils/shared/run_command.h"

#define HEAD_BYTES	4096
/* maximum number of nested scripts (scripts whose interpreter is a script), as in the kernel */
#define MAX_SCRIPTS	4
#define MAX_FILES	1024
#define MAX_LIST	(1u << 20)
#define LIST_MS		1000

extern char **environ;

/* The first bytes of a file, terminated by a NUL. */
struct head {
	size_t size;
	char bytes[HEAD_BYTES + 1];
};

/* Map the file @path, and read its first bytes. Return false if it is not a readable regular
 * file. */
static bool map_file(struct needed_files *n, const char *path, struct head *head)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	bool readable = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
			op_read_all_at(fd, head->bytes, HEAD_BYTES, 0, &head->size) == 0;

	if (readable) {
		head->bytes[head->size] = '\0';
		if (n->nr < MAX_FILES && !op_grow(&n->maps, n->nr)) {
			n->maps[n->nr] = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
			n->nr += n->maps[n->nr] != MAP_FAILED;
		}
	}
	if (fd >= 0)
		close(fd);
	return readable;
}

/* Return the path of the program that interprets the script with the first line @head, or NULL. For
 * "env NAME" return the path of NAME. The caller frees the path. */
static char *interpreter_of(struct head *head)
{
	struct op_reason unheard = { "" };
	char *save, *word, *path = NULL;

	if (strncmp(head->bytes, "#!", 2))
		return NULL;
	head->bytes[strcspn(head->bytes, "\n")] = '\0';
	word = strtok_r(head->bytes + 2, " \t", &save);
	if (!word || *word != '/')
		return NULL;
	if (strcmp(strrchr(word, '/'), "/env"))
		return strdup(word);
	while ((word = strtok_r(NULL, " \t", &save)) && (*word == '-' || strchr(word, '=')))
		;
	return word && run_command_find(&path, word, &unheard) == 0 ? path : NULL;
}

static long read_head(void *arg, uint64_t at, void *buf, size_t len)
{
	const struct head *head = arg;

	if (at >= head->size)
		return 0;
	if (len > head->size - at)
		len = head->size - at;
	memcpy(buf, head->bytes + at, len);
	return len;
}

/* Return the path of the dynamic loader that the ELF file with the first bytes @head requests, or
 * NULL. Return NULL for a file of another word size. */
static const char *loader_of(struct head *head)
{
	struct raw_elf_headers headers;
	struct raw_elf_segment s;

	if (raw_elf_headers_read(&headers, read_head, head) || headers.is_swapped ||
	    headers.is_64 != (sizeof(void *) == 8))
		return NULL;
	for (unsigned int i = 0; !raw_elf_segment_read(&s, &headers, i); i++)
		if (s.type == PT_INTERP)
			return s.offset < head->size && head->bytes[s.offset] == '/' ?
				       head->bytes + s.offset : NULL;
	return NULL;
}

/* Start "@loader --list @path", which lists the libraries of @path. Return the read end of a pipe
 * with its output, or -1. */
static int start_list(pid_t *pid, const char *loader, const char *path)
{
	char *const argv[] = { (char *)loader, (char *)"--list", (char *)path, NULL };
	posix_spawn_file_actions_t actions;
	int fds[2], err;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	err = posix_spawn_file_actions_init(&actions);
	if (!err) {
		posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
		posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
		err = posix_spawn(pid, loader, &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(fds[1]);
	if (err) {
		close(fds[0]);
		return -1;
	}
	return fds[0];
}

/* Read @fd to the end, for at most LIST_MS milliseconds. Return the text, which the caller frees,
 * or NULL. */
static char *read_list(int fd)
{
	uint64_t now = op_now_ms(), end = now + LIST_MS;
	char *text = malloc(MAX_LIST + 1);
	size_t size = 0;
	ssize_t got = 1;

	while (text && got > 0 && size < MAX_LIST && now < end) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

		if (poll(&poll_fd, 1, (int)(end - now)) == 1) {
			got = read(fd, text + size, MAX_LIST - size);
			size += got > 0 ? (size_t)got : 0;
		}
		now = op_now_ms();
	}
	if (text)
		text[size] = '\0';
	return text;
}

/* Map the libraries that "@loader --list @path" prints, in lines "NAME => PATH (ADDRESS)" or "PATH
 * (ADDRESS)". */
static void map_libraries(struct needed_files *n, const char *loader, const char *path)
{
	struct head head;
	char *text, *save, *line;
	pid_t pid;
	int fd = start_list(&pid, loader, path);

	if (fd < 0)
		return;
	text = read_list(fd);
	close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *file = strchr(line, '/'), *end = file ? strstr(file, " (0x") : NULL;
		char *arrow = strstr(line, " => /");

		if (!end)
			continue;
		*end = '\0';
		map_file(n, arrow && arrow < end ? arrow + strlen(" => ") : file, &head);
	}
	free(text);
}

void needed_files_map(struct needed_files *ret, const char *path)
{
	char *program = strdup(path), *next;
	const char *loader;
	struct head head, unused;

	*ret = (struct needed_files){ 0 };
	for (int i = 0; program && map_file(ret, program, &head) && i < MAX_SCRIPTS; i++) {
		next = interpreter_of(&head);
		if (!next) {
			loader = loader_of(&head);
			if (loader && strchr(program, '/') && map_file(ret, loader, &unused))
				map_libraries(ret, loader, program);
			break;
		}
		free(program);
		program = next;
	}
	free(program);
}

void needed_files_unmap(struct needed_files *n)
{
	while (n->nr)
		munmap(n->maps[--n->nr], 1);
	free(n->maps);
	n->maps = NULL;
}
