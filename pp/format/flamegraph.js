"use strict";
// Zoom and search. Without this script the graph stands as it is. Text goes into the graph by textContent only.
(function () {
	const WIDTH = 1180, LEFT = 10, MIN = 0.4, LETTER = 7.25;
	const $ = (id) => document.getElementById(id);
	const nodes = [...$("nodes").children].map((g) => ({
		g, at: +g.dataset.x, w: +g.dataset.w, depth: +g.dataset.d, up: null,
		name: g.dataset.n, rect: g.querySelector("rect"), text: g.querySelector("text"),
	}));
	const open = [];
	for (const n of nodes) {	// each stands behind its parent
		n.up = n.depth ? open[n.depth - 1] : null;
		open[n.depth] = n;
	}
	const all = nodes[0];
	let focus = all, word = "";
	function percent(part, of) {
		let digits = 2, text = of ? (100 * part / of).toFixed(digits) : "0";
		while (part < of && text >= 100 && digits < 20)
			text = (100 * part / of).toFixed(++digits);
		return text + "%";
	}
	function draw() {
		const chain = new Set();
		for (let n = focus.up; n; n = n.up)
			chain.add(n);
		for (const n of nodes) {
			const isUp = chain.has(n), inside = n.at >= focus.at && n.at + n.w <= focus.at + focus.w;
			const x = isUp ? 0 : (n.at - focus.at) / focus.w * WIDTH, w = isUp ? WIDTH : n.w / focus.w * WIDTH;
			const shown = isUp || (inside && n.depth >= focus.depth && w >= MIN);
			n.g.style.display = shown ? "" : "none";
			n.g.classList.toggle("up", isUp);
			if (!shown)
				continue;
			n.rect.setAttribute("x", LEFT + x);
			n.rect.setAttribute("width", w);
			n.text.setAttribute("x", LEFT + x + 3);
			const room = Math.floor((w - 6) / LETTER), letters = [...n.name];
			n.text.textContent = room < 3 ? "" : letters.length <= room ? n.name :
				letters.slice(0, room - 1).join("") + "\u2026";
		}
		$("reset").style.display = focus === all && !word ? "none" : "";
		search();
	}
	function search() {
		let sum = 0, end = -1;
		for (const n of nodes) {
			const hit = word && n !== all && n.name.toLowerCase().includes(word);
			n.g.classList.toggle("hit", !!hit);
			// What is below a hit is part of it.
			if (hit && n.at >= end && n.at >= focus.at && n.at < focus.at + focus.w) {
				sum += n.w;
				end = n.at + n.w;
			}
		}
		$("says").textContent = word ? `${percent(sum, focus.w)} of ${focus.name} match "${word}"` :
			focus === all ? "" : focus.g.querySelector("title").textContent;
	}
	function zoom(n) {
		focus = n;
		draw();
	}
	const node = (e) => nodes.find((n) => n.g === e.target.closest("#nodes g"));
	$("nodes").addEventListener("click", (e) => { const n = node(e); if (n) zoom(n); });
	$("nodes").addEventListener("keydown", (e) => { const n = node(e); if (n && e.key === "Enter") zoom(n); });
	$("nodes").addEventListener("mouseover", (e) => {
		const n = node(e);
		if (n && !word)
			$("says").textContent = n.g.querySelector("title").textContent;
	});
	// The field to search by, in HTML, since SVG has no fields. Viewers without scripts do not show it.
	const XHTML = "http://www.w3.org/1999/xhtml";
	const room = document.createElementNS("http://www.w3.org/2000/svg", "foreignObject");
	const field = document.createElementNS(XHTML, "input");
	for (const [name, value] of [["x", 990], ["y", 6], ["width", 200], ["height", 24]])
		room.setAttribute(name, value);
	for (const [name, value] of [["id", "search"], ["type", "search"], ["aria-label", "Search functions"],
				     ["placeholder", "Search functions (/)"]])
		field.setAttribute(name, value);
	room.append(field);
	$("head").append(room);
	function look() {
		word = field.value.toLowerCase();
		draw();
	}
	field.addEventListener("input", look);
	$("reset").addEventListener("click", () => { field.value = word = ""; zoom(all); });
	addEventListener("keydown", (e) => {
		if ((e.key === "/" && e.target !== field) || (e.ctrlKey && e.key === "f")) {
			e.preventDefault();
			field.select();
		} else if (e.key === "Escape" && e.target === field) {
			field.value = "";
			look();
			field.blur();
		}
	});
	// FILE#search=WORD and FILE#zoom=NAME are links to what they show.
	const [what, ...rest] = location.hash.slice(1).split("="), wanted = decodeURIComponent(rest.join("="));
	if (what === "search") {
		field.value = wanted;
		word = wanted.toLowerCase();
	}
	if (what === "zoom")
		focus = nodes.find((n) => n.name === wanted) || all;
	// The picture of deep stacks is higher than a window, and almost empty at its top: begin at its bottom, with the head in sight.
	const svg = document.documentElement, head = $("head");
	function pin() {
		const to = svg.getScreenCTM();
		head.setAttribute("transform", `translate(0 ${Math.max(0, -to.f / to.a)})`);
	}
	svg.append(head);
	scrollTo(0, svg.viewBox.baseVal.height * svg.getScreenCTM().a - innerHeight);
	addEventListener("scroll", pin);
	addEventListener("resize", pin);
	pin();
	draw();
})();
