/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argv.h -- the arguments of a program, found from where its environment is and nothing else.
 *
 * A library that was preloaded, or an object in a static program, knows `environ`, and main()'s argv belongs to others.
 * Below environ[0] lies the NULL that ends argv, and below that the last argument: environ[-2]. All strings of argv lie
 * back to back, so none is above the end of that last one. Where argv begins nothing says exactly: below lies argc, or
 * whatever the C library's start code kept there; a word of that is taken for an argument only if it points to a
 * string that ends where the string before known ones begins, which chance does not bring about.
 */
#ifndef LIBOP_RAW_ARGV_H
#define LIBOP_RAW_ARGV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/read.h"

struct raw_argv {
	uint64_t argv;		/* address of argv[0] */
	uint64_t first;		/* argv[0]: address of its string */
	uint64_t end;		/* behind the last string's NUL */
	size_t argc;
};

/*
 * Looks around the address @environ, in words of @word bytes (4 or 8, least significant first as here). No memory is
 * touched but through @read, so nothing can fault. -ENOENT: that is no environment as the kernel made it: it has
 * moved (setenv() does that), or was made by somebody else.
 */
int raw_argv_find(struct raw_argv *ret, uint64_t environ, unsigned int word, raw_read_fn read, void *arg);

/* The string at @at, cut off at @size - 1. Its length, or -EFAULT. */
long raw_argv_string(char *buf, size_t size, uint64_t at, raw_read_fn read, void *arg);

#endif
