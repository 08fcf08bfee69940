// The queries of the page, for ClickHouse 18.16 and later. Each query limits its rows, and each view its stacks.
const MAX_STACKS = 50000, MAX_NAMES = 2000, MAX_BARS = 96;

// A side of a view: { from, to, version, host }, in seconds since 1970; "": all. An interval belongs to the time in which
// it begins.
const inSide = (side) => `t >= ${moment(side.from)} AND t < ${moment(side.to)}` +
	(side.version ? ` AND version = ${literal(side.version)}` : "") + (side.host ? ` AND host = ${literal(side.host)}` : "");
const ofService = (view) => view.service ? ` AND service = ${literal(view.service)}` : "";
const ofView = (view) => `event = ${literal(view.event)}` + ofService(view);
const sidesOf = (view) => [view, view.with && view.before].filter(Boolean);
const anySide = (view) => `(${sidesOf(view).map((side) => `(${inSide(side)})`).join(" OR ")})`;
const countsOf = (view) => `sumIf(count, ${inSide(view)}) AS now, ` +
	(view.with ? `sumIf(count, ${inSide(view.before)})` : "toUInt64(0)") + " AS was";
const stacksOf = (view) => `SELECT service, stack, ${countsOf(view)} FROM samples WHERE ${ofView(view)} AND ${anySide(view)} GROUP BY service, stack`;
const largest = (view) => `${stacksOf(view)} ORDER BY now + was DESC, stack LIMIT ${MAX_STACKS}`;

const SQL = {
	// [oldest version of the rows, begin and end of all times, number of intervals], without times in the future, which a wrong clock sent
	about: () => "SELECT min(schema), toUInt32(min(t)), toUInt32(max(least(`end`, now()))), count() FROM sessions WHERE t <= now()",
	// [median length of the intervals in seconds]
	length: () => "SELECT toUInt32(quantile(0.5)(toUInt32(`end`) - toUInt32(t))) FROM sessions",
	// [event, service, samples], exact also if rows were thinned
	services: (line) => "SELECT event, service, sum(n) AS samples FROM sessions ARRAY JOIN total_events AS event, total_services AS service, " +
		`total_counts AS n WHERE t >= ${moment(line.from)} AND t < ${moment(line.to)} GROUP BY event, service ` +
		`ORDER BY samples DESC, service LIMIT ${MAX_NAMES}`,
	// [version, samples, first time]
	versions: (view, line) => `SELECT version, sum(count) AS samples, toUInt32(min(t)) FROM samples WHERE ${ofView(view)} AND ` +
		`${inSide({ ...line, host: view.host })} GROUP BY version ORDER BY samples DESC, version LIMIT ${MAX_NAMES}`,
	// [host, samples]
	hosts: (view, line) => `SELECT host, sum(count) AS samples FROM samples WHERE ${ofView(view)} AND ` +
		`${inSide({ ...line, version: view.version })} GROUP BY host ORDER BY samples DESC, host LIMIT ${MAX_NAMES}`,
	// [begin of the bar, samples, hosts]; of both versions or hosts that are compared
	bars: (view, line, step) => `SELECT intDiv(toUInt32(t), ${step}) * ${step} AS at, sum(count), uniqExact(host) FROM samples WHERE ` +
		`${ofView(view)} AND ${anySide({ ...view, ...line, before: { ...view.before, ...line } })} GROUP BY at ORDER BY at LIMIT 1000`,
	// [intervals, hosts, rows that were dropped, releases of the kernel] of a side
	intervals: (side) => "SELECT count(), uniqExact(host), sum(thinned), uniqExact(kernel) FROM sessions " +
		`WHERE ${inSide({ ...side, version: "" })}`,
	// [reason, samples] of a side
	losses: (side) => "SELECT name, sum(n) AS lost FROM (SELECT loss_names, loss_counts FROM sessions WHERE " +
		`${inSide({ ...side, version: "" })}) AS o ARRAY JOIN loss_names AS name, loss_counts AS n GROUP BY name HAVING lost > 0 ` +
		"ORDER BY lost DESC LIMIT 20",
	// [samples, samples before, stacks]
	totals: (view) => `SELECT sum(now), sum(was), count() FROM (${stacksOf(view)}) AS c`,
	// [service, frames, samples, samples before]
	stacks: (view) => `SELECT service, frames, now, was FROM (${largest(view)}) AS c ANY LEFT JOIN ` +
		`(SELECT service, stack, frames FROM stacks WHERE stack IN (SELECT stack FROM (${largest(view)}) AS l)${ofService(view)}) ` +
		"AS s USING (service, stack)",
};
