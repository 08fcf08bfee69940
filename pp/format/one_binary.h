/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * one_binary.h -- the samples of one binary, for files that describe a single binary: gmon.out and
 * the profiles of compilers.
 */
#ifndef PP_FORMAT_ONE_BINARY_H
#define PP_FORMAT_ONE_BINARY_H

#include "pp/format/format.h"

/* Choose the only binary with samples of class @class, or the binary that the specification of the
 * session names. If there are several, refuse and list them in the log. Return 0 or a negative
 * errno. */
int pp_binary_choose(uint32_t *ret, const struct pp_session *session,
		     const struct pp_profile *profile, size_t class, struct pp_log *log);

/* An address that has samples. */
struct pp_address {
	uint64_t vma, count;
};

/* A function with samples. */
struct pp_sampled {
	const struct pp_code *code;
	size_t first, nr;	/* range of the function's addresses in pp_one_binary.addresses */
	uint64_t sum;
};

/* The samples of one build of one binary. The report needs PP_NEED_SYMBOLS, PP_NEED_DETAILS and
 * PP_FORMAT_ONE_CLASS. */
struct pp_one_binary {
	const struct pp_binary *binary;
	struct pp_image *image;		/* image of .binary, open at the sampled build */
	struct pp_image_info info;	/* description of the sampled build, with its debug file */
	/* addresses by function, then in ascending order, each address once */
	struct pp_address *addresses;
	size_t nr_addresses;
	struct pp_sampled *functions;	/* functions that have symbols, in order of address */
	size_t nr_functions;
	uint64_t sum;			/* sum of the samples of .functions */
	uint64_t no_symbol;		/* samples outside of all functions */
	uint64_t other_builds;		/* samples of other builds of the binary */
};

/* Choose the binary, open the build whose file exists, and collect its samples. Refuse a binary
 * whose profiled build is missing. Warn of left-out samples. @consumer: the reader of the file,
 * such as "llvm-bolt", for messages. Return 0 or a negative errno with the cause in the log. */
int pp_one_binary_open(struct pp_one_binary *ret, const struct pp_report *report,
		       const char *consumer);
/* Refuse code that is not in a program or a library, such as the kernel's. @consumer: as for
 * pp_one_binary_open(). Return 0 or -EINVAL with the cause in the log. */
int pp_one_binary_need_file(const struct pp_one_binary *one, const char *consumer,
			    struct pp_log *log);
/* Release the samples, and close the image. Accepts a zeroed struct. */
void pp_one_binary_release(struct pp_one_binary *one);

#endif
