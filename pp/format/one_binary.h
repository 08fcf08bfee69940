/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * one_binary.h -- the samples of one binary, for formats that describe a single binary: gmon.out,
 * and profiles for compilers.
 */
#ifndef PP_FORMAT_ONE_BINARY_H
#define PP_FORMAT_ONE_BINARY_H

#include "pp/format/format.h"

/* Choose the only binary with samples of the class @class (of the event, for example), or the
 * binary that the session's specification names. If several binaries remain, fail and list the
 * binaries in the log. Return 0 or a negative errno. */
int pp_binary_choose(uint32_t *ret, const struct pp_session *session,
		     const struct pp_profile *profile, size_t class, struct pp_log *log);

/* An address of the binary that has samples. */
struct pp_address {
	uint64_t vma, count;
};

/* A function of the binary that has samples. */
struct pp_sampled {
	const struct pp_code *code;
	/* the function's addresses are pp_one_binary.addresses[first] to [first + nr - 1] */
	size_t first, nr;
	uint64_t sum;
};

/* The samples of one build of one binary. The report needs PP_NEED_SYMBOLS, PP_NEED_DETAILS and
 * PP_FORMAT_ONE_CLASS. */
struct pp_one_binary {
	const struct pp_binary *binary;
	struct pp_image *image;		/* image of .binary, with the sampled build current */
	struct pp_image_info info;	/* information about the sampled build and its debug file */
	/* sampled addresses, sorted by function, then address, without duplicates */
	struct pp_address *addresses;
	size_t nr_addresses;
	/* functions that have samples and symbols, sorted by address */
	struct pp_sampled *functions;
	size_t nr_functions;
	uint64_t sum;			/* sum of the samples of all .functions */
	uint64_t no_symbol;		/* number of samples in the binary outside all functions */
	uint64_t other_builds;		/* number of samples of the binary's other builds */
};

/* Choose the binary, make the profiled build current, and collect its samples. Fail if the profiled
 * build's file is missing. Warn about ignored samples. @consumer: the program that reads the
 * output, such as "llvm-bolt", for messages. Return 0 or a negative errno with the cause in the
 * log. The caller releases *@ret. */
int pp_one_binary_open(struct pp_one_binary *ret, const struct pp_report *report,
		       const char *consumer);
/* Fail if the binary is not a program or library, but the kernel, for example. @consumer: as for
 * pp_one_binary_open(). Return 0 or -EINVAL with the cause in the log. */
int pp_one_binary_need_file(const struct pp_one_binary *one, const char *consumer,
			    struct pp_log *log);
/* Free the samples, and close the image. @one may be zeroed. */
void pp_one_binary_release(struct pp_one_binary *one);

#endif
