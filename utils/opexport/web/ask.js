// Queries to ClickHouse by HTTP. The user's name and password stay in memory, and are sent in headers only.
const QUERY_URL = "query", TIMEOUT = 90000;	// relative to the page; milliseconds
const SCHEMA = Number(document.documentElement.dataset.schema);	// version of the tables that this page reads
const account = { user: "", password: "", database: "oprofile" };
// Settings that bound a query, for servers and users that accept them: users with readonly = 1 cannot change any.
const LIMITS = [
	{ readonly: 2, max_execution_time: 60, max_rows_to_group_by: 20000000, enable_http_compression: 1 },
	{ max_execution_time: 60, enable_http_compression: 1 },
	{},
];
let limits = 0;

// A failure that the page shows: a sentence about the cause, and the next action: "sign in", "retry", or "" for none.
class Problem extends Error {
	constructor(text, wayOut = "retry") {
		super(text);
		this.wayOut = wayOut;
	}
}
const database = () => `\u201c${account.database}\u201d`;
const who = () => account.user ? `The user \u201c${account.user}\u201d` : "The default user";
const SIGN_IN = () => new Problem("ClickHouse refuses this user name or password. Type them again.", "sign in");
const RIGHTS = () => new Problem(`${who()} may not read the tables of the database ${database()}. ` +
	"Grant the role oprofile_reader to the user (reader.sql), or sign in as another user.", "sign in");
const TABLES = () => new Problem(`The database ${database()} has no tables of opexport. ` +
	"Make them with opexport --setup-db, or sign in with the name of another database.", "sign in");
const VERSION = (version) => new Problem(`The tables of the database ${database()} have ${version}, and this page reads ` +
	`version ${SCHEMA}. Install the page of the same release as opexport.`);
const TOO_MUCH = () => new Problem("The query is too large for the limits of the server. Choose a shorter time or one service.");
// Problems by the number of ClickHouse's error.
const CAUSES = {
	16: () => VERSION("other columns"), 47: () => VERSION("other columns"),
	60: TABLES, 81: TABLES,
	158: TOO_MUCH, 159: TOO_MUCH, 160: TOO_MUCH, 241: TOO_MUCH, 307: TOO_MUCH, 396: TOO_MUCH,
	192: SIGN_IN, 193: SIGN_IN, 194: SIGN_IN, 516: SIGN_IN,
	201: () => new Problem("The quota of this user is used up. Wait a minute, then try again."),
	202: () => new Problem("ClickHouse runs too many queries at this time. Try again."),
	291: RIGHTS, 497: RIGHTS,
};

function problemOf(status, text) {
	const code = /^\s*Code: (\d+)/.exec(text), cause = code && CAUSES[code[1]];
	if (cause)
		return cause();
	if (code)
		return new Problem(`ClickHouse refuses the query: ${text.trim().slice(0, 300)}`);
	if (status === 401 || status === 403)
		return SIGN_IN();
	if (status >= 502 && status <= 504)
		return new Problem(`The web server has no answer from ClickHouse (status ${status}). ` +
			"Check that ClickHouse runs, then try again.");
	if (/^\s*</.test(text))
		return new Problem(`A web page came instead of an answer of ClickHouse (status ${status}), for example a proxy's page to sign in. ` +
			"Load this page again, or check that the web server passes /query to ClickHouse.");
	return new Problem(`The answer is not ClickHouse's (status ${status}). Check that the web server passes /query to ClickHouse.`);
}

// Encode a header's text in UTF-8, which ClickHouse reads.
const header = (text) => String.fromCharCode(...new TextEncoder().encode(text));
async function post(sql, signal) {
	const headers = { "Content-Type": "text/plain" };
	if (account.user)
		headers["X-ClickHouse-User"] = header(account.user);
	if (account.password)
		headers["X-ClickHouse-Key"] = header(account.password);
	const words = new URLSearchParams({ database: account.database, wait_end_of_query: 1, ...LIMITS[limits] });
	const answer = await fetch(`${QUERY_URL}?${words}`,
		{ method: "POST", body: sql, headers, signal, credentials: "same-origin", cache: "no-store", redirect: "error" });
	return [answer.status, await answer.text()];
}
// Return the rows of a query. @signal: of an AbortController. Throws a Problem, or an AbortError after a newer query.
async function ask(sql, signal) {
	const clock = AbortSignal.timeout(TIMEOUT);
	const either = signal ? AbortSignal.any([signal, clock]) : clock;
	const tried = limits;
	let status, text;
	try {
		[status, text] = await post(sql + " FORMAT JSONCompact", either);
	} catch (error) {
		if (signal && signal.aborted)
			throw error;
		throw clock.aborted ? new Problem(`No answer came within ${TIMEOUT / 1000} seconds. Choose a shorter time or one service.`) :
			new Problem("The server does not answer. Check the network and that the server runs, then try again.");
	}
	// 164: the user may not change settings; 115: the server does not know one; 452: a limit of the role.
	if (status !== 200 && tried + 1 < LIMITS.length && /^\s*Code: (164|115|452)\b/.test(text)) {
		limits = Math.max(limits, tried + 1);
		return ask(sql, signal);
	}
	if (status !== 200)
		throw problemOf(status, text);
	try {
		const rows = JSON.parse(text).data;
		if (Array.isArray(rows))
			return rows;
	} catch (error) {
		if (/DB::Exception/.test(text))
			throw problemOf(status, text.slice(text.lastIndexOf("Code: ")));
		if (/^\s*\{/.test(text))
			throw new Problem("The answer of ClickHouse broke off. Try again.");
	}
	throw problemOf(status, text);
}

// Return a text as a literal of SQL. All bytes except harmless ones are written as \xHH, so no text can end the literal.
const literal = (text) => "'" + [...new TextEncoder().encode(text)].map((byte) =>
	/[A-Za-z0-9 _.:@/-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : "\\x" + byte.toString(16).padStart(2, "0")).join("") + "'";
const moment = (seconds) => `toDateTime(${Math.min(Math.max(0, Math.trunc(seconds)), 0xffffffff)})`;
