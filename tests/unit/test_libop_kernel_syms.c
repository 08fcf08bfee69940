// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_kernel_syms.c -- tests the snapshot of kernel symbols: creating, writing, reading,
 * look-ups, and refused files.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/session/kernel_syms.h"

static void test_build_write_read(void **state)
{
	struct op_kernel_syms s = { 0 }, r;
	const struct op_kimage *image;
	int dir = check_open_dir(state);

	assert_int_equal(op_kernel_syms_read(&r, dir), -ENOENT);
	/* A snapshot without a kernel release is refused. */
	assert_int_equal(op_kernel_syms_write(&s, dir), -EINVAL);
	assert_int_equal(op_kernel_syms_set_release(&s, "6.1.0-test"), 0);
	assert_int_equal(op_kernel_syms_set_build_id(&s, "00ff"), 0);
	assert_int_equal(op_kernel_syms_set_build_id(&s, "xyz"), -EINVAL);
	assert_int_equal(op_kernel_syms_add_symbol(&s, 0, 't', "early"), -EINVAL);
	assert_int_equal(op_kernel_syms_add_image(&s, "vmlinux", 0x1000), 0);
	assert_int_equal(op_kernel_syms_add_symbol(&s, 0x200, 'T', "second"), 0);
	assert_int_equal(op_kernel_syms_add_symbol(&s, 0, 'T', "_stext"), 0);
	assert_int_equal(op_kernel_syms_add_symbol(&s, 0, 't', "alias"), 0);
	assert_int_equal(op_kernel_syms_add_symbol(&s, UINT64_MAX, 't', "bpf_prog"), 0);
	assert_int_equal(op_kernel_syms_add_symbol(&s, 1, 't', "a b"), -EINVAL);
	assert_int_equal(op_kernel_syms_add_symbol(&s, 1, 't', ""), -EINVAL);
	assert_int_equal(op_kernel_syms_add_symbol(&s, 1, '?', "x"), -EINVAL);
	assert_int_equal(op_kernel_syms_add_image(&s, "a/b", 0), -EINVAL);
	assert_int_equal(op_kernel_syms_add_image(&s, "ext4", 0x800), 0);
	assert_int_equal(op_kernel_syms_add_symbol(&s, 0x10, 't', "ext4_read"), 0);
	assert_int_equal(op_kernel_syms_add_image(&s, "empty", 0), 0);
	/* Unsorted symbols are refused. */
	assert_int_equal(op_kernel_syms_write(&s, dir), -EINVAL);
	op_kernel_syms_sort(&s);
	assert_int_equal(op_kernel_syms_write(&s, dir), 0);
	op_kernel_syms_release(&s);

	assert_int_equal(op_kernel_syms_read(&r, dir), 0);
	assert_string_equal(r.release, "6.1.0-test");
	assert_string_equal(r.build_id, "00ff");
	assert_int_equal(r.nr_images, 3);
	image = op_kernel_syms_image(&r, "vmlinux");
	assert_int_equal(image->size, 0x1000);
	assert_string_equal(op_kimage_lookup(image, 0)->name, "_stext");
	assert_string_equal(op_kimage_lookup(image, 0x1ff)->name, "_stext");
	assert_string_equal(op_kimage_lookup(image, 0x200)->name, "second");
	assert_string_equal(op_kimage_lookup(image, UINT64_MAX)->name, "bpf_prog");
	image = op_kernel_syms_image(&r, "ext4");
	assert_null(op_kimage_lookup(image, 0xf));
	assert_string_equal(op_kimage_lookup(image, 0x10)->name, "ext4_read");
	assert_null(op_kimage_lookup(op_kernel_syms_image(&r, "empty"), 0));
	assert_null(op_kernel_syms_image(&r, "nfs"));
	op_kernel_syms_release(&r);

	assert_int_equal(op_kernel_syms_read_kernel(&r, dir), 0);
	assert_string_equal(r.release, "6.1.0-test");
	assert_string_equal(r.build_id, "00ff");
	assert_int_equal(r.nr_images, 0);
	op_kernel_syms_release(&r);
	close(dir);
}

