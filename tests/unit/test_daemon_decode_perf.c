// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_decode_perf.c -- tests the decoder of perf records, valid and damaged. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "daemon/source/decode_perf.h"
#include "tests/unit/perf_bytes.h"

static const struct opd_perf_format samples = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
};
static const struct opd_perf_format notices = {
	.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1,
};

static unsigned char bytes[4096];

static struct perf_bytes empty_buffer(void)
{
	memset(bytes, 0, sizeof(bytes));
	return (struct perf_bytes){ .data = bytes, .size = sizeof(bytes) };
}

static void sample_records_are_decoded(void **state)
{
	struct perf_bytes b = empty_buffer();
	struct opd_perf_record r;

	(void)state;
	perf_put_sample(&b, PERF_RECORD_MISC_USER, 0x1234, 10, 11, 99);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &samples), 32);
	assert_int_equal(r.kind, OPD_PERF_SAMPLE);
	assert_int_equal(r.mode, OPD_PERF_MODE_USER);
	assert_int_equal(r.sample.ip, 0x1234);
	assert_int_equal(r.pid, 10);
	assert_int_equal(r.tid, 11);
	assert_int_equal(r.time, 99);

	b = empty_buffer();
	perf_put_sample(&b, PERF_RECORD_MISC_KERNEL, 1, UINT32_MAX, UINT32_MAX, 99);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &samples), 32);
	assert_int_equal(r.mode, OPD_PERF_MODE_KERNEL);
	assert_int_equal(r.pid, -1);

	b = empty_buffer();
	perf_put_sample(&b, PERF_RECORD_MISC_GUEST_KERNEL, 1, 2, 3, 99);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &samples), 32);
	assert_int_equal(r.mode, OPD_PERF_MODE_GUEST);

	b = empty_buffer();
	perf_put_sample(&b, PERF_RECORD_MISC_GUEST_USER, 1, 2, 3, 99);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &samples), 32);
	assert_int_equal(r.mode, OPD_PERF_MODE_GUEST);

	b = empty_buffer();
	perf_put_sample(&b, PERF_RECORD_MISC_HYPERVISOR, 1, 2, 3, 99);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &samples), 32);
	assert_int_equal(r.mode, OPD_PERF_MODE_OTHER);
}

/*
 * Records of the usual size are decoded by a fast path, larger records by the general path: the
 * results are equal.
 */
static void fast_path_equals_general_path(void **state)
{
	const struct opd_perf_format with_more[] = {
		samples, { .sample_type = samples.sample_type | PERF_SAMPLE_IDENTIFIER },
	};
	struct opd_perf_record plain, other;
	struct perf_bytes b = empty_buffer();

	(void)state;
	perf_put_sample(&b, PERF_RECORD_MISC_USER, 0x1234, 10, 11, 99);
	memset(&plain, 0xff, sizeof(plain));
	assert_int_equal(opd_perf_decode(&plain, bytes, b.head, &samples), 32);
	for (int i = 0; i < 2; i++) {
		b = empty_buffer();
		perf_put_header(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 32);
		if (i)
			perf_put64(&b, 0);
		perf_put64(&b, 0x1234);
		perf_put32(&b, 10);
		perf_put32(&b, 11);
		perf_put64(&b, 99);
		if (!i)
			perf_put64(&b, 0xbad);
		assert_int_equal(opd_perf_decode(&other, bytes, b.head, &with_more[i]), 40);
		assert_int_equal(other.kind, plain.kind);
		assert_int_equal(other.mode, plain.mode);
		assert_int_equal(other.time, plain.time);
		assert_int_equal(other.pid, plain.pid);
		assert_int_equal(other.tid, plain.tid);
		assert_int_equal(other.sample.ip, plain.sample.ip);
		assert_int_equal(other.sample.id, plain.sample.id);
		assert_null(plain.sample.stack.chain);
		assert_null(plain.sample.stack.regs);
		assert_null(plain.sample.stack.bytes);
		assert_int_equal(plain.sample.stack.nr_chain + plain.sample.stack.abi + plain.sample.stack.size, 0);
		assert_false(plain.sample.stack.full);
	}
}

