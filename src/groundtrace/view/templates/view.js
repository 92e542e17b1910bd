"use strict";
/* The viewer's behaviour. The address is the state: filters of the list in its query, a trial in its
   path. Text of traces is put in as text, never as markup, and no number is formatted here. */
(() => {
  const { byId, make, code, count, trialParts } = Parts;
  const FILTERS = ["config", "suite", "run", "verdict", "found", "label", "tool"];
  const LOOK = 2000;
  Parts.theme(byId("theme"));
  byId("answer").open = innerWidth > 760; /* on a phone it would hide the list */

  let words = null;
  let parts = null;
  let version = null;
  let choices = {};

  /** Data from the viewer; null if there is none with that name. */
  async function ask(path, parameters) {
    const query = new URLSearchParams(parameters || {}).toString();
    const answer = await fetch(query ? `${path}?${query}` : path, { credentials: "same-origin" });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(answer.status === 403 ? "The viewer was started again: open the address that it printed." : "The viewer could not answer.");
    return answer.json();
  }
  function say(text) {
    byId("banner").textContent = text || "";
    byId("banner").hidden = !text;
  }

  /* ---- the address ---- */
  const given = () => new URLSearchParams(location.search);
  const opened = () => { const found = /^\/trial\/([0-9a-f]{20})$/.exec(location.pathname); return found && found[1]; };
  function addressOf(path, parameters) {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value)).toString().replaceAll("+", "%20");
    return query ? `${path}?${query}` : path;
  }
  function go(address, { replace } = {}) {
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    return show();
  }
  /** Links inside the viewer change the address without loading the page again. */
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='/']") : null;
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
  addEventListener("popstate", () => show());

  /* ---- the list ---- */
  let listAddress = "/";
  function question() {
    const asked = {};
    if (byId("search").value.trim()) asked.q = byId("search").value.trim();
    if (asked.q && byId("scopes").value !== "everything") asked.in = byId("scopes").value;
    for (const name of FILTERS) if (byId(`filter-${name}`).value) asked[name] = byId(`filter-${name}`).value;
    if (given().get("sort")) asked.sort = given().get("sort");
    return asked;
  }
  function offer() {
    const wanted = given();
    for (const name of FILTERS) {
      const select = byId(`filter-${name}`);
      const now = wanted.get(name) || "";
      const known = choices[name] || [];
      select.replaceChildren(make("option", { value: "" }, `all (${known.length})`),
        ...known.map(([text, count]) => make("option", { value: text }, `${text} (${count})`)),
        ...(now && !known.some(([text]) => text === now) ? [make("option", { value: now }, now)] : []));
      select.value = now;
      select.closest("label").hidden = known.length < 2 && !now;
    }
    if (document.activeElement !== byId("search")) byId("search").value = wanted.get("q") || "";
    byId("scopes").value = wanted.get("in") || "everything";
  }
  function heading(text, key, title, right) {
    const sort = given().get("sort") || "";
    const here = sort.replace(/^-/, "") === key;
    const down = sort.startsWith("-");
    const next = here ? (down ? key : `-${key}`) : right ? `-${key}` : key;
    const button = make("button", { type: "button", title: title || null, onclick: () => go(addressOf("/", { ...question(), sort: next })) }, text, make("span", { class: "arrow", "aria-hidden": "true" }, here ? (down ? "▼" : "▲") : "↕"));
    return make("th", { scope: "col", class: right ? "right" : "left", "aria-sort": here ? (down ? "descending" : "ascending") : null }, button);
  }
  function line(trial, unused) {
    const link = `/trial/${trial.id}`;
    const matches = trial.matches.map((match) => make("li", {}, match.step === null ? "relevant, never met: " : make("a", { href: addressOf(link, { call: String(match.step) }) }, `call ${match.step}`), " ", code(match.text)));
    return make("tr", { "data-id": trial.id },
      make("td", {}, make("a", { href: link, title: trial.trial }, code(trial.task)), make("small", {}, [(choices.suite || []).length > 1 && trial.suite, (choices.run || []).length > 1 && trial.run].filter(Boolean).join(" · ")), matches.length ? make("ul", { class: "matches" }, matches) : null),
      make("td", { class: "config" }, parts.dot(trial.config), code(trial.config)),
      make("td", {}, trial.found, make("small", {}, trial.verdict)),
      (trial.texts.length ? trial.texts : words.columns.map(() => "–")).map((text, at) => make("td", { class: "right", "data-label": words.columns[at].label, hidden: unused[at] }, text)));
  }
  async function showList() {
    byId("detail").hidden = true;
    byId("trials").hidden = false;
    document.title = "Trials · groundtrace view";
    listAddress = location.pathname + location.search;
    offer();
    const asked = location.search;
    const found = await ask("/api/trials", given());
    if (asked !== location.search || opened()) return;
    /* A column in which no trial here has a value says nothing. */
    const unused = words.columns.map((_, at) => found.trials.every((trial) => (trial.texts[at] || "–") === "–"));
    byId("table").tHead.replaceChildren(make("tr", {}, heading("task", "task"), heading("configuration", "config"), heading("relevant files", "found"),
      words.columns.map((column, at) => Object.assign(heading(column.label, column.name, `${column.name}: ${column.measures}`, true), { hidden: unused[at] }))));
    byId("table").tBodies[0].replaceChildren(...found.trials.map((trial) => line(trial, unused)));
    const first = found.page * found.size;
    const range = found.total > found.size ? `, ${count(first + 1)} to ${count(first + found.trials.length)} shown` : "";
    byId("count").textContent = `${count(found.total)} of ${count(found.of)} trials${range}` + (found.read < found.of && (Object.keys(question()).length) ? `; ${count(found.read)} read so far` : "");
    byId("pager").hidden = found.total <= found.size;
    byId("earlier").disabled = !found.page;
    byId("later").disabled = first + found.trials.length >= found.total;
  }
  function turn(by) {
    const page = Math.max(0, Number(given().get("page") || 0) + by);
    scrollTo(0, 0);
    return go(addressOf("/", { ...question(), page: page ? String(page) : "" }));
  }
  byId("earlier").addEventListener("click", () => turn(-1));
  byId("later").addEventListener("click", () => turn(1));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const name of [...FILTERS.map((name) => `filter-${name}`), "scopes"]) byId(name).addEventListener("change", () => go(addressOf("/", question())));
  let typing = 0;
  byId("search").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => go(addressOf("/", question()), { replace: true }), 250);
  });

  /* ---- what the trace says ---- */
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  /** The text of a call. It is requested when the call is opened, and again while the viewer
      searches a large trace. */
  function beside(step, _detail, row) {
    const body = make("div", {});
    const details = make("details", { class: "raw" }, make("summary", {}, "What the trace says"), body);
    details.addEventListener("toggle", () => { if (details.open && !body.childNodes.length) fill(body, row, step[0], {}); });
    details.dataset.step = step[0];
    return details;
  }
  async function fill(body, row, step, more) {
    for (;;) {
      let found;
      try { found = await ask(`/api/trial/${row.id}/call/${step}`, more); } catch (error) { body.replaceChildren(make("p", { class: "note" }, error.message)); return; }
      if (!body.isConnected) return;
      if (!found) { body.replaceChildren(make("p", { class: "note" }, "This call is no longer in the results.")); return; }
      body.replaceChildren(...found.pieces.map((piece) => pieceOf(piece, body, row, step)),
        ...(found.looking ? [make("p", { class: "note looking" }, `Looking through the trace: ${count(found.looking[0])} of ${count(found.looking[1])} bytes.`)] : []),
        ...(found.note ? [make("p", { class: "note" }, found.note)] : []),
        ...(!found.pieces.length && !found.looking && !found.note ? [make("p", { class: "note" }, "The trace does not name this call.")] : []));
      if (!found.looking) return;
      await wait(100);
    }
  }
  function pieceOf(piece, body, row, step) {
    return make("div", { class: "piece" },
      make("p", { class: "where" }, make("b", {}, piece.what), " ", piece.name ? code(piece.name) : null, piece.offset === null ? " " : ` at byte ${count(piece.offset)} `,
        piece.offset === null ? null : make("button", { type: "button", onclick: () => openRaw(body.closest(".side"), piece.file, piece.offset) }, "Show it in the file"),
        piece.cut ? [` ${count(piece.length)} characters; the beginning is shown. `, make("button", { type: "button", onclick: () => fill(body, row, step, { all: "1" }) }, "Show more")] : null),
      make("pre", { class: "text", tabindex: "0" }, piece.text));
  }

  /** The trace itself, a part at a time. */
  function rawTrace(row) {
    const bar = make("div", { class: "rawbar" });
    const text = make("pre", { class: "text", tabindex: "0", hidden: true });
    const note = make("p", { class: "note" });
    const box = make("details", { class: "rawtrace" }, make("summary", {}, make("b", {}, "The raw trace")), bar, note, text);
    let files = null;
    const select = make("select", { "aria-label": "File of the trace" });
    const place = make("span", {});
    let part = null;
    let loads = 0;
    async function load(at) {
      const turn = ++loads;
      const found = await ask(`/api/trial/${row.id}/raw/${select.value}`, { at: String(Math.max(0, at)) });
      if (turn !== loads) return;
      if (!found || found.note) { note.textContent = found ? found.note : "The file no longer exists."; return; }
      part = found;
      text.textContent = part.text;
      text.hidden = false;
      text.scrollTop = 0;
      place.textContent = `byte ${count(part.start)} to ${count(part.end)} of ${count(part.size)}`;
      back.disabled = start.disabled = part.start === 0;
      on.disabled = end.disabled = part.end >= part.size;
    }
    const button = (label, where) => make("button", { type: "button", onclick: () => load(where()) }, label);
    const size = () => part.end - part.start;
    const start = button("Start", () => 0);
    const back = button("Back", () => part.start - Math.max(size(), 60000));
    const on = button("Forward", () => part.end);
    const end = button("End", () => part.size - 60000);
    /* Opening the box shows the start of the trace; the button of a call shows the call's place. */
    let begun = false;
    async function open(file, at) {
      begun = true;
      box.open = true;
      if (!files) {
        const found = await ask(`/api/trial/${row.id}/files`);
        files = found ? found.files : [];
        note.textContent = found ? found.note : "";
        if (!files.length) return;
        select.replaceChildren(...files.map((item, number) => make("option", { value: number }, `${item.name} (${count(item.size)} bytes)`)));
        bar.replaceChildren(select, start, back, on, end, place);
        select.addEventListener("change", () => load(0));
      }
      if (file !== null) select.value = String(file);
      if (files.length) await load(at);
    }
    box.addEventListener("toggle", () => { if (box.open && !begun) open(null, 0); });
    box.openAt = open;
    return box;
  }
  async function openRaw(side, file, at) {
    const box = side.querySelector("details.rawtrace");
    await box.openAt(file, at);
    box.scrollIntoView({ block: "start" });
  }

  /* ---- one trial, or two side by side ---- */
  let shown = "";
  function moreCalls(detail, row) {
    const next = detail.steps.length ? detail.steps[detail.steps.length - 1][0] + 1 : 0;
    return make("p", {}, make("button", { type: "button", class: "more-calls", onclick: async (event) => {
      const found = await ask(`/api/trial/${row.id}`, { from: String(next) });
      const list = event.target.closest(".calls").querySelector("ol.timeline");
      if (!found || !found.detail) return;
      list.append(...found.detail.steps.map((step) => parts.call(step, found.detail, row)));
      event.target.closest("p").replaceWith(found.detail.cut ? moreCalls(found.detail, row) : "");
    } }, `Show more calls (${detail.cut} are left)`));
  }
  function tools(trial, second) {
    const found = trial.others;
    const several = (choices.run || []).length > 1;
    const label = (other) => [other.config, several && other.run, found.filter((item) => item.config === other.config).length > 1 && other.trial].filter(Boolean).join(" · ");
    const select = make("select", { id: "compare" }, make("option", { value: "" }, found.length ? "nothing" : "no other trial of this task"),
      found.map((other) => make("option", { value: other.id, selected: second === other.id }, label(other))));
    select.disabled = !found.length;
    select.addEventListener("change", () => go(addressOf(location.pathname, { with: select.value })));
    const notable = make("input", { type: "checkbox", id: "notable" });
    notable.addEventListener("change", () => {
      for (const step of byId("detail").querySelectorAll("[data-notable='0']")) step.classList.toggle("only-hidden", notable.checked);
    });
    return make("div", { class: "tools" }, make("a", { href: listAddress, id: "back" }, "← Back to the list"),
      make("label", {}, "Side by side with ", select), make("label", {}, notable, "only calls that met a relevant file or wrote"));
  }
  function sideOf(trial) {
    const made = parts.side({ ...trial, found: `${trial.found}, ${trial.verdict}` }, trial.detail);
    const calls = made.querySelector(".calls");
    (calls || made).append(rawTrace(trial));
    /* The number of a call is a link to it. */
    for (const item of made.querySelectorAll("li.step")) {
      const number = item.querySelector(".head > b");
      const step = number.textContent;
      number.replaceWith(make("a", { class: "number", href: addressOf(`/trial/${trial.id}`, { with: trial.id === opened() ? given().get("with") : "", call: step }), title: "Link to this call" }, step));
      item.dataset.step = step;
    }
    return made;
  }
  async function showTrial(id) {
    const asked = location.pathname + location.search;
    const second = given().get("with");
    const wanted = [id, second && /^[0-9a-f]{20}$/.test(second) && second !== id ? second : null].filter(Boolean);
    const found = await Promise.all(wanted.map((name) => ask(`/api/trial/${name}`)));
    if (asked !== location.pathname + location.search) return;
    const panel = byId("detail");
    byId("trials").hidden = true;
    panel.hidden = false;
    const trials = found.filter(Boolean);
    if (!found[0]) {
      shown = "";
      panel.replaceChildren(make("h1", {}, "No such trial"), make("p", {}, "This trial is no longer in the results: it was replaced or removed. "), make("a", { href: "/" }, "All trials"));
      return;
    }
    const now = JSON.stringify([wanted, trials.map((trial) => ({ ...trial, version: null }))]);
    if (now !== shown) {
      shown = now;
      const title = make("h1", { id: "detail-title", tabindex: "-1" }, "Task ", code(trials[0].task));
      panel.replaceChildren(title, tools(trials[0], wanted[1]), make("div", { class: trials.length > 1 ? "sides two" : "sides" }, trials.map(sideOf)));
      if (!given().get("call")) { scrollTo(0, 0); title.focus({ preventScroll: true }); }
    }
    document.title = `${trials[0].task} · groundtrace view`;
    openCall(panel);
  }
  function openCall(panel) {
    const step = given().get("call");
    if (step === null || panel.dataset.call === location.href) return;
    panel.dataset.call = location.href;
    const item = panel.querySelector(`li.step[data-step="${CSS.escape(step)}"]`);
    if (!item) return;
    const details = item.querySelector("details.raw");
    details.open = true;
    item.scrollIntoView({ block: "center" });
    item.focus({ preventScroll: true });
  }

  /* ---- what is shown now ---- */
  async function show() {
    try {
      if (opened()) await showTrial(opened());
      else { shown = ""; byId("detail").replaceChildren(); byId("detail").dataset.call = ""; await showList(); }
      say("");
    } catch (error) { say(error instanceof TypeError ? "The viewer does not answer: it was stopped." : error.message); }
  }
  /** The answer as on the report's first screen: rows, sentences, what limits them. */
  function answerParts(answer) {
    const compared = answer.baseline !== null;
    const heads = compared ? [answer.baseline, answer.config] : [answer.config];
    const rows = answer.rows.map((row) => make("tr", { class: "first" },
      make("th", { scope: "row", class: "question" }, row.question, " ", make("span", { class: "what" }, row.label)),
      compared ? make("td", { class: "right number" }, row.baseline) : null, make("td", { class: "right number" }, row.config),
      make("td", { class: "change" }, compared ? [make("span", { class: `verdict ${row.tone}` }, row.word), ": ", make("strong", {}, row.change), " ", make("span", {}, row.interval), row.more ? `; ${row.more}` : "", " ", make("small", {}, row.counts)] : row.counts)));
    const limits = [["Look at", answer.look_at], ["Also", answer.also]].filter(([, lines]) => lines.length);
    return [rows.length ? make("p", {}, make("strong", {}, answer.title)) : null,
      make("p", {}, answer.sentences),
      rows.length ? make("table", { class: "answer" }, make("thead", {}, make("tr", {}, make("td", {}), heads.map((name) => make("th", { scope: "col", class: "right" }, code(name))), make("td", { class: "note" }, answer.level))), make("tbody", {}, rows)) : null,
      limits.length ? make("dl", { class: "limits" }, limits.map(([label, lines]) => make("div", {}, make("dt", {}, label), make("dd", {}, make("ul", {}, lines.map((line) => make("li", {}, line))))))) : null,
      answer.prices ? make("p", {}, answer.unpriced) : null, answer.prices ? make("pre", { tabindex: "0" }, answer.prices) : null].filter(Boolean);
  }
  let readBefore = -1;
  async function learn() {
    const state = await ask("/api/state", { words: "1" });
    words = state.words;
    choices = state.choices;
    version = state.version;
    readBefore = state.read;
    parts = trialParts(words, { beside, more: moreCalls });
    byId("scope").textContent = state.title;
    byId("status").textContent = state.status;
    if (!byId("scopes").options.length) byId("scopes").append(...state.scopes.map((scope) => make("option", { value: scope }, scope)));
    byId("answer").hidden = !state.answer;
    if (state.answer) byId("answer").lastElementChild.replaceChildren(...answerParts(state.answer));
    byId("problems").hidden = !state.problems.length;
    byId("problems").firstElementChild.textContent = `${state.problems.length} problems in the results`;
    byId("problems").lastElementChild.replaceChildren(...state.problems.map((text) => make("li", {}, text)));
    progress(state);
  }
  function progress(state) {
    byId("progress").textContent = state.read < state.total ? `${count(state.read)} of ${count(state.total)} trials read` : "";
  }
  /** Look for changed results; what is shown stays where it is. */
  async function look() {
    if (document.hidden) return;
    try {
      const state = await ask("/api/state");
      progress(state);
      if (state.version !== version || state.read !== readBefore) {
        await learn();
        await show();
      } else if (!byId("banner").hidden) await show();
    } catch (error) { say(error instanceof TypeError ? "The viewer does not answer: it was stopped." : error.message); }
  }
  (async () => {
    try { await learn(); } catch (error) { say(error.message); return; }
    await show();
    for (;;) { await wait(LOOK); await look(); }
  })();
})();
