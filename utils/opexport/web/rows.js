// Stacks of the database as data of the graph (pp_html_data() of opreport writes the same form).
const USER = 1, UNCOVERED = 2, KERNEL = 3;	// path_names.h
const KERNEL_FILE = /^(?!anon$|JIT$)[A-Za-z0-9_-]+$/;	// vmlinux, no-vmlinux or a module; other files have a path
const ADDRESS = /^\+?0x[0-9a-f]+$/;

function kindOfFrame(name, binary, isFirst) {
	if (isFirst)
		return PROGRAM;
	if (!binary)
		return name.startsWith("[") ? REASON : INLINED;
	if (KERNEL_FILE.test(binary))
		return KERNEL;
	return ADDRESS.test(name) || name === "[no symbol]" ? UNCOVERED : USER;
}
// A table of functions and images without doubles. @add: frame "NAME\tBINARY\tBUILD-ID"; returns the function's number.
function functionTable() {
	const functions = [], images = [], numbers = new Map(), imageNumbers = new Map(), texts = new Map();
	function find(text, isFirst) {
		const [name, binary = "", id = ""] = text.split("\t"), kind = kindOfFrame(name, binary, isFirst);
		// A function is the same in all builds; an address is not.
		const shown = ADDRESS.test(name) && id ? `${name} of build ${id.slice(0, 12)}` : name;
		const key = `${kind}\t${shown}\t${binary}`;
		if (!numbers.has(key)) {
			if (kind !== PROGRAM && binary && !imageNumbers.has(binary))
				imageNumbers.set(binary, images.push(binary) - 1);
			numbers.set(key, functions.push([shown, kind === PROGRAM || !binary ? -1 : imageNumbers.get(binary), kind]) - 1);
		}
		return numbers.get(key);
	}
	return {
		functions, images,
		add(text, isFirst) {
			const key = (isFirst ? "1" : "0") + text;
			if (!texts.has(key))
				texts.set(key, find(text, isFirst));
			return texts.get(key);
		},
	};
}
// [path of numbers of functions, now, was] of each row.
function pathsOf(rows, table, totals) {
	const sums = [0, 0], programs = new Set(rows.map((row) => row[0])).size;
	const paths = rows.map(([service, frames, now, was]) => {
		const counts = [Number(now), Number(was)], first = table.add(service, true);
		const path = frames.map((text, i) => table.add(text, i === 0));
		sums[0] += counts[0];
		sums[1] += counts[1];
		if (!path.length)
			path.push(first, table.add("[stack without frames in the database]", false));
		// The stacks of several services begin with the service, which is often the program's name.
		if (programs > 1 && path[0] !== first)
			path.unshift(first);
		return [path, ...counts];
	});
	const rest = totals.map((total, i) => total - sums[i]);
	if (rest[0] > 0 || rest[1] > 0)
		paths.push([[table.add("[stacks with few samples]", true)], Math.max(0, rest[0]), Math.max(0, rest[1])]);
	return paths;
}
function comparePaths([a], [b]) {
	for (let i = 0; i < a.length && i < b.length; i++)
		if (a[i] !== b[i])
			return a[i] - b[i];
	return a.length - b.length;
}
// Return the data for loadData(). @rows: of SQL.stacks. @totals: samples of each side. @isDiff: whether there are two.
function graphOf(rows, totals, isDiff, event) {
	const table = functionTable(), paths = pathsOf(rows, table, totals).sort(comparePaths);
	const frame = [], up = [], now = [], was = [], open = [];	// open: numbers of the nodes of the path
	let last = [];
	for (const [path, n, w] of paths) {
		let same = 0;
		while (same < last.length && same < path.length && last[same] === path[same])
			same++;
		open.length = same;
		for (let i = same; i < path.length; i++) {
			const node = frame.length;
			up.push(i ? node - open[i - 1] : 0);
			frame.push(2 * path[i]);
			now.push(0);
			was.push(0);
			open.push(node);
		}
		now[open[path.length - 1]] += n;
		was[open[path.length - 1]] += w;
		last = path;
	}
	return {
		classes: [event], units: ["samples"], images: table.images, functions: table.functions, left_out: 0,
		nodes: { frame, up, counts: isDiff ? [now, was] : [now] },
	};
}
