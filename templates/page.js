(() => {
  const value = cell => (cell ? cell.textContent : "").trim();
  const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const day = text => text.replace(/^(?:week of )?(\d+) ([A-Z][a-z]{2}) (\d{4})/, (all, day, month, year) =>
    `${year}-${String(MONTHS.indexOf(month) / 3 + 101).slice(1)}-${day.padStart(2, "0")}`);
  const left = text => text === "today" ? "0" : text.replace(/^([\d,]+) late$/, "-$1");
  const number = said => {
    const text = left(said);
    return /^[-+]?[\d,.\u00a0 ]+%?$/.test(text) ? parseFloat(text.replace(/[,\u00a0 %]/g, "")) : NaN;
  };
  const compare = (a, b) => {
    if (!a || !b) return a ? -1 : b ? 1 : 0;
    const x = number(a), y = number(b);
    return isNaN(x) || isNaN(y) ? day(a).localeCompare(day(b), "en", {numeric: true}) : x - y;
  };
  const records = bodies => {
    const found = [];
    for (const body of bodies) for (const row of body.rows)
      if (row.className === "more" && found.length) found[found.length - 1].push(row); else found.push([row]);
    return found;
  };
  for (const section of document.querySelectorAll(".sheet")) {
    const bodies = [...section.querySelectorAll("tbody")], rest = section.querySelector("details.rest");
    let rows = records(bodies), first = records(bodies.slice(0, 1)).length;
    if (rows.length < 8) continue;
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    const label = document.createElement("label"), input = document.createElement("input");
    input.type = "search";
    label.append("Filter ", input);
    const bar = document.createElement("div");
    bar.className = "filter";
    bar.append(label, said);
    section.querySelector("table").before(bar);
    let opened = false;
    const place = () => rows.forEach((record, index) => (index < first || !bodies[1] ? bodies[0] : bodies[1]).append(...record));
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const record of rows) {
        const text = record.map(value).join(" ").toLowerCase(), hit = words.every(word => text.includes(word));
        shown += hit;
        for (const row of record) row.hidden = !hit;
      }
      if (rest && words.length && !rest.open) rest.open = opened = true;
      if (opened && !words.length) rest.open = opened = false;
      said.textContent = words.length ? shown + " of " + rows.length : "";
    });
    for (const table of section.querySelectorAll("table"))
      [...table.tHead.rows[0].cells].forEach((head, index) => {
        const button = document.createElement("button");
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
          const down = head.getAttribute("aria-sort") === "ascending";
          section.querySelectorAll("th[aria-sort]").forEach(other => other.removeAttribute("aria-sort"));
          head.setAttribute("aria-sort", down ? "descending" : "ascending");
          rows = rows.map((record, at) => [value(record[0].cells[index]), at, record])
            .sort((a, b) => (down ? compare(b[0], a[0]) : compare(a[0], b[0])) || a[1] - b[1]).map(item => item[2]);
          place();
        });
      });
  }
  const index = document.getElementById("index"), asked = document.getElementById("asked");
  if (index && asked) {
    const entries = JSON.parse(index.textContent), list = document.getElementById("found");
    const every = list.innerHTML;
    asked.addEventListener("input", () => {
      const words = asked.value.toLowerCase().split(/\s+/).filter(Boolean);
      if (!words.length) { list.innerHTML = every; return; }
      const hits = entries.filter(([text, , kind]) => words.every(word => (text + " " + kind).toLowerCase().includes(word)));
      list.replaceChildren(...hits.slice(0, 100).map(([text, file, kind]) => {
        const item = document.createElement("li"), link = document.createElement("a"), said = document.createElement("span");
        link.href = file;
        link.textContent = text;
        said.textContent = " " + kind;
        item.append(link, said);
        return item;
      }));
      document.getElementById("count").textContent = hits.length + " found";
    });
  }
})();
