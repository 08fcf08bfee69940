// The page of a fleet: reads the form and the link, sends the queries, and shows the answers.
const form = $("ask");
// Times are seconds since 1970. @view: the samples to show (sql.js). @line: the time line.
// @about: [oldest, newest, length of an interval].
const fleet = { view: null, line: null, about: null, lists: { versions: [], hosts: [] }, running: null };
const emptyView = () => ({ event: "", service: "", version: "", host: "", from: 0, to: 0, with: "", before: { from: 0, to: 0, version: "", host: "" } });

// The link: the view and the time line, without user and password. The words of the graph's view follow it (html_view.js).
function writeLink() {
	const v = fleet.view, words = new URLSearchParams();
	const add = (word, text) => text && words.append(word, text);
	words.append("db", account.database);
	for (const word of ["event", "service", "version", "host"])
		add(word, v[word]);
	words.append("line", `${fleet.line.from}-${fleet.line.to}`);
	words.append("range", `${v.from}-${v.to}`);
	if (v.with) {
		words.append("with", v.with);
		words.append("with-" + v.with, v.with === "time" ? `${v.before.from}-${v.before.to}` : v.before[v.with]);
	}
	return words.toString();
}
function readRange(text, into) {
	const [from, to] = (/^\d{1,10}-\d{1,10}$/.test(text || "") ? text : "0-0").split("-").map(Number);
	into.from = from;
	into.to = Math.max(from, to);
}
function readLink(text) {
	const words = new URLSearchParams(text), view = emptyView(), line = {};
	for (const word of ["event", "service", "version", "host"])
		view[word] = words.get(word) || "";
	readRange(words.get("line"), line);
	readRange(words.get("range"), view);
	view.with = ["time", "version", "host"].includes(words.get("with")) ? words.get("with") : "";
	Object.assign(view.before, { from: view.from, to: view.to, version: view.version, host: view.host });
	if (view.with === "time")
		readRange(words.get("with-time"), view.before);
	else if (view.with)
		view.before[view.with] = words.get("with-" + view.with) || "";
	fleet.view = view;
	fleet.line = line.to > line.from ? line : null;
}

// The page shows one of: the form to sign in, a problem, the answer.
function show_problem(problem) {
	const box = $("problem");
	box.replaceChildren();
	box.hidden = !problem;
	if (!problem)
		return;
	make("p", "", box, problem.message);
	const button = (text, action) => { make("button", "", box, text).addEventListener("click", action); };
	if (problem.wayOut === "whole") {
		button("Show the whole time line", () => { Object.assign(fleet.view, fleet.line); ask_view(); });
		button("All versions and hosts", () => { Object.assign(fleet.view, { version: "", host: "", with: "" }); ask_view(); });
	}
	else if (problem.wayOut === "retry")
		button("Try again", () => { fleet.about ? ask_view() : begin(); });
	if (problem.wayOut === "retry")
		button("Sign in again", sign_in);
	$("answer").hidden = true;
	if (problem.wayOut === "sign in")
		sign_in();
}
function sign_in() {
	$("sign").hidden = false;
	$("user").value = account.user;
	$("password").value = "";
	$("database").value = account.database;
	$("user").focus();
}
function busy(is) {
	document.documentElement.dataset.ready = is ? "asking" : "yes";
	$("busy").textContent = is ? "Asking ClickHouse\u2026" : "";
}

