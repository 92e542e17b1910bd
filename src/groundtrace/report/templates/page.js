"use strict";
/* The page's behaviour. Everything from a trace is put in as text, never as markup, and no number
   is formatted here: the texts come with the values. */
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("table-data").textContent);
  const [TASK, TRIAL, CONFIG, SUITE, RUN, MODEL, FOUND, VALUES, TEXTS, BLOCK, PLACE] = Array(11).keys();
  const MARKS = { mcp: 1, sub: 2, first: 4, nothing: 8, hit: 16, write: 32 };
  const PAGE = 100;

  /** An element with attributes and children; strings become text. */
  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "class") element.className = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  }
  const code = (text) => make("code", {}, text);

  /* ---- theme ---- */
  const THEMES = ["system", "light", "dark"];
  function stored(name) { try { return localStorage.getItem(name); } catch { return null; } }
  function store(name, value) { try { localStorage.setItem(name, value); } catch { /* private windows refuse */ } }
  let theme = THEMES.includes(stored("groundtrace-theme")) ? stored("groundtrace-theme") : "system";
  function showTheme() {
    if (theme === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", theme);
    byId("theme").textContent = `Theme: ${theme}`;
  }
  byId("theme").addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    store("groundtrace-theme", theme);
    showTheme();
  });
  showTheme();

  /* ---- table of trials ---- */
  const state = { sort: null, down: true, shown: PAGE, rows: [] };
  const NAMES = [["task", TASK], ["config", CONFIG, "configs"], ["suite", SUITE, "suites"], ["run", RUN, "runs"], ["found", FOUND, "found"]];
  const shownNames = NAMES.filter(([, , list]) => !list || data[list].length > 1 || list === "configs" || list === "found");
  const nameOf = (row, [, index, list]) => (list ? data[list][row[index]] : row[index]);

  /** A name that may break after its dots and underscores. */
  const breakable = (text) => text.split(/(?<=[._@/-])/).flatMap((part) => [part, make("wbr")]);

  function heading(text, title, better, key) {
    const arrow = better === "higher" ? " ↑" : better === "lower" ? " ↓" : "";
    const label = better ? `${title || text} ${better} is better.` : title;
    const button = make("button", { type: "button", title: label || null, onclick: () => sortBy(key) }, breakable(text), arrow);
    const cell = make("th", { scope: "col", class: typeof key === "number" ? "right" : "left" }, button);
    cell.dataset.key = String(key);
    return cell;
  }
  byId("table").tHead.append(make("tr", {},
    shownNames.map((name) => heading(name[0], "", "", name[0])),
    data.columns.map((column, index) => heading(column.name, column.measures, column.better, index))));

  function sortBy(key) {
    const numeric = typeof key === "number";
    state.down = state.sort === key ? !state.down : numeric;
    state.sort = key;
    /* Laying out thousands of lines takes a while; the first ones are what sorting is for. */
    state.shown = PAGE;
    showRows();
  }

  const collator = new Intl.Collator("en", { numeric: true });
  function sorted(rows) {
    if (state.sort === null) return rows;
    const sign = state.down ? -1 : 1;
    if (typeof state.sort === "number") {
      /* A missing value is neither small nor large: it stays at the end both ways. */
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

  const FILTERS = [["configs", CONFIG], ["suites", SUITE], ["runs", RUN], ["found", FOUND]];
  for (const [list] of FILTERS) {
    const select = byId(`filter-${list}`);
    select.append(make("option", { value: "" }, `all (${data[list].length})`));
    data[list].map((text, index) => [text, index]).sort((a, b) => collator.compare(a[0], b[0]))
      .forEach(([text, index]) => select.append(make("option", { value: String(index) }, text)));
    select.closest("label").hidden = data[list].length < 2;
    select.addEventListener("change", filterRows);
  }
  byId("search").addEventListener("input", filterRows);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());

  const haystacks = data.rows.map((row) => `${row[TASK]}\n${row[TRIAL]}`.toLowerCase());
  function filterRows() {
    const wanted = byId("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = FILTERS.map(([list, index]) => [index, byId(`filter-${list}`).value]).filter(([, value]) => value !== "");
    state.rows = [];
    data.rows.forEach((row, index) => {
      if (chosen.every(([at, value]) => row[at] === Number(value)) && wanted.every((word) => haystacks[index].includes(word))) state.rows.push(index);
    });
    state.shown = PAGE;
    showRows();
  }

  /* A line is made when it is first shown and only moved after that. */
  const lines = new Map();
  function lineOf(index) {
    if (!lines.has(index)) {
      const row = data.rows[index];
      lines.set(index, make("tr", { "data-row": index },
        shownNames.map((name) => make("td", {}, name[0] === "task"
          ? make("a", { href: `#trial-${index}`, title: row[TRIAL] }, make("code", {}, breakable(row[TASK])))
          : name[0] === "found" ? nameOf(row, name) : make("code", {}, breakable(nameOf(row, name))))),
        row[TEXTS].map((text) => make("td", { class: "right" }, text))));
    }
    return lines.get(index);
  }

  function markOpen(indexes) {
    for (const [index, line] of lines) line.className = indexes.includes(index) ? "open" : "";
  }

  function showRows() {
    const order = sorted(state.rows.slice());
    byId("table").tBodies[0].replaceChildren(...order.slice(0, state.shown).map(lineOf));
    markOpen(opened());
    for (const cell of byId("table").tHead.rows[0].cells) {
      if (cell.dataset.key === String(state.sort)) cell.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    const shown = Math.min(state.shown, order.length);
    byId("count").textContent = `${order.length} of ${data.rows.length} trials` + (shown < order.length ? `, the first ${shown} shown` : "");
    byId("more").hidden = byId("all").hidden = shown >= order.length;
    byId("more").textContent = `Show ${Math.min(PAGE, order.length - shown)} more`;
    byId("all").textContent = `Show all ${order.length}`;
  }
  byId("more").addEventListener("click", () => { state.shown += PAGE; showRows(); });
  byId("all").addEventListener("click", () => { state.shown = Infinity; showRows(); });

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

  /** Other trials of the same task. */
  function others(index) {
    const [task, suite] = [data.rows[index][TASK], data.rows[index][SUITE]];
    return data.rows.map((_, other) => other).filter((other) => other !== index && data.rows[other][TASK] === task && data.rows[other][SUITE] === suite);
  }

  function opened() {
    const found = /^#trial-(\d+)(?:-with-(\d+))?$/.exec(location.hash);
    const [first, second] = (found || []).slice(1).filter((part) => part !== undefined).map(Number);
    if (first === undefined || first >= data.rows.length) return [];
    return others(first).includes(second) ? [first, second] : [first];
  }

  async function showDetail(moveFocus) {
    const indexes = opened();
    const panel = byId("detail");
    markOpen(indexes);
    if (!indexes.length) { panel.hidden = true; panel.replaceChildren(); return; }
    const details = await Promise.all(indexes.map((index) => detailOf(index).catch(() => undefined)));
    if (String(indexes) !== String(opened())) return;
    const title = make("h3", { id: "detail-title", tabindex: "-1" }, "Task ", code(data.rows[indexes[0]][TASK]));
    panel.replaceChildren(title, tools(indexes),
      make("div", { class: indexes.length > 1 ? "sides two" : "sides" }, indexes.map((index, at) => side(index, details[at]))));
    panel.hidden = false;
    if (moveFocus) { title.focus({ preventScroll: true }); panel.scrollIntoView(); }
  }

  function tools(indexes) {
    const [first, second] = indexes;
    const found = others(first);
    const several = data.runs.length > 1;
    const label = (index) => data.configs[data.rows[index][CONFIG]] + (several ? ` · ${data.runs[data.rows[index][RUN]]}` : "") +
      (found.filter((other) => data.rows[other][CONFIG] === data.rows[index][CONFIG]).length > 1 ? ` · ${data.rows[index][TRIAL]}` : "");
    const select = make("select", { id: "compare" }, make("option", { value: "" }, found.length ? "nothing" : "no other trial of this task"),
      found.map((index) => make("option", { value: index, selected: index === second }, label(index))));
    select.disabled = !found.length;
    select.addEventListener("change", () => { location.hash = select.value === "" ? `#trial-${first}` : `#trial-${first}-with-${select.value}`; });
    const notable = make("input", { type: "checkbox", id: "notable" });
    notable.addEventListener("change", () => {
      for (const step of byId("detail").querySelectorAll("[data-notable='0']")) step.classList.toggle("only-hidden", notable.checked);
    });
    return make("div", { class: "tools" },
      make("label", {}, "Side by side with ", select),
      make("label", {}, notable, " only calls that met a relevant file or wrote"),
      make("a", { href: "#trials" }, "Back to the table"));
  }

  function side(index, detail) {
    const row = data.rows[index];
    const parts = [make("h4", {}, code(data.configs[row[CONFIG]])),
      make("p", { class: "note" }, "Trial ", code(row[TRIAL]), ", run ", code(data.runs[row[RUN]]), ", suite ", code(data.suites[row[SUITE]]), `, ${data.found[row[FOUND]]}. `,
        data.columns.slice(0, 2).map((column, at) => `${column.name} ${row[TEXTS][at]}; `), `reward ${row[TEXTS][6]}; cost ${row[TEXTS][7]}.`)];
    if (detail === undefined) parts.push(make("p", { class: "status" }, "This browser cannot unpack the calls: it lacks DecompressionStream."));
    else if (detail === null) parts.push(make("p", {}, "The page does not hold the calls of this trial; ", code("groundtrace explain"), " shows them."));
    else parts.push(make("div", { class: "columns" }, make("div", { class: "truths" }, truths(detail)), make("div", { class: "calls" }, calls(detail, index)), make("div", { class: "rest" }, rest(detail))));
    return make("div", { class: "side" }, parts);
  }

  const MARK_WORDS = [["first", "first relevant file"], ["hit", "relevant"], ["write", "write"], ["nothing", "nothing obtained"], ["sub", "subagent"], ["mcp", "MCP"]];
  function calls(detail, index) {
    if (!detail.steps.length) return [make("h4", {}, "Calls"), make("p", {}, "No call could be read from this trial.")];
    const strip = make("div", { class: "strip", role: "img", "aria-label": `${detail.steps.length} calls in order, coloured by category; the list below has the same.` },
      detail.steps.map((step) => {
        const marks = step[3];
        const cell = make("i", { class: `cat-${data.categories[step[1]]}${marks & MARKS.hit ? " hit" : ""}${marks & MARKS.nothing ? " nothing" : ""}`, title: `${step[0]}: ${detail.words[step[2]]}` });
        cell.dataset.notable = marks & (MARKS.hit | MARKS.write) ? "1" : "0";
        return cell;
      }));
    const used = [...new Set(detail.steps.map((step) => step[1]))];
    const legend = make("ul", { class: "legend" },
      used.map((category) => make("li", {}, make("i", { class: `cat-${data.categories[category]}` }), data.categories[category])),
      make("li", {}, make("i", { class: "hit" }), "met a relevant file"), make("li", {}, make("i", { class: "nothing" }), "nothing obtained"));
    const cut = detail.cut ? make("p", { class: "note" }, `${detail.cut} more calls are not in the page; `, code("groundtrace explain"), " shows them.") : null;
    return [make("h4", {}, `Calls in order (${detail.steps.length + detail.cut})`), strip, legend, make("ol", { class: "timeline", "data-trial": index }, detail.steps.map((step) => call(step, detail))), cut];
  }

  function call([number, category, tool, marks, argument, files, more, seconds, tokens], detail) {
    const badges = MARK_WORDS.filter(([mark]) => marks & MARKS[mark] && !(mark === "hit" && marks & MARKS.first)).map(([mark, text]) => make("span", { class: `badge ${mark}` }, text));
    const when = [seconds && `at ${seconds}`, tokens && `${tokens} tokens`].filter(Boolean).join(", ");
    const name = data.categories[category];
    const item = make("li", { class: `step cat-${name}${marks & MARKS.sub ? " sub" : ""}` },
      make("div", { class: "head" }, make("b", {}, `${number}`), code(detail.words[tool]), make("span", { class: "badge" }, name), badges, make("span", { class: "when" }, when)),
      argument ? make("code", { class: "args" }, argument) : null, fileList(files, more, detail));
    item.dataset.notable = marks & (MARKS.hit | MARKS.write) ? "1" : "0";
    return item;
  }

  const AT_ONCE = 8;
  function fileList(files, more, detail) {
    if (!files.length) return null;
    const items = files.map(([name, kind, truth, lines]) => make("li", { class: truth >= 0 ? "hit" : "" },
      make("span", { class: "kind", title: data.kindWords[data.kinds[kind]] }, data.kinds[kind]), " ", code(detail.words[name]), lines ? ` lines ${lines}` : "",
      truth >= 0 ? ` — relevant${detail.truth[truth][0] === detail.words[name] ? "" : ": "}` : "", truth >= 0 && detail.truth[truth][0] !== detail.words[name] ? code(detail.truth[truth][0]) : null));
    const rest = more ? [make("li", {}, `and ${more} more files`)] : [];
    if (items.length <= AT_ONCE) return make("ul", { class: "files" }, items, rest);
    return [make("ul", { class: "files" }, items.slice(0, AT_ONCE)),
      make("details", {}, make("summary", {}, `${items.length - AT_ONCE + more} more files`), make("ul", { class: "files" }, items.slice(AT_ONCE), rest))];
  }

  function truths(detail) {
    const missed = detail.truth.filter(([, found]) => !found).length;
    const truth = detail.truth.map(([name, found, shown]) => make("li", {},
      make("span", { class: found ? "found" : "missed" }, found ? "✓ found " : "✗ missed "), code(name),
      make("small", {}, found ? `rank ${found[0]} at call ${found[1]}; ` + (shown ? (shown[1] === found[1] ? "content shown there" : `content shown at call ${shown[1]}`) : "content never shown") : "never retrieved")));
    return [make("h4", {}, `Ground truth (${detail.truth.length} files, ${missed} missed)`),
      detail.truth.length ? make("ul", { class: "truth" }, truth) : make("p", {}, "No ground truth is known for this task, so nothing can be said of what was found.")];
  }

  function rest(detail) {
    return [make("h4", {}, "Where it comes from"), make("dl", { class: "about" }, detail.about.map(([label, text]) => [make("dt", {}, label), make("dd", {}, text)])),
      make("h4", {}, "Metrics and their arithmetic"),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Metrics of this trial" }, make("table", {}, make("tbody", {},
        detail.metrics.map(([name, value, how]) => make("tr", {}, make("th", { scope: "row" }, breakable(name)), make("td", { class: "right" }, value), make("td", {}, how))))))];
  }

  /* ---- charts ---- */
  const specs = JSON.parse(byId("chart-data").textContent);
  const CONFIG_OF_CHARTS = {
    background: "transparent", font: "system-ui, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif", view: { stroke: null },
    axis: { labelColor: "var(--soft)", titleColor: "var(--ink)", gridColor: "var(--rule)", domainColor: "var(--rule)", tickColor: "var(--rule)", gridOpacity: 0.5, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 },
    legend: { labelColor: "var(--ink)", titleColor: "var(--ink)", labelFontSize: 12, layout: { top: { anchor: "start", bounds: "full" } } },
  };
  /** As many columns of the legend as its longest label leaves room for. */
  function configOf(spec, width) {
    const labels = spec.encoding?.color?.scale?.domain || [];
    const longest = Math.max(4, ...labels.map((label) => label.length));
    const axis = spec.encoding?.y?.type === "ordinal" ? 150 : 60;
    const columns = Math.max(1, Math.floor((width - axis) / (Math.min(longest * 7, 300) + 30)));
    return { ...CONFIG_OF_CHARTS, legend: { ...CONFIG_OF_CHARTS.legend, columns } };
  }
  function tooltip(_, event, __, value) {
    const tip = byId("tip");
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    tip.textContent = typeof value === "object" ? Object.values(value).join("\n") : String(value);
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 12, innerHeight - tip.offsetHeight - 8))}px`;
  }
  const drawn = new Set();
  async function draw(element) {
    if (drawn.has(element)) return;
    drawn.add(element);
    try {
      const spec = specs[element.dataset.chart];
      await window.drawChart(element, { ...spec, config: configOf(spec, element.clientWidth) },
        { mode: "vega-lite", ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip });
    } catch (error) {
      element.textContent = `This chart could not be drawn: ${error.message}`;
    }
  }
  const waiting = [...document.querySelectorAll(".drawing")];
  const watcher = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => draw(entry.target)), { rootMargin: "300px" });
  waiting.forEach((element) => watcher.observe(element));
  const idle = window.requestIdleCallback || ((run) => setTimeout(run, 50));
  /* All charts in the end, so that a print holds them. */
  (function drawNext() { idle(async () => { const next = waiting.find((element) => !drawn.has(element)); if (next) { await draw(next); drawNext(); } }); })();

  let closed = [];
  addEventListener("beforeprint", () => { closed = [...document.querySelectorAll("details.block:not([open])")]; closed.forEach((element) => { element.open = true; }); });
  addEventListener("afterprint", () => closed.forEach((element) => { element.open = false; }));
  addEventListener("hashchange", () => showDetail(true));
  filterRows();
  showDetail(opened().length > 0);
})();
