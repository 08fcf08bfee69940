// SPDX-License-Identifier: GPL-2.0-or-later
/* http.c -- the simulated network: replaces fleet/http.c. */
#include "config.h"
#include "tests/fleet/sim.h"

#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "utils/opexport/host.h"
#include "utils/opexport/schema.h"

#define URL	"http://server:8123/"

struct fleet_http {
	long timeout_ms;
};

/* The name of the host and its machine's id: replaces utils/opexport/host.c. */
int export_host_read(struct export_host *ret, struct op_reason *error)
{
	(void)error;
	*ret = (struct export_host){ .name = SIM_HOST, .machine = SIM_MACHINE };
	return 0;
}

int fleet_http_create(struct fleet_http **ret, const struct fleet_target *target,
		      const struct fleet_http_options *options, struct op_reason *error)
{
	(void)target;
	(void)error;
	*ret = calloc(1, sizeof(**ret));
	assert_non_null(*ret);
	(*ret)->timeout_ms = options->timeout * 1000;
	return 0;
}

void fleet_http_destroy(struct fleet_http *http)
{
	free(http);
}

const char *fleet_http_url(const struct fleet_http *http)
{
	(void)http;
	return URL;
}

void fleet_http_stop_on(struct fleet_http *http, const volatile int *stop)
{
	(void)http;
	sim->stop = stop;
}

int fleet_http_post(struct fleet_http *http, const char *type, const void *body, size_t len,
		    struct fleet_reply *ret, struct op_reason *error)
{
	(void)http;
	(void)type;
	(void)body;
	(void)len;
	(void)ret;
	(void)error;
	fail_msg("a request to a collector");
	return -ENOSYS;
}

static unsigned int table_of(const char *sql)
{
	for (unsigned int i = 0; i < EXPORT_NR_TABLES; i++) {
		char text[100];

		snprintf(text, sizeof(text), "INSERT INTO `" SIM_DATABASE "`.`%s` (", export_tables[i].name);
		if (!strncmp(sql, text, strlen(text)))
			return i;
	}
	fail_msg("an unknown INSERT: %s", sql);
	return 0;
}

static void add_pending(const struct fleet_request *request, uint64_t delay_ms, bool is_running)
{
	struct sim_server *s = &sim->server;
	struct sim_pending p = { .at_ms = sim->now_ms + delay_ms, .is_running = is_running,
				 .table = table_of(request->sql), .len = request->len };

	p.body = malloc(request->len);
	assert_non_null(p.body);
	memcpy(p.body, request->body, request->len);
	snprintf(p.id, sizeof(p.id), "%s", request->id);
	assert_int_equal(op_grow(&s->pending, s->nr_pending), 0);
	s->pending[s->nr_pending++] = p;
}

static bool is_running(const char *id)
{
	for (size_t i = 0; i < sim->server.nr_pending; i++)
		if (sim->server.pending[i].is_running && !strcmp(sim->server.pending[i].id, id))
			return true;
	return false;
}

/* Let the request have its effect. Return the text of an exception, or NULL. */
static const char *apply(const struct fleet_request *request, char **answer)
{
	const char *exception = NULL;

	if (!request->body)
		*answer = sim_server_query(request->sql, &exception);
	else if (is_running(request->id))
		exception = "Code: 216, e.displayText() = DB::Exception: Query with id is already running.";
	else
		exception = sim_server_insert(table_of(request->sql), request->id, request->body, request->len);
	return exception;
}

static int fail_network(struct op_reason *error, const char *why)
{
	return op_fail(error, FLEET_ERR_NETWORK, URL ": %s", why);
}

/* The client waits until its time is over, and the INSERT has its effect later. */
static int time_out(struct fleet_http *http, const struct fleet_request *request, bool is_running_,
		    struct op_reason *error)
{
	if (request->body && !(is_running_ && is_running(request->id)))
		add_pending(request, 1 + sim_below(sim_percent(80) ? 2 * (uint32_t)http->timeout_ms :
						   20 * SIM_MINUTE), is_running_);
	sim_advance((uint64_t)http->timeout_ms);
	return fail_network(error, "timed out");
}

