// SPDX-License-Identifier: GPL-2.0-or-later
/* http.c -- sends requests by libcurl. */
#include "config.h"
#include "utils/opexport/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* maximum length of an answer in bytes; answers to opexport's queries are shorter */
#define MAX_ANSWER	(4u << 20)
#define MAX_SHOWN	300	/* number of bytes of an exception that a message shows */
#define CONNECT_SECONDS	20L
/* exceptions: REQUIRED_PASSWORD, WRONG_PASSWORD, UNKNOWN_USER, AUTHENTICATION_FAILED */
#define IS_AUTH(code)	((code) == 194 || (code) == 193 || (code) == 192 || (code) == 516)

struct export_http {
	CURL *curl;
	const struct export_target *target;
	char curl_error[CURL_ERROR_SIZE];
	const volatile int *stop;
	/* the answer of the current request */
	struct export_answer answer;
	bool is_too_long;
	bool has_head;			/* the headers of the answer are complete */
	bool is_clickhouse;		/* the answer has a header of ClickHouse */
	int exception;			/* number in the header X-ClickHouse-Exception-Code */
};

static size_t take_body(char *data, size_t size, size_t nr, void *arg)
{
	struct export_http *http = arg;
	struct export_answer *a = &http->answer;
	const size_t len = size * nr;
	char *text;

	if (a->len + len > MAX_ANSWER) {
		http->is_too_long = true;
		return 0;
	}
	text = realloc(a->text, a->len + len + 1);
	if (!text)
		return 0;
	memcpy(text + a->len, data, len);
	a->text = text;
	a->len += len;
	a->text[a->len] = '\0';
	return len;
}

static size_t take_header(char *data, size_t size, size_t nr, void *arg)
{
	static const char ours[] = "X-ClickHouse-", code[] = "X-ClickHouse-Exception-Code:";
	struct export_http *http = arg;
	const size_t len = size * nr;
	char number[16];

	/* libcurl accepts an answer that ends in its headers */
	if (len >= 5 && !strncmp(data, "HTTP/", 5))
		http->has_head = false;
	else if (len && (*data == '\r' || *data == '\n'))
		http->has_head = true;
	if (len < sizeof(ours) - 1 || strncasecmp(data, ours, sizeof(ours) - 1))
		return len;
	http->is_clickhouse = true;
	if (len >= sizeof(code) - 1 && !strncasecmp(data, code, sizeof(code) - 1)) {
		snprintf(number, sizeof(number), "%.*s", (int)(len - (sizeof(code) - 1)),
			 data + sizeof(code) - 1);
		http->exception = atoi(number);
	}
	return len;
}

static int take_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct export_http *http = arg;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	/* a result other than 0 ends the request */
	if (http->stop && *http->stop)
		return ECANCELED;
	return 0;
}

/* Send the user and the password or, without a user, the password as a token. */
static void set_user(CURL *curl, const struct export_target *target)
{
	if (target->user) {
		curl_easy_setopt(curl, CURLOPT_USERNAME, target->user);
		curl_easy_setopt(curl, CURLOPT_PASSWORD, target->password ? target->password : "");
		curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
	} else if (target->password) {
		curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, target->password);
		curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
	}
}

int export_http_create(struct export_http **ret, const struct export_target *target, long timeout,
		       uint64_t max_rate)
{
	struct export_http *http = calloc(1, sizeof(*http));
	CURL *curl = http ? curl_easy_init() : NULL;

	if (!curl) {
		free(http);
		return -ENOMEM;
	}
	http->curl = curl;
	http->target = target;
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, timeout);
	curl_easy_setopt(curl, CURLOPT_MAX_SEND_SPEED_LARGE, (curl_off_t)max_rate);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "opexport/" PACKAGE_VERSION);
	set_user(curl, target);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, http);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->curl_error);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, take_progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, http);
	if (target->ca) {
		curl_easy_setopt(curl, CURLOPT_CAINFO, target->ca);
		/* libcurl would also trust the authorities in the system's directory */
		curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
	}
	if (target->cert)
		curl_easy_setopt(curl, CURLOPT_SSLCERT, target->cert);
	if (target->key)
		curl_easy_setopt(curl, CURLOPT_SSLKEY, target->key);
	*ret = http;
	return 0;
}

