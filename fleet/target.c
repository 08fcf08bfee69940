// SPDX-License-Identifier: GPL-2.0-or-later
/* target.c -- parses the URL of a database or collector, and reads the password. */
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

#define HTTP_RULE	"must be http[s]://[USER@]HOST[:PORT]/DATABASE"
#define ANY_RULE	HTTP_RULE " or clickhouse[s]://..."
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

struct scheme {
	const char *name, *http;	/* scheme of the URL, and of the requests */
	const char *port;		/* port for a URL that has none, after ':' */
};

/* Schemes of URLs; the first two are HTTP's. */
static const struct scheme schemes[] = {
	{ "http", "http", "" },
	{ "https", "https", "" },
	{ "clickhouse", "http", ":8123" },
	{ "clickhouses", "https", ":8443" },
};

#define NR_SCHEMES	(sizeof(schemes) / sizeof(schemes[0]))
#define NR_HTTP_SCHEMES	2

/* A form of URLs. */
struct form {
	const char *rule;	/* the form in words, for messages */
	size_t nr_schemes;	/* the form has the first ones of @schemes */
	/* Split @rest, the URL after "SCHEME://", which is modified, and store its parts. */
	int (*split)(struct fleet_target *t, char *rest, const struct scheme *scheme,
		     const struct form *form, struct op_reason *error);
};

/* Return the scheme of the URL @text, one of the first @nr, or NULL. */
static const struct scheme *scheme_of(const char *text, size_t nr)
{
	const char *colon = strstr(text, "://");

	for (size_t i = 0; i < nr && colon; i++)
		if (strlen(schemes[i].name) == (size_t)(colon - text) &&
		    !strncmp(text, schemes[i].name, (size_t)(colon - text)))
			return &schemes[i];
	return NULL;
}

bool fleet_target_is(const char *text)
{
	return scheme_of(text, NR_SCHEMES) != NULL;
}

/* Return whether @host, HOST[:PORT], has a port. HOST may be an IPv6 address in brackets. */
static bool has_port(const char *host)
{
	const char *bracket = strchr(host, ']');

	return strchr(bracket ? bracket : host, ':') != NULL;
}

/* Take the user, or NULL, from *@rest, [USER@]HOST[:PORT], and check the characters of both. */
static int split_user(const struct fleet_target *t, char **rest, char **user,
		      const struct form *form, struct op_reason *error)
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
			       "--password-file=FILE", t->option);
	if ((*user && (!**user || !is_plain_word(*user, "_.-"))) || !**rest ||
	    !is_plain_word(*rest, ".-:[]_"))
		return op_fail(error, -EINVAL, "%s: the URL %s", t->option, form->rule);
	return 0;
}

/* Note where @host, HOST[:PORT], is. */
static void note_host(struct fleet_target *t, const char *host, const struct scheme *scheme)
{
	t->is_local = is_loopback(host);
	t->is_plain = !strcmp(scheme->http, "http") && !t->is_local;
}

static int split_database(struct fleet_target *t, char *rest, const struct scheme *scheme,
			  const struct form *form, struct op_reason *error)
{
	char *slash = strchr(rest, '/'), *user;
	int err;

	if (!slash)
		return op_fail(error, -EINVAL, "%s: the URL has no database: it %s", t->option,
			       form->rule);
	*slash = '\0';
	err = split_user(t, &rest, &user, form, error);
	if (err)
		return err;
	if (!is_database(slash + 1))
		return op_fail(error, -EINVAL, "%s: the name of the database must be of letters, "
			       "digits and '_': the URL %s", t->option, form->rule);
	note_host(t, rest, scheme);
	t->user = strdup(user ? user : "default");
	t->database = strdup(slash + 1);
	if (asprintf(&t->url, "%s://%s%s/", scheme->http, rest,
		     has_port(rest) ? "" : scheme->port) < 0)
		t->url = NULL;
	return t->user && t->database && t->url ? 0 : -ENOMEM;
}

static int split_collector(struct fleet_target *t, char *rest, const struct scheme *scheme,
			   const struct form *form, struct op_reason *error)
{
	char *slash = strchr(rest, '/'), *path = strdup(slash ? slash : ""), *user;
	int err = path ? 0 : -ENOMEM;

	if (slash)
		*slash = '\0';
	if (!err)
		err = split_user(t, &rest, &user, form, error);
	if (!err && !is_plain_word(path, "/._~-"))
		err = op_fail(error, -EINVAL, "%s: the URL %s", t->option, form->rule);
	if (!err) {
		while (*path && path[strlen(path) - 1] == '/')
			path[strlen(path) - 1] = '\0';
		note_host(t, rest, scheme);
		t->user = user ? strdup(user) : NULL;
		if (asprintf(&t->url, "%s://%s%s" OTLP_PATH, scheme->http, rest, path) < 0)
			t->url = NULL;
		err = (user && !t->user) || !t->url ? -ENOMEM : 0;
	}
	free(path);
	return err;
}

static int parse(struct fleet_target *ret, const char *text, const struct form *form,
		 struct op_reason *error)
{
	struct fleet_target t = {
		.option = ret->option, .ca = ret->ca, .cert = ret->cert, .key = ret->key,
	};
	const struct scheme *scheme = scheme_of(text, form->nr_schemes);
	char *copy;
	int err;

	if (!scheme)
		return op_fail(error, -EINVAL, "%s: the URL %s", t.option, form->rule);
	if (strlen(text) > MAX_URL)
		return op_fail(error, -EINVAL, "%s: the URL is too long", t.option);
	copy = strdup(text + strlen(scheme->name) + strlen("://"));
	err = copy ? form->split(&t, copy, scheme, form, error) : -ENOMEM;
	free(copy);
	if (err)
		fleet_target_release(&t);
	else
		*ret = t;
	return err;
}

int fleet_target_parse(struct fleet_target *ret, const char *text, struct op_reason *error)
{
	static const struct form form = { ANY_RULE, NR_SCHEMES, split_database };

	return parse(ret, text, &form, error);
}

int fleet_target_parse_http(struct fleet_target *ret, const char *text, struct op_reason *error)
{
	static const struct form form = { HTTP_RULE, NR_HTTP_SCHEMES, split_database };

	return parse(ret, text, &form, error);
}

int fleet_target_parse_otlp(struct fleet_target *ret, const char *text, struct op_reason *error)
{
	static const struct form form = { OTLP_RULE, NR_HTTP_SCHEMES, split_collector };

	return parse(ret, text, &form, error);
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
