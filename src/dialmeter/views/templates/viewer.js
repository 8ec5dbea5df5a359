// Keyboard shortcuts, and filtering and sorting of lists without a server (bundle and report).
(() => {
  "use strict";
  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "/") {
      const box = find("input[type=search]");
      if (box) {
        event.preventDefault();
        box.focus();
        box.select();
      }
    } else if (event.key === "j" || event.key === "k") {
      step(event.key === "j" ? 1 : -1);
    }
  });

  function step(by) {
    const rows = all("[data-row]").filter((each) => each.offsetParent !== null);
    if (!rows.length) {
      const link = find(by > 0 ? "a[rel=next]" : "a[rel=prev]");
      if (link) link.click();
      return;
    }
    const at = rows.indexOf(document.activeElement);
    rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))].focus();
  }

  // The fragment holds the id of a static list and the query: #rows&slot=inn-area&by=JGA
  function parseFragment() {
    const [name, ...rest] = location.hash.slice(1).split("&");
    return { name, params: new URLSearchParams(rest.join("&")) };
  }

  function setUp(block) {
    const name = block.dataset.for;
    const data = JSON.parse(block.textContent);
    const items = new Map(all("[data-i]", document.getElementById(name)).map((each) => [Number(each.dataset.i), each]));
    const first = [...items.values()][0];
    if (!first) return;
    const holder = first.parentNode;
    const section = block.parentNode;

    function matches(row, params) {
      const filters = data.fields.map((field) => params.get(field) || "");
      if (filters.some(Boolean) && !row.f.some((finding) => filters.every((text, at) => !text || data.texts[at][finding[at]] === text))) return false;
      const q = (params.get("q") || "").toLowerCase();
      const contains = (text) => text.toLowerCase().includes(q);
      const containsText = (finding) => finding.some((code, at) => data.fields[at] !== "turn" && contains(data.texts[at][code]));
      if (q && !contains(items.get(row.i).textContent) && !row.f.some(containsText)) return false;
      const value = row.s[Math.max(0, data.columns.indexOf(params.get("by") || data.by))];
      const percent = value === null ? NaN : 100 * value;
      const low = params.get("low"), high = params.get("high");
      return !(low && !(percent >= Number(low) - 1e-9)) && !(high && !(percent < Number(high) - 1e-9));
    }

    function show(params) {
      const by = params.get("by") || data.by;
      const column = data.columns.indexOf(by);
      const direction = params.get("order") || (data.down ? "down" : "up");
      const down = direction === "down" ? -1 : 1;
      const order = [...data.rows];
      order.sort((a, b) => {
        if (column < 0) return down * (a.i - b.i);
        const [x, y] = [a.s[column], b.s[column]];
        if (x === null || y === null) return (x === null) - (y === null) || b.m - a.m || a.i - b.i;
        return down * (x - y) || b.m - a.m || a.i - b.i;
      });
      let count = 0;
      for (const row of order) {
        const item = items.get(row.i);
        item.hidden = !matches(row, params);
        count += !item.hidden;
        holder.append(item);
      }
      if (countLine) countLine.textContent = count === data.rows.length ? countLine.dataset.all : `${count.toLocaleString("en")} of ${data.rows.length.toLocaleString("en")} ${data.unit} here`;
      const form = find("form[data-static].bar", section);
      if (form) for (const box of form.elements) if (box.name) box.value = params.get(box.name) ?? ({ by: data.by, order: data.down ? "down" : "up" }[box.name] || "");
      chips(params);
    }

    function chips(params) {
      const list = find("[data-chips]", section);
      if (!list) return;
      list.replaceChildren();
      for (const [field, text] of params) {
        if (!text || ["by", "order", "page"].includes(field)) continue;
        const rest = new URLSearchParams(params);
        rest.delete(field);
        const link = document.createElement("a");
        link.href = `#${name}&${rest}`;
        link.textContent = `${{ low: "at least", high: "below", q: "search" }[field] || field}: ${text} ×`;
        const item = document.createElement("li");
        item.append(link);
        list.append(item);
      }
    }

    const countLine = find("[data-count]", section) || find("#count", section);
    if (countLine) countLine.dataset.all = countLine.textContent;
    const update = () => {
      const { name: list, params } = parseFragment();
      if (list === name || !list) show(params);
      if (list === name && params.size) reveal(section);
    };
    window.addEventListener("hashchange", update);
    update();
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-static]");
    if (!form) return;
    event.preventDefault();
    const params = new URLSearchParams([...new FormData(form)].filter(([, text]) => text));
    const target = form.getAttribute("action");
    location.href = target + (target.includes("#") ? "" : "#rows") + (params.size ? `&${params}` : "");
  });

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(parseFragment().name));
    if (target && target.closest("details")) reveal(target);
  }

  // Opens what is folded around an element, and scrolls to it.
  function reveal(element) {
    for (let fold = element.closest("details"); fold; fold = fold.parentNode.closest("details")) fold.open = true;
    element.scrollIntoView();
  }

  window.addEventListener("beforeprint", () => all("details.fold").forEach((each) => (each.open = true)));
  all("script[type='application/json'][data-for]").forEach(setUp);
  window.addEventListener("hashchange", openTarget);
  openTarget();
})();
