"use strict";
/* What the page and the viewer share: elements, the theme, and one trial with its calls. Everything
   from a trace is put in as text, never as markup. */
const Parts = (() => {
  const byId = (id) => document.getElementById(id);
  const MARKS = { mcp: 1, sub: 2, first: 4, hit: 16, write: 32, generic: 64, revision: 128, unanswered: 256 };

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
  const count = (number) => number.toLocaleString("en");
  /** A text whose lines may break behind _ and /, as names do: “crosstraci ng” reads as a slip. */
  const breaking = (text) => String(text).split(/(?<=[_/])/).flatMap((part, at) => (at ? [make("wbr"), part] : part));
  const code = (text) => make("code", {}, breaking(text));

  /* ---- theme ---- */
  function theme(button) {
    const THEMES = ["system", "light", "dark"];
    function stored(name) { try { return localStorage.getItem(name); } catch { return null; } }
    function store(name, value) { try { localStorage.setItem(name, value); } catch { /* private windows refuse */ } }
    let chosen = THEMES.includes(stored("groundtrace-theme")) ? stored("groundtrace-theme") : "system";
    function showTheme() {
      if (chosen === "system") document.documentElement.removeAttribute("data-theme");
      else document.documentElement.setAttribute("data-theme", chosen);
      button.textContent = `Theme: ${chosen}`;
    }
    button.addEventListener("click", () => {
      chosen = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length];
      store("groundtrace-theme", chosen);
      showTheme();
    });
    showTheme();
  }

  function copied(text) {
    const button = make("button", { type: "button", onclick: async () => {
      try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; } catch {
        const range = document.createRange();
        range.selectNodeContents(button.previousSibling);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        button.textContent = "Selected: copy it";
      }
    } }, "Copy");
    return button;
  }

  /** The parts of a trial. `data` holds words and colours; `beside` adds something to each call;
      `more` makes what is shown for calls that are not loaded. */
  function trialParts(data, { beside, more } = {}) {
    const colourOf = (config) => (Object.hasOwn(data.colours, config) ? data.colours[config] : "");
    const dot = (config) => make("i", { class: `dot b-${colourOf(config)}` });

    /** A trial with its calls, its ground truth and where it comes from. */
    function side(row, detail) {
      const facts = data.columns.map((column, at) => row.texts[at] === "–" ? null : make("span", { title: `${column.name}: ${column.measures}` }, `${column.label} `, make("b", {}, row.texts[at])));
      const parts = [make("h2", {}, dot(row.config), code(row.config)),
        make("p", { class: "note" }, "Trial ", code(row.trial), ", run ", code(row.run), ", suite ", code(row.suite), `; ${row.found}.`),
        make("div", { class: "facts" }, facts)];
      if (detail === undefined) parts.push(make("p", { class: "status" }, "This browser cannot unpack the calls: it lacks DecompressionStream."));
      else if (detail === null) parts.push(make("p", {}, "The page does not hold the calls of this trial; ", code("groundtrace explain"), " shows them."));
      else parts.push(make("div", { class: "columns" }, make("div", { class: "truths" }, truths(detail)), make("div", { class: "calls" }, calls(detail, row)), make("div", { class: "rest" }, rest(detail))));
      return make("div", { class: "side" }, parts);
    }

    const MARK_WORDS = [["first", "first relevant file"], ["hit", "relevant"], ["sub", "subagent"], ["mcp", "MCP"], ["generic", "files read by guess"], ["revision", "another revision"], ["unanswered", "no result in the trace"]];
    const deedOf = (step) => data.deeds[step[9]];
    function calls(detail, row) {
      if (!detail.steps.length) return [make("h3", {}, "Calls"), make("p", {}, "No call could be read from this trial.")];
      const steps = detail.steps.map((step) => call(step, detail, row));
      const cells = detail.steps.map((step, at) => {
        const words = `${step[0]}: ${detail.words[step[2]]}, ${data.deedWords[deedOf(step)]}`;
        const button = make("button", { type: "button", class: `did-${deedOf(step)}${step[3] & MARKS.hit ? " hit" : ""}`, title: words, "aria-label": `Call ${words}`, tabindex: at ? "-1" : "0", onclick: () => { steps[at].scrollIntoView({ block: "center" }); steps[at].focus({ preventScroll: true }); } });
        button.dataset.notable = step[3] & (MARKS.hit | MARKS.write) ? "1" : "0";
        return button;
      });
      const strip = make("div", { class: "strip", role: "group", "aria-label": `${detail.steps.length} calls in order; arrow keys move, Enter goes to the call` }, cells);
      strip.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const next = by && cells[cells.indexOf(document.activeElement) + by];
        if (next) { event.preventDefault(); next.focus(); }
      });
      const used = data.deeds.filter((deed) => detail.steps.some((step) => deedOf(step) === deed));
      const legend = make("ul", { class: "legend" },
        used.map((deed) => make("li", {}, make("i", { class: `did-${deed}` }), data.deedWords[deed])),
        make("li", {}, make("i", { class: "hit" }), "met a relevant file"));
      const cut = detail.cut ? (more ? more(detail, row) : make("p", { class: "note" }, `${detail.cut} more calls are not in the page; `, code("groundtrace explain"), " shows them.")) : null;
      return [make("h3", {}, `Calls in order (${detail.steps.length + detail.cut})`), strip, legend, make("ol", { class: "timeline", "data-trial": row.place }, steps), cut];
    }

    function call(step, detail, row) {
      const [number, category, tool, marks, argument, files, more, seconds, tokens, , agent] = step;
      const worded = (mark, text) => mark === "sub" && agent !== undefined ? `${text} ${detail.words[agent]}` : text;
      const badges = MARK_WORDS.filter(([mark]) => marks & MARKS[mark] && !(mark === "hit" && marks & MARKS.first)).map(([mark, text]) => make("span", { class: `badge ${mark}` }, worded(mark, text)));
      const when = [seconds && `at ${seconds}`, tokens && `${tokens} tokens`].filter(Boolean).join(", ");
      const item = make("li", { class: `step did-${deedOf(step)}${marks & MARKS.sub ? " sub" : ""}`, tabindex: "-1", title: data.categories[category] },
        make("div", { class: "head" }, make("b", {}, `${number}`), code(detail.words[tool]), make("span", { class: "did" }, data.deedWords[deedOf(step)]), badges, make("span", { class: "when" }, when)),
        argument ? make("code", { class: "args" }, argument) : null, fileList(files, more, detail), beside ? beside(step, detail, row) : null);
      item.dataset.notable = marks & (MARKS.hit | MARKS.write) ? "1" : "0";
      return item;
    }

    const AT_ONCE = 8;
    function fileList(files, more, detail) {
      if (!files.length) return null;
      const items = files.map(([name, kind, truth, lines]) => make("li", { class: truth >= 0 ? "hit" : "" },
        make("span", { class: "kind", title: data.kindWords[data.kinds[kind]] }, data.kinds[kind]), " ", code(detail.words[name]), lines ? ` ${/^\d+$/.test(lines) ? "line" : "lines"} ${lines}` : "",
        truth >= 0 ? ` — relevant${detail.truth[truth][0] === detail.words[name] ? "" : ": "}` : "", truth >= 0 && detail.truth[truth][0] !== detail.words[name] ? code(detail.truth[truth][0]) : null));
      const rest = more ? [make("li", {}, `and ${more} more files`)] : [];
      if (items.length <= AT_ONCE) return make("ul", { class: "files" }, items, rest);
      return [make("ul", { class: "files" }, items.slice(0, AT_ONCE)),
        make("details", {}, make("summary", {}, `${items.length - AT_ONCE + more} more files`), make("ul", { class: "files" }, items.slice(AT_ONCE), rest))];
    }

    function truths(detail) {
      const missed = detail.truth.filter(([, found]) => !found).length;
      const truth = detail.truth.map(([name, found, shown]) => make("li", {},
        make("span", { class: found ? "found" : "missed" }, found ? "✓ met " : "✗ missed "), code(name),
        make("small", {}, found ? `rank ${found[0]} at call ${found[1]}; ` + (shown ? (shown[1] === found[1] ? "content shown there" : `content shown at call ${shown[1]}`) : "content never shown") : "never met")));
      return [make("h3", {}, `Ground truth (${detail.truth.length} files, ${missed} missed)`),
        detail.truth.length ? make("ul", { class: "truth" }, truth) : make("p", {}, "No ground truth is known for this task, so nothing can be said about what was found.")];
    }

    function rest(detail) {
      return [make("h3", {}, "Where it comes from"),
        detail.explain ? [make("div", { class: "command" }, code(detail.folder), copied(detail.folder)),
          make("div", { class: "command" }, code(detail.explain), copied(detail.explain)),
          make("p", { class: "note" }, "Run it in the folder that holds the run. It uses the tasks that the run was given; if the results are elsewhere, add --out.")] : null,
        make("dl", { class: "about" }, detail.about.map(([label, text]) => [make("dt", {}, label), make("dd", {}, text)])),
        make("details", {}, make("summary", {}, "Metrics and their arithmetic"),
          make("div", { class: "scroll", tabindex: "0" }, make("table", {}, make("tbody", {},
            detail.metrics.map(([name, value, how]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "right" }, value), make("td", {}, how)))))))];
    }

    return { dot, side, call };
  }

  return { byId, make, code, breaking, count, theme, copied, trialParts };
})();
