// Keys, and lists that filter and sort themselves where no server does it (bundle and report).
(() => {
  "use strict";
  const find = (what, where = document) => where.querySelector(what);
  const all = (what, where = document) => [...where.querySelectorAll(what)];

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

  // A static list is named in the fragment before what is asked of it: #rows&slot=inn-area&by=JGA
  function asked() {
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
    const reserved = ["by", "order", "low", "high", "q", "page"];

    function passes(row, params) {
      const wanted = data.fields.map((field) => params.get(field) || "");
      if (wanted.some(Boolean) && !row.f.some((found) => wanted.every((text, at) => !text || data.texts[at][found[at]] === text))) return false;
      const q = (params.get("q") || "").toLowerCase();
      const found = (text) => text.toLowerCase().includes(q);
      const names = (finding) => finding.some((code, at) => data.fields[at] !== "turn" && found(data.texts[at][code]));
      if (q && !found(items.get(row.i).textContent) && !row.f.some(names)) return false;
      const value = row.s[Math.max(0, data.columns.indexOf(params.get("by") || data.by))];
      const shown = value === null ? NaN : 100 * value;
      const low = params.get("low"), high = params.get("high");
      return !(low && !(shown >= Number(low) - 1e-9)) && !(high && !(shown < Number(high) - 1e-9));
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
        item.hidden = !passes(row, params);
        count += !item.hidden;
        holder.append(item);
      }
      const told = find("[data-count]", section) || find("#count", section);
      if (told) told.textContent = count === data.rows.length ? told.dataset.all : `${count.toLocaleString("en")} of ${data.rows.length.toLocaleString("en")} ${data.unit} here`;
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

    const told = find("[data-count]", section) || find("#count", section);
    if (told) told.dataset.all = told.textContent;
    const follow = () => {
      const { name: named, params } = asked();
      if (named === name || !named) show(params);
      if (named === name && params.size) section.scrollIntoView();
    };
    window.addEventListener("hashchange", follow);
    follow();
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
    const target = document.getElementById(decodeURIComponent(asked().name));
    const details = target && target.closest("details");
    if (details) {
      details.open = true;
      details.scrollIntoView();
    }
  }

  all("script[type='application/json'][data-for]").forEach(setUp);
  window.addEventListener("hashchange", openTarget);
  openTarget();
})();
