// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_raw_argv.c -- tests the search for a program's arguments, given only the address of
 * its environment.
 */
#include "config.h"
#include "libop/raw/argv.h"

#include <errno.h>
#include <sys/uio.h>

#include "tests/unit/check.h"

#define BASE	0x7ffc00000000ULL	/* address of the simulated stack */

/* A simulated stack. Bytes outside of it cannot be read. */
struct stack {
	unsigned char *bytes;
	size_t len;
	uint64_t environ;
	unsigned int word;
	size_t outside;		/* number of bytes requested from outside the stack */
};

static long read_stack(void *arg, uint64_t at, void *buf, size_t len)
{
	struct stack *s = arg;

	if (at < BASE || at - BASE >= s->len) {
		s->outside++;
		return -EFAULT;
	}
	if (len > s->len - (at - BASE))
		len = s->len - (at - BASE);
	memcpy(buf, s->bytes + (at - BASE), len);
	return len;
}

static void put_word(struct stack *s, size_t at, uint64_t value)
{
	assert_true(at + s->word <= s->len);
	memcpy(s->bytes + at, &value, s->word);
}

/*
 * Write a stack: argc, argv, NULL, environ, NULL, @gap bytes, and then the strings as the kernel
 * packs them. @is_reversed: the strings come first. Argument i has i % 7 characters, and variable i
 * is "V=i".
 */
static void make_stack(struct stack *s, size_t argc, size_t envc, size_t gap, unsigned int word, bool is_reversed)
{
	size_t words = 1 + argc + 1 + envc + 1, strings_len = argc * 7 + envc * 12, at, string;

	s->word = word;
	s->outside = 0;
	s->len = words * word + gap + strings_len;
	s->bytes = calloc(1, s->len);
	assert_non_null(s->bytes);
	memset(s->bytes, 0x5a, s->len);
	at = is_reversed ? strings_len + gap : 0;
	at -= at % word;
	string = is_reversed ? 0 : words * word + gap;
	put_word(s, at, argc);
	at += word;
	for (size_t i = 0; i < argc; i++, at += word) {
		put_word(s, at, word == 4 ? (uint32_t)(BASE + string) : BASE + string);
		memset(s->bytes + string, 'a' + i % 26, i % 7);
		s->bytes[string + i % 7] = '\0';
		string += i % 7 + 1;
	}
	put_word(s, at, 0);
	at += word;
	s->environ = BASE + at;
	for (size_t i = 0; i < envc; i++, at += word) {
		put_word(s, at, BASE + string);
		string += snprintf((char *)s->bytes + string, s->len - string, "V=%zu", i) + 1;
	}
	put_word(s, at, 0);
}

static void test_any_number_of_arguments_is_found(void **state)
{
	struct raw_argv a;
	struct stack s;

	(void)state;
	for (size_t argc = 1; argc <= 1000; argc += argc < 40 ? 1 : 37) {
		for (size_t envc = 0; envc < 4; envc++) {
			for (size_t gap = 0; gap <= 48; gap += 24) {
				make_stack(&s, argc, envc, gap, 8, gap == 24);
				assert_int_equal(raw_argv_find(&a, s.environ, 8, read_stack, &s), 0);
				assert_int_equal(a.argc, argc);
				assert_true(a.argv == s.environ - (argc + 1) * 8);
				free(s.bytes);
			}
		}
	}
}

/*
 * A word below argv that points into the strings is not mistaken for an argument, unless it points
 * to a string directly before the first argument.
 */
static void test_words_below_argv_are_ignored(void **state)
{
	uint64_t string;
	struct raw_argv a;
	struct stack s;

	(void)state;
	make_stack(&s, 5, 2, 16, 8, false);
	memcpy(&string, s.bytes + 8, 8);
	for (uint64_t below = BASE; below < BASE + s.len + 16; below++) {
		memcpy(s.bytes, &below, 8);
		assert_int_equal(raw_argv_find(&a, s.environ, 8, read_stack, &s), 0);
		/* Such a string cannot be distinguished from an argument. */
		if (below < string && !memchr(s.bytes + (below - BASE), 0, string - 1 - below) &&
		    !s.bytes[string - 1 - BASE])
			assert_int_equal(a.argc, 6);
		else
			assert_int_equal(a.argc, 5);
	}
	free(s.bytes);
}