// Fill a list with [name, text] and choose @now, also if the list does not have it. @none: text of the choice "all".
function fill(list, rows, now, none) {
	list.replaceChildren();
	if (none)
		make("option", "", list, none).value = "";
	for (const [name, text] of rows)
		make("option", "", list, text).value = name;
	if (now && !rows.some((row) => row[0] === now))
		make("option", "", list, `${now} (no samples)`).value = now;
	list.value = now;
	list.title = now;
}
const clip = (text, most = 60) => text.length > most ? text.slice(0, most - 1) + "\u2026" : text;
const withShare = (name, n, of) => `${clip(name)} \u2014 ${percent(n, of, 1)}%`;
const nameOfVersion = (id) => id ? id.slice(0, 12) : "unknown";
function fillServices(rows) {
	const v = fleet.view, sums = new Map();
	for (const [event, , n] of rows)
		sums.set(event, (sums.get(event) || 0) + Number(n));
	// The first event is one of CPU time, if the database has one: sums of waits and of CPU time are not comparable.
	const events = [...sums.keys()].sort((a, b) => a.startsWith("OFFCPU") - b.startsWith("OFFCPU") || sums.get(b) - sums.get(a));
	v.event = v.event || events[0] || "";
	const services = rows.filter((row) => row[0] === v.event).map((row) => [row[1], Number(row[2])]);
	if (fleet.isNew && services.length)
		v.service = services[0][0];
	fleet.isNew = false;
	fill($("event"), events.map((e) => [e, `${e} \u2014 ${number(sums.get(e))} samples`]), v.event);
	fill($("service"), services.map(([s, n]) => [s, withShare(s, n, sums.get(v.event))]), v.service, "all services");
}
function fillNames(versions, hosts) {
	const v = fleet.view, sum = (rows) => add(rows.map((row) => Number(row[1])));
	const versionRows = versions.filter((r) => r[0]).map(([id, n, t]) => [id, `${withShare(nameOfVersion(id), Number(n), sum(versions))}, from ${when(t)}`]);
	const hostRows = hosts.map(([h, n]) => [h, withShare(h, Number(n), sum(hosts))]);
	const newest = versions.filter((r) => r[0]).sort((a, b) => b[2] - a[2]);
	fleet.lists = { versions: newest.map((r) => r[0]), hosts: hostRows.map((r) => r[0]) };
	fill($("version"), versionRows, v.version, "all versions");
	fill($("host"), hostRows, v.host, "all hosts");
	fill($("with-version"), versionRows, v.with === "version" ? v.before.version : "", "all versions");
	fill($("with-host"), hostRows, v.with === "host" ? v.before.host : "", "all hosts");
}
const toInput = (seconds) => when(seconds).replace(" ", "T");
const fromInput = (input) => Math.floor(Date.parse(input.value + "Z") / 1000) || 0;
// Write the view into the form.
function fillForm() {
	const v = fleet.view;
	$("from").value = toInput(v.from);
	$("to").value = toInput(v.to);
	$("with").value = v.with;
	$("with-from").value = toInput(v.before.from);
	$("with-to").value = toInput(v.before.to);
	for (const part of ["time", "version", "host"])
		$("with-of-" + part).hidden = v.with !== part;
	if (v.with !== "time")
		$("drag-was").checked = false;
	$("drag").hidden = v.with !== "time";
	theLine.mark(v, v.with === "time" ? v.before : null);
	$("range-says").textContent = `Shown: ${when(v.from)} to ${when(v.to)} UTC, ${long(v.to - v.from)}` +
		(v.with === "time" ? `; compared with: ${when(v.before.from)} to ${when(v.before.to)} UTC, ${long(v.before.to - v.before.from)}` : "") + ".";
}

function say(list, text, warns) {
	make("li", warns ? "warn" : "", list, text);
}
function sayIntervals(list, side, name, rows, losses) {
	const [count, hosts, thinned, kernels] = rows[0].map(Number);
	say(list, `${name}: ${number(count)} ${count === 1 ? "interval" : "intervals"} of ${hosts} ${hosts === 1 ? "host" : "hosts"}` +
		`, ${when(side.from)} to ${when(side.to)} UTC${kernels > 1 ? `, ${kernels} kernels` : ""}` +
		(side.host ? `, host ${clip(side.host)}` : ""));
	if (thinned)
		say(list, `${number(thinned)} rows with few samples were dropped before they were sent; the counts of small functions are estimates.`, true);
	if (losses.length)
		say(list, `These hosts lost ${number(add(losses.map((r) => Number(r[1]))))} samples of all services: ` +
			losses.map(([reason, n]) => `${reason} ${number(n)}`).join(", "), true);
}
function sayAnswer(totals, facts) {
	const v = fleet.view, list = $("facts"), [now, was, stacks] = totals;
	list.replaceChildren();
	const versionOf = (side) => side.version ? ` of version ${nameOfVersion(side.version)}` : "";
	say(list, (v.with ? `${number(was)} samples${versionOf(v.before)} before, ${number(now)}${versionOf(v)} after` :
		`${number(now)} samples${versionOf(v)}`) + `, in ${number(stacks)} ${stacks === 1 ? "stack" : "stacks"}`);
	if (v.with && !(now && was))
		say(list, `There are no samples ${now ? "before" : "after"}: choose another ${v.with} to compare.`, true);
	// Versions may run in the same intervals.
	const isOnce = !v.with || v.with === "version";
	sayIntervals(list, v, isOnce ? "From" : "After", facts[0], facts[1]);
	if (!isOnce)
		sayIntervals(list, v.before, "Before", facts[2], facts[3]);
	if (stacks > MAX_STACKS)
		say(list, `The graph has the ${number(MAX_STACKS)} stacks with most samples; the samples of the others are \u201c[stacks with few samples]\u201d.`, true);
	$("how").textContent = v.with ?
		"The width is the share of samples after, or before, as chosen. Orange had a smaller share before, blue a larger one, grey the same." :
		"The width is the share of samples. Orange is user code, green inlined, violet without a symbol, red the kernel, " +
		"grey why a path is short.";
}

