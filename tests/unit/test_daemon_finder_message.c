// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_finder_message.c -- tests the validation of answers from a worker process that may be
 * hostile.
 */
#include "config.h"
#include "daemon/image/finder_message.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/check.h"

static int count_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int nr = 0;

	assert_non_null(d);
	while (readdir(d))
		nr++;
	closedir(d);
	return nr;
}

/* Send the answer @a with @nr descriptors. */
static void send_answer(int pair[2], const struct opd_finder_answer *a, size_t nr)
{
	union { char bytes[CMSG_SPACE(16 * sizeof(int))]; struct cmsghdr align; } control = { { 0 } };
	struct iovec iov = { (void *)a, sizeof(*a) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	if (nr) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_LEN(nr * sizeof(int));
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(nr * sizeof(int));
		for (size_t i = 0; i < nr; i++)
			memcpy(CMSG_DATA(&control.align) + i * sizeof(int), &pair[0], sizeof(int));
	}
	assert_int_equal(sendmsg(pair[0], &msg, 0), sizeof(*a));
}

/* Parse @a as the answer to a request to copy 100 bytes. */
static int receive_answer(const struct opd_finder_answer *a, size_t nr,
			  struct opd_finder_answer *ret)
{
	int pair[2], err;

	send_answer(pair, a, nr);
	err = opd_finder_receive_answer(pair[1], ret, 100);
	close(pair[0]);
	close(pair[1]);
	return err;
}

/*
 * A buffer for an odd number of descriptors can receive an additional descriptor, because of its
 * alignment. The additional descriptor is closed.
 */
static void surplus_descriptors_are_closed(void **state)
{
	const struct opd_finder_answer a = { 0 };
	struct opd_finder_answer got;
	int pair[2], fds[16];
	size_t nr;

	(void)state;
	memset(fds, -1, sizeof(fds));
	send_answer(pair, &a, 16);
	assert_int_equal(opd_finder_receive(pair[1], &got, sizeof(got), fds, &nr), sizeof(got));
	assert_int_equal(nr, OPD_FINDER_FDS);
	assert_int_equal(fds[OPD_FINDER_FDS], -1);
	for (size_t i = 0; i < nr; i++)
		close(fds[i]);
	close(pair[0]);
	close(pair[1]);
}

/* Invalid answers of a hostile worker are refused, so that the worker can only give wrong answers
 * about files. */
static void invalid_answers_are_refused(void **state)
{
	struct opd_finder_answer a = { .identity.build_id_len = OPD_BUILD_ID_MAX, .copied.len = 100 }, got, bad[4];
	int before = count_descriptors();

	(void)state;
	assert_int_equal(receive_answer(&a, 1, &got), 0);
	assert_true(got.identity.fd >= 0);
	opd_identity_release(&got.identity);
	assert_int_equal(receive_answer(&a, 0, &got), 0);
	assert_int_equal(got.identity.fd, -1);
	/* Surplus descriptors, and descriptors of an answer without a file, are closed. */
	for (size_t nr = 2; nr <= 16; nr++) {
		assert_int_equal(receive_answer(&a, nr, &got), 0);
		opd_identity_release(&got.identity);
	}
	a.result = -ENOENT;
	assert_int_equal(receive_answer(&a, 3, &got), 0);
	assert_int_equal(got.identity.fd, -1);
	a.result = 0;
	for (int i = 0; i < 4; i++)
		bad[i] = a;
	bad[0].result = 7;	/* a descriptor of this process, in an answer that contains one */
	bad[1].identity.build_id_len++;
	bad[2].copied.len++;
	bad[3].copied.err = 1;
	for (int i = 0; i < 4; i++)
		assert_int_equal(receive_answer(&bad[i], 1, &got), -EBADMSG);
	assert_int_equal(count_descriptors(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(surplus_descriptors_are_closed),
		cmocka_unit_test(invalid_answers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
