"use strict";
/* The page's behaviour. Everything from a trace is put in as text, never as markup, and no number
   is formatted here: the texts come with the values. Filters, sort and the opened trial live in
   the address, after the #, as key=value pairs; a part without = is an ordinary anchor. */
(() => {
  const { byId, make, code, breaking, count } = Parts;
  const data = JSON.parse(byId("table-data").textContent);
  const [TASK, TRIAL, CONFIG, SUITE, RUN, MODEL, FOUND, VERDICT, VALUES, TEXTS, BLOCK, PLACE] = Array(12).keys();
  const PAGE = 100;
  const { dot, side } = Parts.trialParts(data);
  Parts.theme(byId("theme"));

  /* ---- the address ---- */
  const FILTERS = [["configs", CONFIG, "config"], ["suites", SUITE, "suite"], ["runs", RUN, "run"], ["verdicts", VERDICT, "verdict"], ["found", FOUND, "found"]];
  const keyOf = (index) => (Object.hasOwn(data.keys, index) ? data.keys[index] : data.rows[index][TRIAL]);
  let places = null;
  function placeOf(key) {
    places = places || new Map(data.rows.map((_, index) => [keyOf(index), index]));
    return places.get(key);
  }
  const anchor = () => { const hash = location.hash.slice(1); return hash.includes("=") ? "" : hash; };
  const parameters = () => new URLSearchParams(anchor() ? "" : location.hash.slice(1));
  /** The address of the table as it is filtered and sorted now, with more parameters. */
  function address(more) {
    const made = new URLSearchParams();
    for (const [name, value] of Object.entries(more || {})) if (value) made.set(name, value);
    if (pair() && pair() !== byId("pair").options[0].value) made.set("pair", pair());
    for (const task of state.tasks) made.append("task", task);
    if (byId("search").value.trim()) made.set("q", byId("search").value.trim());
    for (const [list, , name] of FILTERS) if (byId(`filter-${list}`).value !== "") made.set(name, data[list][Number(byId(`filter-${list}`).value)]);
    if (state.sort !== null) made.set("sort", (state.down ? "-" : "") + (typeof state.sort === "number" ? data.columns[state.sort].name : state.sort));
    return `#${made.toString().replaceAll("+", "%20")}`;
  }
  function rememberTable() {
    if (opened().length) return;
    const made = address({ at: "trials" });
    history.replaceState(null, "", made === "#at=trials" ? "#trials" : made);
  }

  /* ---- the pair of configurations ---- */
  const pair = () => (byId("pair") ? byId("pair").value : "");
  function choosePair(wanted) {
    const select = byId("pair");
    if (!select) return;
    const found = [...select.options].find((option) => option.value === wanted);
    select.value = found ? wanted : select.options[0].value;
    for (const part of document.querySelectorAll("[data-pair]")) part.hidden = part.dataset.pair !== select.value;
  }
  if (byId("pair")) {
    byId("pair").addEventListener("change", () => {
      choosePair(pair());
      const made = address();
      history.replaceState(null, "", made === "#" ? "#answer" : made);
    });
  }

  /* ---- table of trials ---- */
  const state = { sort: null, down: true, shown: PAGE, rows: [], tasks: [] };
  const NAMES = [["task", TASK], ["config", CONFIG, "configs"], ["verdict", VERDICT, "verdicts"], ["found", FOUND, "found"]];
  const HEADS = { config: "configuration", found: "relevant files" };
  const nameOf = (row, [, index, list]) => (list ? data[list][row[index]] : row[index]);

  /* A column in which no trial differs, or none has a value, says nothing. */
  const empty = (key) => (typeof key === "number" ? !data.rows.some((row) => row[VALUES][key] !== null) : (key === "verdict" && data.verdicts.length < 2) || (key === "found" && data.found.length < 2));
  function heading(text, title, better, key) {
    const label = better ? `${title} ${better === "higher" ? "Higher" : "Lower"} is better.` : title;
    const button = make("button", { type: "button", title: label || null, onclick: () => sortBy(key) }, text, make("span", { class: "arrow", "aria-hidden": "true" }, "↕"));
    const cell = make("th", { scope: "col", class: typeof key === "number" ? "right" : "left", hidden: empty(key) }, button);
    cell.dataset.key = String(key);
    return cell;
  }
  const unused = data.columns.map((_, at) => empty(at));
  byId("table").tHead.append(make("tr", {},
    NAMES.map((name) => heading(HEADS[name[0]] || name[0], "", "", name[0])),
    data.columns.map((column, index) => heading(column.label, column.name === column.label ? column.measures : `${column.name}: ${column.measures}`, column.better, index))));

  function sortBy(key) {
    const numeric = typeof key === "number";
    state.down = state.sort === key ? !state.down : numeric;
    state.sort = key;
    /* Showing thousands of lines is slow, and after sorting people look at the first ones. */
    state.shown = PAGE;
    showRows();
    rememberTable();
  }

  const collator = new Intl.Collator("en", { numeric: true });
  function sorted(rows) {
    if (state.sort === null) return rows;
    const sign = state.down ? -1 : 1;
    if (typeof state.sort === "number") {
      /* A missing value is neither small nor large: it stays at the end in both directions. */
      const value = (index) => data.rows[index][VALUES][state.sort];
      return rows.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === null || y === null) return (x === null) - (y === null) || a - b;
        return sign * (x - y) || a - b;
      });
    }
    const name = NAMES.find((item) => item[0] === state.sort);
    return rows.sort((a, b) => sign * collator.compare(nameOf(data.rows[a], name), nameOf(data.rows[b], name)) || a - b);
  }

  for (const [list] of FILTERS) {
    const select = byId(`filter-${list}`);
    select.append(make("option", { value: "" }, `all (${count(data[list].length)})`));
    data[list].map((text, index) => [text, index]).sort((a, b) => collator.compare(a[0], b[0]))
      .forEach(([text, index]) => select.append(make("option", { value: String(index) }, text)));
    select.closest("label").hidden = data[list].length < 2;
    select.addEventListener("change", () => { filterRows(); rememberTable(); });
  }
  byId("search").addEventListener("input", () => { filterRows(); rememberTable(); });
  byId("every-task").addEventListener("click", () => { state.tasks = []; filterRows(); rememberTable(); });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());

  let haystacks = null;
  function filterRows() {
    const wanted = byId("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const tasks = new Set(state.tasks);
    byId("chosen").hidden = !tasks.size;
    byId("chosen").firstElementChild.textContent = tasks.size === 1 ? `Only the task ${state.tasks[0]}.` : `Only ${tasks.size} tasks.`;
    const chosen = FILTERS.map(([list, index]) => [index, byId(`filter-${list}`).value]).filter(([, value]) => value !== "");
    if (wanted.length && !haystacks) haystacks = data.rows.map((row) => `${row[TASK]}\n${row[TRIAL]}`.toLowerCase());
    state.rows = [];
    data.rows.forEach((row, index) => {
      if (tasks.size && !tasks.has(row[TASK])) return;
      if (chosen.every(([at, value]) => row[at] === Number(value)) && wanted.every((word) => haystacks[index].includes(word))) state.rows.push(index);
    });
    state.shown = PAGE;
    showRows();
  }

  /** Set filters and sort from the address; filters that it does not name are cleared. */
  function readTable(given) {
    byId("search").value = given.get("q") || "";
    state.tasks = given.getAll("task");
    choosePair(given.get("pair") || "");
    for (const [list, , name] of FILTERS) {
      const at = given.has(name) ? data[list].indexOf(given.get(name)) : -1;
      byId(`filter-${list}`).value = at < 0 ? "" : String(at);
    }
    const sort = given.get("sort") || "";
    const name = sort.replace(/^-/, "");
    const column = data.columns.findIndex((item) => item.name === name);
    state.sort = column >= 0 ? column : NAMES.some((item) => item[0] === name) ? name : null;
    state.down = state.sort === null || sort.startsWith("-");
    filterRows();
  }

  /* A line is made when it is first shown; after that it is only moved. */
  const lines = new Map();
  function lineOf(index) {
    if (!lines.has(index)) {
      const row = data.rows[index];
      const where = [data.suites.length > 1 && data.suites[row[SUITE]], data.runs.length > 1 && data.runs[row[RUN]]].filter(Boolean).join(" · ");
      const link = make("a", { href: `#trial=${encodeURIComponent(keyOf(index))}`, title: row[TRIAL], onclick: (event) => openTrial(event, index) }, code(row[TASK]));
      lines.set(index, make("tr", { "data-row": index },
        make("td", {}, link, where ? make("small", {}, breaking(where)) : null),
        make("td", { class: "config" }, dot(data.configs[row[CONFIG]]), code(data.configs[row[CONFIG]])),
        make("td", { hidden: empty("verdict") }, data.verdicts[row[VERDICT]]),
        make("td", { hidden: empty("found") }, data.found[row[FOUND]]),
        row[TEXTS].map((text, at) => make("td", { class: "right", "data-label": data.columns[at].label, hidden: unused[at] }, text))));
    }
    return lines.get(index);
  }

  function openTrial(event, index) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go({ trial: keyOf(index) });
  }

  function showRows() {
    const order = sorted(state.rows.slice());
    state.order = order;
    byId("table").tBodies[0].replaceChildren(...order.slice(0, state.shown).map(lineOf));
    for (const cell of byId("table").tHead.rows[0].cells) {
      const here = cell.dataset.key === String(state.sort);
      if (here) cell.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
      cell.querySelector(".arrow").textContent = here ? (state.down ? "▼" : "▲") : "↕";
    }
    const shown = Math.min(state.shown, order.length);
    byId("count").textContent = `${count(order.length)} of ${count(data.rows.length)} trials` + (shown < order.length ? `, the first ${count(shown)} shown` : "");
    byId("more").hidden = byId("all").hidden = shown >= order.length;
    byId("more").textContent = `Show ${Math.min(PAGE, order.length - shown)} more`;
    byId("all").textContent = `Show all ${count(order.length)}`;
  }
  byId("more").addEventListener("click", () => { state.shown += PAGE; showRows(); });
  byId("all").addEventListener("click", () => { state.shown = Infinity; showRows(); });

  /* ---- tables as files ---- */
  /** One cell; text that a spreadsheet would read as a formula gets an apostrophe. */
  function cell(value) {
    const number = typeof value === "number" || value === null;
    const text = value === null ? "" : String(value);
    const safe = !number && /^[=+\-@\t\r]/.test(text) && !/^[+\-]?[\d.,]+( ?[%s])?$/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }
  function save(name, rows) {
    const text = rows.map((row) => row.map(cell).join(",")).join("\r\n");
    const url = URL.createObjectURL(new Blob([`\ufeff${text}\r\n`], { type: "text/csv" }));
    const link = make("a", { href: url, download: `${name}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
  byId("csv").addEventListener("click", () => save("trials", [
    ["task", "trial", "configuration", "suite", "run", "model", "found", ...data.columns.map((column) => column.name)],
    ...state.order.map((index) => { const row = data.rows[index]; return [row[TASK], row[TRIAL], data.configs[row[CONFIG]], data.suites[row[SUITE]], data.runs[row[RUN]], data.models[row[MODEL]], data.found[row[FOUND]], ...row[VALUES]]; }),
  ]));
  for (const block of document.querySelectorAll("details.block")) {
    const table = block.querySelector("table");
    const name = (block.querySelector("summary").textContent || "table").trim().replace(/[^\w-]+/g, "-").slice(0, 60);
    if (table) table.parentElement.before(make("button", { type: "button", class: "save", onclick: () => save(name, [...table.rows].map((row) => [...row.cells].map((item) => item.textContent))) }, "Save as CSV"));
  }

  /* ---- one trial, or two side by side ---- */
  const blocks = document.querySelectorAll("script.block-data");
  const unpacked = new Map();
  async function detailOf(index) {
    const [block, place] = [data.rows[index][BLOCK], data.rows[index][PLACE]];
    if (block < 0) return null;
    if (!unpacked.has(block)) {
      const bytes = Uint8Array.from(atob(blocks[block].textContent), (char) => char.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      unpacked.set(block, new Response(stream).json());
    }
    return (await unpacked.get(block))[place];
  }

  /** A row with its names. */
  function named(index) {
    const row = data.rows[index];
    return { place: index, trial: row[TRIAL], config: data.configs[row[CONFIG]], suite: data.suites[row[SUITE]], run: data.runs[row[RUN]], found: data.found[row[FOUND]], texts: row[TEXTS] };
  }

  /** Other trials of the same task. */
  function others(index) {
    const [task, suite] = [data.rows[index][TASK], data.rows[index][SUITE]];
    return data.rows.map((_, other) => other).filter((other) => other !== index && data.rows[other][TASK] === task && data.rows[other][SUITE] === suite);
  }

  function opened() {
    const given = parameters();
    const first = placeOf(given.get("trial"));
    if (first === undefined) return [];
    const second = placeOf(given.get("with"));
    return second === undefined || second === first ? [first] : [first, second];
  }

  /** Where the reader was before a trial was opened. */
  let left = 0;
  const go = (more) => { location.hash = address(more); };

  async function show(moveFocus) {
    const indexes = opened();
    const panel = byId("detail");
    if (!indexes.length) {
      const back = !panel.hidden;
      panel.hidden = true;
      panel.replaceChildren();
      byId("report").hidden = false;
      const given = parameters();
      if (!anchor() && location.hash.length > 1) readTable(given);
      const target = anchor() || given.get("at") || "";
      if (target && byId(target)) {
        const folded = byId(target).closest("#all-numbers");
        if (folded) folded.open = true;
        byId(target).scrollIntoView();
        if (back && target === "trials" && left) scrollTo(0, left);
      }
      return;
    }
    if (panel.hidden) left = scrollY;
    if (parameters().size > (indexes.length > 1 ? 2 : 1)) readTable(parameters());
    const details = await Promise.all(indexes.map((index) => detailOf(index).catch(() => undefined)));
    if (String(indexes) !== String(opened())) return;
    const title = make("h1", { id: "detail-title", tabindex: "-1" }, "Task ", code(data.rows[indexes[0]][TASK]));
    panel.replaceChildren(title, tools(indexes),
      make("div", { class: indexes.length > 1 ? "sides two" : "sides" }, indexes.map((index, at) => side(named(index), details[at]))));
    panel.hidden = false;
    byId("report").hidden = true;
    scrollTo(0, 0);
    if (moveFocus) title.focus({ preventScroll: true });
  }

  function tools(indexes) {
    const [first, second] = indexes;
    const found = others(first);
    if (second !== undefined && !found.includes(second)) found.push(second);
    const several = data.runs.length > 1;
    const label = (index) => data.configs[data.rows[index][CONFIG]] + (several ? ` · ${data.runs[data.rows[index][RUN]]}` : "") +
      (found.filter((other) => data.rows[other][CONFIG] === data.rows[index][CONFIG]).length > 1 ? ` · ${data.rows[index][TRIAL]}` : "");
    const select = make("select", { id: "compare" }, make("option", { value: "" }, found.length ? "nothing" : "no other trial of this task"),
      found.map((index) => make("option", { value: index, selected: index === second }, label(index))));
    select.disabled = !found.length;
    select.addEventListener("change", () => go({ trial: keyOf(first), with: select.value === "" ? "" : keyOf(Number(select.value)) }));
    const notable = make("input", { type: "checkbox", id: "notable" });
    notable.addEventListener("change", () => {
      for (const step of byId("detail").querySelectorAll("[data-notable='0']")) step.classList.toggle("only-hidden", notable.checked);
    });
    const at = state.order.indexOf(first);
    const move = (by) => { const next = state.order[at + by]; return make("button", { type: "button", id: by < 0 ? "previous" : "next", disabled: at < 0 || next === undefined, onclick: () => go({ trial: keyOf(next) }) }, by < 0 ? "← Previous" : "Next →"); };
    return make("div", { class: "tools" },
      make("button", { type: "button", id: "back", onclick: () => { location.hash = address({ at: "trials" }); } }, "Back to the report"), move(-1), move(1),
      make("label", {}, "Side by side with ", select),
      make("label", {}, notable, "only calls that met a relevant file or wrote"));
  }

  /* ---- sections ---- */
  for (const link of document.querySelectorAll(".limits a[href^='#at=']")) {
    link.addEventListener("click", (event) => {
      if (!pair() || pair() === byId("pair").options[0].value) return;
      event.preventDefault();
      location.hash = `${link.getAttribute("href")}&pair=${encodeURIComponent(pair())}`;
    });
  }
  for (const link of document.querySelectorAll("nav a")) {
    link.addEventListener("click", (event) => {
      const at = link.getAttribute("href").slice(1);
      const made = address({ at });
      /* Filters in the address stay in the address. */
      if (made !== `#at=${at}`) { event.preventDefault(); location.hash = made; }
    });
  }
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.getAttribute("href").slice(1), link]));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (links.has(entry.target.id)) links.get(entry.target.id).classList.toggle("here", entry.isIntersecting);
  }, { rootMargin: "-20% 0px -60% 0px" });
  document.querySelectorAll("section[id]").forEach((section) => watcher.observe(section));

  addEventListener("hashchange", () => show(true));
  readTable(parameters());
  show(opened().length > 0);
})();