void export_http_destroy(struct export_http *http)
{
	if (!http)
		return;
	curl_easy_cleanup(http->curl);
	free(http->answer.text);
	free(http);
}

const char *export_http_url(const struct export_http *http)
{
	return http->target->url;
}

void export_http_stop_on(struct export_http *http, const volatile int *stop)
{
	http->stop = stop;
}

/* Append "&NAME=VALUE" to the URL in @out. @value may be NULL. */
static int put_parameter(const struct export_http *http, FILE *out, const char *name,
			 const char *value)
{
	char *encoded = value ? curl_easy_escape(http->curl, value, 0) : NULL;

	if (value && !encoded)
		return -ENOMEM;
	if (encoded)
		fprintf(out, "&%s=%s", name, encoded);
	curl_free(encoded);
	return 0;
}

/* Return the malloc'd URL of a request, or NULL. */
static char *make_url(const struct export_http *http, const struct export_request *request)
{
	char *url = NULL;
	size_t size;
	FILE *out = open_memstream(&url, &size);
	int err = 0;

	if (!out)
		return NULL;
	/* With wait_end_of_query, the status is that of the whole query. */
	fprintf(out, "%s?wait_end_of_query=1", http->target->url);
	if (request->settings)
		fprintf(out, "&%s", request->settings);
	err = put_parameter(http, out, "database", request->database);
	if (!err)
		err = put_parameter(http, out, "query_id", request->id);
	if (!err && request->body)
		err = put_parameter(http, out, "query", request->sql);
	if (fclose(out) || err) {
		free(url);
		return NULL;
	}
	return url;
}

/* Return the number of the exception in @text, "Code: NUMBER, ... DB::Exception...", or 0. */
static int exception_of(const char *text)
{
	const char *code = text ? strstr(text, "Code: ") : NULL;

	return code && strstr(code, "DB::") ? atoi(code + strlen("Code: ")) : 0;
}

static int fail_status(struct export_http *http, long status, struct op_reason *error)
{
	const char *text = http->answer.text ? http->answer.text : "";
	const int shown = (int)strcspn(text, "\r\n");
	const char *url = http->target->url;

	if (!http->exception)
		http->exception = exception_of(text);
	if (IS_AUTH(http->exception) || (status == 401 && http->is_clickhouse))
		return op_fail(error, EXPORT_ERR_AUTH, "%s refuses the user %s: check the user in "
			       "--to, and --password-file", url, http->target->user);
	if (http->exception)
		return op_fail(error, EXPORT_ERR_EXCEPTION, "%s: %.*s", url,
			       shown > MAX_SHOWN ? MAX_SHOWN : shown, text);
	if (!http->is_clickhouse)
		return op_fail(error, EXPORT_ERR_NOT_SERVER, "%s: the answer (status %ld) is not "
			       "ClickHouse's: check host and port of --to, and proxies between", url,
			       status);
	return op_fail(error, EXPORT_ERR_EXCEPTION, "%s: status %ld", url, status);
}

/* Return 0 if the answer is complete, or if it is an error of the server: such a server may close
 * the connection before it has read the whole request. @knows_errors: the caller trusts the status
 * of an error. */
static int check_complete(struct export_http *http, CURLcode result, bool knows_errors,
			  struct op_reason *error)
{
	const char *url = http->target->url;
	long status = 0;

	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
	if (http->is_too_long)
		return op_fail(error, EXPORT_ERR_NOT_SERVER, "%s: the answer is longer than %u bytes",
			       url, MAX_ANSWER);
	if (result == CURLE_OUT_OF_MEMORY)
		return -ENOMEM;
	if (result != CURLE_OK && (status < 400 || !knows_errors))
		return op_fail(error, EXPORT_ERR_NETWORK, "%s: %s", url,
			       *http->curl_error ? http->curl_error : curl_easy_strerror(result));
	return 0;
}

static int check_answer(struct export_http *http, CURLcode result, bool is_empty,
			struct op_reason *error)
{
	const char *url = http->target->url;
	long status = 0;
	int err = check_complete(http, result, http->is_clickhouse, error);

	if (err)
		return err;
	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200 || http->exception || !http->is_clickhouse ||
	    exception_of(http->answer.text))
		return fail_status(http, status, error);
	if (is_empty && http->answer.len)
		return op_fail(error, EXPORT_ERR_NOT_SERVER, "%s: unexpected answer to an INSERT",
			       url);
	return 0;
}

