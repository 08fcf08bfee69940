// The start of a page of a report, whose data is in the page.
loadData(JSON.parse($("data").textContent));
time = data.time;
for (const e of all(".script"))
	e.hidden = false;
if (time)
	startTime();
showData(location.hash.includes("=") ? location.hash.slice(1) : "");
if (location.hash.includes("="))
	$("flame").scrollIntoView();
addEventListener("hashchange", () => {
	if (location.hash.includes("="))
		change((s) => { Object.assign(s, read(location.hash.slice(1))); });
});
document.documentElement.dataset.ready = "graph";
addEventListener("DOMContentLoaded", () => {
	whenRead.forEach((f) => f());
	document.documentElement.dataset.ready = "yes";
});
