/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h -- a server for intervals, a database or a collector of OpenTelemetry: its URL, the
 * password, and the files of TLS.
 */
#ifndef FLEET_TARGET_H
#define FLEET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/reason.h"

/* name of the systemd credential that contains the password */
#define FLEET_CREDENTIAL	"clickhouse-password"

struct fleet_target {
	/* the option or word with the URL, for messages; set before parsing */
	const char *option;
	/* SCHEME://HOST[:PORT]/, without user and database; of a collector, with the path of its
	 * profiles */
	char *url;
	/* user of the database, "default" if the URL has no user; user of the collector, NULL if
	 * the URL has no user */
	char *user;
	char *database;		/* NULL: the target is a collector */
	/* paths of the certificates of authorities, of the client's certificate and of its key;
	 * borrowed; NULL: not given */
	const char *ca, *cert, *key;
	/* NULL: no password; without a user: a token */
	char *password;
	bool is_local;		/* the server is on this machine */
	bool is_plain;		/* the connection is not encrypted, and leaves this machine */
};

/* Return whether @text begins like the URL of a database. */
bool fleet_target_is(const char *text);

/*
 * Parse @text. Of *@ret, .option and the files of TLS are set before, and kept. Refuse a password
 * in the URL, because all users of the machine can read command lines. Return 0, -ENOMEM, or
 * -EINVAL with a message.
 *
 * fleet_target_parse() takes the URL of a database, http[s]://[USER@]HOST[:PORT]/DATABASE, or
 * clickhouse[s]://... with the default port of ClickHouse. fleet_target_parse_http() takes the
 * former only. fleet_target_parse_otlp() takes http[s]://[USER@]HOST[:PORT][/PATH] of a collector.
 */
int fleet_target_parse(struct fleet_target *ret, const char *text, struct op_reason *error);
int fleet_target_parse_http(struct fleet_target *ret, const char *text, struct op_reason *error);
int fleet_target_parse_otlp(struct fleet_target *ret, const char *text, struct op_reason *error);

/*
 * Read the password from the file @path; NULL: from the systemd credential FLEET_CREDENTIAL, if
 * the service has one. The first line of the file is the password. Return 0, or a negative errno
 * with a message. The message never contains a part of the password.
 */
int fleet_target_read_password(struct fleet_target *target, const char *path,
				struct op_reason *error);

/* Overwrite the password, and free the contents of @target, which may be zeroed. */
void fleet_target_release(struct fleet_target *target);

#endif
