// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_opattach.c -- tests that opattach stops only threads of its target, and that its
 * copies of files stay within the limit.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/check.h"
#include "utils/opattach/call.h"
#include "utils/opattach/files.h"
#include "utils/opattach/images.h"
#include "utils/opattach/thread.h"

static pid_t fork_sleeper(void)
{
	pid_t pid = check_fork();

	while (!pid)
		pause();
	return pid;
}

static void kill_child(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

/*
 * If another process reuses the id of the target's thread before opattach stops the thread,
 * opattach does not stop the other process.
 */
static void test_reused_thread_id_is_not_stopped(void **state)
{
	const pid_t own = fork_sleeper(), other = fork_sleeper();
	struct attach_thread thread;
	struct op_reason error = { "" };
	struct attach_target t;
	char text[64];

	(void)state;
	assert_int_equal(attach_target_open(&t, own, &error), 0);
	assert_int_equal(attach_thread_stop(&thread, &t, own, &error), 0);
	assert_true(thread.is_stopped);
	attach_thread_release(&thread);

	assert_int_equal(attach_thread_stop(&thread, &t, other, &error), -ESRCH);
	assert_int_equal(thread.tid, 0);
	attach_target_close(&t);
	assert_int_equal(attach_target_open(&t, other, &error), 0);
	assert_true(attach_target_status(&t, 0, "TracerPid", text, sizeof(text)));
	assert_string_equal(text, "0");
	attach_target_close(&t);
	kill_child(own);
	kill_child(other);
}

static void faults(void)
{
	*(volatile int *)0 = 0;
}

static void handle(int sig)
{
	(void)sig;
}

/* Return whether the signal mask @name in /proc/PID/status of @t contains @sig. */
static bool has_signal(const struct attach_target *t, const char *name, int sig)
{
	char text[64];

	assert_true(attach_target_status(t, 0, name, text, sizeof(text)));
	return strtoull(text, NULL, 16) >> (sig - 1) & 1;
}

/*
 * If a function that opattach calls in the target causes a fault, the target's signal handlers and
 * signal mask are unchanged.
 */
static void test_fault_in_target_keeps_handlers(void **state)
{
	const struct attach_call call = { .function = (uintptr_t)faults };
	struct attach_files files = { 0 };
	struct attach_images images = { .files = &files };
	struct attach_thread thread;
	struct op_reason error = { "" };
	struct attach_target t;
	uint64_t sigreturn;
	pid_t pid;

	(void)state;
	if (!ATTACH_ARCH_CALLS)
		skip();
	signal(SIGSEGV, handle);
	pid = fork_sleeper();
	signal(SIGSEGV, SIG_DFL);
	assert_int_equal(attach_target_open(&t, pid, &error), 0);
	assert_int_equal(attach_images_read(&images, &t), 0);
	sigreturn = attach_find_sigreturn(&images, &t);
	assert_true(sigreturn);
	assert_int_equal(attach_thread_stop(&thread, &t, pid, &error), 0);
	assert_int_equal(attach_call(&thread, &t, &call, sigreturn, &error), -EFAULT);
	attach_thread_release(&thread);
	assert_true(attach_target_is_there(&t));
	assert_true(has_signal(&t, "SigCgt", SIGSEGV));
	assert_false(has_signal(&t, "SigBlk", SIGUSR1));
	attach_images_release(&images);
	attach_target_close(&t);
	kill_child(pid);
}

/* Memory of an ended process is not read, even if a new process has the same pid. */
static void test_memory_of_reused_pid_is_not_read(void **state)
{
	static char word[] = "here";
	const pid_t pid = fork_sleeper();
	struct op_reason error = { "" };
	struct attach_target t;
	char got[sizeof(word)];

	(void)state;
	assert_int_equal(attach_target_open(&t, pid, &error), 0);
	assert_true(attach_target_read(&t, (uintptr_t)word, got, sizeof(got)));
	assert_string_equal(got, "here");
	assert_false(attach_target_read(&t, 0, got, sizeof(got)));
	assert_false(attach_target_read(&t, UINT64_MAX - 2, got, sizeof(got)));
	kill_child(pid);
	assert_false(attach_target_read(&t, (uintptr_t)word, got, sizeof(got)));
	assert_false(attach_target_is_there(&t));
	attach_target_close(&t);
}

/* Two struct attach_target describe the same process only if both the pidfd and the start time are
 * equal. */
static void test_process_identity_needs_start_time(void **state)
{
	struct op_reason error = { "" };
	const pid_t pid = fork_sleeper();
	struct attach_target t;

	(void)state;
	assert_int_equal(attach_target_open(&t, pid, &error), 0);
	assert_true(t.pidfd >= 0 && t.start > 0);
	assert_true(attach_target_is_there(&t));
	t.start++;
	assert_false(attach_target_is_there(&t));
	t.start--;
	assert_true(attach_target_is_there(&t));
	kill_child(pid);
	assert_false(attach_target_is_there(&t));
	attach_target_close(&t);
	assert_int_equal(attach_target_open(&t, pid, &error), -ESRCH);
	attach_target_close(&t);
}

static void test_equal_files_are_read_once(void **state)
{
	struct attach_files files = { NULL, 0 };
	struct attach_file *one, *same, *large;
	const int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), again = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const int fd = memfd_create("large", MFD_CLOEXEC);
	uint64_t bytes;

	(void)state;
	assert_true(self >= 0 && again >= 0 && fd >= 0);
	one = attach_files_get(&files, self);
	assert_non_null(one);
	assert_non_null(one->data);
	assert_non_null(one->frames[CFI_EH_FRAME].data);
	bytes = files.bytes;
	assert_int_equal(bytes, lseek(self, 0, SEEK_END));
	same = attach_files_get(&files, again);
	assert_ptr_equal(same, one);
	assert_int_equal(files.bytes, bytes);

	/* A sparse file that alone has the maximum size of all copies is not read. */
	assert_int_equal(ftruncate(fd, ATTACH_FILES_MAX), 0);
	large = attach_files_get(&files, fd);
	assert_non_null(large);
	assert_null(large->data);
	assert_int_equal(files.bytes, bytes);
	attach_files_put(&files, large);

	attach_files_put(&files, one);
	assert_int_equal(files.bytes, bytes);
	assert_non_null(same->data);
	attach_files_put(&files, same);
	assert_int_equal(files.bytes, 0);
	assert_null(files.first);
	close(fd);
	close(again);
	close(self);
}

