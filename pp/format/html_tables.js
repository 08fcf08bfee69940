// The tables of the page: sort, filter. Without these scripts the page is complete but for the graph and the time
// line. The scripts run before the browser has read the tables; functions in @whenRead run after that.
const whenRead = [];

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
whenRead.push(() => {
	for (const table of all("table.sortable")) {
		[...table.tHead.rows[0].cells].forEach((th, i) => {
			const numeric = th.classList.contains("n");
			const button = make("button", "", th, th.textContent);
			button.type = "button";
			th.replaceChildren(button);
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
});

// The filter.
function filterTables() {
	const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
	const has = (text) => words.every((w) => text.toLowerCase().includes(w));
	let shown = 0, lines = 0;
	for (const row of all("table.sortable tbody tr")) {
		const group = row.closest("details");
		// An empty row has no samples in the chosen time.
		row.hidden = row.isEmpty || !has(row.textContent + " " + (group ? group.dataset.name || "" : ""));
		lines += !row.isEmpty;
		shown += !row.hidden;
	}
	for (const group of all("details.image"))
		group.hidden = group.isEmpty || words.length && !group.querySelector("tbody tr:not([hidden])") &&
			!has(group.dataset.name);
	for (const group of all("details.hot"))
		group.hidden = !has(group.dataset.name);
	$("says").textContent = words.length ? `${shown} of ${lines} lines` : "";
}
$("filter").addEventListener("input", filterTables);

// Links into folded parts unfold them.
function unfold() {
	const part = location.hash && $(location.hash.slice(1));
	if (part && part.tagName === "DETAILS")
		part.open = true;
}
addEventListener("hashchange", unfold);
whenRead.push(unfold);
