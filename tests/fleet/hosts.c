// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hosts.c -- many hosts in one process: each has a session directory with intervals, and exports
 * them by the code of opexport and real requests.
 *
 *     hosts make DIR HOSTS FIRST NUMBER   close NUMBER intervals of ten minutes of each host
 *     hosts run DIR HOSTS URL             run opexport --service for each host until SIGTERM
 *     hosts sums DIR HOSTS                print "HOST TIME SUM" of each interval's file
 *
 * The hosts share the files of POOL intervals of each time by hard links, so that the counts differ
 * between neighbours and between times.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intervals/file.h"
#include "tests/fleet/made.h"
#include "utils/opexport/host.h"
#include "utils/opexport/run.h"

#define BEGIN	1700006400	/* 2023-11-15 00:00 UTC */
#define SLOT	600
#define POOL	20
#define MAX_PATH	300
#define MAX_INTERVAL	(1 << 20)	/* bytes of memory for an interval */

/* the number of the host of this thread */
static _Thread_local unsigned int this_host;
static atomic_uint nr_messages;

struct service {
	struct export_options options;
	unsigned int host;
	pthread_t thread;
	char dir[MAX_PATH], cursor[MAX_PATH];
};

static __attribute__((noreturn)) void die(const char *what, int err)
{
	fprintf(stderr, "hosts: %s: %s\n", what, strerror(-err));
	exit(1);
}

/* The name of the host and its machine's id: replaces utils/opexport/host.c. */
int export_host_read(struct export_host *ret, struct op_reason *error)
{
	(void)error;
	*ret = (struct export_host){ .name = "" };
	snprintf(ret->name, sizeof(ret->name), "host-%u", this_host);
	snprintf(ret->machine, sizeof(ret->machine), "%032x", this_host + 1);
	return 0;
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		die(path, -errno);
}

static void put_store(char path[MAX_PATH], const char *dir, unsigned int host)
{
	snprintf(path, MAX_PATH, "%s/%u/samples/" ITV_STORE_DIR, dir, host);
}

static void make_host(const char *dir, unsigned int host)
{
	char path[MAX_PATH];

	snprintf(path, sizeof(path), "%s/%u", dir, host);
	make_dir(path);
	snprintf(path, sizeof(path), "%s/%u/state", dir, host);
	make_dir(path);
	snprintf(path, sizeof(path), "%s/%u/samples", dir, host);
	make_dir(path);
	put_store(path, dir, host);
	make_dir(path);
}

static void write_interval(const char *path, unsigned int number, const struct itv_entry *entry)
{
	struct itv v;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	int err = fd < 0 ? -errno : fleet_make_interval(&v, number, number % 11 == 7, entry);

	if (err)
		die(path, err);
	err = itv_file_write(&v, fd, 1, NULL);
	itv_release(&v);
	if (close(fd) || err)
		die(path, err ? err : -errno);
}

static void make_slot(const char *dir, unsigned int nr_hosts, unsigned int slot)
{
	struct itv_entry entry = { .begin = BEGIN + (int64_t)slot * SLOT };
	char from[POOL][MAX_PATH], store[MAX_PATH], to[MAX_PATH + ITV_NAME_SIZE];

	entry.end = entry.begin + SLOT;
	itv_name(entry.name, &entry);
	for (unsigned int i = 0; i < POOL; i++) {
		snprintf(from[i], sizeof(from[i]), "%s/pool-%u-%u", dir, slot, i);
		write_interval(from[i], slot * POOL + i, &entry);
	}
	for (unsigned int host = 0; host < nr_hosts; host++) {
		put_store(store, dir, host);
		snprintf(to, sizeof(to), "%s/%s", store, entry.name);
		if (link(from[(host * 7 + slot * 3) % POOL], to))
			die(to, -errno);
	}
	for (unsigned int i = 0; i < POOL; i++)
		unlink(from[i]);
}

