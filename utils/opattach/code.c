// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code.c -- mapping a code image of opattach (libop/raw/mapped.h) into a process that has no
 * dynamic loader: the process is made to map memory, and opattach writes the code to it.
 */
#include "config.h"
#include "utils/opattach/code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "utils/opprobe/program.h"

#define MAX_FILE	(1u << 20)
#define USER_END	(1ULL << 47)
/* maximum number of attempts, because another mapping may take the chosen address first */
#define TURNS		5

_Static_assert(_Alignof(struct raw_mapped) <= 16, "at the beginning of what malloc() gives");

static bool is_head(const struct raw_mapped *head)
{
	return !memcmp(head->magic, RAW_MAPPED_MAGIC, sizeof(head->magic)) &&
	       head->version == RAW_MAPPED_VERSION && head->data < head->end &&
	       head->end <= MAX_FILE && !(head->data % RAW_MAPPED_PAGE) &&
	       !(head->end % RAW_MAPPED_PAGE) && head->on < head->data && head->off < head->data &&
	       head->state >= head->data && head->state < head->end;
}

/* Search the process for anonymous executable memory that begins with the head of a code image. */
bool attach_code_find(struct attach *a, struct attach_code *ret)
{
	for (size_t i = 0; i < a->images.nr; i++) {
		const struct attach_image *image = &a->images.items[i];

		if (image->inode ||
		    !attach_target_read(&a->target, image->start, &ret->head, sizeof(ret->head)) ||
		    !is_head(&ret->head))
			continue;
		ret->at = image->start;
		return true;
	}
	return false;
}

static int read_file(const char *path, unsigned char buf[MAX_FILE], struct op_reason *error)
{
	const struct raw_mapped *head = (const struct raw_mapped *)buf;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, buf, MAX_FILE) : -1;
	int err = got < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	if (err)
		return op_fail(error, err, "%s: %s", path, strerror(-err));
	return got >= (ssize_t)sizeof(*head) && is_head(head) && got == head->end ? 0 :
	       op_fail(error, -EINVAL, "%s is of another version than opattach", path);
}

/*
 * Return an address in the middle of the largest gap between mappings, far from the heap, the stack
 * and later mappings; or 0 if no gap is large enough.
 */
static uint64_t find_place(const struct attach_target *t, uint64_t size)
{
	int fd = openat(t->proc, "maps", O_RDONLY | O_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	unsigned long long start, end, last = RAW_MAPPED_PAGE, place = 0, largest = 2 * size;
	char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0 && sscanf(line, "%llx-%llx", &start, &end) == 2 &&
	       start < USER_END) {
		if (start > last && start - last > largest) {
			largest = start - last;
			place = last + largest / 2;
		}
		last = end;
	}
	free(line);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return place & ~(uint64_t)(RAW_MAPPED_PAGE - 1);
}

/*
 * Return whether there is a mapping at @at as just requested: anonymous, of @size bytes, writable
 * and not executable.
 */
static bool is_mapped(const struct attach_target *t, uint64_t at, uint64_t size)
{
	int fd = openat(t->proc, "maps", O_RDONLY | O_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	char *line = NULL, wanted[64];
	bool found = false;
	size_t room = 0;

	snprintf(wanted, sizeof(wanted), "%llx-%llx rw-p 00000000 00:00 0 ", (unsigned long long)at,
		 (unsigned long long)(at + size));
	while (f && !found && getline(&line, &room, f) > 0)
		found = !strncmp(line, wanted, strlen(wanted));
	free(line);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return found;
}

static int map_memory(struct attach *a, uint64_t size, uint64_t *at, struct op_reason *error)
{
	int err = 0;

	for (int turn = 0; turn < TURNS && !err; turn++) {
		*at = find_place(&a->target, size);
		err = attach_system_call(a, (struct attach_call){ .number = SYS_mmap, .args = {
			*at, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0 } }, error);
		if (!err && is_mapped(&a->target, *at, size))
			return 0;
	}
	return err ? err :
		     op_fail(error, -ENOMEM, "the process is not permitted to have more memory");
}

/* Write the code image to the new memory, without the zeros at its end. */
static int fill(struct attach *a, uint64_t at, const unsigned char *buf, size_t len)
{
	while (len && !buf[len - 1])
		len--;
	return attach_target_write(&a->target, at, buf, len) ? 0 : -EFAULT;
}

static int map(struct attach *a, const unsigned char *buf, struct attach_code *ret,
	       struct op_reason *error)
{
	const struct raw_mapped *head = (const struct raw_mapped *)buf;
	uint64_t at;
	int err = map_memory(a, head->end, &at, error);

	if (err)
		return err;
	err = fill(a, at, buf, head->end);
	if (err)
		return attach_target_refused(
			&a->target, attach_target_is_there(&a->target) ? err : -ESRCH, error);
	err = attach_system_call(
		a,
		(struct attach_call){.number = SYS_mprotect,
				     .args = {at, head->data, PROT_READ | PROT_EXEC}},
		error);
	if (err)
		return err;
	if (!attach_images_read(&a->images, &a->target) && attach_code_find(a, ret))
		return 0;
	err = attach_system_call(
		a, (struct attach_call){.number = SYS_munmap, .args = {at, head->end}}, error);
	return err ? err :
		     op_fail(error, -EACCES,
			     "a security module forbids the process to execute code that it has "
			     "written");
}

int attach_code_map(struct attach *a, const char *name, struct attach_code *ret,
		    struct op_reason *error)
{
	unsigned char *buf = malloc(MAX_FILE);
	struct op_reason cause = { "" };
	char *path = NULL;
	int err = buf ? probe_library_find(&path, name, &cause) : -ENOMEM;

	if (err)
		op_fail(error, err, "%s", buf ? cause.text : "out of memory");
	if (!err)
		err = read_file(path, buf, error);
	if (!err)
		err = map(a, buf, ret, error);
	free(path);
	free(buf);
	return err;
}
