// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_births.c -- list of forks, to find the ancestor from which a process inherited JIT code. */
#include "config.h"
#include "daemon/image/jit_births.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOTS		16384
/* number of the field startstack in /proc/PID/stat; the state is field 3 */
#define STACK_FIELD	28

struct birth {
	/* .parent is 0 after an exec: the process then no longer has a copy of its parent's
	 * memory */
	pid_t tgid, parent;
	int64_t size;
	unsigned int program;
};

struct opd_jit_births {
	const char *proc_dir;
	struct birth slots[SLOTS];
};

struct opd_jit_births *opd_jit_births_create(const char *proc_dir)
{
	struct opd_jit_births *births = calloc(1, sizeof(*births));

	if (births)
		births->proc_dir = proc_dir;
	return births;
}

void opd_jit_births_destroy(struct opd_jit_births *births)
{
	free(births);
}

static struct birth *slot_of(struct opd_jit_births *births, pid_t tgid)
{
	return &births->slots[(unsigned int)tgid % SLOTS];
}

void opd_jit_births_add(struct opd_jit_births *births, pid_t tgid, pid_t parent, int64_t size,
			  unsigned int program)
{
	*slot_of(births, tgid) = (struct birth){ tgid, parent, size, program };
}

void opd_jit_births_drop(struct opd_jit_births *births, pid_t tgid)
{
	*slot_of(births, tgid) = (struct birth){ .tgid = tgid };
}

/* Read, from /proc, the parent of process @tgid and the start address of the process's stack.
 * Return false if the kernel hides the parent or the address. */
static bool read_stat(const struct opd_jit_births *births, pid_t tgid, pid_t *parent,
		      unsigned long *stack)
{
	char path[4096], text[1024], *at;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/%d/stat", births->proc_dir, (int)tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	/* Search for the last parenthesis: the name of the process, in parentheses, may contain
	 * blanks and parentheses. */
	at = strrchr(text, ')');
	if (!at || sscanf(at, ") %*c %d", parent) != 1)
		return false;
	for (int field = 2; at && field < STACK_FIELD; field++)
		at = strchr(at + 1, ' ');
	*stack = at ? strtoul(at, NULL, 10) : 0;
	/* To users without permission, the kernel reports 0 or 1 instead of the stack's address. */
	return *stack > 1;
}

static bool read_ancestor(const struct opd_jit_births *births, pid_t tgid,
			  struct opd_jit_ancestor *ret)
{
	unsigned long stack, parents_stack;
	pid_t parent, grandparent;

	if (!read_stat(births, tgid, &parent, &stack) || parent <= 1 ||
	    !read_stat(births, parent, &grandparent, &parents_stack) || stack != parents_stack)
		return false;
	*ret = (struct opd_jit_ancestor){ .tgid = parent, .size = -1 };
	return true;
}

size_t opd_jit_births_line(const struct opd_jit_births *births, pid_t tgid,
			   struct opd_jit_ancestor ret[OPD_JIT_GENERATIONS])
{
	size_t nr = 0;

	while (nr < OPD_JIT_GENERATIONS) {
		const struct birth *birth = &births->slots[(unsigned int)tgid % SLOTS];

		if (birth->tgid == tgid && !birth->parent)
			break;
		if (birth->tgid == tgid)
			ret[nr] = (struct opd_jit_ancestor){birth->parent, birth->size,
							    birth->program};
		else if (!read_ancestor(births, tgid, &ret[nr]))
			break;
		tgid = ret[nr++].tgid;
	}
	return nr;
}
