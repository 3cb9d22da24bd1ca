// ---- markdown: text to elements. HTML in it is text; links show their address; nothing is fetched

const fenceOpen = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)(.*)$/;
const tableRule = /^ {0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const rule = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const deepest = 6;

// markdown draws text into parent. A block that has not changed since the last time keeps its
// element, so that a growing answer is redrawn at its end only.
function markdown(parent, text) {
  const list = blocks(text.split("\n"));
  const held = parent.blocks || [];
  let level = 2; // of the row's own heading
  let at = 0;
  for (; at < list.length; at++) {
    const b = list[at];
    if (b.type === "heading") b.level = level = Math.min(6, level + 1, b.level + 2);
    const key = JSON.stringify(b);
    if (held[at] && held[at].key === key) continue;
    const e = block(b, 0);
    if (held[at]) held[at].e.replaceWith(e);
    else parent.append(e);
    held[at] = { key, e };
  }
  for (const gone of held.splice(at)) gone.e.remove();
  parent.blocks = held;
}

function blocks(lines) {
  const out = [];
  let i = 0;
  while (i < lines.length) {
    if (!lines[i].trim()) i++;
    else i = one(lines, i, out);
  }
  return out;
}

// one reads the block that begins at line i and gives the line after it.
function one(lines, i, out) {
  const line = lines[i];
  let m = fenceOpen.exec(line);
  if (m && !(m[2][0] === "`" && m[3].includes("`"))) return fenced(lines, i, m, out);
  if ((m = heading.exec(line))) {
    out.push({ type: "heading", level: m[1].length, text: m[2] || "" });
    return i + 1;
  }
  if (rule.test(line)) {
    out.push({ type: "rule" });
    return i + 1;
  }
  if (/^ {0,3}>/.test(line)) return gather(lines, i, (l) => /^ {0,3}>/.test(l), (l) => l.replace(/^ {0,3}> ?/, ""), "quote", out);
  if (bullet.test(line)) return listed(lines, i, out);
  if (/^(?: {4}|\t)/.test(line)) return gather(lines, i, (l) => /^(?: {4}|\t)/.test(l), (l) => l.replace(/^(?: {4}|\t)/, ""), "code", out);
  if (line.includes("|") && i + 1 < lines.length && lines[i + 1].includes("|") && tableRule.test(lines[i + 1])) {
    return gather(lines, i, (l) => l.includes("|"), (l) => l, "table", out);
  }
  return paragraph(lines, i, out);
}

function gather(lines, i, belongs, strip, type, out) {
  const own = [];
  for (; i < lines.length && belongs(lines[i]); i++) own.push(strip(lines[i]));
  out.push({ type, lines: own });
  return i;
}

function fenced(lines, i, m, out) {
  const own = [];
  const end = new RegExp("^ {0,3}" + m[2][0] + "{" + m[2].length + ",}[ \\t]*$");
  const indent = new RegExp("^ {0," + m[1].length + "}");
  for (i++; i < lines.length; i++) {
    if (end.test(lines[i])) {
      i++;
      break;
    }
    own.push(lines[i].replace(indent, ""));
  }
  out.push({ type: "code", lang: m[3].trim().split(/\s/)[0], lines: own });
  return i;
}

function listed(lines, i, out) {
  const first = bullet.exec(lines[i])[2];
  const ordered = /\d/.test(first);
  const mark = first.at(-1);
  const items = [];
  let m;
  while (i < lines.length && (m = bullet.exec(lines[i])) && m[2].at(-1) === mark && !rule.test(lines[i])) {
    const indent = m[1].length + m[2].length + Math.min(4, Math.max(1, m[3].length));
    const own = [m[4]];
    for (i++; i < lines.length; i++) {
      const l = lines[i];
      if (!l.trim()) {
        if (!/^ {2}/.test(lines[i + 1] || "")) break;
        own.push("");
      } else if (l.search(/\S/) >= Math.min(indent, 2)) own.push(l.slice(Math.min(indent, l.search(/\S/))));
      else if (starts(l) || !own.at(-1).trim()) break;
      else own.push(l);
    }
    while (i < lines.length && !lines[i].trim() && bullet.test(lines[i + 1] || "")) i++;
    items.push(own);
  }
  out.push({ type: "list", ordered, start: parseInt(first, 10) || 0, items });
  return i;
}

const starts = (l) => fenceOpen.test(l) || heading.test(l) || rule.test(l) || bullet.test(l) || /^ {0,3}>/.test(l);

function paragraph(lines, i, out) {
  const own = [lines[i++].trim()];
  for (; i < lines.length && lines[i].trim(); i++) {
    const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(lines[i]);
    if (under) {
      out.push({ type: "heading", level: under[1][0] === "=" ? 1 : 2, text: own.join(" ") });
      return i + 1;
    }
    if (starts(lines[i])) break;
    own.push(lines[i].trim());
  }
  out.push({ type: "text", lines: own });
  return i;
}

// block is the element of a block.
function block(b, depth) {
  switch (b.type) {
    case "heading":
      return inline(make("h" + Math.min(6, Math.max(3, b.level))), b.text, 0);
    case "rule":
      return make("hr");
    case "code":
      return make("pre", "code", make("code", "", b.lines.join("\n")));
    case "table":
      return table(b.lines);
    case "quote":
      return within(make("blockquote"), b.lines, depth);
    case "list": {
      const e = make(b.ordered ? "ol" : "ul");
      if (b.ordered && b.start !== 1) e.start = b.start;
      for (const item of b.items) e.append(within(make("li"), item, depth));
      return e;
    }
  }
  return inline(make("p"), b.lines.join("\n"), 0);
}

// within draws the blocks inside another; too deep, they are text.
function within(parent, lines, depth) {
  if (depth >= deepest) return make(parent.localName, "", make("pre", "code", lines.join("\n")));
  const inner = blocks(lines);
  if (inner.length === 1 && inner[0].type === "text") return inline(parent, inner[0].lines.join("\n"), 0);
  for (const b of inner) parent.append(block(b, depth + 1));
  return parent;
}

function table(lines) {
  const cells = (l) => l.trim().replace(/^\|/, "").replace(/\|$/, "").split(/(?<!\\)\|/).map((c) => c.trim().replaceAll("\\|", "|"));
  const right = cells(lines[1]).map((c) => c.endsWith(":") && !c.startsWith(":"));
  const head = make("tr");
  for (const [i, c] of cells(lines[0]).entries()) head.append(inline(make("th", right[i] ? "num" : ""), c, 0));
  const body = make("tbody");
  for (const l of lines.slice(2)) {
    const row = make("tr");
    for (const [i, c] of cells(l).slice(0, right.length).entries()) row.append(inline(make("td", right[i] ? "num" : ""), c, 0));
    body.append(row);
  }
  const box = make("div", "scroll", make("table", "", make("thead", "", head), body));
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", t("page.table"));
  return box;
}

// inline draws emphasis, code and links of a text. Where a mark could close is looked for once and
// remembered, so that hostile text costs no more than its length.
function inline(parent, s, depth) {
  const mark = /\\[!-/:-@[-`{-~]|`+|!?\[|\*\*|__|~~|[*_]|https?:\/\/[^\s<>"'`|]+/g;
  const near = new Map(); // of each kind of mark, where the next one is
  let from = 0;
  let m;
  while ((m = mark.exec(s))) {
    const found = depth < deepest && marked(s, m[0], m.index, near, depth);
    if (!found) continue;
    parent.append(s.slice(from, m.index), ...found.nodes);
    from = mark.lastIndex = found.end;
  }
  parent.append(s.slice(from));
  return parent;
}

function marked(s, m, at, near, depth) {
  const after = at + m.length;
  const close = (what, begin) => {
    let i = near.get(what);
    if (i === undefined || (i >= 0 && i < begin)) near.set(what, (i = s.indexOf(what, begin)));
    return i;
  };
  if (m[0] === "\\") return { nodes: [m[1]], end: after };
  if (m[0] === "`") {
    const end = close(m, after);
    if (end < 0 || s[end + m.length] === "`") return null;
    return { nodes: [make("code", "", s.slice(after, end).replace(/^ (.+) $/, "$1"))], end: end + m.length };
  }
  if (m.startsWith("http")) {
    const address = m.replace(/[.,;:!?)\]，。；：！？）】]+$/, "");
    return { nodes: anchor(address, address), end: at + address.length };
  }
  if (m.endsWith("[")) {
    const mid = close("](", after);
    const end = mid < 0 ? -1 : close(")", mid);
    if (end < 0) return null;
    return { nodes: anchor(s.slice(after, mid), s.slice(mid + 2, end).trim().split(/\s/)[0]), end: end + 1 };
  }
  return emphasis(s, m, at, after, close, depth);
}

function emphasis(s, m, at, after, close, depth) {
  const end = close(m, after + 1);
  const word = /[\p{L}\p{N}]/u;
  if (end < 0 || /\s/.test(s[after] || " ") || /\s/.test(s[end - 1])) return null;
  if (m[0] === "_" && (word.test(s[at - 1] || "") || word.test(s[end + m.length] || ""))) return null;
  if (m.length === 1 && s[end + 1] === m) return null;
  const e = make(m === "~~" ? "del" : m.length === 2 ? "strong" : "em");
  return { nodes: [inline(e, s.slice(after, end), depth + 1)], end: end + m.length };
}

// anchor is a link with its address shown where that differs from its text; an address that is not of
// the web is text.
function anchor(text, address) {
  let url = null;
  try {
    url = new URL(address);
  } catch {
    // not an address
  }
  if (!url || !["http:", "https:", "mailto:"].includes(url.protocol)) return [text + " (" + address + ")"];
  const a = make("a", "", text || url.href);
  a.href = url.href;
  a.target = "_blank";
  a.rel = "noopener noreferrer";
  return text === address || text === url.href ? [a] : [a, make("span", "address", " (" + url.href + ")")];
}
