// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_out.c -- tests the encoders of output formats: JSON, text in XML, protocol buffers,
 * digests, compression.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <math.h>
#include <zlib.h>

#include "libop/base/json.h"
#include "libop/base/xml.h"
#include "pp/format/protobuf.h"

struct sink {
	FILE *f;
	char *text;
	size_t size;
};

static void sink_open(struct sink *s)
{
	s->f = open_memstream(&s->text, &s->size);
	assert_non_null(s->f);
}

static void sink_check(struct sink *s, const char *want)
{
	assert_int_equal(fclose(s->f), 0);
	assert_string_equal(s->text, want);
	free(s->text);
}

static void test_json_is_written(void **state)
{
	const uint64_t numbers[] = { 0, UINT64_MAX };
	struct sink s;
	struct op_json json;

	(void)state;
	sink_open(&s);
	op_json_init(&json, s.f, 0);
	op_json_begin(&json, '{');
	op_json_add_string(&json, "a", "\"\\</script>\n\377");
	op_json_begin_key(&json, "b", '[');
	op_json_int(&json, -1);
	op_json_begin(&json, '{');
	op_json_end(&json, '}');
	op_json_word(&json, "null");
	op_json_double(&json, 2600.5);
	op_json_double(&json, NAN);
	op_json_end(&json, ']');
	op_json_key(&json, "c");
	op_json_uints(&json, numbers, 2);
	op_json_key(&json, "d");
	op_json_uints(&json, NULL, 0);
	op_json_add_hex(&json, "e", 0xffffffffffffffff);
	op_json_end(&json, '}');
	sink_check(&s, "{\"a\":\"\\\"\\\\\\u003c/script>\\\\x0a\\\\xff\",\"b\":[-1,{},null,2600.5,0],"
		       "\"c\":[0,18446744073709551615],\"d\":[],\"e\":\"0xffffffffffffffff\"}\n");
}

static void test_json_is_written_in_lines(void **state)
{
	struct sink s;
	struct op_json json;

	(void)state;
	sink_open(&s);
	op_json_init(&json, s.f, 2);
	op_json_begin(&json, '{');
	op_json_begin_key(&json, "a", '[');
	op_json_begin(&json, '[');
	op_json_uint(&json, 1);
	op_json_uint(&json, 2);
	op_json_end(&json, ']');
	op_json_end(&json, ']');
	op_json_begin_key(&json, "b", '[');
	op_json_end(&json, ']');
	op_json_end(&json, '}');
	sink_check(&s, "{\n\t\"a\": [\n\t\t[1,2]\n\t],\n\t\"b\": []\n}\n");
}

static void test_xml_attributes_are_escaped(void **state)
{
	struct sink s;

	(void)state;
	sink_open(&s);
	op_xml_attribute(s.f, "name", "<a href=\"'x'\">&amp;\033");
	sink_check(&s, " name=\"&lt;a href=&quot;&#39;x&#39;&quot;&gt;&amp;amp;\\x1b\"");
}

static void test_protobuf_equals_example(void **state)
{
	static const uint8_t want[] = {
		0x08, 0x96, 0x01,			/* field 1: the number 150 */
		0x12, 0x02, 'h', 'i',			/* field 2: the string "hi" */
		0x1a, 0x04, 0x00, 0x01, 0xac, 0x02,	/* field 3: the packed numbers 0, 1, 300 */
		/* field 4: a message whose field 1 is 150 */
		0x22, 0x03, 0x08, 0x96, 0x01,
		0xfa, 0x01, 0x00,			/* field 31: an empty string */
		/* field 5: the number 258 of 64 bits, the lowest byte first */
		0x29, 0x02, 0x01, 0, 0, 0, 0, 0, 0,
		0x32, 0x02, 0x00, 0xff,			/* field 6: two bytes */
		0x08, 0x96, 0x01,			/* the fields of the other message */
	};
	const uint64_t numbers[] = { 0, 1, 300 };
	struct pp_message m = { 0 }, inside = { 0 };

	(void)state;
	pp_message_add_uint(&inside, 1, 150);
	pp_message_add_uint(&m, 1, 150);
	pp_message_add_uint(&m, 9, 0);	/* omitted, because 0 is the default value */
	pp_message_add_string(&m, 2, "hi");
	pp_message_add_packed(&m, 3, numbers, 3);
	pp_message_add_message(&m, 4, &inside);
	pp_message_add_string(&m, 31, "");
	pp_message_add_fixed64(&m, 5, 258);
	pp_message_add_fixed64(&m, 5, 0);	/* omitted, too */
	pp_message_add_bytes(&m, 6, "\0\xff", 2);
	pp_message_append(&m, &inside);
	assert_int_equal(m.nr, sizeof(want));
	assert_memory_equal(m.bytes, want, sizeof(want));
	pp_message_clear(&m);
	pp_message_add_uint(&m, 1, UINT64_MAX);
	assert_int_equal(m.nr, 11);
	pp_message_release(&m);
	pp_message_release(&inside);
}

static void test_gzip_output_is_readable(void **state)
{
	static const char *const path = "file.gz";
	int dir = check_open_dir(state), fd = openat(dir, path, O_RDWR | O_CREAT, 0600);
	FILE *f = fdopen(fd, "w");
	struct pp_gzip *gzip = pp_gzip_open(f);
	char buf[100];
	gzFile in;

	assert_non_null(gzip);
	for (uint32_t i = 0; i < 100000; i++)
		pp_gzip_write(gzip, &i, sizeof(i));
	pp_gzip_close(gzip);
	assert_int_equal(fclose(f), 0);
	in = gzdopen(openat(dir, path, O_RDONLY), "r");
	for (uint32_t i = 0; i < 100000; i++) {
		assert_int_equal(gzread(in, buf, 4), 4);
		assert_memory_equal(buf, &i, 4);
	}
	assert_int_equal(gzread(in, buf, 4), 0);
	gzclose(in);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_is_written),
				cmocka_unit_test(test_json_is_written_in_lines),
		cmocka_unit_test(test_xml_attributes_are_escaped),
				cmocka_unit_test(test_protobuf_equals_example),
		test_in_dir(test_gzip_output_is_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
