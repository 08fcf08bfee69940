"use strict";
// Functions of all scripts of a page. Text goes into the page by textContent only.
const $ = (id) => document.getElementById(id);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
// Make an element with a class and a text.
function make(tag, cls, parent, text) {
	const e = document.createElement(tag);
	e.className = cls;
	if (text !== undefined)
		e.textContent = text;
	parent.append(e);
	return e;
}
// A percentage as in the tables: a part of the whole does not read as 100, nor as 0.
function percent(part, of, digits = 4) {
	let text = of ? (100 * part / of).toFixed(digits) : "0";
	if (!part || !of)
		return "0";
	if (part >= of)
		return "100.000".slice(0, digits > 3 ? 7 : digits + 4);
	if (100 * part / of < 0.001)
		return (100 * part / of).toExponential(1).replace(/e-(\d)$/, "e-0$1");
	while (text >= 100 && digits < 20)
		text = (100 * part / of).toFixed(++digits);
	return text;
}
const add = (list) => list.reduce((a, b) => a + b, 0);
