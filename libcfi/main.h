/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.h -- the function main() of an ELF file. */
#ifndef LIBCFI_MAIN_H
#define LIBCFI_MAIN_H

#include <stdbool.h>

#include "libcfi/elf.h"

/*
 * Find main() by its symbol or, in a stripped x86_64 program, as the address that the code at the
 * entry point passes on in rdi. Set *@offset to the file offset of main(), and *@size to its number
 * of bytes; *@size is 0 if only the begin is known. Return whether main() is found.
 */
bool cfi_main_find(const struct cfi_elf *elf, __u64 *offset, __u64 *size);

#endif
