// ---- link: one way to the server at a time, a socket or a streamed answer

// state is one of none, connecting, live, reconnecting, ended, revoked, taken. after is what is held,
// off that the mirror said it was switched off and nobody has answered since.
const link = { state: "none", since: 0, after: 0, session: "", share: "", goal: 0, unopened: 0, way: null, tries: 0, timer: 0, checking: false, asked: false, off: false };

const openWithin = 3000;
const pongWithin = 2000;
const staleAfter = 30000;

// ready tells whether buttons may act: what is shown is of now, and the way to the server answers.
const ready = () => link.state === "live" && !link.checking;

function standing(state) {
  if (link.state !== state) link.since = Date.now();
  link.state = state;
  showLink();
  showCard();
}

function drop() {
  clearTimeout(link.timer);
  if (link.way) link.way.end();
  link.way = null;
  link.checking = link.asked = false;
  link.goal = -1;
}

function connect() {
  drop();
  if (!me.token) return;
  if (link.state === "live") standing("reconnecting");
  else if (link.state !== "reconnecting") standing("connecting");
  openSocket();
}

function openSocket() {
  const way = { kind: "socket", pings: new Map() };
  const ws = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/ws");
  const late = setTimeout(() => !way.opened && instead(), openWithin);
  const instead = () => {
    if (link.way !== way) return;
    way.end();
    openStream();
  };
  way.open = () => ws.readyState === WebSocket.OPEN;
  way.tell = (frame) => ws.send(JSON.stringify(frame));
  way.end = () => {
    clearTimeout(late);
    ws.onclose = ws.onmessage = ws.onopen = null;
    ws.close();
  };
  ws.onopen = () => {
    clearTimeout(late);
    way.opened = true;
    link.unopened = 0;
    performance.mark("socket open");
    way.tell({ type: "auth", token: me.token, after: link.after, sessionId: link.session, share: link.share });
  };
  ws.onmessage = (m) => {
    way.heard = Date.now();
    receive(way, () => heard(JSON.parse(m.data)));
  };
  ws.onclose = (c) => {
    if (!way.opened && ++link.unopened > 1) instead(); // once may have been the network
    else receive(way, () => lost(c.code));
  };
  link.way = way;
}

// openStream follows by a streamed answer, for phones that take the page's certificate but not the
// socket's; commands go by POST then.
function openStream() {
  const stop = new AbortController();
  const way = { kind: "stream", open: () => false, heard: Date.now(), end: () => stop.abort() };
  link.way = way;
  const query = new URLSearchParams({ after: link.after, sessionId: link.session, share: link.share });
  const opened = setTimeout(() => stop.abort(), 10000);
  fetch("/api/frames?" + query, { headers: bearer(), signal: stop.signal, cache: "no-store" })
    .then(async (answer) => {
      clearTimeout(opened);
      if (!answer.ok) return answer.status === 401 ? 4401 : answer.status === 429 ? 4429 : 1006;
      return readLines(answer.body.pipeThrough(new TextDecoderStream()).getReader(), way);
    })
    .catch(() => 1006)
    .then((code) => receive(way, () => lost(code)));
}

async function readLines(reader, way) {
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done || link.way !== way) return 1006;
    way.heard = Date.now();
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const l of lines) if (l) receive(way, () => heard(JSON.parse(l)));
  }
}

// heard takes one frame of the server.
function heard(m) {
  if (m.type === "auth_ok") greeted(m);
  else if (m.type === "reset") {
    link.after = 0;
    reset();
    changed({});
  } else if (m.type === "patch") patched(m);
  else if (m.type === "pong") ponged(m);
  else if (m.type === "result") answered(m);
  else if (m.type === "presence") showPresence(m);
  else if (m.type === "hash") compared(m);
  else if (m.type === "close") return lost(m.code);
  if (link.state !== "live" && link.goal >= 0 && link.after >= link.goal) {
    link.tries = 0;
    standing("live");
    resend();
  }
}

function greeted(m) {
  clock.set(m.now);
  Object.assign(me, { role: m.role, name: m.name, device: m.deviceId, server: m.server, uploads: m.uploads, readOnly: m.readOnly || "" });
  Object.assign(link, { session: m.sessionId, share: m.share, goal: m.sequence, off: false });
  kept.set("token", { token: me.token, server: m.server });
  showRoom();
}