// Copy the parts of the view that are not compared to the side before.
function alignBefore() {
	const v = fleet.view;
	if (v.with !== "time")
		Object.assign(v.before, { from: v.from, to: v.to });
	for (const part of ["version", "host"])
		if (v.with !== part)
			v.before[part] = v[part];
}
// Query and show the data of the view. @words: the graph's view in a link. A newer query cancels an older one.
async function ask_view(words = "", from_link = false) {
	const v = fleet.view;
	if (fleet.running)
		fleet.running.abort();
	const mine = fleet.running = new AbortController(), put = (sql) => ask(sql, mine.signal);
	alignBefore();
	busy(true);
	show_problem(null);
	try {
		fillServices(await put(SQL.services(fleet.line)));
		$("title").textContent = `${v.service || "All services"}, ${v.event}`;
		document.title = `${v.service || "All services"} \u2013 OProfile`;
		linkBegin = writeLink();
		if (!from_link && location.hash !== "#" + linkBegin)
			history.pushState(null, "", "#" + linkBegin);
		linkBegin += "&";
		const step = fleet.step, sides = sidesOf(v);
		const answers = await Promise.all([
			put(SQL.totals(v)), put(SQL.stacks(v)), put(SQL.bars(v, fleet.line, step)), put(SQL.versions(v, fleet.line)), put(SQL.hosts(v, fleet.line)),
			...sides.flatMap((side) => [put(SQL.intervals(side)), put(SQL.losses(side))])]);
		const [totals, stacks, bars, versions, hosts, ...facts] = answers, sums = totals[0].map(Number);
		fillNames(versions, hosts);
		theLine.draw(fleet.line, step, bars);
		fillForm();
		form.hidden = false;
		if (!sums[0] && !sums[1])
			throw new Problem(`There are no samples of ${v.service ? `\u201c${clip(v.service)}\u201d` : "any service"} in this time` +
				`${v.version || v.host ? " with this version and host" : ""}.`, "whole");
		loadData(graphOf(stacks, sums.slice(0, 2), !!v.with, v.event));
		$("answer").hidden = false;
		sayAnswer(sums, facts);
		showData(words);
	} catch (error) {
		if (mine !== fleet.running)
			return;
		mine.abort();
		if (!(error instanceof Problem))
			throw error;
		show_problem(error);
	} finally {
		if (mine === fleet.running)
			busy(false);
	}
}
// Set the time line. Its ends are moved to multiples of its step.
function setLine(from, to) {
	const step = stepOf(from, to, fleet.about.length);
	fleet.step = step;
	fleet.line = { from: Math.floor(from / step) * step, to: Math.max(Math.ceil(to / step), Math.floor(from / step) + 1) * step };
}
// After signing in, check the tables, and query the range of their times.
async function begin() {
	const words = location.hash.slice(1);
	busy(true);
	show_problem(null);
	$("sign").hidden = true;
	try {
		const [version, oldest, newest, count] = (await ask(SQL.about()))[0].map(Number);
		if (count && version > SCHEMA)
			throw VERSION(`version ${version}`);
		if (!count)
			throw new Problem("No host has sent an interval yet. See opexport(1), then try again.");
		fleet.about = { oldest, newest, length: 60 };
		fleet.about.length = Number((await ask(SQL.length()))[0][0]);
	} catch (error) {
		busy(false);
		if (!(error instanceof Problem))
			throw error;
		show_problem(error);
		return;
	}
	$("signed").textContent = `${account.user || "default user"}, database ${clip(account.database)}`;
	$("out").hidden = false;
	follow(words);
}
function follow(words) {
	readLink(words);
	const { oldest, newest } = fleet.about, v = fleet.view;
	fleet.isNew = !words.includes("range=");
	setLine(...fleet.line ? [fleet.line.from, fleet.line.to] : [Math.max(oldest, newest - 86400), newest]);
	if (v.to <= v.from)
		Object.assign(v, fleet.line);
	ask_view(words, !fleet.isNew);
}

