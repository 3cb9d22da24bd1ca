// ---- rows: put by id as patches say; each row's element keeps what came

// lists are the three of the protocol, in the order of the hash.
const lists = {};
for (const name of ["chat", "timeline", "skills"]) lists[name] = { name, e: $(name), rows: new Map(), undrawn: [] };

// held is what patches say beside rows; each field replaces what was held of it.
const held = { approvals: [] };
const fields = ["session", "model", "status", "tools", "diagnostics", "attachments", "artifacts", "approvals"];

function reset() {
  for (const list of Object.values(lists)) {
    list.e.textContent = "";
    list.rows.clear();
    list.undrawn = [];
  }
  for (const f of fields) delete held[f];
  held.approvals = [];
  $("live").textContent = "";
}

// apply puts one patch: gone, rows, then the other fields.
function apply(patch) {
  for (const id of patch.gone || []) {
    for (const list of Object.values(lists)) {
      const e = list.rows.get(id);
      if (e) {
        list.rows.delete(id);
        if (e.parentNode.children.length > 1) e.remove();
        else e.parentNode.remove();
      }
    }
  }
  for (const [name, rows] of Object.entries(patch.rows || {})) {
    if (Object.hasOwn(lists, name)) for (const r of rows) put(lists[name], r);
  }
  for (const f of fields) if (Object.hasOwn(patch, f)) held[f] = patch[f];
  changed(patch);
  if (!drawn && drawing) drawSome(); // the first rows don't wait for a frame
}

function put(list, r) {
  let e = list.rows.get(r.id);
  const was = e && e.row.state;
  if (r.kind) {
    if (!e) {
      e = make("li");
      e.role = "listitem";
      e.dataset.row = r.id;
      place(list, e, r.before && list.rows.get(r.before));
      list.rows.set(r.id, e);
    }
    e.row = r;
  } else if (e) merge(e.row, r);
  else return; // it is of a row that is gone
  dirty(list, e);
  if (list.name === "chat") told(e, was);
}

// Rows stand in groups, so that a browser lays out those that are near and passes over the rest of a
// long list; to a reader they are one list.
const together = 40;

// place puts a new row before another, or at the end.
function place(list, e, next) {
  let group = next ? next.parentNode : list.e.lastElementChild;
  if (next && next !== group.firstElementChild) return group.insertBefore(e, next);
  const behind = next ? group : null;
  if (next) group = group.previousElementSibling;
  if (!group || group.children.length >= together) {
    group = make("ol", "group");
    group.role = "presentation";
    list.e.insertBefore(group, behind);
    list.e.hidden = false;
  }
  group.append(e);
}

// elements are a list's rows in their order.
const elements = (list) => [...list.e.children].flatMap((group) => [...group.children]);

function merge(row, r) {
  for (const [k, v] of Object.entries(r)) {
    if (k === "append") row.text = (row.text || "") + v;
    else if (k === "appendThinking") row.thinking = (row.thinking || "") + v;
    else row[k] = v;
  }
}

// Each list's undrawn are elements whose row is newer than their picture. Those of the list that is
// shown are drawn first, and of them the newest.
let drawing = false;
let drawn = false;

function dirty(list, e) {
  if (e.waiting) return;
  e.waiting = true;
  list.undrawn.push(e);
  if (drawing) return;
  drawing = true;
  const begin = () => {
    followedSoon();
    drawSome();
  };
  if (document.hidden) setTimeout(begin, 50);
  else requestAnimationFrame(begin);
}

function drawSome() {
  const until = performance.now() + slice;
  let list;
  while (performance.now() < until && (list = nextUndrawn())) {
    const e = list.undrawn.pop();
    e.waiting = false;
    if (e.isConnected) draw(list, e);
  }
  if (!drawn) performance.mark("first row"); // beside "socket open", for measuring
  drawn = true;
  drawing = Boolean(nextUndrawn());
  if (drawing) return later(drawSome);
  if (link.state === "live") performance.mark("all rows"); // likewise
  followed();
}

function nextUndrawn() {
  return [lists[scroll.pane], ...Object.values(lists)].find((l) => l && l.undrawn.length);
}

// digestOfRows is FNV-1a over what the elements keep, as docs/mirror.md says.
function digestOfRows() {
  const encoder = new TextEncoder();
  let h = 2166136261;
  const add = (s) => {
    for (const b of encoder.encode(s)) h = Math.imul(h ^ b, 16777619);
    h = Math.imul(h, 16777619);
  };
  for (const list of Object.values(lists)) {
    for (const { row } of elements(list)) {
      for (const k of ["id", "kind", "state", "text", "thinking"]) add(row[k] || "");
      for (const k of Object.keys(row.args || {}).sort(byBytes)) {
        add(k);
        add(row.args[k]);
      }
    }
  }
  return (h >>> 0).toString(16).padStart(8, "0");
}

// byBytes orders as bytes of UTF-8 do: by code points, which UTF-16 does not quite.
function byBytes(a, b) {
  const x = [...a];
  const y = [...b];
  for (let i = 0; i < x.length && i < y.length; i++) {
    if (x[i] !== y[i]) return x[i].codePointAt(0) - y[i].codePointAt(0);
  }
  return x.length - y.length;
}
