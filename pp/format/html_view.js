// The state of the view, which the address of the page contains, and what changes it: buttons, keys, undo and redo.
const start = () => ({ fly: "", invert: false, steps: [], zoom: [], search: "", cls: 0, time: null });
const WORDS = { "drop": "Removed", "drop-image": "Removed library", "merge": "Merged", "merge-image": "Merged library" };
let state = start(), last = "", shown = {}, linking = 0;
let linkBegin = "";	// words of the address before those of the view
const past = [], future = [];

function write(s) {
	const words = s.steps.map(([what, key]) => [what, key]).concat(s.zoom.map((key) => ["zoom", key]));
	if (s.fly)
		words.unshift(["calls", s.fly]);
	if (s.invert)
		words.push(["invert", "yes"]);
	if (s.search)
		words.push(["search", s.search]);
	if (s.cls)
		words.push(["class", s.cls]);
	if (s.time)
		words.push(["time", s.time.join("-")]);
	return new URLSearchParams(words).toString();
}
function read(text) {
	const s = start();
	for (const [word, text_of] of new URLSearchParams(text)) {
		if (WORDS[word])
			s.steps.push([word, text_of]);
		else if (word === "zoom")
			s.zoom.push(text_of);
		else if (word === "calls")
			s.fly = text_of;
		else if (word === "invert")
			s.invert = true;
		else if (word === "search")
			s.search = text_of;
		else if (word === "class")
			s.cls = Math.min(Math.max(0, parseInt(text_of, 10) || 0), COUNTS.length - 1);
		else if (word === "time" && /^\d+-\d+$/.test(text_of))
			s.time = text_of.split("-").map(Number);
	}
	return s;
}
// What a link names and this page does not have.
const missing = () => [
	...state.fly && !byKey.has(state.fly) ? [state.fly] : [],
	...state.steps.filter(([what, key]) => what.endsWith("-image") ? !data.images.includes(key) : !byKey.has(key)).map((s) => s[1]),
	...state.time && !chosen ? ["the time of the link"] : [],
];
function showSteps() {
	const list = $("steps");
	list.replaceChildren();
	state.steps.forEach(([what, key], i) => {
		const button = make("button", "", make("li", "", list), `${WORDS[what]}: `);
		button.type = "button";
		button.title = "Take this back";
		make("bdi", "", button, key.length > 80 ? key.slice(0, 80) + "\u2026" : key);
		button.append(" \u2715");
		button.addEventListener("click", () => change((s) => { s.steps.splice(i, 1); }));
	});
	if (state.steps.length && $("filter"))
		make("li", "soft", list, "The tables below show the whole profile.");
	if (state.fly)
		make("li", "", list, "Callers above, callees below; click a function to move on.");
	else if (state.invert)
		make("li", "", list, "Inverted: functions with samples first, their callers below.");
	const lacks = missing();
	if (lacks.length)
		make("li", "warn", list, `This page does not have: ${lacks.join(", ").slice(0, 400)}`);
}
// Show the state. Parts that did not change are not made again.
function show() {
	const now = {
		time: `${state.time}`, tree: JSON.stringify([state.time, state.cls, state.steps]), search: state.search,
		graph: JSON.stringify([state.fly, state.invert, state.zoom]),
	};
	const differs = (part) => now[part] !== shown[part];
	findChosen();
	if (time && differs("time"))
		showTime();
	if (differs("tree")) {
		const c = state.cls % KINDS;
		buildTree(samplesOfTime(c), DIFFERS ? COUNTS[KINDS + c] : new Float64Array(NR), state.steps);
	}
	if (time && $("class").value !== String(state.cls))
		drawTime();
	$("class").value = state.cls;
	if ($("search").value !== state.search)
		$("search").value = state.search;
	width = state.cls < KINDS ? "now" : "was";
	if (differs("tree") || differs("search"))
		showSearch();
	if (differs("tree") || differs("graph"))
		showGraph();
	shown = now;
	showSteps();
	$("invert").setAttribute("aria-pressed", state.invert);
	$("undo").disabled = !past.length;
	$("redo").disabled = !future.length;
	const link = "#" + (linkBegin + write(state) || "flame");
	$("link").href = link;
	// Browsers refuse many changes of the address in a short time.
	clearTimeout(linking);
	if (past.length || future.length)
		linking = setTimeout(() => history.replaceState(null, "", link), 200);
}
// Change the state. Changes of the same @kind, one after the other, are one step of undo.
function change(edit, kind = "") {
	const before = write(state);
	edit(state);
	if (write(state) === before)
		return;
	if (!kind || kind !== last)
		past.push(before);
	last = kind;
	future.length = 0;
	show();
}
function step(from, to) {
	if (!from.length)
		return;
	to.push(write(state));
	state = read(from.pop());
	last = "";
	show();
}
const actions = {
	undo: () => step(past, future),
	redo: () => step(future, past),
	reset: () => change((s) => { Object.assign(s, start(), { cls: s.cls, time: s.time }); }),
	invert: () => change((s) => { s.invert = !s.invert || !!s.fly; s.fly = ""; s.zoom = []; }),
	fly: () => change((s) => { s.fly = functions[cursor.f].key; }),
	help: () => $("keys").showModal(),
	"keys-close": () => $("keys").close(),
};
for (const what of Object.keys(WORDS))
	actions[what] = () => change((s) => {
		const f = functions[cursor.f];
		s.steps.push([what, what.endsWith("-image") ? f.image : f.key]);
		if (s.fly === f.key)
			s.fly = "";
	});
for (const id of Object.keys(actions))
	$(id).addEventListener("click", actions[id]);
$("search").addEventListener("input", () => change((s) => { s.search = $("search").value; }, "search"));
$("class").addEventListener("change", () => change((s) => { s.cls = +$("class").value; }));

const KEYS = { b: "fly", i: "invert", d: "drop", D: "drop-image", m: "merge", M: "merge-image", u: "undo", r: "redo", 0: "reset", "?": "help" };
const PLACES = { "/": "search", g: "flame-graph", l: "functions", t: "time-line", f: "filter" };
addEventListener("keydown", (e) => {
	const key = e.key, control = e.ctrlKey || e.metaKey;
	if (e.altKey || e.target.closest("input, select") || $("keys").open)
		return;
	const id = !control ? KEYS[key] : key === "z" ? "undo" : key === "y" || key === "Z" ? "redo" : null;
	const place_of = !control && PLACES[key] && $(PLACES[key]);
	if (id) {
		if (!$(id).disabled)
			actions[id]();
	} else if (place_of) {
		(place_of.matches("input, #flame-graph") ? place_of : place_of.querySelector("button[tabindex='0'], button") || place_of).focus();
	} else {
		return;
	}
	e.preventDefault();
});

// Show the data that loadData() took, in the view that the words of an address describe; "": as a whole.
function showData(words) {
	$("class").replaceChildren();
	[...data.classes, ...DIFFERS ? data.classes : []].forEach((text, i) => {
		make("option", "", $("class"), !DIFFERS ? text : `${KINDS > 1 ? text + ", " : ""}widths ${i < KINDS ? "after" : "before"}`).value = i;
	});
	$("class").hidden = COUNTS.length < 2;
	$("left-out").textContent = data.left_out ?
		`${data.left_out} branches with few samples are left out. Their samples count for the functions above them.` : "";
	past.length = future.length = colours.length = 0;
	shown = {};
	state = read(words);
	show();
}
