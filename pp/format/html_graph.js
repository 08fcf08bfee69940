// The graph and the list of its functions. It is drawn on a canvas, as many boxes as can be seen.
const flame = $("flame-graph"), canvas = flame.querySelector("canvas"), pen = canvas.getContext("2d");
const dark = matchMedia("(prefers-color-scheme: dark)");
const ROW = 20, LEAST = 1;		// pixels: height of a row, least width of a box
const SHOWN_FUNCTIONS = 50;
// By kind (path_names.h). Names vary them by less than kinds differ.
const hues = [210, 22, 265, 350, 105, 50];
let boxes = [];			// [branch, left, width, row, whether it is above the chosen branch]
let byRow = [];			// the same, for each row from left to right
let zoomed, callers;	// branches; callers: null, or the callers of the function in the middle
let across = 0, tallest = 0, letter = 0;	// pixels: width of the graph, largest height of a view, width of a letter
let cursor, hits = new Uint8Array(0);
let width = "now";		// of boxes

const samples = () => tree.total[width][0];
const share = (branch, side) => tree.total[side][0] ? branch[side] / tree.total[side][0] : 0;
// "#RRGGBB", which a canvas reads faster than other words. @hue: degrees; @saturation, @lightness: percent.
function hex(hue, saturation, lightness) {
	const light = lightness / 100, much = saturation / 100 * Math.min(light, 1 - light);
	const part = (n) => {
		const k = (n + hue / 30) % 12;
		return Math.round(255 * (light - much * Math.max(-1, Math.min(k - 3, 9 - k, 1)))).toString(16).padStart(2, "0");
	};
	return "#" + part(0) + part(8) + part(4);
}
// The colour of a name, by kind.
const colours = [];
function ofName(f, kind) {
	const key = 2 * (8 * f + kind) + dark.matches;
	if (!colours[key]) {
		let h = 7;
		for (const c of functions[f].name.slice(0, 200))
			h = (h * 31 + c.codePointAt(0)) >>> 0;
		colours[key] = dark.matches ? hex(hues[kind] + h % 12, 34 + h % 17, 27 + h % 8) : hex(hues[kind] + h % 12, 62 + h % 17, 72 + h % 9);
	}
	return colours[key];
}
function colour(branch) {
	const kind = kindOf(branch.nodes[0]), grey = dark.matches ? "#444b54" : "#d6dade";
	if (branch.f === ALL || kind === REASON && !DIFFERS)
		return grey;
	if (!DIFFERS)
		return ofName(branch.f, kind);
	const now = share(branch, "now"), was = share(branch, "was"), change = Math.abs(now - was) / Math.max(now, was, 1e-9);
	return change < 0.01 ? grey :
		now > was ? dark.matches ? hex(30, 85, 20 + 18 * change) : hex(30, 95, 90 - 32 * change) :
			dark.matches ? hex(215, 65, 26 + 24 * change) : hex(215, 85, 92 - 28 * change);
}

// What the boxes are: the chosen branch with all below, the branches above it, and callers upwards.
function place() {
	const chain = [];
	across = flame.clientWidth;
	boxes = [];
	const put = (branch, left, size, row, way) => {
		if (row || way > 0)
			boxes.push([branch, left, size, row, false]);
		const unit = branch[width] ? size / branch[width] : 0;
		let at = left;
		for (const b of under(branch, width)) {
			const w = b[width] * unit;
			if (w < LEAST)
				break;
			put(b, at, w, row + way, way);
			at += w;
		}
	};
	for (let b = zoomed.up; b; b = b.up)
		chain.unshift(b);
	chain.forEach((b, row) => boxes.push([b, 0, across, row, true]));
	put(zoomed, 0, across, chain.length, 1);
	if (callers)
		put(callers, 0, across, 0, -1);
	const first = boxes.reduce((a, b) => Math.min(a, b[3]), 0), last = boxes.reduce((a, b) => Math.max(a, b[3]), 0);
	byRow = Array.from({ length: last - first + 1 }, () => []);
	for (const box of boxes)
		byRow[box[3] -= first].push(box);
	const tall = (last - first + 1) * ROW;
	canvas.parentNode.style.height = tall + "px";
	// The graph does not shrink, so that the page below it stays in its place.
	tallest = Math.max(tallest, tall);
	flame.style.height = `min(${tallest}px, 75vh)`;
	flame.scrollTop = callers ? Math.max(0, -first * ROW - flame.clientHeight / 2) : 0;
}
const LATIN = /^[\x20-\x7e]*$/;
function label(text, x, y, room, letter) {
	const fits = Math.floor(room / letter);
	if (LATIN.test(text)) {
		pen.fillText(text.length > fits ? text.slice(0, fits - 1) + "\u2026" : text, x, y);
		return;
	}
	pen.save();
	pen.beginPath();
	pen.rect(x, y - ROW, room, 2 * ROW);
	pen.clip();
	pen.fillText(text.slice(0, 2 * fits), x, y);
	pen.restore();
}
const shares = (b) => DIFFERS && b.f !== ALL ?
	`${percent(b.was, tree.total.was[0], 1)}% \u2192 ${percent(b.now, tree.total.now[0], 1)}%` : "";
