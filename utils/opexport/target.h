/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h -- the server to which intervals are exported: the value of --to or --otlp, the
 * password, and the files of TLS.
 */
#ifndef OPEXPORT_TARGET_H
#define OPEXPORT_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/reason.h"

/* name of the systemd credential that contains the password */
#define EXPORT_CREDENTIAL	"clickhouse-password"

struct export_target {
	char *url;		/* SCHEME://HOST[:PORT]/, without user and database */
	/* user of the database, "default" if the URL has no user; user of the collector, NULL if
	 * the URL has no user */
	char *user;
	char *database;		/* NULL: the target is a collector */
	/* paths of the certificates of authorities, of the client's certificate and of its key;
	 * NULL: not given; not owned */
	const char *ca, *cert, *key;
	/* NULL: no password; without a user: a token */
	char *password;
	bool is_plain;		/* the connection is not encrypted, and leaves this machine */
};

/* Parse @text, a URL http[s]://[USER@]HOST[:PORT]/DATABASE. Refuse a password in the URL, because
 * all users of the machine can read command lines. Return 0, -ENOMEM, or -EINVAL with a message. */
int export_target_parse(struct export_target *ret, const char *text, struct op_reason *error);

/* Parse @text, a URL http[s]://[USER@]HOST[:PORT][/PATH] of a collector of OpenTelemetry. .url of
 * *@ret is the URL of its profiles, below PATH. Refuse a password in the URL. Return 0, -ENOMEM, or
 * -EINVAL with a message. */
int export_target_parse_otlp(struct export_target *ret, const char *text, struct op_reason *error);

/*
 * Read the password from the file @path; NULL: from the systemd credential EXPORT_CREDENTIAL, if
 * the service has one. The first line of the file is the password. Return 0, or a negative errno
 * with a message. The message never contains a part of the password.
 */
int export_target_read_password(struct export_target *target, const char *path,
				struct op_reason *error);

/* Overwrite the password, and free the contents of @target, which may be zeroed. */
void export_target_release(struct export_target *target);

#endif
