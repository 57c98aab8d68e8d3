// Draws the charts, switches the language, sorts the tables. Names from the data become text nodes
// and nothing else.
(() => {
  "use strict";

  const data = JSON.parse(document.getElementById("data").textContent);
  const valid = data.runs.map((run, place) => ({ ...run, place })).filter((run) => run.valid);
  const MOST_AT_FIRST = 8;
  const chosen = new Set(valid.slice(0, MOST_AT_FIRST).map((run) => run.place));
  let logLatency = false;

  // Language: in the address, else the browser's.

  function language() {
    const named = /^#(en|zh)$/.exec(location.hash);
    if (named) return named[1];
    return document.documentElement.dataset.language
      || (/^zh/i.test(navigator.language || "") ? "zh" : "en");
  }

  function t(key) {
    return data.texts[key][language() === "zh" ? 1 : 0];
  }

  function showLanguage() {
    const now = language();
    document.documentElement.lang = now;
    document.documentElement.dataset.language = now;
    for (const link of document.querySelectorAll("nav a[hreflang]")) {
      if (link.hreflang === now) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  // Small helpers.

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function colour(place) {
    return style("--c" + (place % 8));
  }

  function short(value) {
    if (value === null || value === undefined) return "–";
    const size = Math.abs(value);
    if (size >= 1000) return Math.round(value).toLocaleString("en");
    if (size >= 100) return value.toFixed(0);
    if (size >= 10) return value.toFixed(1);
    return size >= 1 || value === 0 ? value.toFixed(2) : value.toFixed(3);
  }

  function tick(value) {
    if (value === null || value === undefined) return "";
    return Math.abs(value) >= 1e6 ? value / 1e6 + "M"
      : Math.abs(value) >= 1e4 ? value / 1e3 + "k" : String(+value.toPrecision(6));
  }

  // Of a logarithmic axis: its powers of ten.
  function powers(_, all) {
    return all.map((value) => Number.isInteger(+Math.log10(value).toFixed(6)) ? value : null);
  }

  function nines(x) {
    const decimals = Math.max(0, Math.round(Math.log10(x)) - 2);
    return (100 - 100 / x).toFixed(decimals) + "%";
  }

  // Charts.

  const charts = new Map();
  const HEIGHT = 280;

  function axis(more) {
    return {
      stroke: style("--quiet"), grid: { stroke: style("--grid"), width: 1 },
      ticks: { stroke: style("--grid"), width: 1 }, font: "12px system-ui, sans-serif",
      ...more,
    };
  }

  function line(label, place, more) {
    return {
      label, stroke: colour(place), width: 2, points: { show: false },
      dash: place >= 8 ? [6, 4] : undefined, value: (_, value) => short(value), ...more,
    };
  }

  function draw(id, options, columns, missing) {
    const place = document.getElementById("chart-" + id);
    charts.get(id)?.destroy();
    charts.delete(id);
    place.replaceChildren();
    if (missing || columns.length < 2 || columns[0].length === 0) {
      place.append(element("p", "quiet empty", missing || t("nothing")));
      return;
    }
    const all = { width: Math.max(place.clientWidth, 240), height: HEIGHT, ...options };
    const chart = new uPlot(all, columns, place);
    chart.root.querySelector("canvas").setAttribute("aria-hidden", "true");
    charts.set(id, chart);
  }

  function overTime(id, lines, tables, more) {
    const columns = tables.length ? uPlot.join(tables) : [[]];
    draw(id, {
      scales: { x: { time: false }, y: { range: (_, low, high) => [0, high > 0 ? high * 1.08 : 1] } },
      axes: [axis({ values: (_, all) => all.map((at) => tick(at) + " " + t("seconds")) }),
        axis({ values: (_, all) => all.map(tick), size: 60 })],
      series: [{ label: t("seconds"), value: (_, at) => at === null ? "–" : short(at) }, ...lines],
      cursor: { sync: { key: id === "rate" || id === "p99" ? "together" : "one" }, points: { size: 7 } },
      ...more,
    }, columns, id === "rate" || id === "p99" ? emptyChoice() : undefined);
  }

  function emptyChoice() {
    return chosen.size ? undefined : t("none_chosen");
  }

  function shown() {
    return valid.map((run, place) => ({ run, place })).filter(({ run }) => chosen.has(run.place));
  }

  function drawLatency() {
    const lines = shown().filter(({ run }) => run.curve.length);
    const length = Math.max(0, ...lines.map(({ run }) => run.curve.length));
    const grid = data.grid.slice(0, length);
    const padded = lines.map(({ run }) => grid.map((_, at) => run.curve[at] ?? null));
    draw("latency", {
      height: 340,
      scales: {
        x: { time: false, distr: 3, range: () => [1, Math.max(10, grid[length - 1])] },
        y: logLatency ? { distr: 3 } : { range: (_, low, high) => [0, high > 0 ? high * 1.08 : 1] },
      },
      axes: [
        axis({ filter: powers, values: (_, all) => all.map((x) => x === null ? "" : nines(x)) }),
        axis({ values: (_, all) => all.map((ms) => ms === null ? "" : tick(ms) + " ms"), size: 70 }),
      ],
      series: [
        { label: t("percentile"), value: (_, x) => x === null || x === undefined ? "–" : nines(x) },
        ...lines.map(({ run, place }) => line(run.name, place, { value: (_, ms) => ms === null || ms === undefined ? "–" : short(ms) + " ms" })),
      ],
      cursor: { points: { size: 7 } },
    }, [grid, ...padded], emptyChoice());
    const box = element("input");
    box.type = "checkbox";
    box.checked = logLatency;
    box.addEventListener("change", () => { logLatency = box.checked; drawLatency(); });
    const label = element("label", "quiet toggle");
    label.append(box, " " + t("log"));
    document.getElementById("chart-latency").append(label);
  }

  function drawTogether() {
    drawLatency();
    const lines = shown().filter(({ run }) => run.at.length);
    for (const id of ["rate", "p99"]) {
      overTime(id, lines.map(({ run, place }) => line(run.name, place)),
        lines.map(({ run }) => [run.at, run[id]]));
    }
  }

  function drawPool(run) {
    const pool = run.pool;
    if (!pool || !pool.at.length) return draw("pool", {}, []);
    const limit = pool.at.map(() => pool.threads);
    const highest = Math.max(...pool.busy, ...pool.queued);
    // A limit far above what was used would press the lines to the ground.
    const near = pool.threads <= highest * 4;
    const grey = { stroke: style("--quiet"), dash: [4, 4], width: 1 };
    overTime("pool", [line(t("busy"), 0), line(t("queued"), 1),
      line(t("threads") + (near ? "" : " ↑"), 2, grey)], [[pool.at, pool.busy, pool.queued, limit]], {
      scales: { x: { time: false }, y: { range: () => [0, (near ? Math.max(highest, pool.threads) : highest || 1) * 1.1] } },
    });
  }

  function drawWait(run) {
    const used = run.pool ? run.pool.wait : [];
    const first = used.findIndex((bucket) => bucket[1] > 0);
    const last = used.findLastIndex((bucket) => bucket[1] > 0);
    if (first < 0) return draw("wait", {}, []);
    const buckets = used.slice(first, last + 1);
    const edges = buckets.map(([edge]) => edge === null ? "∞" : String(edge));
    const highest = Math.max(...buckets.map((bucket) => bucket[1]));
    draw("wait", {
      scales: {
        x: { time: false, range: () => [-0.6, buckets.length - 0.4] },
        y: { distr: 3, range: () => [0.5, 10 ** Math.ceil(Math.log10(highest * 1.05))] },
      },
      axes: [
        axis({ splits: () => buckets.map((_, at) => at), values: (_, all) => all.map((at) => edges[at] ?? ""), grid: { show: false }, rotate: buckets.length > 10 ? -50 : 0, size: buckets.length > 10 ? 60 : 40 }),
        axis({ filter: powers, values: (_, all) => all.map(tick), size: 60 }),
      ],
      series: [
        { label: t("wait"), value: (_, at) => edges[at] ?? "–" },
        line(t("calls"), 0, {
          fill: colour(0), width: 0, paths: uPlot.paths.bars({ size: [0.82, 80], radius: 0.1 }),
          value: (_, many) => many === null || many === undefined ? "–" : Number(many).toLocaleString("en"),
        }),
      ],
    }, [buckets.map((_, at) => at), buckets.map((bucket) => bucket[1] || null)]);
  }

  function drawProcesses(run) {
    const processes = run.processes.filter((process) => process.at.length);
    for (const [id, key] of [["cpu", "cpu"], ["memory", "mib"]]) {
      overTime(id, processes.map((process, place) => line(process.name, place)),
        processes.map((process) => [process.at, process[key]]));
    }
  }

  function drawCores(run) {
    const place = document.getElementById("chart-cores");
    const kinds = ["user", "system", "softirq", "steal", "idle"];
    place.replaceChildren();
    if (!run.cores.length) {
      place.append(element("p", "quiet empty", t("nothing")));
      return;
    }
    const legend = element("ul", "legend");
    for (const kind of kinds) {
      const item = element("li");
      item.append(element("i", "k-" + kind), t(kind));
      legend.append(item);
    }
    place.append(legend);
    run.cores.forEach((core, number) => {
      const row = element("div", "core");
      const bar = element("div", "stack thin");
      kinds.forEach((kind, at) => {
        const part = element("span", "k-" + kind);
        part.style.setProperty("--w", (core[at] * 100).toFixed(2) + "%");
        part.title = t(kind) + " " + (core[at] * 100).toFixed(1) + " %";
        bar.append(part);
      });
      row.append(element("span", "quiet", t("core") + " " + number), bar,
        element("span", "n", ((1 - core[4]) * 100).toFixed(0) + " %"));
      place.append(row);
    });
  }

  const one = document.getElementById("one");

  function drawOne() {
    const run = data.runs[Number(one.value)];
    if (!run) return;
    document.getElementById("one-invalid").hidden = run.valid;
    drawPool(run);
    drawWait(run);
    drawProcesses(run);
    drawCores(run);
  }

  // Which runs are drawn.

  function chips() {
    const place = document.getElementById("chosen");
    place.replaceChildren();
    valid.forEach((run, at) => {
      const chip = element("button", "chip", run.name);
      chip.type = "button";
      chip.style.setProperty("--c", colour(at));
      chip.setAttribute("aria-pressed", String(chosen.has(run.place)));
      chip.addEventListener("click", () => {
        if (!chosen.delete(run.place)) chosen.add(run.place);
        chip.setAttribute("aria-pressed", String(chosen.has(run.place)));
        drawTogether();
      });
      place.append(chip);
    });
    if (valid.length < 3) return;
    for (const key of ["all", "none"]) {
      const button = element("button", "chip plain", t(key));
      button.type = "button";
      button.addEventListener("click", () => {
        chosen.clear();
        if (key === "all") valid.forEach((run) => chosen.add(run.place));
        chips();
        drawTogether();
      });
      place.append(button);
    }
  }

  function drawAll() {
    showLanguage();
    if (!one) return;
    chips();
    drawTogether();
    drawOne();
  }

  // Tables.

  function sortKey(row, column) {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.firstChild?.textContent ?? "";
    const number = parseFloat(text);
    return Number.isNaN(number) ? text : number;
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === typeof b) return a.localeCompare(b);
    return typeof a === "number" ? -1 : 1;
  }

  function sortable(table) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = element("button", "sort");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows];
        rows.sort((a, b) => (up ? 1 : -1) * compare(sortKey(a, column), sortKey(b, column)));
        body.append(...rows);
      });
    });
  }

  document.querySelectorAll("table.sortable").forEach(sortable);

  // A link to a run jumps there and keeps the language in the address.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-run]");
    if (!link) return;
    event.preventDefault();
    const row = document.getElementById("run-" + link.dataset.run);
    row.scrollIntoView({ block: "center" });
    row.classList.add("found");
    setTimeout(() => row.classList.remove("found"), 2000);
    one.value = link.dataset.run;
    drawOne();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.copy");
    if (!button) return;
    const range = document.createRange();
    range.selectNodeContents(button.parentElement.querySelector("code"));
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    // The older way: pages from a disk have no clipboard of the newer one.
    if (document.execCommand("copy")) {
      const before = [...button.childNodes];
      button.textContent = t("copied");
      setTimeout(() => button.replaceChildren(...before), 1500);
    }
  });

  one?.addEventListener("change", drawOne);
  addEventListener("hashchange", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((details) => { details.open = true; });
  });
  new ResizeObserver(() => {
    for (const [id, chart] of charts) {
      const width = document.getElementById("chart-" + id).clientWidth;
      if (width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
    }
  }).observe(document.querySelector("main"));

  drawAll();
})();
