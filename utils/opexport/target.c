// SPDX-License-Identifier: GPL-2.0-or-later
/* target.c -- parses the value of --to or --otlp, and reads the password. */
#include "config.h"
#include "utils/opexport/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"

#define MAX_PASSWORD	4096
#define MAX_DATABASE	64
#define MAX_URL		2000

#define URL_RULE	"must be http[s]://[USER@]HOST[:PORT]/DATABASE"
#define OTLP_RULE	"must be http[s]://[USER@]HOST[:PORT][/PATH]"
#define OTLP_PATH	"/v1development/profiles"

/* Return whether @name can be the name of a database. */
static bool is_database(const char *name)
{
	const size_t len = strlen(name);

	return len && len <= MAX_DATABASE && (*name < '0' || *name > '9') &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == len;
}

/* Return whether @host, HOST[:PORT], is an address of the loopback interface. */
static bool is_loopback(const char *host)
{
	static const char *const names[] = { "localhost", "[::1]" };

	for (size_t i = 0; i < 2; i++) {
		const size_t len = strlen(names[i]);

		if (!strncmp(host, names[i], len) && (!host[len] || host[len] == ':'))
			return true;
	}
	return !strncmp(host, "127.", 4) && !host[strspn(host, "0123456789.:")];
}

/* Return whether @text has only ASCII letters, digits, and characters of @also. */
static bool is_plain_word(const char *text, const char *also)
{
	for (; *text; text++)
		if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
		      (*text >= '0' && *text <= '9') || strchr(also, *text)))
			return false;
	return true;
}

/* Take the user, or NULL, from *@rest, [USER@]HOST[:PORT], and check the characters of both.
 * @option: name of the option. @rule: form of its value. */
static int split_user(char **rest, char **user, const char *option, const char *rule,
		      struct op_reason *error)
{
	char *at = strrchr(*rest, '@');

	*user = NULL;
	if (at) {
		*at = '\0';
		*user = *rest;
		*rest = at + 1;
	}
	if (*user && strchr(*user, ':'))
		return op_fail(error, -EINVAL, "%s: a password in the URL would be visible to all "
			       "users of this machine: write it to a file, and give "
			       "--password-file=FILE", option);
	if ((*user && (!**user || !is_plain_word(*user, "_.-"))) || !**rest ||
	    !is_plain_word(*rest, ".-:[]_"))
		return op_fail(error, -EINVAL, "%s: the URL %s", option, rule);
	return 0;
}

/* Split @rest, the URL of a database after "SCHEME://", which is modified, and store its parts. */
static int split_database(struct export_target *t, char *rest, const char *scheme,
			  struct op_reason *error)
{
	char *slash = strchr(rest, '/'), *user;
	int err;

	if (!slash)
		return op_fail(error, -EINVAL, "--to: the URL has no database: it " URL_RULE);
	*slash = '\0';
	err = split_user(&rest, &user, "--to", URL_RULE, error);
	if (err)
		return err;
	if (!is_database(slash + 1))
		return op_fail(error, -EINVAL, "--to: the name of the database must be of letters, "
			       "digits and '_': the URL " URL_RULE);
	t->is_plain = !strcmp(scheme, "http") && !is_loopback(rest);
	t->user = strdup(user ? user : "default");
	t->database = strdup(slash + 1);
	if (asprintf(&t->url, "%s://%s/", scheme, rest) < 0)
		t->url = NULL;
	return t->user && t->database && t->url ? 0 : -ENOMEM;
}

/* Split @rest, the URL of a collector after "SCHEME://", which is modified, and store its parts. */
static int split_collector(struct export_target *t, char *rest, const char *scheme,
			   struct op_reason *error)
{
	char *slash = strchr(rest, '/'), *path = strdup(slash ? slash : ""), *user;
	int err = path ? 0 : -ENOMEM;