static void test_mapped_file_is_read_once(void **state)
{
	struct attach_files files = { NULL, 0 };
	struct attach_images images = { .files = &files };
	struct op_reason error = { "" };
	struct attach_target t;
	const int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const long page = sysconf(_SC_PAGESIZE);
	const off_t size = lseek(self, 0, SEEK_END);
	unsigned int loaded = 0;
	void *at[8];

	(void)state;
	for (int i = 0; i < 8; i++) {
		at[i] = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, self, 0);
		assert_ptr_not_equal(at[i], MAP_FAILED);
		/* Alternate the protection of neighbouring pages, so that the kernel does not merge
		 * the mappings. */
		assert_int_equal(mprotect(at[i], page, i & 1 ? PROT_EXEC : PROT_READ | PROT_EXEC), 0);
	}
	assert_int_equal(attach_target_open(&t, getpid(), &error), 0);
	assert_int_equal(attach_images_read(&images, &t), 0);
	for (size_t i = 0; i < images.nr; i++)
		if (!strcmp(images.items[i].path, t.exe) && attach_image_load(&images.items[i], &t))
			loaded++;
	assert_true(loaded >= 2);
	assert_int_equal(files.bytes, size);

	/* Images that are still mapped keep their copies of files; other images are dropped. */
	for (int i = 0; i < 8; i++)
		munmap(at[i], page);
	assert_int_equal(attach_images_read(&images, &t), 0);
	assert_int_equal(files.bytes, size);
	assert_ptr_not_equal(attach_images_find(&images, (uintptr_t)test_mapped_file_is_read_once),
			     NULL);
	assert_non_null(attach_images_find(&images,
					   (uintptr_t)test_mapped_file_is_read_once)->file);
	attach_images_release(&images);
	assert_int_equal(files.bytes, 0);
	attach_target_close(&t);
	close(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reused_thread_id_is_not_stopped),
		cmocka_unit_test(test_fault_in_target_keeps_handlers),
		cmocka_unit_test(test_memory_of_reused_pid_is_not_read),
		cmocka_unit_test(test_process_identity_needs_start_time),
		cmocka_unit_test(test_equal_files_are_read_once),
		cmocka_unit_test(test_mapped_file_is_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
