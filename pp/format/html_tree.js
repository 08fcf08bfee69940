// The call paths: their samples in the chosen time without those that were removed, sums of functions, and trees of
// callers and callees. Nothing here touches the page.
//
// Node 0 is the root. A parent precedes its children, and all nodes below a node follow it directly.
let data, KINDS, DIFFERS, NR, UP, FN, COUNTS;
let functions, ALL, byKey, same;	// @byKey: keys name functions in links; @same: the function that has the key
const PROGRAM = 0, INLINED = 4, BY_POINTER = 5, REASON = 6;	// path_names.h

function nameFunctions() {
	byKey = new Map();
	same = functions.map((f, i) => {
		// Copies of an inlined function in several functions of an image are one function.
		const inlined = f.kind === INLINED, name = inlined ? f.name + " (inlined)" : f.name;
		let key = byKey.has(name) && f.image ? `${name} in ${f.image}` : name;
		for (let k = 2; byKey.has(key); k++) {
			if (inlined && functions[byKey.get(key)].image === f.image)
				return byKey.get(key);
			key = `${name} in ${f.image} (${k})`;
		}
		byKey.set(f.key = key, i);
		return i;
	});
}
// Take the data of a page: an object as pp_html_data() writes it.
function loadData(taken) {
	data = taken;
	KINDS = data.classes.length;
	DIFFERS = data.nodes.counts.length > KINDS;
	NR = data.nodes.up.length + 1;
	UP = new Int32Array(NR);
	FN = new Int32Array(NR);
	COUNTS = data.nodes.counts.map((column) => {
		const counts = new Float64Array(NR);
		counts.set(column, 1);
		return counts;
	});
	functions = data.functions.map(([name, image, kind]) => ({ name, image: data.images[image] || "", kind }));
	ALL = functions.push({ name: "all", image: "", kind: PROGRAM }) - 1;
	nameFunctions();
	UP[0] = -1;
	FN[0] = ALL;
	for (let i = 1; i < NR; i++) {
		const distance = data.nodes.up[i - 1];
		UP[i] = distance ? i - distance : 0;
		FN[i] = same[data.nodes.frame[i - 1] >> 1];
	}
}
const kindOf = (node) => node && data.nodes.frame[node - 1] & 1 ? BY_POINTER : functions[FN[node]].kind;

// What becomes of the samples of functions: [what, key of a function or name of an image]. "drop" removes the samples of
// all paths through it, "merge" gives its samples to its caller.
const KEEP = 0, DROP = 1, MERGE = 2;
function fates(steps) {
	const fate = new Uint8Array(functions.length);
	for (const [what, key] of steps) {
		const ofImage = what.endsWith("-image");
		functions.forEach((f, i) => {
			if (ofImage ? f.image === key && f.kind !== PROGRAM : byKey.get(key) === same[i])
				fate[same[i]] = what.startsWith("drop") || fate[same[i]] === DROP ? DROP : MERGE;
		});
	}
	return fate;
}

// The tree with all sums: @now and @was are the samples of each node, of the two sides of a difference.
let tree;
function buildTree(now, was, steps) {
	const fate = fates(steps), to = new Int32Array(NR), next = new Int32Array(NR), first = new Int32Array(NR);
	const up = new Int32Array(NR), outer = new Uint8Array(NR);
	const own = { now: new Float64Array(NR), was: new Float64Array(NR) };
	up[0] = -1;
	for (let i = 0; i < NR; i++) {
		const above = i ? to[UP[i]] : 0, what = fate[FN[i]];
		to[i] = above < 0 || what === DROP ? -1 : what === MERGE && i ? above : i;
		if (to[i] < 0)
			continue;
		if (to[i] === i && i)
			up[i] = above;
		own.now[to[i]] += now[i];
		own.was[to[i]] += was[i];
	}
	const total = { now: own.now.slice(), was: own.was.slice() };
	for (let i = NR - 1; i > 0; i--) {
		if (to[i] !== i)
			continue;
		total.now[up[i]] += total.now[i];
		total.was[up[i]] += total.was[i];
		next[i] = first[up[i]];
		first[up[i]] = i;
	}
	// A recursive function counts once for a path, where it is outermost.
	const sums = functions.map(() => ({ now: 0, was: 0, ownNow: 0, ownWas: 0 }));
	const running = new Int32Array(functions.length), path = [0];
	for (let i = 1; i < NR; i++) {
		if (to[i] !== i)
			continue;
		while (path[path.length - 1] !== up[i])
			running[FN[path.pop()]]--;
		path.push(i);
		const sum = sums[FN[i]];
		sum.ownNow += own.now[i];
		sum.ownWas += own.was[i];
		if (running[FN[i]]++)
			continue;
		outer[i] = 1;
		sum.now += total.now[i];
		sum.was += total.was[i];
	}
	tree = { up, first, next, own, total, outer, sums, kept: (i) => to[i] === i };
	tree.removed = add(now) - total.now[0];
}

// A branch is a function below other branches, with all nodes of the tree that have this function there. Its samples are
// those of .origins, one for each node. .each(branch, add) calls add(node, origin) for the nodes of the branches below.
function below(branch, add) {
	for (const node of branch.nodes)
		for (let i = tree.first[node]; i; i = tree.next[i])
			add(i, i);
}
function above(branch, add) {
	branch.nodes.forEach((node, i) => {
		if (tree.up[node] > 0)
			add(tree.up[node], branch.origins[i]);
	});
}
function sampled(branch, add) {
	for (let i = 1; i < NR; i++)
		if (tree.own.now[i] || tree.own.was[i])
			add(i, i);
}
const newBranch = (f, up, each, counts) => ({ f, up, each, counts, nodes: [], origins: [], now: 0, was: 0, under: null });
function addTo(branch, node, origin) {
	branch.nodes.push(node);
	branch.origins.push(origin);
	branch.now += branch.counts.now[origin];
	branch.was += branch.counts.was[origin];
}
// The branches below a branch, largest first. They are made when they are needed.
function under(branch, width) {
	if (!branch.under) {
		const found = new Map(), each = branch.each === sampled ? above : branch.each;
		branch.each(branch, (node, origin) => {
			let b = found.get(FN[node]);
			if (!b)
				found.set(FN[node], b = newBranch(FN[node], branch, each, branch.counts));
			addTo(b, node, origin);
		});
		branch.under = [...found.values()].sort((a, b) => b[width] - a[width]);
	}
	return branch.under;
}
// All paths, from the programs, or from the functions with samples.
function wholeTree(inverted) {
	const root = newBranch(ALL, null, inverted ? sampled : below, inverted ? tree.own : tree.total);
	root.nodes.push(0);
	root.now = tree.total.now[0];
	root.was = tree.total.was[0];
	return root;
}
// The calls of a function: its callees, or its callers.
function callsOf(f, each) {
	const root = newBranch(f, null, each, tree.total);
	for (let i = 1; i < NR; i++)
		if (FN[i] === f && tree.outer[i] && tree.kept(i))
			addTo(root, i, i);
	return root;
}
// The samples of all paths with a function for which @has returns true.
function samplesWith(has, width) {
	const hit = new Uint8Array(NR);
	let sum = 0;
	for (let i = 1; i < NR; i++)
		if (tree.kept(i)) {
			hit[i] = hit[tree.up[i]] || has(FN[i]);
			if (hit[i] && !hit[tree.up[i]])
				sum += tree.total[width][i];
		}
	return sum;
}