static void control_groups_are_decoded(void **state)
{
	const struct opd_perf_format formats[] = {
		{ .sample_type = samples.sample_type | PERF_SAMPLE_CGROUP },
		{ .sample_type = samples.sample_type | PERF_SAMPLE_CGROUP | PERF_SAMPLE_IDENTIFIER },
	};
	static const char path[] = "/system.slice/a.service";
	struct opd_perf_record r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct perf_bytes b = empty_buffer();

		perf_put_header(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 32 + 8 * i);
		if (i)
			perf_put64(&b, 3);
		perf_put64(&b, 0x1234);
		perf_put32(&b, 10);
		perf_put32(&b, 11);
		perf_put64(&b, 99);
		perf_put64(&b, 0x100000002a);
		memset(&r, 0xff, sizeof(r));
		assert_int_equal(opd_perf_decode(&r, bytes, b.head, &formats[i]), b.head);
		assert_int_equal(r.kind, OPD_PERF_SAMPLE);
		assert_int_equal(r.sample.ip, 0x1234);
		assert_true(r.sample.cgroup == 0x100000002a);
	}
	for (int torn = 0; torn < 2; torn++) {
		struct perf_bytes b = empty_buffer();

		perf_put_header(&b, PERF_RECORD_CGROUP, 0, 8 + perf_name_size(path) + 8);
		perf_put64(&b, 42);
		perf_put_name(&b, path);
		if (torn)
			memset(bytes, 'x', b.head), memcpy(bytes, &(struct perf_event_header){
				.type = PERF_RECORD_CGROUP,
				.size = (uint16_t)(8 + 8 + perf_name_size(path) + 8) }, 8);
		perf_put64(&b, 99);
		assert_int_equal(opd_perf_decode(&r, bytes, b.head, &notices), b.head);
		assert_int_equal(r.kind, torn ? OPD_PERF_OTHER : OPD_PERF_CGROUP);
		if (torn)
			continue;
		assert_int_equal(r.time, 99);
		assert_int_equal(r.cgroup.id, 42);
		assert_string_equal(r.cgroup.path, path);
	}
}

static void put_stack(struct perf_bytes *b, uint64_t nr_chain, uint64_t abi, uint64_t asked, uint64_t copied)
{
	perf_put_header(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 24 + 8 + 16 + 8 + 16 + 8 + 16 + 8);
	for (uint64_t i = 1; i <= 3; i++)
		perf_put64(b, i);
	perf_put64(b, nr_chain);
	perf_put64(b, 0xc1);
	perf_put64(b, 0xc2);
	perf_put64(b, abi);
	perf_put64(b, 0xe1);
	perf_put64(b, 0xe2);
	perf_put64(b, asked);
	perf_put64(b, 0x51);
	perf_put64(b, 0x52);
	perf_put64(b, copied);
}

static void stack_copies_are_decoded(void **state)
{
	struct opd_perf_format format = samples;
	struct perf_bytes b = empty_buffer();
	struct opd_perf_record r;
	ssize_t size;

	(void)state;
	format.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	format.nr_regs = 2;
	put_stack(&b, 2, 2, 16, 8);
	size = (ssize_t)b.head;
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &format), size);
	assert_int_equal(r.kind, OPD_PERF_SAMPLE);
	assert_int_equal(r.sample.stack.nr_chain, 2);
	assert_int_equal(r.sample.stack.chain[8], 0xc2);
	assert_int_equal(r.sample.stack.abi, 2);
	assert_int_equal(r.sample.stack.regs[8], 0xe2);
	assert_int_equal(r.sample.stack.bytes[0], 0x51);
	assert_int_equal(r.sample.stack.size, 8);
	assert_false(r.sample.stack.full);

	/* A record is refused if its number of frames exceeds its size. */
	for (uint64_t nr = 9; nr < 1ull << 60; nr <<= 5) {
		b = empty_buffer();
		put_stack(&b, nr, 2, 16, 8);
		assert_int_equal(opd_perf_decode(&r, bytes, b.head, &format), size);
		assert_int_equal(r.kind, OPD_PERF_OTHER);
		b = empty_buffer();
		put_stack(&b, 2, 2, nr * 8, 8);
		assert_int_equal(opd_perf_decode(&r, bytes, b.head, &format), size);
		assert_int_equal(r.kind, OPD_PERF_OTHER);
		b = empty_buffer();
		put_stack(&b, 2, 2, 16, 16 + nr);
		assert_int_equal(opd_perf_decode(&r, bytes, b.head, &format), size);
		assert_int_equal(r.kind, OPD_PERF_OTHER);
	}
}

