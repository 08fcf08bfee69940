// SPDX-License-Identifier: GPL-2.0-or-later
/* http.c -- sends requests by libcurl. */
#include "config.h"
#include "fleet/http.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fleet/curl.h"

/* maximum length of an answer in bytes, unless the request states another */
#define MAX_ANSWER	(4u << 20)
#define MAX_SHOWN	300	/* number of bytes of an exception that a message shows */
#define CONNECT_SECONDS	20L
/* exceptions: REQUIRED_PASSWORD, WRONG_PASSWORD, UNKNOWN_USER, AUTHENTICATION_FAILED */
#define IS_AUTH(code)	((code) == 194 || (code) == 193 || (code) == 192 || (code) == 516)

struct fleet_http {
	struct fleet_curl c;
	CURL *curl;
	const struct fleet_target *target;
	char curl_error[CURL_ERROR_SIZE];
	const volatile int *stop;
	/* the answer of the current request */
	struct fleet_answer answer;
	size_t size, max_answer;	/* allocated and maximum number of bytes of the answer */
	bool is_too_long;
	bool has_head;			/* the headers of the answer are complete */
	bool has_length;		/* the headers say how the body ends */
	bool is_clickhouse;		/* the answer has a header of ClickHouse */
	int exception;			/* number in the header X-ClickHouse-Exception-Code */
};

static size_t take_body(char *data, size_t size, size_t nr, void *arg)
{
	struct fleet_http *http = arg;
	struct fleet_answer *a = &http->answer;
	const size_t len = size * nr;
	size_t room = http->size ? http->size : 4096;
	char *text;

	if (len > http->max_answer - a->len) {
		http->is_too_long = true;
		return 0;
	}
	while (room < a->len + len + 1)
		room *= 2;
	if (room != http->size) {
		text = realloc(a->text, room);
		if (!text)
			return 0;
		a->text = text;
		http->size = room;
	}
	memcpy(a->text + a->len, data, len);
	a->len += len;
	a->text[a->len] = '\0';
	return len;
}

static bool begins_with(const char *data, size_t len, const char *text)
{
	return len >= strlen(text) && !strncasecmp(data, text, strlen(text));
}

/* libcurl accepts an answer that ends in its headers and, if they do not say how its body ends, one
 * whose connection was closed early. HTTP/2 has frames, whose last one is marked. */
static size_t take_header(char *data, size_t size, size_t nr, void *arg)
{
	static const char code[] = "X-ClickHouse-Exception-Code:";
	struct fleet_http *http = arg;
	const size_t len = size * nr;
	char number[16];

	if (begins_with(data, len, "HTTP/")) {
		http->has_head = false;
		http->has_length = begins_with(data, len, "HTTP/2");
	} else if (begins_with(data, len, "Content-Length:") ||
		   begins_with(data, len, "Transfer-Encoding:")) {
		http->has_length = true;
	} else if (len && (*data == '\r' || *data == '\n')) {
		http->has_head = true;
	} else if (begins_with(data, len, "X-ClickHouse-")) {
		http->is_clickhouse = true;
	}
	if (begins_with(data, len, code)) {
		snprintf(number, sizeof(number), "%.*s", (int)(len - (sizeof(code) - 1)),
			 data + sizeof(code) - 1);
		http->exception = atoi(number);
	}
	return len;
}

