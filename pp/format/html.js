"use strict";
// Tables that sort, a filter for all of them, and the graph. Without this script the page is complete but for
// the graph. Text goes into the page by textContent only.
(function () {
	const $ = (id) => document.getElementById(id);
	const data = JSON.parse($("data").textContent);

	// Sorting.
	const value = (row, i) => row.cells[i].textContent.trim();
	const special = { "+++": Number.MAX_VALUE, "---": -101 };	// percent; less than all that was
	const number = (text) => text in special ? special[text] : parseFloat(text) || 0;
	// Bodies are sorted by their first line, which sums up the others.
	function sort(table, i, numeric, descending) {
		const key = (row) => numeric ? number(value(row, i)) : value(row, i);
		const order = (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) * (descending ? -1 : 1);
		const sorted = (rows) => rows.map((row) => [key(row), row]).sort(order).map((r) => r[1]);
		const bodies = [...table.tBodies];
		for (const body of bodies) {
			const rows = [...body.rows];
			const head = rows[0] && rows[0].classList.contains("sum") ? 1 : 0;
			body.append(...rows.slice(0, head), ...sorted(rows.slice(head)));
		}
		if (bodies.length > 1)
			table.append(...sorted(bodies.map((b) => b.rows[0])).map((row) => row.parentNode));
	}
	for (const table of document.querySelectorAll("table.sortable")) {
		[...table.tHead.rows[0].cells].forEach((th, i) => {
			const numeric = th.classList.contains("n");
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = th.textContent;
			th.textContent = "";
			th.append(button);
			button.addEventListener("click", () => {
				const now = th.getAttribute("aria-sort");
				const descending = now ? now === "ascending" : numeric;
				for (const other of table.tHead.rows[0].cells)
					other.removeAttribute("aria-sort");
				th.setAttribute("aria-sort", descending ? "descending" : "ascending");
				sort(table, i, numeric, descending);
			});
		});
	}

	// The filter.
	const filter = $("filter"), says = $("says");
	function apply() {
		const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
		const has = (text) => words.every((w) => text.toLowerCase().includes(w));
		let shown = 0, all = 0;
		for (const row of document.querySelectorAll("table.sortable tbody tr")) {
			const group = row.closest("details");
			row.hidden = !has(row.textContent + " " + (group ? group.dataset.name || "" : ""));
			all++;
			shown += !row.hidden;
		}
		for (const group of document.querySelectorAll("details.image"))
			group.hidden = words.length && !group.querySelector("tbody tr:not([hidden])") &&
				!has(group.dataset.name);
		for (const group of document.querySelectorAll("details.hot"))
			group.hidden = !has(group.dataset.name);
		says.textContent = words.length ? `${shown} of ${all} lines` : "";
		highlight();
	}
	filter.addEventListener("input", apply);

	// Links into folded parts unfold them.
	function unfold() {
		const part = location.hash && document.getElementById(location.hash.slice(1));
		if (part && part.tagName === "DETAILS")
			part.open = true;
	}
	addEventListener("hashchange", unfold);
	unfold();

	// The graph: nodes are [frame, parent, count of each class...], parents first; frames are [name, kind].
	// Of a differential profile the counts before follow.
	const nodes = data.nodes.map((n) => ({ frame: n[0], parent: n[1], self: n.slice(2), children: [] }));
	const kinds = data.classes.length, differs = nodes.length && nodes[0].self.length > kinds;
	const root = { frame: -1, parent: -1, self: Array(kinds * (differs ? 2 : 1)).fill(0), children: [] };
	nodes.forEach((n) => { (n.up = n.parent < 0 ? root : nodes[n.parent]).children.push(n); });
	for (const n of [...nodes, root])
		n.total = n.self.slice();
	for (let i = nodes.length - 1; i >= 0; i--)
		nodes[i].total.forEach((v, c) => { nodes[i].up.total[c] += v; });
	const name = (n) => n.frame < 0 ? "all" : data.frames[n.frame][0];
	const kind = (n) => n.frame < 0 ? 0 : data.frames[n.frame][1];
	const flame = $("flame-graph"), pick = $("class"), info = $("flame-says");
	const ROW = 22, MIN = 0.0006;
	let focus = root, cls = 0;
	// program, user, uncovered, kernel, inlined, by frame pointer; path_names.h. Names vary them by less than kinds differ.
	const hues = [210, 22, 265, 350, 105, 50];
	function color(n) {
		let h = 7;
		for (const c of name(n))
			h = (h * 31 + c.codePointAt(0)) >>> 0;
		if (differs && n.frame >= 0) {
			const now = share(n, cls), was = share(n, kinds + cls);
			if (Math.abs(now - was) < 0.01 * Math.max(now, was))
				return "hsl(0 0% 90%)";
			return `hsl(${now > was ? 8 : 215} 75% ${92 - 32 * Math.abs(now - was) / Math.max(now, was, 1e-9)}%)`;
		}
		return n.frame < 0 || kind(n) === 6 ? "#c8ced6" : `hsl(${hues[kind(n)] + h % 12} ${62 + h % 17}% ${70 + h % 9}%)`;
	}
	const share = (n, c) => root.total[c] ? n.total[c] / root.total[c] : 0;
	// What is not all does not read as all.
	function percent(part, of) {
		let digits = 2, text = of ? (100 * part / of).toFixed(digits) : "0";
		while (part < of && text >= 100 && digits < 20)
			text = (100 * part / of).toFixed(++digits);
		return text + "%";
	}
	const text = (n) => `${name(n)}: ${n.total[cls]} ${data.units[cls]}, ${percent(n.total[cls], root.total[cls])} of all` +
		(focus !== root ? `, ${percent(n.total[cls], focus.total[cls])} of ${name(focus)}` : "") +
		(differs ? `; before ${n.total[kinds + cls]}, ${percent(n.total[kinds + cls], root.total[kinds + cls])}` : "");
	function put(n, left, width, depth, out) {
		const b = document.createElement("button");
		b.type = "button";
		b.textContent = name(n);
		b.title = text(n);
		b.setAttribute("aria-label", text(n));
		b.style.left = 100 * left + "%";
		b.style.width = 100 * width + "%";
		b.style.top = depth * ROW + "px";
		b.style.background = color(n);
		b.node = n;
		out.push(b);
		return b;
	}
	function draw() {
		const out = [], chain = [];
		let depth = 0, deepest = 0;
		for (let n = focus.up; n; n = n.up)
			chain.unshift(n);
		for (const n of chain)
			put(n, 0, 1, depth++, out).classList.add("up");
		(function below(n, left, width, d) {
			put(n, left, width, d, out);
			deepest = Math.max(deepest, d);
			let at = left;
			const order = [...n.children].sort((a, b) => b.total[cls] - a.total[cls]);
			for (const c of order) {
				const w = n.total[cls] ? width * c.total[cls] / n.total[cls] : 0;
				if (w >= MIN)
					below(c, at, w, d + 1);
				at += w;
			}
		})(focus, 0, 1, depth);
		flame.replaceChildren(...out);
		flame.style.height = (deepest + 1) * ROW + "px";
		highlight();
	}
	function highlight() {
		const word = ($("search").value || "").toLowerCase();
		let sum = 0;
		const hit = (n) => word && n.frame >= 0 && name(n).toLowerCase().includes(word);
		for (const b of flame.children)
			b.classList.toggle("hit", !!hit(b.node));
		(function count(n) {
			if (hit(n))
				sum += n.total[cls];
			else
				n.children.forEach(count);
		})(focus);
		info.textContent = word ? `${percent(sum, focus.total[cls])} of ${name(focus)} match` : text(focus);
	}
	function zoom(n) {
		focus = n;
		draw();
		const b = [...flame.children].find((e) => e.node === n);
		if (b)
			b.focus({ preventScroll: true });
	}
	flame.addEventListener("click", (e) => { if (e.target.node) zoom(e.target.node); });
	flame.addEventListener("keydown", (e) => {
		const n = e.target.node;
		if (!n)
			return;
		const family = n.up ? n.up.children : [n];
		const go = e.key === "ArrowUp" ? n.up : e.key === "ArrowDown" ?
			[...n.children].sort((a, b) => b.total[cls] - a.total[cls])[0] :
			e.key === "ArrowLeft" || e.key === "ArrowRight" ? (() => {
				const order = [...family].sort((a, b) => b.total[cls] - a.total[cls]);
				return order[order.indexOf(n) + (e.key === "ArrowLeft" ? -1 : 1)];
			})() : null;
		const b = go && [...flame.children].find((x) => x.node === go);
		if (b) {
			b.focus();
			e.preventDefault();
		}
	});
	flame.addEventListener("mouseover", (e) => { if (e.target.node) info.textContent = text(e.target.node); });
	flame.addEventListener("focusin", (e) => { if (e.target.node) info.textContent = text(e.target.node); });
	data.classes.forEach((label, i) => {
		const o = document.createElement("option");
		o.value = i;
		o.textContent = label;
		pick.append(o);
	});
	pick.hidden = data.classes.length < 2;
	pick.addEventListener("change", () => { cls = +pick.value; draw(); });
	$("search").addEventListener("input", highlight);
	$("reset").addEventListener("click", () => { $("search").value = ""; zoom(root); });
	for (const e of document.querySelectorAll(".script"))
		e.hidden = false;
	draw();
	document.documentElement.dataset.ready = "yes";
})();