static void sample_identifier_is_decoded(void **state)
{
	struct opd_perf_format format = samples;
	struct perf_bytes b = empty_buffer();
	struct opd_perf_record r;

	(void)state;
	format.sample_type |= PERF_SAMPLE_IDENTIFIER;
	perf_put_header(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 32);
	perf_put64(&b, 4711);
	perf_put64(&b, 0x1234);
	perf_put64(&b, 0);
	perf_put64(&b, 99);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &format), 40);
	assert_int_equal(r.sample.id, 4711);
	assert_int_equal(r.sample.ip, 0x1234);
	assert_int_equal(r.time, 99);
}

static void mmap_and_comm_records_are_decoded(void **state)
{
	struct perf_bytes b = empty_buffer();
	struct opd_perf_record r;
	ssize_t n;

	(void)state;
	perf_put_mmap2(&b, 5, 0x1000, 0x2000, 0x3000, 1, 42, "/usr/bin/x y (deleted)", 100);
	n = opd_perf_decode(&r, bytes, b.head, &notices);
	assert_int_equal(n, b.head);
	assert_int_equal(r.kind, OPD_PERF_MMAP);
	assert_int_equal(r.pid, 5);
	assert_int_equal(r.mmap.start, 0x1000);
	assert_int_equal(r.mmap.len, 0x2000);
	assert_int_equal(r.mmap.pgoff, 0x3000);
	assert_int_equal(r.mmap.major, 8);
	assert_int_equal(r.mmap.minor, 1);
	assert_int_equal(r.mmap.ino, 42);
	assert_int_equal(r.mmap.generation, 77);
	assert_string_equal(r.mmap.path, "/usr/bin/x y (deleted)");
	assert_int_equal(r.time, 100);

	b = empty_buffer();
	perf_put_comm(&b, 6, "prog", 1, 101);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &notices), b.head);
	assert_int_equal(r.kind, OPD_PERF_EXEC);
	assert_int_equal(r.pid, 6);
	assert_string_equal(r.name.text, "prog");
	assert_int_equal(r.time, 101);

	b = empty_buffer();
	perf_put_comm(&b, 6, "renamed", 0, 101);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &notices), b.head);
	assert_int_equal(r.kind, OPD_PERF_NAME);
	assert_string_equal(r.name.text, "renamed");
	assert_int_equal(r.time, 101);
}

static void task_and_lost_records_are_decoded(void **state)
{
	struct perf_bytes b = empty_buffer();
	struct opd_perf_record r;

	(void)state;
	perf_put_task(&b, PERF_RECORD_FORK, 7, 6, 7, 102);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &notices), b.head);
	assert_int_equal(r.kind, OPD_PERF_FORK);
	assert_int_equal(r.pid, 7);
	assert_int_equal(r.fork.parent_pid, 6);
	assert_int_equal(r.fork.parent_tid, 7);
	assert_int_equal(r.time, 102);

	b = empty_buffer();
	perf_put_task(&b, PERF_RECORD_EXIT, 7, 6, 8, 103);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &notices), b.head);
	assert_int_equal(r.kind, OPD_PERF_EXIT);
	assert_int_equal(r.tid, 8);

	b = empty_buffer();
	perf_put_header(&b, PERF_RECORD_LOST, 0, 24);
	perf_put64(&b, 3);
	perf_put64(&b, 17);
	perf_put64(&b, 104);
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &notices), b.head);
	assert_int_equal(r.kind, OPD_PERF_LOST);
	assert_int_equal(r.lost.id, 3);
	assert_int_equal(r.lost.nr, 17);
	assert_int_equal(r.time, 104);
}

/* With attr.build_id, the kernel writes the build-id in place of device and inode. */
static void build_id_is_not_read_as_inode(void **state)
{
	struct perf_bytes b = empty_buffer();
	struct opd_perf_record r;

	(void)state;
	perf_put_mmap2(&b, 5, 0x1000, 0x2000, 0, 1, 42, "/x", 100);
	((struct perf_event_header *)bytes)->misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &notices), b.head);
	assert_int_equal(r.kind, OPD_PERF_MMAP);
	assert_int_equal(r.mmap.ino, 0);
	assert_int_equal(r.mmap.major, 0);
	assert_string_equal(r.mmap.path, "/x");
}

static void unknown_record_types_are_skipped(void **state)
{
	struct perf_bytes b = empty_buffer();
	struct opd_perf_record r;

	(void)state;
	perf_put_header(&b, 4000000000u, 0xffff, 40);
	b.head += 40;
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &notices), 48);
	assert_int_equal(r.kind, OPD_PERF_OTHER);
}

