// SPDX-License-Identifier: GPL-2.0-or-later
/* test_utils_opexport_otlp.c -- requests of OTLP: their size, their sums, and answers of collectors. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libop/base/hash.h"
#include "utils/opexport/otlp.h"

#define NR_ROWS	3000

/* Rows of three programs, each with a stack of its own: the program, and a function. */
struct made {
	struct export_rows rows;
	struct pp_class class;
	struct pp_classes classes;
	struct export_host host;
	struct itv_entry entry;
	char texts[NR_ROWS][40];
};

static struct made *make(void)
{
	static const char *const services[] = { "a", "b", "c" };
	struct made *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->class = (struct pp_class){ .event = "TIMER", .count = 1000000 };
	m->classes = (struct pp_classes){ .items = &m->class, .nr = 1 };
	m->host = (struct export_host){ .name = "host", .machine = "0123" };
	m->entry = (struct itv_entry){ .begin = 1000, .end = 1600 };
	strcpy(m->entry.name, "20260101T000000Z-20260101T001000Z-0.itv");
	m->rows.rows = calloc(NR_ROWS, sizeof(*m->rows.rows));
	m->rows.frames = calloc(NR_ROWS + 3, sizeof(*m->rows.frames));
	assert_non_null(m->rows.rows);
	assert_non_null(m->rows.frames);
	m->rows.nr = NR_ROWS;
	m->rows.nr_frames = NR_ROWS + 3;
	for (uint32_t i = 0; i < 3; i++)
		m->rows.frames[i] = (struct export_frame){ services[i], UINT32_MAX, i };
	for (uint32_t i = 0; i < NR_ROWS; i++) {
		snprintf(m->texts[i], sizeof(m->texts[i]), "function%u\t/bin/x\tab%02x", i, i % 7);
		m->rows.frames[i + 3] = (struct export_frame){ m->texts[i], i / 1000, i + 3 };
		m->rows.rows[i] = (struct export_row){
			.event = "TIMER:1000000", .service = services[i / 1000], .version = "",
			.container = "", .stack = i, .count = i % 5 + 1, .frame = i + 3,
		};
		m->rows.samples += i % 5 + 1;
	}
	return m;
}

static void made_free(struct made *m)
{
	free(m->rows.rows);
	free(m->rows.frames);
	free(m);
}

/* Make all requests, and return their number. */
static size_t all(const struct made *m, size_t max_rows, size_t max_size, uint64_t *sent,
		  size_t *nr_profiles, uint64_t *hash)
{
	const struct export_otlp_input input = {
		.rows = &m->rows, .classes = &m->classes, .host = &m->host, .entry = &m->entry,
		.max_rows = max_rows, .max_size = max_size,
	};
	struct export_otlp_request request;
	struct export_otlp *o = NULL;
	size_t nr = 0, nr_rows = 0;

	*sent = 0;
	*nr_profiles = 0;
	*hash = OP_HASH_BEGIN;
	assert_int_equal(export_otlp_create(&o, &input), 0);
	while (export_otlp_next(o, &request) == 1) {
		/* a row adds less than this to a request that is not full */
		assert_true(request.message->nr < max_size + 1000);
		assert_true(request.nr_rows > 0);
		*sent += request.sent;
		*nr_profiles += request.nr_profiles;
		*hash = op_hash_bytes(*hash, request.message->bytes, request.message->nr);
		nr_rows += request.nr_rows;
		nr++;
	}
	assert_int_equal(nr_rows + export_otlp_thinned(o), NR_ROWS);
	export_otlp_destroy(o);
	return nr;
}

static void requests_have_bounded_size(void **state)
{
	struct made *m = make();
	uint64_t sent, hash, again;
	size_t nr_profiles;

	(void)state;
	assert_int_equal(all(m, 0, 1 << 20, &sent, &nr_profiles, &hash), 1);
	assert_int_equal(sent, m->rows.samples);
	assert_int_equal(nr_profiles, 3);
	assert_true(all(m, 0, 10000, &sent, &nr_profiles, &hash) > 10);
	assert_int_equal(sent, m->rows.samples);
	/* the same rows give the same requests */
	all(m, 0, 10000, &sent, &nr_profiles, &again);
	assert_true(hash == again);
	/* a request has at least one row, even if that is too large */
	assert_int_equal(all(m, 0, 1, &sent, &nr_profiles, &hash), NR_ROWS);
	assert_int_equal(sent, m->rows.samples);
	made_free(m);
}

static void thinned_rows_keep_the_sum(void **state)
{
	struct made *m = make();
	uint64_t sent, hash;
	size_t nr_profiles;

	(void)state;
	all(m, 1000, 1 << 20, &sent, &nr_profiles, &hash);
	assert_true(sent > m->rows.samples * 8 / 10 && sent < m->rows.samples * 12 / 10);
	made_free(m);
}

static void answers(void **state)
{
	static const struct {
		const char *data;
		size_t len;
		int result;
		uint64_t rejected;
		const char *message;
	} cases[] = {
		{ "", 0, 0, 0, "" },
		{ "\x0a\x00", 2, 0, 0, "" },
		{ "\x0a\x02\x08\x05", 4, 0, 5, "" },
		{ "\x0a\x06\x08\x05\x12\x02hi", 8, 0, 5, "hi" },
		/* unknown fields of each type */
		{ "\x10\x01\x19" "12345678\x25" "1234\x2a\x01x\x0a\x02\x08\x02", 23, 0, 2, "" },
		/* a negative number */
		{ "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13, 0, 0, "" },
		/* lengths beyond the end, groups, field 0, numbers that do not end */
		{ "\x0a\x7f\x01", 3, -EINVAL, 0, "" },
		{ "\x0a\x02\x08", 3, -EINVAL, 0, "" },
		{ "\x0a\x01\x08", 3, -EINVAL, 0, "" },
		{ "\x0b", 1, -EINVAL, 0, "" },
		{ "\x02\x00", 2, -EINVAL, 0, "" },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11, -EINVAL, 0, "" },
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, -EINVAL, 0, "" },
		{ "\x19\x01", 2, -EINVAL, 0, "" },
		{ "<html>", 6, -EINVAL, 0, "" },
	};
	struct export_otlp_partial p;
	char data[2 + 3 + 1000];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		p = (struct export_otlp_partial){ .rejected = 0 };
		assert_int_equal(export_otlp_parse(&p, cases[i].data, cases[i].len),
				 cases[i].result);
		assert_int_equal(p.rejected, cases[i].rejected);
		assert_string_equal(p.message, cases[i].message);
	}
	/* a long message is truncated */
	memset(data, 'x', sizeof(data));
	memcpy(data, "\x0a\xe3\x07\x12\xe0\x07", 6);
	assert_int_equal(export_otlp_parse(&p, data, 6 + 992), 0);
	assert_int_equal(strlen(p.message), sizeof(p.message) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_have_bounded_size),
		cmocka_unit_test(thinned_rows_keep_the_sum),
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
