// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_kernel_syms.c -- fuzzes the reader of kernel symbol snapshots.
 */
#include "config.h"

#include "libop/base/error.h"
#include "libop/session/kernel_syms.h"
#include "tests/fuzz/fuzz.h"

static void look_up(const struct op_kimage *image, uint64_t offset)
{
	const struct op_ksym *sym = op_kimage_lookup(image, offset);

	fuzz_require(!sym || sym->offset <= offset);
	fuzz_require(!sym || sym + 1 == image->syms + image->nr_syms || sym[1].offset > offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_kernel_syms s;
	/* Copy without a terminating NUL, so that ASan detects a read past the end. */
	char *text = malloc(size + !size);
	int err;

	fuzz_require(text);
	memcpy(text, data, size);
	err = op_kernel_syms_parse(&s, text, size);
	free(text);
	if (err) {
		fuzz_require(err == OP_ERR_KSYMS || err == OP_ERR_KSYMS_VERSION);
		return 0;
	}
	for (size_t i = 0; i < s.nr_images; i++) {
		look_up(&s.images[i], 0);
		look_up(&s.images[i], UINT64_MAX);
		for (size_t j = 0; j < s.images[i].nr_syms; j++)
			look_up(&s.images[i], s.images[i].syms[j].offset);
		fuzz_require(op_kernel_syms_image(&s, s.images[i].name));
	}
	op_kernel_syms_release(&s);
	return 0;
}
