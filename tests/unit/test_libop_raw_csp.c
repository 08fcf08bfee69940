// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_raw_csp.c -- tests the writer of HPC_CSPROF files, byte by byte.
 */
#include "config.h"
#include "libop/raw/csp.h"

#include <errno.h>

#include "tests/unit/check.h"

struct sink {
	unsigned char bytes[20000];
	size_t len, room;
};

static int to_sink(void *arg, const void *buf, size_t len)
{
	struct sink *s = arg;

	if (len > s->room - s->len)
		return -ENOSPC;
	memcpy(s->bytes + s->len, buf, len);
	s->len += len;
	return 0;
}

static void write_small(struct raw_csp_out *out)
{
	static const uint64_t metrics[] = { 0x0102030405060708, 9 };

	raw_csp_header(out, "01.00");
	raw_csp_data(out, "prog", 2);
	raw_csp_metric(out, "TIMER", RAW_CSP_ASYNC, 1000000);
	raw_csp_metric(out, "b", 0, 1);
	raw_csp_epochs(out, 1);
	raw_csp_epoch(out, 1);
	raw_csp_module(out, "/bin/x", 6, 0x400000, 0x555555554000);
	raw_csp_trees(out, 1, 0);
	raw_csp_tree(out, 1, 0, false);
	raw_csp_node(out, 0, 0, 0x1234, 0x7fff0000, metrics, 2);
	raw_csp_trailer(out);
	raw_csp_item(out, RAW_CSP_END, 0);
}

static const unsigned char small[] =
	"HPC_CSPROF" "01.00" "l" "\3\0\0\0\0\0\0\0"
	"\x00\0\0\0" "\4\0\0\0" "prog" "\2\0\0\0"
	"\x30\0\0\0" "\5\0\0\0" "TIMER" "\x51\0\0\0" "\2\0\0\0\0\0\0\0" "\x41\0\0\0" "\x40\x42\x0f\0\0\0\0\0"
	"\x30\0\0\0" "\1\0\0\0" "b" "\x51\0\0\0" "\0\0\0\0\0\0\0\0" "\x41\0\0\0" "\1\0\0\0\0\0\0\0"
	"\1\0\0\0" "\1\0\0\0" "\6\0\0\0" "/bin/x" "\0\0\x40\0\0\0\0\0" "\0\x40\x55\x55\x55\x55\0\0"
	"\1\0\0\0" "\0\0\0\0\0\0\0\0"
	"HPC_CSTREE" "01.00" "l" "\x08\0\0\0" "\x08\0\0\0" "\1\0\0\0\0\0\0\0" "\0\0\0\0"
	"\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\x34\x12\0\0\0\0\0\0" "\0\0\xff\x7f\0\0\0\0"
	"\x08\7\6\5\4\3\2\1" "\x09\0\0\0\0\0\0\0"
	"OPROBE\0\1" "\0\0\0\0" "\0\0\0\0\0\0\0\0";

static void test_csp_bytes_equal_example(void **state)
{
	struct sink s = { .room = sizeof(s.bytes) };
	struct raw_csp_out out;

	(void)state;
	raw_csp_begin(&out, to_sink, &s);
	write_small(&out);
	assert_int_equal(raw_csp_finish(&out), 0);
	assert_int_equal(s.len, sizeof(small) - 1);
	assert_memory_equal(s.bytes, small, s.len);
}

static void test_long_data_keep_order(void **state)
{
	struct sink s = { .room = sizeof(s.bytes) };
	unsigned char bytes[10007];
	struct raw_csp_out out;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 7 + i / 256;
	raw_csp_begin(&out, to_sink, &s);
	raw_csp_u32(&out, 5);
	raw_csp_bytes(&out, bytes, sizeof(bytes));
	raw_csp_u64(&out, 6);
	assert_int_equal(raw_csp_finish(&out), 0);
	assert_int_equal(s.len, sizeof(bytes) + 12);
	assert_memory_equal(s.bytes + 4, bytes, sizeof(bytes));
	assert_int_equal(s.bytes[4 + sizeof(bytes)], 6);
}

/* After an error, the writer keeps this first error and writes nothing more. */
static void test_first_error_is_kept(void **state)
{
	struct sink s = { .room = 5000 };
	unsigned char bytes[10007] = { 0 };
	struct raw_csp_out out;

	(void)state;
	raw_csp_begin(&out, to_sink, &s);
	raw_csp_bytes(&out, bytes, sizeof(bytes));
	s.room = sizeof(s.bytes);
	raw_csp_u64(&out, 6);
	assert_int_equal(raw_csp_finish(&out), -ENOSPC);
	assert_int_equal(s.len, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csp_bytes_equal_example),
		cmocka_unit_test(test_long_data_keep_order),
		cmocka_unit_test(test_first_error_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
