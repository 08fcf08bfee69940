"use strict";
// Tables that sort, a filter for all of them, the graph, and the time line, on which a part of the time can be
// chosen. Without this script the page is complete but for the graph and the time line. Text goes into the page
// by textContent only.
(function () {
	const $ = (id) => document.getElementById(id);
	const data = JSON.parse($("data").textContent);

	// Sorting.
	const value = (row, i) => row.cells[i].textContent.trim();
	const special = { "+++": Number.MAX_VALUE, "---": -101 };	// percent; less than all that was
	const number = (text, word = text.split(" ")[0]) => word in special ? special[word] : parseFloat(word) || 0;
	// Bodies are sorted by their first line, which sums up the others. @key: returns the key of a row.
	function sort(table, key, descending) {
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
				sort(table, (row) => numeric ? number(value(row, i)) : value(row, i), descending);
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
			// A row has no samples in the chosen time.
			row.hidden = row.isEmpty || !has(row.textContent + " " + (group ? group.dataset.name || "" : ""));
			all += !row.isEmpty;
			shown += !row.hidden;
		}
		for (const group of document.querySelectorAll("details.image"))
			group.hidden = group.isEmpty || words.length && !group.querySelector("tbody tr:not([hidden])") &&
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
	function sum() {
		for (const n of [...nodes, root])
			n.total = n.self.slice();
		for (let i = nodes.length - 1; i >= 0; i--)
			nodes[i].total.forEach((v, c) => { nodes[i].up.total[c] += v; });
	}
	sum();
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
	pick.addEventListener("change", () => { cls = +pick.value; draw(); drawTime(); });
	$("search").addEventListener("input", highlight);
	$("reset").addEventListener("click", () => { $("search").value = ""; zoom(root); });

	// The time line: data.time.slices are [begin, end, seconds with samples, text of begin, text of end]. A series of
	// counts has for each column pairs of the distance to the slice before and of a count. Of a table with totals the
	// columns of totals come first.
	const time = data.time, SHOWN = 5, line = $("time-line");
	let chosen = null;	// [first, last] slice; null: the whole time
	let drawTime = () => {};
	const within = (i) => !chosen || i >= chosen[0] && i <= chosen[1];
	const pairs = (column, f) => {
		for (let i = 0, at = 0; i < column.length; i += 2)
			f(at += column[i], column[i + 1]);
	};
	const sums = (series) => series.map((column) => {
		let n = 0;
		pairs(column, (at, count) => { n += within(at) ? count : 0; });
		return n;
	});
	// As the percentages of the report.
	function exact(part, of) {
		if (!part || !of)
			return "0";
		if (part >= of)
			return "100.000";
		if (100 * part / of < 0.001)
			return (100 * part / of).toExponential(1).replace(/e-(\d)$/, "e-0$1");
		let digits = 4, text = (100 * part / of).toFixed(digits);
		while (text >= 100 && digits < 20)
			text = (100 * part / of).toFixed(++digits);
		return text;
	}
	const tables = [...document.querySelectorAll("table.sortable")];
	const images = [...document.querySelectorAll("details.image")];
	const rests = [...document.querySelectorAll(".rest")];
	const rows = [];
	function remember() {
		for (const table of tables)
			for (const row of table.querySelectorAll("tbody tr")) {
				row.order = rows.length;
				row.texts = [...row.cells].filter((c) => c.classList.contains("n")).map((c) => c.textContent);
				rows.push(row);
			}
		images.forEach((group, i) => {
			group.order = i;
			group.text = group.querySelector("summary").textContent;
		});
		for (const rest of rests)
			rest.text = rest.textContent;
	}
	function fillRow(row, totals) {
		const cells = [...row.cells].filter((c) => c.classList.contains("n"));
		const counts = sums(time.rows[row.order]).slice(-cells.length / 2);
		row.isEmpty = chosen && counts.every((n) => !n);
		row.counts = counts.slice(-kinds);
		counts.forEach((n, i) => {
			cells[2 * i].textContent = chosen ? n : row.texts[2 * i];
			cells[2 * i + 1].textContent = chosen ? exact(n, totals[i % kinds]) : row.texts[2 * i + 1];
		});
	}
	function sortAgain(table) {
		const heads = [...table.tHead.rows[0].cells], by = heads.findIndex((th) => th.hasAttribute("aria-sort"));
		if (by >= 0) {
			const numeric = heads[by].classList.contains("n");
			sort(table, (row) => numeric ? number(value(row, by)) : value(row, by),
				heads[by].getAttribute("aria-sort") === "descending");
		} else if (chosen) {
			sort(table, (row) => number(value(row, 0)), true);
		} else {
			sort(table, (row) => row.order, false);
		}
	}
	const add = (list) => list.reduce((a, b) => a + b, 0);
	function fillImages(totals) {
		images.forEach((group, i) => {
			const counts = sums(time.images[i]), share = Math.max(...counts.map((n, c) => totals[c] ? n / totals[c] : 0));
			const best = Math.max(0, counts.findIndex((n, c) => totals[c] && n / totals[c] === share));
			group.isEmpty = chosen && counts.every((n) => !n);
			group.share = share;
			group.counts = counts;
			group.querySelector("summary").textContent = chosen ?
				`${exact(counts[best], totals[best])}% ${group.dataset.name}` : group.text;
		});
		const order = [...images].sort((a, b) => chosen ? b.share - a.share : a.order - b.order);
		for (const group of order)
			group.parentNode.insertBefore(group, [...group.parentNode.children].find((e) => e.classList.contains("rest")) || null);
	}
	// The samples of the chosen time that no line of the list has.
	function fillRest(rest, totals) {
		const part = rest.closest("details.image") || rest.closest("section");
		const lines = part.id === "images" ? images.map((g) => g.counts) :
			[...part.querySelectorAll("tbody tr:not(.sum)")].map((row) => row.counts);
		const all = add(part.counts || totals), listed = add(lines.map(add));
		rest.textContent = !chosen ? rest.text : all > listed ?
			`${all - listed} samples of this time are in lines that are not shown, because they have few in the whole time.` : "";
	}
	const span = (a, b) => `${time.slices[a][3]} to ${time.slices[b][4]}`;
	function choose(first, last) {
		chosen = first === null ? null : [Math.min(first, last), Math.max(first, last)];
		const totals = sums(time.totals);
		for (const row of rows)
			fillRow(row, totals);
		tables.forEach(sortAgain);
		fillImages(totals);
		rests.forEach((rest) => fillRest(rest, totals));
		nodes.forEach((n, i) => { n.self = chosen ? sums(time.nodes[i]) : n.whole; });
		sum();
		if (!focus.total[cls])
			focus = root;
		for (const b of line.querySelectorAll("button"))
			b.setAttribute("aria-pressed", !!chosen && within(b.slice));
		$("time-says").textContent = chosen ?
			`Chosen: ${span(...chosen)}, ${totals[cls]} ${data.units[cls]}. The tables and the graph show this time; the code shows the whole time.` :
			"Click a bar or drag over several to choose a time. With the keyboard: arrow keys, with Shift for several, Escape for the whole time.";
		$("whole").hidden = !chosen;
		$("whole").textContent = chosen ? `${span(...chosen)} \u2715` : "";
		$("whole").title = "Show the whole time";
		draw();
		apply();
	}
	function startTime() {
		const slices = time.slices, ends = slices.map((s) => s[1] - s[0]);
		const whole = add(ends), shown = Math.min(SHOWN, time.images.length);
		// Short slices are drawn wider and long gaps shorter, so that all can be seen and hit.
		const parts = [];
		const gap = (from, to) => { if (to > from) parts.push({ from, to, width: Math.min(to - from, whole / 15) }); };
		const first = time.gaps.length ? Math.min(time.gaps[0][0], slices[0][0]) : slices[0][0];
		const last = Math.max(slices[slices.length - 1][1], ...time.gaps.map((g) => g[1]));
		let at = first;
		slices.forEach((s, i) => {
			if (s[0] > at + 1)
				gap(at, s[0]);
			parts.push({ slice: i, from: s[0], to: s[1], width: Math.max(ends[i], whole / (2 * slices.length)) });
			at = s[1];
		});
		if (last > at + 1)
			gap(at, last);
		// The line may begin and end with a time without samples.
		const ends_of_line = [
			parts[0].slice === undefined ? time.gaps[0][2] : slices[0][3],
			parts[parts.length - 1].slice === undefined ? time.gaps.reduce((a, b) => b[1] > a[1] ? b : a)[3] :
				slices[slices.length - 1][4],
		];
		const all = add(parts.map((p) => p.width));
		let left = 0;
		for (const p of parts) {
			p.left = left;
			p.share = p.width / all;
			left += p.share;
		}
		const bars = parts.filter((p) => p.slice !== undefined);
		const make = (name, cls, parent) => {
			const e = document.createElement(name);
			e.className = cls;
			parent.append(e);
			return e;
		};
		const place = (e, a, b) => {
			e.style.left = 100 * a + "%";
			e.style.width = 100 * (b - a) + "%";
		};
		const counted = (series, i) => {
			let n = 0;
			pairs(series[cls], (s, count) => { n += s === i ? count : 0; });
			return n;
		};
		const short = (path) => path.replace(/.*\//, "");
		drawTime = () => {
			const rates = slices.map((s, i) => counted(time.totals, i) / s[2]), top = Math.max(...rates) || 1;
			const focused = document.activeElement && document.activeElement.slice;
			line.replaceChildren();
			for (const p of bars) {
				const i = p.slice, n = counted(time.totals, i), b = make("button", "slice", line);
				const of = time.images.slice(0, shown).map((series) => counted(series, i));
				b.type = "button";
				b.slice = i;
				b.tabIndex = i === (chosen ? chosen[0] : 0) ? 0 : -1;
				b.setAttribute("aria-pressed", !!chosen && within(i));
				b.title = `${slices[i][3]} to ${slices[i][4]}: ${n} ${data.units[cls]}, ${rates[i].toFixed(1)} a second` +
					of.map((v, k) => v ? `\n${percent(v, n)} ${short(time.names[k])}` : "").join("");
				b.setAttribute("aria-label", b.title.replace(/\n/g, ", "));
				place(b, p.left, p.left + p.share);
				of.concat(n - add(of)).forEach((v, k) => {
					const e = make("span", "part p" + (k < shown ? k : "x"), b);
					e.style.height = n ? 100 * rates[i] / top * v / n + "%" : "0";
				});
			}
			const reasonOf = (from, to) => time.gaps.filter((g) => g[0] < to && g[1] > from);
			const mark = (a, b, gaps) => {
				const e = make("span", "gap", line);
				e.title = gaps.map((g) => `no samples from ${g[2]} to ${g[3]}: ${g[4]}`).join("\n");
				e.setAttribute("role", "img");
				e.setAttribute("aria-label", e.title.replace(/\n/g, ", "));
				place(e, a, b);
			};
			for (const p of parts) {
				if (p.slice === undefined) {
					const gaps = reasonOf(p.from, p.to);
					mark(p.left, p.left + p.share, gaps.length ? gaps : [[0, 0, "?", "?", "not known"]]);
					continue;
				}
				for (const g of reasonOf(p.from, p.to)) {
					const x = (t) => p.left + p.share * Math.min(1, Math.max(0, (t - p.from) / (p.to - p.from)));
					mark(x(g[0]), x(g[1]), [g]);
				}
			}
			const list = $("time-names");
			list.replaceChildren();
			time.names.slice(0, shown).concat(time.names.length > shown ? ["others"] : []).forEach((name, k) => {
				const li = make("li", "", list), key = make("span", "key p" + (k < shown ? k : "x"), li);
				key.setAttribute("aria-hidden", "true");
				li.append(short(name));
				li.title = name;
			});
			const reasons = [...new Set(time.gaps.map((g) => g[4]))];
			if (reasons.length) {
				const li = make("li", "", list);
				make("span", "key gap", li).setAttribute("aria-hidden", "true");
				li.append(`no samples: ${reasons.join(", ")}`);
			}
			const labels = make("div", "ticks", line);
			make("span", "", labels).textContent = ends_of_line[0];
			make("span", "", labels).textContent = ends_of_line[1];
			if (focused !== undefined && focused !== null)
				line.querySelectorAll("button")[focused].focus();
			$("time-how").textContent = `The height is the ${data.units[cls]} a second, ${top.toFixed(1)} at most; the colours are shares of images. ` +
				(time.parts > slices.length ? `${time.parts} intervals are drawn as ${slices.length} bars. ` : "");
		};
		const buttons = () => [...line.querySelectorAll("button")];
		const at_x = (x) => {
			const box = line.getBoundingClientRect(), part = (x - box.left) / box.width;
			return bars.reduce((a, b) => Math.abs(b.left + b.share / 2 - part) < Math.abs(a.left + a.share / 2 - part) ? b : a).slice;
		};
		let anchor = null, held = false;
		function go(i, keep) {
			if (anchor === null || !keep)
				anchor = i;
			choose(anchor, i);
			const all = buttons();
			all.forEach((b) => { b.tabIndex = b.slice === i ? 0 : -1; });
			all[i].focus({ preventScroll: true });
		}
		line.addEventListener("pointerdown", (e) => {
			if (e.button)
				return;
			held = true;
			go(at_x(e.clientX), e.shiftKey);
			e.preventDefault();
		});
		addEventListener("pointermove", (e) => {
			const i = held ? at_x(e.clientX) : null;
			if (held && (!chosen || i !== chosen[0] && i !== chosen[1] || within(i) && chosen[0] !== chosen[1]))
				go(i, true);
		});
		for (const end of ["pointerup", "pointercancel"])
			addEventListener(end, () => { held = false; });
		// A click without a pointer: the keyboard, or a screen reader.
		line.addEventListener("click", (e) => {
			const b = e.target.closest("button");
			if (b && !e.detail)
				go(b.slice, e.shiftKey);
		});
		const none = () => { anchor = null; choose(null); };
		line.addEventListener("keydown", (e) => {
			const i = e.target.slice, end = slices.length - 1;
			if (i === undefined)
				return;
			const to = e.key === "ArrowLeft" ? Math.max(0, i - 1) : e.key === "ArrowRight" ? Math.min(end, i + 1) :
				e.key === "Home" ? 0 : e.key === "End" ? end : null;
			if (to !== null)
				go(to, e.shiftKey);
			else if (e.key === "Escape")
				none();
			else
				return;
			e.preventDefault();
		});
		$("whole").addEventListener("click", none);
		nodes.forEach((n) => { n.whole = n.self; });
		remember();
		$("time").hidden = false;
		drawTime();
	}
	for (const e of document.querySelectorAll(".script"))
		e.hidden = false;
	draw();
	if (time) {
		startTime();
		choose(null);
	}
	document.documentElement.dataset.ready = "yes";
})();