static int send(struct fleet_http *http, const struct fleet_request *request, enum sim_fault fault,
		char **answer, struct op_reason *error)
{
	const char *exception = NULL;

	switch (fault) {
	case SIM_REFUSED:
		return fail_network(error, "could not connect");
	case SIM_CUT_BEFORE:
		return fail_network(error, "the connection was reset");
	case SIM_ERROR_BEFORE:
		return op_fail(error, FLEET_ERR_EXCEPTION, URL ": Code: 241, DB::Exception: memory limit");
	case SIM_PAGE:
		return op_fail(error, FLEET_ERR_NOT_SERVER, URL ": the answer is not ClickHouse's");
	case SIM_AUTH:
		return op_fail(error, FLEET_ERR_AUTH, URL " refuses the user");
	case SIM_SERVER_FULL:
		if (request->body)
			return op_fail(error, FLEET_ERR_EXCEPTION, URL ": Code: 243, DB::Exception: no space");
		break;
	case SIM_SLOW:
		return time_out(http, request, true, error);
	case SIM_LATE:
		return time_out(http, request, false, error);
	case SIM_REPEATED:
		if (request->body)
			add_pending(request, 1 + sim_below(5 * SIM_MINUTE), false);
		break;
	default:
		break;
	}
	exception = apply(request, answer);
	sim_advance(1 + sim_below(300));
	if (fault == SIM_CUT_AFTER)
		return fail_network(error, "the connection was reset");
	if (fault == SIM_ERROR_AFTER)
		return op_fail(error, FLEET_ERR_EXCEPTION, URL ": Code: 1000, DB::Exception: unknown");
	if (fault == SIM_PAGE_AFTER)
		return op_fail(error, FLEET_ERR_NOT_SERVER, URL ": the answer is not ClickHouse's");
	return exception ? op_fail(error, FLEET_ERR_EXCEPTION, URL ": %s", exception) : 0;
}

static void trace_request(const struct fleet_request *request, enum sim_fault fault)
{
	static const char *const names[] = {
		[SIM_NO_FAULT] = "", [SIM_REFUSED] = "refused", [SIM_CUT_BEFORE] = "cut before",
		[SIM_CUT_AFTER] = "cut after", [SIM_ERROR_BEFORE] = "error before",
		[SIM_ERROR_AFTER] = "error after", [SIM_PAGE] = "page", [SIM_PAGE_AFTER] = "page after",
		[SIM_SLOW] = "slow", [SIM_LATE] = "late", [SIM_REPEATED] = "repeated",
		[SIM_AUTH] = "wrong password", [SIM_SERVER_FULL] = "server's disk full",
	};

	sim_trace("request %.60s%s%s%s%s", request->sql, request->id ? " " : "",
		  request->id ? request->id + strlen("oprofile/") + 50 : "", *names[fault] ? ": " : "",
		  names[fault]);
}

int fleet_http_send(struct fleet_http *http, const struct fleet_request *request,
		    struct fleet_answer *ret, struct op_reason *error)
{
	enum sim_fault fault;
	char *answer = NULL;
	int err;

	sim_maybe_crash("before a request");
	sim_advance(1 + sim_below(200));
	if (*sim->stop)
		return fail_network(error, "stopped");
	sim->nr_requests++;
	fault = sim_choose_fault(false);
	trace_request(request, fault);
	err = send(http, request, fault, &answer, error);
	sim_maybe_crash("after a request");
	if (err) {
		sim_trace("error: %s", error->text);
		free(answer);
		return err;
	}
	if (ret)
		*ret = (struct fleet_answer){ answer, strlen(answer) };
	else
		free(answer);
	return 0;
}

int fleet_http_query(struct fleet_http *http, const char *database, const char *sql,
		     struct fleet_answer *ret, struct op_reason *error)
{
	const struct fleet_request request = { .sql = sql, .database = database };

	return fleet_http_send(http, &request, ret, error);
}
