// ---- card: the oldest open question, and afterwards its receipt

// asked is the question that is shown: since when it and its buttons stand still, and what became of it.
const asked = { id: "", digest: "", moved: 0, bottom: 0, denying: false, sent: "", note: "" };
const read = new Set(); // questions whose text was opened to its end, by id and digest
const receipts = new Map(); // by call: what is known until its row says so, and whether ours came too late
const stillFor = 700;
const stillWithin = 8;
let shownReceipt = "";

const current = () => held.approvals[0];
const readKey = (a) => a.id + " " + a.digest;

// decidable tells whether this page may answer at all.
const decidable = () => mayDecide() && !(held.session && held.session.closed);

function showCard() {
  const a = current();
  $("card").hidden = !a;
  if (!a) {
    asked.id = "";
    $("approve").disabled = $("deny").disabled = true;
    return;
  }
  if (a.id !== asked.id || a.digest !== asked.digest) openCard(a);
  say($("card-of"), held.approvals.length > 1 ? t("ui.oneOf", { n: held.approvals.length }) : "");
  say($("card-title"), t("page.asks", { tool: a.tool }));
  say($("card-risk"), riskOf(a));
  $("card-box").hidden = link.share !== "all";
  say($("card-why"), a.policy && a.policy.rule ? whyAsked(a.policy) : "");
  say($("card-digest"), a.digest ? t("page.digest", { digest: a.digest.slice(0, 8) }) : "");
  $("extend").hidden = !mayOperate();
  $("card-buttons").hidden = !decidable() || asked.denying;
  $("card-reason").hidden = !decidable() || !asked.denying;
  $("card").classList.toggle("denying", asked.denying);
  tick();
  buttons();
}

// riskOf is what it would do, in the words that the terminal has for it.
function riskOf(a) {
  return a.risk && has("risk." + a.risk) ? t("risk." + a.risk, { what: a.summary }) : a.summary;
}

function openCard(a) {
  Object.assign(asked, { id: a.id, digest: a.digest, denying: false, sent: "", note: "", lines: "" });
  $("reason").value = "";
  $("card-text").textContent = a.text;
  const exact = a.arguments !== a.text;
  $("card-exact").hidden = $("card-arguments").hidden = !exact;
  $("card-arguments").textContent = exact ? a.arguments : "";
  $("card").hidden = false;
  $("card-box").scrollTop = 0;
  asked.whole = Date.parse(a.expiresAt) - Date.parse(a.at);
  restless();
}

// restless begins the time for which the buttons are off since the question is not where it was.
function restless() {
  asked.moved = performance.now();
  asked.bottom = bottomOf("card-act");
  buttons();
  setTimeout(buttons, stillFor + 20);
}

const bottomOf = (id) => ($("card").hidden ? 0 : $(id).getBoundingClientRect().bottom);

// shifted looks whether the buttons are where they were.
function shifted() {
  if ($("card").hidden) return;
  if (Math.abs(bottomOf("card-act") - asked.bottom) > stillWithin) restless();
  reading();
}

// reading notes when the text is open to its end, and says how much is left.
function reading() {
  const a = current();
  const box = $("card-box");
  if (!a || $("card").hidden || document.hidden || !box.clientHeight) return;
  // Where the card is too long for the window, its end is under the buttons or outside.
  const under = Math.max(0, bottomOf("card-box") - Math.min(innerHeight, $("card-act").getBoundingClientRect().top));
  const left = box.scrollHeight - box.scrollTop - box.clientHeight + under;
  if (left < 4) read.add(readKey(a));
  asked.lines = Math.ceil(left / (parseFloat(getComputedStyle(box).lineHeight) || 20));
  buttons();
}

function buttons() {
  const a = current();
  if (!a) return;
  const still = performance.now() - asked.moved >= stillFor;
  const open = ready() && still && !asked.sent && decidable();
  $("approve").disabled = !open || !read.has(readKey(a));
  $("deny").disabled = $("deny-send").disabled = $("extend").disabled = !open;
  say($("approve"), asked.sent === "approve" ? t("page.sending") : t("page.approve"));
  say($("deny"), asked.sent === "deny" ? t("page.sending") : t("page.deny"));
  say($("card-more"), asked.note || whyOff(a, still));
}

function whyOff(a, still) {
  if (asked.sent) return t(asked.sent === "approve" && !isSecureContext ? "page.held" : "page.waitResult");
  if (held.session && held.session.closed) return t("page.link.closed");
  if (me.readOnly) return t("page.explain.readOnly", { why: fault(me.readOnly) });
  if (!mayDecide()) return t("page.notYou");
  if (!ready()) return t("page.notLive");
  if (!read.has(readKey(a))) return t("page.moreLines", { n: asked.lines });
  return still ? t("page.readAll") : t("page.moment");
}

