// SPDX-License-Identifier: GPL-2.0-or-later
/* target.c -- parses the URL of a database, and reads the password. */
#include "config.h"
#include "fleet/target.h"

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

#define URL_RULE	"must be http[s]://[USER@]HOST[:PORT]/DATABASE or clickhouse[s]://..."

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

struct scheme {
	const char *name, *http;	/* scheme of the URL, and of the requests */
	const char *port;		/* port for a URL that has none, after ':' */
};

/* Schemes of URLs. */
static const struct scheme schemes[] = {
	{ "http", "http", "" },
	{ "https", "https", "" },
	{ "clickhouse", "http", ":8123" },
	{ "clickhouses", "https", ":8443" },
};

#define NR_SCHEMES	(sizeof(schemes) / sizeof(schemes[0]))

/* Return the scheme of the URL @text, or NULL. */
static const struct scheme *scheme_of(const char *text)
{
	const char *colon = strstr(text, "://");

	for (size_t i = 0; i < NR_SCHEMES && colon; i++)
		if (strlen(schemes[i].name) == (size_t)(colon - text) &&
		    !strncmp(text, schemes[i].name, (size_t)(colon - text)))
			return &schemes[i];
	return NULL;
}

bool fleet_target_is(const char *text)
{
	return scheme_of(text) != NULL;
}

/* Return whether @host, HOST[:PORT], has a port. HOST may be an IPv6 address in brackets. */
static bool has_port(const char *host)
{
	const char *bracket = strchr(host, ']');

	return strchr(bracket ? bracket : host, ':') != NULL;
}

/* Split @rest, the URL after "SCHEME://", which is modified, and store its parts. */
static int split(struct fleet_target *t, char *rest, const struct scheme *scheme,
		 struct op_reason *error)
{
	char *slash = strchr(rest, '/'), *at, *user = "default";

	if (!slash)
		return op_fail(error, -EINVAL, "%s: the URL has no database: it " URL_RULE, t->option);
	*slash = '\0';
	at = strrchr(rest, '@');
	if (at) {
		*at = '\0';
		user = rest;
		rest = at + 1;
	}
	if (strchr(user, ':'))
		return op_fail(error, -EINVAL, "%s: a password in the URL would be visible to all "
			       "users of this machine: write it to a file, and give --password-file=FILE",
			       t->option);
	if (!*user || !is_plain_word(user, "_.-") || !*rest || !is_plain_word(rest, ".-:[]_"))
		return op_fail(error, -EINVAL, "%s: the URL " URL_RULE, t->option);
	if (!is_database(slash + 1))
		return op_fail(error, -EINVAL, "%s: the name of the database must be of letters, "
			       "digits and '_': the URL " URL_RULE, t->option);
	t->is_local = is_loopback(rest);
	t->is_plain = !strcmp(scheme->http, "http") && !t->is_local;
	t->user = strdup(user);
	t->database = strdup(slash + 1);
	if (asprintf(&t->url, "%s://%s%s/", scheme->http, rest,
		     has_port(rest) ? "" : scheme->port) < 0)
		t->url = NULL;
	return t->user && t->database && t->url ? 0 : -ENOMEM;
}

int fleet_target_parse(struct fleet_target *ret, const char *text, struct op_reason *error)
{
	struct fleet_target t = {
		.option = ret->option, .ca = ret->ca, .cert = ret->cert, .key = ret->key,
	};
	const struct scheme *scheme = scheme_of(text);
	char *copy;
	int err;

	if (!scheme)
		return op_fail(error, -EINVAL, "%s: the URL " URL_RULE, t.option);
	if (strlen(text) > MAX_URL)
		return op_fail(error, -EINVAL, "%s: the URL is too long", t.option);
	copy = strdup(text + strlen(scheme->name) + strlen("://"));
	err = copy ? split(&t, copy, scheme, error) : -ENOMEM;
	free(copy);
	if (err)
		fleet_target_release(&t);
	else
		*ret = t;
	return err;
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

int fleet_target_read_password(struct fleet_target *target, const char *path,
				struct op_reason *error)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	char *text = NULL, *made = NULL;
	int err;

	if (!path && !dir)
		return 0;
	if (!path && asprintf(&made, "%s/" FLEET_CREDENTIAL, dir) < 0)
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

void fleet_target_release(struct fleet_target *target)
{
	if (target->password)
		explicit_bzero(target->password, strlen(target->password));
	free(target->password);
	free(target->url);
	free(target->user);
	free(target->database);
	*target = (struct fleet_target){ .url = NULL };
}