function draw() {
	const ratio = devicePixelRatio || 1, high = flame.clientHeight, top = flame.scrollTop;
	const ink = dark.matches ? "#f1f3f5" : "#16191d";
	if (!letter || canvas.width !== Math.round(across * ratio) || canvas.height !== Math.round(high * ratio)) {
		canvas.width = Math.round(across * ratio);
		canvas.height = Math.round(high * ratio);
		canvas.style.width = across + "px";
		canvas.style.height = high + "px";
		pen.font = "12px ui-monospace, monospace";
		pen.textBaseline = "middle";
		pen.direction = "ltr";
		letter = pen.measureText("0").width;
	}
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	pen.clearRect(0, 0, across, high);
	for (const [branch, left, size, row, isUp] of byRow.slice(Math.floor(top / ROW), Math.ceil((top + high) / ROW)).flat()) {
		const y = row * ROW - top;
		const hit = hits[branch.f];
		pen.globalAlpha = isUp ? 0.55 : 1;
		pen.fillStyle = hit ? dark.matches ? "#e9c6ff" : "#6a1b9a" : colour(branch);
		pen.fillRect(left, y, Math.max(size - 1, size / 2), ROW - 1);
		if (size > 4 * letter) {
			const change = shares(branch), room = size - 8, tail = (change.length + 1) * letter;
			pen.fillStyle = hit ? dark.matches ? "#16191d" : "#fff" : ink;
			if (change && room > tail + 6 * letter) {
				pen.fillText(change, left + size - 4 - change.length * letter, y + ROW / 2);
				label(functions[branch.f].name, left + 4, y + ROW / 2, room - tail, letter);
			} else {
				label(functions[branch.f].name, left + 4, y + ROW / 2, room, letter);
			}
		}
		pen.globalAlpha = 1;
		if (branch === cursor) {
			pen.strokeStyle = ink;
			pen.lineWidth = 2;
			pen.strokeRect(left + 1, y + 1, Math.max(size - 3, 1), ROW - 3);
		}
	}
}
let drawing = 0;
function drawSoon() {
	if (!drawing)
		drawing = requestAnimationFrame(() => { drawing = 0; draw(); });
}