async function decide(approve, reason) {
  const a = current();
  if (!a || a.id !== asked.id || !ready() || asked.sent) return;
  shifted();
  if (performance.now() - asked.moved < stillFor || (approve && !read.has(readKey(a)))) return buttons();
  Object.assign(asked, { sent: approve ? "approve" : "deny", note: "" });
  buttons();
  const frame = { type: "decide", approvalId: a.id, digest: a.digest, approve, pressedAt: new Date(clock.now()).toISOString() };
  if (reason) frame.reason = reason;
  const result = await order(frame);
  decided(a, approve, result);
}

// decided takes the engine's word on our press.
function decided(a, approve, m) {
  const r = receipts.get(a.call) || { digest: a.digest, at: clock.now() };
  const by = m.resolution && m.resolution.by;
  r.late = Boolean(m.resolution && by && by.deviceId !== me.device && (!m.ok || m.alreadyResolved));
  if (m.resolution) Object.assign(r, { status: m.resolution.status, by });
  receipts.set(a.call, r);
  if (r.late || m.ok) shownReceipt = a.call;
  showReceipt();
  if (asked.id !== a.id) return;
  asked.sent = "";
  asked.note = m.ok ? "" : fault(m.code, m.message);
  showCard();
}

// closedQuestions leaves a receipt for each question that was open and is decided.
function closedQuestions(before) {
  const open = new Set(held.approvals.map((a) => a.id));
  for (const a of before) {
    if (open.has(a.id) || link.state !== "live") continue;
    receipts.set(a.call, { digest: a.digest, at: clock.now(), ...receipts.get(a.call) });
    shownReceipt = a.call;
  }
  showReceipt();
}

// receiptOf is who decided a call, from where, when, and what exactly.
function receiptOf(row) {
  const c = row.call;
  const r = receipts.get(row.id) || {};
  const by = c.decidedBy || r.by || {};
  const status = c.decision || r.status;
  const person = status !== "expired";
  const args = { status: known("word.", status), by: person ? who(by) : "", from: person ? t("page.from." + by.screen) : "", digest: (c.digest || r.digest || "").slice(0, 8), at: timeOf(c.decidedAt || r.at), reason: c.reason };
  return r.late ? t("page.late", args) : t("page.decided", args);
}

function showReceipt() {
  const e = lists.chat.rows.get(shownReceipt);
  const c = e && e.row.call;
  const there = Boolean(c && (c.decision || (receipts.get(shownReceipt) || {}).status));
  $("receipt").hidden = !there;
  if (!there) return;
  $("receipt").className = "s-" + (c.decision || receipts.get(shownReceipt).status);
  say($("receipt-text"), receiptOf(e.row));
  const end = e.row.state === "failed" ? fault(e.row.code, c.error) : t("state." + e.row.state);
  say($("receipt-end"), c.tool + " · " + end);
}

// tick counts down by the server's time.
function tick() {
  const a = current();
  if (!a) return;
  const left = Date.parse(a.expiresAt) - clock.now();
  say($("card-time"), minutes(left));
  $("card-left").value = Math.max(0, Math.min(1, left / asked.whole));
}

function startCard() {
  $("approve").addEventListener("click", () => decide(true));
  $("deny").addEventListener("click", () => {
    asked.denying = true;
    showCard();
    restless();
    if (matchMedia("(pointer: fine)").matches) $("reason").focus();
    else $("deny-back").focus();
  });
  $("deny-back").addEventListener("click", () => {
    asked.denying = false;
    showCard();
    restless();
    $("deny").focus();
  });
  $("deny-send").addEventListener("click", () => decide(false, $("reason").value.trim()));
  $("reason").addEventListener("keydown", (k) => k.key === "Enter" && !k.isComposing && decide(false, $("reason").value.trim()));
  $("extend").addEventListener("click", async () => {
    const m = await order({ type: "extend", approvalId: asked.id, seconds: 300 });
    asked.note = m.ok ? "" : fault(m.code, m.message);
    buttons();
  });
  $("receipt-close").addEventListener("click", () => {
    shownReceipt = "";
    showReceipt();
    shifted();
  });
  for (const e of [$("card"), $("card-box")]) e.addEventListener("scroll", reading, { passive: true });
  const watch = new ResizeObserver(shifted);
  for (const e of [$("card"), $("card-box"), document.body]) watch.observe(e);
  if (window.visualViewport) for (const ev of ["resize", "scroll"]) visualViewport.addEventListener(ev, shifted);
  setInterval(tick, 1000);
  setInterval(() => current() && shifted(), 100); // what moves it need not change its size
}