const theLine = timeLine($("time-line"), ([from, to], goes_on) => {
	const v = fleet.view;
	Object.assign($("drag-was").checked && v.with === "time" ? v.before : v, { from, to });
	alignBefore();
	fillForm();
	if (!goes_on)
		ask_view();
});
function preset(seconds) {
	const { oldest, newest } = fleet.about;
	setLine(seconds ? Math.max(oldest, newest - seconds) : oldest, newest);
	Object.assign(fleet.view, fleet.line);
	ask_view();
}
for (const [id, seconds] of [["last-hour", 3600], ["last-4h", 14400], ["last-day", 86400], ["last-week", 604800], ["last-month", 2592000], ["last-all", 0]])
	$(id).addEventListener("click", () => preset(seconds));
$("whole-line").addEventListener("click", () => { Object.assign(fleet.view, fleet.line); ask_view(); });
$("zoom-line").addEventListener("click", () => { setLine(fleet.view.from, fleet.view.to); ask_view(); });
$("event").addEventListener("change", () => { fleet.view.event = $("event").value; ask_view(); });
$("service").addEventListener("change", () => {
	// Another service has other versions.
	Object.assign(fleet.view, { service: $("service").value, version: "" });
	if (fleet.view.with === "version")
		fleet.view.with = "";
	ask_view();
});
for (const part of ["version", "host"]) {
	$(part).addEventListener("change", () => { fleet.view[part] = $(part).value; ask_view(); });
	$("with-" + part).addEventListener("change", () => { fleet.view.before[part] = $("with-" + part).value; ask_view(); });
}
// Set the times from the form. Empty or reversed times are not queried.
function setTimes(side, from, to) {
	const range = [fromInput($(from)), fromInput($(to))];
	if (!range[0] || range[1] <= range[0]) {
		show_problem(new Problem("The end of the time must be after its begin. Type both as year, month, day, hour and minute in UTC.", ""));
		return;
	}
	Object.assign(side, { from: range[0], to: range[1] });
	if (range[0] < fleet.line.from || range[1] > fleet.line.to)
		setLine(Math.min(range[0], fleet.line.from), Math.max(range[1], fleet.line.to));
	ask_view();
}
form.addEventListener("submit", (e) => { e.preventDefault(); });
$("set-time").addEventListener("click", () => setTimes(fleet.view, "from", "to"));
$("set-with").addEventListener("click", () => setTimes(fleet.view.before, "with-from", "with-to"));
// Compare with the same length of time, @seconds earlier; 0: directly before.
function earlier(seconds) {
	const v = fleet.view, back = seconds || v.to - v.from;
	Object.assign(v.before, { from: v.from - back, to: v.to - back });
	if (v.before.from < fleet.line.from)
		setLine(v.before.from, fleet.line.to);
	ask_view();
}
for (const [id, seconds] of [["with-last", 0], ["with-day", 86400], ["with-week", 604800]])
	$(id).addEventListener("click", () => earlier(seconds));
$("with").addEventListener("change", () => {
	const v = fleet.view;
	// A version or host that the page chose for a comparison is not kept for the next one.
	if (fleet.chose)
		v[fleet.chose] = "";
	fleet.chose = "";
	v.with = $("with").value;
	v.before = { from: v.from, to: v.to, version: v.version, host: v.host };
	if (v.with === "time") {
		const bars = Math.floor((v.to - v.from) / fleet.step), half = v.from + Math.floor(bars / 2) * fleet.step;
		if (2 * v.from - v.to >= fleet.about.oldest || bars < 2) {
			earlier(0);
			return;
		}
		// There are no samples before this time: its second half is compared with its first.
		v.before.to = v.from = half;
	} else if (v.with) {
		// The newest version is compared with the version before it.
		const names = fleet.lists[v.with + "s"];
		fleet.chose = v[v.with] ? "" : v.with;
		v[v.with] = v[v.with] || names[0] || "";
		const next = names.indexOf(v[v.with]) + 1;
		v.before[v.with] = names[next] || names.find((name) => name !== v[v.with]) || "";
	}
	ask_view();
});
$("sign").addEventListener("submit", (e) => {
	e.preventDefault();
	account.user = $("user").value;
	account.password = $("password").value;
	account.database = $("database").value || "oprofile";
	$("password").value = "";
	fleet.about = null;
	begin();
});
$("out").addEventListener("click", () => {
	account.user = account.password = "";
	location.reload();
});
// Back and forward, and links that are typed.
addEventListener("popstate", () => {
	if (fleet.about && location.hash.includes("range="))
		follow(location.hash.slice(1));
});
account.database = new URLSearchParams(location.hash.slice(1)).get("db") || account.database;
for (const e of all(".script"))
	e.hidden = false;
sign_in();
busy(false);