// The text of a branch: "NAME (IMAGE): 12 samples, 3.4567% of all".
const unit = () => data.units[state.cls % KINDS];
function describe(branch, says = $("flame-says")) {
	const f = functions[branch.f], of = tree.total[width][0];
	says.replaceChildren();
	make("bdi", "name", says, f.name.length > 400 ? f.name.slice(0, 400) + "\u2026" : f.name);
	if (f.image)
		make("bdi", "soft", says, ` ${f.image}`);
	const own = branch.each === below ? add(branch.nodes.map((n) => tree.own[width][n])) : 0;
	const words = [`${branch[width]} ${unit()}${branch.f === ALL ? "" : `, ${percent(branch[width], of)}% of all`}`];
	if (zoomed.f !== branch.f && zoomed.f !== ALL)
		words.push(`${percent(branch[width], zoomed[width])}% of ${functions[zoomed.f].name.slice(0, 60)}`);
	if (branch.f === ALL && tree.removed)
		words.push(`${tree.removed} removed`);
	if (own)
		words.push(`${own} in itself`);
	if (DIFFERS)
		words.push(`before ${branch.was}, ${percent(branch.was, tree.total.was[0])}%; after ${branch.now}, ` +
			`${percent(branch.now, tree.total.now[0])}%`);
	says.append(`: ${words.join("; ")}`);
}
function choose(branch) {
	const f = functions[branch.f];
	cursor = branch;
	describe(branch);
	for (const id of ["fly", "drop", "merge"])
		$(id).disabled = branch.f === ALL;
	for (const id of ["drop-image", "merge-image"])
		$(id).disabled = !f.image;
	const box = boxes.find((b) => b[0] === branch);
	if (box) {
		const y = box[3] * ROW;
		flame.scrollTop = Math.max(y + ROW - flame.clientHeight, Math.min(flame.scrollTop, y));
	}
	drawSoon();
}
// The keys of the branches from the root to a branch, which name it in the state.
function pathOf(branch) {
	const path = [];
	for (let b = branch; b.up; b = b.up)
		path.unshift(functions[b.f].key);
	return path;
}
function enter(branch) {
	if (callers)
		change((s) => { s.fly = functions[branch.f].key; });
	else
		change((s) => { s.zoom = pathOf(branch); });
}
const at = (e) => {
	const box = flame.getBoundingClientRect(), x = e.clientX - box.left, row = Math.floor((e.clientY - box.top + flame.scrollTop) / ROW);
	const hit = (byRow[row] || []).find((b) => b[1] <= x && x < b[1] + b[2]);
	return hit && hit[0];
};
flame.addEventListener("click", (e) => { const b = at(e); if (b) enter(b); });
flame.addEventListener("pointermove", (e) => { const b = at(e); flame.style.cursor = b ? "pointer" : ""; describe(b || cursor); });
flame.addEventListener("pointerleave", () => describe(cursor));
flame.addEventListener("scroll", drawSoon);
dark.addEventListener("change", drawSoon);
new ResizeObserver(() => {
	if (zoomed && across !== flame.clientWidth)
		place();
	drawSoon();
}).observe(flame);
flame.addEventListener("keydown", (e) => {
	const visible = (b) => b && boxes.some((box) => box[0] === b) ? b : null;
	const largest = (b) => visible(under(b, width)[0]);
	const beside = (step) => {
		const family = cursor.up ? under(cursor.up, width) : [];
		return visible(family[family.indexOf(cursor) + step]);
	};
	// Callers are drawn upwards.
	const away = callers && cursor !== zoomed && cursor.each === above ? "ArrowUp" : "ArrowDown";
	const back = (b) => b.up === callers && callers ? zoomed : b.up;
	let to = null;
	if (e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (e.key === "Enter")
		enter(cursor);
	else if (e.key === "Backspace")
		change((s) => { s.zoom.pop(); });
	else if (e.key === "ArrowLeft" || e.key === "ArrowRight")
		to = beside(e.key === "ArrowLeft" ? -1 : 1);
	else if (e.key === "ArrowUp" && cursor === zoomed && callers)
		to = largest(callers);
	else if (e.key === away)
		to = largest(cursor);
	else if (e.key === "ArrowUp" || e.key === "ArrowDown")
		to = back(cursor);
	else
		return;
	if (to)
		choose(to);
	e.preventDefault();
});

// The list of functions of the graph.
function listFunctions(word) {
	const head = $("functions").tHead.rows[0], body = $("functions").tBodies[0];
	const heads = DIFFERS ? ["after", "%", "before", "%"] : ["total", "%", "own", "%"];
	const ranked = tree.sums.map((sum, f) => ({ f, sum, by: DIFFERS ? Math.max(sum.now, sum.was) : sum[width] }))
		.filter((r) => r.by && functions[r.f].kind !== REASON && functions[r.f].kind !== PROGRAM && (!word || hits[r.f]))
		.sort((a, b) => b.by - a.by);
	head.replaceChildren();
	for (const text of heads)
		make("th", "n", head, text);
	make("th", "", head, "function");
	make("th", "", head, "image");
	body.replaceChildren();
	for (const { f, sum } of ranked.slice(0, SHOWN_FUNCTIONS)) {
		const row = make("tr", "", body), { now, was } = tree.total;
		const cells = DIFFERS ? [[sum.now, now[0]], [sum.was, was[0]]] : [[sum[width], samples()], [sum.ownNow, samples()]];
		for (const [count, of] of cells) {
			make("td", "n", row, count);
			make("td", "n", row, percent(count, of));
		}
		const button = make("button", "link", make("td", "t", row));
		make("span", "", button, functions[f].name);
		button.type = "button";
		button.title = functions[f].name;
		button.dir = "auto";
		button.addEventListener("click", () => { change((s) => { s.fly = functions[f].key; }); flame.focus(); });
		make("td", "o", row, functions[f].image);
	}
	const rest = ranked.length - SHOWN_FUNCTIONS;
	$("functions-rest").textContent = rest > 0 ? `${rest} more ${rest > 1 ? "functions" : "function"}; search finds them.` : "";
}

function showSearch() {
	const word = state.search.toLowerCase();
	hits = Uint8Array.from(functions, (f) => word && f.name.toLowerCase().includes(word) ? 1 : 0);
	hits[ALL] = 0;
	const sum = word ? samplesWith((f) => hits[f], width) : 0;
	$("found").textContent = word ? `${sum} ${unit()}, ${percent(sum, samples())}% of all, are in paths with a match` : "";
	listFunctions(word);
	drawSoon();
}
// Show the tree as the state says.
function showGraph() {
	const f = byKey.get(state.fly);
	zoomed = f === undefined ? wholeTree(state.invert) : callsOf(f, below);
	callers = f === undefined ? null : callsOf(f, above);
	for (const key of callers ? [] : state.zoom) {
		const next = under(zoomed, width).find((b) => functions[b.f].key === key);
		if (!next)
			break;
		zoomed = next;
	}
	place();
	choose(zoomed);
}
