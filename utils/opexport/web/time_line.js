// The time line: a bar for each part of the time, whose samples the server sums up. The user chooses a range of bars.
const STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];
const stepOf = (from, to, least) => STEPS.find((s) => s >= least && (to - from) / s <= MAX_BARS) || Math.ceil((to - from) / MAX_BARS);
const two = (n) => String(n).padStart(2, "0");
// "2026-11-01 10:00", in UTC as opreport prints it with TZ=UTC.
function when(seconds) {
	const d = new Date(1000 * seconds);
	return `${d.getUTCFullYear()}-${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())} ${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
}
function long(seconds) {
	const minutes = Math.round(seconds / 60), hours = Math.floor(minutes / 60) % 24, days = Math.floor(minutes / 1440);
	return [days && `${days} d`, hours && `${hours} h`, minutes % 60 && `${minutes % 60} min`].filter(Boolean).join(" ") || "0 min";
}
const number = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
// The graph has the samples of the chosen time only, because the server sums them up.
const time = null, chosen = null;
const findChosen = () => {}, samplesOfTime = (c) => COUNTS[c];

// @chose: called with [begin, end] in seconds, and whether the user still drags.
function timeLine(box, chose) {
	let line, step, nr = 0, anchor = null, held = false;
	const bars = () => all("button", box);
	const rangeOf = (a, b) => [line.from + step * Math.min(a, b), line.from + step * (Math.max(a, b) + 1)];
	const go = (i, keep, isLast) => {
		if (anchor === null || !keep)
			anchor = i;
		bars().forEach((b, k) => { b.tabIndex = k === i ? 0 : -1; });
		bars()[i].focus({ preventScroll: true });
		chose(rangeOf(anchor, i), !isLast);
	};
	const at_x = (x) => {
		const edge = box.getBoundingClientRect();
		return Math.min(nr - 1, Math.max(0, Math.floor(nr * (x - edge.left) / edge.width)));
	};
	box.addEventListener("pointerdown", (e) => {
		if (e.button || !nr)
			return;
		held = true;
		go(at_x(e.clientX), e.shiftKey, false);
		e.preventDefault();
	});
	addEventListener("pointermove", (e) => { if (held) go(at_x(e.clientX), true, false); });
	addEventListener("pointerup", (e) => {
		if (held)
			go(at_x(e.clientX), true, true);
		held = false;
	});
	addEventListener("pointercancel", () => { held = false; });
	box.addEventListener("click", (e) => {
		const b = e.target.closest("button");
		if (b && !e.detail)	// by the keyboard, or a screen reader
			go(bars().indexOf(b), e.shiftKey, true);
	});
	box.addEventListener("keydown", (e) => {
		const i = bars().indexOf(e.target);
		const to = { ArrowLeft: Math.max(0, i - 1), ArrowRight: Math.min(nr - 1, i + 1), Home: 0, End: nr - 1 }[e.key];
		if (i < 0 || to === undefined && e.key !== "Escape")
			return;
		if (to !== undefined)
			go(to, e.shiftKey, true);
		else
			chose([line.from, line.to], false);
		e.preventDefault();
	});
	return {
		// @rows: of SQL.bars. The line's ends are multiples of the step.
		draw(of, width, rows) {
			const found = new Map(rows.map(([at, n, hosts]) => [Number(at), [Number(n), Number(hosts)]]));
			const most = Math.max(1, ...rows.map((row) => Number(row[1])));
			const focused = bars().indexOf(document.activeElement), isSame = line && line.from === of.from && line.to === of.to;
			line = of;
			step = width;
			nr = Math.round((line.to - line.from) / step);
			anchor = isSame ? anchor : null;
			box.replaceChildren();
			for (let i = 0; i < nr; i++) {
				const begin = line.from + i * step, [n, hosts] = found.get(begin) || [0, 0], b = make("button", "slice", box);
				b.type = "button";
				b.tabIndex = i === Math.min(Math.max(0, focused), nr - 1) ? 0 : -1;
				b.title = `${when(begin)} to ${when(begin + step)} UTC: ` +
					(n ? `${number(n)} samples from ${hosts} ${hosts === 1 ? "host" : "hosts"}` : "no samples");
				b.setAttribute("aria-label", b.title);
				b.style.left = 100 * i / nr + "%";
				b.style.width = 100 / nr + "%";
				make("span", n ? "part p0" : "part gap", b).style.height = n ? `max(2px, ${100 * n / most}%)` : "100%";
			}
			if (focused >= 0)
				bars()[Math.min(focused, nr - 1)].focus({ preventScroll: true });
			const labels = make("div", "ticks", box);
			for (const part of [0, 0.25, 0.5, 0.75, 1])
				make("span", part % 0.5 ? "wide-only" : "", labels, when(line.from + part * (line.to - line.from)));
		},
		// Mark the bars of the range that is shown, and of the range that it is compared with.
		mark(now, was) {
			const within = (range, at) => !!range && at < range.to && at + step > range.from;
			bars().forEach((b, i) => {
				const at = line.from + i * step;
				b.setAttribute("aria-pressed", within(now, at));
				b.classList.toggle("was", within(was, at));
			});
		},
	};
}
