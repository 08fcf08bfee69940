// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_code.c -- reads /proc/kcore, an ELF file with the kernel's memory. */
#include "config.h"
#include "pp/image/kernel_code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/raw/elf.h"

#define KCORE "/proc/kcore"
#define MAGIC		"oprofile-kernel-code 1 "
#define HEADER		64
#define MAX_SEGMENTS	4096
#define MAX_CODE	(256u << 20)
#define PIECE		65536

/* Return whether the running kernel is the kernel of @syms: it has the same release and build-id.
 * In another build, an offset from the kernel's start refers to other code. */
static bool is_running(const struct op_kernel_syms *syms)
{
	char hex[2 * RAW_BUILD_ID_MAX + 1] = "", *notes = NULL;
	struct utsname uts;
	const uint8_t *id;
	size_t size = 0;
	uint32_t len;
	int fd;

	if (uname(&uts) || strcmp(uts.release, syms->release))
		return false;
	if (!syms->build_id)
		return true;
	fd = open("/sys/kernel", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!op_read_file(fd, "notes", 65536, &notes, &size)) {
		id = raw_elf_find_build_id(
			(struct raw_elf_notes){ .bytes = (void *)notes, .len = size }, &len);
		for (uint32_t i = 0; id && i < len; i++)
			sprintf(hex + 2 * i, "%02x", id[i]);
	}
	close(fd);
	free(notes);
	return *hex && !strcmp(hex, syms->build_id);
}

/* Find the address of the kernel's code in /proc/kallsyms, which shows 0 instead of addresses to
 * users without permission. */
static int find_core(uint64_t *ret)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512];
	int err = -ENOENT;

	while (f && err && fgets(line, sizeof(line), f)) {
		char *name = strrchr(line, ' ');

		if (name && !strcmp(name, " _stext\n")) {
			*ret = strtoull(line, NULL, 16);
			err = *ret ? 0 : -EACCES;
		}
	}
	if (f)
		fclose(f);
	return err;
}

static int find_module(const struct op_kimage *image, uint64_t *ret)
{
	FILE *f = fopen("/proc/modules", "re");
	char line[4096], name[128];
	int err = -ENOENT;

	while (f && err && fgets(line, sizeof(line), f)) {
		unsigned long long size;
		char *address = strstr(line, " 0x");

		if (sscanf(line, "%127s %llu", name, &size) != 2 || strcmp(name, image->name) ||
		    size != image->size || !address)
			continue;
		*ret = strtoull(address, NULL, 16);
		err = *ret ? 0 : -EACCES;
	}
	if (f)
		fclose(f);
	return err;
}

const char *pp_kernel_code_hindrance(const struct op_kernel_syms *syms)
{
	if (!is_running(syms))
		return NULL;
	if (access(KCORE, F_OK))
		return "this kernel does not have " KCORE ", from which its code could be read";
	return access(KCORE, R_OK) ? "only root may read the code of the running kernel (" KCORE ")"
				   : NULL;
}

static int open_running(struct pp_kernel_code *ret, const struct op_kernel_syms *syms,
			const struct op_kimage *image)
{
	struct pp_kernel_code code = { .fd = -1, .is64 = 1 };
	struct raw_elf_headers headers;
	int err;

	if (!is_running(syms))
		return -ENOENT;
	err = strcmp(image->name, OP_KERNEL_IMAGE) ? find_module(image, &code.base) :
						     find_core(&code.base);
	if (err)
		return err;
	code.fd = open(KCORE, O_RDONLY | O_CLOEXEC);
	if (code.fd < 0)
		return errno == ENOENT ? -ENOENT : -EACCES;
	if (raw_elf_headers_read(&headers, op_read_some_at, &code.fd) || !headers.is_64) {
		close(code.fd);
		return -ENOENT;
	}
	code.machine = headers.machine;
	code.big_endian = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != headers.is_swapped;
	*ret = code;
	return 0;
}