static void test_many_symbols_are_found(void **state)
{
	struct op_kernel_syms s = { 0 }, r;
	int dir = check_open_dir(state);
	const uint32_t nr = 200000;
	char name[32];

	assert_int_equal(op_kernel_syms_set_release(&s, "6"), 0);
	assert_int_equal(op_kernel_syms_add_image(&s, "vmlinux", nr * 16), 0);
	for (uint32_t i = nr; i--;) {
		snprintf(name, sizeof(name), "symbol_number_%u", i);
		assert_int_equal(op_kernel_syms_add_symbol(&s, i * 16, 't', name), 0);
	}
	op_kernel_syms_sort(&s);
	assert_int_equal(op_kernel_syms_write(&s, dir), 0);
	op_kernel_syms_release(&s);
	assert_int_equal(op_kernel_syms_read(&r, dir), 0);
	assert_int_equal(r.images[0].nr_syms, nr);
	for (uint32_t i = 0; i < nr; i += 997) {
		snprintf(name, sizeof(name), "symbol_number_%u", i);
		assert_string_equal(op_kimage_lookup(&r.images[0], i * 16 + 15)->name, name);
	}
	op_kernel_syms_release(&r);
	close(dir);
}

#define LATER "oprofile-kernel-symbols 2\nrelease 6.1\n"
#define HEAD "oprofile-kernel-symbols 1\nrelease 6.1\n"

static void test_invalid_snapshots_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"oprofile-kernel-symbols \nrelease 6.1\n",
		"oprofile-kernel-symbols 1\n",
		"oprofile-kernel-symbols 1 \nrelease 6.1\n",
		"oprofile-kernel-symbols 1\nimage vmlinux 10\n",
		HEAD "release 6.2\n",
		HEAD "nonsense\n",
		HEAD "0 t before_any_image\n",
		HEAD "image\n",
		HEAD "image vmlinux\n",
		HEAD "image vmlinux 0x10\n",
		HEAD "image vmlinux 10 20\n",
		HEAD "image vmlinux 11112222333344445\n",
		HEAD "image ../x 10\n",
		HEAD "image vmlinux 10\n\n",
		HEAD "image vmlinux 10\n5 t\n",
		HEAD "image vmlinux 10\n5 t \n",
		HEAD "image vmlinux 10\n5 tt x\n",
		HEAD "image vmlinux 10\n t x\n",
		HEAD "image vmlinux 10\nG t x\n",
		HEAD "image vmlinux 10\n5 t x y\n",
		HEAD "image vmlinux 10\n5 t x\n4 t y\n",
	};
	struct op_kernel_syms s = { .nr_images = 42 };
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		/* Copy the text without its terminating NUL, so that ASan detects a read beyond the
		 * end. */
		text = malloc(strlen(bad[i]) + !*bad[i]);
		memcpy(text, bad[i], strlen(bad[i]));
		if (op_kernel_syms_parse(&s, text, strlen(bad[i])) != OP_ERR_KSYMS)
			fail_msg("accepted \"%s\"", bad[i]);
		free(text);
		assert_int_equal(s.nr_images, 42);
	}
	assert_int_equal(op_kernel_syms_parse(&s, LATER, strlen(LATER)), OP_ERR_KSYMS_VERSION);
	assert_non_null(strstr(op_strerror(OP_ERR_KSYMS_VERSION), "newer version"));
	assert_int_equal(op_kernel_syms_parse(&s, HEAD, strlen(HEAD)), 0);
	op_kernel_syms_release(&s);
	assert_int_equal(op_kernel_syms_parse(&s, HEAD "image a 1\n0 t x", strlen(HEAD) + 15), 0);
	assert_string_equal(s.images[0].syms[0].name, "x");
	op_kernel_syms_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_build_write_read),
		test_in_dir(test_many_symbols_are_found),
		cmocka_unit_test(test_invalid_snapshots_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
