// The time line: data.time.slices are [begin, end, seconds with samples, text of begin, text of end]. A series of
// counts has for each column pairs of the distance to the slice before and of a count. Of a table with totals the
// columns of totals come first.
let time;	// data.time
const SHOWN = 5, line = $("time-line");
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
let tables = null, images, rests;	// null: the browser has not read the tables
const rows = [];
function remember() {
	tables = all("table.sortable");
	images = all("details.image");
	rests = all(".rest");
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
	row.counts = counts.slice(-KINDS);
	counts.forEach((n, i) => {
		cells[2 * i].textContent = chosen ? n : row.texts[2 * i];
		cells[2 * i + 1].textContent = chosen ? percent(n, totals[i % KINDS]) : row.texts[2 * i + 1];
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
function fillImages(totals) {
	images.forEach((group, i) => {
		const counts = sums(time.images[i]), share = Math.max(...counts.map((n, c) => totals[c] ? n / totals[c] : 0));
		const best = Math.max(0, counts.findIndex((n, c) => totals[c] && n / totals[c] === share));
		group.isEmpty = chosen && counts.every((n) => !n);
		group.share = share;
		group.counts = counts;
		group.querySelector("summary").textContent = chosen ?
			`${percent(counts[best], totals[best])}% ${group.dataset.name}` : group.text;
	});
	const order = [...images].sort((a, b) => chosen ? b.share - a.share : a.order - b.order);
	for (const group of order)
		group.parentNode.insertBefore(group, [...group.parentNode.children].find((e) => e.classList.contains("rest")) || null);
}
// The samples of the chosen time that no line of the list has.
function fillRest(rest, totals) {
	const part = rest.closest("details.image") || rest.closest("section");
	const lines = part.id === "images" ? images.map((g) => g.counts) :
		all("tbody tr:not(.sum)", part).map((row) => row.counts);
	const missing = add(part.counts || totals) - add(lines.map(add));
	rest.textContent = !chosen ? rest.text : missing > 0 ?
		`${missing} samples of this time are in lines that are not shown, because they have few in the whole time.` : "";
}
const span = (a, b) => `${time.slices[a][3]} to ${time.slices[b][4]}`;
// Fill the tables with the counts of the chosen time.
function fillTables(totals) {
	for (const row of rows)
		fillRow(row, totals);
	tables.forEach(sortAgain);
	fillImages(totals);
	rests.forEach((rest) => fillRest(rest, totals));
	filterTables();
}
function showTime() {
	const totals = sums(time.totals);
	for (const b of all("button", line))
		b.setAttribute("aria-pressed", !!chosen && within(b.slice));
	$("time-says").textContent = chosen ?
		`Chosen: ${span(...chosen)}, ${totals[state.cls % KINDS]} ${unit()}. The tables and the graph show this time; the code shows the whole time.` :
		"Click a bar or drag over several to choose a time. With the keyboard: arrow keys, with Shift for several, Escape for the whole time.";
	$("whole").hidden = !chosen;
	$("whole").textContent = chosen ? `${span(...chosen)} \u2715` : "";
	$("whole").title = "Show the whole time";
	if (tables)
		fillTables(totals);
}
// Choose the slices that are within the time of the state, in seconds since 1970.
function findChosen() {
	const found = [];
	(time ? time.slices : []).forEach((s, i) => {
		if (state.time && s[0] >= state.time[0] && s[1] <= state.time[1])
			found.push(i);
	});
	chosen = found.length ? [found[0], found[found.length - 1]] : null;
}
// The samples of all nodes in the chosen time, of one class.
function samplesOfTime(c) {
	return chosen ? Float64Array.from(COUNTS[c], (n, i) => i ? sums([time.nodes[i - 1][c]])[0] : 0) : COUNTS[c];
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
	const widths = add(parts.map((p) => p.width));
	let left = 0;
	for (const p of parts) {
		p.left = left;
		p.share = p.width / widths;
		left += p.share;
	}
	const bars = parts.filter((p) => p.slice !== undefined);
	const place = (e, a, b) => {
		e.style.left = 100 * a + "%";
		e.style.width = 100 * (b - a) + "%";
	};
	const counted = (series, i) => {
		let n = 0;
		pairs(series[state.cls % KINDS], (s, count) => { n += s === i ? count : 0; });
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
			b.title = `${slices[i][3]} to ${slices[i][4]}: ${n} ${unit()}, ${rates[i].toFixed(1)} a second` +
				of.map((v, k) => v ? `\n${percent(v, n, 1)}% ${short(time.names[k])}` : "").join("");
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
		make("span", "", labels, ends_of_line[0]);
		make("span", "", labels, ends_of_line[1]);
		if (focused !== undefined && focused !== null)
			buttons()[focused].focus();
		$("time-how").textContent = `The height is the ${unit()} a second, ${top.toFixed(1)} at most; the colours are shares of images. ` +
			(time.parts > slices.length ? `${time.parts} intervals are drawn as ${slices.length} bars. ` : "");
	};
	const buttons = () => all("button", line);
	const at_x = (x) => {
		const box = line.getBoundingClientRect(), part = (x - box.left) / box.width;
		return bars.reduce((a, b) => Math.abs(b.left + b.share / 2 - part) < Math.abs(a.left + a.share / 2 - part) ? b : a).slice;
	};
	let anchor = null, held = false;
	function go(i, keep) {
		if (anchor === null || !keep)
			anchor = i;
		change((s) => { s.time = [slices[Math.min(anchor, i)][0], slices[Math.max(anchor, i)][1]]; }, "time");
		buttons().forEach((b) => { b.tabIndex = b.slice === i ? 0 : -1; });
		buttons()[i].focus({ preventScroll: true });
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
	const none = () => { anchor = null; change((s) => { s.time = null; }); };
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
	whenRead.push(() => { remember(); if (chosen) fillTables(sums(time.totals)); });
	$("time").hidden = false;
	drawTime();
}
