// ---- draw: what a row looks like

const glyphs = { completed: "✓", denied: "✗", failed: "✗", waiting: "▲", requested: "◔", running: "◐" };
const lights = { available: "◦", requested: "◔", loaded: "●", shadowed: "◦", broken: "!" };
const tones = { good: "✓", bad: "✗", asking: "▲", person: "›", skill: "●" };

// glyph is a mark beside words that say the same, so it is painted and not read out.
function glyph(mark) {
  const e = make("span", "glyph");
  e.dataset.g = mark || "·";
  return e;
}

function draw(list, e) {
  const r = e.row;
  if (list.name === "chat") drawChat(e, r);
  else if (list.name === "timeline") drawEvent(e, r);
  else drawSkill(e, r);
}

function drawChat(e, r) {
  e.className = "m " + r.kind + " s-" + r.state;
  if (r.kind === "tool") drawTool(e, r);
  else if (r.kind === "user" || r.kind === "agent") drawSaid(e, r);
  else e.replaceChildren(make("p", r.kind === "end" ? "wrong" : "note", note(r)));
}

function drawSaid(e, r) {
  if (!e.body) {
    e.body = make("div", "body");
    e.thoughts = make("details", "thoughts", make("summary"), make("p"));
    e.thoughts.hidden = true;
    e.state = make("span", "state");
    e.replaceChildren(make("h2", "", make("span", "who"), e.state), e.thoughts, e.body);
  }
  const name = r.kind === "agent" ? t("ui.agent") : who(r.by) || t("ui.you");
  say(e.querySelector(".who"), name);
  say(e.state, stateOf(r));
  e.hidden = r.kind === "agent" && r.state === "complete" && !r.text && !r.thinking; // it called tools and said nothing
  if (r.thinking) {
    e.thoughts.hidden = false;
    say(e.thoughts.firstChild, t("page.thinking"));
    say(e.thoughts.lastChild, r.thinking);
  }
  if (r.kind === "agent") markdown(e.body, r.text || "");
  else say(e.body, r.text || "");
}

function stateOf(r) {
  if (r.state === "streaming") return "…";
  if (r.state === "cut") return t("ui.cut");
  if (r.state === "queued") return t(r.delivery === "steer" ? "state.steers" : "state.queued");
  return r.state === "withdrawn" ? t("state.withdrawn") : "";
}

// note is what a row says that nobody said: a code, an event or an end.
function note(r) {
  const why = fault(r.code, r.text);
  if (r.kind === "end") {
    return "✗ " + (r.state === "cancelled" ? t("ui.runCancelled", { by: who(r.by) }) : t("ui.runFailed", { why, code: r.code }));
  }
  if (r.event === "compaction.completed") return "· " + caption(r.event, r.args);
  if (r.event) return "! " + caption(r.event, { ...r.args, why });
  return "! " + (r.code === "JOURNAL_DAMAGED" ? t("ui.hole", { why: r.text }) : why);
}

// drawTool is one line, which opens to arguments and result.
function drawTool(e, r) {
  const c = r.call || {};
  if (!e.card) {
    e.card = make("details", "", make("summary"));
    e.card.addEventListener("toggle", () => e.card.open && openTool(e));
    e.replaceChildren(e.card, make("p", "receipt"));
  }
  const state = t("state." + r.state);
  const took = r.state === "completed" ? t("ui.ms", { ms: c.durationMs }) : state;
  e.card.firstChild.replaceChildren(glyph(glyphs[r.state]), make("b", "", c.tool || ""), " ",
    make("span", "target", target(c.arguments)), " ", make("span", "state", c.repeats ? t("ui.repeats", { seq: c.repeats }) : took));
  const failed = r.state === "failed" || r.state === "denied" ? fault(r.code, c.error) : "";
  const text = [c.decision ? receiptOf(r) : "", failed].filter(Boolean).join(" · ");
  say(e.lastChild, text);
  e.lastChild.hidden = !text;
  if (e.card.open) openTool(e);
}

// target is the values of a call's arguments in a few words.
function target(text) {
  let v = null;
  try {
    v = JSON.parse(text);
  } catch {
    return (text || "").slice(0, 80);
  }
  const all = v && typeof v === "object" ? Object.values(v) : [v];
  const words = all.filter((x) => typeof x === "string" || typeof x === "number").join(" · ").replace(/\s+/g, " ");
  return words.length > 90 ? words.slice(0, 90) + "…" : words;
}