static int open_kept(struct pp_kernel_code *ret, const char *samples_dir, const char *image)
{
	struct pp_kernel_code code = { .fd = -1 };
	char header[HEADER + 1] = "", *path;
	unsigned int machine, bits, big;
	struct stat st;

	if (asprintf(&path, "%s/" PP_KERNEL_CODE_DIR "/%s", samples_dir, image) < 0)
		return -ENOMEM;
	code.fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	free(path);
	if (code.fd < 0)
		return -ENOENT;
	if (fstat(code.fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= HEADER ||
	    pread(code.fd, header, HEADER, 0) != HEADER ||
	    sscanf(header, MAGIC "%u %u %u", &machine, &bits, &big) != 3) {
		close(code.fd);
		return -ENOENT;
	}
	code.machine = machine;
	code.is64 = bits == 64;
	code.big_endian = big != 0;
	code.size = st.st_size - HEADER;
	*ret = code;
	return 0;
}

int pp_kernel_code_open(struct pp_kernel_code *ret, const struct op_kernel_syms *syms,
			const struct op_kimage *image, char *const *samples_dirs, size_t nr)
{
	int err = -ENOENT;

	for (size_t i = 0; i < nr && err == -ENOENT; i++)
		err = open_kept(ret, samples_dirs[i], image->name);
	return err == -ENOENT ? open_running(ret, syms, image) : err;
}

void pp_kernel_code_close(struct pp_kernel_code *code)
{
	if (code->fd >= 0)
		close(code->fd);
	code->fd = -1;
}

/* Find the offset of @address in /proc/kcore, and the number of bytes from @address to the end of
 * its segment. */
static int find_segment(int fd, uint64_t address, uint64_t *offset, uint64_t *left)
{
	struct raw_elf_headers headers;
	struct raw_elf_segment s;

	if (raw_elf_headers_read(&headers, op_read_some_at, &fd) || headers.nr > MAX_SEGMENTS)
		return -ENOENT;
	for (unsigned int i = 0; i < headers.nr; i++) {
		if (raw_elf_segment_read(&s, &headers, i))
			return -ENOENT;
		if (s.type != PT_LOAD || address < s.vaddr || address - s.vaddr >= s.memory_size)
			continue;
		*offset = s.offset + (address - s.vaddr);
		*left = s.memory_size - (address - s.vaddr);
		return 0;
	}
	return -ENOENT;
}

size_t pp_kernel_code_read(const struct pp_kernel_code *code, uint64_t key, void *buf, size_t size)
{
	uint64_t offset = HEADER + key, left = key < code->size ? code->size - key : 0;
	ssize_t n;

	if (!code->size && find_segment(code->fd, code->base + key, &offset, &left))
		return 0;
	n = pread(code->fd, buf, size < left ? size : left, offset);
	return n < 0 ? 0 : n;
}

static int copy_code(const struct pp_kernel_code *code, uint64_t size, int to)
{
	char header[HEADER + 1], buf[PIECE];
	int err;

	memset(header, '\n', HEADER);
	header[snprintf(header, HEADER, MAGIC "%u %u %u", code->machine, code->is64 ? 64 : 32,
			code->big_endian)] = '\n';
	err = op_write_all(to, header, HEADER);
	for (uint64_t at = 0; at < size && !err;) {
		size_t want = size - at < PIECE ? size - at : PIECE;
		size_t n = pp_kernel_code_read(code, at, buf, want);

		/* Fill missing pages, such as freed boot code, with zeros. */
		memset(buf + n, 0, want - n);
		err = op_write_all(to, buf, want);
		at += want;
	}
	return err;
}

int pp_kernel_code_copy(const struct pp_kernel_code *code, const struct op_kimage *image,
			int samples_dirfd)
{
	char path[256];
	int fd, err;

	if (strchr(image->name, '/') || image->size > MAX_CODE || strlen(image->name) > 200)
		return -EINVAL;
	snprintf(path, sizeof(path), PP_KERNEL_CODE_DIR "/%s", image->name);
	err = op_make_parents(samples_dirfd, path, 0700);
	if (err)
		return err;
	fd = openat(samples_dirfd, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	err = copy_code(code, image->size, fd);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlinkat(samples_dirfd, path, 0);
	return err;
}
