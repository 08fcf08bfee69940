// SPDX-License-Identifier: GPL-2.0-or-later
/* unpack.c -- decompression by zlib, zstd and lzma, which dlopen() loads. */
#include "config.h"
#include "pp/image/unpack.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

#define MAX_XZ_MEMORY	(128u << 20)	/* maximum memory that lzma's decoder may use, in bytes */

static const char *const libraries[] = {
	[PP_PACKED_ZLIB] = "libz.so.1",
	[PP_PACKED_ZSTD] = "libzstd.so.1",
	[PP_PACKED_XZ] = "liblzma.so.5",
};

static const char *const functions[] = {
	[PP_PACKED_ZLIB] = "uncompress",
	[PP_PACKED_ZSTD] = "ZSTD_decompress",
	[PP_PACKED_XZ] = "lzma_stream_buffer_decode",
};

/* Types of functions of zlib, zstd and lzma, as in their manuals. */
typedef int (*zlib_fn)(unsigned char *out, unsigned long *room, const unsigned char *in,
		       unsigned long size);
typedef size_t (*zstd_fn)(void *out, size_t room, const void *in, size_t size);
typedef int (*xz_fn)(uint64_t *memory, uint32_t flags, const void *allocator, const uint8_t *in,
		     size_t *in_pos, size_t size, uint8_t *out, size_t *out_pos, size_t room);

static int unzlib(zlib_fn fn, const void *in, size_t size, void *out, size_t room, size_t *ret_size)
{
	unsigned long out_size = room;

	if (fn(out, &out_size, in, size))
		return -ENOEXEC;
	*ret_size = out_size;
	return 0;
}

static int unzstd(zstd_fn fn, const void *in, size_t size, void *out, size_t room, size_t *ret_size)
{
	size_t n = fn(out, room, in, size);

	/* zstd returns an error as a negative code in an unsigned number, which is larger than any
	 * size */
	if (n > room)
		return -ENOEXEC;
	*ret_size = n;
	return 0;
}

static int unxz(xz_fn fn, const void *in, size_t size, void *out, size_t room, size_t *ret_size)
{
	uint64_t memory = MAX_XZ_MEMORY;
	size_t in_pos = 0, out_pos = 0;

	if (fn(&memory, 0, NULL, in, &in_pos, size, out, &out_pos, room))
		return -ENOEXEC;
	*ret_size = out_pos;
	return 0;
}

int pp_unpack(enum pp_packing packing, const void *in, size_t size, void *out, size_t room,
	      size_t *ret_size)
{
	/* RTLD_NODELETE: the library stays loaded after dlclose(). */
	void *library = dlopen(libraries[packing], RTLD_NOW | RTLD_NODELETE);
	void *fn = library ? dlsym(library, functions[packing]) : NULL;
	int err = -ENOSYS;

	if (fn && packing == PP_PACKED_ZLIB)
		err = unzlib((zlib_fn)fn, in, size, out, room, ret_size);
	else if (fn && packing == PP_PACKED_ZSTD)
		err = unzstd((zstd_fn)fn, in, size, out, room, ret_size);
	else if (fn)
		err = unxz((xz_fn)fn, in, size, out, room, ret_size);
	if (library)
		dlclose(library);
	return err;
}

void pp_unpack_load(void)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_NOW | RTLD_NODELETE);

		if (library)
			dlclose(library);
	}
}

const char *pp_unpack_library(enum pp_packing packing)
{
	return libraries[packing];
}