function openTool(e) {
  const c = e.row.call || {};
  for (const old of [...e.card.children].slice(1)) old.remove();
  if (c.arguments) e.card.append(make("p", "label", t("page.arguments")), make("pre", "code", c.arguments));
  if (c.content) e.card.append(make("p", "label", t("page.result")), make("pre", "code", c.content));
  if (c.bytes > 4096) e.card.append(make("p", "state", t("page.resultCut", { size: sizeOf(c.bytes) })));
  if (c.policy && c.policy.rule) e.card.append(make("p", "state", whyAsked(c.policy)));
}

// phrase is a rule's or source's text, the program's own ones translated.
function phrase(text) {
  const m = /^(allow|ask|deny) (\S+)$/.exec(text || "");
  return m ? t("rule." + m[1], { tool: m[2] }) : known("phrase.", text);
}

const whyAsked = (p) => t("page.why", { rule: phrase(p.rule), source: phrase(p.source), matched: p.matched });

function drawEvent(e, r) {
  e.className = "ev t-" + r.tone + " d" + Math.min(6, r.depth || 0);
  e.replaceChildren(make("span", "num", String(r.id)), glyph(tones[r.tone]),
    make("span", "cap", caption(r.kind, r.args, r.count)), make("time", "", timeOf(r.at)));
}

function drawSkill(e, r) {
  e.className = "sk l-" + r.state;
  e.replaceChildren(make("p", "", glyph(lights[r.state]), make("b", "", r.name), " ",
    make("span", "state", t("light." + r.state, { tokens: r.tokens, seq: r.at }))),
    make("p", "about", r.description || ""), make("p", "state", [known("source.", r.source), r.path].filter(Boolean).join(" · ")));
}

// ---- following: the chat stays at its end until somebody scrolls up

const scroll = { follow: true, fresh: 0, pane: "chat", hand: -1e9 };

function followed() {
  const pane = $("pane-" + scroll.pane);
  if (scroll.follow) pane.scrollTop = pane.scrollHeight;
  $("back").hidden = scroll.follow || scroll.pane === "skills" || scroll.pane === "files";
  if (!$("back").hidden) say($("back"), scroll.fresh ? t("page.backNew", { n: scroll.fresh }) : t("page.backLive"));
  for (const [name, list] of Object.entries(lists)) {
    $("pane-" + name).firstElementChild.hidden = list.rows.size > 0;
    list.e.hidden = !list.rows.size; // a list of nothing is none to a screen reader
  }
}

function onScroll() {
  const pane = $("pane-" + scroll.pane);
  const end = pane.scrollHeight - pane.scrollTop - pane.clientHeight < 48;
  // What grows scrolls too; only somebody who scrolls away is let go.
  if (end || performance.now() - scroll.hand < 2000) scroll.follow = end;
  if (scroll.follow) scroll.fresh = 0;
  followedSoon();
}

let soon = 0;
function followedSoon() {
  soon ||= requestAnimationFrame(() => {
    soon = 0;
    followed();
  });
}

function selectTab(name, focus) {
  scroll.pane = name;
  scroll.follow = true;
  scroll.fresh = 0;
  for (const tab of $("tabs").children) {
    const own = tab.id === "tab-" + name;
    tab.setAttribute("aria-selected", String(own));
    tab.tabIndex = own ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !own;
    if (own && focus) tab.focus();
  }
  followed();
}

function wordTabs() {
  for (const [name, list] of Object.entries(lists)) say($("tab-" + name), t("page." + name, { n: name === "chat" ? "" : list.rows.size || "" }));
  say($("tab-files"), t("page.files", { n: (held.attachments || []).length + (held.artifacts || []).length || "" }));
}

function startTabs() {
  const tabs = [...$("tabs").children];
  for (const tab of tabs) {
    tab.addEventListener("click", () => selectTab(tab.id.slice(4)));
    tab.addEventListener("keydown", (k) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.indexOf(tab), End: tabs.length - 1 - tabs.indexOf(tab) }[k.key];
      if (step === undefined) return;
      k.preventDefault();
      selectTab(tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length].id.slice(4), true);
    });
    const pane = $(tab.getAttribute("aria-controls"));
    pane.addEventListener("scroll", onScroll, { passive: true });
    for (const by of ["wheel", "touchmove", "pointerdown", "keydown"]) pane.addEventListener(by, () => (scroll.hand = performance.now()), { passive: true });
  }
  $("back").addEventListener("click", () => {
    scroll.follow = true;
    scroll.fresh = 0;
    followed();
    $("pane-" + scroll.pane).focus({ preventScroll: true });
  });
  const grown = new ResizeObserver(followedSoon);
  for (const e of [$("panes"), ...Object.values(lists).map((l) => l.e)]) grown.observe(e);
}