	if (slash)
		*slash = '\0';
	if (!err)
		err = split_user(&rest, &user, "--otlp", OTLP_RULE, error);
	if (!err && !is_plain_word(path, "/._~-"))
		err = op_fail(error, -EINVAL, "--otlp: the URL " OTLP_RULE);
	if (!err) {
		while (*path && path[strlen(path) - 1] == '/')
			path[strlen(path) - 1] = '\0';
		t->is_plain = !strcmp(scheme, "http") && !is_loopback(rest);
		t->user = user ? strdup(user) : NULL;
		if (asprintf(&t->url, "%s://%s%s" OTLP_PATH, scheme, rest, path) < 0)
			t->url = NULL;
		err = (user && !t->user) || !t->url ? -ENOMEM : 0;
	}
	free(path);
	return err;
}

static int parse(struct export_target *ret, const char *text, const char *option, const char *rule,
		 int (*split)(struct export_target *t, char *rest, const char *scheme,
			      struct op_reason *error), struct op_reason *error)
{
	static const char *const schemes[] = { "http", "https" };
	struct export_target t = { .ca = ret->ca, .cert = ret->cert, .key = ret->key };
	const char *colon = strstr(text, "://");
	char *copy;
	int err;

	for (size_t i = 0; i < 2 && colon; i++) {
		if (strlen(schemes[i]) != (size_t)(colon - text) ||
		    strncmp(text, schemes[i], colon - text))
			continue;
		if (strlen(text) > MAX_URL)
			return op_fail(error, -EINVAL, "%s: the URL is too long", option);
		copy = strdup(colon + 3);
		err = copy ? split(&t, copy, schemes[i], error) : -ENOMEM;
		free(copy);
		if (err)
			export_target_release(&t);
		else
			*ret = t;
		return err;
	}
	return op_fail(error, -EINVAL, "%s: the URL %s", option, rule);
}

int export_target_parse(struct export_target *ret, const char *text, struct op_reason *error)
{
	return parse(ret, text, "--to", URL_RULE, split_database, error);
}

int export_target_parse_otlp(struct export_target *ret, const char *text, struct op_reason *error)
{
	return parse(ret, text, "--otlp", OTLP_RULE, split_collector, error);
}

/* Read the file @path, of at most MAX_PASSWORD bytes, into *@ret. Return 0 or a negative errno. */
static int read_text(char **ret, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err;
	char *text = fd < 0 ? NULL : malloc(MAX_PASSWORD + 1);
	size_t len = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!text)
		err = -ENOMEM;
	else if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	else
		err = op_read_all(fd, text, MAX_PASSWORD, &len);
	if (!err && len == MAX_PASSWORD)
		err = -EFBIG;
	close(fd);
	if (err) {
		free(text);
		return err;
	}
	text[len] = '\0';
	*ret = text;
	return 0;
}

int export_target_read_password(struct export_target *target, const char *path,
				struct op_reason *error)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	char *text = NULL, *made = NULL;
	int err;

	if (!path && !dir)
		return 0;
	if (!path && asprintf(&made, "%s/" EXPORT_CREDENTIAL, dir) < 0)
		return -ENOMEM;
	err = read_text(&text, path ? path : made);
	if (!path && err == -ENOENT)
		err = 0;
	else if (err)
		op_fail(error, err, "cannot read the password from %s: %s", path ? path : made,
			err == -EFBIG ? "the file is too long" :
			err == -EINVAL ? "not a regular file" : strerror(-err));
	free(made);
	if (err || !text)
		return err;
	text[strcspn(text, "\r\n")] = '\0';
	if (!*text) {
		free(text);
		return path ? op_fail(error, -EINVAL, "%s: the first line is empty: write the "
				      "password there", path) : 0;
	}
	target->password = text;
	return 0;
}

void export_target_release(struct export_target *target)
{
	if (target->password)
		explicit_bzero(target->password, strlen(target->password));
	free(target->password);
	free(target->url);
	free(target->user);
	free(target->database);
	*target = (struct export_target){ .url = NULL };
}