static void count_message(struct pp_log *log, enum pp_log_level level, const char *text)
{
	(void)log;
	(void)level;
	(void)text;
	atomic_fetch_add(&nr_messages, 1);
}

static void *serve(void *arg)
{
	struct service *s = arg;
	struct pp_log log = { .write = count_message };

	this_host = s->host;
	if (export_run_service(&s->options, &log))
		fprintf(stderr, "hosts: host-%u ended: %s\n", s->host, log.error.text);
	return NULL;
}

static void run(const char *dir, unsigned int nr_hosts, const char *url)
{
	struct service *services = calloc(nr_hosts + 1, sizeof(*services));
	const struct rlimit files = { 8192, 8192 };
	struct fleet_target target = { .option = "URL" };
	struct op_reason error = { .text = "" };
	int err = services ? fleet_target_parse_http(&target, url, &error) : -ENOMEM;

	if (err)
		die(*error.text ? error.text : url, err);
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("the limit of open files", -errno);
	for (unsigned int i = 0; i < nr_hosts; i++) {
		struct service *s = &services[i];

		s->host = i;
		snprintf(s->dir, sizeof(s->dir), "%s/%u", dir, i);
		snprintf(s->cursor, sizeof(s->cursor), "%s/%u/state/cursor", dir, i);
		s->options = (struct export_options){
			.target = target, .http = { .agent = "hosts", .timeout = 20 }, .service = true,
			.session_dir = s->dir, .cursor = s->cursor, .since = INT64_MIN,
			.until = INT64_MAX, .every = 4,
		};
		err = -pthread_create(&s->thread, NULL, serve, s);
		if (err)
			die("pthread_create", err);
	}
	for (unsigned int i = 0; i < nr_hosts; i++)
		pthread_join(services[i].thread, NULL);
	printf("%u messages\n", nr_messages);
	fleet_target_release(&target);
	free(services);
}

static void print_sums(const char *dir, unsigned int host)
{
	struct itv_list list = { .entries = NULL };
	char path[MAX_PATH];
	int store, err;

	put_store(path, dir, host);
	store = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = store < 0 ? -errno : itv_store_list(&list, store);
	for (size_t i = 0; i < list.nr && !err; i++) {
		struct itv v = { .nr_images = 0 };
		int fd = openat(store, list.entries[i].name, O_RDONLY | O_CLOEXEC);
		uint64_t sum = 0;

		err = fd < 0 ? -errno : itv_file_read(&v, fd, ITV_READ_ALL, MAX_INTERVAL);
		for (uint32_t k = 0; k < v.nr_cells; k++)
			sum += v.cells[k].count;
		if (!err && sum)
			printf("host-%u\t%" PRId64 "\t%" PRIu64 "\n", host, list.entries[i].begin, sum);
		itv_release(&v);
		if (fd >= 0)
			close(fd);
	}
	if (err)
		die(path, err);
	itv_list_release(&list);
	close(store);
}

static unsigned int number(const char *text)
{
	return (unsigned int)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 3 ? argv[1] : "";
	const unsigned int nr_hosts = argc > 3 ? number(argv[3]) : 0;

	if (!strcmp(verb, "make") && argc == 6) {
		make_dir(argv[2]);
		for (unsigned int i = 0; i < nr_hosts; i++)
			make_host(argv[2], i);
		for (unsigned int i = 0; i < number(argv[5]); i++)
			make_slot(argv[2], nr_hosts, number(argv[4]) + i);
	} else if (!strcmp(verb, "run") && argc == 5) {
		run(argv[2], nr_hosts, argv[4]);
	} else if (!strcmp(verb, "sums") && argc == 4) {
		for (unsigned int i = 0; i < nr_hosts; i++)
			print_sums(argv[2], i);
	} else {
		fprintf(stderr, "usage: hosts make|run|sums DIR HOSTS ...\n");
		return 2;
	}
	return 0;
}