static int take_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct fleet_http *http = arg;

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
static void set_user(const struct fleet_curl *c, CURL *curl, const struct fleet_target *target)
{
	if (target->user) {
		c->set(curl, CURLOPT_USERNAME, target->user);
		c->set(curl, CURLOPT_PASSWORD, target->password ? target->password : "");
		c->set(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
	} else if (target->password) {
		c->set(curl, CURLOPT_XOAUTH2_BEARER, target->password);
		c->set(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
	}
}

static void set_tls(const struct fleet_curl *c, CURL *curl, const struct fleet_target *target)
{
	if (target->ca) {
		c->set(curl, CURLOPT_CAINFO, target->ca);
		/* libcurl would also trust the authorities in the system's directory */
		c->set(curl, CURLOPT_CAPATH, NULL);
	}
	if (target->cert)
		c->set(curl, CURLOPT_SSLCERT, target->cert);
	if (target->key)
		c->set(curl, CURLOPT_SSLKEY, target->key);
}

/* Set the options that all requests share. */
static void set_up(struct fleet_http *http, const struct fleet_http_options *options)
{
	const struct fleet_target *target = http->target;
	const struct fleet_curl *c = &http->c;
	CURL *curl = http->curl;
	char agent[64];

	snprintf(agent, sizeof(agent), "%s/" PACKAGE_VERSION, options->agent);
	c->set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	c->set(curl, CURLOPT_NOSIGNAL, 1L);
	c->set(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	c->set(curl, CURLOPT_TIMEOUT, options->timeout);
	c->set(curl, CURLOPT_MAX_SEND_SPEED_LARGE, (curl_off_t)options->max_rate);
	c->set(curl, CURLOPT_USERAGENT, agent);
	set_user(c, curl, target);
	c->set(curl, CURLOPT_WRITEFUNCTION, take_body);
	c->set(curl, CURLOPT_WRITEDATA, http);
	c->set(curl, CURLOPT_HEADERFUNCTION, take_header);
	c->set(curl, CURLOPT_HEADERDATA, http);
	c->set(curl, CURLOPT_ERRORBUFFER, http->curl_error);
	c->set(curl, CURLOPT_NOPROGRESS, 0L);
	c->set(curl, CURLOPT_XFERINFOFUNCTION, take_progress);
	c->set(curl, CURLOPT_XFERINFODATA, http);
	set_tls(c, curl, target);
	/* A proxy cannot reach this machine's loopback interface. */
	if (target->is_local)
		c->set(curl, CURLOPT_NOPROXY, "*");
}

int fleet_http_create(struct fleet_http **ret, const struct fleet_target *target,
		      const struct fleet_http_options *options, struct op_reason *error)
{
	struct fleet_http *http = calloc(1, sizeof(*http));
	int err = http ? fleet_curl_load(&http->c, error) : -ENOMEM;

	if (!err)
		http->curl = http->c.init();
	if (!err && !http->curl)
		err = -ENOMEM;
	if (err) {
		free(http);
		return err;
	}
	http->target = target;
	set_up(http, options);
	*ret = http;
	return 0;
}

void fleet_http_destroy(struct fleet_http *http)
{
	if (!http)
		return;
	http->c.cleanup(http->curl);
	free(http->answer.text);
	free(http);
}

const char *fleet_http_url(const struct fleet_http *http)
{
	return http->target->url;
}

void fleet_http_stop_on(struct fleet_http *http, const volatile int *stop)
{
	http->stop = stop;
}

/* Append "&NAME=VALUE" to the URL in @out. @value may be NULL. */
static int put_parameter(const struct fleet_http *http, FILE *out, const char *name,
			 const char *value)
{
	char *encoded = value ? http->c.escape(http->curl, value, 0) : NULL;

	if (value && !encoded)
		return -ENOMEM;
	if (encoded)
		fprintf(out, "&%s=%s", name, encoded);
	http->c.free(encoded);
	return 0;
}

/* Return the malloc'd URL of a request, or NULL. */
static char *make_url(const struct fleet_http *http, const struct fleet_request *request)
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

static int fail_status(struct fleet_http *http, long status, struct op_reason *error)
{
	const char *text = http->answer.text ? http->answer.text : "";
	const int shown = (int)strcspn(text, "\r\n");
	const char *url = http->target->url;

	if (!http->exception)
		http->exception = exception_of(text);
	if (IS_AUTH(http->exception) || (status == 401 && http->is_clickhouse))
		return op_fail(error, FLEET_ERR_AUTH, "%s refuses the user %s: check the user in "
			       "%s, and --password-file", url, http->target->user,
			       http->target->option);
	if (http->exception)
		return op_fail(error, FLEET_ERR_EXCEPTION, "%s: %.*s", url,
			       shown > MAX_SHOWN ? MAX_SHOWN : shown, text);
	if (!http->is_clickhouse)
		return op_fail(error, FLEET_ERR_NOT_SERVER, "%s: the answer (status %ld) is not "
			       "ClickHouse's: check host and port of %s, and proxies between", url,
			       status, http->target->option);
	return op_fail(error, FLEET_ERR_EXCEPTION, "%s: status %ld", url, status);
}

/* Return 0 if the answer is complete, or if it is an error of the server: such a server may close
 * the connection before it has read the whole request. @knows_errors: the caller trusts the status
 * of an error. */
static int check_complete(struct fleet_http *http, CURLcode result, bool knows_errors,
			  struct op_reason *error)
{
	const char *url = http->target->url;
	long status = 0;

	http->c.get(http->curl, CURLINFO_RESPONSE_CODE, &status);
	if (http->is_too_long)
		return op_fail(error, FLEET_ERR_TOO_LONG, "%s: the answer is longer than %zu bytes",
			       url, http->max_answer);
	if (result == CURLE_OUT_OF_MEMORY)
		return -ENOMEM;
	if (result != CURLE_OK && (status < 400 || !knows_errors))
		return op_fail(error, FLEET_ERR_NETWORK, "%s: %s", url,
			       *http->curl_error ? http->curl_error : http->c.error_text(result));
	if (!http->has_head)
		return op_fail(error, FLEET_ERR_NETWORK, "%s: the answer ends in its headers", url);
	return 0;
}

static int check_answer(struct fleet_http *http, const struct fleet_request *request,
			CURLcode result, bool is_empty, struct op_reason *error)
{
	const char *url = http->target->url;
	long status = 0;
	int err = check_complete(http, result, http->is_clickhouse, error);

	if (err)
		return err;
	http->c.get(http->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200 || http->exception || !http->is_clickhouse ||
	    (!request->is_data && exception_of(http->answer.text)))
		return fail_status(http, status, error);
	if (!http->has_length)
		return op_fail(error, FLEET_ERR_NETWORK, "%s: the answer has no length, so a part "
			       "may be missing: a proxy between has to use HTTP/1.1", url);
	if (is_empty && http->answer.len)
		return op_fail(error, FLEET_ERR_NOT_SERVER, "%s: unexpected answer to an INSERT",
			       url);
	return 0;
}

/* Set the headers of a request with a body of @type, a list that the caller frees. @encoding: of
 * the body; NULL: not compressed. Return 0 or -ENOMEM. */
static int set_headers(struct fleet_http *http, const char *type, const char *encoding,
		       struct curl_slist **ret)
{
	struct curl_slist *list = http->c.append(NULL, "Expect:"), *longer;
	char text[64];

	if (list && encoding) {
		snprintf(text, sizeof(text), "Content-Encoding: %s", encoding);
		longer = http->c.append(list, text);
		if (!longer)
			http->c.free_list(list);
		list = longer;
	}
	snprintf(text, sizeof(text), "Content-Type: %s", type);
	longer = list ? http->c.append(list, text) : NULL;
	if (!longer) {
		http->c.free_list(list);
		return -ENOMEM;
	}
	http->c.set(http->curl, CURLOPT_HTTPHEADER, longer);
	*ret = longer;
	return 0;
}

/* Post @len bytes at @body to @url, with @headers, which are freed. @max_answer: maximum length of
 * the answer. */
static CURLcode post(struct fleet_http *http, const char *url, struct curl_slist *headers,
		     const void *body, size_t len, size_t max_answer)
{
	CURLcode result;

	free(http->answer.text);
	http->answer = (struct fleet_answer){ .text = NULL };
	http->size = 0;
	http->max_answer = max_answer;
	http->is_too_long = http->is_clickhouse = http->has_head = http->has_length = false;
	http->exception = 0;
	*http->curl_error = '\0';
	http->c.set(http->curl, CURLOPT_URL, url);
	http->c.set(http->curl, CURLOPT_POSTFIELDS, body);
	http->c.set(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	result = http->c.perform(http->curl);
	http->c.set(http->curl, CURLOPT_HTTPHEADER, NULL);
	http->c.free_list(headers);
	return result;
}

int fleet_http_send(struct fleet_http *http, const struct fleet_request *request,
		    struct fleet_answer *ret, struct op_reason *error)
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
		      request->body ? request->len : strlen(request->sql),
		      request->max_answer ? request->max_answer : MAX_ANSWER);
	err = check_answer(http, request, result, !ret, error);
	free(url);
	if (!err && ret) {
		*ret = http->answer;
		http->answer = (struct fleet_answer){ .text = NULL };
		if (!ret->text)
			ret->text = calloc(1, 1);
		if (!ret->text)
			err = -ENOMEM;
	}
	return err;
}

int fleet_http_query(struct fleet_http *http, const char *database, const char *sql,
		     struct fleet_answer *ret, struct op_reason *error)
{
	const struct fleet_request request = { .sql = sql, .database = database };

	return fleet_http_send(http, &request, ret, error);
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

int fleet_http_post(struct fleet_http *http, const char *type, const void *body, size_t len,
		    struct fleet_reply *ret, struct op_reason *error)
{
	struct fleet_reply reply = { .status = 0 };
	struct curl_slist *headers = NULL;
	curl_off_t retry_after = 0;
	char *answer_type = NULL;
	int err = set_headers(http, type, "gzip", &headers);

	if (!err)
		err = check_complete(http, post(http, http->target->url, headers, body, len,
						MAX_ANSWER), true, error);
	if (err)
		return err;
	http->c.get(http->curl, CURLINFO_RESPONSE_CODE, &reply.status);
	http->c.get(http->curl, CURLINFO_RETRY_AFTER, &retry_after);
	http->c.get(http->curl, CURLINFO_CONTENT_TYPE, &answer_type);
	copy_type(reply.type, sizeof(reply.type), answer_type);
	reply.retry_after = retry_after > LONG_MAX ? LONG_MAX : (long)retry_after;
	reply.text = http->answer.text ? http->answer.text : "";
	reply.len = http->answer.len;
	*ret = reply;
	return 0;
}
