// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_image.c -- tests the look-up of symbols in images. The profiled process is the test
 * process itself, because the addresses of its code and its vdso are known.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "libop/session/mangle.h"
#include "pp/image/image.h"
#include "tests/unit/pp_log.h"

__attribute__((noinline)) int known_function(int n);

int known_function(int n)
{
	return n * 7 + 1;
}

struct mapping {
	uint64_t start, end, offset;
	char path[4096];
};

static int find_mapping(uint64_t address, const char *name, struct mapping *ret)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[5000];
	int found = 0;

	while (!found && fgets(line, sizeof(line), f)) {
		ret->path[0] = '\0';
		sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %4095[^\n]",
		       &ret->start, &ret->end, &ret->offset, ret->path);
		found = name ? !strcmp(ret->path, name)
			     : address >= ret->start && address < ret->end;
	}
	fclose(f);
	return found;
}

static struct pp_images *open_images(const char *samples_dir, struct check_log *log)
{
	static char *dirs[1];
	struct pp_images_options options = { .samples_dirs = dirs, .nr_samples_dirs = 1 };
	struct pp_images *images;

	dirs[0] = (char *)samples_dir;
	*log = check_log();
	assert_int_equal(pp_images_create(&images, &options, &log->log), 0);
	return images;
}

static void own_functions_are_found(void **state)
{
	uint64_t address = (uintptr_t)known_function;
	struct pp_image_samples samples = { 0 };
	struct pp_symbol_info info;
	struct op_image_name name = { .kind = OP_IMAGE_ROOT };
	struct check_log log;
	struct pp_images *images = open_images(*state, &log);
	struct pp_image *image;
	struct mapping mapping;
	struct stat st;
	uint32_t symbol;
	uint64_t key;

	assert_true(find_mapping(address, NULL, &mapping));
	name.path = mapping.path;
	key = address - mapping.start + mapping.offset;
	assert_int_equal(stat(mapping.path, &st), 0);
	assert_int_equal(pp_image_open(&image, images, &name, &log.log), 0);

	samples.mtime = st.st_mtime;
	assert_int_equal(pp_image_begin(image, &samples), 0);
	symbol = pp_image_lookup(image, key);
	assert_true(symbol < pp_image_nr_symbols(image));
	pp_image_symbol(image, symbol, &info);
	assert_string_equal(info.name, "known_function");
	assert_int_equal(info.vma, pp_image_vma(image, key));
	/* An offset beyond the end of the file, and an offset in the ELF header, have no symbol. */
	assert_int_equal(pp_image_lookup(image, UINT64_MAX), PP_UNCOVERED);
	assert_int_equal(pp_image_lookup(image, 0), PP_UNCOVERED);
	assert_int_equal(log.nr[PP_LOG_WARNING], 0);

	/*
	 * Samples of another build of the binary are attributed to raw addresses, with a single
	 * warning.
	 */
	samples.identity.build = 1;
	assert_int_equal(pp_image_begin(image, &samples), 0);
	assert_int_equal(pp_image_lookup(image, key), PP_RAW);
	assert_int_equal(pp_image_vma(image, key), key);
	assert_int_equal(pp_image_build(image), 1);
	assert_int_equal(pp_image_begin(image, &samples), 0);
	assert_int_equal(log.nr[PP_LOG_WARNING], 1);
	/* Later samples of the same build as the binary are attributed to symbols again. */
	samples.identity.build = 0;
	assert_int_equal(pp_image_begin(image, &samples), 0);
	assert_int_equal(pp_image_lookup(image, key), symbol);
	assert_int_equal(pp_image_build(image), 0);
	/*
	 * If only the modification time of the binary differs, a warning is printed and the symbols
	 * are used.
	 */
	samples.mtime++;
	assert_int_equal(pp_image_begin(image, &samples), 0);
	assert_true(pp_image_lookup(image, key) < PP_RAW);
	assert_int_equal(log.nr[PP_LOG_WARNING], 2);
	pp_image_close(image);
	pp_images_destroy(images);
}

static void vdso_symbols_are_read_for_running_kernel(void **state)
{
	struct pp_image_samples samples = { 0 };
	struct op_image_name name = {
		.kind = OP_IMAGE_ANON, .path = (char *)"[vdso]", .anon_tgid = getpid()};
	struct check_log log;
	struct pp_images *images;
	struct pp_image *image;
	struct mapping mapping;
	struct utsname uts;
	size_t found = 0;
	char path[512];
	FILE *f;

	uname(&uts);
	if (sizeof(void *) < 8 || !find_mapping(0, "[vdso]", &mapping))
		skip();
	name.anon_start = mapping.start;
	name.anon_end = mapping.end;
	snprintf(path, sizeof(path), "%s/kernel-symbols", (char *)*state);
	for (int same = 0; same < 2; same++) {
		f = fopen(path, "we");
		fprintf(f,
			"oprofile-kernel-symbols 1\nrelease %s%s\nimage vmlinux 1000\n0 T _stext\n",
			uts.release, same ? "" : "-other");
		fclose(f);
		images = open_images(*state, &log);
		assert_int_equal(pp_image_open(&image, images, &name, &log.log), 0);
		assert_int_equal(pp_image_begin(image, &samples), 0);
		found = 0;
		for (uint64_t key = 0; key < mapping.end - mapping.start; key += 16)
			found += pp_image_lookup(image, key) < PP_RAW;
		pp_image_close(image);
		pp_images_destroy(images);
		if (same)
			assert_true(found > 0);
		else
			assert_int_equal(found, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(own_functions_are_found),
		test_in_dir(vdso_symbols_are_read_for_running_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