static void invalid_header_sizes_are_refused(void **state)
{
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE };
	struct opd_perf_record r = { .kind = OPD_PERF_EXIT };

	(void)state;
	for (unsigned int size = 0; size < 64; size++) {
		ssize_t n;

		h.size = (uint16_t)size;
		memcpy(bytes, &h, sizeof(h));
		n = opd_perf_decode(&r, bytes, 64, &samples);
		if (size < sizeof(h) || size % 8)
			assert_int_equal(n, -EBADMSG);
		else
			assert_int_equal(n, size);
	}
	assert_int_equal(opd_perf_decode(&r, bytes, 7, &samples), 0);
	h.size = 128;
	memcpy(bytes, &h, sizeof(h));
	assert_int_equal(opd_perf_decode(&r, bytes, 120, &samples), 0);
}

/*
 * A name without a terminating NUL is refused. Only the last byte of a name is checked, because the
 * kernel pads names with NULs.
 */
static void unterminated_names_are_refused(void **state)
{
	struct perf_bytes b = empty_buffer();
	struct opd_perf_record r;

	(void)state;
	perf_put_mmap2(&b, 7, 0x1000, 0x1000, 0, 1, 5, "/a", 9);
	assert_true(opd_perf_decode(&r, bytes, b.head, &notices) > 0);
	assert_int_equal(r.kind, OPD_PERF_MMAP);
	assert_string_equal(r.mmap.path, "/a");
	bytes[b.head - 8 - 1] = 'x';
	assert_int_equal(opd_perf_decode(&r, bytes, b.head, &notices), b.head);
	assert_int_equal(r.kind, OPD_PERF_OTHER);
	assert_int_equal(r.time, 0);
	assert_int_equal(r.pid, 0);
}

static void truncated_records_are_not_decoded(void **state)
{
	const struct opd_perf_format *formats[] = { &samples, &notices };

	(void)state;
	for (uint32_t type = 0; type < 24; type++) {
		for (size_t size = 8; size <= 72; size += 8) {
			for (int f = 0; f < 2; f++) {
				struct perf_bytes b = empty_buffer();
				struct opd_perf_record r;
				unsigned char *exact;

				/* Allocate the record on the heap, so that a sanitizer detects a
				 * read beyond its end. */
				perf_put_header(&b, type, PERF_RECORD_MISC_USER, size - 8);
				exact = malloc(size);
				assert_non_null(exact);
				memset(bytes + 8, 0x5a, size - 8);
				memcpy(exact, bytes, size);
				assert_int_equal(opd_perf_decode(&r, exact, size, formats[f]),
						 size);
				if (r.kind == OPD_PERF_MMAP)
					fail_msg("a name without end was accepted");
				if (type == PERF_RECORD_SAMPLE && size < 32 && f == 0)
					assert_int_equal(r.kind, OPD_PERF_OTHER);
				if (r.kind == OPD_PERF_OTHER && size == 8)
					assert_int_equal(r.time, 0);
				free(exact);
			}
		}
	}
}

static void unaligned_records_are_decoded(void **state)
{
	static unsigned char odd[64];
	struct perf_bytes b = empty_buffer();
	struct opd_perf_record r;

	(void)state;
	perf_put_sample(&b, PERF_RECORD_MISC_USER, 0x1234, 10, 11, 99);
	memcpy(odd + 1, bytes, 32);
	assert_int_equal(opd_perf_decode(&r, odd + 1, 32, &samples), 32);
	assert_int_equal(r.sample.ip, 0x1234);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_records_are_decoded),
		cmocka_unit_test(fast_path_equals_general_path),
		cmocka_unit_test(control_groups_are_decoded),
		cmocka_unit_test(stack_copies_are_decoded),
		cmocka_unit_test(sample_identifier_is_decoded),
		cmocka_unit_test(mmap_and_comm_records_are_decoded),
		cmocka_unit_test(task_and_lost_records_are_decoded),
		cmocka_unit_test(build_id_is_not_read_as_inode),
		cmocka_unit_test(unknown_record_types_are_skipped),
		cmocka_unit_test(invalid_header_sizes_are_refused),
		cmocka_unit_test(unterminated_names_are_refused),
		cmocka_unit_test(truncated_records_are_not_decoded),
		cmocka_unit_test(unaligned_records_are_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
