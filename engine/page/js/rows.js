// ---- rows: put by id as patches say; each row's element keeps what came

// lists are the three of the protocol, in the order of the hash.
const lists = {};
for (const name of ["chat", "timeline", "skills"]) lists[name] = { name, e: $(name), rows: new Map() };

// held is what patches say beside rows; each field replaces what was held of it.
const held = { approvals: [] };
const fields = ["session", "model", "status", "tools", "diagnostics", "attachments", "artifacts", "approvals"];

function reset() {
  for (const list of Object.values(lists)) {
    list.e.textContent = "";
    list.rows.clear();
  }
  for (const f of fields) delete held[f];
  held.approvals = [];
  undrawn.length = 0;
}

// apply puts one patch: gone, rows, then the other fields.
function apply(patch) {
  for (const id of patch.gone || []) {
    for (const list of Object.values(lists)) {
      const e = list.rows.get(id);
      if (e) {
        list.rows.delete(id);
        e.remove();
      }
    }
  }
  for (const [name, rows] of Object.entries(patch.rows || {})) {
    if (Object.hasOwn(lists, name)) for (const r of rows) put(lists[name], r);
  }
  for (const f of fields) if (Object.hasOwn(patch, f)) held[f] = patch[f];
  changed(patch);
  if (!drawn && undrawn.length) drawSome(); // the first rows don't wait for a frame
}

function put(list, r) {
  let e = list.rows.get(r.id);
  const was = e && e.row.state;
  if (r.kind) {
    if (!e) {
      e = make("li");
      e.dataset.row = r.id;
      list.rows.set(r.id, e);
      list.e.insertBefore(e, (r.before && list.rows.get(r.before)) || null);
    }
    e.row = r;
  } else if (e) merge(e.row, r);
  else return; // it is of a row that is gone
  dirty(list, e);
  if (list.name === "chat") told(e, was);
}

function merge(row, r) {
  for (const [k, v] of Object.entries(r)) {
    if (k === "append") row.text = (row.text || "") + v;
    else if (k === "appendThinking") row.thinking = (row.thinking || "") + v;
    else row[k] = v;
  }
}

// undrawn are elements whose row is newer than their picture; the newest are drawn first, for some
// milliseconds at a time, so that a long history never holds up a press.
const undrawn = [];
const slice = 8;
let drawing = false;
let drawn = false;

function dirty(list, e) {
  if (e.waiting) return;
  e.waiting = list;
  undrawn.push(e);
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
  let e;
  while (performance.now() < until && (e = undrawn.pop())) {
    const list = e.waiting;
    e.waiting = null;
    if (e.isConnected) draw(list, e);
  }
  if (!drawn) performance.mark("first row"); // beside "socket open", for measuring
  drawn = true;
  if (!undrawn.length) followed();
  drawing = undrawn.length > 0;
  if (drawing) setTimeout(drawSome, 0);
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
    for (const { row } of list.e.children) {
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
