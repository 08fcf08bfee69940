// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctl.c -- client of the daemon's control socket, for tests: ctl SESSION-DIR REQUEST.
 *
 * Prints the reply. Exit status: 0 for "ok", 1 for "error", 2 if there was no reply. "stall N"
 * before the request opens N connections that send requests and never read, until the program is
 * killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "control" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		perror("control");
		exit(2);
	}
	return fd;
}

static void send_request(int fd, const char *request)
{
	char line[600];
	int n = snprintf(line, sizeof(line), "%s\n", request);

	if (write(fd, line, n) != n) {
		perror("write");
		exit(2);
	}
}

static void send_without_reading(int nr, const char *request)
{
	for (int i = 0; i < nr; i++) {
		int fd = connect_to();

		/* send as many requests as the daemon queues; one more would block this program */
		for (int j = 0; j < 20; j++)
			send_request(fd, request);
	}
	puts("stalled");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	const char *last = "";
	char line[10000];
	FILE *f;

	if (argc < 3 || chdir(argv[1]) < 0)
		return 2;
	if (!strcmp(argv[2], "stall") && argc == 5) {
		send_without_reading(atoi(argv[3]), argv[4]);
		return 2;
	}
	f = fdopen(connect_to(), "r+");
	send_request(fileno(f), argv[2]);
	while (fgets(line, sizeof(line), f)) {
		fputs(line, stdout);
		if (!strcmp(line, "ok\n"))
			return 0;
		if (!strncmp(line, "error", 5))
			return 1;
		last = line;
	}
	fprintf(stderr, "no answer%s\n", *last ? " to the end" : "");
	return 2;
}