static void test_wrong_environ_address_is_survived(void **state)
{
	struct raw_argv a = { .argc = 42 };
	struct stack s;

	(void)state;
	make_stack(&s, 3, 3, 0, 8, false);
	/* For any wrong address of the environment, the search fails or returns strings that
	 * exist. */
	for (uint64_t environ = BASE - 64; environ < BASE + s.len + 64; environ++) {
		struct raw_argv b;

		if (!raw_argv_find(&b, environ, 8, read_stack, &s))
			assert_true(b.first >= BASE && b.end <= BASE + s.len && b.argv >= BASE && b.argc);
	}
	assert_int_equal(raw_argv_find(&a, 0, 8, read_stack, &s), -ENOENT);
	assert_int_equal(raw_argv_find(&a, 8, 8, read_stack, &s), -ENOENT);
	assert_int_equal(raw_argv_find(&a, UINT64_MAX - 7, 8, read_stack, &s), -ENOENT);
	assert_int_equal(raw_argv_find(&a, s.environ, 3, read_stack, &s), -ENOENT);
	/* The search fails if the environment was moved, because its strings do not follow those of
	 * argv. */
	put_word(&s, s.environ - BASE, 0x555500001000);
	assert_int_equal(raw_argv_find(&a, s.environ, 8, read_stack, &s), -ENOENT);
	/*
	 * The search fails if the last argument is an invalid pointer, or its string does not end.
	 */
	put_word(&s, s.environ - BASE - 16, 0x10);
	assert_int_equal(raw_argv_find(&a, s.environ, 8, read_stack, &s), -ENOENT);
	put_word(&s, s.environ - BASE - 16, BASE + s.len - 1);
	s.bytes[s.len - 1] = 'x';
	assert_int_equal(raw_argv_find(&a, s.environ, 8, read_stack, &s), -ENOENT);
	assert_int_equal(a.argc, 42);
	free(s.bytes);
}

static void test_random_bytes_are_survived(void **state)
{
	uint64_t n = 88172645463325252ULL;
	struct raw_argv a;
	struct stack s;

	(void)state;
	for (int turn = 0; turn < 3000; turn++) {
		make_stack(&s, 1 + turn % 9, 3, turn % 3 * 8, 8, turn & 1);
		for (int i = 0; i < 20; i++) {
			n ^= n << 13;
			n ^= n >> 7;
			n ^= n << 17;
			s.bytes[n % s.len] = n >> 32;
		}
		if (!raw_argv_find(&a, s.environ, 8, read_stack, &s))
			assert_true(a.argc && a.first >= BASE && a.end <= BASE + s.len);
		free(s.bytes);
	}
}

static void test_argument_string_is_read(void **state)
{
	struct stack s;
	char text[8];

	(void)state;
	make_stack(&s, 6, 1, 0, 8, false);
	memcpy(s.bytes, "prog\0aa", 8);
	assert_int_equal(raw_argv_string(text, sizeof(text), BASE, read_stack, &s), 4);
	assert_string_equal(text, "prog");
	assert_int_equal(raw_argv_string(text, 4, BASE, read_stack, &s), 3);
	assert_string_equal(text, "pro");
	assert_int_equal(raw_argv_string(text, sizeof(text), BASE - 1, read_stack, &s), -EFAULT);
	free(s.bytes);
}

static long read_process(void *arg, uint64_t at, void *buf, size_t len)
{
	struct iovec to = { buf, len }, from = { (void *)(uintptr_t)at, len };
	long got;

	/* A read across the end of a mapping returns the bytes before it. */
	got = process_vm_readv(*(pid_t *)arg, &to, 1, &from, 1, 0);
	return got < 0 ? -errno : got;
}

/* The arguments of the test's main(); the variable `environ` may change later. */
static int main_argc;
static char **main_argv, **main_envp;

static void test_own_arguments_are_found(void **state)
{
	pid_t pid = getpid();
	struct raw_argv a;
	char text[4096];

	(void)state;
	if (raw_argv_find(&a, (uintptr_t)main_envp, sizeof(void *), read_process, &pid)) {
		/*
		 * The search may fail only if the kernel forbids reading, or if main() was called
		 * with another environment.
		 */
		if (read_process(&pid, (uintptr_t)main_argv, text, 1) == 1)
			assert_true((void *)main_envp != (void *)(main_argv + main_argc + 1) ||
				    (main_envp[0] && main_envp[0] != main_argv[main_argc - 1] +
				     strlen(main_argv[main_argc - 1]) + 1));
		return;
	}
	assert_true(a.argv == (uintptr_t)main_argv);
	assert_int_equal(a.argc, main_argc);
	assert_true(raw_argv_string(text, sizeof(text), a.first, read_process, &pid) > 0);
	assert_string_equal(text, main_argv[0]);
}

int main(int argc, char **argv, char **envp)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_number_of_arguments_is_found),
		cmocka_unit_test(test_words_below_argv_are_ignored),
		cmocka_unit_test(test_wrong_environ_address_is_survived),
		cmocka_unit_test(test_random_bytes_are_survived),
		cmocka_unit_test(test_argument_string_is_read),
		cmocka_unit_test(test_own_arguments_are_found),
	};

	main_argc = argc;
	main_argv = argv;
	main_envp = envp;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
