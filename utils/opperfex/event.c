// SPDX-License-Identifier: GPL-2.0-or-later
/* event.c -- converts the event names of opperfex to slots of libvperf. */
#include "config.h"
#include "utils/opperfex/event.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/event/any_cpu.h"
#include "libop/event/spec.h"
#include "libvperf/evntsel.h"
#include "libvperf/names.h"

static int parse_evntsel(struct vperfctr_pmc *ret, const char *event, struct op_reason *error)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(event + 2, &end, 16);
	if (end != event + 2 && *end == '@' && end[1] &&
	    strspn(end + 1, "0123456789") == strlen(end + 1))
		end += strlen(end);
	if (end == event + 2 || event[2] == '-' || event[2] == '+' || *end || errno)
		return op_fail(error, -EINVAL,
			       "\"%s\" is not 0xEVNTSEL[@N], the contents of an event-select "
			       "register in hex",
			       event);
	if (!(value & (EVNTSEL_USR | EVNTSEL_OS)))
		return op_fail(error, -EINVAL,
			       "%s counts neither user mode (bit 16) nor the kernel (bit 17): set "
			       "a bit, as in 0x%llx",
			       event, (unsigned long long)(value | EVNTSEL_USR));
	*ret = vperf_pmc_of_evntsel(value);
	return 0;
}

/* Return whether libvperf can parse the event, because the event has a generic name of perf or the
 * form rCODE. */
static bool is_perfs(const char *event)
{
	size_t len = strcspn(event, ":");
	char *name = strndup(event, len);
	bool found = name && op_perf_name_find(name);

	free(name);
	return found || (event[0] == 'r' && len > 1 &&
			 strspn(event + 1, "0123456789abcdefABCDEF") == len - 1);
}

int perfex_event_add(struct vperf *v, const char *event, struct op_reason *error)
{
	struct vperfctr_pmc pmc;
	char why[sizeof(error->text)];
	int err = 0, len = (int)op_event_tracepoint_length(event);

	if (len && !is_perfs(event))
		return op_fail(error, -EINVAL,
			       "%s: opperfex does not count tracepoints; ocount -e %.*s COMMAND "
			       "counts them, and operf -e %.*s:1 COMMAND samples them", event, len,
			       event, len, event);
	if (is_perfs(event)) {
		err = vperf_add(v, event);
	} else {
		if (event[0] == '0' && (event[1] == 'x' || event[1] == 'X'))
			err = parse_evntsel(&pmc, event, error);
		else if (vperf_names_find(&pmc, event, why, sizeof(why)))
			err = op_fail(error, -EINVAL, "%s: %s; run opperfex --list for a list of "
						      "events",
				      event, why);
		if (err)
			return err;
		err = vperf_add_pmc(v, &pmc);
	}
	return err < 0 ? op_fail(error, err, "%s: %s", event, vperf_error(v)) : 0;
}
