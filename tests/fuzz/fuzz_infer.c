// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_infer.c -- fuzzes the inference of unwind rules from code. The first byte selects the
 * machine and the request: all rules of the code, the rule at an address, the exits from an
 * address, or the outermost functions (with the bytes as Go's table of functions).
 */
#include "config.h"

#include "libcfi/exits.h"
#include "libcfi/go_functions.h"
#include "libcfi/infer.h"
#include "tests/fuzz/fuzz.h"

struct bytes {
	const unsigned char *at;
	size_t size;
	unsigned int asked;
};

static int check_rule(void *data, __u64 offset, const struct oprofile_uw_rule *rule)
{
	__u64 *last = data;

	(void)rule;
	fuzz_require(!*last || offset > *last - 1);
	*last = offset + 1;
	return 0;
}

static void rules(const struct cfi_code *code)
{
	__u64 steps = 2000, last = 0;

	cfi_infer(code, 0, code->size, &steps, check_rule, &last);
	fuzz_require(steps <= 2000);
}

static size_t copy(void *data, __u64 address, unsigned char *to, size_t size)
{
	struct bytes *b = data;

	b->asked++;
	if (address >= b->size)
		return 0;
	if (size > b->size - address)
		size = b->size - address;
	memcpy(to, b->at + address, size);
	return size;
}

static enum cfi_code_kind kind(void *data, __u64 address)
{
	const struct bytes *b = data;

	return address < b->size ? CFI_CODE_MADE : address & 1 ? CFI_CODE_EXACT : CFI_CODE_COARSE;
}

static bool check_exit(void *data, const struct cfi_exit *exit)
{
	(void)data;
	fuzz_require(exit->sp >= -20000 && exit->sp <= 20000);
	return true;
}

static void check_exits(const struct cfi_code *code)
{
	static const struct cfi_exits_ops ops = {copy, kind, check_exit};
	struct bytes b = {code->at, code->size, 0};

	cfi_exits_find(code->size / 2, &ops, &b);
	fuzz_require(b.asked <= 4000);
}

static void go(const struct cfi_code *code)
{
	const struct cfi_elf elf = {.data = code->at, .size = code->size};
	const struct cfi_elf_section section = {.size = code->size};
	struct cfi_go_functions functions;

	cfi_go_functions_read(&functions, &elf, &section, 4096);
	for (__u64 at = 0; at < 32; at++)
		cfi_go_is_outermost(&functions, &elf, functions.text + at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cfi_decoded decoded[CFI_NR_DECODED];
	struct oprofile_uw_rule rule;
	struct cfi_code code;
	unsigned char *own;

	if (size < 2)
		return 0;
	own = malloc(size - 1);
	fuzz_require(own);
	memcpy(own, data + 1, size - 1);
	code = (struct cfi_code){own, size - 1, (__u8)(1 + data[0] % 3), NULL};
	switch (data[0] / 3 % 5) {
	case 0:
		rules(&code);
		break;
	case 1:
		memset(decoded, 0, sizeof(decoded));
		code.decoded = decoded;
		rules(&code);
		break;
	case 2:
		for (unsigned int i = 0; i < 8; i++) {
			__u64 steps = 6000;

			cfi_infer_at(&code, code.size * i / 7, i & 1, &steps, &rule);
		}
		break;
	case 3:
		check_exits(&code);
		break;
	default:
		go(&code);
	}
	free(own);
	return 0;
}
