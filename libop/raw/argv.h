/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argv.h -- search for a program's arguments from the address of its environment.
 *
 * A preloaded library, or an object in a static program, knows `environ` but not main()'s argv. In
 * memory, the NULL that ends argv is just below environ[0], so the last argument is environ[-2].
 * The strings of the arguments are adjacent in memory, the last argument's at the highest address.
 * The start of argv is not marked: below it is argc, or a word of the C library's start code. So a
 * word counts as an argument only if it points to a string that ends where the lowest known string
 * begins; a word of other data does not fulfil this condition by chance.
 */
#ifndef LIBOP_RAW_ARGV_H
#define LIBOP_RAW_ARGV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/read.h"

struct raw_argv {
	uint64_t argv;		/* address of the element argv[0] */
	uint64_t first;		/* address of the string to which argv[0] points */
	uint64_t end;		/* address after the NUL of the last argument's string */
	size_t argc;
};

/*
 * Search from @environ, the address of the environment. Words have @word bytes (4 or 8) in this
 * machine's byte order. All memory is read by @read, so an invalid address does not cause a fault.
 * Return 0, or -ENOENT if @environ is not the environment that the kernel has created; for example,
 * setenv() moves it.
 */
int raw_argv_find(struct raw_argv *ret, uint64_t environ, unsigned int word, raw_read_fn read,
		  void *arg);

/* Read the string at @at, truncated to @size - 1 bytes. Return its length, or -EFAULT. */
long raw_argv_string(char *buf, size_t size, uint64_t at, raw_read_fn read, void *arg);

#endif