/* Set the headers of a request with a body of @type, a list that the caller frees. @encoding: of
 * the body; NULL: not compressed. Return 0 or -ENOMEM. */
static int set_headers(struct export_http *http, const char *type, const char *encoding,
		       struct curl_slist **ret)
{
	struct curl_slist *list = curl_slist_append(NULL, "Expect:"), *longer;
	char text[64];

	if (list && encoding) {
		snprintf(text, sizeof(text), "Content-Encoding: %s", encoding);
		longer = curl_slist_append(list, text);
		if (!longer)
			curl_slist_free_all(list);
		list = longer;
	}
	snprintf(text, sizeof(text), "Content-Type: %s", type);
	longer = list ? curl_slist_append(list, text) : NULL;
	if (!longer) {
		curl_slist_free_all(list);
		return -ENOMEM;
	}
	curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, longer);
	*ret = longer;
	return 0;
}

/* Post @len bytes at @body to @url, with @headers, which are freed. */
static CURLcode post(struct export_http *http, const char *url, struct curl_slist *headers,
		     const void *body, size_t len)
{
	CURLcode result;

	free(http->answer.text);
	http->answer = (struct export_answer){ .text = NULL };
	http->is_too_long = http->is_clickhouse = http->has_head = false;
	http->exception = 0;
	*http->curl_error = '\0';
	curl_easy_setopt(http->curl, CURLOPT_URL, url);
	curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	result = curl_easy_perform(http->curl);
	curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, NULL);
	curl_slist_free_all(headers);
	return result;
}

int export_http_send(struct export_http *http, const struct export_request *request,
		     struct export_answer *ret, struct op_reason *error)
{
	char *url = make_url(http, request);
	struct curl_slist *headers = NULL;
	CURLcode result;
	int err = url ? set_headers(http, "application/octet-stream",
				    request->body ? request->encoding : NULL, &headers) : -ENOMEM;

	if (err) {
		free(url);
		return err;
	}
	result = post(http, url, headers, request->body ? request->body : request->sql,
		      request->body ? request->len : strlen(request->sql));
	err = check_answer(http, result, !ret, error);
	free(url);
	if (!err && ret) {
		*ret = http->answer;
		http->answer = (struct export_answer){ .text = NULL };
		if (!ret->text)
			ret->text = calloc(1, 1);
		if (!ret->text)
			err = -ENOMEM;
	}
	return err;
}

/* Copy the type @from without parameters, in lower case. */
static void copy_type(char *to, size_t size, const char *from)
{
	const size_t len = from ? strcspn(from, "; \t") : 0;
	size_t i;

	for (i = 0; i < len && i + 1 < size; i++)
		to[i] = from[i] >= 'A' && from[i] <= 'Z' ? (char)(from[i] - 'A' + 'a') : from[i];
	to[i] = '\0';
}

int export_http_post(struct export_http *http, const char *type, const void *body, size_t len,
		     struct export_reply *ret, struct op_reason *error)
{
	struct export_reply reply = { .status = 0 };
	struct curl_slist *headers = NULL;
	curl_off_t retry_after = 0;
	char *answer_type = NULL;
	int err = set_headers(http, type, "gzip", &headers);

	if (!err)
		err = check_complete(http, post(http, http->target->url, headers, body, len), true,
				     error);
	if (!err && !http->has_head)
		err = op_fail(error, EXPORT_ERR_NETWORK, "%s: the answer ends in its headers",
			      http->target->url);
	if (err)
		return err;
	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &reply.status);
	curl_easy_getinfo(http->curl, CURLINFO_RETRY_AFTER, &retry_after);
	curl_easy_getinfo(http->curl, CURLINFO_CONTENT_TYPE, &answer_type);
	copy_type(reply.type, sizeof(reply.type), answer_type);
	reply.retry_after = retry_after > LONG_MAX ? LONG_MAX : (long)retry_after;
	reply.text = http->answer.text ? http->answer.text : "";
	reply.len = http->answer.len;
	*ret = reply;
	return 0;
}

int export_http_query(struct export_http *http, const char *database, const char *sql,
		      struct export_answer *ret, struct op_reason *error)
{
	const struct export_request request = { .sql = sql, .database = database };

	return export_http_send(http, &request, ret, error);
}
