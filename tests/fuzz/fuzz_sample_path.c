// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_sample_path.c -- fuzzes sample file names: for any two paths as program and image, the file
 * of that name can be created and its name parsed again. Also parses the same bytes as a table of
 * cookies.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>

#include "daemon/image/cookie.h"
#include "daemon/image/image.h"
#include "daemon/store/sample_path.h"
#include "tests/fuzz/fuzz.h"

static void check_name(const char *app, const char *image, uint64_t version)
{
	static const struct op_event_spec event = {
		.name = (char *)"TIMER", .count = 1000000, .kernel = 1, .user = 1,
	};
	struct opd_image a = { .path = app }, b = { .path = image };
	struct op_sample_name parsed = { 0 };
	struct opd_file_key key;
	char *name;

	memset(&key, 0, sizeof(key));
	key.app = &a;
	key.image = &b;
	key.tgid = key.tid = key.cpu = OP_ALL;
	fuzz_require(!opd_sample_path(&name, &key, &event, version));
	fuzz_require(strlen(name) < PATH_MAX - 300);
	for (const char *p = name; *p; p += strcspn(p, "/"), p += *p == '/') {
		size_t n = strcspn(p, "/");

		fuzz_require(n > 0 && n <= NAME_MAX);
		fuzz_require(!(n <= 2 && p[0] == '.' && p[n - 1] == '.'));
	}
	fuzz_require(!op_unmangle(&parsed, name));
	fuzz_require(parsed.image.kind == OP_IMAGE_ROOT && parsed.app.kind == OP_IMAGE_ROOT);
	fuzz_require(!parsed.callee.path);
	op_sample_name_release(&parsed);
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct opd_images *images;
	struct opd_cookies *cookies;
	char *second = strchr(text, '\n');
	uint64_t version = size ? data[0] * 10000000ull : 0;
	FILE *f;

	fuzz_require(!opd_images_create(&images) && !opd_cookies_create(&cookies, images, -1));
	f = size ? fmemopen(text, size, "r") : NULL;
	if (f) {
		fuzz_require(opd_cookies_read(cookies, f) >= 0);
		fclose(f);
	}
	opd_cookies_destroy(cookies);
	opd_images_destroy(images);

	if (second) {
		*second++ = '\0';
		check_name(text, second, version);
	}
	check_name(text, text, 0);
	free(text);
	return 0;
}