function patched(m) {
  if (m.after !== link.after) {
    if (m.sequence <= link.after || link.asked) return;
    if (link.way.kind !== "socket") return connect();
    link.asked = true;
    link.way.tell({ type: "again", after: link.after });
    return;
  }
  link.asked = false;
  link.after = m.sequence;
  apply(m);
}

// lost says what a closed way means, and comes again where that helps.
function lost(code) {
  drop();
  if (code === 4401 || code === 4403) return letGo(code);
  link.off ||= code === 4410;
  if (link.off) return standing("ended"); // a try that somebody's return began is not repeated either
  if (code === 4409) return standing("taken");
  standing(link.state === "connecting" && !link.after ? "connecting" : "reconnecting");
  const most = Math.min(10000, 250 * 2 ** link.tries++);
  const wait = code === 4429 ? 60000 : 250 + Math.random() * Math.max(0, most - 250);
  link.timer = setTimeout(connect, wait);
}

// letGo forgets a token that is good no more and shows the door.
function letGo(code) {
  const was = link.state;
  const newer = kept.get("token")?.token; // another tab may have joined anew
  const own = !newer || newer === me.token;
  if (own) kept.drop("token");
  me.token = own ? "" : newer;
  link.after = 0;
  link.session = link.share = "";
  giveUp();
  reset();
  changed({});
  if (!own) return connect();
  standing(was === "connecting" ? "none" : "revoked");
  showDoor(leaving ? "page.left" : code === 4403 ? "page.revoked" : "page.again");
  leaving = false;
}

// probe finds out whether the way is alive; buttons are off until it answers when somebody has come
// back to the page.
function probe(returned) {
  if (!me.token || link.state === "taken") return;
  if (link.state === "ended") return returned && connect();
  const way = link.way;
  if (!way) return connect();
  if (way.kind === "socket" && !way.opened) return;
  if (returned) check(true);
  const id = uid();
  const asked = Date.now();
  const dead = setTimeout(() => link.way === way && !(way.heard >= asked) && connect(), pongWithin);
  if (way.kind === "socket") {
    way.pings.set(id, dead);
    if (way.open()) way.tell({ type: "ping", id });
    return;
  }
  fetch("/api/health", { headers: bearer(), signal: AbortSignal.timeout(pongWithin), cache: "no-store" })
    .then((a) => a.json())
    .then((m) => {
      if (link.way !== way || Date.now() - way.heard > 45000) return;
      clearTimeout(dead);
      clock.set(m.now);
      check(false);
    })
    .catch(() => link.way === way && connect());
}

function ponged(m) {
  const way = link.way;
  if (!way.pings.has(m.id)) return;
  clearTimeout(way.pings.get(m.id));
  way.pings.delete(m.id);
  clock.set(m.now);
  check(false);
}

function check(on) {
  if (link.checking === on) return;
  link.checking = on;
  showLink();
  showCard();
}

// showLink says in words how things stand.
function showLink() {
  let key = link.state;
  if (link.checking) key = "checking";
  if (held.session && held.session.closed && key === "live") key = "closed";
  if (key === "reconnecting" && Date.now() - link.since > staleAfter) key = "stale";
  $("link").className = "k-" + key;
  say($("link"), (key === "live" ? "● " : "") + t("page.link." + key, { since: timeOf(link.since) }));
  const explain = { stale: "page.explain.stale", ended: "page.explain.ended", taken: "page.explain.taken" }[key] || (me.readOnly && me.role !== "viewer" && "page.explain.readOnly");
  $("banner").hidden = !explain;
  if (explain) say($("banner-text"), t(explain, { since: timeOf(link.since), why: fault(me.readOnly) }));
  $("banner-go").hidden = key !== "ended" && key !== "taken";
  say($("banner-go"), t("page.comeBack"));
  showStatus();
}

function startLink() {
  document.addEventListener("visibilitychange", () => document.hidden || probe(true));
  addEventListener("pageshow", (p) => p.persisted && probe(true));
  addEventListener("online", () => probe(true));
  $("banner-go").addEventListener("click", connect);
  setInterval(() => document.hidden || probe(false), 15000);
  setInterval(() => link.state === "reconnecting" && showLink(), 5000);
}
